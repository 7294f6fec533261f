"""The leg of the gait trainer of Specker 2016 as bodies and joints, beside his equations of motion."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.specker.gait_trainer import equilibrium, leg_matrices, stop_moment
from stoss.scenes import SCENES


def leg(**values):
    """Return the world of the scene, and its joints at hip, rail and knee."""
    world = SCENES["gait_trainer_leg"].build(**values)
    return world, world.joint("hip"), world.joint("rail"), world.joint("knee")


def test_it_stands_where_springs_carry_it():
    """Stay at the pose that the equations say, without friction, at 10 ms (X-13)."""
    world, hip, rail, _ = leg(stage="S0", drive="none", time_step=0.01)
    world.step(200)
    assert [hip.value, rail.value] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("drives", [(3.0, 0.0), (0.0, 50.0), (-4.0, 30.0)])
def test_it_begins_to_move_as_the_equations_say(drives):
    """Accelerate by the mass matrix of the thesis, and bend the knee by its gradient (X-13)."""
    h, steps = 1e-4, 10
    world, hip, rail, knee = leg(stage="S0", drive="none", time_step=h)
    for joint, value in zip((hip, rail), drives, strict=True):
        world.add_load(st.JointTorque(joint, value))
    world.step(steps)
    m11, m12, m22, _, _, bend, by_angle, by_place = leg_matrices(*equilibrium())
    wanted = np.linalg.solve([[m11, m12], [m12, m22]], drives)
    # points of mass have a little inertia here, and the leg moves on meanwhile
    assert np.array([hip.rate, rail.rate]) / (h * steps) == pytest.approx(wanted, rel=5e-3, abs=2e-2)
    assert knee.rate == pytest.approx(by_angle * hip.rate + by_place * rail.rate, rel=1e-3)
    after = leg_matrices(equilibrium()[0] + hip.value, equilibrium()[1] + rail.value)[5]
    assert knee.value == pytest.approx(after - bend, abs=1e-7)


@pytest.mark.parametrize("stage", ["S1", "S2"])
def test_friction_at_ten_milliseconds(stage):
    """Move at 10 ms as at 1 ms under a load below the static level, and hardly at all (M9)."""
    ways = []
    for h in (0.01, 0.001):
        world, hip, _, _ = leg(stage=stage, drive="none", time_step=h)
        world.add_load(st.JointTorque(hip, 3.0))
        way = []
        for _ in range(4):
            world.step(round(0.5 / h))
            way.append(hip.value)
        ways.append(way)
        assert world.report.ladder == ()
    assert ways[0] == pytest.approx(ways[1], abs=5e-4)
    assert max(ways[0]) < 0.05


@pytest.mark.filterwarnings("ignore:load 'knee stop'")
def test_the_stop_keeps_the_knee_from_bending_backwards():
    """Give the moment of the thesis's stop at the angle and rate of the knee, and less than its strength."""
    world, _, _, knee = leg(stage="S3", drive="stretch")
    bend = leg_matrices(*equilibrium())[5]
    stop, most = world.load("knee stop"), 0.0
    for _ in range(round(2.5 / world.time_step)):
        before = bend + knee.value, knee.rate
        world.step()
        assert bend + knee.value > -0.05
        if stop.effort > 1.0:
            ends = sorted((stop_moment(*before), stop_moment(bend + knee.value, knee.rate)))
            assert 0.99 * ends[0] - 0.1 < stop.effort < 1.01 * ends[1] + 0.1
        most = max(most, stop.effort)
    assert 3.0 < most < 50.0


def test_an_observer_that_knows_of_friction_is_better():
    """Believe where the arm is and how fast it turns, far better with friction in the model than without."""
    errors = []
    for friction in (1, 0):
        world = SCENES["observer"].build(friction=friction)
        gear, state = world.joint("gear"), world.after_step[0]
        off = []
        for _ in range(500):
            world.step()
            off.append(state.observer.state[:2] - (gear.value, gear.rate))
        errors.append(np.sqrt(np.mean(np.square(off[100:]), axis=0)))
        place = world.body("believed").position
        angle = state.observer.state[0]
        assert place[[0, 2]] / 0.4 == pytest.approx([np.sin(angle), -np.cos(angle)], abs=1e-9)
    assert (errors[0] < 0.25 * errors[1]).all()
    assert errors[0][0] < 0.03  # below the noise of what it is told


def test_observers_of_copied_worlds_go_on_alike():
    """Copy an observer with its world, noise and all."""
    world = SCENES["observer"].build()
    world.step(20)
    other = world.copy()
    world.step(20)
    other.step(20)
    assert other.after_step[0].observer.state.tolist() == world.after_step[0].observer.state.tolist()
    assert other.body("believed").position.tolist() == world.body("believed").position.tolist()
