"""What two facing features share: clipping in the plane of a reference face.

Everything happens in the reference plane with coordinates x, y (tangents) and h (height over the plane,
along its outward normal). Inputs are corner lists; outputs are *candidates* (x, y, h) with a number that
stays the same from step to step: which corner of which shape it is, or which two edges cross.

The reference polygon is widened by a slack, so that corners that lie exactly on its border (equal boxes on
top of each other) are kept as corners and do not change their numbers when rounding moves them.
"""

import numpy as np
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2, Ints

__all__ = [
    "CORNER_A",
    "CORNER_B",
    "LINES",
    "MAX_CANDIDATES",
    "clip_disc_disc",
    "clip_disc_polygon",
    "clip_polygon",
    "clip_segment",
    "feature_number",
    "inside_disc",
    "inside_polygon",
    "reduce_candidates",
]

MAX_CANDIDATES = 256
LINES = 0
CORNER_A = 1
CORNER_B = 2
CROSSING = 3


@inner
def feature_number(reference_is_a, kind, of_reference, of_incident):
    """Return a contact's number.

    Kinds: 0 lines meet outside of any face, 1 corner of the reference face, 2 corner of the incident one,
    3 edges of the faces cross.
    """
    of_a, of_b = (of_reference, of_incident) if reference_is_a else (of_incident, of_reference)
    if (kind == CORNER_A or kind == CORNER_B) and not reference_is_a:
        kind = 3 - kind
    if kind == CORNER_A:
        of_b = 0
    elif kind == CORNER_B:
        of_a = 0
    return kind + 4 * of_a + (of_b << 32)


@inner
def inside_polygon(corners, count, x, y, slack):
    """Return whether (x, y) lies in a convex polygon (counter-clockwise) or within `slack` [m] of it."""
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        ex, ey = corners[m, 0] - corners[k, 0], corners[m, 1] - corners[k, 1]
        length = np.sqrt(ex * ex + ey * ey)
        if ey * (x - corners[k, 0]) - ex * (y - corners[k, 1]) > slack * length:
            return False
    return True


@inner
def inside_disc(disc, x, y, h, slack):
    """Return whether a point lies within the radius of a disc (x, y, h, radius) or `slack` [m] outside."""
    dx, dy, dh = x - disc[0], y - disc[1], h - disc[2]
    reach = disc[3] + slack
    return dx * dx + dy * dy + dh * dh <= reach * reach


@inner
def clip_polygon(
    reference,
    ref_ids,
    ref_count,
    incident,
    inc_ids,
    inc_count,
    a_is_ref,
    slack,
    work,
    work_tags,
    out,
    out_ids,
):
    """Clip a polygon against the sides of the reference polygon (Sutherland and Hodgman) with numbers.

    Inputs:
        reference, incident: corners (x, y, h).
        ref_ids, inc_ids: numbers of the corners in their shapes.
        ref_count, inc_count: how many.
        a_is_ref: whether the reference face is that of the first shape.
        slack: how far [m] the reference polygon is widened.
        work, out: (MAX_CANDIDATES, 3) scratch and result.
        work_tags: (2, MAX_CANDIDATES, 2) scratch: number of each corner, and the edge that leaves it
            (incident edge, or -1 - side of the reference polygon).
        out_ids: (MAX_CANDIDATES,) result.

    Returns:
        Number of candidates.
    """
    points, other = out, work
    tags, other_tags = work_tags[0], work_tags[1]
    count = inc_count
    for i in range(count):
        points[i, 0], points[i, 1], points[i, 2] = incident[i, 0], incident[i, 1], incident[i, 2]
        tags[i, 0] = feature_number(a_is_ref, 2, 0, inc_ids[i])
        tags[i, 1] = i
    for k in range(ref_count):
        after = k + 1 if k + 1 < ref_count else 0
        px, py = reference[k, 0], reference[k, 1]
        ex, ey = reference[after, 0] - px, reference[after, 1] - py
        length = np.sqrt(ex * ex + ey * ey)
        if length == 0.0 or count == 0:
            continue
        nx, ny = ey / length, -ex / length  # outward
        kept = 0
        here = nx * (points[0, 0] - px) + ny * (points[0, 1] - py) - slack
        for i in range(count):
            j = i + 1 if i + 1 < count else 0
            there = nx * (points[j, 0] - px) + ny * (points[j, 1] - py) - slack
            edge = tags[i, 1]
            if here <= 0.0:
                for c in range(3):
                    other[kept, c] = points[i, c]
                other_tags[kept, 0], other_tags[kept, 1] = tags[i, 0], edge
                kept += 1
            if (here <= 0.0) != (there <= 0.0) and here != 0.0:
                t = here / (here - there)
                for c in range(3):
                    other[kept, c] = points[i, c] + t * (points[j, c] - points[i, c])
                if edge >= 0:
                    number = feature_number(a_is_ref, 3, ref_ids[k], inc_ids[edge])
                else:  # two sides of the reference polygon meet in its corner
                    side = -1 - edge
                    number = feature_number(a_is_ref, 1, ref_ids[side if side == after else k], 0)
                other_tags[kept, 0] = number
                other_tags[kept, 1] = -1 - k if here <= 0.0 else edge
                kept += 1
            elif here == 0.0 and there > 0.0:
                other_tags[kept - 1, 1] = -1 - k
            here = there
        points, other = other, points
        tags, other_tags = other_tags, tags
        count = kept
    for i in range(count):
        for c in range(3):
            out[i, c] = points[i, c]
        out_ids[i] = tags[i, 0]
    return count


