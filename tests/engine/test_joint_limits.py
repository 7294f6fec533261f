"""Stops of joints: at rest, with restitution, soft, of swing and twist, and many of them at once."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stoss.collision import Box
from stoss.engine import Ball, Cylindrical, Hinge, Settings, Slider, World
from tests.engine.joint_worlds import inertias, pendulum, rail, strict, swing_angle, totals, wheel
from tests.engine.worlds import G, axis_angle

H = 0.01
SOLVERS = ["direct", "gauss_seidel"]
# [N] or [N m] to which a force of 1 kg or 1 kg m^2 at rest is known. Sweeps end when a position is within the
# tolerance eps = 1e-6 m of the end of the step: h/2 of the force within eps/h.
FORCE = {"direct": 1e-6, "gauss_seidel": 2.0 * 1e-6 / H**2}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("angle", [0.3, 1.2, -0.8, 2.5])
def test_rest_on_a_stop(angle, solver):
    """Hold a pendulum at its stop with the torque m g L/2 sin(angle), without moving at all."""
    joint = pendulum(angle, settings=Settings(solver=solver))
    stop = joint.limit(lower=0.0) if angle > 0 else joint.limit(upper=0.0)
    torque = G * 0.5 * np.sin(angle)
    for k in range(200):
        joint.world.step()
        assert abs(joint.value) < 1e-9
        assert abs(joint.rate) < 1e-9
        if k > 20:
            assert stop.force == pytest.approx(torque, abs=FORCE[solver])
            assert joint.force == pytest.approx((0, 0, G), abs=FORCE[solver])
            assert joint.torque == pytest.approx((0, torque, 0), abs=FORCE[solver])


def test_come_to_rest_on_a_stop():
    """Fall on a stop without restitution and lie on it from the next step on."""
    joint = pendulum(1.0)
    joint.limit(lower=-0.7)
    world = joint.world
    while joint.value > -0.7 + 1e-6:
        world.step()
    # it may have overshot by a step of its rate, and is not thrown back
    assert joint.value > -0.7 - 4.0 * H
    for _ in range(200):
        world.step()
        assert abs(joint.rate) < 1e-9
    assert joint.value < -0.7 + 1e-6


@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("upper", [True, False])
def test_restitution_of_a_slider(e, upper):
    """Come back from a stop with e times the speed, exactly, on either side, at most a step late.

    Without restitution the preview stops it at the bound itself.
    """
    sign = 1.0 if upper else -1.0
    joint = rail(rate=sign * 2.0)
    joint.limit(**{"upper" if upper else "lower": sign * 0.305}, restitution=e)
    joint.world.step(15)
    assert joint.rate == pytest.approx(sign * 2.0, abs=1e-12)
    joint.world.step()
    # velocity_tolerance
    assert joint.rate == pytest.approx(-sign * 2.0 * e, abs=1e-10)
    turned = 0.305 if e == 0.0 else 0.32
    assert joint.value == pytest.approx(sign * turned, abs=1e-12)
    joint.world.step(10)
    assert joint.rate == pytest.approx(-sign * 2.0 * e, abs=1e-10)
    assert joint.value == pytest.approx(sign * (turned - 0.2 * e), abs=1e-10)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_restitution_between_two_bodies(e):
    """Send two bodies apart with e times their approach, keeping momentum, as in a central impact."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, velocity=(1.5, 0, 0))
    b = world.add_body(Box((0.2, 0.2, 0.2)), mass=3.0, position=(1, 0, 0), velocity=(-0.5, 0, 0))
    joint = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), a, b)
    joint.limit(lower=-0.4, restitution=e)
    world.step(60)
    assert joint.rate == pytest.approx(2.0 * e, abs=1e-9)
    # (m v + m v) / M = 0; the speeds share out against the masses
    assert a.velocity == pytest.approx((-1.5 * e, 0, 0), abs=1e-9)
    assert b.velocity == pytest.approx((0.5 * e, 0, 0), abs=1e-9)


def bounce_energy(e: float, stop: float, h: float) -> tuple[float, float]:
    """Return what the energy at a stop misses of e^2 of that before the first bounce, and that."""
    joint = pendulum(1.0, h=h, settings=strict())
    joint.limit(lower=stop, restitution=e)
    start = joint.world.report.energy
    while joint.rate <= 0.0:
        report = joint.world.step()
    at_stop = -0.5 * G * np.cos(1.0 + stop)  # potential energy, 1 kg at 0.5 m
    met = start - at_stop
    return report.energy - at_stop - e * e * met, met


