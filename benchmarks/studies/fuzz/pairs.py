"""Random pairs of shapes.

Shapes measure 1 mm to 100 m with extreme aspect ratios; poses are random or aligned (faces, edges, corners
flush), apart, touching, overlapping a little or deeply, or identical.
"""

from itertools import combinations_with_replacement

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.benchmarks.studies.fuzz.support import Support
from stoss.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Shape,
    Sphere,
    TriangleMesh,
)

__all__ = ["KINDS", "draw_pairs", "kind_pairs"]

KINDS = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull", "halfspace", "mesh")
_CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T


def kind_pairs() -> list[tuple[str, str]]:
    """Return the pairs of kinds that can touch: half-spaces and meshes come second, and never together."""
    pairs = combinations_with_replacement(KINDS, 2)
    return [(a, b) for a, b in pairs if not {a, b} <= {"halfspace", "mesh"}]


def _draw_shapes(rng: np.random.Generator, kind: str, n: int) -> tuple[list[Shape], Support]:
    base = 10.0 ** rng.uniform(-3.0, 2.0, (n, 1))
    stretch = 10.0 ** rng.uniform(-2.0, 0.0, (n, 3)) * (rng.random((n, 1)) < 0.5)
    sizes = base * np.where(stretch > 0.0, stretch, rng.uniform(0.3, 1.0, (n, 3)))
    sizes[rng.random(n) < 0.2] = base[rng.random(n) < 2.0][:1]  # equal shapes meet, too
    corners = _CORNERS * sizes[:, None]
    skew = rng.random((n, 1, 1)) < 0.5
    corners = np.where(skew, corners * rng.uniform(0.5, 1.0, (n, 8, 3)), corners)
    shapes: list[Shape] = []
    for k in range(n):
        a, b, c = sizes[k].tolist()
        match kind:
            case "sphere":
                shapes.append(Sphere(a))
            case "box":
                shapes.append(Box((2.0 * a, 2.0 * b, 2.0 * c)))
            case "capsule":
                shapes.append(Capsule(a, 2.0 * b))
            case "cylinder":
                shapes.append(Cylinder(a, 2.0 * b))
            case "cone":
                shapes.append(Cone(a, 2.0 * b))
            case "ellipsoid":
                shapes.append(Ellipsoid((a, b, c)))
            case "halfspace":
                shapes.append(HalfSpace())
            case "hull":
                shapes.append(ConvexHull(corners[k]))
            case _:
                hull = ConvexHull(corners[k])
                faces = [(f[0], f[i], f[i + 1]) for f in hull.faces for i in range(1, len(f) - 1)]
                shapes.append(TriangleMesh(hull.vertices, np.array(faces)))
    return shapes, Support(kind, sizes, corners)


def _quaternions(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return orientations: half of them random, the others multiples of 45 degrees, some off by rounding."""
    q = rng.normal(size=(n, 4))
    special = np.eye(4)[rng.integers(0, 4, n)]
    special += (rng.random((n, 1)) < 0.3) * np.eye(4)[rng.integers(0, 4, n)] * rng.choice([-1.0, 1.0], (n, 1))
    special[np.linalg.norm(special, axis=1) == 0.0] = (1.0, 0.0, 0.0, 0.0)
    special += rng.normal(size=(n, 4)) * rng.choice([0.0, 1e-16, 1e-9, 1e-4], (n, 1))
    q = np.where(rng.random((n, 1)) < 0.4, q, special)
    return q / np.linalg.norm(q, axis=1)[:, None]


def draw_pairs(
    rng: np.random.Generator, kinds: tuple[str, str], n: int
) -> tuple[list[list[Shape]], list[Support], np.ndarray, np.ndarray]:
    """Return shapes, supports, positions (2, n, 3) and quaternions (2, n, 4) of random pairs."""
    drawn = [_draw_shapes(rng, kind, n) for kind in kinds]
    shapes, supports = [d[0] for d in drawn], [d[1] for d in drawn]
    if kinds[0] == kinds[1]:  # also identical twins
        for k in np.flatnonzero(rng.random(n) < 0.2):
            shapes[1][k] = shapes[0][k]
            supports[1].sizes[k], supports[1].corners[k] = supports[0].sizes[k], supports[0].corners[k]
    turns = np.array([_quaternions(rng, n), _quaternions(rng, n)])
    same = rng.random(n) < 0.4
    turns[1, same] = turns[0, same]
    for side in range(2):
        supports[side].turns = Rotation.from_quat(turns[side], scalar_first=True).as_matrix()
    # put a along a direction at a chosen separation from b, then to the side
    u = rng.normal(size=(n, 3))
    special = supports[1].directions() if kinds[1] in ("hull", "mesh") else supports[0].directions()
    pick = special[np.arange(n), rng.integers(0, special.shape[1], n)] * rng.choice([-1.0, 1.0], (n, 1))
    usable = (rng.random(n) < 0.6) & (np.linalg.norm(pick, axis=1) > 0.5)
    u = np.where(usable[:, None], pick, u / np.linalg.norm(u, axis=1)[:, None])
    if kinds[1] == "halfspace":
        u = supports[1].turns[:, :, 2].copy()
    small = np.minimum(supports[0].sizes.min(axis=1), supports[1].sizes.min(axis=1))
    if kinds[1] == "halfspace":
        small = supports[0].sizes.min(axis=1)
    gap = small * rng.choice([0.0, 1e-15, -1e-15, 1e-9, -1e-9, 1e-5, -1e-5, -1e-3, -0.1, -1.0, 0.01], n)
    contact = np.array([supports[s].height(u[:, None] * (1 if s else -1))[:, 0] for s in range(2)])
    positions = np.zeros((2, n, 3))
    positions[0] = u * (contact[1] + contact[0] + gap)[:, None]
    aside = rng.choice([0.0, 0.0, 1.0, 1e-9], (n, 1)) * rng.uniform(-1.0, 1.0, (n, 3)) * small[:, None]
    positions[0] += aside - u * (aside * u).sum(axis=1)[:, None]
    positions[0, rng.random(n) < 0.03] = 0.0  # same centre
    positions += rng.choice([0.0, 1.0, 100.0], (1, n, 1)) * rng.uniform(-1.0, 1.0, (1, n, 3))
    for side in range(2):
        supports[side].positions = positions[side]
    return shapes, supports, positions, turns
