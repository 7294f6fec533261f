"""Mechanisms that were found between two segments: rods, condyles, curves (Stelzner 2008, chapter 6).

They are to a recording what the levels of a knee are to a model: each says where the second segment may be
seen from the first, gives the rows that hold it there, and the joints of the engine that do the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.engine.joints.basic_kinds import Distance
from stoss.engine.joints.combined_kinds import Planar
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.guided_kinds import PointOnEllipsoid, SplineJoint
from stoss.engine.motion_capture.fitted_joint import Pose
from stoss.engine.motion_capture.pose_rows import PoseRows
from stoss.names import closed

__all__ = ["FittedCurves", "FittedEllipsoid", "FittedMechanism", "FittedRods", "MotionPlane"]


@closed
@dataclass(frozen=True)
class MotionPlane:
    """The plane in which two segments move against each other.

    Attributes:
        axes_first, axes_second: (3, 3) columns forward, across and normal, in the frames of the segments;
            they coincide in the frame of reference.
        point_first, point_second: (3,) of which none leaves the plane through the other [m].
    """

    axes_first: np.ndarray
    axes_second: np.ndarray
    point_first: np.ndarray
    point_second: np.ndarray

    def add_rows(self, rows: PoseRows) -> None:
        """Add by how much the segments leave the plane.

        Args:
            rows: of the two segments, in all frames.
        """
        normal = self.axes_first[:, 2]
        rows.keep_parallel(normal, self.axes_second[:, 2])
        height = (rows.seen_from_first(self.point_second) - self.point_first) @ normal
        rows.along(self.point_second, height, normal)

    def angles(self, turn_first: np.ndarray, turn_second: np.ndarray) -> np.ndarray:
        """Return the angles (f,) [rad] about the normal, 0 in the frame of reference, turns counted on."""
        there = np.swapaxes(turn_first @ self.axes_first, -1, -2) @ turn_second @ self.axes_second
        sine, cosine = there[..., 1, 0] - there[..., 0, 1], there[..., 0, 0] + there[..., 1, 1]
        return np.unwrap(np.arctan2(sine, cosine))

    def joint(self, first: Pose, second: Pose) -> Planar:
        """Return the joint that keeps bodies at these poses in the plane."""
        place, other = _there(first, self.point_first), _there(second, self.point_second)
        forward, _, normal = (first[0] @ self.axes_first).T.tolist()
        return Planar(place, tuple(normal), second_point=other, x_axis=tuple(forward))


@closed
@dataclass(frozen=True, repr=False)
class FittedMechanism:
    """What two segments let each other do.

    Attributes:
        first, second: names of the segments.
        plane: in which they move; None: in space.
        residual: by how much measured poses leave the mechanism, root mean square [m].
    """

    first: str
    second: str
    plane: MotionPlane | None
    residual: float

    @property
    def what(self) -> str:
        """Return what it is, with its sizes."""
        return "plane"

    def __repr__(self) -> str:
        missed = f"missed by {1e3 * self.residual:.3g} mm"
        return f"<{self.what} of {self.first!r} and {self.second!r}, {missed}>"

    def add_rows(self, rows: PoseRows) -> None:
        """Add by how much it is open in given poses.

        Args:
            rows: of the two segments, in all frames.
        """
        if self.plane is not None:
            self.plane.add_rows(rows)

    def kinds(self, first: Pose, second: Pose) -> dict[str, Any]:
        """Return the kinds of joint that make it of bodies at these poses, by what their names end in.

        Args:
            first, second: rotation (3, 3) and place (3,) [m] of each body in the world.
        """
        return {} if self.plane is None else {"": self.plane.joint(first, second)}


@closed
@dataclass(frozen=True, repr=False)
class FittedRods(FittedMechanism):
    """Rods between two segments, two crossed ones in a plane for a knee: `fit_rods`.

    Attributes:
        first, second, plane, residual: as of `FittedMechanism`.
        ends_first, ends_second: (k, 3) in the frames of the segments [m].
        lengths: (k,) [m].
        length_spread, end_spread: (k,) standard deviations of lengths and of ends, by what poses miss [m].
    """

    ends_first: np.ndarray
    ends_second: np.ndarray
    lengths: np.ndarray
    length_spread: np.ndarray
    end_spread: np.ndarray

    @property
    def what(self) -> str:
        """Return what it is, with its sizes."""
        return f"rods of {_sizes(self.lengths, self.length_spread)}"

    def add_rows(self, rows: PoseRows) -> None:
        """Add by how much rods are too long in given poses.

        Args:
            rows: of the two segments, in all frames.
        """
        super().add_rows(rows)
        for first, second, length in zip(self.ends_first, self.ends_second, self.lengths, strict=True):
            away = rows.seen_from_first(second) - first
            far = np.linalg.norm(away, axis=1)
            rows.along(second, far - length, away / far[:, None])

    def kinds(self, first: Pose, second: Pose) -> dict[str, Any]:
        """Return the plane and a `Distance` for each rod.

        Args:
            first, second: rotation (3, 3) and place (3,) [m] of each body in the world.
        """
        made = super().kinds(first, second)
        rods = zip(self.ends_first, self.ends_second, self.lengths.tolist(), strict=True)
        for number, (one, other, length) in enumerate(rods, 1):
            made[f" rod {number}"] = Distance(_there(first, one), _there(second, other), length)
        return made


@closed
@dataclass(frozen=True, repr=False)
class FittedEllipsoid(FittedMechanism):
    """An ellipsoid of the first segment on which points of the second glide: `fit_ellipsoid`.

    Attributes:
        first, second, plane, residual: as of `FittedMechanism`.
        center: (3,) in the frame of the first segment [m].
        radii: (3,) along its axes [m].
        axes: (3, 3) columns in the frame of the first segment.
        points: (k, 3) in the frame of the second [m].
        radius_spread, center_spread: (3,) standard deviations, by what poses miss [m].
    """

    center: np.ndarray
    radii: np.ndarray
    axes: np.ndarray
    points: np.ndarray
    radius_spread: np.ndarray
    center_spread: np.ndarray

    @property
    def what(self) -> str:
        """Return what it is, with its sizes."""
        return f"ellipsoid of {_sizes(self.radii, self.radius_spread)}"

    def add_rows(self, rows: PoseRows) -> None:
        """Add by how much points leave the surface in given poses.

        Args:
            rows: of the two segments, in all frames.
        """
        super().add_rows(rows)
        for point in self.points:
            from_center = (rows.seen_from_first(point) - self.center) @ self.axes / self.radii
            far, size = np.linalg.norm(from_center, axis=1), float(self.radii.mean())
            gradient = size * (from_center / self.radii / far[:, None]) @ self.axes.T
            rows.along(point, size * (far - 1.0), gradient)

    def kinds(self, first: Pose, second: Pose) -> dict[str, Any]:
        """Return the plane, if there is one, and a `PointOnEllipsoid` for each point.

        Args:
            first, second: rotation (3, 3) and place (3,) [m] of each body in the world.
        """
        made = super().kinds(first, second)
        x, _, z = (tuple(axis) for axis in (first[0] @ self.axes).T.tolist())
        center, radii = _there(first, self.center), tuple(self.radii.tolist())
        for number, point in enumerate(self.points, 1):
            made[f" point {number}"] = PointOnEllipsoid(center, radii, _there(second, point), z, x)
        return made


@closed
@dataclass(frozen=True, repr=False)
class FittedCurves(FittedMechanism):
    """Curves of the angle along which the second segment is led: `fit_curves`.

    Attributes:
        first, second, plane, residual: as of `FittedMechanism`.
        along: `Curve` forward and across [m] over the angle of the plane [rad].
    """

    along: Mapping[int, Curve]

    @property
    def what(self) -> str:
        """Return what it is, with its reach."""
        low, high = np.degrees(self.along[0].ends)
        return f"curves from {low:.0f} to {high:.0f} degrees"

    def add_rows(self, rows: PoseRows) -> None:
        """Add by how much the second segment leaves its curves in given poses.

        Args:
            rows: of the two segments, in all frames.
        """
        super().add_rows(rows)
        plane = self.plane
        assert plane is not None
        angles = plane.angles(rows.turn_first, rows.turn_second)
        normal = rows.turn_first @ plane.axes_first[:, 2]
        turning = np.hstack([np.zeros(normal.shape), normal])
        away = rows.seen_from_first(plane.point_second) - plane.point_first
        for k, curve in self.along.items():
            way = plane.axes_first[:, k]
            value, slope = (np.array([curve(at, order) for at in angles]) for order in (0, 1))
            rows.along(plane.point_second, away @ way - value, way)
            rows.rows_first[-1] += slope[:, None] * turning
            rows.rows_second[-1] -= slope[:, None] * turning

    def kinds(self, first: Pose, second: Pose) -> dict[str, Any]:
        """Return the `SplineJoint`, whose angle is 0 as the bodies are.

        Args:
            first, second: rotation (3, 3) and place (3,) [m] of each body in the world.
        """
        plane = self.plane
        assert plane is not None
        begin = float(plane.angles(first[0][None], second[0][None])[0])
        forward, across = (Curve([(x - begin, *rest) for x, *rest in self.along[k].knots]) for k in (0, 1))
        flat = plane.joint(first, second)
        made = SplineJoint(
            flat.point,
            flat.normal,
            forward,
            across,
            second_point=flat.second_point,
            x_axis=flat.x_axis,
        )
        return {"": made}


def _sizes(values: np.ndarray, spread: np.ndarray) -> str:
    pairs = zip(1e3 * values, 1e3 * spread, strict=True)
    return ", ".join(f"{a:.2f} ± {b:.2g}" for a, b in pairs) + " mm"


def _there(pose: Pose, own: np.ndarray) -> tuple[float, float, float]:
    """Return where a point (3,) of a segment is in the world [m]."""
    x, y, z = (pose[1] + pose[0] @ own).tolist()
    return x, y, z
