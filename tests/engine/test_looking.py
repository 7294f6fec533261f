"""Looking at a world changes nothing: contacts, reports, copies and saved states between steps."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Ball, Hinge, Material, Settings, World

SETTINGS = [
    Settings(),
    Settings(order=4),
    Settings(sleeping=True, sleep_time=0.03),
    Settings(solver="gauss_seidel"),
    Settings(time_of_impact=True, order=4),
]


def build(settings: Settings) -> World:
    """Return a heap that stands beside a pendulum."""
    world = World(settings=settings)
    world.add_body(HalfSpace(), kind="static", material=Material(friction=0.6))
    for level in range(3):
        world.add_body(Box((0.3, 0.3, 0.3)), position=(0.02 * level, 0, 0.15 + 0.3 * level))
    bob = world.add_body(Sphere(0.1), position=(2.5, 0, 1))
    world.add_joint(Hinge((2, 0, 1), (0, 1, 0)), None, bob)
    world.step(6)
    return world


def test_questions_leave_the_choice_of_order_alone():
    """Whirl past posts beside a box that rests: rays between steps, and copies, change no bit."""
    seen = World(settings=Settings(order=4), time_step=0.02)
    seen.add_body(HalfSpace(), kind="static")
    seen.add_body(Box((0.2, 0.2, 0.2)), position=(5, 0, 0.1))
    for k in range(5):
        seen.add_body(Box((0.02, 0.02, 2)), position=(1.2, 0.4 * k - 0.8, 1), kind="static")
    rod = seen.add_body(Box((1, 0.05, 0.05)), position=(0.5, 0, 1), angular_velocity=(0, 0, 9))
    seen.add_joint(Ball((0, 0, 1)), None, rod)
    unseen = seen.copy()
    for _ in range(60):
        seen.ray_cast((0, 0, 9), (0, 0, -1))
        seen = seen.copy()
        seen.step()
        unseen.step()
        assert seen.state_hash() == unseen.state_hash() and seen.report.order == unseen.report.order


def look(world: World) -> None:
    """Read what has to find contacts, more than once."""
    assert len(world.contacts) >= 12
    world.save()
    world.copy()
    assert world.report.contact_count == len(world.contacts)


@pytest.mark.parametrize("settings", SETTINGS)
def test_looking_between_changes_keeps_the_bits(settings):
    """Go on to the same bits however often contacts are looked at while bodies come, move and go."""
    seen, unseen = build(settings), build(settings)
    for turn in range(4):
        for world in (seen, unseen):
            added = []
            for k in range(3):
                place = (0.35 + 0.3 * k, 0.4 * turn, 0.1)
                added.append(world.add_body(Sphere(0.1), position=place))
                if world is seen:
                    look(world)
            added[1].position = added[1].position + np.array([0, 0, 1e-4])
            if world is seen:
                look(world)
            world.remove_body(added[2])
            if world is seen:
                look(world)
            world.step(3)
        assert seen.state_hash() == unseen.state_hash(), f"turn {turn}"
        assert seen.contacts.impulse.tobytes() == unseen.contacts.impulse.tobytes()
