"""Dampers and springs that a walker adds to the joints of a person: rows of the solver."""

from math import radians

from stoss.engine.humans.gains import Gains
from stoss.engine.humans.humanoid import SIDES, Humanoid
from stoss.engine.world.drives import Drive

__all__ = ["ARM_TURN", "add_arms", "add_dampers"]

ARM_TURN = radians(25.0)  # of shoulders and elbows


def add_dampers(humanoid: Humanoid) -> list[Drive]:
    """Add dampers to spine, hips and ankles, and return them.

    The damping part of what acts on light bodies is a row of the solver: it turns a foot thirty times faster
    than a step of 1 ms could follow by itself. What is damped against the world has as its target the rate of
    the heavier body.

    Args:
        humanoid: whose joints they are.
    """
    names = ["spine"] if humanoid.variant != "20dof" else []
    names += [f"{side} {joint}" for joint in ("hip", "ankle") for side in SIDES]
    dampers: list[Drive] = []
    for name in names:
        joint = humanoid.joints[name]
        turns = [own for own in joint.coordinates if own.startswith(("rotation", "angle_"))]
        dampers += [joint.damper(0.0, coordinate=own) for own in turns]
    return dampers


def add_arms(humanoid: Humanoid, gains: Gains) -> list[Drive]:
    """Add springs and dampers to shoulders and elbows; return those of the shoulders, right first.

    Args:
        humanoid: of "26dof".
        gains: of the body.
    """
    elbow, shoulder = gains.elbow, gains.shoulder
    for side in SIDES:
        joint = humanoid.joints[f"{side} elbow"]
        joint.servo(ARM_TURN, stiffness=elbow.spring, damping=elbow.damper)
    shoulders = [humanoid.joints[f"{side} shoulder"] for side in SIDES]
    return [joint.servo(0.0, stiffness=shoulder.spring, damping=shoulder.damper) for joint in shoulders]
