"""Linear springs are rows for the solvers: stable at any stiffness, and they say so."""

import copy

import numpy as np
import pytest

import stoss as st


def hung(stiffness, h=0.01, height=-1.0, **more):
    world = st.World(time_step=h)
    ball = world.add_body(st.Sphere(0.1), mass=1.0, position=(0, 0, height), name="ball")
    return world, ball, world.add_load(st.SpringDamper(None, ball, 1.0, stiffness, **more), name="spring")


@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e9, 1e12])
def test_a_weight_on_a_stiff_spring_stays_at_rest(stiffness):
    """Hang 1 kg on a spring up to 1e12 N/m at 10 ms for 100 s of time: bounded, at rest, by m g."""
    world, ball, load = hung(stiffness, damping=0.0)
    assert load.implicit
    sag = 9.81 / stiffness
    for _ in range(20):
        world.step(500)
        assert -1.0 - 2.05 * sag - 2e-9 <= ball.position[2] <= -1.0 + 1e-9
        # energy of the fall by the sag swings on, until the step cannot follow it
        assert np.linalg.norm(ball.velocity) <= 1.05 * np.sqrt(9.81 * sag)
    if stiffness >= 1e6:
        assert load.effort == pytest.approx(9.81, rel=1e-3)
        assert np.linalg.norm(ball.velocity) < 1e-9 * np.sqrt(stiffness)


def test_implicit_and_explicit_springs_agree():
    """Swing alike on a soft spring, with errors that go with the square of the step."""

    def end(h, implicit):
        world, ball, load = hung(60.0, h, height=-1.3, damping=0.4, implicit=implicit)
        ball.velocity = 1, 0, 0
        assert load.implicit == implicit
        world.step(round(1.0 / h))
        return ball.position

    exact = end(0.0005, False)
    for implicit in (False, True):
        errors = [np.abs(end(h, implicit or None if implicit else False) - exact).max() for h in (0.02, 0.01)]
        assert 3.4 < errors[0] / errors[1] < 4.6


def test_it_says_force_energy_and_length():
    """Tell tension, force on either body, work and stored energy, as an explicit one does."""
    worlds = []
    for implicit in (True, False):
        world = st.World(gravity=(0, 0, 0), time_step=0.001)
        one = world.add_body(st.Box((1, 0.2, 0.2)), mass=1.0)
        two = world.add_body(st.Sphere(0.2), mass=2.0, position=(2, 0.5, 0), velocity=(0, 1, 0.3))
        first = world.add_marker("tip", one, position=(0.5, 0, 0))
        load = world.add_load(st.SpringDamper(first, two, 1.0, 30.0, damping=0.5, implicit=implicit))
        world.step(400)
        worlds.append((load, one, two, world))
    (row, *of_row, world), (force, *of_force, _) = worlds
    assert row.implicit and not force.implicit
    assert row.effort == pytest.approx(force.effort, rel=2e-3)
    assert row.value == pytest.approx(force.value, rel=1e-3)
    # of the end of the step, and of its middle
    assert row.rate == pytest.approx(force.rate, abs=0.0005 * 45.0)
    assert row.energy == pytest.approx(force.energy, rel=2e-3)
    assert row.power == pytest.approx(force.power, rel=5e-3)
    assert row.potential == pytest.approx(force.potential, rel=1e-3)
    assert np.allclose(row.force, force.force, rtol=5e-3, atol=1e-3)
    for mine, other in zip(of_row, of_force, strict=True):
        assert np.allclose(row.on(mine), force.on(other), rtol=5e-3, atol=5e-3)
    assert row.energy == pytest.approx(world.ledger.drive_work, rel=1e-3)


