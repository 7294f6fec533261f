"""Joints of a world as records: in the coordinates of the world where that gives the same bits again."""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from stoss.collision.quaternions import ORIGIN, UNTURNED, quaternion_of, vector_of
from stoss.engine.joints.arrays import ANGLE_1, ANGLE_2, SUM, TWIST
from stoss.engine.joints.basic_kinds import Distance
from stoss.engine.joints.combined_kinds import Compose, Universal
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.joints.framed import Framed
from stoss.engine.joints.guided_kinds import SIX, CustomJoint
from stoss.engine.joints.kind import UP, JointKind
from stoss.engine.model import records
from stoss.engine.model.controlling import described, own_rows
from stoss.engine.model.frames import Pose, inverse, then
from stoss.engine.model.kinds import JOINT_KINDS, type_name
from stoss.engine.model.laws import law_record
from stoss.engine.model.loads import carried_by_loads
from stoss.engine.world.curved_stops import CurvedLimit, SwingLimit, TwistLimit
from stoss.engine.world.drives import Drive, JointFriction, Limit, PidDrive, Rotor, RowHandle
from stoss.engine.world.joint import Joint
from stoss.engine.world.joint_store import joined_parts
from stoss.engine.world.snapshot import JointRecord
from stoss.engine.world.world import World

__all__ = ["COUNTED", "JointDescriber"]

COUNTED = "turns that were counted"  # what is said of them in `left_out`


