"""Half-spaces against convex shapes: the corners that face the plane, with their exact heights."""

import numpy as np
from stoss.collision.algebra import cross, perpendicular
from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, ContactArrays, Contacts
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Ints2
from stoss.collision.manifold.clipping import feature_number, reduce_candidates
from stoss.collision.manifold.face_manifold import MAX_CONTACTS, ManifoldScratch
from stoss.collision.narrow_phase.pair_data import (
    from_shape,
    load_pair,
    put_contact,
)
from stoss.collision.shapes.features import support_polygon
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.shapes import HALFSPACE

FEATURE = "half-space"  # see `kernels.prepare`

__all__ = ["collide_halfspace_pairs"]


@kernel
def _collide(
    pairs: Ints2,
    start: int,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    margin: float,
    scratch: ManifoldScratch,
    out: ContactArrays,
    count: int,
) -> tuple[int, int]:
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    corners, ids, found = scratch.corners[0], scratch.ids[0], scratch.found[0]
    numbers, chosen, what, pose = scratch.numbers, scratch.chosen, scratch.what, scratch.pose
    capacity = len(out.gap)
    for p in range(start, len(pairs)):
        if count + MAX_CONTACTS > capacity:
            return p, count
        a, b = pairs[p, 0], pairs[p, 1]
        plane_is_a = shapes.kind[a] == HALFSPACE
        load_pair(a, b, shapes, solids, what, pose)
        h, k = (0, 1) if plane_is_a else (1, 0)
        sx, sy, sz = pose[h, 12], pose[h, 13], pose[h, 14]
        nx, ny, nz = from_shape(h, pose, sx, sy, sz)
        reach = pose[k, 16]
        offset = pose[h, 15]
        ox, oy, oz = pose[h, 0] + offset * nx, pose[h, 1] + offset * ny, pose[h, 2] + offset * nz
        total, _, _, _, _ = support_polygon(k, what, pose, solids, -nx, -ny, -nz, corners, ids)
        # tangents fixed in the frame of the plane
        lx, ly, lz = perpendicular(sx, sy, sz)
        tx, ty, tz = from_shape(h, pose, lx, ly, lz)
        ux, uy, uz = cross(nx, ny, nz, tx, ty, tz)
        near = 0
        for i in range(total):
            x, y, z = corners[i, 0] - ox, corners[i, 1] - oy, corners[i, 2] - oz
            height = nx * x + ny * y + nz * z
            if height - reach <= margin:
                found[near, 0] = tx * x + ty * y + tz * z
                found[near, 1] = ux * x + uy * y + uz * z
                found[near, 2] = height
                numbers[near] = i
                near += 1
        kept = reduce_candidates(found, near, MAX_CONTACTS, False, chosen)
        for c in range(kept):
            i = chosen[c]
            at = numbers[i]
            gap = found[i, 2] - reach
            # on the plane under the corner
            px, py, pz = (
                corners[at, 0] - found[i, 2] * nx,
                corners[at, 1] - found[i, 2] * ny,
                corners[at, 2] - found[i, 2] * nz,
            )
            number = feature_number(plane_is_a, 2, 0, ids[at])
            if plane_is_a:
                put_contact(
                    out,
                    count,
                    what,
                    number,
                    NORMAL_ON_A,
                    px + gap * nx,
                    py + gap * ny,
                    pz + gap * nz,
                    -nx,
                    -ny,
                    -nz,
                    gap,
                    0.0,
                    corners[at, 3],
                )
            else:
                put_contact(
                    out, count, what, number, NORMAL_ON_B, px, py, pz, nx, ny, nz, gap, corners[at, 3], 0.0
                )
            count += 1
    return len(pairs), count


def collide_halfspace_pairs(pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
    """Append the contacts of pairs of a half-space and a convex shape, in either order.

    Args:
        pairs: (p, 2) rows of the table, first below second.
        table: the shapes, updated.
        margin: contacts up to this gap [m] are reported.
        contacts: grows as needed.
    """
    if len(pairs) == 0:
        return
    done, scratch = 0, ManifoldScratch.new()
    shapes, solids = table.arrays, table.polyhedra.arrays
    while done < len(pairs):
        contacts.reserve(max(contacts.count + 4 * (len(pairs) - done) + MAX_CONTACTS, contacts.capacity))
        done, contacts.count = _collide(
            pairs, done, shapes, solids, margin, scratch, contacts.arrays, contacts.count
        )
