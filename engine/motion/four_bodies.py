"""Free motion of four bodies at once, one in each lane: that of `free_motion`, to the last bit.

For what is most frequent: dynamic bodies with at least two equal moments of inertia, without torques, which
turn by little. Then the turn of such a body about the fixed angular momentum and that about its own axis are
both exact, and their series are short.
"""

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.lane_places import load_each, load_turned
from stoss.collision.kernels.lanes import (
    absolute,
    largest,
    numbers,
    select_equal,
    select_greater,
    select_not_greater,
    splat,
    square_root,
)
from stoss.engine.bodies.arrays import DYNAMIC

__all__ = ["SHORT_SERIES", "advance_four"]

SHORT_SERIES = 0.1  # angle [rad] up to which five terms of a sine leave out less than 1e-18


@inner
def advance_four(bodies, four, gravity, h, moves, out_positions, out_quaternions):
    """Write the poses of four bodies after the time h [s]; return whether they are such as can be done here.

    Args:
        bodies: all bodies.
        four: the rows of these.
        gravity: (3,) [m/s^2].
        h: may be negative.
        moves: whether their velocities become those of that time.
        out_positions, out_quaternions: (n, 3) [m] and (n, 4); nothing is written unless all four are done.
    """
    for i in four:
        if bodies.kinds[i] != DYNAMIC:
            return False
    zero, one = splat(0.0), splat(1.0)
    j0, j1, j2 = _three(bodies.inertias, four)
    t0, t1, t2 = _three(bodies.torques, four)
    q = load_turned(bodies.quaternions, four, 4, 0)
    w0, w1, w2 = _three(bodies.angular_velocities, four)
    p0, p1, p2 = _rotate_back(q, w0, w1, w2)
    p0, p1, p2 = p0 * j0, p1 * j1, p2 * j2
    lx, ly, lz = _rotate(q, p0, p1, p2)
    # the axis whose moment differs from the other two, if any does, and the rest of the turn about it
    i0, i1, i2 = one / j0, one / j1, one / j2
    first, second, third = select_equal(j1, j2, one, zero), select_equal(j0, j2, one, zero), one
    second = select_equal(first, one, zero, second)
    third = select_equal(j0, j1, select_equal(first + second, zero, one, zero), zero)
    same = select_equal(first, one, i1, i0)
    rate = select_equal(first, one, i0, select_equal(second, one, i1, i2)) - same
    along = select_equal(first, one, p0, select_equal(second, one, p1, p2))
    own = splat(0.5) * (splat(h) * rate) * along
    # what is left of a sphere or cube is its angular velocity, for the others that of the equal moments
    round_ = select_equal(j0, j1, first, zero)
    x = select_equal(round_, one, w0 + zero, lx * same)
    y = select_equal(round_, one, w1 + zero, ly * same)
    z = select_equal(round_, one, w2 + zero, lz * same)
    speed = square_root(x * x + y * y + z * z)
    angle = splat(0.5 * h) * speed
    turned_little = select_not_greater(absolute(own), splat(SHORT_SERIES), one, zero)
    turned_little = select_not_greater(absolute(angle), splat(SHORT_SERIES), turned_little, zero)
    free = select_equal(absolute(t0) + absolute(t1) + absolute(t2), zero, turned_little, zero)
    symmetric = select_equal(first + second + third, one, free, zero)
    if not largest(one - select_greater(speed, zero, symmetric, zero)) == 0.0:
        return False
    sine, cosine = _sine_cosine(own)
    sine = zero + sine
    d1 = select_equal(first, one, sine, zero)
    d2 = select_equal(second, one, sine, zero)
    d3 = select_equal(third, one, sine, zero)
    q = _multiply(q, (cosine, d1, d2, d3))
    sine, cosine = _sine_cosine(angle)
    sine = sine / speed
    q0, q1, q2, q3 = _multiply((cosine, sine * x, sine * y, sine * z), q)
    half = splat(0.5)
    excess = (q0 * q0 + q1 * q1 - half) + (q2 * q2 + q3 * q3 - half)
    excess = excess * (half - splat(0.375) * excess)
    q = (q0 - excess * q0, q1 - excess * q1, q2 - excess * q2, q3 - excess * q3)
    _write(q, four, out_quaternions)
    if moves:
        p0, p1, p2 = _rotate_back(q, lx + zero, ly + zero, lz + zero)
        x, y, z = _rotate(q, p0 / j0, p1 / j1, p2 / j2)
        x = select_equal(round_, one, w0 + zero, x)
        y = select_equal(round_, one, w1 + zero, y)
        z = select_equal(round_, one, w2 + zero, z)
        _write((x, y, z), four, bodies.angular_velocities)
    _translate(bodies, four, gravity, h, moves, out_positions)
    return True


@inner(always=True)
def _translate(bodies, four, gravity, h, moves, out_positions):
    """Write where four bodies are after the time h under constant forces, and their velocities."""
    inverse_mass, half, step = load_each(bodies.inverse_masses, four, 1, 0), splat(0.5 * h), splat(h)
    s, v, f = _three(bodies.positions, four), _three(bodies.velocities, four), _three(bodies.forces, four)
    a0 = half * (splat(gravity[0]) + inverse_mass * f[0])
    a1 = half * (splat(gravity[1]) + inverse_mass * f[1])
    a2 = half * (splat(gravity[2]) + inverse_mass * f[2])
    v0, v1, v2 = v[0] + a0, v[1] + a1, v[2] + a2
    _write((s[0] + step * v0, s[1] + step * v1, s[2] + step * v2), four, out_positions)
    if moves:
        _write((v0 + a0, v1 + a1, v2 + a2), four, bodies.velocities)


@inner(always=True)
def _three(vectors, four):
    """Return the components of four rows of an array (n, 3)."""
    return load_each(vectors, four, 3, 0), load_each(vectors, four, 3, 1), load_each(vectors, four, 3, 2)


@inner(always=True)
def _write(values, four, out):
    """Write the components of four vectors or quaternions into rows of an array."""
    for k in range(len(values)):
        n = numbers(values[k])
        for lane in range(4):
            out[four[lane], k] = n[lane]


@inner(always=True)
def _rotate(q, x, y, z):
    """Return R(q) v; see `collision.algebra`."""
    w, a, b, c = q
    two = splat(2.0)
    tx, ty, tz = two * (b * z - c * y), two * (c * x - a * z), two * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


@inner(always=True)
def _rotate_back(q, x, y, z):
    """Return R(q)^T v."""
    minus = splat(-1.0)
    return _rotate((q[0], minus * q[1], minus * q[2], minus * q[3]), x, y, z)


@inner(always=True)
def _multiply(p, q):
    """Return the product p q of quaternions."""
    p0, p1, p2, p3 = p
    q0, q1, q2, q3 = q
    return (
        p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
        p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
        p0 * q2 + p2 * q0 + p3 * q1 - p1 * q3,
        p0 * q3 + p3 * q0 + p1 * q2 - p2 * q1,
    )


@inner(always=True)
def _sine_cosine(x):
    """Return sin x and cos x by their series, for angles up to `SHORT_SERIES`."""
    one, s = splat(1.0), x * x
    sine = splat(1 / 5040) - s * splat(1 / 362880)
    sine = x - x * s * (splat(1 / 6) - s * (splat(1 / 120) - s * sine))
    cosine = splat(1 / 720) - s * (splat(1 / 40320) - s * splat(1 / 3628800))
    return sine, one - s * (splat(0.5) - s * (splat(1 / 24) - s * cosine))
