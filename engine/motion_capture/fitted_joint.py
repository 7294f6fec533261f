"""A joint that was found between two segments of a recording (Stelzner 2008, section 5.2.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.engine.joints.basic_kinds import Ball
from stoss.engine.joints.combined_kinds import Fixed, Hinge, Universal
from stoss.engine.motion_capture.pose_rows import PoseRows
from stoss.names import closed

__all__ = ["FittedJoint", "Pose"]

PAIRS = ((0, 1), (1, 2), (2, 0))  # axes that stay at right angles in a fixed joint

Pose = tuple[np.ndarray, np.ndarray]  # rotation (3, 3) and place (3,) [m] of a segment in the world


@closed
@dataclass(frozen=True)
class FittedJoint:
    """A joint between two segments.

    Attributes:
        first, second: names of the segments.
        kind: one of "fixed", "hinge", "universal", "ball" and "free".
        place_first, place_second: (3,) of the common point in the frames of the segments [m].
        axis_first, axis_second: (3,) unit, of hinges and universal joints, in the frames of the segments.
        cosine: of the angle between the axes, 1 for a hinge.
        turn: (w, x, y, z) from the frame of the second segment to that of the first, of fixed joints.
        residuals: by kind, by how much it moves the markers of the second segment, root mean square [m].
        noise: by kind, by how much it would move them if it were the right one [m].
        directions: in how many directions (0 to 3) the frames tell where the common point is.
    """

    first: str
    second: str
    kind: str
    place_first: np.ndarray
    place_second: np.ndarray
    axis_first: np.ndarray
    axis_second: np.ndarray
    cosine: float
    turn: np.ndarray
    residuals: Mapping[str, float]
    noise: Mapping[str, float]
    directions: int

    def __repr__(self) -> str:
        missed = ", ".join(f"{kind} {1e3 * left:.3g} mm" for kind, left in self.residuals.items())
        return f"<{self.kind} joint of {self.first!r} and {self.second!r}: {missed}>"

    @property
    def what(self) -> str:
        """Return what it is, as a mechanism tells it: its kind."""
        return self.kind

    @property
    def residual(self) -> float:
        """Return by how much it moves the markers of the second segment, root mean square [m]."""
        return self.residuals[self.kind]

    def add_rows(self, rows: PoseRows) -> None:
        """Add by how much it is open in given poses.

        Args:
            rows: of the two segments, in all frames.
        """
        if self.kind == "free":
            return
        rows.keep_point(self.place_first, self.place_second)
        if self.kind == "hinge":
            rows.keep_parallel(self.axis_first, self.axis_second)
        elif self.kind == "universal":
            rows.keep_angle(self.axis_first, self.axis_second, self.cosine)
        elif self.kind == "fixed":
            turn = Rotation.from_quat(np.roll(self.turn, -1)).as_matrix()
            for i, j in PAIRS:
                rows.keep_angle(np.eye(3)[i], turn.T[:, j])

    def kinds(self, first: Pose, second: Pose) -> dict[str, Any]:
        """Return the kinds of joint that make it of bodies at these poses, by what their names end in.

        Args:
            first, second: rotation (3, 3) and place (3,) [m] of each body in the world.
        """
        place = tuple((first[1] + first[0] @ self.place_first).tolist())
        axis, other = (
            tuple((pose[0] @ own).tolist())
            for pose, own in ((first, self.axis_first), (second, self.axis_second))
        )
        if self.kind == "universal":
            return {"": Universal(place, axis, other)}
        made: dict[str, Any] = {"ball": Ball(place), "fixed": Fixed(place), "hinge": Hinge(place, axis)}
        return {"": made[self.kind]} if self.kind in made else {}
