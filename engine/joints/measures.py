"""What joints measure: the coordinates of the second body relative to the first, and their gradients.

A part of a joint has a frame on either body. With the frames A and B, their points a and b, and the rotation
from A to B, each measure is a number whose rate is J v: of the point b of both bodies along a direction, or
of the relative angular velocity along one. Bender 2007, sections 3.2.3.1 to 3.2.3.6. Different here:
everything is measured in the frame A of the same time, along unit vectors, by angles that stay exact when
they are small; both bodies take an impulse at the same point or along the line through both, so angular
momentum is conserved exactly.
"""

import numpy as np

from stoss.collision.algebra import cross, dot, quaternion_multiply, rotation_vector_to_quaternion
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.joints.arrays import (
    ALIGN,
    ANGLE_1,
    ANGLE_2,
    CARDAN,
    CONE,
    CROSS,
    ELLIPSOID,
    LENGTH,
    SLIDE,
    SUM,
    SWING,
    TURN,
    TWIST,
    TWIST_RANGE,
    JointArrays,
)
from stoss.engine.joints.curves import follow
from stoss.engine.joints.placement import JointFrames, new_joint_frames, place_parts
from stoss.engine.joints.stop_curve_measures import curve_measure, near_pieces

# Least 1 + cosine of a swing at which the twist counts as defined, and least square of the sine between two
# axes at which the angles about them do: there their rates are a hundred times those of the body.
UNDEFINED = 0.01
# Largest turn [rad] in a part of a motion whose turns are counted, and most parts.
LARGEST_PART, MOST_PARTS = 1.0, 1000

__all__ = [
    "counts_turns",
    "gradient",
    "lever_arms",
    "measure",
    "measure_joints",
    "measure_rows",
    "relative_rate",
    "slide",
    "turned",
    "write_geometry",
]


@inner
def _nearest_turn(raw, old):
    """Return the angle raw + 2 pi n that is nearest to the old one."""
    return raw + 2.0 * np.pi * np.rint((old - raw) / (2.0 * np.pi))


@inner
def slide(axis, p, places):
    """Return the measure SLIDE and its gradient: by far the most frequent one, for callers in a hurry."""
    point_a, point_b, axes_a = places.point_a, places.point_b, places.axes_a
    i = 3 * axis
    x, y, z = axes_a[p, i], axes_a[p, i + 1], axes_a[p, i + 2]
    u, v, w = point_b[p, 0] - point_a[p, 0], point_b[p, 1] - point_a[p, 1], point_b[p, 2] - point_a[p, 2]
    return x * u + y * v + z * w, x, y, z


@inner
def measure(kind, axis, p, places, old):
    """Return the measure of part p; `old` is its last value, from which angles go on.

    Takes arrays and a number rather than rows of the arrays: a row costs as much as the measure.
    """
    point_a, point_b, relative = places.point_a, places.point_b, places.relative
    if kind == SLIDE:
        return slide(axis, p, places)[0]
    if kind == LENGTH:
        x = point_b[p, 0] - point_a[p, 0]
        y = point_b[p, 1] - point_a[p, 1]
        z = point_b[p, 2] - point_a[p, 2]
        return np.sqrt(x * x + y * y + z * z)
    if kind == ELLIPSOID:
        largest, size, x, y, z = _in_sphere(p, places)
        return largest * (size - 1.0)
    w, x, y, z = relative[p, 0], relative[p, 1], relative[p, 2], relative[p, 3]
    if kind == TURN:
        sine = np.sqrt(x * x + y * y + z * z)
        # the angle is 2 atan2(sine, w); 2 / w is the limit of its quotient with the sine
        factor = 2.0 / w if sine < 1e-9 else 2.0 * np.arctan2(sine, w) / sine
        return factor * relative[p, 1 + axis]
    if kind == TWIST:
        return _nearest_turn(_angle_of(kind, w, x, y, z), old)
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
    if kind == CARDAN:
        if axis == 0:
            return _nearest_turn(np.arctan2(2.0 * (w * x - y * z), 1.0 - 2.0 * (x * x + y * y)), old)
        if axis == 1:
            return np.arcsin(min(max(2.0 * (x * z + w * y), -1.0), 1.0))
        return _nearest_turn(np.arctan2(2.0 * (w * z - x * y), 1.0 - 2.0 * (y * y + z * z)), old)
    return _nearest_turn(_angle_of(kind, w, x, y, z), old)


