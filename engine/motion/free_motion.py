"""Free motion of all bodies for one step: exact translation, time-symmetric rotation.

Translation is exact for a constant force (Bender 2007, eqs 3.2 and 3.3). Rotation by the default
method `symmetric` keeps what the step (RATTLE) needs: it is time-symmetric and symplectic, conserves
angular momentum to rounding, and never loses or gains energy steadily.

With L the angular momentum (world, constant without torque) and P = R^T L its body components, the
kinetic energy is

    H = |L|^2 / (2 J_a) + (1/J_b - 1/J_a) P_b^2 / 2 + (1/J_c - 1/J_a) P_c^2 / 2,

where a is the axis of the middle moment. The first term turns the body about the fixed L by
|L| h / J_a and commutes with the others, so it is applied once, exactly. The other two are each
solved exactly by a turn about a body axis, by an angle that is proportional to P on that axis; they
are composed symmetrically (order 6, or lower where that is already near rounding). A body with two equal
moments keeps one of the two terms, a sphere or cube none: for those the rotation is exact.
A torque, constant in the world, acts as half an angular impulse on either side of the rotation.

Angular velocities are world components; quaternions turn principal axes to world axes.
"""

import numpy as np

from stoss.collision.algebra import quaternion_multiply, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.lanes import LANES
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.arrays import KINEMATIC, STATIC, BodyArrays
from stoss.engine.motion.four_bodies import SHORT_SERIES, advance_four
from stoss.engine.motion.integrators import rotate_adaptive, rotate_euler, rotate_rk4, rotate_taylor

__all__ = ["METHODS", "advance_bodies", "advance_rotation", "preview_bodies"]

SYMMETRIC = 0
RK4 = 1
ADAPTIVE = 2
TAYLOR = 3
EULER = 4

METHODS = {"symmetric": SYMMETRIC, "rk4": RK4, "adaptive": ADAPTIVE, "taylor": TAYLOR, "euler": EULER}

# Symmetric compositions of two exactly solvable parts: the turns c get the shares in _SHARES_C, the
# turns b between them the shares in _SHARES_B. Rows: leapfrog (order 2, 1 stage); order 4, 6 stages;
# order 6, 10 stages. The latter two are the schemes S6 and S10 of Blanes and Moan 2002, "Practical
# symplectic partitioned Runge-Kutta and Runge-Kutta-Nystroem methods", found for small error constants.
_STAGES = np.array([1, 6, 10])
_SHARES_C = np.zeros((3, 11))
_SHARES_B = np.zeros((3, 10))


def _fill(row: int, first_c: tuple[float, ...], first_b: tuple[float, ...]) -> None:
    """Complete a composition from its first coefficients: symmetric, both sums equal to 1."""
    middle_b = 0.5 - sum(first_b)
    _SHARES_C[row, : _STAGES[row] + 1] = [*first_c, 1.0 - 2.0 * sum(first_c), *first_c[::-1]]
    _SHARES_B[row, : _STAGES[row]] = [*first_b, middle_b, middle_b, *first_b[::-1]]


_SHARES_C[0, :2] = 0.5
_SHARES_B[0, 0] = 1.0
_fill(
    1, (0.0792036964311957, 0.353172906049774, -0.0420650803577195), (0.209515106613362, -0.143851773179818)
)
_fill(
    2,
    (0.0502627644003922, 0.413514300428344, 0.0450798897943977, -0.188054853819569, 0.541960678450780),
    (0.148816447901042, -0.132385865767784, 0.067307604692185, 0.432666402578175),
)

# Which composition, by the angle x = h |L| (|B| + |C|) [rad], B = 1/J_b - 1/J_a, C = 1/J_c - 1/J_a.
# Measured errors of one step: leapfrog 0.025 x_b x_c x, order 4 2.3e-6 x^5, order 6 5e-8 x^7. Limits
# chosen for errors of at most 1e-14, 6e-14 and 6e-13 rad: phase errors add up, so 10^4 steps may be
# off by 1e-10 to 6e-9 rad. All depend on |L| alone, which the motion conserves: backwards in time the
# choice is the same.
LEAPFROG_LIMIT = 4e-13
ORDER_4_ANGLE = 0.03
SPLIT_ANGLE = 0.2

# Most compositions in one step. Beyond it (x > 40 rad) accuracy fades; angular momentum and the
# bounds of the energy stay, because every part is a rotation.
MOST_PARTS = 200


@inner(always=True)
def _sine_cosine(x):
    """Return sin x and cos x, by their series where |x| is small: the terms left out are below 1e-18."""
    if abs(x) > SHORT_SERIES:
        return np.sin(x), np.cos(x)
    s = x * x
    sine = x - x * s * (1 / 6 - s * (1 / 120 - s * (1 / 5040 - s * (1 / 362880))))
    cosine = 1.0 - s * (0.5 - s * (1 / 24 - s * (1 / 720 - s * (1 / 40320 - s * (1 / 3628800)))))
    return sine, cosine


