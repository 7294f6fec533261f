"""Random pairs of shapes in awkward poses, checked against what must hold for any contact.

`python -m stoss.benchmarks.studies.fuzz [pairs] [seed]` prints how often each rule was broken by each pair
of kinds; with `--motion` the pairs move, and it prints how often their energy rose.

Shapes measure 1 mm to 100 m with extreme aspect ratios; poses are random or aligned (faces, edges, corners
flush), apart, touching, overlapping a little or deeply, or identical. The oracle knows support functions:
along any unit normal n the separation s(n) = min n.x over a - max n.x over b is a lower bound of the signed
distance, so a contact deeper than the best s(n) that is found by trying many n is too deep. Points of the
shapes that are near each other bound the distance from above, so a pair without a contact whose points are
nearer than the margin was missed.
"""

import argparse
import sys
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy.optimize import nnls
from stoss.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Detector,
    Ellipsoid,
    HalfSpace,
    Shape,
    Sphere,
    TriangleMesh,
)
from stoss.collision.manifold.manifold import FACE_COSINE, SWAP_BIAS
from stoss.collision.narrow_phase.box_box import AXIS_TOLERANCE, AXIS_TOLERANCE_RELATIVE
from stoss.collision.narrow_phase.gjk import EPA_POINTS
from stoss.engine import Body, Material, Settings, World

__all__ = ["KINDS", "RULES", "Support", "check", "check_motion", "draw_pairs", "kind_pairs", "main"]

KINDS = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull", "halfspace", "mesh")
RULES = ("number", "normal", "feature", "points", "margin", "gap", "depth", "missed")
_CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
_HULL_CORNERS = 8
_SHARE = 0.1  # of the smallest half edge, and of a radian, that bodies move and turn in a step
_PAIRS_PER_WORLD = 60  # each in a collision group of its own, one bit of 64
# Share of the energy by which a step may raise it: an impulse of at most twice the momentum m v, through an
# error of velocities of 1e-10 m/s, gives 4e-10 / v of m v^2 / 2; v is 10 um/s for the smallest bodies.
ENERGY_TOLERANCE = 4e-5


def kind_pairs() -> list[tuple[str, str]]:
    """Return the pairs of kinds that can touch: half-spaces and meshes come second, and never together."""
    pairs = combinations_with_replacement(KINDS, 2)
    return [(a, b) for a, b in pairs if not {a, b} <= {"halfspace", "mesh"}]


