"""The report of a step is worked out when it is read, and tells what was so right after its step."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import stoss as st
from stoss.engine.world.report import StepReport, Unread

FIGURES = (
    *("step", "time", "order", "body_count", "contact_count", "touching_count", "islands", "asleep_count"),
    *("joint_count", "sub_steps", "refinements", "sweeps", "max_overlap", "kinetic_energy", "energy"),
    *("joint_error", "jammed", "ladder", "open_joints"),
)


def _world() -> st.World:
    world = st.World()
    world.add_body(st.Box((10.0, 10.0, 1.0)), position=(0.0, 0.0, -0.5), kind="static")
    for k in range(4):
        world.add_body(st.Box((1.0, 1.0, 1.0)), position=(0.1 * k, 0.0, 0.5 + 1.2 * k), mass=1.0)
    return world


def _figures(report: StepReport) -> list[object]:
    momenta = [report.momentum.tolist(), report.angular_momentum.tolist(), report.solved_directly.tolist()]
    return [getattr(report, name) for name in FIGURES] + momenta


def test_a_report_tells_of_its_step_whenever_it_is_read() -> None:
    at_once, later = _world(), _world()
    told = [_figures(at_once.step()) for _ in range(60)]
    reports = [later.step() for _ in range(60)]
    assert [_figures(report) for report in reports] == told
    assert told[-1][4:6] == [16, 16]
    assert later.state_hash() == at_once.state_hash()


@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.remove_body(world.bodies[-1]),
        lambda world: world.add_body(st.Sphere(0.2), position=(0.0, 0.0, 9.0), mass=1.0),
        lambda world: setattr(world.bodies[2], "position", (0.0, 0.0, 7.0)),
        lambda world: setattr(world.bodies[2], "velocity", (0.0, 0.0, 7.0)),
        lambda world: world.velocities.__imul__(0.5),
        lambda world: setattr(world, "time", 0.0),
        lambda world: world.step(3),
        lambda world: world.restore(world.save()),
    ],
)
def test_what_changes_the_world_does_not_change_a_report(change) -> None:
    first, second = _world(), _world()
    for world in (first, second):
        world.step(20)
    told = _figures(first.step())
    report = second.step()
    change(second)
    assert _figures(report) == told


def test_what_is_dropped_unread_is_not_worked_out(monkeypatch) -> None:
    world, asked = _world(), []
    record = Unread.record
    monkeypatch.setattr(Unread, "record", lambda self: asked.append(self) or record(self))
    for _ in range(5):
        world.step()
    assert asked == []
    report = world.step()
    world.step()
    assert len(asked) == 1
    assert report.step == 6


def test_reports_are_copied_and_pickled_without_their_world() -> None:
    world = _world()
    report = world.step(5)
    twins = copy.copy(report), copy.deepcopy(report), pickle.loads(pickle.dumps(report))
    assert all(_figures(twin) == _figures(report) for twin in twins)
    alive = weakref.ref(world)
    del world
    gc.collect()
    assert alive() is None
    assert np.isfinite(report.energy)
