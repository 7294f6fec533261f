"""Triangles of a mesh face one way, outwards where the surface is closed, or both sides are free."""

import numpy as np
import pytest
import trimesh

from stoss import Box, Settings, Sphere, TriangleMesh, World, from_mesh

CUBE = trimesh.creation.box((1, 1, 1))
BALL = trimesh.creation.icosphere(subdivisions=2)


def arrays(mesh):
    """Return vertices and faces."""
    return np.array(mesh.vertices), np.array(mesh.faces)


def inverted(mesh):
    """Return a closed mesh turned inside out."""
    vertices, faces = arrays(mesh)
    return vertices, faces[:, ::-1]


def mirrored(mesh):
    """Return it scaled by -1 along one axis."""
    vertices, faces = arrays(mesh)
    return vertices * (-1, 1, 1), faces


def mixed(mesh, turned=1):
    """Return it with some of its triangles turned."""
    vertices, faces = arrays(mesh)
    faces[:turned] = faces[:turned, ::-1]
    return vertices, faces


def soup(mesh):
    """Return a mesh whose triangles have vertices of their own, as in STL files."""
    vertices, faces = mesh
    return vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3)


def beside(first, second, shift=3.0):
    """Return two meshes in one."""
    (v, f), (w, g) = first, second
    return np.concatenate([v, w + (shift, 0, 0)]), np.concatenate([f, g + len(v)])


BAD = {
    "inverted": (inverted(CUBE), "inwards"),
    "mirrored": (mirrored(BALL), "inwards"),
    "inverted soup": (soup(inverted(BALL)), "inwards"),
    "one triangle turned": (mixed(CUBE), "opposite senses"),
    "half turned": (mixed(BALL, 160), "opposite senses"),
    "one of two parts inverted": (beside(arrays(CUBE), inverted(CUBE)), "inwards"),
    "a large part and a small inverted one": (beside(arrays(BALL), inverted(CUBE)), "inwards"),
    "far away": ((inverted(CUBE)[0] + (1e4, 2e4, 0), inverted(CUBE)[1]), "inwards"),
}


@pytest.mark.parametrize("name", BAD)
def test_wrong_windings_are_refused_by_one_rule(name):
    """Scenery and masses refuse the same meshes, with the cure, and so does a two-sided mesh not."""
    mesh, reason = BAD[name]
    with pytest.raises(ValueError, match=rf"TriangleMesh: .*{reason}.*two_sided=True"):
        TriangleMesh(*mesh)
    with pytest.raises(ValueError, match=rf"mesh: .*{reason}"):
        from_mesh(mesh, density=1.0)
    TriangleMesh(*mesh, two_sided=True)


def test_open_meshes_of_mixed_winding_are_refused():
    """Terrain with a turned triangle has holes: it says so."""
    vertices = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
    TriangleMesh(vertices, [(0, 1, 2), (0, 2, 3)])
    with pytest.raises(ValueError, match="opposite senses"):
        TriangleMesh(vertices, [(0, 1, 2), (0, 3, 2)])


@pytest.mark.parametrize(
    "mesh",
    [
        arrays(CUBE),
        soup(arrays(BALL)),
        beside(arrays(trimesh.creation.box((4, 4, 4))), inverted(CUBE), shift=0.0),
        beside(arrays(CUBE), arrays(BALL)),
    ],
    ids=["closed", "soup", "cavity", "two parts"],
)
def test_right_windings_are_taken(mesh):
    """Closed surfaces that face outwards, with cavities that face into them."""
    TriangleMesh(*mesh)
    from_mesh(mesh, density=1.0)


def test_sheets_of_two_skins_are_taken():
    """A square and the same turned round, on the same vertices, is a sheet with two free sides."""
    vertices = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
    TriangleMesh(vertices, [(0, 1, 2), (0, 2, 3), (2, 1, 0), (3, 2, 0)])


def test_two_sided_has_to_be_a_truth_value():
    """A word is no truth value."""
    with pytest.raises(TypeError, match="two_sided = 'yes'"):
        TriangleMesh(*arrays(CUBE), two_sided="yes")


@pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
@pytest.mark.parametrize("name", ["inverted", "half turned", "one triangle turned", "right"])
def test_a_two_sided_room_holds_from_within_and_from_outside(name, solver):
    """A ball and a box rest on the floor of a closed mesh, others on its roof, however it is wound."""
    mesh = arrays(CUBE) if name == "right" else BAD[name][0]
    if name == "half turned":
        mesh = mixed(CUBE, 6)
    world = World(settings=Settings(solver=solver))
    world.add_body(TriangleMesh(*mesh, two_sided=True), kind="static")
    bodies = [
        world.add_body(shape, density=100.0, position=(x, 0.1, z))
        for shape, x in ((Sphere(0.1), -0.2), (Box((0.2, 0.2, 0.2)), 0.2))
        for z in (-0.2, 0.75)
    ]
    world.step(100)
    heights = [body.position[2] for body in bodies]
    np.testing.assert_allclose(heights, [-0.4, 0.6, -0.4, 0.6], atol=1e-5)
