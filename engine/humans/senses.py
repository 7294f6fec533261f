"""Kernels of what a walker senses: poses and rates of its bodies, its legs, and the loads on its soles.

Parts are pelvis, upper body, thighs, shanks and feet, right before left: eight. Columns of `frames` are their
axes: forward, to the left, upward. Products are written out, so that a walk has the same bits on every
machine: a library of linear algebra rounds as its processor does.
"""

from math import asin, atan2, cos, hypot, sin, sqrt

from stoss.collision.algebra import cross, dot, matrix_from_quaternion, quaternion_multiply
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2, Floats3, Ints
from stoss.engine.bodies.arrays import BodyArrays

__all__ = ["NUMBERS", "VECTORS", "look_at_leg", "look_at_trunk", "read_parts", "read_soles"]

FEATURE = "walking"  # see `kernels.prepare`

# What is known of a leg: angles [rad], lengths [m] and rates; places, velocities and axes of torques.
NUMBERS = (
    *("al", "th2", "th3", "ph1", "x", "z", "xd", "zd", "length", "length_rate"),
    *("h1", "h2", "h3", "f2", "f3"),
)
VECTORS = (
    *("hip", "hip_speed", "spin", "fe_hip", "aa_hip", "ps_hip", "fe_knee"),
    *("fe_ankle", "aa_ankle", "ps_ankle"),
)


@kernel
def read_parts(
    bodies: BodyArrays,
    rows: Ints,
    frames: Floats3,
    spins: Floats2,
    places: Floats2,
    speeds: Floats2,
    masses: Floats,
) -> None:
    """Write axes (p, 3, 3), angular velocities, centres of mass and velocities (p, 3) and masses of bodies.

    Args:
        bodies: of the world.
        rows: (p,) of the bodies.
        frames, spins, places, speeds, masses: receive them [rad/s, m, m/s, kg].
    """
    for k in range(len(rows)):
        i = rows[k]
        p, f = bodies.quaternions[i], bodies.frame_quaternions[i]
        q = quaternion_multiply(p[0], p[1], p[2], p[3], f[0], f[1], f[2], f[3])
        m = matrix_from_quaternion(q)
        for row in range(3):
            frames[k, row, 0], frames[k, row, 1], frames[k, row, 2] = (
                m[3 * row],
                m[3 * row + 1],
                m[3 * row + 2],
            )
            spins[k, row] = bodies.angular_velocities[i, row]
            places[k, row] = bodies.positions[i, row]
            speeds[k, row] = bodies.velocities[i, row]
        masses[k] = bodies.masses[i]


@kernel
def look_at_trunk(
    frames: Floats3, spins: Floats2, speeds: Floats2, masses: Floats, heading: float
) -> tuple[float, float, float, float, float, float, float, float]:
    """Return how the trunk is held, and how fast all moves to the side.

    They are: lean, tilt and turn of the pelvis in the frame of the walk, and the rate of its lean; the
    velocity of the centre of mass to the left; tilt of the upper body, its twist against the pelvis, and the
    rate of the pelvis about its own x [rad, rad/s, m/s].

    Args:
        frames, spins, speeds: of the parts.
        masses: of the parts [kg].
        heading: direction of the walk [rad].
    """
    c, s = cos(heading), sin(heading)
    pelvis, upper, spin = frames[0], frames[1], spins[0]
    lean = atan2(c * pelvis[0, 2] + s * pelvis[1, 2], pelvis[2, 2])
    tilt = _arc(s * pelvis[0, 2] - c * pelvis[1, 2])
    turn = atan2(c * pelvis[1, 0] - s * pelvis[0, 0], c * pelvis[1, 1] - s * pelvis[0, 1])
    mass = across = 0.0
    for k in range(len(masses)):
        mass += masses[k]
        across += masses[k] * (c * speeds[k, 1] - s * speeds[k, 0])
    twist = _turns(pelvis, upper)[2]
    own = spin[0] * pelvis[0, 0] + spin[1] * pelvis[1, 0] + spin[2] * pelvis[2, 0]
    leans = c * spin[1] - s * spin[0]
    upper_tilt = _arc(s * upper[0, 2] - c * upper[1, 2])
    return lean, tilt, turn, leans, across / mass, upper_tilt, twist, own


