"""What can be laid over the bodies: contacts, joints, axes, velocities, paths, names. Plain numpy."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from stoss.names import hint
from stoss.viewer.drawing.bounds import body_bounds, typical_size
from stoss.viewer.drawing.debug import debug_geometry
from stoss.viewer.drawing.edges import hull_edges, inertia_box_edges, shape_edges
from stoss.viewer.drawing.geometry import rotate
from stoss.viewer.drawing.joint_marks import (
    frame_lines,
    joint_frames,
    joint_legend,
    joint_lines,
    limit_lines,
    marked_joint,
)
from stoss.viewer.drawing.legend import Entry, Legend, amount
from stoss.viewer.drawing.marks import OverlayGeometry, arrows, cones, lines, outlined, points
from stoss.viewer.drawing.trails import Trails
from stoss.viewer.world.frames import Description, Frame

__all__ = ["OverlayOptions", "overlay_geometry"]

# Colours (sRGB, opacity).
_POINT = (0.07, 0.09, 0.14, 1.0)
_NORMAL = (0.10, 0.30, 0.75, 1.0)
_PUSH = (0.86, 0.20, 0.12, 1.0)
_FRICTION = (1.0, 0.70, 0.05, 1.0)
_FRICTION_CONE = (0.98, 0.78, 0.15, 0.30)
_VELOCITY = (0.05, 0.50, 0.36, 1.0)
_TURNING = (0.52, 0.35, 0.75, 1.0)
_BOX = (0.15, 0.17, 0.22, 0.7)
_AXES = ((0.84, 0.20, 0.18, 1.0), (0.16, 0.62, 0.30, 1.0), (0.16, 0.38, 0.88, 1.0))
_WHITE = (1.0, 1.0, 1.0, 1.0)
_WIRE = (0.08, 0.10, 0.14, 0.85)
_HULL = (0.80, 0.10, 0.45, 1.0)
_INERTIA = (0.02, 0.42, 0.62, 1.0)

# Longest arrows, in typical sizes of a body; and the widest half angle of a friction cone, as its tangent.
_LONGEST = 6.0
_WIDEST = 3.0


@dataclass
class OverlayOptions:
    """What is laid over the bodies, and how large.

    Attributes:
        contacts: contact points with their normals.
        impulses: impulses of contacts over the last step, as arrows, along the normal and by friction apart:
            on the second body of a contact, or on the first if the second is static. A key tells the forces.
        friction_cones: the directions that an impulse of a contact may have.
        joints: joints with their axes and arms.
        limits: of joints, with where they are now.
        centres: centres of mass.
        axes: principal axes of inertia: red, green, blue.
        joint_frames: the frames of joints on both bodies: red, green, blue, thick on the first.
        boxes: bounding boxes.
        inertia_boxes: evenly filled boxes with the mass and the inertia of the bodies.
        wireframe: edges of all shapes.
        hulls: convex hulls of bodies that are compounds, hulls or meshes.
        velocities: velocities, and angular velocities in violet.
        trajectories: the paths of the centres (`Trails`).
        names: names of bodies.
        joint_names: names of joints.
        control: what controllers draw: a walker foot prints, centre of mass, forces of the ground, phases.
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
    joint_frames: bool = False
    boxes: bool = False
    inertia_boxes: bool = False
    wireframe: bool = False
    hulls: bool = False
    velocities: bool = False
    trajectories: bool = False
    names: bool = False
    joint_names: bool = False
    control: bool = False
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
        for name in [names] if isinstance(names, str) else names:
            if name not in known:
                near = hint(name, known) if isinstance(name, str) else ""
                raise ValueError(f"no overlay {name!r}; choose from {', '.join(known)}{near}")
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


