"""URDF out of a model: links with masses and shapes, joints with limits, damping, friction and mimics."""

import os
from math import atan2, cos, hypot, isinf, sin
from pathlib import Path

import numpy as np

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector, rotation
from stoss.engine.exchange.joint_words import joint_words
from stoss.engine.exchange.mechanism import FAR, FREE, WORLD, JointOf, Link, Mechanism
from stoss.engine.exchange.mechanism import rotation as matrix
from stoss.engine.exchange.outline import Outline, outlined
from stoss.engine.exchange.xml_writing import Node, child, numbers, write_xml
from stoss.engine.model.frames import HERE, Pose, inverse, then
from stoss.engine.model.model import Model
from stoss.engine.model.records import Action, Marker, Shape
from stoss.engine.world.colors import checked_color
from stoss.engine.world.plane import usual_gravity
from stoss.files import write_text

__all__ = ["save"]

_TYPES = {"slider": "prismatic", "ball": "spherical", "planar": "planar", FREE: "floating"}


def save(model: Model, path: Path) -> tuple[str, ...]:
    """Write a model as URDF, meshes that are in no file beside it, and return what URDF does not hold.

    Raises:
        ModelError: the model cannot be built.
        FileError: a file cannot be written.
    """
    return _Writer(outlined(model, planar=True), path).write()


