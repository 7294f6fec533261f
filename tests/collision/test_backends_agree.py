"""The compiled kernels, FCL and slow independent oracles must find the same contacts.

`compare(kinds, count)` runs any number of random poses of a pair; the full table comes from running this
file.
"""

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.spatial import ConvexHull as Qhull

from stoss.collision.contacts import Contacts
from stoss.collision.narrow_phase.convex import collide_convex_pairs, convex_normal
from stoss.collision.narrow_phase.convex_scratch import convex_scratch
from stoss.collision.narrow_phase.fcl_backend import collide_fcl_pairs
from stoss.collision.narrow_phase.half_space import collide_halfspace_pairs
from stoss.collision.narrow_phase.native import NATIVE_KINDS, collide_native_pairs
from stoss.collision.shapes.faceted import ConvexHull
from stoss.collision.shapes.shape_pair import load_pair
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Sphere

KINDS = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull")
PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))
MARGIN = 0.02


class Agreement(NamedTuple):
    """What `compare` found: numbers of poses and worst deviations.

    Depths are s(n) = min over a of n.x minus max over b of n.x for the normal n of the deepest contact,
    computed
    here from support points: the true depth is the maximum of s. `apart`: gap above 0, `shallow`: overlap
        below 5 % of the smaller size, `deep`: the rest. FCL's normal for an overlap is that of a portal
        near the centres, from
    which the refinement climbs to the nearest maximum of s: `fcl_other` counts poses where that is not the
        largest. `worst_depth` and `worst_normal`: where both have the same maximum, apart or shallow;
        `worst_deep`: depth, deep.
    """

    apart: int
    shallow: int
    deep: int
    only_native: int
    only_fcl: int
    native_other: int
    fcl_other_apart: int
    fcl_other_shallow: int
    fcl_other_deep: int
    worst_depth: float
    worst_normal: float
    worst_deep: float


def _rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def reach(shape, d):
    """Return max d.x over a shape in its own frame, from the definition of the shape."""
    x, y, z = d
    across = np.hypot(x, y)
    match shape:
        case Sphere(r):
            return r * np.linalg.norm(d)
        case Box(size):
            return 0.5 * np.abs(d) @ np.array(size)
        case Capsule(r, length):
            return r * np.linalg.norm(d) + 0.5 * length * abs(z)
        case Cylinder(r, length):
            return r * across + 0.5 * length * abs(z)
        case Cone(r, length):
            return max(0.5 * length * z, r * across - 0.5 * length * z)
        case Ellipsoid(radii):
            return np.linalg.norm(d * np.array(radii))
    return (shape.vertices @ d).max()


def separation(table, a, b, n):
    """Return the gap of shapes a and b along n."""
    n = n / np.linalg.norm(n)
    turn_a, turn_b = _rotation(table.quaternion[a]), _rotation(table.quaternion[b])
    return (
        n @ (table.position[a] - table.position[b])
        - reach(table.shapes[a], -turn_a.T @ n)
        - reach(table.shapes[b], turn_b.T @ n)
    )


def random_shape(kind, rng):
    """Return a shape of about unit size."""
    u = rng.uniform(0.2, 0.6, 3)
    match kind:
        case "sphere":
            return Sphere(u[0])
        case "box":
            return Box(tuple(2 * u))
        case "capsule":
            return Capsule(u[0], 2 * u[1])
        case "cylinder":
            return Cylinder(u[0], 2 * u[1])
        case "cone":
            return Cone(u[0], 2 * u[1])
        case "ellipsoid":
            return Ellipsoid(tuple(u))
    return ConvexHull(0.35 * rng.normal(size=(14, 3)))


def random_table(kinds, pair_count, rng):
    """Return a table with shapes (0, 1), (2, 3), ... of two kinds and the pairs."""
    table = ShapeTable()
    for pair in range(pair_count):
        table.add(random_shape(kinds[0], rng), 2 * pair)
        table.add(random_shape(kinds[1], rng), 2 * pair + 1)
    return table, np.arange(2 * pair_count).reshape(-1, 2)


