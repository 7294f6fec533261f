"""Looking at the past leaves the recording as it is; going on from there cuts it, and cuts can be undone."""

import threading

import numpy as np
import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Hinge, Material, World
from stoss.scenes.registry import SCENES
from stoss.viewer.world import history as history_module
from stoss.viewer.world import timeline as timeline_module
from stoss.viewer.world.channels import Channel
from stoss.viewer.world.commands import Grab, MovePointer, Push, Release, SetMass
from stoss.viewer.world.film_strip import FilmStrip
from stoss.viewer.world.history import History, bytes_of
from stoss.viewer.world.simulation import Simulation
from stoss.viewer.world.stage import Stage
from stoss.viewer.world.timeline import Timeline
from tests.viewer.falling_box import falling_box, wait_for
from tests.viewer.test_stage import SESSION, crane_stage


def finish(simulation: Simulation) -> None:
    """Do all that was asked of a simulation that stands."""
    while simulation.turn():
        pass


def recorded(steps: int = 10, source=falling_box) -> Simulation:
    """Return a simulation that stands after so many steps."""
    simulation = Simulation(source(), paused=True)
    simulation.step(steps)
    finish(simulation)
    return simulation


def looked_at(simulation: Simulation) -> tuple[int, tuple[int, int]]:
    finish(simulation)
    return simulation.view.frame.step, simulation.view.past


def test_one_looks_at_all_that_was_recorded_both_ways_and_nothing_is_lost():
    simulation = recorded()
    end = simulation.stage.world.state_hash()
    for step in (5, 2, 9, 0, 7, 1):
        simulation.go_to(step)
        assert looked_at(simulation) == (step, (0, 10))
        assert simulation.view.looking_back
    simulation.go_to(10)
    assert looked_at(simulation) == (10, (0, 10))
    assert not simulation.view.looking_back
    assert simulation.stage.world.state_hash() == end


def test_every_step_back_counts_also_those_that_wait():
    simulation = recorded()
    for _ in range(5):
        simulation.step_back()
    assert looked_at(simulation) == (5, (0, 10))
    for way in (-1, -1, 1, -1):
        simulation.step(way)
    assert looked_at(simulation) == (3, (0, 10))
    simulation.go_to(8)
    simulation.step_back()
    simulation.step_back()
    assert looked_at(simulation) == (6, (0, 10))


def test_steps_forward_show_what_is_recorded_and_only_then_make_new_ones():
    simulation = recorded()
    simulation.go_to(7)
    simulation.step(2)
    assert looked_at(simulation) == (9, (0, 10))
    simulation.step(3)
    assert looked_at(simulation) == (12, (0, 12))


def test_steps_back_are_counted_while_a_step_takes_long():
    world = falling_box()
    gate, inside = threading.Event(), threading.Event()

    def hold(world: World) -> None:
        if world.step_count == 10:
            inside.set()
            gate.wait(20.0)

    world.before_step.append(hold)
    simulation = Simulation(world)
    simulation.speed = float("inf")
    simulation.start()
    try:
        assert inside.wait(20.0)
        for _ in range(5):
            simulation.step_back()
        gate.set()
        wait_for(lambda: simulation.view.paused and simulation.view.frame.step == 6)
        assert simulation.view.past == (0, 11)
    finally:
        gate.set()
        simulation.close()


