"""What acts on joints in models other than in programs: `control`, a servo with PD or PID, and friction."""

from typing import Any

import numpy as np

from stoss.engine.control.servo import Servo
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.world.drives import Drive, JointFriction
from stoss.engine.world.joint import Joint
from stoss.engine.world.world import World

__all__ = ["control", "described", "friction", "own_rows"]


def control(
    joint: Joint,
    *,
    kp: float = 0.0,
    ki: float = 0.0,
    kd: float = 0.0,
    target: float | None = None,
    limit: float = np.inf,
    implicit: bool | None = None,
    coordinate: str | None = None,
) -> Servo:
    """Add a `Servo` to a joint and return it, called as the joint, and the coordinate if that is taken.

    Args:
        joint: the joint.
        kp, ki, kd: gains [N/m, N/(m s), N s/m, or N m/rad, N m/(rad s), N m s/rad].
        target: wanted value [m or rad]; None: as the model begins.
        limit: largest force [N] or torque [N m].
        implicit: whether it is a row of the solver; None: yes.
        coordinate: name of the coordinate.
    """
    wanted: Any = "initial" if target is None else target
    servo = Servo(joint, coordinate, kp=kp, ki=ki, kd=kd, target=wanted, limit=limit, implicit=implicit)
    world = joint.world
    name = joint.name if joint.name not in world.actuators else f"{joint.name} {servo.coordinate}"
    return world.add_actuator(servo, name=name)


def friction(
    joint: Joint,
    *,
    max_force: float | None = None,
    law: FrictionLaw | None = None,
    coordinate: str | None = None,
) -> Drive | JointFriction:
    """Resist the rate of a coordinate by dry friction, or by a friction law.

    Args:
        joint: the joint.
        max_force: largest force [N] or torque [N m] of dry friction.
        law: a friction law, in place of that.
        coordinate: name of the coordinate.

    Raises:
        ModelError: it has both, or neither.
    """
    if (max_force is None) == (law is None):
        raise ModelError("friction has max_force or law; give one of them")
    return joint.friction(max_force if law is None else law, coordinate=coordinate)  # type: ignore[arg-type]


def described(world: World) -> tuple[dict[str, list[records.Action]], set[str]]:
    """Return what `control` says of servos, by their joints, and the names of those servos.

    Args:
        world: the world.
    """
    found: dict[str, list[records.Action]] = {}
    names: set[str] = set()
    for name, servo in world.actuators.items():
        if not isinstance(servo, Servo) or not _is_data(servo):
            continue
        lower, upper = (float(bound) for bound in servo._signal.limit)
        fields: dict[str, Any] = {gain: getattr(servo, gain) for gain in ("kp", "ki", "kd")}
        fields = {gain: value for gain, value in fields.items() if value}
        if len(servo.joint.coordinates) > 1:
            fields["coordinate"] = servo.coordinate
        if np.isfinite(upper):
            fields["limit"] = upper
        if not servo.implicit:
            fields["implicit"] = False
        action = records.Action(type="control", target=servo.target, enabled=servo.enabled, **fields)
        found.setdefault(servo.joint.name, []).append(action)
        names.add(name)
    return found, names


def _is_data(servo: Servo) -> bool:
    """Return whether numbers say all of a servo: no function, delay or lag, and an integral of nothing."""
    lower, upper = servo._signal.limit
    still = servo.integral == 0.0 and servo.target_rate == 0.0
    return servo._path is None and servo._signal.is_plain and float(lower) == -float(upper) and still


def own_rows(world: World) -> set[int]:
    """Return the numbers of the handles of rows by which actuators act: they are no drives of their own."""
    return {id(one._handle) for one in world.actuators.values() if one._handle is not None}
