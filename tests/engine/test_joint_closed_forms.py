"""Motions of jointed bodies that have a closed form.

The step is of order 2, so errors fall by four when it is halved: tests that compare with a curved motion
check that ratio (within 10 %, the next order and the sampling being far below that) and a bound on the
error itself. Motions of constant acceleration are exact up to the tolerances of the solvers.
"""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from stoss.collision import Box, HalfSpace, Placed, Sphere
from stoss.engine import (
    Ball,
    ConstantAngle,
    Cylindrical,
    Distance,
    Fixed,
    Free,
    Hinge,
    ParallelAxes,
    Planar,
    Settings,
    Slider,
    Universal,
    World,
)
from tests.engine.joint_worlds import (
    ball,
    inertias,
    pendulum,
    pendulum_inertia,
    rotation,
    strict,
    swing_angle,
)
from tests.engine.worlds import G, axis_angle, product


def swing(time: np.ndarray, start: float, frequency: float) -> np.ndarray:
    """Return the angle of a pendulum let go at `start`: sin(a/2) = k cd(w t, k), k = sin(start/2)."""
    k = np.sin(0.5 * start)
    _, cn, dn, _ = ellipj(frequency * time, k * k)
    return 2.0 * np.arcsin(k * cn / dn)


def swing_error(kind: str, start: float, h: float) -> float:
    """Return the largest difference from the closed form over two seconds [rad]."""
    joint = pendulum(start, h=h, kind=kind, settings=strict(most_sub_steps=1))
    steps = round(2.0 / h)
    seen = np.zeros(steps)
    for k in range(steps):
        joint.world.step()
        seen[k] = swing_angle(joint)
    frequency = np.sqrt(G * 0.5 / pendulum_inertia())
    return float(np.abs(seen - swing(h * np.arange(1, steps + 1), start, frequency)).max())


@pytest.mark.parametrize("kind", ["hinge", "ball"])
@pytest.mark.parametrize("start", [0.1, 2.0])
def test_physical_pendulum(kind, start):
    """Swing a rod about its end as the elliptic function says, for small and large angles.

    The bound: leapfrog is late by (w h)^2/24 of its phase; the chord of the centre's circle, shorter than the
    arc by (a' h)^2/24, adds at most as much again with a' in place of w. The largest rate is a' = 2 w k.
    """
    h = 0.01
    coarse, fine = swing_error(kind, start, h), swing_error(kind, start, 0.5 * h)
    w = np.sqrt(G * 0.5 / pendulum_inertia())
    fastest = 2.0 * w * np.sin(0.5 * start)
    phase = (h * h / 24.0) * (w * w + fastest * fastest) * w * 2.0
    assert coarse < phase * fastest / w * 2.0
    assert 3.6 < coarse / fine < 4.4


def test_pendulum_period():
    """Come back after 4 K(k) / w, over five swings, to a ten thousandth."""
    joint = pendulum(1.5, h=0.005)
    world, crossings = joint.world, []
    before = swing_angle(joint)
    while len(crossings) < 11:
        world.step()
        now = swing_angle(joint)
        if before > 0.0 >= now or before < 0.0 <= now:
            crossings.append(world.time - 0.005 * now / (now - before))
        before = now
    w = np.sqrt(G * 0.5 / pendulum_inertia())
    expected = 4.0 * ellipk(np.sin(0.75) ** 2) / w
    # (w h)^2 = 3.7e-4 of the phase, with factors of 1/24 (1 + 2 k^2) as above
    assert (crossings[10] - crossings[0]) / 5.0 == pytest.approx(expected, rel=1e-4)


