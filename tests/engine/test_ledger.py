"""The energy ledger: what contacts, joints and displacements take and give is the change of energy."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cylinder, Shape, Sphere
from stoss.engine import Ball, Hinge, Material, Settings, World
from tests.engine.worlds import G, axis_angle, random_quaternion, world_with_floor


def check(world: World, steps: int, tolerance: float) -> None:
    """Step, and compare the change of energy with the ledger after every step and in the end."""
    start = last = world.report.energy
    for _ in range(steps):
        report = world.step()
        assert report.energy - last == pytest.approx(report.ledger.change, abs=tolerance)
        last = report.energy
    assert last - start == pytest.approx(world.ledger.change, abs=steps * tolerance)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_bouncing_ball(e):
    """Take (1 - e^2) m g h in normal impulses and displacement at each bounce, nothing in friction."""
    material = Material(restitution=e, friction=0.4)
    world = world_with_floor(material)
    ball = world.add_body(Sphere(0.1), position=(0, 0, 1.1), mass=2.0, material=material)
    energy = 2.0 * G * 1.1
    # energies are sums of some twenty numbers of that size
    check(world, 60, 100 * 2e-16 * energy)
    ledger = world.ledger
    assert ledger.dissipated_friction == pytest.approx(0.0, abs=1e-12)
    # one bounce has taken place; its height is kept to the tolerance of positions
    lost = (1 - e * e) * 2.0 * G * 1.0
    assert ledger.dissipated_normal - ledger.displacement_energy == pytest.approx(lost, abs=2.0 * G * 2e-6)
    assert ball.position[2] > 0.1 - 1e-6


def test_sliding_box():
    """Take mu m g s in friction on a flat floor, and nothing in normal impulses."""
    mu, mass, speed = 0.3, 3.0, 2.0
    material = Material(friction=mu)
    world = world_with_floor(material)
    box = world.add_body(
        Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(speed, 0, 0), mass=mass, material=material
    )
    check(world, 50, 1e-13)
    assert world.ledger.dissipated_friction == pytest.approx(mu * mass * G * box.position[0], rel=1e-9)
    world.step(30)
    assert world.ledger.dissipated_friction == pytest.approx(0.5 * mass * speed**2, rel=1e-9)
    assert world.ledger.dissipated_normal == pytest.approx(0.0, abs=1e-9)
    taken = world.ledger
    world.step(20)
    # at rest both halves of the step take and give the same, to the tolerance of velocities
    assert world.ledger.dissipated == pytest.approx(taken.dissipated, abs=1e-8)


def test_box_at_rest_takes_nothing():
    """Take and give nothing in every step of a stack at rest on a slope that holds it."""
    angle = 0.2
    material = Material(friction=0.5)
    world = World(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    world.add_body(Box((9, 9, 1)), kind="static", position=(0, 0, -0.5), material=material)
    for level in range(3):
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5 + level), mass=1.0, material=material)
    world.step(5)
    for _ in range(5):
        ledger = world.step().ledger
        assert abs(ledger.dissipated_normal) + abs(ledger.dissipated_friction) < 1e-9


def test_conveyor():
    """Charge the belt with what it gives: m v^2, half of it heat and half of it motion (R. Hibbeler)."""
    speed, material = 1.5, Material(friction=0.4)
    world = World()
    world.add_body(
        Box((40, 4, 1)), kind="kinematic", position=(0, 0, -0.5), velocity=(speed, 0, 0), material=material
    )
    world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=2.0, material=material)
    check(world, 80, 1e-12)
    assert world.ledger.driven_work == pytest.approx(2.0 * speed**2, rel=1e-6)
    assert world.ledger.dissipated_friction == pytest.approx(0.5 * 2.0 * speed**2, rel=1e-6)


def test_cradle():
    """Lose nothing in a row of elastic balls, and 1 - e^2 of the relative energy in each plastic hit."""
    for e in (1.0, 0.5):
        world = World(gravity=(0, 0, 0))
        material = Material(restitution=e, friction=0.0)
        for k in range(5):
            world.add_body(Sphere(0.5), position=(k - 0.004 * (k == 0), 0, 0), mass=1.0, material=material)
        world.bodies[0].velocity = (2, 0, 0)
        check(world, 3, 1e-14)
        speeds = world.velocities[:, 0]
        assert world.ledger.dissipated_normal == pytest.approx(2.0 - 0.5 * speeds @ speeds, abs=1e-12)
        if e == 1.0:
            assert world.ledger.dissipated_normal == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_pile_with_joints(solver):
    """Close the balance over a pile of cubes and balls, some of them joined, that falls into a heap.

    Free rotation of cubes and balls is exact. Energies are sums over ten bodies of up to 1e3 J.
    """
    rng = np.random.default_rng(4)
    material = Material(restitution=0.3, friction=0.4)
    world = world_with_floor(material, settings=Settings(solver=solver))
    bodies = []
    for k in range(8):
        shape = Box((0.5, 0.5, 0.5)) if k % 3 else Sphere(0.3)
        place = (*rng.uniform(-0.2, 0.2, 2), 0.6 + 0.7 * k)
        options = dict(
            mass=float(rng.uniform(0.5, 3.0)), material=material, quaternion=random_quaternion(rng)
        )
        bodies.append(world.add_body(shape, position=place, **options))
    for k in (1, 4):
        middle = 0.5 * (bodies[k].position + bodies[k + 1].position)
        world.add_joint(Ball(tuple(middle)), bodies[k], bodies[k + 1])
    check(world, 150, 1e-9)
    assert world.ledger.dissipated_normal > 0.0 and world.ledger.dissipated_friction > 0.0


def test_drives_stops_and_loads():
    """Charge motors, stops and forces with their work: a wheel driven against its stop, a pushed ball."""
    world = World(gravity=(0, 0, 0))
    wheel = world.add_body(Box((1, 1, 1)), mass=3.0)
    joint = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), None, wheel)
    motor = joint.motor(100.0, max_force=4.0)
    ball = world.add_body(Sphere(0.1), position=(5, 0, 0), mass=2.0)
    for _ in range(20):
        ball.apply_force((3.0, 0, 0))
        world.step()
    assert motor.force == pytest.approx(4.0)
    assert world.ledger.drive_work == pytest.approx(4.0 * joint.value, rel=1e-9)
    assert world.ledger.load_work == pytest.approx(3.0 * (ball.position[0] - 5.0), rel=1e-12)
    assert world.report.energy == pytest.approx(world.ledger.change, rel=1e-12)
    joint.limit(upper=float(joint.value) + 1e-3, restitution=0.5)
    before = wheel.kinetic_energy
    world.step(2)
    assert world.ledger.stop_work < -0.5 * before
    assert world.report.energy == pytest.approx(world.ledger.change, rel=1e-9)


def test_displacement_counts():
    """Charge the displacement of an overlap with the height that it gives."""
    world = world_with_floor()
    box = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.49), mass=2.0)
    before = world.report.energy
    world.step(100)
    raised = 2.0 * G * (box.position[2] - 0.49)
    assert raised == pytest.approx(2.0 * G * 0.01, rel=1e-3)
    assert world.ledger.displacement_energy == pytest.approx(raised, rel=1e-9)
    assert world.report.energy - before == pytest.approx(world.ledger.change, abs=1e-11)


def test_ledger_goes_with_the_state():
    """Save and restore the sums with the world, and start again from them."""
    material = Material(restitution=0.6, friction=0.3)
    world = world_with_floor(material)
    world.add_body(
        Box((1, 1, 1)),
        position=(0, 0, 1.0),
        quaternion=axis_angle((1, 2, 0), 0.4),
        mass=1.0,
        material=material,
    )
    world.step(40)
    saved = world.save()
    then = world.ledger
    world.step(30)
    after = world.ledger
    assert after != then
    world.restore(saved)
    assert world.ledger == then
    world.step(30)
    assert world.ledger == after


@pytest.mark.parametrize("h", [0.01, 0.001])
def test_torques_do_the_work_of_their_two_halves(h):
    """Close the books of a lopsided body that a torque turns, alone and hinged to another one.

    A torque that stays in the world meets other moments of inertia as the body turns: the mean of the angular
    velocities at both ends of a step would miss its work by h^3.
    """
    world = World(time_step=h, gravity=(0, 0, -G))
    first = world.add_body(Box((0.1, 0.4, 1.0)), mass=2.0, angular_velocity=(3.0, -2.0, 1.0))
    second = world.add_body(Box((0.3, 0.2, 0.1)), position=(0, 0, 0.7), mass=1.0)
    world.add_joint(Ball((0, 0, 0.6)), first, second)
    world.add_body(Box((0.1, 0.4, 1.0)), position=(5, 0, 0), mass=2.0)
    world.torques = ((4.0, 1.0, -2.0), (-4.0, -1.0, 2.0), (1.0, 5.0, 2.0))
    # of 50 J, whose free rotation is composed to 6e-13
    check(world, round(0.2 / h), 6e-13 * 50.0)
    assert world.ledger.load_work > 5.0


SPHERES = Sphere(0.1375), Sphere(0.1165), Box((0.091, 0.035, 0.411))
MIXED = Capsule(0.12, 0.04), Box((0.2, 0.2, 0.18)), Box((0.091, 0.035, 0.411))
BULKY = Box((0.2, 0.22, 0.24)), Cylinder(0.11, 0.2), Capsule(0.05, 0.3)


def pushed_chain(
    shapes: tuple[Shape, ...], masses: tuple[float, ...], force: tuple[float, ...], h: float, solver: str
) -> World:
    """Return a chain without gravity whose links rub, bounce and are at their stops, pushed and twisted."""
    world = World(gravity=(0, 0, 0), time_step=h, settings=Settings(solver=solver))
    along = np.array((-0.503, -0.2546, -0.6672)) / np.linalg.norm((0.503, 0.2546, 0.6672))
    turned = (0.34370701, 0.423949778, -0.837933218, 0.0)
    bodies, places = [], (0.1375, 0.3915, 0.7133)
    for k, (shape, mass, place) in enumerate(zip(shapes, masses, places, strict=True)):
        material = Material(friction=1.2, restitution=0.7 if k == 1 else 0.0)
        position = tuple(place * along)
        bodies.append(
            world.add_body(shape, position=position, quaternion=turned, mass=mass, material=material)
        )
    for k, (place, most) in enumerate(((0.0, 0.637), (0.275, 1.081), (0.508, 1.034))):
        first = bodies[k - 1] if k else None
        joint = world.add_joint(Ball(tuple(place * along)), first, bodies[k], collide=True)
        joint.limit(upper=most, coordinate="swing")
    world.forces[bodies[0].index] = force
    world.torques[bodies[1].index] = (0.1, 0.0, 0.2)
    return world


@pytest.mark.parametrize("solver", ["gauss_seidel", "direct"])
@pytest.mark.parametrize(
    ("shapes", "masses", "force", "h"),
    [
        (SPHERES, (0.477, 1.0, 1.0), (1.49, -2.406, 1.317), 0.0167),
        (SPHERES, (2.0, 0.5, 1.0), (6.0, 3.0, -2.0), 0.005),
        (SPHERES, (0.477, 1.0, 1.0), (6.0, 3.0, -2.0), 0.01),
        (SPHERES, (2.0, 0.5, 1.0), (1.49, -2.406, 1.317), 0.033),
        (MIXED, (0.477, 1.0, 1.0), (6.0, 3.0, -2.0), 0.0167),
        (BULKY, (0.477, 1.0, 1.0), (6.0, 3.0, -2.0), 0.0167),
    ],
)
def test_what_is_settled_anew_is_booked_as_it_was(shapes, masses, force, h, solver):
    """Let the certificate and the ledger say the same of all that holds and touches, loads or none.

    Where an island is settled once more without its impacts, loads are shared with joints as they were in
    `correct`: else each such step forgives a debt of h f dv / 4 that was never paid.
    """
    world = pushed_chain(shapes, masses, force, h, solver)
    for _ in range(300):
        report = world.step()
        ledger = report.ledger
        if report.sub_steps == 1:
            held = ledger.joint_work + ledger.stop_work - ledger.dissipated
            assert world._stepper.system.system.work.gain[:3].sum() == pytest.approx(held, abs=1e-10)
