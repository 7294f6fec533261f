"""Degrees of freedom of a jointed model: what joints leave, and which of their rows say nothing new."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.constraints.rows import REST, SHARED, Rows
from stoss.engine.joints.arrays import ALIGN, CROSS, HOLD, LENGTH, SLIDE, SUM, JointArrays
from stoss.engine.joints.constraints import HOLDS, build_joint_rows, count_joint_rows
from stoss.engine.joints.placement import new_joint_frames
from stoss.engine.joints.sources import find_sources
from stoss.names import closed

FEATURE = "freedom report"  # see `kernels.prepare`

__all__ = ["FreedomReport", "RedundantRow", "find_freedom"]

# Share of a row's length that must be left, when what other rows say is taken off, for it to say something
# new: above the tolerance to which loops are closed.
NEW = 1e-5
# Share of the square of a row's length below which what is left of it is computed from the row itself.
DOUBTFUL = 1e-3

_AXES = "xyz"


@closed
@dataclass(frozen=True)
class RedundantRow:
    """A row of a joint that follows from the rows before it.

    Attributes:
        joint: name of the joint.
        row: what it holds, such as "distance along z" or "rotation about x", in the joint's frame on the
            first body.
        error: by how much it is violated [m or rad]: above the tolerance if it contradicts the others.
    """

    joint: str
    row: str
    error: float


@closed
@dataclass(frozen=True)
class FreedomReport:
    """Degrees of freedom of the bodies in the present pose.

    Attributes:
        bodies: dynamic bodies.
        motions: their degrees of freedom without joints: six each, in a plane three.
        rows: rows that joints hold; in a plane those that hold something in it.
        rank: how many of them are independent.
        redundant: the others, in the order of the joints.
        conflicts: names of joints that are open, and by how much [m or rad], worst first.
    """

    bodies: int
    motions: int
    rows: int
    rank: int
    redundant: tuple[RedundantRow, ...]
    conflicts: tuple[tuple[str, float], ...]

    @property
    def degrees_of_freedom(self) -> int:
        """Return the remaining degrees of freedom."""
        return self.motions - self.rank

    def __str__(self) -> str:
        lines = [
            f"{self.bodies} bodies, {self.rows} rows of rank {self.rank}: "
            f"{self.degrees_of_freedom} degrees of freedom"
        ]
        lines += [f"redundant: {row.joint}, {row.row}" for row in self.redundant]
        lines += [f"open: {name} by {error:.3g}" for name, error in self.conflicts]
        return "\n".join(lines)


def _describe(measure: int, axis: int) -> str:
    if measure == SLIDE:
        return f"displacement along {_AXES[axis]}"
    if measure == LENGTH:
        return "distance"
    if measure == ALIGN:
        return f"tilt about {_AXES[axis]}"
    if measure == CROSS:
        return "angle between the axes"
    if measure >= SUM:
        return "coupling of two coordinates"
    return f"rotation about {_AXES[axis]}"


class _Factor(Struct):
    """Rows of a group, and the triangular factor L of their products J M^-1 J^T = L L^T, row by row.

    Row i of L has entries from `first[i]` on only: before that no row shares a body with it, or with one that
    does. The diagonal entry is what is left of the row when what the rows before it say is taken off.
    """

    bodies: Annotated[Ints, "rows", 4]  # columns of six, -1: does not react
    jacobian: Annotated[Floats, "rows", 24]  # mass-weighted
    first: Annotated[Ints, "rows"]
    start: Annotated[Ints, "rows"]  # of entry `first` in `entries`
    entries: Annotated[Floats, "entries"]
    kept: Annotated[Bools, "rows"]  # rows that say something new
    wanted: Annotated[Floats, "rows"]
    found: Annotated[Floats, "rows"]
    rest: Annotated[Floats, "columns", 6]


@kernel
def _factorise(f: _Factor, new: float) -> None:
    """Write the factor, and which rows are kept: those of which more than the share `new` is left.

    Rounding in the products hides what is less than about 1e-8 of a row. So where little is left, the rest of
    the row itself is computed, and what rows before it still say of it is taken off twice more.
    """
    for i in range(len(f.kept)):
        first, at = f.first[i], f.start[i] - f.first[i]
        for k in range(first, i):
            product = 0.0
            for a in range(4):
                for b in range(4):
                    if f.bodies[i, a] >= 0 and f.bodies[i, a] == f.bodies[k, b]:
                        for x in range(6):
                            product += f.jacobian[i, 6 * a + x] * f.jacobian[k, 6 * b + x]
            f.wanted[k] = product
        _solve_lower(f, first, i)
        size, left = 0.0, 0.0
        for x in range(24):
            if f.bodies[i, x // 6] >= 0:
                size += f.jacobian[i, x] ** 2
        left = size
        for k in range(first, i):
            f.entries[at + k] = f.found[k]
            left -= f.found[k] ** 2
        if left < DOUBTFUL * size:
            left = _exact_rest(f, first, i)
        f.kept[i] = size > 0.0 and left > new * new * size
        f.entries[at + i] = np.sqrt(left) if f.kept[i] else 1.0


@inner
def _solve_lower(f, first, i):
    """Solve L found = wanted for the entries `first` to i - 1; those before `first` are zero."""
    for k in range(first, i):
        value = 0.0
        if f.kept[k]:
            begin = max(first, f.first[k])
            at = f.start[k] - f.first[k]
            value = f.wanted[k]
            for m in range(begin, k):
                value -= f.entries[at + m] * f.found[m]
            value /= f.entries[at + k]
        f.found[k] = value


@inner
def _exact_rest(f, first, i):
    """Return the square of what is left of row i; `found` has been solved from `first` on."""
    for c in range(len(f.rest)):
        for x in range(6):
            f.rest[c, x] = 0.0
    _add_row(f, i, 1.0)
    for k in range(first):
        f.found[k] = 0.0
    at = f.start[i] - f.first[i]
    for _ in range(3):
        # L^T y = found, and the rest without the rows times y
        for k in range(i - 1, -1, -1):
            if not f.kept[k]:
                continue
            own = f.start[k] - f.first[k]
            y = f.found[k] / f.entries[own + k]
            for m in range(f.first[k], k):
                f.found[m] -= f.entries[own + m] * y
            _add_row(f, k, -y)
        for k in range(i):
            f.wanted[k] = 0.0
            for x in range(24):
                if f.bodies[k, x // 6] >= 0:
                    f.wanted[k] += f.jacobian[k, x] * f.rest[f.bodies[k, x // 6], x % 6]
        _solve_lower(f, 0, i)
        for k in range(first, i):
            f.entries[at + k] += f.found[k]
    left = 0.0
    for c in range(len(f.rest)):
        for x in range(6):
            left += f.rest[c, x] ** 2
    return left


@inner
def _add_row(f, k, factor):
    for x in range(24):
        if f.bodies[k, x // 6] >= 0:
            f.rest[f.bodies[k, x // 6], x % 6] += factor * f.jacobian[k, x]


def _independent(bodies: np.ndarray, jacobian: np.ndarray) -> np.ndarray:
    """Return which rows (r,) say something new, given those before them.

    Args:
        bodies: (r, 4) of each row, -1 where none reacts.
        jacobian: (r, 24), mass-weighted.
    """
    count = len(bodies)
    columns, local = np.unique(bodies, return_inverse=True)
    local = local.reshape(-1, 4) - int(columns[0] < 0)
    number = int(local.max()) + 1
    if number == 0:
        return np.zeros(count, np.bool_)
    # the first row of each body
    earliest = np.full(number + 1, count)
    for end in range(4):
        np.minimum.at(earliest, local[:, end], np.arange(count))
    earliest[-1] = count  # of no body
    first = np.minimum(earliest[local].min(axis=1), np.arange(count))
    start = np.concatenate([[0], np.cumsum(np.arange(count) - first + 1)])
    factor = _Factor.zeros(rows=count, entries=int(start[-1]), columns=number)
    factor.bodies, factor.jacobian = np.ascontiguousarray(local), np.ascontiguousarray(jacobian)
    factor.first, factor.start = first, start[:-1].copy()
    _factorise(factor, NEW)
    return factor.kept


def _groups(ends: np.ndarray) -> list[list[int]]:
    """Return groups of joints (e, 2 or 4), whose rows may say the same: those that close loops together.

    A joint that alone connects a part of the model with the rest says nothing that others say: one of its
    sides may move as a whole as far as they are concerned. So joints are taken off from the ends of the
    branches, each a group of its own; what is left is connected by loops.

    Args:
        ends: rows of the bodies that react, -1 for others, of the first two; one of these at least reacts.
    """
    part = _connected(ends)
    # what does not react is another end in each part
    vertices = [
        [("ground", part[e]) if b < 0 else ("body", b) for b in (*pair[:2], *pair[2:][pair[2:] >= 0])]
        for e, pair in enumerate(ends)
    ]
    at: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for e, pair in enumerate(vertices):
        for vertex in pair:
            at[vertex].add(e)
    groups = []
    leaves = [vertex for vertex, edges in at.items() if len(edges) == 1]
    while leaves:
        edges = at[leaves.pop()]
        if len(edges) != 1:
            continue
        (e,) = edges
        groups.append([e])
        for vertex in vertices[e]:
            at[vertex].discard(e)
            if len(at[vertex]) == 1:
                leaves.append(vertex)
    left = np.setdiff1d(np.arange(len(ends)), [e for group in groups for e in group])
    if len(left):
        numbers = _connected(ends[left])
        groups += [left[numbers == number].tolist() for number in np.unique(numbers)]
    return groups


def _connected(ends: np.ndarray) -> np.ndarray:
    """Return a number for each joint (e, 2 or 4), the same for those that reacting bodies connect."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    bodies, local = np.unique(ends, return_inverse=True)
    local = local.reshape(ends.shape)
    pairs = []
    for a, b in ((0, 1), (1, 2), (1, 3))[: ends.shape[1] - 1]:
        both = (ends[:, a] >= 0) & (ends[:, b] >= 0)
        pairs.append(local[both][:, [a, b]])
    edges = np.concatenate(pairs)
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(bodies), len(bodies)))
    return connected_components(graph, directed=False)[1][local[np.arange(len(ends)), ends.argmax(axis=1)]]


