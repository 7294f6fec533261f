"""Rows between the measured poses of two segments: how far a joint is open, and how poses change that.

Poses are rotations A, B (f, 3, 3) and places R, S (f, 3) of the first and the second segment in f frames. A
row is the change of an error by small displacements and turns of both in the axes of the world, (f, 6) each.
"""

from dataclasses import dataclass, field

import numpy as np

__all__ = ["PoseRows"]


@dataclass
class PoseRows:
    """Errors of a joint between two segments in all frames, and their rows.

    Args:
        turn_first, place_first: A (f, 3, 3) and R (f, 3) [m].
        turn_second, place_second: B and S.
    """

    turn_first: np.ndarray
    place_first: np.ndarray
    turn_second: np.ndarray
    place_second: np.ndarray
    errors: list[np.ndarray] = field(default_factory=list)
    rows_first: list[np.ndarray] = field(default_factory=list)
    rows_second: list[np.ndarray] = field(default_factory=list)

    def add(self, error: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
        """Add an error (f,) and its rows (f, 6)."""
        self.errors.append(error)
        self.rows_first.append(first)
        self.rows_second.append(second)

    def seen_from_first(self, point: np.ndarray) -> np.ndarray:
        """Return where a point of the second segment (3,) is in the frame of the first (f, 3) [m]."""
        there = self.turn_second @ point + self.place_second - self.place_first
        return np.asarray(np.einsum("fji,fj->fi", self.turn_first, there))

    def along(self, point: np.ndarray, error: np.ndarray, gradient: np.ndarray) -> None:
        """Add an error (f,) of where the first segment sees a point of the second, with its gradient.

        Args:
            point: (3,) of the second segment [m].
            error: (f,).
            gradient: (f, 3) by the place in the frame of the first.
        """
        way = np.einsum("fij,fj->fi", self.turn_first, np.broadcast_to(gradient, (len(error), 3)))
        arm = self.turn_second @ point
        from_first = arm + self.place_second - self.place_first
        self.add(error, -np.hstack([way, np.cross(from_first, way)]), np.hstack([way, np.cross(arm, way)]))

    def keep_point(self, first: np.ndarray, second: np.ndarray) -> None:
        """Add the rows of a common point, (3,) in each frame [m]."""
        away = self.seen_from_first(second) - first
        for k, way in enumerate(np.eye(3)):
            self.along(second, away[:, k], way)

    def keep_angle(self, first: np.ndarray, second: np.ndarray, cosine: float = 0.0) -> None:
        """Add the row of two axes, (3,) in each frame, between which the angle stays."""
        a, b = self.turn_first @ first, self.turn_second @ second
        row = np.hstack([np.zeros(a.shape), np.cross(a, b)])
        self.add(np.einsum("fi,fi->f", a, b) - cosine, row, -row)

    def keep_parallel(self, first: np.ndarray, second: np.ndarray) -> None:
        """Add the rows of two axes, (3,) in each frame, that stay parallel."""
        for beside in np.linalg.svd(first[None])[2][1:]:
            self.keep_angle(beside, second)

    def stacked(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return errors (f, r), and rows (f, r, 6) of the first and of the second segment."""
        if not self.errors:
            frames = len(self.place_first)
            return np.zeros((frames, 0)), np.zeros((frames, 0, 6)), np.zeros((frames, 0, 6))
        found = (np.stack(part, axis=1) for part in (self.errors, self.rows_first, self.rows_second))
        errors, first, second = found
        return errors, first, second
