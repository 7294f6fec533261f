"""Small pictures of all scenes, for one texture; `stoss.command_line.scene_sheet` makes their file."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

__all__ = ["SceneSheet", "load_sheet"]

_FILE = Path(__file__).with_name("scene_sheet.npz")
_COLUMNS = 8


@dataclass(frozen=True)
class SceneSheet:
    """Pictures side by side.

    Attributes:
        pixels: (height, width, 4) uint8 of all of them.
        size: width and height of one [pixels].
        places: by name of the scene: left, upper, right and lower edge, in parts of width and height.
    """

    pixels: np.ndarray
    size: tuple[int, int]
    places: dict[str, tuple[float, float, float, float]]


def load_sheet() -> SceneSheet:
    """Read the pictures."""
    with np.load(_FILE, allow_pickle=False) as file:
        names, palette, pictures = file["names"], file["palette"], file["pictures"]
    count, high, wide = pictures.shape
    rows = -(-count // _COLUMNS)
    pixels = np.full((rows * high, _COLUMNS * wide, 4), 255, np.uint8)
    places = {}
    for number, name in enumerate(names):
        row, column = divmod(number, _COLUMNS)
        pixels[row * high : (row + 1) * high, column * wide : (column + 1) * wide, :3] = palette[
            pictures[number]
        ]
        across, down = 1.0 / _COLUMNS, 1.0 / rows
        places[str(name)] = (column * across, row * down, (column + 1) * across, (row + 1) * down)
    return SceneSheet(pixels, (wide, high), places)
