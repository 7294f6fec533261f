"""The values that panels show and change: of the world, and of the body and the joint that are looked at."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine import Material, Settings
from stoss.viewer.world.joint_commands import drive_quantities
from stoss.viewer.world.joint_pull import JointGrip, can_be_driven, is_angle
from stoss.viewer.world.own_parts import own_parts

if TYPE_CHECKING:
    from stoss.engine import Joint, World
    from stoss.viewer.world.stage import Stage

__all__ = ["BodyOutline", "DriveOutline", "JointOutline", "Outline", "joint_outlines", "outline_of"]


@dataclass(frozen=True)
class BodyOutline:
    """One body: what `Body` says of it, as values."""

    name: str
    kind: str
    mass: float
    inertia: np.ndarray
    material: Material
    position: np.ndarray
    quaternion: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    kinetic_energy: float
    frozen: bool
    asleep: bool
    joints: tuple[str, ...]


@dataclass(frozen=True)
class DriveOutline:
    """One drive or controller of a joint: its quantities that can be set, and its force."""

    kind: str
    coordinate: str
    force: float
    values: dict[str, float | bool]


@dataclass(frozen=True)
class JointOutline:
    """One joint: values, rates, stops and drives.

    Attributes:
        angles: which coordinates are angles [rad]; the others are lengths [m].
        free: which coordinates can be limited and driven.
    """

    name: str
    kind: str
    bodies: tuple[str, str]
    enabled: bool
    broken: bool
    break_force: float
    break_torque: float
    coordinates: dict[str, tuple[float, float]]
    angles: frozenset[str]
    free: tuple[str, ...]
    force: np.ndarray
    torque: np.ndarray
    error: float
    angle_error: float
    limits: tuple[tuple[str, float, float], ...]
    drives: tuple[DriveOutline, ...]


@dataclass(frozen=True)
class Outline:
    """Values of the world, and of what is looked at."""

    gravity: tuple[float, ...]
    time_step: float
    settings: Settings
    body: BodyOutline | None = None
    joint: JointOutline | None = None


def outline_of(world: "World", body: str = "", joint: str = "") -> Outline:
    """Return the present values of a world, and of a body and a joint if there are any of those names."""
    bodies = {handle.name for handle in world.bodies} if body else set()
    joints = {handle.name for handle in world.joints} if joint else set()
    return Outline(
        gravity=tuple(float(x) for x in world.gravity),
        time_step=world.time_step,
        settings=world.settings,
        body=_body_outline(world, body) if body in bodies else None,
        joint=_joint_outline(world.joint(joint)) if joint in joints else None,
    )


def joint_outlines(stage: "Stage", most: int) -> tuple[JointOutline, ...]:
    """Return the first joints that can be driven, without what the window itself holds them by."""
    found: list[JointOutline] = []
    for joint in own_parts(stage.world).joints(stage.world):
        if len(found) == most:
            break
        if joint.coordinates:
            outline = _joint_outline(joint)
            grip = None if stage.pull is None else stage.pull.grip
            if isinstance(grip, JointGrip) and grip.joint == joint.name:
                drives = outline.drives[: grip.drive] + outline.drives[grip.drive + 1 :]
                outline = replace(outline, drives=drives)
            if outline.free:
                found.append(outline)
    return tuple(found)


def _body_outline(world: "World", name: str) -> BodyOutline:
    body = world.body(name)
    joints = [joint.name for joint in own_parts(world).joints(world) if body in (joint.first, joint.second)]
    return BodyOutline(
        name=name,
        kind=body.kind,
        mass=body.mass,
        inertia=body.inertia,
        material=body.material,
        position=body.position,
        quaternion=body.quaternion,
        velocity=body.velocity,
        angular_velocity=body.angular_velocity,
        kinetic_energy=body.kinetic_energy,
        frozen=f"freeze {name}" in joints,
        asleep=body.asleep,
        joints=tuple(joints),
    )


def _joint_outline(joint: "Joint") -> JointOutline:
    first, second = ("world" if body is None else body.name for body in (joint.first, joint.second))
    return JointOutline(
        name=joint.name,
        kind=type(joint.kind).__name__,
        bodies=(first, second),
        enabled=joint.enabled,
        broken=joint.broken,
        break_force=joint.break_force,
        break_torque=joint.break_torque,
        coordinates={name: (joint.value_of(name), joint.rate_of(name)) for name in joint.coordinates},
        angles=frozenset(name for name in joint.coordinates if is_angle(joint, name)),
        free=tuple(name for name in joint.coordinates if can_be_driven(joint, name)),
        force=joint.force,
        torque=joint.torque,
        error=joint.error,
        angle_error=joint.angle_error,
        limits=tuple((limit.coordinate, limit.lower, limit.upper) for limit in joint.limits),
        drives=tuple(
            DriveOutline(
                type(drive).__name__,
                drive.coordinate,
                drive.force,
                {name: getattr(drive, name) for name in drive_quantities(drive)},
            )
            for drive in joint.drives
        ),
    )
