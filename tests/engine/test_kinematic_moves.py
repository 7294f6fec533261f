"""Kinematic bodies that are moved by their pose: they carry and push."""

import warnings

import numpy as np
import pytest

from stoss.collision import Box, Cylinder, HalfSpace, Placed, Sphere
from stoss.engine import Material, Settings, World


def crate_on_deck(settings=None):
    """Return a world, a kinematic deck and a crate that rests on it."""
    world = World(settings=settings)
    rough = Material(friction=0.8)
    deck = world.add_body(Box((4, 4, 0.2)), kind="kinematic", position=(0, 0, -0.1), material=rough)
    crate = world.add_body(Box((0.4, 0.4, 0.4)), mass=3.0, position=(1.0, 0, 0.2), material=rough)
    world.step(5)
    return world, deck, crate


@pytest.mark.parametrize("settings", [{}, {"solver": "gauss_seidel"}, {"sleeping": True, "sleep_time": 0.02}])
def test_deck_carries(settings):
    """Carry a crate along, up and round, with the pose that was asked for after every step."""
    world, deck, crate = crate_on_deck(Settings(**settings))
    local = deck.local_point(crate.position)
    for k in range(1, 101):
        s = k / 100
        half = 0.15 * s * s
        position, turn = (0.4 * s * s, 0.1 * s * s, -0.1 + 0.2 * s * s), (np.cos(half), 0, 0, np.sin(half))
        deck.move_to(position, turn)
        world.step()
        assert deck.position == pytest.approx(position, abs=1e-12)
        assert deck.quaternion == pytest.approx(turn, abs=1e-12)
    assert deck.local_point(crate.position) == pytest.approx(local, abs=2e-3)
    assert crate.velocity[2] == pytest.approx(0.4, abs=0.01)
    world.step()
    assert not deck.velocity.any() and not deck.angular_velocity.any()


def test_ram_pushes():
    """Push a crate in front of a ram, without sinking into it."""
    world = World()
    world.add_body(HalfSpace(), kind="static")
    ram = world.add_body(Box((0.2, 1, 1)), kind="kinematic", position=(-0.5, 0, 0.5))
    crate = world.add_body(Box((0.4, 0.4, 0.4)), mass=3.0, position=(0, 0, 0.2))
    for k in range(100):
        ram.move_to((-0.5 + 0.01 * k, 0, 0.5))
        world.step()
        assert crate.position[0] - 0.2 >= ram.position[0] + 0.1 - 1e-3
    assert crate.position[0] >= ram.position[0] + 0.3 - 1e-3


def test_eccentric_frames_and_large_turns():
    """Reach the pose of the body's frame, wherever its shapes are, on the shorter way."""
    world = World(time_step=0.004)
    shapes = [Placed(Box((1, 0.2, 0.2)), (1, 0.5, 0)), Placed(Cylinder(0.1, 1.0), (0, 1, 1))]
    body = world.add_body(shapes, kind="kinematic")
    rng = np.random.default_rng(1)
    for _ in range(10):
        position, turn = rng.normal(size=3), rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        body.move_to(position, turn)
        world.step()
        assert body.position == pytest.approx(position, abs=1e-11)
        assert abs(body.quaternion @ turn) == pytest.approx(1.0, abs=1e-12)
        assert np.linalg.norm(body.angular_velocity) <= np.pi / 0.004 * (1.0 + 1e-9)
        world.step()  # at rest, so that the next way begins at once with its mean velocity


def test_velocity_takes_over():
    """Let a velocity that is assigned replace a pose that was to be reached."""
    world, deck, _ = crate_on_deck()
    deck.move_to((1, 0, 0))
    deck.velocity = (0, 0, 0.5)
    world.step(10)
    assert deck.velocity == pytest.approx((0, 0, 0.5)) and deck.position[0] == 0.0


def test_moves_are_saved():
    """Go on from a snapshot to the pose that was asked for."""
    world, deck, _ = crate_on_deck()
    deck.move_to((0.01, 0, -0.1))
    snapshot = world.save()
    world.step(3)
    expected = world.state_hash()
    world.restore(snapshot)
    world.step(3)
    assert world.state_hash() == expected and deck.position[0] == pytest.approx(0.01)