@kernel
def look_at_leg(
    side: int,
    frames: Floats3,
    spins: Floats2,
    places: Floats2,
    speeds: Floats2,
    sizes: Floats,
    lean: float,
    leans: float,
    numbers: Floats,
    vectors: Floats2,
) -> None:
    """Write what is known of a leg, as `NUMBERS` and `VECTORS` name it; Henze 2002, chapter 3.

    Args:
        side: 0: right, 1: left.
        frames, spins, places, speeds: of the parts.
        sizes: lengths of shank and thigh, then where the hip is in the frame of the thigh (3,), and the ankle
            in that of the foot (3,) [m].
        lean, leans: of the pelvis, forward, and its rate [rad, rad/s].
        numbers, vectors: receive them.
    """
    pelvis, thigh, shank, foot = frames[0], frames[2 + side], frames[4 + side], frames[6 + side]
    wp, wt, ws = spins[0], spins[2 + side], spins[4 + side]
    th3 = lean + _turns(pelvis, thigh)[0]
    th2 = th3 + _turns(thigh, shank)[0]
    al = _turns(shank, foot)[0]
    th3d = leans + _rate(wp, wt, pelvis)
    th2d = th3d + _rate(wt, ws, thigh)
    l2, l3 = sizes[0], sizes[1]
    s2, c2, s3, c3 = sin(th2), cos(th2), sin(th3), cos(th3)
    x, z = l2 * s2 + l3 * s3, l2 * c2 + l3 * c3
    xd, zd = l2 * c2 * th2d + l3 * c3 * th3d, -l2 * s2 * th2d - l3 * s3 * th3d
    length = hypot(x, z)
    numbers[0], numbers[1], numbers[2], numbers[3] = al, th2, th3, th2 + al
    numbers[4], numbers[5], numbers[6], numbers[7] = x, z, xd, zd
    numbers[8], numbers[9] = length, (x * xd + z * zd) / length
    # hip and ankle in the world, and the rate of the hip
    ux, uy, uz = _turned(thigh, sizes[2], sizes[3], sizes[4])
    ankle = _turned(foot, sizes[5], sizes[6], sizes[7])
    sx, sy, sz = cross(wt[0], wt[1], wt[2], ux, uy, uz)
    p, v = places[2 + side], speeds[2 + side]
    vectors[0, 0], vectors[0, 1], vectors[0, 2] = p[0] + ux, p[1] + uy, p[2] + uz
    vectors[1, 0], vectors[1, 1], vectors[1, 2] = v[0] + sx, v[1] + sy, v[2] + sz
    for k in range(3):
        vectors[2, k] = wt[0] * pelvis[0, k] + wt[1] * pelvis[1, k] + wt[2] * pelvis[2, k]
        vectors[5, k] = vectors[0, k] - (places[6 + side, k] + ankle[k])
        vectors[3, k], vectors[6, k] = pelvis[k, 1], thigh[k, 1]
        vectors[7, k], vectors[9, k] = shank[k, 1], foot[k, 2]
    _look_at_whole(pelvis, thigh, foot, numbers, vectors)


@inner
def _look_at_whole(pelvis, thigh, foot, numbers, vectors):
    """Write angles of the leg as a whole, from ankle to hip, and of the foot against it, and their axes."""
    z0, z1, z2 = vectors[5, 0], vectors[5, 1], vectors[5, 2]
    size = 1.0 / sqrt(dot(z0, z1, z2, z0, z1, z2))
    z0, z1, z2 = size * z0, size * z1, size * z2
    along = dot(z0, z1, z2, thigh[0, 1], thigh[1, 1], thigh[2, 1])
    y0, y1, y2 = thigh[0, 1] - along * z0, thigh[1, 1] - along * z1, thigh[2, 1] - along * z2
    size = 1.0 / sqrt(dot(y0, y1, y2, y0, y1, y2))
    y0, y1, y2 = size * y0, size * y1, size * y2
    x0, x1, x2 = cross(y0, y1, y2, z0, z1, z2)
    frame = ((x0, y0, z0), (x1, y1, z1), (x2, y2, z2))
    h1 = atan2(_along(pelvis, 0, z0, z1, z2), _along(pelvis, 2, z0, z1, z2))
    numbers[10], numbers[11] = h1, _arc(-_along(pelvis, 1, z0, z1, z2))
    numbers[12] = atan2(_along(pelvis, 1, x0, x1, x2), _along(pelvis, 1, y0, y1, y2))
    f1 = atan2(_along(foot, 2, x0, x1, x2), _along(foot, 2, z0, z1, z2))
    numbers[13] = _arc(-_along(foot, 2, y0, y1, y2))
    numbers[14] = atan2(_along(foot, 0, y0, y1, y2), _along(foot, 1, y0, y1, y2))
    vectors[5, 0], vectors[5, 1], vectors[5, 2] = z0, z1, z2
    for k in range(3):
        vectors[4, k] = cos(h1) * pelvis[k, 0] - sin(h1) * pelvis[k, 2]
        vectors[8, k] = cos(f1) * frame[k][0] - sin(f1) * frame[k][2]


