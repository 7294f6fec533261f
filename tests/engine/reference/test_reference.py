"""The reference against closed forms, conservation laws and the engine, in space and in the plane."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.reference import METHODS, ReferenceSolver


def lump(world, position, rng, **values):
    """Add a body with products of inertia and its centre of mass off its origin."""
    a = rng.normal(size=(3, 3))
    tensor = 0.02 * (np.trace(a @ a.T) * np.eye(3) - a @ a.T)
    turn = rng.normal(size=4)
    return world.add_body(
        mass_properties=st.from_values(float(rng.uniform(0.5, 2.0)), tensor, (0.05, 0.02, -0.03)),
        position=position,
        quaternion=turn / np.linalg.norm(turn),
        **values,
    )


def pendulum(angle=0.0, **values):
    """Return the pendulum of Krieg's test T-01: 2 kg, 0.3 kg m^2, half a metre below a hinge."""
    world = st.World(planar="xy", **values)
    turned = world.plane.quaternion(angle)
    bob = world.add_body(
        mass_properties=st.from_values(2.0, 0.3 * np.eye(3)),
        position=(0.5 * np.sin(angle), -0.5 * np.cos(angle), 0.0),
        quaternion=turned,
    )
    world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), None, bob, name="pin")
    return world


def test_a_pendulum_has_its_period():
    """Swing with the period of the closed form, carried by what it weighs (T-01)."""
    rest = ReferenceSolver(pendulum()).run(0.5)
    np.testing.assert_allclose(rest.joint("pin").force, np.tile((0.0, 19.62, 0.0), (51, 1)), atol=1e-8)
    period = 2.0 * np.pi * np.sqrt((0.3 + 2.0 * 0.25) / (2.0 * 9.81 * 0.5))
    assert period == pytest.approx(1.79428, abs=1e-5)
    amplitude = 1e-4
    run = ReferenceSolver(pendulum(amplitude)).run(period, every=period / 4.0, rtol=1e-12, atol=1e-15)
    swing = run.joint("pin").value + amplitude  # it counts from where it begins
    wanted = amplitude * np.array([1.0, 0.0, -1.0, 0.0, 1.0])
    np.testing.assert_allclose(swing, wanted, atol=1e-8 * amplitude)  # and the next term, amplitude^3 / 16


def test_methods_agree():
    """Find the same motion by all integrators, to what was asked for."""
    runs = [
        ReferenceSolver(pendulum(2.0)).run(1.0, method=method, rtol=1e-9, atol=1e-11) for method in METHODS
    ]
    for run in runs:
        assert run.status == "finished" and len(run.times) == 101
        np.testing.assert_allclose(run.positions, runs[0].positions, atol=1e-6)
        assert run.joint("pin").gap.max() < 1e-6


KINDS = {
    "ball": lambda p: st.Ball(p),
    "hinge": lambda p: st.Hinge(p, (0.3, 1.0, 0.2)),
    "universal": lambda p: st.Universal(p, (1.0, 0.0, 0.0), (0.0, 1.0, 0.3)),
    "slider": lambda p: st.Slider(p, (1.0, 0.2, -0.5)),
    "cylindrical": lambda p: st.Cylindrical(p, (1.0, 0.0, -1.0)),
    "planar": lambda p: st.Planar(p, (0.1, 0.2, 1.0)),
    "fixed": lambda p: st.Fixed(p),
    "point on line": lambda p: st.PointOnLine(p, (1.0, 0.0, -1.0)),
    "point on plane": lambda p: st.PointOnPlane(p, (0.0, 1.0, 1.0)),
    "distance": lambda p: st.Distance(p, tuple(np.add(p, (0.3, 0.1, 0.2)))),
    "fixed orientation": lambda p: st.FixedOrientation(),
    "parallel axes": lambda p: st.ParallelAxes((0.0, 1.0, 0.0)),
    "constant angle": lambda p: st.ConstantAngle((1.0, 0.0, 0.0), (0.0, 1.0, 0.5)),
    "screw": lambda p: st.Screw(p, (0.0, 0.3, 1.0), pitch=0.2),
}