def test_only_kinematic_bodies_are_moved():
    """Refuse others, naming the cure."""
    world = World()
    ball, wall = world.add_body(Sphere(0.1), name="ball"), world.add_body(HalfSpace(), kind="static")
    for body in (ball, wall):
        with pytest.raises(ValueError, match="move_to.*not kinematic"):
            body.move_to((0, 0, 1))
    board = world.add_body(Box((1, 1, 1)), kind="kinematic", position=(0, 0, 5))
    with pytest.raises(ValueError, match="quaternion"):
        board.move_to(quaternion=(0, 0, 0, 0))


def test_assigned_poses_are_told():
    """Warn where a kinematic body that touches something is moved by assigning its pose, and nowhere else."""
    world, deck, crate = crate_on_deck()
    with pytest.warns(UserWarning, match="move_to") as told:
        deck.position = (0.1, 0, -0.1)
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match="move_to"):
        deck.quaternion = (1, 0, 0, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        crate.position = (0, 0, 3)
        world.step()
        deck.position = (0, 0, -0.1)


def bat(spin, distance=0.8, h=0.01, **settings):
    """Return a world with a bat that turns about the vertical, and a ball at rest in its way."""
    world = World(gravity=(0, 0, 0), time_step=h, settings=Settings(**settings))
    material = Material(restitution=0.5, friction=0.0)
    shape = Placed(Box((1.0, 0.05, 0.2)), (0.5, 0, 0))
    club = world.add_body([shape], kind="kinematic", angular_velocity=(0, 0, spin), material=material)
    ball = world.add_body(Sphere(0.05), mass=0.2, position=(0, distance, 0), material=material)
    return world, club, ball


@pytest.mark.parametrize("spin", [5.0, 30.0, 100.0])
@pytest.mark.parametrize("settings", [{}, {"solver": "gauss_seidel"}, {"time_of_impact": True}])
def test_bat_hits_a_ball_at_rest(spin, settings):
    """Send a ball off with (1 + e) times the speed that a fast bat has where it hits."""
    world, _, ball = bat(spin, **settings)
    for _ in range(round(2.0 / spin / 0.01) + 2):
        world.step()
        if ball.velocity.any():
            break
    # the bat's face is 0.025 m before its axis of length, the ball 0.05 m before that
    speed = np.linalg.norm(ball.velocity)
    assert speed == pytest.approx(1.5 * spin * 0.8, rel=0.06)
    assert ball.velocity[0] < 0.0


def test_flipper_throws_a_ball():
    """Throw a ball that lies on a flipper's way, by sets of poses."""
    world = World(gravity=(0, 0, 0))
    flipper = world.add_body([Placed(Box((0.3, 0.02, 0.05)), (0.15, 0, 0))], kind="kinematic")
    ball = world.add_body(Sphere(0.013), mass=0.08, position=(0.2, 0.1, 0))
    for k in range(1, 6):
        half = 0.15 * k
        flipper.move_to((0, 0, 0), (np.cos(half), 0, 0, np.sin(half)))
        world.step()
    assert ball.velocity[1] > 3.0
    local = flipper.local_point(ball.position)
    assert local[1] > 0.01


def test_wall_sweeps_many():
    """Push every ball in front of a thin wall that moves many of its thicknesses in a step."""
    world = World(gravity=(0, 0, 0))
    wall = world.add_body(Box((0.01, 2, 2)), kind="kinematic", position=(-1, 0, 0), velocity=(40, 0, 0))
    rng = np.random.default_rng(3)
    balls = [
        world.add_body(Sphere(0.02), mass=0.1, position=(0.05 * k, *rng.uniform(-0.8, 0.8, 2)))
        for k in range(10)
    ]
    world.step(7)
    front = wall.position[0] + 0.005
    for ball in balls:
        assert ball.position[0] - 0.02 >= front - 1e-3
        assert ball.velocity[0] >= 40.0 - 1e-6 or ball.position[0] > front + 0.02


@pytest.mark.parametrize("spin", [30.0, 100.0])
def test_bat_wakes_a_ball(spin):
    """Hit a ball that sleeps, too."""
    world = World(settings=Settings(sleeping=True, sleep_time=0.05))
    world.add_body(HalfSpace(), kind="static")
    shape = Placed(Box((1.0, 0.05, 0.2)), (0.5, 0, 0))
    club = world.add_body([shape], kind="kinematic", position=(0, 0, 0.12))
    ball = world.add_body(Sphere(0.05), mass=0.2, position=(0, 0.8, 0.05))
    world.step(20)
    assert ball.asleep
    club.angular_velocity = (0, 0, spin)
    world.step(round(2.0 / spin / 0.01) + 2)
    assert not ball.asleep and np.linalg.norm(ball.velocity) > 0.7 * spin