@kernel
def read_soles(
    body_a: Ints,
    body_b: Ints,
    point_a: Floats2,
    point_b: Floats2,
    impulses: Floats2,
    feet: Ints,
    frames: Floats3,
    places: Floats2,
    found: Floats2,
) -> int:
    """Write the contacts of the feet, and return how many there are.

    Args:
        body_a, body_b, point_a, point_b: rows (c,) of the bodies in contact, and points (c, 3) on both [m].
        impulses: on the first bodies (c, 3) [N s].
        feet: rows of the right and the left foot.
        frames, places: of the parts.
        found: (2 c, 8) receives foot, point (0: heel, 1: medial, 2: lateral ball), impulse on the foot (3,)
            and place in its frame (3,) [m].
    """
    count = 0
    for foot in range(2):
        axes, origin = frames[6 + foot], places[6 + foot]
        inward = -1.0 if foot == 0 else 1.0
        for end in range(2):
            sign = 1.0 if end == 0 else -1.0
            for c in range(len(impulses)):
                if (body_a[c] if end == 0 else body_b[c]) != feet[foot]:
                    continue
                x = 0.5 * (point_a[c, 0] + point_b[c, 0]) - origin[0]
                y = 0.5 * (point_a[c, 1] + point_b[c, 1]) - origin[1]
                z = 0.5 * (point_a[c, 2] + point_b[c, 2]) - origin[2]
                for k in range(3):
                    found[count, 2 + k] = sign * impulses[c, k]
                    found[count, 5 + k] = _along(axes, k, x, y, z)
                ball = 1.0 if inward * found[count, 6] < 0.0 else 2.0
                found[count, 0], found[count, 1] = foot, 0.0 if found[count, 5] < 0.0 else ball
                count += 1
    return count


@inner
def _arc(sine):
    """Return the arc of a sine that rounding may have brought beyond 1 [rad]."""
    return asin(min(max(sine, -1.0), 1.0))


@inner
def _along(frame, axis, x, y, z):
    """Return the part of a vector along an axis of a frame."""
    return frame[0, axis] * x + frame[1, axis] * y + frame[2, axis] * z


@inner
def _turned(frame, x, y, z):
    """Return a vector of a frame in the world."""
    return (
        frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z,
        frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z,
        frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z,
    )


@inner
def _between(a, i, b, j):
    """Return the cosine between an axis of one frame and one of another."""
    return a[0, i] * b[0, j] + a[1, i] * b[1, j] + a[2, i] * b[2, j]


@inner
def _turns(a, b):
    """Return the angles about y, x and z that turn, one after the other, one frame into another [rad]."""
    return (
        atan2(_between(a, 0, b, 2), _between(a, 2, b, 2)),
        _arc(-_between(a, 1, b, 2)),
        atan2(_between(a, 1, b, 0), _between(a, 1, b, 1)),
    )


@inner
def _rate(first, second, frame):
    """Return the rate of a second body against a first one about y of a frame [rad/s]."""
    return (
        (second[0] - first[0]) * frame[0, 1]
        + (second[1] - first[1]) * frame[1, 1]
        + (second[2] - first[2]) * frame[2, 1]
    )
