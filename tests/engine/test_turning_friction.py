"""Rolling and torsional friction: closed forms of balls and coins, in both solvers.

Half of every impulse acts at either end of a step, so constant decelerations are exact; in the step in which
a motion of deceleration a ends, it brakes for part of the time only, by which at most a h^2 / 8 of the way
and a h of the speed are lost. What is left is the tolerance of the velocity rows, 1e-10 m/s.
"""

import numpy as np
import pytest

from stoss.collision import Cylinder, HalfSpace, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import G, downhill, on_slope, run, slope, world_with_floor

SOLVERS = ["direct", "gauss_seidel"]
H = 0.01
R = 0.5
INERTIA = 0.4 * R**2  # of a ball of R, per mass


def strict(solver: str, **values) -> Settings:
    """Return settings with as many sweeps as the tolerances take, both far below those of the tests."""
    return Settings(solver=solver, sweeps=1000, position_tolerance=1e-11, **values)


def rolling_ball(settings: Settings, material: Material, velocity, spin: float = 0.0):
    """Return a ball that rolls on the floor without slip and spins about the vertical."""
    world = world_with_floor(material, H, settings)
    vx, vy = velocity
    return world.add_body(
        Sphere(R),
        position=(0, 0, R),
        velocity=(vx, vy, 0),
        angular_velocity=(-vy / R, vx / R, spin),
        mass=2.0,
        material=material,
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("direction", [0.0, 0.4, 2.5])
def test_rolling_ball_slows_down_and_stops(solver, direction):
    """Decelerate by 5/7 g rho / R in a straight line whatever the direction, stop, and stay."""
    rho, speed = 0.02, 0.2
    ahead = np.array([np.cos(direction), np.sin(direction), 0.0])
    material = Material(friction=0.5, rolling_friction=rho)
    ball = rolling_ball(strict(solver), material, speed * ahead[:2])
    a = 5 / 7 * G * rho / R
    end = speed / a
    seen = run(ball.world, int(end / H) + 2, lambda w: [*ball.position, *ball.velocity])
    t = np.minimum(H * np.arange(len(seen)), end)[:, None]
    exact = (speed * t - 0.5 * a * t**2) * ahead + [0, 0, R]
    moving = H * np.arange(len(seen)) < end
    assert np.abs(seen[moving, :3] - exact[moving]).max() < 1e-9
    assert np.abs(seen[moving, 3:] - ((speed - a * t) * ahead)[moving]).max() < 1e-9
    assert np.abs(seen[:, :3] - exact).max() < a * H**2 / 8 + 1e-9
    stopped = ball.position
    ball.world.step(100)
    assert np.abs(ball.position - stopped).max() < 1e-9
    assert np.abs(ball.angular_velocity).max() < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("share", [0.5, 0.99, 1.01, 2.0])
def test_ball_on_a_slope(solver, share):
    """Hold below tan = rho / R without creep; above it roll with 5/7 g (sin - rho / R cos)."""
    rho = 0.05
    angle = np.arctan(share * rho / R)
    material = Material(friction=0.6, rolling_friction=rho)
    world = slope(angle, material, H, strict(solver))
    ball = world.add_body(Sphere(R), position=on_slope(angle, R), mass=2.0, material=material)
    start = ball.position
    seen = run(world, 100, lambda w: (ball.position - start) @ downhill(angle))
    a = max(5 / 7 * G * (np.sin(angle) - rho / R * np.cos(angle)), 0.0)
    t = H * np.arange(101)
    assert np.abs(seen - 0.5 * a * t**2).max() < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_ball_that_slides_rolls_and_stops(solver):
    """Slide with mu g, then roll with 5/7 g rho / R, for a ball thrown without spin.

    While it slides, friction turns it with mu m g R and rolling friction resists: it rolls when
    v - mu g t = 5/2 (mu - rho / R) g t. That moment may lie anywhere in a step: mu g h^2 / 8 of the way
    and, from the speed of then, mu g h times the step are open.
    """
    mu, rho, speed = 0.3, 0.02, 1.0
    material = Material(friction=mu, rolling_friction=rho)
    ball = rolling_ball(strict(solver), material, (speed, 0.0))
    ball.angular_velocity = (0, 0, 0)
    turn = speed / (mu * G + 2.5 * (mu - rho / R) * G)
    a = 5 / 7 * G * rho / R
    rolled = speed - mu * G * turn
    seen = run(ball.world, 60, lambda w: (ball.position[0], ball.velocity[0], R * ball.angular_velocity[1]))
    t = H * np.arange(61)
    slides = t < turn
    exact = np.where(slides, speed - mu * G * t, rolled - a * (t - turn))
    assert np.abs(seen[slides, 1] - exact[slides]).max() < 1e-9
    assert np.abs(seen[slides, 2] - 2.5 * (mu - rho / R) * G * t[slides]).max() < 1e-9
    assert np.abs(seen[~slides][1:, 1] - seen[~slides][1:, 2]).max() < 1e-9
    assert np.abs(np.diff(seen[~slides][1:, 1]) + a * H).max() < 1e-9
    assert np.abs(seen[:, 1] - exact).max() < (mu * G) * H


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_spinning_ball_slows_down_and_stops(solver, mu):
    """Slow the spin of a ball about the vertical by mu_t m g / I, stop it, and move it nowhere."""
    torsion, spin = 0.01, 0.3
    ball = rolling_ball(strict(solver), Material(friction=mu, torsional_friction=torsion), (0, 0), spin)
    rate = torsion * G / INERTIA
    seen = run(ball.world, int(spin / rate / H) + 3, lambda w: ball.angular_velocity)
    t = H * np.arange(len(seen))
    assert np.abs(seen[:, 2] - np.maximum(spin - rate * t, 0.0)).max() < 1e-9
    assert np.abs(seen[-2:]).max() < 1e-9
    assert np.abs(ball.position - [0, 0, R]).max() < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_spinning_coin(solver):
    """Slow a coin that spins on its face by mu_t m g / I, whatever the points it touches with."""
    torsion, spin, radius = 0.002, 1.0, 0.2
    material = Material(friction=0.0, torsional_friction=torsion)
    world = world_with_floor(material, H, strict(solver))
    coin = world.add_body(
        Cylinder(radius, 0.04), position=(0, 0, 0.02), angular_velocity=(0, 0, spin), material=material
    )
    rate = torsion * G / (0.5 * radius**2)
    seen = run(world, 50, lambda w: coin.angular_velocity[2])
    t = H * np.arange(51)
    assert np.abs(seen - np.maximum(spin - rate * t, 0.0)).max() < 1e-9
    world.step(int(spin / rate / H) - 48)
    assert np.abs(coin.angular_velocity).max() < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_rolling_and_spinning_do_not_disturb_each_other(solver):
    """Slow a ball that rolls and spins as one that rolls and one that spins, without energy."""
    rho, torsion, speed, spin = 0.01, 0.02, 0.3, 1.5
    material = Material(friction=0.5, rolling_friction=rho, torsional_friction=torsion)
    ball = rolling_ball(strict(solver), material, (speed, 0.0), spin)
    seen = run(
        ball.world, 60, lambda w: (ball.velocity[0], ball.angular_velocity[2], w.report.kinetic_energy)
    )
    t = H * np.arange(61)
    assert np.abs(seen[:, 0] - (speed - 5 / 7 * G * rho / R * t)).max() < 1e-9
    assert np.abs(seen[:, 1] - np.maximum(spin - torsion * G / INERTIA * t, 0.0)).max() < 1e-9
    assert np.diff(seen[:, 2]).max() < 0.0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_impact_with_spin(solver, e):
    """Take mu_t times the impulse of an impact off the relative spin, and conserve momentum.

    Two free balls of m and 2 m meet head on: impulse p = (1 + e) 2/3 m u. Without friction against sliding
    the spin about the line of centres changes by mu_t p / I, that across it by rho p / I, in the plane.
    """
    torsion, rho, mass, speed = 0.02, 0.01, 1.5, 1.2
    material = Material(friction=0.0, restitution=e, rolling_friction=rho, torsional_friction=torsion)
    world = World(gravity=(0, 0, 0), time_step=H, settings=strict(solver))
    spin = np.array([3.0, 2.0, -1.5])
    first = world.add_body(
        Sphere(R),
        position=(-R - 0.03, 0, 0),
        velocity=(speed, 0, 0),
        angular_velocity=spin,
        mass=mass,
        material=material,
    )
    second = world.add_body(Sphere(R), position=(R, 0, 0), mass=2 * mass, material=material)
    before = world.report
    world.step(10)
    after = world.report
    np.testing.assert_allclose(after.momentum, before.momentum, rtol=0, atol=1e-12)
    np.testing.assert_allclose(after.angular_momentum, before.angular_momentum, rtol=0, atol=1e-12)
    assert after.kinetic_energy < before.kinetic_energy
    impulse = (1 + e) * 2 / 3 * mass * speed
    assert first.velocity[0] == pytest.approx(speed - impulse / mass, abs=1e-9)
    turn = np.array([torsion, *(rho * spin[1:] / np.linalg.norm(spin[1:]))]) * impulse
    np.testing.assert_allclose(first.angular_velocity, spin - turn / (mass * INERTIA), rtol=0, atol=1e-9)
    np.testing.assert_allclose(second.angular_velocity, turn / (2 * mass * INERTIA), rtol=0, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_balls_that_roll_on_each_other(solver):
    """Conserve momentum and lose energy where two free balls meet and roll on each other."""
    material = Material(friction=0.4, rolling_friction=0.01, torsional_friction=0.01)
    world = World(gravity=(0, 0, 0), time_step=H, settings=strict(solver))
    rng = np.random.default_rng(1)
    for x in (-R, R):
        world.add_body(
            Sphere(R),
            position=(x, 0, 0),
            velocity=(-0.2 * np.sign(x), 0.1 * x, 0.0),
            angular_velocity=rng.normal(size=3),
            mass=1.0,
            material=material,
        )
    before = world.report
    energies = run(world, 20, lambda w: w.report.kinetic_energy)
    after = world.report
    np.testing.assert_allclose(after.momentum, before.momentum, rtol=0, atol=1e-12)
    np.testing.assert_allclose(after.angular_momentum, before.angular_momentum, rtol=0, atol=1e-12)
    assert np.diff(energies).max() < 1e-10 and energies[-1] < energies[0]


@pytest.mark.parametrize(
    "rule, both", [("add", 0.03), ("geometric_mean", np.sqrt(0.0002)), ("maximum", 0.02)]
)
def test_friction_rule_combines_rolling_friction(rule, both):
    """Combine the values of a pair by the friction rule."""
    settings = strict("direct", friction_rule=rule)
    world = world_with_floor(Material(rolling_friction=0.01, friction=0.5), H, settings)
    ball = world.add_body(
        Sphere(R),
        position=(0, 0, R),
        velocity=(1, 0, 0),
        angular_velocity=(0, 1 / R, 0),
        material=Material(rolling_friction=0.02, friction=0.5),
    )
    world.step(10)
    assert ball.velocity[0] == pytest.approx(1 - 5 / 7 * G * both / R * 0.1, abs=1e-9)


def test_without_values_there_are_no_rows():
    """Have three rows per contact, and the same bits, where a pair has no rolling or torsional friction."""
    hashes = set()
    for material in (Material(), Material(rolling_friction=0.1, torsional_friction=0.1)):
        world = world_with_floor()  # geometric mean: nothing where the floor has none
        for k in range(3):
            world.add_body(Sphere(R), position=(0.9 * k, 0.1 * k, R + 0.5 * k), material=material)
        world.step(60)
        assert world.contacts.count > 0
        layout = world._stepper.system.layout
        assert (np.diff(layout.start)[layout.contact_block] == 3).sum() >= 1
        hashes.add(world.state_hash())
    ball_on_ball = Material(rolling_friction=0.1)
    world = World(gravity=(0, 0, 0))
    for x in (-R, R):
        world.add_body(Sphere(R), position=(x, 0, 0), material=ball_on_ball)
    world.step()
    assert np.diff(world._stepper.system.layout.start).tolist() == [5]


@pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
def test_save_and_restore(solver):
    """Continue bitwise after a restore, in a heap that rolls."""
    material = Material(friction=0.4, rolling_friction=0.01, torsional_friction=0.01)
    world = world_with_floor(material, H, Settings(solver=solver))
    world.add_body(HalfSpace(normal=(-1, 0, 1)), kind="static", position=(1.5, 0, 0), material=material)
    for k in range(3):
        world.add_body(Sphere(R), position=(0.3 * k, 0.8 * k, R + 0.5 * k), material=material)
    world.step(30)
    saved = world.save()
    world.step(10)
    ahead = world.state_hash()
    world.restore(saved)
    world.step(10)
    assert world.state_hash() == ahead


def test_material_of_a_body():
    """Give back all values that a body was given."""
    material = Material(restitution=0.1, friction=0.2, static_friction=0.3)
    for rolling, torsional in ((0.0, 0.0), (0.4, 0.5)):
        whole = Material(0.1, 0.2, 0.3, rolling_friction=rolling, torsional_friction=torsional)
        body = World().add_body(Sphere(R), material=material)
        body.material = whole
        assert body.material == whole


@pytest.mark.parametrize("name", ["rolling_friction", "torsional_friction"])
@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf])
def test_bad_values(name, value):
    """Refuse values that are not lengths, naming the value and its unit."""
    with pytest.raises(ValueError, match=rf"{name} = .*\[m\]"):
        Material(**{name: value})


