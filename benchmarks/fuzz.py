"""Random pairs of shapes in awkward poses, checked against what must hold for any contact.

`python -m benchmarks.fuzz [pairs] [seed]` prints how often each rule was broken by each pair of kinds.

Shapes measure 1 mm to 100 m with extreme aspect ratios; poses are random or aligned (faces, edges, corners
flush), apart, touching, overlapping a little or deeply, or identical. The oracle knows support functions:
along any unit normal n the separation s(n) = min n.x over a - max n.x over b is a lower bound of the signed
distance, so a contact deeper than the best s(n) that is found by trying many n is too deep.
"""

import argparse
import sys
from itertools import combinations_with_replacement

import numpy as np

from collision import (
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

__all__ = ["KINDS", "RULES", "Support", "check", "draw_pairs", "kind_pairs", "main"]

KINDS = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull", "halfspace", "mesh")
RULES = ("number", "normal", "feature", "points", "margin", "gap", "depth", "missed")
_CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
_HULL_CORNERS = 8


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


def check(
    kinds: tuple[str, str], n: int, seed: int, margin: float = 5e-3
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return, per rule, how far each pair breaks it (n,), 0 if not, and the number of contacts (n,).

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
    # A face replaces a normal within 0.02 rad of its own, and box against box the normal of two edges, unless
    # that is better by 1e-3 of the smallest half edge. When bodies overlap by a good part of their size,
    # there are several local answers, and one within a tenth of the best will do.
    smallest = np.min([s.sizes.min(axis=1) for s in supports if s.kind != "halfspace"], axis=0)
    deep = best < -0.05 * smallest
    allowed = 10.0 * tolerance + np.where(deep, 0.1, 2e-4) * np.abs(best)
    if kinds == ("box", "box"):
        allowed += 1e-3 * smallest + 0.05 * np.abs(best)
    if "mesh" in kinds:  # a skin knows no inside: what is deep in it may leave on any side
        allowed[deep] = np.inf
    broken["depth"] = np.where(found > 0, _beyond(best - least, allowed), 0.0)
    if {s.kind for s in supports} <= {"box", "hull", "sphere", "halfspace"}:
        broken["missed"] = np.where(found == 0, _beyond(margin - best, allowed), 0.0)
    return broken, found


def _beyond(value: np.ndarray, limit: "np.ndarray | float") -> np.ndarray:
    """Return the value where it exceeds the limit or is no number, else 0."""
    return np.where(value <= limit, 0.0, np.nan_to_num(value, nan=1.0))


def _rows(support: Support, rows: np.ndarray) -> Support:
    part = Support(support.kind, support.sizes[rows], support.corners[rows])
    part.turns, part.positions = support.turns[rows], support.positions[rows]
    return part


def main(arguments: list[str] | None = None) -> int:
    """Check random pairs of all kinds and print a table; return 1 if a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("pairs", nargs="?", type=int, default=100_000, help="how many pairs of shapes")
    parser.add_argument("seed", nargs="?", type=int, default=0)
    options = parser.parse_args(arguments)
    kinds = kind_pairs()
    share = -(-options.pairs // len(kinds))
    print(f"{'pair':22}{'pairs':>8}{'touch':>8}" + "".join(f"{rule:>9}" for rule in RULES))
    failed = False
    for pair in kinds:
        broken, found = check(pair, share, options.seed)
        counts = [int((broken[rule] > 0.0).sum()) for rule in RULES]
        failed = failed or any(counts)
        line = f"{pair[0] + ' ' + pair[1]:22}{share:8}{int((found > 0).sum()):8}"
        worst = {r: f"{broken[r].max():.1e}" for r, k in zip(RULES, counts, strict=True) if k}
        print(line + "".join(f"{k:9}" for k in counts), *(f"{r} {v}" for r, v in worst.items()), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