@pytest.mark.parametrize("kind", KINDS)
def test_joints_move_as_in_the_engine(kind):
    """Agree with the engine on motion, to its order, and on force and torque of the joint, for each kind."""

    def chain(time_step, order):
        rng = np.random.default_rng(3)
        world = st.World(time_step=time_step, settings=st.Settings(order=order))
        first, second = lump(world, (0.3, 0.0, 0.0), rng), lump(world, (0.6, 0.1, 0.1), rng)
        world.add_joint(st.Ball((0.0, 0.0, 0.0)), None, first)
        world.add_joint(KINDS[kind]((0.45, 0.05, 0.02)), first, second, name="joint")
        return world

    run = ReferenceSolver(chain(0.01, 2)).run(0.3, every=0.1)
    assert run.joint("joint").gap.max() < 1e-9
    world = chain(0.003, 4)
    world.step(100)
    np.testing.assert_allclose(world.centers_of_mass, run.positions[-1], atol=5e-9)
    np.testing.assert_allclose(world.velocities, run.velocities[-1], atol=5e-8)
    h = 5e-4
    world = chain(h, 2)
    start = ReferenceSolver(world).run(h, every=h).joint("joint")
    world.step()
    joint, size = world.joint("joint"), 10.0  # [N]; the first step has the mean force to the first order
    np.testing.assert_allclose(joint.force, start.force.mean(axis=0), atol=0.1 * h * size)
    np.testing.assert_allclose(joint.torque, start.torque.mean(axis=0), atol=0.1 * h * size)


