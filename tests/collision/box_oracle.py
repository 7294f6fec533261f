"""Slow, independent geometry of two boxes for the tests: all axes, all vertices, all edges."""

import itertools

import numpy as np


def rotation(quaternion):
    """Return the rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def random_quaternion(rng):
    """Return a uniformly distributed unit quaternion."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def corners(half, position, quaternion):
    """Return the eight corners of a box in the world."""
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    return position + (signs * half) @ rotation(quaternion).T


def edges(half, position, quaternion):
    """Return the twelve edges (12, 2, 3)."""
    points = corners(half, position, quaternion)
    signs = np.array(list(itertools.product((0, 1), repeat=3)))
    pairs = [(i, j) for i in range(8) for j in range(i + 1, 8) if np.abs(signs[i] - signs[j]).sum() == 1]
    return points[np.array(pairs)]


def separation(a, b):
    """Return the largest signed gap over the 15 axes; a and b are (half, position, quaternion)."""
    ra, rb = rotation(a[2]), rotation(b[2])
    axes = [*ra.T, *rb.T]
    for i in range(3):
        for j in range(3):
            axis = np.cross(ra[:, i], rb[:, j])
            length = np.linalg.norm(axis)
            if length > 1e-6:
                axes.append(axis / length)
    axes = np.array(axes)
    axes = np.concatenate([axes, -axes])
    pa, pb = corners(*a) @ axes.T, corners(*b) @ axes.T
    return float((pb.min(axis=0) - pa.max(axis=0)).max())


def distance(a, b):
    """Return the distance of two boxes that do not overlap: vertices to box, and all pairs of edges."""
    best = np.inf
    for one, two in ((a, b), (b, a)):
        local = (corners(*one) - two[1]) @ rotation(two[2])
        best = min(best, np.linalg.norm(local - np.clip(local, -two[0], two[0]), axis=1).min())
    ea, eb = edges(*a), edges(*b)
    p, d = ea[:, None, 0], (ea[:, 1] - ea[:, 0])[:, None]
    q, e = eb[None, :, 0], (eb[:, 1] - eb[:, 0])[None]
    r = p - q
    dd, ee, de = (d * d).sum(-1), (e * e).sum(-1), (d * e).sum(-1)
    dr, er = (d * r).sum(-1), (e * r).sum(-1)
    determinant = dd * ee - de * de
    good = determinant > 1e-12 * dd * ee
    s = np.where(good, (de * er - ee * dr) / np.where(good, determinant, 1.0), 0.0).clip(0.0, 1.0)
    t = ((de * s + er) / ee).clip(0.0, 1.0)
    s = ((de * t - dr) / dd).clip(0.0, 1.0)
    gap = r + s[..., None] * d - t[..., None] * e
    return float(min(best, np.sqrt((gap * gap).sum(-1)).min()))


def outside_distance(points, box):
    """Return how far each point (n, 3) is outside of a box, 0 inside."""
    local = (points - box[1]) @ rotation(box[2])
    return np.linalg.norm(local - np.clip(local, -box[0], box[0]), axis=1)