def overlay_geometry(
    description: Description,
    frame: Frame,
    options: OverlayOptions,
    trails: Trails | None = None,
    joint: str = "",
) -> OverlayGeometry:
    """Return what is to be laid over the bodies; what a frame does not know is left out.

    Args:
        description, frame: what is drawn.
        options: what is wanted.
        trails: the paths, kept by the caller from frame to frame.
        joint: name of one that is marked, "" for none.
    """
    typical = typical_size(description)
    size = 0.5 * typical if options.size is None else options.size
    shown = _contact_marks(description, frame, options, size)
    if options.joints:
        shown += outlined(joint_lines(description, frame, size))
    if options.limits:
        shown += outlined(limit_lines(description, frame, size))
    if options.joint_frames:
        shown += outlined(frame_lines(description, frame, size))
    if (options.joints or options.limits or options.joint_frames) and len(description.joint_names):
        shown.legends.append(joint_legend(options.joints, options.limits, options.joint_frames))
    if options.boxes:
        shown += OverlayGeometry(_boxes(*body_bounds(description, frame)))
    if options.wireframe:
        shown += OverlayGeometry(_drawn(shape_edges(description, frame), _WIRE, 1.2))
    for wanted, edges, colour in (
        (options.hulls, hull_edges, _HULL),
        (options.inertia_boxes, inertia_box_edges, _INERTIA),
    ):
        if wanted:
            shown += outlined(_drawn(edges(description, frame), colour, 1.6))
    if joint:
        shown += marked_joint(description, frame, joint, size)
    shown += _body_marks(description, frame, options, size, typical)
    if options.trajectories and trails is not None:
        shown += OverlayGeometry(trails.lines())
    if options.control and frame.marks is not None:
        shown += debug_geometry(frame.marks)
    shown.labels = _labels(description, frame, options)
    return shown


def _contact_marks(
    description: Description, frame: Frame, options: OverlayOptions, size: float
) -> OverlayGeometry:
    """Return points, normals, impulses and cones of contacts, as they act on the second body.

    If the second body is static, they are shown as they act on the first.
    """
    contacts, shown = frame.contacts, OverlayGeometry()
    if contacts is None or not len(contacts.points):
        return shown
    moving = np.array([kind != "static" for kind in description.kinds], bool)
    side = np.where(moving[contacts.body_b], -1.0, 1.0)[:, None]
    normals = side * contacts.normals
    if options.contacts:
        ends = contacts.points + 0.5 * size * normals
        shown += outlined(lines(contacts.points, ends, _NORMAL, 2.0))
        shown += outlined(points(contacts.points, _POINT, 6.0))
        entries = Entry(_POINT[:3], "where they touch", "point"), Entry(_NORMAL[:3], "normal", "line")
        shown.legends.append(Legend("Contacts", entries))
    if options.impulses:
        scale = _impulse_scale(description, options, size)
        vectors = _shortened(side * contacts.impulses * scale, size)
        # Along the normal and across it apart: shortened alike, so that their sum keeps its way.
        along = np.sum(vectors * normals, axis=1, keepdims=True) * normals
        for part, colour in ((along, _PUSH), (vectors - along, _FRICTION)):
            shown += OverlayGeometry(arrows=arrows(contacts.points, part, colour, 0.10 * size))
        cut = bool((np.linalg.norm(contacts.impulses, axis=1) * scale > _LONGEST * size).any())
        shown.legends.append(_force_legend(size, size / scale, frame.time_step, cut))
    if options.friction_cones:
        slopes = np.clip(np.nan_to_num(contacts.friction, posinf=_WIDEST), 0.0, _WIDEST)
        rubbing = slopes > 1e-3
        apices, axes = contacts.points[rubbing], normals[rubbing]
        shown += OverlayGeometry(cones=cones(apices, axes, 0.5 * size, slopes[rubbing], _FRICTION_CONE))
    return shown


