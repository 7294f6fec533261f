"""What joints measure: the coordinates of the second body relative to the first, and their gradients.

A part of a joint has a frame on either body. With the frames A and B, their points a and b, and the rotation
from A to B, each measure is a number whose rate is J v: of the point b of both bodies along a direction, or
of the relative angular velocity along one. Bender 2007, sections 3.2.3.1 to 3.2.3.6, with the corrections
P-02, P-06, P-07, P-16, P-17 and P-34: everything is measured in the frame A of the same time, both bodies
take an impulse at the same point or along the line through both, so angular momentum is conserved exactly.
"""

from typing import Annotated

import numpy as np
from stoss.collision.algebra import cross, dot, quaternion_multiply
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Floats2
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.joints.arrays import (
    ALIGN,
    CROSS,
    FIRST_ANGLE,
    LENGTH,
    SECOND_ANGLE,
    SLIDE,
    SWING,
    TURN,
    TWIST,
    JointArrays,
)

__all__ = [
    "PlacedParts",
    "arms",
    "counts_turns",
    "gradient",
    "measure",
    "measure_joints",
    "new_places",
    "place_parts",
    "relative_rate",
    "relative_turning",
    "slide",
]


class PlacedParts(Struct):
    """Frames of all parts in the world, for some poses of the bodies."""

    point_a: Annotated[Floats, "parts", 3]  # [m]
    point_b: Annotated[Floats, "parts", 3]
    axes_a: Annotated[Floats, "parts", 9]  # axes x, y, z of frame A, one after the other
    axes_b: Annotated[Floats, "parts", 9]
    relative: Annotated[Floats, "parts", 4]  # rotation from A to B, in A
    turns: Annotated[
        Bools, "parts"
    ]  # whether the part measures an angle; without one, axes_b and relative stay unset


def new_places(joints: JointArrays) -> PlacedParts:
    """Return room for the frames of all parts."""
    parts = len(joints.joint)
    turns = np.zeros(parts, np.bool_)
    turns[joints.part[joints.measure > LENGTH]] = True
    point_a, point_b, axes_a, axes_b, relative = (np.zeros((parts, width)) for width in (3, 3, 9, 9, 4))
    return PlacedParts(point_a, point_b, axes_a, axes_b, relative, turns)


@inner
def _write_axes(q0, q1, q2, q3, p, out):
    """Write the columns of R(q), one after the other, into row p."""
    out[p, 0] = 1.0 - 2.0 * (q2 * q2 + q3 * q3)
    out[p, 1] = 2.0 * (q1 * q2 + q0 * q3)
    out[p, 2] = 2.0 * (q1 * q3 - q0 * q2)
    out[p, 3] = 2.0 * (q1 * q2 - q0 * q3)
    out[p, 4] = 1.0 - 2.0 * (q1 * q1 + q3 * q3)
    out[p, 5] = 2.0 * (q2 * q3 + q0 * q1)
    out[p, 6] = 2.0 * (q1 * q3 + q0 * q2)
    out[p, 7] = 2.0 * (q2 * q3 - q0 * q1)
    out[p, 8] = 1.0 - 2.0 * (q1 * q1 + q2 * q2)


@inner
def _place_point(body, p, points, positions, quaternions, out):
    """Place the point of part p on a body, or on the world (body -1)."""
    x, y, z = points[p, 0], points[p, 1], points[p, 2]
    if body >= 0:
        w, a, b, c = quaternions[body, 0], quaternions[body, 1], quaternions[body, 2], quaternions[body, 3]
        u, v, t = cross(a, b, c, x, y, z)
        u, v, t = 2.0 * u, 2.0 * v, 2.0 * t
        k, m, n = cross(a, b, c, u, v, t)
        x += w * u + k + positions[body, 0]
        y += w * v + m + positions[body, 1]
        z += w * t + n + positions[body, 2]
    out[p, 0], out[p, 1], out[p, 2] = x, y, z


@inner
def _place_axes(body, p, turns, quaternions, out):
    """Place the axes of part p on a body, or on the world (body -1); return their quaternion."""
    q0, q1, q2, q3 = turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]
    if body >= 0:
        w, a, b, c = quaternions[body, 0], quaternions[body, 1], quaternions[body, 2], quaternions[body, 3]
        q0, q1, q2, q3 = quaternion_multiply(w, a, b, c, q0, q1, q2, q3)
    _write_axes(q0, q1, q2, q3, p, out)
    return q0, q1, q2, q3


