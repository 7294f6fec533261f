"""The saved state of a world, and how it is taken and restored."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.collision.quaternions import Quaternion, Vector
from stoss.containers import MOST_BYTES
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.material import Material
from stoss.engine.bodies.material_pairs import MaterialPairs
from stoss.engine.contacts.events import ContactEvents
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.kind import JointKind
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.settings import Settings
from stoss.engine.stages.stepper import SavedStep
from stoss.engine.world.body_form import BodyForm
from stoss.engine.world.colors import Color
from stoss.engine.world.drawn import Drawn
from stoss.engine.world.load_kind import SavedLoads
from stoss.engine.world.marker import MarkerRecord
from stoss.engine.world.next_step import Surface, Way
from stoss.engine.world.plain_values import Classes
from stoss.engine.world.snapshot_check import check_snapshot
from stoss.engine.world.snapshot_file import read_snapshot, write_snapshot
from stoss.engine.world.touching import Touching
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.forces.integrals import Integral
    from stoss.engine.forces.load import Load
    from stoss.engine.world.body import Body
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.marker import Marker
    from stoss.engine.world.world import World

__all__ = [
    "BodyRecord",
    "BodyState",
    "JointRecord",
    "JointState",
    "Snapshot",
    "restore_snapshot",
    "take_snapshot",
]


@dataclass(frozen=True)
class BodyRecord:
    """What a body is, unchanged while it lives."""

    key: int
    name: str
    form: BodyForm


@dataclass(frozen=True)
class BodyState:
    """All bodies: what they are, and their arrays."""

    records: tuple[BodyRecord, ...]
    next_key: int
    arrays: BodyArrays
    materials: tuple[Material, ...]
    pairs: MaterialPairs
    loads: dict[int, np.ndarray]
    excluded: frozenset[tuple[int, int]]
    moves: dict[int, tuple[Vector, Quaternion]]
    moving: dict[int, Way]
    steered: frozenset[int]
    surfaces: dict[int, Surface]
    conveying: dict[int, np.ndarray]
    forms: dict[int, BodyForm]
    colors: dict[int, Color]
    displays: dict[int, tuple[Drawn, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class JointRecord:
    """What a joint is, unchanged while it lives; bodies by their keys, None for the world."""

    key: int
    name: str
    kind: JointKind
    first: int | None
    second: int | None
    collide: bool


@dataclass(frozen=True)
class JointState:
    """All joints: what they are, and their arrays."""

    records: tuple[JointRecord, ...]
    next_key: int
    arrays: JointArrays


@closed
@dataclass(frozen=True)
class Snapshot:
    """State of a world between two steps: `world.restore` returns to it, bit for bit.

    It is kept in files by `write` and `read`. It may be pickled too; but unpickling a file runs what the file
    says, so never do that with one of a stranger.
    """

    bodies: BodyState
    joints: JointState
    settings: Settings
    gravity: np.ndarray
    planar: str | None
    time_step: float
    force_step: float
    time: float
    step_count: int
    touching: np.ndarray
    events: ContactEvents
    ledger: np.ndarray
    system: SavedStep
    markers: tuple[MarkerRecord, ...] = ()
    loads: SavedLoads | None = None
    laws: tuple[FrictionLaw, ...] = ()
    law_work: np.ndarray | None = None  # (2, laws) [J], at the start of the last step too
    control: dict[str, Any] | None = None  # of sensors, actuators and controllers; see `engine.control.state`

    def write(self, path: str | Path, *, classes: Iterable[type] = ()) -> None:
        """Write it to an .npz file of plain numbers and texts; docs/files.md describes it.

        Args:
            path: the file; one that is there is replaced when the new one is complete.
            classes: joint kinds of your own that the world has.

        Raises:
            ValueError: the name does not end in .npz.
            TypeError: the world holds an object of a class that is not named.
            FileError: the file cannot be written; an older one is as it was.
        """
        write_snapshot(self, path, _classes(tuple(classes)))

    @staticmethod
    def read(path: str | Path, *, classes: Iterable[type] = (), most_bytes: int = MOST_BYTES) -> "Snapshot":
        """Read what `write` wrote; nothing in the file is executed.

        Args:
            path: the file.
            classes: joint kinds of your own that may be in it.
            most_bytes: how much memory its arrays may need.

        Raises:
            ValueError: the file is no snapshot, is damaged, of a later format, or needs more memory.
            OSError: it cannot be read.
        """
        return read_snapshot(Snapshot, check_snapshot, path, _classes(tuple(classes)), most_bytes)


@functools.cache
def _classes(more: tuple[type, ...]) -> Classes:
    """Return the classes of what files of snapshots hold."""
    import_module("stoss.engine.forces.store")  # whose classes are known when they are loaded
    return Classes(Snapshot, more)


def take_snapshot(world: "World") -> Snapshot:
    """Return the whole state of a world."""
    return Snapshot(
        bodies=world._body_store.save(),
        joints=world._joint_store.save(),
        settings=world.settings,
        gravity=world._gravity.copy(),
        planar=world.planar,
        time_step=world._time_step,
        force_step=world._steps.force_step,
        time=world.time,
        step_count=world.step_count,
        touching=world._steps.touching.pairs.copy(),
        events=world._steps.touching.events,
        ledger=world._steps.ledger.copy(),
        system=world._stepper.save(),
        markers=world._markers.save(),
        laws=tuple(world._laws.laws),
        law_work=world._laws.work,
        loads=None if world._loads is None or world._loads.is_new else world._loads.save(),
        control=None if world._control is None else world._control.save() or None,
    )


def restore_snapshot(
    world: "World",
    snapshot: Snapshot,
    bodies: "list[Body] | None" = None,
    joints: "list[Joint] | None" = None,
    markers: "list[Marker] | None" = None,
    loads: "tuple[list[Load] | None, list[Integral] | None]" = (None, None),
) -> None:
    """Return a world to a saved state; bodies are made anew only if they are not the same ones.

    Args:
        world: the world.
        snapshot: the state.
        bodies, joints, markers: handles of what is made anew, in their order; None: new ones.
        loads: handles of loads and integrals, the same.

    Raises:
        TypeError, ValueError: no snapshot, or of another collision backend; nothing was changed then.
    """
    if not isinstance(snapshot, Snapshot):
        raise TypeError(
            f"snapshot = {shown(snapshot)} must be a Snapshot, which world.save() returns; "
            "Snapshot.read(path) reads one that was written to a file"
        )
    if snapshot.settings.collision != world.settings.collision:
        raise ValueError(
            f"snapshot of a world with collision = {snapshot.settings.collision!r} cannot be restored in one "
            f"with {world.settings.collision!r}; build a world with Settings(collision=...) for it"
        )
    if snapshot.planar != world.planar:
        raise ValueError(
            f"snapshot of a world with planar = {snapshot.planar!r} cannot be restored in one with "
            f"{world.planar!r}; build a world with World(planar=...) for it"
        )
    world._laws.restore(snapshot.laws, snapshot.law_work)
    if not world._body_store.fits(snapshot.bodies):
        world._joint_store.detach()
        world._body_store.rebuild(snapshot.bodies, bodies)
        world._steps.renew()
    if snapshot.settings != world.settings:
        world.settings = snapshot.settings
    world._body_store.restore(snapshot.bodies)
    world._joint_store.restore(snapshot.joints, joints)
    world._markers.restore(snapshot.markers, markers)
    world.broken_joints = []
    world._gravity = snapshot.gravity.copy()
    world._time_step, world._steps.force_step = snapshot.time_step, snapshot.force_step
    world.time, world.step_count = snapshot.time, snapshot.step_count
    world._steps.touching = Touching(snapshot.touching.copy(), snapshot.events)
    world._steps.ledger = snapshot.ledger.copy()
    world._stepper.system.pairs = world._body_store.pairs.table
    world._stepper.restore(snapshot.system)
    if snapshot.loads is not None:
        world._load_store().restore(snapshot.loads, *loads)
    else:
        world._loads = None
    if world._control is not None or snapshot.control:
        world._controlled().restore(snapshot.control or {})
