"""Plots: which curves share one, what part of them is seen, and how they are written down. Plain numpy."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from stoss.viewer.world.channels import Channel

__all__ = ["Plot", "Plots", "limits", "table", "thinned", "tick_format"]

Samples = tuple[np.ndarray, np.ndarray]  # times (k,) [s] and values (k,)

_ROOM = 0.08  # above and below the curves, in parts of their height
_LEAST = 1e-6  # height of a plot at least, in parts of the largest value: below is rounding

_ENERGIES = ("energy.total", "energy.kinetic", "energy.potential")


@dataclass
class Plot:
    """Curves with one axis.

    Attributes:
        channels: the curves.
        follows: whether it shows all of them; False after the user has zoomed or moved it.
        number: its own among all plots.
    """

    channels: list[Channel]
    follows: bool = True
    number: int = 0

    @property
    def unit(self) -> str:
        """Return the unit of the axis."""
        return self.channels[0].unit if self.channels else ""


def _energies() -> list[Plot]:
    return [Plot([Channel(name, "J") for name in _ENERGIES])]


@dataclass
class Plots:
    """The plots of a window: energies at first, or what its scene asks for.

    Attributes:
        plots: from above.
        of_scene: whether a scene has asked for them.
    """

    plots: list[Plot] = field(default_factory=_energies)
    of_scene: bool = False

    @classmethod
    def asked_for(cls, labels: Iterable[str]) -> "Plots":
        """Return plots of the curves that are called so, one for each unit."""
        made = cls([], of_scene=True)
        for label in labels:
            made.add(Channel.of_label(label))
        return made

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Return all that is plotted, once each."""
        return tuple(dict.fromkeys(channel for plot in self.plots for channel in plot.channels))

    def add(self, channel: Channel, plot: Plot | None = None, *, alone: bool = False) -> Plot:
        """Add a curve to a plot; None: to the last one of the same unit, or a new one.

        Args:
            channel: the curve.
            plot: where it goes.
            alone: whether it gets a plot of its own.
        """
        if plot is None and not alone:
            same = [one for one in self.plots if one.unit == channel.unit]
            plot = same[-1] if same else None
        if plot is None:
            plot = Plot([], number=1 + max((one.number for one in self.plots), default=-1))
            self.plots.append(plot)
        if channel not in plot.channels:
            plot.channels.append(channel)
        return plot

    def keep(self, kept: Callable[[Channel], bool]) -> None:
        """Remove all other curves, such as those that a recorded motion does not tell."""
        for plot in tuple(self.plots):
            for channel in [channel for channel in plot.channels if not kept(channel)]:
                self.remove(channel, plot)

    def remove(self, channel: Channel, plot: Plot) -> None:
        """Take a curve out of a plot; a plot without curves goes."""
        plot.channels.remove(channel)
        if not plot.channels:
            self.plots.remove(plot)


def limits(curves: Iterable[Samples]) -> tuple[float, float, float, float]:
    """Return the least and largest time [s] and value that a plot of curves shows, with some room."""
    pairs = [(times, values[np.isfinite(values)]) for times, values in curves if len(times)]
    begin = min((float(times[0]) for times, _ in pairs), default=0.0)
    end = max((float(times[-1]) for times, _ in pairs), default=1.0)
    seen = [values for _, values in pairs if len(values)]
    low = min((float(values.min()) for values in seen), default=0.0)
    high = max((float(values.max()) for values in seen), default=1.0)
    largest = max(abs(low), abs(high))
    lacking = max(_LEAST * largest, 1e-12) - (high - low)
    if lacking > 0.0:
        low, high = low - 0.5 * lacking, high + 0.5 * lacking
    room = _ROOM * (high - low)
    return begin, end if end > begin else begin + 1.0, low - room, high + room


def tick_format(low: float, high: float) -> str:
    """Return the format of an axis with which neighbouring ticks differ."""
    step, largest = (high - low) / 10.0, max(abs(low), abs(high))
    if not (step > 0.0 and math.isfinite(step)):
        return "%g"
    digits = math.floor(math.log10(max(largest, step))) - math.floor(math.log10(step)) + 1
    if 1e-4 <= largest < 1e6:
        return f"%.{min(max(0, -math.floor(math.log10(step))), 12)}f"
    return f"%.{min(max(digits, 3), 15)}g"


def thinned(samples: Samples, low: float, high: float, most: int) -> Samples:
    """Return what of a curve is drawn between two times: of many samples the extremes of each stretch.

    Args:
        samples: the curve.
        low, high: times [s]; one sample more is kept on each side.
        most: about so many samples.
    """
    times, values = samples
    first = max(0, int(np.searchsorted(times, low)) - 1)
    last = int(np.searchsorted(times, high, side="right")) + 1
    times, values = times[first:last], values[first:last]
    stretch = -(-len(times) // max(1, most // 2))
    if stretch < 3:
        return times, values
    starts = np.arange(0, len(times) - stretch + 1, stretch)
    blocks = values[: starts[-1] + stretch].reshape(-1, stretch)
    known = np.where(np.isnan(blocks), np.inf, blocks), np.where(np.isnan(blocks), -np.inf, blocks)
    rows = np.concatenate([starts + known[0].argmin(1), starts + known[1].argmax(1)])
    rows = np.unique(np.concatenate([rows, [0], np.arange(starts[-1] + stretch, len(times))]))
    return times[rows], values[rows]


def table(channels: Sequence[Channel], curves: Sequence[Samples]) -> str:
    """Return curves as comma-separated values: a column of times, and one for each; empty where unknown."""
    times = np.unique(np.concatenate([np.zeros(0), *(times for times, _ in curves)]))
    columns = []
    for own, values in curves:
        column = np.full(len(times), np.nan)
        column[np.searchsorted(times, own)] = values
        columns.append(column)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time [s]", *(channel.label for channel in channels)])
    for row, time in enumerate(times):
        entries = [float(column[row]) for column in columns]
        writer.writerow([repr(float(time)), *("" if math.isnan(x) else repr(x) for x in entries)])
    return text.getvalue()
