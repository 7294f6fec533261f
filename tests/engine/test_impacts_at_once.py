"""Sub-steps that end at impacts, where their stages are made in one call: the same as stage by stage."""

from dataclasses import replace

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Ellipsoid, HalfSpace, Sphere
from stoss.engine import Fixed, Material, Settings, Stribeck, World
from stoss.engine.stages.at_once import MadeAhead

EXACT = Settings(time_of_impact=True)
STEP = 0.01  # [s]


def hashes(world: World, steps: int) -> list[str]:
    """Return the hash after each step."""
    found = []
    for _ in range(steps):
        world.step()
        found.append(world.state_hash())
    return found


def stage_by_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no stages be made ahead where sub-steps end at impacts."""
    monkeypatch.setattr(MadeAhead, "sees_impacts", property(lambda ahead: False))


def at_an_edge(height: float, width: float) -> World:
    """Build a box that falls from a height [m], above the edge of another one by a width [m] of its own."""
    world = World(settings=EXACT, time_step=STEP)
    world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, -0.5), kind="static")
    place = 0.6 - width, 0.0, 0.1 + height
    world.add_body(Box((0.2, 0.2, 0.2)), position=place, mass=1.0, velocity=(0.0, 0.0, -0.5))
    return world


def heap() -> World:
    """Build shapes of several kinds that fall on each other."""
    rng = np.random.default_rng(7)
    world = World(settings=EXACT, time_step=STEP)
    world.add_body(HalfSpace(), kind="static")
    for k in range(6):
        shape = (Box((0.3, 0.2, 0.2)), Sphere(0.12), Ellipsoid((0.1, 0.15, 0.2)), Capsule(0.1, 0.2))[k % 4]
        place, spin = (*rng.uniform(-0.1, 0.1, 2), 0.25 + 0.35 * k), rng.normal(size=3)
        material = Material(restitution=0.3 * (k % 2), friction=0.4)
        world.add_body(shape, position=place, angular_velocity=spin, material=material)
    return world


def dumbbell(settings: Settings = EXACT) -> World:
    """Build two balls, one above the other and joined, that bounce and tip over."""
    world = World(settings=settings, time_step=STEP)
    material = Material(restitution=0.5, friction=0.3)
    world.add_body(HalfSpace(), kind="static", material=material)
    lower = world.add_body(Sphere(0.1), position=(0.0, 0.0, 0.3), mass=1.0, material=material)
    upper = world.add_body(Sphere(0.1), position=(0.0, 0.0, 0.6), mass=1.0, velocity=(0.3, 0.0, 0.0))
    world.add_joint(Fixed((0.0, 0.0, 0.45)), lower, upper)
    return world


@pytest.mark.parametrize("height", [0.003, 0.006, 0.02])
@pytest.mark.parametrize("width", [0.0005, 0.002, 0.004])
def test_what_hits_an_edge_from_above_is_the_same_in_one_call(
    height: float, width: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Have the same bits where the least way out of an overlap is not the way in, which ends the sub-step."""
    in_one_call = hashes(at_an_edge(height, width), 20)
    stage_by_stage(monkeypatch)
    assert hashes(at_an_edge(height, width), 20) == in_one_call


def test_a_heap_is_the_same_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the same bits for shapes that fall on each other and come to rest."""
    in_one_call = hashes(heap(), 150)
    stage_by_stage(monkeypatch)
    assert hashes(heap(), 150) == in_one_call


def test_joints_say_what_they_gave_in_the_step_of_an_impact_alone() -> None:
    """Let the impulse of a joint be what its body gained, less that of gravity, in each step."""
    world = dumbbell()
    upper, joint = world.bodies[2], world.joints[0]
    bounced = False
    for _ in range(60):
        before = np.array(upper.velocity)
        world.step()
        gained = np.array(upper.velocity) - before - STEP * np.array([0.0, 0.0, -9.81])
        if upper.position[2] < 0.15:
            break  # it meets the ground itself
        given = STEP * np.array(joint.force)
        np.testing.assert_allclose(given, gained, atol=1e-12)
        bounced = bounced or bool(np.abs(gained).max() > 0.5)
    assert bounced


def test_friction_laws_say_what_they_took_in_the_step_of_an_impact_alone() -> None:
    """Let the powers of a friction law over all steps add up to its work."""
    law = Stribeck(0.4, 0.2, 0.1)
    world = World(settings=EXACT, time_step=STEP)
    material = Material(friction=law, restitution=0.3)
    world.add_body(HalfSpace(), kind="static", material=material)
    for place, speed in ((0.0, 2.0), (0.3, 0.5)):
        position, velocity = (place, 0.0, 0.1), (speed, 0.0, 0.0)
        world.add_body(
            Box((0.2, 0.2, 0.2)), position=position, mass=1.0, velocity=velocity, material=material
        )
    dissipated = 0.0
    for _ in range(60):
        world.step()
        dissipated += STEP * world.friction_books[law].power
    assert dissipated == pytest.approx(-world.friction_books[law].work, rel=1e-12)


@pytest.mark.parametrize("continuous", [True, False])
def test_times_of_impact_that_are_switched_off_leave_nothing_behind(continuous: bool) -> None:
    """Go on as a copy does, which knows nothing of whom bodies met before, after the search is left out."""
    world = dumbbell(replace(EXACT, continuous_collision=continuous))
    world.step(10)
    world.settings = replace(world.settings, time_of_impact=False)
    twin = world.copy()
    assert hashes(world, 120) == hashes(twin, 120)
