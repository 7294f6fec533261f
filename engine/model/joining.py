"""Joints of a model in a world: where they are, what they hold, and what acts on them."""

from typing import Any

from stoss.collision.quaternions import ORIGIN, Vector, length
from stoss.engine.control.servo import Servo
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.framed import Framed
from stoss.engine.joints.kind import UP, JointKind
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.frames import HERE, Pose, inverse, normals, placed, then
from stoss.engine.model.kinds import ACTIONS, JOINT_KINDS, arguments, given
from stoss.engine.model.laws import law_of
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.engine.world.world import World
from stoss.names import hint

__all__ = ["Joining", "act", "joint_kind"]

_UNIT = 1e-15  # directions that miss the length one by less are rounded ones, and stay as they are
_DIRECTIONS = ("axis", "normal", "x_axis", "second_axis", "second_normal")


class Joining:
    """Add joints to a world whose bodies and markers are there.

    Args:
        world: the world.
        plane: to which the motion is confined, if any.
    """

    def __init__(self, world: World, plane: str | None) -> None:
        self._world = world
        self._axis: Vector = UP if plane is None else normals[plane]
        self._captures: list[Servo] = []

    def add(self, record: records.Joint) -> Joint:
        """Add a joint with all that acts on it.

        Raises:
            ModelError, ValueError, TypeError, KeyError: names what is wrong.
        """
        first, first_pose = self._end("first", record.first, record.first_frame)
        second, second_pose = self._end("second", record.second, record.second_frame)
        if record.principal and (record.first_frame is None or record.second_frame is None):
            raise ModelError("principal is of first_frame and second_frame; give both of them")
        if first_pose is None and second_pose is None:
            kind = joint_kind(record)
        else:
            one, other = _pose(first), _pose(second)
            if first_pose is None:
                first_pose = then(inverse(one), then(other, second_pose or HERE))
            if second_pose is None:
                second_pose = then(inverse(other), then(one, first_pose))
            kind = self._between(record, then(one, first_pose), then(other, second_pose))
            if record.type != "distance":
                kind = Framed(kind, *first_pose, *second_pose, principal=record.principal)
        joint = self._world.add_joint(kind, first, second, name=record.name, collide=record.collide)
        for number, action in enumerate(record.actions):
            try:
                made = act(joint, action)
            except (ValueError, TypeError) as error:
                raise ModelError(f"actions[{number}], a {action.type}: {error}") from error
            if isinstance(made, Servo) and action.target is None:
                self._captures.append(made)
        if record.break_force is not None:
            joint.break_force = record.break_force
        if record.break_torque is not None:
            joint.break_torque = record.break_torque
        if not record.enabled:
            joint.enabled = False
        return joint

    def capture(self) -> None:
        """Let controllers without a target hold the pose that is there now."""
        for servo in self._captures:
            servo.capture()

    def add_coordinate(self, record: records.Coordinate) -> None:
        """Check that a named coordinate is one, and limit it."""
        joint = self._world.joint(record.joint)
        joint.value_of(record.coordinate)
        bounds = {"lower": record.lower, "upper": record.upper}
        bounds = {name: bound for name, bound in bounds.items() if bound is not None}
        if bounds:
            joint.limit(coordinate=record.coordinate, **bounds)  # type: ignore[arg-type]

    def _between(self, record: records.Joint, first: Pose, second: Pose) -> JointKind:
        """Return the kind of a joint between frames, in their coordinates; a distance, in the world's."""
        if record.type == "distance":
            place = {
                "point": placed(first, record.point or ORIGIN),
                "second_point": placed(second, record.second_point or ORIGIN),
            }
            return joint_kind(record, place)
        if issubclass(JOINT_KINDS.get(record.type, JointKind), Coupling):
            raise ModelError(f"a {record.type} is between joints; leave first and second out")
        defaults = {"point": ORIGIN, "center": ORIGIN, "axis": self._axis, "normal": self._axis}
        return joint_kind(record, defaults)

    def _end(
        self, what: str, name: str | None, frame: records.Frame | None
    ) -> tuple[Body | None, Pose | None]:
        """Return a body, None for the world, and the frame on it, None if there is none."""
        body, pose = self._body_and_marker(what, name)
        if frame is None:
            return body, pose
        if pose is not None:
            raise ModelError(
                f"{what} = {name!r} names a marker, and there is {what}_frame too; leave one of them out"
            )
        return body, (frame.position, frame.quaternion)

    def _body_and_marker(self, what: str, name: str | None) -> tuple[Body | None, Pose | None]:
        if name is None:
            return None, None
        world = self._world
        bodies, markers = world._all_bodies.registry, world._markers.registry
        if name in bodies:
            return bodies.named(name), None
        if name in markers:
            marker = markers.named(name)
            record = marker._record
            return marker.body, (record.position, record.quaternion)
        known = [*bodies.names, *markers.names]
        raise ModelError(
            f"{what} = {name!r} is neither a body nor a marker of one{hint(name, known)}; write 'body', or "
            "'body:marker'"
        )


def _pose(body: Body | None) -> Pose:
    """Return where the frame of a body's shapes is in the world."""
    if body is None:
        return HERE
    x, y, z = body.position.tolist()
    w, a, b, c = body.quaternion.tolist()
    return (x, y, z), (w, a, b, c)


def joint_kind(record: records.Kind, defaults: dict[str, Any] | None = None) -> JointKind:
    """Return the joint kind of a record.

    Args:
        record: the record.
        defaults: what holds where the record says nothing and the kind asks for it, or has another default.

    Raises:
        ModelError, ValueError, TypeError: names what is wrong.
    """
    values = given(record, records.Kind)
    takes = arguments(records.Kind, record.type)
    for name, value in (defaults or {}).items():
        if name in takes and name not in values:
            values[name] = value
    for name, needed in takes.items():
        if needed and name not in values:
            raise ModelError(f"{name} is missing; a {record.type} needs it")
    if record.type == "compose":
        return JOINT_KINDS["compose"](*[joint_kind(one, defaults) for one in record.kinds])
    made = JOINT_KINDS[record.type](**values)
    for name in _DIRECTIONS:
        value = values.get(name)
        if value is not None and abs(length(value) - 1.0) <= _UNIT:
            # the same bits as where it was read from: dividing by a length of one may change the last one
            made._set(**{name: tuple(map(float, value))})
    return made


def act(joint: Joint, record: records.Action) -> Any:
    """Let something act on a coordinate of a joint, and return its handle.

    Raises:
        ModelError, ValueError, TypeError: names what is wrong.
    """
    values = given(record, records.Action)
    for name, needed in arguments(records.Action, record.type).items():
        if needed and name not in values:
            raise ModelError(f"{name} is missing; a {record.type} needs it")
    if "law" in values:
        values["law"] = law_of(values["law"])
    rate = values.pop("target_rate", None)
    handle = ACTIONS[record.type](joint, **values)
    if rate is not None:
        handle.target_rate = rate
    if record.times or record.values:
        if record.type == "control" or record.type.startswith("limit"):
            raise ModelError(f"times and values are a schedule, which a {record.type} does not have")
        handle.schedule(record.times, record.values)
    if not record.enabled:
        handle.enabled = False
    return handle
