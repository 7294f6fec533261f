"""Floors and walls made of pieces are one surface to what slides, lands or rests on them."""

import numpy as np
import pytest

from stoss import Box, ConvexHull, Cylinder, Material, Placed, Settings, Sphere, World
from stoss.collision import Detector
from stoss.scenes.piles.funnel import add_funnel

THICK = 0.2
SIGNS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]


def hull_box(size):
    """Return a box as a hull."""
    return ConvexHull([tuple(s * e for s, e in zip(sign, size, strict=True)) for sign in SIGNS])


def tiles(size, stagger, make=Box, gap=0.0):
    """Return pieces (shape, centre) of a floor with its top at z = 0, rows shifted by a share of a tile."""
    tx, ty = size
    rows = range(-round(0.75 / ty), round(0.75 / ty))
    columns = range(-round(1.0 / tx) - 1, round(1.0 / tx) + 1)
    return [
        (
            make((tx - gap, ty - gap, THICK)),
            ((i + 0.5 + stagger * (j % 2)) * tx, (j + 0.5) * ty, -0.5 * THICK),
        )
        for i in columns
        for j in rows
    ]


SLAB = [(Box((6.0, 6.0, THICK)), (0.0, 0.0, -0.5 * THICK))]
FLOORS = {
    "tiles": tiles((0.5, 0.5), 0.0),
    "bricks": tiles((0.5, 0.25), 0.5),
    "bricks as hulls": tiles((0.5, 0.3), 0.37, hull_box),
    "small bricks": tiles((0.15, 0.13), 0.3),
    "bricks with joints": tiles((0.5, 0.25), 0.5, gap=1e-3),
}
MOTIONS = {
    "box at rest on a seam": (Box((0.3, 0.2, 0.1)), 0.05, (0, 0, 0), (0, 0, 0), 0.0, 0.3),
    "box along a seam": (Box((0.3, 0.2, 0.1)), 0.05, (2, 0, 0), (0, 0, 0), 0.0, 0.0),
    "box with its side over a seam": (Box((0.3, 0.5, 0.1)), 0.05, (2, 0.2, 0), (0, 0, 0), 0.0, 0.0),
    "box that turns": (Box((0.3, 0.2, 0.1)), 0.05, (1, 0.1, 0), (0, 0, 4), 0.0, 0.0),
    "hull askew": (hull_box((0.3, 0.2, 0.1)), 0.05, (1, -0.4, 0), (0, 0, 0), 0.7, 0.1),
    "cylinder on its cap": (Cylinder(0.15, 0.2), 0.1, (1, 0.3, 0), (0, 0, 0), 0.3, 0.0),
    "cube as large as a tile": (Box((0.5, 0.5, 0.5)), 0.25, (-0.38, 0.1, 0), (0, 0, 0), 0.0, 0.0),
    "ball that rolls": (Sphere(0.1), 0.1, (-0.6, -0.27, 0), (2.7, -6, 0), 0.0, 0.5),
}


def poses(pieces, motion, *, compound=False, solver="auto", collision="native", steps=60, drop=0.0):
    """Return the poses (steps, 7) of a body that moves over a floor."""
    shape, height, velocity, spin, yaw, friction = motion
    material = Material(friction=friction, restitution=0.0)
    world = World(settings=Settings(solver=solver, collision=collision))
    if compound:
        parts = [Placed(piece, place) for piece, place in pieces]
        world.add_body(parts, kind="static", material=material)
    else:
        for piece, place in pieces:
            world.add_body(piece, position=place, kind="static", material=material)
    body = world.add_body(
        shape,
        mass=1.0,
        position=(0.03 if drop else 0.0, 0.0, height + drop),
        quaternion=(np.cos(0.5 * yaw), 0, 0, np.sin(0.5 * yaw)),
        velocity=velocity,
        angular_velocity=spin,
        material=material,
    )
    out = []
    for _ in range(steps):
        world.step()
        out.append(np.r_[body.position, body.quaternion])
    return np.array(out)