def test_what_acts_on_joints():
    """Agree with the engine on springs, servos with schedules and bounds, soft stops and controllers."""

    def machine(time_step):
        rng = np.random.default_rng(5)
        world = st.World(time_step=time_step)
        bodies = [lump(world, (0.3 + 0.4 * k, 0.0, 0.0), rng) for k in range(5)]
        hinge = world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), None, bodies[0], name="hinge")
        ball = world.add_joint(st.Ball((0.5, 0.0, 0.0), (1.0, 0.0, 0.2)), bodies[0], bodies[1], name="ball")
        slider = world.add_joint(
            st.Slider((0.9, 0.0, 0.0), (1.0, 1.0, 0.0)), bodies[1], bodies[2], name="slider"
        )
        cross = world.add_joint(
            st.Universal((1.3, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            bodies[2],
            bodies[3],
            name="cross",
        )
        last = world.add_joint(st.Hinge((1.7, 0.0, 0.0), (0.0, 1.0, 0.3)), bodies[3], bodies[4], name="last")
        hinge.servo(0.2, stiffness=50.0, damping=5.0, max_force=30.0)
        for name, k in (("rotation x", 10.0), ("rotation y", 15.0), ("rotation z", 5.0)):
            ball.spring(k, 0.3, 0.1, coordinate=name)
        ball.damper(0.5, coordinate="swing")
        slider.servo(0.0, stiffness=200.0, damping=10.0).schedule([0.0, 0.1, 0.3], [0.0, 0.05, 0.0])
        slider.limit(-0.02, 0.03, stiffness=3000.0, damping=20.0)
        cross.spring(8.0, 0.5, coordinate="angle_1")
        cross.motor(2.0, damping=1.0, coordinate="angle_2")
        last.pid(0.3, gain=20.0, reset_time=0.5, derivative_time=0.1, window=0.5)
        return world

    run = ReferenceSolver(machine(0.01)).run(0.3, every=0.05, rtol=1e-7, atol=1e-9)
    assert run.status == "finished"
    errors = []
    for steps in (300, 600):
        world = machine(0.3 / steps)
        world.step(steps)
        errors.append(np.abs(world.centers_of_mass - run.positions[-1]).max())
    assert errors[1] < 0.6 * errors[0] and errors[1] < 2e-4  # the controller of the engine is of order 1
    assert np.abs(run.joint("hinge").drive["angle"]).max() <= 30.0
    assert run.joint("slider").values["displacement"].max() > 0.03  # the soft stop was bent


def test_couplings_and_loops():
    """Agree with the engine on gears and racks, and on a closed chain whose rows are redundant."""

    def machine(time_step, order=2):
        world = st.World(time_step=time_step, settings=st.Settings(order=order))
        rng = np.random.default_rng(7)
        wheels = [lump(world, (x, 0.0, 1.0), rng) for x in (0.0, 1.0)]
        rack = lump(world, (0.0, 0.0, 2.0), rng)
        one, two = (
            world.add_joint(st.Hinge((x, 0.0, 1.0), (0.0, 1.0, 0.0)), None, wheel, name=f"wheel {x}")
            for x, wheel in zip((0.0, 1.0), wheels, strict=True)
        )
        rail = world.add_joint(st.Slider((0.0, 0.0, 2.0), (1.0, 0.0, 0.0)), None, rack, name="rail")
        world.add_joint(st.Gear(one, two, -0.7))
        world.add_joint(st.Rack(one, rail, 0.3))
        links = [lump(world, place, rng) for place in ((3.0, 0.0, 0.5), (3.5, 0.0, 1.0), (4.0, 0.0, 0.5))]
        corners = ((3.0, 0.0, 0.0), (3.0, 0.0, 1.0), (4.0, 0.0, 1.0), (4.0, 0.0, 0.0))
        ends = (None, links[0], links[1], links[2], None)
        for corner, first, second in zip(corners, ends[:-1], ends[1:], strict=True):
            world.add_joint(st.Hinge(corner, (0.0, 1.0, 0.0)), first, second)
        links[0].angular_velocity = (0.0, 0.5, 0.0)
        links[2].angular_velocity = (0.0, 0.5, 0.0)
        for link, corner in ((links[0], corners[0]), (links[2], corners[3])):
            link.velocity = np.cross((0.0, 0.5, 0.0), link.center_of_mass - corner)
        links[1].velocity = np.cross((0.0, 0.5, 0.0), (0.0, 0.0, 1.0))
        return world

    run = ReferenceSolver(machine(0.01)).run(0.4, every=0.1)
    assert run.status == "finished"
    turns, way = run.joint("wheel 0.0").value, run.joint("rail").value
    np.testing.assert_allclose(run.joint("wheel 1.0").value, -0.7 * turns, atol=1e-9)
    np.testing.assert_allclose(way, 0.3 * turns, atol=1e-9)
    assert abs(turns[-1]) > 0.02 and max(joint.gap.max() for joint in run.joints.values()) < 1e-8
    errors = []
    for steps in (100, 200):
        world = machine(0.4 / steps)
        world.step(steps)
        errors.append(np.abs(world.centers_of_mass - run.positions[-1]).max())
    assert errors[1] < 1e-4 and errors[1] < 0.3 * errors[0]  # of order 2


def test_free_bodies_keep_energy_and_angular_momentum():
    """Keep what nothing changes while a lopsided body tumbles."""
    world = st.World(gravity=(0.0, 0.0, 0.0))
    lump(
        world,
        (0.3, 0.2, 0.1),
        np.random.default_rng(1),
        velocity=(1.0, 2.0, 3.0),
        angular_velocity=(3.0, -2.0, 5.0),
    )
    run = ReferenceSolver(world).run(5.0)
    np.testing.assert_allclose(run.kinetic_energy, run.kinetic_energy[0], rtol=1e-9)
    np.testing.assert_allclose(run.angular_momentum, np.tile(run.angular_momentum[0], (501, 1)), atol=1e-8)
    assert world.time == 0.0 and world.step_count == 0  # the world itself stays
    run.put_into(world)
    np.testing.assert_allclose(world.centers_of_mass, run.positions[-1])
    world.step()


def test_runs_end_where_they_must():
    """End at a rigid stop, at the speed limit and beyond the reach, and say so."""
    world = pendulum(1.0)
    world.joints[0].limit(-1.5, 1.0)
    run = ReferenceSolver(world).run(2.0)
    assert run.status == "stop reached" and run.joint("pin").value[-1] == pytest.approx(-1.5, abs=1e-6)
    falling = st.World(settings=st.Settings(speed_limit=20.0))
    falling.add_body(st.Sphere(0.1))
    for method in ("DOP853", "Adams"):
        run = ReferenceSolver(falling).run(5.0, method=method)
        assert run.status == "diverged" and run.times[-1] == pytest.approx(20.0 / 9.81, abs=0.011)
        assert "speed_limit" in run.message
    run = ReferenceSolver(falling).run(5.0, reach=3.0)
    assert run.status == "diverged" and np.linalg.norm(run.positions[-1, 0]) == pytest.approx(3.0, abs=1e-6)


def test_a_force_alone():
    """Let a free body go under a load, without integrals."""
    world = st.World(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(st.Sphere(0.1), mass=2.0)
    world.add_load(st.Force(ball, (3.0, 0.0, 0.0)))
    run = ReferenceSolver(world).run(2.0, every=1.0)
    np.testing.assert_allclose(run.positions[:, 0, 0], (0.0, 0.75, 3.0), atol=1e-9)
    assert run.integrals == {}


def refusals():
    """Return worlds that the reference cannot solve, arguments that are wrong, and what must be said."""
    free = pendulum()
    dry = pendulum()
    dry.joints[0].friction(1.0)
    motor = pendulum()
    motor.joints[0].motor(2.0)
    solver = ReferenceSolver(free)
    return [
        (lambda: ReferenceSolver(dry), "'pin'.*dry friction.*damping"),
        (lambda: ReferenceSolver(motor), "'pin'.*rate exactly.*damping"),
        (lambda: solver.run(0.0), "duration"),
        (lambda: solver.run(1.0, every=-1.0), "every"),
        (lambda: solver.run(1.0, method="euler"), "DOP853"),
        (lambda: solver.run(1.0, rtol=0.0), "rtol"),
        (lambda: solver.run(1.0, reach=-1.0), "reach"),
        (lambda: solver.run(0.1).joint("pim"), "pim.*pin"),
        (lambda: solver.run(0.1).row("bob"), "bob"),
    ]


@pytest.mark.parametrize("case", range(9))
def test_refusals(case):
    """Refuse what has no equations, and wrong arguments, with the cure."""
    act, told = refusals()[case]
    with pytest.raises((ValueError, KeyError), match=told):
        act()


def test_loads_and_integrals():
    """Agree with the engine on forces at markers, functions of the user and their integrals."""

    def machine(time_step):
        rng = np.random.default_rng(2)
        world = st.World(time_step=time_step)
        body, other = lump(world, (0.3, 0.0, 0.0), rng), lump(world, (0.9, 0.1, 0.0), rng)
        world.add_joint(st.Ball((0.0, 0.0, 0.0)), None, body)
        world.add_joint(st.Hinge((0.6, 0.0, 0.0), (0.0, 1.0, 0.2)), body, other, name="hinge")
        last, tip = other.name, f"{other.name}:tip"
        marker = world.add_marker("tip", other, position=(0.2, 0.1, 0.0))
        world.add_load(st.Force(marker, (1.0, 2.0, 3.0), frame="local"))
        world.add_load(st.JointTorque(world.joint("hinge"), 0.5))

        def brake(c):
            c.torque(last, -0.3 * c.body(last).angular_velocity)
            c.force(tip, (0.0, np.sin(20.0 * c.time), 2.0 * c.integrals["way"][0]))

        world.add_load(brake)
        world.add_integral("way", lambda c: c.body(last).velocity[:2], start=(0.0, 1.0))
        world.add_integral("turn", lambda c: c.joint("hinge").rate)
        return world

    run = ReferenceSolver(machine(0.01)).run(0.2, every=0.1, rtol=1e-8, atol=1e-10)
    hinge = run.joint("hinge")
    np.testing.assert_allclose(run.integrals["turn"], hinge.value, atol=1e-6)
    np.testing.assert_allclose(
        run.integrals["way"] - (0.0, 1.0), run.positions[:, 1, :2] - run.positions[0, 1, :2], atol=1e-6
    )
    errors = []
    for steps in (40, 80):
        world = machine(0.2 / steps)
        world.step(steps)
        errors.append(np.abs(world.centers_of_mass - run.positions[-1]).max())
    assert errors[1] < 1e-4 and errors[1] < 0.35 * errors[0]  # of order 2
