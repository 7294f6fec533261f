"""Coulomb friction: sticking without creep, sliding by the closed form in every direction, rolling."""

import numpy as np
import pytest

from stoss.collision import Box, Cylinder, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import G, axis_angle, downhill, floor, on_slope, run, slope, world_with_floor

ANGLE = np.radians(20.0)
ALONG_Y = axis_angle((1, 0, 0), np.pi / 2)  # turns the axis of a cylinder from z to -y


SOLVERS = {
    "direct": Settings(),
    # until they change no more: closed forms are then met as by the direct solver
    "gauss_seidel": Settings(
        solver="gauss_seidel", sweeps=20000, position_tolerance=1e-13, velocity_tolerance=1e-12
    ),
}


@pytest.fixture(params=SOLVERS)
def settings(request: pytest.FixtureRequest) -> Settings:
    """Return the settings of either solver."""
    return SOLVERS[request.param]


def box_on_slope(world: World, material: Material, size=(1, 1, 0.5), **options):
    """Add a box that lies flat on the slope of ANGLE."""
    return world.add_body(
        Box(size),
        position=on_slope(ANGLE, 0.5 * size[2]),
        quaternion=axis_angle((0, 1, 0), ANGLE),
        material=material,
        **options,
    )


def test_box_sticks_without_creep(settings):
    """Hold a box on a slope of 20 degrees with mu = tan 21 degrees: creep below 1e-9 m/s over 10 s."""
    material = Material(friction=np.tan(np.radians(21)))
    world = slope(ANGLE, material, settings=settings)
    body = box_on_slope(world, material)
    start = body.position
    world.step(1000)
    assert np.linalg.norm(body.position - start) < 1e-9 * 10.0
    assert np.linalg.norm(body.velocity) < 1e-9 and np.linalg.norm(body.angular_velocity) < 1e-9


@pytest.mark.parametrize("time_step", [0.02, 0.01, 0.001])
def test_box_slides_by_the_closed_form(time_step, settings):
    """Slide g (sin - mu cos) t^2 / 2 down a slope of 20 degrees with mu = tan 19 degrees, 2.263 m in 5 s.

    The issue allows 0.1 %. Half of the impulse of gravity, normal force and friction acts at either end of a
    step, so a constant acceleration gives v h + a h^2 / 2 exactly: what is left is the tolerance of the
    velocity rows, 1e-10 m/s, times 5 s.
    """
    mu = np.tan(np.radians(19))
    material = Material(friction=mu)
    world = slope(ANGLE, material, time_step, settings=settings)
    body = box_on_slope(world, material)
    start = body.position
    seen = run(world, round(5.0 / time_step), lambda w: (body.position - start) @ downhill(ANGLE))
    t = time_step * np.arange(len(seen))
    exact = 0.5 * G * (np.sin(ANGLE) - mu * np.cos(ANGLE)) * t**2
    assert exact[-1] == pytest.approx(2.263, abs=5e-4)
    assert np.abs(seen - exact).max() < 1e-9


@pytest.mark.parametrize("mu", [0.2, 0.4, 0.7])
@pytest.mark.parametrize("speed", [2.0, 2.017])
def test_stopping_distance(mu, speed, settings):
    """Stop after v^2 / (2 mu g), on the spot, whether or not the end falls on a step.

    Within the step in which it stops, the body brakes by less than mu g: at most mu g h^2 / 8 is lost.
    """
    material = Material(friction=mu)
    world = world_with_floor(material, settings=settings)
    body = world.add_body(
        Box((1, 1, 0.2)), position=(0, 0, 0.1), velocity=(speed, 0, 0), mass=2.0, material=material
    )
    world.step(int(speed / (mu * G) / 0.01) + 2)
    distance = body.position[0]
    assert distance == pytest.approx(speed**2 / (2 * mu * G), abs=mu * G * 1e-4 / 8 + 1e-9)
    assert abs(body.velocity[0]) < 1e-9
    world.step(100)
    assert body.position[0] == pytest.approx(distance, abs=1e-9)


def test_static_friction_holds_more_than_dynamic_friction_brakes(settings):
    """Hold up to tan = mu_s; once pushed, slide on with mu_d although mu_s would hold."""
    material = Material(friction=0.2, static_friction=0.37)
    kept, pushed = slope(ANGLE, material, settings=settings), slope(ANGLE, material, settings=settings)
    bodies = [box_on_slope(w, material) for w in (kept, pushed)]
    start = bodies[0].position
    bodies[1].velocity = 0.05 * downhill(ANGLE)
    kept.step(200)
    assert np.linalg.norm(bodies[0].position - start) < 1e-9 * 2
    seen = run(pushed, 100, lambda w: (bodies[1].position - start) @ downhill(ANGLE))
    t = 0.01 * np.arange(101)
    acceleration = G * (np.sin(ANGLE) - 0.2 * np.cos(ANGLE))
    assert np.abs(seen - (0.05 * t + 0.5 * acceleration * t**2)).max() < 1e-9


