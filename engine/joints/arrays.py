"""All joints as a structure of arrays: joints, their parts and rows, schedules and controllers.

A joint has parts (a frame on either body) and rows. A row is one number that a part measures, and what is
to happen with it: it is held, limited or driven. The rows of a joint follow each other, and so do its parts.
"""

from typing import Annotated, NamedTuple

import numpy as np

from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints

__all__ = [
    "ALIGN",
    "AXES",
    "CARDAN",
    "CONE",
    "CROSS",
    "DRIVE",
    "ELLIPSOID",
    "ANGLE_1",
    "FORCE",
    "HOLD",
    "LAW",
    "JointArrays",
    "JointParts",
    "JointStops",
    "LENGTH",
    "LIMIT",
    "MESH",
    "NO_KEY",
    "PID_HISTORY",
    "ROTOR",
    "ANGLE_2",
    "SLIDE",
    "SUM",
    "SWING",
    "TURN",
    "TWIST",
    "TWIST_RANGE",
    "UNWRAPPED",
]

# What a row measures between the frames A (first body, origin a) and B (second body, origin b) of its part.
# SLIDE k = A.k . (b - a) [m]
# ELLIPSOID = L (s - 1), s^2 the sum over k of (SLIDE k / radius k)^2, L the largest of the radii [m]
# LENGTH = |b - a| [m]
# TURN k = component k, in A, of the rotation vector from A to B [rad]
# ALIGN k = component k (0 or 1), in A, of the rotation vector that takes A.z to B.z [rad]
# CROSS = angle between A.x and B.y [rad]
# TWIST = angle about z of the swing-twist decomposition [rad], unwrapped
# SWING = angle between A.z and B.z [rad]
# ANGLE_1, ANGLE_2 = angle about A.x and about B.y of a double rotation [rad], unwrapped
# CARDAN k = angles of turns about A.x, the y axis that leads to, and B.z, one after the other [rad]
# CONE k = angle by which B.z is beyond a closed curve in A, negative within: beyond the nearest place of it
# (0), and beyond another one that is near (1) [rad]
# TWIST_RANGE k = TWIST beyond its upper (0) or lower (1) bound at the present SWING [rad], unwrapped
# SUM = q2 - ratio q1, or q2 - f(q1) along a curve, of the measures q1 and q2 of the two rows in front of it
# [unit of q2]
# MESH = the same, held by a force where teeth meet: at the origin of A on the carrier, along A.x
SLIDE, ELLIPSOID, LENGTH, TURN, ALIGN, CROSS, TWIST, SWING, ANGLE_1, ANGLE_2 = range(10)
CARDAN, CONE, TWIST_RANGE, SUM, MESH = range(10, 15)

# How many components k each of those has that kinds of joints may hold.
AXES = (3, 1, 1, 3, 2, 1, 1, 1, 1, 1, 3)

# Measures that go on beyond a full turn: their last value must be kept.
UNWRAPPED = (TWIST, ANGLE_1, ANGLE_2)

# What happens with the number: HOLD: value = target; LIMIT: lower <= value <= upper; DRIVE: spring, damper
# and rate, with a bounded force; FORCE: explicit controller (PID); LAW: a friction law; ROTOR: the inertia of
# what turns with the coordinate.
HOLD, LIMIT, DRIVE, FORCE, LAW, ROTOR = range(6)

# Errors that a controller keeps: its window may span that many steps (20 s at 10 ms, 2 s at 1 ms).
PID_HISTORY = 2048

# Key of rows that no handle stands for: what a joint holds, and what it measures only.
NO_KEY = -1


class JointParts(NamedTuple):
    """Where joints sit on their bodies: one row per part, a pair of frames A and B (z: the joint's axis).

    Points [m] and quaternions are in the principal axes of the body, or of the world where it is -1.
    """

    joint: np.ndarray  # (p,) number of the joint
    bodies: np.ndarray  # (p, 2)
    point_a: np.ndarray  # (p, 3)
    quaternion_a: np.ndarray  # (p, 4)
    point_b: np.ndarray  # (p, 3)
    quaternion_b: np.ndarray  # (p, 4)


class JointStops(NamedTuple):
    """The limits of joints: one row per limit, and per place on a curve."""

    part: np.ndarray  # (l,) row of the part in `JointParts`
    measure: np.ndarray  # (l,) SLIDE ... ANGLE_2
    axis: np.ndarray  # (l,) 0, 1, 2 of SLIDE, TURN and ALIGN; 0 or 1 of CONE and TWIST_RANGE
    lower: np.ndarray  # (l,) [m or rad]
    upper: np.ndarray  # (l,)
    curve: (
        np.ndarray
    )  # (l,) objects: of CONE directions (k, 3), of TWIST_RANGE swing and both bounds, or None


