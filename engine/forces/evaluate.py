"""Evaluate ready-made loads at the poses and velocities at which the bodies are."""

import numpy as np

from stoss.collision.algebra import cross, dot, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.forces.arrays import COORDINATE, FORCE, PAIR_TORQUE, TORQUE, LoadArrays, Probes
from stoss.engine.joints.arrays import LENGTH
from stoss.engine.joints.measures import gradient, lever_arms, measure, relative_rate, write_geometry
from stoss.engine.joints.placement import place_parts

__all__ = ["evaluate_loads", "measure_probes"]


@inner
def _place(body, points, r, first, bodies):
    """Return in the world the point of row r that begins at column `first`."""
    x, y, z = points[r, first], points[r, first + 1], points[r, first + 2]
    if body < 0:
        return x, y, z
    x, y, z = rotate(bodies.quaternions[body], x, y, z)
    p = bodies.positions
    return p[body, 0] + x, p[body, 1] + y, p[body, 2] + z


@inner
def _velocity_at(body, x, bodies):
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
def _act(wrench, body, x, f, bodies):
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
def _mobility(body, x, d, bodies):
    """Return the acceleration of a body at the point x along d by a unit force along d there [1/kg]."""
    if body < 0 or bodies.kinds[body] != DYNAMIC:
        return 0.0
    p = bodies.positions[body]
    a, b, c = cross(x[0] - p[0], x[1] - p[1], x[2] - p[2], d[0], d[1], d[2])
    return bodies.inverse_masses[body] + _turning_mobility(body, (a, b, c), bodies)


@inner
def _turning_mobility(body, d, bodies):
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
        loads.effort[r] = loads.stiff[r] = 0.0
        if not loads.active[r]:
            continue
        code, a, b, n = loads.code[r], loads.bodies[r, 0], loads.bodies[r, 1], loads.numbers[r]
        if code == FORCE:
            f = _to_world(loads, r, n[0], n[1], n[2], bodies)
            _act(first, a, _place(a, loads.points, r, 0, bodies), f, bodies)
            loads.effort[r] = np.sqrt(dot(*f, *f))
        elif code == TORQUE or code == PAIR_TORQUE:
            t = _to_world(loads, r, n[0], n[1], n[2], bodies)
            _turn(first, a, t)
            _turn(second, b, (-t[0], -t[1], -t[2]))
            loads.effort[r] = np.sqrt(dot(*t, *t))
        elif code == COORDINATE:
            _along_coordinate(loads, r, probes, bodies, h, value)
        else:
            _along_line(loads, r, bodies, h)
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
    effort = loads.numbers[r, 0]
    loads.effort[r] = effort
    d = effort * frames.direction[m, 0], effort * frames.direction[m, 1], effort * frames.direction[m, 2]
    back = (-d[0], -d[1], -d[2])
    a, b = loads.bodies[r, 0], loads.bodies[r, 1]
    # the bodies of a coordinate: the first one is the second of the joint
    if joints.measure[m] <= LENGTH:
        _act_at(loads.first[r], a, frames.lever_b[m], d)
        _act_at(loads.second[r], b, frames.lever_a[m], back)
    else:
        _turn(loads.first[r], a, d)
        _turn(loads.second[r], b, back)


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
    x, y = _place(a, loads.points, r, 0, bodies), _place(b, loads.points, r, 3, bodies)
    u, v = _velocity_at(a, x, bodies), _velocity_at(b, y, bodies)
    d = (y[0] - x[0], y[1] - x[1], y[2] - x[2])
    length = np.sqrt(dot(*d, *d))
    if length == 0.0:
        loads.value[r] = loads.rate[r] = 0.0
        return  # no direction
    d = (d[0] / length, d[1] / length, d[2] / length)
    rate = dot(*d, v[0] - u[0], v[1] - u[1], v[2] - u[2])
    loads.value[r], loads.rate[r] = length, rate
    effort = loads.numbers[r, 0]
    loads.effort[r] = effort
    f = (effort * d[0], effort * d[1], effort * d[2])
    _act(loads.first[r], a, x, f, bodies)
    _act(loads.second[r], b, y, (-f[0], -f[1], -f[2]), bodies)
