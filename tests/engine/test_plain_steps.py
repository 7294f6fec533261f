"""Steps that one kernel makes, from begin to end: the same bits as those that Python begins and ends."""

from itertools import pairwise

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Material, Settings, World
from stoss.engine.stages import plain_step
from stoss.engine.stages.at_once import FAST, NOTHING, OTHER_PAIRS, SAME_PAIRS, SETTLED, UNEVENTFUL
from stoss.engine.stages.plain_step import PlainSteps
from stoss.engine.stages.stepper import Stepper
from stoss.engine.world.report import SimulationError

STEPS = 60


def tower() -> World:
    """Build boxes that stand on each other, beside a ball that hits them later and a fast one."""
    world = World()
    world.add_body(HalfSpace(), kind="static", name="ground")
    for k in range(4):
        world.add_body(Box((0.4, 0.4, 0.3)), position=(0.0, 0.0, 0.15 + 0.3 * k), mass=1.0, name=f"box {k}")
    ball = world.add_body(Sphere(0.1), position=(-1.0, 0.0, 0.1), velocity=(4.0, 0.0, 0.0), name="ball")
    ball.material = Material(restitution=0.5, friction=0.3)
    world.add_body(Box((0.2, 1.0, 1.0)), position=(6.0, 3.0, 0.5), kind="static", name="wall")
    world.add_body(Sphere(0.05), position=(9.0, 3.0, 0.06), velocity=(-90.0, 0.0, 0.0), name="bullet")
    return world


def grip(world: World) -> None:
    world.body("box 1").material = Material(friction=0.05)


def roll(world: World) -> None:
    world.body("box 1").material = Material(friction=0.5, rolling_friction=0.02)


def resize(world: World) -> None:
    world.settings = Settings(sweeps=7, velocity_tolerance=1e-8)


def push(world: World) -> None:
    world.body("box 2").apply_force((30.0, 0.0, 0.0))


# What users do between two steps, each of which the next step must see.
CHANGES = {
    "velocity": lambda world: setattr(world.body("box 3"), "velocity", (0.5, 0.2, 0.0)),
    "velocities": lambda world: world.velocities.__setitem__(3, (0.1, 0.2, 0.0)),
    "position": lambda world: setattr(world.body("box 3"), "position", (0.05, 0.0, 1.2)),
    "force": lambda world: world.forces.__setitem__(4, (3.0, 0.0, 0.0)),
    "load": push,
    "gravity": lambda world: setattr(world, "gravity", (2.0, 0.0, -9.0)),
    "time step": lambda world: setattr(world, "time_step", 0.005),
    "material": grip,
    "rolling": roll,
    "settings": resize,
    "kind": lambda world: setattr(world.body("box 0"), "kind", "static"),
    "body": lambda world: world.add_body(Box((0.3, 0.3, 0.3)), position=(0.0, 0.0, 1.6), mass=1.0),
    "removal": lambda world: world.remove_body(world.body("box 3")),
    "exclusion": lambda world: world.exclude_collision(world.body("box 2"), world.body("box 3")),
    "callback": lambda world: world.before_step.append(
        lambda w: setattr(w.body("box 3"), "velocity", (0, 1, 0))
    ),
    "snapshot": lambda world: world.restore(world.save()),
    "nothing": lambda world: None,
}


def run(change: str, every: int = 1) -> list[tuple[object, ...]]:
    """Return what a world tells after each step, with a change half-way through."""
    world, told = tower(), []
    for step in range(0, STEPS, every):
        if step == STEPS // 2:
            CHANGES[change](world)
        report = world.step(every)
        events = world.events
        told.append(
            (
                *(world.state_hash(), world.time, world.step_count, str(world.ledger), report.energy),
                *(report.passes, report.refinements, report.sub_steps, report.max_overlap),
                *(events.begin.tolist(), events.persist.tolist(), events.end.tolist()),
            )
        )
    return told


