"""Couplings over three and four bodies that react, against closed forms and the reduced equations."""

import numpy as np
import pytest

import stoss as st

BOTH = pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
Y = (0.0, 1.0, 0.0)


def chain(count=4, *, ratio=0.7, free=False, curve=None, settings=None, time_step=2e-3):
    """Return links on hinges one after the other (`free`: on balls, and nothing), led by the first joint."""
    world = st.World(time_step=time_step, settings=settings or st.Settings())
    before = None
    for k in range(count):
        body = world.add_body(
            st.Capsule(0.05, 0.2),
            position=(0.15 + 0.3 * k, 0, 1.0),
            quaternion=(np.sqrt(0.5), 0, np.sqrt(0.5), 0),
            mass=1.0 + 0.3 * k,
            name=f"link {k}",
            material=st.Material(restitution=0.4),
        )
        at = (0.3 * k, 0, 1.0)
        if not free:
            world.add_joint(st.Hinge(at, (0, 1, 0.2 * k)), before, body, name=f"joint {k}")
        elif k:
            world.add_joint(st.Ball(at), before, body, name=f"joint {k}")
        before = body
    for k in range(1 + free, count):
        law = {"curve": curve} if curve else {"ratio": ratio ** (k - free)}
        for turn in ("turn_x", "turn_y", "turn_z") if free else (None,):
            names = {"coordinate_1": turn, "coordinate_2": turn} if turn else {}
            world.add_joint(
                st.Coupling(f"joint {int(free)}", f"joint {k}", **law, **names), name=f"led {k} {turn}"
            )
    return world


