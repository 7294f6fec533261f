"""Clipping where one or both facing features are round: what a disc shares with a polygon or a disc.

Inputs and outputs are those of `clipping`. `plane` is (g0, gx, gy): the height of the incident face,
h = g0 + gx x + gy y.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.manifold.clipping import feature_number, inside_polygon
from stoss.collision.manifold.scratch import MAX_CANDIDATES, ManifoldScratch

__all__ = ["clip_disc_disc", "clip_disc_polygon", "inside_disc"]


@inner
def inside_disc(disc, x, y, h, slack):
    """Return whether a point lies within the radius of a disc (x, y, h, radius) or `slack` [m] outside."""
    dx, dy, dh = x - disc[0], y - disc[1], h - disc[2]
    reach = disc[3] + slack
    return dx * dx + dy * dy + dh * dh <= reach * reach


@inner
def _put(scratch, kept, x, y, h, number):
    """Append a candidate; return how many there are."""
    out = scratch.found[0]
    out[kept, 0], out[kept, 1], out[kept, 2] = x, y, h
    scratch.numbers[kept] = number
    return kept + 1


@kernel
def clip_disc_polygon(
    ref: int, disc_is_ref: bool, scratch: ManifoldScratch, plane: tuple[float, float, float], slack: float
) -> int:
    """Intersect a disc with a polygon: corners in the disc, rim points in the polygon, edges through the rim.

    With `disc_is_ref` the disc is the reference face; else the polygon is.
    """
    features, a_is_ref = scratch.features, ref == 0
    round_one, flat_one = (0, 1) if disc_is_ref else (1, 0)
    disc, rim, polygon = scratch.discs[round_one], scratch.flat[round_one], scratch.flat[flat_one]
    of_disc, of_polygon = (ref, 1 - ref) if disc_is_ref else (1 - ref, ref)
    rim_ids, ids, count = features.ids[of_disc], features.ids[of_polygon], features.count[of_polygon]
    kept = 0
    corner_kind, rim_kind = (2, 1) if disc_is_ref else (1, 2)
    for k in range(features.count[of_disc]):
        x, y = rim[k, 0], rim[k, 1]
        if inside_polygon(polygon, count, x, y, slack):
            h = plane[0] + plane[1] * x + plane[2] * y if disc_is_ref else rim[k, 2]
            kept = _put(scratch, kept, x, y, h, feature_number(a_is_ref, rim_kind, rim_ids[k], rim_ids[k]))
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        # the edge, dropped or lifted onto the plane of the disc
        x0, y0, x1, y1 = polygon[k, 0], polygon[k, 1], polygon[m, 0], polygon[m, 1]
        h0, h1 = 0.0, 0.0
        if not disc_is_ref:
            h0 = plane[0] + plane[1] * x0 + plane[2] * y0
            h1 = plane[0] + plane[1] * x1 + plane[2] * y1
        if inside_disc(disc, x0, y0, h0, slack):
            number = feature_number(a_is_ref, corner_kind, ids[k], ids[k])
            kept = _put(scratch, kept, x0, y0, polygon[k, 2] if disc_is_ref else h0, number)
        dx, dy, dh = x1 - x0, y1 - y0, h1 - h0
        qx, qy, qh, reach = x0 - disc[0], y0 - disc[1], h0 - disc[2], disc[3] + slack
        a, b = dx * dx + dy * dy + dh * dh, qx * dx + qy * dy + qh * dh
        root = b * b - a * (qx * qx + qy * qy + qh * qh - reach * reach)
        if a == 0.0 or root <= 0.0:
            continue
        root = np.sqrt(root)
        for side in range(2):
            t = (-b - root) / a if side == 0 else (-b + root) / a
            if 0.0 < t < 1.0 and kept < MAX_CANDIDATES:
                h = polygon[k, 2] + t * (polygon[m, 2] - polygon[k, 2]) if disc_is_ref else h0 + t * dh
                of_ref, of_inc = (16 + side, ids[k]) if disc_is_ref else (ids[k], 16 + side)
                number = feature_number(a_is_ref, 3, of_ref, of_inc)
                kept = _put(scratch, kept, x0 + t * dx, y0 + t * dy, h, number)
    return kept


@inner
def _onto_rim(disc, other, plane, x, y):
    """Move a point along the reference rim until the point of `plane` above it is on the other rim.

    Seen along the normal, a tilted disc is an ellipse: where it meets the reference rim is found by Newton
    steps on the angle, from where circles would meet.
    """
    for _ in range(8):
        px, py = x - other[0], y - other[1]
        ph = plane[0] + plane[1] * x + plane[2] * y - other[2]
        beyond = px * px + py * py + ph * ph - other[3] * other[3]
        if abs(beyond) <= 1e-14 * other[3] * other[3]:
            break
        # the point turns about the centre of the reference disc
        tx, ty = disc[1] - y, x - disc[0]
        slope = 2.0 * (px * tx + py * ty + ph * (plane[1] * tx + plane[2] * ty))
        if abs(beyond) >= abs(slope):  # more than a radian: the rims do not meet near here
            break
        angle = -beyond / slope
        cosine, sine = np.cos(angle), np.sin(angle)
        qx, qy = x - disc[0], y - disc[1]
        x, y = disc[0] + cosine * qx - sine * qy, disc[1] + sine * qx + cosine * qy
    return x, y


@kernel
def clip_disc_disc(
    ref: int, scratch: ManifoldScratch, plane: tuple[float, float, float], slack: float
) -> int:
    """Intersect the reference disc with another: rim points inside the other, and where rims cross."""
    features, a_is_ref = scratch.features, ref == 0
    disc, other, rim, other_rim = scratch.discs[0], scratch.discs[1], scratch.flat[0], scratch.flat[1]
    kept = 0
    for k in range(features.count[1 - ref]):
        x, y = other_rim[k, 0], other_rim[k, 1]
        if inside_disc(disc, x, y, 0.0, slack):
            number = feature_number(a_is_ref, 2, 0, features.ids[1 - ref, k])
            kept = _put(scratch, kept, x, y, other_rim[k, 2], number)
    for k in range(features.count[ref]):
        x, y = rim[k, 0], rim[k, 1]
        h = plane[0] + plane[1] * x + plane[2] * y
        if inside_disc(other, x, y, h, slack):
            kept = _put(scratch, kept, x, y, h, feature_number(a_is_ref, 1, features.ids[ref, k], 0))
    # circles about c and c + d: points at c + d s +- d' sqrt(r^2 / d^2 - s^2), s = (1 + (r^2 - R^2) / d^2)
    # / 2
    dx, dy = other[0] - disc[0], other[1] - disc[1]
    d2, r2, o2 = dx * dx + dy * dy, disc[3] * disc[3], other[3] * other[3]
    if d2 <= 1e-12 * (r2 + o2):
        return kept
    s = 0.5 * (1.0 + (r2 - o2) / d2)
    root = r2 / d2 - s * s
    if root <= 0.0:
        return kept
    root = np.sqrt(root)
    for side in range(2):
        sign = 1.0 - 2.0 * side
        x = disc[0] + s * dx - sign * root * dy
        y = disc[1] + s * dy + sign * root * dx
        x, y = _onto_rim(disc, other, plane, x, y)
        h = plane[0] + plane[1] * x + plane[2] * y
        if inside_disc(other, x, y, h, slack):
            kept = _put(scratch, kept, x, y, h, feature_number(a_is_ref, 3, 16 + side, 16 + side))
    return kept
