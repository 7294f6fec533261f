"""What colours, arrows and marks mean: the key in a corner of the picture. Plain numbers and texts."""

from dataclasses import dataclass

__all__ = ["Entry", "Legend", "Ramp", "amount"]

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
    return f"{value / 1e3:.3g} k{unit}" if abs(value) >= 1e4 else f"{value:.3g} {unit}"
