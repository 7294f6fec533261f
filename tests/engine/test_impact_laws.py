"""Impact laws in a world: rows of balls, eccentric and simultaneous impacts, and no gain of energy."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Hinge, Material, Settings, World
from stoss.engine.bodies.material import IMPACT_LAWS
from stoss.engine.contacts.impact_path import collide
from tests.engine.worlds import G, axis_angle, matrix, world_with_floor

CODES = {name: code for code, name in enumerate(IMPACT_LAWS)}
law = pytest.mark.parametrize("law", IMPACT_LAWS)


def row(masses, settings: Settings, material: Material, moving: int = 1, speed: float = 2.0) -> World:
    """Return a row of balls without gravity, the first `moving` of them 5 mm before those that touch."""
    world = World(gravity=(0, 0, 0), settings=settings)
    for i, mass in enumerate(masses):
        hits = i < moving
        world.add_body(
            Sphere(0.5),
            position=(i - 0.005 * hits, 0, 0),
            velocity=(speed * hits, 0, 0),
            mass=mass,
            material=material,
        )
    return world


@law
@pytest.mark.parametrize("moving", [1, 2, 3, 4])
def test_row_passes_the_number_on(law, moving):
    """Let as many balls leave a row of five as came, with their speed, for e = 1."""
    world = row([1.0] * 5, Settings(impact_law=law), Material(restitution=1.0, friction=0.0), moving)
    world.step(3)
    assert world.velocities[:, 0] == pytest.approx([0.0] * (5 - moving) + [2.0] * moving, abs=1e-9)


@law
@pytest.mark.parametrize("e", [1.0, 0.7, 0.3])
def test_three_balls_of_different_masses(law, e):
    """Pass an impact through a row of three one pair after the other, as for balls that almost touch."""
    masses = np.array([1.0, 3.0, 0.5])
    world = row(masses, Settings(impact_law=law), Material(restitution=e, friction=0.0))
    world.step(2)
    v = np.array([2.0, 0.0, 0.0])
    pair = 0
    while v[pair] - v[pair + 1] > world.settings.resting_speed:
        i, j = pair, pair + 1
        p = (1 + e) * (v[i] - v[j]) * masses[i] * masses[j] / (masses[i] + masses[j])
        v[i] -= p / masses[i]
        v[j] += p / masses[j]
        pair = 1 - pair
    assert world.velocities[:, 0] == pytest.approx(v, abs=1e-9)


@law
def test_ball_hits_two_that_touch(law):
    """Stop, by symmetry, with each of two smooth balls driven off along its line of centres.

    With c = cos 30 and an impulse p at each: v - 2 p c / m for the ball and p / m for the others, so
    p = (1 + e) m v c / (1 + 2 c^2).
    """
    e, c = 0.6, np.cos(np.pi / 6)
    material = Material(restitution=e, friction=0.0)
    world = World(gravity=(0, 0, 0), settings=Settings(impact_law=law), time_step=1e-3)
    world.add_body(Sphere(0.5), position=(-1e-3, 0, 0), velocity=(2, 0, 0), mass=1.0, material=material)
    for side in (0.5, -0.5):
        world.add_body(Sphere(0.5), position=(c, side, 0), mass=1.0, material=material)
    world.step(2)
    p = (1 + e) * 2.0 * c / (1 + 2 * c * c)
    # the step of the hit ends with an overlap, whose normals are turned by up to v h / 2 r
    assert world.velocities[0] == pytest.approx([2.0 - 2 * p * c, 0, 0], abs=1e-2)
    assert world.velocities[1] == pytest.approx([p * c, 0.5 * p, 0], abs=1e-2)
    assert world.report.momentum == pytest.approx([2.0, 0, 0], abs=1e-13)


@law
@pytest.mark.parametrize(("slide", "friction"), [(3.0, 0.2), (0.3, 1.5), (-0.1, 0.25), (0.0, 0.9)])
def test_rod_hits_obliquely(law, slide, friction):
    """Throw a leaning rod at the floor: it slides on, sticks or slips back, as the impulse path says.

    The velocity after the impact is v + p / m, w + J^-1 (r x p), with p of `collide` for its pose.
    """
    material = Material(restitution=0.6, friction=friction)
    world = world_with_floor(material, gravity=(0, 0, 0), time_step=1e-3, settings=Settings(impact_law=law))
    velocity = np.array([slide, 0.0, -1.0])
    body = world.add_body(
        Box((0.1, 0.1, 2.0)), position=(0, 0, 1.2), quaternion=axis_angle((0.2, 1.0, 0.1), 0.6),
        velocity=velocity, mass=1.0, material=material,
    )  # fmt: skip
    while not len(world.events.begin):
        world.step()
        assert world.step_count < 500
    r = matrix(body.quaternion)
    contacts = world.contacts
    assert contacts.count == 1
    arm = 0.5 * (contacts.point_a[0] + contacts.point_b[0]) - body.position
    cross = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    inverse = r @ np.diag(1.0 / body.inertia) @ r.T
    axes = np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]])
    k = axes @ (np.eye(3) - cross @ inverse @ cross) @ axes.T
    u = axes @ velocity
    p = np.array(collide(k[np.triu_indices(3)], u, friction, friction, 0.6, CODES[law], 1.0))
    impulse = (p[:3] + p[3:6]) @ axes
    assert body.velocity == pytest.approx(velocity + impulse, abs=1e-9)
    assert body.angular_velocity == pytest.approx(inverse @ np.cross(arm, impulse), abs=1e-9)


@pytest.mark.parametrize(("width", "height"), [(0.5, 2.0), (0.4, 1.0)])
def test_rocking_block(width, height):
    """Lose angular velocity as Housner's block does: 1 - 3/2 sin^2 a remains, tan a = width / height.

    The block turns about one lower edge and lands flat: angular momentum about the other edge is kept.
    """
    h = 1e-3
    world = world_with_floor(Material(friction=2.0), time_step=h)
    start = 0.05
    turned = axis_angle((0, 1, 0), start)
    corner = matrix(turned) @ np.array([0.5 * width, 0, 0.5 * height])
    body = world.add_body(
        Box((width, 0.6, height)), position=(-corner[0], 0, corner[2]), quaternion=turned,
        mass=1.0, material=Material(friction=2.0),
    )  # fmt: skip
    lower = matrix(turned) @ np.array([0.5 * width, 0, -0.5 * height])
    body.position = (0, 0, -lower[2])
    before = 0.0
    while body.angular_velocity[1] <= 0.0 and body.angular_velocity[1] <= before:
        before = body.angular_velocity[1]
        world.step()
        assert world.step_count < 2000
    tan = width / height
    ratio = 1.0 - 1.5 * tan * tan / (1.0 + tan * tan)
    radius = 0.5 * np.hypot(width, height)
    # a step adds at most 3 g sin a h / (4 R) to the angular velocity
    change = 0.75 * G * h / radius
    assert body.angular_velocity[1] == pytest.approx(ratio * before, abs=2.0 * change)


def cluster(seed: int, law: str) -> World:
    """Return cubes and balls that touch each other and a fixed cube, thrown at each other with spin."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0, 0, 0), settings=Settings(impact_law=law), time_step=1e-3)
    shapes = [Box((1, 1, 1)), Sphere(0.5)]
    for i in range(4):
        place = np.array([i % 2, i // 2, 0.0])
        shape = shapes[rng.integers(2)]
        kind = "static" if i == 0 else "dynamic"
        options = {} if i == 0 else dict(mass=rng.uniform(0.2, 5.0), velocity=rng.normal(size=3) - place)
        if i > 0:
            options["angular_velocity"] = rng.normal(size=3)
        material = Material(restitution=rng.uniform(0, 1), friction=rng.uniform(0, 1.5))
        world.add_body(shape, position=place, kind=kind, material=material, **options)
    return world


@law
def test_simultaneous_impacts_add_no_energy(law):
    """Never gain energy where several rough bodies of different restitutions hit each other at once.

    Cubes and balls: their displacement changes no energy. Solutions are exact to 1e-10 m/s.
    """
    hits = 0
    for seed in range(70):
        world = cluster(seed, law)
        before = world.report.energy
        report = world.step()
        hits += report.impact_rounds > 0
        assert report.energy <= before + 1e-8 * before, seed
        assert report.energy - before == pytest.approx(report.ledger.change, abs=1e-12 * before)
    assert hits > 35


@law
def test_double_pendulum_hits_the_floor(law):
    """Add no energy where Newton's law with friction would: Kane and Levinson's double pendulum.

    Its tip slides on the rough floor as it hits. By Newton's law the energy would rise; the report says that
    less was given back. What counts is the speed with which the surfaces met; it changes by w^2 l h a step.
    """
    h, bounded = 1e-4, 0
    for tilt in (0.4, 0.8):
        world = pendulum(tilt, law, h)
        while not len(world.events.begin):
            before = world.report.energy
            report = world.step()
            assert world.step_count < 400
        bounded += report.bounded_impacts
        # a kilogram, a metre per second, 5 m/s^2
        assert report.ledger.dissipated >= -5.0 * h
        assert report.energy - before == pytest.approx(report.ledger.change, abs=1e-6)
    if law == "newton":
        assert bounded == 2


def pendulum(tilt: float, law: str, h: float) -> World:
    """Return a double pendulum of rods, without gravity, whose tip is about to hit the floor sliding."""
    material = Material(restitution=0.9, friction=0.5)
    world = world_with_floor(material, gravity=(0, 0, 0), time_step=h, settings=Settings(impact_law=law))
    place = np.zeros(3)
    bodies = []
    for angle in (tilt, -0.5 * tilt):
        along = np.array([np.sin(angle), 0.0, -np.cos(angle)])
        bodies.append((place + 0.5 * along, axis_angle((0, 1, 0), -angle), place.copy()))
        place = place + along
    lift = 0.0075 - place[2]
    last = None
    for number, (centre, turn, anchor) in enumerate(bodies):
        body = world.add_body(
            Box((0.02, 0.02, 1.0)), position=centre + (0, 0, lift), quaternion=turn, mass=1.0,
            angular_velocity=(0, (1.0, -2.0)[number], 0), material=material,
        )  # fmt: skip
        if last is None:
            body.velocity = np.cross(body.angular_velocity, centre - anchor)
        else:
            tip = last.velocity + np.cross(last.angular_velocity, anchor + (0, 0, lift) - last.position)
            body.velocity = tip + np.cross(body.angular_velocity, centre - anchor)
        world.add_joint(Hinge(tuple(anchor + (0, 0, lift)), (0, 1, 0)), last, body)
        last = body
    return world


def test_stop_follows_the_law():
    """Give back e at a stop of a joint by every law, and report the energy that the stop took."""
    for name in IMPACT_LAWS:
        world = World(gravity=(0, 0, 0), settings=Settings(impact_law=name))
        arm = world.add_body(Box((1, 0.1, 0.1)), position=(0.5, 0, 0), mass=2.0, angular_velocity=(0, 0, 1.0))
        arm.velocity = (0, 0.5, 0)
        joint = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), None, arm)
        joint.limit(upper=0.105, restitution=0.6)
        before = world.report.kinetic_energy
        world.step(14)
        assert joint.rate == pytest.approx(-0.6, abs=1e-9)
        assert world.ledger.stop_work == pytest.approx(-(1 - 0.36) * before, rel=1e-6)
