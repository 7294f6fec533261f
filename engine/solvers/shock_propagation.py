"""Shock propagation: end sweeps that were stopped early by one traversal of the contact graph.

Bender 2007, sections 5.2.4 and 5.3.2. From the ground up, the rows of a level are solved until they converge,
then its bodies are frozen: they take part, but impulses do not move them any more. Masses stay as they are,
only the solution of the rows treats the frozen bodies as immovable, so the preview remains right. Afterwards
all are free again.

What stands on something is then exact, whatever the sweeps left: a tower stands with few of them. The price
is momentum: the impulses of the traversal act on the upper body of each pair alone, as if the lower one were
part of the ground. An island without ground is left as the sweeps leave it, and keeps its momentum.
"""

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2, Ints
from stoss.engine.constraints.rows import Rows
from stoss.engine.solvers.gauss_seidel import sweep

FEATURE = "shock propagation"  # see `kernels.prepare`

__all__ = ["propagate_shock"]

# Most sweeps over one level. Four contacts between one box and what is frozen below converge by a third or so
# a sweep.
LEVEL_SWEEPS = 50


@inner
def _edge_level(a, b, level):
    """Return the larger level of two bodies, -1 for one that does not react."""
    return max(level[a] if a >= 0 else 0, level[b] if b >= 0 else 0)


@kernel
def propagate_shock(rows: Rows, blocks: Ints, z: Floats2, level: Ints, tolerance: float) -> float:
    """Solve the blocks of an island level by level, each with all lower bodies frozen.

    Args:
        rows: the rows.
        blocks: blocks of the island, from the ground up.
        z: (bodies, 6) what the impulses of the rows do, changed for the upper bodies of each level only.
        level: (bodies,) of the contact graph.
        tolerance: [m/s] last change of a row's velocity.

    Returns:
        The largest change of a row's velocity in the last sweep over any level [m/s].
    """
    worst = 0.0
    first = 0
    while first < len(blocks):
        height = _edge_level(rows.bodies[blocks[first], 0], rows.bodies[blocks[first], 1], level)
        last = first + 1
        while (
            last < len(blocks)
            and _edge_level(rows.bodies[blocks[last], 0], rows.bodies[blocks[last], 1], level) == height
        ):
            last += 1
        _, change = sweep(rows, blocks[first:last], z, LEVEL_SWEEPS, tolerance, level, height, True)
        worst = max(worst, change)
        first = last
    return worst
