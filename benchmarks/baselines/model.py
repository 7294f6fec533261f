"""Rigid bodies with ball joints as plain arrays, and the elimination order of a tree of them."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

__all__ = ["BallJointModel", "ModelArrays", "TreeOrder", "tree_order"]

# Largest | |q| - 1 | of a quaternion that counts as a unit quaternion: far above rounding, far below
# what a forgotten normalisation leaves.
UNIT_TOLERANCE = 1e-9


class ModelArrays(NamedTuple):
    """What the kernels read; all float64 or int64 and contiguous."""

    masses: np.ndarray  # (n,) [kg]
    inertias: np.ndarray  # (n, 3) principal moments of inertia, body frame [kg m^2]
    gravity: np.ndarray  # (3,) [m/s^2]
    torques: np.ndarray  # (n, 3) world frame [N m]
    joint_bodies: np.ndarray  # (m, 2) first body (-1 for the world) and second body
    points: np.ndarray  # (m, 2, 3) the joint's point on either body, body frame (world frame if -1) [m]
    incident_start: np.ndarray  # (n + 1,) first entry of each body in `incident`
    incident: np.ndarray  # (2 m or less, 2) joint and side (0 first, 1 second body), body by body


@dataclass(frozen=True, eq=False, kw_only=True)
class BallJointModel:
    """Rigid bodies, ball joints between them, and their state at the start.

    Args:
        masses: (n,) masses [kg].
        inertias: (n, 3) principal moments of inertia, along the axes of the body frame [kg m^2].
        positions: (n, 3) centres of mass [m].
        quaternions: (n, 4) (w, x, y, z), body to world.
        velocities: (n, 3) of the centres of mass [m/s]; None: at rest.
        angular_velocities: (n, 3) in the world frame [rad/s]; None: at rest.
        joint_bodies: (m, 2) bodies of each joint; the first may be -1, the world.
        points_a: (m, 3) point of the joint on its first body, in that body's frame [m].
        points_b: (m, 3) the same on its second body.
        gravity: (3,) [m/s^2].
        torques: (n, 3) external torques, constant in the world frame [N m]; None: none.
        torque_steps: the torques act during this many steps, from the first one on.

    Raises:
        ValueError: an array has another shape or a value that makes no sense.
    """

    masses: np.ndarray
    inertias: np.ndarray
    positions: np.ndarray
    quaternions: np.ndarray
    joint_bodies: np.ndarray
    points_a: np.ndarray
    points_b: np.ndarray
    velocities: np.ndarray | None = None
    angular_velocities: np.ndarray | None = None
    gravity: Any = (0.0, 0.0, -9.81)
    torques: np.ndarray | None = None
    torque_steps: int = 0
    arrays: ModelArrays = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n = len(np.atleast_1d(self.masses))
        m = len(self.joint_bodies)
        shapes: dict[str, tuple[int, ...]] = {
            "masses": (n,),
            "inertias": (n, 3),
            "positions": (n, 3),
            "quaternions": (n, 4),
            "velocities": (n, 3),
            "angular_velocities": (n, 3),
            "points_a": (m, 3),
            "points_b": (m, 3),
            "gravity": (3,),
            "torques": (n, 3),
        }
        for name, shape in shapes.items():
            value = getattr(self, name)
            if m == 0 and name.startswith("points"):
                value = np.zeros(shape)
            object.__setattr__(self, name, _numbers(name, np.zeros(shape) if value is None else value, shape))
        for name in ("masses", "inertias"):
            if np.any(getattr(self, name) <= 0.0):
                raise ValueError(f"{name} = {getattr(self, name)!r}: all of them must be positive")
        lengths = np.linalg.norm(self.quaternions, axis=1)
        if np.any(np.abs(lengths - 1.0) > UNIT_TOLERANCE):
            raise ValueError(f"quaternions have lengths {lengths!r}: divide each by its length")
        if self.torque_steps != int(self.torque_steps) or self.torque_steps < 0:
            raise ValueError(f"torque_steps = {self.torque_steps!r}: give a whole number, 0 or more")
        given = np.asarray(self.joint_bodies, dtype=np.float64) if m else np.zeros((0, 2))
        if given.shape != (m, 2) or np.any(given != np.floor(given)):
            raise ValueError(f"joint_bodies = {self.joint_bodies!r}: give whole numbers in two columns")
        bodies = given.astype(np.int64)
        for joint, (first, second) in enumerate(bodies):
            if not (-1 <= first < n and 0 <= second < n) or first == second:
                raise ValueError(
                    f"joint_bodies[{joint}] = ({first}, {second}): give two different bodies of "
                    f"0 to {n - 1}; the first may be -1, the world"
                )
        object.__setattr__(self, "joint_bodies", bodies)
        object.__setattr__(self, "arrays", self._make_arrays())

    def _make_arrays(self) -> ModelArrays:
        incident: list[list[tuple[int, int]]] = [[] for _ in self.masses]
        for joint, pair in enumerate(self.joint_bodies):
            for side, body in enumerate(pair):
                if body >= 0:
                    incident[body].append((joint, side))
        start = np.concatenate(([0], np.cumsum([len(entries) for entries in incident]))).astype(np.int64)
        flat = np.array([entry for entries in incident for entry in entries], np.int64).reshape(-1, 2)
        points = np.ascontiguousarray(np.stack((self.points_a, self.points_b), axis=1))
        assert self.torques is not None
        return ModelArrays(
            self.masses, self.inertias, self.gravity, self.torques, self.joint_bodies, points, start, flat
        )

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.masses)

    @property
    def joint_count(self) -> int:
        """Number of joints."""
        return len(self.joint_bodies)

    def state(self) -> np.ndarray:
        """Return the state at the start: (n, 13), position, quaternion, velocity, angular velocity."""
        assert self.velocities is not None and self.angular_velocities is not None
        return np.hstack((self.positions, self.quaternions, self.velocities, self.angular_velocities))


def _numbers(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = np.array(value, dtype=np.float64, order="C")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}: give {shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} = {array!r}: give finite numbers")
    return array


class TreeOrder(NamedTuple):
    """Bodies such that each comes after all bodies that hang on it; its joint follows right after it."""

    body: np.ndarray  # (n,) bodies, leaves first
    joint: np.ndarray  # (n,) joint towards the root of each body, -1 at a root that hangs on nothing
    side: np.ndarray  # (n,) side of the body in that joint: 0 first, 1 second
    parent: np.ndarray  # (n,) body at the other side of that joint, -1 for the world


def tree_order(model: BallJointModel) -> TreeOrder:
    """Return the depth-first order of a model without loops, in which the factorisation has no fill.

    A joint to the world must be the root of its tree: as a leaf it would be a zero pivot.

    Raises:
        ValueError: a joint closes a loop; two joints of a tree to the world are one, too.
    """
    n = model.body_count
    arrays = model.arrays
    joint, side, parent = (np.full(n, -1, np.int64) for _ in range(3))
    seen = np.zeros(n, bool)
    used = np.zeros(model.joint_count, bool)
    preorder: list[int] = []
    roots = [(int(b), k) for k, (a, b) in enumerate(model.joint_bodies) if a < 0]
    roots += [(i, -1) for i in range(n)]  # trees that hang on nothing; bodies seen already are passed over
    for root, root_joint in roots:
        if seen[root]:
            if root_joint >= 0:
                raise ValueError(_loop(root_joint))
            continue
        if root_joint >= 0:
            joint[root], side[root] = root_joint, 1
            used[root_joint] = True
        seen[root] = True
        stack = [root]
        while stack:
            body = stack.pop()
            preorder.append(body)
            for k, own_side in arrays.incident[arrays.incident_start[body] : arrays.incident_start[body + 1]]:
                if used[k]:
                    continue
                used[k] = True
                other = int(model.joint_bodies[k, 1 - own_side])
                if other < 0 or seen[other]:
                    raise ValueError(_loop(int(k)))
                seen[other] = True
                joint[other], side[other], parent[other] = k, 1 - own_side, body
                stack.append(other)
    return TreeOrder(np.array(preorder[::-1], np.int64), joint, side, parent)


def _loop(joint: int) -> str:
    return f"joint {joint} closes a loop: this method needs a tree; take DenseMultipliers or SpringJoint"