class JointDescriber:
    """Describe the joints of a world.

    Args:
        world: the world.

    Attributes:
        left_out: what cannot be described.
    """

    def __init__(self, world: World) -> None:
        self._world, self._store = world, world._joint_store
        self._bodies = world._body_store
        self.left_out: list[str] = []

    def describe(self) -> Iterable[records.Joint]:
        """Yield the records of all joints, in their order."""
        names = {record.key: record.name for record in self._bodies.registry.records}
        controls, _ = described(self._world)
        skipped = own_rows(self._world)
        carried, drives = carried_by_loads(self._world)
        for record, joint in zip(self._store.registry.records, self._store.handles, strict=True):
            if record.key in carried:
                continue  # of a load, which is told by itself
            kind = self._known(record)
            if kind is None:
                self.left_out.append(
                    f"joint {record.name!r}: {type(record.kind).__name__} is a joint kind of your own"
                )
                continue
            fields = self._where(record, joint, kind)
            arrays, j = joint._arrays, joint._row
            for name in ("break_force", "break_torque"):
                if math.isfinite(getattr(arrays, name)[j]):
                    fields[name] = float(getattr(arrays, name)[j])
            self._note_turns(joint)
            if not isinstance(record.kind, Coupling):
                fields |= {
                    end: names[key]
                    for end in ("first", "second")
                    if (key := getattr(record, end)) is not None
                }
            yield records.Joint(
                name=record.name,
                collide=record.collide,
                enabled=bool(arrays.enabled[j]),
                actions=(
                    *[
                        _action(handle)
                        for handle in joint._rows
                        if id(handle) not in skipped and handle._key not in drives
                    ],
                    *controls.get(record.name, ()),
                ),
                **fields,
            )

    def _known(self, record: JointRecord) -> JointKind | None:
        """Return the kind of a joint if it, and all that it is made of, is one of stoss."""
        kind = record.kind.kind if isinstance(record.kind, Framed) else record.kind
        parts = kind.kinds if isinstance(kind, Compose) else (kind,)
        return (
            kind
            if all(type_name(type(one)) in JOINT_KINDS for one in parts)
            and all(type(one) is JOINT_KINDS[type_name(type(one))] for one in parts)
            else None
        )

    def _where(self, record: JointRecord, joint: Joint, kind: JointKind) -> dict[str, Any]:
        """Return the fields that say what a joint holds, and where."""
        fields = _numbers(kind)
        arrays = of_joint(joint._table.arrays, joint._row)
        if isinstance(kind, Coupling):
            fields["offset"] = float(arrays.target[np.flatnonzero(arrays.measure >= SUM)[0]])
            return fields
        if isinstance(record.kind, Framed):
            framed = record.kind
            fields = _framed_numbers(kind)
            fields["first_frame"] = _frame((framed.first_position, framed.first_quaternion))
            fields["second_frame"] = _frame((framed.second_position, framed.second_quaternion))
            return fields | ({"principal": True} if framed.principal else {})
        bodies = self._bodies.arrays
        rows = int(arrays.bodies[0, 0]), int(arrays.bodies[0, 1])
        _, made = joined_parts(record.name, kind, bodies, rows)
        have = list(
            zip(arrays.point_a, arrays.quaternion_a, arrays.point_b, arrays.quaternion_b, strict=True)
        )
        if all(
            _same(a, b)
            for one, two in zip(made, have, strict=True)
            for a, b in zip(one[:4], two, strict=True)
        ):
            return fields
        if isinstance(kind, Distance):
            place = {"point": vector_of(joint.first_point), "second_point": vector_of(joint.second_point)}
            return {**fields, **place, "length": float(arrays.target[0])}
        part = kind.parts()[0]
        fields = _framed_numbers(kind)
        for end, row, point, turn, own in (
            ("first_frame", rows[0], have[0][0], have[0][1], (part.point_a, part.quaternion_a)),
            ("second_frame", rows[1], have[0][2], have[0][3], (part.point_b, part.quaternion_b)),
        ):
            on_shapes = then(inverse(self._shapes(row)), (vector_of(point), quaternion_of(turn)))
            fields[end] = _frame(then(on_shapes, inverse(own)))
        frames = [fields[end] for end in ("first_frame", "second_frame")]
        places = [place for one in frames for place in (one.position, one.quaternion)]
        if self._makes(record.name, Framed(kind, *places), rows, have):
            return fields
        for plain in (_plain_kind(kind), kind):  # of bodies that have moved: to the last bit, if it can be
            part = plain.parts()[0]
            ends = (
                (have[0][:2], part.point_a, part.quaternion_a),
                (have[0][2:], part.point_b, part.quaternion_b),
            )
            poses = [
                _without((vector_of(point), quaternion_of(turn)), (own, turned))
                for (point, turn), own, turned in ends
            ]
            framed = Framed(plain, *poses[0], *poses[1], principal=True)
            if plain.parts()[0].holds == kind.parts()[0].holds and self._makes(
                record.name, framed, rows, have
            ):
                exact = {"first_frame": _frame(poses[0]), "second_frame": _frame(poses[1]), "principal": True}
                return _framed_numbers(plain) | exact
        return fields

    def _makes(
        self, name: str, kind: JointKind, rows: tuple[int, int], have: Sequence[tuple[np.ndarray, ...]]
    ) -> bool:
        """Return whether a kind makes the frames that a joint has, to the last bit."""
        _, made = joined_parts(name, kind, self._bodies.arrays, rows)
        return all(
            np.array_equal(a, b)
            for one, two in zip(made, have, strict=True)
            for a, b in zip(one[:4], two, strict=True)
        )

    def _shapes(self, row: int) -> Pose:
        """Return where the frame of a body's shapes is in its principal axes."""
        if row < 0:
            return (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        b = self._bodies.arrays
        return vector_of(b.frame_positions[row]), quaternion_of(b.frame_quaternions[row])

    def _note_turns(self, joint: Joint) -> None:
        """Note angles that have counted full turns: a model begins to count anew."""
        own = of_joint(joint._table.arrays, joint._row)
        angles = np.isin(own.measure, (TWIST, ANGLE_1, ANGLE_2))
        if (np.abs(own.value[angles]) > math.pi + 1e-9).any():
            turns = float(np.abs(own.value[angles]).max() / math.tau)
            self.left_out.append(f"joint {joint.name!r}: {turns:.3g} {COUNTED}; it begins at 0")


def _numbers(kind: JointKind) -> dict[str, Any]:
    """Return type and numbers of a kind, without those that are the defaults."""
    if isinstance(kind, Compose):
        return {"type": "compose", "kinds": tuple(records.Kind(**_numbers(one)) for one in kind.kinds)}
    values = {field.name: (getattr(kind, field.name), field.default) for field in dataclasses.fields(kind)}
    if isinstance(kind, CustomJoint):
        texts = kind.texts()
        values |= {name: (texts.get(name), None) for name in SIX}
    return {
        "type": type_name(type(kind)),
        **{name: _plain(value) for name, (value, default) in values.items() if value != default},
    }


def _framed_numbers(kind: JointKind) -> dict[str, Any]:
    """Return type and numbers of a kind whose frames say where it is; a point in their origin is left out."""
    numbers = _numbers(kind)
    if not isinstance(kind, Compose):
        for field in dataclasses.fields(kind):
            if (
                field.name in ("point", "center")
                and field.default is None
                and getattr(kind, field.name) == ORIGIN
            ):
                del numbers[field.name]
    return numbers


def _without(pose: Pose, own: Pose) -> Pose:
    """Return the pose on which `own` makes the given one: the given one to the bit where `own` is none."""
    return pose if own == (ORIGIN, UNTURNED) else then(pose, inverse(own))


def _plain_kind(kind: JointKind) -> JointKind:
    """Return a kind in the origin, along z, or x and y, without own frames: others say where it is."""
    if isinstance(kind, Compose):
        return kind
    names = {field.name for field in dataclasses.fields(kind)}
    plain: dict[str, Any] = dict.fromkeys(names & {"point", "center"}, ORIGIN)
    plain |= dict.fromkeys(names & {"axis", "normal"}, UP)
    plain |= dict.fromkeys(names & {"second_point", "x_axis", "second_normal"}, None)
    if "second_axis" in names:
        plain["second_axis"] = None
    if isinstance(kind, Universal):
        plain |= {"axis": (1.0, 0.0, 0.0), "second_axis": (0.0, 1.0, 0.0)}
    try:
        return dataclasses.replace(kind, **plain)
    except (TypeError, ValueError):  # a kind that needs what was left out
        return kind


def _plain(value: Any) -> Any:
    """Return a value as records have it: the knots of a curve."""
    return value.knots if isinstance(value, Curve) else value


def _frame(pose: Pose) -> records.Frame:
    return records.Frame(position=pose[0], quaternion=pose[1])


def _action(handle: RowHandle) -> records.Action:
    """Return the record of what acts on a coordinate: as that of the method that makes such a one."""
    own: dict[str, Any] = {"enabled": handle.enabled}
    if isinstance(handle, CurvedLimit):
        return _curved(handle, own)
    if len(handle.joint.coordinates) > 1:
        own["coordinate"] = handle.coordinate
    arrays, row = handle._arrays, handle.index
    number = int(arrays.schedule[row])
    if number >= 0:
        first, last = arrays.schedule_start[number : number + 2]
        own["times"] = tuple(arrays.schedule_time[first:last].tolist())
        own["values"] = tuple(arrays.schedule_value[first:last].tolist())
    if isinstance(handle, JointFriction):
        return records.Action(type="friction", law=law_record(handle.law), **own)
    if isinstance(handle, Rotor):
        return records.Action(type="rotor", inertia=handle.inertia, **own)
    if isinstance(handle, Limit):
        return records.Action(type="limit", **own, **_limit(handle))
    if isinstance(handle, PidDrive):
        return records.Action(type="pid", **own, **_controller(handle))
    assert isinstance(handle, Drive)
    kind, values = _drive(handle, scheduled=number >= 0)
    return records.Action(type=kind, **own, **values)


def _curved(handle: CurvedLimit, own: dict[str, Any]) -> records.Action:
    """Return the record of a stop along a curve."""
    own |= _softness(handle)
    if isinstance(handle, SwingLimit):
        rows = tuple(map(tuple, handle.rows.tolist()))
        own[handle.form] = rows[0] if handle.form == "ellipse" else rows
        if handle.inside is not None:
            own["inside"] = vector_of(handle.inside)
        return records.Action(type="limit_swing", **own)
    assert isinstance(handle, TwistLimit)
    return records.Action(type="limit_twist", ranges=tuple(map(tuple, handle.ranges.tolist())), **own)


def _softness(handle: Limit | CurvedLimit) -> dict[str, Any]:
    found = {} if math.isinf(handle.stiffness) else {"stiffness": handle.stiffness}
    return found | {
        name: getattr(handle, name) for name in ("restitution", "damping") if getattr(handle, name) != 0.0
    }


def _limit(handle: Limit) -> dict[str, Any]:
    found = {name: getattr(handle, name) for name in ("lower", "upper")}
    return {name: value for name, value in found.items() if math.isfinite(value)} | _softness(handle)


def _controller(handle: PidDrive) -> dict[str, Any]:
    found = {name: getattr(handle, name) for name in ("target", "gain", "derivative_time", "window")}
    for name in ("reset_time", "max_force"):
        if math.isfinite(getattr(handle, name)):
            found[name] = getattr(handle, name)
    return found


def _drive(handle: Drive, *, scheduled: bool) -> tuple[str, dict[str, Any]]:
    """Return the method that makes such a drive, and its arguments."""
    force, damping, rate = handle.max_force, handle.damping, handle.target_rate
    bound = {"max_force": force} if math.isfinite(force) else {}
    if handle.stiffness > 0.0:
        found = {"target": handle.target, "stiffness": handle.stiffness, "damping": damping, **bound}
        if rate != 0.0 and not scheduled:
            found["target_rate"] = rate
        return "servo", found
    if math.isinf(damping):
        if rate == 0.0 and bound and not scheduled:
            return "friction", bound
        return "motor", {"velocity": rate, **bound}
    if rate == 0.0 and not bound and not scheduled:
        return "damper", {"damping": damping}
    return "motor", {"velocity": rate, "damping": damping, **bound}


def _same(one: Any, other: Any) -> bool:
    """Return whether numbers have the same bits."""
    return np.asarray(one, np.float64).tobytes() == np.asarray(other, np.float64).tobytes()