@inner
def _angle_of(kind, w, x, y, z):
    """Return the angle that a measure which counts turns has for a rotation from A to B, but for turns."""
    if kind == ANGLE_1:
        return np.arctan2(2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + z * z))
    if kind == ANGLE_2:
        return np.arctan2(2.0 * (x * z + w * y), 1.0 - 2.0 * (y * y + z * z))
    return 2.0 * np.arctan2(z, w)


@inner
def _in_sphere(p, places):
    """Return the largest radius of an ellipsoid, the size of b - a in A over its radii, and this vector."""
    radii = places.radii
    largest = max(radii[p, 0], radii[p, 1], radii[p, 2])
    x = slide(0, p, places)[0] / radii[p, 0]
    y = slide(1, p, places)[0] / radii[p, 1]
    z = slide(2, p, places)[0] / radii[p, 2]
    return largest, np.sqrt(x * x + y * y + z * z), x, y, z


@inner
def _cardan_gradient(axis, a, b):
    """Return the gradient of an angle of three turns about x, y and z: the dual of their axes.

    The axes are A.x, B.z and, perpendicular to both, the one in between; near 90 degrees of the second turn
    the first and the third have none.
    """
    u, v, w = cross(b[6], b[7], b[8], a[0], a[1], a[2])
    cosine = np.sqrt(u * u + v * v + w * w)
    if cosine * cosine < UNDEFINED:
        return 0.0, 0.0, 0.0
    share = 1.0 / cosine
    u, v, w = share * u, share * v, share * w
    if axis == 1:
        return u, v, w
    if axis == 0:
        x, y, z = cross(u, v, w, b[6], b[7], b[8])
    else:
        x, y, z = cross(a[0], a[1], a[2], u, v, w)
    return share * x, share * y, share * z


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
def _align_gradient(axis, w, x, y, z):
    """Return in A the gradient of a component of the rotation vector from the axis z of A to that of B.

    With the angle f and the azimuth g of the axis, (sin f cos g, sin f sin g, cos f) in A, the vector is
    f (-sin g, cos g). The axes of A alone are its gradient at f = 0 only: far from closed, the torques of
    such rows would turn a body on and on.

    Args:
        axis: of the component, 0 or 1.
        w, x, y, z: rotation from A to B.
    """
    z0 = 2.0 * (x * z + w * y)
    z1 = 2.0 * (y * z - w * x)
    sine2 = z0 * z0 + z1 * z1
    cosine = 1.0 - 2.0 * (x * x + y * y)
    if sine2 < 1e-8 and cosine > 0.0:
        # the series of (1 - f cot f) / sin^2 f and of f / sin f
        share, factor = 1.0 / 3.0, 1.0 + sine2 / 6.0
    else:
        sine2 = max(sine2, 1e-12)  # opposite axes: which way to turn is undefined
        sine = np.sqrt(sine2)
        factor = np.arctan2(sine, cosine) / sine
        share = (1.0 - factor * cosine) / sine2
    if axis == 0:
        return 1.0 - share * z0 * z0, -share * z0 * z1, -factor * z0
    return -share * z0 * z1, 1.0 - share * z1 * z1, -factor * z1


@inner
def _from_first(axes, p, x, y, z):
    """Return in the world the vector (x, y, z) of the frame A of part p."""
    return (
        axes[p, 0] * x + axes[p, 3] * y + axes[p, 6] * z,
        axes[p, 1] * x + axes[p, 4] * y + axes[p, 7] * z,
        axes[p, 2] * x + axes[p, 5] * y + axes[p, 8] * z,
    )


