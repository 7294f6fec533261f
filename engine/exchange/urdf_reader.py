"""URDF, the robot description of ROS, as PyBullet, Pinocchio and Drake read it."""

from collections import Counter
from collections.abc import Iterable
from math import cos, sin
from pathlib import Path
from typing import Any

import numpy as np

from stoss.collision.quaternions import UNTURNED, Quaternion
from stoss.engine.exchange.couplings import mimic_joints
from stoss.engine.exchange.mechanism import FREE, WORLD, Inertia, JointOf, Link, Mechanism, bounds, rotation
from stoss.engine.exchange.meshes import MeshFiles
from stoss.engine.exchange.to_records import Assembly
from stoss.engine.exchange.weights import possible
from stoss.engine.exchange.xml_tree import Element, read_xml
from stoss.engine.model.folders import Folders
from stoss.engine.model.frames import HERE, Pose
from stoss.engine.model.model import Model
from stoss.engine.model.records import Action, Material, Shape

__all__ = ["read_urdf"]

_JOINTS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "planar": "planar"}
_JOINTS |= {"floating": FREE, "spherical": "ball", "fixed": ""}


def read_urdf(
    path: str | Path,
    *,
    folders: Iterable[str | Path] = (),
    missing: str = "error",
    fixed_base: bool | None = None,
    self_collision: bool = False,
) -> Model:
    """Return the model of a URDF file.

    Args:
        path: the file.
        folders: from which its meshes may be read, besides its own folder and package.
        missing: what is done about meshes that are not there: "error", or "skip" to leave them out.
        fixed_base: whether the first link is fixed to the world; None: if it has no mass, as in PyBullet.
        self_collision: whether links that no joint connects collide with one another.

    Raises:
        ModelError: the file is none, or describes no robot; says where.
    """
    file = Path(path)
    root = read_xml(file)
    if root.tag != "robot":
        raise root.error("a URDF file begins with <robot>")
    return _Reader(root, MeshFiles(Folders(file, folders), missing), fixed_base, self_collision).model()


