"""The oracle: support functions of shapes, without the kernels.

Along any unit normal n the separation s(n) = min n.x over a - max n.x over b is a lower bound of the signed
distance, so a contact deeper than the best s(n) that is found by trying many n is too deep. Points of the
shapes that are near each other bound the distance from above.
"""

import numpy as np
from scipy.optimize import nnls

__all__ = ["Support", "best_separation", "distance", "separation"]


class Support:
    """Support functions of shapes of one kind, in world coordinates, without the kernels.

    Args:
        kind: one of `KINDS`, not "mesh" (whose hull is the same as that of its corners).
        sizes: (n, 3) as `draw_pairs` draws them.
        corners: (n, 8, 3) for hulls and meshes.
    """

    def __init__(self, kind: str, sizes: np.ndarray, corners: np.ndarray) -> None:
        self.kind, self.sizes, self.corners = kind, sizes, corners
        self.turns = np.tile(np.eye(3), (len(sizes), 1, 1))
        self.positions = np.zeros((len(sizes), 3))

    def rows(self, rows: np.ndarray) -> "Support":
        """Return those of some of the shapes."""
        part = Support(self.kind, self.sizes[rows], self.corners[rows])
        part.turns, part.positions = self.turns[rows], self.positions[rows]
        return part

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


def separation(supports: list[Support], normal: np.ndarray) -> np.ndarray:
    """Return s(n) for normals (n, k, 3) from b to a: (n, k)."""
    return -supports[0].height(-normal) - supports[1].height(normal)


def best_separation(rng: np.random.Generator, supports: list[Support], starts: np.ndarray) -> np.ndarray:
    """Return the largest s(n) found (n,), a lower bound of the signed distance; exact for polytopes."""
    n = len(starts)
    a, b = supports
    if b.kind == "halfspace":
        return separation(supports, b.turns[:, None, :, 2])[:, 0]
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
    value = np.where(valid, separation(supports, candidates), -np.inf)
    best = value.max(axis=1)
    where = candidates[np.arange(n), value.argmax(axis=1)]
    for width in (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5):
        for _ in range(3):
            near = where[:, None] + width * rng.normal(size=(n, 8, 3))
            near /= np.linalg.norm(near, axis=2)[..., None]
            value = separation(supports, near)
            better = value.max(axis=1) > best
            where = np.where(better[:, None], near[np.arange(n), value.argmax(axis=1)], where)
            best = np.maximum(best, value.max(axis=1))
    return best


def distance(supports: list[Support]) -> float:
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
        length = float(np.linalg.norm(nearest))
        if length <= 1e-14 * scale:
            break
        normal = nearest / length
        if length - normal @ (a.point(-normal) - b.point(normal)) <= 1e-13 * scale:
            break
    return length
