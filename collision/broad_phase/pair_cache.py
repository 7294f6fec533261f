"""Coherence of the broad phase: pairs whose grown bounds overlap, kept while shapes stay inside theirs.

From step to step hardly anything moves far. So pairs are searched with bounds that are grown by a skin and,
for what moves, by the way it will go in the next steps. While two shapes stay inside their grown bounds, they
can only overlap if those do: the pairs of now are those of the kept list that pass the plain test, in the
same order. The few shapes that leave their grown bounds get new ones and are tested against all others. The
result does not depend on what was searched when.
"""

from typing import Annotated

from stoss.collision.algebra import rotate
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.collision.shapes.kinds import HALFSPACE
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = [
    "MOST_LEAVERS",
    "GrownBounds",
    "PairLists",
    "grow_bounds",
    "leavers",
    "merge_pairs",
    "overlapping_pairs",
    "pairs_of",
    "reaches",
    "write_planes",
]

# Growth of a movable shape's bounds on every side, relative to their smallest edge.
SKIN = 0.1
# Growth in the direction of motion, in calls at the mean speed since the bounds were last grown.
AHEAD = 8.0
# Up to this many shapes are tested against all, 0.5 ns each; a search of everything costs 500 ns a shape.
MOST_LEAVERS = 256


class GrownBounds(Struct):
    """Bounds within which shapes may move before pairs are searched again.

    Attributes:
        lower, upper: the grown bounds [m].
        columns: the same, a row for each of the six sides, for loops over many shapes.
        base_lower, base_upper: bounds when they were last grown [m].
        grown_at: the call in which that was, -1 for never.
        planes: normal and level of half-spaces, the level raised by the margin.
        moves: which shapes were movable.
        hit, fresh: scratch.
    """

    lower: Annotated[Floats, "shapes", 3]
    upper: Annotated[Floats, "shapes", 3]
    columns: Annotated[Floats, "sides", "shapes"]
    base_lower: Annotated[Floats, "shapes", 3]
    base_upper: Annotated[Floats, "shapes", 3]
    grown_at: Annotated[Ints, "shapes"]
    planes: Annotated[Floats, "shapes", 4]
    moves: Annotated[Bools, "shapes"]
    hit: Annotated[Bools, "shapes"]
    fresh: Annotated[Bools, "shapes"]


class PairLists(Struct):
    """Pairs of shapes (i, j), i < j.

    Attributes:
        kept: those whose grown bounds overlap, sorted.
        overlapping: those of them whose bounds overlap.
        found: those that a search has found, unsorted.
        fresh: the same, sorted.
        merged: fresh and kept ones.
        order, place: scratch of sorting.
    """

    kept: Annotated[Ints, "pairs", 2]
    overlapping: Annotated[Ints, "pairs", 2]
    found: Annotated[Ints, "pairs", 2]
    fresh: Annotated[Ints, "pairs", 2]
    merged: Annotated[Ints, "pairs", 2]
    order: Annotated[Ints, "pairs"]
    place: Annotated[Ints, "shapes+1"]


@kernel
def grow_bounds(rows: Ints, shapes: ShapeArrays, movable: Bools, call: int, grown: GrownBounds) -> None:
    """Write which of the shapes in `rows` are movable, and their grown bounds."""
    lower, upper, columns = shapes.aabb_min, shapes.aabb_max, grown.columns
    grown_lower, grown_upper = grown.lower, grown.upper
    base_lower, base_upper, grown_at = grown.base_lower, grown.base_upper, grown.grown_at
    for r in range(len(rows)):
        s = rows[r]
        moves = movable[shapes.body[s]]
        grown.moves[s] = moves
        bounded = shapes.kind[s] != HALFSPACE
        ahead = 0.0
        if bounded and grown_at[s] >= 0:
            ahead = AHEAD / max(call - grown_at[s], 1)
        skin = 0.0
        if bounded and moves:
            skin = SKIN * min(upper[s, 0] - lower[s, 0], upper[s, 1] - lower[s, 1], upper[s, 2] - lower[s, 2])
        for x in range(3):
            low, high = lower[s, x], upper[s, x]
            down, up = 0.0, 0.0
            if ahead > 0.0:
                down = max(0.0, ahead * (base_lower[s, x] - low))
                up = max(0.0, ahead * (high - base_upper[s, x]))
            base_lower[s, x], base_upper[s, x] = low, high
            low, high = low - skin - down, high + skin + up
            grown_lower[s, x], grown_upper[s, x] = low, high
            columns[x, s], columns[3 + x, s] = low, high
        grown_at[s] = call