@inner(always=True)
def _turn_b(rate, pa, pb, pc, d0, da, db, dc):
    """Turn d by the angle rate pb about the body axis b: d (cos, 0, sin, 0); P by the inverse turn."""
    sine, cosine = _sine_cosine(0.5 * rate * pb)
    s, c = 2.0 * sine * cosine, 1.0 - 2.0 * sine * sine
    return (
        c * pa - s * pc,
        pb,
        c * pc + s * pa,
        cosine * d0 - sine * db,
        cosine * da - sine * dc,
        cosine * db + sine * d0,
        cosine * dc + sine * da,
    )


@inner(always=True)
def _turn_c(rate, pa, pb, pc, d0, da, db, dc):
    """Turn d by the angle rate pc about the body axis c: d (cos, 0, 0, sin); P by the inverse turn."""
    sine, cosine = _sine_cosine(0.5 * rate * pc)
    s, c = 2.0 * sine * cosine, 1.0 - 2.0 * sine * sine
    return (
        c * pa + s * pb,
        c * pb - s * pa,
        pc,
        cosine * d0 - sine * dc,
        cosine * da + sine * db,
        cosine * db - sine * da,
        cosine * dc + sine * d0,
    )


@inner
def _compose(pa, pb, pc, rate_b, rate_c, size, h):
    """Return the turn d = (d0, da, db, dc) of the body under the terms b and c; size = |L|.

    rate_b = 1/J_b - 1/J_a and rate_c = 1/J_c - 1/J_a [1/(kg m^2)].
    """
    d0, da, db, dc = 1.0, 0.0, 0.0, 0.0
    b, c = h * rate_b, h * rate_c
    if b == 0.0:
        _, _, _, d0, da, db, dc = _turn_c(c, pa, pb, pc, d0, da, db, dc)
        return d0, da, db, dc
    if c == 0.0:
        _, _, _, d0, da, db, dc = _turn_b(b, pa, pb, pc, d0, da, db, dc)
        return d0, da, db, dc
    angle_b, angle_c = abs(size * b), abs(size * c)
    angle = angle_b + angle_c
    scheme, parts = 2, MOST_PARTS
    if angle_b * angle_c * angle < LEAPFROG_LIMIT:
        scheme, parts = 0, 1
    elif angle < ORDER_4_ANGLE:
        scheme, parts = 1, 1
    elif angle < SPLIT_ANGLE * MOST_PARTS:
        parts = int(angle / SPLIT_ANGLE) + 1
    b, c = b / parts, c / parts
    stages = _STAGES[scheme]
    for _ in range(parts):
        for k in range(stages):
            pa, pb, pc, d0, da, db, dc = _turn_c(c * _SHARES_C[scheme, k], pa, pb, pc, d0, da, db, dc)
            pa, pb, pc, d0, da, db, dc = _turn_b(b * _SHARES_B[scheme, k], pa, pb, pc, d0, da, db, dc)
        pa, pb, pc, d0, da, db, dc = _turn_c(c * _SHARES_C[scheme, stages], pa, pb, pc, d0, da, db, dc)
    return d0, da, db, dc


@inner(always=True)
def _turn_world(q, w, h):
    """Return the unit quaternion q turned by h w [rad], world axes, on the left."""
    q0, q1, q2, q3 = q
    x, y, z = w
    rate = np.sqrt(x * x + y * y + z * z)
    if rate == 0.0:
        return q0, q1, q2, q3
    sine, cosine = _sine_cosine(0.5 * h * rate)
    sine /= rate
    q0, q1, q2, q3 = quaternion_multiply(cosine, sine * x, sine * y, sine * z, q0, q1, q2, q3)
    # |q|^2 - 1, summed so that rounding is the same on both sides of 1: with q / |q| the rounding
    # of |q| (finer below 1 than above) feeds 5e-16 of |L| into every step
    excess = (q0 * q0 + q1 * q1 - 0.5) + (q2 * q2 + q3 * q3 - 0.5)
    excess *= 0.5 - 0.375 * excess
    return q0 - excess * q0, q1 - excess * q1, q2 - excess * q2, q3 - excess * q3


