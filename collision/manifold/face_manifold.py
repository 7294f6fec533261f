"""Contacts on a flat face: the other shape's feature clipped to it, every gap measured from its plane."""

import numpy as np

from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.manifold.clipping import clip_polygon, clip_segment, feature_number, inside_polygon
from stoss.collision.manifold.discs import clip_disc_disc, clip_disc_polygon, inside_disc
from stoss.collision.manifold.reduction import reduce_candidates
from stoss.collision.manifold.scratch import MAX_CONTACTS, ManifoldScratch
from stoss.collision.shapes.features import FLAT_DISC, FLAT_NONE, support
from stoss.collision.shapes.shape_pair import ShapePair, put_contact, to_shape

__all__ = ["face_manifold"]


@inner
def _tangents(ref, features):
    """Return two tangents of the reference face: from its first corner to the second, and n x that."""
    corners, normal = features.corners, features.normal
    rx, ry, rz = normal[ref, 0], normal[ref, 1], normal[ref, 2]
    ux = corners[ref, 1, 0] - corners[ref, 0, 0]
    uy = corners[ref, 1, 1] - corners[ref, 0, 1]
    uz = corners[ref, 1, 2] - corners[ref, 0, 2]
    along = ux * rx + uy * ry + uz * rz
    ux, uy, uz = ux - along * rx, uy - along * ry, uz - along * rz
    length = np.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / length, uy / length, uz / length
    return ux, uy, uz, ry * uz - rz * uy, rz * ux - rx * uz, rx * uy - ry * ux


@inner
def _flatten(ref, features, t, flat):
    """Write the corners of both features in the coordinates of the reference plane; return its size [m]."""
    corners, normal = features.corners, features.normal
    rx, ry, rz = normal[ref, 0], normal[ref, 1], normal[ref, 2]
    cx, cy, cz = corners[ref, 0, 0], corners[ref, 0, 1], corners[ref, 0, 2]
    size = 0.0
    for side in range(2):
        which = ref if side == 0 else 1 - ref
        for k in range(features.count[which]):
            px, py, pz = corners[which, k, 0] - cx, corners[which, k, 1] - cy, corners[which, k, 2] - cz
            x, y = px * t[0] + py * t[1] + pz * t[2], px * t[3] + py * t[4] + pz * t[5]
            flat[side, k, 0], flat[side, k, 1], flat[side, k, 2] = x, y, px * rx + py * ry + pz * rz
            if side == 0:
                size = max(size, abs(x), abs(y))
    return size


@inner
def _disc(k, ref, pair, features, t, out):
    """Write the disc of a cap in the coordinates of the reference plane: x, y, h, radius."""
    corners, normal, position, r = features.corners, features.normal, pair.position, pair.rotation
    ox, oy, oz = position[k, 0], position[k, 1], position[k, 2]
    px, py, pz = ox - corners[ref, 0, 0], oy - corners[ref, 0, 1], oz - corners[ref, 0, 2]
    # the centre of the cap: from the shape's origin along its axis, by the height of the rim
    _, _, lz = to_shape(k, pair, corners[k, 0, 0] - ox, corners[k, 0, 1] - oy, corners[k, 0, 2] - oz)
    px, py, pz = px + r[k, 0, 2] * lz, py + r[k, 1, 2] * lz, pz + r[k, 2, 2] * lz
    out[0] = px * t[0] + py * t[1] + pz * t[2]
    out[1] = px * t[3] + py * t[4] + pz * t[5]
    out[2] = px * normal[ref, 0] + py * normal[ref, 1] + pz * normal[ref, 2]
    out[3] = pair.size[k, 0]


@inner
def _incident_plane(ref, features, t, flat):
    """Return (known, g0, gx, gy): the height of the incident plane, h = g0 + gx x + gy y.

    From its normal m: m . (p - p0) = 0. A face seen from its edge has no height.
    """
    normal, inc = features.normal, 1 - ref
    ix, iy, iz = normal[inc, 0], normal[inc, 1], normal[inc, 2]
    mx, my = ix * t[0] + iy * t[1] + iz * t[2], ix * t[3] + iy * t[4] + iz * t[5]
    mz = ix * normal[ref, 0] + iy * normal[ref, 1] + iz * normal[ref, 2]
    if abs(mz) < 0.1:
        return False, 0.0, 0.0, 0.0
    return True, flat[1, 0, 2] + (mx * flat[1, 0, 0] + my * flat[1, 0, 1]) / mz, -mx / mz, -my / mz


