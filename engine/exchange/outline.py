"""A model as others describe robots: a tree of links with joints between them, and what closes loops.

The way back from `to_records`: all writers of trees start from an `Outline`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stoss.collision.quaternions import ORIGIN, Vector, conjugate, quaternion_of, rotate, vector_of
from stoss.engine.exchange.carriers import LIGHTEST, WITH_ROTORS, give_back
from stoss.engine.exchange.mechanism import FREE, WORLD, Inertia, JointOf, Link, rotation
from stoss.engine.exchange.spanning import parent_of, parents_first, parents_of
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.model.frames import HERE, Pose, inverse, placed, then
from stoss.engine.model.geometry import Geometry
from stoss.engine.model.model import Model
from stoss.engine.model.records import Action, Body, Joint
from stoss.engine.world.world import World

__all__ = ["Coupled", "Loop", "Outline", "frames_of", "outlined", "passing", "principal_frame"]

NEAR = 1e-12  # [m or rad]: joints that begin nearer to 0 begin there

# Kinds that join a link to its parent, as joints one after the other: suffix of the name, kind, coordinate,
# and the axis: of which frame, the first body's or the second's, and which of its axes.
_SERIES: dict[str, tuple[tuple[str, str, str, tuple[int, int]], ...]] = {
    "hinge": (("", "hinge", "angle", (0, 2)),),
    "slider": (("", "slider", "displacement", (0, 2)),),
    "ball": (("", "ball", "", (0, 2)),),
    "fixed": (),
    "cylindrical": (
        (" displacement", "slider", "displacement", (0, 2)),
        (" angle", "hinge", "angle", (0, 2)),
    ),
    "universal": ((" angle_1", "hinge", "angle_1", (0, 0)), (" angle_2", "hinge", "angle_2", (1, 1))),
    "planar": (
        (" x", "slider", "x", (0, 0)),
        (" y", "slider", "y", (0, 1)),
        (" angle", "hinge", "angle", (0, 2)),
    ),
}


@dataclass(frozen=True)
class Loop:
    """A joint that the tree has no place for.

    Args:
        record: the joint.
        first, second: names of links, WORLD for the world.
        point, axis: where it is in the world at the start.
    """

    record: Joint
    first: str
    second: str
    point: Vector
    axis: Vector


@dataclass(frozen=True)
class Coupled:
    """A joint that follows another: value = ratio value_of_the_leader + offset."""

    name: str
    leader: JointOf
    follower: JointOf
    ratio: float
    offset: float


@dataclass
class Outline:
    """Links, parents first, and what is between them.

    Attributes:
        model: in plain numbers.
        world: that is built of it.
        geometry: its shapes and meshes.
        links: by name; poses are those at the start.
        poses: of the links in the world.
        loops: joints that close loops, or that are none of a tree.
        couplings: joints that follow others.
        left_out: what cannot be described, item by item; writers add to it.
    """

    model: Model
    world: World
    geometry: Geometry
    links: dict[str, Link] = field(default_factory=dict)
    poses: dict[str, Pose] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    couplings: list[Coupled] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def passing(self) -> list[tuple[str, str]]:
        """Return pairs of bodies with shapes that pass through each other, but for those of joints."""
        return passing(self.model)

    def joined(self) -> list[tuple[str, str]]:
        """Return pairs of bodies with shapes that pass through each other since a joint joins them."""
        return [
            (joint.first.name, joint.second.name)
            for joint in self.world.joints
            if not isinstance(joint.kind, Coupling)
            if joint.first is not None and joint.second is not None
            if joint.first.shapes and joint.second.shapes and not self.model.joint(joint.name).collide
        ]


def outlined(model: Model, *, planar: bool = False, carriers: bool = True) -> Outline:
    """Return the outline of a model.

    Args:
        model: the model, with parameters and models within it.
        planar: whether planar joints are kept, not made of two sliders and a hinge.
        carriers: whether links without mass between two joints are kept, not made joints of one link.

    Raises:
        ModelError: the model cannot be built; says why.
    """
    return _Outliner(model, planar, carriers).outline()


class _Outliner:
    """What is known while a model is outlined."""

    def __init__(self, model: Model, planar: bool, carriers: bool) -> None:
        flat = model.flat()
        unseen = tuple(body.replace(display=()) for body in flat.bodies)
        self.world = world = flat.replace(bodies=unseen).build()
        self.out = Outline(flat, world, Geometry(flat.meshes))
        self.planar, self.carriers = planar, carriers
        self.records = {joint.name: joint for joint in flat.joints}
        self.bodies = {body.name: body for body in flat.bodies}
        self.frames = {joint.name: frames_of(world, joint) for joint in world.joints if self._holds(joint)}
        self.parts: dict[tuple[str, str], JointOf] = {}  # by joint and coordinate

    def outline(self) -> Outline:
        out = self.out
        parents = parents_of(self.world, self.bodies, self._in_trees())
        for body in self.world.bodies:
            out.poses[body.name] = _nearly(_pose(body), self.bodies[body.name])
        for name in parents_first(self.world, parents):
            self._add_link(name, parents.get(name))
        for joint in self.world.joints:
            if self._holds(joint) and joint.name not in {one for one, _ in parents.values()}:
                self._add_loop(joint)
        self._add_couplings()
        self._merge_carriers()
        self._tell_rest()
        return out

    def _in_trees(self) -> list[str]:
        """Return the names of joints that may join a link to its parent."""
        return [
            joint.name
            for joint in self.world.joints
            if self._holds(joint) and joint.enabled and self._joins(joint)
        ]

    def _joins(self, joint: Any) -> bool:
        record = self.records[joint.name]
        ends = [None if body is None else body.name for body in (joint.first, joint.second)]
        if record.type not in _SERIES or any(
            name is not None and self.bodies[name].kind == "kinematic" for name in ends
        ):
            return False
        return record.type != "planar" or not self._is_fixed(ends[1])

    def _holds(self, joint: Any) -> bool:
        return not isinstance(joint.kind, Coupling)

    def _is_fixed(self, name: str | None) -> bool:
        return name is None or self.bodies[name].kind != "dynamic"

    # ------------------------------------------------------------- links

    def _add_link(self, name: str, hangs: tuple[str, bool] | None) -> None:
        record, body = self.bodies[name], self.world.body(name)
        pose = self.out.poses[name]
        parent = None if hangs is None else parent_of(self.world, name, {name: hangs})
        outer = HERE if parent is None else self.out.poses[parent]
        link = self.out.links[name] = Link(
            name,
            WORLD if parent is None else parent,
            then(inverse(outer), pose),
            shapes=list(record.shapes),
            display=list(record.display),
            material=record.material,
            color=record.color,
            markers=list(record.markers),
            kind=record.kind,
        )
        if record.kind == "dynamic":
            link.inertia = self._inertia(body)
            link.joints = [JointOf(f"{name}/free", FREE)] if hangs is None else self._joints(hangs, pose)

    def _inertia(self, body: Any) -> Inertia:
        """Return the inertia of a body in the frame of its shapes."""
        principal = inverse(principal_frame(self.world, body))
        turn = rotation(principal)
        return Inertia(body.mass, np.array(principal[0]), turn @ np.diag(body.inertia) @ turn.T)

    def _joints(self, hangs: tuple[str, bool], pose: Pose) -> list[JointOf]:
        """Return the joints between a link and its parent, in the frame of the link."""
        name, forward = hangs
        record, joint, frames = self.records[name], self.world.joint(name), self.frames[name]
        back = conjugate(pose[1])
        point = placed(inverse(pose), frames[1][0])
        acting = self._acting(record)
        if record.type == "planar" and self.planar and not acting:
            axis = rotate(back, _axis(frames[0], 2))
            return [JointOf(name, "planar", axis, point)]
        found = []
        for suffix, kind, coordinate, (end, number) in _SERIES[record.type]:
            axis = rotate(back, _axis(frames[end], number))
            if not forward:
                axis = (-axis[0], -axis[1], -axis[2])
            one = JointOf(name + suffix, kind, axis, point)
            one.actions = [action for of, action in acting if of == coordinate or not coordinate]
            if coordinate:
                one.value, one.rate = joint.value_of(coordinate), joint.rate_of(coordinate)
                one.value = 0.0 if abs(one.value) < NEAR else one.value
                self.parts[name, coordinate] = one
            found.append(one)
        if record.break_force is not None or record.break_torque is not None:
            self.out.left_out.append(f"joint {name!r}: the force or torque at which it breaks")
        return found if forward else found[::-1]

    def _acting(self, record: Joint) -> list[tuple[str, Action]]:
        """Return what acts on a joint, with the names of the coordinates."""
        joint = self.world.joint(record.name)
        names = joint.coordinates
        found = [(action.coordinate or names[0], action) for action in record.actions]
        for one in self.out.model.coordinates:
            if one.joint == record.name and (one.lower is not None or one.upper is not None):
                own = Action(type="limit", lower=one.lower, upper=one.upper)
                found.append((one.coordinate or names[0], own))
        return found

    def _add_loop(self, joint: Any) -> None:
        record = self.records[joint.name]
        if not joint.enabled:
            self.out.left_out.append(f"joint {joint.name!r}, which is not enabled")
            return
        ends = [body if body is None else body.name for body in (joint.first, joint.second)]
        if all(self._is_fixed(end) for end in ends):
            return
        first, second = (WORLD if end is None else end for end in ends)
        frame = self.frames[joint.name][0]
        self.out.loops.append(Loop(record, first, second, frame[0], _axis(frame, 2)))

    def _add_couplings(self) -> None:
        for record in self.records.values():
            joint = self.world.joint(record.name)
            if not isinstance(joint.kind, Coupling):
                continue
            ends = []
            for of, coordinate in (
                (record.joint_1, record.coordinate_1),
                (record.joint_2, record.coordinate_2),
            ):
                other = self.world.joint(str(of))
                ends.append(self.parts.get((other.name, coordinate or other.coordinates[0])))
            leader, follower = ends
            if leader is None or follower is None or not joint.enabled:
                why = "" if joint.enabled else ", which is not enabled"
                self.out.left_out.append(f"joint {record.name!r} of type {record.type}{why}")
                continue
            ratio = float(record.ratio or 1.0)
            offset = record.offset
            if offset is None:
                offset = follower.value - ratio * leader.value
            self.out.couplings.append(Coupled(record.name, leader, follower, ratio, float(offset)))

    # ------------------------------------------------------------- what has no place

    def _merge_carriers(self) -> None:
        """Let links that only keep joints apart be joints of the links that they carry, or have no mass."""
        links = self.out.links
        children: dict[str, list[Link]] = {}
        carried: dict[str, float] = {}
        for link in reversed(links.values()):
            mass = carried.get(link.name, 0.0) + (link.inertia.mass if link.inertia else 0.0)
            carried[link.parent] = carried.get(link.parent, 0.0) + mass
            carried[link.name] = mass
            children.setdefault(link.parent, []).append(link)
        in_loops = {end for loop in self.out.loops for end in (loop.first, loop.second)}
        for name, link in list(links.items()):
            own = children.get(name, [])
            small = 1.5 * max(WITH_ROTORS * carried[name], LIGHTEST)
            if link.inertia is None or not own or link.inertia.mass > small:
                continue
            if any(joint.kind == FREE for joint in link.joints):
                continue
            turning, link.inertia = link.inertia.tensor, None
            give_back(turning, link, links.get(link.parent), own[0])
            bare = not (link.shapes or link.display or link.markers or name in in_loops)
            if self.carriers or not bare or len(own) != 1 or not own[0].joints:
                continue
            child = own[0]
            to_child = inverse(child.pose)
            for joint in link.joints:
                joint.point = placed(to_child, joint.point)
                joint.axis = rotate(to_child[1], joint.axis)
            child.joints = [*link.joints, *child.joints]
            child.parent, child.pose = link.parent, then(link.pose, child.pose)
            del links[name]

    def _tell_rest(self) -> None:
        """Note what no format of robots holds."""
        model, told = self.out.model, self.out.left_out
        if model.world.planar is not None:
            told.append(
                f"motion in the plane {model.world.planar!r} alone: bodies without joints are free in space"
            )
        for pair in model.material_pairs:
            told.append(f"the values of the pair of materials {pair.first!r} and {pair.second!r}")
        for material in model.materials:
            if material.static_friction is not None and material.static_friction != material.friction:
                told.append(
                    f"material {material.name!r}: friction while sticking, {material.static_friction:g}"
                )
        for what, fields in (
            ("forces that act on it", ("force", "torque", "first_force", "first_torque")),
            ("a moving surface", ("surface_velocity", "surface_angular_velocity")),
        ):
            named = _having(model.bodies, fields)
            if named:
                told.append(f"{what}: {_listed(named)}")


def passing(model: Model) -> list[tuple[str, str]]:
    """Return pairs of bodies of a model that pass through each other, but for those of joints."""
    solid = [body for body in model.bodies if body.shapes]
    excluded = {frozenset(pair) for pair in model.exclude}
    found = []
    for at, one in enumerate(solid):
        for other in solid[at + 1 :]:
            if one.kind == other.kind == "static":
                continue
            meets = one.group & other.mask and other.group & one.mask
            if not meets or frozenset((one.name, other.name)) in excluded:
                found.append((one.name, other.name))
    return found


def frames_of(world: World, joint: Any) -> tuple[Pose, Pose]:
    """Return the frames of a joint on both bodies, in the world."""
    own = of_joint(joint._table.arrays, joint._row)
    b = world._all_bodies.arrays
    found = []
    for end, point, turn in ((0, own.point_a, own.quaternion_a), (1, own.point_b, own.quaternion_b)):
        row, frame = int(own.ends[0, end]), (vector_of(point[0]), quaternion_of(turn[0]))
        outer = HERE if row < 0 else (vector_of(b.positions[row]), quaternion_of(b.quaternions[row]))
        found.append(then(outer, frame))
    return found[0], found[1]


def principal_frame(world: World, body: Any) -> Pose:
    """Return where the frame of a body's shapes is in that of its centre of mass and principal axes."""
    b, row = world._all_bodies.arrays, body._row
    return vector_of(b.frame_positions[row]), quaternion_of(b.frame_quaternions[row])


def _having(bodies: Iterable[Body], fields: tuple[str, ...]) -> list[str]:
    return [body.name for body in bodies if any(getattr(body, name) != ORIGIN for name in fields)]


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _axis(frame: Pose, number: int) -> Vector:
    unit = (float(number == 0), float(number == 1), float(number == 2))
    return rotate(frame[1], unit)


def _pose(body: Any) -> Pose:
    return vector_of(body.position), quaternion_of(body.quaternion)


def _nearly(pose: Pose, record: Body) -> Pose:
    """Return the pose of a body as it was given, if it is there but for rounding."""
    given: Pose = record.position, record.quaternion
    missed = max(
        abs(a - b) for one, two in zip(pose, given, strict=True) for a, b in zip(one, two, strict=True)
    )
    return given if missed < NEAR else pose
