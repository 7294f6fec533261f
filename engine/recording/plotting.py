"""Pictures of recordings by matplotlib: curves over time, phase portraits, histograms; of several runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.engine.recording.choosing import SIZE
from stoss.files import check_place, replaced

if TYPE_CHECKING:
    from stoss.engine.recording.recording import Recording

__all__ = [
    "PICTURES",
    "check_picture",
    "draw",
    "draw_histogram",
    "draw_phase",
    "new_figure",
    "picture_of",
    "save",
]

PICTURES = (".png", ".svg", ".pdf")

# Told apart also by those who see fewer colours (Okabe and Ito), dark enough on white.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.5)), (0, (6, 1.5, 1.2, 1.5)))
_WIDTH, _HEIGHT = 8.0, 2.6  # of a panel [inch]
_MOST_CURVES = 60  # in one picture; of more nothing is seen
_BINS = 40
_RARE = 100


@dataclass(frozen=True)
class _Curve:
    """A column of a run.

    Attributes:
        name, unit: of the column.
        run: what the run is called, "" where there is one.
        number: of the run.
        x, y: (k,) what is drawn.
    """

    name: str
    unit: str
    run: str
    number: int
    x: np.ndarray
    y: np.ndarray


def check_picture(path: Any) -> Path:
    """Return a path as such, when a picture can be written there.

    Raises:
        ValueError: another ending, or matplotlib is not installed; FileError: it cannot be written.
    """
    if not isinstance(path, str | Path):
        raise TypeError(f"path = {shown(path)} must be a path")
    _figure_class()
    return check_place(path, PICTURES)


def new_figure(size: tuple[float, float]) -> Any:
    """Return an empty figure of a size [inch]."""
    return _figure_class()(figsize=size)


def _figure_class() -> Any:
    try:
        return import_module("matplotlib.figure").Figure
    except ImportError:
        raise ValueError("plots need matplotlib: python -m pip install 'stoss[plot]'") from None


def save(figure: Any, path: Path, dpi: float = 150.0) -> None:
    """Write a figure to a file, .png, .svg or .pdf: the same bytes for the same numbers.

    Raises:
        FileError: it cannot be written; an older one is as it was.
    """
    kind = path.suffix.lower()[1:]
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    with import_module("matplotlib").rc_context({"svg.hashsalt": "stoss"}), replaced(path) as file:
        figure.savefig(file, format=kind, dpi=dpi, metadata=dates[kind])


# ------------------------------------------------------------- what is drawn


def picture_of(
    runs: Mapping[str, "Recording"],
    channels: Sequence[str],
    *,
    out: "str | Path | None",
    phase: bool,
    histogram: bool,
    title: str | None,
) -> Any:
    """Return the figure that is asked for, and write it to a file if that is named; see `Recording.plot`."""
    if phase and histogram:
        raise ValueError("phase and histogram exclude each other")
    if not (channels or phase or histogram):
        channels = next(iter(runs.values())).channels
    place = None if out is None else check_picture(out)
    figure = (draw_phase if phase else draw_histogram if histogram else draw)(runs, channels, title)
    if place is not None:
        save(figure, place)
    return figure


def draw(runs: Mapping[str, "Recording"], channels: Sequence[str], title: str | None = None) -> Any:
    """Return a figure of curves over time, a panel for each unit.

    Args:
        runs: recordings by what they are called.
        channels: names and patterns.
        title: of the picture.
    """
    curves = _curves(runs, channels)
    units = list(dict.fromkeys(curve.unit for curve in curves))
    figure, panels = _panels(len(units), title)
    for panel, unit in zip(panels, units, strict=True):
        own = [curve for curve in curves if curve.unit == unit]
        _plot(panel, own)
        names = {curve.name for curve in own}
        panel.set_ylabel(_labelled(names.pop() if len(names) == 1 else _common(names), unit))
    panels[-1].set_xlabel("time [s]")
    return figure


def draw_phase(runs: Mapping[str, "Recording"], channels: Sequence[str], title: str | None = None) -> Any:
    """Return a figure of phase portraits: each pair of channels over each other, begun at the dot.

    Args:
        runs: recordings by what they are called.
        channels: x and y, and more pairs.
        title: of the picture.

    Raises:
        ValueError: they are not pairs of columns.
    """
    if len(channels) % 2 or not channels:
        raise ValueError(f"a phase portrait takes pairs of channels, x and y, not {len(channels)}")
    pairs = list(zip(channels[::2], channels[1::2], strict=True))
    figure, panels = _panels(len(pairs), title, height=4.5, share=False)
    for panel, (x, y) in zip(panels, pairs, strict=True):
        curves = []
        for number, (run, recording) in enumerate(runs.items()):
            across, up = (_single(recording, name) for name in (x, y))
            curves.append(_Curve(y, recording.unit(y), _told(run, runs), number, across, up))
        _plot(panel, curves, by_run=True)
        for curve in curves:
            panel.plot(curve.x[:1], curve.y[:1], "o", color=_COLOURS[curve.number % len(_COLOURS)], ms=5)
        first = next(iter(runs.values()))
        panel.set_xlabel(_labelled(x, first.unit(x)))
        panel.set_ylabel(_labelled(y, first.unit(y)))
    return figure


def draw_histogram(runs: Mapping[str, "Recording"], channels: Sequence[str], title: str | None = None) -> Any:
    """Return a figure of how often values occur, a panel for each unit; without contacts that do not act.

    Args:
        runs: recordings by what they are called.
        channels: names and patterns; () the normal forces of all contacts, together.
        title: of the picture.
    """
    together = not channels
    curves = _curves(runs, channels or ["contact.*.normal_force"])
    units = list(dict.fromkeys(curve.unit for curve in curves))
    figure, panels = _panels(len(units), title, share=False)
    for panel, unit in zip(panels, units, strict=True):
        own = [curve for curve in curves if curve.unit == unit]
        groups: dict[str, list[np.ndarray]] = {}
        for curve in own:
            name = "normal forces of contacts" if together else curve.name
            acts = curve.y[np.isfinite(curve.y) & ((curve.y != 0.0) | ~_of_contact(curve.name))]
            groups.setdefault(" ".join(filter(None, (name, curve.run))), []).append(acts)
        values = {name: np.concatenate(parts) for name, parts in groups.items()}
        everything = np.concatenate(list(values.values()))
        if not len(everything):
            raise ValueError(f"nothing acted: {', '.join(values)} were zero in all samples")
        edges = np.histogram_bin_edges(everything, _BINS)
        counts = np.histogram(everything, edges)[0]
        if counts.max() > _RARE * counts[counts > 0].min():
            panel.set_yscale("log")  # or what is rare, as hard impacts are, would not be seen
        for number, (name, found) in enumerate(values.items()):
            colour = _COLOURS[number % len(_COLOURS)]
            panel.hist(found, edges, color=colour, alpha=0.35)
            panel.hist(found, edges, color=colour, histtype="step", label=name)
        _finish(panel, len(values))
        panel.set_xlabel(_labelled("normal force" if together else _common(values), unit))
        panel.set_ylabel("samples")
    return figure


def _of_contact(name: str) -> np.bool_:
    return np.bool_(name.startswith("contact."))


def _curves(runs: Mapping[str, "Recording"], channels: Sequence[str]) -> list[_Curve]:
    """Return what of runs is to be drawn.

    Raises:
        KeyError: a run has no such channel; ValueError: there is nothing to draw, or far too much.
    """
    curves = []
    for number, (run, recording) in enumerate(runs.items()):
        if not len(recording):
            raise ValueError(f"{run or 'the recording'} has no samples")
        for name, values in recording.select(*channels).items():
            curves.append(
                _Curve(name, recording.unit(name), _told(run, runs), number, recording.time, values)
            )
    if len(curves) > _MOST_CURVES:
        raise ValueError(
            f"{len(curves)} curves are too many for a picture, of more than {_MOST_CURVES} nothing is seen; "
            f"name fewer than {', '.join(channels[:6])}{', ...' if len(channels) > 6 else ''}"
        )
    return curves


def _single(recording: "Recording", name: str) -> np.ndarray:
    values = recording.select(name)
    if len(values) != 1:
        raise ValueError(
            f"{name!r} has {len(values)} columns; name one of {', '.join(values)}, or {name}.{SIZE}"
        )
    return next(iter(values.values()))


def _told(run: str, runs: Mapping[str, "Recording"]) -> str:
    return run if len(runs) > 1 else ""


# ------------------------------------------------------------- how it is drawn


def _panels(
    count: int, title: str | None, height: float = _HEIGHT, share: bool = True
) -> tuple[Any, list[Any]]:
    figure = _figure_class()(figsize=(_WIDTH, 0.6 + height * max(count, 1)), layout="constrained")
    panels = figure.subplots(count, 1, sharex=share, squeeze=False)[:, 0]
    if title:
        figure.suptitle(title)
    return figure, list(panels)


def _plot(panel: Any, curves: Sequence[_Curve], by_run: bool = False) -> None:
    """Draw curves: a colour for each column and dashes for each run; of one column a colour for each run."""
    names = list(dict.fromkeys(curve.name for curve in curves))
    by_run = by_run or len(names) == 1
    for curve in curves:
        colour = curve.number if by_run else names.index(curve.name)
        dash = 0 if by_run else curve.number + colour // len(_COLOURS)
        label = curve.run if by_run else " ".join(filter(None, (curve.name, curve.run)))
        panel.plot(
            curve.x,
            curve.y,
            color=_COLOURS[colour % len(_COLOURS)],
            linestyle=_DASHES[dash % len(_DASHES)],
            linewidth=1.4,
            label=label,
        )
    _finish(panel, len(curves))


def _finish(panel: Any, count: int) -> None:
    panel.grid(True, color="0.88", linewidth=0.6)
    panel.set_axisbelow(True)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    if count > 1:
        columns = 1 + (count - 1) // 12
        panel.legend(
            fontsize="small", ncols=columns, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False
        )


def _labelled(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if name and unit else name or f"[{unit}]"


def _common(names: Any) -> str:
    """Return what names have in common: their first words, or their last, or nothing."""
    words = [name.split(".") for name in names]
    first = 0
    while all(len(own) > first and own[first] == words[0][first] for own in words):
        first += 1
    if first:
        return ".".join(words[0][:first])
    return words[0][-1] if len({own[-1] for own in words}) == 1 else ""
