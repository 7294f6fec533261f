"""Factors of the direct solver, which are kept as long as the rows they were made from stay the same."""

from typing import Annotated, NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.constraints.row_lanes import row_distance
from stoss.engine.constraints.rows import Rows
from stoss.engine.solvers.elimination import FactorStructure

__all__ = ["FactorState", "Factors", "DirectWorkspace", "still_holds"]

# Relative change of the rows up to which an old factor still serves: it is only a preconditioner of the
# refinement, which then converges by REUSE / REGULARISATION per pass.
REUSE = 1e-9


class DirectWorkspace(Struct):
    """Memory of the direct solver: the factor, what it was made from, and scratch."""

    diagonal: Annotated[Floats, "columns", 6, 6]  # factor
    off_diagonal: Annotated[Floats, "blocks", 6, 6]  # factor
    upper: Annotated[Floats, "blocks", 6, 6]  # factor above the diagonal, where friction slides
    state: Annotated[Ints, "rows"]  # states of the rows at the time
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
def _move_blocks(source, first, target, begin, end):
    """Copy 6x6 blocks, from `first` on in `source`, to those from `begin` to `end - 1` of `target`."""
    for p in range(begin, end):
        for k in range(6):
            for i in range(6):
                target[p, k, i] = source[first + p - begin, k, i]


@kernel(allocates=True)
def _move_factors(
    match: Ints,
    known: Bools,
    old: FactorStructure,
    new: FactorStructure,
    old_row_start: Ints,
    row_start: Ints,
    source: DirectWorkspace,
    target: DirectWorkspace,
) -> Bools:
    """Move the factors of islands that go on to where they stand now; return which islands have one.

    Args:
        match: (islands,) number that each island had, -1 for a new one.
        known: (old islands,) which had a factor.
        old, new: structures.
        old_row_start, row_start: first row of each island, and the end.
        source, target: workspaces, which share no memory.
    """
    out = np.zeros(len(match), np.bool_)
    for island in range(len(match)):
        before = match[island]
        if before < 0 or not known[before] or new.work[island] < 0.0:
            continue
        r0, r1, s0 = row_start[island], row_start[island + 1], old_row_start[before]
        if old_row_start[before + 1] - s0 != r1 - r0:
            continue
        c0, c1, d0 = new.island_start[island], new.island_start[island + 1], old.island_start[before]
        _move_blocks(source.diagonal, d0, target.diagonal, c0, c1)
        p0, p1, q0 = new.start[c0], new.start[c1], old.start[d0]
        _move_blocks(source.off_diagonal, q0, target.off_diagonal, p0, p1)
        _move_blocks(source.upper, q0, target.upper, p0, p1)
        for r in range(r0, r1):
            s = s0 + r - r0
            target.state[r] = source.state[s]
            target.softness[r] = source.softness[s]
            target.friction_ratio[r] = source.friction_ratio[s]
            target.old_friction_ratio[r] = source.old_friction_ratio[s]
            target.slip_compliance[r] = source.slip_compliance[s]
            target.weight[r] = source.weight[s]
            for k in range(12):
                target.jacobian[r, k] = source.jacobian[s, k]
        out[island] = True
    return out


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


class FactorState(NamedTuple):
    """The factors of all islands."""

    known: np.ndarray
    row_start: np.ndarray
    work: DirectWorkspace


class Factors:
    """Keep the factors of all islands, and move them to where they belong as islands change.

    Attributes:
        known: (islands,) which have the factor of their rows; written by the solver.
    """

    def __init__(self) -> None:
        self.known = np.zeros(0, np.bool_)
        self._row_start = np.zeros(1, np.int64)  # first row of each island, and the end
        self._work = Table(DirectWorkspace)
        self._other = Table(DirectWorkspace)  # factors move there as islands change

    @property
    def work(self) -> DirectWorkspace:
        """Return the factors, and memory to solve with them."""
        return self._work.arrays

    def move(
        self, match: np.ndarray, old: FactorStructure, new: FactorStructure, row_start: np.ndarray
    ) -> None:
        """Keep the factors of islands that go on, and provide memory for the others.

        Args:
            match: (islands,) number that each island had, -1 for a new one.
            old, new: structures.
            row_start: (islands + 1,) first row of each island.
        """
        source, target = self._work, self._other
        target.resize(keep=False, columns=len(new.body), blocks=len(new.row), rows=int(row_start[-1]))
        self.known = _move_factors(
            match, self.known, old, new, self._row_start, row_start, source.arrays, target.arrays
        )
        self._row_start = row_start
        self._work, self._other = target, source

    def save(self) -> FactorState:
        """Return a copy of the factors."""
        return FactorState(self.known.copy(), self._row_start, self.work.copy())

    def restore(self, state: FactorState) -> None:
        """Return to a saved state, which is copied."""
        self.known, self._row_start = state.known.copy(), state.row_start
        self._work.take(state.work)
