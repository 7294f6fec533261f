"""Impacts by Newton's law: apexes, momentum, symmetry, the resting threshold."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import G, axis_angle, matrix, run, world_with_floor

SMOOTH = Material(restitution=1.0, friction=0.0)
STEPS = [1 / 60, 0.01, 1 / 240, 1 / 1000]


def apexes(heights: np.ndarray, speeds: np.ndarray, gravity: float) -> np.ndarray:
    """Return the heights at which a body turned from rising to falling: z + v^2 / (2 g) of free flight."""
    turns = np.flatnonzero((speeds[:-1] > 0.0) & (speeds[1:] <= 0.0))
    return heights[turns] + speeds[turns] ** 2 / (2.0 * gravity)


def drop(e: float, height: float, time_step: float, duration: float, gravity: float = G, radius: float = 0.1):
    """Drop a ball and return the apexes above the floor of its lowest point."""
    material = Material(restitution=e, friction=0.0)
    world = world_with_floor(material, time_step, gravity=(0, 0, -gravity))
    ball = world.add_body(Sphere(radius), position=(0, 0, radius + height), mass=2.0, material=material)
    seen = run(world, round(duration / time_step), lambda w: (ball.position[2] - radius, ball.velocity[2]))
    return apexes(seen[:, 0], seen[:, 1], gravity)


@pytest.mark.parametrize("time_step", STEPS)
@pytest.mark.parametrize("e", [0.3, 0.5, 0.8, 0.95, 1.0])
def test_rebound_height(e, time_step):
    """Rise to e^2 h for every restitution and step (R5, R8): within 1e-3 of h."""
    assert drop(e, 2.0, time_step, 1.5)[0] == pytest.approx(e * e * 2.0, abs=2e-3)


@pytest.mark.parametrize("time_step", STEPS)
def test_twenty_bounces_keep_their_height(time_step):
    """Reach 10 m again twenty times for e = 1: within 1e-3, and never higher (R1, R3)."""
    tops = drop(1.0, 10.0, time_step, 58.5 if time_step > 0.002 else 15.0)
    assert len(tops) >= (20 if time_step > 0.002 else 5)
    assert np.abs(tops - 10.0).max() < 10.0 * 1e-3
    assert tops.max() < 10.0 * (1 + 1e-9)


@pytest.mark.parametrize("time_step", STEPS)
def test_ball_comes_to_rest(time_step):
    """Stop bouncing: a dropped ball of e = 0.5 lies still after 3 s, without micro-bounces, for any step."""
    world = world_with_floor(Material(restitution=0.5), time_step)
    ball = world.add_body(Sphere(0.1), position=(0, 0, 1.1), mass=1.0)
    world.step(round(3.0 / time_step))
    seen = run(world, 100, lambda w: (ball.position[2], ball.velocity[2]))
    assert np.abs(seen[:, 1]).max() < 1e-9
    assert np.ptp(seen[:, 0]) < 1e-9 and seen[-1, 0] == pytest.approx(0.1, abs=1e-5)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_body_set_down_does_not_bounce(e):
    """Keep a body that is set down at rest on the floor, however large restitution and step are."""
    for time_step in (*STEPS, 0.1):
        world = world_with_floor(Material(restitution=e), time_step)
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5))
        seen = run(world, 20, lambda w: (w.positions[1, 2], w.velocities[1, 2]))
        assert np.abs(seen - [0.5, 0.0]).max() < 1e-9


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("masses", [(1.0, 1.0), (1.0, 3.0), (1.0, 1e6)])
def test_central_impact(e, masses):
    """Exchange momentum by Newton's law in a central impact: u' = -e u, sum kept to rounding."""
    material = Material(restitution=e, friction=0.3)
    world = World(gravity=(0, 0, 0))
    a = world.add_body(
        Sphere(0.5), position=(-2, 0, 0), velocity=(3, 0, 0), mass=masses[0], material=material
    )
    b = world.add_body(
        Sphere(0.5), position=(2, 0, 0), velocity=(-1, 0, 0), mass=masses[1], material=material
    )
    momentum = world.report.momentum
    after = world.step(150)
    size = np.abs(masses @ np.array([3.0, 1.0]))
    assert np.abs(after.momentum - momentum).max() < 1e-14 * size
    assert (b.velocity - a.velocity)[0] == pytest.approx(4.0 * e, abs=1e-9)
    reduced = masses[0] * masses[1] / (masses[0] + masses[1])
    assert a.velocity[0] == pytest.approx(3.0 - reduced * (1 + e) * 4.0 / masses[0], abs=1e-9)
    assert np.abs(a.velocity[1:]).max() < 1e-12 and np.abs(a.angular_velocity).max() < 1e-12


def impact(world: World) -> None:
    """Step until two bodies meet."""
    while not len(world.events.begin):
        world.step()
        assert world.step_count < 2000, "the bodies missed each other"


@pytest.mark.parametrize("e", [0.3, 1.0])
def test_oblique_impact_of_smooth_spheres(e):
    """Part with e times the approach along the line of centres, and keep what is square to it.

    Balls that met within the step are moved apart; since angular momentum stays, they meet with the distance
    b at which they would have passed each other, whatever the step: approach v sqrt(1 - b^2), sliding v b.
    """
    material = Material(restitution=e, friction=0.0)
    world = World(gravity=(0, 0, 0), time_step=1e-3)
    a = world.add_body(Sphere(0.5), position=(-1, 0.4, 0.2), velocity=(2, 0, 0), mass=1.0, material=material)
    b = world.add_body(Sphere(0.5), mass=2.0, material=material)
    before = world.report
    impact(world)
    normal = a.position - b.position
    normal /= np.linalg.norm(normal)
    after = world.report
    assert np.abs(after.momentum - before.momentum).max() < 1e-14
    assert np.abs(after.angular_momentum - before.angular_momentum).max() < 1e-13
    passing, leaving = np.sqrt(0.4**2 + 0.2**2), a.velocity - b.velocity
    assert normal @ leaving == pytest.approx(e * 2.0 * np.sqrt(1 - passing**2), abs=1e-6)
    assert np.linalg.norm(np.cross(normal, leaving)) == pytest.approx(2.0 * passing, abs=1e-6)
    if e == 1.0:
        assert after.kinetic_energy == pytest.approx(before.kinetic_energy, rel=1e-9)


def test_rough_oblique_impact_conserves_momentum():
    """Keep momentum and angular momentum of two rough spinning spheres, and gain no energy."""
    material = Material(restitution=0.8, friction=0.4)
    world = World(gravity=(0, 0, 0))
    world.add_body(
        Sphere(0.5), position=(-1, 0.4, 0.2), velocity=(2, 0, 0), angular_velocity=(1, 2, 3), mass=1.0,
        material=material,
    )  # fmt: skip
    world.add_body(Sphere(0.5), angular_velocity=(0, -2, 1), mass=2.0, material=material)
    before = world.report
    impact(world)
    after = world.report
    assert np.abs(after.momentum - before.momentum).max() < 1e-13
    assert np.abs(after.angular_momentum - before.angular_momentum).max() < 1e-13
    assert after.kinetic_energy < before.kinetic_energy
    assert np.abs(world.velocities[1]).max() > 0.1


def test_ball_against_a_wall_turns_round():
    """Come back at the speed of arrival for e = 1, at 240 Hz (bullet3#3094): energy to 1e-6."""
    world = World(gravity=(0, 0, 0), time_step=1 / 240)
    ball = world.add_body(Sphere(0.2), velocity=(1, 0, 0), mass=1.0, material=SMOOTH)
    world.add_body(Box((0.2, 2, 2)), kind="static", position=(1.1, 0, 0), material=SMOOTH)
    world.step(480)
    assert np.abs(ball.velocity - [-1, 0, 0]).max() < 1e-9


def test_spheres_exchange_velocities_in_flight():
    """Exchange the velocities of two equal spheres that meet while falling (Jolt): 1e-5 after 1 s."""
    world = World(gravity=(0, 0, -G), time_step=1 / 60)
    a = world.add_body(Sphere(1.0), position=(-2, 0, 0), velocity=(5, 0, 0), material=SMOOTH)
    b = world.add_body(Sphere(1.0), position=(2, 0, 0), velocity=(-10, 0, 0), material=SMOOTH)
    world.step(60)
    assert np.abs(a.velocity - [-10, 0, -G]).max() < 1e-5 and np.abs(b.velocity - [5, 0, -G]).max() < 1e-5
    assert a.position[2] == pytest.approx(-0.5 * G, abs=1e-5)


def test_ball_between_two_spheres_loses_half_each_time():
    """Have peak speeds 10, 5, 2.5, 1.25 between two static spheres with e = 0.5 (EXUDYN)."""
    material = Material(restitution=0.5, friction=0.0)
    world = World(gravity=(0, 0, 0), time_step=1e-3)
    for x in (-0.5, 0.5):
        world.add_body(Sphere(0.1), kind="static", position=(x, 0, 0), material=material)
    ball = world.add_body(Sphere(0.1), velocity=(10, 0, 0), mass=1.6, material=material)
    speeds = np.abs(run(world, 450, lambda w: ball.velocity[0]))
    peaks = [speeds[0]]
    for s in speeds:
        if abs(s - peaks[-1]) > 1e-9:
            peaks.append(s)
    assert np.abs(np.array(peaks[:4]) - [10, 5, 2.5, 1.25]).max() < 1e-9


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_box_that_falls_flat_does_not_spin(turn):
    """Throw a box that lands flat straight back: all four corners bounce at once."""
    material = Material(restitution=0.5, friction=0.4)
    world = world_with_floor(material)
    body = world.add_body(
        Box((1, 2, 0.5)), position=(0, 0, 1.25), quaternion=axis_angle((0, 0, 1), turn), material=material
    )
    seen = run(world, 80, lambda w: (body.position[2] - 0.25, body.velocity[2], *body.angular_velocity))
    assert np.abs(seen[:, 2:]).max() < 1e-9
    assert apexes(seen[:, 0], seen[:, 1], G)[0] == pytest.approx(0.25, abs=1e-3)


def test_box_on_its_corner_follows_newton():
    """Give a smooth box that hits with one corner the velocity of rigid impact theory.

    One impulse p along the normal at the arm r: v' = v + p n / m, w' = w + J^-1 (r x n) p, with
    p = -(1 + e) u / (1/m + n . (J^-1 (r x n)) x r).
    """
    e = 0.6
    material = Material(restitution=e, friction=0.0)
    world = world_with_floor(material, gravity=(0, 0, 0), time_step=1e-3)
    turn = axis_angle((1, 2, 0.3), 0.7)
    box = world.add_body(
        Box((1.0, 0.6, 0.4)), position=(0, 0, 1.0), quaternion=turn, velocity=(0, 0, -1.5), mass=3.0,
        material=material,
    )  # fmt: skip
    while not len(world.events.begin):
        world.step()
    r = matrix(box.quaternion)
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.3, 0.3) for z in (-0.2, 0.2)]) @ r.T
    arm = corners[np.argmin(corners[:, 2])]
    inverse = r @ np.diag(1.0 / box.inertia) @ r.T
    n = np.array([0, 0, 1.0])
    lever = np.cross(arm, n)
    impulse = (1 + e) * 1.5 / (1 / 3.0 + lever @ inverse @ lever)
    assert np.abs(box.velocity - [0, 0, -1.5 + impulse / 3.0]).max() < 1e-3
    assert np.abs(box.angular_velocity - inverse @ lever * impulse).max() < 1e-3


