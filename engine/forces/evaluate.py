"""Evaluate ready-made loads at the poses and velocities at which the bodies are."""

import numpy as np

from stoss.collision.algebra import cross, dot, quaternion_multiply, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.forces.arrays import (
    COORDINATE,
    DRAG,
    FORCE,
    LINE,
    PAIR_TORQUE,
    TORQUE,
    WOBBLING,
    LoadArrays,
    Probes,
)
from stoss.engine.forces.laws import along_coordinate, along_line
from stoss.engine.joints.arrays import LENGTH
from stoss.engine.joints.measures import gradient, lever_arms, measure, relative_rate, write_geometry
from stoss.engine.joints.placement import place_parts

__all__ = ["act", "evaluate_loads", "measure_probes", "mobility_at", "place", "velocity_at"]


@inner
def place(body, points, r, first, bodies):
    """Return in the world the point of row r that begins at column `first`."""
    x, y, z = points[r, first], points[r, first + 1], points[r, first + 2]
    if body < 0:
        return x, y, z
    x, y, z = rotate(bodies.quaternions[body], x, y, z)
    p = bodies.positions
    return p[body, 0] + x, p[body, 1] + y, p[body, 2] + z


@inner
def velocity_at(body, x, bodies):
    """Return the velocity of a body (-1: the world) at a point x of the world."""
    if body < 0:
        return 0.0, 0.0, 0.0
    p, v, w = bodies.positions[body], bodies.velocities[body], bodies.angular_velocities[body]
    a, b, c = cross(w[0], w[1], w[2], x[0] - p[0], x[1] - p[1], x[2] - p[2])
    return v[0] + a, v[1] + b, v[2] + c


@inner
def _to_world(loads, r, x, y, z, bodies):
    """Return in the world a vector of the frame of row r."""
    x, y, z = rotate(loads.turn[r], x, y, z)
    body = loads.frame[r]
    if body < 0:
        return x, y, z
    return rotate(bodies.quaternions[body], x, y, z)


@inner
def act(wrench, body, x, f, bodies):
    """Write force and torque about the centre of mass of a force f at the point x of the world."""
    if body < 0:
        return
    p = bodies.positions[body]
    a, b, c = cross(x[0] - p[0], x[1] - p[1], x[2] - p[2], f[0], f[1], f[2])
    wrench[0], wrench[1], wrench[2] = f
    wrench[3], wrench[4], wrench[5] = a, b, c


@inner
def _turn(wrench, body, t):
    """Write a torque."""
    if body >= 0:
        wrench[3], wrench[4], wrench[5] = t


@inner
def mobility_at(body, x, d, bodies):
    """Return the acceleration of a body at the point x along d by a unit force along d there [1/kg]."""
    if body < 0 or bodies.kinds[body] != DYNAMIC:
        return 0.0
    p = bodies.positions[body]
    a, b, c = cross(x[0] - p[0], x[1] - p[1], x[2] - p[2], d[0], d[1], d[2])
    return bodies.inverse_masses[body] + turning_mobility(body, (a, b, c), bodies)


@inner
def turning_mobility(body, d, bodies):
    """Return d I^-1 d of a body."""
    if body < 0 or bodies.kinds[body] != DYNAMIC:
        return 0.0
    j = bodies.inertias[body]
    a, b, c = rotate_inverse(bodies.quaternions[body], d[0], d[1], d[2])
    return a * a / j[0] + b * b / j[1] + c * c / j[2]


@kernel
def measure_probes(probes: Probes, bodies: BodyArrays, value: Floats2) -> None:
    """Write value and rate (m, 2) of the coordinates that loads act on; `value` holds the last ones."""
    joints, frames = probes.joints, probes.frames
    places = frames.places
    place_parts(joints, bodies.positions, bodies.quaternions, places)
    for m in range(len(joints.part)):
        p = joints.part[m]
        a, b = joints.ends[p, 0], joints.ends[p, 1]
        kind, axis = joints.measure[m], joints.axis[m]
        value[m, 0] = measure(kind, axis, p, places, value[m, 0])
        lever_a, lever_b = lever_arms(kind, p, a, b, places, bodies.positions)
        write_geometry(frames, m, gradient(kind, axis, p, places), lever_a, lever_b)
        value[m, 1] = relative_rate(
            kind <= LENGTH, m, a, b, frames, bodies.velocities, bodies.angular_velocities
        )