@pytest.mark.parametrize("e", [0.5, 1.0])
@pytest.mark.parametrize("stop", [-0.8, -1.0, -1.3])
def test_restitution_of_a_hinge(e, stop):
    """Leave a stop with e^2 of the kinetic energy that the pendulum has there, to second order in the step.

    A step exchanges (w h)^2 of the energy to and fro, with w^2 = 14.6 / s^2, and the rate at the stop is
    known to
    2/3 of that by its parabola; where the stop is met within a step makes that vary, so it is compared with
    a bound. An error of first order, as from taking the rate at the end of the step for that at the stop,
    would be seen (it is up to h 2.8 J/s).
    """
    for h in (0.01, 0.005, 0.0025):
        off, met = bounce_energy(e, stop, h)
        assert abs(off) < 2.0 * met * 14.6 * h * h
    assert off <= 0.0 or off < 1e-3 * met * h


def test_height_after_a_bounce():
    """Rise to e^2 of the height of the fall."""
    e, start, h = 0.7, 1.0, 0.005
    joint = pendulum(start, h=h)
    joint.limit(lower=-start, restitution=e)
    while joint.rate <= 0.0:
        joint.world.step()
    while joint.rate > 0.0:
        joint.world.step()
    # twice the relative error of the bounce above, and the top is sampled: its angle to (w h)^2
    share = (1.0 - np.cos(swing_angle(joint))) / (1.0 - np.cos(start))
    assert share == pytest.approx(e**2, abs=2.0 * 14.6 * h * h)


@pytest.mark.parametrize("e", [1.0, 0.9])
def test_between_two_stops(e):
    """Fly to and fro between two stops, each time with e of the speed before, and never past them."""
    joint = rail(rate=1.7)
    joint.limit(-0.2, 0.3, restitution=e)
    bounces, before = 0, 1.7
    for _ in range(1000):
        joint.world.step()
        assert -0.2 - 1.7 * H <= joint.value <= 0.3 + 1.7 * H
        now = joint.rate
        if now != pytest.approx(before, rel=1e-9, abs=1e-12):
            if abs(before) <= joint.world.settings.resting_speed:
                break  # slower than what still bounces
            bounces += 1
            assert now == pytest.approx(-e * before, rel=1e-9)
        before = now
    assert bounces >= 12


def test_between_two_bounds_that_are_close():
    """Hold a coordinate between bounds closer to each other than what a step moves it."""
    joint = rail(rate=3.0)
    joint.limit(-1e-3, 1e-3)
    joint.world.step(50)
    assert abs(joint.value) < 3.0 * H
    assert abs(joint.rate) < 1e-9


@pytest.mark.parametrize(("stiffness", "damping"), [(400.0, 0.0), (400.0, 8.0), (400.0, 60.0)])
def test_soft_stop(stiffness, damping):
    """Come out of a soft stop with the speed that spring and damper leave, which never pull.

    The oracle integrates m x'' = -max(k x + d x', 0) for x > 0.
    """
    speed, mass = 2.0, 1.5

    def push(_, y):
        force = max(stiffness * y[0] + damping * y[1], 0.0) if y[0] > 0.0 else 0.0
        return [y[1], -force / mass]

    expected = solve_ivp(push, (0, 2.0), [-0.1, speed], rtol=1e-10, atol=1e-12, max_step=1e-3)
    errors = []
    for h in (0.01, 0.005, 0.0025):
        joint = rail(mass=mass, rate=speed, h=h)
        joint.limit(upper=0.1, stiffness=stiffness, damping=damping)
        values = [0.0]
        for _ in range(round(2.0 / h)):
            joint.world.step()
            values.append(joint.value - 0.1)
        errors.append((abs(joint.rate - expected.y[1, -1]), abs(max(values) - expected.y[0].max())))
    # the stop acts up to a step late, in which the bound is passed by v h
    w = np.sqrt(stiffness / mass) + damping / mass
    for h, (rate, depth) in zip((0.01, 0.005, 0.0025), errors, strict=True):
        assert rate < speed * w * h
        assert depth < speed * h
    assert errors[0][0] > 2.5 * errors[2][0] or errors[2][0] < 1e-3 * speed


