"""Where loads act: bodies, markers, points and joints as users give them, and by keys for records."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import UNTURNED, Quaternion, Vector, multiply, rotate
from stoss.engine import checks
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.engine.world.load_kind import End, JointEnd, LoadKind
from stoss.engine.world.marker import Marker

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["by_handles", "by_keys", "end_of", "joint_of", "place_of"]

GIVE = (
    "give a body (its centre of mass), a marker, (body, (x, y, z)) with a point in the frame of its shapes, "
    "a point (x, y, z) of the world, or None, the origin of the world"
)


def end_of(name: str, value: Any, world: "World") -> End:
    """Return where a load acts.

    Args:
        name: of the argument.
        value: as the user gave it: a body, a marker, a body and a point, a point of the world, None, or the
            name of a marker or a body.
        world: to which it belongs.

    Raises:
        TypeError, ValueError: none of these, or of another world.
    """
    if isinstance(value, End):
        return value
    if isinstance(value, str):
        registry = world._markers.registry
        value = registry.named(value) if value in registry else world.body(value)
    if value is None:
        return End(None, (0.0, 0.0, 0.0), UNTURNED)
    if isinstance(value, Body):
        world._all_bodies.row(value, name)
        return End(value._key, None, UNTURNED)
    if isinstance(value, Marker):
        store = world._markers.registry
        record = store.records[store.row(value)]
        return End(record.body, record.position, record.quaternion)
    if isinstance(value, tuple | list) and len(value) == 2:
        body, point = value
        if isinstance(body, str):
            body = world.body(body)
        if isinstance(body, Body):
            world._all_bodies.row(body, name)
            return End(body._key, checks.triple(f"{name}: point", point), UNTURNED)
        if isinstance(body, Marker):
            end = end_of(name, body, world)
            return moved(end, checks.triple(f"{name}: point", point))
    if isinstance(value, tuple | list | np.ndarray) and len(value) == 3:
        return End(None, checks.triple(name, value), UNTURNED)
    raise TypeError(f"{name} = {checks.shown(value)}: {GIVE}")


def moved(end: End, by: Vector) -> End:
    """Return an end at a point (3,) [m] of its own frame."""
    x, y, z = rotate(end.quaternion, by)
    p, q, r = end.point or (0.0, 0.0, 0.0)
    return End(end.body, (p + x, q + y, r + z), end.quaternion)


def joint_of(name: str, value: Any, world: "World") -> JointEnd:
    """Return a joint that a load acts on, given as a joint or by its name.

    Raises:
        TypeError, ValueError: neither, or of another world.
    """
    if isinstance(value, JointEnd):
        return value
    if isinstance(value, str):
        value = world.joint(value)
    if not isinstance(value, Joint):
        raise TypeError(f"{name} = {checks.shown(value)} must be a Joint; world.joint(name) finds one")
    world._all_joints.registry.row(value)
    return JointEnd(value._key)


def by_keys(kind: LoadKind, what: str, world: "World") -> LoadKind:
    """Return a load whose bodies, markers and joints are given by their keys, as records keep it."""
    values: dict[str, Any] = {}
    for name in kind._ends:
        value = getattr(kind, name)
        if not isinstance(value, str) or value not in _WORDS:
            values[name] = _each(value, lambda one, n=name: end_of(f"{what}: {n}", one, world))
    for name in kind._joints:
        values[name] = joint_of(f"{what}: {name}", getattr(kind, name), world)
    return _with(kind, values)


_WORDS = ("world", "local", "joint", "first", "second")  # frames that are not named by what they are on


def _each(value: Any, change: Any) -> Any:
    """Change a value, or each of a list of them."""
    if isinstance(value, list):
        return [change(one) for one in value]
    return change(value)


def by_handles(kind: LoadKind, world: "World") -> LoadKind:
    """Return a load as a user would give it."""
    values: dict[str, Any] = {}
    for name in kind._ends:
        value = getattr(kind, name)
        if not isinstance(value, str):
            values[name] = _each(value, lambda one: _handle(one, world))
    for name in kind._joints:
        registry = world._all_joints.registry
        values[name] = registry.handles[registry.row_of_key(getattr(kind, name).joint)]
    return _with(kind, values)


def _handle(end: End, world: "World") -> Any:
    if end.quaternion != UNTURNED:
        return end  # which no point says
    if end.body is None:
        return end.point
    bodies = world._all_bodies
    body = bodies.handles[bodies.registry.row_of_key(end.body)]
    return body if end.point is None else (body, end.point)


def _with(kind: LoadKind, values: dict[str, Any]) -> LoadKind:
    """Return a copy of a load with other values, which are not checked."""
    made: LoadKind = object.__new__(type(kind))
    for name, value in {**vars(kind), **values}.items():
        object.__setattr__(made, name, value)
    return made


def place_of(end: End, world: "World") -> tuple[int, Vector, Quaternion]:
    """Return row of the body (-1: the world), and point [m] and frame in its principal axes."""
    if end.body is None:
        return -1, end.point or (0.0, 0.0, 0.0), end.quaternion
    store = world._all_bodies
    row, b = store.registry.row_of_key(end.body), store.arrays
    w, x, y, z = b.frame_quaternions[row].tolist()
    turn = multiply((w, x, y, z), end.quaternion)
    if end.point is None:
        return row, (0.0, 0.0, 0.0), turn
    p, q, r = b.frame_positions[row].tolist()
    a, c, d = rotate((w, x, y, z), end.point)
    return row, (p + a, q + c, r + d), turn
