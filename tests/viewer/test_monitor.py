"""Curves hold what was read after each step, from the beginning on, however late they are asked for."""

import numpy as np
import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.collision import Box, HalfSpace
from stoss.engine import World
from stoss.scenes.registry import SCENES
from stoss.scenes.running.trajectory import Recorder, load_trajectory
from stoss.viewer.world.channels import Channel, channel_of, listed
from stoss.viewer.world.commands import Delete, Throw
from stoss.viewer.world.driven import Driven
from stoss.viewer.world.monitor import Curve
from stoss.viewer.world.player import Player
from stoss.viewer.world.simulation import Simulation
from tests.viewer.falling_box import falling_box

ENERGY = Channel("energy.total", "J")
HEIGHT = Channel("body.box.position.z", "m")


def turns(simulation: Simulation, steps: int = 0) -> None:
    """Make steps, and all that is asked for besides."""
    simulation.step(steps)
    while simulation.turn():
        pass


def test_curves_are_noted_after_every_step():
    simulation = Simulation(falling_box(), paused=True)
    simulation.watch(ENERGY, HEIGHT, Channel("body.gone.velocity.size", "m/s"))
    turns(simulation, 4)
    times, heights = simulation.monitor.curve(HEIGHT)
    assert times == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04])
    assert heights == pytest.approx(5.0 - 0.5 * 9.81 * times**2)
    assert simulation.monitor.curve(ENERGY)[1] == pytest.approx([9.81 * 5.0] * 5)
    assert np.isnan(simulation.monitor.curve(Channel("body.gone.velocity.size", "m/s"))[1]).all()


def test_a_curve_that_is_added_late_begins_at_the_beginning_and_the_others_stay():
    simulation = Simulation(falling_box(), paused=True)
    simulation.watch(ENERGY)
    turns(simulation, 20)
    before = simulation.monitor.curve(ENERGY)
    simulation.watch(ENERGY, HEIGHT)
    turns(simulation)
    times, heights = simulation.monitor.curve(HEIGHT)
    assert times == pytest.approx(0.01 * np.arange(21))
    assert heights == pytest.approx(5.0 - 0.5 * 9.81 * times**2)
    assert np.array_equal(simulation.monitor.curve(ENERGY), before)
    simulation.watch(HEIGHT)
    turns(simulation, 1)
    assert len(simulation.monitor.curve(ENERGY)[0]) == 0
    assert len(simulation.monitor.curve(HEIGHT)[0]) == 22


EVERY_KIND = [
    *(
        channel_of(one, "z" if "z" in one.components else "size")
        for one in listed(SCENES["crane"].build())
        if one.name.startswith(("energy", "ledger", "momentum", "center", "world", "joint", "body.load"))
        and one.name != "world.step_seconds"
    ),
    Channel("joint.hook.force.size", "N"),
    Channel("body.load.orientation.w", ""),
]


def test_what_is_read_from_recorded_states_is_what_was_noted_to_the_bit():
    """Read all kinds of channels, while bodies come and go, and leave the world as it is."""
    noted, late = (Simulation(SCENES["crane"].build(), paused=True) for _ in range(2))
    noted.watch(*EVERY_KIND)
    for simulation in (noted, late):
        turns(simulation, 5)
        simulation.post(Throw((0.0, -4.0, 6.0), (0.0, 8.0, 1.0)))
        turns(simulation, 10)
        simulation.post(Delete("ball 1"))
        turns(simulation, 5)
    before = late.stage.world.state_hash()
    late.watch(*EVERY_KIND)
    turns(late)
    for channel in EVERY_KIND:
        times, values = noted.monitor.curve(channel)
        others = late.monitor.curve(channel)
        assert len(times) == 21 and np.isfinite(values).all(), channel
        assert np.array_equal(others[0], times) and np.array_equal(others[1], values), channel
    assert late.stage.world.state_hash() == before == noted.stage.world.state_hash()


