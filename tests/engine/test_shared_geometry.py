"""Hulls and meshes: kept once for all that are equal, and forgotten with the last body that has them."""

import gc
import weakref

import numpy as np

from stoss.collision import Box, ConvexHull, Placed, TriangleMesh
from stoss.engine import World
from stoss.engine.bodies.mass import from_shapes

CORNERS = np.random.default_rng(5).normal(size=(20, 3))
SHEET = np.array([[-9.0, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0], [0, 0, 2]])
HILL = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])


def hill(height: float = 2.0) -> TriangleMesh:
    """Return a mesh with a peak in the middle."""
    return TriangleMesh(np.vstack([SHEET[:4], [(0.0, 0.0, height)]]), HILL)


def test_equal_geometry_is_kept_once():
    """Share a row of the table among bodies of one shape object, of equal ones, copies and series."""
    world = World()
    world.add_body(hill(), kind="static")
    world.add_body(hill(), kind="static", position=(0, 0, -5))
    first = world.add_body(ConvexHull(CORNERS), position=(0, 0, 9))
    world.add_body([ConvexHull(CORNERS), Placed(Box((1, 1, 1)), (1, 0, 0))], position=(0, 0, 5))
    world.duplicate(first, position=(5, 5, 5))
    world.add_bodies(ConvexHull(CORNERS.copy()), [(9, 0, 4), (9, 5, 4)])
    table = world.shape_table
    assert table.polyhedra.count == 2
    assert table.polyhedron.tolist() == [0, 0, 1, 1, -1, 1, 1, 1]
    world.add_body(hill(2.1), kind="static")
    world.add_body(ConvexHull(1.001 * CORNERS))
    world.add_body(TriangleMesh(SHEET, HILL, two_sided=True), kind="static")
    assert table.polyhedra.count == 5
    other = World()
    other.restore(world.save())
    assert other.shape_table.polyhedra.count == 5


def test_geometry_goes_with_its_last_body():
    """Forget shapes, and give the memory of their tables back, as bodies go; others stay as they are."""
    world = World()
    floor = world.add_body(hill(), kind="static")
    body = world.add_body(ConvexHull(CORNERS), position=(3, 2, 4))
    world.step(3)
    rows = world.shape_table.polyhedra.arrays
    before = {name: array.copy() for name, array in rows.items()}
    ghosts = []
    for number in range(40):
        shape = ConvexHull((1.0 + 0.1 * number) * CORNERS)
        gone = world.add_body(shape, position=(50.0 + 9 * number, 0, 0))
        ghosts.append(weakref.ref(shape))
        world.remove_body(gone)
        del shape, gone
        world.step()
        assert world.shape_table.polyhedra.count <= 4
    gc.collect()
    assert not any(ghost() for ghost in ghosts)
    world.restore(world.save())
    # the hull that is left was the second row, and is so again
    for other in [world.add_body(ConvexHull(k * CORNERS)) for k in (2, 3, 4, 5)]:
        world.remove_body(other)
    world.step()
    for name, array in rows.items():
        assert np.array_equal(array[: len(before[name])], before[name]), name
    for last in (floor, body):
        world.remove_body(last)
    assert world.shape_table.polyhedra.count == 0 and len(rows.vertices) == len(rows.planes) == 0


def test_what_is_left_collides_as_before():
    """Reach the bits of a world in which the geometry that went was never there."""
    worlds = []
    for more in (True, False):
        world = World()
        shapes = [hill(1.0 + k) for k in range(3)] + [ConvexHull((1 + k) * CORNERS) for k in range(3)]
        extra = []
        for k, shape in enumerate([*shapes, hill(), ConvexHull(0.7 * CORNERS), *shapes[::-1]]):
            kept = k in (6, 7)
            if kept or more:
                kind = "static" if isinstance(shape, TriangleMesh) else "dynamic"
                place = (1.0, 0.5, 0.0 if kind == "static" else 3.3) if kept else (200.0 * k, 0, 0)
                body = world.add_body(shape, position=place, kind=kind)
                extra += [] if kept else [body]
        for body in extra:
            world.remove_body(body)
        world.step(80)
        assert world.shape_table.polyhedra.count == 2 and world.contacts.count > 0
        worlds.append(world)
    assert worlds[0].state_hash() == worlds[1].state_hash()


def test_mass_properties_keep_no_geometry():
    """Let a hull go whose mass properties were computed, and give equal hulls one value."""
    shape = ConvexHull(CORNERS)
    first = from_shapes([Placed(shape)], density=500.0)
    ghost = weakref.ref(shape)
    del shape
    gc.collect()
    assert ghost() is None
    assert from_shapes([Placed(ConvexHull(CORNERS))], density=500.0) is first