@pytest.mark.parametrize("rest", [0.0, 0.5])
def test_a_soft_spring_keeps_its_energy_to_rounding(rest):
    """Lose or win less than 1e-14 a step along a line: the rule of the middle is exact for linear springs."""
    world = st.World(gravity=(0, 0, 0), time_step=0.01)
    ball = world.add_body(st.Sphere(0.1), mass=1.0, position=(rest + 0.3, 0, 0), name="ball")
    load = world.add_load(st.SpringDamper(None, ball, rest, 40.0))
    start, steps = load.potential, 5000
    for _ in range(10):
        world.step(steps // 10)
        assert abs(world.report.energy + load.potential - start) < 1e-14 * steps * start


def test_springs_of_no_length_pull_from_everywhere():
    """Pass the point of no length without a kick: a spring of rest length 0 swings as a sine in each axis."""
    world = st.World(gravity=(0, 0, 0), time_step=0.002)
    ball = world.add_body(st.Sphere(0.1), mass=1.0, position=(0.3, 0, 0), velocity=(0, 0.001, 0))
    load = world.add_load(st.SpringDamper(None, ball, 0.0, 100.0))
    assert load.implicit
    world.step(700)
    assert ball.position[0] == pytest.approx(0.3 * np.cos(10 * world.time), abs=2e-3)
    assert ball.position[1] == pytest.approx(1e-4 * np.sin(10 * world.time), abs=1e-6)
    assert load.value == pytest.approx(np.linalg.norm(ball.position), rel=1e-9)


def test_coordinate_and_rotational_springs_are_rows_too():
    """Hold a hinge and a free body at 1e9 N m/rad, and swing softly with the right period."""
    world = st.World(time_step=0.01)
    rod = world.add_body(st.Box((1, 0.1, 0.1)), mass=2.0, position=(0.5, 0, 0))
    hinge = world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, rod)
    load = world.add_load(st.CoordinateSpring(hinge, stiffness=1e9))
    assert load.implicit
    world.step(100)
    assert abs(hinge.value) < 1e-7 and load.effort == pytest.approx(-9.81, rel=2e-2)
    assert load.on(rod)[4] == pytest.approx(-9.81, rel=2e-2)

    world = st.World(gravity=(0, 0, 0), time_step=0.002)
    own = st.from_values(125.0, (10.7, 10.7, 10.7))
    trunk = world.add_body((), mass_properties=own)
    load = world.add_load(st.RotationalSpring(None, trunk, (0, 0, 1), stiffness=1000.0))
    trunk.angular_velocity = 0, 0, 1.0
    assert load.implicit
    world.step(500)
    omega = np.sqrt(1000 / 10.7)
    assert trunk.angular_velocity[2] == pytest.approx(np.cos(omega * world.time), abs=2e-2)
    assert load.effort == pytest.approx(-1000 * load.value, rel=5e-2)


def test_switches_changes_and_removal():
    """Switch it off and on, change its numbers, remove it, its joint, or its body: all of it goes."""
    world, ball, load = hung(1e6)
    world.step(10)
    load.enabled = False
    world.step(10)
    assert ball.velocity[2] == pytest.approx(-0.981, rel=1e-3) and load.effort == 0.0
    load.enabled = True
    load.kind = st.SpringDamper(None, ball, None, 1e6, power=2.0, implicit=False)
    assert not load.implicit and world.joints == []
    load.kind = st.SpringDamper(None, ball, None, 1e6)
    assert load.implicit and [joint.name for joint in world.joints] == ["spring"]
    load.remove()
    assert world.joints == [] and world.loads == []
    again = world.add_load(st.SpringDamper(None, ball, None, 1e6))
    world.remove_joint(world.joints[0])
    assert world.loads == []
    with pytest.raises(ValueError, match="not in this world"):
        again.enabled = False
    world.add_load(st.SpringDamper(None, ball, None, 1e6))
    world.remove_body(ball)
    assert world.loads == [] and world.joints == []


def test_copies_and_snapshots_keep_rows():
    """Go on with the same bits in copies, restored worlds and files, with handles that work."""
    world, ball, load = hung(1e5, height=-1.2, damping=3.0)
    world.step(5)
    saved, twin = world.save(), copy.deepcopy(world)
    world.step(20)
    twin.step(20)
    assert world.state_hash() == twin.state_hash()
    assert twin.load("spring").effort == load.effort and twin.load("spring").energy == load.energy
    world.restore(saved)
    world.step(20)
    assert world.state_hash() == twin.state_hash() and load.effort == twin.load("spring").effort
    load.remove()
    world.restore(saved)
    assert world.load("spring").implicit
    world.step(20)
    assert world.state_hash() == twin.state_hash()


def test_laws_that_are_not_linear_are_no_rows():
    """Refuse to make a row of a law that is none, and say what it takes."""
    world, ball, _ = hung(1.0)
    square = dict(damping=1.0, damping_power=2.0)
    for law in (dict(power=2.0), dict(damping=1.0, damping_by="deflection"), square):
        assert not world.add_load(st.SpringDamper(None, ball, 1.0, 1.0, **law)).implicit
        with pytest.raises(ValueError, match="implicit = True, but the law is not linear"):
            st.SpringDamper(None, ball, 1.0, 1.0, **law, implicit=True)
