"""Degrees of freedom of a jointed model: what joints leave, and which of their rows say nothing new."""

from dataclasses import dataclass

import numpy as np

from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.constraints.rows import Rows
from stoss.engine.joints.arrays import ALIGN, CROSS, HOLD, LENGTH, SLIDE, JointArrays
from stoss.engine.joints.constraints import HOLDS, build_joint_rows, count_joint_rows
from stoss.engine.joints.placement import new_joint_frames

__all__ = ["FreedomReport", "RedundantRow", "find_freedom"]

# Share of a row's length that must be left, when what other rows say is taken off, for it to say something
# new: above the tolerance to which loops are closed.
NEW = 1e-5

_AXES = "xyz"


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


@dataclass(frozen=True)
class FreedomReport:
    """Degrees of freedom of the bodies in the present pose.

    Attributes:
        bodies: dynamic bodies, six degrees of freedom each.
        rows: rows that joints hold.
        rank: how many of them are independent.
        redundant: the others, in the order of the joints.
        conflicts: names of joints that are open, and by how much [m or rad], worst first.
    """

    bodies: int
    rows: int
    rank: int
    redundant: tuple[RedundantRow, ...]
    conflicts: tuple[tuple[str, float], ...]

    @property
    def degrees_of_freedom(self) -> int:
        """Return the remaining degrees of freedom."""
        return 6 * self.bodies - self.rank

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
    return f"rotation about {_AXES[axis]}"


def find_freedom(
    joints: JointArrays,
    bodies: BodyArrays,
    sqrt_inverse_inertia: np.ndarray,
    names: list[str],
    tolerance: float,
) -> FreedomReport:
    """Count degrees of freedom by an orthogonal basis of the rows, one row after the other.

    Dense: cost grows with the square of the number of rows; meant for models of up to some thousand rows.

    Args:
        joints, bodies: the model.
        roots: (n, 9) roots of the inverse inertias in the world.
        names: of the joints.
        tolerance: error from which on a joint counts as open [m or rad].
    """
    taking_part, _, held, _ = count_joint_rows(joints, bodies)
    held = np.where(taking_part, held, 0)
    start = np.concatenate([[0], np.cumsum(held)])
    rows = Rows.zeros(blocks=len(held), rows=int(start[-1]))
    rows.start[:] = start
    blocks = np.where(held > 0, np.arange(len(held)), -1)
    build_joint_rows(joints, new_joint_frames(joints), blocks, HOLDS, bodies, sqrt_inverse_inertia, rows, 0.0)
    dynamic = np.flatnonzero(bodies.kinds == DYNAMIC)
    column = np.full(len(bodies.kinds), -1)
    column[dynamic] = np.arange(len(dynamic))
    basis = np.zeros((min(start[-1], 6 * len(dynamic)), 6 * len(dynamic)))
    rank = 0
    redundant: list[RedundantRow] = []
    errors: dict[str, float] = {}
    r = 0
    for j in np.flatnonzero(held):
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.role[m] != HOLD or not joints.active[m]:
                continue
            vector = np.zeros(6 * len(dynamic))
            for half in range(2):
                body = rows.bodies[j, half]
                if body >= 0:
                    at = 6 * column[body]
                    vector[at : at + 6] += rows.jacobian[r, 6 * half : 6 * half + 6]
            r += 1
            error = abs(float(joints.value[m] - joints.target[m]))
            errors[names[j]] = max(errors.get(names[j], 0.0), error)
            size = np.linalg.norm(vector)
            for _ in range(2):  # twice is enough for orthogonality to rounding
                vector -= basis[:rank].T @ (basis[:rank] @ vector)
            left = np.linalg.norm(vector)
            if size > 0.0 and left > NEW * size:
                basis[rank] = vector / left
                rank += 1
            else:
                row = _describe(int(joints.measure[m]), int(joints.axis[m]))
                redundant.append(RedundantRow(names[j], row, error))
    conflicts = [(name, error) for name, error in errors.items() if error > tolerance]
    conflicts.sort(key=lambda entry: -entry[1])
    return FreedomReport(len(dynamic), int(start[-1]), rank, tuple(redundant), tuple(conflicts))
