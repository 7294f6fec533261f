"""What acts on joints, as the limits and drives of USD."""

from collections.abc import Mapping
from math import isinf
from typing import Any

from stoss.engine.exchange.joint_words import Words, joint_words
from stoss.engine.exchange.mechanism import JointOf
from stoss.engine.exchange.usd_words import Pxr, to_usd
from stoss.engine.model.records import Action, Coordinate, Joint

__all__ = ["write_actions"]


def write_actions(
    pxr: Pxr,
    made: Any,
    joint: Any,
    record: Joint,
    named: Mapping[str, Coordinate],
    freedoms: Mapping[str, str],
    left_out: list[str],
) -> None:
    """Write what acts on a joint.

    Args:
        pxr: modules of usd-core.
        made: the joint in USD.
        joint: in the world.
        record: in the model.
        named: named coordinates of it.
        freedoms: which degree of freedom a coordinate is.
        left_out: is told of what cannot be written.
    """
    acting: dict[str, list[Action]] = {}
    for action in record.actions:
        acting.setdefault(action.coordinate or joint.coordinates[0], []).append(action)
    for one in named.values():
        if one.lower is not None or one.upper is not None:
            own = Action(type="limit", lower=one.lower, upper=one.upper)
            acting.setdefault(one.coordinate or joint.coordinates[0], []).append(own)
    for coordinate, actions in acting.items():
        freedom = freedoms.get(coordinate)
        if record.type == "ball" and coordinate == "swing":
            actions = [action for action in actions if not _is_cone(made, action)]
        if freedom is None:
            told = (f"joint {record.name!r}: a {action.type} of its {coordinate}" for action in actions)
            left_out.extend(told)
            continue
        words = joint_words(JointOf(record.name, "hinge", actions=actions), left_out)
        if words.limited:
            _write_limit(pxr, made, freedom, words)
        _write_drive(pxr, made, freedom, words, record.name, left_out)


def _is_cone(made: Any, action: Action) -> bool:
    """Write the limit of a swing, and return whether it was one."""
    if action.type == "limit_swing" and len(action.ellipse) == 2 and not action.stiffness:
        made.CreateConeAngle0LimitAttr(to_usd("angular", float(action.ellipse[0])))
        made.CreateConeAngle1LimitAttr(to_usd("angular", float(action.ellipse[1])))
        return True
    if action.type != "limit" or action.upper is None or action.lower or action.stiffness:
        return False
    for create in (made.CreateConeAngle0LimitAttr, made.CreateConeAngle1LimitAttr):
        create(to_usd("angular", float(action.upper)))
    return True


def _write_limit(pxr: Pxr, made: Any, freedom: str, words: Words) -> None:
    low, high = to_usd(freedom, words.lower), to_usd(freedom, words.upper)
    if freedom in ("angular", "linear"):
        made.CreateLowerLimitAttr(low)
        made.CreateUpperLimitAttr(high)
    else:
        limit = pxr.UsdPhysics.LimitAPI.Apply(made.GetPrim(), freedom)
        limit.CreateLowAttr(low)
        limit.CreateHighAttr(high)


def _write_drive(pxr: Pxr, made: Any, freedom: str, words: Words, name: str, left_out: list[str]) -> None:
    """Write the drive of a degree of freedom, which has one; a spring or a damper is one too."""
    drives = [*words.servos, *words.motors]
    if words.friction:
        left_out.append(f"joint {name!r}: dry friction of {words.friction:g}")
    if words.inertia:
        left_out.append(f"joint {name!r}: a rotor of {words.inertia:g}")
    passive = bool(words.stiffness or words.damping)
    for one in drives[1:]:
        left_out.append(f"joint {name!r}: a second drive, a {one.type}")
    if drives and passive:
        left_out.append(f"joint {name!r}: its spring or damper, since it has a drive")
    if not drives and not passive:
        return
    drive = pxr.UsdPhysics.DriveAPI.Apply(made.GetPrim(), freedom)
    drive.CreateTypeAttr("force")
    stiffness, damping, target, velocity = words.stiffness, words.damping, words.rest, 0.0
    most: float | None = None
    if drives:
        one = drives[0]
        stiffness, damping = float(one.stiffness or 0.0), float(one.damping or 0.0)
        target, velocity = float(one.target or 0.0), float(one.velocity or one.target_rate or 0.0)
        most = one.max_force
    drive.CreateStiffnessAttr(to_usd(freedom, stiffness, per=True))
    drive.CreateDampingAttr(to_usd(freedom, damping, per=True))
    drive.CreateTargetPositionAttr(to_usd(freedom, target))
    drive.CreateTargetVelocityAttr(to_usd(freedom, velocity))
    if most is not None and not isinf(most):
        drive.CreateMaxForceAttr(float(most))
