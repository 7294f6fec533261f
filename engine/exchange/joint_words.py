"""What acts on a joint, in the words of formats of robots: one range, spring, damper and dry friction."""

from dataclasses import dataclass, field
from math import inf, isinf

from stoss.engine.exchange.mechanism import JointOf
from stoss.engine.model.records import Action

__all__ = ["Words", "joint_words"]


@dataclass
class Words:
    """What acts on a joint with one coordinate.

    Args:
        lower, upper: range [m or rad].
        stiffness, rest: of a spring [N/m or N m/rad], [m or rad].
        damping: [N s/m or N m s/rad].
        friction: [N or N m].
        inertia: of rotors [kg or kg m^2].
        servos: drives to a value.
        motors: drives at a rate by a force in proportion to what is missing.
    """

    lower: float = -inf
    upper: float = inf
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    inertia: float = 0.0
    servos: list[Action] = field(default_factory=list)
    motors: list[Action] = field(default_factory=list)

    @property
    def limited(self) -> bool:
        """Return whether there is a bound."""
        return self.lower > -inf or self.upper < inf

    @property
    def max_force(self) -> float:
        """Return the largest force [N or N m] of its drives, 0 where that is unlimited or there are none."""
        known = [action.max_force for action in (*self.servos, *self.motors)]
        return max((force for force in known if force is not None), default=0.0)


def joint_words(joint: JointOf, left_out: list[str]) -> Words:
    """Return what acts on a joint.

    Args:
        joint: the joint.
        left_out: is told of what has no such words.
    """
    words, what = Words(), f"joint {joint.name!r}"
    for action in joint.actions:
        kind = action.type
        if joint.kind not in ("hinge", "slider"):
            of = f" of its {action.coordinate}" if action.coordinate else ""
            left_out.append(f"{what}: a {kind}{of}")
        elif not action.enabled:
            left_out.append(f"{what}: a {kind}, which is not enabled")
        elif action.times:
            left_out.append(f"{what}: a {kind} with a schedule")
        else:
            _take(words, action, what, left_out)
    return words


def _take(words: Words, action: Action, what: str, left_out: list[str]) -> None:
    if action.type == "limit":
        if action.lower is not None:
            words.lower = max(words.lower, float(action.lower))
        if action.upper is not None:
            words.upper = min(words.upper, float(action.upper))
        for name in ("restitution", "stiffness", "damping"):
            if getattr(action, name):
                left_out.append(f"{what}: {name} of its stops, {getattr(action, name):g}")
    elif action.type == "spring":
        stiffness, rest = float(action.stiffness or 0.0), float(action.rest or 0.0)
        if stiffness > 0.0:
            words.rest = (words.stiffness * words.rest + stiffness * rest) / (words.stiffness + stiffness)
        words.stiffness += stiffness
        words.damping += float(action.damping or 0.0)
    elif action.type == "damper":
        words.damping += float(action.damping or 0.0)
    elif action.type == "friction":
        words.friction += float(action.max_force or 0.0)
    elif action.type == "rotor":
        words.inertia += float(action.inertia or 0.0)
    elif action.type == "servo":
        if action.target_rate:
            left_out.append(f"{what}: the rate of the target of its servo, {action.target_rate:g}")
        words.servos.append(action)
    elif action.type == "motor" and action.damping is not None and not isinf(action.damping):
        words.motors.append(action)
    elif action.type == "motor" and not action.velocity and action.max_force is not None:
        words.friction += float(action.max_force)
    elif action.type == "motor":
        left_out.append(f"{what}: a motor that holds its rate exactly, {float(action.velocity or 0.0):g}")
    else:
        left_out.append(f"{what}: a {action.type}")