@inner
def place_parts(joints, positions, quaternions, places):
    """Find the frames of all parts for these poses."""
    owner, pairs, relative, turns = joints.joint, joints.bodies, places.relative, places.turns
    local_a, local_b, turn_a, turn_b = (
        joints.point_a,
        joints.point_b,
        joints.quaternion_a,
        joints.quaternion_b,
    )
    point_a, point_b, axes_a, axes_b = places.point_a, places.point_b, places.axes_a, places.axes_b
    for p in range(len(owner)):
        a, b = pairs[owner[p], 0], pairs[owner[p], 1]
        _place_point(a, p, local_a, positions, quaternions, point_a)
        _place_point(b, p, local_b, positions, quaternions, point_b)
        a0, a1, a2, a3 = _place_axes(a, p, turn_a, quaternions, axes_a)
        if turns[p]:
            b0, b1, b2, b3 = _place_axes(b, p, turn_b, quaternions, axes_b)
            r0, r1, r2, r3 = quaternion_multiply(a0, -a1, -a2, -a3, b0, b1, b2, b3)
            sign = 1.0 if r0 >= 0.0 else -1.0
            relative[p, 0], relative[p, 1] = sign * r0, sign * r1
            relative[p, 2], relative[p, 3] = sign * r2, sign * r3


@inner
def _nearest_turn(raw, old):
    """Return the angle raw + 2 pi n that is nearest to the old one."""
    return raw + 2.0 * np.pi * np.rint((old - raw) / (2.0 * np.pi))


@inner
def slide(axis, p, point_a, point_b, axes_a):
    """Return the measure SLIDE and its gradient: by far the most frequent one, for callers in a hurry."""
    i = 3 * axis
    x, y, z = axes_a[p, i], axes_a[p, i + 1], axes_a[p, i + 2]
    u, v, w = point_b[p, 0] - point_a[p, 0], point_b[p, 1] - point_a[p, 1], point_b[p, 2] - point_a[p, 2]
    return x * u + y * v + z * w, x, y, z


@inner
def measure(kind, axis, p, point_a, point_b, axes_a, relative, old):
    """Return the measure of part p; `old` is its last value, from which angles go on.

    Takes arrays and a number rather than rows of the arrays: a row costs as much as the measure.
    """
    if kind == SLIDE:
        return slide(axis, p, point_a, point_b, axes_a)[0]
    if kind == LENGTH:
        x = point_b[p, 0] - point_a[p, 0]
        y = point_b[p, 1] - point_a[p, 1]
        z = point_b[p, 2] - point_a[p, 2]
        return np.sqrt(x * x + y * y + z * z)
    w, x, y, z = relative[p, 0], relative[p, 1], relative[p, 2], relative[p, 3]
    if kind == TURN:
        sine = np.sqrt(x * x + y * y + z * z)
        # the angle is 2 atan2(sine, w); 2 / w is the limit of its quotient with the sine
        factor = 2.0 / w if sine < 1e-9 else 2.0 * np.arctan2(sine, w) / sine
        return factor * relative[p, 1 + axis]
    if kind == TWIST:
        return _nearest_turn(2.0 * np.arctan2(z, w), old)
    if kind == ALIGN or kind == SWING:
        # the axis z of B in A: (z0, z1, cosine)
        z0 = 2.0 * (x * z + w * y)
        z1 = 2.0 * (y * z - w * x)
        cosine = 1.0 - 2.0 * (x * x + y * y)
        sine = np.sqrt(z0 * z0 + z1 * z1)
        angle = np.arctan2(sine, cosine)
        if kind == SWING:
            return angle
        if sine == 0.0:
            return angle if axis == 0 else 0.0
        return (-z1 if axis == 0 else z0) * angle / sine
    if kind == CROSS:
        # the axis y of B in A: (cosine, y1, y2)
        y1 = 1.0 - 2.0 * (x * x + z * z)
        y2 = 2.0 * (y * z + w * x)
        return np.arctan2(np.sqrt(y1 * y1 + y2 * y2), 2.0 * (x * y - w * z))
    if kind == FIRST_ANGLE:
        return _nearest_turn(np.arctan2(2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + z * z)), old)
    return _nearest_turn(np.arctan2(2.0 * (x * z + w * y), 1.0 - 2.0 * (y * y + z * z)), old)