class JointArrays(Struct):
    """Arrays of all joints, as kernels take them; j joints, p parts, m rows, s schedules, c controllers."""

    # joints
    bodies: Annotated[Ints, "joints", 2]  # rows in the body arrays, -1 for the world
    enabled: Annotated[Bools, "joints"]  # bool
    part_start: Annotated[Ints, "joints+1"]  # first part of each joint
    row_start: Annotated[Ints, "joints+1"]  # first row of each joint
    break_force: Annotated[Floats, "joints"]  # [N], inf: never
    break_torque: Annotated[Floats, "joints"]  # [N m]
    reaction: Annotated[Floats, "joints", 6]  # impulse on the second body over the last step [N s, N m s]
    # parts
    joint: Annotated[Ints, "parts"]  # joint of each part
    ends: Annotated[Ints, "parts", 2]  # its bodies: those of the joint, unless it couples coordinates
    point_a: Annotated[Floats, "parts", 3]  # origin of A [m] in the first body's principal axes, or the world
    quaternion_a: Annotated[Floats, "parts", 4]  # A to the first body's principal axes, or to the world
    point_b: Annotated[Floats, "parts", 3]  # the same for the second body
    quaternion_b: Annotated[Floats, "parts", 4]
    radii: Annotated[Floats, "parts", 3]  # of ELLIPSOID [m]
    # rows
    part: Annotated[Ints, "rows"]  # part that measures
    measure: Annotated[Ints, "rows"]  # SLIDE ... ANGLE_2
    axis: Annotated[Ints, "rows"]  # 0, 1, 2 of SLIDE, TURN and ALIGN
    ratio: Annotated[Floats, "rows"]  # of SUM; along a curve, its slope where it was last
    role: Annotated[Ints, "rows"]  # HOLD, LIMIT, DRIVE, FORCE, LAW, ROTOR
    active: Annotated[Bools, "rows"]  # bool; a row that is not active is only measured
    target: Annotated[Floats, "rows"]  # [m or rad]
    target_rate: Annotated[Floats, "rows"]  # [m/s or rad/s]
    lower: Annotated[Floats, "rows"]  # of LIMIT [m or rad]
    upper: Annotated[Floats, "rows"]
    # what leads it: of LIMIT where its two stops are [m or rad]; of DRIVE the rate and the value it wants
    led: Annotated[Floats, "rows", 2]  # now
    led_rate: Annotated[Floats, "rows", 2]  # by how much that changes, per second
    led_change: Annotated[Floats, "rows", 2]  # and this, of stops
    told: Annotated[Floats, "rows", 2]  # what it was told in the last step, infinite: nothing
    told_rate: Annotated[Floats, "rows", 2]  # by how much that had changed, per second
    told_change: Annotated[Floats, "rows", 2]  # and this
    restitution: Annotated[Floats, "rows"]  # of LIMIT
    stiffness: Annotated[Floats, "rows"]  # [N/m or N m/rad]; LIMIT: inf is rigid
    damping: Annotated[Floats, "rows"]  # [N s/m or N m s/rad]; DRIVE: inf is rigid (a motor)
    max_force: Annotated[Floats, "rows"]  # [N or N m]
    inertia: Annotated[Floats, "rows"]  # of ROTOR [kg or kg m^2]
    schedule: Annotated[Ints, "rows"]  # number of its schedule, of SUM its curve, -1: none
    pid: Annotated[Ints, "rows"]  # number of its controller, -1: none
    curve: Annotated[Ints, "rows"]  # number of the curve of a CONE or TWIST_RANGE, -1: none
    # state of the rows
    value: Annotated[Floats, "rows"]  # [m or rad], unwrapped, as last measured
    impulse: Annotated[Floats, "rows"]  # of the last phase, for the next one to start from
    state: Annotated[Ints, "rows"]  # of the direct solver
    piece: Annotated[Ints, "rows"]  # of CONE: piece of the curve that it measures, -1: none
    total: Annotated[Floats, "rows"]  # impulse over the last step [N s or N m s]
    law: Annotated[Ints, "rows"]  # number of its friction law
    bent: Annotated[Floats, "rows"]  # what this remembers: a force, or a deflection
    slid: Annotated[Floats, "rows"]  # rate at the end of the last step, without sign; -1: not known
    work: Annotated[Floats, "rows"]  # on the bodies, since the row is there [J]
    work_before: Annotated[Floats, "rows"]  # the same before the work of a solve was entered
    work_at_start: Annotated[Floats, "rows"]  # the same at the start of the last step
    # schedules and controllers
    schedule_start: Annotated[Ints, "schedules+1"]  # first point of each schedule
    schedule_time: Annotated[Floats, "points"]  # world time [s]; of a curve, where its knots are
    schedule_value: Annotated[Floats, "points"]  # set point
    schedule_slope: Annotated[Floats, "points"]  # of a curve, cubic between its knots
    gain: Annotated[Floats, "controllers"]  # [N/m or N m/rad]
    reset_time: Annotated[Floats, "controllers"]  # [s], inf: no integral
    derivative_time: Annotated[Floats, "controllers"]  # [s]
    window: Annotated[Floats, "controllers"]  # [s] of the integral
    history: Annotated[Floats, "controllers", PID_HISTORY]  # errors of recent steps, a ring
    history_count: Annotated[Ints, "controllers"]  # errors ever stored
    last_error: Annotated[Floats, "controllers"]
    # curves of stops: see `engine.joints.stop_curves`
    curve_start: Annotated[Ints, "curves+1"]  # first value of each curve
    curve_value: Annotated[Floats, "curve values"]
    # bookkeeping, of no use to kernels
    broken: Annotated[Bools, "joints"]  # bool: disabled because a break limit was exceeded
    row_key: Annotated[Ints, "rows"]  # number by which handles find their row, NO_KEY if there is none