def test_cradle_passes_the_impulse_on():
    """Let the last ball of a row of touching balls leave with the speed of the first, the others rest."""
    world = World(gravity=(0, 0, 0))
    balls = [
        world.add_body(Sphere(0.5), position=(x, 0, 0), mass=1.0, material=SMOOTH)
        for x in (-1.0, 1.0, 2.0, 3.0, 4.0)
    ]
    balls[0].velocity = (2, 0, 0)
    world.step(100)
    speeds = np.array([b.velocity[0] for b in balls])
    assert np.abs(speeds - [0, 0, 0, 0, 2]).max() < 1e-9


def test_kick_passes_through_touching_balls():
    """Pass the velocity given to the first ball of a touching row on to the last, as with a cue."""
    world = World(gravity=(0, 0, 0))
    balls = [world.add_body(Sphere(0.5), position=(k, 0, 0), mass=1.0, material=SMOOTH) for k in range(4)]
    world.step()
    balls[0].apply_impulse((2, 0, 0))
    world.step(3)
    assert np.abs([b.velocity[0] for b in balls] - np.array([0, 0, 0, 2])).max() < 1e-9


@pytest.mark.parametrize("gap", [0.0, 1e-6, 1e-3])
def test_body_thrown_down_from_the_floor_bounces(gap):
    """Throw back a ball that is thrown at the floor from where it lies, as from any height above it."""
    world = world_with_floor(Material(restitution=1.0))
    ball = world.add_body(Sphere(0.5), position=(0, 0, 0.5 + gap), velocity=(0, 0, -2.0), material=SMOOTH)
    world.step(3)
    assert ball.velocity[2] == pytest.approx(2.0, abs=3 * 0.01 * G + 1e-3)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_impact_adds_no_energy(e):
    """Never gain energy while a rough box tumbles on the floor, beyond the work of gravity on the overlap."""
    material = Material(restitution=e, friction=0.5)
    world = world_with_floor(material)
    world.add_body(
        Box((0.5, 0.3, 0.8)), position=(0, 0, 1.5), quaternion=axis_angle((1, 2, 0.5), 0.8),
        velocity=(2, 0, 0), angular_velocity=(1, -2, 0.5), mass=1.0, material=material,
    )  # fmt: skip
    energy = run(world, 300, lambda w: w.report.energy)
    # separation lifts a body by the depth it fell in within the step: at most m g v h
    assert np.diff(energy).max() < 1.0 * G * 6.0 * 0.01
    assert energy[-1] < 0.6 * energy[0]


