"""A recorded motion is played, stepped and sought; it cannot be changed."""

import math
import time

import numpy as np
import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.scenes.registry import SCENES
from stoss.scenes.running.trajectory import Recorder, load_trajectory
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import Release
from stoss.viewer.world.player import Player


@pytest.fixture
def motion(tmp_path):
    world = SCENES["stack"].build(bodies=3, offset=0.1)
    recorder = Recorder(world, every=2)
    for _ in range(20):
        world.step()
        recorder.after_step(world)
    recorder.write(tmp_path / "run.npz")
    return load_trajectory(tmp_path / "run.npz")


def test_it_is_stepped_and_sought(motion):
    player = Player(motion, paused=True)
    assert player.view.frame.step == 0
    player.step(3)
    assert player.view.frame.step == 6
    assert np.array_equal(player.view.frame.positions, motion.positions[3])
    player.step_back()
    assert player.view.frame.step == 4
    player.go_to(11)
    assert player.view.frame.step == 10
    player.go_to(1000)
    assert player.view.frame.step == player.view.past[1] == 20
    player.reset()
    assert player.view.frame.step == 0


def test_it_plays_to_its_end_and_stops_there(motion):
    player = Player(motion)
    player.speed = 20.0
    begin = time.perf_counter()
    while not player.view.paused:
        assert time.perf_counter() - begin < 5.0
    assert player.view.frame.step == 20
    player.pause(False)
    assert player.view.frame.step < 20


def test_it_looks_like_the_world_it_was(motion):
    world = SCENES["stack"].build(bodies=3, offset=0.1)
    description = Player(motion).view.description
    assert list(description.names) == [body.name for body in world.bodies]
    assert [type(shape) for shape in description.shapes] == [type(s) for s in world.shape_table.shapes]


def test_it_cannot_be_changed(motion):
    player = Player(motion)
    player.post(Release())
    assert "cannot be changed" in player.notices[0]


def test_colours_are_those_of_the_recording(tmp_path):
    """Show the colours that bodies had."""
    world = SCENES["stack"].build(bodies=2)
    world.bodies[-1].color = (0.5, 0.25, 0.0)
    Recorder(world).write(tmp_path / "run.npz")
    player = Player(load_trajectory(tmp_path / "run.npz"), paused=True)
    assert player.view.description.colors[-2:] == (None, (0.5, 0.25, 0.0))


def test_velocities_are_those_of_the_motion_and_scenes_direct_the_view(motion):
    """Fall as fast as gravity has it, between two samples; look from where the scene looks."""
    player = Player(motion, paused=True)
    player.step(3)
    frame = player.view.frame
    world = SCENES["stack"].build(bodies=3, offset=0.1)
    world.step(6)
    assert frame.velocities == pytest.approx(world.velocities, abs=0.05)
    bench = Workbench(Player(motion, paused=True))
    bench.refresh()
    assert bench.scene is None  # the file does not tell
    motion.about["scene"] = "crane"
    bench = Workbench(Player(motion, paused=True))
    bench.refresh()
    assert math.degrees(bench.camera.azimuth) == pytest.approx(SCENES["crane"].view[0])
    motion.about["scene"] = ["crane"]
    assert Player(motion).scene_name == ""
