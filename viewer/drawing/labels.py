"""Texts of overlays in pictures that no window draws."""

from collections.abc import Sequence

import numpy as np

from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.lettering import Lettering

__all__ = ["letter_height", "write_labels"]


def letter_height(height: int) -> float:
    """Return the height of letters [pixels] for pictures of a height [pixels], as it is in the window."""
    return float(max(12, round(height / 42)))


def write_labels(pixels: np.ndarray, labels: Sequence[tuple[str, np.ndarray]], camera: Camera) -> None:
    """Write texts beside their points into a picture (h, w, 3 or 4) uint8, the nearest last.

    Args:
        pixels: what the camera saw.
        labels: texts and points (3,) [m].
        camera: from where.
    """
    if not labels:
        return
    size = pixels.shape[1], pixels.shape[0]
    lettering = Lettering(letter_height(size[1]))
    places = camera.project(np.array([point for _, point in labels]), size)
    for number in np.argsort(-places[:, 2], kind="stable"):
        x, y, depth = places[number]
        if depth > 0.0 and np.isfinite((x, y)).all() and max(abs(x), abs(y)) < 1e5:
            lettering.write(pixels, labels[number][0], x, y)
