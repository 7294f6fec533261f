"""Stelzner's mass on a circle (B-01) and point on a turning ellipsoid (B-06), in the engine and reduced."""

import numpy as np

import stoss as st
from stoss.benchmarks.stelzner.mechanisms import GLIDED, circle, gliding
from tests.engine.joint_worlds import totals


def test_a_mass_stays_on_its_circle():
    """Keep radius and energy over twenty thousand steps, and be where it is known to be (B-01)."""
    world = circle(1e-3)
    worst, energies = 0.0, []
    for k in range(200):
        world.step(100)
        worst = max(worst, abs(np.linalg.norm(world.body("mass").position) - 1.0))
        energies.append(world.report.energy)
        if k == 99:
            known = (0.275087462466, -0.961419205131)
            np.testing.assert_allclose(world.body("mass").position[:2], known, atol=2e-4)
    assert worst < 1e-9
    assert np.abs(np.mean(energies[-100:]) - np.mean(energies[:100])) < 1e-4
    solver = st.ReducedSolver(circle(1e-3), tolerance=1e-8)
    for _ in range(4):
        solver.step(0.25)
        assert abs(np.linalg.norm(solver.world.body("mass").position) - 1.0) < 1e-12
    assert abs(solver.energy) < 1e-6


def test_projection_converges_quadratically():
    """Come back to the circle from (1.1, 0.05) as fast as printed (B-01)."""
    world = circle(1e-3)
    both = st.Articulation(world)
    q = np.zeros(len(both))
    q[:2] = 1.1, 0.05
    closed, _ = both.assemble(q)
    np.testing.assert_allclose(closed[:2], np.array((1.1, 0.05)) / np.hypot(1.1, 0.05), atol=1e-12)


def test_a_point_glides_on_an_ellipsoid_that_turns():
    """End where it is known to, and keep angular momentum to rounding and energy to order 2 (B-06)."""
    errors = []
    for time_step in (2e-3, 1e-3):
        world = gliding(time_step)
        before = totals(world)
        world.step(round(1.0 / time_step))
        after = totals(world)
        np.testing.assert_allclose(after[:6], before[:6], atol=1e-12)
        errors.append(abs(after[6] - before[6]) / before[6])
        assert world.report.joint_error < 1e-6
    assert errors[1] < 1e-5
    for name, (place, spin) in GLIDED.items():
        np.testing.assert_allclose(world.body(name).position, place, atol=2e-5)
        np.testing.assert_allclose(world.body(name).angular_velocity, spin, atol=2e-4)


def test_the_reduced_equations_glide_alike():
    """Agree with B-06 to its digits, which the thesis's printed equation misses by a third of the energy."""
    solver = st.ReducedSolver(gliding(1e-3))
    before = totals(solver.world)
    solver.step(1.0)
    np.testing.assert_allclose(totals(solver.world), before, atol=1e-8)
    for name, (place, spin) in GLIDED.items():
        body = solver.world.body(name)
        np.testing.assert_allclose(body.position, place, atol=2e-8)
        np.testing.assert_allclose(body.angular_velocity, spin, atol=2e-8)


def test_constraints_are_counted():
    """Leave two degrees of freedom to a double pendulum of two bodies and ten rows (T-6)."""
    world = st.World()
    rods = [world.add_body(st.Box((1, 0.1, 0.1)), position=(k + 0.5, 0, 0), mass=1.0) for k in range(2)]
    world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, rods[0])
    world.add_joint(st.Hinge((1, 0, 0), (0, 1, 0)), *rods)
    report = world.freedom_report()
    assert (report.motions, report.rank, report.degrees_of_freedom) == (12, 10, 2)
