"""What can be laid over the bodies: contacts, joints, axes, velocities, paths, names. Plain numpy."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from stoss.collision.shapes.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Sphere,
    TriangleMesh,
)
from stoss.engine.joints.arrays import ALIGN, FIRST_ANGLE, SECOND_ANGLE, SLIDE, SWING, TWIST
from stoss.viewer.drawing.geometry import fitting_quaternion, product, rotate
from stoss.viewer.drawing.style import PALETTE
from stoss.viewer.world.frames import Description, Frame

__all__ = [
    "OverlayGeometry",
    "OverlayOptions",
    "Trails",
    "arrows",
    "body_bounds",
    "lines",
    "overlay_geometry",
    "points",
    "typical_size",
]

# Colours (sRGB, opacity).
_POINT = (0.07, 0.09, 0.14, 1.0)
_NORMAL = (0.10, 0.30, 0.75, 1.0)
_IMPULSE = (0.86, 0.20, 0.12, 1.0)
_FRICTION_CONE = (0.98, 0.78, 0.15, 0.30)
_JOINT = (0.45, 0.10, 0.50, 1.0)
_JOINT_ARM = (0.45, 0.10, 0.50, 0.45)
_LIMIT = (0.90, 0.45, 0.05, 1.0)
_LIMIT_NOW = (0.10, 0.45, 0.40, 1.0)
_VELOCITY = (0.05, 0.50, 0.36, 1.0)
_TURNING = (0.52, 0.35, 0.75, 1.0)
_BOX = (0.15, 0.17, 0.22, 0.7)
_AXES = ((0.84, 0.20, 0.18, 1.0), (0.16, 0.62, 0.30, 1.0), (0.16, 0.38, 0.88, 1.0))
_WHITE = (1.0, 1.0, 1.0, 1.0)

# Longest arrows, in typical sizes of a body; and the widest half angle of a friction cone, as its tangent.
_LONGEST = 6.0
_WIDEST = 3.0

# Kinds of joints that have no axis of their own.
_WITHOUT_AXIS = ("Ball", "Distance", "Lock", "Fixed", "Free")


@dataclass
class OverlayGeometry:
    """Things to draw, in world coordinates [m] and sRGB colours with opacity. They can be added up.

    Attributes:
        lines: (k, 11) start (3), width [pixels], stop (3), colour (4). A line of no length is a round point.
        arrows: (a, 16) start (3), 0, quaternion from z to the direction (4), sizes of `geometry.arrow` (4),
            colour (4).
        cones: (c, 16) the same, with the sizes of the mesh "cone".
        labels: texts and the points (3,) they belong to; drawn by the window.
    """

    lines: np.ndarray = field(default_factory=lambda: np.zeros((0, 11)))
    arrows: np.ndarray = field(default_factory=lambda: np.zeros((0, 16)))
    cones: np.ndarray = field(default_factory=lambda: np.zeros((0, 16)))
    labels: list[tuple[str, np.ndarray]] = field(default_factory=list)

    def __add__(self, other: "OverlayGeometry") -> "OverlayGeometry":
        return OverlayGeometry(
            np.concatenate([self.lines, other.lines]),
            np.concatenate([self.arrows, other.arrows]),
            np.concatenate([self.cones, other.cones]),
            self.labels + other.labels,
        )


@dataclass
class OverlayOptions:
    """What is laid over the bodies, and how large.

    Attributes:
        contacts: contact points with their normals.
        impulses: impulses of contacts over the last step, as arrows: on the second body of a contact, or on
            the first if the second is static.
        friction_cones: the directions that an impulse of a contact may have.
        joints: joints with their axes and arms.
        limits: of joints, with where they are now.
        centres: centres of mass.
        axes: principal axes of inertia: red, green, blue.
        boxes: bounding boxes.
        velocities: velocities, and angular velocities in violet.
        trajectories: the paths of the centres (`Trails`).
        names: names of bodies.
        joint_names: names of joints.
        size: length of what has no length of its own [m]; None takes half that of a typical body.
        impulse_scale: length of an arrow per impulse [m / (N s)]; None lets the weight of a typical body
            over 10 ms be as long as `size`.
        velocity_scale: length of an arrow per velocity [s]; None chooses by gravity and size.
    """

    contacts: bool = False
    impulses: bool = False
    friction_cones: bool = False
    joints: bool = False
    limits: bool = False
    centres: bool = False
    axes: bool = False
    boxes: bool = False
    velocities: bool = False
    trajectories: bool = False
    names: bool = False
    joint_names: bool = False
    size: float | None = None
    impulse_scale: float | None = None
    velocity_scale: float | None = None

    @classmethod
    def of(cls, names: Iterable[str]) -> "OverlayOptions":
        """Return options with the named overlays switched on.

        Raises:
            ValueError: there is no overlay of that name.
        """
        options, known = cls(), cls.switches()
        for name in names:
            if name not in known:
                raise ValueError(f"there is no overlay {name!r}; choose from {', '.join(known)}")
            setattr(options, name, True)
        return options

    @classmethod
    def switches(cls) -> tuple[str, ...]:
        """Return the names of what can be switched on."""
        return tuple(entry.name for entry in fields(cls) if entry.default is False)

    @property
    def needs_contacts(self) -> bool:
        """Return whether frames must hold the contacts."""
        return self.contacts or self.impulses or self.friction_cones


# ------------------------------------------------------------------ parts


def lines(starts: np.ndarray, stops: np.ndarray, colour: Sequence[float], width: float = 2.0) -> np.ndarray:
    """Return rows of `OverlayGeometry.lines` from starts (k, 3) to stops (k, 3) [m]; colour (4,)."""
    table = np.empty((len(starts), 11))
    table[:, :3], table[:, 3], table[:, 4:7], table[:, 7:] = starts, width, stops, colour
    return table


def points(places: np.ndarray, colour: Sequence[float], width: float = 7.0) -> np.ndarray:
    """Return rows of `OverlayGeometry.lines` that are round points at places (k, 3) [m]."""
    return lines(places, places, colour, width)


def arrows(starts: np.ndarray, vectors: np.ndarray, colour: Sequence[float], thickness: float) -> np.ndarray:
    """Return rows of `OverlayGeometry.arrows`; arrows of no length are left out.

    Args:
        starts, vectors: (k, 3) [m].
        colour: (4,).
        thickness: radius of the head [m].
    """
    length = np.linalg.norm(vectors, axis=1)
    shown = length > 1e-3 * thickness
    length, head = length[shown], np.minimum(2.6 * thickness, 0.5 * length[shown])
    table = np.zeros((len(length), 16))
    table[:, :3] = starts[shown]
    table[:, 4:8] = fitting_quaternion(vectors[shown])
    table[:, 8] = table[:, 9] = np.minimum(thickness, head)
    table[:, 10], table[:, 11] = head, length - head
    table[:, 12:] = colour
    return table


def _cones(apices: np.ndarray, axes: np.ndarray, height: float, slopes: np.ndarray) -> np.ndarray:
    """Return rows of `OverlayGeometry.cones` that open from their apices along unit axes."""
    table = np.zeros((len(apices), 16))
    table[:, :3] = apices + 0.5 * height * axes
    table[:, 4:8] = fitting_quaternion(-axes)
    table[:, 8] = table[:, 9] = height * slopes
    table[:, 10] = height
    table[:, 12:] = _FRICTION_CONE
    return table


def _chain(path: np.ndarray, colour: Sequence[float], width: float = 2.0) -> np.ndarray:
    return lines(path[:-1], path[1:], colour, width)


def typical_size(description: Description) -> float:
    """Return the median over the moving bodies of the diameter of their shapes' boxes [m], 1 without any."""
    from stoss.viewer.drawing.geometry import local_bounds

    sizes = []
    for shape, body in zip(description.shapes, description.shape_body, strict=True):
        if description.kinds[body] != "static" and not isinstance(shape, HalfSpace):
            low, high = local_bounds(shape)
            sizes.append(float(np.linalg.norm(high - low)))
    return float(np.median(sizes)) if sizes else 1.0


