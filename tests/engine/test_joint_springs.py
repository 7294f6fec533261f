"""Springs and dampers of joints, along and about their axes, in space and between points."""

import numpy as np
import pytest

import stoss as st
from stoss.collision import Box
from stoss.engine import Ball, Distance, Free, Settings, World
from tests.engine.joint_worlds import (
    add_free_pair,
    ball,
    inertias,
    rail,
    settle_velocities,
    totals,
)
from tests.engine.worlds import G

H = 0.01
SOLVERS = ["direct", "gauss_seidel"]


def oscillator(stiffness: float, damping: float = 0.0, mass: float = 2.0, h: float = H, start: float = 0.1):
    """Return a slider with a spring, let go `start` [m] from its rest."""
    joint = rail(mass=mass, h=h)
    return joint, joint.spring(stiffness, damping, rest=-start)


def test_undamped_spring_is_implicit_midpoint():
    """Swing by the angle 2 atan(w h/2) in every step, exactly, which is the implicit midpoint rule."""
    joint, _ = oscillator(50.0)
    turn = 2.0 * np.arctan(0.5 * 5.0 * H)
    for k in range(1, 1001):
        joint.world.step()
        assert joint.value == pytest.approx(0.1 * np.cos(turn * k) - 0.1, abs=1e-10)
        assert joint.rate == pytest.approx(-0.1 * 5.0 * np.sin(turn * k), abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_undamped_spring_keeps_energy(solver):
    """Keep the energy of an oscillator for ten thousand steps, to rounding."""
    joint = rail(mass=2.0, settings=Settings(solver=solver))
    joint.spring(50.0, rest=-0.1)
    lowest, highest = np.inf, 0.0
    for _ in range(1000):
        joint.world.step(10)
        energy = joint.rate**2 + 25.0 * (joint.value + 0.1) ** 2
        lowest, highest = min(lowest, energy), max(highest, energy)
    # 10^4 steps, each solved to 1e-10 m/s of 0.5 m/s at worst; rounding adds up to 1e-12
    tolerance = 1e-11 if solver == "direct" else 1e-6
    assert lowest == pytest.approx(0.25, rel=tolerance)
    assert highest == pytest.approx(0.25, rel=tolerance)


def closed_oscillator(time: float, w: float, zeta: float) -> float:
    """Return the displacement of a damped oscillator let go at 1: below, at and above critical damping."""
    if zeta < 1.0:
        d = w * np.sqrt(1.0 - zeta**2)
        return np.exp(-zeta * w * time) * (np.cos(d * time) + zeta * w / d * np.sin(d * time))
    if zeta == 1.0:
        return np.exp(-w * time) * (1.0 + w * time)
    d = w * np.sqrt(zeta**2 - 1.0)
    return np.exp(-zeta * w * time) * (np.cosh(d * time) + zeta * w / d * np.sinh(d * time))


@pytest.mark.parametrize("zeta", [0.0, 0.1, 0.5, 1.0, 2.0])
def test_oscillator(zeta):
    """Follow the closed form of an oscillator, undamped, damped, critically damped and overdamped.

    The spring is of order 2. The damper is implicit at both ends of the step, of order 1: a stiff one then
    stops a motion and does not reflect it.
    """
    w, errors = 5.0, []
    for h in (0.01, 0.005, 0.0025):
        joint, _ = oscillator(50.0, 2.0 * zeta * w * 2.0, h=h)
        worst = 0.0
        for k in range(1, round(1.5 / h) + 1):
            joint.world.step()
            worst = max(worst, abs((joint.value + 0.1) / 0.1 - closed_oscillator(k * h, w, zeta)))
        errors.append(worst)
    if zeta == 0.0:
        # phase (w h)^2/12 of w t = 7.5
        assert errors[0] < (w * 0.01) ** 2 / 12.0 * 7.5
        assert 3.8 < errors[0] / errors[1] < 4.2
    else:
        # each end of the step takes the rate of half a step later: an error of h/2 d/m of the damping
        assert errors[0] < 0.01 * zeta * w
        assert 1.7 < errors[0] / errors[1] < 4.5
        assert 1.7 < errors[1] / errors[2] < 4.5


@pytest.mark.parametrize("damping", [0.0, 1.0, 1e4, 1e9])
@pytest.mark.parametrize("solver", SOLVERS)
def test_stiff_spring(damping, solver):
    """Stay stable at 1e12 N/m with 2 kg and 10 ms, without gaining energy, damped or not.

    Rounding of the displacement, 1e-16 of 1 mm, makes forces of up to 1e-7 N: nothing here.
    """
    joint = rail(mass=2.0, settings=Settings(solver=solver, sweeps=100))
    joint.spring(1e12, damping, rest=-1e-3)
    start = 0.5 * 1e12 * 1e-6
    energies = []
    for _ in range(1000):
        joint.world.step()
        energies.append(joint.rate**2 + 0.5e12 * (joint.value + 1e-3) ** 2)
    assert max(energies) < start * (1.0 + 1e-4)
    assert np.isfinite(energies).all()
    if damping == 0.0:
        assert min(energies) > start * (1.0 - 1e-4)
    if damping >= 1e9:
        assert energies[-1] < 1e-3 * start


def test_stiff_spring_under_load():
    """Carry a weight on a spring of 1e12 N/m as if it were a joint."""
    joint = rail(mass=2.0, axis=(0, 0, 1), gravity=G)
    spring = joint.spring(1e12, 1e6)
    joint.world.step(300)
    assert abs(joint.value) < 1e-6
    assert abs(joint.rate) < 1e-6
    assert spring.force == pytest.approx(2.0 * G, rel=1e-3)


def test_spring_at_rest():
    """Stretch by m g / k at rest and pull with the weight."""
    joint = rail(mass=2.0, axis=(0, 0, 1), gravity=G)
    spring = joint.spring(400.0, 60.0)
    joint.world.step(1000)
    assert joint.value == pytest.approx(-2.0 * G / 400.0, abs=1e-9)
    # k times the above
    assert spring.force == pytest.approx(2.0 * G, abs=4e-7)


def test_damper():
    """Slow down by d/m in proportion to the rate: v = v0 exp(-d t/m), to order h."""
    joint = rail(mass=2.0, rate=3.0)
    joint.damper(4.0)
    before = 3.0
    for _ in range(200):
        joint.world.step()
        assert 0.0 < joint.rate < before
        before = joint.rate
    # the exponent is met to h d / (2 m) of itself at most
    assert np.log(joint.rate / 3.0) == pytest.approx(-4.0, rel=0.02)


def test_strong_damper_stops():
    """Stop a motion at once with a damper of 1e12 N s/m, and not turn it round."""
    joint = rail(mass=2.0, rate=3.0)
    joint.damper(1e12)
    joint.world.step()
    assert joint.rate == pytest.approx(0.0, abs=1e-9)
    assert joint.value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("stiffness", [(1.0, 1.0, 1.0), (3.0, 1.0, 0.5), (2.0, 2.0, 0.0)])
def test_torsional_springs_keep_energy(stiffness):
    """Keep the energy of a body on a ball joint with springs about three axes, equal or not.

    The torque must be the gradient of the energy of the rotation vector at large angles too. The error of
    order 2 falls by four with half the step.
    """
    ranges = []
    for h in (0.01, 0.005):
        world = World(gravity=(0, 0, 0), time_step=h)
        body = world.add_body(Box((0.4, 0.3, 0.5)), mass=1.0, angular_velocity=(4, 3, -2))
        joint = world.add_joint(Ball((0, 0, 0)), None, body)
        names = [f"rotation {k}" for k in "xyz"]
        for name, k in zip(names, stiffness, strict=True):
            joint.spring(k, coordinate=name)
        start = world.report.kinetic_energy
        energies = []
        for _ in range(round(5.0 / h)):
            kinetic = world.step().kinetic_energy
            stretched = [k * joint.value_of(n) ** 2 for n, k in zip(names, stiffness, strict=True)]
            energies.append(kinetic + 0.5 * sum(stretched))
        ranges.append(np.abs(np.array(energies) / start - 1.0).max())
    # w = sqrt(3 / 0.021) = 12 / s and turning at 5 rad/s
    assert ranges[0] < (12.0 * 0.01) ** 2
    assert 3.3 < ranges[0] / ranges[1] < 4.8


def test_torsional_spring_about_one_axis():
    """Swing about one axis as a torsion pendulum with w = sqrt(k/I)."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(mass_properties=inertias(1.0, (0.5, 0.5, 0.5)))
    joint = world.add_joint(Ball((0, 0, 0)), None, body)
    joint.spring(8.0, rest=0.4, coordinate="rotation y")
    turn = 2.0 * np.arctan(0.5 * 4.0 * H)
    for k in range(1, 500):
        world.step()
        assert joint.value_of("rotation y") == pytest.approx(0.4 - 0.4 * np.cos(turn * k), abs=1e-9)


def test_spring_between_two_points():
    """Swing two masses on a spring with w = sqrt(k/mu), keeping momentum."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(ball(), mass=1.0, position=(0, 0, 0), velocity=(0.2, 0.1, 0))
    b = world.add_body(ball(), mass=3.0, position=(1.2, 0, 0), velocity=(0.2, 0.1, 0))
    joint = world.add_joint(Free((0, 0, 0), second_point=(1.2, 0, 0)), a, b)
    joint.spring(27.0, rest=1.0, coordinate="distance")
    turn = 2.0 * np.arctan(0.5 * 6.0 * H)
    before = totals(world)
    for k in range(1, 500):
        world.step()
        assert joint.value_of("distance") == pytest.approx(1.0 + 0.2 * np.cos(turn * k), abs=1e-9)
    assert totals(world)[:6] == pytest.approx(before[:6], abs=1e-11)


def test_spring_between_two_points_that_turn():
    """Keep energy and momenta of two bodies that a spring between off-centre points swings and turns."""
    peaks = []
    for h in (0.01, 0.005):
        world = World(gravity=(0, 0, 0), time_step=h)
        joint = add_free_pair(world, lambda: Free((0.3, 0.2, 0.1), second_point=(0.9, -0.2, 0.2)))
        joint.spring(40.0, rest=0.4, coordinate="distance")
        stretch = joint.value_of("distance") - 0.4
        before = totals(world)
        start = before[6] + 20.0 * stretch**2
        peak = 0.0
        for _ in range(round(3.0 / h)):
            kinetic = world.step().kinetic_energy
            peak = max(peak, abs(kinetic + 20.0 * (joint.value_of("distance") - 0.4) ** 2 - start))
        after = totals(world)
        assert after[:6] == pytest.approx(before[:6], abs=1e-11)
        peaks.append(peak / start)
    # w^2 = k (1/m + 1/m + r^2/I ...) is about 40 * 10
    assert peaks[0] < 400.0 * 0.01**2
    assert 3.3 < peaks[0] / peaks[1] < 4.8


def test_drives_conserve_momentum():
    """Keep both momenta of two free bodies whatever drives act between them."""
    world = World(gravity=(0, 0, 0))
    joint = add_free_pair(world, lambda: Ball((0.5, 0.1, 0.2)))
    settle_velocities(joint)
    joint.spring(5.0, 0.3, coordinate="rotation x")
    joint.motor(1.0, max_force=0.5, coordinate="twist")
    joint.friction(0.1, coordinate="swing")
    joint.pid(0.3, gain=0.5, derivative_time=0.1, coordinate="rotation y")
    loose = world.add_joint(Free((0.2, 0.1, 0.1), second_point=(0.9, 0.3, 0.4)), joint.first, joint.second)
    loose.spring(30.0, 2.0, rest=0.5, coordinate="distance")
    loose.servo(0.1, stiffness=20.0, damping=1.0, max_force=0.5, coordinate="x")
    before = totals(world)
    for _ in range(500):
        world.step()
    after = totals(world)
    assert after[:6] == pytest.approx(before[:6], abs=1e-11)
    assert joint.error < 1e-6
    assert sum(abs(d.force) for d in joint.drives) > 1e-3


def test_damped_spring_between_points_loses_energy():
    """Lose energy steadily with a damper between two free bodies (the sign in the thesis gains)."""
    world = World(gravity=(0, 0, 0))
    joint = add_free_pair(world, lambda: Free((0.3, 0.2, 0.1), second_point=(0.9, -0.2, 0.2)))
    joint.spring(40.0, 3.0, rest=0.4, coordinate="distance")

    def energy() -> float:
        return totals(world)[6] + 20.0 * (joint.value_of("distance") - 0.4) ** 2

    start = before = energy()
    for _ in range(300):
        world.step()
        now = energy()
        # what order 2 lends within a step
        assert now < before + 400.0 * H**3 * start
        before = now
    assert before < 0.8 * start


def test_rod_length_is_held_not_driven():
    """Refuse a drive on what a joint holds, and drive the same with Free."""
    world = World()
    body = world.add_body(ball(), mass=1.0, position=(0, 0, -1))
    rod = world.add_joint(Distance((0, 0, 0), (0, 0, -1)), None, body)
    with pytest.raises(ValueError, match="held by the joint itself"):
        rod.motor(0.1)
    world.remove_joint(rod)
    loose = world.add_joint(Free((0, 0, 0), second_point=(0, 0, -1)), None, body)
    loose.motor(-0.1, coordinate="distance")
    world.step(100)
    assert body.center_of_mass == pytest.approx((0, 0, -0.9), abs=1e-6)


@pytest.mark.parametrize("stiffness", [30.0, 1e3, 1e5, 1e6, 2e6, 1e7, 1e9, 1e12])
def test_springs_that_turn_are_stable_at_any_stiffness(stiffness):
    """Swing a ball on an undamped spring between points: no faster than it fell, at its length."""
    world = st.World()
    ball = world.add_body(st.Sphere(0.1), mass=1.0, position=(1, 0, 0))
    joint = world.add_joint(st.Free((0, 0, 0), second_point=(1, 0, 0)), None, ball, collide=True)
    joint.spring(stiffness, rest=1.0, coordinate="distance")
    for _ in range(30):
        world.step(10)
        length = np.linalg.norm(ball.position)
        # what the preview leaves of the length is no energy of the motion
        stored = 0.5 * stiffness * (length - 1.0) ** 2 if stiffness < 1e9 else 0.0
        assert world.report.energy + stored < 0.02
        if stiffness >= 1e5:
            assert length - 1.0 < 2 * world.settings.position_tolerance + 2 * 3 * 9.81 / stiffness
    if stiffness <= 1e5:
        assert world.report.energy + stored == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 3e5, 1e6, 2e6, 1e7, 1e9])
def test_springs_on_all_axes_hold_spinning_bodies_together(stiffness):
    """Hold points of two bodies that spin by springs on three axes: no energy comes, momenta stay."""
    world = st.World(gravity=(0, 0, 0))
    one = world.add_body(st.Box((1, 0.2, 0.2)), mass=1.0, angular_velocity=(1, 2, 3))
    two = world.add_body(st.Box((1, 0.3, 0.2)), mass=2.0, position=(1, 0, 0), velocity=(0, 1, 0))
    joint = world.add_joint(st.Free((0.5, 0, 0)), one, two, collide=True)
    for axis in "xyz":
        joint.spring(stiffness, coordinate=axis)
    before = world.report
    for _ in range(30):
        world.step(10)
        gap = np.linalg.norm(joint.second_point - joint.first_point)
        assert world.report.energy + 0.5 * stiffness * gap**2 < before.energy * (1 + 1e-3)
    assert np.allclose(world.report.angular_momentum, before.angular_momentum, atol=1e-6)