@pytest.mark.parametrize(
    ("floor", "motion"),
    # a ball dips into real joints
    [(f, m) for f in FLOORS for m in MOTIONS if (f, m) != ("bricks with joints", "ball that rolls")],
)
def test_seams_are_not_felt(floor, motion):
    """Bodies move over a floor of pieces as over one slab."""
    wanted = poses(SLAB, MOTIONS[motion])
    np.testing.assert_allclose(poses(FLOORS[floor], MOTIONS[motion]), wanted, atol=2e-6)


@pytest.mark.parametrize("motion", ["box that turns", "box along a seam", "cylinder on its cap"])
@pytest.mark.parametrize(
    ("compound", "solver", "collision"),
    [(True, "auto", "native"), (False, "gauss_seidel", "native"), (False, "auto", "fcl")],
)
def test_seams_are_not_felt_however_they_are_made_and_solved(motion, compound, solver, collision):
    """The same with the pieces in one body, with sweeps, and with normals by FCL."""
    ways = {"solver": solver, "collision": collision, "steps": 40}
    wanted = poses(SLAB, MOTIONS[motion], **ways)
    found = poses(FLOORS["bricks"], MOTIONS[motion], compound=compound, **ways)
    np.testing.assert_allclose(found, wanted, atol=2e-5 if solver == "gauss_seidel" else 2e-6)


@pytest.mark.parametrize("shape", ["box", "cylinder", "ball"])
@pytest.mark.parametrize("floor", ["tiles", "bricks", "small bricks"])
def test_what_lands_on_a_seam_stays_upright(floor, shape):
    """A body that falls flat on a seam, as deep as one step takes it, does not turn or move aside."""
    solid, height = {
        "box": (Box((0.3, 0.2, 0.1)), 0.05),
        "cylinder": (Cylinder(0.15, 0.2), 0.1),
        "ball": (Sphere(0.1), 0.1),
    }[shape]
    motion = (solid, height, (0, 0, -3.0), (0, 0, 0), 0.3, 0.0)
    end = poses(FLOORS[floor], motion, drop=0.2, steps=60)[-1]
    np.testing.assert_allclose(end, [0.03, 0, height, np.cos(0.15), 0, 0, np.sin(0.15)], atol=2e-5)


def test_a_compound_slides_over_a_rail():
    """The seams of a moving body are not felt by what it slides over."""
    parts = [Placed(Box((0.2, 0.3, 0.1)), (0.2 * k, 0, 0)) for k in range(-5, 6)]
    speeds = []
    for shape in (parts, Box((2.2, 0.3, 0.1))):
        world = World()
        slick = Material(friction=0.0, restitution=0.0)
        for x in (-0.5, 0.5):
            world.add_body(Box((0.07, 1, 1)), position=(x, 0, -0.5), kind="static", material=slick)
        body = world.add_body(shape, mass=1.0, position=(0, 0, 0.05), velocity=(0.5, 0, 0), material=slick)
        world.step(60)
        speeds.append(np.r_[body.position, body.velocity, body.angular_velocity])
    np.testing.assert_allclose(speeds[0], speeds[1], atol=1e-6)


def detect(pieces, shape, position):
    """Return the contacts of a shape with fixed pieces: normals towards it and gaps."""
    detector = Detector()
    for number, (piece, _) in enumerate(pieces):
        detector.add_shape(piece, body=number)
    detector.add_shape(shape, body=len(pieces))
    places = np.array([place for _, place in pieces] + [position], dtype=float)
    free = np.zeros(len(places), np.bool_)
    free[-1] = True
    contacts = detector.detect(places, np.tile([1.0, 0, 0, 0], (len(places), 1)), free, 0.005)
    return -contacts.normal[: contacts.count], contacts.gap[: contacts.count]


