"""Constraints and coordinates of joints as rows, from vector algebra (Krieg 1992, sections 2.6 and 2.8).

A row is a number f of the poses that has to stay: f' = J u = 0 for velocities u, f'' = J a - gamma = 0 for
the accelerations a. The engine measures angles; here an axis is held by scalar products with others, which
hold the same. With the points a, b of a joint, d = b - a, and directions s, t of its bodies:

    along a direction of the first body:  f = s . d - target
    a distance:                           f = (d . d - target^2) / 2
    two directions:                       f = s . t - cosine
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.joints.arrays import (
    ALIGN,
    ANGLE_1,
    ANGLE_2,
    CROSS,
    HOLD,
    LENGTH,
    SLIDE,
    SUM,
    SWING,
    TURN,
    TWIST,
)
from stoss.engine.reference.bodies import Motion, cross, matrices

if TYPE_CHECKING:
    from stoss.engine.joints.arrays import JointArrays

__all__ = ["Constraints", "Coordinates", "Frames", "Parts", "unsupported"]

# Pairs of axes of A and B that are perpendicular where a component of the turn, or of the tilt, is held at 0.
_TURNS = ((1, 2), (2, 0), (0, 1))
_TILTS = ((1, 2), (0, 2))


def unsupported(joint: str, what: str, cure: str) -> ValueError:
    """Return the error for what the reference has no equations for."""
    return ValueError(f"joint {joint!r}: the reference does not know {what}; {cure}")


class Parts:
    """Where the parts of joints are on their bodies.

    Args:
        arrays: of the joints.
    """

    def __init__(self, arrays: "JointArrays") -> None:
        self.first, self.second = (
            arrays.ends[:, 0].copy(),
            arrays.ends[:, 1].copy(),
        )  # -1: the world, the last row
        self._points = arrays.point_a.copy(), arrays.point_b.copy()
        self._axes = matrices(arrays.quaternion_a), matrices(arrays.quaternion_b)

    def at(self, motion: Motion) -> "Frames":
        """Return where they are at a time."""
        return Frames(self, motion, self._points, self._axes)


class Frames:
    """Parts at one time: points, axes (columns), and how they move; one row for each part."""

    def __init__(
        self,
        parts: Parts,
        motion: Motion,
        points: tuple[np.ndarray, np.ndarray],
        axes: tuple[np.ndarray, np.ndarray],
    ) -> None:
        ends = parts.first, parts.second
        self.first, self.second = ends
        levers = [
            np.einsum("pij,pj->pi", motion.turn[end], point) for end, point in zip(ends, points, strict=True)
        ]
        self.lever_a, self.lever_b = levers
        self.point_b = motion.x[parts.second] + self.lever_b
        self.arm_a = self.point_b - motion.x[parts.first]  # from the first body to the point b
        self.apart = self.point_b - motion.x[parts.first] - self.lever_a
        self.spin_a, self.spin_b = motion.w[parts.first], motion.w[parts.second]
        turn_a, turn_b = cross(self.spin_a, self.lever_a), cross(self.spin_b, self.lever_b)
        self.apart_rate = motion.v[parts.second] + turn_b - motion.v[parts.first] - turn_a
        # what the accelerations of the points have besides those of the bodies
        self.apart_bias = cross(self.spin_b, turn_b) - cross(self.spin_a, turn_a)
        self.axes_a, self.axes_b = motion.turn[parts.first] @ axes[0], motion.turn[parts.second] @ axes[1]


@dataclass(frozen=True)
class _Rows:
    """Some rows of one kind: their parts, and which axes of A and B they speak of."""

    part: np.ndarray
    axis_a: np.ndarray
    axis_b: np.ndarray
    target: np.ndarray

    @classmethod
    def of(cls, found: list[tuple[int, int, int, float]]) -> "_Rows":
        table = np.array(found, np.float64).reshape(-1, 4)
        part, a, b = table[:, :3].astype(np.int64).T
        return cls(part, a, b, table[:, 3].copy())

    def __len__(self) -> int:
        return len(self.part)


class Constraints:
    """What joints hold, as rows.

    Args:
        arrays: of the joints.
        names: of the joints.
        bodies: number of bodies.

    Raises:
        ValueError: a joint holds what has no row here; names it.

    Attributes:
        joint: number of the joint of each row.
    """

    def __init__(self, arrays: "JointArrays", names: list[str], bodies: int) -> None:
        self._bodies = bodies
        slides: list[tuple[int, int, int, float]] = []
        lengths: list[tuple[int, int, int, float]] = []
        dots: list[tuple[int, int, int, float]] = []
        sums: list[tuple[int, float]] = []
        held = {
            (int(arrays.part[m]), int(arrays.measure[m]), int(arrays.axis[m]))
            for m in np.flatnonzero((arrays.role == HOLD) & arrays.active)
        }
        for m in np.flatnonzero(arrays.role == HOLD):
            part, measure, axis = int(arrays.part[m]), int(arrays.measure[m]), int(arrays.axis[m])
            joint, target = int(arrays.joint[part]), float(arrays.target[m])
            if not arrays.enabled[joint] or not arrays.active[m]:
                continue
            if measure == SLIDE:
                slides.append((part, axis, 0, target))
            elif measure == LENGTH:
                lengths.append((part, 0, 0, target))
            elif measure == CROSS:
                dots.append((part, 0, 1, float(np.cos(target))))
            elif measure in (TURN, ALIGN):
                pairs = _TURNS if measure == TURN else _TILTS
                if target != 0.0 or any((part, measure, k) not in held for k in range(len(pairs))):
                    raise unsupported(names[joint], "angles held at other values", "hold all of them at 0")
                dots.append((part, *pairs[axis], 0.0))
            elif measure == SUM and arrays.schedule[m] >= 0:
                raise unsupported(names[joint], "couplings along curves", "see World.run_both")
            elif measure == SUM:
                sums.append((int(m), float(arrays.ratio[m])))
            else:
                raise unsupported(names[joint], f"held measures of kind {measure}", "leave the joint out")
        self._slides, self._lengths, self._dots = _Rows.of(slides), _Rows.of(lengths), _Rows.of(dots)
        self._ratios = np.array([ratio for _, ratio in sums])
        # a sum follows the two rows that measure what it adds
        measured = np.stack([arrays.part, arrays.measure, arrays.axis], axis=1)
        of = np.array([m for m, _ in sums], np.int64)
        self._coupled = [Coordinates(arrays, names, bodies, measured[of - k]) for k in (2, 1)]
        parts = [self._slides.part, self._lengths.part, self._dots.part]
        own = [int(arrays.joint[arrays.part[m]]) for m, _ in sums]
        self.joint = np.concatenate([*(arrays.joint[part] for part in parts), np.array(own, np.int64)])

    def __len__(self) -> int:
        return len(self.joint)

    def at(self, frames: Frames) -> tuple[np.ndarray, np.ndarray]:
        """Return J (rows, bodies + 1, 6) and gamma (rows,)."""
        jacobian, gamma = np.zeros((len(self), self._bodies + 1, 6)), np.zeros(len(self))
        start = 0
        for rows, write in (
            (self._slides, _write_slides),
            (self._lengths, _write_lengths),
            (self._dots, _write_dots),
        ):
            stop = start + len(rows)
            if len(rows):
                write(rows, frames, jacobian[start:stop], gamma[start:stop])
            start = stop
        if len(self._ratios):
            one, bias_one = self._coupled[0].at(frames, biases=True)
            other, bias_other = self._coupled[1].at(frames, biases=True)
            jacobian[start:] = other - self._ratios[:, None, None] * one
            gamma[start:] = -(bias_other - self._ratios * bias_one)
        return jacobian, gamma

    def gaps(self, frames: Frames, joints: int) -> np.ndarray:
        """Return by how much the points of each joint miss each other (joints,) [m]."""
        found = np.zeros(joints)
        if len(self._slides):
            rows = self._slides
            s = frames.axes_a[rows.part, :, rows.axis_a]
            off = (s * frames.apart[rows.part]).sum(axis=1) - rows.target
            np.maximum.at(found, self.joint[: len(rows)], np.abs(off))
        if len(self._lengths):
            rows, start = self._lengths, len(self._slides)
            off = np.linalg.norm(frames.apart[rows.part], axis=1) - rows.target
            np.maximum.at(found, self.joint[start : start + len(rows)], np.abs(off))
        return found


def _write_slides(rows: _Rows, f: Frames, jacobian: np.ndarray, gamma: np.ndarray) -> None:
    p, n = rows.part, np.arange(len(rows))
    s = f.axes_a[p, :, rows.axis_a]
    jacobian[n, f.first[p], :3], jacobian[n, f.first[p], 3:] = -s, -cross(f.arm_a[p], s)
    jacobian[n, f.second[p], :3] += s
    jacobian[n, f.second[p], 3:] += cross(f.lever_b[p], s)
    gamma[:] = -_slide_bias(s, p, f)


def _slide_bias(s: np.ndarray, p: np.ndarray, f: Frames) -> np.ndarray:
    """Return what f'' of s . d has besides accelerations."""
    rate = cross(f.spin_a[p], s)
    found: np.ndarray = (
        (cross(f.spin_a[p], rate) * f.apart[p]).sum(axis=1)
        + 2.0 * (rate * f.apart_rate[p]).sum(axis=1)
        + (s * f.apart_bias[p]).sum(axis=1)
    )
    return found


def _write_lengths(rows: _Rows, f: Frames, jacobian: np.ndarray, gamma: np.ndarray) -> None:
    p, n = rows.part, np.arange(len(rows))
    d = f.apart[p]
    jacobian[n, f.first[p], :3], jacobian[n, f.first[p], 3:] = -d, -cross(f.lever_a[p], d)
    jacobian[n, f.second[p], :3] += d
    jacobian[n, f.second[p], 3:] += cross(f.lever_b[p], d)
    gamma[:] = -(f.apart_rate[p] ** 2).sum(axis=1) - (d * f.apart_bias[p]).sum(axis=1)


def _write_dots(rows: _Rows, f: Frames, jacobian: np.ndarray, gamma: np.ndarray) -> None:
    p, n = rows.part, np.arange(len(rows))
    s, t = f.axes_a[p, :, rows.axis_a], f.axes_b[p, :, rows.axis_b]
    normal = cross(s, t)
    jacobian[n, f.first[p], 3:] = normal
    jacobian[n, f.second[p], 3:] -= normal
    a, b = f.spin_a[p], f.spin_b[p]
    s_rate, t_rate = cross(a, s), cross(b, t)
    gamma[:] = -(
        (cross(a, s_rate) * t).sum(axis=1)
        + 2.0 * (s_rate * t_rate).sum(axis=1)
        + (s * cross(b, t_rate)).sum(axis=1)
    )


class Coordinates:
    """Coordinates of joints: the directions in which their forces act.

    Args:
        arrays: of the joints.
        names: of the joints.
        bodies: number of bodies.
        places: (k, 3) parts, measures and axes.

    Raises:
        ValueError: a coordinate is none that is known here.
    """

    def __init__(self, arrays: "JointArrays", names: list[str], bodies: int, places: np.ndarray) -> None:
        self._bodies = bodies
        self.part, self.measure, self.axis = places.reshape(-1, 3).T.astype(np.int64)
        self.joint = arrays.joint[self.part].copy()
        for joint, measure in zip(self.joint, self.measure, strict=True):
            if measure not in (SLIDE, LENGTH, TWIST, SWING, TURN, ANGLE_1, ANGLE_2):
                raise unsupported(
                    names[joint], f"coordinates of measure {measure}", "leave out what acts on it"
                )

    def __len__(self) -> int:
        return len(self.part)

    def begin(self, f: Frames, motion: Motion, values: np.ndarray, normal: int | None) -> np.ndarray:
        """Take down the values at the beginning, and return which coordinates have to be integrated.

        Displacements and distances are measured, and so are angles in a plane, about its normal; other
        angles, which count turns, are the integrals of their rates.

        Args:
            f, motion: at the beginning.
            values: of the coordinates then.
            normal: number of the axis across the plane, None in space.
        """
        self._turning = np.zeros(len(self))
        if normal is not None:
            self._turning = np.where(self.measure == TWIST, f.axes_a[self.part, normal, 2], 0.0)
        self._offsets = values - self._measured(f, motion)
        return np.flatnonzero((self.measure > LENGTH) & (self._turning == 0.0))

    def values(self, f: Frames, motion: Motion) -> np.ndarray:
        """Return the values of coordinates that need not be integrated; those of others are nothing."""
        return self._measured(f, motion) + self._offsets

    def _measured(self, f: Frames, motion: Motion) -> np.ndarray:
        p = self.part
        found = np.zeros(len(self))
        slides, lengths = self.measure == SLIDE, self.measure == LENGTH
        found[slides] = (f.axes_a[p, :, self.axis] * f.apart[p]).sum(axis=1)[slides]
        found[lengths] = np.linalg.norm(f.apart[p], axis=1)[lengths]
        if motion.angles is not None:
            turned = motion.angles[f.second[p]] - motion.angles[f.first[p]]
            found += np.sign(self._turning) * turned
        return found

    def at(self, f: Frames, *, biases: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return J (k, bodies + 1, 6) of their rates, and if asked for J' u (k,) of slides and twists."""
        jacobian, bias = np.zeros((len(self), self._bodies + 1, 6)), np.full(len(self), np.nan)
        for row, (p, measure, axis) in enumerate(zip(self.part, self.measure, self.axis, strict=True)):
            first, second = f.first[p], f.second[p]
            if measure <= LENGTH:
                d = f.apart[p]
                s = f.axes_a[p, :, axis] if measure == SLIDE else d / np.linalg.norm(d)
                jacobian[row, first, :3], jacobian[row, first, 3:] = -s, -cross(f.arm_a[p], s)
                jacobian[row, second, :3] += s
                jacobian[row, second, 3:] += cross(f.lever_b[p], s)
                if biases and measure == SLIDE:
                    bias[row] = _slide_bias(s[None], np.array([p]), f)[0]
                continue
            g = _angle_direction(measure, axis, f.axes_a[p], f.axes_b[p])
            jacobian[row, first, 3:] = -g
            jacobian[row, second, 3:] += g
            if biases and measure == TWIST:
                bias[row] = _twist_bias(f.axes_a[p, :, 2], f.axes_b[p, :, 2], f.spin_a[p], f.spin_b[p])
        return jacobian, bias


