"""Lines of joints: arms, axes, stops and where the joints are between them. Plain numpy."""

import numpy as np

from stoss.engine.joints.arrays import ALIGN, ANGLE_1, ANGLE_2, CONE, SLIDE, SWING, TWIST, TWIST_RANGE
from stoss.viewer.drawing.geometry import product, rotate
from stoss.viewer.drawing.legend import Entry, Legend
from stoss.viewer.drawing.marks import OverlayGeometry, chain, lines, outlined, points
from stoss.viewer.world.frames import Description, Frame

__all__ = ["frame_lines", "joint_frames", "joint_legend", "joint_lines", "limit_lines", "marked_joint"]

# Colours (sRGB, opacity).
_JOINT = (0.58, 0.16, 0.66, 1.0)
_JOINT_ARM = (0.58, 0.16, 0.66, 0.45)
_LIMIT = (0.90, 0.45, 0.05, 1.0)
_LIMIT_NOW = (0.10, 0.45, 0.40, 1.0)

_SELECTED = (1.0, 0.45, 0.05, 1.0)
_FRAME_AXES = ((0.84, 0.20, 0.18, 1.0), (0.16, 0.62, 0.30, 1.0), (0.16, 0.38, 0.88, 1.0))

# Kinds of joints that have no axis of their own.
_WITHOUT_AXIS = ("Ball", "Distance", "FixedOrientation", "Fixed", "Free")


def joint_frames(description: Description, frame: Frame) -> tuple[np.ndarray, ...]:
    """Return points (p, 3) and quaternions (p, 4) of both frames of all parts, in the world."""
    parts = description.joint_parts
    placed: list[np.ndarray] = []
    for side, point, quaternion in (
        (0, parts.point_a, parts.quaternion_a),
        (1, parts.point_b, parts.quaternion_b),
    ):
        body = parts.bodies[:, side]
        held = body < 0
        turn = np.where(held[:, None], (1.0, 0.0, 0.0, 0.0), frame.quaternions[body])
        place = np.where(held[:, None], 0.0, frame.positions[body])
        placed += [place + rotate(turn, point), product(turn, quaternion)]
    return tuple(placed)


def joint_lines(description: Description, frame: Frame, size: float) -> np.ndarray:
    """Return rows of `OverlayGeometry.lines`: joints with their arms, and axes of about that size [m]."""
    if not len(description.joint_parts.joint):
        return np.zeros((0, 11))
    point_a, turn_a, point_b, _ = joint_frames(description, frame)
    parts = description.joint_parts
    tables = []
    for side, point in ((0, point_a), (1, point_b)):
        body = parts.bodies[:, side]
        centre = frame.positions[body]
        # Without arms of no length: those would be points.
        carried = (body >= 0) & (np.linalg.norm(centre - point, axis=1) > 1e-9)
        tables.append(lines(centre[carried], point[carried], _JOINT_ARM, 1.5))
    apart = np.linalg.norm(point_b - point_a, axis=1) > 1e-6
    tables.append(lines(point_a[apart], point_b[apart], _JOINT, 2.0))
    kinds = [description.joint_kinds[joint] for joint in parts.joint]
    with_axis = np.array([kind not in _WITHOUT_AXIS for kind in kinds], bool)
    axis = rotate(turn_a[with_axis], np.array([0.0, 0.0, 0.6 * size]))
    tables.append(lines(point_a[with_axis] - axis, point_a[with_axis] + axis, _JOINT, 3.0))
    tables.append(points(point_a, _JOINT, 8.0))
    tables.append(points(point_b[apart], _JOINT, 8.0))
    return np.concatenate(tables)


def limit_lines(description: Description, frame: Frame, size: float) -> np.ndarray:
    """Return rows of `OverlayGeometry.lines`: stops of that size [m], and where the joints are now."""
    stops = description.joint_stops
    if not len(stops.part):
        return np.zeros((0, 11))
    point_a, turn_a, point_b, turn_b = joint_frames(description, frame)
    tables: list[np.ndarray] = []
    ex, ey, ez = np.eye(3)
    for part, measure, k, lower, upper, curve in zip(*stops, strict=True):
        place, turn = point_a[part], turn_a[part]
        if measure in (CONE, TWIST_RANGE):
            if curve is not None:
                mark = _cone if measure == CONE else _twist
                tables += mark(curve, place, turn, turn_b[part], size)
            continue
        if measure == SLIDE:
            axis = rotate(turn, np.eye(3)[k])
            side = rotate(turn, np.eye(3)[(k + 1) % 3]) * 0.2 * size
            ends = [place + axis * value for value in (lower, upper) if np.isfinite(value)]
            tables += [lines(np.array([end - side]), np.array([end + side]), _LIMIT, 3.0) for end in ends]
            if len(ends) == 2:
                tables.append(lines(np.array(ends[:1]), np.array(ends[1:]), _LIMIT, 1.5))
            continue
        if measure in (SWING, ALIGN):
            if not np.isfinite(upper):
                continue
            around = np.linspace(0.0, 2.0 * np.pi, 33)[:, None]
            wide = np.sin(upper) * (np.cos(around) * ex + np.sin(around) * ey)
            ring = place + rotate(turn, (wide + np.cos(upper) * ez) * size)
            tables.append(chain(ring, _LIMIT, 2.0))
            tables.append(lines(np.tile(place, (4, 1)), ring[:32:8], _LIMIT, 1.2))
            now = place + rotate(turn_b[part], ez) * size
        elif measure in (TWIST, ANGLE_1, ANGLE_2):
            # Angles about A.z, A.x or B.y, from one axis of A to the same of B.
            base = turn_b[part] if measure == ANGLE_2 else turn
            axis, zero = {TWIST: (ez, ex), ANGLE_1: (ex, ey), ANGLE_2: (ey, ez)}[int(measure)]
            low, high = max(lower, -2.0 * np.pi), min(upper, 2.0 * np.pi)
            if measure == ANGLE_2:
                low, high = -high, -low
            angles = np.linspace(low, high, 33)[:, None]
            arc = np.cos(angles) * zero + np.sin(angles) * np.cross(axis, zero)
            arc = place + rotate(base, arc * 0.8 * size)
            tables.append(chain(arc, _LIMIT, 2.0))
            tables.append(lines(np.tile(place, (2, 1)), arc[[0, -1]], _LIMIT, 1.2))
            other = turn if measure == ANGLE_2 else turn_b[part]
            now = place + rotate(other, zero) * 0.8 * size
        else:
            continue
        tables.append(lines(place[None], now[None], _LIMIT_NOW, 3.0))
    return np.concatenate([np.zeros((0, 11)), *tables])


