"""The joints of a model: records, handles, names, and which pairs of bodies they keep from colliding."""

from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
from stoss.collision.algebra import quaternion_multiply, rotate_inverse
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.joints.arrays import SWING, UNWRAPPED, JointTable, PartValues
from stoss.engine.joints.kind import Coordinate, JointKind
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.engine.world.snapshot import JointRecord, JointState

if TYPE_CHECKING:
    from stoss.engine.world.model import Model

__all__ = ["JointStore"]

Pair = tuple[int, int]  # keys of two bodies, the smaller one first


class JointStore:
    """Keep the joints of a model in the order of their table.

    Args:
        model: whose joints they are.
        table: their arrays.
    """

    def __init__(self, model: "Model", table: JointTable) -> None:
        self.model = model
        self.table = table
        self.handles: list[Joint] = []
        self._records: list[JointRecord] = []
        self._rows: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._next_key = 0
        self._pairs: Counter[Pair] = Counter()  # joints that keep this pair from colliding

    def add(self, kind: Any, first: Any, second: Any, name: str | None, collide: bool) -> Joint:
        """Add a joint and return its handle; see `Model.add_joint`."""
        if name is None:
            name = f"joint {self._next_key}"
        if not isinstance(name, str):
            raise TypeError(f"name = {name!r} must be a string")
        if name in self._names:
            raise ValueError(
                f"name = {name!r} is taken by another joint; names of joints are unique in a world"
            )
        if not isinstance(kind, JointKind):
            hint = "; call it" if isinstance(kind, type) and issubclass(kind, JointKind) else ""
            raise TypeError(
                f"joint {name!r}: kind = {kind!r} is not a joint kind such as Ball((0, 0, 1)){hint}"
            )
        if not isinstance(collide, bool | np.bool_):
            raise TypeError(f"joint {name!r}: collide = {collide!r} must be True or False")
        rows = self._body_rows(name, first, second)
        keys = tuple(None if body is None else body._key for body in (first, second))
        record = JointRecord(self._next_key, name, kind, keys[0], keys[1], bool(collide))
        bodies = self.model._bodies
        parts = kind.parts(_middle(bodies, rows))
        self.table.add_joint(
            *rows,
            [_to_bodies(bodies, rows, part) for part in parts],
            [(p, *held) for p, part in enumerate(parts) for held in part.holds],
            _watched(kind),
        )
        self._keep(record, Joint(self.model, record.key, name, kind))
        pair = _pair(record)
        if pair is not None:
            self._pairs[pair] += 1
            self._exclude([pair])
        self.model._dynamics.stale = True
        return self.handles[-1]

    def _keep(self, record: JointRecord, handle: Joint) -> None:
        self._rows[record.key] = len(self._records)
        self._names[record.name] = record.key
        self._records.append(record)
        self.handles.append(handle)
        self._next_key = max(self._next_key, record.key + 1)

    def _body_rows(self, name: str, first: Any, second: Any) -> tuple[int, int]:
        """Return the rows of the bodies, -1 for the world.

        Raises:
            TypeError, ValueError: they cannot be joined; names the joint.
        """
        rows = []
        for what, body in (("first", first), ("second", second)):
            if body is None:
                rows.append(-1)
                continue
            if not isinstance(body, Body):
                raise TypeError(f"joint {name!r}: {what} = {body!r} must be a Body, or None for the world")
            if not self.model._has(body):
                raise ValueError(
                    f"joint {name!r}: {what} = body {body.name!r} is not in this world (it was removed, or "
                    "belongs to another); give a body of this world"
                )
            rows.append(body.index)
        if rows[0] == rows[1]:
            both = "None (the world)" if first is None else f"body {first.name!r}"
            raise ValueError(f"joint {name!r}: first and second are both {both}; give two different bodies")
        kinds = self.model._bodies.kinds
        if all(row < 0 or kinds[row] != DYNAMIC for row in rows):
            said = ["the world" if b is None else f"body {b.name!r} ({b.kind})" for b in (first, second)]
            raise ValueError(
                f"joint {name!r}: neither first = {said[0]} nor second = {said[1]} reacts; one body at least "
                "must be dynamic"
            )
        return rows[0], rows[1]

    def remove(self, joint: Joint) -> None:
        """Remove a joint; see `Model.remove_joint`."""
        row = self.index(joint)
        record = self._records[row]
        pair = _pair(record)
        self.table.remove(row)
        del self._records[row], self.handles[row], self._names[record.name]
        self._rows = {other.key: i for i, other in enumerate(self._records)}
        if pair is not None:
            self._pairs[pair] -= 1
            if self._pairs[pair] == 0:
                del self._pairs[pair]
                self._include([pair])
        self.model._dynamics.stale = True

    def remove_body(self, row: int) -> None:
        """Remove all joints of a body that is about to be removed."""
        for j in np.flatnonzero((self.table.arrays.bodies == row).any(axis=1))[::-1]:
            self.remove(self.handles[j])

    def index(self, joint: Joint) -> int:
        """Return the present number of a joint.

        Raises:
            ValueError: it is not in this model.
        """
        row = self._rows.get(joint._key, -1)
        if row < 0 or self.handles[row] is not joint:
            raise ValueError(
                f"joint {joint.name!r} is not in this world (it was removed, or belongs to another)"
            )
        return row

    def named(self, name: str) -> Joint:
        """Return the joint of that name.

        Raises:
            KeyError: there is none.
        """
        if name not in self._names:
            near = get_close_matches(str(name), self._names, 3)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise KeyError(f"there is no joint {name!r} among {len(self._names)}{hint}")
        return self.handles[self._rows[self._names[name]]]

    # ------------------------------------------------------------- collisions

    def _exclude(self, pairs: Iterable[Pair]) -> None:
        rows = self.model._rows
        for a, b in pairs:
            self.model._detector.exclude(rows[a], rows[b])

    def _include(self, pairs: Iterable[Pair]) -> None:
        """Let pairs collide again, unless the user excluded them."""
        rows, excluded = self.model._rows, self.model._excluded
        for a, b in pairs:
            if (a, b) not in excluded and (b, a) not in excluded:
                self.model._detector.include(rows[a], rows[b])

    # ------------------------------------------------------------- snapshots

    def save(self) -> JointState:
        """Return records and arrays of all joints."""
        return JointState(tuple(self._records), self._next_key, self.table.copy_arrays())

    def detach(self) -> None:
        """Take all joints out of the arrays, because the bodies and the detector are built anew."""
        self.table.set_arrays(JointTable().arrays)
        self._pairs.clear()

    def restore(self, state: JointState) -> None:
        """Return to saved joints, whose bodies are in place; handles of joints that lasted stay valid."""
        handles = {id(old): joint for old, joint in zip(self._records, self.handles, strict=True)}
        self.table.set_arrays(state.arrays)
        old, self._pairs = self._pairs, Counter()
        self._records, self.handles, self._rows, self._names = [], [], {}, {}
        for record in state.records:
            handle = handles.get(id(record))
            self._keep(record, handle or Joint(self.model, record.key, record.name, record.kind))
            pair = _pair(record)
            if pair is not None:
                self._pairs[pair] += 1
        self._next_key = state.next_key
        self._include(pair for pair in old if pair not in self._pairs)
        self._exclude(pair for pair in self._pairs if pair not in old)