class Support:
    """Support functions of shapes of one kind, in world coordinates, without the kernels.

    Args:
        kind: one of KINDS, not "mesh" (whose hull is the same as that of its corners).
        sizes: (n, 3) as drawn by `draw_shape`.
        corners: (n, 8, 3) for hulls and meshes.
    """

    def __init__(self, kind: str, sizes: np.ndarray, corners: np.ndarray) -> None:
        self.kind, self.sizes, self.corners = kind, sizes, corners
        self.turns = np.tile(np.eye(3), (len(sizes), 1, 1))
        self.positions = np.zeros((len(sizes), 3))

    def height(self, direction: np.ndarray) -> np.ndarray:
        """Return max n.x over each shape for directions (n, k, 3) [m]: (n, k)."""
        d = np.einsum("nji,nkj->nki", self.turns, direction)
        r, h = self.sizes[:, None, 0], self.sizes[:, None, 1]
        flat = np.hypot(d[..., 0], d[..., 1])
        if self.kind == "sphere":
            local = r * np.linalg.norm(d, axis=2)
        elif self.kind == "box":
            local = (np.abs(d) * self.sizes[:, None]).sum(axis=2)
        elif self.kind == "capsule":
            local = r * np.linalg.norm(d, axis=2) + h * np.abs(d[..., 2])
        elif self.kind == "cylinder":
            local = r * flat + h * np.abs(d[..., 2])
        elif self.kind == "cone":
            local = np.maximum(r * flat - h * d[..., 2], h * d[..., 2])
        elif self.kind == "ellipsoid":
            local = np.linalg.norm(d * self.sizes[:, None], axis=2)
        elif self.kind == "halfspace":
            local = np.where(d[..., 2] > 1.0 - 1e-14, 0.0, np.inf)  # other directions reach any height
        else:
            local = np.einsum("nki,nvi->nkv", d, self.corners).max(axis=2)
        return local + np.einsum("nki,ni->nk", direction, self.positions)

    def point(self, direction: np.ndarray) -> np.ndarray:
        """Return the point (3,) of the first shape that lies farthest in a unit direction (3,) [m]."""
        d, size = direction @ self.turns[0], self.sizes[0]
        flat = np.array([d[0], d[1], 0.0])
        flat /= max(np.hypot(d[0], d[1]), 1e-300)
        end = np.array([0.0, 0.0, np.copysign(size[1], d[2])])
        if self.kind == "sphere":
            local = size[0] * d
        elif self.kind == "box":
            local = np.copysign(size, d)
        elif self.kind == "capsule":
            local = size[0] * d + end
        elif self.kind == "cylinder":
            local = size[0] * flat + end
        elif self.kind == "cone":
            rim, apex = np.array([0.0, 0.0, -size[1]]) + size[0] * flat, np.array([0.0, 0.0, size[1]])
            local = rim if rim @ d > apex @ d else apex
        elif self.kind == "ellipsoid":
            local = size * (size * d) / np.linalg.norm(size * d)
        else:
            local = self.corners[0, np.argmax(self.corners[0] @ d)]
        return self.turns[0] @ local + self.positions[0]

    def directions(self) -> np.ndarray:
        """Return directions (n, k, 3) that matter: axes and, for hulls, face normals."""
        if self.kind in ("hull", "mesh"):
            c = self.corners
            triples = [(i, j, k) for i in range(8) for j in range(i) for k in range(j)]
            i, j, k = np.array(triples).T
            n = np.cross(c[:, i] - c[:, k], c[:, j] - c[:, k])
            local = n / np.maximum(np.linalg.norm(n, axis=2), 1e-300)[..., None]
        elif self.kind == "cone":
            local = np.tile([0.0, 0.0, 1.0], (len(self.sizes), 1, 1))
        else:
            local = np.tile(np.eye(3), (len(self.sizes), 1, 1))
        return np.einsum("nij,nkj->nki", self.turns, local)

    def edges(self) -> np.ndarray:
        """Return directions of straight edges (n, k, 3), for the normals between two of them."""
        if self.kind in ("hull", "mesh"):
            i, j = np.triu_indices(8, 1)
            local = self.corners[:, i] - self.corners[:, j]
        elif self.kind in ("box", "capsule", "cylinder", "cone"):
            local = np.tile(np.eye(3) if self.kind == "box" else np.eye(3)[2:], (len(self.sizes), 1, 1))
        else:
            local = np.zeros((len(self.sizes), 0, 3))
        return np.einsum("nij,nkj->nki", self.turns, local)


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


def _matrices(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q.T
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)


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
        supports[side].turns = _matrices(turns[side])
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


def _separation(supports: list[Support], normal: np.ndarray) -> np.ndarray:
    """Return s(n) for normals (n, k, 3) from b to a: (n, k)."""
    return -supports[0].height(-normal) - supports[1].height(normal)


