"""Glyphs of joints: what each leaves free, as lines in the frame of the joint. Plain numpy.

The frame of a part has the axis of a joint, or the normal of its plane, as z. A ring is a turn, an arrow with
two heads a way, a square a plane, a cube what is held, a helix what turns and goes along.
"""

import numpy as np

from stoss.viewer.drawing.geometry import rotate
from stoss.viewer.drawing.joint_marks import joint_frames
from stoss.viewer.drawing.marks import OverlayGeometry, lines, points
from stoss.viewer.world.frames import Description, Frame

__all__ = ["GLYPHS", "glyph_geometry", "glyph_places"]

# Colours (sRGB, opacity): of joints, and of the one that is selected.
_USUAL = (0.45, 0.10, 0.62, 1.0)
_SELECTED = (1.0, 0.42, 0.0, 1.0)
_ROUND = 24  # lines of a ring


def _ring(axis: int, radius: float = 1.0, at: float = 0.0) -> np.ndarray:
    angles = np.linspace(0.0, 2.0 * np.pi, _ROUND + 1)
    path = np.zeros((_ROUND + 1, 3))
    path[:, (axis + 1) % 3], path[:, (axis + 2) % 3] = radius * np.cos(angles), radius * np.sin(angles)
    path[:, axis] = at
    return _path(path)


def _path(path: np.ndarray) -> np.ndarray:
    return np.stack([path[:-1], path[1:]], axis=1)


def _arrow(axis: int, length: float = 1.6, head: float = 0.3) -> np.ndarray:
    """Return a line along an axis with two heads."""
    tip, side = np.zeros(3), np.zeros(3)
    tip[axis], side[(axis + 1) % 3] = length, 0.5 * head
    back = np.zeros(3)
    back[axis] = head
    ends = [(-tip, tip)]
    for sign in (1.0, -1.0):
        ends += [(sign * tip, sign * (tip - back) + one) for one in (side, -side)]
    return np.array(ends)


def _line(axis: int, length: float = 1.6) -> np.ndarray:
    tip = np.zeros(3)
    tip[axis] = length
    return np.array([(-tip, tip)])


def _square() -> np.ndarray:
    corners = 1.2 * np.array([(1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0), (1, 1, 0)], float)
    return _path(corners)


def _cube(size: float = 0.7) -> np.ndarray:
    corners = size * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    apart = [
        (a, b)
        for i, a in enumerate(corners)
        for b in corners[i + 1 :]
        if np.count_nonzero(np.abs(a - b) > 1e-9) == 1
    ]
    return np.array(apart)


def _helix() -> np.ndarray:
    angles = np.linspace(0.0, 6.0 * np.pi, 60)
    path = np.stack([np.cos(angles), np.sin(angles), np.linspace(-1.2, 1.2, len(angles))], axis=1)
    return _path(path * (0.6, 0.6, 1.0))


def _rails() -> np.ndarray:
    """Return a short block on its way: what slides and does not turn."""
    block = _cube(0.45) * (1.0, 1.0, 1.4)
    return np.concatenate([block, _arrow(2)])


def _parallel() -> np.ndarray:
    aside = np.array([0.4, 0.0, 0.0])
    return np.concatenate([_line(2, 1.0) + aside, _line(2, 1.0) - aside])


def _all(*parts: np.ndarray) -> np.ndarray:
    return np.concatenate(parts)


_WANDERING = np.array([(x, 0.5 * x * x - 0.4, 0.0) for x in np.linspace(-1.0, 1.0, 9)])
GLYPHS: dict[str, np.ndarray] = {
    "Ball": _all(_ring(0, 0.8), _ring(1, 0.8), _ring(2, 0.8)),
    "Hinge": _all(_ring(2, 0.6, 0.5), _ring(2, 0.6, -0.5), _line(2)),
    "Cylindrical": _all(_ring(2, 0.6, 0.5), _ring(2, 0.6, -0.5), _arrow(2)),
    "Screw": _all(_helix(), _arrow(2)),
    "Slider": _rails(),
    "Universal": _all(_ring(0, 0.9), _ring(1, 0.9), _line(0, 1.1), _line(1, 1.1)),
    "Fixed": _cube(),
    "FixedOrientation": _all(_cube(0.5), _arrow(0, 1.2), _arrow(1, 1.2), _arrow(2, 1.2)),
    "Planar": _all(_square(), _line(2, 0.8), _arrow(0, 1.0), _arrow(1, 1.0)),
    "PointOnPlane": _all(_square(), _line(2, 0.8), _ring(2, 0.25)),
    "PointOnLine": _all(_arrow(2), _ring(0, 0.25), _ring(1, 0.25)),
    "Distance": _all(_ring(0, 0.3), _ring(1, 0.3), _ring(2, 0.3)),
    "ParallelAxes": _parallel(),
    "ConstantAngle": np.array([((0.0, 0.0, 0.0), (0.0, 0.0, 1.4)), ((0.0, 0.0, 0.0), (1.0, 0.0, 1.0))]),
    "PointOnEllipsoid": _all(*(_ring(k, r) for k, r in enumerate((0.9, 0.7, 0.8)))),
    "SplineJoint": _all(_ring(2, 0.6, 0.5), _ring(2, 0.6, -0.5), _line(2), _path(_WANDERING)),
    "CustomJoint": _all(_arrow(0, 1.0, 0.2), _arrow(1, 1.0, 0.2), _arrow(2, 1.0, 0.2), _cube(0.3)),
    "Free": _all(_line(0, 0.8), _line(1, 0.8), _line(2, 0.8)),
    "Compose": _all(_ring(2, 0.6), _line(2), _line(0, 0.8)),
}
_WITHOUT_PLACE = ("Coupling", "Gear", "Rack")


def glyph_places(description: Description, frame: Frame) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return where the joints with a glyph are: point (3,) [m] and orientation (4,) of their first part."""
    parts = description.joint_parts
    if not len(parts.joint):
        return {}
    point, turn, _, _ = joint_frames(description, frame)
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for row, joint in enumerate(parts.joint):
        name = description.joint_names[joint]
        if name not in found and description.joint_kinds[joint] not in _WITHOUT_PLACE:
            found[name] = point[row], turn[row]
    return found


def glyph_geometry(description: Description, frame: Frame, size: float, selected: str) -> OverlayGeometry:
    """Return the glyphs of all joints.

    Args:
        description, frame: what is seen.
        size: of a glyph, half its width [m].
        selected: name of the joint that is selected, "" for none.
    """
    kinds = dict(zip(description.joint_names, description.joint_kinds, strict=True))
    tables = []
    parts = description.joint_parts
    ends: dict[str, np.ndarray] = {}
    if len(parts.joint):
        _, _, second, _ = joint_frames(description, frame)
        for row, joint in enumerate(parts.joint):
            ends.setdefault(description.joint_names[joint], second[row])
    for name, (place, turn) in glyph_places(description, frame).items():
        chosen = name == selected
        colour, width = (_SELECTED, 3.0) if chosen else (_USUAL, 2.0)
        drawn = size * GLYPHS.get(kinds[name], GLYPHS["Compose"])
        flat = place + rotate(np.tile(turn, (2 * len(drawn), 1)), drawn.reshape(-1, 3))
        table = lines(flat[::2], flat[1::2], colour, width)
        tables.append(table)
        if kinds[name] == "Distance":
            tables.append(lines(place[None], ends[name][None], colour, width))
        tables.append(points(place[None], colour, 7.0))
    return OverlayGeometry(np.concatenate(tables)) if tables else OverlayGeometry()
