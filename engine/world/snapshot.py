"""The saved state of a world."""

from dataclasses import dataclass

import numpy as np
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.material import Material
from stoss.engine.bodies.material_pairs import MaterialPairs
from stoss.engine.contacts.events import ContactEvents
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.kind import JointKind
from stoss.engine.settings import Settings
from stoss.engine.stages.checkpoint import SavedSystem
from stoss.engine.world.body_form import BodyForm

__all__ = ["BodyRecord", "BodyState", "JointRecord", "JointState", "Snapshot"]


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


@dataclass(frozen=True)
class Snapshot:
    """State of a world between two steps; may be pickled."""

    bodies: BodyState
    joints: JointState
    settings: Settings
    gravity: np.ndarray
    time_step: float
    time: float
    step_count: int
    touching: np.ndarray
    events: ContactEvents
    ledger: np.ndarray
    system: SavedSystem