def _best_separation(rng: np.random.Generator, supports: list[Support], starts: np.ndarray) -> np.ndarray:
    """Return the largest s(n) found (n,), a lower bound of the signed distance; exact for polytopes."""
    n = len(starts)
    a, b = supports
    if b.kind == "halfspace":
        return _separation(supports, b.turns[:, None, :, 2])[:, 0]
    e, f = a.edges(), b.edges()
    between = np.cross(e[:, :, None], f[:, None]).reshape(n, -1, 3)
    centres = (a.positions - b.positions)[:, None]
    tries = [starts, a.directions(), b.directions(), between, centres, rng.normal(size=(n, 16, 3))]
    candidates = np.concatenate(tries, axis=1)
    length = np.linalg.norm(candidates, axis=2)
    scale = np.where(length > 0.0, length, 1.0)
    candidates = candidates / scale[..., None]
    candidates = np.concatenate([candidates, -candidates], axis=1)
    valid = np.concatenate([length, length], axis=1) > 1e-12
    value = np.where(valid, _separation(supports, candidates), -np.inf)
    best = value.max(axis=1)
    where = candidates[np.arange(n), value.argmax(axis=1)]
    for width in (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5):
        for _ in range(3):
            near = where[:, None] + width * rng.normal(size=(n, 8, 3))
            near /= np.linalg.norm(near, axis=2)[..., None]
            value = _separation(supports, near)
            better = value.max(axis=1) > best
            where = np.where(better[:, None], near[np.arange(n), value.argmax(axis=1)], where)
            best = np.maximum(best, value.max(axis=1))
    return best


def _distance(supports: list[Support]) -> float:
    """Return an upper bound of the distance of two shapes [m], (nearly) reached: that of two of their points.

    The point nearest to the origin in the hull of known points of a - b shows where to look for the next one.
    """
    a, b = supports
    normal = a.positions[0] - b.positions[0]
    normal = normal / max(np.linalg.norm(normal), 1e-300) if normal.any() else np.array([0.0, 0.0, 1.0])
    points = np.empty((0, 3))
    for _ in range(60):
        points = np.vstack([points, a.point(-normal) - b.point(normal)])
        scale = np.abs(points).max()
        # min |sum w p|^2 + (1 - sum w)^2 over w >= 0 has its w in the proportion of the nearest point
        weights, _ = nnls(np.vstack([points.T / max(scale, 1e-300), np.ones(len(points))]), [0, 0, 0, 1.0])
        nearest = weights @ points / weights.sum()
        distance = float(np.linalg.norm(nearest))
        if distance <= 1e-14 * scale:
            break
        normal = nearest / distance
        if distance - normal @ (a.point(-normal) - b.point(normal)) <= 1e-13 * scale:
            break
    return distance


