"""The list of all that can be observed of a world; here, and only here, kinds of things add theirs.

Bodies, markers, joints and contacts are read by a kernel, everything else that a world holds by Python: see
`things`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.bodies.arrays import STATIC
from stoss.engine.joints.arrays import DRIVE, FORCE, LENGTH, LIMIT, NO_KEY
from stoss.engine.recording import reading
from stoss.engine.recording.observable import AXES, QUATERNION, Observable
from stoss.engine.recording.things import of_load_on, of_things
from stoss.engine.stages.ledger import EnergyLedger
from stoss.engine.world.contact_laws import has_contact_laws
from stoss.engine.world.friction_books import book_of_law
from stoss.names import takes_names

if TYPE_CHECKING:
    from stoss.engine.world.drives import JointFriction
    from stoss.engine.world.world import World

__all__ = [
    "coordinates_of",
    "named",
    "observables",
    "of_pair",
    "touching_rows",
]

Coordinate = tuple[int, str, tuple[int, int, int]]  # row of the joint, name, and part, measure and axis

_BOOK = (("work", "J"), ("stored", "J"), ("dissipated", "J"), ("power", "W"))  # of friction
_DRIVES = {DRIVE: "drive", FORCE: "drive", LIMIT: "limit"}


@takes_names
def observables(world: "World", kinds: Collection[str] | None = None) -> Iterator[Observable]:
    """Yield what can be observed of a world: of itself, bodies, markers, joints, contacts, things.

    Args:
        world: the world.
        kinds: first words of the names that are wanted, such as "joint"; None: all.
    """
    yield from _of_world()
    for kind, tell in _KINDS.items():
        if kinds is None or kind in kinds:
            yield from tell(world)
    yield from of_things(world)


def _step_seconds(world: "World") -> float:
    return sum(world.report.stage_times.values())


def _of_world() -> Iterator[Observable]:
    for name, code in (
        ("kinetic", reading.KINETIC),
        ("potential", reading.POTENTIAL),
        ("total", reading.TOTAL),
    ):
        yield Observable(f"energy.{name}", "J", code=code)
    entries = [entry.name for entry in fields(EnergyLedger)]
    for row, name in enumerate(entries):
        yield Observable(f"ledger.{name}", "J", code=reading.LEDGER, row=row)
    yield Observable("momentum", "N s", AXES, code=reading.MOMENTUM)
    yield Observable("angular_momentum", "N m s", AXES, code=reading.ANGULAR_MOMENTUM)
    yield Observable("center_of_mass", "m", AXES, code=reading.CENTER)
    yield Observable("center_of_mass.velocity", "m/s", AXES, code=reading.CENTER_VELOCITY)
    yield Observable("world.contacts", code=reading.TOUCHING)
    yield Observable("world.max_overlap", "m", code=reading.OVERLAP)
    yield Observable("world.contact_force", "N", code=reading.ALL_FORCES)
    yield Observable("world.asleep", code=reading.ASLEEP)
    yield Observable("world.joint_error", "m", code=reading.JOINT_ERROR)
    yield Observable("world.joint_angle_error", "rad", code=reading.JOINT_ANGLE_ERROR)
    # not the same in two runs of the same world
    yield Observable("world.step_seconds", "s", read=_step_seconds, shy=True)


_BODY = (
    ("position", "m", AXES, reading.POSITION),
    ("orientation", "", QUATERNION, reading.ORIENTATION),
    ("center_of_mass", "m", AXES, reading.BODY_CENTER),
    ("velocity", "m/s", AXES, reading.VELOCITY),
    ("angular_velocity", "rad/s", AXES, reading.ANGULAR_VELOCITY),
    ("kinetic_energy", "J", (), reading.BODY_KINETIC),
    ("contact_force", "N", AXES, reading.CONTACT_FORCE),
)


def _of_bodies(world: "World") -> Iterator[Observable]:
    store = world._body_store
    kinds = store.arrays.kinds
    for row, body in enumerate(store.handles):
        still = bool(kinds[row] == STATIC)
        for name, unit, components, code in _BODY:
            shy = still and code != reading.CONTACT_FORCE
            yield Observable(f"body.{body.name}.{name}", unit, components, code=code, row=row, shy=shy)


def _of_markers(world: "World") -> Iterator[Observable]:
    for row, marker in enumerate(world._markers.handles):
        still = marker.body is None
        for name, unit, components, code in (
            ("position", "m", AXES, reading.MARKER_POSITION),
            ("orientation", "", QUATERNION, reading.MARKER_ORIENTATION),
            ("velocity", "m/s", AXES, reading.MARKER_VELOCITY),
        ):
            yield Observable(f"marker.{marker.name}.{name}", unit, components, code=code, row=row, shy=still)


def coordinates_of(world: "World") -> list[Coordinate]:
    """Return all coordinates of all joints, in the order in which the codes of them number them."""
    return [
        (row, name, place)
        for row, joint in enumerate(world._joint_store.handles)
        for name, place in joint._coordinates.items()
    ]


def _units(measure: int) -> tuple[str, str]:
    """Return the units of a coordinate, and of the force along it."""
    return ("m", "N") if measure <= LENGTH else ("rad", "N m")


def _of_joints(world: "World") -> Iterator[Observable]:
    for number, (row, coordinate, (_, measure, _)) in enumerate(coordinates_of(world)):
        name, unit = f"joint.{world._joint_store.handles[row].name}.{coordinate}", _units(measure)[0]
        yield Observable(name, unit, code=reading.VALUE, row=number)
        yield Observable(f"{name}.rate", f"{unit}/s", code=reading.RATE, row=number)
    arrays = world._joint_table.arrays
    yield from _of_joint_frictions(world)
    for row, joint in enumerate(world._joint_store.handles):
        name = f"joint.{joint.name}"
        yield Observable(f"{name}.force", "N", AXES, code=reading.JOINT_FORCE, row=row)
        yield Observable(f"{name}.torque", "N m", AXES, code=reading.JOINT_TORQUE, row=row)
        yield Observable(f"{name}.error", "m", code=reading.ERROR, row=row)
        yield Observable(f"{name}.angle_error", "rad", code=reading.ANGLE_ERROR, row=row)
        yield Observable(f"{name}.broken", code=reading.BROKEN, row=row)
        counts = {"drive": 0, "limit": 0}
        for m in range(arrays.row_start[row], arrays.row_start[row + 1]):
            kind = _DRIVES.get(int(arrays.role[m]))
            if arrays.row_key[m] == NO_KEY or kind is None:
                continue
            counts[kind] += 1
            own = f"{name}.{kind}" + (f"_{counts[kind]}" if counts[kind] > 1 else "")
            unit, force = _units(int(arrays.measure[m]))
            yield Observable(f"{own}.force", force, code=reading.ROW_FORCE, row=m)
            if kind == "drive":
                yield Observable(f"{own}.target", unit, code=reading.ROW_TARGET, row=m)
                yield Observable(f"{own}.target_rate", f"{unit}/s", code=reading.ROW_TARGET_RATE, row=m)


def _of_joint_frictions(world: "World") -> Iterator[Observable]:
    """Yield force and book of the friction laws of joints; a second one of a joint is "friction_2"."""
    if not world._laws.laws:
        return
    for joint in world._joint_store.handles:
        for number, one in enumerate(joint.frictions, 1):
            own = f"joint.{joint.name}.friction" + (f"_{number}" if number > 1 else "")
            force = _units(joint._coordinates[one.coordinate][1])[1]
            yield Observable(f"{own}.force", force, read=partial(_force_of, one))
            for what, unit in _BOOK:
                yield Observable(f"{own}.{what}", unit, read=partial(_in_book_of, one, what))


def _of_laws(world: "World") -> Iterator[Observable]:
    """Yield the books of friction laws: "friction.LuGre.work", a second one of a kind "friction.LuGre_2"."""
    kinds: dict[str, int] = {}
    for number, law in enumerate(world._laws.laws):
        kind = type(law).__name__
        kinds[kind] = kinds.get(kind, 0) + 1
        own = f"friction.{kind}" + (f"_{kinds[kind]}" if kinds[kind] > 1 else "")
        for what, unit in _BOOK:
            yield Observable(f"{own}.{what}", unit, read=partial(_in_book_of_law, number, what))


def _force_of(friction: "JointFriction", world: "World") -> float:
    return friction.force


def _in_book_of(friction: "JointFriction", what: str, world: "World") -> float:
    return float(getattr(friction.book, what))


def _in_book_of_law(number: int, what: str, world: "World") -> float:
    return float(getattr(book_of_law(world, number), what))


# ------------------------------------------------------------- contacts


def of_pair(world: "World", first: int, second: int, *, reverse: bool = False) -> Iterable[Observable]:
    """Return what can be observed of the contact of two bodies: forces are those on the second one.

    Args:
        world: the world.
        first, second: rows of the bodies, in the order of their names; first < second unless `reverse`.
        reverse: whether the rows are the other way round.
    """
    handles = world._body_store.handles
    name = f"contact.{handles[first].name}-{handles[second].name}"
    pair = second << 32 | first if reverse else first << 32 | second
    force = reading.PAIR_FORCE_ON_FIRST if reverse else reading.PAIR_FORCE
    yield Observable(f"{name}.force", "N", AXES, code=force, row=pair, missing=0.0)
    yield Observable(f"{name}.normal_force", "N", code=reading.PAIR_NORMAL, row=pair, missing=0.0)
    yield Observable(f"{name}.points", code=reading.PAIR_POINTS, row=pair, missing=0.0)
    if world._laws.laws:
        for what, unit, code in _PAIR_BOOK:
            yield Observable(f"{name}.friction.{what}", unit, code=code, row=pair, missing=0.0)
    if has_contact_laws(world):
        yield Observable(f"{name}.stored_energy", "J", code=reading.PAIR_ELASTIC, row=pair, missing=0.0)


_PAIR_BOOK = (
    ("work", "J", reading.PAIR_WORK),
    ("stored", "J", reading.PAIR_STORED),
    ("dissipated", "J", reading.PAIR_DISSIPATED),
    ("power", "W", reading.PAIR_POWER),
)


def touching_rows(world: "World") -> np.ndarray:
    """Return the pairs of bodies (p, 2), first < second, that touch or have just done so."""
    contacts, impulses = world._stepper.waking.acting_contacts
    count = contacts.count
    acts = (contacts.gap[:count] <= world.settings.touch_distance) | impulses[:count].any(axis=1)
    a, b = contacts.body_a[:count][acts], contacts.body_b[:count][acts]
    keys = np.unique(np.minimum(a, b) << 32 | np.maximum(a, b))
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def _of_contacts(world: "World") -> Iterator[Observable]:
    for first, second in touching_rows(world).tolist():
        yield from of_pair(world, first, second)


_KINDS: "dict[str, Callable[[World], Iterator[Observable]]]" = {
    "body": _of_bodies,
    "marker": _of_markers,
    "joint": _of_joints,
    "contact": _of_contacts,
    "friction": _of_laws,
}


def named(world: "World", text: str) -> list[Observable]:
    """Return observables that are not in the list, by a name that says what is meant.

    That are pairs of bodies that are apart, "contact.A-B.force", also with B before A; markers of bodies by
    their own name alone, "marker.tip.position" for that of "arm:tip", where no other is called so; and what a
    load does on one body, "load.NAME.on.BODY.force".

    Args:
        world: the world.
        text: the name, or that of a component; [] where it names nothing.

    Raises:
        ValueError: it may be read in two ways.
    """
    kind, _, rest = text.partition(".")
    if kind == "contact":
        return _pair_named(world, text, rest)
    if kind == "load":
        return of_load_on(world, rest)
    return _marker_named(world, text, rest) if kind == "marker" else []


def _pair_named(world: "World", text: str, rest: str) -> list[Observable]:
    rows = {body.name: row for row, body in enumerate(world._body_store.handles)}
    found: dict[tuple[int, int], list[Observable]] = {}
    for dash in (k for k, letter in enumerate(rest) if letter == "-"):
        first = rows.get(rest[:dash])
        for dot in (k for k, letter in enumerate(rest) if letter == "." and k > dash):
            second = rows.get(rest[dash + 1 : dot])
            if first is not None and second is not None and first != second:
                found[first, second] = list(of_pair(world, first, second, reverse=first > second))
    if len(found) > 1:
        raise ValueError(f"{text!r} may mean several pairs of bodies; give them names without '-' and '.'")
    return next(iter(found.values()), [])


def _marker_named(world: "World", text: str, rest: str) -> list[Observable]:
    found: dict[str, list[Observable]] = {}
    for one in _of_markers(world):
        marker, _, what = one.name.removeprefix("marker.").rpartition(".")
        own = marker.rpartition(":")[2]
        if rest == f"{own}.{what}" or rest.startswith(f"{own}.{what}."):
            found.setdefault(marker, []).append(replace(one, name=f"marker.{own}.{what}", shy=False))
    if len(found) > 1:
        raise ValueError(f"{text!r} may mean {' or '.join(f'marker.{name}' for name in found)}; write which")
    return next(iter(found.values()), [])
