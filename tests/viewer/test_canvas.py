"""Marks of the user's own: drawn where they are said to be, and wrong ones refused with a cure."""

import math

import numpy as np
import pytest

from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.debug import debug_geometry
from stoss.viewer.drawing.pictures import picture
from stoss.viewer.world.canvas import Canvas, check_draw, drawn_by, marks_of
from stoss.viewer.world.simulation import Simulation
from tests.viewer.falling_box import falling_box


def test_marks_stay_for_one_picture_or_until_they_are_cleared():
    canvas = Canvas()
    canvas.line((0, 0, 0), (1, 0, 0), color="red", width=3.0)
    canvas.points(np.zeros((4, 3)), keep=True)
    canvas.text((0, 0, 1), 3.5)
    first, second = marks_of(canvas), marks_of(canvas)
    assert len(first.lines) == 5 and len(second.lines) == 4
    assert first.lines[-1].tolist() == [0, 0, 0, 3, 1, 0, 0, 1, 0, 0, 1]
    assert first.texts[0][0] == "3.5" and second.texts == ()
    canvas.clear()
    assert len(marks_of(canvas).lines) == 0


def test_one_end_may_be_shared_by_many_lines():
    canvas = Canvas()
    canvas.line((0, 0, 0), np.eye(3))
    lines = marks_of(canvas).lines
    assert np.array_equal(lines[:, 4:7], np.eye(3)) and not lines[:, :3].any()


def test_arrows_reach_from_one_point_to_the_other_and_have_heads_of_their_own():
    canvas = Canvas()
    canvas.arrow((0, 0, 1), [(0, 0, 3), (0, 4, 1), (0, 0, 1)])
    canvas.arrow((0, 0, 0), (1, 0, 0), width=0.5)
    table = debug_geometry(marks_of(canvas)).arrows
    assert len(table) == 3  # one has no length
    assert table[:, 10] + table[:, 11] == pytest.approx([2.0, 4.0, 1.0])  # head and shaft
    assert table[:, 8] == pytest.approx([0.12, 0.24, 0.25])


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda v: v.line((0, 0), (1, 0, 0)), r"a .*3"),
        (lambda v: v.line((0, 0, math.nan), (1, 0, 0)), r"a .*nan"),
        (lambda v: v.line(np.zeros((2, 3)), np.zeros((3, 3))), "a has 2 rows, b has 3; give as many"),
        (lambda v: v.line((0, 0, 0), (1, 0, 0), color="rot"), "color = 'rot' is no colour"),
        (lambda v: v.line((0, 0, 0), (1, 0, 0), color=None), "color = None is no colour"),
        (lambda v: v.line((0, 0, 0), (1, 0, 0), width=-1), "width = -1 must be"),
        (lambda v: v.line((0, 0, 0), (1, 0, 0), keep=1), "keep = 1 must be True or False"),
        (lambda v: v.line((0, 0, 0), (1, 0, 0), colour="red"), "color"),
        (lambda v: v.arrow("up", (1, 0, 0)), "a .*'up'"),
        (lambda v: v.points([[0, 0, math.inf]]), r"places\[0\].*finite"),
        (lambda v: v.text((0, 0, 0, 0), "x"), "place"),
        (lambda v: v.lines((0, 0, 0), (1, 0, 0)), "did you mean line"),
    ],
)
def test_wrong_marks_are_refused_and_nothing_is_drawn(draw, told):
    canvas = Canvas()
    with pytest.raises((TypeError, ValueError, AttributeError), match=told) as error:
        draw(canvas)
    assert "\n" not in str(error.value)
    marks = marks_of(canvas)
    assert not len(marks.lines) and not len(marks.arrows) and not marks.texts


def test_a_picture_shows_them_where_they_are():
    world, camera, size = falling_box(), Camera(target=(0, 0, 5), distance=4.0), (200, 150)
    seen = [
        picture(world, size, camera=camera, quality="low", draw=draw)
        for draw in (
            None,
            lambda v, world: v.points(world.positions + (0, 0, 0.6), color="#ff00ff", width=20),
        )
    ]
    x, y, _ = camera.project((0, 0, 5.6), size)
    changed = np.argwhere((seen[0] != seen[1]).any(axis=2))
    assert np.abs(changed.mean(axis=0) - (y, x)).max() < 1.5
    assert seen[1][round(y), round(x)].tolist() == [255, 0, 255]


def test_a_function_that_draws_is_checked_and_one_that_fails_stops_the_simulation_with_its_words():
    with pytest.raises(TypeError, match=r"draw = 3 must be a function draw\(canvas, world\)"):
        check_draw(3)
    world = falling_box()
    marks = drawn_by(lambda v, world: v.arrow(world.positions[-1], (0, 0, 0)), world)
    assert marks.arrows[0, 4:7].tolist() == [0.0, 0.0, -5.0]
    simulation = Simulation(falling_box(), draw=lambda v, world: v.line((0, 0), (1, 1)))
    simulation.turn()
    simulation.step()
    simulation.turn()
    assert "the function draw raised ValueError: a" in simulation.view.failure.message
    assert simulation.paused