@kernel
def evaluate_loads(
    loads: LoadArrays, probes: Probes, bodies: BodyArrays, h: float, value: Floats2, total: Floats2
) -> None:
    """Evaluate all ready-made loads, and add what they do to the forces and torques (n, 6) `total`.

    Args:
        loads, probes: the loads; coordinates are measured.
        bodies: where they are evaluated.
        h: length of the step [s], for what tells how stiff they are.
        value: (m, 2) of the coordinates.
        total: receives forces [N] and torques [N m].
    """
    for r in range(len(loads.code)):
        first, second = loads.first[r], loads.second[r]
        for k in range(6):
            first[k] = second[k] = 0.0
        loads.effort[r] = loads.stiff[r] = loads.potential[r] = 0.0
        if not loads.active[r]:
            continue
        code, a, b, n = loads.code[r], loads.bodies[r, 0], loads.bodies[r, 1], loads.numbers[r]
        if code == FORCE:
            f = _to_world(loads, r, n[0], n[1], n[2], bodies)
            act(first, a, place(a, loads.points, r, 0, bodies), f, bodies)
            loads.effort[r] = np.sqrt(dot(*f, *f))
        elif code == TORQUE or code == PAIR_TORQUE:
            t = _to_world(loads, r, n[0], n[1], n[2], bodies)
            _turn(first, a, t)
            _turn(second, b, (-t[0], -t[1], -t[2]))
            loads.effort[r] = np.sqrt(dot(*t, *t))
        elif code >= LINE:
            _along_line(loads, r, bodies, h)
        elif code >= COORDINATE:
            _along_coordinate(loads, r, probes, bodies, h, value)
        elif code == WOBBLING:
            _wobble(loads, r, bodies, h)
        elif code == DRAG:
            _drag(loads, r, bodies, h)
        for k in range(6):
            if a >= 0:
                total[a, k] += first[k]
            if b >= 0:
                total[b, k] += second[k]


@inner
def _along_coordinate(loads, r, probes, bodies, h, value):
    """Act along a coordinate of a joint: on its second body, and oppositely on the first."""
    m = loads.probe[r]
    joints, frames = probes.joints, probes.frames
    q, u = value[m, 0], value[m, 1]
    loads.value[r], loads.rate[r] = q, u
    a, b = loads.bodies[r, 0], loads.bodies[r, 1]
    effort, stiffness, damping, potential = along_coordinate(loads.code[r], loads.numbers[r], q, u)
    loads.effort[r], loads.potential[r] = effort, potential
    if stiffness > 0.0 or damping > 0.0:
        mobility = _coordinate_mobility(m, a, b, joints.measure[m] <= LENGTH, frames, bodies)
        loads.stiff[r] = max(h * h * stiffness, 2.0 * h * damping) * mobility
    d = effort * frames.direction[m, 0], effort * frames.direction[m, 1], effort * frames.direction[m, 2]
    back = (-d[0], -d[1], -d[2])
    # the bodies of a coordinate: the first one is the second of the joint
    if joints.measure[m] <= LENGTH:
        _act_at(loads.first[r], a, frames.lever_b[m], d)
        _act_at(loads.second[r], b, frames.lever_a[m], back)
    else:
        _turn(loads.first[r], a, d)
        _turn(loads.second[r], b, back)