def _rows_of(
    joints: JointArrays,
    bodies: BodyArrays,
    sqrt_inverse_inertia: np.ndarray,
    held: np.ndarray,
    far: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return bodies (r, 4) and jacobians (r, 24) of the rows that hold, in the order of the joints."""
    acting = np.flatnonzero(held)
    sources = find_sources(acting, joints.bodies, far, held)
    start = np.concatenate([[0], np.cumsum(sources.rows)])
    rows = Rows.zeros(blocks=len(sources.rows), rows=int(start[-1]))
    rows.start[:] = start
    own = np.flatnonzero(sources.joint >= 0)
    blocks = np.full(len(held), -1)
    blocks[sources.joint[own]] = own
    build_joint_rows(joints, new_joint_frames(joints), blocks, HOLDS, bodies, sqrt_inverse_inertia, rows, 0.0)
    mine = rows.kind != REST
    owner = np.repeat(np.arange(len(sources.rows)), sources.rows)[mine]
    ends, jacobian = np.full((len(owner), 4), -1), np.zeros((len(owner), 24))
    ends[:, :2], jacobian[:, :12] = rows.bodies[owner], rows.jacobian[mine]
    shared = np.flatnonzero(rows.kind[mine] == SHARED)
    ends[shared, 2:] = rows.bodies[owner[shared] - 1]
    jacobian[shared, 12:] = rows.jacobian[np.flatnonzero(mine)[shared] - 1]
    return ends, jacobian


def find_freedom(
    joints: JointArrays,
    bodies: BodyArrays,
    sqrt_inverse_inertia: np.ndarray,
    names: list[str],
    tolerance: float,
) -> FreedomReport:
    """Count degrees of freedom by an orthogonal basis of the rows, one row after the other.

    Linear in the number of joints that close no loop. The joints of one loop, or of loops that share bodies,
    cost about as a factorisation of their rows in the order of the joints.

    Args:
        joints, bodies: the model.
        roots: (n, 9) roots of the inverse inertias in the world.
        names: of the joints.
        tolerance: error from which on a joint counts as open [m or rad].
    """
    taking_part, _, held, _, far = count_joint_rows(joints, bodies)
    held = np.where(taking_part, held, 0)
    acting = np.flatnonzero(held)
    all_ends, jacobian = _rows_of(joints, bodies, sqrt_inverse_inertia, held, far)
    start = np.concatenate([[0], np.cumsum(held)])
    kept = np.zeros(int(start[-1]), np.bool_)
    for group in _groups(all_ends[start[acting]]) if len(acting) else ():
        mine = np.concatenate([np.arange(start[j], start[j + 1]) for j in acting[group]])
        kept[mine] = _independent(all_ends[mine], jacobian[mine])
    dynamic = bodies.kinds == DYNAMIC
    planar = dynamic & (bodies.plane != 0)
    counted = jacobian.any(axis=1) if planar.any() else np.ones(len(kept), np.bool_)
    # rows of joints that hold, in the order in which they were built
    place = np.flatnonzero((joints.role == HOLD) & joints.active & taking_part[joints.joint[joints.part]])
    owner = joints.joint[joints.part[place]]
    error = np.abs(joints.value[place] - joints.target[place])
    redundant = tuple(
        RedundantRow(
            names[owner[r]],
            _describe(int(joints.measure[place[r]]), int(joints.axis[place[r]])),
            float(error[r]),
        )
        for r in np.flatnonzero(counted & ~kept)
    )
    worst = np.zeros(len(held))
    np.maximum.at(worst, owner, error)
    conflicts = [(names[j], float(worst[j])) for j in acting if worst[j] > tolerance]
    conflicts.sort(key=lambda entry: -entry[1])
    count = int(dynamic.sum())
    motions = 6 * count - 3 * int(planar.sum())
    return FreedomReport(count, motions, int(counted.sum()), int(kept.sum()), redundant, tuple(conflicts))