@inner
def _plane(h, shapes, margin):
    """Return normal and level of half-space `h`, the level raised by the margin."""
    size, position = shapes.size, shapes.position
    nx, ny, nz = rotate(shapes.quaternion[h], size[h, 0], size[h, 1], size[h, 2])
    level = size[h, 3] + nx * position[h, 0] + ny * position[h, 1] + nz * position[h, 2] + margin
    return nx, ny, nz, level


@kernel
def write_planes(shapes: ShapeArrays, margin: float, grown: GrownBounds) -> None:
    """Write normal and level of all half-spaces."""
    planes = grown.planes
    for s in range(len(planes)):
        if shapes.kind[s] == HALFSPACE:
            planes[s, 0], planes[s, 1], planes[s, 2], planes[s, 3] = _plane(s, shapes, margin)


@kernel
def leavers(shapes: ShapeArrays, movable: Bools, margin: float, grown: GrownBounds, rows: Ints) -> int:
    """Write the shapes that left their grown bounds to `rows`; return how many.

    -1 if there is no room for them in `rows`, or if half-spaces have moved or other bodies are movable.
    """
    kind, body, moves, planes = shapes.kind, shapes.body, grown.moves, grown.planes
    lower, upper, grown_lower, grown_upper = shapes.aabb_min, shapes.aabb_max, grown.lower, grown.upper
    n = 0
    for s in range(len(moves)):
        if movable[body[s]] != moves[s]:
            return -1
        if kind[s] == HALFSPACE:
            nx, ny, nz, level = _plane(s, shapes, margin)
            if not (
                nx == planes[s, 0] and ny == planes[s, 1] and nz == planes[s, 2] and level == planes[s, 3]
            ):
                return -1
        # bounds that are no numbers are not inside
        elif not (
            (grown_lower[s, 0] <= lower[s, 0])
            & (grown_lower[s, 1] <= lower[s, 1])
            & (grown_lower[s, 2] <= lower[s, 2])
            & (upper[s, 0] <= grown_upper[s, 0])
            & (upper[s, 1] <= grown_upper[s, 1])
            & (upper[s, 2] <= grown_upper[s, 2])
        ):
            if n == len(rows):
                return -1
            rows[n] = s
            n += 1
    return n


@inner
def reaches(nx, ny, nz, level, lower, upper, s):
    """Return whether the bounds of shape `s` reach below a plane."""
    # the corner of the bounds that lies deepest
    x = lower[s, 0] if nx > 0.0 else upper[s, 0]
    y = lower[s, 1] if ny > 0.0 else upper[s, 1]
    z = lower[s, 2] if nz > 0.0 else upper[s, 2]
    return nx * x + ny * y + nz * z <= level


