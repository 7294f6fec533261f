"""Motions that servos drive in a world with gravity and contacts, and the torques that this takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.articulated.structure import PATTERNS, TreeJoint
from stoss.engine.control.controller import Controller
from stoss.engine.joints.basic_kinds import Ball
from stoss.engine.joints.guided_kinds import CustomJoint, SplineJoint
from stoss.engine.joints.leading import hold_in_step
from stoss.engine.motion_capture.motion import Motion
from stoss.names import takes_names

if TYPE_CHECKING:
    from stoss.engine.world.body import Body
    from stoss.engine.world.drives import Drive
    from stoss.engine.world.world import World

__all__ = ["MotionPlayer", "contact_loads"]

FREQUENCY = 3.0  # [1/s] with which all bodies together would swing on a servo, where none is given
NEAR = 1e-6  # [rad] by which an angle is changed to see how a rotation vector changes with it


@dataclass(frozen=True)
class _Driven:
    """A joint and its coordinates that servos drive.

    Attributes:
        joint: of the tree.
        names: of the coordinates of the joint in the engine.
        axes: of the tree that they are the displacements of; of a ball joint its three turns.
    """

    joint: TreeJoint
    names: tuple[str, ...]
    axes: tuple[int, ...]


class MotionPlayer(Controller):
    """Drive the joints of a world along a motion by servos: add it to the world as a controller.

        player = st.MotionPlayer(articulation, motion)
        motion.show(articulation, 0.0)
        world.add_controller(player)
        world.step(100)
        torques = player.forces()

    A servo pulls each coordinate of each joint to where it is in the motion, and damps what its rate differs
    from that of the motion; implicit, so that it is stable at any stiffness. What nothing holds, the pelvis
    for instance, moves as contacts and gravity will have it. A ball joint is driven by its rotation vector,
    which must stay below half a turn.

    Args:
        articulation: of the world, with the coordinates of the motion.
        motion: to be played.
        begin: time of the world at which its first frame is due [s]; None: when it is added.
        stiffness: of all turns [N m/rad], or by names of joints; None: the moment of inertia of all bodies
            about their centre of mass, times the square of 3 turns per second. Slides have it in N/m, from
            the mass.
        damping: likewise [N m s/rad]; None: critical.
        max_force: of each servo [N m or N].
        speed: of playing; 0.5 takes twice as long.

    Raises:
        TypeError, ValueError: the motion lacks a coordinate, no joint can be driven, or a value makes no
            sense.
    """

    not_state = ("articulation", "motion", "_drives", "_driven", "_curve", "_rows")

    def __init__(
        self,
        articulation: Articulation,
        motion: Motion,
        *,
        begin: float | None = None,
        stiffness: float | Mapping[str, float] | None = None,
        damping: float | Mapping[str, float] | None = None,
        max_force: float = np.inf,
        speed: float = 1.0,
    ) -> None:
        from scipy.interpolate import make_interp_spline

        self.articulation = checks.instance("articulation", articulation, Articulation, "Articulation(world)")
        self.motion = checks.instance("motion", motion, Motion, "track_markers(articulation, data)")
        self.speed = checks.positive("speed", speed, "share")
        self.begin = None if begin is None else checks.number("begin", begin, "s")
        self._force = checks.number("max_force", max_force, "N m or N", above=0.0, finite=False)
        self._driven = _driven(articulation)
        if not self._driven:
            raise ValueError("the bodies have no joint with a coordinate that a servo could drive")
        self._size = _sizes(articulation)
        kinds = [(d.joint.name, slides) for d in self._driven for slides in _slides(articulation, d)]
        self._stiffness = self._gains("stiffness", stiffness, kinds, None)
        self._damping = self._gains("damping", damping, kinds, self._stiffness)
        order = motion._order(articulation)
        values = np.array([self._values(q) for q in np.ascontiguousarray(motion.q[:, order])])
        self._unwind(values)
        degree = min(3, len(motion) - 1)
        self._still = values[0]
        self._curve = make_interp_spline(motion.times, values, k=degree) if degree else None
        self._drives: list[Drive] = []
        self._rows: tuple[Any, np.ndarray] | None = None

    def __repr__(self) -> str:
        return f"<MotionPlayer of {len(self._stiffness)} servos, {self.motion!r}>"

    @property
    def world(self) -> "World":
        """Return the world whose joints it drives."""
        return self.articulation.world

    @property
    def driven(self) -> tuple[str, ...]:
        """Return the joints that servos drive."""
        return tuple(driven.joint.name for driven in self._driven)

    # ------------------------------------------------------------- as a controller

    def reset(self) -> None:
        """Add the servos to the joints; called when it is added to a world."""
        if self.begin is None:
            self.begin = float(self.articulation.world.time)
        if self._drives:
            return
        values = iter(range(len(self._stiffness)))
        for driven in self._driven:
            assert driven.joint.joint is not None
            for name in driven.names:
                k = next(values)
                self._drives.append(
                    driven.joint.joint.servo(
                        float(self._still[k]),
                        stiffness=float(self._stiffness[k]),
                        damping=float(self._damping[k]),
                        max_force=self._force,
                        coordinate=name,
                    )
                )

    def update(self, time: float, period: float) -> None:
        """Tell the servos where to be in the middle of the step, and how fast to move."""
        arrays, rows = self.articulation.world._joint_table.arrays, self._indices()
        target, rate = self._wanted(time + 0.5 * period)
        hold_in_step(arrays, rows, rate, target)

    def remove(self) -> None:
        """Take the servos off again; the controller itself is removed by `world.remove_controller`."""
        for drive in self._drives:
            drive.remove()
        self._drives, self._rows = [], None

    def _wanted(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Return values and rates of what is driven; before and after the motion it stands."""
        assert self.begin is not None
        times = self.motion.times
        at = times[0] + self.speed * (time - self.begin)
        if self._curve is None or not times[0] <= at <= times[-1]:
            end = self._still if self._curve is None or at < times[0] else self._curve(times[-1])
            return end, np.zeros(len(self._stiffness))
        return self._curve(at), self.speed * self._curve(at, 1)

    def _indices(self) -> np.ndarray:
        """Return the rows of the servos."""
        version = self.articulation.world._joint_table.version
        if self._rows is None or self._rows[0] != version:
            self._rows = version, np.array([drive.index for drive in self._drives])
        return self._rows[1]

    # ------------------------------------------------------------- what it took

    def errors(self) -> np.ndarray:
        """Return by how much coordinates miss the motion now (n,) [rad or m]."""
        assert self.begin is not None
        world, motion = self.articulation.world, self.motion
        at = motion.times[0] + self.speed * (world.time - self.begin)
        return self.articulation.q - motion.at(at)[motion._order(self.articulation)]

    def forces(self) -> np.ndarray:
        """Return what the servos gave to the coordinates (n,), in the mean over the last step [N m or N].

        It compares with `Articulation.inverse_dynamics`, where contacts are told as loads. The six
        coordinates of what nothing holds have none.
        """
        own = self.articulation
        q = own.q
        own._placement.place(q)
        tree, out = own._tree, np.zeros(len(own))
        given = iter([drive.force for drive in self._drives])
        shown = own._displacements
        for driven in self._driven:
            forces = np.array([next(given) for _ in driven.names])
            if driven.joint.kind is Ball:
                forces = _turn_rates(*shown[list(driven.axes)].tolist()).T @ forces
            for axis, force in zip(driven.axes, forces.tolist(), strict=True):
                out[tree.coordinate[axis]] += tree.slope[axis] * force
        return out

    # ------------------------------------------------------------- preparation

    def _values(self, q: np.ndarray) -> np.ndarray:
        """Return what the servos measure at coordinates of the articulation."""
        own = self.articulation
        own._placement.place(q)
        tree = own._tree
        found: list[float] = []
        for driven in self._driven:
            axes = list(driven.axes)
            at = tree.slope[axes] * q[tree.coordinate[axes]] + tree.start[axes]
            turns = driven.joint.kind is Ball
            found += (Rotation.from_euler("XYZ", at).as_rotvec() if turns else at).tolist()
        return np.array(found)

    def _unwind(self, values: np.ndarray) -> None:
        """Check that rotation vectors do not jump from one half turn to the other."""
        k = 0
        for driven in self._driven:
            if driven.joint.kind is Ball and len(values) > 1:
                largest = float(np.linalg.norm(np.diff(values[:, k : k + 3], axis=0), axis=1).max())
                if largest > np.pi:
                    raise ValueError(
                        f"joint {driven.joint.name!r} turns beyond half a turn in the motion, where its "
                        "rotation vector ends; turn the frame of the joint nearer to the middle of the motion"
                    )
            k += len(driven.names)

    def _gains(
        self,
        what: str,
        given: float | Mapping[str, float] | None,
        kinds: list[tuple[str, bool]],
        stiffness: np.ndarray | None,
    ) -> np.ndarray:
        """Return a gain for each coordinate."""
        mass, inertia = self._size
        names = {name for name, _ in kinds}
        if isinstance(given, Mapping):
            for name in given:
                if name not in names:
                    raise ValueError(f"{what}[{name!r}]: no such joint is driven; there are {sorted(names)}")
        found = []
        for k, (name, slides) in enumerate(kinds):
            own = given.get(name) if isinstance(given, Mapping) else given
            bulk = mass if slides else inertia
            if own is None:
                turning = 2.0 * np.pi * FREQUENCY
                own = bulk * turning**2 if stiffness is None else 2.0 * np.sqrt(bulk * float(stiffness[k]))
            found.append(checks.number(f"{what} of {name!r}", own, "N m/rad or N m s/rad", least=0.0))
        return np.array(found)