def test_static_friction_gives_way_above_its_limit(settings):
    """Slide with mu_d from rest where the slope is steeper than tan = mu_s."""
    material = Material(friction=0.2, static_friction=0.35)
    world = slope(ANGLE, material, settings=settings)
    body = box_on_slope(world, material)
    start = body.position
    world.step(100)
    acceleration = G * (np.sin(ANGLE) - 0.2 * np.cos(ANGLE))
    assert (body.position - start) @ downhill(ANGLE) == pytest.approx(0.5 * acceleration, rel=1e-6)


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_sliding_is_isotropic(turn, settings):
    """Brake a box alike in 12 directions, on a straight line, by the closed form to 1e-6 m (R13)."""
    mu = np.sqrt(0.9 * 0.8)
    for k in range(12):
        direction = np.array([np.cos(k * np.pi / 6), np.sin(k * np.pi / 6), 0])
        world = world_with_floor(Material(friction=0.9), time_step=1 / 60, settings=settings)
        body = world.add_body(
            Box((2, 2, 2)),
            position=(0, 0, 1.0),
            quaternion=axis_angle((0, 0, 1), turn),
            velocity=20.0 * direction,
            mass=8.0,
            material=Material(friction=0.8),
        )
        seen = run(world, 60, lambda w: w.positions[1])
        t = np.arange(61)[:, None] / 60
        exact = (20.0 * t - 0.5 * mu * G * t**2) * direction + [0, 0, 1]
        assert np.abs(seen - exact).max() < 1e-6
        assert np.abs(body.velocity - (20.0 - mu * G) * direction).max() < 1e-6


ROLLING = {"sphere": (Sphere(0.5), 5 / 7, (1, 0, 0, 0)), "cylinder": (Cylinder(0.5, 1.0), 2 / 3, ALONG_Y)}


@pytest.mark.parametrize("name", ROLLING)
@pytest.mark.parametrize("time_step", [0.01, 0.002])
def test_rolling_down_a_slope(name, time_step, settings):
    """Roll with 5/7 (sphere) or 2/3 (cylinder) of g sin, without slip."""
    shape, share, turn = ROLLING[name]
    material = Material(friction=0.5)
    world = slope(ANGLE, material, time_step, settings=settings)
    body = world.add_body(shape, position=on_slope(ANGLE, 0.5), quaternion=turn, material=material)
    start = body.position
    seen = run(
        world,
        round(1.0 / time_step),
        lambda w: ((body.position - start) @ downhill(ANGLE), *body.angular_velocity),
    )
    t = time_step * np.arange(len(seen))
    acceleration = share * G * np.sin(ANGLE)
    assert acceleration == pytest.approx({"sphere": 2.396584004, "cylinder": 2.236811737}[name], abs=1e-9)
    assert np.abs(seen[:, 0] - 0.5 * acceleration * t**2).max() < 1e-8
    assert np.abs(seen[:, 2] - acceleration * t / 0.5).max() < 1e-7


def test_sliding_sphere_turns_to_rolling(settings):
    """Roll after 2 v / (7 mu g) at 5/7 v, having moved 12 v^2 / (49 mu g), and roll on.

    The step in which sliding ends brakes for part of its time only: mu g h^2 / 8 at most.
    """
    material = Material(friction=0.3)
    world = world_with_floor(material, settings=settings)
    body = world.add_body(Sphere(0.4), position=(0, 0, 0.4), velocity=(5, 0, 0), mass=2.0, material=material)
    seen = run(world, 150, lambda w: (body.position[0], body.velocity[0], body.angular_velocity[1]))
    end, distance, speed = 0.485413329, 2.080342841, 25 / 7
    t = 0.01 * np.arange(151)
    exact = np.where(t < end, 5 * t - 0.5 * 0.3 * G * t**2, distance + speed * (t - end))
    assert np.abs(seen[:, 0] - exact).max() < 0.3 * G * 1e-4
    assert seen[-1, 1] == pytest.approx(speed, abs=1e-8)
    assert seen[-1, 1] == pytest.approx(0.4 * seen[-1, 2], abs=1e-8)
    assert np.abs(np.diff(seen[60:, 1])).max() < 1e-9


