"""Signals, callbacks and errors leave the last whole step; one thread at a time is in a world."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from stoss.benchmarks.api_fuzz.interrupts import Timer, interrupt_changes, interrupt_steps
from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Hinge, Settings, World
from stoss.engine.stages.at_once import MadeAhead
from stoss.engine.stages.stepper import Stepper


def falling() -> World:
    """Return a box and a pendulum above a floor."""
    world = World()
    world.add_body(HalfSpace((0, 0, 1)), kind="static")
    world.add_body(Box((1, 1, 1)), position=(0, 0, 0.52), name="box")
    world.add_body(Box((0.1, 0.1, 1)), position=(3, 0, 1), name="rod")
    world.add_joint(Hinge((3, 0, 1.5), (0, 1, 0)), None, world.body("rod")).motor(1.0, max_force=0.5)
    return world


def bits(world: World) -> tuple:
    """Return what must not change."""
    return world.step_count, world.time, world.state_hash(), str(world.ledger), world.forces.tobytes()


@pytest.mark.parametrize("name", ["pile, automatic", "chain", "asleep", "time of impact", "order 4"])
def test_signals_leave_the_last_whole_step(name):
    """Interrupt a run 12 times at random times: each time it has the bits of whole steps, and goes on so."""
    timer, rng, made = Timer(), np.random.default_rng(1), 0
    with timer.running():
        while made < 12:
            made += interrupt_steps(name, rng, timer, 12 - made)


def test_signals_leave_whole_worlds_while_these_change():
    """Interrupt 25 times while bodies and joints come and go, states are restored and worlds copied."""
    timer = Timer()
    with timer.running():
        assert interrupt_changes(np.random.default_rng(2), timer, 25) >= 25


@pytest.fixture
def ctrl_c():
    """Let SIGINT raise KeyboardInterrupt, also where the tests run behind a shell that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_keyboard_interrupt_stops_endless_steps(ctrl_c):
    """Stop `step(2**62)` by Ctrl-C, at a whole step."""
    world, twin = falling(), falling()

    def press(w: World) -> None:
        assert w.step_count < 100, "the signal was lost"
        if w.step_count == 30:
            os.kill(os.getpid(), signal.SIGINT)

    world.after_step.append(press)
    with pytest.raises(KeyboardInterrupt):
        world.step(2**62)
    twin.step(world.step_count)
    assert world.step_count >= 30 and bits(world) == bits(twin)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_find_whole_worlds():
    """Call a handler that does not raise between two steps: there it may save and copy the world."""
    world, seen = falling(), []
    stop = threading.Event()

    def handler(number, frame):
        seen.append((world.step_count, world.copy().state_hash(), world.state_hash()))
        world.save()
        stop.set()

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while not stop.is_set():
            world.step(10)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen[0][1] == seen[0][2]


class Boom(Exception):
    """Raised by what is tried here."""


@pytest.mark.parametrize("where", ["before_step", "after_step"])
def test_errors_of_callbacks_leave_whole_steps(where):
    """Take back what callbacks did before a step that one of them prevented; after it, the step is made."""
    world, twin = falling(), falling()

    def act(w):
        w.body("box").apply_force((5, 0, 0))
        w.body("rod").velocity = (0, 1, 0)
        w.forces[1, 1] += 0.5

    def fail(w):
        if armed and w.step_count == 3 + (where == "after_step"):
            raise Boom

    armed = True
    world.body("box").apply_force((1, 2, 3))
    twin.body("box").apply_force((1, 2, 3))
    twin.before_step.append(act)
    twin.step(3 + (where == "after_step"))
    world.before_step.append(act)
    getattr(world, where).append(fail)
    with pytest.raises(Boom):
        world.step(10)
    assert bits(world) == bits(twin)
    armed = False
    world.step(5)
    twin.step(5)
    assert bits(world) == bits(twin)


