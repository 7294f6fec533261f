"""Read chosen channels of a world, again and again, while its bodies, joints and contacts come and go."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import multiply, rotate
from stoss.engine.joints.excerpts import probes_of
from stoss.engine.joints.placement import new_joint_frames
from stoss.engine.recording import reading
from stoss.engine.recording.choosing import (
    SIZE,
    Column,
    Pattern,
    checked_names,
    chosen,
    kinds_of,
    unknown_channel,
)
from stoss.engine.recording.listing import (
    coordinates_of,
    named,
    observables,
    of_pair,
    touching_rows,
)
from stoss.engine.recording.observable import FUNCTION, Observable, numbers, of_function
from stoss.engine.recording.things import things_of
from stoss.engine.world.contact_list import contacts_of
from stoss.engine.world.report import frames_of_step

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["MOST_COLUMNS", "Functions", "Observer"]

Functions = Mapping[str, "Callable[[World], Any]"]

_Entry = tuple[Observable, list[tuple[int, int]]]  # what is read: places of the numbers, and which they are

MOST_COLUMNS = 100_000  # a pile of thousands, pair by pair, is more than anybody looks at
NO_BOOKS = np.zeros((0, reading.BOOKS))
_TABLE = 64  # places of the table of pairs at least, a power of two


class Observer:
    """Read channels of a world.

    Columns are only ever added: of bodies, joints and pairs of bodies in contact that come later and fit.
    What has gone reads as NaN, bodies that do not touch as 0 N.

    Args:
        world: the world.
        channels: names of observables or of their components, and patterns with `*`.
        functions: observables of one's own, by name and unit, which are read too: {"reach [m]": f}, f(world).
        known: name, unit and missing value of columns that are to come first, in this order.

    Raises:
        ValueError: there is no such channel; the message offers the nearest.

    Attributes:
        columns: what is read, in the order of the numbers that `read` returns.
    """

    def __init__(
        self,
        world: "World",
        channels: Iterable[str],
        functions: Functions | None = None,
        known: Sequence[tuple[str, str, float]] = (),
    ) -> None:
        self.columns: list[Column] = []
        self._world = world
        self._patterns = [Pattern(text) for text in checked_names("channels", channels)]
        self._place: dict[str, int] = {}  # of the columns, by name
        self._out = np.zeros(0)
        self._shown: tuple[Any, ...] = ()  # what there was when the columns were last looked up
        self._kept: tuple[list[Any], Any] = ([], None)
        self._structure: list[bytes] = []
        self._own = [of_function(text, f, world) for text, f in (functions or {}).items()]
        self._enter(Column(name, Observable(name, unit, missing=missing), 0) for name, unit, missing in known)
        self._build()
        if not known:
            self._refuse_unknown()

    def read(self) -> np.ndarray:
        """Return the present values of all columns, in memory that the next call uses again."""
        world = self._world
        made_of = self._made_of()
        if made_of != self._shown:
            if self._is_as_before():
                self._shown = made_of
            else:
                self._build()
        if self._wants_kernel:
            self._refresh()
            if reading.read_all(self._reading, self._out):
                self._meet_pairs()
                self._refresh()
                reading.read_all(self._reading, self._out)
        for observable, places in self._python:
            read: Any = observable.read
            values = numbers(observable.name, read(world), len(observable.components))
            for place, component in places:
                self._out[place] = _component(values, component)
        return self._out

    # ------------------------------------------------------------- what is read

    def _made_of(self) -> tuple[Any, ...]:
        """Return what changes when there are other things to be read."""
        world = self._world
        world._compact()
        bodies, joints, markers = (
            world._all_bodies.registry,
            world._all_joints.registry,
            world._markers.registry,
        )
        # `restore` makes new lists of records
        lists = id(bodies.records), id(joints.records), id(markers.records)
        keys = bodies.next_key, len(bodies), joints.next_key, len(joints), markers.next_key, len(markers)
        others = id(world._settings), world._all_joints.table.version
        return (*lists, *keys, *others, len(world._laws.laws), *map(len, things_of(world)))

    def _is_as_before(self) -> bool:
        """Return whether there is the same to be read, though lists are new: after a restore, as a rule."""
        world = self._world
        stores = world._body_store, world._joint_store, world._markers
        records = [store.registry.records for store in stores]
        old, settings = self._kept
        same = all(
            len(a) == len(b) and all(map(operator.is_, a, b)) for a, b in zip(old, records, strict=True)
        )
        joints = world._joint_table.arrays
        in_place = joints.point_a is self._reading.probes.point_a
        if not (same and in_place and settings is world._settings and not any(map(len, things_of(world)))):
            return False
        if any(a != b for a, b in zip(self._structure, _structure(world), strict=True)):
            return False
        self._kept = records, settings
        return True

    def _build(self) -> None:
        """Find what the columns stand for now, and which there are besides."""
        world = self._world
        self._shown = self._made_of()
        stores = world._body_store, world._joint_store, world._markers
        # whose identities were noted
        self._kept = [store.registry.records for store in stores], world._settings
        self._structure = _structure(world)
        listed = [*self._own, *observables(world, kinds_of(self._patterns))]
        names = {name for one in listed for name in (one.name, *one.columns, f"{one.name}.{SIZE}")}
        for pattern in self._patterns:
            if pattern.exact and pattern.text not in names:
                listed += named(world, pattern.text)
        own = [column for one in self._own for column in Pattern(one.name).columns(one)]
        found = {column.name: column for column in (*chosen(self._patterns, listed), *own)}
        # what is not in the list at present, and had a column
        for column in self.columns:
            if column.name not in found:
                for one in named(world, column.name):
                    found |= {new.name: new for new in Pattern(column.name).columns(one)}
        self._enter(found.values())
        for place, column in enumerate(self.columns):
            self._out[place] = column.observable.missing
        entries = self._entries(found.values())
        self._python = [entry for entry in entries if entry[0].code == FUNCTION]
        self._plan([entry for entry in entries if FUNCTION < entry[0].code < reading.PAIR_FORCE])
        self._plan_pairs([entry for entry in entries if entry[0].code >= reading.PAIR_FORCE])

    def _entries(self, columns: Iterable[Column]) -> list[_Entry]:
        """Return what is read for some columns: each observable, and where its components go."""
        entries: dict[str, _Entry] = {}
        for column in columns:
            wanted = entries.setdefault(column.observable.name, (column.observable, []))[1]
            wanted.append((self._place[column.name], column.component))
        return list(entries.values())

    def _enter(self, columns: Iterable[Column]) -> None:
        """Add the columns that are new.

        Raises:
            ValueError: they are too many.
        """
        new = [column for column in columns if column.name not in self._place]
        if len(self.columns) + len(new) > MOST_COLUMNS:
            raise ValueError(
                f"channels ask for {len(self.columns) + len(new)} columns, more than {MOST_COLUMNS}; "
                'name fewer bodies, or leave out "contact.*"'
            )
        for column in new:
            self._place[column.name] = len(self.columns)
            self.columns.append(column)
        self._out = np.concatenate([self._out, np.full(len(new), np.nan)])

    def _refuse_unknown(self) -> None:
        """Raise if a pattern that has to mean something means nothing."""
        for pattern in self._patterns:
            one_day = pattern.text.startswith("contact.") and not pattern.exact  # pairs that will touch
            if one_day or any(pattern.columns(column.observable) for column in self.columns):
                continue
            names = [name for one in observables(self._world) for name in (one.name, *one.columns)]
            raise ValueError(unknown_channel(pattern.text, names, "this world"))

    # ------------------------------------------------------------- the kernel's part

    def _plan(self, entries: list[_Entry]) -> None:
        """Write down for the kernel what is wanted, but for pairs of bodies in contact."""
        world = self._world
        code, row, places = _written(entries)
        coordinates = np.isin(code, (reading.VALUE, reading.RATE))
        numbers_, row[coordinates] = np.unique(row[coordinates], return_inverse=True)
        listed = coordinates_of(world) if len(numbers_) else []
        probes, known = probes_of(
            world._joint_table.arrays, [(listed[k][0], listed[k][2]) for k in numbers_.tolist()]
        )
        frames = new_joint_frames(probes)
        frames.places.turns[:] = True
        wants_bodies = bool((code == reading.CONTACT_FORCE).any())
        self._wants_pairs = any(pattern.text.startswith(("contact.", "*")) for pattern in self._patterns)
        bodies = world._bodies
        self._wants_contacts = self._wants_pairs or bool(np.isin(code, reading.OF_CONTACTS).any())
        self._wants_kernel = len(code) > 0 or self._wants_pairs
        marker_body, marker_position, marker_quaternion = _markers(world)
        self._reading = reading.Reading(
            code=code,
            row=row,
            places=places,
            bodies=bodies,
            joints=world._joint_table.arrays,
            probes=probes,
            frames=frames,
            step_frames=frames,
            known=known,
            value=np.zeros(len(known)),
            rate=np.zeros(len(known)),
            marker_body=marker_body,
            marker_position=marker_position,
            marker_quaternion=marker_quaternion,
            contacts=world._stepper.system.contacts.arrays,
            contact_count=0,
            touch_distance=world._settings.touch_distance,
            impulses=np.zeros((0, 3)),
            books=NO_BOOKS,
            pair_key=np.zeros(_TABLE, np.int64),
            pair_slot=np.zeros(_TABLE, np.int64),
            pairs=np.zeros((0, reading.PAIR_VALUES)),
            body_force=np.zeros((len(bodies.kinds) if wants_bodies else 0, 3)),
            gravity=world._gravity,
            ledger=world._steps.ledger,
            totals=np.zeros(8),
            figures=np.zeros(3),
            joint_errors=np.zeros(2),
            asleep=0,
            wants_totals=bool((code <= reading.CENTER_VELOCITY).any()),
            wants_errors=bool(np.isin(code, (reading.JOINT_ERROR, reading.JOINT_ANGLE_ERROR)).any()),
            wants_pairs=self._wants_pairs,
            force_step=world._steps.force_step,
        )
        self._tabled, self._slots = np.zeros((2, 0), np.int64)

    def _plan_pairs(self, entries: list[_Entry]) -> None:
        """Write down for the kernel what is wanted of more pairs of bodies."""
        r = self._reading
        code, keys, places = _written(entries)
        new, row = np.unique(keys, return_inverse=True)
        slots = len(r.pairs) + np.arange(len(new))
        r.code = np.concatenate([r.code, code])
        r.row = np.concatenate([r.row, len(r.pairs) + row])
        r.places = np.concatenate([r.places, places])
        r.pairs = np.zeros((len(r.pairs) + len(new), reading.PAIR_VALUES))
        self._table_pairs(new, slots)
        self._wants_books = bool((r.code >= reading.PAIR_WORK).any())

    def _refresh(self) -> None:
        """Tell the kernel what has been replaced since."""
        world, r = self._world, self._reading
        stages = world._steps.stages
        if self._wants_contacts:
            contacts, impulses = stages.waking.acting_contacts
            if r.contacts is not contacts.arrays:
                r.contacts = contacts.arrays
            r.impulses, r.contact_count = impulses, contacts.count
            if self._wants_books:
                r.books = _books(world)
        if r.wants_errors:
            frames = frames_of_step(stages.system)
            if r.step_frames is not frames:
                r.step_frames = frames
        if r.gravity is not world._gravity:
            r.gravity = world._gravity
        r.ledger, r.force_step, r.asleep = (
            world._steps.ledger,
            world._steps.force_step,
            stages.state.sleepers.count,
        )

    # ------------------------------------------------------------- pairs that touch

    def _meet_pairs(self) -> None:
        """Take note of pairs of bodies that touch for the first time; some of them are wanted."""
        rows = touching_rows(self._world)
        keys = rows[:, 0] << 32 | rows[:, 1]
        rows = rows[~np.isin(keys, self._tabled)]
        wanted: list[Column] = []
        for first, second in rows.tolist():
            wanted += chosen(self._patterns, of_pair(self._world, first, second))
        self._enter(wanted)
        self._plan_pairs(self._entries(wanted))
        others = np.setdiff1d(rows[:, 0] << 32 | rows[:, 1], self._tabled)
        self._table_pairs(others, np.full(len(others), reading.NO_PAIR))

    def _table_pairs(self, keys: np.ndarray, slots: np.ndarray) -> None:
        """Enter pairs into the table, all of them in a larger one if need be."""
        r = self._reading
        self._tabled = np.concatenate([self._tabled, keys])
        self._slots = np.concatenate([self._slots, slots])
        if 2 * len(self._tabled) > len(r.pair_key):
            size = 1 << int(4 * len(self._tabled)).bit_length()
            r.pair_key, r.pair_slot = np.zeros(size, np.int64), np.zeros(size, np.int64)
            keys, slots = self._tabled, self._slots
        first, second = np.ascontiguousarray(keys >> 32), np.ascontiguousarray(keys & 0xFFFFFFFF)
        reading.enter_pairs(r.pair_key, r.pair_slot, first, second, np.ascontiguousarray(slots))


def _written(entries: list[_Entry]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes (n,), rows (n,) and places (n, 5) of entries, as the kernel takes them."""
    places = np.full((len(entries), reading.PLACES), -1)
    for n, (_, wanted) in enumerate(entries):
        for place, component in wanted:
            places[n, component] = place  # a length, -1, is the last one
    code = np.array([observable.code for observable, _ in entries], np.int64)
    return code, np.array([observable.row for observable, _ in entries], np.int64), places