@inner
def _coordinate_mobility(m, second, first, linear, frames, bodies):
    """Return the acceleration of a coordinate by a unit of effort, of bodies that are free."""
    d = frames.direction[m, 0], frames.direction[m, 1], frames.direction[m, 2]
    out = 0.0
    for half in range(2):
        i = second if half == 0 else first
        if i < 0 or bodies.kinds[i] != DYNAMIC:
            continue
        if linear:
            lever = frames.lever_b[m] if half == 0 else frames.lever_a[m]
            turn = cross(lever[0], lever[1], lever[2], *d)
            out += bodies.inverse_masses[i] + turning_mobility(i, turn, bodies)
        else:
            out += turning_mobility(i, d, bodies)
    return out


@inner
def _act_at(wrench, body, lever, f):
    if body < 0:
        return
    a, b, c = cross(lever[0], lever[1], lever[2], f[0], f[1], f[2])
    wrench[0], wrench[1], wrench[2] = f
    wrench[3], wrench[4], wrench[5] = a, b, c


@inner
def _along_line(loads, r, bodies, h):
    """Act along the line between two points; a positive effort pulls them together."""
    a, b = loads.bodies[r, 0], loads.bodies[r, 1]
    x, y = place(a, loads.points, r, 0, bodies), place(b, loads.points, r, 3, bodies)
    u, v = velocity_at(a, x, bodies), velocity_at(b, y, bodies)
    d = (y[0] - x[0], y[1] - x[1], y[2] - x[2])
    length = np.sqrt(dot(*d, *d))
    if length == 0.0:
        loads.value[r] = loads.rate[r] = 0.0
        return  # no direction
    d = (d[0] / length, d[1] / length, d[2] / length)
    rate = dot(*d, v[0] - u[0], v[1] - u[1], v[2] - u[2])
    loads.value[r], loads.rate[r] = length, rate
    effort, stiffness, damping, potential = along_line(loads.code[r], loads.numbers[r], length, rate)
    loads.effort[r], loads.potential[r] = effort, potential
    if stiffness > 0.0 or damping > 0.0:
        mobility = mobility_at(a, x, d, bodies) + mobility_at(b, y, d, bodies)
        loads.stiff[r] = max(h * h * stiffness, 2.0 * h * damping) * mobility
    f = (effort * d[0], effort * d[1], effort * d[2])
    act(loads.first[r], a, x, f, bodies)
    act(loads.second[r], b, y, (-f[0], -f[1], -f[2]), bodies)