def test_damper_of_a_soft_stop_does_not_reach_out():
    """Leave a coordinate alone until it is at its soft stop, however much that damps."""
    for stiffness in (400.0, 0.0):
        joint = rail(rate=2.0)
        joint.limit(upper=0.5, stiffness=stiffness, damping=600.0)
        joint.world.step(24)
        assert joint.rate == pytest.approx(2.0, abs=1e-12)
        joint.world.step(40)
        assert abs(joint.rate) < 0.1
        assert joint.value < 0.5 + 2.0 * H


def test_soft_stop_keeps_energy():
    """Give back all energy from a soft stop without damping: implicit midpoint keeps it at any stiffness."""
    for stiffness in (10.0, 1e4, 1e8):
        joint = rail(rate=1.0)
        joint.limit(-0.2, 0.2, stiffness=stiffness)
        speeds = np.array([abs(joint.rate) for _ in range(400) if joint.world.step()])
        # seen outside the stops
        assert speeds.max() <= 1.0 + 2.0 * np.sqrt(min(stiffness * H * H, 1.0)), stiffness


@pytest.mark.parametrize("solver", SOLVERS)
def test_swing_stop(solver):
    """Hold a rod on a ball joint at the edge of its cone, pulled to the side by gravity."""
    limit = 0.5
    world = World(settings=Settings(solver=solver))
    rod = world.add_body(Box((0.1, 0.1, 1)), mass=1.0, position=(0, 0, 0.5))
    joint = world.add_joint(Ball((0, 0, 0)), None, rod)
    stop = joint.limit(upper=limit, coordinate="swing")
    rod.angular_velocity = (0, 0.5, 0)
    rod.velocity = (0.25, 0, 0)
    world.step(300)
    assert joint.value_of("swing") == pytest.approx(limit, abs=0.05)
    held = joint.value_of("swing")
    world.step(100)
    assert joint.value_of("swing") == pytest.approx(held, abs=1e-9)
    assert np.linalg.norm(rod.velocity) < 1e-9
    assert stop.force == pytest.approx(-G * 0.5 * np.sin(held), abs=1e-6)
    assert joint.error < 1e-6


def test_swing_stop_lets_it_go_round():
    """Let a rod that leans on the edge of its cone go round along it without friction.

    The stop gives no torque about the axis of the cone, so that part of the angular momentum stays.
    """
    world = World(gravity=(0, 0, -G), settings=strict())
    tilt = 0.6
    place = 0.5 * np.array((np.sin(tilt), 0, np.cos(tilt)))
    rod = world.add_body(
        Box((0.1, 0.1, 1)),
        mass=1.0,
        position=place,
        quaternion=axis_angle((0, 1, 0), tilt),
        angular_velocity=(0, 0, 1.0),
        velocity=np.cross((0, 0, 1.0), place),
    )
    joint = world.add_joint(Ball((0, 0, 0), second_axis=(np.sin(tilt), 0, np.cos(tilt))), None, rod)
    joint.limit(upper=tilt, coordinate="swing")
    before = totals(world)
    for _ in range(300):
        world.step()
        assert joint.value_of("swing") == pytest.approx(tilt, abs=1e-6)
    after = totals(world)
    assert after[5] == pytest.approx(before[5], rel=1e-6)
    assert after[6] == pytest.approx(before[6], rel=1e-4)
    # 3 s at about 1 rad/s
    assert abs(np.arctan2(*rod.center_of_mass[1::-1]) - 3.0) < 0.2


