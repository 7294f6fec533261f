"""Handle of one joint, valid while others come and go."""

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from stoss.collision.quaternions import rotate
from stoss.collision.read_only import read_only
from stoss.engine import checks
from stoss.engine.joints.arrays import DRIVE, FORCE, HOLD, LAW, LENGTH, LIMIT, ROTOR, SUM, JointArrays
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.joints.kind import JointKind
from stoss.engine.joints.probes import coordinate_of, measured
from stoss.engine.laws.anisotropic_friction import Anisotropic
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.world.curved_stops import SwingLimit, TwistLimit
from stoss.engine.world.drives import Drive, JointFriction, Limit, PidDrive, Rotor
from stoss.engine.world.exclusive import enters_world
from stoss.engine.world.handle import Handle
from stoss.engine.world.joint_checks import (
    DAMPING_UNIT,
    checked_bounds,
    checked_coordinate,
    checked_reset_time,
    checked_switch,
    checked_window,
)
from stoss.engine.world.joint_rows import JointRows, checked_stop
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.joints.table import JointTable
    from stoss.engine.world.body import Body
    from stoss.engine.world.world import World

__all__ = ["Joint"]


@closed
@enters_world(
    "limit",
    "limit_swing",
    "limit_twist",
    "motor",
    "servo",
    "spring",
    "damper",
    "pid",
    "rotor",
    light=("break_force", "break_torque"),
)
class Joint(Handle):
    """One joint of a world: what two bodies keep of their pose to each other, its stops and its drives.

    Coordinates say where the second body is relative to the first; forces and torques act on the second body,
    their opposites on the first. `coordinate` may be left out where the joint has exactly one.
    """

    __slots__ = ("_coordinates", "_kind", "_rows")

    def __init__(self, world: "World", key: int, name: str, kind: JointKind) -> None:
        super().__init__(world, key, name)
        self._kind = kind
        self._coordinates = kind.coordinates()
        self._rows = JointRows(self)

    def __repr__(self) -> str:
        what = f"<Joint {self._name!r}, {type(self._kind).__name__}"
        if not self._world._all_joints.registry.has(self):
            return f"{what}, removed>"
        first, second = ("the world" if one is None else repr(one.name) for one in (self.first, self.second))
        state = ", broken" if self.broken else "" if self.enabled else ", disabled"
        return f"{what} of {first} and {second}{state}>"

    def _what(self, argument: str) -> str:
        return f"joint {self._name!r}: {argument}"

    # ------------------------------------------------------------- what it is

    @property
    def kind(self) -> JointKind:
        """Return the kind as it was given, in world coordinates at that moment."""
        return self._kind

    @property
    def index(self) -> int:
        """Return the present number of the joint in the arrays of the joints.

        Raises:
            ValueError: the joint was removed.
        """
        return self._world._joint_store.row(self)

    @property
    def _row(self) -> int:
        """Return the number in the arrays as they are, with what was removed: see `World._body_store`."""
        return self._world._all_joints.row(self)

    @property
    def first(self) -> "Body | None":
        """Return the first body, None for the world."""
        return self._body(0)

    @property
    def second(self) -> "Body | None":
        """Return the second body, None for the world."""
        return self._body(1)

    def _body(self, which: int) -> "Body | None":
        row = self._arrays.bodies[self._row, which]
        return None if row < 0 else self._world._all_bodies.handles[row]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Return the names of the coordinates."""
        return tuple(self._coordinates)

    @property
    def _table(self) -> "JointTable":
        table = self._world._all_joints.table
        if table.has_waiting:
            with self._entry("reading a joint after a drive was added"):
                table.place_waiting()
        return table

    @property
    def _arrays(self) -> JointArrays:
        return self._table.arrays

    # ------------------------------------------------------------- switches

    @property
    def enabled(self) -> bool:
        """Whether it acts; assign to switch it on or off, with all its limits and drives."""
        return bool(self._arrays.enabled[self._row])

    @enabled.setter
    def enabled(self, value: bool) -> None:
        wanted, j, arrays = checked_switch(self, value), self._row, self._arrays
        if arrays.enabled[j] != wanted or arrays.broken[j]:
            self._table.set_enabled(j, wanted)
            self._world._changed()

    @property
    def broken(self) -> bool:
        """Return whether it broke; a broken joint is disabled until it is enabled again."""
        return bool(self._arrays.broken[self._row])

    @property
    def break_force(self) -> float:
        """Reaction force [N] at which it breaks; assign to change it."""
        return float(self._arrays.break_force[self._row])

    @break_force.setter
    def break_force(self, value: float) -> None:
        number = checks.number(self._what("break_force"), value, "N", least=0.0, finite=False)
        self._arrays.break_force[self._row] = number

    @property
    def break_torque(self) -> float:
        """Reaction torque [N m] at which it breaks; assign to change it."""
        return float(self._arrays.break_torque[self._row])

    @break_torque.setter
    def break_torque(self, value: float) -> None:
        number = checks.number(self._what("break_torque"), value, "N m", least=0.0, finite=False)
        self._arrays.break_torque[self._row] = number

    # ------------------------------------------------------------- what it measures

    @property
    def value(self) -> float:
        """Return the only coordinate [m or rad], angles counted on over full turns.

        Raises:
            ValueError: the joint has none or several; use `value_of`.
        """
        return self.value_of()

    @property
    def rate(self) -> float:
        """Return the rate of the only coordinate [m/s or rad/s]; see `value`."""
        return self.rate_of()

    def value_of(self, coordinate: str | None = None) -> float:
        """Return a coordinate [m or rad]."""
        return self._measure(coordinate)[0]

    def rate_of(self, coordinate: str | None = None) -> float:
        """Return the rate of a coordinate [m/s or rad/s]."""
        return self._measure(coordinate)[1]

    def _measure(self, coordinate: str | None) -> tuple[float, float]:
        place = self._coordinates[checked_coordinate(self, coordinate)]
        return coordinate_of(self._table, self._row, place, self._world._all_bodies.arrays)

    @property
    def force(self) -> np.ndarray:
        """Return the force (3,) [N], world, on the second body, mean over the last step."""
        return read_only(self._arrays.reaction[self._row, :3] / self._world._steps.force_step)

    @property
    def torque(self) -> np.ndarray:
        """Return the torque (3,) [N m], world, on the second body about `second_point`, as `force`."""
        return read_only(self._arrays.reaction[self._row, 3:] / self._world._steps.force_step)

    @property
    def error(self) -> float:
        """Return the largest miss [m] of what it holds among lengths."""
        return self._largest_error(True)

    @property
    def angle_error(self) -> float:
        """Return the largest miss [rad] of what it holds among angles."""
        return self._largest_error(False)

    def _largest_error(self, linear: bool) -> float:
        own = of_joint(self._table.arrays, self._row)
        measures = own.measure.copy()
        coupled = np.flatnonzero(measures >= SUM)
        measures[coupled] = measures[coupled - 1]  # in the unit of its second coordinate
        wanted = (own.role == HOLD) & ((measures <= LENGTH) == linear)
        if not wanted.any():
            return 0.0
        value, _ = measured(own, self._world._all_bodies.arrays)
        return float(np.abs(value - own.target)[wanted].max())

    @property
    def first_point(self) -> np.ndarray:
        """Return where the joint is on the first body (3,) [m], world."""
        own = of_joint(self._table.arrays, self._row)
        return self._placed(own.ends[0, 0], own.point_a[0])

    @property
    def second_point(self) -> np.ndarray:
        """Return where the joint is on the second body (3,) [m], world."""
        own = of_joint(self._table.arrays, self._row)
        return self._placed(own.ends[0, 1], own.point_b[0])

    def _placed(self, row: int, local: np.ndarray) -> np.ndarray:
        if row < 0:
            return read_only(local.copy())
        b = self._world._all_bodies.arrays
        return read_only(b.positions[row] + rotate(b.quaternions[row].tolist(), local.tolist()))

    # ------------------------------------------------------------- limits and drives

    def limit(
        self,
        lower: float = -np.inf,
        upper: float = np.inf,
        *,
        coordinate: str | None = None,
        restitution: float = 0.0,
        stiffness: float | None = None,
        damping: float | None = None,
    ) -> Limit:
        """Stop a coordinate between two bounds.

        Args:
            lower, upper: bounds [m or rad]; leave one out for a stop on one side.
            coordinate: name of the coordinate.
            restitution: of a rigid stop, 0 to 1.
            stiffness, damping: make it a soft stop, [N/m or N m/rad] and [N s/m or N m s/rad].

        Raises:
            TypeError, ValueError: naming joint, argument, value and cure.
        """
        name = checked_coordinate(self, coordinate, drive=True)
        low, high = checked_bounds(self, name, lower, upper)
        values = dict(lower=low, upper=high, **checked_stop(self, restitution, stiffness, damping))
        return self._rows.add(Limit, name, LIMIT, values)

    def limit_swing(
        self,
        *,
        ellipse: Any = None,
        spline: Any = None,
        polygon: Any = None,
        inside: Any = None,
        restitution: float = 0.0,
        stiffness: float | None = None,
        damping: float | None = None,
    ) -> SwingLimit:
        """Keep the axis z of the second body within a closed cone about that of the first.

        For joints with a swing, and for `Universal`, whose frame has x along the first axis and z across
        both. Where the axis is beyond, the stop turns it back square to the cone, whatever the shape of that;
        the twist stays free. Directions are those of the joint's frame on the first body (z its axis); a
        swing towards x and y is an angle [rad] by which the axis leans that way. Henze 2002, section 2.2.

        Args:
            ellipse: largest swings [rad] towards x and y (2,), or lowest and highest ones (4,).
            spline: in place of that a smooth cone through swings (n, 2) [rad] or directions (n, 3).
            polygon: in place of that a cone of flat sides with corners at swings (n, 2) or directions (n, 3).
            inside: a direction (3,) that is inside; None: the axis.
            restitution: of a rigid stop, 0 to 1.
            stiffness, damping: make it a soft stop, [N m/rad] and [N m s/rad].

        Raises:
            TypeError, ValueError: naming joint, argument, value and cure.
        """
        given = {"ellipse": ellipse, "spline": spline, "polygon": polygon}
        stop = checked_stop(self, restitution, stiffness, damping)
        return self._rows.add_swing_limit(given, inside, stop)

    def limit_twist(
        self,
        ranges: Any,
        *,
        restitution: float = 0.0,
        stiffness: float | None = None,
        damping: float | None = None,
    ) -> TwistLimit:
        """Stop the twist between bounds that depend on the swing; constant ones are those of `limit`.

        Between the rows bounds are smooth, without overshoot; beyond the last one they are as there. Near a
        swing of half a turn, where the twist is not defined, the stop does nothing.

        Args:
            ranges: swing, lowest and highest twist there (n, 3) [rad], by rising swings.
            restitution: of a rigid stop, 0 to 1.
            stiffness, damping: make it a soft stop, [N m/rad] and [N m s/rad].

        Raises:
            TypeError, ValueError: naming joint, argument, value and cure.
        """
        return self._rows.add_twist_limit(ranges, checked_stop(self, restitution, stiffness, damping))

    @property
    def friction_law(self) -> FrictionLaw | None:
        """Return the friction law on its only coordinate, or None; assigned, it takes the place of the last.

        `friction(law, coordinate=...)` adds a law to one of several coordinates.
        """
        name = checked_coordinate(self, None, drive=True)
        return next((one.law for one in self.frictions if one.coordinate == name), None)

    @friction_law.setter
    def friction_law(self, law: FrictionLaw | None) -> None:
        name = checked_coordinate(self, None, drive=True)
        if law is not None:
            _checked_law(self._what("friction_law"), law)
        for one in self.frictions:
            if one.coordinate == name:
                one.remove()
        if law is not None:
            self.friction(law, coordinate=name)

    def motor(
        self,
        velocity: float = 0.0,
        *,
        max_force: float = np.inf,
        damping: float = np.inf,
        coordinate: str | None = None,
    ) -> Drive:
        """Drive a coordinate at a rate (Bender 2007, section 3.2.5).

        Args:
            velocity: wanted rate [m/s or rad/s].
            max_force: largest force [N] or torque [N m]; without one it takes what it needs, but in a jam
                it yields before joints and contacts do.
            damping: infinite: the rate is held exactly; else force per missing rate [N s/m or N m s/rad].
            coordinate: name of the coordinate.
        """
        name = checked_coordinate(self, coordinate, drive=True)
        values = {
            "target_rate": checks.number(self._what("velocity"), velocity, "m/s or rad/s"),
            "damping": Drive.damping.check(self, damping),
            "max_force": Drive.max_force.check(self, max_force),
        }
        return self._rows.add(Drive, name, DRIVE, values)

    def servo(
        self,
        target: float,
        *,
        stiffness: float,
        damping: float,
        max_force: float = np.inf,
        coordinate: str | None = None,
    ) -> Drive:
        """Drive a coordinate to a value by an implicit spring and damper, stable at any stiffness.

        Args:
            target: wanted value [m or rad].
            stiffness, damping: [N/m or N m/rad] and [N s/m or N m s/rad].
            max_force: largest force [N] or torque [N m].
            coordinate: name of the coordinate.
        """
        name = checked_coordinate(self, coordinate, drive=True)
        values = {
            "target": checks.number(self._what("target"), target, "m or rad"),
            "stiffness": Drive.stiffness.check(self, stiffness),
            "damping": checks.number(self._what("damping"), damping, DAMPING_UNIT, least=0.0),
            "max_force": Drive.max_force.check(self, max_force),
        }
        return self._rows.add(Drive, name, DRIVE, values)

    def spring(
        self, stiffness: float, damping: float = 0.0, rest: float = 0.0, *, coordinate: str | None = None
    ) -> Drive:
        """Pull a coordinate to its rest value (Bender 2007, section 3.2.7, taken implicitly).

        Args:
            stiffness, damping: [N/m or N m/rad] and [N s/m or N m s/rad].
            rest: value without force [m or rad].
            coordinate: name of the coordinate.
        """
        name = checked_coordinate(self, coordinate, drive=True)
        values = {
            "target": checks.number(self._what("rest"), rest, "m or rad"),
            "stiffness": Drive.stiffness.check(self, stiffness),
            "damping": checks.number(self._what("damping"), damping, DAMPING_UNIT, least=0.0),
        }
        return self._rows.add(Drive, name, DRIVE, values)

    def damper(self, damping: float, *, coordinate: str | None = None) -> Drive:
        """Resist the rate of a coordinate in proportion [N s/m or N m s/rad].

        Args:
            damping: force per speed [N s/m], or torque per rate [N m s/rad].
            coordinate: which one, where the joint has several.
        """
        name = checked_coordinate(self, coordinate, drive=True)
        values = {"damping": checks.number(self._what("damping"), damping, DAMPING_UNIT, least=0.0)}
        return self._rows.add(Drive, name, DRIVE, values)

    @overload
    def friction(self, max_force: float, *, coordinate: str | None = None) -> Drive: ...
    @overload
    def friction(self, max_force: FrictionLaw, *, coordinate: str | None = None) -> JointFriction: ...
    def friction(
        self, max_force: float | FrictionLaw, *, coordinate: str | None = None
    ) -> Drive | JointFriction:
        """Resist the rate of a coordinate by dry friction, or by a friction law.

        Args:
            max_force: largest force [N] or torque [N m] of dry friction; or a law, such as
                `Stribeck(static=1.4, dynamic=1.0, speed=0.01)`, whose numbers are then forces or torques.
            coordinate: name of the coordinate.

        Raises:
            TypeError, ValueError: no number below zero, or a law that is for contacts alone.
        """
        if isinstance(max_force, FrictionLaw):
            _checked_law(self._what("max_force"), max_force)
            name = checked_coordinate(self, coordinate, drive=True)
            return self._rows.add(JointFriction, name, LAW, {"law": self._world._laws.number(max_force)})
        number = checks.number(self._what("max_force"), max_force, "N or N m", least=0.0)
        return self.motor(0.0, max_force=number, coordinate=coordinate)

    def pid(
        self,
        target: float,
        *,
        gain: float,
        reset_time: float = np.inf,
        derivative_time: float = 0.0,
        window: float = 2.0,
        max_force: float = np.inf,
        coordinate: str | None = None,
    ) -> PidDrive:
        """Drive a coordinate to a value by an explicit PID controller (Bender 2007, section 3.2.5).

        Args:
            target: wanted value [m or rad].
            gain: of all three parts [N/m or N m/rad].
            reset_time: [s], infinite: no integral.
            derivative_time: [s].
            window: time [s] over which the integral goes back.
            max_force: largest force [N] or torque [N m]; the integral rests while it is reached.
            coordinate: name of the coordinate.
        """
        name = checked_coordinate(self, coordinate, drive=True)
        values: dict[str, Any] = {
            "target": checks.number(self._what("target"), target, "m or rad"),
            "max_force": PidDrive.max_force.check(self, max_force),
        }
        numbers = (
            PidDrive.gain.check(self, gain),
            checked_reset_time(self, reset_time),
            PidDrive.derivative_time.check(self, derivative_time),
            checked_window(self, window),
        )
        values["pid"] = self._table.add_controller(*numbers)
        return self._rows.add(PidDrive, name, FORCE, values)

    def rotor(self, inertia: float, *, coordinate: str | None = None) -> Rotor:
        """Let a coordinate carry an inertia of its own, as that of a geared motor (MJCF: armature).

        Args:
            inertia: [kg] on a displacement, [kg m^2] on an angle: of the rotor, times its gear ratio squared.
            coordinate: name of the coordinate.
        """
        name = checked_coordinate(self, coordinate, drive=True)
        return self._rows.add(Rotor, name, ROTOR, {"inertia": Rotor.inertia.check(self, inertia)})

    @property
    def limits(self) -> list[Limit]:
        """Return the limits between two numbers, in the order in which they were added."""
        return [handle for handle in self._rows if isinstance(handle, Limit)]

    @property
    def curved_limits(self) -> list[SwingLimit | TwistLimit]:
        """Return the limits of `limit_swing` and `limit_twist`, in the order in which they were added."""
        return [handle for handle in self._rows if isinstance(handle, SwingLimit | TwistLimit)]

    @property
    def drives(self) -> list[Drive | PidDrive]:
        """Return motors, servos, springs and controllers, in the order in which they were added."""
        return [handle for handle in self._rows if isinstance(handle, Drive | PidDrive)]

    @property
    def frictions(self) -> list[JointFriction]:
        """Return the friction laws on coordinates, in the order in which they were added."""
        return [handle for handle in self._rows if isinstance(handle, JointFriction)]

    @property
    def rotors(self) -> list[Rotor]:
        """Return the inertias on coordinates, in the order in which they were added."""
        return [handle for handle in self._rows if isinstance(handle, Rotor)]


def _checked_law(name: str, law: FrictionLaw) -> None:
    """Raise TypeError if this is no friction law for a coordinate."""
    checks.instance(name, law, FrictionLaw, "Stribeck(static=1.4, dynamic=1.0, speed=0.01)")
    if isinstance(law, Anisotropic):
        raise TypeError(f"{name} = {law!r}: a coordinate has one direction; give the law that is in it")
