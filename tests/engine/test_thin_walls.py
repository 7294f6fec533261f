"""Thin walls that are meshes hold bodies on the side from which they came."""

import numpy as np
import pytest

from stoss import Box, Capsule, Cylinder, Material, Settings, Sphere, TriangleMesh, World

SHAPES = {
    "ball": Sphere(0.02),
    "box": Box((0.04, 0.06, 0.04)),
    "capsule": Capsule(0.02, 0.04),
    "cylinder": Cylinder(0.02, 0.04),
    "plate": Box((0.1, 0.1, 0.01)),
}
SHEET = (
    np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float),
    np.array([(0, 1, 2), (0, 2, 3)]),
)


def open_bin(half, height, wall):
    """Return an open box as one closed mesh."""
    inner = half - wall
    rings = ((half, 0.0), (half, height), (inner, height), (inner, wall))
    vertices = [(x * h, y * h, z) for h, z in rings for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    quads = [(3, 2, 1, 0), (12, 13, 14, 15)]
    for row in (0, 4, 8):
        quads += [(row + k, row + (k + 1) % 4, row + 4 + (k + 1) % 4, row + 4 + k) for k in range(4)]
    return np.array(vertices), np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def panel(wall):
    """Return a plate of 2 m x 2 m with its top at z = 0 as a closed mesh."""
    vertices = [(x, y, z) for z in (-wall, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    quads = [(3, 2, 1, 0), (4, 5, 6, 7)] + [(k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    return np.array(vertices), np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def both_skins(sheet):
    """Return a sheet with each triangle twice, the second one turned."""
    return sheet[0], np.concatenate([sheet[1], sheet[1][:, ::-1]])


WALLS = {
    "2 mm": TriangleMesh(*panel(0.002)),
    "0.2 mm": TriangleMesh(*panel(0.0002)),
    "quads with two skins": TriangleMesh(*both_skins(SHEET)),
    "two-sided": TriangleMesh(*SHEET, two_sided=True),
}


@pytest.mark.parametrize(
    "settings", [{}, {"solver": "gauss_seidel"}, {"sleeping": True}, {"collision": "fcl"}]
)
@pytest.mark.parametrize("wall", [0.002, 0.01])
def test_a_thin_bin_keeps_what_falls_in(wall, settings):
    """Balls that fall into an open bin of thin walls stay within, and lie on its floor, not in it."""
    world = World(settings=Settings(**settings))
    world.add_body(TriangleMesh(*open_bin(0.15, 0.2, wall)), kind="static")
    random = np.random.default_rng(0)
    balls = [
        world.add_body(
            SHAPES["ball"], density=1000.0, position=(*random.uniform(-0.09, 0.09, 2), 0.05 + 0.05 * k)
        )
        for k in range(12)
    ]
    world.step(120)
    places = np.array([ball.position for ball in balls])
    assert places[:, 2].min() > wall + 0.02 - 2e-4
    assert np.abs(places[:, :2]).max() < 0.15 - wall - 0.02 + 2e-4


def test_a_ball_that_drops_on_a_thin_floor_rests_on_it():
    """From 5 cm, where one step takes it half through the floor, it comes to rest at its radius."""
    world = World()
    world.add_body(TriangleMesh(*open_bin(0.15, 0.2, 0.002)), kind="static")
    ball = world.add_body(Sphere(0.02), density=1000.0, position=(0, 0, 0.072))
    world.step(100)
    assert ball.position[2] == pytest.approx(0.022, abs=1e-6)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_goes_through_at_any_speed(shape, wall, side):
    """Bodies that fly against a thin wall, turned anyhow, end on the side from which they came."""
    world = World(gravity=(0, 0, 0))
    world.add_body(WALLS[wall], kind="static")
    random = np.random.default_rng(1)
    bodies = []
    for k in range(16):
        turn = random.normal(size=4)
        bodies.append(
            world.add_body(
                SHAPES[shape],
                density=1000.0,
                position=(0.4 * (k % 4) - 0.6, 0.4 * (k // 4) - 0.63, side * random.uniform(0.09, 0.2)),
                quaternion=turn / np.linalg.norm(turn),
                velocity=(random.uniform(-1, 1), random.uniform(-1, 1), -side * (0.3 + 0.5 * k)),
                angular_velocity=random.normal(size=3) * 5.0,
                material=Material(restitution=0.0, friction=0.1),
            )
        )
    world.step(60)
    on_it = [np.abs(body.position[:2]).max() < 0.95 for body in bodies]
    assert sum(on_it) >= 10
    assert all(side * body.position[2] > 0.0 for body, there in zip(bodies, on_it, strict=True) if there)


@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("side", [1, -1])
def test_bodies_rest_on_either_side_of_a_wall(wall, side):
    """Whichever way gravity points, a wall holds at its surface there."""
    world = World(gravity=(0, 0, -9.81 * side))
    world.add_body(WALLS[wall], kind="static")
    below = {"2 mm": -0.002, "0.2 mm": -0.0002}.get(wall, 0.0)
    surface = 0.0 if side > 0 else below
    bodies = [
        (world.add_body(shape, density=1000.0, position=(0.3 * k - 0.5, 0.1, 0.2 * side)), height)
        for k, (shape, height) in enumerate(
            [(SHAPES["ball"], 0.02), (SHAPES["box"], 0.02), (SHAPES["cylinder"], 0.02)]
        )
    ]
    world.step(80)
    for body, height in bodies:
        assert side * (body.position[2] - surface) == pytest.approx(height, abs=1e-5)


def test_a_load_does_not_press_a_ball_through_a_sheet():
    """A ball under a block of ten thousand times its mass stays above the sheet it lies on."""
    world = World()
    world.add_body(WALLS["2 mm"], kind="static")
    balls = [
        world.add_body(Sphere(0.02), mass=0.03, position=(x, y, 0.02))
        for x, y in ((0.1, 0), (-0.1, 0.1), (-0.1, -0.1))
    ]
    world.add_body(Box((0.4, 0.4, 0.1)), mass=300.0, position=(0, 0, 0.1), velocity=(0, 0, -1.0))
    world.step(60)
    assert min(ball.position[2] for ball in balls) > 0.018