@inner
def clip_segment(reference, ref_ids, ref_count, disc, incident, inc_ids, a_is_ref, slack, out, out_ids):
    """Clip a segment against the reference polygon, or against the reference disc when `ref_count` is 0."""
    x0, y0, h0 = incident[0, 0], incident[0, 1], incident[0, 2]
    dx, dy, dh = incident[1, 0] - x0, incident[1, 1] - y0, incident[1, 2] - h0
    first, last, at_first, at_last = 0.0, 1.0, -1, -1
    for k in range(ref_count):
        m = k + 1 if k + 1 < ref_count else 0
        ex, ey = reference[m, 0] - reference[k, 0], reference[m, 1] - reference[k, 1]
        length = np.sqrt(ex * ex + ey * ey)
        if length == 0.0:
            continue
        outside = (ey * (x0 - reference[k, 0]) - ex * (y0 - reference[k, 1])) / length - slack
        rate = (ey * dx - ex * dy) / length
        if outside > 0.0 and rate >= 0.0 or outside + rate > 0.0 and rate <= 0.0:
            return 0
        if outside > 0.0:
            if -outside / rate > first:
                first, at_first = -outside / rate, ref_ids[k]
        elif outside + rate > 0.0 and -outside / rate < last:
            last, at_last = -outside / rate, ref_ids[k]
    if ref_count == 0:
        qx, qy, reach = x0 - disc[0], y0 - disc[1], disc[3] + slack
        a, b, c = dx * dx + dy * dy, qx * dx + qy * dy, qx * qx + qy * qy - reach * reach
        root = b * b - a * c
        if a == 0.0:
            if c > 0.0:
                return 0
        elif root < 0.0:
            return 0
        else:
            enter, leave = (-b - np.sqrt(root)) / a, (-b + np.sqrt(root)) / a
            if enter > first:
                first, at_first = enter, 0
            if leave < last:
                last, at_last = leave, 1
    if first > last:
        return 0
    for i in range(2):
        t = first if i == 0 else last
        at = at_first if i == 0 else at_last
        out[i, 0], out[i, 1], out[i, 2] = x0 + t * dx, y0 + t * dy, h0 + t * dh
        kind = 2 if at < 0 else 3
        out_ids[i] = feature_number(a_is_ref, kind, max(at, 0), inc_ids[i])
    return 2


@kernel
def clip_disc_polygon(
    disc: Floats,
    rim: Floats2,
    rim_ids: Ints,
    rim_count: int,
    polygon: Floats2,
    ids: Ints,
    count: int,
    plane: tuple[float, float, float],
    disc_is_ref: bool,
    a_is_ref: bool,
    slack: float,
    out: Floats2,
    out_ids: Ints,
) -> int:
    """Intersect a disc with a polygon: corners in the disc, rim points in the polygon, edges through the rim.

    Inputs:
        disc: (x, y, h, radius); h is 0 if the disc is the reference face.
        rim, rim_ids, rim_count: points fixed on the rim (x, y, h).
        polygon, ids, count: corners (x, y, h).
        plane: (g0, gx, gy): height of the incident face, h = g0 + gx x + gy y.
        disc_is_ref: whether the disc is the reference face; else the polygon is.
        a_is_ref, slack, out, out_ids: as for `clip_polygon`.
    """
    kept = 0
    corner_kind, rim_kind = (2, 1) if disc_is_ref else (1, 2)
    for k in range(rim_count):
        x, y = rim[k, 0], rim[k, 1]
        if inside_polygon(polygon, count, x, y, slack):
            out[kept, 0], out[kept, 1] = x, y
            out[kept, 2] = plane[0] + plane[1] * x + plane[2] * y if disc_is_ref else rim[k, 2]
            out_ids[kept] = feature_number(a_is_ref, rim_kind, rim_ids[k], rim_ids[k])
            kept += 1
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        # the edge, dropped or lifted onto the plane of the disc
        x0, y0, x1, y1 = polygon[k, 0], polygon[k, 1], polygon[m, 0], polygon[m, 1]
        h0, h1 = 0.0, 0.0
        if not disc_is_ref:
            h0 = plane[0] + plane[1] * x0 + plane[2] * y0
            h1 = plane[0] + plane[1] * x1 + plane[2] * y1
        if inside_disc(disc, x0, y0, h0, slack):
            out[kept, 0], out[kept, 1] = x0, y0
            out[kept, 2] = polygon[k, 2] if disc_is_ref else h0
            out_ids[kept] = feature_number(a_is_ref, corner_kind, ids[k], ids[k])
            kept += 1
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
                out[kept, 0], out[kept, 1] = x0 + t * dx, y0 + t * dy
                out[kept, 2] = (
                    polygon[k, 2] + t * (polygon[m, 2] - polygon[k, 2]) if disc_is_ref else h0 + t * dh
                )
                of_disc = 16 + side
                of_ref, of_inc = (of_disc, ids[k]) if disc_is_ref else (ids[k], of_disc)
                out_ids[kept] = feature_number(a_is_ref, 3, of_ref, of_inc)
                kept += 1
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


