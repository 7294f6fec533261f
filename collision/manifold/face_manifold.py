"""Contacts on a flat face: the other shape's feature clipped to it, every gap measured from its plane."""

from typing import Annotated

import numpy as np
from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2, Ints, Ints2
from stoss.collision.manifold.clipping import (
    MAX_CANDIDATES,
    clip_disc_disc,
    clip_disc_polygon,
    clip_polygon,
    clip_segment,
    feature_number,
    inside_disc,
    inside_polygon,
    reduce_candidates,
)
from stoss.collision.narrow_phase.pair_data import POSE_SIZE, WHAT_SIZE, put_contact, to_shape
from stoss.collision.shapes.features import FLAT_DISC, FLAT_NONE, MAX_CORNERS, support

__all__ = ["MAX_CONTACTS", "face_region", "ManifoldScratch"]

MAX_CONTACTS = 8  # contacts per pair of shapes


class ManifoldScratch(Struct):
    """Work arrays of `contact_region`, of fixed lengths; made once."""

    corners: Annotated[Floats, "two", MAX_CORNERS + 1, 4]
    ids: Annotated[Ints, "two", MAX_CORNERS + 1]
    flat: Annotated[Floats, "two", MAX_CORNERS + 1, 3]
    found: Annotated[Floats, "two", MAX_CANDIDATES, 3]
    tags: Annotated[Ints, "two", MAX_CANDIDATES, 2]
    numbers: Annotated[Ints, "candidates"]
    edges: Annotated[Floats, "two", 2, 3]
    chosen: Annotated[Ints, "contacts"]
    discs: Annotated[Floats, "two", 4]
    what: Annotated[Ints, "two", WHAT_SIZE]
    pose: Annotated[Floats, "two", POSE_SIZE]

    @classmethod
    def new(cls) -> "ManifoldScratch":
        """Return new arrays."""
        return cls.zeros(two=2, candidates=MAX_CANDIDATES, contacts=MAX_CONTACTS)


@inner
def _disc(k, pose, corners, cx, cy, cz, t, n, out):
    """Write the disc of a cap in the coordinates of the reference plane: x, y, h, radius."""
    px, py, pz = pose[k, 0] - cx, pose[k, 1] - cy, pose[k, 2] - cz
    # the centre of the cap: from the shape's origin along its axis, by the height of the rim
    _, _, lz = to_shape(
        k, pose, corners[0, 0] - pose[k, 0], corners[0, 1] - pose[k, 1], corners[0, 2] - pose[k, 2]
    )
    px, py, pz = px + pose[k, 5] * lz, py + pose[k, 8] * lz, pz + pose[k, 11] * lz
    out[0] = px * t[0] + py * t[1] + pz * t[2]
    out[1] = px * t[3] + py * t[4] + pz * t[5]
    out[2] = px * n[0] + py * n[1] + pz * n[2]
    out[3] = pose[k, 12]


