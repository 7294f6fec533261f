"""A grid on the plane z = 0, by which one sees in an empty world where things are put. Plain numpy."""

import math

import numpy as np

from stoss.viewer.drawing.marks import OverlayGeometry, lines

__all__ = ["ground_grid", "grid_spacing"]

_FINE, _COARSE = (0.30, 0.33, 0.38, 0.22), (0.22, 0.25, 0.30, 0.45)
_X, _Y = (0.75, 0.20, 0.18, 0.8), (0.16, 0.55, 0.28, 0.8)
_CELLS = 20  # to either side
_COARSENESS = 5


def grid_spacing(distance: float) -> float:
    """Return the width of a cell [m] for a camera at a distance [m]: 1, 2 or 5 times a power of ten."""
    wanted = distance / 12.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= wanted)


def ground_grid(target: np.ndarray, distance: float) -> OverlayGeometry:
    """Return the grid about the point below what is looked at.

    Args:
        target: what is looked at (3,) [m].
        distance: of the camera from it [m].
    """
    step = grid_spacing(distance)
    middle = np.round(np.asarray(target)[:2] / (_COARSENESS * step)) * _COARSENESS * step
    reach = _CELLS * step
    numbers = np.arange(-_CELLS, _CELLS + 1)
    tables = []
    for axis in (0, 1):
        places = middle[axis] + numbers * step
        starts, stops = np.zeros((len(places), 3)), np.zeros((len(places), 3))
        starts[:, axis] = stops[:, axis] = places
        starts[:, 1 - axis], stops[:, 1 - axis] = middle[1 - axis] - reach, middle[1 - axis] + reach
        table = lines(starts, stops, _FINE, 1.0)
        table[numbers % _COARSENESS == 0, 7:] = _COARSE
        zero = np.abs(places) < 1e-9 * reach
        table[zero, 7:] = _Y if axis == 0 else _X
        table[zero, 3] = 1.5
        tables.append(table)
    return OverlayGeometry(np.concatenate(tables))
