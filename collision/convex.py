"""Narrow phase for convex shapes in compiled code: GJK or EPA, refinement of the normal, contact region."""

import numpy as np
from numba import njit

from collision.algebra import cross, norm, perpendicular
from collision.contacts import Contacts
from collision.features import hull_arrays, rounding
from collision.gjk import complete_simplex, gjk_normal, make_gjk_scratch, penetration_normal
from collision.normals import refine_normal
from collision.region import MAX_CONTACTS, contact_arrays, contact_region, make_scratch, shape_arrays
from collision.shape_table import ShapeTable

__all__ = ["collide_convex_pairs", "convex_normal"]


@njit(cache=True)
def _unit(x, y, z):
    length = norm(x, y, z)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return x / length, y / length, z / length


@njit(cache=True)
def convex_normal(a, b, shapes, hulls, margin, work, scratch):
    """Return (near, nx, ny, nz, gap): the normal from b to a and the signed distance [m].

    Args:
        a, b, shapes, hulls: the pair, as for `contact_region`.
        margin: pairs farther apart than this [m] give near = False.
        work: `make_gjk_scratch()`.
        scratch: `make_scratch()`.
    """
    reach = rounding(shapes[0][a], shapes[1][a]) + rounding(shapes[0][b], shapes[1][b])
    w = work[0]
    count, nx, ny, nz = gjk_normal(a, b, shapes, hulls, margin + reach, w)
    if count == 0:
        return False, 0.0, 0.0, 0.0, np.inf
    if count == 5 or count < 0:
        size = 4
        if count < 0:
            size = complete_simplex(a, b, shapes, hulls, w, -count)
        if size == 4:
            nx, ny, nz = penetration_normal(a, b, shapes, hulls, w, work)
        elif size == 3:  # a flat difference: two crossing segments (capsules), or discs
            nx, ny, nz = cross(w[1, 0] - w[0, 0], w[1, 1] - w[0, 1], w[1, 2] - w[0, 2],
                               w[2, 0] - w[0, 0], w[2, 1] - w[0, 1], w[2, 2] - w[0, 2])
        elif size == 2:  # segments on one line, or a centre on a segment: any perpendicular
            nx, ny, nz = perpendicular(*_unit(w[1, 0] - w[0, 0], w[1, 1] - w[0, 1], w[1, 2] - w[0, 2]))
        else:
            nx, ny, nz = 0.0, 0.0, 1.0
        nx, ny, nz = _unit(nx, ny, nz)
    nx, ny, nz, gap = refine_normal(a, b, shapes, hulls, nx, ny, nz, scratch)
    return gap <= margin, nx, ny, nz, gap


@njit(cache=True)
def _collide(pairs, start, shapes, hulls, margin, work, scratch, out, count):
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    capacity = len(out[9])
    for p in range(start, len(pairs)):
        if count + MAX_CONTACTS > capacity:
            return p, count
        a, b = pairs[p, 0], pairs[p, 1]
        near, nx, ny, nz, _ = convex_normal(a, b, shapes, hulls, margin, work, scratch)
        if near:
            count = contact_region(a, b, shapes, hulls, nx, ny, nz, margin, scratch, out, count)
    return len(pairs), count


def collide_convex_pairs(pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
    """Append the contacts of pairs of convex shapes (no half-spaces, no meshes).

    Args:
        pairs: (p, 2) rows of the table, first below second.
        table: the shapes, updated.
        margin: contacts up to this gap [m] are reported.
        contacts: grows as needed.
    """
    if len(pairs) == 0:
        return
    work, scratch = make_gjk_scratch(), make_scratch()
    done = 0
    shapes, hulls = shape_arrays(table), hull_arrays(table.polyhedra.arrays)
    while done < len(pairs):
        contacts.reserve(max(contacts.count + 4 * (len(pairs) - done) + MAX_CONTACTS, contacts.capacity))
        done, contacts.count = _collide(pairs, done, shapes, hulls, margin, work, scratch,
                                        contact_arrays(contacts), contacts.count)
