"""The joints of a world: records, handles, names, and which pairs of bodies they keep from colliding."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import flag, shown
from stoss.collision.quaternions import Quaternion, Vector, multiply, rotate, vector_of
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.constraints.mass_weighting import world_sqrt_inverse_inertias
from stoss.engine.joints.arrays import (
    LIMIT,
    SWING,
    UNWRAPPED,
    JointParts,
    JointStops,
)
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.framed import Framed
from stoss.engine.joints.frames import Part
from stoss.engine.joints.freedom import FreedomReport, find_freedom
from stoss.engine.joints.kind import Coordinate, JointKind
from stoss.engine.joints.state import any_overloaded, overloaded_joints
from stoss.engine.joints.stop_curves import outline
from stoss.engine.joints.table import JointTable, PartValues
from stoss.engine.world.body import Body
from stoss.engine.world.body_store import BodyStore
from stoss.engine.world.couplings import find_coupling
from stoss.engine.world.joint import Joint
from stoss.engine.world.kind_checks import checked_parts
from stoss.engine.world.registry import Registry
from stoss.engine.world.snapshot import JointRecord, JointState

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["JointStore", "joined_parts"]

Pair = tuple[int, int]  # keys of two bodies, the smaller one first


class JointStore:
    """Keep the joints of a world in the order of their arrays.

    Args:
        world: whose joints they are.
        bodies: that they join.

    Attributes:
        registry: records, handles and names.
        table: the arrays.
    """

    def __init__(self, world: "World", bodies: BodyStore) -> None:
        self._world = world
        self._bodies = bodies
        self.registry: Registry[JointRecord, Joint] = Registry("joint", "joints")
        self.table = JointTable()
        self._pairs: Counter[Pair] = Counter()  # joints that keep this pair from colliding
        self._of_body: dict[int, dict[int, None]] = {}  # keys of the joints of a body, by its key
        self._couplings: dict[str, dict[int, None]] = {}  # keys of the couplings of a joint, by its name

    @property
    def handles(self) -> list[Joint]:
        """Return the handles of all joints, in the order of the arrays."""
        return self.registry.handles

    def row(self, joint: Joint) -> int:
        """Return the present number of a joint; see `Registry.row`."""
        return self.registry.row(joint)

    # ------------------------------------------------------- coming and going

    def add(self, kind: Any, first: Any, second: Any, name: str | None, collide: bool) -> Joint:
        """Add a joint and return its handle; see `World.add_joint`."""
        name = self.registry.new_name(name)
        if not isinstance(kind, JointKind):
            hint = "; call it" if isinstance(kind, type) and issubclass(kind, JointKind) else ""
            if isinstance(kind, Body):
                hint = "; the kind comes first: add_joint(kind, first, second)"
            raise TypeError(
                f"joint {name!r}: kind = {shown(kind)} is not a joint kind such as Ball((0, 0, 1)){hint}"
            )
        collide = flag(f"joint {name!r}: collide", collide)
        if isinstance(kind, Coupling):
            return self._couple(kind, first, second, name, collide)
        rows = self._body_rows(name, first, second)
        keys = [None if body is None else body._key for body in (first, second)]
        record = JointRecord(self.registry.next_key, name, kind, keys[0], keys[1], collide)
        parts, placed = joined_parts(name, kind, self._bodies.arrays, rows)
        self.table.add_joint(
            *rows,
            placed,
            [(p, *held) for p, part in enumerate(parts) for held in part.holds],
            _watched(kind),
            [(one, two, (0.0, 0.0), ratio, 0.0, -1) for one, two, ratio in kind.coupled()],
        )
        return self._append(record)

    def _couple(self, kind: Coupling, first: Any, second: Any, name: str, collide: bool) -> Joint:
        """Add a coupling of two joints and return its handle."""
        for what, body in (("first", first), ("second", second)):
            if body is not None:
                raise ValueError(
                    f"joint {name!r}: {what} = {shown(body)}, but a {type(kind).__name__} is between the "
                    "bodies of its joints; leave first and second out"
                )
        pair = find_coupling(
            f"joint {name!r}: {type(kind).__name__}", kind, self.registry, self._bodies.arrays
        )
        handles = self._bodies.handles
        keys = [None if row < 0 else handles[row]._key for row in pair.bodies]
        record = JointRecord(self.registry.next_key, name, kind, keys[0], keys[1], collide)
        self.table.add_joint(*pair.bodies, pair.parts, coupled=[pair.coupled], ends=pair.ends)
        return self._append(record)

    def _append(self, record: JointRecord) -> Joint:
        """Register a joint whose rows are in place."""
        joint = self._handle(record)
        self.registry.append(record, joint)
        self._note_bodies(record)
        pair = _pair(record)
        if pair is not None:
            self._pairs[pair] += 1
            self._bodies.let_pass(*pair)
        self._world._changed()
        return joint

    def _note_bodies(self, record: JointRecord) -> None:
        if isinstance(record.kind, Coupling):
            for name in (record.kind.joint_1, record.kind.joint_2):
                self._couplings.setdefault(name, {})[record.key] = None
        for body in (record.first, record.second):
            if body is not None:
                self._of_body.setdefault(body, {})[record.key] = None

    def _handle(self, record: JointRecord) -> Joint:
        return Joint(self._world, record.key, record.name, record.kind)

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
                raise TypeError(
                    f"joint {name!r}: {what} = {shown(body)} must be a Body, or None for the world; "
                    "world.body(name) finds one by its name"
                )
            if not self._bodies.registry.has(body):
                raise ValueError(
                    f"joint {name!r}: {what} = body {body.name!r} is not in this world (it was removed, or "
                    "belongs to another); give a body of this world"
                )
            rows.append(self._bodies.row(body))
        if rows[0] == rows[1]:
            both = "None (the world)" if first is None else f"body {first.name!r}"
            raise ValueError(f"joint {name!r}: first and second are both {both}; give two different bodies")
        kinds = self._bodies.arrays.kinds
        if all(row < 0 or kinds[row] != DYNAMIC for row in rows):
            said = ["the world" if b is None else f"body {b.name!r} ({b.kind})" for b in (first, second)]
            raise ValueError(
                f"joint {name!r}: neither first = {said[0]} nor second = {said[1]} reacts; one body at least "
                "must be dynamic"
            )
        return rows[0], rows[1]

    def remove(self, joint: Joint) -> None:
        """Remove a joint; see `World.remove_joint`."""
        if not isinstance(joint, Joint):
            raise TypeError(f"joint = {shown(joint)} must be a Joint; world.joint(name) finds one")
        self._drop(self.row(joint))

    def _drop(self, row: int) -> None:
        """Forget a joint; its row stays until `compact`."""
        record = self.registry.drop(row)
        if isinstance(record.kind, Coupling):
            for name in (record.kind.joint_1, record.kind.joint_2):
                self._couplings.get(name, {}).pop(record.key, None)
        for coupling in list(self._couplings.pop(record.name, ())):
            self._drop(self.registry.row_of_key(coupling))
        for body in (record.first, record.second):
            if body is not None:
                del self._of_body[body][record.key]
        pair = _pair(record)
        if pair is not None:
            self._pairs[pair] -= 1
            if self._pairs[pair] == 0:
                del self._pairs[pair]
                self._bodies.let_touch(*pair)
        self._world._changed()

    def of_body(self, key: int) -> list[int]:
        """Return the keys of the joints of a body, given by its key."""
        return list(self._of_body.get(key, ()))

    def remove_body(self, key: int) -> None:
        """Remove all joints of a body, given by its key, that is about to be removed."""
        for joint in sorted(self._of_body.get(key, ()), reverse=True):
            if joint in self._of_body[key]:  # not gone with another one that it couples
                self._drop(self.registry.row_of_key(joint))
        self._of_body.pop(key, None)

    def compact(self) -> None:
        """Take what was dropped out of the arrays; joints behind move up, in their order."""
        self.table.remove(np.array(self.registry.compact(), np.int64))

    # ------------------------------------------------------------- what they are like

    def break_overloaded(self, time_step: float) -> list[Joint]:
        """Break the joints whose reaction over a step [s] exceeds their limits, and return them."""
        if self.table.count == 0 or not any_overloaded(self.table.arrays, time_step):
            return []
        rows = overloaded_joints(self.table.arrays, time_step)
        for j in rows:
            self.table.break_joint(j)
        return [self.handles[j] for j in rows]

    def freedom_report(self, tolerance: float) -> FreedomReport:
        """Return what the joints leave free; see `World.freedom_report`."""
        bodies = self._bodies.arrays
        sqrt_inverse_inertia = np.zeros((len(bodies.kinds), 9))
        world_sqrt_inverse_inertias(bodies, sqrt_inverse_inertia)
        names = [joint.name for joint in self.handles]
        return find_freedom(self.table.arrays, bodies, sqrt_inverse_inertia, names, tolerance)

    @property
    def parts(self) -> JointParts:
        """Return where the joints sit on their bodies, as copies."""
        j = self.table.arrays
        return JointParts(
            j.joint.copy(),
            j.ends.copy(),
            j.point_a.copy(),
            j.quaternion_a.copy(),
            j.point_b.copy(),
            j.quaternion_b.copy(),
        )

    @property
    def stops(self) -> JointStops:
        """Return the limits that are in force, as copies."""
        j = self.table.arrays
        rows = np.flatnonzero(j.active & (j.role == LIMIT))
        curves = np.full(len(rows), None)
        for k in np.flatnonzero((j.curve[rows] >= 0) & (j.axis[rows] == 0)):
            first, last = j.curve_start[j.curve[rows[k]] : j.curve[rows[k]] + 2]
            curves[k] = outline(j.curve_value[first:last])
        return JointStops(j.part[rows], j.measure[rows], j.axis[rows], j.lower[rows], j.upper[rows], curves)

    # ------------------------------------------------------------- snapshots

    def save(self) -> JointState:
        """Return records and arrays of all joints."""
        return JointState(tuple(self.registry.records), self.registry.next_key, self.table.copy_arrays())

    def detach(self) -> None:
        """Take all joints out of the arrays, because the bodies and the detector are built anew."""
        self.table.set_arrays(JointTable().arrays)
        self._pairs.clear()

    def restore(self, state: JointState, handles: Sequence[Joint] | None = None) -> None:
        """Return to saved joints, whose bodies are in place; handles of joints that lasted stay valid.

        Args:
            state: with the records.
            handles: of the joints; None: new ones for those that are not here.
        """
        self.table.set_arrays(state.arrays)
        self.registry.replace(state.records, state.next_key, self._handle, handles)
        self._of_body, self._couplings = {}, {}
        for record in state.records:
            self._note_bodies(record)
        old, self._pairs = self._pairs, Counter(filter(None, map(_pair, state.records)))
        for pair in old.keys() - self._pairs.keys():
            self._bodies.let_touch(*pair)
        for pair in self._pairs.keys() - old.keys():
            self._bodies.let_pass(*pair)


def joined_parts(
    name: str, kind: JointKind, bodies: BodyArrays, rows: tuple[int, int]
) -> tuple[tuple[Part, ...], list[PartValues]]:
    """Return the parts of a joint that is added now, checked, and their frames as the bodies see them.

    Args:
        name: of the joint, for messages.
        kind: what is held.
        bodies: of the world.
        rows: of the two bodies, -1 for the world.
    """
    parts = checked_parts(name, kind, _middle(bodies, rows))
    return parts, [_to_bodies(bodies, rows, part, kind) for part in parts]


def _pair(record: JointRecord) -> Pair | None:
    """Return the pair of bodies that a joint keeps from colliding, if any."""
    if record.collide or record.first is None or record.second is None:
        return None
    return min(record.first, record.second), max(record.first, record.second)


def _middle(bodies: BodyArrays, rows: tuple[int, int]) -> Vector:
    """Return the midpoint of the centres of mass, or the only one."""
    centres = [bodies.positions[row] for row in rows if row >= 0]
    return vector_of(sum(centres) / len(centres))


def _watched(kind: JointKind) -> list[Coordinate]:
    """Return the coordinates whose turns are counted in every step, whether anyone asks or not.

    Angles about an axis that both bodies share. Where they may swing too (a ball joint), the twist is an
    angle within half a turn, unless a drive or a limit measures it.
    """
    places = list(kind.coordinates().values())
    return [place for place in places if place[1] in UNWRAPPED and (place[0], SWING, 0) not in places]


def _to_bodies(bodies: BodyArrays, rows: tuple[int, int], part: Part, kind: JointKind) -> PartValues:
    """Return the frames of a part as its bodies see them: p -> R(q)^T (p - x)."""
    if isinstance(kind, Framed):
        local = kind.on_bodies(part)
        if kind.principal:
            own = local.point_a, local.quaternion_a, local.point_b, local.quaternion_b
            return (*(np.array(one) for one in own), part.radii)
        return (
            *_from_shapes(bodies, rows[0], local.point_a, local.quaternion_a),
            *_from_shapes(bodies, rows[1], local.point_b, local.quaternion_b),
            part.radii,
        )
    return (
        *_to_body(bodies, rows[0], part.point_a, part.quaternion_a),
        *_to_body(bodies, rows[1], part.point_b, part.quaternion_b),
        part.radii,
    )


def _from_shapes(
    bodies: BodyArrays, row: int, point: Vector, quaternion: Quaternion
) -> tuple[Vector, Quaternion]:
    """Return a frame in that of a body's shapes as the body sees it."""
    if row < 0:
        return point, quaternion
    px, py, pz = bodies.frame_positions[row].tolist()
    w, a, b, c = bodies.frame_quaternions[row].tolist()
    x, y, z = rotate((w, a, b, c), point)
    return (px + x, py + y, pz + z), multiply((w, a, b, c), quaternion)


def _to_body(
    bodies: BodyArrays, row: int, point: Vector, quaternion: Quaternion
) -> tuple[Vector, Quaternion]:
    if row < 0:
        return point, quaternion
    x, y, z = bodies.positions[row].tolist()
    w, a, b, c = bodies.quaternions[row].tolist()
    back = (w, -a, -b, -c)
    return rotate(back, (point[0] - x, point[1] - y, point[2] - z)), multiply(back, quaternion)