def test_a_slider_that_is_held_still_holds_still():
    """Ask for the same place again and again, as a held mouse does: the place stays, and so do the ends."""
    simulation = recorded()
    for _ in range(20):
        first, last = simulation.view.past
        simulation.go_to((first + last) // 2)
        assert looked_at(simulation) == (5, (0, 10))


def test_going_on_from_the_past_cuts_the_future_off_and_that_is_undone_and_redone():
    simulation = recorded()
    end = simulation.stage.world.state_hash()
    simulation.go_to(4)
    finish(simulation)
    simulation.pause(False)
    simulation.speed = float("inf")
    simulation.turn()
    simulation.pause()
    assert looked_at(simulation) == (5, (0, 5))
    assert "6 steps after step 4" in simulation.notices[-1]
    simulation.undo_cut()
    assert looked_at(simulation) == (4, (0, 10))
    assert simulation.view.looking_back
    simulation.go_to(10)
    finish(simulation)
    assert simulation.stage.world.state_hash() == end
    simulation.redo_cut()
    assert looked_at(simulation) == (4, (0, 5))
    simulation.undo_cut()
    assert looked_at(simulation) == (4, (0, 10))


def test_a_change_in_the_past_cuts_the_future_off_and_acts_there():
    simulation = recorded()
    simulation.go_to(3)
    simulation.post(SetMass("box", 7.0))
    assert looked_at(simulation) == (3, (0, 3))
    assert simulation.log == [(3, SetMass("box", 7.0))]
    assert simulation.view.cuts == (1, 0)
    simulation.step(2)
    assert looked_at(simulation) == (5, (0, 5))
    simulation.undo_cut()
    assert looked_at(simulation) == (3, (0, 10))
    assert simulation.log == []
    simulation.undo_cut()
    finish(simulation)
    assert simulation.notices[-1] == "nothing was cut off from the recording"


def test_several_cuts_are_undone_one_after_the_other():
    simulation = recorded()
    for step in (8, 6, 2):
        simulation.go_to(step)
        simulation.post(SetMass("box", float(step)))
        finish(simulation)
    assert simulation.view.past == (0, 2)
    ends = []
    for _ in range(3):
        simulation.undo_cut()
        ends.append(looked_at(simulation)[1][1])
    assert ends == [6, 8, 10]


def test_what_was_changed_at_the_end_is_there_again_when_one_returns():
    simulation = recorded()
    simulation.post(SetMass("box", 7.0))
    simulation.go_to(9)
    finish(simulation)
    assert simulation.view.description.masses[0] == 1.0
    simulation.go_to(10)
    finish(simulation)
    assert simulation.view.description.masses[0] == 7.0
    simulation.reset()
    finish(simulation)
    assert simulation.log == []


def test_an_error_at_the_end_is_told_there_alone():
    simulation = recorded()
    simulation.post(Push("box", (0.0, 0.0, 5.0), (1e9, 0.0, 0.0)))
    simulation.step()
    finish(simulation)
    assert simulation.view.failure is not None
    simulation.go_to(5)
    finish(simulation)
    assert simulation.view.failure is None
    simulation.go_to(10)
    finish(simulation)
    assert simulation.view.failure is not None


def test_a_hand_that_held_a_body_in_what_is_the_future_now_does_nothing():
    simulation = recorded()
    simulation.post(Grab("box", (0.0, 0.0, 5.0)))
    simulation.step(3)
    finish(simulation)
    simulation.go_to(12)
    simulation.post(MovePointer((1.0, 0.0, 5.0)), Release())
    assert looked_at(simulation) == (12, (0, 13))
    simulation.post(SetMass("box", 2.0))
    assert looked_at(simulation) == (12, (0, 12))
    assert [type(command).__name__ for _, command in simulation.log] == ["Grab", "Release", "SetMass"]
    assert simulation.stage.pull is None


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("step", [0, 3, 8, 15, 20, 33])
def test_the_past_has_the_same_bits_also_in_the_middle_of_a_pull_and_where_no_state_was_kept(
    step, every, monkeypatch
):
    monkeypatch.setattr(timeline_module, "_SHARE", 1e-12)
    stage = crane_stage()
    history = History()
    timeline = Timeline(stage, history, FilmStrip())
    poses = {0: (stage.world.positions.copy(), stage.world.velocities.copy())}
    log = list(SESSION)
    for number in range(40):
        while log and log[0][0] == number:
            timeline.carry_out(log.pop(0)[1])
        stage.step()
        timeline.note_step(0.0, surely=number % every == 0)
        poses[number + 1] = stage.world.positions.copy(), stage.world.velocities.copy()
    assert timeline.seek(step)
    assert stage.world.step_count == step
    assert all(np.array_equal(a, b) for a, b in zip(poses[step], _motion(stage.world), strict=True))
    timeline.cut()
    assert stage.pull is None
    stage.replay([(step, Push("jib", (5.0, 0.0, 10.0), (0.0, 200.0, 0.0)))], step + 5)
    again = crane_stage()
    again.replay(stage.log, stage.world.step_count)
    assert again.world.state_hash() == stage.world.state_hash()


def _motion(world: World) -> tuple[np.ndarray, np.ndarray]:
    return world.positions, world.velocities


def test_states_near_by_are_kept_when_one_comes_to_a_gap(monkeypatch):
    """Look at a step between kept states: those before it are kept then, so that stepping back is cheap."""
    monkeypatch.setattr(timeline_module, "_SHARE", 1e-12)  # keep no state but those that are asked for
    stage = Stage(falling_box())
    history = History()
    timeline = Timeline(stage, history, FilmStrip())
    for _ in range(40):
        stage.step()
        timeline.note_step(0.0, surely=stage.world.step_count % 20 == 0)
    assert history.steps == [0, 20, 40]
    monkeypatch.setattr(timeline_module, "_SHARE_AGAIN", np.inf)  # as if keeping took no time
    timeline.seek(15)
    assert history.steps == [*range(16), 20, 40]


def test_the_way_to_a_far_state_can_be_left():
    """Go on a little at a time where no state was kept, so that another goal or the end need not wait."""
    world = falling_box()
    simulation = Simulation(world, paused=True)
    simulation.turn()
    for _ in range(30):
        simulation.stage.step()
        simulation.timeline.note_step(0.0, surely=False)
    assert not simulation.timeline.seek(25, seconds=0.0)
    assert simulation.stage.world.step_count < 25
    simulation.go_to(25)
    assert looked_at(simulation) == (25, (0, 30))


def test_the_session_that_is_saved_while_one_looks_back_is_the_whole():
    simulation = recorded()
    simulation.post(SetMass("box", 7.0))
    finish(simulation)
    simulation.go_to(5)
    finish(simulation)
    answer = simulation.ask(lambda: (simulation.stage.world.step_count, simulation.log), at_end=True)
    assert looked_at(simulation) == (5, (0, 10))
    assert answer.result(0.0) == (10, [(10, SetMass("box", 7.0))])
    assert simulation.log == []


def test_a_session_that_is_followed_goes_on_after_a_look_at_the_past():
    session = [(2, SetMass("box", 3.0)), (6, SetMass("box", 5.0))]
    simulation = Simulation(falling_box(), paused=True)
    simulation.follow(session)
    simulation.step(8)
    finish(simulation)
    assert simulation.log == session
    simulation.go_to(4)
    finish(simulation)
    simulation.speed = float("inf")
    simulation.pause(False)
    for _ in range(4):
        simulation.turn()
    assert simulation.log == session


def test_memory_is_kept_within_bounds_around_where_one_looks(monkeypatch):
    stage = Stage(SCENES["stack"].build(bodies=3))
    size = bytes_of(stage.save().snapshot)
    history = History(budget=20 * size)
    timeline = Timeline(stage, history, FilmStrip())
    for _ in range(100):
        stage.step()
        timeline.note_step(0.0, surely=True)
    monkeypatch.setattr(timeline_module, "_SHARE_AGAIN", np.inf)
    timeline.seek(30)
    assert len(history) < 30
    assert history.ends == (0, 100)
    assert history.steps[history.steps.index(30) - 2 :][:3] == [28, 29, 30]


def table_with_a_ball() -> World:
    """Return a world with a ball that falls 0.2 m onto the ground, and a weak hinge with a heavy load."""
    world = World()
    world.add_body(HalfSpace(), kind="static", name="ground", material=Material(restitution=0.5))
    world.add_body(Sphere(0.1), position=(0.0, 0.0, 0.3), mass=1.0, name="ball")
    arm = world.add_body(Box((1.0, 0.1, 0.1)), position=(5.5, 0.0, 3.0), mass=10.0, name="arm")
    hinge = world.add_joint(Hinge((5.0, 0.0, 3.0), (0.0, 1.0, 0.0)), None, arm, name="weak hinge")
    hinge.break_force = 120.0
    return world


def test_impacts_broken_joints_and_commands_leave_marks():
    simulation = recorded(30, table_with_a_ball)
    simulation.post(SetMass("ball", 2.0))
    simulation.step(5)
    finish(simulation)
    marks = simulation.strip.marks
    impacts = [mark for mark in marks if mark.kind == "impact" and "ball" in mark.text]
    fall = round((2 * 0.2 / 9.81) ** 0.5 / simulation.stage.world.time_step)
    assert abs(impacts[0].step - fall) <= 1
    assert impacts[0].size == pytest.approx(1.5 * (2 * 9.81 * 0.2) ** 0.5, rel=0.1)
    assert [mark.text for mark in marks if mark.kind == "break"] == ["weak hinge breaks"]
    assert [(mark.step, mark.text) for mark in marks if mark.kind == "command"] == [(31, "set mass")]
    simulation.go_to(10)
    finish(simulation)
    assert simulation.strip.marks == marks
    simulation.post(SetMass("ball", 3.0))
    finish(simulation)
    assert [mark.step for mark in simulation.strip.marks if mark.step > 10] == [11]
    simulation.undo_cut()
    finish(simulation)
    assert simulation.strip.marks == marks


def test_what_rests_makes_no_marks():
    simulation = recorded(60, lambda: SCENES["stack"].build(bodies=5))
    assert simulation.strip.marks == []


def test_marks_are_summed_up_in_columns():
    simulation = recorded(30, table_with_a_ball)
    columns = simulation.strip.columns(0, 30, 31)
    steps = sorted({mark.step for mark in simulation.strip.marks if mark.kind == "impact"})
    assert np.flatnonzero(columns["impact"]).tolist() == steps
    assert columns["break"].sum() == 1.0


def test_curves_stay_while_one_looks_and_go_and_return_with_the_future():
    height = Channel("body.box.position.z", "m")
    simulation = Simulation(falling_box(), paused=True)
    simulation.watch(height)
    simulation.step(10)
    finish(simulation)
    whole = simulation.monitor.curve(height)
    simulation.go_to(4)
    finish(simulation)
    assert len(simulation.monitor.curve(height)[0]) == 11
    simulation.post(SetMass("box", 2.0))
    finish(simulation)
    assert len(simulation.monitor.curve(height)[0]) == 5
    simulation.undo_cut()
    finish(simulation)
    assert all(np.array_equal(a, b) for a, b in zip(simulation.monitor.curve(height), whole, strict=True))


def test_the_size_of_a_state_is_found_without_going_through_its_bodies(monkeypatch):
    """Count arrays alone: as many calls for a hundred bodies as for ten."""
    calls = []
    counted = history_module.bytes_of
    monkeypatch.setattr(history_module, "bytes_of", lambda value: calls.append(1) or counted(value))
    counts = []
    for bodies in (10, 100):
        calls.clear()
        snapshot = SCENES["stack"].build(bodies=bodies).save()
        assert history_module.bytes_of(snapshot) > 100 * bodies
        counts.append(len(calls))
    assert counts[0] == counts[1]


def test_states_behind_the_one_that_is_looked_at_are_made_again_beforehand(monkeypatch):
    """Fill the gap in idle moments, a little at a time, without any change of what is seen and recorded."""
    monkeypatch.setattr(timeline_module, "_SHARE", 1e-12)
    monkeypatch.setattr(timeline_module, "_SHARE_AGAIN", 1e-12)
    stage = crane_stage()
    history, log = History(), list(SESSION)
    timeline = Timeline(stage, history, FilmStrip())
    for number in range(60):
        while log and log[0][0] == number:
            timeline.carry_out(log.pop(0)[1])
        stage.step()
        timeline.note_step(0.0, surely=False)
    timeline.seek(50)
    assert history.steps == [0]
    before = stage.world.state_hash(), list(stage.log), timeline.ends
    slices = 0
    while timeline.fill_behind(0.0 if slices % 2 else 0.01):
        slices += 1
        assert (stage.world.state_hash(), stage.log, timeline.ends) == before
    assert set(range(20, 50)) <= set(history.steps)
    monkeypatch.setattr(Stage, "step", lambda self: pytest.fail("a step is made again"))
    for step in range(49, 19, -1):
        assert timeline.seek(step)


def test_filling_ends_where_there_is_no_memory_for_it():
    stage = Stage(SCENES["stack"].build(bodies=3))
    history = History(budget=8 * bytes_of(stage.save().snapshot))
    timeline = Timeline(stage, history, FilmStrip())
    for _ in range(100):
        stage.step()
        timeline.note_step(0.0, surely=True)
    timeline.seek(60)
    assert sum(timeline.fill_behind(1.0) for _ in range(50)) < 10
    assert len(history) <= 9


def test_nothing_is_made_again_beforehand_in_worlds_with_callbacks():
    simulation = recorded()
    calls = []
    simulation.stage.world.after_step.append(lambda world: calls.append(world.step_count))
    simulation.go_to(5)
    finish(simulation)
    assert calls == []
