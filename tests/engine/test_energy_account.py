"""The account of a sub-step: each row of a drive answers for itself."""

import math
from dataclasses import replace

import numpy as np
import pytest

from stoss.benchmarks.worlds import draw, run
from stoss.collision import Box
from stoss.engine import Ball, Fixed, Hinge, Settings, World
from stoss.engine.stages.elastic_rows import clear_rows, find_taken

G, H = 9.81, 0.01


def sprung_arms() -> World:
    """Return two links on hinges with springs, the second of which hangs on the first, after a step."""
    world = World(time_step=H)
    first = world.add_body(Box((0.4, 0.1, 0.1)), mass=1.0, position=(0.2, 0, 0))
    second = world.add_body(Box((0.4, 0.1, 0.1)), mass=2.0, position=(0.6, 0, 0))
    world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, first).spring(stiffness=20.0)
    world.add_joint(Hinge((0.4, 0, 0), (0, 1, 0)), first, second).spring(stiffness=10.0)
    world.step()
    return world


@pytest.mark.parametrize(
    ("works", "kept", "taken"),
    [
        ((-9.0, 0.0), (9.0, -100.0), 0.0),  # one stores what it takes, the other loses what nobody gets
        ((-9.0, 0.0), (9.0, 50.0), 0.0),  # or is bent by nobody
        ((-9.0, -4.0), (7.0, 0.0), -6.0),  # dampers beside springs
        ((-9.0, -4.0), (-3.0, 1.0), -12.0),  # no more than their own work
        ((-9.0, 4.0), (0.0, -4.0), -5.0),  # what a spring gives a damper may take of that
        ((3.0, 4.0), (-9.0, -9.0), 7.0),
    ],
)
def test_drives_answer_for_themselves(works, kept, taken):
    """Take what neither bodies nor the row have at the end, whatever other rows store or lose."""
    world = sprung_arms()
    system = world._stepper.system.system
    clear_rows(system)
    rows = [m for m in range(len(system.joints.role)) if system.joints.stiffness[m] in (10.0, 20.0)]
    assert len(rows) == 2
    for m, work, more in zip(rows, works, kept, strict=True):
        system.joint_frames.work[m], system.joint_frames.kept[m] = work, more
    find_taken(system)
    assert system.work.taken[: len(system.bodies.kinds)].sum() == pytest.approx(taken)


@pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
def test_rows_keep_what_they_take(solver):
    """Store what springs take to rounding of the step's order, so that none of it is taken from bodies."""
    works, taken = [], []
    for h in (H, 0.5 * H):
        world = sprung_arms()
        world.time_step, world.settings = h, Settings(solver=solver)
        system = world._stepper.system.system
        most = size = 0.0
        for _ in range(round(0.1 / h)):
            world.step()
            find_taken(system)
            size = max(size, abs(float(system.joint_frames.work.min())))
            most = max(most, -float(system.work.taken.min()))
        works.append(size)
        taken.append(most)
    assert taken[0] < 0.02 * works[0]


def hanging(world: World) -> None:
    """Hang a link on a hinge."""
    link = world.add_body(Box((0.1, 0.1, 0.4)), mass=3.0, position=(0, 0, -0.2))
    world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, link)


def pulled(world: World) -> None:
    """Pull a hanging link aside with the force that balances it there."""
    link = world.add_body(Box((0.1, 0.1, 0.1)), mass=3.0, position=(0.3, 0, -0.4))
    world.add_joint(Ball((0, 0, 0)), None, link)
    world.forces[link.index] = (3.0 * G * 0.75, 0.0, 0.0)


def twisted(world: World) -> None:
    """Twist a link that a joint holds."""
    link = world.add_body(Box((0.4, 0.1, 0.1)), mass=3.0, position=(0.2, 0, 0))
    world.add_joint(Fixed((0, 0, 0)), None, link)
    world.torques[link.index] = (2.0, 3.0, 0.0)


@pytest.mark.parametrize("build", [hanging, pulled, twisted])
@pytest.mark.parametrize("h", [0.005, 0.033])
def test_who_is_in_debt_gets_what_bears_its_weight(build, h):
    """Hold at rest what may be given nothing: it would sink otherwise."""
    world = World(time_step=h)
    build(world)
    world.step(20)
    for _ in range(20):
        world._bodies.debts[:] = 10.0
        report = world.step()
        assert report.ladder
    assert np.abs(world._bodies.velocities).max() < 1e-9
    assert np.abs(world._bodies.angular_velocities).max() < 1e-9
    assert report.joint_error < 1e-6


@pytest.mark.parametrize("angle", [0.5, 1.5, 2.5])
def test_ledger_is_exact_beside_gravity(angle):
    """Change by the sum of all entries, whatever the account makes of them."""
    world = World(time_step=H)
    arm = world.add_body(
        Box((0.1, 0.1, 1.0)),
        mass=1.0,
        position=(-0.5 * math.sin(angle), 0, -0.5 * math.cos(angle)),
        quaternion=(math.cos(0.5 * angle), 0, math.sin(0.5 * angle), 0),
    )
    joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, arm)
    joint.damper(0.2)
    start, total = world.report.energy, 0.0
    for _ in range(100):
        total += world.step().ledger.change
    assert world.report.energy - start == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("time_step", [0.01, 0.0167, 0.025])
def test_a_ring_that_is_stiff_costs_no_passes_in_vain(time_step):
    """Take what a ring of three universals leaves open by less than the tolerance as it is."""
    outcome = run(replace(draw(1124), time_step=time_step), 0.6)
    assert outcome.cost <= 20.0 and not outcome.violations
