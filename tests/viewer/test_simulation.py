"""The simulation behind the window: run control, commands, views, errors; turn by turn and in its thread."""

import time

import numpy as np
import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.viewer.world.commands import Freeze, Grab, Push, SetMass
from stoss.viewer.world.simulation import Simulation
from tests.viewer.falling_box import falling_box, wait_for


def test_single_steps_forth_and_back_give_the_same_bits():
    simulation = Simulation(falling_box(), paused=True)
    simulation.step(5)
    for _ in range(5):
        assert simulation.turn()
    assert not simulation.turn()
    assert simulation.view.frame.step == 5
    place = simulation.view.frame.positions.copy()
    simulation.step(3)
    for _ in range(3):
        simulation.turn()
    simulation.go_to(5)
    simulation.turn()
    assert simulation.view.frame.step == 5
    assert np.array_equal(simulation.view.frame.positions, place)
    simulation.step_back()
    simulation.turn()
    assert simulation.view.frame.step == 4
    simulation.reset()
    simulation.turn()
    assert simulation.view.frame.step == 0
    assert simulation.stage.log == []


def test_commands_wait_for_no_step_when_paused():
    simulation = Simulation(falling_box(), paused=True)
    simulation.post(SetMass("box", 7.0))
    simulation.inspect("box")
    simulation.turn()
    assert simulation.view.outline.body.mass == 7.0
    assert simulation.view.description.masses[0] == 7.0
    assert simulation.view.frame.step == 0


def test_kinds_and_colours_that_change_are_seen():
    """Show another kind and another colour in the next view."""
    simulation = Simulation(falling_box(), paused=True)
    simulation.turn()
    body = simulation.stage.world.body("box")
    body.kind, body.color = "kinematic", "red"
    simulation.step(1)
    simulation.turn()
    description = simulation.view.description
    row = description.names.index("box")
    assert description.kinds[row] == "kinematic" and description.colors[row] == (1.0, 0.0, 0.0)


def test_a_rejected_command_is_told_and_the_simulation_goes_on():
    simulation = Simulation(falling_box(), paused=True)
    simulation.post(SetMass("box", -7.0), Grab("nobody", (0.0, 0.0, 0.0)), Freeze("box"))
    simulation.turn()
    assert len(simulation.notices) == 2
    assert "mass" in simulation.notices[0]
    assert "nobody" in simulation.notices[1]
    assert [joint.name for joint in simulation.stage.world.joints] == ["freeze box"]


def test_an_error_in_a_step_pauses_with_the_culprit_named():
    simulation = Simulation(falling_box())
    simulation.post(Push("box", (0.0, 0.0, 5.0), (1e9, 0.0, 0.0)))
    simulation.turn()
    assert simulation.paused
    assert simulation.view.failure is not None
    assert simulation.view.failure.bodies == ("box",)
    assert np.isfinite(simulation.view.frame.positions).all()
    simulation.reset()
    simulation.turn()
    assert simulation.view.failure is None


def test_an_error_of_a_callback_is_shown_and_does_not_end_the_thread():
    world = falling_box()
    world.before_step.append(lambda world: 1 / 0 if world.step_count == 3 else None)
    simulation = Simulation(world)
    simulation.speed = float("inf")
    for _ in range(10):
        simulation.turn()
    assert simulation.paused
    assert "ZeroDivisionError" in simulation.view.failure.message


def test_the_thread_keeps_the_pace_of_the_clock_and_stops():
    world = falling_box()
    world.step()  # so that nothing is compiled or loaded in what is timed
    simulation = Simulation(world)
    simulation.start()
    try:
        wait_for(lambda: simulation.view.frame.step > 1)
        begin, step = time.perf_counter(), simulation.view.frame.step
        wait_for(lambda: simulation.view.frame.step >= step + 50)
        assert time.perf_counter() - begin > 0.3  # 0.5 s of simulated time cannot take much less
        simulation.pause()
        wait_for(lambda: simulation.view.paused)
        answer = simulation.ask(lambda: simulation.stage.world.step_count)
        assert answer.result(10.0) == simulation.view.frame.step
        with pytest.raises(ZeroDivisionError):
            simulation.ask(lambda: 1 / 0).result(10.0)
    finally:
        simulation.close()


def test_the_view_does_not_wait_for_a_long_step():
    world = falling_box()
    world.before_step.append(lambda world: time.sleep(0.5))
    simulation = Simulation(world)
    simulation.start()
    try:
        begin = time.perf_counter()
        looks = 0
        while time.perf_counter() - begin < 1.0:
            assert simulation.view.frame is not None
            simulation.post(SetMass("box", 1.0 + looks))
            looks += 1
            time.sleep(0.01)
        assert looks > 30
    finally:
        simulation.close()


def test_speed_must_be_above_zero():
    with pytest.raises(ValueError, match="speed = 0"):
        Simulation(falling_box()).speed = 0.0
