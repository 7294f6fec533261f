"""Generalised coordinates of the bodies and joints of a world."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated.closures import write_closures
from stoss.engine.articulated.inverse_kinematics import RULES, IKResult, IKTarget, rotated, solve_ik
from stoss.engine.articulated.measured import measure_axes, measured_of
from stoss.engine.articulated.reactions import Reactions, reactions_of
from stoss.engine.articulated.structure import Follow, axis_of, structure_of
from stoss.engine.articulated.tree import (
    accelerate,
    add_centre_jacobian,
    add_mass_matrix,
    add_momenta,
    inverse_dynamics,
    link_jacobian,
    place_tree,
    write_accelerations,
    write_poses,
    write_velocities,
)
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.joints.arrays import HOLD
from stoss.engine.joints.placement import new_joint_frames
from stoss.engine.world.poses import reference_positions, reference_quaternions
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.body import Body
    from stoss.engine.world.world import World

__all__ = ["Articulation"]

# Rounds of Newton's method that close loops, and the error at which they end [m or rad].
MOST_ROUNDS, CLOSED = 50, 1e-13
# Share of the largest singular value below which a row says what others say.
RANK = 1e-10
# Displacement [rad or m] over which the change of a jacobian along the motion is measured.
AHEAD = 1e-4

Loads = Mapping["Body", Any]


@closed
class Articulation:
    """The bodies of a world by the coordinates that their joints leave free.

    Joints carry bodies as a tree, breadth first from what does not move; a body that nothing holds has six
    coordinates of its own: x, y, z of its frame, and its turns about x, y and z, one after the other. Ball
    joints have the same three turns. Joints that close loops are rows between coordinates. Gears, racks
    and screws let coordinates follow others. At a turn of 90 degrees about the second of three axes rates
    have no inverse, and mass matrices are singular.

    It is made for the bodies and joints as they are; when some come or go, or are switched, make a new one.
    Masses are those that the bodies have when something is asked.
    All poses, velocities and forces are those of the world's axes, in SI units, angles in radians. Kinematic
    bodies stand still. Stelzner 2008, chapter 1.

        robot = st.Articulation(world)
        robot.mass_matrix()
        torques = robot.inverse_dynamics(q, rates, accelerations)

    Args:
        world: its bodies and joints.
        follow: coordinates that are none of their own but follow others, by their names: (other, ratio),
            (other, ratio, offset), or (other, curve), where a curve is called with the other's value and the
            order of a derivative up to 2, as `Curve` and the splines of scipy are. So joints are coupled or
            guided. Or a curve alone, of the time [s]: so they are driven (`time`). The joints of the world
            know nothing of it; what they are to know is a `Coupling`, `SplineJoint` or `CustomJoint`.

    Raises:
        TypeError, ValueError: no world; or a coordinate that is not there, or follows itself in the end.
    """

    def __init__(self, world: "World", follow: Mapping[str, Follow] | None = None) -> None:
        from stoss.engine.world.world import World

        self._world = checks.instance("world", world, World, "the world whose joints it has")
        self._structure = found = structure_of(world, follow or {})
        self._tree = found.tree
        self._measured = measured_of(found)
        self._own = np.array(found.own, np.int64)
        self._bodies = world._bodies.copy()
        self._moves = world._bodies.kinds == DYNAMIC
        self._joined = self._members()
        self._take_rows()
        self._displacements = np.zeros(len(self._tree.carrier))
        for joint in found.joints:  # turns that joints have counted
            if joint.joint is not None and len(joint.axes) == 1:
                self._displacements[joint.axes[0]] = joint.joint.value
        self._gravity = np.zeros(3)
        self._time: float = world.time

    def __repr__(self) -> str:
        loops = f", {len(self._rows)} rows of loops" if len(self._rows) else ""
        return f"<Articulation of {len(self.coordinates)} coordinates{loops}>"

    # ------------------------------------------------------------- what it has

    @property
    def world(self) -> "World":
        """Return the world."""
        return self._world

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Return the names of the coordinates: of their joint, "joint.angle_1" where it has several."""
        return self._structure.names

    @property
    def slides(self) -> np.ndarray:
        """Return which coordinates are lengths [m] (n,); the others are angles [rad]."""
        return np.asarray(self._tree.slides[self._own])

    @property
    def is_current(self) -> bool:
        """Return whether the world has the bodies and joints that it had when this was made."""
        return self._version == self._now() or self._joined == self._members()

    @property
    def loops(self) -> tuple[str, ...]:
        """Return the names of the joints that close loops."""
        return tuple(joint.name for joint in self._structure.closures)

    @property
    def time(self) -> float:
        """Time [s] at which coordinates that follow it are taken, at first the world's; assign to it."""
        return self._time

    @time.setter
    def time(self, value: float) -> None:
        self._time = checks.number("time", value, "s")

    def __len__(self) -> int:
        """Return the number of coordinates."""
        return len(self._structure.names)

    def index(self, coordinate: str) -> int:
        """Return the place of a coordinate in the arrays.

        Raises:
            KeyError: there is none of that name.
        """
        names = self._structure.names
        if coordinate not in names:
            raise KeyError(f"coordinate {coordinate!r} is not one of {', '.join(names)}")
        return names.index(coordinate)

    @property
    def limits(self) -> np.ndarray:
        """Return the bounds (n, 2) of the coordinates by the limits of their joints [rad or m].

        Infinite where there are none. Swing and twist of ball joints are no coordinates; their turns are.
        """
        found = np.full((len(self), 2), np.inf) * (-1.0, 1.0)
        curved = {k for k, _, _ in self._structure.curves}
        for carried in self._structure.joints:
            for limit in carried.joint.limits if carried.joint is not None else ():
                k = axis_of(carried, limit.coordinate) if limit.enabled else None
                if k is None:
                    continue
                c, slope, start = (getattr(self._tree, of)[k] for of in ("coordinate", "slope", "start"))
                if slope == 0.0 or k in curved:
                    continue
                ends = np.sort((np.array([limit.lower, limit.upper]) - start) / slope)
                found[c] = max(found[c, 0], ends[0]), min(found[c, 1], ends[1])
        return found

    # ------------------------------------------------------------- the state of the world

    @property
    def q(self) -> np.ndarray:
        """Return the coordinates (n,) of the bodies where they are now [rad or m], turns counted on."""
        self._check_structure()
        bodies = self._world._bodies
        measure_axes(self._measured, bodies.positions, bodies.quaternions, self._displacements)
        return self._displacements[self._own]

    @property
    def rates(self) -> np.ndarray:
        """Return the rates (n,) of the coordinates now [rad/s or m/s].

        Where bodies move as joints let them, these are just theirs, else those whose momenta are theirs.
        """
        return self._rates_at(self.q)

    def _rates_at(self, q: np.ndarray) -> np.ndarray:
        """Return the rates (n,) of the coordinates q, those of the bodies as they are."""
        self._place(q)
        bodies, momenta = self._world._bodies, np.zeros(len(self))
        velocities = np.hstack([bodies.velocities, bodies.angular_velocities])
        velocities -= np.hstack(self._drift())
        add_momenta(self._tree, np.ascontiguousarray(velocities), momenta)
        return np.linalg.solve(self._mass_matrix(), momenta)

    def _drift(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the velocities of bodies (n, 3) that time alone makes, where the tree is placed."""
        still, count = np.zeros(len(self)), len(self._moves)
        linear, angular = np.zeros((count, 3)), np.zeros((count, 3))
        if self._tree.drift.any():
            accelerate(self._tree, still, still, np.zeros(3))
            write_velocities(self._tree, self._moves, linear, angular)
        return linear, angular

    def set_state(self, q: Any, rates: Any = None) -> None:
        """Move the bodies of the world to coordinates q (n,), with rates (n,), by default at rest.

        Loops are left as they are: `assemble` closes them.
        """
        q, rates = self._given("q", q), self._given("rates", rates)
        self._check_structure()
        world, moved = self._world, self._moved(q)
        still = np.zeros(len(self))
        accelerate(self._tree, rates, still, self._gravity)
        velocities, turning = world.velocities.copy(), world.angular_velocities.copy()
        write_velocities(self._tree, self._moves, velocities, turning)
        world.positions, world.quaternions = reference_positions(moved), reference_quaternions(moved)
        world.velocities, world.angular_velocities = velocities, turning
        self._displacements[self._own] = q

    def _take_rows(self) -> None:
        """Look at the rows of joints as they are now; motors and limits that come and go move them."""
        self._joints = self._world._joint_table.copy_arrays()
        self._frames = new_joint_frames(self._joints)
        self._frames.places.turns[:] = True
        numbers = [joint.index for joint in self._structure.closures]
        owner = self._joints.joint[self._joints.part]
        held = (self._joints.role == HOLD) & self._joints.active & np.isin(owner, numbers)
        self._rows = np.flatnonzero(held)
        self._version = self._now()

    def _now(self) -> tuple[Any, ...]:
        """Return what changes when bodies come or go, or rows of joints."""
        return self._world._joint_table.version, tuple(body._key for body in self._world.bodies)

    def _members(self) -> tuple[Any, ...]:
        """Return bodies and joints, and which are switched on."""
        world = self._world
        return (
            tuple((body._key, body.kind) for body in world.bodies),
            tuple((joint._key, joint.enabled) for joint in world.joints),
        )

    def _check_structure(self) -> None:
        if self._version == self._now():
            return
        if self._joined != self._members():
            raise ValueError(
                "the world has other bodies or joints than when this Articulation was made; make a new one: "
                "Articulation(world)"
            )
        self._take_rows()

    def _given(self, name: str, value: Any, default: np.ndarray | None = None) -> np.ndarray:
        """Return an array (n,), zeros where nothing is given."""
        if value is None:
            return np.zeros(len(self)) if default is None else default
        return np.ascontiguousarray(checks.array(name, value, (len(self),)))

    def _place(self, q: np.ndarray) -> None:
        tree, bodies = self._tree, self._world._bodies
        if len(bodies.masses) != len(tree.mass):
            self._check_structure()
        np.copyto(tree.mass, bodies.masses)
        np.copyto(tree.inertia, bodies.inertias)
        for k, coordinate, laws in self._structure.curves:
            value = at = float(q[coordinate]) if coordinate >= 0 else self._time
            slope, bend = 1.0, 0.0
            for law in laws:
                value, own, own_bend = law(value)
                slope, bend = own * slope, own_bend * slope * slope + own * bend
            if coordinate >= 0:
                tree.slope[k], tree.bend[k], tree.start[k] = slope, bend, value - slope * at
            else:
                tree.start[k], tree.drift[k], tree.push[k] = value, slope, bend
        place_tree(tree, q)

    def _placed(self, q: Any) -> np.ndarray:
        """Place the tree at given coordinates, or where the bodies are, and return them."""
        q = self.q if q is None else self._given("q", q)
        self._place(q)
        return q

    def _moved(self, q: np.ndarray) -> Any:
        """Return the arrays of the bodies as they are at q, but for velocities."""
        self._place(q)
        write_poses(self._tree, self._moves, self._bodies.positions, self._bodies.quaternions)
        return self._bodies

    # ------------------------------------------------------------- kinematics

    def poses(self, q: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return where the bodies of the world are at coordinates q: (bodies, 3) [m], (bodies, 4).

        They are those of the bodies' frames, as `World.positions` and `World.quaternions`.

        Args:
            q: (n,) [rad or m]; None: as they are now.
        """
        moved = self._moved(self.q if q is None else self._given("q", q))
        return reference_positions(moved), reference_quaternions(moved)

    def velocities(self, q: Any = None, rates: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return velocities of the centres of mass (bodies, 3) [m/s], and angular velocities [rad/s].

        Args:
            q, rates: (n,) coordinates and their rates; None: as they are now.
        """
        self._move(q, rates, np.zeros(len(self)), np.zeros(3))
        count = len(self._moves)
        linear, angular = np.zeros((count, 3)), np.zeros((count, 3))
        write_velocities(self._tree, self._moves, linear, angular)
        return linear, angular

    def accelerations(self, q: Any, rates: Any, changes: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return accelerations of the centres of mass (bodies, 3) [m/s^2], and angular ones [rad/s^2].

        Args:
            q, rates, changes: (n,) coordinates, their rates, and how these change.
        """
        self._move(q, rates, self._given("changes", changes), np.zeros(3))
        out = np.zeros((len(self._moves), 6))
        write_accelerations(self._tree, self._moves, out)
        return out[:, :3].copy(), out[:, 3:].copy()

    def _move(self, q: Any, rates: Any, changes: np.ndarray, gravity: np.ndarray) -> None:
        """Place the tree and let it move; rates are those of the world where none are given."""
        rates = self.rates if rates is None else self._given("rates", rates)
        self._placed(q)
        accelerate(self._tree, rates, changes, gravity)

    def body_jacobian(self, body: "Body", q: Any = None, point: Any = None) -> np.ndarray:
        """Return how a body moves with the coordinates (6, n): a point of it, then its angular velocity.

        Args:
            body: of the world.
            q: (n,) coordinates; None: as they are now.
            point: (3,) in the frame of the body's shapes [m]; None: its centre of mass.
        """
        row = self._row(body)
        if point is None:
            self._placed(q)
            place = self._tree.centres[row].copy()
        else:
            own = checks.vector("point", point)
            positions, quaternions = self.poses(q)
            place = positions[row] + rotated(quaternions[row], own)
        out = np.zeros((6, len(self)))
        link_jacobian(self._tree, int(self._tree.holder[row]), place, out)
        return out

    def center_of_mass(self, q: Any = None) -> np.ndarray:
        """Return the centre of mass (3,) [m] of the bodies that move.

        Args:
            q: (n,) coordinates; None: as they are now.
        """
        self._placed(q)
        masses = np.where(self._moves, self._tree.mass, 0.0)
        return np.asarray(masses @ self._tree.centres / masses.sum())

    def center_of_mass_jacobian(self, q: Any = None) -> np.ndarray:
        """Return how the centre of mass moves with the coordinates (3, n).

        Args:
            q: (n,) coordinates; None: as they are now.
        """
        self._placed(q)
        out = np.zeros((3, len(self)))
        return out / add_centre_jacobian(self._tree, out) if len(self) else out

    def _row(self, body: "Body") -> int:
        self._check_structure()
        return self._world._body_store.row(body)

    def _behind(self, body: "Body", point: np.ndarray) -> tuple[int, np.ndarray]:
        """Return the axis that a point of a body's frame is behind, -1: the world, and where it is there."""
        row, tree = self._row(body), self._tree
        arrays = self._world._bodies
        own = arrays.frame_positions[row] + rotated(arrays.frame_quaternions[row], point)
        return int(tree.holder[row]), tree.link_rotation[row].reshape(3, 3) @ own + tree.link_place[row]

    # ------------------------------------------------------------- dynamics

    def mass_matrix(self, q: Any = None) -> np.ndarray:
        """Return the mass matrix (n, n).

        Args:
            q: (n,) coordinates; None: as they are now.
        """
        self._placed(q)
        return self._mass_matrix()

    def _mass_matrix(self) -> np.ndarray:
        out = np.zeros((len(self), len(self)))
        add_mass_matrix(self._tree, out)
        return out

    def inverse_dynamics(
        self, q: Any = None, rates: Any = None, changes: Any = None, loads: Loads | None = None
    ) -> np.ndarray:
        """Return the forces (n,) on the coordinates [N m or N] that a motion takes under gravity.

        Stelzner 2008, section 1.4.4.

        Args:
            q, rates: (n,) coordinates and rates; None: as they are now.
            changes: (n,) of the rates [rad/s^2 or m/s^2]; None: zero.
            loads: force and torque on bodies, {body: (force, torque)}, (3,) each, the force at the centre of
                mass, in the world [N, N m]; without those that the world has.
        """
        self._move(q, rates, self._given("changes", changes), self._world.gravity.copy())
        out = np.zeros(len(self))
        inverse_dynamics(self._tree, self._loads(loads), out)
        return out

    def bias_forces(self, q: Any = None, rates: Any = None) -> np.ndarray:
        """Return the forces (n,) that keep the rates as they are: against gravity, and of inertia.

        Args:
            q, rates: (n,) coordinates and rates; None: as they are now.
        """
        return self.inverse_dynamics(q, rates)

    def gravity_forces(self, q: Any = None) -> np.ndarray:
        """Return the forces (n,) that hold the bodies at rest against gravity.

        Args:
            q: (n,) coordinates; None: as they are now.
        """
        return self.inverse_dynamics(q, np.zeros(len(self)))

    def forward_dynamics(
        self, q: Any = None, rates: Any = None, forces: Any = None, loads: Loads | None = None
    ) -> np.ndarray:
        """Return how the rates change (n,) under forces, gravity and loads; loops stay closed.

        Stelzner 2008, sections 1.4.2 and 1.4.3.

        Args:
            q, rates: (n,) coordinates and rates; None: as they are now.
            forces: (n,) on the coordinates [N m or N]; None: none.
            loads: as for `inverse_dynamics`.
        """
        q = self.q if q is None else self._given("q", q)
        rates = self.rates if rates is None else self._given("rates", rates)
        forces = self._given("forces", forces)
        bias = self.inverse_dynamics(q, rates, None, loads)
        free = np.linalg.solve(self.mass_matrix(q), forces - bias)
        if not len(self._rows):
            return free
        jacobian, wanted = self.loop_jacobian(q), -self._loop_bias(q, rates)
        return free + self._towards(q, jacobian, wanted - jacobian @ free)

    def reactions(
        self,
        q: Any = None,
        rates: Any = None,
        changes: Any = None,
        *,
        driven: Sequence[str] | None = None,
        loads: Loads | None = None,
    ) -> Reactions:
        """Return what acts in the joints in a motion: reactions, drives, and forces that close loops.

        Stelzner 2008, section 2.4. Without changes of the rates it is the motion that gravity and loads make,
        without drives. With them, drives of all coordinates make it; where there are loops, those that are
        named, as forces of drives and of loops are one another's otherwise. Redundant loops and drives share
        the least forces. What couplings do counts as that of the joints that they couple.

            print(arm.reactions(q, rates, changes).forces["elbow"])

        Args:
            q, rates: (n,) coordinates and rates; None: as they are now.
            changes: (n,) of the rates [rad/s^2 or m/s^2]; None: those of `forward_dynamics`.
            driven: names of the coordinates with drives; None: all, or none where there are loops.
            loads: as for `inverse_dynamics`.

        Raises:
            TypeError, ValueError: arrays that do not fit, or no such coordinate.
        """
        q = self.q if q is None else self._given("q", q)
        rates = self.rates if rates is None else self._given("rates", rates)
        if changes is None:
            changes = self.forward_dynamics(q, rates, None, loads)
            driven = () if driven is None else driven
        return reactions_of(self, q, rates, self._given("changes", changes), driven, loads)

    def _loads(self, loads: Loads | None) -> np.ndarray:
        out = np.zeros((len(self._moves), 6))
        for body, (force, torque) in (loads or {}).items():
            row = self._row(body)
            out[row, :3] = checks.vector(f"loads[{body.name!r}]: force", force)
            out[row, 3:] = checks.vector(f"loads[{body.name!r}]: torque", torque)
        return out

    # ------------------------------------------------------------- loops

    def loop_errors(self, q: Any = None) -> np.ndarray:
        """Return by how much the joints that close loops are open (r,) [m or rad].

        Args:
            q: (n,) coordinates; None: as they are now.
        """
        return self._closures(self.q if q is None else self._given("q", q))[0]

    def loop_jacobian(self, q: Any = None) -> np.ndarray:
        """Return how the errors of loops change with the coordinates (r, n).

        Args:
            q: (n,) coordinates; None: as they are now.
        """
        return self._closures(self.q if q is None else self._given("q", q))[1]

    def _closures(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        errors, jacobian = np.zeros(len(self._rows)), np.zeros((len(self._rows), len(self)))
        moved = self._moved(q)
        write_closures(self._tree, self._joints, self._frames, moved, self._rows, errors, jacobian)
        return errors, jacobian

    def _loop_bias(self, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Return the second derivative (r,) of the errors of loops at constant rates."""
        fastest = max(float(np.abs(rates).max(initial=0.0)), 0.1 if self._driven else 0.0)
        if fastest == 0.0:
            return np.zeros(len(self._rows))
        h = AHEAD / fastest
        if self._driven:
            steps = [self._loops_after(q, k * h, rates) for k in range(-2, 3)]
            both = 16.0 * (steps[1] + steps[3]) - steps[0] - steps[4] - 30.0 * steps[2]
            return np.asarray(both / (12.0 * h * h))
        steps = [(self._closures(q + k * h * rates)[1] @ rates) for k in (-2, -1, 1, 2)]
        return np.asarray((steps[0] - 8.0 * steps[1] + 8.0 * steps[2] - steps[3]) / (12.0 * h))

    @property
    def _driven(self) -> bool:
        """Return whether anything follows the time."""
        return any(coordinate < 0 for _, coordinate, _ in self._structure.curves)

    def _loops_after(self, q: np.ndarray, h: float, rates: np.ndarray) -> np.ndarray:
        """Return the errors of loops a time h [s] later, at constant rates."""
        now, self._time = self._time, self._time + h
        try:
            return self._closures(q + h * rates)[0]
        finally:
            self._time = now

    def _loop_drift(self, q: np.ndarray) -> np.ndarray:
        """Return the rates (r,) of the errors of loops that time alone makes."""
        if not self._driven:
            return np.zeros(len(self._rows))
        h, still = 1e-3, np.zeros(len(self))
        steps = [self._loops_after(q, k * h, still) for k in (-2, -1, 1, 2)]
        return np.asarray((steps[0] - 8.0 * steps[1] + 8.0 * steps[2] - steps[3]) / (12.0 * h))

    def _towards(
        self, q: np.ndarray, jacobian: np.ndarray, wanted: np.ndarray, mass: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the change (n,) of least mass-weighted size that changes what rows measure as wanted."""
        return self._impulses(q, jacobian, wanted, mass)[0]

    def _impulses(
        self, q: np.ndarray, jacobian: np.ndarray, wanted: np.ndarray, mass: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what `_towards` does, and what the rows (r,) give for it: the least that do."""
        moved = np.linalg.solve(self.mass_matrix(q) if mass is None else mass, jacobian.T)
        given = np.linalg.lstsq(jacobian @ moved, wanted, RANK)[0]
        return np.asarray(moved @ given), np.asarray(given)

    def assemble(self, q: Any = None, rates: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the coordinates (n,) nearest to q, weighted by mass, at which loops are closed, and rates.

        The rates (n,) are those nearest to the given ones at which they stay closed. Stelzner 2008, S-031.

        Args:
            q, rates: (n,) coordinates and rates to begin with; None: as they are now.

        Raises:
            ValueError: the loops cannot be closed from there; names the joint that stays open most.
        """
        q = self.q if q is None else self._given("q", q).copy()
        rates = self.rates if rates is None else self._given("rates", rates)
        errors = np.zeros(0)
        for _ in range(MOST_ROUNDS):
            errors, jacobian = self._closures(q)
            if np.abs(errors).max(initial=0.0) <= CLOSED:
                break
            q = q + self._towards(q, jacobian, -errors)
        if not np.abs(errors).max(initial=0.0) <= 1e3 * CLOSED:
            worst = int(np.argmax(np.abs(errors)))
            part = self._joints.part[self._rows[worst]]
            name = self._world.joints[self._joints.joint[part]].name
            raise ValueError(
                f"loops cannot be closed: joint {name!r} stays open by {abs(errors[worst]):.3g} m or rad; "
                "begin nearer to a pose in which it is closed, or look whether lengths reach"
            )
        jacobian = self._closures(q)[1]
        if not len(self._rows):
            return q, rates
        return q, rates - self._towards(q, jacobian, jacobian @ rates + self._loop_drift(q))

    # ------------------------------------------------------------- inverse kinematics

    def solve_ik(
        self,
        targets: IKTarget | Sequence[IKTarget],
        q: Any = None,
        *,
        rule: str = "closest",
        limits: bool = True,
        tolerance: float = 1e-6,
    ) -> IKResult:
        """Return coordinates at which bodies are where they are wanted; the world stays as it is.

        Stelzner 2008, section 3.1. What cannot be reached is missed, and the result says by how much; with
        "least squares" by as little as can be.

        Args:
            targets: one or several.
            q: (n,) coordinates to begin with; None: as they are now.
            rule: "closest" of all solutions to the start, "least step" in each round, "few joints", that
                moves as few as it can, or "least squares", for targets that contradict each other.
            limits: whether coordinates stay within the `limits` of their joints.
            tolerance: by which targets may be missed [m, rad].

        Raises:
            TypeError, ValueError: no targets, no such rule, or bodies of another world.
        """
        wanted = [targets] if isinstance(targets, IKTarget) else list(targets)
        for k, target in enumerate(wanted):
            checks.instance(f"targets[{k}]", target, IKTarget, "IKTarget(body, position=(0, 0, 1))")
        if not wanted:
            raise ValueError("targets = [] wants nothing; give at least one IKTarget")
        checks.choice("rule", rule, RULES)
        bounds = self.limits if checks.flag("limits", limits) else np.full((len(self), 2), np.inf) * (-1, 1)
        begin = self.q if q is None else self._given("q", q)
        return solve_ik(self, wanted, begin, rule, bounds, checks.positive("tolerance", tolerance, "m, rad"))
