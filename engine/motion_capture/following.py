"""How markers on a tree are missed, and the equations of the step that misses them less.

With p where markers are and w their weights, f = sqrt(w) (p - wanted). J'J is the mass matrix of points at
the markers whose masses are the weights, and J'f the generalised force of w (p - wanted) there. So both cost
one pass along the tree each, however many markers there are, and J itself is never written.
"""

from typing import Annotated

from stoss.collision.algebra import cross
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.engine.articulated.tree import Tree, add_point_mass, place_tree
from stoss.engine.articulated.tree_dynamics import add_mass_matrix

__all__ = ["MarkerPoints", "marker_equations"]


class MarkerPoints(Struct):
    """Markers on a tree, and where they were seen."""

    axes: Annotated[Ints, "markers"]  # axis that they are behind, -1: the world
    local: Annotated[Floats, "markers", 3]  # in the frame behind it [m]
    weights: Annotated[Floats, "markers"]
    wanted: Annotated[Floats, "markers", 3]  # [m], NaN where not seen
    places: Annotated[Floats, "markers", 3]  # of the last pose that was looked at [m]


@kernel
def marker_equations(tree: Tree, q: Floats, points: MarkerPoints, slope: Floats, matrix: Floats2) -> float:
    """Write J'f (n,) and J'J (n, n) at coordinates q, and return f'f [m^2]; the tree is placed.

    Args:
        tree: of the bodies. `bulk` and `forces` become those of the markers.
        q: (n,) [rad or m].
        points: the markers; those with a NaN in `wanted` count nothing.
        slope: (n,).
        matrix: (n, n).
    """
    place_tree(tree, q)
    bulk, forces = tree.bulk, tree.forces
    for k in range(len(tree.carrier)):
        for n in range(10):
            bulk[k, n] = 0.0
        for n in range(6):
            forces[k, n] = 0.0
    cost = _load(tree, points)
    for i in range(len(q)):
        slope[i] = 0.0
        for j in range(len(q)):
            matrix[i, j] = 0.0
    for k in range(len(tree.carrier) - 1, -1, -1):
        m, f = tree.motions[k], forces[k]
        work = m[0] * f[0] + m[1] * f[1] + m[2] * f[2] + m[3] * f[3] + m[4] * f[4] + m[5] * f[5]
        slope[tree.coordinate[k]] += tree.slope[k] * work
        p = tree.carrier[k]
        if p >= 0:
            for n in range(6):
                forces[p, n] += f[n]
    add_mass_matrix(tree, matrix)
    return cost


@inner
def _load(tree, points):
    """Put the weights of markers on the axes as masses, and what is missed as forces; return its square."""
    bulk, forces, reference = tree.bulk, tree.forces, tree.reference
    cost = 0.0
    for i in range(len(points.axes)):
        k = points.axes[i]
        x, y, z = points.local[i, 0], points.local[i, 1], points.local[i, 2]
        if k >= 0:
            r, o = tree.frames[k], tree.origins[k]
            x, y, z = (
                r[0] * x + r[1] * y + r[2] * z + o[0],
                r[3] * x + r[4] * y + r[5] * z + o[1],
                r[6] * x + r[7] * y + r[8] * z + o[2],
            )
        points.places[i, 0], points.places[i, 1], points.places[i, 2] = x, y, z
        m, wanted = points.weights[i], points.wanted[i]
        if wanted[0] != wanted[0]:
            continue
        u, v, w = x - wanted[0], y - wanted[1], z - wanted[2]
        cost += m * (u * u + v * v + w * w)
        if k < 0:
            continue
        u, v, w = m * u, m * v, m * w
        x, y, z = x - reference[0], y - reference[1], z - reference[2]
        a, b, c = cross(x, y, z, u, v, w)
        forces[k, 0] += a
        forces[k, 1] += b
        forces[k, 2] += c
        forces[k, 3] += u
        forces[k, 4] += v
        forces[k, 5] += w
        add_point_mass(bulk, k, m, x, y, z)
    return cost
