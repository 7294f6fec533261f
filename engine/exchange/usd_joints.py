"""Joints of USD, with their limits and drives."""

from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

import numpy as np

from stoss.engine.exchange.usd_places import Places, placed, relative, tidy
from stoss.engine.exchange.usd_words import AXES, KINDS, LOCKS, Pxr, angular, from_usd
from stoss.engine.model.frames import Pose
from stoss.engine.model.records import Action, Body, Frame, Joint

__all__ = ["JointReader"]

# The frame of a joint about an axis, turned so that its z axis is that one: its columns.
_TURNS = {"X": (1, 2, 0), "Y": (2, 0, 1), "Z": (0, 1, 2)}
_PLAIN = {
    "PhysicsRevoluteJoint": ("hinge", "angular"),
    "PhysicsPrismaticJoint": ("slider", "linear"),
    "PhysicsSphericalJoint": ("ball", ""),
    "PhysicsFixedJoint": ("fixed", ""),
}


class JointReader:
    """Read the joints of a stage.

    Args:
        modules: of usd-core.
        places: where prims are.
        body_of: paths of bodies, by those of prims in them.
        bodies: by path.
        left_out: is told of what cannot be taken over.
    """

    def __init__(
        self,
        modules: Pxr,
        places: Places,
        body_of: Mapping[str, str],
        bodies: Mapping[str, Body],
        left_out: list[str],
    ) -> None:
        self.pxr, self.places, self.left_out = modules, places, left_out
        self.body_of, self.bodies = body_of, bodies

    def joint(self, prim: Any, name: str) -> Joint | None:
        """Return the record of a joint, None where it is left out."""
        joint = self.pxr.UsdPhysics.Joint(prim)
        ends = [self._end(joint, number) for number in (0, 1)]
        (first, one), (second, other) = ends
        moving = [end for end in (first, second) if end is not None and end.kind == "dynamic"]
        if not moving or first is second:
            self.left_out.append(f"joint {name!r} moves no body")
            return None
        own: dict[str, Any] = {
            "name": name,
            "first": None if first is None else first.name,
            "second": None if second is None else second.name,
            "first_frame": Frame(position=one[0], quaternion=one[1]),
            "second_frame": Frame(position=other[0], quaternion=other[1]),
            "collide": bool(joint.GetCollisionEnabledAttr().Get()),
            "enabled": joint.GetJointEnabledAttr().Get() is not False,
        }
        for field, attribute, unit in (
            ("break_force", joint.GetBreakForceAttr(), self.places.mass * self.places.length),
            ("break_torque", joint.GetBreakTorqueAttr(), self.places.mass * self.places.length**2),
        ):
            value = float(attribute.Get() or inf)
            if isfinite(value) and value < 1e30:
                own[field] = tidy(value) * unit
        kind = str(prim.GetTypeName())
        if kind == "PhysicsDistanceJoint":
            return self._distance(prim, name, own)
        if kind in _PLAIN:
            own["type"], freedom = _PLAIN[kind]
            own["actions"] = tuple(self._plain_actions(prim, name, own["type"], freedom))
            return Joint(**own)
        return self._free(prim, name, own)

    def _end(self, joint: Any, number: int) -> tuple[Body | None, Pose]:
        """Return a body, None for the world, and the frame of the joint on it."""
        targets = (joint.GetBody0Rel, joint.GetBody1Rel)[number]().GetTargets()
        point = (joint.GetLocalPos0Attr, joint.GetLocalPos1Attr)[number]().Get()
        turn = (joint.GetLocalRot0Attr, joint.GetLocalRot1Attr)[number]().Get()
        prim = self.pxr.Usd.Prim() if not targets else joint.GetPrim().GetStage().GetPrimAtPath(targets[0])
        matrix = self.places.matrix(prim if prim else None)
        q = np.array([turn.GetReal(), *turn.GetImaginary()], float)
        local = _matrix(q / np.linalg.norm(q))
        axis = joint.GetPrim().GetAttribute("physics:axis").Get()
        local = local[:, _TURNS[str(axis or "Z")]]
        place = matrix[:, :3] @ [tidy(float(part)) for part in point] + matrix[:, 3]
        frame = np.column_stack((placed(matrix).matrix[:, :3] @ local, place))
        body = self._body(prim) if prim else None
        if body is None:
            return None, placed(frame).pose
        return body, relative(frame, self.places.of(self._prim(joint, body))).pose

    def _body(self, prim: Any) -> Body | None:
        while prim and not prim.IsPseudoRoot():
            path = self.body_of.get(str(prim.GetPath()))
            if path is not None:
                return self.bodies.get(path)
            prim = prim.GetParent()
        return None

    def _prim(self, joint: Any, body: Body) -> Any:
        path = next(path for path, one in self.bodies.items() if one is body)
        return joint.GetPrim().GetStage().GetPrimAtPath(path)

    # ------------------------------------------------------------- kinds

    def _distance(self, prim: Any, name: str, own: dict[str, Any]) -> Joint | None:
        """Return a rod, or a rope: a distance with bounds."""
        joint = self.pxr.UsdPhysics.DistanceJoint(prim)
        low, high = (
            tidy(float(attribute.Get())) * self.places.length
            for attribute in (joint.GetMinDistanceAttr(), joint.GetMaxDistanceAttr())
        )
        if low < 0.0 and high < 0.0:
            self.left_out.append(f"joint {name!r}: a distance without bounds")
            return None
        if low == high:
            return Joint(type="distance", length=low, **own)
        bounds: dict[str, Any] = {
            "lower": low if low >= 0.0 else None,
            "upper": high if high >= 0.0 else None,
        }
        limit = Action(type="limit", coordinate="distance", **bounds)
        return Joint(type="free", actions=(limit,), **own)

    def _plain_actions(self, prim: Any, name: str, kind: str, freedom: str) -> list[Action]:
        if kind == "ball":
            return self._cone(prim, name)
        if kind == "fixed":
            return []
        low, high = (prim.GetAttribute(f"physics:{end}Limit").Get() for end in ("lower", "upper"))
        return [*self._limit(freedom, low, high, None), *self._drive(prim, name, freedom, None)]

    def _cone(self, prim: Any, name: str) -> list[Action]:
        joint = self.pxr.UsdPhysics.SphericalJoint(prim)
        one, other = (
            float(attribute.Get())
            for attribute in (joint.GetConeAngle0LimitAttr(), joint.GetConeAngle1LimitAttr())
        )
        if one < 0.0 and other < 0.0:
            return []
        if one != other and one > 0.0 and other > 0.0:
            ellipse = tuple(from_usd("angular", angle, 1.0) for angle in (one, other))
            return [Action(type="limit_swing", ellipse=ellipse)]
        if one != other:
            self.left_out.append(
                f"joint {name!r}: a cone of {one:g} and {other:g} degrees; the wider is taken"
            )
        upper = from_usd("angular", max(one, other), 1.0)
        return [Action(type="limit", coordinate="swing", upper=upper)]

    def _free(self, prim: Any, name: str, own: dict[str, Any]) -> Joint | None:
        """Return a joint that says which degrees of freedom are locked."""
        UsdPhysics = self.pxr.UsdPhysics  # noqa: N806
        locked, limits = set(), {}
        for freedom in AXES:
            if prim.HasAPI(UsdPhysics.LimitAPI, freedom):
                limit = UsdPhysics.LimitAPI(prim, freedom)
                low, high = limit.GetLowAttr().Get(), limit.GetHighAttr().Get()
                if low > high:
                    locked.add(freedom)
                else:
                    limits[freedom] = (low, high)
        for columns in _TURNS["Z"], _TURNS["X"], _TURNS["Y"]:
            # about another axis: the frames are turned so that it is z
            names = {
                f"{part}{'XYZ'[old]}": f"{part}{'XYZ'[new]}"
                for new, old in enumerate(columns)
                for part in ("trans", "rot")
            }
            kind = KINDS.get(frozenset(names[one] for one in locked))
            if kind is not None:
                break
        if kind is None:
            told = ", ".join(sorted(locked))
            self.left_out.append(f"joint {name!r}: it locks {told}, for which there is no kind")
            return None
        if columns != _TURNS["Z"]:
            for end in ("first_frame", "second_frame"):
                frame = own[end]
                matrix = _matrix(np.array(frame.quaternion))[:, columns]
                pose = placed(np.column_stack((matrix, frame.position))).pose
                own[end] = Frame(position=pose[0], quaternion=pose[1])
        coordinates = {freedom: one for one, freedom in LOCKS[kind][1].items()}
        actions: list[Action] = []
        for freedom in AXES:
            new = names[freedom]
            if new not in coordinates:
                if freedom in limits or prim.HasAPI(UsdPhysics.DriveAPI, freedom):
                    self.left_out.append(f"joint {name!r}: limit or drive of {freedom}")
                continue
            coordinate = coordinates[new] if len(coordinates) > 1 else None
            if freedom in limits:
                actions += self._limit(freedom, *limits[freedom], coordinate)
            actions += self._drive(prim, name, freedom, coordinate)
        if kind == "universal":
            own |= {"axis": (1.0, 0.0, 0.0), "second_axis": (0.0, 1.0, 0.0)}
        return Joint(type=kind, actions=tuple(actions), **own)

    # ------------------------------------------------------------- limits and drives

    def _limit(self, freedom: str, low: Any, high: Any, coordinate: str | None) -> list[Action]:
        bounds: dict[str, Any] = {}
        for name, value in (("lower", low), ("upper", high)):
            if value is not None and isfinite(value) and abs(value) < 1e30:
                bounds[name] = from_usd(freedom, tidy(float(value)), self.places.length)
        return [Action(type="limit", coordinate=coordinate, **bounds)] if bounds else []

    def _drive(self, prim: Any, name: str, freedom: str, coordinate: str | None) -> list[Action]:
        """Return the drive of a degree of freedom: a servo, or a motor where it has no stiffness."""
        if not prim.HasAPI(self.pxr.UsdPhysics.DriveAPI, freedom):
            return []
        drive = self.pxr.UsdPhysics.DriveAPI(prim, freedom)
        length, mass = self.places.length, self.places.mass
        if str(drive.GetTypeAttr().Get()) == "acceleration":
            self.left_out.append(f"joint {name!r}: a drive of accelerations")
            return []
        stiffness, damping = (
            from_usd(freedom, tidy(float(attribute.Get() or 0.0)), 1.0, per=True)
            * (mass * length**2 if angular(freedom) else mass)
            for attribute in (drive.GetStiffnessAttr(), drive.GetDampingAttr())
        )
        target, rate = (
            from_usd(freedom, tidy(float(attribute.Get() or 0.0)), length)
            for attribute in (drive.GetTargetPositionAttr(), drive.GetTargetVelocityAttr())
        )
        most = float(drive.GetMaxForceAttr().Get() or inf)
        bound: dict[str, Any] = {}
        if isfinite(most) and most < 1e30:
            bound["max_force"] = tidy(most) * mass * length * (length if angular(freedom) else 1.0)
        if stiffness > 0.0:
            if rate:
                bound["target_rate"] = rate
            own: dict[str, Any] = {"target": target, "stiffness": stiffness, "damping": damping}
            return [Action(type="servo", coordinate=coordinate, **own, **bound)]
        if damping > 0.0:
            if not rate and not bound:
                return [Action(type="damper", coordinate=coordinate, damping=damping)]
            return [Action(type="motor", coordinate=coordinate, velocity=rate, damping=damping, **bound)]
        return []


def _matrix(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrix (3, 3) of a unit quaternion."""
    w, x, y, z = q.tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