def _pair(record: JointRecord) -> Pair | None:
    """Return the pair of bodies that a joint keeps from colliding, if any."""
    if record.collide or record.first is None or record.second is None:
        return None
    return min(record.first, record.second), max(record.first, record.second)


def _middle(bodies: BodyArrays, rows: tuple[int, int]) -> tuple[float, float, float]:
    """Return the midpoint of the centres of mass, or the only one."""
    centres = [bodies.positions[row] for row in rows if row >= 0]
    x, y, z = (sum(centres) / len(centres)).tolist()
    return x, y, z


def _watched(kind: JointKind) -> list[Coordinate]:
    """Return the coordinates whose turns are counted in every step, whether anyone asks or not.

    Angles about an axis that both bodies share. Where they may swing too (a ball joint), the twist is an
    angle within half a turn, unless a drive or a limit measures it.
    """
    places = list(kind.coordinates().values())
    return [place for place in places if place[1] in UNWRAPPED and (place[0], SWING, 0) not in places]


def _to_bodies(bodies: BodyArrays, rows: tuple[int, int], part: Any) -> PartValues:
    """Return the frames of a part as its bodies see them: p -> R(q)^T (p - x)."""
    return (
        *_to_body(bodies, rows[0], part.point_a, part.quaternion_a),
        *_to_body(bodies, rows[1], part.point_b, part.quaternion_b),
    )


def _to_body(bodies: BodyArrays, row: int, point: Any, quaternion: Any) -> tuple[Any, Any]:
    if row < 0:
        return point, quaternion
    q, (x, y, z) = bodies.quaternions[row], bodies.positions[row].tolist()
    w, a, b, c = q.tolist()
    return (
        rotate_inverse(q, point[0] - x, point[1] - y, point[2] - z),
        quaternion_multiply(w, -a, -b, -c, *quaternion),
    )