def _driven(articulation: Articulation) -> tuple[_Driven, ...]:
    found = []
    for joint in articulation._structure.joints:
        pattern = PATTERNS[joint.kind]
        if joint.joint is None:
            continue
        if joint.kind is Ball:
            found.append(_Driven(joint, ("rotation x", "rotation y", "rotation z"), joint.axes))
            continue
        there = joint.joint.coordinates
        pairs = [(own, axis) for (_, own), axis in zip(pattern, joint.axes, strict=True) if own in there]
        # what guided joints do not name follows what they do
        if pairs and (len(pairs) == len(pattern) or joint.kind in (SplineJoint, CustomJoint)):
            found.append(_Driven(joint, tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)))
    return tuple(found)


def _slides(articulation: Articulation, driven: _Driven) -> list[bool]:
    return [bool(articulation._tree.slides[axis]) for axis in driven.axes]


def _sizes(articulation: Articulation) -> tuple[float, float]:
    """Return the mass of what moves [kg], and its moment of inertia about the middle [kg m^2]."""
    articulation._placed(None)
    tree, moves = articulation._tree, articulation._moves
    masses = np.where(moves, tree.mass, 0.0)
    away = tree.centres - masses @ tree.centres / masses.sum()
    inertia = 2.0 / 3.0 * float(masses @ (away**2).sum(axis=1)) + float(tree.inertia[moves].sum()) / 3.0
    return float(masses.sum()), inertia


