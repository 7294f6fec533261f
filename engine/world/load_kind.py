"""What a world knows of loads: kinds, records, and what of them goes into snapshots.

How they act is the affair of `stoss.engine.forces`, which is loaded with the first load that is added.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stoss.collision.quaternions import Quaternion, Vector
from stoss.names import closed

__all__ = [
    "End",
    "IntegralRecord",
    "JointEnd",
    "LoadKind",
    "LoadRecord",
    "OnJoint",
    "Place",
    "SavedLoads",
    "UserCode",
]


@dataclass(frozen=True)
class End:
    """Where a load acts, and a frame there: on a body, given by its key, or in the world."""

    body: int | None
    point: Vector | None  # [m] in the frame of the body's shapes, or the world; None: the centre of mass
    quaternion: Quaternion


@dataclass(frozen=True)
class JointEnd:
    """A joint that a load acts on, given by its key."""

    joint: int


# as users give them, and as records keep them
Place = Any | End
OnJoint = Any | JointEnd


@closed
@dataclass(frozen=True)
class LoadKind:
    """Base of all ready-made loads: frozen dataclasses of numbers, bodies, markers and joints."""

    # fields that say where it acts: ends, bodies alone, frames and joints; once it is added, by their keys
    _ends: ClassVar[tuple[str, ...]] = ()
    _joints: ClassVar[tuple[str, ...]] = ()

    def _set(self, **values: Any) -> None:
        """Replace given values by checked ones."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def _name(self) -> str:
        return type(self).__name__


class UserCode:
    """A function of the user in a record: files hold its name alone."""

    plain_fields: ClassVar[dict[str, Any]] = {"name": str}

    def __init__(self, function: Any, name: str | None = None) -> None:
        self.function = function
        self.name: str = getattr(function, "__qualname__", repr(function)) if name is None else name

    @classmethod
    def from_plain(cls, name: str) -> "UserCode":
        """Return one whose function is to be found in the world that is restored."""
        return cls(None, name)


@dataclass(frozen=True)
class LoadRecord:
    """What a load is, unchanged while it lives."""

    key: int
    name: str


@dataclass(frozen=True)
class IntegralRecord:
    """What a user integral is, unchanged while it lives."""

    key: int
    name: str
    rate: UserCode
    shape: tuple[int, ...]


@dataclass(frozen=True)
class SavedLoads:
    """All loads and user integrals of a world."""

    records: tuple[LoadRecord, ...]
    next_key: int
    kinds: dict[int, LoadKind]
    enabled: dict[int, bool]
    states: dict[int, np.ndarray]  # (rows, 8) of ready-made loads, (k,) of user functions
    rows: dict[
        int, tuple[int, tuple[int, ...], bool]
    ]  # implicit loads: joint, its rows, whether it is theirs
    energies: dict[int, float]  # [J] given since they were added
    warned: frozenset[int]
    integrals: tuple[IntegralRecord, ...]
    next_integral: int
    values: dict[int, np.ndarray]
    rates: dict[int, np.ndarray]
    accelerations: np.ndarray  # (n, 6) of the bodies in the last step
    applied: np.ndarray  # (n, 6) in the last step
    asleep: np.ndarray  # (n,) then