@inner
def gradient(kind, axis, p, places):
    """Return the direction (world) of a measure's row: of the force, or of the torque from TURN on."""
    point_a, point_b, relative = places.point_a, places.point_b, places.relative
    axes_a, axes_b = places.axes_a, places.axes_b
    if kind == SLIDE:
        i = 3 * axis
        return axes_a[p, i], axes_a[p, i + 1], axes_a[p, i + 2]
    if kind == ALIGN:
        x, y, z = _align_gradient(axis, relative[p, 0], relative[p, 1], relative[p, 2], relative[p, 3])
        return _from_first(axes_a, p, x, y, z)
    if kind == TURN:
        x, y, z = _turn_gradient(axis, relative[p, 1], relative[p, 2], relative[p, 3], relative[p, 0])
        return _from_first(axes_a, p, x, y, z)
    if kind == LENGTH:
        x = point_b[p, 0] - point_a[p, 0]
        y = point_b[p, 1] - point_a[p, 1]
        z = point_b[p, 2] - point_a[p, 2]
        size = np.sqrt(x * x + y * y + z * z)
        if size == 0.0:
            return axes_a[p, 0], axes_a[p, 1], axes_a[p, 2]
        return x / size, y / size, z / size
    if kind == ELLIPSOID:
        largest, size, x, y, z = _in_sphere(p, places)
        if size == 0.0:
            return axes_a[p, 0], axes_a[p, 1], axes_a[p, 2]
        share, radii = largest / size, places.radii
        x, y, z = share * x / radii[p, 0], share * y / radii[p, 1], share * z / radii[p, 2]
        return _from_first(axes_a, p, x, y, z)
    a, b = axes_a[p], axes_b[p]
    if kind == CARDAN:
        return _cardan_gradient(axis, a, b)
    if kind == TWIST:
        # the part of the relative angular velocity that is no swing
        share = 1.0 + dot(a[6], a[7], a[8], b[6], b[7], b[8])
        if share < UNDEFINED:
            return 0.0, 0.0, 0.0  # swung by half a turn, the twist is not defined, and nothing can act on it
        share = 1.0 / share
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
    share = 1.0 - c * c
    if share < UNDEFINED:
        return 0.0, 0.0, 0.0  # both axes in line, the angles about them are not defined
    share = 1.0 / share
    if kind == ANGLE_1:
        return share * (a[0] - c * b[3]), share * (a[1] - c * b[4]), share * (a[2] - c * b[5])
    return share * (b[3] - c * a[0]), share * (b[4] - c * a[1]), share * (b[5] - c * a[2])


@inner
def lever_arms(kind, p, a, b, places, positions):
    """Return the lever arms (3) of a row: from the centre of mass of each body to where its impulse acts."""
    point_a, point_b = places.point_a, places.point_b
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
    return (u, v, w), (x, y, z)


@inner
def write_geometry(frames, m, direction, lever_a, lever_b):
    """Write the direction and the lever arms of row m, three vectors."""
    frames.direction[m, 0], frames.direction[m, 1], frames.direction[m, 2] = direction
    frames.lever_a[m, 0], frames.lever_a[m, 1], frames.lever_a[m, 2] = lever_a
    frames.lever_b[m, 0], frames.lever_b[m, 1], frames.lever_b[m, 2] = lever_b


@inner
def counts_turns(kind):
    """Return whether a measure is an angle that goes on over full turns."""
    return kind == TWIST or kind == ANGLE_1 or kind == ANGLE_2 or kind == TWIST_RANGE


@inner
def turned(kind, p, places, a, b, angular_velocities, h):
    """Return by how much an angle between bodies a and b (-1: the world) has changed in the last h [s].

    The motion is followed back in parts that are short of half a turn: what holds the other axes may be
    open, and the rate at one moment times h then be off by whole turns. Where little turned, 0 will do.
    """
    a0, a1, a2 = _turn_in(p, places, a, angular_velocities, h)
    b0, b1, b2 = _turn_in(p, places, b, angular_velocities, h)
    x, y, z = b0 - a0, b1 - a1, b2 - a2
    square = dot(x, y, z, x, y, z)
    if not square > LARGEST_PART * LARGEST_PART:
        return 0.0
    count = int(min(np.sqrt(square) / LARGEST_PART, MOST_PARTS)) + 1
    share = 1.0 / count
    s0, s1, s2, s3 = rotation_vector_to_quaternion(share * a0, share * a1, share * a2)
    t0, t1, t2, t3 = rotation_vector_to_quaternion(-share * b0, -share * b1, -share * b2)
    r = places.relative
    q0, q1, q2, q3 = r[p, 0], r[p, 1], r[p, 2], r[p, 3]
    p0, p1, p2, p3 = 1.0, 0.0, 0.0, 0.0
    last = _angle_of(kind, q0, q1, q2, q3)
    change = 0.0
    for _ in range(count):
        p0, p1, p2, p3 = quaternion_multiply(s0, s1, s2, s3, p0, p1, p2, p3)
        q0, q1, q2, q3 = quaternion_multiply(t0, t1, t2, t3, q0, q1, q2, q3)
        w, x, y, z = quaternion_multiply(p0, p1, p2, p3, q0, q1, q2, q3)
        angle = _nearest_turn(_angle_of(kind, w, x, y, z), last)
        change += last - angle
        last = angle
    return change


