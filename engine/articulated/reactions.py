"""What joints carry in a motion: their forces and torques, those of drives, and those that close loops.

Newton's and Euler's equations of each body, added up from the ends of the tree inwards (Stelzner 2008,
section 2.4.1). Joints that close loops act with the multipliers of their rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.algebra import cross
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.engine.articulated.inverse_kinematics import rotated
from stoss.engine.articulated.tree_bodies import write_accelerations
from stoss.engine.articulated.tree_dynamics import accelerate
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.joints.arrays import LENGTH, SUM, JointArrays
from stoss.engine.joints.curves import follow
from stoss.engine.joints.measures import gradient, lever_arms, measure
from stoss.engine.joints.placement import JointFrames, place_parts
from stoss.names import closed, hint

if TYPE_CHECKING:
    from stoss.engine.articulated.articulation import Articulation, Loads

__all__ = ["Reactions", "reactions_of"]

# Share of the largest singular value below which drives and loops are told apart by size alone.
RANK = 1e-10


@closed
@dataclass(frozen=True, eq=False)
class Reactions:
    """What acts in the joints in a motion.

    Attributes:
        coordinates: names of the coordinates.
        drives: (n,) forces on the coordinates [N m or N].
        forces: of each joint, by its name, the force (3,) on its second body [N], world, as `Joint.force`:
            drives included.
        torques: the torque (3,) on it about the joint's `second_point` [N m], world, as `Joint.torque`.
        missing: (n,) forces on coordinates that neither drives nor loops can give [N m or N].
    """

    coordinates: tuple[str, ...]
    drives: np.ndarray
    forces: dict[str, np.ndarray]
    torques: dict[str, np.ndarray]
    missing: np.ndarray

    def drive(self, coordinate: str) -> float:
        """Return the force on a coordinate [N m or N].

        Args:
            coordinate: its name.

        Raises:
            KeyError: there is none of that name.
        """
        if coordinate not in self.coordinates:
            raise KeyError(f"coordinate {coordinate!r} is not one of {', '.join(self.coordinates)}")
        return float(self.drives[self.coordinates.index(coordinate)])


def reactions_of(
    both: "Articulation",
    q: np.ndarray,
    rates: np.ndarray,
    changes: np.ndarray,
    driven: Sequence[str] | None,
    loads: "Loads | None",
) -> Reactions:
    """Return what acts in joints; see `Articulation.reactions`."""
    names, count = both.coordinates, len(both._moves)
    needed = both.inverse_dynamics(q, rates, changes, loads)
    acting = _driven(names, driven, len(both._loops.rows) > 0)
    jacobian = both._loops.closures(q)[1]
    both._placement.place(q)
    columns = np.hstack([jacobian.T, np.eye(len(both))[:, acting]])
    given = np.linalg.lstsq(columns, needed, RANK)[0] if columns.size else np.zeros(columns.shape[1])
    multipliers, drives = given[: len(jacobian)], np.zeros(len(both))
    drives[acting] = given[len(jacobian) :]
    # what the bodies need, about their centres of mass
    accelerate(both._tree, rates, changes, np.zeros(3))
    moving = np.zeros((count, 6))
    write_accelerations(both._tree, both._moves, moving)
    wrench = _newton_euler(both, moving) - both._loads(loads)
    per_joint = _loop_wrenches(both, multipliers)
    for own in per_joint.values():
        wrench -= own[:count]
    bodies = both._placement.bodies
    forces: dict[str, np.ndarray] = {}
    torques: dict[str, np.ndarray] = {}

    def tell(name: str, body: int, on_body: np.ndarray, point: np.ndarray, sign: float) -> None:
        centre = bodies.positions[body] if body >= 0 else np.zeros(3)
        torque = on_body[3:] + np.cross(centre - point, on_body[:3])
        # what carries a body by no chain of axes both drives it and closes a loop
        forces[name] = forces.get(name, 0.0) + sign * on_body[:3]
        torques[name] = torques.get(name, 0.0) + sign * torque

    for joint in reversed(both._structure.joints):
        carried, carrier = joint.bodies if joint.reversed else joint.bodies[::-1]
        own = wrench[carried]
        if carrier >= 0 and both._moves[carrier]:
            arm = bodies.positions[carried] - bodies.positions[carrier]
            wrench[carrier, :3] += own[:3]
            wrench[carrier, 3:] += own[3:] + np.cross(arm, own[:3])
        if joint.joint is not None:
            second, frame = joint.bodies[1], joint.frame_b
            point = np.array(frame[0])
            if second >= 0:
                point = bodies.positions[second] + rotated(bodies.quaternions[second], point)
            tell(joint.name, carried, own, point, -1.0 if joint.reversed else 1.0)
    for name, own in per_joint.items():
        joint_row = both._world.joint(name).index
        part = int(both._loops.joints.part_start[joint_row])
        second = int(both._loops.joints.ends[part, 1])
        point = both._loops.joints.point_b[part]
        if second >= 0:
            point = bodies.positions[second] + rotated(bodies.quaternions[second], point)
            tell(name, second, own[second], point, 1.0)
        else:
            first = int(both._loops.joints.ends[part, 0])
            tell(name, first, own[first], point, -1.0)
    return Reactions(names, drives, forces, torques, needed - columns @ given)


def _driven(names: tuple[str, ...], driven: Sequence[str] | None, loops: bool) -> np.ndarray:
    """Return which coordinates have drives."""
    if driven is None:
        return np.arange(0 if loops else len(names))
    if isinstance(driven, str):
        raise TypeError(f"driven = {driven!r} must be a list of names: [{driven!r}]")
    for name in driven:
        if name not in names:
            raise ValueError(f"driven: there is no coordinate {name!r}{hint(str(name), names)}")
    return np.array([names.index(name) for name in driven], np.int64)


def _newton_euler(both: "Articulation", moving: np.ndarray) -> np.ndarray:
    """Return force and torque about the centre of mass (bodies, 6) that the motion of each takes."""
    bodies, tree, out = both._placement.bodies, both._tree, np.zeros((len(both._moves), 6))
    gravity = both._world.gravity
    for i in np.flatnonzero(both._moves):
        out[i, :3] = bodies.masses[i] * (moving[i, :3] - gravity)
        k = tree.holder[i]
        spin = tree.rates[k, :3] if k >= 0 else np.zeros(3)
        q = bodies.quaternions[i]
        back = np.array([q[0], -q[1], -q[2], -q[3]])
        own, change = rotated(back, spin), rotated(back, moving[i, 3:])
        inertia = bodies.inertias[i]
        out[i, 3:] = rotated(q, inertia * change + np.cross(own, inertia * own))
    return out


def _loop_wrenches(both: "Articulation", multipliers: np.ndarray) -> dict[str, np.ndarray]:
    """Return what each joint that closes a loop does to bodies (bodies + 1, 6), about their centres."""
    found = {}
    arrays = both._loops.joints
    owner = arrays.joint[arrays.part[both._loops.rows]]
    for name in both.loops:
        mine = np.flatnonzero(owner == both._world.joint(name).index)
        out = np.zeros((len(both._moves) + 1, 6))
        _add_wrenches(
            arrays, both._loops.frames, both._placement.bodies, both._loops.rows[mine], multipliers[mine], out
        )
        found[name] = out
    return found


@kernel
def _add_wrenches(
    joints: JointArrays, frames: JointFrames, bodies: BodyArrays, rows: Ints, forces: Floats, out: Floats2
) -> None:
    """Add what rows of joints do with given forces to force and torque of bodies (bodies + 1, 6)."""
    place_parts(joints, bodies.positions, bodies.quaternions, frames.places)
    for at in range(len(rows)):
        m = rows[at]
        if joints.measure[m] >= SUM:
            t = m - 2
            first = measure(joints.measure[t], joints.axis[t], joints.part[t], frames.places, joints.value[t])
            slope = follow(joints, m, first)[1]
            _add_force(joints, frames, bodies, t, -slope * forces[at], out)
            _add_force(joints, frames, bodies, m - 1, forces[at], out)
        else:
            _add_force(joints, frames, bodies, m, forces[at], out)


@inner
def _add_force(joints, frames, bodies, m, force, out):
    """Add what row m does."""
    p = joints.part[m]
    kind, axis, places = joints.measure[m], joints.axis[m], frames.places
    d = gradient(kind, axis, p, places)
    a, b = joints.ends[p, 0], joints.ends[p, 1]
    arms = lever_arms(kind, p, a, b, places, bodies.positions)
    for end in range(2):
        i, arm, size = (a, arms[0], -force) if end == 0 else (b, arms[1], force)
        x, y, z = size * d[0], size * d[1], size * d[2]
        if kind <= LENGTH:
            out[i, 0] += x
            out[i, 1] += y
            out[i, 2] += z
            x, y, z = cross(arm[0], arm[1], arm[2], x, y, z)
        out[i, 3] += x
        out[i, 4] += y
        out[i, 5] += z