def test_a_loop_of_its_own_has_curves_too():
    driven = Driven(falling_box(), paused=True)
    for step in range(12):
        driven.stage.world.step()
        driven.note()
        driven.turn()
        if step == 6:
            driven.watch(HEIGHT)
    while driven.monitor.work(1.0):  # on a busy machine rounds read little
        pass
    times, heights = driven.monitor.curve(HEIGHT)
    assert times == pytest.approx(0.01 * np.arange(13))
    assert heights == pytest.approx(5.0 - 0.5 * 9.81 * times**2)


def test_contacts_carry_the_weight():
    world = World()
    world.add_body(HalfSpace(), kind="static", name="ground")
    world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5), mass=3.0, name="box")
    simulation = Simulation(world, paused=True)
    carried = [Channel(f"body.{name}.contact_force.z", "N") for name in ("box", "ground")]
    simulation.watch(*carried, Channel("world.contact_force", "N"))
    turns(simulation, 20)
    assert [simulation.monitor.curve(channel)[1][-1] for channel in carried] == pytest.approx([29.43, -29.43])
    assert simulation.monitor.curve(Channel("world.contact_force", "N"))[1][-1] == pytest.approx(29.43)


def test_a_joint_carries_what_hangs_on_it_and_a_drive_gives_what_it_takes():
    simulation = Simulation(SCENES["crane"].build(), paused=True)
    hook, slew = Channel("joint.hook.force.size", "N"), Channel("joint.trolley.drive.force", "N")
    simulation.watch(hook, slew)
    turns(simulation, 3)
    world = simulation.stage.world
    assert simulation.monitor.curve(hook)[1][-1] == np.linalg.norm(world.joint("hook").force)
    assert simulation.monitor.curve(slew)[1][-1] == world.joint("trolley").drives[0].force
    units = {one.name: one.unit for one in listed(world)}
    assert (units["joint.hook.force"], units["joint.trolley.drive.force"]) == ("N", "N")
    assert Channel("joint.slew.angle.rate", "rad/s").label == "joint.slew.angle.rate [rad/s]"


def test_values_of_times_that_come_again_replace_those_of_before():
    curve = Curve()
    for step in range(10):
        curve.append(0.1 * step, step)
    curve.append(0.45, 100.0)
    assert curve.samples()[1].tolist() == [0, 1, 2, 3, 4, 100]
    curve.merge([0.05, 0.45], [50.0, 60.0])
    assert curve.samples()[1].tolist() == [0, 50, 1, 2, 3, 4, 100]
    curve.forget_after(0.2)
    assert curve.samples()[1].tolist() == [0, 50, 1, 2]


def test_long_curves_keep_their_beginning_and_the_recent_past():
    curve = Curve(most=1000)
    for step in range(25_000):
        curve.append(float(step), float(step))
    times, values = curve.samples()
    assert len(times) <= 1000 and np.array_equal(times, values)
    assert times[0] == 0.0 and np.array_equal(times[-200:], np.arange(24_800.0, 25_000.0))
    assert (np.diff(times) > 0.0).all()


@pytest.fixture
def motion(tmp_path):
    """Return half a second of a box that falls, turns about z at 2 rad/s, and moves on at 1 m/s."""
    world = World()
    box = world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 9.0), velocity=(1.0, 0.0, 0.0), name="box")
    box.angular_velocity = (0.0, 0.0, 2.0)
    recorder = Recorder(world, every=2)
    for _ in range(50):
        world.step()
        recorder.after_step(world)
    recorder.write(tmp_path / "run.npz")
    return load_trajectory(tmp_path / "run.npz")


def test_a_recorded_motion_has_curves_of_places_and_of_velocities_from_differences(motion):
    player = Player(motion, paused=True)
    fall = Channel("body.box.velocity.z", "m/s")
    turn = Channel("body.box.angular_velocity.z", "rad/s")
    player.watch(ENERGY, HEIGHT, fall, turn)
    assert player.monitor.channels == (HEIGHT, fall, turn)
    times, heights = player.monitor.curve(HEIGHT)
    assert np.array_equal(times, motion.times) and np.array_equal(heights, motion.positions[:, 0, 2])
    assert player.monitor.curve(fall)[1][1:-1] == pytest.approx(-9.81 * times[1:-1])
    assert player.monitor.curve(turn)[1] == pytest.approx(np.full(26, 2.0))