def check(
    kinds: tuple[str, str], n: int, seed: int, margin: float = 5e-3
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return, per rule, how far each pair breaks it (n,), 0 if not; contacts of each; its separation [m].

    Rules: "number": all finite; "normal": unit length; "feature": features differ; "points": points differ by
    gap times normal; "margin": no gap above the margin; "gap": no gap below the separation along its normal;
    "depth": no gap below the signed distance; "missed": a pair closer than the margin has a contact. All but
    the first three are lengths [m], beyond the tolerance.
    """
    rng = np.random.default_rng([seed, KINDS.index(kinds[0]), KINDS.index(kinds[1])])
    shapes, supports, positions, turns = draw_pairs(rng, kinds, n)
    detector = Detector()
    for side in range(2):
        for k in range(n):
            detector.add_shape(shapes[side][k], side * n + k)
    detector.table.update(positions.reshape(-1, 3), turns.reshape(-1, 4), 0.5 * margin)
    detector.collide(np.column_stack([np.arange(n), np.arange(n, 2 * n)]), margin)
    c = detector.contacts
    count, pair = c.count, c.shape_a[: c.count]
    normal, gap = c.normal[:count], c.gap[:count]
    size = np.max([s.sizes.max(axis=1) for s in supports if s.kind != "halfspace"], axis=0)
    # rounding of a few operations on coordinates of this size
    tolerance = 1e-13 * (np.abs(positions).max(axis=(0, 2)) + size)
    broken = {rule: np.zeros(n) for rule in RULES}
    found = np.bincount(pair, minlength=n)
    values = [normal, gap[:, None], c.point_a[:count], c.point_b[:count]]
    wrong = ~np.isfinite(np.column_stack(values)).all(axis=1)
    broken["number"][pair[wrong]] = 1.0
    np.maximum.at(broken["normal"], pair, _beyond(np.abs(np.linalg.norm(normal, axis=1) - 1.0), 1e-12))
    keys = np.column_stack([pair, c.feature[:count]])
    _, index, times = np.unique(keys, axis=0, return_index=True, return_counts=True)
    np.add.at(broken["feature"], pair[index], times - 1.0)
    apart = np.abs(c.point_a[:count] - c.point_b[:count] - gap[:, None] * normal).max(axis=1, initial=0.0)
    np.maximum.at(broken["points"], pair, _beyond(apart, tolerance[pair]))
    np.maximum.at(broken["margin"], pair, _beyond(gap, margin + tolerance[pair]))
    own = [_rows(s, pair) for s in supports]
    np.maximum.at(
        broken["gap"], pair, _beyond(_separation(own, normal[:, None])[:, 0] - gap, 10.0 * tolerance[pair])
    )
    starts = np.zeros((n, 1, 3))
    starts[pair, 0] = normal
    best = _best_separation(rng, supports, starts)
    least = np.full(n, np.inf)
    np.minimum.at(least, pair, gap)
    # A face replaces a normal within 0.02 rad of its own, which changes a gap by 1 - cos(0.02) of it; of two
    # faces the first is kept unless the second is better by SWAP_BIAS of its extent.
    lean = 1.0 - FACE_COSINE
    allowed = 10.0 * tolerance + lean * np.abs(best) + 4.0 * SWAP_BIAS * size
    if not set(kinds) <= {"sphere", "box", "hull", "halfspace"}:
        # EPA chooses between the ways out by at most 2 EPA_POINTS - 4 facets: about a ball of radius R equal
        # triangles of their area have a circumradius c with (3 sqrt(3) / 4) c^2 = 4 pi R^2 / facets, and so
        # leave c^2 / 2 R = 3.5 % of R
        facets = 2.0 * EPA_POINTS - 4.0
        allowed += np.where(best < 0.0, 8.0 * np.pi / (3.0 * np.sqrt(3.0) * facets), 0.0) * np.abs(best)
    if kinds == ("box", "box"):
        # another axis must be better by a share of the smallest half edge, edges also by one of the depth
        smallest = np.minimum(*(s.sizes.min(axis=1) for s in supports))
        allowed += (AXIS_TOLERANCE * smallest + AXIS_TOLERANCE_RELATIVE * np.abs(best)) / (
            1.0 - AXIS_TOLERANCE_RELATIVE
        )
    if "mesh" in kinds:  # a skin knows no inside: what is deep in it may leave on any side
        smallest = np.minimum(*(s.sizes.min(axis=1) for s in supports))
        allowed[best < -0.05 * smallest] = np.inf
    broken["depth"] = np.where(found > 0, _beyond(best - least, allowed), 0.0)
    # a mesh may leave what is in the air to a face that will be met first, and knows no inside
    in_reach = (found == 0) & (best < margin) & ("mesh" not in kinds)
    limit = 10.0 * tolerance + lean * margin
    for row in np.flatnonzero(in_reach):
        rows = np.array([row])
        distance = best[row] if "halfspace" in kinds else _distance([_rows(s, rows) for s in supports])
        broken["missed"][rows] = _beyond(margin - distance, limit[rows])
    return broken, found, best


def _beyond(value: "np.ndarray | float", limit: "np.ndarray | float") -> np.ndarray:
    """Return the value where it exceeds the limit or is no number, else 0."""
    return np.where(value <= limit, 0.0, np.nan_to_num(value, nan=1.0))


def _rows(support: Support, rows: np.ndarray) -> Support:
    part = Support(support.kind, support.sizes[rows], support.corners[rows])
    part.turns, part.positions = support.turns[rows], support.positions[rows]
    return part


def check_motion(kinds: tuple[str, str], n: int, seed: int, steps: int = 20) -> np.ndarray:
    """Let pairs meet at random speeds, without gravity, and return how far their energy rose.

    At first they move and turn in a step by no more than a tenth of their smallest half edge and of a radian.

    Args:
        kinds: of the two shapes.
        n: number of pairs.
        seed: of the poses, as for `check`, and of the velocities.
        steps: of 10 ms.

    Returns:
        (n,): the largest rise of the kinetic energy in a step, as a share of the first one, beyond the
        tolerance.
    """
    rng = np.random.default_rng([seed, KINDS.index(kinds[0]), KINDS.index(kinds[1])])
    shapes, supports, positions, turns = draw_pairs(rng, kinds, n)
    rise = np.zeros(n)
    small = np.min([s.sizes.min(axis=1) for s in supports if s.kind != "halfspace"], axis=0)
    for first in range(0, n, _PAIRS_PER_WORLD):
        world = World(gravity=(0.0, 0.0, 0.0), settings=Settings())
        bodies = []
        for k in range(first, min(first + _PAIRS_PER_WORLD, n)):
            material = Material(restitution=rng.uniform(), friction=rng.uniform())
            fixed = kinds[1] in ("halfspace", "mesh") or rng.random() < 0.3
            for side in range(2):
                motion: dict[str, Any] = {"kind": "static"}
                if side == 0 or not fixed:
                    speed = 10.0 ** rng.uniform(-2.0, 0.0) * _SHARE * small[k] / world.time_step
                    spin = rng.uniform(0.0, _SHARE) / world.time_step
                    motion = {
                        "mass": 10.0 ** rng.uniform(-1.0, 1.0),
                        "velocity": speed * rng.normal(size=3),
                        "angular_velocity": spin * rng.normal(size=3),
                    }
                bit = 1 << (k - first)
                pose = {"position": positions[side, k], "quaternion": turns[side, k]}
                bodies.append(
                    world.add_body(shapes[side][k], material=material, group=bit, mask=bit, **pose, **motion)
                )
        energy = _energies(bodies)
        start = energy.copy()
        for _ in range(steps):
            world.step()
            now = _energies(bodies)
            gain = (now - energy) / start
            part = rise[first : first + _PAIRS_PER_WORLD]
            np.maximum(part, _beyond(gain, ENERGY_TOLERANCE), out=part)
            energy = now
    return rise


def _energies(bodies: list[Body]) -> np.ndarray:
    """Return the kinetic energy of each pair of neighbours in a list [J]."""
    each = [0.0 if body.kind == "static" else body.kinetic_energy for body in bodies]
    return np.reshape(each, (-1, 2)).sum(axis=1)


def main(arguments: list[str] | None = None) -> int:
    """Check random pairs of all kinds and print a table; return 1 if a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.studies.fuzz", description=__doc__)
    parser.add_argument("pairs", nargs="?", type=int, default=100_000, help="how many pairs of shapes")
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--motion", action="store_true", help="let the pairs meet, and watch their energy")
    options = parser.parse_args(arguments)
    kinds = kind_pairs()
    share = -(-options.pairs // len(kinds))
    rules = ("rose",) if options.motion else RULES
    print(f"{'pair':22}{'pairs':>8}" + ("" if options.motion else f"{'touch':>8}"), end="")
    print("".join(f"{rule:>9}" for rule in rules))
    failed = False
    for pair in kinds:
        line = f"{pair[0] + ' ' + pair[1]:22}{share:8}"
        if options.motion:
            broken = {"rose": check_motion(pair, share, options.seed)}
        else:
            broken, found, _ = check(pair, share, options.seed)
            line += f"{int((found > 0).sum()):8}"
        counts = [int((broken[rule] > 0.0).sum()) for rule in rules]
        failed = failed or any(counts)
        worst = {r: f"{broken[r].max():.1e}" for r, k in zip(rules, counts, strict=True) if k}
        print(line + "".join(f"{k:9}" for k in counts), *(f"{r} {v}" for r, v in worst.items()), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
