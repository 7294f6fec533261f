"""MJCF out of a model: bodies in one another, joints, actuators, equalities, and how it begins."""

from math import isinf
from pathlib import Path

import numpy as np

from stoss.collision.quaternions import (
    UNTURNED,
    Vector,
    conjugate,
    quaternion_of,
    rotate,
    vector_of,
)
from stoss.engine.exchange.joint_words import Words, joint_words
from stoss.engine.exchange.mechanism import FAR, FREE, WORLD, JointOf, Link
from stoss.engine.exchange.mjcf_geoms import Geoms
from stoss.engine.exchange.outline import Loop, Outline, outlined
from stoss.engine.exchange.xml_writing import NOISE, Node, child, numbers, write_xml
from stoss.engine.joints.frames import plane_frame
from stoss.engine.model.frames import HERE, Pose, inverse, placed, then
from stoss.engine.model.model import Model

__all__ = ["save"]

_TYPES = {"hinge": "hinge", "slider": "slide", "ball": "ball"}


def save(model: Model, path: Path) -> tuple[str, ...]:
    """Write a model as MJCF, its meshes in it, and return what MJCF does not hold.

    Raises:
        ModelError: the model cannot be built.
        FileError: the file cannot be written.
    """
    return _Writer(outlined(model, carriers=False), path).write()