@inner
def _clip(ref, scratch, plane, slack):
    """Write the candidates of the incident feature; return how many."""
    features, flat = scratch.features, scratch.flat
    inc = 1 - ref
    round_ref, round_inc = features.kind[ref] == FLAT_DISC, features.kind[inc] == FLAT_DISC
    if features.count[inc] == 1:
        x, y = flat[1, 0, 0], flat[1, 0, 1]
        if round_ref:
            hit = inside_disc(scratch.discs[0], x, y, 0.0, slack)
        else:
            hit = inside_polygon(flat[0], features.count[ref], x, y, slack)
        if not hit:
            return 0
        found = scratch.found
        found[0, 0, 0], found[0, 0, 1], found[0, 0, 2] = x, y, flat[1, 0, 2]
        scratch.numbers[0] = feature_number(ref == 0, 2, 0, features.ids[inc, 0])
        return 1
    if features.kind[inc] == FLAT_NONE:
        return clip_segment(ref, scratch, slack)
    if round_ref and round_inc:
        return clip_disc_disc(ref, scratch, plane, slack)
    if round_ref or round_inc:
        return clip_disc_polygon(ref, round_ref, scratch, plane, slack)
    return clip_polygon(ref, scratch, slack)


@inner
def _reduce(scratch, total, margin, reach):
    """Choose among the candidates within the margin; return how many are chosen."""
    found, numbers = scratch.found[0], scratch.numbers
    near = 0
    for i in range(total):
        if found[i, 2] - reach <= margin:
            found[near, 0], found[near, 1], found[near, 2] = found[i, 0], found[i, 1], found[i, 2]
            numbers[near] = numbers[i]
            near += 1
    return reduce_candidates(found, near, MAX_CONTACTS, False, scratch.chosen)


@kernel
def face_manifold(
    ref: int,
    pair: ShapePair,
    margin: float,
    slack: float,
    scratch: ManifoldScratch,
    out: ContactArrays,
    count: int,
) -> int:
    """Clip the feature of one shape to the face of the other and write the contacts within the margin.

    Inputs:
        ref: 0 if the reference face is that of the first shape (a), 1 if of the second.
        slack: widening of the reference face, relative to its size.
        scratch: `features` of both shapes, as `support_polygon` wrote them.
        pair, margin, out, count: as for `contact_manifold`.

    Returns:
        Number of contacts, `count` included.
    """
    features, flat, inc = scratch.features, scratch.flat, 1 - ref
    t = _tangents(ref, features)
    slack = slack * _flatten(ref, features, t, flat)
    round_ref, round_inc = features.kind[ref] == FLAT_DISC, features.kind[inc] == FLAT_DISC
    if round_ref:
        _disc(ref, ref, pair, features, t, scratch.discs[0])
    if round_inc:
        _disc(inc, ref, pair, features, t, scratch.discs[1])
    plane = (0.0, 0.0, 0.0)
    if features.kind[inc] != FLAT_NONE and (round_ref or round_inc):
        known, g0, gx, gy = _incident_plane(ref, features, t, flat)
        if not known:  # its edge decides
            return count
        plane = (g0, gx, gy)
    reach = pair.rounding[inc]
    total = _clip(ref, scratch, plane, slack)
    kept = _reduce(scratch, total, margin, reach)
    if kept == 0:
        return count
    corners, normal, found = features.corners, features.normal, scratch.found
    rx, ry, rz = normal[ref, 0], normal[ref, 1], normal[ref, 2]
    cx, cy, cz = corners[ref, 0, 0], corners[ref, 0, 1], corners[ref, 0, 2]
    # the face is widened: what crosses its border out there is no lower than the shape reaches
    lx, ly, lz = support(inc, pair, -rx, -ry, -rz)
    lowest = (lx - cx) * rx + (ly - cy) * ry + (lz - cz) * rz
    radius = corners[inc, 0, 3] if features.count[inc] <= 2 else 0.0
    if features.count[inc] == 2 and corners[inc, 0, 3] != corners[inc, 1, 3]:
        radius = max(corners[inc, 0, 3], corners[inc, 1, 3])
    for k in range(kept):
        i = scratch.chosen[k]
        x, y, h = found[0, i, 0], found[0, i, 1], max(found[0, i, 2], lowest)
        number, gap = scratch.numbers[i], h - reach
        # on the reference face
        px, py, pz = cx + x * t[0] + y * t[3], cy + x * t[1] + y * t[4], cz + x * t[2] + y * t[5]
        if ref == 0:  # the normal points from b to a, against the face of a
            point, turned = (px + gap * rx, py + gap * ry, pz + gap * rz), (-rx, -ry, -rz)
            put_contact(out, count, pair, number, NORMAL_ON_A, point, turned, gap, (0.0, radius))
        else:
            put_contact(out, count, pair, number, NORMAL_ON_B, (px, py, pz), (rx, ry, rz), gap, (radius, 0.0))
        count += 1
    return count
