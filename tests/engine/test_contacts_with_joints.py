"""Joints, motors and contacts in one island: what each of them carries, by statics and by closed forms."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Placed, Sphere
from stoss.engine import Fixed, Hinge, Material, Settings, Slider, World
from tests.engine.worlds import G, axis_angle, run, world_with_floor

SOLVERS = ["direct", "gauss_seidel"]
H = 0.01
SMOOTH = Material(friction=0.0)


def strict(solver: str) -> Settings:
    """Return settings with as many sweeps as the tolerances take, both far below those of the tests."""
    return Settings(solver=solver, sweeps=5000, position_tolerance=1e-11)


def loads(world: World, body) -> np.ndarray:
    """Return the mean force [N] of all contacts on a body over the last step."""
    contacts, out = world.contacts, np.zeros(3)
    for c in range(contacts.count):
        sign = (contacts.body_a[c] == body.index) * 1.0 - (contacts.body_b[c] == body.index)
        out += sign * world.contact_impulses[c] / world.time_step
    return out


# ------------------------------------------------------------------ statics


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_motor_presses_an_arm_on_the_ground(solver, mu):
    """Press with torque / arm besides the weight, without any motion, and hold the hinge against it.

    With friction the hinge can push the foot along the ground, as hard as it likes: statics leaves that open,
    and the press changes by that force times radius / arm.
    """
    arm, radius, mass, torque = 0.8, 0.1, 2.0, 12.0
    material = Material(friction=mu)
    world = world_with_floor(material, H, strict(solver))
    ball = world.add_body(Sphere(radius), position=(arm, 0, radius), mass=mass, material=material)
    hinge = world.add_joint(Hinge((0, 0, radius), (0, 1, 0)), None, ball)
    motor = hinge.motor(5.0, max_force=torque)  # turns the arm from x down to -z
    world.step(50)
    load = loads(world, ball)
    np.testing.assert_allclose(load + hinge.force, [0, 0, mass * G], atol=1e-6)
    assert load[2] == pytest.approx(mass * G + torque / arm - load[0] * radius / arm, abs=1e-6)
    assert abs(load[0]) <= mu * load[2] + 1e-9 and abs(load[1]) <= 1e-6
    assert motor.force == pytest.approx(torque, abs=1e-9)
    assert abs(hinge.value) < 1e-8 and abs(hinge.rate) < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_pendulum_leans_against_a_wall(solver):
    """Lean with m g tan(angle) on a smooth wall, and pull with m g / cos(angle) at the hinge."""
    angle, length, radius, mass = 0.4, 1.0, 0.1, 1.5
    world = World(time_step=H, settings=strict(solver))
    wall = (length * np.sin(angle) - radius, 0, 0)
    world.add_body(HalfSpace(normal=(1, 0, 0)), kind="static", position=wall, material=SMOOTH)
    place = length * np.array([np.sin(angle), 0, -np.cos(angle)])
    ball = world.add_body(Sphere(radius), position=place, mass=mass, material=SMOOTH)
    hinge = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, ball)
    world.step(100)
    push = mass * G * np.tan(angle)
    np.testing.assert_allclose(loads(world, ball), [push, 0, 0], atol=1e-6)
    np.testing.assert_allclose(hinge.force, [-push, 0, mass * G], atol=1e-6)
    assert np.abs(ball.position - place).max() < 1e-8 and np.abs(ball.velocity).max() < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_welded_boxes_on_the_ground(solver):
    """Hold a box in the air by a weld to one that stands: its weight in the joint, both on the ground."""
    masses, side = (8.0, 1.0), 1.0
    world = world_with_floor(time_step=H, settings=strict(solver))
    standing = world.add_body(Box((side,) * 3), position=(0, 0, 0.5), mass=masses[0])
    hanging = world.add_body(Box((side,) * 3), position=(1.0, 0, 0.6), mass=masses[1])
    weld = world.add_joint(Fixed((0.5, 0, 0.6)), standing, hanging)
    world.step(100)
    np.testing.assert_allclose(loads(world, standing), [0, 0, sum(masses) * G], atol=1e-6)
    np.testing.assert_allclose(weld.force, [0, 0, masses[1] * G], atol=1e-6)
    np.testing.assert_allclose(np.abs(weld.torque), [0, 0.5 * masses[1] * G, 0], atol=1e-6)
    assert np.abs(hanging.position - [1.0, 0, 0.6]).max() < 1e-8
    assert np.abs(world.velocities).max() < 1e-8


def test_welded_boxes_side_by_side():
    """Keep two welded boxes that both stand where they are, with their weight on the ground, for long."""
    world = world_with_floor(time_step=H)
    boxes = [world.add_body(Box((1, 1, 1)), position=(x, 0, 0.5), mass=2.0) for x in (0.0, 1.0)]
    weld = world.add_joint(Fixed((0.5, 0, 0.5)), *boxes)
    start = world.positions.copy()
    forces = run(world, 1000, lambda w: np.abs(weld.force).max())
    assert np.abs(world.positions - start).max() < 1e-8
    assert sum(loads(world, box)[2] for box in boxes) == pytest.approx(4.0 * G, abs=1e-6)
    # each could stand alone: what the weld carries besides is not asked for, and must not grow
    assert forces[500:].max() <= forces[1:500].max() + 1e-6


def test_frame_of_hinges_on_the_ground():
    """Hold an A-frame on smooth feet by its tie, for long, with no stress that the loads do not ask for.

    Legs of mass m lean on each other at the apex, height c above the feet, d aside of them: by moments about
    a foot they press with m g d / (2 c), which the tie takes. Three hinges close a loop: their rows say some
    things twice, so a stress out of the plane could stay there, and grow. On two feet it is also an inverted
    pendulum, which falls out of its plane as rounding grows by e^(4 t / s), so it is watched for 5 s.
    """
    d, c, radius, mass = 0.6, 1.2, 0.05, 3.0
    world = world_with_floor(SMOOTH, H)
    length = float(np.hypot(d, c))
    legs = []
    for side in (-1.0, 1.0):
        foot, apex = np.array([side * d, 0, radius]), np.array([0, 0, radius + c])
        turn = axis_angle((0, 1, 0), np.arctan2(-side * d, c))
        parts = (
            Box((0.06, 0.06, length - 4 * radius)),
            Placed(Sphere(radius), position=(0, 0, -0.5 * length)),
        )
        legs.append(
            world.add_body(
                parts, position=0.5 * (foot + apex), quaternion=turn, mass=mass, material=SMOOTH, mask=1
            )
        )
    tie = world.add_body(Box((2 * d, 0.04, 0.04)), position=(0, 0, radius), mass=0.5, group=2, mask=0)
    top = world.add_joint(Hinge((0, 0, radius + c), (0, 1, 0)), *legs)
    feet = [
        world.add_joint(Hinge((side * d, 0, radius), (0, 1, 0)), leg, tie)
        for side, leg in zip((-1.0, 1.0), legs, strict=True)
    ]
    # the weight of a leg acts at its centre of mass, which the sphere at its foot moves
    aside = d - abs(world.centers_of_mass[legs[0].index, 0])
    push = mass * G * aside / c
    start = world.centers_of_mass.copy()
    for _ in range(2):
        world.step(250)
        assert np.abs(world.centers_of_mass - start).max() < 1e-6
        assert np.abs(np.abs(top.force) - [push, 0, 0]).max() < 1e-5
        for hinge in feet:
            assert np.abs(np.abs(hinge.force) - [push, 0, 0.25 * G]).max() < 1e-5
            assert np.abs(hinge.torque).max() < 1e-5
        for leg in legs:
            np.testing.assert_allclose(loads(world, leg), [0, 0, (mass + 0.25) * G], atol=1e-5)


# ------------------------------------------------------------------ motion


@pytest.mark.parametrize(
    "solver, force", [("direct", 20.0), ("direct", 8.0), ("gauss_seidel", 20.0), ("gauss_seidel", 0.0)]
)
def test_gripper(solver, force):
    """Hold a box between two fingers while 2 mu F > m g; below, it slides with g - 2 mu F / m.

    Sweeps are not asked for the slide: they press the eight points unevenly, whose friction turns the box.
    """
    mass, side, mu = 1.0, 0.2, 0.4
    material = Material(friction=mu)
    world = World(time_step=H, settings=strict(solver))
    box = world.add_body(Box((side,) * 3), position=(0, 0, 0), mass=mass, material=material)
    sliders = []
    for x in (-1.0, 1.0):
        finger = world.add_body(
            Box((0.1, 0.1, 4.0)), position=(x * (0.5 * side + 0.05), 0, 0), mass=0.5, material=material
        )
        slider = world.add_joint(Slider(finger.position, (-x, 0, 0)), None, finger)
        if force > 0.0:
            slider.motor(1.0, max_force=force)
        sliders.append(slider)
    seen = run(world, 50, lambda w: box.position)
    t = H * np.arange(51)
    a = max(G - 2 * mu * force / mass, 0.0)
    assert np.abs(seen[:, 2] + 0.5 * a * t**2).max() < 1e-8
    assert np.abs(seen[:, :2]).max() < 1e-8
    for slider in sliders:
        assert abs(slider.value) < 1e-8
    contacts = world.contacts
    presses = np.abs(world.contact_impulses[:, 0]).sum() / H
    assert presses == pytest.approx(2 * force, abs=1e-6) and contacts.count > 0


def cart(solver: str, mu: float, torque: float):
    """Return a cart on four balls, each driven by a motor of that torque, and its motors."""
    material = Material(friction=mu)
    world = world_with_floor(material, H, strict(solver))
    body = world.add_body(Box((1.2, 0.5, 0.2)), position=(0, 0, 0.35), mass=CHASSIS, material=material)
    motors = []
    for x in (-0.5, 0.5):
        for y in (-0.4, 0.4):
            wheel = world.add_body(Sphere(WHEEL), position=(x, y, WHEEL), mass=TYRE, material=material)
            hinge = world.add_joint(Hinge(wheel.position, (0, 1, 0)), body, wheel)
            motors.append(hinge.motor(1000.0, max_force=torque))
    return world, body


CHASSIS, TYRE, WHEEL = 10.0, 1.0, 0.2


@pytest.mark.parametrize("solver", SOLVERS)
def test_cart_is_driven_by_its_wheels(solver):
    """Accelerate by 4 T / r over the mass, wheels counted 7/5 for their turning (balls).

    Forces are given half at either end of a step, and nothing turns but wheels about their axes: exact.
    """
    torque = 0.6
    world, body = cart(solver, 0.5, torque)
    a = 4 * torque / WHEEL / (CHASSIS + 4 * 1.4 * TYRE)
    seen = run(world, 60, lambda w: (body.velocity[0], body.position[0]))
    t = H * np.arange(61)
    assert np.abs(seen[:, 0] - a * t).max() < 1e-7
    assert np.abs(seen[:, 1] - 0.5 * a * t**2).max() < 1e-7


@pytest.mark.parametrize("solver", SOLVERS)
def test_cart_with_wheels_that_slip(solver):
    """Accelerate by mu g, whatever the motors give, where all wheels slip, and spin them up."""
    mu, torque = 0.2, 4.0
    world, body = cart(solver, mu, torque)
    seen = run(world, 40, lambda w: body.velocity[0])
    assert np.abs(seen - mu * G * H * np.arange(41)).max() < 1e-7
    # all wheels together: 4 T - mu m g r over their inertia
    rate = (4 * torque - mu * (CHASSIS + 4 * TYRE) * G * WHEEL) / (4 * 0.4 * TYRE * WHEEL**2)
    mean = np.mean([joint.rate for joint in world.joints])
    assert mean == pytest.approx(rate * 0.4, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_ball_pushes_a_door(solver, e):
    """Turn a door by (1 + e) m v L / (I + m L^2), and give the hinge the rest of the momentum.

    The door is a box hinged at its edge, hit square at the distance L, at the end of a step. Angular momentum
    about the hinge is kept, and the speeds of ball and point part with e.
    """
    width, mass, arm, ball_mass, speed, radius = 1.0, 4.0, 0.8, 1.0, 2.0, 0.1
    material = Material(friction=0.0, restitution=e)
    world = World(gravity=(0, 0, 0), time_step=H, settings=strict(solver))
    door = world.add_body(Box((width, 0.1, 2.0)), position=(0.5 * width, 0, 0), mass=mass, material=material)
    hinge = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), None, door)
    ball = world.add_body(
        Sphere(radius),
        position=(arm, -0.05 - radius - speed * H, 0),
        velocity=(0, speed, 0),
        mass=ball_mass,
        material=material,
    )
    world.step()
    assert world.report.impact_rounds <= 2
    inertia = mass * (width**2 + 0.1**2) / 12 + mass * (0.5 * width) ** 2
    rate = (1 + e) * ball_mass * speed * arm / (inertia + ball_mass * arm**2)
    assert hinge.rate == pytest.approx(rate, rel=1e-8)
    assert ball.velocity[1] == pytest.approx(arm * rate - e * speed, abs=1e-8)
    assert inertia * hinge.rate + ball_mass * arm * ball.velocity[1] == pytest.approx(
        ball_mass * arm * speed, abs=1e-8
    )
