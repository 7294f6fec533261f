"""From links and joints to the bodies and joints of a model.

Links that are fixed to one another become one body, whose frame is that of the first; the others are markers
on it. A link without mass between two joints keeps its place as a body of so little mass that it is not felt.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stoss.collision.quaternions import Vector, vector_of
from stoss.engine.exchange.carriers import CARRIER, LIGHTEST, TURNING, WITH_ROTORS, rod_along
from stoss.engine.exchange.mechanism import FREE, WORLD, Inertia, Link, Mechanism, rotation
from stoss.engine.model.frames import HERE, Pose, inverse, placed, then
from stoss.engine.model.records import Body, Joint, Marker, Shape

__all__ = ["Assembly"]

Check = Callable[[Inertia, str, list[Shape]], Inertia]


class Assembly:
    """The records of a mechanism whose base stands in the origin of the world.

    Args:
        mechanism: links and joints.
        check: returns the inertia that a body gets, of its own one, its name and its collision shapes.

    Attributes:
        bodies, joints: the records.
        body_of: name of the body of each link, None for the world.
        poses: of the links in the world.
        parents: name of the body that each body is moved on, None for the world.
    """

    def __init__(self, mechanism: Mechanism, check: Check | None = None) -> None:
        mechanism = mechanism.split()
        self.mechanism, self._check = mechanism, check
        self.poses: dict[str, Pose] = {}
        self.body_of: dict[str, str] = {}
        self.members: dict[str, list[Link]] = {}
        self.parents: dict[str, str | None] = {}
        self.joints: list[Joint] = []
        self._carriers: set[str] = set()
        for link in mechanism.links.values():
            self._place(link)
        self._weights = self._subtree_inertias()
        self.bodies = [self._body(name) for name in self.members]
        for link in mechanism.links.values():
            self._add_joints(link)
        self._dynamic = {body.name for body in self.bodies if body.kind == "dynamic"}
        self._share_turning()

    # ------------------------------------------------------------- where links are

    def _place(self, link: Link) -> None:
        """Find the pose of a link, and the body that it belongs to."""
        outer = HERE if link.parent == WORLD else self.poses[link.parent]
        self.poses[link.name] = then(outer, link.pose)
        fixed = not link.joints and link.parent != WORLD and link.kind == "dynamic"
        if fixed:
            own = self.body_of[link.parent]
        else:
            own = link.name
            self.parents[own] = None if link.parent == WORLD else self.body_of[link.parent]
        self.body_of[link.name] = own
        self.members.setdefault(own, []).append(link)

    def _local(self, own: str, link: Link) -> Pose:
        """Return the pose of a link in the frame of its body."""
        return HERE if link.name == own else then(inverse(self.poses[own]), self.poses[link.name])

    # ------------------------------------------------------------- what bodies weigh

    def _inertia(self, own: str) -> Inertia | None:
        """Return the inertia of a body in its frame, None where none of its links has any."""
        total = None
        for link in self.members[own]:
            if link.inertia is not None:
                mine = link.inertia.placed(self._local(own, link)) if link.name != own else link.inertia
                total = mine if total is None else total.plus(mine)
        return total

    def _subtree_inertias(self) -> dict[str, tuple[float, float]]:
        """Return mass and size of inertia [kg, kg m^2] of what each body carries, itself included."""
        found: dict[str, tuple[float, float]] = {}
        for own in reversed(self.members):
            inertia = self._inertia(own)
            mass, moment = found.get(own, (0.0, 0.0))
            if inertia is not None:
                mass, moment = mass + inertia.mass, moment + float(np.trace(inertia.tensor)) / 3.0
            found[own] = mass, moment
            parent = self.parents[own]
            if parent is not None:
                more = found.get(parent, (0.0, 0.0))
                found[parent] = more[0] + mass, more[1] + moment
        return found

    def _weight(self, own: str, shapes: list[Shape]) -> Inertia:
        """Return the inertia of a body that moves; of one without mass a small one, which is told."""
        inertia = self._inertia(own)
        if inertia is not None and inertia.mass > 0.0:
            return inertia if self._check is None else self._check(inertia, own, shapes)
        self._carriers.add(own)
        mass, moment = self._weights[own]
        share = WITH_ROTORS if self._has_rotor(own) else CARRIER
        small = max(share * mass, LIGHTEST)
        moment = share * moment if moment > 0.0 else 0.01 * small
        self.mechanism.left_out.append(
            f"link {own!r} moves without mass: it is given {small:.3g} kg, which is not felt"
        )
        return Inertia(small, self._middle_of_joints(own), moment * np.eye(3))

    def _has_rotor(self, own: str) -> bool:
        """Return whether a joint that moves a body, or one that it carries, has a rotor."""
        for link in self.mechanism.links.values():
            body = self.body_of[link.name]
            if own in (body, self.parents[body]):
                if any(action.type == "rotor" for joint in link.joints for action in joint.actions):
                    return True
        return False

    def _middle_of_joints(self, own: str) -> np.ndarray:
        """Return the middle of the joints of a body in its frame, on which it is carried and carries.

        There a light centre of mass has no lever: away from it, it would swing on its joint under the load of
        all that it carries, faster than steps can follow.
        """
        places = []
        for link in self.mechanism.links.values():
            for joint in link.joints:
                if joint.kind != FREE and own in (self.body_of[link.name], self.parents.get(link.name)):
                    places.append(placed(then(inverse(self.poses[own]), self.poses[link.name]), joint.point))
        return np.mean(places, axis=0) if places else np.zeros(3)

    def _share_turning(self) -> None:
        """Let links without mass have a share in what turns with them: of what they carry, farthest first."""
        for joint in reversed(self.joints):
            if joint.first in self._carriers and joint.second is not None:
                self._share(joint.first, joint.second, joint)
        for joint in self.joints:
            if joint.second in self._carriers and joint.first in self._dynamic and joint.type == "hinge":
                self._share(joint.second, joint.first, joint)

    def _share(self, carrier: str, other: str, joint: Joint) -> None:
        """Let a link without mass take a share of the inertia with which another one turns as it does."""
        if joint.type not in ("slider", "hinge"):
            return
        rows = {body.name: i for i, body in enumerate(self.bodies)}
        light, heavy = self.bodies[rows[carrier]], self.bodies[rows[other]]
        tensor, pose = np.array(heavy.tensor), rotation(self.poses[other])
        both = tensor if joint.type == "slider" else rod_along(tensor, pose.T @ joint.axis)
        turn = rotation(self.poses[carrier]).T @ pose
        shared = np.array(light.tensor) + TURNING * turn @ both @ turn.T
        self.bodies[rows[carrier]] = light.replace(tensor=_rows(shared))
        self.bodies[rows[other]] = heavy.replace(tensor=_rows(tensor - TURNING * both))

    # ------------------------------------------------------------- records

    def _body(self, own: str) -> Body:
        first = self.members[own][0]
        shapes: list[Shape] = []
        display: list[Shape] = []
        markers: list[Marker] = []
        materials = {link.material for link in self.members[own] if link.shapes}
        for link in self.members[own]:
            local = self._local(own, link)
            shapes += [_shifted(shape, local) for shape in link.shapes]
            display += [_shifted(shape, local) for shape in link.display]
            if link is not first:
                markers.append(Marker(name=link.name, position=local[0], quaternion=local[1]))
            for marker in link.markers:
                pose = then(local, (marker.position, marker.quaternion))
                markers.append(Marker(name=marker.name, position=pose[0], quaternion=pose[1]))
        if len(materials) > 1:
            named = ", ".join(str(one) for one in sorted(materials, key=str))
            self.mechanism.left_out.append(f"body {own!r} has one material, not {len(materials)} ({named})")
        position, quaternion = self.poses[own]
        weight: dict[str, Any] = {}
        if first.kind == "dynamic":
            inertia = self._weight(own, shapes)
            weight = dict(mass=inertia.mass, center=vector_of(inertia.center), tensor=_rows(inertia.tensor))
        return Body(
            name=own,
            kind=first.kind,
            shapes=tuple(shapes),
            display=tuple(display),
            position=position,
            quaternion=quaternion,
            material=next((link.material for link in self.members[own] if link.shapes), None),
            color=first.color,
            markers=tuple(markers),
            **weight,
        )

    def pairs_of_shapes(self) -> tuple[tuple[str, str], ...]:
        """Return all pairs of bodies that could collide, but for those that joints let pass anyway."""
        solid = [body.name for body in self.bodies if body.shapes]
        joined = {(joint.first, joint.second) for joint in self.joints}
        return tuple(
            (one, other)
            for at, one in enumerate(solid)
            for other in solid[at + 1 :]
            if (one, other) not in joined and (other, one) not in joined
        )

    def _add_joints(self, link: Link) -> None:
        if not link.joints:
            return
        (joint,) = link.joints
        if joint.kind == FREE:
            return
        pose = self.poses[link.name]
        point, axis = placed(pose, joint.point), _turned(pose, joint.axis)
        geometry: dict[str, Any] = {"point": point}
        geometry["normal" if joint.kind == "planar" else "axis"] = axis
        self.joints.append(
            Joint(
                name=joint.name,
                type=joint.kind,
                first=self.parents[link.name],
                second=link.name,
                actions=tuple(joint.actions),
                **geometry,
            )
        )


def _turned(pose: Pose, direction: Vector) -> Vector:
    x, y, z = rotation(pose) @ direction
    return float(x), float(y), float(z)


def _shifted(shape: Shape, local: Pose) -> Shape:
    if local is HERE:
        return shape
    position, quaternion = then(local, (shape.position, shape.quaternion))
    shifted: Shape = shape.replace(position=position, quaternion=quaternion)
    return shifted


def _rows(tensor: np.ndarray) -> tuple[Vector, Vector, Vector]:
    symmetric = 0.5 * (tensor + tensor.T)
    return vector_of(symmetric[0]), vector_of(symmetric[1]), vector_of(symmetric[2])