class _Writer:
    """What is known while a file is written."""

    def __init__(self, out: Outline, path: Path) -> None:
        self.out, self.path, self.left_out = out, path, out.left_out
        self.links = Mechanism(out.links, self.left_out).split().links
        self.mimics = {one.follower.name: one for one in out.couplings}
        self.files: dict[str, str] = {}
        self.begins: list[str] = []

    def write(self) -> tuple[str, ...]:
        out = self.out
        root = Node("robot", name=out.model.name or self.path.stem)
        base = self._base()
        shifts = {name: self._shift(link) for name, link in self.links.items()}
        if base == WORLD:
            root.append(Node("link", name=self._world))
        for name, link in self.links.items():
            root.append(self._link(link, shifts[name]))
            if not (name == base):
                self._add_joint(root, link, shifts)
            self._add_markers(root, link, shifts[name])
        self._tell_rest(base)
        write_xml(root, self.path, self.left_out)
        return tuple(self.left_out)

    def _base(self) -> str:
        """Return the first link: the only one without a parent, or one for the world."""
        first = [link for link in self.links.values() if link.parent == WORLD]
        self._world = "world"
        while self._world in self.links:
            self._world += "_"
        if len(first) != 1 or (first[0].joints and first[0].joints[0].kind != FREE):
            return WORLD
        (link,) = first
        if link.pose != HERE:
            place = f"{numbers(link.pose[0])}, (w, x, y, z) = {numbers(link.pose[1])}"
            self.left_out.append(f"that link {link.name!r} begins at {place}: it is where it is loaded")
        return link.name

    # ------------------------------------------------------------- links

    @staticmethod
    def _shift(link: Link) -> Vector:
        """Return where the frame that the file has is in that of a link: the joint is in its origin."""
        return ORIGIN if not link.joints or link.joints[0].kind == FREE else link.joints[0].point

    def _link(self, link: Link, shift: Vector) -> Node:
        node = Node("link", name=link.name)
        if link.kind == "kinematic":
            self.left_out.append(f"link {link.name!r} is kinematic; here it does not move")
        back = ((-shift[0], -shift[1], -shift[2]), UNTURNED)
        if link.inertia is not None:
            inertia = link.inertia.placed(back)
            inertial = child(node, "inertial")
            child(inertial, "origin", xyz=numbers(inertia.center))
            child(inertial, "mass", value=numbers([inertia.mass]))
            tensor = inertia.tensor
            names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
            child(inertial, "inertia", **{key: numbers([tensor[place]]) for key, place in names.items()})
        for shape in link.display or link.shapes:
            self._add_shape(node, "visual", link, shape, back)
        for shape in link.shapes:
            self._add_shape(node, "collision", link, shape, back)
        self._add_surface(node, link)
        return node

    def _add_shape(self, node: Node, tag: str, link: Link, shape: Shape, back: Pose) -> None:
        geometry, pose = self._geometry(shape)
        if geometry is None:
            if tag == "collision" or link.display:
                self.left_out.append(f"link {link.name!r}: a {shape.type}")
            return
        own = child(node, tag)
        _add_origin(own, then(back, then((shape.position, shape.quaternion), pose)))
        child(own, "geometry").append(geometry)
        color = checked_color("color", shape.color if shape.color is not None else link.color)
        if tag == "visual" and color is not None:
            material = child(own, "material", name=f"color {numbers(color)}")
            child(material, "color", rgba=f"{numbers(color)} 1")
        if tag == "collision" and shape.type == "triangle_mesh":
            self.left_out.append(
                f"link {link.name!r}: that its mesh is hollow; programs take the convex hull"
            )

    def _geometry(self, shape: Shape) -> tuple[Node | None, Pose]:
        """Return the element of a shape, and its pose in that of the shape."""
        if shape.type == "box" and shape.size is not None:
            return Node("box", size=numbers(shape.size)), HERE
        if shape.type in ("cylinder", "capsule") and shape.radius is not None and shape.length is not None:
            return Node(shape.type, radius=numbers([shape.radius]), length=numbers([shape.length])), HERE
        if shape.type == "sphere" and shape.radius is not None:
            return Node("sphere", radius=numbers([shape.radius])), HERE
        if shape.type == "half_space":
            x, y, z = shape.normal or (0.0, 0.0, 1.0)
            offset = shape.offset or 0.0
            return Node("plane", normal=numbers((x, y, z))), ((x * offset, y * offset, z * offset), UNTURNED)
        if shape.mesh is not None:
            return Node("mesh", {"filename": self._mesh_file(shape.mesh)} | self._scale(shape.mesh)), HERE
        return None, HERE

    def _scale(self, name: str) -> dict[str, str]:
        record = next(one for one in self.out.model.meshes if one.name == name)
        kept = record.file is not None and record.scale != (1.0, 1.0, 1.0) and not self._is_written(name)
        return {"scale": numbers(record.scale)} if kept else {}

    def _is_written(self, name: str) -> bool:
        """Return whether a mesh is written beside the URDF file, with its scale."""
        record = next(one for one in self.out.model.meshes if one.name == name)
        folder = self.path.parent.resolve()
        return record.file is None or not Path(os.path.realpath(record.file)).is_relative_to(folder)

    def _mesh_file(self, name: str) -> str:
        """Return the name of the file of a mesh, and write it if it is in none in the folder of the URDF."""
        if name not in self.files:
            folder = self.path.parent
            record = next(one for one in self.out.model.meshes if one.name == name)
            if not self._is_written(name):
                place = Path(os.path.realpath(str(record.file)))
                self.files[name] = place.relative_to(folder.resolve()).as_posix()
            else:
                plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
                while f"{self.path.stem}_meshes/{plain}.obj" in self.files.values():
                    plain += "_"
                self.files[name] = f"{self.path.stem}_meshes/{plain}.obj"
                (folder / f"{self.path.stem}_meshes").mkdir(exist_ok=True)
                write_text(folder / self.files[name], self._obj(name))
        return self.files[name]

    def _obj(self, name: str) -> str:
        vertices, faces = self.out.geometry.mesh(name)
        if not len(faces):  # the corners of a hull
            hull = self.out.geometry.shape(Shape(type="convex_hull", mesh=name))
            vertices, polygons = hull.vertices, hull.faces  # type: ignore[attr-defined]
        else:
            polygons = faces
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, float).tolist()]
        lines += ["f " + " ".join(str(number + 1) for number in face.tolist()) for face in polygons]
        return "\n".join([*lines, ""])

    def _add_surface(self, node: Node, link: Link) -> None:
        """Write friction and restitution as PyBullet has them."""
        if link.material is None:
            return
        found = self.out.world.body(link.name).material
        contact = child(node, "contact")
        for tag, field in (
            ("lateral_friction", "friction"),
            ("restitution", "restitution"),
            ("rolling_friction", "rolling_friction"),
            ("spinning_friction", "torsional_friction"),
        ):
            if value := getattr(found, field):
                child(contact, tag, value=numbers([value]))

    def _add_markers(self, root: Node, link: Link, shift: Vector) -> None:
        """Write markers as links without mass."""
        for marker in link.markers:
            name = marker.name if self._is_free(marker) else f"{link.name}:{marker.name}"
            root.append(Node("link", name=name))
            joint = Node("joint", name=f"{name} on {link.name}", type="fixed")
            x, y, z = (a - b for a, b in zip(marker.position, shift, strict=True))
            _add_origin(joint, ((x, y, z), marker.quaternion))
            child(joint, "parent", link=link.name)
            child(joint, "child", link=name)
            root.append(joint)

    def _is_free(self, marker: Marker) -> bool:
        """Return whether the name of a marker is that of no link, and of no other marker."""
        named = [one.name for link in self.links.values() for one in link.markers]
        return marker.name not in self.links and marker.name != self._world and named.count(marker.name) == 1

    # ------------------------------------------------------------- joints

    def _add_joint(self, root: Node, link: Link, shifts: dict[str, Vector]) -> None:
        """Write the joint at which a link hangs, counted from 0."""
        outer = shifts.get(link.parent, ORIGIN)
        pose = then(
            ((-outer[0], -outer[1], -outer[2]), UNTURNED), then(link.pose, (shifts[link.name], UNTURNED))
        )
        joint = link.joints[0] if link.joints else JointOf(f"{link.name} fixed", "")
        if joint.value:
            self.begins.append(joint.name)
            pose = then(pose, inverse(_moved(joint)))
        words = joint_words(joint, self.left_out)
        kind = _TYPES.get(joint.kind, "fixed")
        if joint.kind == "hinge":
            kind = "revolute" if words.limited else "continuous"
        node = Node("joint", name=joint.name, type=kind)
        root.append(node)
        _add_origin(node, pose)
        child(node, "parent", link=link.parent or self._world)
        child(node, "child", link=link.name)
        if joint.kind in ("hinge", "slider", "planar"):
            child(node, "axis", xyz=numbers(joint.axis))
        if joint.kind not in ("hinge", "slider"):
            return
        effort = words.max_force
        if kind != "continuous" or effort:
            bounds = {
                "lower": -FAR if isinf(words.lower) else words.lower,
                "upper": FAR if isinf(words.upper) else words.upper,
            }
            own = {name: numbers([bound]) for name, bound in bounds.items()} if kind != "continuous" else {}
            child(node, "limit", **own, effort=numbers([effort]), velocity="0")
        if words.damping or words.friction:
            child(node, "dynamics", damping=numbers([words.damping]), friction=numbers([words.friction]))
        if words.stiffness:
            self.left_out.append(
                f"joint {joint.name!r}: a spring of {words.stiffness:g} about {words.rest:g}"
            )
        if words.inertia:
            self.left_out.append(f"joint {joint.name!r}: a rotor of {words.inertia:g}")
        for one in (*words.servos, *words.motors):
            self._tell_drive(joint, one)
        mimic = self.mimics.get(joint.name)
        if mimic is not None:
            child(
                node,
                "mimic",
                joint=mimic.leader.name,
                multiplier=numbers([mimic.ratio]),
                offset=numbers([mimic.offset]),
            )

    def _tell_drive(self, joint: JointOf, one: Action) -> None:
        if one.type == "servo":
            told = f"a servo to {one.target or 0.0:g} of {one.stiffness or 0.0:g} and {one.damping or 0.0:g}"
        else:
            told = f"a motor at {one.velocity or 0.0:g} of {one.damping or 0.0:g}"
        self.left_out.append(f"joint {joint.name!r}: {told}")

    # ------------------------------------------------------------- what URDF has not

    def _tell_rest(self, base: str) -> None:
        out, told = self.out, self.left_out
        if self.begins:
            told.append(f"joints that do not begin at 0, but are there when loaded: {', '.join(self.begins)}")
        for loop in out.loops:
            told.append(f"joint {loop.record.name!r} of type {loop.record.type}, which closes a loop")
        many = [one.name for one in out.couplings]
        followers = [one.follower.name for one in out.couplings]
        for name, follower in zip(many, followers, strict=True):
            if followers.count(follower) > 1 and self.mimics[follower].name != name:
                told.append(f"joint {name!r}: {follower!r} follows another joint already")
        for body in out.world.bodies:
            if np.any(body.velocity) or np.any(body.angular_velocity):
                told.append(f"link {body.name!r} begins with a velocity")
        if out.model.markers:
            told.append(f"markers of the world: {', '.join(marker.name for marker in out.model.markers)}")
        gravity = tuple(out.world.gravity)
        if gravity != usual_gravity(None):
            told.append(f"gravity, {numbers(gravity)}")
        solid = sum(bool(body.shapes) for body in out.model.bodies)
        passing = {frozenset(pair) for pair in (*out.passing(), *out.joined())}
        if passing and len(passing) < solid * (solid - 1) // 2:
            told.append("which links pass through each other: programs have all collide, or none of a robot")
        if base == WORLD and sum(link.parent == WORLD for link in self.links.values()) > 1:
            count = sum(link.parent == WORLD for link in self.links.values())
            told.append(
                f"that it is {count} mechanisms: they are one robot, joined to the link {self._world!r}"
            )


def _moved(joint: JointOf) -> Pose:
    """Return where a link is, in its frame at 0, when its joint is at its value."""
    if joint.kind == "slider":
        x, y, z = (joint.value * part for part in joint.axis)
        return (x, y, z), UNTURNED
    return ORIGIN, rotation(joint.axis, joint.value)


def _add_origin(node: Node, pose: Pose) -> None:
    if pose == HERE:
        return
    angles = _angles(pose[1])
    rpy = {} if angles == ORIGIN else {"rpy": numbers(angles)}
    child(node, "origin", xyz=numbers(pose[0]), **rpy)


def _angles(quaternion: Quaternion) -> Vector:
    """Return the angles about the fixed axes x, y and z in turn; the last makes up for errors of others."""
    r = matrix((ORIGIN, quaternion))
    pitch = atan2(-r[2, 0], hypot(r[0, 0], r[1, 0]))
    roll = atan2(r[2, 1], r[2, 2])
    s, c = sin(roll), cos(roll)
    yaw = atan2(s * r[0, 2] - c * r[0, 1], c * r[1, 1] - s * r[1, 2])
    return roll, pitch, yaw