def test_spinning_box_comes_to_rest(settings):
    """Brake a box that spins on the floor about the vertical, without moving it off, and keep it at rest.

    Four contacts at distance r = sqrt(2) / 2 share the weight: the friction torque is mu m g r.
    """
    mu = 0.3
    material = Material(friction=mu)
    world = world_with_floor(material, settings=settings)
    body = world.add_body(
        Box((1, 1, 0.5)), position=(0, 0, 0.25), angular_velocity=(0, 0, 3.0), mass=2.0, material=material
    )
    rate = mu * 2.0 * G * np.sqrt(0.5) / body.inertia[2]
    seen = run(world, 40, lambda w: (body.angular_velocity[2], *body.position))
    t = 0.01 * np.arange(41)
    assert np.abs(seen[:, 0] - np.maximum(3.0 - rate * t, 0)).max() < 0.02 * 3.0
    assert np.abs(seen[:, 1:] - [0, 0, 0.25]).max() < 1e-6
    world.step(10)
    assert np.abs(body.angular_velocity).max() < 1e-8 and np.abs(body.velocity).max() < 1e-8


def test_spinning_sphere_keeps_spinning(settings):
    """Keep the spin of a sphere about the vertical: a point contact gives no torque about its normal."""
    world = world_with_floor(settings=settings)
    body = world.add_body(Sphere(0.5), position=(0, 0, 0.5), angular_velocity=(0, 0, 5.0))
    world.step(100)
    assert np.abs(body.angular_velocity - [0, 0, 5.0]).max() < 1e-8
    assert np.abs(body.position - [0, 0, 0.5]).max() < 1e-8


def test_frictionless_box_keeps_its_speed(settings):
    """Keep the speed of a box that slides without friction, and its height."""
    world = world_with_floor(Material(friction=0.0), settings=settings)
    smooth = Material(friction=0.0)
    body = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(2, 1, 0), material=smooth)
    world.step(200)
    assert np.abs(body.velocity - [2, 1, 0]).max() < 1e-9
    assert np.abs(body.position - [4, 2, 0.5]).max() < 1e-8


@pytest.mark.parametrize("mu", [0.3, 0.7])
@pytest.mark.parametrize("degrees", [3, 10, 20, 30, 40])
def test_friction_grid(mu, degrees, settings):
    """Hold below the angle of friction and slide with g (sin - mu cos) above it, from a gap of 1 mm (R11)."""
    angle = np.radians(degrees)
    material = Material(friction=mu)
    world = slope(angle, material, time_step=1 / 60, settings=settings)
    body = world.add_body(
        Box((0.4, 0.4, 0.1)),
        position=on_slope(angle, 0.051),
        quaternion=axis_angle((0, 1, 0), angle),
        material=material,
    )
    world.step(30)
    start, speed = body.position, body.velocity
    world.step(15)
    moved = (body.position - start) @ downhill(angle)
    if degrees < np.degrees(np.arctan(mu)):
        assert np.abs(body.velocity).max() < 1e-9 and abs(moved) < 1e-9
    else:
        gained = (body.velocity - speed) @ downhill(angle)
        assert gained / 0.25 == pytest.approx(G * (np.sin(angle) - mu * np.cos(angle)), rel=1e-6)


def test_sliding_down_in_a_curve(settings):
    """Turn the path of a box pushed across a slope on which friction equals gravity's pull.

    With mu = tan, both the speed and its part down the slope change at the rate of the same deceleration
    with opposite signs, so that their sum is constant: the box ends up moving straight down at v_0 / 2.
    """
    material = Material(friction=np.tan(ANGLE))
    world = slope(ANGLE, material, time_step=0.002, settings=settings)
    body = box_on_slope(world, material, size=(0.5, 0.5, 0.05), velocity=(0, 2.0, 0))
    world.step(1000)
    along, across = body.velocity @ downhill(ANGLE), body.velocity[1]
    assert np.hypot(along, across) + along == pytest.approx(2.0, abs=2e-3)
    assert along == pytest.approx(1.0, abs=5e-3)


def test_impulse_at_rest_below_the_cone_does_not_move(settings):
    """Take up a horizontal force below mu m g without any motion, and yield to one above it."""
    material = Material(friction=0.5)
    world = World(settings=settings)
    floor(world, material)
    body = world.add_body(Box((1, 1, 0.2)), position=(0, 0, 0.1), mass=2.0, material=material)
    world.forces[1] = (0.49 * 2.0 * G, 0, 0)
    world.step(100)
    assert abs(body.position[0]) < 1e-9
    world.forces[1] = (0.6 * 2.0 * G, 0, 0)
    world.step(100)
    assert body.position[0] == pytest.approx(0.5 * 0.1 * G, abs=1e-6)
