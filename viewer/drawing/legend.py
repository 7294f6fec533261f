"""What colours, arrows and marks mean: the key in a corner of the picture. Plain numbers and texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Entry", "Legend", "Patch", "Plan", "Ramp", "amount", "lay_out"]

Colour = tuple[float, float, float]  # sRGB, 0 to 1


@dataclass(frozen=True)
class Entry:
    """A colour and what it stands for.

    Attributes:
        colour: sRGB.
        text: what it means.
        mark: how it is drawn: "patch", "arrow", "line" or "point".
    """

    colour: Colour
    text: str
    mark: str = "patch"


@dataclass(frozen=True)
class Ramp:
    """Colours that go over into each other, from a least to a greatest value.

    Attributes:
        colours: evenly spread.
        least, greatest: what the first and the last one stand for, with unit.
    """

    colours: tuple[Colour, ...]
    least: str
    greatest: str


@dataclass(frozen=True)
class Legend:
    """A part of the key.

    Attributes:
        title: what is shown.
        entries: colours one by one.
        ramp: colours that go over into each other, or None.
    """

    title: str
    entries: tuple[Entry, ...] = ()
    ramp: Ramp | None = None


def amount(value: float, unit: str) -> str:
    """Return a quantity as one reads it: three digits, with a prefix of a thousand where it is large."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g} M{unit}"
    return f"{value / 1e3:.3g} k{unit}" if abs(value) >= 999.5 else f"{value:.3g} {unit}"


class Patch(NamedTuple):
    """A rectangle of one colour [pixels], from the left upper corner of the key."""

    left: float
    top: float
    right: float
    bottom: float
    colour: Colour


@dataclass
class Plan:
    """Where everything of a key is [pixels], from its left upper corner.

    Attributes:
        width, height: of the key.
        patches: rectangles.
        texts: left, top and words of each line.
    """

    width: float = 0.0
    height: float = 0.0
    patches: list[Patch] = field(default_factory=list)
    texts: list[tuple[float, float, str]] = field(default_factory=list)


_LIGHT = (0.93, 0.94, 0.96)  # rim of dark marks
_LINE = 1.3  # distance of lines, in heights of letters
_PAD = 0.6  # around everything
_MARK = 1.7  # width of a mark with what is free beside it
_RAMP_WIDTH = 9.0
_SLICES = 32  # of a ramp, and of the head of an arrow a quarter


def lay_out(legends: Sequence[Legend], line: float, width_of: Callable[[str], float]) -> Plan:
    """Return where everything of a key is, one part below the other.

    Args:
        legends: parts of the key.
        line: height of letters [pixels].
        width_of: gives the width of a text [pixels].
    """
    plan, pad = Plan(), _PAD * line
    y = pad

    def write(x: float, text: str) -> float:
        plan.texts.append((x, y, text))
        right = x + width_of(text)
        plan.width = max(plan.width, right + pad)
        return right

    for number, legend in enumerate(legends):
        y += 0.5 * line if number else 0.0
        write(pad, legend.title)
        y += _LINE * line
        for entry in legend.entries:
            marks = _mark(entry, pad, y, line)
            if _is_dark(entry.colour):
                plan.patches += [_rim_of(patch, 0.08 * line) for patch in marks]
            plan.patches += marks
            write(pad + _MARK * line, entry.text)
            y += _LINE * line
        if legend.ramp is not None:
            ramp = legend.ramp
            width = max(_RAMP_WIDTH * line, width_of(ramp.least) + width_of(ramp.greatest) + line)
            plan.patches += _slices(ramp.colours, pad, y, width, 0.8 * line)
            y += line
            write(pad, ramp.least)
            write(pad + width - width_of(ramp.greatest), ramp.greatest)
            y += _LINE * line
    plan.height = y - (_LINE - 1.0) * line + pad if legends else 0.0
    return plan


def _is_dark(colour: Colour) -> bool:
    """Return whether a mark of that colour is hardly seen on the dark ground of the key."""
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] < 0.3


def _rim_of(patch: Patch, width: float) -> Patch:
    left, top, right, bottom, _ = patch
    return Patch(left - width, top - width, right + width, bottom + width, _LIGHT)


def _mark(entry: Entry, left: float, top: float, line: float) -> list[Patch]:
    """Return how an entry is drawn, in a place as high as its text."""
    middle, right, colour = top + 0.5 * line, left + 1.3 * line, entry.colour
    if entry.mark == "patch":
        return [Patch(left, top + 0.1 * line, right, top + 0.9 * line, colour)]
    if entry.mark == "point":
        centre, half = 0.5 * (left + right), 0.2 * line
        return [Patch(centre - half, middle - half, centre + half, middle + half, colour)]
    shaft = Patch(left, middle - 0.08 * line, right, middle + 0.08 * line, colour)
    if entry.mark == "line":
        return [shaft]
    count = _SLICES // 4
    step, patches = 0.55 * line / count, [shaft._replace(right=right - 0.5 * line)]
    for k in range(count):
        half = 0.35 * line * (count - k) / count
        x = right - 0.55 * line + k * step
        patches.append(Patch(x, middle - half, x + step, middle + half, colour))
    return patches


def _slices(colours: Sequence[Colour], left: float, top: float, width: float, height: float) -> list[Patch]:
    """Return a bar in which colours go over into each other."""
    patches = []
    for k in range(_SLICES):
        place = k / (_SLICES - 1) * (len(colours) - 1)
        first = min(int(place), len(colours) - 2)
        share = place - first
        r, g, b = (
            (1.0 - share) * low + share * high
            for low, high in zip(colours[first], colours[first + 1], strict=True)
        )
        x = left + width * k / _SLICES
        patches.append(Patch(x, top, left + width * (k + 1) / _SLICES, top + height, (r, g, b)))
    return patches
