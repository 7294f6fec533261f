"""Half-spaces against convex shapes: the corners that face the plane, with their exact heights."""

import numpy as np

from stoss.collision.algebra import cross, perpendicular
from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, ContactArrays, Contacts
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Ints2
from stoss.collision.manifold.clipping import feature_number
from stoss.collision.manifold.reduction import reduce_candidates
from stoss.collision.manifold.scratch import MAX_CONTACTS
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch, convex_scratch
from stoss.collision.narrow_phase.walk import walk_pairs
from stoss.collision.shapes.kinds import HALFSPACE
from stoss.collision.shapes.shape_pair import from_shape, load_pair, put_contact
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.support_polygon import support_polygon

FEATURE = "half-space"  # see `kernels.prepare`

__all__ = ["collide_halfspace", "collide_halfspace_pairs"]


@kernel
def collide_halfspace(
    pairs: Ints2,
    start: int,
    shapes: ShapeArrays,
    margin: float,
    scratch: ConvexScratch,
    out: ContactArrays,
    count: int,
) -> tuple[int, int]:
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    pair, manifold = scratch.pair, scratch.manifold
    features, found, numbers, chosen = manifold.features, manifold.found[0], manifold.numbers, manifold.chosen
    capacity = len(out.gap)
    for p in range(start, len(pairs)):
        if count + MAX_CONTACTS > capacity:
            return p, count
        a, b = pairs[p, 0], pairs[p, 1]
        plane_is_a = shapes.kind[a] == HALFSPACE
        load_pair(a, b, shapes, pair)
        h, k = (0, 1) if plane_is_a else (1, 0)
        sx, sy, sz = pair.size[h, 0], pair.size[h, 1], pair.size[h, 2]
        nx, ny, nz = from_shape(h, pair, sx, sy, sz)
        reach = pair.rounding[k]
        offset = pair.size[h, 3]
        ox, oy, oz = (
            pair.position[h, 0] + offset * nx,
            pair.position[h, 1] + offset * ny,
            pair.position[h, 2] + offset * nz,
        )
        support_polygon(k, pair, -nx, -ny, -nz, features)
        corners, ids = features.corners[k], features.ids[k]
        # tangents fixed in the frame of the plane
        lx, ly, lz = perpendicular(sx, sy, sz)
        tx, ty, tz = from_shape(h, pair, lx, ly, lz)
        ux, uy, uz = cross(nx, ny, nz, tx, ty, tz)
        near = 0
        for i in range(features.count[k]):
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
            height, radius = found[i, 2], corners[at, 3]
            px, py, pz = (
                corners[at, 0] - height * nx,
                corners[at, 1] - height * ny,
                corners[at, 2] - height * nz,
            )
            number = feature_number(plane_is_a, 2, 0, ids[at])
            if plane_is_a:
                point, turned = (px + gap * nx, py + gap * ny, pz + gap * nz), (-nx, -ny, -nz)
                put_contact(out, count, pair, number, NORMAL_ON_A, point, turned, gap, (0.0, radius))
            else:
                point, normal = (px, py, pz), (nx, ny, nz)
                put_contact(out, count, pair, number, NORMAL_ON_B, point, normal, gap, (radius, 0.0))
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
    scratch = convex_scratch(table.polyhedra.arrays)
    walk_pairs(collide_halfspace, pairs, table, margin, contacts, scratch, MAX_CONTACTS)
