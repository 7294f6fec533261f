"""Contacts between spheres, capsules, boxes and half-spaces, without FCL.

One kernel walks over all pairs and looks at the two kinds; nothing happens in Python per pair.
Every function here takes its two shapes in one order of kinds and reports them as a and b; the walk
swaps a and b where the pair has the other order.
"""

import numpy as np

from stoss.collision.contacts import NORMAL_FIXED, NORMAL_ON_A, NORMAL_ON_B, ContactArrays, Contacts
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Ints2
from stoss.collision.narrow_phase.box_box import collide_box_box
from stoss.collision.narrow_phase.box_pair import BoxScratch
from stoss.collision.narrow_phase.capsule_box import collide_capsule_box
from stoss.collision.narrow_phase.pair_contacts import MOST_PER_PAIR
from stoss.collision.narrow_phase.plane_pairs import box_halfspace, capsule_halfspace, sphere_halfspace
from stoss.collision.narrow_phase.round_pairs import (
    capsule_capsule,
    capsule_sphere,
    sphere_box,
    sphere_sphere,
)
from stoss.collision.narrow_phase.scratch import OfThread
from stoss.collision.narrow_phase.walk import walk_pairs
from stoss.collision.shapes.kinds import BOX, CAPSULE, HALFSPACE, SPHERE
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable

__all__ = ["NATIVE_KINDS", "collide_native_pairs", "collide_pairs"]

# Kinds whose pairs among themselves `collide_native_pairs` knows (two half-spaces never meet).
NATIVE_KINDS = (SPHERE, BOX, CAPSULE, HALFSPACE)

_own = OfThread(BoxScratch.new)


def collide_native_pairs(pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
    """Append the contacts of pairs of spheres, capsules, boxes and half-spaces.

    Args:
        pairs: (p, 2) rows of the table, first below second.
        table: the shapes, updated.
        margin: contacts up to this gap [m] are reported.
        contacts: grows as needed.
    """
    walk_pairs(collide_pairs, pairs, table, margin, contacts, _own.scratch, MOST_PER_PAIR)


@kernel
def collide_pairs(
    pairs: Ints2,
    start: int,
    shapes: ShapeArrays,
    margin: float,
    scratch: BoxScratch,
    out: ContactArrays,
    count: int,
) -> tuple[int, int]:
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    kind, found = shapes.kind, scratch.found
    capacity = len(out.gap)
    for p in range(start, len(pairs)):
        if count + MOST_PER_PAIR > capacity:
            return p, count
        i, j = pairs[p, 0], pairs[p, 1]
        # order of the kinds: capsule, sphere, box, half-space
        rank_i, rank_j = _rank(kind[i]), _rank(kind[j])
        swapped = rank_i > rank_j
        a, b, rank_a, rank_b = i, j, rank_i, rank_j
        if swapped:
            a, b, rank_a, rank_b = j, i, rank_j, rank_i
        n = 0
        if rank_b == 3:
            if rank_a == 0:
                n = capsule_halfspace(a, b, shapes, margin, found)
            elif rank_a == 1:
                n = sphere_halfspace(a, b, shapes, margin, found)
            elif rank_a == 2:
                n = box_halfspace(a, b, shapes, margin, found)
        elif rank_b == 2:
            if rank_a == 0:
                n = collide_capsule_box(a, b, shapes, margin, scratch)
            elif rank_a == 1:
                n = sphere_box(a, b, shapes, margin, found)
            else:
                n = collide_box_box(a, b, shapes, margin, scratch)
        elif rank_b == 0:
            n = capsule_capsule(a, b, shapes, margin, found)
        elif rank_a == 0:
            n = capsule_sphere(a, b, shapes, margin, found)
        else:
            n = sphere_sphere(a, b, shapes, margin, found)
        # spheres and capsules are round, their radius is the first size; boxes and planes are not
        radius_i = shapes.size[i, 0] if rank_i < 2 else 0.0
        radius_j = shapes.size[j, 0] if rank_j < 2 else 0.0
        for k in range(n):
            out.body_a[count] = shapes.body[i]
            out.body_b[count] = shapes.body[j]
            out.shape_a[count] = i
            out.shape_b[count] = j
            out.radius_a[count] = radius_i
            out.radius_b[count] = radius_j
            _take_over(found, k, swapped, out, count)
            count += 1
    return len(pairs), count


@inner
def _rank(kind):
    if kind == CAPSULE:
        return 0
    if kind == SPHERE:
        return 1
    return 2 if kind == BOX else 3


@inner
def _take_over(found, k, swapped, contacts, at):
    """Copy contact `k` of a pair, with the shapes the other way round if they were swapped."""
    contacts.feature[at], contacts.gap[at] = found.feature[k], found.gap[k]
    side = found.side[k]
    if swapped and side != NORMAL_FIXED:
        side = NORMAL_ON_B if side == NORMAL_ON_A else NORMAL_ON_A
    contacts.normal_side[at] = side
    first, second, sign = found.point_a, found.point_b, 1.0
    if swapped:
        first, second, sign = found.point_b, found.point_a, -1.0
    for x in range(3):
        contacts.point_a[at, x] = first[k, x]
        contacts.point_b[at, x] = second[k, x]
        contacts.normal[at, x] = sign * found.normal[k, x]