def _structure(world: "World") -> list[bytes]:
    """Return what says which rows the joints have."""
    joints = world._joint_table.arrays
    arrays = (joints.bodies, joints.part_start, joints.row_start, joints.part, joints.measure, joints.axis)
    return [array.tobytes() for array in (*arrays, joints.role, joints.row_key)]


def _books(world: "World") -> np.ndarray:
    """Return books of friction, and what contact laws store (c, 4), of contacts and those that are gone."""
    found = contacts_of(world, gone=True)
    return np.column_stack([found._arrays["book"], found.stored_energy])


def _component(values: np.ndarray, component: int) -> float:
    if values.ndim == 0:
        return float(values)
    return float(np.sqrt((values * values).sum())) if component < 0 else float(values[component])


def _markers(world: "World") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return body (-1: the world), place and orientation of all markers in the principal axes of the body."""
    store, arrays = world._body_store, world._bodies
    handles = world._markers.handles
    body = np.full(len(handles), -1)
    position, quaternion = np.zeros((len(handles), 3)), np.zeros((len(handles), 4))
    for k, record in enumerate(world._markers.registry.records):
        place, turn = record.position, record.quaternion
        if record.body is not None:
            i = body[k] = store.registry.row_of_key(record.body)
            q, origin = tuple(arrays.frame_quaternions[i].tolist()), arrays.frame_positions[i].tolist()
            x, y, z = rotate(q, place)
            place = origin[0] + x, origin[1] + y, origin[2] + z
            turn = multiply(q, turn)
        position[k], quaternion[k] = place, turn
    return body, position, quaternion