@inner
def _turn_in(p, places, i, angular_velocities, h):
    """Return in the frame A of part p by how much body i (-1: the world) turns in h [s]."""
    if i < 0:
        return 0.0, 0.0, 0.0
    w, axes = angular_velocities[i], places.axes_a
    x, y, z = h * w[0], h * w[1], h * w[2]
    return (
        dot(axes[p, 0], axes[p, 1], axes[p, 2], x, y, z),
        dot(axes[p, 3], axes[p, 4], axes[p, 5], x, y, z),
        dot(axes[p, 6], axes[p, 7], axes[p, 8], x, y, z),
    )


@inner
def relative_rate(linear, m, a, b, frames, velocities, angular_velocities):
    """Return J v of row m between bodies a and b (-1: the world)."""
    directions, levers_a, levers_b = frames.direction, frames.lever_a, frames.lever_b
    d0, d1, d2 = directions[m, 0], directions[m, 1], directions[m, 2]
    x, y, z = 0.0, 0.0, 0.0
    if b >= 0:
        x, y, z = angular_velocities[b, 0], angular_velocities[b, 1], angular_velocities[b, 2]
        if linear:
            x, y, z = cross(x, y, z, levers_b[m, 0], levers_b[m, 1], levers_b[m, 2])
            x += velocities[b, 0]
            y += velocities[b, 1]
            z += velocities[b, 2]
    rate = d0 * x + d1 * y + d2 * z
    if a >= 0:
        x, y, z = angular_velocities[a, 0], angular_velocities[a, 1], angular_velocities[a, 2]
        if linear:
            x, y, z = cross(x, y, z, levers_a[m, 0], levers_a[m, 1], levers_a[m, 2])
            x += velocities[a, 0]
            y += velocities[a, 1]
            z += velocities[a, 2]
        rate -= d0 * x + d1 * y + d2 * z
    return rate


def measure_joints(joints: JointArrays, bodies: BodyArrays, value: np.ndarray, rate: np.ndarray) -> None:
    """Fill the value and the rate (m,) of every row; `value` holds the last ones, from which angles go on."""
    frames = new_joint_frames(joints)
    frames.places.turns[:] = True
    measure_rows(joints, bodies, frames, value, rate)


@kernel
def measure_rows(
    # in
    joints: JointArrays,
    bodies: BodyArrays,
    # scratch
    frames: JointFrames,
    # out
    value: Floats,
    rate: Floats,
) -> None:
    """Do what `measure_joints` does, in frames whose parts all measure angles."""
    places = frames.places
    place_parts(joints, bodies.positions, bodies.quaternions, places)
    for m in range(len(joints.part)):
        p = joints.part[m]
        a, b = joints.ends[p, 0], joints.ends[p, 1]
        kind, axis = joints.measure[m], joints.axis[m]
        if kind >= SUM:
            followed, slope = follow(joints, m, value[m - 2])
            value[m] = value[m - 1] - followed
            rate[m] = rate[m - 1] - slope * rate[m - 2]
            continue
        if kind >= CONE:
            piece = near_pieces(joints, places, m)[axis] if kind == CONE else -1
            value[m], d0, d1, d2 = curve_measure(joints, places, m, piece, value[m])
            direction = (d0, d1, d2)
        else:
            value[m] = measure(kind, axis, p, places, value[m])
            direction = gradient(kind, axis, p, places)
        lever_a, lever_b = lever_arms(kind, p, a, b, places, bodies.positions)
        write_geometry(frames, m, direction, lever_a, lever_b)
        rate[m] = relative_rate(kind <= LENGTH, m, a, b, frames, bodies.velocities, bodies.angular_velocities)