@kernel
def overlapping_pairs(shapes: ShapeArrays, grown: GrownBounds, kept_count: int, lists: PairLists) -> int:
    """Write those of the kept pairs whose bounds overlap, in order; return how many."""
    kind, lower, upper, planes = shapes.kind, shapes.aabb_min, shapes.aabb_max, grown.planes
    kept, pairs = lists.kept, lists.overlapping
    n = 0
    for p in range(kept_count):
        i, j = kept[p, 0], kept[p, 1]
        if kind[i] == HALFSPACE:
            hit = reaches(planes[i, 0], planes[i, 1], planes[i, 2], planes[i, 3], lower, upper, j)
        elif kind[j] == HALFSPACE:
            hit = reaches(planes[j, 0], planes[j, 1], planes[j, 2], planes[j, 3], lower, upper, i)
        else:
            hit = (
                (lower[i, 0] <= upper[j, 0])
                & (lower[j, 0] <= upper[i, 0])
                & (lower[i, 1] <= upper[j, 1])
                & (lower[j, 1] <= upper[i, 1])
                & (lower[i, 2] <= upper[j, 2])
                & (lower[j, 2] <= upper[i, 2])
            )
        # written without a branch: whether bounds overlap cannot be predicted
        pairs[n, 0], pairs[n, 1] = i, j
        n += hit
    return n


@inner
def _overlaps(s, count, columns, hit):
    """Write which grown bounds overlap those of shape `s`; a loop without branches, for vector registers."""
    x0, y0, z0 = columns[0, s], columns[1, s], columns[2, s]
    x1, y1, z1 = columns[3, s], columns[4, s], columns[5, s]
    low_x, low_y, low_z = columns[0], columns[1], columns[2]
    high_x, high_y, high_z = columns[3], columns[4], columns[5]
    for t in range(count):
        hit[t] = (
            (x0 <= high_x[t])
            & (low_x[t] <= x1)
            & (y0 <= high_y[t])
            & (low_y[t] <= y1)
            & (z0 <= high_z[t])
            & (low_z[t] <= z1)
        )


@inner
def pairs_of(rows, shapes, grown, found):
    """Write the pairs of some shapes with all others whose grown bounds overlap, each pair once, unsorted.

    Inputs:
        rows: the shapes; none of them a half-space.

    Outputs:
        grown.fresh: which shapes are among the rows.
        found: the pairs, as far as there is room.

    Returns:
        How many pairs there are.
    """
    kind, planes, hit, fresh = shapes.kind, grown.planes, grown.hit, grown.fresh
    count, room, n = len(fresh), len(found), 0
    for s in range(count):
        fresh[s] = False
    for r in range(len(rows)):
        fresh[rows[r]] = True
    for r in range(len(rows)):
        s = rows[r]
        _overlaps(s, count, grown.columns, hit)
        for t in range(count):
            if not hit[t] or t == s or (fresh[t] and t < s):
                continue
            # half-spaces have bounds that overlap all
            if kind[t] == HALFSPACE and not reaches(
                planes[t, 0], planes[t, 1], planes[t, 2], planes[t, 3], grown.lower, grown.upper, s
            ):
                continue
            if n < room:
                found[n, 0], found[n, 1] = min(s, t), max(s, t)
            n += 1
    return n


@inner
def merge_pairs(kept_count, fresh, new_count, lists):
    """Add the fresh pairs to the kept ones, leaving out kept pairs with a fresh shape; return how many.

    Inputs:
        kept_count, new_count: of the sorted lists `kept` and `fresh`.
        fresh: shapes that have been searched anew.
    """
    kept, new, out = lists.kept, lists.fresh, lists.merged
    n, q = 0, 0
    for p in range(kept_count):
        i, j = kept[p, 0], kept[p, 1]
        if fresh[i] or fresh[j]:
            continue
        while q < new_count and (new[q, 0] < i or (new[q, 0] == i and new[q, 1] < j)):
            out[n, 0], out[n, 1] = new[q, 0], new[q, 1]
            n += 1
            q += 1
        out[n, 0], out[n, 1] = i, j
        n += 1
    while q < new_count:
        out[n, 0], out[n, 1] = new[q, 0], new[q, 1]
        n += 1
        q += 1
    for p in range(n):
        kept[p, 0], kept[p, 1] = out[p, 0], out[p, 1]
    return n