def test_conical_pendulum():
    """Go round a cone at W^2 = m g L / ((I_across + m L^2 - I_along) cos a) with a constant tilt."""
    tilt, length, mass = 0.6, 0.5, 1.0
    across, along = (1.0 + 0.01) / 12.0, (0.01 + 0.01) / 12.0
    rate = np.sqrt(mass * G * length / ((across + mass * length**2 - along) * np.cos(tilt)))
    tilts = []
    for h in (0.01, 0.005):
        world = World(time_step=h, settings=strict(most_sub_steps=1))
        place = -length * np.array((np.sin(tilt), 0, np.cos(tilt)))
        rod = world.add_body(
            Box((0.1, 0.1, 1)),
            mass=mass,
            position=place,
            quaternion=axis_angle((0, 1, 0), tilt),
            angular_velocity=(0, 0, rate),
            velocity=np.cross((0, 0, rate), place),
        )
        world.add_joint(Ball((0, 0, 0)), None, rod)
        steps, worst, turned, before = round(2.0 / h), 0.0, 0.0, 0.0
        for _ in range(steps):
            world.step()
            x, y, z = rod.center_of_mass
            worst = max(worst, abs(np.arccos(-z / length) - tilt))
            angle = np.arctan2(-y, -x)
            turned += (angle - before + np.pi) % (2.0 * np.pi) - np.pi
            before = angle
        tilts.append((worst, abs(turned - 2.0 * rate)))
    for coarse, fine in zip(*tilts, strict=True):
        assert coarse < (rate * 0.01) ** 2 * rate * 2.0
        assert 3.6 < coarse / fine < 4.4


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.2, 0.5 * np.pi])
def test_slider_on_incline(angle):
    """Slide down a straight rail by g sin(a) t^2/2, exactly, wherever its rail is on the body."""
    world = World()
    axis = np.array((np.cos(angle), 0.0, -np.sin(angle)))
    body = world.add_body(Box((0.2, 0.3, 0.4)), mass=3.0, position=(0.1, 0.5, -0.2))
    joint = world.add_joint(Slider((0, 0, 0), axis, second_point=(0, 0, 0)), None, body)
    for _ in range(100):
        world.step()
        assert joint.value == pytest.approx(0.5 * G * np.sin(angle) * world.time**2, abs=1e-9)
        assert joint.rate == pytest.approx(G * np.sin(angle) * world.time, abs=1e-9)
    assert body.angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)
    assert joint.error < 1e-9 and joint.angle_error < 1e-9


def test_cylindrical():
    """Slide and turn at once without either knowing of the other."""
    world = World()
    axis = np.array((0.6, 0.0, -0.8))
    # a body balanced about the axis: its inertia across is the same in all directions
    body = world.add_body(
        mass_properties=inertias(2.0, (0.3, 0.3, 0.2)),
        quaternion=axis_angle((0, 1, 0), np.pi - np.arctan2(0.6, 0.8)),
        angular_velocity=7.0 * axis,
    )
    joint = world.add_joint(Cylindrical((0, 0, 0), axis), None, body)
    for _ in range(200):
        world.step()
        assert joint.value_of("displacement") == pytest.approx(0.5 * G * 0.8 * world.time**2, abs=1e-9)
        assert joint.value_of("angle") == pytest.approx(7.0 * world.time, abs=1e-9)


def test_planar_slides_without_friction():
    """Slide in a tilted plane along a parabola, turning evenly about its normal."""
    world = World()
    normal = np.array((np.sin(0.5), 0.0, np.cos(0.5)))
    start = np.array((0.3, 2.0, 0.0))
    body = world.add_body(
        Box((0.4, 0.3, 0.2)),
        mass=1.5,
        quaternion=axis_angle((0, 1, 0), 0.5),
        velocity=start,
        angular_velocity=3.0 * normal,
    )
    body.velocity = start - (start @ normal) * normal
    initial = body.velocity
    joint = world.add_joint(Planar((0, 0, 0), normal), None, body)
    pull = np.array((0, 0, -G)) - normal * (normal @ (0, 0, -G))
    for _ in range(200):
        world.step()
        expected = initial * world.time + 0.5 * pull * world.time**2
        assert body.center_of_mass == pytest.approx(expected, abs=1e-9)
        assert joint.value_of("angle") == pytest.approx(3.0 * world.time, abs=1e-9)
        assert abs(normal @ body.center_of_mass) < 1e-9


def test_distance_joint_is_a_pendulum():
    """Swing a point mass on a rod without mass, pulling by m g cos(a) + m L a'^2 in every step."""
    length, mass, start = 0.8, 1.3, 1.0
    w = np.sqrt(G / length)
    worst = []
    for h in (0.01, 0.005):
        world = World(time_step=h, settings=strict())
        place = length * np.array((np.sin(start), 0, -np.cos(start)))
        bob = world.add_body(ball(), mass=mass, position=place)
        joint = world.add_joint(Distance((0, 0, 0), place), None, bob)
        errors = []
        for _ in range(round(2.0 / h)):
            world.step()
            x, _, z = bob.center_of_mass
            # the mean over a step: half of it was given at either end
            angles = swing(np.array((world.time - h, world.time)), start, w)
            tension = mass * G * (3.0 * np.cos(angles) - 2.0 * np.cos(start))
            pull = -joint.force @ (0.5 * bob.center_of_mass + 0.5 * place) / length
            place = bob.center_of_mass
            errors.append((abs(np.arctan2(x, -z) - angles[1]), abs(pull - tension.mean())))
        worst.append(np.array(errors).max(axis=0))
        assert bob.angular_velocity == pytest.approx(np.zeros(3), abs=1e-12)
        assert joint.error < 1e-9
    assert worst[0][0] < (w * 0.01) ** 2 * w * 2.0
    assert worst[0][1] < (w * 0.01) ** 2 * w * 2.0 * mass * G
    assert (3.5 < worst[0] / worst[1]).all() and (worst[0] / worst[1] < 4.5).all()