class _Reader:
    """What is known while a file is read."""

    def __init__(
        self, root: Element, files: MeshFiles, fixed_base: bool | None, self_collision: bool
    ) -> None:
        self.root, self.files, self.fixed_base, self.self_collision = root, files, fixed_base, self_collision
        self.left_out: list[str] = []
        self.colors: dict[str, tuple[float, float, float]] = {}
        self.materials: dict[str, Material] = {}
        self.bounds: list[str] = []

    def model(self) -> Model:
        """Return the model."""
        links, joints = self._named("link"), self._named("joint")
        for material in self.root.all("material"):
            self._color(material)
        mechanism = Mechanism(left_out=self.left_out)
        order, joint_of = _tree(self.root, links, joints)
        for name in order:
            mechanism.links[name] = self._link(links[name], joint_of.get(name))
        assembly = Assembly(mechanism, check=self._possible)
        couplings = mimic_joints(self._mimics(joints), assembly, self.left_out)
        self._tell_others()
        for name in self.files.skipped:
            self.left_out.append(name)
        return Model(
            name=self.root.attributes.get("name"),
            materials=tuple(self.materials.values()),
            meshes=self.files.used(assembly.bodies),
            bodies=tuple(assembly.bodies),
            joints=(*assembly.joints, *couplings),
            exclude=() if self.self_collision else assembly.pairs_of_shapes(),
            left_out=tuple(self.left_out),
        )

    def _named(self, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for element in self.root.all(tag):
            name = element.word("name")
            if name in found:
                raise element.error(f"the name is taken by the {tag} of line {found[name].line}")
            found[name] = element
        return found

    # ------------------------------------------------------------- links

    def _link(self, element: Element, joint: Element | None) -> Link:
        name = element.word("name")
        link = Link(name, WORLD)
        for collision in element.all("collision"):
            link.shapes += self._shapes(collision, name, display=False)
        for visual in element.all("visual"):
            link.display += self._shapes(visual, name, display=True)
        link.inertia = self._inertia(element)
        link.color = next((shape.color for shape in link.display if shape.color is not None), None)
        link.material = self._surface(element, name)
        if joint is None:
            weightless = link.inertia is None or link.inertia.mass == 0.0
            fixed = weightless if self.fixed_base is None else self.fixed_base
            link.kind = "static" if fixed else "dynamic"
            link.joints = [] if fixed else [JointOf(f"{name}/base", FREE)]
            if weightless and not fixed:
                raise element.error("it has no mass, so it cannot be moved; leave fixed_base out")
        else:
            link.parent = joint.need("parent").word("link")
            link.pose = _origin(joint)
            link.joints = self._joint(joint)
        return link

    def _possible(self, inertia: Inertia, name: str, shapes: list[Shape]) -> Inertia:
        """Return the inertia of a body if there is such a body; the links that it is made of need not be."""
        return possible(inertia, f"link {name!r}", shapes, self.files, self.left_out)

    def _inertia(self, element: Element) -> Inertia | None:
        inertial = element.find("inertial")
        if inertial is None:
            return None
        mass = inertial.need("mass").number("value")
        if mass < 0.0:
            raise inertial.error(f"mass = {mass:g} kg; a link weighs something, or nothing (0)")
        given = inertial.find("inertia")
        tensor = np.zeros((3, 3))
        if given is not None:
            names = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
            for name, (i, j) in names.items():
                tensor[i, j] = tensor[j, i] = given.number(name, 0.0)
        if mass == 0.0 and not tensor.any():
            return None
        pose = _origin(inertial)
        turn = rotation(pose)
        return Inertia(mass, np.array(pose[0]), turn @ tensor @ turn.T)

    def _shapes(self, element: Element, name: str, display: bool) -> list[Shape]:
        """Return the shape of a collision or visual element, none where it cannot be taken over."""
        geometry = element.find("geometry")
        if geometry is None or not geometry.children:
            self.left_out.append(f"link {name!r}: <{element.tag}> of line {element.line} without geometry")
            return []
        position, quaternion = _origin(element)
        placed: dict[str, Any] = {"position": position, "quaternion": quaternion}
        if display:
            material = element.find("material")
            placed["color"] = None if material is None else self._color(material)
        return [
            shape
            for one in geometry.children
            if (shape := self._shape(one, f"link {name!r}", display, placed)) is not None
        ]

    def _shape(self, one: Element, of: str, display: bool, placed: dict[str, Any]) -> Shape | None:
        sizes: dict[str, Any] = {}
        if one.tag == "box":
            sizes["size"] = one.numbers("size", 3)
        elif one.tag in ("cylinder", "capsule"):
            sizes = {"radius": one.number("radius"), "length": one.number("length")}
        elif one.tag == "sphere":
            sizes["radius"] = one.number("radius")
        elif one.tag == "plane":
            sizes["normal"] = one.numbers("normal", 3, (0.0, 0.0, 1.0))
            return Shape(type="half_space", **sizes, **placed)
        elif one.tag == "mesh":
            x, y, z = one.numbers("scale", 3, (1.0, 1.0, 1.0))
            mesh = self.files.named(one, one.word("filename"), (x, y, z), of, hull=not display)
            kind = "triangle_mesh" if display else "convex_hull"
            return None if mesh is None else Shape(type=kind, mesh=mesh, **placed)
        else:
            self.left_out.append(f"{of}: geometry <{one.tag}> of line {one.line}")
            return None
        if not all(value > 0.0 for value in np.ravel(list(sizes.values())[0])):
            self.left_out.append(f"{of}: <{one.tag}> of line {one.line} without extent")
            return None
        return Shape(type=one.tag, **sizes, **placed)

    def _color(self, material: Element) -> tuple[float, float, float] | None:
        """Return the colour of a material, and keep it under its name."""
        name, color = material.attributes.get("name", ""), material.find("color")
        if color is None:
            return self.colors.get(name)
        r, g, b, _ = color.numbers("rgba", 4)
        found = tuple(min(max(part, 0.0), 1.0) for part in (r, g, b))
        if name:
            self.colors[name] = found  # type: ignore[assignment]
        return found  # type: ignore[return-value]

    def _surface(self, element: Element, name: str) -> str | None:
        """Return the material that PyBullet's <contact> stands for; its softness is left out."""
        contact = element.find("contact")
        if contact is None:
            return None
        values: dict[str, Any] = {}
        rest = []
        known = {"lateral_friction": "friction", "restitution": "restitution"}
        known |= {"rolling_friction": "rolling_friction", "spinning_friction": "torsional_friction"}
        for child in contact.children:
            if child.tag in known:
                values[known[child.tag]] = child.number("value")
            else:
                rest.append(child.tag)
        if rest:
            self.left_out.append(f"link {name!r}: {', '.join(rest)} of its contacts: they are rigid here")
        if not values:
            return None
        key = ", ".join(f"{what} {value:g}" for what, value in values.items())
        self.materials.setdefault(key, Material(name=key, **values))
        return key

    # ------------------------------------------------------------- joints

    def _joint(self, element: Element) -> list[JointOf]:
        name, kind = element.word("name"), element.word("type")
        if kind not in _JOINTS:
            raise element.error(f"type = {kind!r}; URDF has {', '.join(_JOINTS)}")
        if kind == "fixed":
            return []
        axis = element.find("axis")
        x, y, z = (1.0, 0.0, 0.0) if axis is None else axis.numbers("xyz", 3)
        size = float(np.sqrt(x * x + y * y + z * z))
        if size == 0.0:
            raise element.error("axis = 0 0 0 has no direction")
        joint = JointOf(name, _JOINTS[kind], (x / size, y / size, z / size))
        if joint.kind in ("hinge", "slider"):
            joint.actions = self._actions(element, kind)
        elif element.find("limit") is not None and kind == "planar":
            self.left_out.append(f"joint {name!r}: limits of a planar joint")
        return [joint]

    def _actions(self, element: Element, kind: str) -> list[Action]:
        name, found = element.word("name"), []
        limit, dynamics = element.find("limit"), element.find("dynamics")
        if limit is not None:
            lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
            if kind != "continuous" and lower <= upper and not lower == upper == 0.0:
                found += bounds(lower, upper)
            elif kind != "continuous" and ("lower" in limit.attributes or "upper" in limit.attributes):
                if lower > upper:
                    self.left_out.append(
                        f"joint {name!r}: limits {lower:g} to {upper:g}, which leave nothing"
                    )
            effort, velocity = limit.number("effort", 0.0), limit.number("velocity", 0.0)
            if effort or velocity:
                self.bounds.append(name)
        if dynamics is not None:
            damping, friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
            if damping > 0.0:
                found.append(Action(type="damper", damping=damping))
            if friction > 0.0:
                found.append(Action(type="friction", max_force=friction))
            for what, value in (("damping", damping), ("friction", friction)):
                if value < 0.0:
                    self.left_out.append(f"joint {name!r}: {what} = {value:g}, below zero")
        return found

    @staticmethod
    def _mimics(joints: dict[str, Element]) -> Iterable[tuple[str, str, float, float]]:
        """Yield joint, the one that it follows, ratio and offset."""
        for name, element in joints.items():
            mimic = element.find("mimic")
            if mimic is not None and element.word("type") != "fixed":
                of = mimic.word("joint")
                yield name, of, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)

    def _tell_others(self) -> None:
        if self.bounds:
            self.left_out.append(
                f"{len(self.bounds)} joints have limits of effort and velocity, for motors that are added: "
                "joint.motor(velocity, max_force=effort)"
            )
        known = {"link", "joint", "material"}
        for tag, count in Counter(child.tag for child in self.root.children).items():
            if tag not in known:
                self.left_out.append(f"{count} <{tag}>")


