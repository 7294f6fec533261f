"""What of a world is its user's: all but the pointer of a pull and its joint, which nobody is to see.

While a body is pulled there is one more body, without a shape, and one more joint
(`stoss.viewer.world.pull`). What is looked at, counted, listed and coloured leaves both out, so that touching
a body changes nothing else.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stoss.engine.joints.arrays import JointParts, JointStops
from stoss.viewer.world.pull import POINTER

if TYPE_CHECKING:
    from stoss.engine import Body, Joint, World

__all__ = ["OwnParts", "own_parts"]


class OwnParts(NamedTuple):
    """Rows of the pointer and of its joint, None while nothing is pulled."""

    pointer: int | None
    joint: int | None

    def bodies(self, world: "World") -> "list[Body]":
        """Return the user's bodies."""
        return _without(world.bodies, self.pointer)

    def joints(self, world: "World") -> "list[Joint]":
        """Return the user's joints."""
        return _without(world.joints, self.joint)

    def of_bodies(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the user's bodies out of those of all, a copy of its own."""
        return np.array(values) if self.pointer is None else np.delete(values, self.pointer, axis=0)

    def of_joints(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the user's joints out of those of all, a copy of its own."""
        return np.array(values) if self.joint is None else np.delete(values, self.joint, axis=0)

    def rows(self, rows: np.ndarray) -> np.ndarray:
        """Return where bodies, not the pointer, are among the user's; -1 is nobody and stays."""
        return np.array(rows) if self.pointer is None else rows - (rows > self.pointer)

    def joint_parts(self, parts: JointParts) -> JointParts:
        """Return the parts of the user's joints."""
        if self.joint is None:
            return parts
        own = parts.joint != self.joint
        kept = JointParts(*(values[own] for values in parts))
        return kept._replace(joint=kept.joint - (kept.joint > self.joint), bodies=self.rows(kept.bodies))

    def joint_stops(self, parts: JointParts, stops: JointStops) -> JointStops:
        """Return the stops of the user's joints.

        Args:
            parts: of all joints.
            stops: of all joints.
        """
        if self.joint is None:
            return stops
        own = parts.joint != self.joint
        kept = JointStops(*(values[own[stops.part]] for values in stops))
        return kept._replace(part=(np.cumsum(own) - 1)[kept.part])


def own_parts(world: "World") -> OwnParts:
    """Return what of a world is not its user's."""
    try:
        pointer = world.body(POINTER).index
    except KeyError:
        return OwnParts(None, None)
    names = [joint.name for joint in world.joints]
    return OwnParts(pointer, names.index(POINTER) if POINTER in names else None)


def _without(items: list, row: int | None) -> list:
    return items if row is None else items[:row] + items[row + 1 :]