def shafts(beta: float, offset: float, pin: str) -> World:
    """Return a world with two shafts in bearings at an angle `beta`, coupled by a universal joint.

    With an offset the shafts do not meet, and a double rotation couples them. `pin`: the pin of the first
    shaft lies "across" the plane of both shafts, or "in" it.
    """
    world = World()
    u = np.array((np.cos(beta), np.sin(beta), 0.0))
    half = np.array((0.5, 0.0, 0.0))
    first = world.add_body(Box((1.0, 0.2, 0.1)), position=-half, mass=1.0, name="first")
    second = world.add_body(
        Box((1.0, 0.1, 0.2)),
        position=0.5 * u + (0, 0, offset),
        quaternion=axis_angle((0, 0, 1), beta),
        mass=0.4,
        name="second",
    )
    world.add_joint(Hinge(-half, (1, 0, 0)), None, first, name="driving")
    world.add_joint(Hinge(second.center_of_mass, u), None, second, name="driven")
    pins = [(0, 0, 1), (-np.sin(beta), np.cos(beta), 0.0)]
    if pin == "in":
        pins = [(0, 1, 0), (0, 0, 1)]
    coupling = Universal((0, 0, 0), *pins) if offset == 0.0 else ConstantAngle(*pins)
    world.add_joint(coupling, first, second, name="coupling")
    return world


@pytest.mark.parametrize("pin", ["in", "across"])
@pytest.mark.parametrize("offset", [0.0, 0.3])
@pytest.mark.parametrize("beta", [0.3, 1.0])
def test_cardan_shaft(beta, offset, pin):
    """Turn the driven shaft by tan b = tan a / cos(beta), or tan a cos(beta), in a loop with spare rows.

    Two hinges and the coupling hold 14 (11) rows on 12 freedoms, one of which is left.
    """
    world = shafts(beta, offset, pin)
    driving, driven, coupling = (world.joint(n) for n in ("driving", "driven", "coupling"))
    driving.motor(3.0)
    ratio = 1.0 / np.cos(beta) if pin == "in" else np.cos(beta)
    expected = 0.0
    for _ in range(500):
        world.step()
        a = driving.value
        assert a == pytest.approx(3.0 * world.time, abs=1e-5)
        b = np.arctan2(ratio * np.sin(a), np.cos(a))
        expected += (b - expected + np.pi) % (2.0 * np.pi) - np.pi
        # all angles are kept to 1e-6 rad; the ratio of the angles is at most 1 / cos(beta)
        assert driven.value == pytest.approx(expected, abs=1e-5)
        assert max(coupling.error, coupling.angle_error, driven.error, driven.angle_error) < 1e-6
        slope = ratio / (np.cos(a) ** 2 + (ratio * np.sin(a)) ** 2)
        assert driven.rate == pytest.approx(slope * driving.rate, abs=1e-4)
    assert expected > 4.0 * np.pi
    own = coupling.value_of("angle_1"), coupling.value_of("angle_2")
    assert np.isfinite(own).all()


