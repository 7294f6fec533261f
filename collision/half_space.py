"""Half-spaces against convex shapes: every corner of the feature that faces the plane, with its exact height."""

import numpy as np
from numba import njit

from collision.algebra import rotate
from collision.clipping import feature_number, reduce_candidates
from collision.contacts import NORMAL_ON_A, NORMAL_ON_B, Contacts
from collision.features import hull_arrays, rounding, support_polygon
from collision.region import MAX_CONTACTS, contact_arrays, make_scratch, put_contact, shape_arrays
from collision.shape_table import ShapeTable
from collision.shapes import HALFSPACE

__all__ = ["collide_halfspace_pairs"]


@njit(cache=True)
def _collide(pairs, start, shapes, hulls, margin, scratch, out, count):
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    corners, ids, _, found, _, numbers, _, chosen, _ = scratch
    corners, ids, found = corners[0], ids[0], found[0]
    capacity = len(out[9])
    for p in range(start, len(pairs)):
        if count + MAX_CONTACTS > capacity:
            return p, count
        a, b = pairs[p, 0], pairs[p, 1]
        plane_is_a = shapes[0][a] == HALFSPACE
        h, s = (a, b) if plane_is_a else (b, a)
        size, q = shapes[1][h], shapes[4][h]
        nx, ny, nz = rotate(q, size[0], size[1], size[2])
        ox, oy, oz = shapes[3][h, 0] + size[3] * nx, shapes[3][h, 1] + size[3] * ny, shapes[3][h, 2] + size[3] * nz
        total, _, _, _, _ = support_polygon(shapes[0][s], shapes[1][s], shapes[2][s], hulls, shapes[3][s],
                                            shapes[4][s], -nx, -ny, -nz, corners, ids)
        reach = rounding(shapes[0][s], shapes[1][s])
        # tangents fixed in the plane's frame
        q0, q1 = rotate(q, -size[1], size[0], 0.0), rotate(q, 0.0, -size[2], size[1])
        if abs(size[2]) > 0.9:
            q1 = rotate(q, size[2], 0.0, -size[0])
            q0 = rotate(q, 0.0, size[2], -size[1])
        near = 0
        for k in range(total):
            x, y, z = corners[k, 0] - ox, corners[k, 1] - oy, corners[k, 2] - oz
            height = nx * x + ny * y + nz * z
            if height - reach <= margin:
                found[near, 0] = q0[0] * x + q0[1] * y + q0[2] * z
                found[near, 1] = q1[0] * x + q1[1] * y + q1[2] * z
                found[near, 2] = height
                numbers[near] = k
                near += 1
        kept = reduce_candidates(found, numbers, near, MAX_CONTACTS, chosen)
        for c in range(kept):
            i = chosen[c]
            k = numbers[i]
            gap = found[i, 2] - reach
            # on the plane under the corner
            px, py, pz = (corners[k, 0] - found[i, 2] * nx, corners[k, 1] - found[i, 2] * ny,
                          corners[k, 2] - found[i, 2] * nz)
            number = feature_number(plane_is_a, 2, 0, ids[k])
            if plane_is_a:
                put_contact(out, count, a, b, shapes, number, NORMAL_ON_A, px + gap * nx, py + gap * ny,
                            pz + gap * nz, -nx, -ny, -nz, gap, 0.0, corners[k, 3])
            else:
                put_contact(out, count, a, b, shapes, number, NORMAL_ON_B, px, py, pz, nx, ny, nz, gap,
                            corners[k, 3], 0.0)
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
    done, scratch = 0, make_scratch()
    shapes, hulls = shape_arrays(table), hull_arrays(table.polyhedra.arrays)
    while done < len(pairs):
        contacts.reserve(max(contacts.count + 4 * (len(pairs) - done) + MAX_CONTACTS, contacts.capacity))
        done, contacts.count = _collide(pairs, done, shapes, hulls, margin, scratch, contact_arrays(contacts),
                                        contacts.count)
