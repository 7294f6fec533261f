"""Faults of other engines with joints, rebuilt: R9, R35, R47, R48, R50, R52 to R55."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from collision import Box, HalfSpace, Sphere
from engine import Ball, Fixed, Free, Hinge, Settings, Slider, World, from_values
from tests.cases.builders import floor_world

G = 9.81


def test_r9_torsional_springs_on_a_ball_joint_do_not_decay():
    """Swing ten periods on three undamped torsional springs without losing amplitude."""
    world = World(gravity=(0, 0, 0), time_step=1e-3)
    sphere = world.add_body(Sphere(0.5), mass=1.0)
    joint = world.add_joint(Ball((0, 0, 0)), None, sphere)
    for axis in "xyz":
        joint.spring(1.0, coordinate=f"rotation {axis}")
    inertia = 0.4 * 0.25
    rate = 0.5
    sphere.angular_velocity = (rate, 0, 0)
    period = 2 * np.pi * np.sqrt(inertia)
    steps = int(10 * period / world.time_step)
    angles = np.empty(steps)
    for k in range(steps):
        world.step()
        angles[k] = joint.value_of("rotation x")
    amplitude = rate * np.sqrt(inertia)
    last = np.abs(angles[-int(period / world.time_step) :]).max()
    # implicit midpoint: the amplitude is kept to rounding, sampled within half a step of its peak
    assert last == pytest.approx(amplitude, rel=(0.5 * world.time_step * 2 * np.pi / period) ** 2)
    crossings = np.flatnonzero((angles[:-1] < 0) & (angles[1:] >= 0))
    seen = (crossings[-1] - crossings[0]) / (len(crossings) - 1) * world.time_step
    assert seen == pytest.approx(period, abs=world.time_step)


def test_r35_welded_layers_do_not_drift():
    """Keep twelve boxes welded to a base where they are, on the ground, for 3 s after 1 s."""
    world = floor_world()
    base = world.add_body(Box((1.6, 1.2, 0.2)), position=(0, 0, 0.1), mass=5.0)
    boxes = []
    for i in range(12):
        layer, place = divmod(i, 6)
        x, y = 0.5 * (place % 3 - 1), 0.5 * (place // 3) - 0.25
        box = world.add_body(Box((0.4, 0.4, 0.4)), position=(x, y, 0.4 + 0.4 * layer), mass=1.0)
        world.add_joint(Fixed(), base, box)
        boxes.append(box)
    world.step(100)
    start = np.array([base.local_point(box.position) for box in boxes])
    world.step(300)
    drift = np.abs(np.array([base.local_point(box.position) for box in boxes]) - start).max()
    assert drift < 1e-6  # the case allows 1e-4


def test_r47_welded_cubes_land_together():
    """Land two welded cubes face down: both arrive, both rest, the weld holds."""
    world = floor_world()
    cubes = [world.add_body(Box((1, 1, 1)), position=(x, 0, 1.0), mass=1.0) for x in (-0.5, 0.5)]
    world.add_joint(Fixed(), *cubes)
    world.step(200)
    for cube in cubes:
        assert cube.position[2] == pytest.approx(0.5, abs=1e-6)
        assert np.linalg.norm(cube.velocity) < 1e-9 and np.linalg.norm(cube.angular_velocity) < 1e-9
    assert world.report.joint_error < 1e-6 and world.report.joint_angle_error < 1e-6


@pytest.mark.parametrize("scale", [1e-6, 1.0, 500.0, 1000.0, 1e6])
def test_r48_motion_does_not_depend_on_the_unit_of_mass(scale):
    """Move a double pendulum of ball joints alike whatever all masses are multiplied with."""

    def run(factor):
        world = World()
        last = None
        for i in range(2):
            body = world.add_body(Box((1, 0.2, 0.2)), position=(0.5 + i, 0, 0), mass=factor, mask=0)
            world.add_joint(Ball((i, 0, 0)), last, body)
            last = body
        world.step(100)
        return world.positions.copy()

    # rounding alone, times what 1 s of a pendulum makes of it
    assert np.abs(run(scale) - run(1.0)).max() < 1e-9


@pytest.mark.parametrize("top", [1.0, 10.0, 100.0])
def test_r50_tower_of_locked_joints_does_not_bend(top):
    """Carry 1, 10 and 100 kg on a leaning tower of ten welded blocks without any deflection of the tip."""
    world = World()
    last, tip = None, None
    for i in range(10):
        mass = top if i == 9 else 1.0
        tip = world.add_body(Box((0.2, 0.2, 0.5)), position=(0.25 * i, 0, 0.25 + 0.5 * i), mass=mass, mask=0)
        world.add_joint(Fixed((0.25 * i, 0, 0.5 * i)), last, tip)
        last = tip
    start = tip.position
    world.step(300)
    # ten joints of 1e-6 m and 1e-6 rad on levers of up to 5 m
    assert np.linalg.norm(tip.position - start) < 10 * 1e-6 + 1e-6 * 2.5 * 11
    moment = sum((top if i == 9 else 1.0) * G * 0.25 * i for i in range(10))
    assert abs(world.joints[0].torque[1]) == pytest.approx(moment, rel=1e-4)


def test_r52_energy_of_a_free_asymmetric_body_does_not_settle():
    """Keep the energy of a body that turns about its middle axis, instead of creeping to L^2 / 2 I."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body((), mass_properties=from_values(mass=1.0, inertia=(1.0, 2.0, 3.0)))
    world.add_joint(Ball((0, 0, 0)), None, body)
    body.angular_velocity = (0.01, 5.0, 0.01)
    start = world.report.kinetic_energy
    energies = [world.step(10).kinetic_energy for _ in range(300)]
    assert np.abs(np.array(energies) - start).max() < 1e-9 * start