def test_twist_stop():
    """Stop the twist of a ball joint and leave its swing alone."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(mass_properties=inertias(1.0, (0.3, 0.3, 0.2)), angular_velocity=(0, 0, 3.0))
    joint = world.add_joint(Ball((0, 0, 0)), None, body)
    stop = joint.limit(-0.5, 0.8, coordinate="twist", restitution=1.0)
    sides = set()
    for _ in range(200):
        world.step()
        assert -0.5 - 3.0 * H <= joint.value_of("twist") <= 0.8 + 3.0 * H
        assert abs(joint.rate_of("twist")) == pytest.approx(3.0, rel=1e-9)
        sides.add(np.sign(stop.force))
    assert sides == {-1.0, 0.0, 1.0}
    assert joint.value_of("swing") < 1e-9


def test_cylindrical_stops():
    """Stop sliding and turning of one joint each for itself."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(
        mass_properties=inertias(1.0, (0.3, 0.3, 0.2)), angular_velocity=(0, 0, 2.0), velocity=(0, 0, 1.0)
    )
    joint = world.add_joint(Cylindrical((0, 0, 0), (0, 0, 1)), None, body)
    joint.limit(upper=0.55, coordinate="displacement", restitution=0.5)
    joint.limit(upper=1.55, coordinate="angle", restitution=0.25)
    world.step(100)
    assert joint.rate_of("displacement") == pytest.approx(-0.5, abs=1e-9)
    assert joint.rate_of("angle") == pytest.approx(-0.5, abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_chain_resting_on_stops(solver):
    """Carry a chain of links that stands out from a wall, each link on the stop of its hinge.

    Each stop carries the moment of all links beyond it, as in a cantilever.
    """
    links, length = 6, 0.4
    sweeps = 2000 if solver == "gauss_seidel" else 15
    world = World(settings=Settings(solver=solver, sweeps=sweeps))
    before, joints, stops = None, [], []
    for k in range(links):
        body = world.add_body(Box((length, 0.1, 0.1)), mass=1.0, position=((k + 0.5) * length, 0, 0))
        joint = world.add_joint(Hinge((k * length, 0, 0), (0, 1, 0)), before, body)
        # turning about +y lowers the far end
        stops.append(joint.limit(upper=0.0))
        joints.append(joint)
        before = body
    report = world.step(300)
    # velocities are settled to 1e-10 m/s; a sweep's last change is a tenth of what is left in a chain
    assert report.kinetic_energy < (1e-16 if solver == "direct" else 1e-12)
    for k, (joint, stop) in enumerate(zip(joints, stops, strict=True)):
        rest = links - k
        assert stop.force == pytest.approx(-G * length * 0.5 * rest**2, abs=rest * FORCE[solver])
        assert joint.force == pytest.approx((0, 0, G * rest), abs=rest * FORCE[solver])
        # each sweep-solved link is within the tolerance of the end of the step, of all links beyond it
        assert abs(joint.value) < (1e-6 if solver == "direct" else links * 1e-6)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("solver", SOLVERS)
def test_no_energy_gain(e, solver):
    """Never gain energy in a chain that is thrown about against the stops of all its joints.

    A step of order 2 exchanges (w h)^2 of the kinetic energy to and fro, which is at most that of the fall;
    w, of the last link at its end, is up to 15 rad/s.
    """
    h = 0.005
    world = World(time_step=h, settings=Settings(solver=solver, sweeps=400))
    before = None
    for k in range(4):
        body = world.add_body(Box((0.4, 0.1, 0.1)), mass=1.0, position=(0.4 * k + 0.2, 0, 0))
        joint = world.add_joint(Hinge((0.4 * k, 0, 0), (0, 1, 0)), before, body)
        joint.limit(-0.4, 0.6, restitution=e)
        before = body
    start = world.report.energy
    depth = 4.0 * 0.8 * G  # the centre of mass of all straight down
    # sweeps that displace from an overrun stop end after ten: joints may be open by what that moves
    opened = 1e-6 if solver == "direct" else world.settings.recovery_speed * h
    for _ in range(600):
        report = world.step()
        assert report.energy - start < (15.0 * h) ** 2 * depth
        assert report.joint_error < opened
    if e == 0.0:
        assert report.energy < start - 0.05 * depth


def test_stop_under_load_of_a_motor():
    """Push a blocked joint with the full torque of its motor, and carry it in the stop."""
    joint = wheel()
    joint.world.gravity = (0, 0, 0)
    stop, motor = joint.limit(upper=0.5), joint.motor(10.0, max_force=4.0)
    joint.world.step(200)
    assert joint.rate == pytest.approx(0.0, abs=1e-12)
    assert motor.force == pytest.approx(4.0, abs=1e-9)
    assert stop.force == pytest.approx(-4.0, abs=1e-9)
    assert joint.torque == pytest.approx(np.zeros(3), abs=1e-9)
    motor.target_rate = -10.0
    joint.world.step(10)
    # freed at once: 4 N m on 0.5 kg m^2
    assert joint.rate == pytest.approx(-4.0 / 0.5 * 10 * H, abs=1e-9)


def test_started_beyond_a_stop():
    """Bring a coordinate that starts beyond its bound back gently, at the correction speed."""
    joint = rail()
    world = joint.world
    joint.limit(upper=-0.02)
    for _ in range(250):
        world.step()
        assert abs(joint.rate) <= world.settings.correction_speed * (1.0 + 1e-9)
    assert joint.value < -0.02 + 1e-6
