import numpy as np
import pytest
import trimesh

from stoss.collision.shapes.faceted import ConvexHull
from stoss.collision.shapes.mesh_topology import EDGE_CONCAVE, EDGE_CONVEX, EDGE_FLAT, EDGE_OPEN
from stoss.collision.shapes.polyhedra import PolyhedronTable

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])


def test_hull_faces_have_outward_planes():
    """Give planes that hold the corners of their face and leave no vertex outside, hulls side by side."""
    table = PolyhedronTable()
    rng = np.random.default_rng(1)
    hulls = [
        ConvexHull(CORNERS),
        ConvexHull(rng.normal(size=(40, 3))),
        ConvexHull(rng.normal(size=(5, 3)) + 7.0),
    ]
    assert [table.add_hull(hull.vertices, hull.faces) for hull in hulls] == [0, 1, 2]
    arrays = table.arrays
    for row, hull in enumerate(hulls):
        vertices = arrays.vertices[arrays.vertex_start[row] : arrays.vertex_start[row + 1]]
        assert np.array_equal(vertices, hull.vertices)
        planes = arrays.planes[arrays.face_start[row] : arrays.face_start[row + 1]]
        assert np.allclose(np.linalg.norm(planes[:, :3], axis=1), 1.0, atol=1e-15)
        heights = vertices @ planes[:, :3].T - planes[:, 3]
        assert heights.max() <= 1e-15 * (1.0 + np.abs(vertices).max())
        for face in range(arrays.face_start[row], arrays.face_start[row + 1]):
            corners = arrays.vertices[arrays.corners[slice(*arrays.corner_range[face])]]
            plane = arrays.planes[face]
            assert abs(corners @ plane[:3] - plane[3]).max() < 1e-12 * (1.0 + abs(plane[3]))


def test_mesh_edges_know_how_the_surface_turns():
    """Mark edges as open, convex, flat or concave, and join flat triangles into one patch."""
    #  a floor of two triangles, a wall rising at x = 1, a slope falling at x = 0; y from 0 to 1
    vertices = np.array(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [-1, 0, -1], [-1, 1, -1]], float
    )
    triangles = [[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2], [6, 0, 3], [6, 3, 7]]
    table = PolyhedronTable()
    table.add_mesh(vertices, np.array(triangles))
    arrays = table.arrays
    bends = {
        tuple(triangles[f][k : k + 2] if k < 2 else [triangles[f][2], triangles[f][0]]): arrays.bends[f, k]
        for f in range(6)
        for k in range(3)
    }
    assert bends[(0, 2)] == bends[(2, 0)] == bends[(1, 5)] == EDGE_FLAT
    assert bends[(1, 2)] == bends[(2, 1)] == EDGE_CONCAVE
    assert bends[(3, 0)] == bends[(0, 3)] == EDGE_CONVEX
    assert bends[(0, 1)] == bends[(4, 5)] == bends[(7, 6)] == EDGE_OPEN
    assert arrays.patch.tolist() == [0, 0, 2, 2, 4, 4]


def test_meshes_with_repeated_vertices_are_joined():
    """Find the neighbours in a mesh whose triangles share no vertex numbers (STL files)."""
    box = trimesh.creation.box()
    loose = np.concatenate(box.triangles)
    table = PolyhedronTable()
    table.add_mesh(loose, np.arange(len(loose)).reshape(-1, 3))
    bends = table.arrays.bends
    assert (table.arrays.neighbours >= 0).all()
    assert (bends == EDGE_FLAT).sum() == 12  # six diagonals, seen from both sides
    assert (bends == EDGE_CONVEX).sum() == 24


def test_tree_holds_every_triangle_once():
    """Reach each triangle from the root through boxes that enclose it, behind other polyhedra."""
    table = PolyhedronTable()
    cube = ConvexHull(CORNERS)
    table.add_hull(cube.vertices, cube.faces)
    for radius in (1.0, 2.0):
        sphere = trimesh.creation.icosphere(subdivisions=3, radius=radius)
        row = table.add_mesh(sphere.vertices, sphere.faces)
        table.add_hull(cube.vertices, cube.faces)
        arrays = table.arrays
        seen = []
        stack = [(arrays.root[row], np.full(3, -np.inf), np.full(3, np.inf))]
        while stack:
            node, low, high = stack.pop()
            assert (arrays.node_min[node] >= low).all() and (arrays.node_max[node] <= high).all()
            first, second = arrays.node_range[node]
            if first >= 0:
                stack += [(child, arrays.node_min[node], arrays.node_max[node]) for child in (first, second)]
                continue
            for face in arrays.leaf_faces[-1 - first : -1 - first + second]:
                corners = arrays.vertices[arrays.corners[slice(*arrays.corner_range[face])]]
                assert (corners >= arrays.node_min[node]).all() and (corners <= arrays.node_max[node]).all()
                seen.append(face)
        assert sorted(seen) == list(range(arrays.face_start[row], arrays.face_start[row + 1]))


def test_degenerate_triangles_are_left_out():
    """Drop triangles without area and keep the others."""
    table = PolyhedronTable()
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], float)
    table.add_mesh(vertices, np.array([[0, 1, 3], [0, 1, 2]]))
    assert table.arrays.face_start.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: t.add_hull(CORNERS[:2], []), "vertices has shape"),
        (lambda t: t.add_hull(CORNERS, [np.array([0, 1])]), "corners"),
        (lambda t: t.add_hull(CORNERS, [np.array([0, 1, 8])]), "indices"),
        (lambda t: t.add_hull(CORNERS, [np.array([0, 1, 1])]), "area"),
        (lambda t: t.add_hull(np.full((4, 3), np.nan), [np.array([0, 1, 2])]), "finite"),
        (lambda t: t.add_mesh(CORNERS, np.zeros((0, 3))), "triangles has shape"),
        (lambda t: t.add_mesh(CORNERS, np.array([[0, 1, 99]])), "indices"),
        (lambda t: t.add_mesh(CORNERS, np.array([[0, 1, 1]])), "no area"),
    ],
)
def test_bad_polyhedra_are_refused(call, words):
    """Raise at once and name what is wrong."""
    with pytest.raises(ValueError, match=words):
        call(PolyhedronTable())