# ----------------------------------------------------------------- bounds


def body_bounds(description: Description, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (n, 3), (n, 3) [m] of the boxes along the axes of the world about all bodies.

    They are exact for every shape; bodies without any, and with half-spaces, have the box from inf to -inf.
    """
    count = len(description.names)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    groups: dict[type, list[int]] = {}
    endless = np.zeros(count, bool)
    for row, shape in enumerate(description.shapes):
        groups.setdefault(type(shape), []).append(row)
    for kind, rows in groups.items():
        body = description.shape_body[rows]
        if kind is HalfSpace:
            endless[body] = True
            continue
        turn = frame.quaternions[body]
        centre = frame.positions[body] + rotate(turn, description.shape_position[rows])
        # Columns: the axes of the shapes in the world.
        axes = np.stack(
            [rotate(turn, rotate(description.shape_quaternion[rows], e[None])) for e in np.eye(3)], axis=-1
        )
        below, above = _extents([description.shapes[row] for row in rows], axes)
        np.minimum.at(low, body, centre + below)
        np.maximum.at(high, body, centre + above)
    low[endless], high[endless] = np.inf, -np.inf
    return low, high


def _extents(shapes: Sequence, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far shapes of one kind reach along the axes of the world, (k, 3) below and above."""
    kind = type(shapes[0])
    if issubclass(kind, ConvexHull | TriangleMesh):
        clouds = [shape.vertices @ turn.T for shape, turn in zip(shapes, axes, strict=True)]
        return np.array([c.min(axis=0) for c in clouds]), np.array([c.max(axis=0) for c in clouds])
    if issubclass(kind, Box):
        half = 0.5 * np.array([shape.size for shape in shapes])
        reach = (np.abs(axes) * half[:, None]).sum(axis=2)
        return -reach, reach
    if issubclass(kind, Sphere | Ellipsoid):
        radii = np.array([[shape.radius] * 3 if kind is Sphere else shape.radii for shape in shapes])
        reach = np.sqrt(((axes * radii[:, None]) ** 2).sum(axis=2))
        return -reach, reach
    assert issubclass(kind, Capsule | Cylinder | Cone)
    radius = np.array([shape.radius for shape in shapes])[:, None]
    along = 0.5 * np.array([shape.length for shape in shapes])[:, None] * axes[:, :, 2]
    if issubclass(kind, Capsule):
        return -np.abs(along) - radius, np.abs(along) + radius
    rim = radius * np.sqrt(np.maximum(0.0, 1.0 - axes[:, :, 2] ** 2))
    if issubclass(kind, Cylinder):
        return -np.abs(along) - rim, np.abs(along) + rim
    # A cone: its apex, and the rim of its base.
    return np.minimum(along, -along - rim), np.maximum(along, -along + rim)


_EDGES = np.array([(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit])
_CORNERS = np.array([[(k >> axis) & 1 for axis in range(3)] for k in range(8)], bool)


def _boxes(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    shown = (high >= low).all(axis=1)
    corners = np.where(_CORNERS[None], high[shown][:, None], low[shown][:, None])
    return lines(corners[:, _EDGES[:, 0]].reshape(-1, 3), corners[:, _EDGES[:, 1]].reshape(-1, 3), _BOX, 1.2)


# ----------------------------------------------------------------- joints


def _joint_frames(description: Description, frame: Frame) -> tuple[np.ndarray, ...]:
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


def _joint_lines(description: Description, frame: Frame, size: float) -> list[np.ndarray]:
    point_a, turn_a, point_b, _ = _joint_frames(description, frame)
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
    return tables


def _limit_lines(description: Description, frame: Frame, size: float) -> list[np.ndarray]:
    stops = description.joint_stops
    if not len(stops.part):
        return []
    point_a, turn_a, point_b, turn_b = _joint_frames(description, frame)
    tables: list[np.ndarray] = []
    ex, ey, ez = np.eye(3)
    for part, measure, k, lower, upper in zip(*stops, strict=True):
        place, turn = point_a[part], turn_a[part]
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
            tables.append(_chain(ring, _LIMIT, 2.0))
            tables.append(lines(np.tile(place, (4, 1)), ring[:32:8], _LIMIT, 1.2))
            now = place + rotate(turn_b[part], ez) * size
        elif measure in (TWIST, FIRST_ANGLE, SECOND_ANGLE):
            # Angles about A.z, A.x or B.y, from one axis of A to the same of B.
            base = turn_b[part] if measure == SECOND_ANGLE else turn
            axis, zero = {TWIST: (ez, ex), FIRST_ANGLE: (ex, ey), SECOND_ANGLE: (ey, ez)}[int(measure)]
            low, high = max(lower, -2.0 * np.pi), min(upper, 2.0 * np.pi)
            if measure == SECOND_ANGLE:
                low, high = -high, -low
            angles = np.linspace(low, high, 33)[:, None]
            arc = np.cos(angles) * zero + np.sin(angles) * np.cross(axis, zero)
            arc = place + rotate(base, arc * 0.8 * size)
            tables.append(_chain(arc, _LIMIT, 2.0))
            tables.append(lines(np.tile(place, (2, 1)), arc[[0, -1]], _LIMIT, 1.2))
            other = turn if measure == SECOND_ANGLE else turn_b[part]
            now = place + rotate(other, zero) * 0.8 * size
        else:
            continue
        tables.append(lines(place[None], now[None], _LIMIT_NOW, 3.0))
    return tables


# --------------------------------------------------------------- together


class Trails:
    """The paths of bodies over the last frames.

    Args:
        length: how many frames are kept.
        bodies: rows of the bodies; None takes all that move, up to a hundred.
    """

    def __init__(self, length: int = 300, bodies: Sequence[int] | None = None) -> None:
        self.length = length
        self._bodies = None if bodies is None else np.array(bodies, int)
        self._kept: list[np.ndarray] = []
        self._description: Description | None = None
        self._time = -np.inf

    def add(self, description: Description, frame: Frame) -> None:
        """Take the places of a new frame; other bodies or an earlier time begin anew."""
        if description is not self._description or frame.time < self._time:
            self._description, self._kept = description, []
            moving = [row for row, kind in enumerate(description.kinds) if kind != "static"]
            self._shown = np.array(moving[:100], int) if self._bodies is None else self._bodies
        elif frame.time == self._time:
            return
        self._time = frame.time
        self._kept.append(frame.positions[self._shown])
        del self._kept[: -self.length]

    def lines(self) -> np.ndarray:
        """Return rows of `OverlayGeometry.lines`, fainter the longer ago."""
        if len(self._kept) < 2:
            return np.zeros((0, 11))
        path = np.array(self._kept)
        age = np.linspace(0.1, 0.9, len(path) - 1)
        count = path.shape[1]
        colour = np.empty((len(path) - 1, count, 4))
        colour[..., :3] = 0.75 * PALETTE[np.arange(count) % len(PALETTE)]
        colour[..., 3] = age[:, None]
        table = lines(path[:-1].reshape(-1, 3), path[1:].reshape(-1, 3), (0.0, 0.0, 0.0, 1.0), 2.0)
        table[:, 7:] = colour.reshape(-1, 4)
        return table


def overlay_geometry(
    description: Description, frame: Frame, options: OverlayOptions, trails: Trails | None = None
) -> OverlayGeometry:
    """Return what is to be laid over the bodies; what a frame does not know is left out.

    Args:
        description, frame: what is drawn.
        options: what is wanted.
        trails: the paths, kept by the caller from frame to frame.
    """
    typical = typical_size(description)
    size = 0.5 * typical if options.size is None else options.size
    segments: list[np.ndarray] = []
    pointers: list[np.ndarray] = []
    cones: list[np.ndarray] = []
    labels: list[tuple[str, np.ndarray]] = []
    moving = np.array([kind != "static" for kind in description.kinds], bool)
    contacts = frame.contacts
    if contacts is not None and len(contacts.points):
        # Shown is what acts on the second body, or on the first if the second is static.
        side = np.where(moving[contacts.body_b], -1.0, 1.0)[:, None]
        normals = side * contacts.normals
        if options.contacts:
            ends = contacts.points + 0.5 * size * normals
            segments += [lines(contacts.points, ends, _NORMAL, 2.0), points(contacts.points, _POINT, 6.0)]
        if options.impulses:
            vectors = side * contacts.impulses * _impulse_scale(description, options, size)
            pointers.append(arrows(contacts.points, _shortened(vectors, size), _IMPULSE, 0.10 * size))
        if options.friction_cones:
            slopes = np.clip(np.nan_to_num(contacts.friction, posinf=_WIDEST), 0.0, _WIDEST)
            rubbing = slopes > 1e-3
            cones.append(_cones(contacts.points[rubbing], normals[rubbing], 0.5 * size, slopes[rubbing]))
    if options.joints and len(description.joint_parts.joint):
        segments += _joint_lines(description, frame, size)
    if options.limits:
        segments += _limit_lines(description, frame, size)
    if options.boxes:
        segments.append(_boxes(*body_bounds(description, frame)))
    places, turns = frame.positions[moving], frame.quaternions[moving]
    if options.axes:
        for k in range(3):
            tip = places + rotate(turns, np.eye(3)[k] * size)
            segments.append(lines(places, tip, _AXES[k], 2.5))
    if options.centres:
        segments += [points(places, _POINT, 10.0), points(places, _WHITE, 6.0)]
    if options.velocities and frame.velocities is not None and frame.angular_velocities is not None:
        scale = options.velocity_scale
        if scale is None:
            scale = size / np.sqrt(9.81 * max(typical, 1e-9))
        for vectors, colour in (
            (frame.velocities[moving] * scale, _VELOCITY),
            (frame.angular_velocities[moving] * scale * 0.5 * typical, _TURNING),
        ):
            pointers.append(arrows(places, _shortened(vectors, size), colour, 0.10 * size))
    if options.trajectories and trails is not None:
        segments.append(trails.lines())
    if options.names:
        endless = {
            int(body)
            for shape, body in zip(description.shapes, description.shape_body, strict=True)
            if isinstance(shape, HalfSpace)
        }
        labels += [
            (name, frame.positions[row]) for row, name in enumerate(description.names) if row not in endless
        ]
    if options.joint_names and len(description.joint_parts.joint):
        point_a = _joint_frames(description, frame)[0]
        joints, first = np.unique(description.joint_parts.joint, return_index=True)
        labels += [
            (description.joint_names[joint], point_a[part]) for joint, part in zip(joints, first, strict=True)
        ]
    return OverlayGeometry(
        np.concatenate([np.zeros((0, 11)), *segments]),
        np.concatenate([np.zeros((0, 16)), *pointers]),
        np.concatenate([np.zeros((0, 16)), *cones]),
        labels,
    )


def _impulse_scale(description: Description, options: OverlayOptions, size: float) -> float:
    if options.impulse_scale is not None:
        return options.impulse_scale
    masses = description.masses[description.masses > 0.0]
    weight = float(np.median(masses)) * 9.81 * 0.01 if len(masses) else 1.0
    return size / weight


def _shortened(vectors: np.ndarray, size: float) -> np.ndarray:
    """Return vectors none of which is longer than the longest arrow."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors * np.minimum(1.0, _LONGEST * size / np.maximum(length, 1e-300))