class _Writer:
    """What is known while a file is written."""

    def __init__(self, out: Outline, path: Path) -> None:
        self.out, self.path, self.left_out = out, path, out.left_out
        self.geoms = Geoms(out)
        self.children: dict[str, list[Link]] = {}
        for link in out.links.values():
            self.children.setdefault(link.parent, []).append(link)
        self.actuators = Node("actuator")
        self.controls: list[float] = []
        self.rates: list[float] = []
        self.names = {name: name for name in out.links}  # names in the file
        self.names[WORLD] = "world"
        for name, link in out.links.items():
            if link.kind == "static" and name == "world":
                self.names[name] = "world"
            elif name == "world":
                self.names[name] = "world (moving)"

    def write(self) -> tuple[str, ...]:
        root = Node("mujoco", model=self.out.model.name or self.path.stem)
        child(
            root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false", fusestatic="false"
        )
        world = self.out.world
        child(root, "option", timestep=numbers([world.time_step]), gravity=numbers(world.gravity))
        body = Node("worldbody")
        for marker in self.out.model.markers:
            self._add_site(body, marker.name, (marker.position, marker.quaternion))
        for link in self.children.get(WORLD, ()):
            self._add_body(body, link)
        assets = self.geoms.assets
        root.extend([*([assets] if len(assets) else []), body])
        for node in (self._excluded(), self._equalities(), self.actuators, self._beginning()):
            if len(node):
                root.append(node)
        self._tell_rest()
        write_xml(root, self.path, self.left_out)
        return tuple(self.left_out)

    # ------------------------------------------------------------- bodies

    def _add_body(self, outer: Node, link: Link) -> None:
        if self.names[link.name] == "world":
            node, pose = outer, link.pose
        else:
            node, pose = child(outer, "body", name=self.names[link.name], **_place(link.pose)), HERE
        if link.kind == "kinematic":
            node.set("mocap", "true")
        if link.inertia is not None:
            own = {"pos": numbers(link.inertia.center), "mass": numbers([link.inertia.mass])}
            child(node, "inertial", **own, **_moments(link.inertia.tensor))
        for joint in link.joints:
            self._add_joint(node, link, joint)
        self.geoms.add(node, link, pose)
        for marker in link.markers:
            self._add_site(node, marker.name, then(pose, (marker.position, marker.quaternion)))
        for inner in self.children.get(link.name, ()):
            inner.pose = then(pose, inner.pose)
            self._add_body(node, inner)

    def _add_site(self, node: Node, name: str, pose: Pose) -> None:
        taken = [one.name for link in self.out.links.values() for one in link.markers]
        taken += [one.name for one in self.out.model.markers]
        if taken.count(name) > 1:
            name = f"{node.get('name', 'world')}:{name}"
        child(node, "site", name=name, **_place(pose))

    # ------------------------------------------------------------- joints

    def _add_joint(self, node: Node, link: Link, joint: JointOf) -> None:
        words = joint_words(joint, self.left_out)
        if joint.kind == FREE:
            child(node, "freejoint", name=joint.name)
            body = self.out.world.body(link.name)
            turn = conjugate(quaternion_of(body.quaternion))
            spin = np.array(body.angular_velocity)
            arm = np.array(body.position) - np.array(body.center_of_mass)
            self.rates += (np.array(body.velocity) + np.cross(spin, arm)).tolist()
            self.rates += rotate(turn, vector_of(spin))
            return
        own: dict[str, str] = {}
        if joint.kind == "ball":
            self.rates += [0.0, 0.0, 0.0]
            self._tell_spin(link)
        else:
            own["axis"] = numbers(joint.axis)
            self.rates.append(joint.rate)
        if joint.value:
            own["ref"] = numbers([joint.value])
        if words.limited:
            bounds = (-FAR if isinf(words.lower) else words.lower, FAR if isinf(words.upper) else words.upper)
            own["range"] = numbers(bounds)
        if words.stiffness:
            own |= {"stiffness": numbers([words.stiffness]), "springref": numbers([words.rest])}
        if words.damping:
            own["damping"] = numbers([words.damping])
        if words.friction:
            own["frictionloss"] = numbers([words.friction])
        if words.inertia:
            own["armature"] = numbers([words.inertia])
        child(node, "joint", name=joint.name, type=_TYPES[joint.kind], pos=numbers(joint.point), **own)
        self._add_actuators(joint, words)

    def _tell_spin(self, link: Link) -> None:
        own = self.out.world.body(link.name)
        spin = np.array(own.angular_velocity)
        if link.parent != WORLD and link.parent in self.out.links:
            spin = spin - np.array(self.out.world.body(link.parent).angular_velocity)
        if np.abs(spin).max() > 0.0:
            turn = conjugate(quaternion_of(own.quaternion))
            self.rates[-3:] = rotate(turn, vector_of(spin))

    def _add_actuators(self, joint: JointOf, words: Words) -> None:
        for one in (*words.servos, *words.motors):
            number = 1 + sum(node.get("joint") == joint.name for node in self.actuators)
            own = {"name": joint.name if number == 1 else f"{joint.name} {number}", "joint": joint.name}
            if one.max_force is not None and not isinf(one.max_force):
                own["forcerange"] = numbers([-one.max_force, one.max_force])
            damping = numbers([one.damping or 0.0])
            if one.type == "servo":
                child(self.actuators, "position", kp=numbers([one.stiffness or 0.0]), kv=damping, **own)
                self.controls.append(float(one.target or 0.0))
            else:
                child(self.actuators, "velocity", kv=damping, **own)
                self.controls.append(float(one.velocity or 0.0))

    # ------------------------------------------------------------- between bodies

    def _excluded(self) -> Node:
        """Return the pairs of bodies that pass through each other, but for what MuJoCo does by itself."""
        node = Node("contact")
        links = self.out.links
        done: set[frozenset[str]] = set()
        for one, other in (*self.out.joined(), *self.out.passing()):
            first, second = self.names[one], self.names[other]
            parents = {(name, links[name].parent) for name in (one, other)}
            still = [name for name in (one, other) if links[name].kind == "static"]
            by_itself = {(one, other), (other, one)} & parents and not still
            if first == second or frozenset((first, second)) in done or by_itself:
                continue
            done.add(frozenset((first, second)))
            child(node, "exclude", body1=first, body2=second)
        return node

    def _equalities(self) -> Node:
        node = Node("equality")
        for loop in self.out.loops:
            if loop.record.type == "ball":
                self._connect(node, loop, loop.record.name, loop.point)
            elif loop.record.type == "hinge":
                for sign, name in ((-1.0, loop.record.name), (1.0, f"{loop.record.name} 2")):
                    x, y, z = (p + sign * 0.1 * a for p, a in zip(loop.point, loop.axis, strict=True))
                    self._connect(node, loop, name, (x, y, z))
            elif loop.record.type == "fixed":
                self._weld(node, loop)
            else:
                why = " between bodies that other joints join" if loop.record.type != "free" else ""
                self.left_out.append(f"joint {loop.record.name!r} of type {loop.record.type}{why}")
                continue
            if loop.record.actions:
                self.left_out.append(f"joint {loop.record.name!r}: what acts on it, since it closes a loop")
        for one in self.out.couplings:
            # counted from the pose at the start
            offset = one.offset + one.ratio * one.leader.value - one.follower.value
            coefficients = numbers([offset, one.ratio, 0.0, 0.0, 0.0])
            own = {"name": one.name, "joint1": one.follower.name, "joint2": one.leader.name}
            child(node, "joint", **own, polycoef=coefficients)
        return node

    def _connect(self, node: Node, loop: Loop, name: str, point: Vector) -> None:
        first, second = loop.first, loop.second
        if first == WORLD:
            first, second = second, first
        anchor = numbers(placed(inverse(self.out.poses[first]), point))
        other = {} if second == WORLD else {"body2": self.names[second]}
        child(node, "connect", name=name, body1=self.names[first], **other, anchor=anchor)

    def _weld(self, node: Node, loop: Loop) -> None:
        first, second = loop.first, loop.second
        if second == WORLD:
            first, second = second, first
        own = {"body1": self.names[second]}
        pose = inverse(self.out.poses[second])
        if first != WORLD:
            own = {"body1": self.names[first], "body2": self.names[second]}
            pose = then(inverse(self.out.poses[first]), self.out.poses[second])
        anchor = numbers(placed(inverse(self.out.poses[second]), loop.point)) if first != WORLD else None
        relative = numbers((*pose[0], *pose[1]))
        more = {} if anchor is None else {"anchor": anchor}
        child(node, "weld", name=loop.record.name, **own, relpose=relative, **more)

    # ------------------------------------------------------------- how it begins, and what is left out

    def _beginning(self) -> Node:
        """Return the velocities and the set points at the start, where there are any."""
        node = Node("keyframe")
        own = {}
        if any(self.rates):
            own["qvel"] = numbers(self.rates)
        if any(self.controls):
            own["ctrl"] = numbers(self.controls)
        if own:
            child(node, "key", name="start", **own)
        return node

    def _tell_rest(self) -> None:
        told, world = self.left_out, self.out.world
        fixed = {WORLD, *(link.name for link in self.out.links.values() if link.kind == "static")}
        for link in self.out.links.values():
            collide = any(
                record.collide and record.name == joint.name
                for joint in link.joints
                for record in self.out.model.joints
            )
            if collide and link.parent not in fixed and link.shapes and self.out.links[link.parent].shapes:
                told.append(f"body {link.name!r} collides with {link.parent!r}, at which it hangs")
        for body in world.bodies:
            if body.kind == "kinematic" and (np.any(body.velocity) or np.any(body.angular_velocity)):
                told.append(f"body {body.name!r}: its velocity; move it by data.mocap_pos")
        rule = world.settings.friction_rule
        if rule != "maximum" and any(one.friction is not None for one in self.out.model.materials):
            told.append(f"friction of a pair by the rule {rule!r}: MuJoCo takes the larger")


def _moments(tensor: np.ndarray) -> dict[str, str]:
    """Return the attributes of an inertia tensor: principal moments, and where the axes are."""
    if np.abs(tensor - np.diag(np.diag(tensor))).max() <= NOISE * np.abs(tensor).max():
        return {"diaginertia": numbers(np.diag(tensor))}
    moments, axes = np.linalg.eigh(tensor)
    turn = plane_frame(vector_of(axes[:, 0]), vector_of(axes[:, 1]))
    return {"diaginertia": numbers(moments), "quat": numbers(turn)}


def _place(pose: Pose) -> dict[str, str]:
    """Return the attributes of a place, nothing where it is that of the outer frame."""
    found = {} if pose[0] == HERE[0] else {"pos": numbers(pose[0])}
    return found if pose[1] == UNTURNED else {**found, "quat": numbers(pose[1])}