@inner
def _rotate_symmetric(q, w, inertia, torque, h):
    """Advance by half an angular impulse, free rotation, half an angular impulse."""
    j0, j1, j2 = inertia
    tx, ty, tz = torque
    half = 0.5 * h
    if j0 == j1 and j1 == j2:
        kick = half / j0
        w = (w[0] + kick * tx, w[1] + kick * ty, w[2] + kick * tz)
        q = _turn_world(q, w, h)
        return q, (w[0] + kick * tx, w[1] + kick * ty, w[2] + kick * tz)
    q, (lx, ly, lz) = _turn_freely(q, w, inertia, torque, h)
    p0, p1, p2 = rotate_inverse(q, lx + half * tx, ly + half * ty, lz + half * tz)
    return q, rotate(q, p0 / j0, p1 / j1, p2 / j2)


@inner
def _turn_symmetric(q, w, inertia, torque, h):
    """Return the quaternion alone that `_rotate_symmetric` does."""
    j0, j1, j2 = inertia
    if j0 == j1 and j1 == j2:
        kick = 0.5 * h / j0
        return _turn_world(q, (w[0] + kick * torque[0], w[1] + kick * torque[1], w[2] + kick * torque[2]), h)
    return _turn_freely(q, w, inertia, torque, h)[0]


@inner
def _turn_freely(q, w, inertia, torque, h):
    """Return quaternion and angular momentum after half an angular impulse and the free rotation.

    Of a body whose moments of inertia are not all equal.
    """
    j0, j1, j2 = inertia
    tx, ty, tz = torque
    half = 0.5 * h
    # body components P of the angular momentum, then L in the world: constant during the rotation
    p0, p1, p2 = rotate_inverse(q, w[0], w[1], w[2])
    p0, p1, p2 = p0 * j0, p1 * j1, p2 * j2
    lx, ly, lz = rotate(q, p0, p1, p2)
    if tx != 0.0 or ty != 0.0 or tz != 0.0:
        lx, ly, lz = lx + half * tx, ly + half * ty, lz + half * tz
        p0, p1, p2 = rotate_inverse(q, lx, ly, lz)
    size = np.sqrt(lx * lx + ly * ly + lz * lz)
    if size != 0.0:  # NaN goes on, visible
        # cyclic renaming (a, b, c) of the axes with the middle moment first: stays right-handed
        i0, i1, i2 = 1.0 / j0, 1.0 / j1, 1.0 / j2
        if (j0 >= j1) == (j0 <= j2):
            middle = i0
            d0, d1, d2, d3 = _compose(p0, p1, p2, i1 - i0, i2 - i0, size, h)
        elif (j1 >= j2) == (j1 <= j0):
            middle = i1
            d0, d2, d3, d1 = _compose(p1, p2, p0, i2 - i1, i0 - i1, size, h)
        else:
            middle = i2
            d0, d3, d1, d2 = _compose(p2, p0, p1, i0 - i2, i1 - i2, size, h)
        q0, q1, q2, q3 = q
        q = quaternion_multiply(q0, q1, q2, q3, d0, d1, d2, d3)
        q = _turn_world(q, (lx * middle, ly * middle, lz * middle), h)
    return q, (lx, ly, lz)


@inner
def advance_rotation(method, q, w, inertia, torque, h):
    """Return orientation and angular velocity of one body after the time h, as two tuples.

    Args:
        method: rotation method, a value of `METHODS`.
        q: unit quaternion (w, x, y, z), principal axes to world.
        w: angular velocity (3) [rad/s], world.
        inertia: principal moments (3) [kg m^2].
        torque: (3) [N m], world, constant during the step.
        h: time step [s], may be negative.
    """
    if method == SYMMETRIC:
        return _rotate_symmetric(q, w, inertia, torque, h)
    if method == RK4:
        return rotate_rk4(q, w, inertia, torque, h)
    if method == ADAPTIVE:
        return rotate_adaptive(q, w, inertia, torque, h)
    if method == TAYLOR:
        return rotate_taylor(q, w, inertia, torque, h)
    return rotate_euler(q, w, inertia, torque, h)


@inner
def _advance_kinematic(s, q, v, w, told, h):
    """Return the same of a body that moves as it was told: with constant accelerations.

    Its rate is linear in time, but it turns at the mean one, so about the same axis in all parts of a step,
    which leads to the pose that was asked for.
    """
    half = 0.5 * h
    a0, a1, a2 = half * told[0], half * told[1], half * told[2]
    b0, b1, b2 = h * told[3], h * told[4], h * told[5]
    v0, v1, v2 = v[0] + a0, v[1] + a1, v[2] + a2
    turns_evenly = b0 == 0.0 and b1 == 0.0 and b2 == 0.0
    q = _turn_world(q, w if turns_evenly else (told[6], told[7], told[8]), h)
    place = (s[0] + h * v0, s[1] + h * v1, s[2] + h * v2)
    return place, q, (v0 + a0, v1 + a1, v2 + a2), (w[0] + b0, w[1] + b1, w[2] + b2)


