"""The key in a corner of pictures that no window draws."""

from collections.abc import Sequence

import numpy as np

from stoss.viewer.drawing.labels import letter_height
from stoss.viewer.drawing.legend import Legend, lay_out
from stoss.viewer.drawing.lettering import Lettering

__all__ = ["GROUND", "draw_key"]

GROUND = (0.06, 0.07, 0.09, 0.78)  # sRGB and opacity of what is behind the key
_MARGIN = 0.02  # to the edges, in parts of the height
_LARGEST = 0.6  # part of width and height that it may cover


def draw_key(pixels: np.ndarray, legends: Sequence[Legend]) -> None:
    """Draw what colours and marks mean into the left upper corner.

    A picture so small that little else could be seen besides gets none.

    Args:
        pixels: (h, w, 3 or 4) uint8.
        legends: parts of the key.
    """
    if not legends:
        return
    height, width = pixels.shape[:2]
    lettering = Lettering(letter_height(height))
    plan, margin = lay_out(legends, lettering.height, lettering.width), round(_MARGIN * height)
    if plan.width > _LARGEST * width or plan.height > _LARGEST * height:
        return
    _fill(pixels, (margin, margin, margin + plan.width, margin + plan.height), GROUND)
    for left, top, right, bottom, colour in plan.patches:
        _fill(pixels, (margin + left, margin + top, margin + right, margin + bottom), (*colour, 1.0))
    for x, y, text in plan.texts:
        lettering.write(pixels, text, margin + x, margin + y)


def _fill(
    pixels: np.ndarray, area: tuple[float, float, float, float], colour: tuple[float, float, float, float]
) -> None:
    left, top, right, bottom = (round(edge) for edge in area)
    part = pixels[top:bottom, left:right]
    share = colour[3]
    part[..., :3] = part[..., :3] * (1.0 - share) + 255.0 * share * np.array(colour[:3]) + 0.5
    if pixels.shape[2] == 4:
        part[..., 3] = np.maximum(part[..., 3], round(255.0 * share))