def _body_marks(
    description: Description, frame: Frame, options: OverlayOptions, size: float, typical: float
) -> OverlayGeometry:
    """Return axes, centres of mass and velocities of the bodies that move."""
    shown = OverlayGeometry()
    moving = np.array([kind != "static" for kind in description.kinds], bool)
    places, turns = frame.positions[moving], frame.quaternions[moving]
    if options.axes:
        for k in range(3):
            tip = places + rotate(turns, np.eye(3)[k] * size)
            shown += OverlayGeometry(lines(places, tip, _AXES[k], 2.5))
    if options.centres:
        shown += OverlayGeometry(points(places, _POINT, 10.0))
        shown += OverlayGeometry(points(places, _WHITE, 6.0))
    if options.velocities and frame.velocities is not None and frame.angular_velocities is not None:
        scale = options.velocity_scale
        if scale is None:
            scale = size / np.sqrt(9.81 * max(typical, 1e-9))
        spin = scale * 0.5 * typical
        shown.legends.append(_velocity_legend(size, size / scale, size / spin))
        for vectors, colour in (
            (frame.velocities[moving] * scale, _VELOCITY),
            (frame.angular_velocities[moving] * spin, _TURNING),
        ):
            shown += OverlayGeometry(arrows=arrows(places, _shortened(vectors, size), colour, 0.10 * size))
    return shown


def _labels(description: Description, frame: Frame, options: OverlayOptions) -> list[tuple[str, np.ndarray]]:
    """Return names and the points (3,) [m] that they belong to, without those of endless bodies."""
    labels: list[tuple[str, np.ndarray]] = []
    if options.names:
        endless = description.endless
        labels += [
            (name, frame.positions[row]) for row, name in enumerate(description.names) if row not in endless
        ]
    if options.joint_names:
        point_a = joint_frames(description, frame)[0]
        joints, first = np.unique(description.joint_parts.joint, return_index=True)
        labels += [
            (description.joint_names[joint], point_a[part]) for joint, part in zip(joints, first, strict=True)
        ]
    return labels


def _force_legend(length: float, impulse: float, time_step: float, cut: bool) -> Legend:
    """Return what arrows of contacts mean.

    Args:
        length: of an arrow [m].
        impulse: that it stands for [N s].
        time_step: over which it acted [s], 0 where that is not known.
        cut: whether there are greater ones than the longest arrow shows.
    """
    title, value = (
        ("Contact forces", amount(impulse / time_step, "N"))
        if time_step > 0.0
        else ("Contact impulses", amount(impulse, "N s"))
    )
    entries = [Entry(_PUSH[:3], "normal", "arrow"), Entry(_FRICTION[:3], "friction", "arrow")]
    note = f"; none longer than {amount(_LONGEST * length, 'm')}" if cut else ""
    return Legend(f"{title}: {amount(length, 'm')} long is {value}{note}", tuple(entries))


def _velocity_legend(length: float, speed: float, spin: float) -> Legend:
    """Return what arrows of that length [m] mean: a speed [m/s], an angular velocity [rad/s]."""
    entries = (
        Entry(_VELOCITY[:3], f"velocity, {amount(speed, 'm/s')}", "arrow"),
        Entry(_TURNING[:3], f"angular velocity, {amount(spin, 'rad/s')}", "arrow"),
    )
    return Legend(f"Motion: {amount(length, 'm')} long is", entries)


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


# Pairs of corners that share an edge of a box; and which corners lie above in x, y and z.
_EDGES = np.array([(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit])
_CORNERS = np.array([[(k >> axis) & 1 for axis in range(3)] for k in range(8)], bool)


def _drawn(edges: np.ndarray, colour: tuple[float, float, float, float], width: float) -> np.ndarray:
    """Return edges (k, 2, 3) as rows of `OverlayGeometry.lines`."""
    return lines(edges[:, 0], edges[:, 1], colour, width)


def _boxes(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the edges of boxes with these corners (n, 3), without those that are turned inside out."""
    shown = (high >= low).all(axis=1)
    corners = np.where(_CORNERS[None], high[shown][:, None], low[shown][:, None])
    return lines(corners[:, _EDGES[:, 0]].reshape(-1, 3), corners[:, _EDGES[:, 1]].reshape(-1, 3), _BOX, 1.2)
