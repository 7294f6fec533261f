"""What bodies look like: palettes, colours by group, island, sleep or speed, and marks."""

import re
from dataclasses import dataclass, field

import numpy as np

from stoss.viewer.world.frames import Description, Frame

__all__ = ["COLOUR_MODES", "PALETTE", "Style", "body_colours", "group_colours", "to_linear"]

COLOUR_MODES = ("body", "group", "island", "sleeping", "speed")

# Hues that stay apart for readers with any colour vision (after Okabe and Ito, and Tol), in sRGB.
PALETTE = np.array(
    [
        (0x2F, 0x7F, 0xC1),  # blue
        (0xE8, 0x8A, 0x1A),  # orange
        (0x1B, 0xA0, 0x85),  # green
        (0xD6, 0x4E, 0x3B),  # vermilion
        (0xE6, 0xB4, 0x33),  # yellow
        (0x8A, 0x6F, 0xC0),  # violet
        (0x6C, 0xBF, 0xE6),  # sky blue
        (0xD4, 0x7F, 0xA8),  # pink
    ]
) / np.float64(255.0)

_GROUND = (0.74, 0.74, 0.735)
_STATIC = (0.66, 0.67, 0.70)
_ASLEEP = (0.52, 0.55, 0.60)
_SLOW, _MIDDLE, _FAST = (0.16, 0.30, 0.55), (0.20, 0.66, 0.62), (0.98, 0.84, 0.25)


@dataclass
class Style:
    """How bodies are drawn.

    Attributes:
        colour_by: "body": its own, or by name and kind as the palette gives; "group": all of a name alike;
            "island", "sleeping", "speed".
        colours: colours of single bodies (sRGB, 0 to 1) that go before.
        selected, highlighted: rows of bodies that get an outline.
        hidden: rows of bodies that are not drawn.
        see_through: rows of bodies that are drawn like glass, such as containers.
        grid: lines on half-spaces.
        full_speed: speed [m/s] of the last colour of "speed"; None takes that of the fastest body.
    """

    colour_by: str = "body"
    colours: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    selected: tuple[int, ...] = ()
    highlighted: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()
    see_through: tuple[int, ...] = ()
    grid: bool = True
    full_speed: float | None = None


def to_linear(colours: np.ndarray) -> np.ndarray:
    """Return sRGB colours (..., 3) as amounts of light."""
    c = np.asarray(colours, float)
    return np.where(c <= 0.04045, c / 12.92, ((np.maximum(c, 0.0) + 0.055) / 1.055) ** 2.4)


def _scatter(numbers: np.ndarray) -> np.ndarray:
    """Return numbers in [0, 1) that look random, the same for the same whole numbers."""
    n = np.asarray(numbers, np.uint64)
    n = (n + np.uint64(0x9E3779B9)) * np.uint64(0xBF58476D1CE4E5B9)
    n ^= n >> np.uint64(29)
    n *= np.uint64(0x94D049BB133111EB)
    n ^= n >> np.uint64(32)
    return (n >> np.uint64(40)).astype(np.float64) / float(1 << 24)


def _stem(name: str) -> str:
    """Return a name without its numbers: that of `brick 3.7` is `brick`."""
    return re.sub(r"[\d.,]+", "", name).strip()


def group_colours(description: Description, vary: bool) -> np.ndarray:
    """Return a colour (n, 3) per body: its own, or one that bodies with the same name but for numbers share.

    Where a world has a single such group, its bodies take different hues.

    Args:
        description: the bodies.
        vary: whether members of a group differ slightly.
    """
    count = len(description.names)
    colours = np.empty((count, 3))
    half_spaces = {
        int(body)
        for shape, body in zip(description.shapes, description.shape_body, strict=True)
        if type(shape).__name__ == "HalfSpace"
    }
    groups: dict[str, list[int]] = {}
    for row, (name, kind) in enumerate(zip(description.names, description.kinds, strict=True)):
        if row in half_spaces:
            colours[row] = _GROUND
        elif kind == "static":
            colours[row] = _STATIC
        else:
            groups.setdefault(_stem(name), []).append(row)
    for number, rows in enumerate(groups.values()):
        members = np.array(rows)
        chosen = np.full(len(members), number)
        if vary and len(groups) == 1 and len(members) > 1:
            # Of the first five hues, never the same as the body before.
            chosen = np.cumsum(1 + (_scatter(np.arange(len(members))) * 4).astype(int)) % 5
        shade = 1.0 + (0.22 * (_scatter(members + 7) - 0.5) if vary and len(members) > 3 else 0.0)
        colours[members] = np.clip(PALETTE[chosen % len(PALETTE)] * np.reshape(shade, (-1, 1)), 0.0, 1.0)
    for row, own in enumerate(description.colors):
        if own is not None:
            colours[row] = own
    return colours


def body_colours(
    description: Description, frame: Frame, style: Style, base: np.ndarray | None = None
) -> np.ndarray:
    """Return the sRGB colours (n, 3) of all bodies under a style; what a frame does not know is not shown.

    Args:
        description, frame, style: what is drawn.
        base: the result of `group_colours`, where it is at hand.

    Raises:
        ValueError: an unknown `colour_by`.
    """
    if style.colour_by not in COLOUR_MODES:
        raise ValueError(f"colour_by is {style.colour_by!r}; choose from {', '.join(COLOUR_MODES)}")
    colours = group_colours(description, style.colour_by == "body") if base is None else base.copy()
    moving = np.array([kind != "static" for kind in description.kinds], bool)
    if style.colour_by == "island" and frame.islands is not None:
        shown = moving & (frame.islands >= 0)
        colours[moving] = _ASLEEP
        colours[shown] = PALETTE[(frame.islands[shown] * 5) % len(PALETTE)]
    elif style.colour_by == "sleeping" and frame.asleep is not None:
        colours[moving] = PALETTE[1]
        colours[moving & frame.asleep] = _ASLEEP
    elif style.colour_by == "speed" and frame.velocities is not None:
        speed = np.linalg.norm(frame.velocities, axis=1)
        full = style.full_speed or float(speed[moving].max(initial=0.0)) or 1.0
        part = np.clip(speed[moving] / full, 0.0, 1.0)
        for channel in range(3):
            values = (_SLOW[channel], _MIDDLE[channel], _FAST[channel])
            colours[moving, channel] = np.interp(part, (0.0, 0.5, 1.0), values)
    for row, colour in style.colours.items():
        colours[row] = colour
    return colours