@inner
def _wobble(loads, r, bodies, h):
    """Hold a soft body in a bone: what is along an axis of the bone, and across it, each by a law of its own.

    Krieg 1992, section 3.2.1: f (c |d|^(p-1) d + k |d|^s d') for either part of the displacement d of the
    soft body's centre of mass from a point of the bone, in the frame of the bone; and a torque by the turn
    between both. Both forces act at the soft body's centre of mass, so that angular momentum is kept: the
    moment that the thesis adds as a correction is in that. Numbers: area f; c, k along; c, k across; powers p
    and s; torque per turn and per rate; then the axis, in the frame of the row. The first body is the soft
    one. `turn` takes that frame, and the soft body as it was added, to the bone's principal axes.
    """
    a, b, n = loads.bodies[r, 0], loads.bodies[r, 1], loads.numbers[r]
    x, y = place(a, loads.points, r, 0, bodies), place(b, loads.points, r, 3, bodies)
    u, v = velocity_at(a, x, bodies), velocity_at(b, x, bodies)
    d = (x[0] - y[0], x[1] - y[1], x[2] - y[2])
    w = (u[0] - v[0], u[1] - v[1], u[2] - v[2])
    axis = (n[9], n[10], n[11])
    if b >= 0:
        axis = rotate(bodies.quaternions[b], n[9], n[10], n[11])
    along, rate = dot(*d, *axis), dot(*w, *axis)
    across = (d[0] - along * axis[0], d[1] - along * axis[1], d[2] - along * axis[2])
    speed = (w[0] - rate * axis[0], w[1] - rate * axis[1], w[2] - rate * axis[2])
    size = np.sqrt(dot(*across, *across))
    p, s = n[5], n[6]
    c1, k1 = n[0] * n[1] * _raised(abs(along), p - 1.0), n[0] * n[2] * _raised(abs(along), s)
    c2, k2 = n[0] * n[3] * _raised(size, p - 1.0), n[0] * n[4] * _raised(size, s)
    pull = c1 * along + k1 * rate
    f = (
        -(pull * axis[0] + c2 * across[0] + k2 * speed[0]),
        -(pull * axis[1] + c2 * across[1] + k2 * speed[1]),
        -(pull * axis[2] + c2 * across[2] + k2 * speed[2]),
    )
    first, second = loads.first[r], loads.second[r]
    act(first, a, x, f, bodies)
    act(second, b, x, (-f[0], -f[1], -f[2]), bodies)
    loads.value[r], loads.rate[r] = np.sqrt(dot(*d, *d)), np.sqrt(dot(*w, *w))
    loads.effort[r] = np.sqrt(dot(*f, *f))
    loads.potential[r] = (c1 * along * along + c2 * size * size) / (p + 1.0)
    mobility = bodies.inverse_masses[a] + (bodies.inverse_masses[b] if b >= 0 else 0.0)
    loads.stiff[r] = max(h * h * p * max(c1, c2), 2.0 * h * max(k1, k2)) * mobility
    if n[7] == 0.0 and n[8] == 0.0:
        return
    t = _turn_between(loads, r, a, b, bodies)
    g = bodies.angular_velocities
    spin = (g[a, 0], g[a, 1], g[a, 2])
    if b >= 0:
        spin = (spin[0] - g[b, 0], spin[1] - g[b, 1], spin[2] - g[b, 2])
    loads.potential[r] += 0.5 * n[7] * dot(*t, *t)
    for k in range(3):
        torque = -(n[7] * t[k] + n[8] * spin[k])
        first[3 + k] += torque
        if b >= 0:
            second[3 + k] -= torque


@inner
def _raised(x, p):
    """Return x^p for x >= 0, and 1 for p = 0."""
    if p == 0.0:
        return 1.0
    return x**p if p != 1.0 else x


@inner
def _turn_between(loads, r, a, b, bodies):
    """Return in the world the rotation vector by which a soft body is turned from how it was in its bone."""
    t, q = loads.turn[r], bodies.quaternions[a]
    w, x, y, z = t[0], t[1], t[2], t[3]
    if b >= 0:
        o = bodies.quaternions[b]
        w, x, y, z = quaternion_multiply(o[0], o[1], o[2], o[3], w, x, y, z)
    w, x, y, z = quaternion_multiply(q[0], q[1], q[2], q[3], w, -x, -y, -z)
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = np.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-9 else 2.0 * np.arctan2(sine, w) / sine
    return factor * x, factor * y, factor * z


@inner
def _drag(loads, r, bodies, h):
    """Act against the velocity u of a point through the air, -(a + b |u|) u, and against the turning.

    Numbers: a, b, torque per rate, and the velocity of the air.
    """
    i, n = loads.bodies[r, 0], loads.numbers[r]
    x = place(i, loads.points, r, 0, bodies)
    v = velocity_at(i, x, bodies)
    u = (v[0] - n[3], v[1] - n[4], v[2] - n[5])
    speed = np.sqrt(dot(*u, *u))
    k = n[0] + n[1] * speed
    act(loads.first[r], i, x, (-k * u[0], -k * u[1], -k * u[2]), bodies)
    w = bodies.angular_velocities[i]
    for j in range(3):
        loads.first[r, 3 + j] -= n[2] * w[j]
    loads.value[r], loads.effort[r] = speed, k * speed
    if speed > 0.0:
        d = (u[0] / speed, u[1] / speed, u[2] / speed)
        loads.stiff[r] = 2.0 * h * (k + n[1] * speed) * mobility_at(i, x, d, bodies)