@inner
def _turn_gradient(axis, x, y, z, w):
    """Return in A the gradient of a component of the rotation vector v of the quaternion (w, x, y, z).

    With the angle f = |v|: v' = (1 - [v]/2 + c [v]^2) omega, c = (1 - f/2 cot(f/2)) / f^2, [v] being the
    cross product. The axis of the frame alone is right for small turns only: springs would not keep energy.
    """
    sine = np.sqrt(x * x + y * y + z * z)
    if sine < 1e-9:
        # rounding of v; the next term is of its square
        return 1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2)
    half = np.arctan2(sine, w)
    factor = 2.0 * half / sine
    x, y, z = factor * x, factor * y, factor * z
    along = half * w / sine
    share = (1.0 - along) / (4.0 * half * half)
    if axis == 0:
        share *= x
        return along + share * x, share * y + 0.5 * z, share * z - 0.5 * y
    if axis == 1:
        share *= y
        return share * x - 0.5 * z, along + share * y, share * z + 0.5 * x
    share *= z
    return share * x + 0.5 * y, share * y - 0.5 * x, along + share * z


@inner
def gradient(kind, axis, p, point_a, point_b, axes_a, axes_b, relative):
    """Return the direction (world) of a measure's row: of the force, or of the torque from TURN on."""
    if kind == SLIDE or kind == ALIGN:
        i = 3 * axis
        return axes_a[p, i], axes_a[p, i + 1], axes_a[p, i + 2]
    if kind == TURN:
        x, y, z = _turn_gradient(axis, relative[p, 1], relative[p, 2], relative[p, 3], relative[p, 0])
        return (
            axes_a[p, 0] * x + axes_a[p, 3] * y + axes_a[p, 6] * z,
            axes_a[p, 1] * x + axes_a[p, 4] * y + axes_a[p, 7] * z,
            axes_a[p, 2] * x + axes_a[p, 5] * y + axes_a[p, 8] * z,
        )
    if kind == LENGTH:
        x = point_b[p, 0] - point_a[p, 0]
        y = point_b[p, 1] - point_a[p, 1]
        z = point_b[p, 2] - point_a[p, 2]
        size = np.sqrt(x * x + y * y + z * z)
        if size == 0.0:
            return axes_a[p, 0], axes_a[p, 1], axes_a[p, 2]
        return x / size, y / size, z / size
    a, b = axes_a[p], axes_b[p]
    if kind == TWIST:
        # the part of the relative angular velocity that is no swing
        share = 1.0 + dot(a[6], a[7], a[8], b[6], b[7], b[8])
        share = 1.0 / max(share, 1e-6)  # swung by half a turn, the twist is not defined
        return share * (a[6] + b[6]), share * (a[7] + b[7]), share * (a[8] + b[8])
    if kind == SWING or kind == CROSS:
        i = 6 if kind == SWING else 0
        k = 6 if kind == SWING else 3
        x, y, z = cross(a[i], a[i + 1], a[i + 2], b[k], b[k + 1], b[k + 2])
        size = np.sqrt(x * x + y * y + z * z)
        if size < 1e-12:
            return a[3], a[4], a[5]
        return x / size, y / size, z / size
    # rates about A's x and B's y that add up to the relative angular velocity: the dual directions
    c = dot(a[0], a[1], a[2], b[3], b[4], b[5])
    share = 1.0 / max(1.0 - c * c, 1e-6)
    if kind == FIRST_ANGLE:
        return share * (a[0] - c * b[3]), share * (a[1] - c * b[4]), share * (a[2] - c * b[5])
    return share * (b[3] - c * a[0]), share * (b[4] - c * a[1]), share * (b[5] - c * a[2])


