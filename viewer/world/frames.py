"""What can be seen of a world: its make-up and, for one instant, its motion, in arrays of their own.

`Description` changes only when bodies or joints come or go; a `Frame` belongs to one description. Both are
what the window, pictures and films are drawn from, so that drawing never touches a world that is being
advanced, and a motion read from a file is drawn as a world is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.shapes.shapes import HalfSpace, Shape
from stoss.engine.joints.arrays import JointParts, JointStops
from stoss.engine.world.report import StepReport
from stoss.scenes.running.drawn_parts import drawn_on
from stoss.viewer.world.canvas import Marks, drawn_by_controllers
from stoss.viewer.world.differences import angular_velocities, velocities
from stoss.viewer.world.own_parts import OwnParts, own_parts

if TYPE_CHECKING:
    from stoss.engine import Drawn, World
    from stoss.scenes.running.trajectory import Trajectory

__all__ = [
    "ContactFrame",
    "Describer",
    "Description",
    "Frame",
    "describe_trajectory",
    "describe_world",
    "frame_of",
    "trajectory_frame",
]


def _no_parts() -> JointParts:
    return JointParts(
        np.zeros(0, np.int64),
        np.zeros((0, 2), np.int64),
        np.zeros((0, 3)),
        np.zeros((0, 4)),
        np.zeros((0, 3)),
        np.zeros((0, 4)),
    )


def _no_stops() -> JointStops:
    none = np.zeros(0, np.int64)
    return JointStops(none, none, none, np.zeros(0), np.zeros(0), np.zeros(0, object))


@dataclass(frozen=True)
class Description:
    """What bodies, shapes and joints there are. Body frames are centre of mass and principal axes.

    Attributes:
        names, kinds: of the bodies (n).
        masses: (n,) [kg], 0 for bodies that do not react; NaN where unknown.
        inertias: (n, 3) principal moments [kg m^2].
        shapes: the shapes (m), in their own frames.
        shape_body: (m,) the body that carries each shape.
        shape_position, shape_quaternion: (m, 3) [m], (m, 4) pose of the shape in the body frame.
        joint_names, joint_kinds: names of the joints and of their kinds (j).
        joint_parts: where the joints sit.
        joint_stops: their limits.
        colors: (n,) colours (sRGB, 0 to 1) that bodies have of their own, None for none; may be left out.
        drawn: rows of shapes that are only drawn, and their colours, None for that of the body.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    masses: np.ndarray
    inertias: np.ndarray
    shapes: tuple[Shape, ...]
    shape_body: np.ndarray
    shape_position: np.ndarray
    shape_quaternion: np.ndarray
    joint_names: tuple[str, ...] = ()
    joint_kinds: tuple[str, ...] = ()
    joint_parts: JointParts = field(default_factory=_no_parts)
    joint_stops: JointStops = field(default_factory=_no_stops)
    colors: tuple[tuple[float, float, float] | None, ...] = ()
    drawn: Mapping[int, tuple[float, float, float] | None] = field(default_factory=dict)

    @property
    def endless(self) -> set[int]:
        """Return the rows of bodies that are half-spaces."""
        return {
            int(self.shape_body[row])
            for row, shape in enumerate(self.shapes)
            if isinstance(shape, HalfSpace) and row not in self.drawn
        }


@dataclass(frozen=True)
class ContactFrame:
    """The contacts of one instant.

    Attributes:
        body_a, body_b: (c,) rows of the bodies.
        points: (c, 3) [m], world, midway between both surfaces.
        normals: (c, 3) from the second body to the first.
        gaps: (c,) [m], negative where they overlap.
        impulses: (c, 3) [N s] on the first body over the last step.
        friction: (c,) coefficient of sliding friction.
    """

    body_a: np.ndarray
    body_b: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    gaps: np.ndarray
    impulses: np.ndarray
    friction: np.ndarray


@dataclass(frozen=True)
class Frame:
    """The state of all bodies at one instant; what is not known is None.

    Attributes:
        time: [s]; step: number of the step.
        positions, quaternions: (n, 3) [m], (n, 4) of centre of mass and principal axes.
        velocities, angular_velocities: (n, 3) [m/s], [rad/s], world.
        asleep: (n,) bool; islands: (n,) number of the island, -1 for none.
        direct: (n,) 1 where the island was solved directly, 0 by sweeps, -1 for none.
        contacts: the contacts, where they were asked for.
        loads: (n,) sum of the forces of contacts and joints on a body [N], where contacts were asked for.
        enabled: (j,) which joints are in force.
        time_step: [s] over which the impulses of the contacts acted.
        report: figures of the step.
        marks: what controllers draw.
    """

    time: float
    step: int
    positions: np.ndarray
    quaternions: np.ndarray
    velocities: np.ndarray | None = None
    angular_velocities: np.ndarray | None = None
    asleep: np.ndarray | None = None
    islands: np.ndarray | None = None
    direct: np.ndarray | None = None
    contacts: ContactFrame | None = None
    loads: np.ndarray | None = None
    enabled: np.ndarray | None = None
    time_step: float = 0.01
    report: StepReport | None = None
    marks: Marks | None = None


