"""Rolling without slip: order two, no work of friction, and closed forms, on all curved surfaces."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from stoss.collision import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Sphere
from stoss.engine import Body, MassProperties, Material, Settings, World
from tests.engine.worlds import G, axis_angle, product, world_with_floor

ROUGH = Material(friction=0.9, restitution=0.0)
TIME = 1.0
STEPS = (0.01, 0.005, 0.0025)
SWEEPS = Settings(solver="gauss_seidel", sweeps=2000, position_tolerance=1e-9, velocity_tolerance=1e-10)

Scene = Callable[..., tuple[World, Body]]


def on_floor(time_step: float, settings: Settings | None, shape: Any, **options: Any) -> tuple[World, Body]:
    """Return a world with a body on a rough floor."""
    world = world_with_floor(ROUGH, time_step, settings)
    return world, world.add_body(shape, material=ROUGH, **options)


def on_body(
    time_step: float, settings: Settings | None, support: Any, shape: Any, **options: Any
) -> tuple[World, Body]:
    """Return a world with a body on another one, which is static unless `turning` [rad/s] is given."""
    world = World(time_step=time_step, settings=settings)
    turning, place = options.pop("turning", None), options.pop("place", {})
    kind = {"kind": "static"} if turning is None else {"kind": "kinematic", "angular_velocity": turning}
    world.add_body(support, material=ROUGH, **kind, **place)
    return world, world.add_body(shape, material=ROUGH, **options)


def eccentric_ball(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return a ball at rest whose centre of mass is beside its centre."""
    mass = MassProperties(1.0, (0.15, 0, 0), (0.08, 0.08, 0.08), (1, 0, 0, 0))
    return on_floor(h, settings, Sphere(0.5), position=(0, 0, 0.5), mass_properties=mass)


