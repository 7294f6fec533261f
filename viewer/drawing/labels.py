"""Texts of overlays: which are written where they overlap, and writing them where no window draws."""

from collections.abc import Callable, Sequence

import numpy as np

from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.lettering import Lettering
from stoss.viewer.drawing.marks import OverlayGeometry

__all__ = ["Label", "letter_height", "placed_texts", "write_labels"]

Label = tuple[str, np.ndarray]  # a text and the point (3,) [m] that it belongs to


def letter_height(height: int) -> float:
    """Return the height of letters [pixels] for pictures of a height [pixels], as it is in the window."""
    return float(max(12, round(height / 42)))


def placed_texts(
    names: Sequence[Label],
    texts: Sequence[Label],
    camera: Camera,
    size: Size,
    line: float,
    width_of: Callable[[str], float],
) -> list[tuple[str, float, float]]:
    """Return what is written, with left upper corners [pixels], the nearest last.

    Of names that overlap only the nearest is written, and none that overlaps a text.

    Args:
        names: labels that may be left out.
        texts: labels that may not.
        camera, size: where they are seen from, and the size of the picture [pixels].
        line: height of letters [pixels].
        width_of: gives the width of a text [pixels].
    """
    labels = [*texts, *names]
    if not labels:
        return []
    places = camera.project(np.array([point for _, point in labels]), size)
    x, y, depth = places.T
    with np.errstate(invalid="ignore"):
        seen = (depth > 0.0) & (x < size[0]) & (y < size[1]) & (y > -2.0 * line)
    must = np.arange(len(labels)) < len(texts)
    taken, count, written = np.empty((len(labels), 4)), 0, []
    for number in np.lexsort((depth, ~must)):
        if not seen[number]:
            continue
        text = labels[number][0]
        left, top = float(x[number]), float(y[number])
        right, bottom = left + width_of(text), top + line
        if right < 0.0:
            continue
        lefts, tops, rights, bottoms = taken[:count].T
        apart = (lefts >= right) | (rights <= left) | (tops >= bottom) | (bottoms <= top)
        if must[number] or apart.all():
            taken[count] = left, top, right, bottom
            count += 1
            written.append((float(depth[number]), text, left, top))
    written.sort(key=lambda entry: -entry[0])
    return [(text, left, top) for _, text, left, top in written]


def write_labels(pixels: np.ndarray, geometry: OverlayGeometry, camera: Camera) -> None:
    """Write names and texts beside their points into a picture (h, w, 3 or 4) uint8.

    Args:
        pixels: what the camera saw.
        geometry: holds them.
        camera: from where.
    """
    if not (geometry.labels or geometry.texts):
        return
    size = pixels.shape[1], pixels.shape[0]
    lettering = Lettering(letter_height(size[1]))
    line, width = lettering.height, lettering.width
    for text, x, y in placed_texts(geometry.labels, geometry.texts, camera, size, line, width):
        lettering.write(pixels, text, x, y)