def _cone(
    curve: np.ndarray, place: np.ndarray, turn: np.ndarray, turn_b: np.ndarray, size: float
) -> list[np.ndarray]:
    """Return a cone through directions (k, 3), with eight of its rays, and the axis that stays within."""
    ring = place + rotate(turn, curve * size)
    rays = ring[:-1][:: max(1, (len(ring) - 1) // 8)]
    now = place + rotate(turn_b, np.array((0.0, 0.0, size)))
    return [
        chain(ring, _LIMIT, 2.0),
        lines(np.tile(place, (len(rays), 1)), rays, _LIMIT, 1.2),
        lines(place[None], now[None], _LIMIT_NOW, 3.0),
    ]


def _twist(
    table: np.ndarray, place: np.ndarray, turn: np.ndarray, turn_b: np.ndarray, size: float
) -> list[np.ndarray]:
    """Return the arc that is left to a twist at the present swing, about the axis that was swung."""
    ex, ey, ez = np.eye(3)
    x, y, z = rotate(turn * (1, -1, -1, -1), rotate(turn_b, ez))
    sine = float(np.hypot(x, y))
    swing = float(np.arctan2(sine, z))
    across = np.array((-y, x, 0.0)) / sine if sine > 1e-9 else ex
    swung = np.array((np.cos(0.5 * swing), *(np.sin(0.5 * swing) * across)))
    low, high = (float(np.interp(swing, table[:, 0], table[:, column])) for column in (1, 2))
    angles = np.linspace(low, high, 33)[:, None]
    arc = rotate(swung, (np.cos(angles) * ex + np.sin(angles) * ey) * 0.8 * size)
    arc = place + rotate(turn, arc)
    now = place + rotate(turn_b, ex) * 0.8 * size
    return [
        chain(arc, _LIMIT, 2.0),
        lines(np.tile(place, (2, 1)), arc[[0, -1]], _LIMIT, 1.2),
        lines(place[None], now[None], _LIMIT_NOW, 3.0),
    ]


def frame_lines(description: Description, frame: Frame, size: float) -> np.ndarray:
    """Return rows of `OverlayGeometry.lines`: axes of about that size [m] of both frames of all joints."""
    if not len(description.joint_parts.joint):
        return np.zeros((0, 11))
    point_a, turn_a, point_b, turn_b = joint_frames(description, frame)
    tables = []
    for point, turn, length, width in ((point_a, turn_a, 0.6, 4.0), (point_b, turn_b, 0.9, 1.6)):
        for k, colour in enumerate(_FRAME_AXES):
            tip = point + rotate(turn, np.eye(3)[k] * length * size)
            tables.append(lines(point, tip, colour, width))
    return np.concatenate(tables)


def marked_joint(description: Description, frame: Frame, name: str, size: float) -> OverlayGeometry:
    """Return marks on the joint of a name: its points, arms and axes, and the name. None where it is gone."""
    if name not in description.joint_names:
        return OverlayGeometry()
    parts = description.joint_parts
    mine = np.flatnonzero(parts.joint == description.joint_names.index(name))
    point_a, turn_a, point_b, _ = (values[mine] for values in joint_frames(description, frame))
    arms = [
        lines(frame.positions[body][None], point[None], _SELECTED, 3.0)
        for side, points_of in ((0, point_a), (1, point_b))
        for body, point in zip(parts.bodies[mine, side], points_of, strict=True)
        if body >= 0 and np.linalg.norm(frame.positions[body] - point) > 1e-9
    ]
    tables = [*arms, points(point_a, _SELECTED, 13.0), points(point_b, _SELECTED, 13.0)]
    if description.joint_kinds[description.joint_names.index(name)] not in _WITHOUT_AXIS:
        axis = rotate(turn_a, np.array([0.0, 0.0, 0.8 * size]))
        tables.append(lines(point_a - axis, point_a + axis, _SELECTED, 4.0))
    shown = outlined(np.concatenate(tables))
    shown.texts = [(name, point_a[0])] if len(mine) else []
    return shown


def joint_legend(joints: bool, limits: bool, frames: bool) -> Legend:
    """Return what the marks of joints mean, of those that are shown."""
    entries = []
    if joints:
        entries.append(Entry(_JOINT[:3], "joint, with axis and arms", "line"))
    if limits:
        entries.append(Entry(_LIMIT[:3], "stops", "line"))
        entries.append(Entry(_LIMIT_NOW[:3], "where it is between them", "line"))
    if frames:
        entries += [
            Entry(colour[:3], f"{name} of its frames", "line")
            for colour, name in zip(_FRAME_AXES, "xyz", strict=True)
        ]
    return Legend("Joints", tuple(entries))