@inner
def arms(kind, p, a, b, point_a, point_b, positions):
    """Return from where to where the impulse of a row acts: centre of mass to point, for both bodies."""
    x, y, z = point_b[p, 0], point_b[p, 1], point_b[p, 2]
    # a force along an axis acts on both bodies at b, one along the line a b on each at its own point
    u, v, w = x, y, z
    if kind == LENGTH:
        u, v, w = point_a[p, 0], point_a[p, 1], point_a[p, 2]
    if a >= 0:
        u -= positions[a, 0]
        v -= positions[a, 1]
        w -= positions[a, 2]
    if b >= 0:
        x -= positions[b, 0]
        y -= positions[b, 1]
        z -= positions[b, 2]
    return u, v, w, x, y, z


@inner
def counts_turns(kind):
    """Return whether a measure is an angle that goes on over full turns."""
    return kind == TWIST or kind == FIRST_ANGLE or kind == SECOND_ANGLE


@inner
def relative_turning(d0, d1, d2, a, b, angular_velocities):
    """Return the angular velocity of b relative to a (-1: the world) along a direction."""
    rate = 0.0
    if b >= 0:
        w = angular_velocities[b]
        rate += d0 * w[0] + d1 * w[1] + d2 * w[2]
    if a >= 0:
        w = angular_velocities[a]
        rate -= d0 * w[0] + d1 * w[1] + d2 * w[2]
    return rate


@inner
def relative_rate(linear, m, a, b, directions, arms_a, arms_b, velocities, angular_velocities):
    """Return J v of row m between bodies a and b (-1: the world)."""
    d0, d1, d2 = directions[m, 0], directions[m, 1], directions[m, 2]
    x, y, z = 0.0, 0.0, 0.0
    if b >= 0:
        x, y, z = angular_velocities[b, 0], angular_velocities[b, 1], angular_velocities[b, 2]
        if linear:
            x, y, z = cross(x, y, z, arms_b[m, 0], arms_b[m, 1], arms_b[m, 2])
            x += velocities[b, 0]
            y += velocities[b, 1]
            z += velocities[b, 2]
    rate = d0 * x + d1 * y + d2 * z
    if a >= 0:
        x, y, z = angular_velocities[a, 0], angular_velocities[a, 1], angular_velocities[a, 2]
        if linear:
            x, y, z = cross(x, y, z, arms_a[m, 0], arms_a[m, 1], arms_a[m, 2])
            x += velocities[a, 0]
            y += velocities[a, 1]
            z += velocities[a, 2]
        rate -= d0 * x + d1 * y + d2 * z
    return rate


def measure_joints(joints: JointArrays, bodies: BodyArrays, value: np.ndarray, rate: np.ndarray) -> None:
    """Fill the value and the rate (m,) of every row; `value` holds the last ones, from which angles go on."""
    places = new_places(joints)
    places.turns[:] = True
    rows = len(joints.part)
    _measure(
        joints, bodies, places, np.zeros((rows, 3)), np.zeros((rows, 3)), np.zeros((rows, 3)), value, rate
    )


@kernel
def _measure(
    # in
    joints: JointArrays,
    bodies: BodyArrays,
    # scratch
    places: PlacedParts,
    directions: Floats2,
    arms_a: Floats2,
    arms_b: Floats2,
    # out
    value: Floats,
    rate: Floats,
) -> None:
    place_parts(joints, bodies.positions, bodies.quaternions, places)
    for m in range(len(joints.part)):
        p = joints.part[m]
        a, b = joints.bodies[joints.joint[p], 0], joints.bodies[joints.joint[p], 1]
        kind, axis = joints.measure[m], joints.axis[m]
        value[m] = measure(
            kind, axis, p, places.point_a, places.point_b, places.axes_a, places.relative, value[m]
        )
        directions[m, 0], directions[m, 1], directions[m, 2] = gradient(
            kind, axis, p, places.point_a, places.point_b, places.axes_a, places.axes_b, places.relative
        )
        u, v, w, x, y, z = arms(kind, p, a, b, places.point_a, places.point_b, bodies.positions)
        arms_a[m, 0], arms_a[m, 1], arms_a[m, 2] = u, v, w
        arms_b[m, 0], arms_b[m, 1], arms_b[m, 2] = x, y, z
        rate[m] = relative_rate(
            kind <= LENGTH, m, a, b, directions, arms_a, arms_b, bodies.velocities, bodies.angular_velocities
        )
