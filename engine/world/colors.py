"""Colours of bodies, as users give them: three numbers, a name of the web, or digits such as "#ff8800"."""

import re
from typing import Any

from stoss.collision.plain_numbers import plain_floats
from stoss.engine import checks

__all__ = ["Color", "NAMED_COLORS", "checked_color"]

Color = tuple[float, float, float]  # red, green, blue in sRGB, 0 to 1

# Those of CSS that have one plain word.
NAMED_COLORS = {
    "black": "#000000",
    "blue": "#0000ff",
    "brown": "#a52a2a",
    "coral": "#ff7f50",
    "crimson": "#dc143c",
    "cyan": "#00ffff",
    "gold": "#ffd700",
    "gray": "#808080",
    "green": "#008000",
    "grey": "#808080",
    "indigo": "#4b0082",
    "lime": "#00ff00",
    "magenta": "#ff00ff",
    "maroon": "#800000",
    "navy": "#000080",
    "olive": "#808000",
    "orange": "#ffa500",
    "orchid": "#da70d6",
    "pink": "#ffc0cb",
    "purple": "#800080",
    "red": "#ff0000",
    "salmon": "#fa8072",
    "silver": "#c0c0c0",
    "tan": "#d2b48c",
    "teal": "#008080",
    "tomato": "#ff6347",
    "turquoise": "#40e0d0",
    "violet": "#ee82ee",
    "white": "#ffffff",
    "yellow": "#ffff00",
}


def checked_color(name: str, value: Any) -> Color | None:
    """Return red, green and blue, or None for no colour of its own.

    Args:
        name: what it is called in messages.
        value: three numbers from 0 to 1, a name, "#rgb", "#rrggbb", or None.

    Raises:
        TypeError, ValueError: no colour.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return _from_text(name, value)
    numbers = plain_floats(value, 3)
    r, g, b = checks.array(name, value, (3,)).tolist() if numbers is None else numbers
    if not all(0.0 <= part <= 1.0 for part in (r, g, b)):
        raise ValueError(
            f"{name} = {checks.shown(value)} is not within 0 to 1; divide numbers up to 255 by 255, "
            'or give digits such as "#ff8800"'
        )
    return r, g, b


def _from_text(name: str, value: str) -> Color:
    digits = NAMED_COLORS.get(value.strip().lower(), value.strip())
    if re.fullmatch(r"#[0-9a-fA-F]{3}", digits):
        digits = "#" + "".join(2 * digit for digit in digits[1:])
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", digits):
        raise ValueError(
            f"{name} = {checks.shown(value)} is no colour; give three numbers from 0 to 1, '#ff8800', or "
            f"one of {', '.join(NAMED_COLORS)}"
        )
    r, g, b = (int(digits[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return r, g, b