def tumbling_ball(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return a rolling ball whose centre of mass is off, with three different moments of inertia."""
    mass = MassProperties(1.0, (0.1, 0.05, 0.02), (0.08, 0.09, 0.1), (1, 0, 0, 0))
    spin = np.array([0.3, 1.0, 0.2])
    velocity = np.cross(spin, (0.1, 0.05, 0.52))
    ball = {"velocity": velocity, "angular_velocity": spin, "mass_properties": mass}
    return on_floor(h, settings, Sphere(0.5), position=(0, 0, 0.5), **ball)


def rocking_ellipsoid(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return an ellipsoid that is let go on its side."""
    height = np.hypot(0.6 * np.sin(0.6), 0.3 * np.cos(0.6))
    lean = axis_angle((0, 1, 0), 0.6)
    return on_floor(
        h, settings, Ellipsoid((0.6, 0.4, 0.3)), position=(0, 0, height), quaternion=lean, mass=1.0
    )


def eccentric_capsule(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return a capsule on its side whose centre of mass is beside its axis."""
    mass = MassProperties(1.0, (0.1, 0, 0), (0.02, 0.08, 0.08), (1, 0, 0, 0))
    lying = axis_angle((1, 0, 0), np.pi / 2)
    return on_floor(
        h, settings, Capsule(0.3, 1.0), position=(0, 0, 0.3), quaternion=lying, mass_properties=mass
    )


def eccentric_cylinder(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return a cylinder on its side whose centre of mass is beside its axis."""
    mass = MassProperties(1.0, (0.1, 0, 0), (0.06, 0.08, 0.05), (1, 0, 0, 0))
    lying = axis_angle((1, 0, 0), np.pi / 2)
    return on_floor(
        h, settings, Cylinder(0.3, 1.0), position=(0, 0, 0.3), quaternion=lying, mass_properties=mass
    )


def ball_on_ball(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return a ball that rolls down from the top of another one."""
    top = 2.3 * np.array([np.sin(0.1), 0, np.cos(0.1)])
    return on_body(h, settings, Sphere(2.0), Sphere(0.3), position=top, mass=1.0)


def ellipsoid_on_ellipsoid(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return an ellipsoid that rolls off the top of another one."""
    start = {"position": (0, 0, 1.2), "velocity": (0.3, 0.1, 0), "angular_velocity": (-0.5, 1.5, 0)}
    return on_body(h, settings, Ellipsoid((2.0, 1.5, 1.0)), Ellipsoid((0.3, 0.25, 0.2)), mass=1.0, **start)


def disc_on_ball(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return a disc that rolls, leaning, over the top of a ball."""
    lean, spin = 0.1, np.array([0, 1.0, 0])
    arm = 0.3 * np.array([0, np.sin(lean), np.cos(lean)]) + 0.02 * np.array([0, -np.cos(lean), np.sin(lean)])
    start = {"quaternion": axis_angle((1, 0, 0), np.pi / 2 - lean), "angular_velocity": spin}
    start["velocity"] = np.cross(spin, arm)
    return on_body(h, settings, Sphere(1.0), Cylinder(0.3, 0.04), position=(0, 0, 1) + arm, mass=1.0, **start)


def cylinder_across_cylinder(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return a cylinder that lies across another one, at 57 degrees, and rolls off it."""
    lying, spin = axis_angle((1, 0, 0), np.pi / 2), np.array([-np.sin(1.0), np.cos(1.0), 0])
    start = {"quaternion": product(axis_angle((0, 0, 1), 1.0), lying), "angular_velocity": spin}
    start["velocity"] = np.cross(spin, (0, 0, 0.3))
    place = {"position": (0, 0, -0.5), "quaternion": lying}
    shapes = Cylinder(0.5, 4.0), Cylinder(0.3, 2.0)
    return on_body(h, settings, *shapes, position=(0, 0, 0.3), mass=1.0, place=place, **start)


def tilting_plate(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return a ball on a plate that tilts at a constant rate."""
    tilt, arm = np.array([0, 0.2, 0]), np.array([0.2, 0, 0.4])
    ball = {"position": (0.2, 0, 0.3), "velocity": np.cross(tilt, arm), "angular_velocity": tilt}
    place = {"position": (0, 0, -0.1)}
    return on_body(h, settings, Box((20, 20, 0.2)), Sphere(0.3), mass=1.0, turning=tilt, place=place, **ball)


def ellipsoid_on_turntable(h: float, settings: Settings | None = None) -> tuple[World, Body]:
    """Return an ellipsoid at rest relative to a turntable, off its axis."""
    turn = np.array([0, 0, 1.5])
    start = {"position": (0.5, 0, 0.2), "velocity": (0, 0.75, 0), "angular_velocity": turn}
    place = {"position": (0, 0, -0.1)}
    shape = Ellipsoid((0.3, 0.25, 0.2))
    return on_body(h, settings, Cylinder(5, 0.2), shape, mass=1.0, turning=turn, place=place, **start)


RESTING: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        *(eccentric_ball, tumbling_ball, rocking_ellipsoid, eccentric_capsule, eccentric_cylinder),
        *(ball_on_ball, ellipsoid_on_ellipsoid, disc_on_ball, cylinder_across_cylinder),
    )
}
DRIVEN: dict[str, Scene] = {s.__name__: s for s in (tilting_plate, ellipsoid_on_turntable)}


def end(scene: Scene, h: float, settings: Settings | None = None) -> np.ndarray:
    """Return the pose after TIME."""
    world, body = scene(h, settings)
    world.step(round(TIME / h))
    return np.concatenate([body.position, body.quaternion])


@pytest.mark.parametrize("name", RESTING | DRIVEN)
def test_half_the_step_leaves_a_quarter_of_the_error(name):
    """Converge with order two: differences of results at h, h/2 and h/4 fall by four."""
    coarse, middle, fine = (end((RESTING | DRIVEN)[name], h) for h in STEPS)
    assert 3.6 < np.abs(coarse - middle).max() / np.abs(middle - fine).max() < 4.4


@pytest.mark.parametrize("name", ["eccentric_ball", "ball_on_ball", "eccentric_cylinder", "tilting_plate"])
def test_order_of_sweeps(name):
    """Converge with order two also where the solver is the one of large piles."""
    coarse, middle, fine = (end((RESTING | DRIVEN)[name], h, SWEEPS) for h in STEPS)
    assert 3.4 < np.abs(coarse - middle).max() / np.abs(middle - fine).max() < 4.6


@pytest.mark.parametrize("name", RESTING)
def test_friction_of_what_rolls_does_no_work(name):
    """Keep the energy to order two: a quarter of the worst error with half the step."""
    worst = []
    for h in STEPS[:2]:
        world, _ = RESTING[name](h)
        start = world.report.energy
        errors = []
        for _ in range(round(TIME / h)):
            world.step()
            errors.append(abs(world.report.energy - start))
        worst.append(max(errors))
    assert 3.4 < worst[0] / worst[1] < 4.6
    assert worst[0] < 2e-3


@pytest.mark.parametrize("name", ["eccentric_ball", "rocking_ellipsoid", "eccentric_cylinder"])
def test_energy_does_not_drift(name):
    """Keep the energy over many swings: the error after 20 s is not above that within the first swings."""
    world, _ = RESTING[name](0.01)
    start = world.report.energy
    errors = []
    for _ in range(20):
        world.step(100)
        errors.append(abs(world.report.energy - start))
    assert max(errors[-5:]) < 2.0 * max(errors[:5]) + 1e-4


@pytest.mark.parametrize("rate", [2.0 / 0.3, 20.0, 60.0])
def test_ellipsoid_rolls_level(rate):
    """Keep height, speed and contact of an ellipsoid that rolls about its long axis."""
    shape = Ellipsoid((0.3, 0.6, 0.3))
    rolling = {"velocity": (0.3 * rate, 0, 0), "angular_velocity": (0, rate, 0)}
    world, body = on_floor(0.01, None, shape, position=(0, 0, 0.3), mass=1.0, **rolling)
    for _ in range(100):
        world.step()
        assert world.contacts.gap[: world.contacts.count].max() < world.settings.touch_distance
        assert abs(body.position[2] - 0.3) < 1e-9
    np.testing.assert_allclose(body.position[0], 0.3 * rate, rtol=1e-9)


def leaning_disc(h: float) -> tuple[World, Body, float]:
    """Return a disc that rolls in a circle, leaning inwards, and its exact rate of precession [rad/s].

    In steady motion L and the centre c turn about the vertical with the rate W, and the floor gives force and
    torque: r x m (W x (W x c) + g z) = W x L, with no slip where it touches.
    """
    radius, thickness, lean, m = 0.5, 0.02, 0.3, 1.0
    across, along = m * (3 * radius**2 + thickness**2) / 12, 0.5 * m * radius**2
    axis = np.array([np.cos(lean), 0, np.sin(lean)])
    arm = radius * np.array([-np.sin(lean), 0, np.cos(lean)]) + 0.5 * thickness * axis
    centre, up = arm + (1, 0, 0), np.array([0, 0, 1.0])

    def motion(rate: float) -> tuple[float, np.ndarray, np.ndarray]:
        velocity = np.cross(rate * up, centre)
        slip = velocity - np.cross(rate * up, arm)
        spin = rate * up + axis * slip[1] / np.cross(axis, arm)[1]
        momentum = across * (spin - spin @ axis * axis) + along * (spin @ axis) * axis
        force = m * (np.cross(rate * up, velocity) + G * up)
        return (np.cross(rate * up, momentum) + np.cross(arm, force))[1], velocity, spin

    rate = brentq(lambda x: motion(x)[0], 0.5, 3.0)
    _, velocity, spin = motion(rate)
    lying = axis_angle((0, 1, 0), np.arctan2(axis[0], axis[2]))
    start = {"position": centre, "quaternion": lying, "velocity": velocity, "angular_velocity": spin}
    return *on_floor(h, None, Cylinder(radius, thickness), mass=m, **start), rate


def test_leaning_disc_rolls_in_a_circle():
    """Roll at the exact rate of steady precession, keeping height, lean and energy, with order two."""
    misses = []
    for h in STEPS[:2]:
        world, body, rate = leaning_disc(h)
        start, energy, distance, height = body.position, world.report.energy, 0.0, 0.0
        for k in range(round(4.0 / h)):
            world.step()
            angle = rate * (k + 1) * h
            exact = start[0] * np.array([np.cos(angle), np.sin(angle), 0]) + (0, 0, start[2])
            distance = max(distance, np.linalg.norm(body.position - exact))
            height = max(height, abs(body.position[2] - start[2]))
        assert abs(world.report.energy - energy) < 1e-5
        assert height < 1e-3 * (h / 0.01) ** 2
        misses.append(distance)
    assert misses[0] < 0.01
    assert 3.6 < misses[0] / misses[1] < 4.4


def test_ball_on_a_turntable():
    """Go round in a circle at 2/7 of the table's rate, as a ball that rolls on a turntable does."""
    turning, r, velocity = 2.0, 0.3, np.array([0.0, 0.5, 0])
    misses = []
    for h in STEPS[:2]:
        place = np.array([1.0, 0, r])
        slip = np.cross((0, 0, turning), place) - velocity  # what spin is to make up for
        ball = {"position": place, "velocity": velocity, "angular_velocity": (slip[1] / r, -slip[0] / r, 0)}
        table = {"turning": (0, 0, turning), "place": {"position": (0, 0, -0.1)}}
        world, body = on_body(h, None, Cylinder(5, 0.2), Sphere(r), mass=1.0, **table, **ball)
        miss = 0.0
        for k in range(round(4.0 / h)):
            world.step()
            x = 2.0 / 7.0 * turning * (k + 1) * h
            radius = 0.5 / (2.0 / 7.0 * turning)
            exact = place + radius * np.array([np.cos(x) - 1.0, np.sin(x), 0])
            miss = max(miss, np.linalg.norm(body.position - exact))
        misses.append(miss)
    assert misses[0] < 1e-3
    assert 3.6 < misses[0] / misses[1] < 4.4


def test_cone_rolls_about_its_apex():
    """Roll in a circle about the apex at the rate w tan(half angle) of no slip, level and with its energy.

    The cone turns with w about the line that touches; so its axis goes round the vertical with the velocity
    of its centre over the distance from the vertical.
    """
    r, length, rate = 0.3, 0.6, 3.0
    half = np.arctan2(r, length)
    axis = np.array([-np.cos(half), 0, -np.sin(half)])  # from the base to the apex, at the origin
    misses = []
    for h in STEPS[:2]:
        lying = axis_angle((0, 1, 0), np.arctan2(axis[0], axis[2]))
        centre = -0.75 * length * axis
        world, body = on_floor(
            *(h, None, Cone(r, length)),
            position=-0.5 * length * axis,
            quaternion=lying,
            mass=1.0,
            velocity=np.cross((rate, 0, 0), centre),
            angular_velocity=(rate, 0, 0),
        )
        start, energy, miss = body.position, world.report.energy, 0.0
        precession = -rate * centre[2] / centre[0]
        for k in range(round(2.0 / h)):
            world.step()
            x = precession * (k + 1) * h
            exact = start[0] * np.array([np.cos(x), np.sin(x), 0]) + (0, 0, start[2])
            miss = max(miss, np.linalg.norm(body.position - exact))
        assert abs(world.report.energy - energy) < 1e-5
        misses.append(miss)
    assert misses[0] < 2e-3
    assert 3.6 < misses[0] / misses[1] < 4.4


def test_order_of_bodies_does_not_matter():
    """Roll alike whichever of two balls was added first."""
    ends = []
    for first in (True, False):
        world = World(time_step=0.01)

        def lower(world: World = world) -> Body:
            return world.add_body(Sphere(1.0), kind="static", material=ROUGH)

        if first:
            lower()
        top = 1.3 * np.array([np.sin(0.2), 0, np.cos(0.2)])
        body = world.add_body(Sphere(0.3), position=top, mass=1.0, material=ROUGH)
        if not first:
            lower()
        world.step(50)
        ends.append(body.position)
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-12)


def test_time_of_impact_of_a_turning_ellipsoid():
    """End the sub-step where an ellipsoid that falls and tumbles meets the floor, at once."""
    settings = Settings(time_of_impact=True)
    world = World(time_step=0.01, settings=settings)
    world.add_body(HalfSpace(), kind="static", material=ROUGH)
    body = world.add_body(
        Ellipsoid((0.6, 0.2, 0.3)),
        position=(0, 0, 0.8),
        mass=1.0,
        velocity=(0, 0, -2),
        angular_velocity=(0, 20, 0),
        quaternion=product(axis_angle((0, 0, 1), 0.3), axis_angle((1, 0, 0), 0.2)),
    )
    deepest = 0.0
    for _ in range(60):
        world.step()
        count = world.contacts.count
        deepest = min(deepest, world.contacts.gap[:count].min()) if count else deepest
    assert body.position[2] > 0.19
    assert deepest > -settings.position_tolerance


@pytest.mark.parametrize("lean", [0.03, 0.05, 0.08])
@pytest.mark.parametrize("speed", [2.0, 10.0, 40.0])
def test_disc_that_tips_over_to_the_other_side_of_its_rim(lean, speed):
    """Gain no energy where a disc that leans a little swings through the plane and lands opposite."""
    material = Material(friction=0.3, restitution=0.5)
    world = world_with_floor(material, 0.01)
    radius, thickness = 0.26, 0.1
    height = radius * np.sin(lean) + 0.5 * thickness * np.cos(lean)
    # touches at -y, where it is at rest, and swings down with what is on the other side
    arm = np.array([0, radius * np.cos(lean) - 0.5 * thickness * np.sin(lean), height])
    spin = np.array([-speed, 0.1 * speed, 0])
    world.add_body(
        Cylinder(radius, thickness),
        position=(0, 0, height),
        quaternion=axis_angle((1, 0, 0), lean),
        velocity=np.cross(spin, arm),
        angular_velocity=spin,
        mass=1.0,
        material=material,
    )
    energy = start = world.report.energy
    for _ in range(100):
        world.step()
        assert world.report.energy < energy + 1e-4 * start
        energy = world.report.energy