def place_at_random(table, rng, nearest=0.15):
    """Turn all shapes at random and put those of a pair near each other, most of them overlapping."""
    count = table.count
    positions, quaternions = np.zeros((count, 3)), rng.normal(size=(count, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    directions = rng.normal(size=(count // 2, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    radii = table.bounding_radius[:count].reshape(-1, 2).sum(axis=1)
    positions[::2] = directions * (radii * rng.uniform(nearest, 1.0, count // 2))[:, None]
    table.update(positions, quaternions, MARGIN)


def deepest(collide, table, pairs):
    """Return the gap and the normal of the deepest contact of each pair; inf where there is none."""
    contacts = Contacts()
    collide(pairs, table, MARGIN, contacts)
    gaps, normals = np.full(len(pairs), np.inf), np.zeros((len(pairs), 3))
    for c in range(contacts.count):
        pair = contacts.shape_a[c] // 2
        if contacts.gap[c] < gaps[pair]:
            gaps[pair], normals[pair] = contacts.gap[c], contacts.normal[c]
    return gaps, normals


def native(kinds):
    """Return the compiled narrow phase that the native backend uses for a pair of kinds."""
    codes = {"sphere": 0, "box": 1, "capsule": 2}
    if all(codes.get(kind, 99) in NATIVE_KINDS for kind in kinds):
        return collide_native_pairs
    return collide_convex_pairs


def compare(kinds, count, seed=0):
    """Collide `count` random poses of two kinds with both backends and return the `Agreement`."""
    rng = np.random.default_rng(seed)
    table, pairs = random_table(kinds, 100, rng)
    tally = dict.fromkeys(Agreement._fields, 0)
    tally["worst_depth"] = tally["worst_normal"] = tally["worst_deep"] = 0.0
    for _ in range(-(-count // 100)):
        place_at_random(table, rng)
        (gaps, normals), (fcl_gaps, fcl_normals) = (
            deepest(collide, table, pairs) for collide in (native(kinds), collide_fcl_pairs)
        )
        for (a, b), gap, fcl_gap, n, m in zip(pairs, gaps, fcl_gaps, normals, fcl_normals, strict=True):
            if np.isinf(gap) or np.isinf(fcl_gap):
                tally["only_native"] += np.isfinite(gap)
                tally["only_fcl"] += np.isfinite(fcl_gap)
                continue
            s, t = separation(table, a, b, n), separation(table, a, b, m)
            size = min(table.bounding_radius[a], table.bounding_radius[b])
            regime = "apart" if s > 0.0 else ("shallow" if s > -0.05 * size else "deep")
            tally[regime] += 1
            # a face that is within 0.02 rad of the best normal replaces it: s falls by at most 0.02 of the
            # extent
            if t > s + 1e-9 and n @ m < np.cos(0.03):
                tally["native_other"] += 1
            elif s > t + 1e-9 and n @ m < np.cos(0.03):
                tally["fcl_other_" + regime] += 1
            elif n @ m > 1.0 - 1e-7:  # the same normal, not the same depth by chance or a face in its place
                if regime == "deep":
                    tally["worst_deep"] = max(tally["worst_deep"], abs(s - t))
                else:
                    tally["worst_depth"] = max(tally["worst_depth"], abs(s - t))
                    tally["worst_normal"] = max(tally["worst_normal"], float(np.linalg.norm(n - m)))
    return Agreement(**tally)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_backends_find_the_same_contacts(kinds):
    """Agree on contact or not, and on depth and normal wherever the nearest maximum is the only one."""
    result = compare(kinds, 500)
    assert result.only_native == result.only_fcl == 0
    # box against box prefers faces to edges in deep overlaps
    assert result.native_other <= (0.15 if kinds == ("box", "box") else 0.01) * 500
    # apart, the distance is unique
    assert result.fcl_other_apart == 0
    # Newton's method ends at differences of s of 4e-16, that is normals within sqrt(4e-16 / curvature); a
    # start of FCL's on a ridge of s may stop the refinement short of the top
    assert result.worst_depth < 1e-6
    assert result.worst_normal < 1e-3
    assert result.worst_deep < 1e-3


def _minkowski_depth(table, a, b):
    """Return the signed distance of two polytopes from the hull of their difference."""
    corners = []
    for row in (a, b):
        shape = table.shapes[row]
        if isinstance(shape, Box):
            half = 0.5 * np.array(shape.size)
            local = np.array(list(itertools.product(*zip(-half, half, strict=True))))
        else:
            local = shape.vertices
        corners.append(local @ _rotation(table.quaternion[row]).T + table.position[row])
    difference = (corners[0][:, None] - corners[1][None]).reshape(-1, 3)
    planes = Qhull(difference).equations
    depth = planes[:, 3].max()
    if depth <= 0.0:
        return depth
    # apart: the nearest point x of the hull, planes . x <= -offset; from a point inside
    inside = linprog(
        [0, 0, 0, -1],
        A_ub=np.c_[planes[:, :3], np.ones(len(planes))],
        b_ub=-planes[:, 3],
        bounds=[(None, None)] * 4,
    ).x[:3]
    found = minimize(
        lambda x: x @ x,
        inside,
        jac=lambda x: 2 * x,
        method="SLSQP",
        tol=1e-15,
        constraints={
            "type": "ineq",
            "fun": lambda x: -planes[:, 3] - planes[:, :3] @ x,
            "jac": lambda x: -planes[:, :3],
        },
    )
    return np.sqrt(found.fun)


def _best_normal(table, a, b):
    """Return the signed distance and the normal that the compiled search finds, before faces replace it."""
    scratch = convex_scratch(table.polyhedra.arrays)
    load_pair(a, b, table.arrays, scratch.pair)
    near, x, y, z, gap = convex_normal(scratch.pair, MARGIN, scratch.search, scratch.manifold.edges)
    return near, gap, np.array([x, y, z])


@pytest.mark.parametrize("kinds", [("box", "box"), ("box", "hull"), ("hull", "hull")], ids="-".join)
def test_polytopes_agree_with_the_hull_of_their_difference(kinds):
    """Find the depth that the explicit Minkowski difference has."""
    rng = np.random.default_rng(11)
    table, pairs = random_table(kinds, 100, rng)
    place_at_random(table, rng)
    for a, b in pairs.tolist():
        depth = _minkowski_depth(table, a, b)
        near, gap, n = _best_normal(table, a, b)
        if not near:
            assert depth > MARGIN - 1e-7
            continue
        assert abs(gap - separation(table, a, b, n)) < 1e-14
        # the search ends when a face is within 1e-4 of the supports (here up to 4 m) of the least depth;
        # SLSQP finds distances to 1e-7
        assert depth - 4e-4 < gap < depth + (1e-7 if depth > 0.0 else 1e-12)


@pytest.mark.parametrize(
    ("kinds", "seed"),
    [
        (("box", "cone"), 38),
        (("box", "cylinder"), 22),
        (("box", "ellipsoid"), 54),
        (("cone", "cone"), 58),
        (("cylinder", "cone"), 31),
        (("cylinder", "cylinder"), 0),
        (("ellipsoid", "cone"), 0),
        (("ellipsoid", "ellipsoid"), 0),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_pairs_that_almost_touch_are_neither_lost_nor_sunk(kinds, seed):
    """Find a direction as good as a known one, apart or overlapping by 1e-9 to 3e-4 m."""
    rng = np.random.default_rng(seed)
    table, pairs = random_table(kinds, 400, rng)
    place_at_random(table, rng)
    for a, b in pairs.tolist():
        near, gap, n = _best_normal(table, a, b)
        if not near:
            continue
        way = 10.0 ** rng.uniform(-9.0, -3.5) * rng.choice([-1.0, 1.0])
        table.arrays.position[a] += n * (way - gap)
        near, gap, _ = _best_normal(table, a, b)
        assert near and gap > way - 1e-8


@pytest.mark.parametrize(
    "kinds", [pair for pair in PAIRS if set(pair) & {"cylinder", "cone", "ellipsoid"}], ids="-".join
)
def test_curved_shapes_agree_with_an_optimiser(kinds):
    """Find no direction that separates better, searching the sphere of directions from several starts."""
    rng = np.random.default_rng(12)
    table, pairs = random_table(kinds, 12, rng)
    place_at_random(table, rng, nearest=0.4)
    starts = rng.normal(size=(12, 3))
    for a, b in pairs.tolist():

        def loss(direction, a=a, b=b):
            return -separation(table, a, b, direction)

        order = np.argsort([loss(start) for start in starts])
        best = -min(
            minimize(
                loss,
                starts[index],
                method="Nelder-Mead",
                options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 300},
            ).fun
            for index in order[:3]
        )
        near, gap, n = _best_normal(table, a, b)
        if not near:
            assert best > MARGIN - 1e-6
            continue
        assert abs(gap - separation(table, a, b, n)) < 1e-14
        assert (
            gap > best - 4e-4
        )  # 1e-4 of the supports, as above; the optimiser may miss the best, not beat it


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("plane_first", [False, True])
def test_half_spaces_agree_with_support_points(kind, plane_first):
    """Give the exact least height over the plane, in both orders, and only heights up to the margin."""
    rng = np.random.default_rng(13)
    for _ in range(40):
        normal = rng.normal(size=3)
        plane, solid = HalfSpace(tuple(normal), float(rng.normal())), random_shape(kind, rng)
        table = ShapeTable()
        for body, shape in enumerate((plane, solid) if plane_first else (solid, plane)):
            table.add(shape, body)
        quaternions = rng.normal(size=(2, 4))
        quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
        h, s = (0, 1) if plane_first else (1, 0)
        positions = rng.normal(size=(2, 3))
        up = _rotation(quaternions[h]) @ np.array(plane.normal)
        turn = _rotation(quaternions[s])
        # put the lowest point at a chosen height
        height = rng.uniform(-0.1, 0.05)
        lowest = up @ (positions[s] - positions[h]) - plane.offset - reach(solid, -turn.T @ up)
        positions[s] += (height - lowest) * up
        table.update(positions, quaternions, MARGIN)
        contacts = Contacts()
        collide_halfspace_pairs(np.array([[0, 1]]), table, MARGIN, contacts)
        gaps = contacts.gap[: contacts.count]
        assert (height <= MARGIN) == (contacts.count > 0)
        if contacts.count:
            assert abs(gaps.min() - height) < 1e-12
            assert gaps.max() <= MARGIN
            sign = -1.0 if plane_first else 1.0
            assert np.allclose(contacts.normal[: contacts.count], sign * up, atol=1e-12)
            offset = contacts.point_a[: contacts.count] - contacts.point_b[: contacts.count]
            assert np.allclose(offset, gaps[:, None] * sign * up, atol=1e-12)


if __name__ == "__main__":
    import sys

    print("pair", *Agreement._fields)
    for pair in PAIRS:
        print(
            "-".join(pair),
            *(
                f"{value:.1e}" if isinstance(value, float) else value
                for value in compare(pair, int(sys.argv[1]))
            ),
            flush=True,
        )
