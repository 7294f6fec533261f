"""Figures of a run: built-in ones of a channel, and functions of users."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.scenes.experiments.source import digest_of_function, function_of, packed, unpacked
from stoss.scenes.registry import suggestion

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.engine.recording import Recording

__all__ = ["BUILT_IN", "Finished", "Metric", "metric_of"]


class Finished:
    """A run that is done, as metrics see it.

    Attributes:
        world: at its end.
        parameters: of the run.
        recording: of the channels that the model, or the sweep, records.
    """

    def __init__(
        self,
        world: "World",
        parameters: Mapping[str, Any],
        recording: "Recording",
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.world = world
        self.parameters = parameters
        self.recording = recording
        self._names = names or {}  # of channels, by what the model calls them

    @property
    def time(self) -> np.ndarray:
        """Return the times of the samples (k,) [s]."""
        return self.recording.time

    def __getitem__(self, channel: str) -> np.ndarray:
        """Return the samples (k,) or (k, n) of a channel; an error names the nearest."""
        return self.recording[self._names.get(channel, channel)]


@dataclass(frozen=True)
class Metric:
    """A figure that is worked out of each run.

    Attributes:
        name: of its column.
        text: how it was named; a built-in one as kind:channel.
        channel: that it looks at, "" for a function.
        options: numbers of a built-in one, such as ("target", 1.0).
        function: packed, b"" for a built-in one.
        digest: of the function.
    """

    name: str
    text: str
    channel: str = ""
    options: tuple[tuple[str, float], ...] = ()
    function: bytes = b""
    digest: str = ""

    def of(self, run: Finished) -> dict[str, float]:
        """Return its columns for a run.

        Raises:
            ValueError: it is no number; also whatever a user's function raises.
        """
        if self.function:
            found = unpacked(self.function)(run)
            if isinstance(found, Mapping):
                return {f"{name}": _number(value, f" for {name}") for name, value in found.items()}
            return {self.name: _number(found)}
        values = np.asarray(run[self.channel], dtype=np.float64)
        kind = self.text.partition(":")[0]
        return {self.name: _of_channel(kind, self.channel, run.time, values, dict(self.options))}


def metric_of(what: Any, name: str = "", channels: Sequence[str] = ()) -> Metric:
    """Return the metric that a user names.

    Args:
        what: such as "overshoot:joint.elbow.angle", with options behind it (":target=1.2");
            "module:function"; or a function of a run.
        name: of its column; "": how it was named.
        channels: of which a built-in one takes the only one if it names none.

    Raises:
        ValueError, TypeError: there is none.
    """
    if callable(what):
        own = getattr(what, "__name__", type(what).__name__)
        return Metric(
            name or own.strip("<>"),
            f"{getattr(what, '__module__', '')}:{own}",
            function=packed(what),
            digest=digest_of_function(what),
        )
    if not isinstance(what, str):
        raise TypeError(
            f"metric {what!r}: give a text such as 'max:energy.kinetic', or a function of the run"
        )
    kind, colon, channel = what.partition(":")
    if kind in BUILT_IN:
        if not channel and len(channels) == 1 and "*" not in channels[0]:
            (channel,) = channels
        if not channel:
            raise ValueError(f"metric {what!r}: say of which channel, such as {kind}:energy.kinetic")
        options: dict[str, float] = {}
        while match := re.fullmatch(r"(.+):(\w+)=([^:=]+)", channel):
            channel = match[1]
            options[match[2]] = _option(what, kind, match[2], match[3])
        return Metric(name or what, f"{kind}:{channel}", channel, tuple(sorted(options.items())))
    if not colon or not re.fullmatch(r"[\w.]+:[\w.]+", what) or "." in what.partition(":")[2]:
        raise ValueError(
            f"metric {what!r}: there is no {kind!r}{suggestion(kind, [*BUILT_IN])}; "
            f"give one of {', '.join(BUILT_IN)} with a channel, such as max:energy.kinetic, "
            "or module:function"
        )
    close = suggestion(kind, [*BUILT_IN])
    if close and find_spec(kind) is None:
        raise ValueError(f"metric {what!r}: there is no {kind!r}{close}, neither is it a module")
    return metric_of(function_of(what), name or what.partition(":")[2])


def _option(what: str, kind: str, name: str, text: str) -> float:
    known = BUILT_IN[kind][1]
    if name not in known:
        raise ValueError(
            f"metric {what!r}: {kind} has no option {name!r}; it has {', '.join(known) or 'none'}"
        )
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise ValueError(f"metric {what!r}: {name} is {text!r}; give a finite number")
    return value


def _number(value: Any, of: str = "") -> float:
    from stoss.collision.plain_numbers import float_of, shown

    try:
        return float_of(value) if not isinstance(value, bool | np.bool_) else float(value)
    except TypeError:
        told = f"it returned {shown(value)}{of}; return a number, or numbers by name"
        raise ValueError(told) from None


# ---------------------------------------------------------------------- the built-in ones


def _of_channel(
    kind: str, channel: str, times: np.ndarray, values: np.ndarray, options: dict[str, float]
) -> float:
    if values.ndim != 1:
        raise ValueError(f"{channel} has {values.shape[1]} numbers; take one, such as {channel}.x")
    if len(values) == 0:
        raise ValueError(f"{channel} has no samples")
    function: Callable[..., float] = BUILT_IN[kind][0]
    return float(function(times, values, **options))


def _final(times: np.ndarray, values: np.ndarray) -> float:
    return float(values[-1])


def _max(times: np.ndarray, values: np.ndarray) -> float:
    return float(values.max())


def _min(times: np.ndarray, values: np.ndarray) -> float:
    return float(values.min())


def _mean(times: np.ndarray, values: np.ndarray) -> float:
    """Mean over time, of straight lines between the samples."""
    return _integral(times, values) / (times[-1] - times[0]) if len(times) > 1 else float(values[0])


def _rms(times: np.ndarray, values: np.ndarray, target: float = 0.0) -> float:
    """Root of the mean square over time of the distance from the target."""
    return float(np.sqrt(_mean(times, (values - target) ** 2)))


def _overshoot(times: np.ndarray, values: np.ndarray, target: float | None = None) -> float:
    """How far it goes beyond the target, over the way there: 0.1 is 10 %; 0 if it never does."""
    goal = values[-1] if target is None else target
    way = goal - values[0]
    if way == 0.0:
        return 0.0 if (values == goal).all() else float(np.inf)
    return float(max(0.0, ((values - goal) / way).max()))


def _settling_time(
    times: np.ndarray, values: np.ndarray, target: float | None = None, band: float = 0.02
) -> float:
    """Time [s] from which on it stays within a band about the target, infinite if it is outside at the end.

    The band is a share of the way from the first value to the target, 2 % when nothing is said.
    """
    goal = values[-1] if target is None else target
    outside = np.flatnonzero(np.abs(values - goal) > band * abs(goal - values[0]))
    if len(outside) == 0:
        return 0.0
    last = int(outside[-1])
    return float(np.inf) if last == len(values) - 1 else float(times[last + 1] - times[0])


def _integral(times: np.ndarray, values: np.ndarray) -> float:
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(times)))


# Function and the names of its options.
BUILT_IN: dict[str, tuple[Callable[..., float], tuple[str, ...]]] = {
    "final": (_final, ()),
    "max": (_max, ()),
    "min": (_min, ()),
    "mean": (_mean, ()),
    "rms": (_rms, ("target",)),
    "overshoot": (_overshoot, ("target",)),
    "settling_time": (_settling_time, ("target", "band")),
}