@pytest.mark.parametrize("stage", ["begin", "correct", "move", "detect", "separate", "settle", "finish"])
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_errors_in_any_stage_take_the_step_back(stage, error, monkeypatch):
    """Raise in each stage of a step: the world is as before, loads and moves of that step included."""
    world = falling()
    plate = world.add_body(Box((1, 1, 0.1)), position=(0, 5, 0.05), kind="kinematic")
    world.step(5)
    twin = world.copy()
    for one in (world, twin):
        one.time_step = 0.008
        one.body("box").apply_force((300, 0, 0))
        one.bodies[plate.index].move_to((0, 5.1, 0.05))
    before = bits(world), world.events, world.joints[0].force.tobytes()
    made = getattr(Stepper, stage)

    def fail(self, *arguments, **named):
        made(self, *arguments, **named)
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(MadeAhead, "prepare", lambda self, before: None)  # nothing is made in one call
        patch.setattr(Stepper, stage, fail)
        with pytest.raises(error):
            world.step()
    assert (bits(world), world.events, world.joints[0].force.tobytes()) == before
    world.step(20)
    twin.step(20)
    assert plate.position[1] == pytest.approx(5.1, abs=1e-12)
    # contacts were found anew, so impulses start from nothing: the same to the tolerance of the solvers
    assert np.abs(world.positions - twin.positions).max() < 1e-6


def test_a_second_thread_is_refused():
    """Refuse each call that changes a world while another thread steps it, naming the cure."""
    world = falling()
    inside, leave = threading.Event(), threading.Event()

    def wait(w):
        inside.set()
        leave.wait(20)

    world.before_step.append(wait)
    state, body, joint = world.save(), world.body("box"), world.joints[0]
    before = bits(world)
    thread = threading.Thread(target=world.step, name="the stepper")
    thread.start()
    assert inside.wait(20)
    calls = [
        world.step,
        lambda: world.add_body(Sphere(1.0)),
        lambda: world.remove_body(body),
        lambda: world.restore(state),
        world.save,
        world.copy,
        lambda: world.add_joint(Hinge((0, 0, 0), (1, 0, 0)), None, body),
        lambda: world.remove_joint(joint),
        lambda: setattr(body, "velocity", (1, 0, 0)),
        lambda: setattr(body, "mass", 2.0),
        lambda: body.apply_force((1, 0, 0)),
        lambda: joint.motor(1.0),
        lambda: setattr(joint, "enabled", False),
        lambda: setattr(joint.drives[0], "target_rate", 2.0),
        lambda: setattr(joint.drives[0], "max_force", 2.0),
        lambda: setattr(world, "gravity", (0, 0, 0)),
        lambda: setattr(world, "settings", Settings(sweeps=3)),
        lambda: world.ray_cast((0, 0, 9), (0, 0, -1)),
        lambda: world.contacts,
    ]
    try:
        for call in calls:
            with pytest.raises(RuntimeError, match=r"'the stepper'.*world\.copy\(\)"):
                call()
        assert bits(world) == before
        other = falling()  # other worlds are free
        other.step()
    finally:
        leave.set()
        thread.join()
    world.before_step = []
    world.step()
    assert world.step_count == 2


def test_worlds_in_threads_of_their_own():
    """Step eight worlds in eight threads, with the bits of one."""
    worlds = [falling() for _ in range(8)]
    threads = [threading.Thread(target=world.step, args=(60,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = falling()
    alone.step(60)
    assert {world.state_hash() for world in worlds} == {alone.state_hash()}


def test_threads_that_take_turns_are_not_refused():
    """Let two threads use one world under a lock, and hand it over."""
    world, lock, errors = falling(), threading.Lock(), []

    def work():
        try:
            for _ in range(20):
                with lock:
                    world.step()
                time.sleep(0)
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and world.step_count == 40


def test_a_step_within_a_step_is_refused():
    """Refuse `step` in a callback of the same world, and take that step back."""
    world = falling()
    world.before_step.append(lambda w: w.step())
    before = bits(world)
    with pytest.raises(RuntimeError, match="by a callback"):
        world.step()
    assert bits(world) == before
