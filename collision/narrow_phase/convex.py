"""Narrow phase for convex shapes in compiled code: GJK or EPA, refinement of the normal, contact manifold."""

import numpy as np

from stoss.collision.algebra import cross, norm, perpendicular
from stoss.collision.contacts import ContactArrays, Contacts
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats3, Ints2
from stoss.collision.manifold.manifold import contact_manifold
from stoss.collision.manifold.scratch import MAX_CONTACTS
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch, convex_scratch
from stoss.collision.narrow_phase.gjk import (
    GjkScratch,
    complete_simplex,
    gjk_normal,
    penetration_normal,
)
from stoss.collision.narrow_phase.normals import STARTS, best_face_normal, curved_start, refine_normal
from stoss.collision.narrow_phase.walk import walk_pairs
from stoss.collision.shapes.shape_pair import ShapePair, load_pair
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable

FEATURE = "convex"  # see `kernels.prepare`

__all__ = ["collide_convex", "collide_convex_pairs", "convex_normal"]

# Shapes that overlap less than this share of their size do not overlap when scaled by SHRUNK about their
# centres. Then the normal between them is the best of all, to that share of the difference of their sizes
# along different normals, and the polytope is spared: heaps at rest are full of such pairs.
SHRUNK = 1.0 - 1e-4
ROUNDING = 1e-10  # [relative to the supports] by which cores may overlap that were found apart


@inner
def _unit(x, y, z):
    length = norm(x, y, z)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return x / length, y / length, z / length


@inner
def _deep_normal(pair, work, edges):
    """Return the normal along which cores overlap least and the gap, by the polytope or other starts."""
    w = work.simplex
    count, nx, ny, nz = gjk_normal(pair, np.inf, 1.0, w)
    size = 4
    if count != 5:
        size = complete_simplex(pair, w, abs(count))
    if size == 4:
        nx, ny, nz = penetration_normal(pair, w, work)
    elif size == 3:  # a flat difference: two crossing segments (capsules), or discs
        nx, ny, nz = cross(
            w[1, 0] - w[0, 0],
            w[1, 1] - w[0, 1],
            w[1, 2] - w[0, 2],
            w[2, 0] - w[0, 0],
            w[2, 1] - w[0, 1],
            w[2, 2] - w[0, 2],
        )
    elif size == 2:  # segments on one line, or a centre on a segment: any perpendicular
        nx, ny, nz = perpendicular(*_unit(w[1, 0] - w[0, 0], w[1, 1] - w[0, 1], w[1, 2] - w[0, 2]))
    else:
        nx, ny, nz = 0.0, 0.0, 1.0
    nx, ny, nz = _unit(nx, ny, nz)
    nx, ny, nz, gap = refine_normal(pair, nx, ny, nz, edges)
    # on curved surfaces the polytope ends early, or is torn, and there may be several local answers
    for start in range(STARTS):
        known, sx, sy, sz = curved_start(start, pair)
        if not known:
            continue
        sx, sy, sz, other = refine_normal(pair, sx, sy, sz, edges)
        if other > gap:
            nx, ny, nz, gap = sx, sy, sz, other
    return nx, ny, nz, gap


@kernel
def convex_normal(
    pair: ShapePair, margin: float, work: GjkScratch, edges: Floats3
) -> tuple[bool, float, float, float, float]:
    """Return (near, nx, ny, nz, gap): the normal from b to a and the signed distance [m].

    Inputs:
        pair: as for `contact_manifold`.
        margin: pairs farther apart than this [m] give near = False.
        work: `GjkScratch.new()`.
        edges: (2, 2, 3) scratch.
    """
    reach = pair.rounding[0] + pair.rounding[1]
    w = work.simplex
    count, nx, ny, nz = gjk_normal(pair, margin + reach, 1.0, w)
    if count == 0:
        return False, 0.0, 0.0, 0.0, np.inf
    size = norm(w[0, 0], w[0, 1], w[0, 2])
    if 0 < count < 5:
        nx, ny, nz, gap = refine_normal(pair, nx, ny, nz, edges)
        if gap + reach >= -ROUNDING * size:  # cores that are apart have one best normal
            return gap <= margin, nx, ny, nz, gap
    gap = -np.inf
    count, nx, ny, nz = gjk_normal(pair, np.inf, SHRUNK, w)
    if 0 < count < 5:
        nx, ny, nz, gap = refine_normal(pair, nx, ny, nz, edges)
    if gap + reach < -2.0 * (1.0 - SHRUNK) * size:
        nx, ny, nz, gap = _deep_normal(pair, work, edges)
    # rounding leads the polytope astray where it starts with the origin on a face, as for touching faces
    fx, fy, fz, other = best_face_normal(pair, gap, nx, ny, nz)
    if other > gap + 1e-12:
        nx, ny, nz, gap = refine_normal(pair, fx, fy, fz, edges)
    return gap <= margin, nx, ny, nz, gap


@kernel
def collide_convex(
    pairs: Ints2,
    start: int,
    shapes: ShapeArrays,
    margin: float,
    scratch: ConvexScratch,
    out: ContactArrays,
    count: int,
) -> tuple[int, int]:
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    capacity = len(out.gap)
    pair, search, manifold = scratch.pair, scratch.search, scratch.manifold
    for p in range(start, len(pairs)):
        if count + MAX_CONTACTS > capacity:
            return p, count
        load_pair(pairs[p, 0], pairs[p, 1], shapes, pair)
        near, nx, ny, nz, _ = convex_normal(pair, margin, search, manifold.edges)
        if near:
            count = contact_manifold(pair, nx, ny, nz, margin, manifold, out, count)
    return len(pairs), count


def collide_convex_pairs(pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
    """Append the contacts of pairs of convex shapes (no half-spaces, no meshes).

    Args:
        pairs: (p, 2) rows of the table, first below second.
        table: the shapes, updated.
        margin: contacts up to this gap [m] are reported.
        contacts: grows as needed.
    """
    scratch = convex_scratch(table.polyhedra.arrays)
    walk_pairs(collide_convex, pairs, table, margin, contacts, scratch, MAX_CONTACTS)