def test_threshold_is_a_setting():
    """Bounce or stop at a speed above or below the resting speed, where gravity presses."""
    for limit, bounces in ((0.5, True), (2.0, False)):
        world = world_with_floor(Material(restitution=1.0), settings=Settings(resting_speed=limit))
        ball = world.add_body(Sphere(0.5), position=(0, 0, 0.55), velocity=(0, 0, -1.0))
        world.step(8)
        if bounces:
            assert ball.velocity[2] > 0.9
        else:
            assert ball.velocity[2] == pytest.approx(0.0, abs=1e-9)


def test_a_small_box_that_spins_on_a_large_ball_gains_no_energy():
    """Keep the energy: the box turns far beyond its own face, which is smaller than the ball is round."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Sphere(20.0), mass=1.3, name="ball")
    spin = (-5.0, 6.0, 2.0)
    world.add_body(
        Box((0.0066, 0.0066, 0.0066)), position=(0, 0, 20.0033), mass=0.12, angular_velocity=spin, name="box"
    )
    start = world.report.kinetic_energy
    for _ in range(20):
        assert world.step().kinetic_energy <= start * (1.0 + 1e-12)


def test_displacing_a_spinning_box_neither_gives_nor_takes_energy():
    """Keep the energy of a box that is pushed and turned out of an overlap while it spins."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Box((1.0, 1.0, 1.0)), kind="static", name="block")
    tilted = (0.9, 0.3, 0.2, 0.1)
    world.add_body(
        Box((0.1, 0.3, 0.9)),
        position=(0.3, 0.2, 0.75),
        quaternion=tilted / np.linalg.norm(tilted),
        velocity=(0.0, 0.0, 0.2),
        angular_velocity=(1.0, -2.0, 3.0),
        mass=2.0,
        name="rod",
    )
    report = world.step()
    energy = report.kinetic_energy
    assert report.max_overlap > 0.1  # it is not out yet
    assert abs(report.ledger.displacement_energy) < 1e-13 * energy
