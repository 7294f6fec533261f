"""Colours of bodies: what is accepted, and that they go where the bodies go."""

import numpy as np
import pytest

from stoss.collision import Sphere
from stoss.engine import World


def test_colors_are_numbers_names_or_digits():
    """Accept three numbers, names and digits alike, and give back three numbers; None by default."""
    world = World()
    ball = world.add_body(Sphere(1.0))
    assert ball.color is None
    for given, wanted in (
        ((1, 0.5, 0), (1.0, 0.5, 0.0)),
        (np.array([0.25, 0.5, 1.0]), (0.25, 0.5, 1.0)),
        ("red", (1.0, 0.0, 0.0)),
        (" Orange ", (1.0, 165 / 255, 0.0)),
        ("#ff8800", (1.0, 136 / 255, 0.0)),
        ("#F80", (1.0, 136 / 255, 0.0)),
        (None, None),
    ):
        ball.color = given
        assert ball.color == wanted
    assert world.add_body(Sphere(1.0), color="#fff").color == (1.0, 1.0, 1.0)
    bodies = world.add_bodies(Sphere(1.0), np.zeros((3, 3)), color=(0, 0, 1))
    assert [body.color for body in bodies] == [(0.0, 0.0, 1.0)] * 3
    assert world.duplicate(bodies[0]).color == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "wrong", [(255, 128, 0), (0.1, 0.2), (0, 0, -0.1), "chartreusey", "#ff", "#gggggg", 7]
)
def test_what_is_no_color_is_refused(wrong):
    """Name the value, and add no body."""
    world = World()
    ball = world.add_body(Sphere(1.0), color="teal")
    for attempt in (
        lambda: setattr(ball, "color", wrong),
        lambda: world.add_body(Sphere(1.0), color=wrong),
        lambda: world.add_bodies(Sphere(1.0), np.zeros((2, 3)), color=wrong),
    ):
        with pytest.raises((ValueError, TypeError), match="color = "):
            attempt()
    assert len(world.bodies) == 1 and ball.color == (0.0, 128 / 255, 128 / 255)
    assert len({world.add_body(Sphere(1.0)).name, ball.name}) == 2


def test_colors_follow_their_bodies():
    """Stay with their bodies when others are removed, and come back from snapshots."""
    world = World()
    bodies = [world.add_body(Sphere(0.5), position=(k, 0, 0), color=(k / 4, 0, 0)) for k in range(4)]
    saved, plain = world.save(), world.state_hash()
    world.remove_body(bodies[1])
    assert [body.color[0] for body in world.bodies] == [0.0, 0.5, 0.75]
    bodies[3].color = "blue"
    world.restore(saved)
    assert [body.color[0] for body in world.bodies] == [0.0, 0.25, 0.5, 0.75]
    other = World()
    other.restore(saved)
    assert other.bodies[3].color == (0.75, 0.0, 0.0)
    other.bodies[3].color = None
    assert other.state_hash() == plain