@inner
def clip_disc_disc(
    disc,
    rim,
    rim_ids,
    rim_count,
    other,
    other_rim,
    other_ids,
    other_count,
    plane,
    a_is_ref,
    slack,
    out,
    out_ids,
):
    """Intersect the reference disc with another: rim points inside the other, and where rims cross."""
    kept = 0
    for k in range(other_count):
        if inside_disc(disc, other_rim[k, 0], other_rim[k, 1], 0.0, slack):
            for c in range(3):
                out[kept, c] = other_rim[k, c]
            out_ids[kept] = feature_number(a_is_ref, 2, 0, other_ids[k])
            kept += 1
    for k in range(rim_count):
        x, y = rim[k, 0], rim[k, 1]
        h = plane[0] + plane[1] * x + plane[2] * y
        if inside_disc(other, x, y, h, slack):
            out[kept, 0], out[kept, 1], out[kept, 2] = x, y, h
            out_ids[kept] = feature_number(a_is_ref, 1, rim_ids[k], 0)
            kept += 1
    # circles about c and c + d: points at c + d s +- d' sqrt(r^2 / d^2 - s^2), s = (1 + (r^2 - R^2) / d^2)
    # / 2
    dx, dy = other[0] - disc[0], other[1] - disc[1]
    d2, r2, o2 = dx * dx + dy * dy, disc[3] * disc[3], other[3] * other[3]
    if d2 > 1e-12 * (r2 + o2):
        s = 0.5 * (1.0 + (r2 - o2) / d2)
        root = r2 / d2 - s * s
        if root > 0.0:
            root = np.sqrt(root)
            for side in range(2):
                sign = 1.0 - 2.0 * side
                x = disc[0] + s * dx - sign * root * dy
                y = disc[1] + s * dy + sign * root * dx
                x, y = _onto_rim(disc, other, plane, x, y)
                h = plane[0] + plane[1] * x + plane[2] * y
                if not inside_disc(other, x, y, h, slack):
                    continue
                out[kept, 0], out[kept, 1], out[kept, 2] = x, y, h
                out_ids[kept] = feature_number(a_is_ref, 3, 16 + side, 16 + side)
                kept += 1
    return kept


@kernel
def reduce_candidates(points: Floats2, count: int, most: int, outermost: bool, chosen: Ints) -> int:
    """Choose at most `most` candidates: those that reach out farthest, and the deepest.

    The directions are fixed in the reference face, and none is parallel to the sides of common faces. Ties
    go to the earlier candidate unless the later one is better by 1e-9 of the extent, so that rounding does
    not change the choice.

    Inputs:
        points: (x, y, h) of the candidates, here those within the margin.
        count: how many.
        most: how many may stay.
        outermost: whether inner candidates are dropped even if all would fit.
        chosen: (most,) out: indices.

    Returns:
        How many were chosen.
    """
    if count <= most and (not outermost or count < 3):
        for i in range(count):
            chosen[i] = i
        return count
    extent, deepest = 0.0, 0
    for i in range(count):
        extent = max(extent, abs(points[i, 0] - points[0, 0]), abs(points[i, 1] - points[0, 1]))
    tie = 1e-9 * extent
    kept = 0
    for d in range(most):
        angle = 2.0 * np.pi * d / most + 0.1
        cx, cy = np.cos(angle), np.sin(angle)
        best = 0
        for i in range(1, count):
            if cx * (points[i, 0] - points[best, 0]) + cy * (points[i, 1] - points[best, 1]) > tie:
                best = i
        fresh = True
        for k in range(kept):
            fresh = fresh and chosen[k] != best
        if fresh:
            chosen[kept] = best
            kept += 1
    deepest = chosen[0]
    for k in range(1, kept):
        if points[chosen[k], 2] < points[deepest, 2]:
            deepest = chosen[k]
    found = deepest
    for i in range(count):
        if points[i, 2] < points[found, 2] - tie:
            found = i
    if found != deepest:
        if kept < most:
            chosen[kept] = found
            return kept + 1
        # in the place of the one nearest to it
        near, place = np.inf, 0
        for k in range(kept):
            x, y = points[chosen[k], 0] - points[found, 0], points[chosen[k], 1] - points[found, 1]
            if x * x + y * y < near:
                near, place = x * x + y * y, k
        chosen[place] = found
    return kept