@inner
def _advance_body(method, bodies, i, gravity, h, previews):
    """Return position, quaternion, velocity and angular velocity of moving body i after the time h.

    In previews the velocities are not of that time.
    """
    s0, s1, s2 = bodies.positions[i, 0], bodies.positions[i, 1], bodies.positions[i, 2]
    v0, v1, v2 = bodies.velocities[i, 0], bodies.velocities[i, 1], bodies.velocities[i, 2]
    q = (
        bodies.quaternions[i, 0],
        bodies.quaternions[i, 1],
        bodies.quaternions[i, 2],
        bodies.quaternions[i, 3],
    )
    w = (bodies.angular_velocities[i, 0], bodies.angular_velocities[i, 1], bodies.angular_velocities[i, 2])
    if bodies.kinds[i] == KINEMATIC:
        return _advance_kinematic((s0, s1, s2), q, (v0, v1, v2), w, bodies.told[i], h)
    # velocity gained in half the step: s(h) = s + h (v + a h / 2), v(h) = v + a h
    half, inverse_mass = 0.5 * h, bodies.inverse_masses[i]
    a0 = half * (gravity[0] + inverse_mass * bodies.forces[i, 0])
    a1 = half * (gravity[1] + inverse_mass * bodies.forces[i, 1])
    a2 = half * (gravity[2] + inverse_mass * bodies.forces[i, 2])
    v0, v1, v2 = v0 + a0, v1 + a1, v2 + a2
    inertia = (bodies.inertias[i, 0], bodies.inertias[i, 1], bodies.inertias[i, 2])
    torque = (bodies.torques[i, 0], bodies.torques[i, 1], bodies.torques[i, 2])
    if previews and method == SYMMETRIC:
        q = _turn_symmetric(q, w, inertia, torque, h)
    else:
        q, w = advance_rotation(method, q, w, inertia, torque, h)
    return (s0 + h * v0, s1 + h * v1, s2 + h * v2), q, (v0 + a0, v1 + a1, v2 + a2), w


@kernel
def advance_bodies(method: int, bodies: BodyArrays, gravity: Floats, h: float) -> None:
    """Move all bodies freely from t to t + h, in place.

    Dynamic bodies obey Newton's and Euler's laws under constant force and torque; kinematic bodies
    keep their velocity and angular velocity, exactly, or change them as they were told; static bodies stay.

    Args:
        method: rotation method, a value of `METHODS`.
        bodies: their principal moments are positive where they are dynamic.
        gravity: (3,) [m/s^2].
        h: time step [s]; negative goes back in time.
    """
    positions, quaternions = bodies.positions, bodies.quaternions
    velocities, angular_velocities = bodies.velocities, bodies.angular_velocities
    count, done = len(bodies.kinds), 0
    for i in range(count):
        if i < done:
            continue
        if i % LANES == 0 and i + LANES <= count and method == SYMMETRIC:
            four = (i, i + 1, i + 2, i + 3)
            if advance_four(bodies, four, gravity, h, True, positions, quaternions):
                done = i + LANES
                continue
        if bodies.kinds[i] == STATIC:
            continue
        s, q, v, w = _advance_body(method, bodies, i, gravity, h, False)
        positions[i, 0], positions[i, 1], positions[i, 2] = s
        quaternions[i, 0], quaternions[i, 1], quaternions[i, 2], quaternions[i, 3] = q
        velocities[i, 0], velocities[i, 1], velocities[i, 2] = v
        angular_velocities[i, 0], angular_velocities[i, 1], angular_velocities[i, 2] = w


@inner
def preview_bodies(method, members, bodies, gravity, h, out_positions, out_quaternions):
    """Write the poses that `advance_bodies` would give the `members`, without moving them.

    Bitwise equal to `advance_bodies`.

    Args:
        method, bodies, gravity, h: as there.
        members: (m,) rows of the bodies to preview.
        out_positions, out_quaternions: (n, 3) [m] and (n, 4), of which the rows of those bodies are written.
    """
    count, done = len(members), 0
    for k in range(count):
        if k < done:
            continue
        i = members[k]
        if k % LANES == 0 and k + LANES <= count and method == SYMMETRIC:
            four = (i, members[k + 1], members[k + 2], members[k + 3])
            if advance_four(bodies, four, gravity, h, False, out_positions, out_quaternions):
                done = k + LANES
                continue
        if bodies.kinds[i] == STATIC:
            for j in range(3):
                out_positions[i, j] = bodies.positions[i, j]
            for j in range(4):
                out_quaternions[i, j] = bodies.quaternions[i, j]
            continue
        s, q, _, _ = _advance_body(method, bodies, i, gravity, h, True)
        out_positions[i, 0], out_positions[i, 1], out_positions[i, 2] = s
        out_quaternions[i, 0], out_quaternions[i, 1], out_quaternions[i, 2], out_quaternions[i, 3] = q
