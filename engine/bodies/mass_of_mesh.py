"""Mass properties of the solid inside a closed triangle mesh."""

from pathlib import Path
from typing import Any

import numpy as np

from stoss.collision.shapes.checks import triangles
from stoss.collision.shapes.mesh_files import load_mesh
from stoss.collision.shapes.winding import check_winding
from stoss.engine import checks
from stoss.engine.bodies.mass import MassProperties, density_of, from_tensor
from stoss.names import takes_names

__all__ = ["from_mesh"]

# A mesh that fills no more than this share of its bounding box is flat up to rounding.
FLAT_SHARE = 1e-12


@takes_names
def from_mesh(mesh: Any, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """Return the mass properties of the solid inside a closed triangle mesh.

    Args:
        mesh: a `trimesh.Trimesh`, a path to a file that trimesh reads, or a pair (vertices (n, 3) [m],
            faces (m, 3)); triangles counter-clockwise seen from outside. Cavities are inner surfaces
            wound the other way.
        density: [kg/m^3], or
        mass: of the whole body [kg].

    Raises:
        ValueError: the mesh is open, inconsistently wound, turned inside out, or not a solid, or not
            exactly one of density and mass is given.
        TypeError: `mesh` is none of the three.
    """
    import trimesh  # takes half a second to import; only this function needs it

    solid = _as_trimesh(mesh)
    cure = "repair it (trimesh.repair) or use its convex hull"
    if len(solid.faces) == 0:
        raise ValueError("mesh: has no triangles; give a closed triangle mesh")
    checks.array("mesh vertices", solid.vertices, (-1, 3))
    if not solid.is_watertight:
        raise ValueError(f"mesh: {len(solid.faces)} triangles do not close (not watertight); {cure}")
    check_winding("mesh", np.asarray(solid.vertices), np.asarray(solid.faces))
    # about the middle of the mesh: far from the origin the integrals would cancel
    middle = 0.5 * (solid.bounds[0] + solid.bounds[1])
    corners = np.asarray(solid.triangles) - middle
    volume = float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0
    if volume <= FLAT_SHARE * float(np.prod(solid.extents)):
        raise ValueError(f"mesh: volume is {volume:.6g} m^3, it encloses nothing; {cure}")
    result = trimesh.triangles.mass_properties(corners, density=1.0)
    factor = density_of(volume, density, mass)
    try:
        tensor = factor * np.asarray(result.inertia)
        return from_tensor(factor * volume, middle + result.center_mass, tensor.tolist())
    except ValueError as error:
        raise ValueError(f"mesh: it is not the surface of a solid ({error}); {cure}") from error


def _as_trimesh(mesh: Any) -> Any:
    """Return the mesh as trimesh.Trimesh; raise when it cannot be read as one."""
    import trimesh

    if isinstance(mesh, trimesh.Trimesh):
        return mesh
    if isinstance(mesh, str | Path):
        if not Path(mesh).is_file():
            raise ValueError(f"mesh: no file at {str(mesh)!r}; give the path of a mesh file")
        return trimesh.Trimesh(*load_mesh(mesh), process=False)
    if not isinstance(mesh, tuple | list) or len(mesh) != 2:
        raise TypeError(
            f"mesh = {checks.shown(mesh)} is a {type(mesh).__name__}; give a trimesh.Trimesh, a path, or "
            "a pair (vertices, faces)"
        )
    vertices = checks.array("mesh vertices", mesh[0], (-1, 3))
    faces = triangles("mesh faces", mesh[1], len(vertices))
    # triangles that repeat the same point in several rows still close
    vertices, place = np.unique(vertices, axis=0, return_inverse=True)
    return trimesh.Trimesh(vertices, place.reshape(-1)[faces], process=False)
