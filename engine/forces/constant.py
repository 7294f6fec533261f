"""Loads that are given: a force at a point, a torque on a body, at a joint, a force along a line."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stoss.engine import checks
from stoss.engine.expressions import ExpressionError, TimeFunction
from stoss.engine.forces.arrays import COORDINATE, FORCE, LINE, PAIR_TORQUE, TORQUE, LoadRows, Probe
from stoss.engine.forces.ends import end_of, place_of
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.world.load_kind import End, JointEnd, LoadKind, OnJoint, Place
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.joints.kind import Coordinate
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = [
    "Force",
    "JointTorque",
    "LineForce",
    "ReadyLoad",
    "Torque",
    "checked_coordinate_of",
    "coordinate_rows",
    "joint_handle",
    "line_rows",
    "on_body",
    "set_end",
    "two_ends",
]


@closed
@dataclass(frozen=True)
class ReadyLoad(LoadKind):
    """Base of loads that kernels evaluate."""

    # the field that `Load.amount` is, and the first of the numbers of a row in which it is
    _amount: ClassVar[str] = ""
    _amount_at: ClassVar[int] = 0

    @property
    def _factor(self) -> str | None:
        """Return the function of the time that the amount is multiplied by."""
        return getattr(self, "factor", None)

    def _check_factor(self) -> None:
        if self._factor is not None:
            text = checks.text(f"{self._name}: factor", self._factor)
            try:
                TimeFunction(text)
            except ExpressionError as error:
                raise ValueError(f"{self._name}: factor = {text!r}: {error}") from error

    def _checked(self, what: str, world: "World") -> "ReadyLoad":
        """Return it with numbers that fit the world, such as vectors in its plane.

        Raises:
            TypeError, ValueError: one does not.
        """
        return self

    def _rows(self, world: "World") -> LoadRows:
        """Return its rows for the arrays; bodies and joints are given by their keys."""
        raise NotImplementedError


def framed_end(value: Any, at: Any, world: "World", name: str) -> Any:
    """Return the frame in which vectors are given: "world", or that of a body or a marker.

    Args:
        value: "world", "local" (that of where the load acts), a body or a marker.
        at: where it acts.
        world, name: to which it belongs, and the name of the argument.
    """
    if isinstance(value, str) and value == "world":
        return value
    return end_of(name, at if isinstance(value, str) and value == "local" else value, world)


def set_frame(rows: LoadRows, frame: Any, world: "World") -> None:
    """Let vectors of all rows be in a frame, as `framed_end` returns it."""
    if isinstance(frame, End):
        body, _, turn = place_of(frame, world)
        rows.frame[:], rows.turn[:] = body, turn


def set_end(rows: LoadRows, which: int, end: End, world: "World") -> None:
    """Let all rows act at an end."""
    body, point, _ = place_of(end, world)
    rows.bodies[:, which], rows.points[:, 3 * which : 3 * which + 3] = body, point


@closed
@dataclass(frozen=True)
class Force(ReadyLoad):
    """A force at a point of a body: "Force 1Body" of the theses, such as the drill of an arm.

    Args:
        at: where it acts: a body (its centre of mass), a marker, or (body, point in its frame).
        force: (3,) [N].
        frame: in which the force is given: "world", "local" (turns with the body or marker), or another body
            or marker.
        factor: function of the time t [s] that it is multiplied by, such as "sin(2*pi*5*t)**2".
    """

    at: Place
    force: Any
    frame: Place = "world"
    factor: str | None = None

    _ends: ClassVar = ("at", "frame")
    _amount: ClassVar = "force"

    def __post_init__(self) -> None:
        self._check_factor()
        self._set(force=checks.triple(f"{self._name}: force", self.force))

    def _checked(self, what: str, world: "World") -> "Force":
        at = on_body(f"{what}: at", self.at, world)
        frame = framed_end(self.frame, at, world, f"{what}: frame")
        if frame == "world" and world.plane is not None:
            world.plane.place(f"{what}: force", self.force)
        return replace(self, at=at, frame=frame)

    def _rows(self, world: "World") -> LoadRows:
        rows = LoadRows(1, FORCE)
        set_end(rows, 0, self.at, world)
        set_frame(rows, self.frame, world)
        rows.numbers[0, :3] = self.force
        return rows


@closed
@dataclass(frozen=True)
class Torque(ReadyLoad):
    """A torque on a body.

    Args:
        body: on which it acts; a marker stands for its body.
        torque: (3,) [N m].
        frame: in which it is given: "world", "local" (turns with the body or marker), or another body or
            marker.
        factor: function of the time t [s] that it is multiplied by, such as "sin(2*pi*5*t)**2".
    """

    body: Place
    torque: Any
    frame: Place = "world"
    factor: str | None = None

    _ends: ClassVar = ("body", "frame")
    _amount: ClassVar = "torque"

    def __post_init__(self) -> None:
        self._check_factor()
        self._set(torque=checks.triple(f"{self._name}: torque", self.torque))

    def _checked(self, what: str, world: "World") -> "Torque":
        body = on_body(f"{what}: body", self.body, world)
        frame = framed_end(self.frame, body, world, f"{what}: frame")
        if frame == "world" and world.plane is not None:
            world.plane.turn(f"{what}: torque", self.torque)
        return replace(self, body=body, frame=frame)

    def _rows(self, world: "World") -> LoadRows:
        rows = LoadRows(1, TORQUE)
        set_end(rows, 0, self.body, world)
        set_frame(rows, self.frame, world)
        rows.numbers[0, :3] = self.torque
        return rows


@closed
@dataclass(frozen=True)
class LineForce(ReadyLoad):
    """A force along the line between two points, equal and opposite: a muscle, an actuator.

    Args:
        first, second: where it acts: bodies, markers, (body, point), or points of the world.
        force: [N]; positive pulls the points together.
        factor: function of the time t [s] that it is multiplied by, such as "sin(2*pi*5*t)**2".
    """

    first: Place
    second: Place
    force: float
    factor: str | None = None

    _ends: ClassVar = ("first", "second")
    _amount: ClassVar = "force"

    def __post_init__(self) -> None:
        self._check_factor()
        self._set(force=checks.number(f"{self._name}: force", self.force, "N"))

    def _checked(self, what: str, world: "World") -> "LineForce":
        first, second = two_ends(what, self.first, self.second, world)
        return replace(self, first=first, second=second)

    def _rows(self, world: "World") -> LoadRows:
        rows = line_rows(LINE, self.first, self.second, world)
        rows.numbers[0, 0] = self.force
        return rows


@closed
@dataclass(frozen=True)
class JointTorque(ReadyLoad):
    """A torque, or a force, at a joint: on its second body, and the opposite one on the first.

    A number acts along a coordinate, as drives do: [N m] about an angle, [N] along a displacement. Three
    numbers are a torque vector, for all axes of a ball joint or of any other.

    Args:
        joint: the joint.
        torque: a number, or (3,) [N m].
        coordinate: along which the number acts; may be left out where the joint has exactly one.
        frame: in which a vector is given: "joint" (that of the joint on the first body), "first", "second"
            (those of the bodies), "world", or a body or a marker.
        factor: function of the time t [s] that it is multiplied by, such as "sin(2*pi*5*t)**2".
    """

    joint: OnJoint
    torque: Any
    coordinate: str | None = None
    frame: Place = "joint"
    factor: str | None = None

    _ends: ClassVar = ("frame",)
    _joints: ClassVar = ("joint",)
    _amount: ClassVar = "torque"

    def __post_init__(self) -> None:
        self._check_factor()
        name = f"{self._name}: torque"
        if isinstance(self.torque, list | tuple | np.ndarray) and np.ndim(self.torque):
            if self.coordinate is not None:
                raise ValueError(
                    f"{name} = {checks.shown(self.torque)} is a vector, so coordinate = {self.coordinate!r} "
                    "says nothing; give a number along the coordinate"
                )
            self._set(torque=checks.triple(name, self.torque))
        else:
            self._set(torque=checks.number(name, self.torque, "N m or N"))

    def _checked(self, what: str, world: "World") -> "JointTorque":
        joint = joint_handle(self.joint, world)
        if not isinstance(self.torque, tuple):
            return replace(self, coordinate=checked_coordinate_of(joint, self.coordinate))
        if world.plane is not None and self.frame == "world":
            world.plane.turn(f"{what}: torque", self.torque)
        frame = self.frame
        if isinstance(frame, str) and frame in ("joint", "first", "second"):
            return self
        return replace(self, frame=framed_end(frame, None, world, f"{what}: frame"))

    def _rows(self, world: "World") -> LoadRows:
        joint = joint_handle(self.joint, world)
        if not isinstance(self.torque, tuple):
            rows = coordinate_rows(COORDINATE, joint, self.coordinate)
            rows.numbers[0, 0] = self.torque
            return rows
        rows = LoadRows(1, PAIR_TORQUE)
        own = of_joint(joint._table.arrays, joint._row)
        first, second = own.ends[0].tolist()
        rows.bodies[0] = second, first
        if self.frame == "joint":
            rows.frame[0], rows.turn[0] = first, own.quaternion_a[0]
        elif self.frame in ("first", "second"):
            row = first if self.frame == "first" else second
            if row >= 0:
                rows.frame[0], rows.turn[0] = row, world._all_bodies.arrays.frame_quaternions[row]
        else:
            set_frame(rows, self.frame, world)
        rows.numbers[0, :3] = self.torque
        return rows


def on_body(name: str, value: Any, world: "World") -> End:
    """Return where a load acts that needs a body.

    Raises:
        TypeError, ValueError: it is in the world.
    """
    end = end_of(name, value, world)
    if end.body is None:
        raise ValueError(f"{name} = {checks.shown(value)} is in the world, which nothing moves; give a body")
    return end


def two_ends(what: str, first: Any, second: Any, world: "World") -> tuple[End, End]:
    """Return both ends of a line, of which one at least is on a body.

    Raises:
        TypeError, ValueError: neither is, or both are the same.
    """
    ends = end_of(f"{what}: first", first, world), end_of(f"{what}: second", second, world)
    if ends[0].body is None and ends[1].body is None:
        raise ValueError(f"{what}: neither first nor second is on a body; give a body or a marker of one")
    if ends[0].body == ends[1].body:
        name = world._all_bodies.handles[world._all_bodies.registry.row_of_key(ends[0].body or 0)].name
        raise ValueError(f"{what}: first and second are both on body {name!r}; nothing would come of it")
    return ends


def line_rows(code: int, first: End, second: End, world: "World") -> LoadRows:
    """Return a row along a line."""
    rows = LoadRows(1, code)
    set_end(rows, 0, first, world)
    set_end(rows, 1, second, world)
    return rows


def joint_handle(end: JointEnd, world: "World") -> "Joint":
    """Return the joint that a load acts on."""
    registry = world._all_joints.registry
    return registry.handles[registry.row_of_key(end.joint)]


def checked_coordinate_of(joint: "Joint", coordinate: str | None) -> str:
    """Return the name of a coordinate that a load may act along; raises as drives do."""
    from stoss.engine.world.joint_checks import checked_coordinate

    return checked_coordinate(joint, coordinate, drive=True)


def coordinate_rows(code: int, joint: "Joint", coordinate: str | None) -> LoadRows:
    """Return a row along a coordinate of a joint; bodies are those of the part that measures it."""
    rows = LoadRows(1, code)
    place: Coordinate = joint._coordinates[coordinate or ""]
    own = of_joint(joint._table.arrays, joint._row)
    first, second = own.ends[place[0]].tolist()
    rows.bodies[0] = second, first
    rows.probe = Probe(joint._key, place)
    return rows
