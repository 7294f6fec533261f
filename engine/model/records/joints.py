"""Joints: what they hold, what acts on their coordinates, and names of these."""

from stoss.collision.quaternions import Vector
from stoss.engine.model.records.base import Floats, Record
from stoss.engine.model.records.bodies import Frame
from stoss.engine.model.records.surfaces import Law

__all__ = ["Action", "Coordinate", "Joint", "Kind"]


class Kind(Record, frozen=True, kw_only=True):
    """What a joint holds: see `stoss.Hinge` and so on.

    Args:
        type: which one: "hinge", "ball", "slider", "compose" and so on.
        kinds: of "compose": what is held together.
        curve, along_x, along_y, along_z: knots of curves: x, value and slope.
        x, y, z, turn_x, turn_y, turn_z: of "custom_joint": "free", a number as text, or what it follows:
            "turn_z: 0 0 0.5, 1 0.2 0.3", with knots of x, value and slope.
    """

    type: str
    point: Vector | None = None
    axis: Vector | None = None
    normal: Vector | None = None
    x_axis: Vector | None = None
    second_point: Vector | None = None
    second_axis: Vector | None = None
    second_normal: Vector | None = None
    length: float | None = None
    pitch: float | None = None
    joint_1: str | None = None
    joint_2: str | None = None
    ratio: float | None = None
    offset: float | None = None
    coordinate_1: str | None = None
    coordinate_2: str | None = None
    curve: tuple[Vector, ...] | None = None
    center: Vector | None = None
    radii: Vector | None = None
    along_x: tuple[Vector, ...] | None = None
    along_y: tuple[Vector, ...] | None = None
    along_z: tuple[Vector, ...] | None = None
    x: str | None = None
    y: str | None = None
    z: str | None = None
    turn_x: str | None = None
    turn_y: str | None = None
    turn_z: str | None = None
    kinds: "tuple[Kind, ...]" = ()


class Action(Record, frozen=True, kw_only=True):
    """What acts on a coordinate of a joint: see `Joint.limit`, `Joint.motor` and so on, and `stoss.Servo`.

    Args:
        type: which one: "limit", "limit_swing", "limit_twist", "motor", "servo", "spring", "damper",
            "friction", "pid", "rotor", or "control", which is a `Servo`; its target is by default where the
            model begins.
        kp, ki, kd: gains of a control [N/m, N/(m s), N s/m, or N m/rad, N m/(rad s), N m s/rad].
        limit: largest force or torque of a control [N or N m].
        implicit: whether a control is a row of the solver, or explicit.
        target_rate: rate that a servo or spring wants besides its target [m/s or rad/s].
        law: of friction, in place of `max_force`; its numbers are forces or torques.
        inertia: of a rotor, times its gear ratio squared [kg or kg m^2].
        enabled: whether it acts from the start.
        times, values: a schedule of set points: see `Drive.schedule`.
    """

    type: str
    coordinate: str | None = None
    lower: float | None = None
    upper: float | None = None
    restitution: float | None = None
    velocity: float | None = None
    target: float | None = None
    rest: float | None = None
    stiffness: float | None = None
    damping: float | None = None
    gain: float | None = None
    reset_time: float | None = None
    derivative_time: float | None = None
    window: float | None = None
    max_force: float | None = None
    ellipse: Floats = ()
    spline: tuple[Floats, ...] = ()
    polygon: tuple[Floats, ...] = ()
    inside: Vector | None = None
    ranges: tuple[Floats, ...] = ()
    kp: float | None = None
    ki: float | None = None
    kd: float | None = None
    limit: float | None = None
    implicit: bool | None = None
    target_rate: float | None = None
    law: Law | None = None
    inertia: float | None = None
    enabled: bool = True
    times: Floats = ()
    values: Floats = ()


class Joint(Kind, frozen=True, kw_only=True):
    """A joint: see `World.add_joint`.

    Without markers and frames, points and directions are those of the world where the model begins. With a
    marker, those of the marker: those of `second_point` and the like of the second one. They may be left
    out then: the joint sits in the origin of the marker, along its z axis, which in a planar model is the
    normal of the plane. If only one body has a marker, the other is joined where that one is.

    Args:
        name: unique among the joints.
        first, second: "body" or "body:marker"; left out: the world.
        first_frame, second_frame: frames on the bodies, in place of markers.
        principal: whether these are in the principal axes of the bodies, from their centres of mass; a world
            is written so where joints would differ in the last bit.
        actions: what acts on its coordinates, in the order in which it is added.
        break_force, break_torque: reaction at which it breaks [N, N m].
        enabled: whether it holds from the start.
    """

    name: str
    first: str | None = None
    second: str | None = None
    first_frame: Frame | None = None
    second_frame: Frame | None = None
    principal: bool = False
    collide: bool = False
    enabled: bool = True
    break_force: float | None = None
    break_torque: float | None = None
    actions: tuple[Action, ...] = ()


class Coordinate(Record, frozen=True, kw_only=True):
    """A name for a coordinate of a joint, by which poses, recordings and controllers refer to it.

    Args:
        name: unique among the coordinates.
        joint: name of the joint.
        coordinate: name of its coordinate; left out where it has one.
        lower, upper: bounds [m or rad]: limits like those of the joint itself.
    """

    name: str
    joint: str
    coordinate: str | None = None
    lower: float | None = None
    upper: float | None = None
