"""Contacts of one shape with many triangles, brought down to those that hold it."""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.collision.manifold.clipping import CORNER_A, CORNER_B
from stoss.collision.manifold.reduction import reduce_candidates
from stoss.collision.manifold.scratch import MAX_CONTACTS

FEATURE = "mesh"  # see `kernels.prepare`

__all__ = ["MAX_KEPT", "SAME_NORMAL", "MergeScratch", "copy_contact", "merge_contacts"]

MAX_KEPT = 64  # contacts that one pair may report: eight for each of eight directions
SAME_NORMAL = 1.0 - 1e-7  # cosine; below the bend that EDGE_FLAT allows, above rounding


class MergeScratch(Struct):
    """Work arrays of `merge_contacts`.

    Attributes:
        flat: of the contacts with one normal: two coordinates across it, gap [m], and row.
        group: of each contact the first one with its normal.
    """

    flat: Annotated[Floats, "contacts", 4]
    group: Annotated[Ints, "contacts"]


@inner
def copy_contact(found, j, out, at):
    """Copy contact `j` of `found` to place `at` of `out`."""
    out.body_a[at], out.body_b[at], out.shape_a[at], out.shape_b[at] = (
        found.body_a[j],
        found.body_b[j],
        found.shape_a[j],
        found.shape_b[j],
    )
    out.feature[at], out.normal_side[at], out.gap[at] = found.feature[j], found.normal_side[j], found.gap[j]
    out.radius_a[at], out.radius_b[at] = found.radius_a[j], found.radius_b[j]
    for axis in range(3):
        out.point_a[at, axis], out.point_b[at, axis] = found.point_a[j, axis], found.point_b[j, axis]
        out.normal[at, axis] = found.normal[j, axis]


@inner
def _is_corner(number):
    kind = number & 3
    return kind == CORNER_A or kind == CORNER_B


@kernel
def merge_contacts(
    found: ContactArrays,
    count: int,
    extent: float,
    scratch: MergeScratch,
    chosen: Ints,
    out: ContactArrays,
    at: int,
) -> int:
    """Reduce contacts: drop those that coincide, then keep the outermost and deepest of each normal.

    Inputs:
        found: the contacts, `count` of them.
        extent: size of the shape [m].
        scratch: of at least `count` contacts.
        chosen: (MAX_CONTACTS,) scratch.
        out, at: where to write, with MAX_KEPT places left.

    Returns:
        Number of contacts in `out`.
    """
    flat, group, normal = scratch.flat, scratch.group, found.normal
    tolerance = 1e-6 * extent
    kept = MAX_KEPT
    for i in range(count):
        group[i] = -1
    for i in range(count):
        if group[i] != -1:
            continue
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        # tangents from the normal alone: the same for all contacts on a flat patch, in every step
        if abs(nx) < 0.7:
            length = np.sqrt(ny * ny + nz * nz)
            tx, ty, tz = 0.0, nz / length, -ny / length
        else:
            length = np.sqrt(nx * nx + nz * nz)
            tx, ty, tz = -nz / length, 0.0, nx / length
        ux, uy, uz = cross(nx, ny, nz, tx, ty, tz)
        size = 0
        for j in range(i, count):
            if group[j] != -1 or normal[j, 0] * nx + normal[j, 1] * ny + normal[j, 2] * nz < SAME_NORMAL:
                continue
            group[j] = i
            x, y, z = found.point_a[j, 0], found.point_a[j, 1], found.point_a[j, 2]
            px, py = tx * x + ty * y + tz * z, ux * x + uy * y + uz * z
            known = False
            for m in range(size):
                if abs(flat[m, 0] - px) <= tolerance and abs(flat[m, 1] - py) <= tolerance:
                    known = True
                    # the number of a corner outlives those of lines that meet
                    if _is_corner(found.feature[j]) and not _is_corner(found.feature[int(flat[m, 3])]):
                        flat[m, 3] = j
                    break
            if not known:
                flat[size, 0], flat[size, 1], flat[size, 2], flat[size, 3] = px, py, found.gap[j], j
                size += 1
        total = reduce_candidates(flat, size, MAX_CONTACTS, True, chosen)
        for c in range(min(total, kept)):
            j = int(flat[chosen[c], 3])
            copy_contact(found, j, out, at)
            at += 1
            kept -= 1
    return at
