"""Measured motions over the bodies of a world: markers, what they are missed by, a ghost."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.motion_capture.sticks import stick_figure
from stoss.viewer.world.canvas import Canvas, marks_of
from stoss.viewer.world.simulation import Simulation


def swing(noise=0.0):
    """Return an arm of two links with markers, a motion of it and a recording of that."""
    world = st.World(gravity=(0, 0, -9.81))
    upper = world.add_body(st.Capsule(0.05, 0.2), position=(0, 0, -0.15), name="upper")
    fore = world.add_body(st.Capsule(0.04, 0.2), position=(0, 0, -0.45), name="fore")
    world.add_joint(st.Ball((0, 0, 0)), None, upper, name="shoulder")
    world.add_joint(st.Hinge((0, 0, -0.3), (0, -1, 0)), upper, fore, name="elbow")
    for k, place in enumerate(((0.05, 0, 0.1), (0, 0.05, -0.1), (-0.05, 0, 0))):
        world.add_marker(f"U{k}", upper, position=place)
        world.add_marker(f"F{k}", fore, position=place)
    both, times = st.Articulation(world), np.arange(51) / 50.0
    q = 0.4 * np.sin(3.0 * times[:, None] + np.arange(4)) + (0, 0, 0, 0.8)
    motion = st.Motion(both.coordinates, times, q)
    return both, motion, st.record_markers(both, motion, noise=noise)


def test_bodies_go_through_the_motion():
    """Put bodies where the motion has them after each step, and leave them to gravity at the end."""
    both, motion, data = swing()
    world = both.world
    view = st.MotionView(both, motion, data)
    np.testing.assert_allclose(both.q, motion.q[0], atol=1e-12)
    world.step(30)
    np.testing.assert_allclose(both.q, motion.at(0.3), atol=1e-9)
    np.testing.assert_allclose(both.rates, motion._curve()(0.3, 1), atol=1e-7)
    view.end()
    world.step(10)
    assert np.abs(both.q - motion.at(0.4)).max() > 1e-3


def test_markers_are_drawn_with_what_they_are_missed_by():
    """Draw lines between markers as long as the noise, their colour red where they are long, and a figure."""
    both, motion, data = swing(noise=0.005)
    positions = data.positions.copy()
    positions[25, 0] = np.nan
    positions[25, 1] += (0.1, 0, 0)
    data = st.MarkerData(data.names, data.times, positions)
    view, canvas = st.MotionView(both, motion, data), Canvas()
    both.world.step(50)
    view(canvas, both.world)
    marks = marks_of(canvas)
    points = marks.lines[(marks.lines[:, :3] == marks.lines[:, 4:7]).all(axis=1)]
    lines = marks.lines[(marks.lines[:, :3] != marks.lines[:, 4:7]).any(axis=1)]
    assert len(points) == 6 + 5 and len(lines) == 5  # one was not seen
    lengths = np.linalg.norm(lines[:, 4:7] - lines[:, :3], axis=1)
    wanted = np.linalg.norm(lines[:, 4:7] - positions[25, 1:], axis=1)
    np.testing.assert_allclose(wanted, 0.0, atol=1e-12)
    assert lengths[0] > 0.08 and lengths[1:].max() < 0.03
    assert lines[0, 7] > 0.85 and lines[np.argmin(lengths), 8] > lines[0, 8]
    (text, _), mean = marks.texts[0], 1e3 * np.sqrt((lengths**2).mean())
    assert text == f"0.50 s, missed by {mean:.1f} mm"


def test_the_ghost_stands_where_the_motion_is():
    """Draw joints and centres of the motion as lines while bodies are moved by something else."""
    both, motion, _ = swing()
    world = both.world
    view, canvas = st.MotionView(both, motion, play=False), Canvas()
    world.step(20)
    before = world.positions.copy()
    view(canvas, world)
    marks = marks_of(canvas)
    np.testing.assert_array_equal(world.positions, before)
    assert np.abs(both.q - motion.at(0.2)).max() > 0.05
    motion.show(both, 0.2)
    upper, fore = world.body("upper"), world.body("fore")
    elbow = world.joint("elbow").first_point
    wanted = [((0, 0, 0), upper.position), (upper.position, elbow), (elbow, fore.position)]
    np.testing.assert_allclose(marks.lines[:, :3], [a for a, _ in wanted], atol=1e-9)
    np.testing.assert_allclose(marks.lines[:, 4:7], [b for _, b in wanted], atol=1e-9)
    np.testing.assert_allclose(stick_figure(both), np.array([np.array(w) for w in wanted]), atol=1e-9)


def test_the_window_goes_to_and_fro_in_the_motion():
    """Have the same pose after going back in the recorded past as when it was made."""
    both, motion, data = swing()
    world = both.world
    simulation = Simulation(world, paused=True, draw=st.MotionView(both, motion, data))
    simulation.turn()
    simulation.step(20)
    for _ in range(30):
        simulation.turn()
    assert world.step_count == 20
    np.testing.assert_allclose(both.q, motion.at(0.2), atol=1e-9)
    assert len(simulation.view.marks.lines) == 18 and simulation.view.marks.texts
    simulation.step_back()
    simulation.turn()
    np.testing.assert_allclose(both.q, motion.at(0.19), atol=1e-9)


def test_what_does_not_belong_together_is_told():
    """Name the coordinate that a motion lacks, and markers that are not there."""
    both, motion, data = swing()
    with pytest.raises(ValueError, match="no coordinate 'elbow'"):
        st.MotionView(both, motion.renamed({"elbow": "knee"}))
    with pytest.raises(ValueError, match="no marker of the recording"):
        st.MotionView(both, motion, data.renamed({name: f"x{name}" for name in data.names}))
    with pytest.raises(TypeError, match="play"):
        st.MotionView(both, motion, play=1)