@pytest.mark.parametrize("make", [Box, hull_box])
@pytest.mark.parametrize("depth", [1e-6, 1e-4])
@pytest.mark.parametrize("rise", [1e-3, 0.3])
def test_real_steps_stop_a_body(make, depth, rise):
    """A piece that is higher than its neighbour holds with its side, the neighbour with its top."""
    pieces = [
        (make((1, 1, THICK)), (-0.5, 0, -0.5 * THICK)),
        (make((1, 1, THICK + rise)), (0.5, 0, 0.5 * (rise - THICK))),
    ]
    normals, gaps = detect(pieces, make((0.3, 0.3, 0.3)), (-0.15 + 0.2 * depth, 0, 0.15 - 0.1 * depth))
    assert {tuple(np.round(n, 6) + 0.0) for n in normals} == {(0, 0, 1), (-1, 0, 0)}
    assert gaps.max() <= 0.0


@pytest.mark.parametrize("where", ["foot", "overhang"])
def test_the_foot_of_a_wall_is_no_seam(where):
    """Floor and wall that meet in a hollow both hold, also where their ends are level."""
    pieces = [
        (Box((1, 0.4, THICK)), (-0.5, 0, -0.5 * THICK)),
        (Box((0.2, 0.4, 1 + THICK)), (0.1, 0, 0.5 - 0.5 * THICK)),
    ]
    y = 0.0 if where == "foot" else 0.3  # half of the box beyond the ends of floor and wall
    normals, gaps = detect(pieces, Box((0.3, 0.3, 0.3)), (-0.15, y, 0.15))
    assert {tuple(np.round(n, 6) + 0.0) for n in normals} == {(0, 0, 1), (-1, 0, 0)}
    np.testing.assert_allclose(gaps, 0.0, atol=1e-12)


def test_a_ridge_holds_an_edge_between_its_slopes():
    """Over a ridge of two roofs a box rests on the common edge, along a normal between both slopes."""
    wedge = [
        (0, -1, 0),
        (0, 1, 0),
        (1, -1, -0.5),
        (1, 1, -0.5),
        (0, -1, -1),
        (0, 1, -1),
        (1, -1, -1),
        (1, 1, -1),
    ]
    pieces = [
        (ConvexHull(wedge), (0, 0, 0)),
        (ConvexHull([(-x, y, z) for x, y, z in wedge]), (0, 0, 0)),
    ]
    normals, gaps = detect(pieces, Box((0.3, 0.3, 0.3)), (0.02, 0, 0.15))
    assert len(normals) >= 2
    np.testing.assert_allclose(normals, [(0, 0, 1)] * len(normals), atol=1e-9)
    np.testing.assert_allclose(gaps, 0.0, atol=1e-9)


def test_a_crate_slides_over_free_bricks():
    """A row of bricks that stand free, side by side, is one surface too."""
    world = World()
    slick = Material(friction=0.0, restitution=0.0)
    world.add_body(Box((8, 4, 0.2)), position=(0, 0, -0.1), kind="static", material=slick)
    for row in range(2):
        for i in range(4):
            place = ((i - 0.5 + 0.5 * row) * 0.5, 0.25 * row, 0.1)
            world.add_body(Box((0.5, 0.25, 0.2)), mass=5.0, position=place, material=slick)
    crate = world.add_body(
        Box((0.3, 0.2, 0.1)), mass=1.0, position=(0, 0.1, 0.25), velocity=(1.0, 0.05, 0), material=slick
    )
    for _ in range(60):
        world.step()
        assert abs(crate.position[2] - 0.25) < 1e-6
    np.testing.assert_allclose(crate.velocity, (1.0, 0.05, 0), atol=1e-6)


def test_pieces_that_cross_hold_with_the_faces_between_which_a_body_lies():
    """In the valley between two slabs of a funnel no body overlaps by more than its own width."""
    rng = np.random.default_rng(5)
    world = World()
    add_funnel(world, Material())
    for along in np.linspace(1.3, 5.0, 150):
        turn = rng.normal(size=4)
        height = 3.0 + (along - 1.2) + 0.28 + rng.uniform(-0.1, 0.05)  # near both faces, a little into them
        world.add_body(
            Box((0.44, 0.44, 0.44)),
            position=(along - 0.1, -along + 0.1, height),
            quaternion=turn / np.linalg.norm(turn),
            group=2,
            mask=1,
        )
    gaps = np.asarray(world.contacts.gap)
    assert len(gaps) > 200
    assert gaps.min() > -0.44
