"""What overlays are made of: lines, points, arrows, cones and labels, as tables of numbers. Plain numpy."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from stoss.viewer.drawing.geometry import fitting_quaternion
from stoss.viewer.drawing.legend import Legend

__all__ = ["OverlayGeometry", "arrows", "chain", "cones", "is_light", "lines", "outlined", "points"]

# Around lines: width [pixels] and opacity; and what red, green and blue add to how bright a colour looks.
_HALO, _HALO_OPACITY = 1.5, 0.85
_BRIGHTNESS = np.array([0.299, 0.587, 0.114])


@dataclass
class OverlayGeometry:
    """Things to draw, in world coordinates [m] and sRGB colours with opacity. They can be added up.

    Attributes:
        lines: (k, 11) start (3), width [pixels], stop (3), colour (4). A line of no length is a round point.
        arrows: (a, 16) start (3), 0, quaternion from z to the direction (4), sizes of `geometry.arrow` (4),
            colour (4).
        cones: (c, 16) the same, with the sizes of the mesh "cone".
        labels: names and the points (3,) they belong to; where they overlap only the nearest is written.
        texts: the same, but all are written.
        halos: (h, 11) lines that are drawn beneath all others, so that these are seen on any ground.
        legends: what colours and lengths mean.
    """

    lines: np.ndarray = field(default_factory=lambda: np.zeros((0, 11)))
    arrows: np.ndarray = field(default_factory=lambda: np.zeros((0, 16)))
    cones: np.ndarray = field(default_factory=lambda: np.zeros((0, 16)))
    labels: list[tuple[str, np.ndarray]] = field(default_factory=list)
    texts: list[tuple[str, np.ndarray]] = field(default_factory=list)
    halos: np.ndarray = field(default_factory=lambda: np.zeros((0, 11)))
    legends: list[Legend] = field(default_factory=list)

    def __add__(self, other: "OverlayGeometry") -> "OverlayGeometry":
        return OverlayGeometry(
            np.concatenate([self.lines, other.lines]),
            np.concatenate([self.arrows, other.arrows]),
            np.concatenate([self.cones, other.cones]),
            self.labels + other.labels,
            self.texts + other.texts,
            np.concatenate([self.halos, other.halos]),
            self.legends + other.legends,
        )


def lines(starts: np.ndarray, stops: np.ndarray, colour: Sequence[float], width: float = 2.0) -> np.ndarray:
    """Return rows of `OverlayGeometry.lines` from starts (k, 3) to stops (k, 3) [m]; colour (4,)."""
    table = np.empty((len(starts), 11))
    table[:, :3], table[:, 3], table[:, 4:7], table[:, 7:] = starts, width, stops, colour
    return table


def is_light(colours: np.ndarray) -> np.ndarray:
    """Return which sRGB colours (k, 3) look light."""
    return np.asarray(colours @ _BRIGHTNESS > 0.5)


def outlined(table: np.ndarray) -> OverlayGeometry:
    """Return lines with halos around them: light around dark ones, dark around light ones."""
    halos = table.copy()
    halos[:, 3] += 2.0 * _HALO
    halos[:, 7:10] = np.where(is_light(table[:, 7:10])[:, None], 0.05, 1.0)
    halos[:, 10] *= _HALO_OPACITY
    return OverlayGeometry(table, halos=halos)


def points(places: np.ndarray, colour: Sequence[float], width: float = 7.0) -> np.ndarray:
    """Return rows of `OverlayGeometry.lines` that are round points at places (k, 3) [m]."""
    return lines(places, places, colour, width)


def arrows(
    starts: np.ndarray,
    vectors: np.ndarray,
    colour: Sequence[float] | np.ndarray,
    thickness: float | np.ndarray,
) -> np.ndarray:
    """Return rows of `OverlayGeometry.arrows`; arrows of no length are left out.

    Args:
        starts, vectors: (k, 3) [m].
        colour: (4,), or one for each (k, 4).
        thickness: radius of the head [m], or one for each (k,).
    """
    length = np.linalg.norm(vectors, axis=1)
    shown = length > np.maximum(1e-3 * np.asarray(thickness), 1e-300)
    length = length[shown]
    radius = np.broadcast_to(thickness, shown.shape)[shown]
    head = np.minimum(2.6 * radius, 0.5 * length)
    table = np.zeros((len(length), 16))
    table[:, :3] = starts[shown]
    table[:, 4:8] = fitting_quaternion(vectors[shown])
    table[:, 8] = table[:, 9] = np.minimum(radius, head)
    table[:, 10], table[:, 11] = head, length - head
    table[:, 12:] = np.broadcast_to(colour, (len(shown), 4))[shown]
    return table


def cones(
    apices: np.ndarray, axes: np.ndarray, height: float, slopes: np.ndarray, colour: Sequence[float]
) -> np.ndarray:
    """Return rows of `OverlayGeometry.cones` that open from their apices along unit axes.

    Args:
        apices, axes: (k, 3) [m], (k, 3).
        height: [m].
        slopes: (k,) tangents of the half angles.
        colour: (4,).
    """
    table = np.zeros((len(apices), 16))
    table[:, :3] = apices + 0.5 * height * axes
    table[:, 4:8] = fitting_quaternion(-axes)
    table[:, 8] = table[:, 9] = height * slopes
    table[:, 10] = height
    table[:, 12:] = colour
    return table


def chain(path: np.ndarray, colour: Sequence[float], width: float = 2.0) -> np.ndarray:
    """Return rows of `OverlayGeometry.lines` along a path (k, 3) [m]."""
    return lines(path[:-1], path[1:], colour, width)