def test_double_rotation_keeps_the_angle():
    """Keep the angle between the two axes, and let the bodies drift apart freely."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Box((0.4, 0.3, 0.2)), mass=1.0, angular_velocity=(1, 2, 0))
    b = world.add_body(
        Box((0.3, 0.5, 0.2)), mass=2.0, position=(2, 0, 0), velocity=(1, 0, 0), angular_velocity=(0, 1, 3)
    )
    axes = np.array((1.0, 0, 0)), np.array((0.6, 0.8, 0))
    joint = world.add_joint(ConstantAngle(*axes), a, b)
    for _ in range(300):
        world.step()
        here = [rotation(body.quaternion) @ axis for body, axis in zip((a, b), axes, strict=True)]
        assert here[0] @ here[1] == pytest.approx(0.6, abs=1e-6)
        assert a.velocity == pytest.approx(np.zeros(3), abs=1e-12)
        assert b.velocity == pytest.approx((1, 0, 0), abs=1e-12)
        assert np.linalg.norm(joint.force) == 0.0


def test_direction_keeps_the_axis():
    """Keep one axis of both bodies parallel while they fall apart and turn about it at their own rates.

    Without a torque about the common axis c, its direction is that of the whole angular momentum if both
    inertias are symmetric about it and the spin is along it: then both keep their rates.
    """
    world = World()
    axis = np.array((0.36, 0.48, 0.8))
    tilt = axis_angle(np.cross((0, 0, 1), axis), np.arccos(0.8))
    a = world.add_body(mass_properties=inertias(1.0, (0.2, 0.2, 0.3)), quaternion=tilt)
    b = world.add_body(mass_properties=inertias(2.0, (0.5, 0.5, 0.4)), quaternion=tilt, position=(3, 0, 0))
    a.angular_velocity, b.angular_velocity, b.velocity = 5.0 * axis, -2.0 * axis, (0.0, 1.0, 2.0)
    joint = world.add_joint(ParallelAxes(axis), a, b)
    for _ in range(200):
        world.step()
        t = world.time
        for body in (a, b):
            assert rotation(body.quaternion) @ (0, 0, 1) == pytest.approx(axis, abs=1e-9)
        assert joint.value == pytest.approx(-7.0 * t, abs=1e-9)
        assert b.center_of_mass == pytest.approx((3, t, 2 * t - 0.5 * G * t * t), abs=1e-9)


def test_fixed_is_one_body():
    """Move two boxes with a fixed joint as the one body that they make, to 1e-6 m and 1e-6 rad.

    Order 6: in order 2 the two discretisations differ by (w h)^2, which falls by four with half the step.
    """
    shapes = (Box((1.0, 0.6, 0.3)), Box((0.4, 0.8, 0.5)))
    place, turn = np.array((0.8, 0.3, 0.1)), axis_angle((1, 2, 3), 0.7)
    spin = np.array((1.0, -2.0, 1.5))

    def difference(h: float, order: int) -> float:
        settings = Settings(order=order, most_sub_steps=1) if order > 2 else strict(most_sub_steps=1)
        pair = World(time_step=h, settings=settings)
        a = pair.add_body(shapes[0])
        b = pair.add_body(shapes[1], position=place, quaternion=turn)
        pair.add_joint(Fixed((0.5, 0.2, 0.1)), a, b)
        a.angular_velocity = b.angular_velocity = spin
        a.velocity, b.velocity = np.cross(spin, a.center_of_mass), np.cross(spin, b.center_of_mass)
        one = World(time_step=h, settings=settings)
        whole = one.add_body([Placed(shapes[0]), Placed(shapes[1], place, turn)])
        whole.angular_velocity, whole.velocity = spin, np.cross(spin, whole.center_of_mass)
        for _ in range(round(1.0 / h)):
            pair.step()
            one.step()
        assert pair.report.order == one.report.order == order
        off = np.abs(a.position - whole.position).max()
        apart = product(a.quaternion * (1, -1, -1, -1), whole.quaternion)
        return max(float(off), 2.0 * float(np.linalg.norm(apart[1:])))

    coarse, fine = difference(0.01, 2), difference(0.005, 2)
    assert coarse < (np.linalg.norm(spin) * 0.01) ** 2
    assert 3.6 < coarse / fine < 4.4
    assert difference(0.01, 6) < 1e-6


def test_springs_between_any_two_bodies_need_no_joint():
    """Let two bodies swing about their common centre on a spring, in the closed form's period."""
    world = World(gravity=(0, 0, 0), time_step=1e-3)
    world.add_body(HalfSpace(), kind="static", position=(0, 0, -10))
    a = world.add_body(Sphere(0.1), position=(-0.5, 0, 0), mass=1.0)
    b = world.add_body(Sphere(0.1), position=(0.5, 0, 0), mass=3.0)
    spring = world.add_joint(Free((-0.5, 0, 0), second_point=(0.5, 0, 0)), a, b)
    spring.spring(30.0, rest=0.8, coordinate="distance")
    frequency = np.sqrt(30.0 * (1 + 1 / 3))
    lengths = []
    for _ in range(1000):
        world.step()
        lengths.append(spring.value_of("distance"))
    t = 1e-3 * np.arange(1, 1001)
    # implicit midpoint: the phase falls behind by (w h)^2 / 12 of itself
    assert (
        np.abs(np.array(lengths) - (0.8 + 0.2 * np.cos(frequency * t))).max() < 0.2 * frequency**3 * 1e-6 / 6
    )


@pytest.mark.parametrize("kind", [Slider, Cylindrical])
@pytest.mark.parametrize("turning", [1.3, 3.0])
def test_what_slides_on_a_crank_is_flung_out(kind, turning):
    """Follow r0 cosh(w t), the way of a body that slides on an arm which turns at w, with order two."""
    errors = []
    for step in (0.01, 0.005):
        world = World(gravity=(0.0, 0.0, 0.0), time_step=step)
        crank = world.add_body(Box((0.1, 0.1, 0.1)), kind="kinematic")
        crank.angular_velocity = (0.0, 0.0, turning)
        body = world.add_body(Box((0.2, 0.1, 0.1)), mass=2.0, position=(0.3, 0.0, 0.0))
        body.velocity, body.angular_velocity = (0.0, 0.3 * turning, 0.0), (0.0, 0.0, turning)
        world.add_joint(kind((0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0)), crank, body)
        world.step(round(1.0 / step))
        errors.append(np.linalg.norm(body.position) / (0.3 * np.cosh(turning)) - 1.0)
    assert abs(errors[0]) < 1e-4 * turning**3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