@pytest.mark.parametrize("change", CHANGES)
def test_plain_steps_are_those_that_python_begins_and_ends(change, monkeypatch):
    """Reach the same bits and reports, whatever is changed between two steps."""
    ends = set()
    make = Stepper.make_plain

    def noted(self, *arguments):
        ends.add(made := make(self, *arguments))
        return made

    monkeypatch.setattr(Stepper, "make_plain", noted)
    plain = run(change)
    assert {OTHER_PAIRS, SAME_PAIRS, UNEVENTFUL, FAST} <= ends
    assert run(change, every=3) == plain[2::3]
    monkeypatch.setattr(Stepper, "make_plain", lambda *arguments: NOTHING)
    assert run(change) == plain


def test_an_uneventful_world_is_not_looked_at_anew(monkeypatch):
    """Gather what a step works on once, and again only after something was changed."""
    world = World()
    world.add_body(HalfSpace(), kind="static")
    box = world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5))
    world.step(5)
    looks = []
    prepare = PlainSteps._prepare
    monkeypatch.setattr(
        PlainSteps, "_prepare", lambda self, *arguments: looks.append(1) or prepare(self, *arguments)
    )
    for _ in range(4):
        world.step()
        assert box.position[2] == pytest.approx(0.5) and world.positions.shape == (2, 3)
    assert not looks
    box.velocity = (0.0, 0.0, 1.0)
    world.step()
    assert len(looks) == 1


def test_a_world_in_which_others_touch_is_not_looked_at_anew(monkeypatch):
    """Gather what a step works on only behind one that was not made in one call, whoever met meanwhile."""
    world = World()
    world.add_body(HalfSpace(), kind="static")
    for k in range(12):
        world.add_body(Box((1.0, 1.0, 1.0)), position=(1.5 * k, 0.0, 0.51 + 0.02 * k))
    world.step(3)
    told = []
    prepare, make = PlainSteps._prepare, Stepper.make_plain

    def looked(self, *arguments):
        told.append("look")
        return prepare(self, *arguments)

    def noted(self, *arguments):
        told.append(made := make(self, *arguments))
        return made

    monkeypatch.setattr(PlainSteps, "_prepare", looked)
    monkeypatch.setattr(Stepper, "make_plain", noted)
    for _ in range(40):
        world.step()
    assert told.count(OTHER_PAIRS) > 4 and "look" in told
    for before, now in pairwise(told):
        assert now != "look" or before < OTHER_PAIRS


def run_away() -> tuple[list[object], str]:
    """Return what a world tells after a step in which a body ran away, and where it is ten steps later."""
    world = tower()
    world.step(30)
    told = world.state_hash(), world.time, world.step_count, str(world.ledger), world.report.energy
    world.forces[4] = 1e12, 0.0, 0.0  # of box 3
    with pytest.raises(SimulationError, match="box 3"):
        world.step()
    figures = world.report
    now = world.state_hash(), world.time, world.step_count, str(world.ledger), figures.energy
    assert now == told
    world.forces[4] = 0.0
    world.step(10)
    return [*now, figures.passes, figures.sub_steps], world.state_hash()


def test_a_body_that_runs_away_in_a_plain_step_leaves_the_last_good_one(monkeypatch):
    """Name the body, and be as before the step: poses, figures and what comes next."""
    plain = run_away()
    monkeypatch.setattr(Stepper, "make_plain", lambda *arguments: NOTHING)
    assert run_away() == plain


@pytest.mark.parametrize("in_kernel", [True, False])
def test_an_error_that_nobody_foresaw_leaves_the_last_good_step(in_kernel, monkeypatch):
    """Be as before the step, whether memory runs out in the kernel or after it."""
    world = tower()
    world.step(30)
    told = world.state_hash(), world.time, world.step_count, str(world.ledger)
    kernel = plain_step.make_plain

    def no_memory(*arguments: object) -> int:
        if in_kernel:
            kernel(*arguments)
        raise MemoryError

    with monkeypatch.context() as patch:
        if in_kernel:
            patch.setattr(plain_step, "make_plain", no_memory)
        else:
            patch.setattr(plain_step, "make_plain", lambda *arguments: min(kernel(*arguments), SETTLED))
            patch.setattr(Stepper, "end_usual", no_memory)
        with pytest.raises(MemoryError):
            world.step()
    assert (world.state_hash(), world.time, world.step_count, str(world.ledger)) == told
    world.step(10)
    assert np.isfinite(world.positions).all() and world.step_count == 40
