"""The number of parts of a step changes seldom: mechanisms keep their energy in the long run."""

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import Ball, Hinge, Settings, World
from stoss.engine.stages.pace import (
    FIRST_PATIENCE,
    MOST_HELD,
    PACE,
    PARTS,
    forget_pace,
    next_pace,
    read_pace,
    write_pace,
)


def rods(count: int, angle: float, time_step: float, spin: float = 0.0, **settings) -> World:
    """Return a chain of rods on ball joints, or hinges if nothing spins, at `angle` [rad] from below."""
    world = World(time_step=time_step, settings=Settings(**settings))
    along = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    turn = 0.5 * (0.5 * np.pi - angle)
    quaternion = (np.cos(turn), 0.0, np.sin(turn), 0.0)
    last = None
    for k in range(count):
        rod = world.add_body(
            Box((1.0, 0.1, 0.2)), position=(k + 0.5) * along, quaternion=quaternion, mass=1.0, mask=0
        )
        if spin:
            rod.velocity = np.cross((0, 0, spin), rod.position)
            rod.angular_velocity = (0, 0, spin)
        kind = Ball(k * along) if spin else Hinge(k * along, (0, 1, 0))
        world.add_joint(kind, last, rod)
        last = rod
    return world


@pytest.mark.parametrize(
    ("build", "h"),
    [
        (dict(count=1, angle=np.radians(170)), 0.01),
        (dict(count=1, angle=np.radians(170)), 0.02),
        (dict(count=1, angle=np.radians(178), order=4), 0.02),
        (dict(count=1, angle=2.0, spin=1.0), 0.02),
        (dict(count=2, angle=1.2), 0.01),
        (dict(count=3, angle=0.8), 0.02),
    ],
)
def test_energy_does_not_drift_where_steps_are_split(build, h):
    """Keep the error of the energy, which settles as the number of parts does, for 3000 steps more.

    The upper and lower bounds of the error in the two halves of that time are the same within a tenth of its
    range. What a number that follows every swing adds is several times the range.
    """
    world = rods(time_step=h, **build)
    start = world.report.energy
    world.step(1000)
    parts = set()
    errors = np.empty(3000)
    for k in range(len(errors)):
        report = world.step()
        errors[k] = report.energy - start
        parts.add(report.sub_steps)
    assert max(parts) > 1
    first, last = errors[:1500], errors[1500:]
    scale = np.ptp(first)
    assert abs(last.min() - first.min()) < 0.1 * scale
    assert abs(last.max() - first.max()) < 0.1 * scale


def first_pace() -> np.ndarray:
    """Return the pace of a world that has made no step."""
    pace = np.zeros(PACE)
    forget_pace(pace)
    return pace


def test_a_number_that_recurs_changes_seldom():
    """Change the number of parts as the logarithm of time, whatever the period with which more are needed."""
    for period in (7, 300, 1100, 20_000):
        pace, changes, steps = first_pace(), 0, 100_000
        for k in range(steps):
            before = pace[PARTS]
            next_pace(pace, 3 if k % period < 3 else 1, 0.01)
            changes += pace[PARTS] != before
        assert changes <= 2 + 2 * np.ceil(np.log2(max(period / FIRST_PATIENCE, 1.0)))


def test_a_number_falls_when_no_more_is_needed_for_long():
    """Come down to what is needed, and forget all of it when the length of the step is changed."""
    pace = first_pace()
    next_pace(pace, 100, 0.01)
    assert pace[PARTS] == MOST_HELD
    for _ in range(FIRST_PATIENCE):
        next_pace(pace, 2, 0.01)
    assert pace[PARTS] == 2
    twin = np.zeros(PACE)
    write_pace(read_pace(pace), twin)
    assert (twin == pace).all()
    next_pace(pace, 1, 0.001)
    assert pace[PARTS] == 1


def test_a_kept_number_is_saved():
    """Continue a motion bit for bit where more parts are kept than are needed."""
    world = rods(1, np.radians(170), 0.01)
    while world.report.sub_steps < 2:
        world.step()
    world.step(150)
    state = world.save()
    twin = World()
    twin.restore(state)
    for _ in range(150):
        assert world.step().sub_steps == twin.step().sub_steps == 2
    assert world.state_hash() == twin.state_hash()


def test_contacts_end_it():
    """Follow the need alone while something touches: no step of a pile is split for what has been."""
    world = rods(1, np.radians(170), 0.01)
    world.step(300)
    assert world.report.sub_steps == 2
    world.add_body(Box((1, 1, 1)), position=(0, 0, -30), kind="static")
    world.add_body(Box((0.1, 0.1, 0.1)), position=(0, 0, -29.45))
    found = {world.step().sub_steps for _ in range(200)}
    assert 1 in found


def pair(time_step: float, damping: float, stiffness: float) -> World:
    """Return two rods with dampers, one of them with a spring."""
    world = rods(2, np.pi / 2, time_step, largest_turn=100.0, most_sub_steps=1, position_tolerance=1e-9)
    first, second = world.joints
    first.servo(0.5, stiffness=stiffness, damping=damping)
    second.damper(damping)
    return world


@pytest.mark.parametrize(("damping", "stiffness"), [(0.3, 0.0), (0.3, 20.0), (3.0, 5.0)])
def test_dampers_are_of_order_two(damping, stiffness):
    """Take the square off the error of a damped motion when the step is halved."""

    def state(steps):
        world = pair(1.0 / steps, damping, stiffness)
        world.step(steps)
        return np.concatenate([world.positions.ravel(), world.velocities.ravel()])

    coarse, middle, fine = (state(n) for n in (50, 100, 200))
    ratio = np.abs(coarse - middle).max() / np.abs(middle - fine).max()
    assert np.log2(ratio) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("damping", [1e2, 1e4, 1e8])
def test_stiff_dampers_stop_their_motion(damping):
    """Bring the rate of a hinge to what gravity against the damper leaves, without turning it round."""
    world = rods(1, np.pi / 2, 0.01)
    world.joints[0].damper(damping)
    world.bodies[0].angular_velocity = (0, 5.0, 0)
    world.bodies[0].velocity = np.cross((0, 5.0, 0), world.bodies[0].position)
    for _ in range(20):
        world.step()
        # torque of gravity over the damping
        assert -1e-12 < world.bodies[0].angular_velocity[1] < 5.0
    assert world.bodies[0].angular_velocity[1] == pytest.approx(0.5 * 9.81 / damping, rel=1e-2)