def _tree(
    root: Element, links: dict[str, Element], joints: dict[str, Element]
) -> tuple[list[str], dict[str, Element]]:
    """Return the links, parents first, and the joint at which each hangs.

    Raises:
        ModelError: a joint names no link, a link hangs at two joints, or links hang at one another.
    """
    if not links:
        raise root.error("there is no <link>")
    joint_of: dict[str, Element] = {}
    children: dict[str, list[str]] = {}
    for joint in joints.values():
        ends = [joint.need(end).word("link") for end in ("parent", "child")]
        for end, name in zip(("parent", "child"), ends, strict=True):
            if name not in links:
                raise joint.error(f"{end} = {name!r}, which is no link")
        parent, child = ends
        if child in joint_of:
            raise joint.error(f"link {child!r} hangs at joint {joint_of[child].word('name')!r} already")
        joint_of[child] = joint
        children.setdefault(parent, []).append(child)
    roots = [name for name in links if name not in joint_of]
    if not roots:
        raise root.error(f"links hang at one another in a circle: {', '.join(list(links)[:10])}")
    if len(roots) > 1:
        raise root.error(f"it has {len(roots)} first links ({', '.join(roots[:5])}); join them to one robot")
    order, waiting = [], list(roots)
    while waiting:
        name = waiting.pop()
        order.append(name)
        waiting += reversed(children.get(name, []))
    if len(order) < len(links):
        circle = [name for name in links if name not in order]
        raise root.error(f"links hang at one another in a circle: {', '.join(circle[:10])}")
    return order, joint_of


def _origin(element: Element) -> Pose:
    """Return the pose of an element: xyz, and the angles about the fixed axes x, y and z in turn."""
    origin = element.find("origin")
    if origin is None:
        return HERE
    x, y, z = origin.numbers("xyz", 3, (0.0, 0.0, 0.0))
    roll, pitch, yaw = origin.numbers("rpy", 3, (0.0, 0.0, 0.0))
    return (x, y, z), _quaternion(roll, pitch, yaw)


def _quaternion(roll: float, pitch: float, yaw: float) -> Quaternion:
    if roll == pitch == yaw == 0.0:
        return UNTURNED
    a, b, c = 0.5 * roll, 0.5 * pitch, 0.5 * yaw
    sa, ca, sb, cb, sc, cc = sin(a), cos(a), sin(b), cos(b), sin(c), cos(c)
    return (
        ca * cb * cc + sa * sb * sc,
        sa * cb * cc - ca * sb * sc,
        ca * sb * cc + sa * cb * sc,
        ca * cb * sc - sa * sb * cc,
    )