def _angle_direction(measure: int, axis: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the direction g of an angle between frames with axes as columns: its rate is g . (w_b - w_a)."""
    if measure == TWIST:
        found: np.ndarray = (a[:, 2] + b[:, 2]) / (1.0 + a[:, 2] @ b[:, 2])
        return found
    if measure == SWING:
        normal = cross(a[:, 2], b[:, 2])
        size = np.linalg.norm(normal)
        return a[:, 1] if size < 1e-12 else normal / size
    if measure == TURN:
        return a @ _turn_direction(axis, a.T @ b)
    s, t = a[:, 0], b[:, 1]
    cosine = s @ t
    share = 1.0 / (1.0 - cosine * cosine)
    one = share * (s - cosine * t)
    return one if measure == ANGLE_1 else share * (t - cosine * s)


def _turn_direction(axis: int, turn: np.ndarray) -> np.ndarray:
    """Return in A the gradient of a component of the rotation vector of a matrix."""
    from scipy.spatial.transform import Rotation

    vector = Rotation.from_matrix(turn).as_rotvec()
    size = np.linalg.norm(vector)
    k = np.array([[0.0, -vector[2], vector[1]], [vector[2], 0.0, -vector[0]], [-vector[1], vector[0], 0.0]])
    # the inverse of the left Jacobian of rotations
    c = 1.0 / 12.0 if size < 1e-4 else (1.0 - 0.5 * size / np.tan(0.5 * size)) / (size * size)
    found: np.ndarray = (np.eye(3) - 0.5 * k + c * k @ k)[axis]
    return found


def _twist_bias(a: np.ndarray, b: np.ndarray, spin_a: np.ndarray, spin_b: np.ndarray) -> float:
    a_rate, b_rate = cross(spin_a, a), cross(spin_b, b)
    share = 1.0 + a @ b
    rate = (a_rate + b_rate) / share - (a + b) * (a_rate @ b + a @ b_rate) / share**2
    return float(rate @ (spin_b - spin_a))
