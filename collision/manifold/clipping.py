"""What two facing features share: clipping in the plane of a reference face.

Everything happens in the reference plane with coordinates x, y (tangents) and h (height over the plane,
along its outward normal). Inputs are corner lists; outputs are *candidates* (x, y, h) with a number that
stays the same from step to step: which corner of which shape it is, or which two edges cross.

The reference polygon is widened by a slack, so that corners that lie exactly on its border (equal boxes on
top of each other) are kept as corners and do not change their numbers when rounding moves them.

Kernels take `ref`, the shape (0: a, 1: b) that has the reference face, the slack [m], and a scratch: corners
of the reference feature in `flat[0]`, of the incident one in `flat[1]`, discs likewise. They write candidates
to `found[0]` and `numbers`, and return how many there are.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.manifold.scratch import ManifoldScratch
from stoss.collision.shapes.features import FLAT_DISC

__all__ = [
    "CORNER_A",
    "CORNER_B",
    "LINES",
    "clip_polygon",
    "clip_segment",
    "feature_number",
    "inside_polygon",
]

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
def _copy_point(points, i, out, at):
    out[at, 0], out[at, 1], out[at, 2] = points[i, 0], points[i, 1], points[i, 2]


@kernel
def clip_polygon(ref: int, scratch: ManifoldScratch, slack: float) -> int:
    """Clip a polygon against the sides of the reference polygon (Sutherland and Hodgman) with numbers.

    `tags` hold of each corner its number, and the edge that leaves it: an incident edge, or -1 - side of the
    reference polygon.
    """
    features, a_is_ref = scratch.features, ref == 0
    ref_ids, inc_ids = features.ids[ref], features.ids[1 - ref]
    ref_count, count = features.count[ref], features.count[1 - ref]
    reference, incident, out = scratch.flat[0], scratch.flat[1], scratch.found[0]
    points, other = out, scratch.found[1]
    tags, other_tags = scratch.tags[0], scratch.tags[1]
    for i in range(count):
        _copy_point(incident, i, points, i)
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
                _copy_point(points, i, other, kept)
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
        _copy_point(points, i, out, i)
        scratch.numbers[i] = tags[i, 0]
    return count


@kernel
def clip_segment(ref: int, scratch: ManifoldScratch, slack: float) -> int:
    """Clip a segment against the reference polygon or disc."""
    features, reference, incident = scratch.features, scratch.flat[0], scratch.flat[1]
    x0, y0, h0 = incident[0, 0], incident[0, 1], incident[0, 2]
    dx, dy, dh = incident[1, 0] - x0, incident[1, 1] - y0, incident[1, 2] - h0
    first, last, at_first, at_last = 0.0, 1.0, -1, -1
    on_disc = features.kind[ref] == FLAT_DISC
    ref_count = 0 if on_disc else features.count[ref]
    for k in range(ref_count):
        m = k + 1 if k + 1 < ref_count else 0
        px, py = reference[k, 0], reference[k, 1]
        ex, ey = reference[m, 0] - px, reference[m, 1] - py
        length = np.sqrt(ex * ex + ey * ey)
        if length == 0.0:
            continue
        outside = (ey * (x0 - px) - ex * (y0 - py)) / length - slack
        rate = (ey * dx - ex * dy) / length
        if outside > 0.0 and rate >= 0.0 or outside + rate > 0.0 and rate <= 0.0:
            return 0
        if outside > 0.0:
            if -outside / rate > first:
                first, at_first = -outside / rate, features.ids[ref, k]
        elif outside + rate > 0.0 and -outside / rate < last:
            last, at_last = -outside / rate, features.ids[ref, k]
    if on_disc:
        disc = scratch.discs[0]
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
    out = scratch.found[0]
    for i in range(2):
        t = first if i == 0 else last
        at = at_first if i == 0 else at_last
        out[i, 0], out[i, 1], out[i, 2] = x0 + t * dx, y0 + t * dy, h0 + t * dh
        kind = 2 if at < 0 else 3
        scratch.numbers[i] = feature_number(ref == 0, kind, max(at, 0), features.ids[1 - ref, i])
    return 2
