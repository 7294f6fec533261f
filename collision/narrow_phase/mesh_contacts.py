"""Contacts of one shape with many triangles, brought down to those that hold it."""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross, dot
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.collision.manifold.clipping import CORNER_A, CORNER_B
from stoss.collision.manifold.reduction import reduce_candidates
from stoss.collision.manifold.scratch import MAX_CONTACTS

FEATURE = "mesh"  # see `kernels.prepare`

__all__ = ["MAX_KEPT", "SAME_NORMAL", "MergeScratch", "copy_contact", "leave_far_skins", "merge_contacts"]

MAX_KEPT = 64  # contacts that one pair may report: eight for each of eight directions
SAME_NORMAL = 1.0 - 1e-7  # cosine; below the bend that EDGE_FLAT allows, above rounding

ROUNDING = 1e-9  # of differences of points, relative to them


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


@kernel
def leave_far_skins(
    k: int, centre: tuple[float, float, float], found: ContactArrays, count: int, scratch: Ints
) -> int:
    """Drop the contacts with the far side of thin walls; return how many are left.

    A shape that reaches through a wall overlaps both of its skins, and each would push it out on its own
    side. It came from the side on which its centre lies: the skin that looks there holds it, and not one that
    looks away behind it.

    Inputs:
        k: which of both shapes is the mesh.
        centre: a point inside the shape (world).
        found, count: contacts.
        scratch: (count,).
    """
    points, normals, sign = (
        (found.point_a, found.normal, -1.0) if k == 0 else (found.point_b, found.normal, 1.0)
    )
    cx, cy, cz = centre
    ahead, behind = 0, 0
    for c in range(count):
        x, y, z = cx - points[c, 0], cy - points[c, 1], cz - points[c, 2]
        height = dot(x, y, z, normals[c, 0], normals[c, 1], normals[c, 2])
        scratch[c] = 1 if sign * height > 0.0 else 0
        ahead += scratch[c]
        behind += 1 - scratch[c]
    if ahead == 0 or behind == 0:
        return count
    for c in range(count):
        if scratch[c] != 0:
            continue
        for d in range(count):
            if scratch[d] != 1:
                continue
            x, y, z = normals[d, 0], normals[d, 1], normals[d, 2]
            if dot(x, y, z, normals[c, 0], normals[c, 1], normals[c, 2]) >= 0.0:
                continue
            px, py, pz = points[c, 0] - points[d, 0], points[c, 1] - points[d, 1], points[c, 2] - points[d, 2]
            room = ROUNDING * (abs(px) + abs(py) + abs(pz))
            behind_d = sign * dot(px, py, pz, x, y, z) <= room
            if behind_d and sign * dot(px, py, pz, normals[c, 0], normals[c, 1], normals[c, 2]) >= -room:
                scratch[c] = 2
                break
    kept = 0
    for c in range(count):
        if scratch[c] != 2:
            if kept != c:
                copy_contact(found, c, found, kept)
            kept += 1
    return kept


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