def test_rolling_friction_given_later_acts_from_then_on():
    """Brake a rolling ball from when both materials have rolling friction, its contact staying the same."""
    world = World()
    world.add_body(HalfSpace(), kind="static", material=Material(friction=1.0), name="ground")
    ball = world.add_body(
        Sphere(0.1),
        position=(0, 0, 0.1),
        velocity=(1, 0, 0),
        angular_velocity=(0, 10, 0),
        mass=1.0,
        material=Material(friction=1.0),
    )
    world.step(20)
    assert abs(ball.velocity[0] - 1.0) < 1e-9
    ball.material = Material(friction=1.0, rolling_friction=0.01)
    world.step(20)
    # a = 5/7 g rho / R, with rho the geometric mean of the ball's and the ground's, which is none
    assert abs(ball.velocity[0] - 1.0) < 1e-9
    world.bodies[0].material = Material(friction=1.0, rolling_friction=0.01)
    world.step(20)
    assert abs(ball.velocity[0] - (1.0 - 5.0 / 7.0 * 9.81 * 0.1 * 0.2)) < 1e-3


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("share", "turns"), [(0.9, False), (1.1, True)])
def test_what_sticks_holds_more_torque(solver, share, turns):
    """Hold a torque up to mu_t m g times static over sliding friction; beyond it turn with the rest."""
    torsion = 0.01
    rough = Material(friction=0.4, static_friction=0.6, torsional_friction=torsion)
    world = world_with_floor(rough, H, strict(solver))
    ball = world.add_body(Sphere(R), position=(0, 0, R), mass=1.0, material=rough)
    world.step(5)
    torque = share * 1.5 * torsion * G
    world.torques[ball.index] = (0, 0, torque)
    world.step(40)
    if turns:
        moment = ball.inertia[2]
        wanted = (torque - torsion * G) / moment * 40 * H
        assert ball.angular_velocity[2] == pytest.approx(wanted, rel=0.03)
    else:
        assert abs(ball.angular_velocity[2]) < 1e-9
