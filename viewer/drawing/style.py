"""What bodies look like: palettes, colours of their own, marks."""

import re
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from stoss.viewer.world.frames import Description

__all__ = ["PALETTE", "Style", "base_colours", "to_linear"]

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

# Numbered bodies take the first of these.
_NUMBERED = 5

# Of the odd numbers up to 60000 the factor with which names in the same scene, or that are often used
# together, differ best in hue.
_MIX = 27763

_GROUND = (0.74, 0.74, 0.735)
_STATIC = (0.66, 0.67, 0.70)


@dataclass
class Style:
    """How bodies are drawn.

    Attributes:
        colour_by: "body": its own, or one by its name; "group": all that are called alike but for numbers
            have the same; "island", "solver" (which one its island had), "sleeping", "speed", "force" (of
            contacts and joints on it), with a legend.
        colours: colours of single bodies (sRGB, 0 to 1) that go before.
        selected, highlighted: rows of bodies that get an outline.
        hidden: rows of bodies that are not drawn.
        see_through: rows of bodies that are drawn like glass, such as containers.
        grid: lines on half-spaces.
        background: one colour (sRGB) in place of the sky, None for the sky.
        pattern: fields on round bodies that move, so that one sees them turn.
        full_speed, full_force: [m/s], [N] of the last colour of "speed" and "force"; None takes the greatest,
            but no less than what is next to nothing for a typical body.
        opacity: of single bodies, 0 to 1, that goes before; what is below 1 is seen through.
        legend: whether a key tells what colours, arrows and marks mean.
    """

    colour_by: str = "body"
    colours: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    selected: tuple[int, ...] = ()
    highlighted: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()
    see_through: tuple[int, ...] = ()
    grid: bool = True
    background: tuple[float, float, float] | None = None
    pattern: bool = True
    full_speed: float | None = None
    full_force: float | None = None
    opacity: dict[int, float] = field(default_factory=dict)
    legend: bool = True


def to_linear(colours: np.ndarray) -> np.ndarray:
    """Return sRGB colours (..., 3) as amounts of light."""
    c = np.asarray(colours, float)
    return np.where(c <= 0.04045, c / 12.92, ((np.maximum(c, 0.0) + 0.055) / 1.055) ** 2.4)


def _own_colour(name: str, vary: bool) -> tuple[float, float, float]:
    """Return the colour (sRGB) of a body by its name alone, whatever else there is.

    The word gives the hue. Numbered bodies take the first hues in turns, no two that follow each other the
    same, in shades of their own. A copy looks like what it is a copy of.
    """
    name = re.sub(r"( copy( \d+)?)+$", "", name)
    word, numbers = re.sub(r"[\d.,]+", "", name).strip(), re.findall(r"\d+", name)
    hue, shade = (crc32(word.encode()) * _MIX >> 20) % len(PALETTE), 1.0
    if vary and numbers:
        mixed = crc32(name.encode())
        # Steps of two, one more or less: never the same hue as the one before.
        hue = (2 * sum(int(digits[-9:]) for digits in numbers) + (mixed & 1)) % _NUMBERED
        shade = 0.9 + 0.2 * ((mixed >> 8) & 0xFF) / 255.0
    r, g, b = np.minimum(PALETTE[hue] * shade, 1.0).tolist()
    return r, g, b


def base_colours(description: Description, vary: bool) -> np.ndarray:
    """Return a colour (n, 3) per body, which depends on nothing but the body: its own, or one by its name.

    Args:
        description: the bodies.
        vary: whether numbered bodies of one name differ.
    """
    colours = np.empty((len(description.names), 3))
    endless = description.endless
    own = description.colors or (None,) * len(description.names)
    for row, (name, kind) in enumerate(zip(description.names, description.kinds, strict=True)):
        given = own[row]
        if given is not None:
            colours[row] = given
        elif row in endless:
            colours[row] = _GROUND
        else:
            colours[row] = _STATIC if kind == "static" else _own_colour(name, vary)
    return colours
