"""What joints carry in a motion: against numbers that are known, Newton's law, and the engine's impulses."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.stelzner.mechanisms import double_pendulum, four_bar
from tests.engine.articulated.test_articulation import KINDS, anywhere, of_kinds


def test_a_double_pendulum_carries_what_is_known():
    """Agree with B-03 on force and, in the plane, torque."""
    both = st.Articulation(double_pendulum())
    known = (
        ((0, 0), (0, 0), (0, 2.802857), (0, -0.700714)),
        (
            (1.122653701, -0.593820261),
            (2.414308313, 3.534796623),
            (-9.777704, 30.328790),
            (-14.473293, 15.027544),
        ),
        (
            (1.653554634, -0.490120382),
            (0.961145445, -12.860100498),
            (13.366886, 65.447720),
            (-11.535234, 57.239809),
        ),
    )
    for q, rates, first, second in known:
        found = both.reactions(q, rates)
        np.testing.assert_allclose(found.forces["q1"][[0, 2]], first, atol=3e-6)
        np.testing.assert_allclose(found.forces["q2"][[0, 2]], second, atol=3e-6)
        assert abs(found.torques["q1"][1]) < 1e-10 and np.abs(found.drives).max() == 0.0


def test_a_loop_carries_what_is_known():
    """Agree with B-04, with a closing hinge of which three rows are redundant."""
    world = four_bar()
    both = st.Articulation(world)
    begin = np.radians((90.0, 101.541940806, -66.433360014))
    known = (
        ((90.0, 101.541941, -66.433360), (0, 0, 0), (-1.689508, 5.370160), None),
        (
            (114.933409, 113.776402, -92.303811),
            (2.261729, 1.130177, -2.242696),
            (-2.160566, 3.797588),
            {
                "crank": (-2.739111, 7.420486),
                "coupler": (-1.949092, 3.587908),
                "rocker": (-4.005244, 12.097014),
            },
        ),
    )
    for degrees, rates, closing, inboard in known:
        q, rates = both.assemble(np.radians(degrees) - begin, np.array(rates, float))
        found = both.reactions(q, rates)
        np.testing.assert_allclose(found.forces["closing"][:2], closing, atol=3e-5)
        for name, force in (inboard or {}).items():
            np.testing.assert_allclose(found.forces[name][:2], force, atol=5e-5)
            np.testing.assert_allclose(found.torques[name], 0.0, atol=1e-9)
        assert np.abs(found.missing).max() < 1e-9


def test_the_engine_carries_the_same():
    """Agree with force and torque of the engine's impulses, the mean over a step, to a thousandth."""
    for world in (double_pendulum(), four_bar()):
        world.step(500)
        before = st.Articulation(world).reactions()
        world.step()
        after = st.Articulation(world).reactions()
        for joint in world.joints:
            wanted = 0.5 * (before.forces[joint.name] + after.forces[joint.name])
            size = np.linalg.norm(wanted)
            np.testing.assert_allclose(joint.force, wanted, atol=1e-3 * size)
            np.testing.assert_allclose(joint.torque[:2], 0.0, atol=1e-3 * size)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_each_body_moves_as_its_joints_push_it(kind, turned):
    """Have Newton's and Euler's law hold of each body with the reactions alone."""
    world = of_kinds("ball" if kind in ("fixed", "distance") else "hinge", kind, turned=turned)
    both = st.Articulation(world)
    q, rates = both.assemble(*anywhere(both, size=0.3))
    both.set_state(q, rates)
    changes = both.forward_dynamics(q, rates, np.random.default_rng(2).normal(size=len(both)))
    found = both.reactions(q, rates, changes, driven=both.coordinates)
    assert np.abs(found.missing).max() < 1e-9
    linear, angular = both.accelerations(q, rates, changes)
    bodies = world._bodies
    for body in world.bodies:
        i = body.index
        force, torque = bodies.masses[i] * world.gravity, np.zeros(3)
        for joint in world.joints:
            for end, sign in ((joint.second, 1.0), (joint.first, -1.0)):
                if end is body:
                    own = found.forces[joint.name]
                    force = force + sign * own
                    arm = joint.second_point - bodies.positions[i]
                    torque = torque + sign * (found.torques[joint.name] + np.cross(arm, own))
        np.testing.assert_allclose(force, bodies.masses[i] * linear[i], atol=1e-8)
        turn = st.rotation.to_matrix(bodies.quaternions[i])
        inertia = turn @ np.diag(bodies.inertias[i]) @ turn.T
        spin = bodies.angular_velocities[i]
        np.testing.assert_allclose(torque, inertia @ angular[i] + np.cross(spin, inertia @ spin), atol=1e-8)


def test_drives_make_the_motion():
    """Give the torques of inverse dynamics on trees, and on loops those of the drives that are named."""
    pendulum = st.Articulation(double_pendulum())
    q, rates, changes = (0.3, -0.2), (1.0, 2.0), (-3.0, 0.5)
    found = pendulum.reactions(q, rates, changes)
    np.testing.assert_allclose(found.drives, pendulum.inverse_dynamics(q, rates, changes), atol=1e-12)
    assert found.torques["q2"][1] == pytest.approx(found.drive("q2"), abs=1e-12)
    loop = st.Articulation(four_bar())
    q, rates = loop.assemble(loop.q, np.array([2.0, 0.0, 0.0]))
    changes = loop.forward_dynamics(q, rates, [0.7, 0.0, 0.0])
    found = loop.reactions(q, rates, changes, driven=["crank"])
    assert found.drive("crank") == pytest.approx(0.7, abs=1e-9)
    assert np.abs(found.missing).max() < 1e-9
    # one drive of the rocker can do it as well, and nothing can with none
    other = loop.reactions(q, rates, changes, driven=["rocker"])
    assert np.abs(other.missing).max() < 1e-9 and other.drive("crank") == 0.0
    assert np.abs(loop.reactions(q, rates, changes).missing).max() > 0.1


def test_loads_count_and_nonsense_is_refused():
    """Carry a weight that is hung on, and name what is wrong."""
    world = double_pendulum()
    both = st.Articulation(world)
    hung = both.reactions((0, 0), (0, 0), (0, 0), loads={world.bodies[1]: ((0, 0, -10.0), (0, 0, 0))})
    alone = both.reactions((0, 0), (0, 0), (0, 0))
    np.testing.assert_allclose(hung.forces["q1"] - alone.forces["q1"], (0, 0, 10.0), atol=1e-12)
    assert hung.drive("q1") - alone.drive("q1") == pytest.approx(-15.0)
    with pytest.raises(ValueError, match="no coordinate 'q3'"):
        both.reactions(driven=["q3"])
    with pytest.raises(TypeError, match="list of names"):
        both.reactions(driven="q1")
    with pytest.raises(KeyError, match="'q3' is not one of q1, q2"):
        alone.drive("q3")