def _turn_rates(x: float, y: float, z: float) -> np.ndarray:
    """Return how a rotation vector changes with the angles of turns about x, y and z (3, 3)."""
    out = np.empty((3, 3))
    for k in range(3):
        change = np.zeros(3)
        change[k] = NEAR
        ahead, back = (
            Rotation.from_euler("XYZ", np.array((x, y, z)) + sign * change).as_rotvec() for sign in (1, -1)
        )
        out[:, k] = (ahead - back) / (2.0 * NEAR)
    return out


@takes_names
def contact_loads(world: "World") -> "dict[Body, tuple[np.ndarray, np.ndarray]]":
    """Return what contacts gave to bodies in the last step, as loads for `Articulation.inverse_dynamics`.

    Force at the centre of mass (3,) [N] and torque (3,) [N m] by body, in the mean over the step; moments by
    which contacts resist rolling and spinning are not in it.

    Args:
        world: after a step.
    """
    from stoss.engine.world.world import World as TheWorld

    checks.instance("world", world, TheWorld, "World()")
    contacts, centers = world.contacts, world._bodies.positions
    forces = contacts.impulse / world._steps.force_step
    out = np.zeros((len(world.bodies), 6))
    for rows, sign in ((contacts.body_a, 1.0), (contacts.body_b, -1.0)):
        np.add.at(out[:, :3], rows, sign * forces)
        np.add.at(out[:, 3:], rows, sign * np.cross(contacts.point - centers[rows], forces))
    moving = [body for body in world.bodies if body.kind == "dynamic" and out[body.index].any()]
    return {body: (out[body.index, :3].copy(), out[body.index, 3:].copy()) for body in moving}
