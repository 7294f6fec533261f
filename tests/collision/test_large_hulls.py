"""Hulls of many corners: found by climbing over the surface, as if all corners had been looked at."""

import numpy as np
import pytest

from stoss.collision import Box, ConvexHull, HalfSpace
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats, Floats2
from stoss.collision.narrow_phase.normals import best_face_normal
from stoss.collision.shapes.hull_search import MANY_CORNERS, highest_corner
from stoss.collision.shapes.polyhedra import PolyhedronArrays, PolyhedronTable
from stoss.collision.shapes.shape_pair import ShapePair, load_pair
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.engine import World


def ball(count: int, *, seed: int = 0) -> np.ndarray:
    """Return points on a sphere."""
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def drum(count: int) -> np.ndarray:
    """Return the rims of a cylinder: two faces of half of the corners each."""
    turn = np.linspace(0.0, 2.0 * np.pi, count // 2, endpoint=False)
    rim = np.stack([np.cos(turn), np.sin(turn)], 1)
    return np.vstack([np.column_stack([rim, np.full(len(rim), z)]) for z in (-0.5, 0.5)])


def globe(count: int) -> np.ndarray:
    """Return meridians of float32 points, as files have them, ordered along one axis."""
    rows = int(np.sqrt(count))
    height, turn = np.meshgrid(np.linspace(0.02, 3.1, rows), np.linspace(0, 2 * np.pi, rows, endpoint=False))
    x, y, z = np.sin(height) * np.cos(turn), 0.7 * np.sin(height) * np.sin(turn), 0.4 * np.cos(height)
    return np.stack([x, y, z], -1).reshape(-1, 3).astype(np.float32).astype(float)


@kernel
def _heights(solids: PolyhedronArrays, directions: Floats2, out: Floats) -> None:
    for i in range(len(directions)):
        x, y, z = directions[i, 0], directions[i, 1], directions[i, 2]
        _, out[i] = highest_corner(solids, solids.vertex_start[1], solids.vertex_start[2], x, y, z)


@pytest.mark.parametrize("points", [ball(700), ball(1500), drum(900), globe(900)], ids=len)
def test_the_highest_corner_is_found(points):
    """Find the height of the highest corner in random directions, along axes and normals of faces."""
    table = PolyhedronTable()
    small, hull = ConvexHull(ball(8)), ConvexHull(points)
    for one in (small, hull):
        table.add_hull(one.vertices, one.faces)
    assert len(hull.vertices) > MANY_CORNERS
    first = table.arrays.face_start[1]
    normals = table.arrays.planes[first::7, :3]
    directions = np.vstack([ball(500, seed=1), np.eye(3), -np.eye(3), normals, 1e-9 * ball(5, seed=2)])
    found = np.zeros(len(directions))
    _heights(table.arrays, np.ascontiguousarray(directions), found)
    right = (directions @ hull.vertices.T).max(axis=1)
    assert np.abs(found - right).max() < 1e-15


@pytest.mark.parametrize("depth", [1e-6, 0.01, 0.4])
def test_the_best_face_is_found(depth):
    """Name the face that separates best as if all had been measured, if it is better than what is known."""
    hulls = ConvexHull(ball(300)), ConvexHull(globe(400))
    table = ShapeTable()
    for body, shape in enumerate(hulls):
        table.add(shape, body)
    turn = np.array([0.9, 0.1, -0.3, np.sqrt(1.0 - 0.91)])
    reach = 1.0 + hulls[1].vertices[:, 2].max() - depth
    table.update(np.array([(0.0, 0, 0), (0.01, 0, reach)]), np.stack([turn, (1.0, 0, 0, 0)]), 0.0)
    pair = ShapePair.new()
    pair.solids = table.polyhedra.arrays
    load_pair(0, 1, table.arrays, pair)
    w, v = turn[0], turn[1:]
    corners = [
        hulls[0].vertices + 2 * np.cross(v, np.cross(v, hulls[0].vertices) + w * hulls[0].vertices),
        hulls[1].vertices + (0.01, 0, reach),
    ]
    planes, start = table.polyhedra.arrays.planes, table.polyhedra.arrays.face_start
    normals = planes[: start[1], :3]
    normals = np.vstack(
        [-(normals + 2 * np.cross(v, np.cross(v, normals) + w * normals)), planes[start[1] :, :3]]
    )
    values = (normals @ corners[0].T).min(axis=1) - (normals @ corners[1].T).max(axis=1)
    best = float(values.max())
    for known in (-np.inf, best - 0.1, best - 1e-9):
        *normal, value = best_face_normal(pair, known, 0.0, 0.0, -1.0)
        assert abs(value - best) < 1e-12
        assert np.abs(np.array(normal) - normals[values.argmax()]).max() < 1e-12
    assert best_face_normal(pair, best + 1e-9, 0.0, 0.0, -1.0)[3] < best + 1e-9


def test_large_hulls_rest():
    """Stack two hulls of 500 corners in a shaft; they stand on each other and on the floor."""
    world = World()
    world.add_body(HalfSpace((0, 0, 1)), kind="static")
    for side in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        world.add_body(HalfSpace(side, -1.05), kind="static")
    for k in range(2):
        world.add_body(ConvexHull(ball(500, seed=k)), position=(0.02 * k, 0.0, 1.0 + 2.0 * k))
    world.add_body(Box((0.4, 0.4, 0.4)), position=(0.3, 0.1, 5.0))
    world.step(120)
    assert world.report.max_overlap < 1e-3
    lower, upper = world.positions[-3:-1, 2]
    assert 0.99 < lower < 1.01 and 1.9 < upper - lower <= 2.0
