"""Factors of the direct solver, which are kept as long as the rows they were made from stay the same."""

from typing import Annotated

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Codes, Floats, Ints
from stoss.engine.constraints.islands import Islands, Layout
from stoss.engine.constraints.row_lanes import row_distance
from stoss.engine.constraints.rows import Rows
from stoss.engine.solvers.elimination import FactorStructure

__all__ = ["DirectWorkspace", "move_factors", "still_holds"]

# Relative change of the rows up to which an old factor still serves: it is only a preconditioner of the
# refinement, which then converges by REUSE / REGULARISATION per pass.
REUSE = 1e-9


class DirectWorkspace(Struct):
    """Memory of the direct solver: the factor, what it was made from, and scratch."""

    diagonal: Annotated[Floats, "columns", 6, 6]  # factor
    off_diagonal: Annotated[Floats, "blocks", 6, 6]  # factor
    upper: Annotated[Floats, "blocks", 6, 6]  # factor above the diagonal, where friction slides
    state: Annotated[Codes, "rows"]  # states of the rows at the time
    softness: Annotated[Floats, "rows"]
    jacobian: Annotated[Floats, "rows", 12]  # jacobians of the rows at the time
    impulse_response: Annotated[Floats, "rows", 12]  # scratch: what an impulse of the row does
    friction_ratio: Annotated[Floats, "rows"]  # friction per normal impulse, of sliding pairs
    old_friction_ratio: Annotated[Floats, "rows"]  # the same, as the factor has it
    slip_compliance: Annotated[Floats, "rows"]  # speed of sliding over friction impulse, of sliding pairs
    weight: Annotated[Floats, "rows"]  # 1 / (softness + regularisation)
    x: Annotated[Floats, "columns", 6]  # scratch
    z: Annotated[Floats, "columns", 6]  # scratch: z at the start
    amount: Annotated[Floats, "rows"]  # scratch: residual, then impulse
    start: Annotated[Floats, "rows"]  # scratch: impulses at the start
    best: Annotated[Floats, "rows"]  # scratch: impulses of the best failed search
    best_z: Annotated[Floats, "columns", 6]  # scratch: z with them


@inner
def _move_blocks(blocks, first, last, by):
    """Move the 6x6 blocks from `first` to `last - 1` by so many places."""
    for n in range(last - first):
        p = last - 1 - n if by > 0 else first + n
        for k in range(6):
            for i in range(6):
                blocks[p + by, k, i] = blocks[p, k, i]


@inner
def _move_rows(work, first, last, by):
    """Move what is kept of the rows from `first` to `last - 1` by so many places."""
    for n in range(last - first):
        r = last - 1 - n if by > 0 else first + n
        work.state[r + by] = work.state[r]
        work.softness[r + by] = work.softness[r]
        work.friction_ratio[r + by] = work.friction_ratio[r]
        work.old_friction_ratio[r + by] = work.old_friction_ratio[r]
        work.slip_compliance[r + by] = work.slip_compliance[r]
        work.weight[r + by] = work.weight[r]
        for k in range(12):
            work.jacobian[r + by, k] = work.jacobian[r, k]


@kernel
def move_factors(
    factor: Ints,
    old: FactorStructure,
    new: FactorStructure,
    row_start: Ints,
    islands: Islands,
    layout: Layout,
    work: DirectWorkspace,
) -> None:
    """Move the factors of islands that go on to where they stand now.

    Their order stays. So those that move forwards are moved first, from the first on, then the others, from
    the last on: none is written over.

    Args:
        factor: (islands,) number of the factor that each island goes on with, -1 without; ascending.
        old, new: structures.
        row_start: (islands + 1,) first row of each old island, and the end; becomes that of the new ones.
        islands, layout: the new ones.
        work: has room for both.
    """
    count = len(islands.body_start) - 1
    for turn in range(2):
        for n in range(count):
            island = n if turn == 0 else count - 1 - n
            before = factor[island]
            if before < 0:
                continue
            c0, c1, d0 = new.island_start[island], new.island_start[island + 1], old.island_start[before]
            p0, p1, q0 = new.start[c0], new.start[c1], old.start[d0]
            s0, s1 = row_start[before], row_start[before + 1]
            columns, blocks, rows = c0 - d0, p0 - q0, layout.start[islands.block_start[island]] - s0
            if columns != 0 and (columns > 0) == (turn == 1):
                _move_blocks(work.diagonal, d0, d0 + c1 - c0, columns)
            if blocks != 0 and (blocks > 0) == (turn == 1):
                _move_blocks(work.off_diagonal, q0, q0 + p1 - p0, blocks)
                _move_blocks(work.upper, q0, q0 + p1 - p0, blocks)
            if rows != 0 and (rows > 0) == (turn == 1):
                _move_rows(work, s0, s1, rows)
    for island in range(count + 1):
        row_start[island] = layout.start[islands.block_start[island]]


@kernel
def still_holds(rows: Rows, block_start: Ints, work: DirectWorkspace, known: Bools) -> None:
    """Keep `known` only for islands whose rows are those of the factor, up to `REUSE`."""
    for island in range(len(known)):
        if not known[island]:
            continue
        for r in range(rows.start[block_start[island]], rows.start[block_start[island + 1]]):
            off = row_distance(rows.jacobian, work.jacobian, r)
            if off * rows.effective_mass[r] > REUSE * REUSE:
                known[island] = False
                break