@BOTH
@pytest.mark.parametrize("h", [0.005, 0.02])
@pytest.mark.parametrize("ratio", [-2.0, 0.5])
def test_four_wheels_under_a_torque(solver, h, ratio):
    """Turn two pairs of wheels that hang on nothing by the closed form; the coupling makes no momentum."""
    world = st.World(gravity=(0, 0, 0), time_step=h, settings=st.Settings(solver=solver, sweeps=100))
    inertias = np.array([0.3, 0.7, 0.4, 0.2])
    wheels = []
    for k, inertia in enumerate(inertias):
        properties = st.from_values(1.0, (inertia, inertia, inertia))
        wheels.append(
            world.add_body((), position=(k // 2, 0, 0), mass_properties=properties, name=f"wheel {k}")
        )
    for k in range(2):
        world.add_joint(st.Hinge((k, 0, 0), Y), wheels[2 * k], wheels[2 * k + 1], name=f"axle {k}")
    coupling = world.add_joint(st.Coupling("axle 0", "axle 1", ratio))
    world.torques[1] = (0, 2.0, 0)
    count = round(1.0 / h)
    world.step(count)
    # of the relative turning of both wheels of a pair
    one, other = (a * b / (a + b) for a, b in (inertias[:2], inertias[2:]))
    alpha = 2.0 / inertias[1] / (1.0 + ratio**2 * other / one)
    rates = [world.joint(f"axle {k}").rate for k in range(2)]
    np.testing.assert_allclose(rates, [alpha, ratio * alpha], rtol=1e-6)
    assert world.joint("axle 1").value == pytest.approx(0.5 * ratio * alpha, rel=1e-5)
    turning = inertias * world.angular_velocities[:, 1]
    assert turning[:2].sum() == pytest.approx(2.0, rel=1e-9) and abs(turning[2:].sum()) < 1e-9
    np.testing.assert_allclose(coupling.torque, [0, other * ratio * alpha, 0], rtol=1e-5, atol=1e-6)
    assert world.freedom_report().degrees_of_freedom == 24 - 11


@pytest.mark.parametrize("curve", [None, [(-2.0, -1.0), (0.0, 0.0), (1.0, 0.4), (3.0, 1.0)]])
def test_a_chain_rolls_up_as_its_one_coordinate_says(curve):
    """Agree with the reduced equations, of one coordinate, and keep the energy."""
    both, coarse = chain(curve=curve).run_both(1.0), chain(curve=curve, time_step=4e-3).run_both(1.0)
    assert both.coordinates == ("joint 0",) and both.ended == "" and np.ptp(both.reduced) > 1.0
    assert both.largest < 4e-5 and coarse.largest / both.largest == pytest.approx(4.0, rel=0.1)
    assert np.ptp(both.engine_energy) < 2e-3
    swept = chain(curve=curve, settings=st.Settings(solver="gauss_seidel", sweeps=2000)).run_both(0.2)
    assert swept.largest < 5e-5


def test_a_spine_that_floats_bends_as_one():
    """Couple all turns of balls on nothing: nine coordinates, and momentum to rounding."""
    world = chain(free=True)
    world.gravity = (0, 0, 0)
    for k, body in enumerate(world.bodies):
        body.angular_velocity = (0.5 * k, 1.0, -0.3 * k)
    world.step(20)
    before = world.report
    both = world.run_both(0.5)
    after = both.world.report
    assert len(both.coordinates) == 9 and both.largest < 1e-5
    assert np.abs(after.angular_momentum - before.angular_momentum).max() < 1e-13
    assert after.kinetic_energy == pytest.approx(before.kinetic_energy, abs=1e-7)
    assert world.freedom_report().degrees_of_freedom == 9


@BOTH
def test_a_chain_falls_on_the_ground(solver):
    """Hold through impacts, with and without bounce, contacts with friction, and come to rest."""
    world = chain(free=True, time_step=0.005, settings=st.Settings(solver=solver, sweeps=200))
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    world.bodies[0].angular_velocity = (0.0, 3.0, 0.5)
    energies = []
    for _ in range(400):
        world.step()
        energies.append(world.report.energy)
        assert max(joint.error for joint in world.joints if joint.name.startswith("led")) < 5e-3
    assert np.diff(energies).max() < 1e-3
    assert np.abs(world.velocities).max() < 0.1 and world.report.max_overlap < 1e-3
    turns = [world.joint(f"joint {k}").value_of("turn_y") for k in (1, 2, 3)]
    np.testing.assert_allclose(turns, turns[0] * np.array([1.0, 0.7, 0.49]), atol=5e-3)


def test_what_couples_four_is_copied_saved_and_switched():
    """Go on to the bit from a file, and let go where it is switched off."""
    world = chain()
    world.step(30)
    saved = world.save()
    copy = world.copy()
    world.step(30)
    copy.step(30)
    other = st.World()
    other.restore(saved)
    other.step(30)
    assert world.state_hash() == copy.state_hash() == other.state_hash()
    copy.joint("led 3 None").enabled = False
    copy.step(50)
    assert copy.joint("led 2 None").error < 2e-6 and copy.joint("led 3 None").error == 0.0
    ratio = copy.joint("joint 3").value / copy.joint("joint 2").value
    assert abs(ratio - 0.7) > 0.01  # what it was
    assert copy.freedom_report().degrees_of_freedom == 2


def test_redundant_couplings_are_named_and_do_no_harm():
    """Say which coupling follows from others, and move as without it."""
    world, other = chain(), chain()
    world.add_joint(st.Coupling("joint 0", "joint 2", 0.49), name="twice")
    report = world.freedom_report()
    assert [row.joint for row in report.redundant] == ["twice"] and report.degrees_of_freedom == 1
    world.step(200)
    other.step(200)
    np.testing.assert_allclose(world.positions, other.positions, atol=1e-5)


def test_bodies_of_a_wide_coupling_go_on_reacting():
    """Refuse a kind with which fewer would react, with the cure."""
    world = chain()
    with pytest.raises(
        ValueError, match="'static': joint 'led 3 None' couples body 'link 3' to two or three"
    ):
        world.body("link 3").kind = "static"
    for joint in [joint for joint in world.joints if joint.name.startswith("led")]:
        world.remove_joint(joint)
    world.body("link 1").kind = "static"
    world.add_joint(st.Coupling("joint 2", "joint 3", 0.5))
    world.step(100)
    assert world.joint("joint 3").value == pytest.approx(0.5 * world.joint("joint 2").value, abs=2e-6)