@kernel
def face_region(
    ref: int,
    ref_kind: int,
    ref_count: int,
    rx: float,
    ry: float,
    rz: float,
    inc: int,
    inc_kind: int,
    inc_count: int,
    ix: float,
    iy: float,
    iz: float,
    what: Ints2,
    pose: Floats2,
    vertices: Floats2,
    margin: float,
    slack: float,
    scratch: ManifoldScratch,
    out: ContactArrays,
    count: int,
) -> int:
    """Clip the feature of one shape to the face of the other and write the contacts within the margin.

    Inputs:
        ref, inc: 0 if the first shape (a) has that part, 1 if the second.
        ref_kind, ref_count, rx, ry, rz: kind, corners and outward normal of the reference face.
        inc_kind, inc_count, ix, iy, iz: the same of the incident feature.
        slack: widening of the reference face, relative to its size.
        vertices: those of `face_arrays`.
        what, pose, margin, scratch, out, count: as for `contact_region`.

    Returns:
        Number of contacts, `count` included.
    """
    corners, ids, flat, found, tags = scratch.corners, scratch.ids, scratch.flat, scratch.found, scratch.tags
    numbers, chosen, discs = scratch.numbers, scratch.chosen, scratch.discs
    a_is_ref = ref == 0
    n = (rx, ry, rz)
    cx, cy, cz = corners[ref, 0, 0], corners[ref, 0, 1], corners[ref, 0, 2]
    # tangents: from the first corner to the second, and n x that
    ux, uy, uz = corners[ref, 1, 0] - cx, corners[ref, 1, 1] - cy, corners[ref, 1, 2] - cz
    along = ux * rx + uy * ry + uz * rz
    ux, uy, uz = ux - along * rx, uy - along * ry, uz - along * rz
    length = np.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / length, uy / length, uz / length
    vx, vy, vz = ry * uz - rz * uy, rz * ux - rx * uz, rx * uy - ry * ux
    t = (ux, uy, uz, vx, vy, vz)
    size = 0.0
    for side in range(2):
        which = ref if side == 0 else inc
        for k in range(ref_count if side == 0 else inc_count):
            px, py, pz = corners[which, k, 0] - cx, corners[which, k, 1] - cy, corners[which, k, 2] - cz
            flat[side, k, 0] = px * ux + py * uy + pz * uz
            flat[side, k, 1] = px * vx + py * vy + pz * vz
            flat[side, k, 2] = px * rx + py * ry + pz * rz
            if side == 0:
                size = max(size, abs(flat[0, k, 0]), abs(flat[0, k, 1]))
    slack = slack * size
    disc_ref, disc_inc = discs[0], discs[1]
    if ref_kind == FLAT_DISC:
        _disc(ref, pose, corners[ref], cx, cy, cz, t, n, disc_ref)
    if inc_kind == FLAT_DISC:
        _disc(inc, pose, corners[inc], cx, cy, cz, t, n, disc_inc)
    # height of the incident plane: h = g0 + gx x + gy y, from its normal m: m . (p - p0) = 0
    plane = (0.0, 0.0, 0.0)
    if inc_kind != FLAT_NONE and (ref_kind == FLAT_DISC or inc_kind == FLAT_DISC):
        mx, my = ix * ux + iy * uy + iz * uz, ix * vx + iy * vy + iz * vz
        mz = ix * rx + iy * ry + iz * rz
        if abs(mz) < 0.1:  # a face seen from its edge has no height: its edge decides
            return count
        plane = (flat[1, 0, 2] + (mx * flat[1, 0, 0] + my * flat[1, 0, 1]) / mz, -mx / mz, -my / mz)
    if inc_count == 1:
        x, y = flat[1, 0, 0], flat[1, 0, 1]
        hit = (
            inside_disc(disc_ref, x, y, 0.0, slack)
            if ref_kind == FLAT_DISC
            else inside_polygon(flat[0], ref_count, x, y, slack)
        )
        if not hit:
            return count
        found[0, 0, 0], found[0, 0, 1], found[0, 0, 2] = x, y, flat[1, 0, 2]
        numbers[0] = feature_number(a_is_ref, 2, 0, ids[inc, 0])
        total = 1
    elif inc_kind == FLAT_NONE:
        polygon_count = 0 if ref_kind == FLAT_DISC else ref_count
        total = clip_segment(
            flat[0], ids[ref], polygon_count, disc_ref, flat[1], ids[inc], a_is_ref, slack, found[0], numbers
        )
    elif ref_kind == FLAT_DISC and inc_kind == FLAT_DISC:
        total = clip_disc_disc(
            disc_ref,
            flat[0],
            ids[ref],
            ref_count,
            disc_inc,
            flat[1],
            ids[inc],
            inc_count,
            plane,
            a_is_ref,
            slack,
            found[0],
            numbers,
        )
    elif ref_kind == FLAT_DISC:
        total = clip_disc_polygon(
            disc_ref,
            flat[0],
            ids[ref],
            ref_count,
            flat[1],
            ids[inc],
            inc_count,
            plane,
            True,
            a_is_ref,
            slack,
            found[0],
            numbers,
        )
    elif inc_kind == FLAT_DISC:
        total = clip_disc_polygon(
            disc_inc,
            flat[1],
            ids[inc],
            inc_count,
            flat[0],
            ids[ref],
            ref_count,
            plane,
            False,
            a_is_ref,
            slack,
            found[0],
            numbers,
        )
    else:
        total = clip_polygon(
            flat[0],
            ids[ref],
            ref_count,
            flat[1],
            ids[inc],
            inc_count,
            a_is_ref,
            slack,
            found[1],
            tags,
            found[0],
            numbers,
        )
    reach = pose[inc, 16]
    near = 0
    for i in range(total):
        if found[0, i, 2] - reach <= margin:
            for c in range(3):
                found[0, near, c] = found[0, i, c]
            numbers[near] = numbers[i]
            near += 1
    kept = reduce_candidates(found[0], near, MAX_CONTACTS, False, chosen)
    if kept == 0:
        return count
    # the face is widened: what crosses its border out there is no lower than the shape reaches
    lx, ly, lz = support(inc, what, pose, vertices, -rx, -ry, -rz)
    lowest = (lx - cx) * rx + (ly - cy) * ry + (lz - cz) * rz
    for k in range(kept):
        i = chosen[k]
        x, y, h = found[0, i, 0], found[0, i, 1], max(found[0, i, 2], lowest)
        gap = h - reach
        px, py, pz = cx + x * ux + y * vx, cy + x * uy + y * vy, cz + x * uz + y * vz  # on the reference face
        radius = corners[inc, 0, 3] if inc_count <= 2 else 0.0
        if inc_count == 2 and corners[inc, 0, 3] != corners[inc, 1, 3]:
            radius = max(corners[inc, 0, 3], corners[inc, 1, 3])
        if a_is_ref:  # the normal points from b to a, against the face of a
            put_contact(
                out,
                count,
                what,
                numbers[i],
                NORMAL_ON_A,
                px + gap * rx,
                py + gap * ry,
                pz + gap * rz,
                -rx,
                -ry,
                -rz,
                gap,
                0.0,
                radius,
            )
        else:
            put_contact(out, count, what, numbers[i], NORMAL_ON_B, px, py, pz, rx, ry, rz, gap, radius, 0.0)
        count += 1
    return count