def describe_world(world: "World") -> Description:
    """Return what a world is made of."""
    own, table = own_parts(world), world.shape_table
    bodies, joints = own.bodies(world), own.joints(world)
    drawn, owners, places, turns = drawn_on(bodies)
    return Description(
        names=tuple(body.name for body in bodies),
        kinds=tuple(body.kind for body in bodies),
        masses=own.of_bodies(world.masses),
        inertias=own.of_bodies(world.inertias),
        shapes=(*table.shapes[: table.count], *(one.shape for one in drawn)),
        shape_body=np.concatenate([own.rows(table.body[: table.count]), owners]),
        shape_position=np.concatenate([table.local_position[: table.count], places]),
        shape_quaternion=np.concatenate([table.local_quaternion[: table.count], turns]),
        joint_names=tuple(joint.name for joint in joints),
        joint_kinds=tuple(type(joint.kind).__name__ for joint in joints),
        joint_parts=own.joint_parts(world.joint_parts),
        joint_stops=own.joint_stops(world.joint_parts, world.joint_stops),
        colors=tuple(body.color for body in bodies),
        drawn={table.count + k: one.color for k, one in enumerate(drawn)},
    )


class Describer:
    """Describe a world, anew only when something of it has come, gone or changed."""

    def __init__(self) -> None:
        self._shown: tuple[object, ...] = ()  # what the description belongs to
        self._drawn: list[tuple[Drawn, ...]] = []
        self._description: Description | None = None

    def describe(self, world: "World") -> Description:
        """Return what a world is made of: the same object as long as it is the same."""
        own = own_parts(world)
        bodies = own.bodies(world)
        self._drawn = [body.display for body in bodies]  # kept, so that no other has their identity
        looks = [(body.kind, body.color) for body in bodies]
        masses = own.of_bodies(world.masses).tobytes()
        shown = (*map(id, bodies), *map(id, own.joints(world)), masses, *looks, *map(id, self._drawn))
        if self._description is None or shown != self._shown:
            self._shown, self._description = shown, describe_world(world)
        return self._description


def frame_of(world: "World", contacts: bool = False) -> Frame:
    """Return the present state of a world.

    Args:
        world: the world.
        contacts: whether to copy the contacts too.
    """
    own, islands = own_parts(world), world.island_numbers
    return Frame(
        time=world.time,
        step=world.step_count,
        positions=own.of_bodies(world.centers_of_mass),
        quaternions=own.of_bodies(world.principal_quaternions),
        velocities=own.of_bodies(world.velocities),
        angular_velocities=own.of_bodies(world.angular_velocities),
        asleep=own.of_bodies(world.asleep),
        islands=own.of_bodies(islands),
        direct=own.of_bodies(_direct_of(world, islands)),
        contacts=_contacts_of(world, own) if contacts else None,
        loads=own.of_bodies(_loads_of(world)) if contacts else None,
        enabled=own.of_joints(world.joints_enabled),
        time_step=world.time_step,
        report=world.report,
        marks=drawn_by_controllers(world),
    )


def _direct_of(world: "World", islands: np.ndarray) -> np.ndarray:
    """Return for each body (n,) 1 where its island was solved directly, 0 by sweeps, -1 for none."""
    solved = np.zeros(0, bool) if world.report is None else world.report.solved_directly
    known = (islands >= 0) & (islands < len(solved))
    out = np.full(len(islands), -1)
    out[known] = solved[islands[known]]
    return out


def _loads_of(world: "World") -> np.ndarray:
    """Return the sum of the forces of contacts and joints on each body (n,) [N] in the last step."""
    loads, contacts = np.zeros(len(world.masses)), world.contacts
    forces = np.linalg.norm(contacts.impulse, axis=1) / world.time_step
    np.add.at(loads, contacts.body_a, forces)
    np.add.at(loads, contacts.body_b, forces)
    for joint in world.joints:
        force = float(np.linalg.norm(joint.force))
        for body in (joint.first, joint.second):
            if body is not None:
                loads[body.index] += force
    return loads


def _contacts_of(world: "World", own: OwnParts) -> ContactFrame:
    contacts = world.contacts
    return ContactFrame(
        body_a=own.rows(contacts.body_a),
        body_b=own.rows(contacts.body_b),
        points=contacts.point,
        normals=contacts.normal,
        gaps=contacts.gap,
        impulses=contacts.impulse,
        friction=contacts.friction,
    )


def describe_trajectory(motion: "Trajectory") -> Description:
    """Return what a motion read from a file is made of."""
    from stoss.scenes.running.trajectory import shape_from_record

    count, records = len(motion.names), motion.shapes
    return Description(
        names=tuple(motion.names),
        kinds=tuple(motion.kinds),
        masses=np.full(count, np.nan),
        inertias=np.full((count, 3), np.nan),
        shapes=tuple(shape_from_record(record) for record in records),
        shape_body=np.array([record["body"] for record in records], np.int64),
        shape_position=_rows((record["position"] for record in records), 3),
        shape_quaternion=_rows((record["quaternion"] for record in records), 4),
        colors=tuple(None if np.isnan(c).any() else tuple(c.tolist()) for c in motion.colors),
        drawn={row: _color(record) for row, record in enumerate(records) if record.get("drawn")},
    )


def trajectory_frame(motion: "Trajectory", index: int) -> Frame:
    """Return one sample of a motion read from a file, with velocities from its neighbours."""
    sample, bodies = np.array([index]), slice(None)
    return Frame(
        time=float(motion.times[index]),
        step=index * int(motion.about.get("every", 1)),
        positions=motion.positions[index],
        quaternions=motion.quaternions[index],
        velocities=velocities(motion, sample, bodies)[0],
        angular_velocities=angular_velocities(motion, sample, bodies)[0],
    )


def _color(record: dict[str, Any]) -> tuple[float, float, float] | None:
    color = record.get("color")
    return None if color is None else (color[0], color[1], color[2])


def _rows(values: Iterable[Iterable[float]], width: int) -> np.ndarray:
    return np.array([list(value) for value in values], np.float64).reshape(-1, width)
