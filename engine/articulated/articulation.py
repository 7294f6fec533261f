"""Generalised coordinates of the bodies and joints of a world."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated.inverse_kinematics import RULES, IKResult, IKTarget, rotated, solve_ik
from stoss.engine.articulated.loops import Loops
from stoss.engine.articulated.measured import measure_axes, measured_of
from stoss.engine.articulated.placement import CHANGED, Placement
from stoss.engine.articulated.reactions import Reactions, reactions_of
from stoss.engine.articulated.structure import Follow, limits_of
from stoss.engine.articulated.structure_of_world import structure_of
from stoss.engine.articulated.tree_bodies import (
    link_jacobian,
    write_accelerations,
    write_velocities,
)
from stoss.engine.articulated.tree_dynamics import (
    accelerate,
    add_centre_jacobian,
    add_momenta,
    inverse_dynamics,
)
from stoss.engine.world.poses import reference_positions, reference_quaternions
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.body import Body
    from stoss.engine.world.world import World

__all__ = ["Articulation"]

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
        self._placement = Placement(world, found)
        self._own, self._moves = self._placement.own, self._placement.moves
        self._loops = Loops(world, self._placement)
        self._joined, self._version = self._members(), self._now()
        self._displacements = np.zeros(len(self._tree.carrier))
        for joint in found.joints:  # turns that joints have counted
            if joint.joint is not None and len(joint.axes) == 1:
                self._displacements[joint.axes[0]] = joint.joint.value
        self._gravity = np.zeros(3)

    def __repr__(self) -> str:
        loops = f", {len(self._loops)} rows of loops" if len(self._loops) else ""
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
        return self._placement.time

    @time.setter
    def time(self, value: float) -> None:
        self._placement.time = checks.number("time", value, "s")

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
        return limits_of(self._structure)

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
        self._placement.place(q)
        bodies, momenta = self._world._bodies, np.zeros(len(self))
        velocities = np.hstack([bodies.velocities, bodies.angular_velocities])
        velocities -= np.hstack(self._placement.drift())
        add_momenta(self._tree, np.ascontiguousarray(velocities), momenta)
        return np.linalg.solve(self._placement.mass_matrix(rotors=False), momenta)

    def set_state(self, q: Any, rates: Any = None) -> None:
        """Move the bodies of the world to coordinates q (n,), with rates (n,), by default at rest.

        Loops are left as they are: `assemble` closes them.
        """
        q, rates = self._given("q", q), self._given("rates", rates)
        self._check_structure()
        world, moved = self._world, self._placement.moved(q)
        still = np.zeros(len(self))
        accelerate(self._tree, rates, still, self._gravity)
        velocities, turning = world.velocities.copy(), world.angular_velocities.copy()
        write_velocities(self._tree, self._moves, velocities, turning)
        world.positions, world.quaternions = reference_positions(moved), reference_quaternions(moved)
        world.velocities, world.angular_velocities = velocities, turning
        self._displacements[self._own] = q

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
            raise ValueError(CHANGED)
        self._loops.take_rows()
        self._version = self._now()

    def _given(self, name: str, value: Any, default: np.ndarray | None = None) -> np.ndarray:
        """Return an array (n,), zeros where nothing is given."""
        if value is None:
            return np.zeros(len(self)) if default is None else default
        return np.ascontiguousarray(checks.array(name, value, (len(self),)))

    def _placed(self, q: Any) -> np.ndarray:
        """Place the tree at given coordinates, or where the bodies are, and return them."""
        q = self.q if q is None else self._given("q", q)
        self._placement.place(q)
        return q

    # ------------------------------------------------------------- kinematics

    def poses(self, q: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return where the bodies of the world are at coordinates q: (bodies, 3) [m], (bodies, 4).

        They are those of the bodies' frames, as `World.positions` and `World.quaternions`.

        Args:
            q: (n,) [rad or m]; None: as they are now.
        """
        moved = self._placement.moved(self.q if q is None else self._given("q", q))
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

        Raises:
            ValueError: no body moves.
        """
        self._placed(q)
        masses = np.where(self._moves, self._tree.mass, 0.0)
        if not masses.any():
            raise ValueError("no body of the world moves, so there is no centre of mass; add one that does")
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
        return self._placement.mass_matrix()

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
        if not len(self._loops):
            return free
        jacobian, wanted = self.loop_jacobian(q), -self._loops.bias(q, rates)
        return free + self._loops.towards(q, jacobian, wanted - jacobian @ free)

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
        given = {} if loads is None else loads
        if not isinstance(given, Mapping):
            raise TypeError(f"loads = {checks.shown(loads)} must be {{body: (force, torque)}}")
        for body, pair in given.items():
            row = self._row(body)
            if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
                raise TypeError(
                    f"loads[{body.name!r}] = {checks.shown(pair)} must be (force, torque), (3,) each"
                )
            force, torque = pair
            out[row, :3] = checks.vector(f"loads[{body.name!r}]: force", force)
            out[row, 3:] = checks.vector(f"loads[{body.name!r}]: torque", torque)
        return out

    # ------------------------------------------------------------- loops

    def loop_errors(self, q: Any = None) -> np.ndarray:
        """Return by how much the joints that close loops are open (r,) [m or rad].

        Args:
            q: (n,) coordinates; None: as they are now.
        """
        return self._loops.closures(self.q if q is None else self._given("q", q))[0]

    def loop_jacobian(self, q: Any = None) -> np.ndarray:
        """Return how the errors of loops change with the coordinates (r, n).

        Args:
            q: (n,) coordinates; None: as they are now.
        """
        return self._loops.closures(self.q if q is None else self._given("q", q))[1]

    def assemble(self, q: Any = None, rates: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the coordinates (n,) nearest to q, weighted by mass, at which loops are closed, and rates.

        The rates (n,) are those nearest to the given ones at which they stay closed (Stelzner 2008,
        section 2.3.1).

        Args:
            q, rates: (n,) coordinates and rates to begin with; None: as they are now.

        Raises:
            ValueError: the loops cannot be closed from there; names the joint that stays open most.
        """
        q = self.q if q is None else self._given("q", q).copy()
        rates = self.rates if rates is None else self._given("rates", rates)
        return self._loops.assemble(q, rates)

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