def test_r53_cart_pole_has_no_hidden_damping():
    """Follow the equations of motion of a cart with a pole for 5 s, with the energy kept."""
    cart_mass, mass, half = 2.0, 0.5, 0.6
    inertia = mass * (2 * half) ** 2 / 12
    world = World(time_step=1e-3, settings=Settings(order=4))
    cart = world.add_body(Box((0.4, 0.2, 0.2)), mass=cart_mass, mask=0)
    pole = world.add_body(
        (), position=(half, 0, 0), mass_properties=from_values(mass=mass, inertia=(1e-4, inertia, inertia))
    )
    rail = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, cart)
    world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), cart, pole)

    def equations(_, y):
        # pole at the angle f below the horizontal: x'' and f'' from momentum and moment
        _, f, v, w = y
        matrix = np.array(
            [
                [cart_mass + mass, -mass * half * np.sin(f)],
                [-mass * half * np.sin(f), inertia + mass * half**2],
            ]
        )
        right = np.array([mass * half * w * w * np.cos(f), mass * G * half * np.cos(f)])
        return [v, w, *np.linalg.solve(matrix, right)]

    reference = solve_ivp(equations, (0, 5), [0.0, 0.0, 0.0, 0.0], rtol=1e-11, atol=1e-12)
    start = world.report.energy
    report = world.step(5000)
    assert report.energy == pytest.approx(start, abs=1e-6)
    assert rail.value == pytest.approx(reference.y[0, -1], abs=1e-5)


def test_r54_stacked_sliders_survive_a_giant_pull():
    """Pull at six sliders in a row with 1e6 N against their stops: bounded, closed, and back when let go."""
    world = World(gravity=(0, 0, 0))
    last, bodies = None, []
    for i in range(6):
        body = world.add_body(Box((0.5, 0.5, 0.5)), position=(0, 0, 0.5 + i), mass=1.0, mask=0)
        joint = world.add_joint(Slider((0, 0, i), (1, 0, 0)), last, body)
        joint.limit(-6.0, 6.0)
        joint.spring(50.0, 20.0)
        bodies.append(body)
        last = body
    for _ in range(200):
        bodies[-1].apply_force((1e6, 0, 0))
        report = world.step()
        assert report.joint_error < 1e-5
    assert bodies[-1].position[0] == pytest.approx(36.0, abs=1e-2)
    world.step(3000)
    assert np.abs(world.positions[:, 0]).max() < 1e-3
    assert world.report.kinetic_energy < 1e-6


def test_r55_four_bar_follows_freudenstein():
    """Turn the crank of a four-bar at 2 pi rad/s: its rocker is within 0.1 degrees of the closed form."""
    a, b, c, d = 0.2, 0.5, 0.4, 0.5
    start = 0.4

    def rocker(angle):
        x, z = d - a * np.cos(angle), -a * np.sin(angle)
        e = np.hypot(x, z)
        return np.pi - (np.arctan2(-z, x) + np.arccos((c * c + e * e - b * b) / (2 * c * e)))

    p = np.array([a * np.cos(start), a * np.sin(start)])
    q = np.array([d + c * np.cos(rocker(start)), c * np.sin(rocker(start))])
    assert np.linalg.norm(q - p) == pytest.approx(b)
    world = World(gravity=(0, 0, 0), time_step=2e-4)

    def bar(first, second):
        along = second - first
        angle = -np.arctan2(along[1], along[0])
        middle = 0.5 * (first + second)
        return world.add_body(
            Box((np.linalg.norm(along), 0.02, 0.02)),
            position=(middle[0], 0, middle[1]),
            quaternion=(np.cos(angle / 2), 0, np.sin(angle / 2), 0),
            mass=1.0,
            mask=0,
        )

    origin, end = np.zeros(2), np.array([d, 0.0])
    crank, coupler, swing = bar(origin, p), bar(p, q), bar(end, q)
    axis = (0, -1, 0)
    driven = world.add_joint(Hinge((0, 0, 0), axis), None, crank)
    world.add_joint(Hinge((p[0], 0, p[1]), axis), crank, coupler)
    world.add_joint(Hinge((q[0], 0, q[1]), axis), coupler, swing)
    output = world.add_joint(Hinge((d, 0, 0), axis), swing, None)
    driven.motor(2 * np.pi)
    worst = 0.0
    for _ in range(100):
        world.step(100)
        expected = rocker(start + driven.value) - rocker(start)
        worst = max(worst, abs(-output.value - expected))
    assert driven.value == pytest.approx(2 * np.pi * 2.0, abs=0.01)
    assert np.degrees(worst) < 1e-3  # the case allows 0.1


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
