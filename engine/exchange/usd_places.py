"""Where things of a USD stage are, in metres, with z upwards."""

from typing import Any, NamedTuple

import numpy as np

from stoss.collision.quaternions import vector_of
from stoss.engine.exchange.usd_words import Pxr
from stoss.engine.joints.frames import plane_frame
from stoss.engine.model.frames import Pose

__all__ = ["Placed", "Places", "tidy"]

_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # takes y to z


class Placed(NamedTuple):
    """Where a prim is.

    Attributes:
        matrix: (3, 4) rotation and position [m] without scale.
        scale: (3,) factors along its axes, metres per unit among them.
        pose: the same as `matrix`.
    """

    matrix: np.ndarray
    scale: np.ndarray
    pose: Pose


class Places:
    """Find where prims of a stage are.

    Attributes:
        length, mass: units of the stage [m], [kg].
    """

    def __init__(self, modules: Pxr, stage: Any) -> None:
        self.length = float(modules.UsdGeom.GetStageMetersPerUnit(stage))
        self.mass = float(modules.UsdPhysics.GetStageKilogramsPerUnit(stage))
        upright = modules.UsdGeom.GetStageUpAxis(stage) == modules.UsdGeom.Tokens.z
        self._turn = np.eye(3) if upright else _Y_UP
        self._cache = modules.UsdGeom.XformCache(modules.Usd.TimeCode.Default())

    def turned(self, direction: np.ndarray) -> np.ndarray:
        """Return a direction of the stage with z upwards."""
        return self._turn @ direction

    def matrix(self, prim: Any) -> np.ndarray:
        """Return the matrix (3, 4) that takes points of a prim to the world [m], with its scale."""
        if prim is None:
            columns = np.eye(4)
        else:
            columns = np.array(self._cache.GetLocalToWorldTransform(prim)).T  # USD has rows
        found: np.ndarray = self.length * (self._turn @ columns[:3])
        return found

    def of(self, prim: Any) -> Placed:
        """Return where a prim is."""
        return placed(self.matrix(prim))

    def outer(self, prim: Any) -> np.ndarray:
        """Return the rotation (3, 3) of the parent of a prim in the stage."""
        parent = prim.GetParent()
        return self._turn.T @ placed(self.matrix(parent)).matrix[:, :3] if parent else np.eye(3)

    def within(self, prim: Any, outer: Placed) -> Pose:
        """Return the pose of a prim in the frame of another."""
        return relative(self.matrix(prim), outer).pose


def relative(matrix: np.ndarray, outer: Placed) -> Placed:
    """Return where something is in the frame of a prim, without the scale of that one."""
    back = outer.matrix[:, :3].T
    return placed(np.column_stack((back @ matrix[:, :3], back @ (matrix[:, 3] - outer.matrix[:, 3]))))


def placed(matrix: np.ndarray) -> Placed:
    """Return a matrix as rotation and scale; a mirror is in the scale along z."""
    scale = np.array([float(f"{size:.13g}") for size in np.linalg.norm(matrix[:, :3], axis=0)])
    x = matrix[:, 0] / scale[0]
    y = matrix[:, 1] - (matrix[:, 1] @ x) * x
    y /= np.linalg.norm(y)
    z = np.cross(x, y)
    if z @ matrix[:, 2] < 0.0:
        scale = scale * (1.0, 1.0, -1.0)
    w, a, b, c = (part if abs(part) > 1e-15 else 0.0 for part in plane_frame(vector_of(x), vector_of(y)))
    pose = vector_of(matrix[:, 3]), (w, a, b, c)
    return Placed(np.column_stack((x, y, z, matrix[:, 3])), scale, pose)


def tidy(value: float) -> float:
    """Return the shortest number that is the same in single precision, in which USD has most."""
    short = float(str(np.float32(value)))
    return short if abs(short - value) <= 1e-7 * abs(value) else value
