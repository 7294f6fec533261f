"""Surfaces that move along their body: conveyors, turntables, tracks.

The surface of such a body has, at each point, a velocity relative to the body: a constant one, and one that
turns about the origin of the reference frame. Contacts rub against it, and the body does not move. Only its
tangential part matters: it is added to the rates of the rows against sliding, and its turning to those of the
rows against rolling and spinning.
"""

from stoss.collision.algebra import cross, dot, rotate
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.contacts.rolling_friction import ROLLING, TORSION

__all__ = [
    "DRIFT",
    "add_drift",
    "add_turning_change",
    "add_turning_drift",
    "advance_surfaces",
    "mean_drift",
    "place_drift",
    "surface_drift",
    "turning_work",
]

DRIFT = 5  # numbers kept of a contact: along both tangents [m/s]; about them, and the normal [rad/s]


@kernel
def surface_drift(
    bodies: BodyArrays,
    a: int,
    b: int,
    quaternions: Floats2,
    arm_a: tuple[float, float, float],
    arm_b: tuple[float, float, float],
    ahead: float,
) -> tuple[float, float, float, float, float, float]:
    """Return velocity and angular velocity of the surface of body a relative to that of b, in the world.

    Inputs:
        a, b: the bodies, whose own motion is left out.
        quaternions: (n, 4) of all bodies.
        arm_a, arm_b: from their centres of mass to the contact [m].
        ahead: time [s] from now.
    """
    vx = vy = vz = wx = wy = wz = 0.0
    for half in range(2):
        i, sign, arm = (a, 1.0, arm_a) if half == 0 else (b, -1.0, arm_b)
        if bodies.conveys[i] == 0:
            continue
        motion, change = bodies.surface_motion[i], bodies.surface_change[i]
        turn, q, origin = bodies.frame_quaternions[i], quaternions[i], bodies.frame_positions[i]
        x, y, z = _motion_after(motion, change, 0, ahead)
        x, y, z = rotate(turn, x, y, z)
        x, y, z = rotate(q, x, y, z)
        vx, vy, vz = vx + sign * x, vy + sign * y, vz + sign * z
        x, y, z = _motion_after(motion, change, 3, ahead)
        x, y, z = rotate(turn, x, y, z)
        u, v, w = rotate(q, x, y, z)
        wx, wy, wz = wx + sign * u, wy + sign * v, wz + sign * w
        x, y, z = rotate(q, origin[0], origin[1], origin[2])
        x, y, z = cross(u, v, w, arm[0] - x, arm[1] - y, arm[2] - z)
        vx, vy, vz = vx + sign * x, vy + sign * y, vz + sign * z
    return vx, vy, vz, wx, wy, wz


@inner
def _motion_after(motion, change, first, time):
    """Return three numbers of the motion of a surface a time [s] from now."""
    return (
        motion[first] + time * change[first],
        motion[first + 1] + time * change[first + 1],
        motion[first + 2] + time * change[first + 2],
    )


@kernel
def advance_surfaces(bodies: BodyArrays, h: float) -> None:
    """Let surfaces that were told another motion in every step move as fast as they do a time h [s] later."""
    for i in range(len(bodies.conveys)):
        if bodies.conveys[i] != 0:
            for k in range(6):
                bodies.surface_motion[i, k] += h * bodies.surface_change[i, k]


@inner(always=True)
def place_drift(bodies, a, b, lever_a, lever_b, axes, drift):
    """Write the motion of the surfaces of a contact along its axes; return 1 if there is any, else 0."""
    if bodies.conveys[a] == 0 and bodies.conveys[b] == 0:
        return 0
    return _write_drift(bodies, a, b, lever_a, lever_b, axes, drift)


@inner
def _write_drift(bodies, a, b, lever_a, lever_b, axes, drift):
    """Write the motion of the surfaces of a contact along its axes; return 1."""
    arm_a, arm_b = (lever_a[0], lever_a[1], lever_a[2]), (lever_b[0], lever_b[1], lever_b[2])
    vx, vy, vz, wx, wy, wz = surface_drift(bodies, a, b, bodies.quaternions, arm_a, arm_b, 0.0)
    drift[0] = dot(axes[1, 0], axes[1, 1], axes[1, 2], vx, vy, vz)
    drift[1] = dot(axes[2, 0], axes[2, 1], axes[2, 2], vx, vy, vz)
    drift[2] = dot(axes[1, 0], axes[1, 1], axes[1, 2], wx, wy, wz)
    drift[3] = dot(axes[2, 0], axes[2, 1], axes[2, 2], wx, wy, wz)
    drift[4] = dot(axes[0, 0], axes[0, 1], axes[0, 2], wx, wy, wz)
    return 1


@inner
def mean_drift(bodies, a, b, next_quaternions, arm_a, arm_b, axes, drift, h):
    """Return the motion of the surfaces along the tangents, on average over a step of length h [s].

    The mean of that now, `drift`, and of that at the poses of the preview, at arms there: as for bodies that
    turn under what rolls or rides on them, it keeps energy and radius to the second order.
    """
    vx, vy, vz, _, _, _ = surface_drift(bodies, a, b, next_quaternions, arm_a, arm_b, h)
    return (
        0.5 * (drift[0] + dot(axes[1, 0], axes[1, 1], axes[1, 2], vx, vy, vz)),
        0.5 * (drift[1] + dot(axes[2, 0], axes[2, 1], axes[2, 2], vx, vy, vz)),
    )


@inner
def add_drift(bias, r, drift):
    """Add the motion of the surfaces to the rates of the rows r and r + 1 against sliding."""
    bias[r] += drift[0]
    bias[r + 1] += drift[1]


@inner
def add_turning_drift(bias, r, resists, drift):
    """Add the turning of the surfaces to the rates of the rows against turning, from row r on."""
    if resists & ROLLING:
        bias[r] += drift[2]
        bias[r + 1] += drift[3]
        r += 2
    if resists & TORSION:
        bias[r] += drift[4]


@inner
def add_turning_change(bias, r, resists, bodies, a, b, axes, drift, time):
    """Add by how much the turning of the surfaces changes in a time [s] to the rates of rows from r on."""
    arm = (0.0, 0.0, 0.0)
    _, _, _, x, y, z = surface_drift(bodies, a, b, bodies.quaternions, arm, arm, time)
    if resists & ROLLING:
        bias[r] += dot(axes[1, 0], axes[1, 1], axes[1, 2], x, y, z) - drift[2]
        bias[r + 1] += dot(axes[2, 0], axes[2, 1], axes[2, 2], x, y, z) - drift[3]
        r += 2
    if resists & TORSION:
        bias[r] += dot(axes[0, 0], axes[0, 1], axes[0, 2], x, y, z) - drift[4]


@inner
def turning_work(impulses, r, resists, drift):
    """Return the work of the impulses of these rows on the turning of the surfaces [J]."""
    work = 0.0
    if resists & ROLLING:
        work += impulses[r] * drift[2] + impulses[r + 1] * drift[3]
        r += 2
    if resists & TORSION:
        work += impulses[r] * drift[4]
    return work
