"""Advance a world until it is done or something is wrong, and say which."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.engine import checks
from stoss.engine.recording.observer import Observer
from stoss.engine.world.report import LoadError, SimulationError

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Ending", "Limits", "run"]

# Channels whose limits are tolerances: how far the world is from what should hold exactly.
_ERRORS = ("error", "joint_error", "angle_error", "joint_angle_error", "max_overlap")

_UNBOUNDED = re.compile(r"\b(nan|inf)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Ending:
    """How a run ended.

    Attributes:
        status: "finished", "diverged", "non-finite", "tolerance", "stopped" or "interrupted".
        reason: why, in a sentence; "" of a run that came to its end.
    """

    status: str
    reason: str

    @staticmethod
    def of(error: BaseException) -> "Ending":
        """Return the ending that an error makes."""
        told = " ".join(str(error).split())
        if isinstance(error, SimulationError) and not isinstance(error, LoadError):
            return Ending("non-finite" if _UNBOUNDED.search(told) else "diverged", told)
        if isinstance(error, KeyboardInterrupt):
            return Ending("interrupted", told or "interrupted by the user")
        if isinstance(error, LoadError):
            return Ending("non-finite" if _UNBOUNDED.search(told) else "stopped", told)
        return Ending("stopped", f"{type(error).__name__}: {told}")


class Limits:
    """Watch that channels stay within limits.

    Args:
        world: the world.
        limits: largest sizes of channels, by name; of vectors the length counts.

    Raises:
        TypeError, ValueError: no such channel, or no positive number.
    """

    def __init__(self, world: "World", limits: Mapping[str, float] | None) -> None:
        self._observer: Observer | None = None
        if limits is not None and not isinstance(limits, Mapping):
            raise TypeError(
                f'limits = {shown(limits)} must be a dict such as {{"joint.elbow.torque": 500.0}}'
            )
        if not limits:
            return
        for name, limit in limits.items():
            checks.number(f"limits[{name!r}]", limit, above=0.0)
        self._observer = Observer(world, list(limits))
        vectors = [
            column.observable.name for column in self._observer.columns if column.observable.components
        ]
        wanted = [f"{name}.size" if name in vectors else name for name in limits]
        self._observer = Observer(world, wanted)
        self._most = np.array([float(limit) for limit in limits.values()])
        self._names = list(limits)

    def exceeded(self, time: float) -> Ending | None:
        """Return the ending where a channel is beyond its limit at a time [s], None: all are within."""
        if self._observer is None:
            return None
        values = np.abs(self._observer.read())
        within = values <= self._most
        if within.all():
            return None
        k = int(np.argmin(within))
        name, unit = self._names[k], self._observer.columns[k].observable.unit
        told = f"at {time:.6g} s {name} was {values[k]:.6g} {unit}".rstrip()
        if not np.isfinite(values[k]):
            return Ending("non-finite", told)
        error = name.rpartition(".")[2] in _ERRORS
        return Ending("tolerance" if error else "diverged", f"{told}, beyond {self._most[k]:.6g}")


def run(world: "World", duration: float, limits: Limits) -> Ending:
    """Advance a world by a duration [s] within limits, and return how that ended."""
    for _ in range(max(1, round(duration / world.time_step))):
        try:
            world.step()
        except SimulationError as error:
            return Ending.of(error)
        ending = limits.exceeded(world.time)
        if ending is not None:
            return ending
    return Ending("finished", "")
