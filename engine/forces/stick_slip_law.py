"""Compliant contact of a point that sticks or slips, with a moment about the normal: Henze 2002, appendix F.

Of a depth d > 0 and the speed w of the point against the ground, with its part w_n along the normal:

    N = max(0, k d - (r_0 + r_1 d) w_n)                                              F.2
    slips:  t = -s w_t - mu N w_t / |w_t|,   m = -mu_m N sign(w_m)                   F.3
    sticks: t = -k_t (x - x_0)_t - r_t w_t,  m = -k_m turn - r_m w_m                 F.4, F.5

A point that touches slips at first. It sticks where its speed has fallen below the stick speed, or friction
has turned it round within a step: a threshold alone is jumped over by fixed steps. It slips where |t| or |m|
would be more than the static coefficient times N. Where it stuck, and how it was turned then, is kept in the
ground.

Dampers that would turn the motion round within a step stop it instead: r becomes r / (1 + h r / m) with the
mass m that is felt at the point, shared by the points of the load on that body.
"""

import numpy as np

from stoss.collision.algebra import dot, quaternion_multiply, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner
from stoss.engine.forces.evaluate import act, mobility_at, turning_mobility, velocity_at

__all__ = [
    "APART",
    "COUNT",
    "DAMPING",
    "DEPTH_DAMPING",
    "DRAG",
    "FRICTION",
    "HOLD",
    "SLIPS",
    "SPIN_FRICTION",
    "STATIC_FRICTION",
    "STATIC_SPIN_FRICTION",
    "STICKS",
    "STICK_SPEED",
    "STICK_SPIN",
    "STIFFNESS",
    "TWIST_DAMPING",
    "TWIST_STIFFNESS",
    "VISCOUS",
    "touch_or_slip",
]

# Numbers of a row.
STIFFNESS, DAMPING, DEPTH_DAMPING, HOLD, DRAG, TWIST_STIFFNESS, TWIST_DAMPING = range(7)
FRICTION, STATIC_FRICTION, VISCOUS, SPIN_FRICTION, STATIC_SPIN_FRICTION, STICK_SPEED, STICK_SPIN = range(
    7, 14
)
COUNT = 14  # points of the load on the same body
# What it remembers: state[0] one of these; 1 to 3 where it stuck, or the velocity with which it slipped; 4 to
# 7 how the body was turned when it stuck, all in the ground.
APART, SLIPS, STICKS = range(3)


@inner
def _slowed(damping, h, mobility):
    """Return a damping that stops a motion within the step at most."""
    return damping / (1.0 + h * damping * mobility)


@inner
def _turn_about(q, o, state, n):
    """Return the angle by which body q has turned about n since it stuck to the ground o."""
    w, x, y, z = quaternion_multiply(o[0], -o[1], -o[2], -o[3], q[0], q[1], q[2], q[3])
    w, x, y, z = quaternion_multiply(w, x, y, z, state[4], -state[5], -state[6], -state[7])
    m = rotate_inverse(o, n[0], n[1], n[2])
    return (
        2.0 * np.arctan2(x * m[0] + y * m[1] + z * m[2], w)
        if w >= 0.0
        else (2.0 * np.arctan2(-x * m[0] - y * m[1] - z * m[2], -w))
    )


@inner
def _stick(state, x, p, q, o):
    """Keep where a point x is in the ground at p, turned by o, and how its body q is turned against that."""
    state[0] = STICKS
    state[1], state[2], state[3] = rotate_inverse(o, x[0] - p[0], x[1] - p[1], x[2] - p[2])
    turn = quaternion_multiply(o[0], -o[1], -o[2], -o[3], q[0], q[1], q[2], q[3])
    state[4], state[5], state[6], state[7] = turn


@inner
def _slip(state, o, v):
    """Keep with what velocity v (world) a point slips."""
    state[0] = SLIPS
    state[1], state[2], state[3] = rotate_inverse(o, v[0], v[1], v[2])


@inner
def touch_or_slip(loads, r, x, depth, n, bodies, h):
    """Push and hold a point x that is in a body by a depth, along its normal n."""
    a, b, c, state = loads.bodies[r, 0], loads.bodies[r, 1], loads.numbers[r], loads.state[r]
    p, q, o = bodies.positions[b], bodies.quaternions[a], bodies.quaternions[b]
    u, v = velocity_at(a, x, bodies), velocity_at(b, x, bodies)
    w = (u[0] - v[0], u[1] - v[1], u[2] - v[2])
    away = dot(*w, *n)
    w = (w[0] - away * n[0], w[1] - away * n[1], w[2] - away * n[2])
    g = bodies.angular_velocities
    spin = dot(g[a, 0] - g[b, 0], g[a, 1] - g[b, 1], g[a, 2] - g[b, 2], *n)
    speed = np.sqrt(dot(*w, *w))
    e = (w[0] / speed, w[1] / speed, w[2] / speed) if speed > 0.0 else _across(n)
    up = c[COUNT] * (mobility_at(a, x, n, bodies) + mobility_at(b, x, n, bodies))
    # velocities are extrapolated to the middle of the step, so dampers have to leave more than nothing; what
    # holds the points resists turning too
    along = 2.0 * c[COUNT] * (mobility_at(a, x, e, bodies) + mobility_at(b, x, e, bodies))
    about = 2.0 * c[COUNT] * (turning_mobility(a, n, bodies) + turning_mobility(b, n, bodies))
    h = abs(h)
    normal = c[STIFFNESS] * depth - _slowed(c[DAMPING] + c[DEPTH_DAMPING] * depth, h, up) * away
    normal = max(normal, 0.0)
    if state[0] == APART:
        _slip(state, o, w)
    if state[0] == SLIPS:
        was = rotate(o, state[1], state[2], state[3])
        before = np.sqrt(dot(*was, *was))
        turned = dot(*was, *w) < 0.0
        slow = (speed < c[STICK_SPEED] and speed <= before) or turned
        if slow and abs(spin) < c[STICK_SPIN]:
            _stick(state, x, p, q, o)
    t, moment, stored = (0.0, 0.0, 0.0), 0.0, 0.0
    if state[0] == STICKS:
        s = rotate(o, state[1], state[2], state[3])
        d = (x[0] - p[0] - s[0], x[1] - p[1] - s[1], x[2] - p[2] - s[2])
        off = dot(*d, *n)
        k, damping = c[HOLD], _slowed(c[DRAG], h, along)
        t = (
            -k * (d[0] - off * n[0]) - damping * w[0],
            -k * (d[1] - off * n[1]) - damping * w[1],
            -k * (d[2] - off * n[2]) - damping * w[2],
        )
        turn = _turn_about(q, o, state, n)
        stored = 0.5 * (k * (dot(*d, *d) - off * off) + c[TWIST_STIFFNESS] * turn * turn)
        moment = -c[TWIST_STIFFNESS] * turn - _slowed(c[TWIST_DAMPING], h, about) * spin
        size = np.sqrt(dot(*t, *t))
        if size > c[STATIC_FRICTION] * normal or abs(moment) > c[STATIC_SPIN_FRICTION] * normal:
            # it begins to slip where it is pulled, from rest: it gets faster, and does not stick at once
            _slip(state, o, (0.0, 0.0, 0.0))
            stored = 0.0
            e = (-t[0] / size, -t[1] / size, -t[2] / size) if size > 0.0 else e
    elif speed > 0.0:
        _slip(state, o, w)
    if state[0] == SLIPS:
        pull = c[VISCOUS] * speed + c[FRICTION] * normal
        t = (-pull * e[0], -pull * e[1], -pull * e[2])
        # it stops the spin within a step, and does not turn it round
        most = abs(spin) / (h * about) if h * about > 0.0 else np.inf
        moment = -np.sign(spin) * min(c[SPIN_FRICTION] * normal, most)
    f = (normal * n[0] + t[0], normal * n[1] + t[1], normal * n[2] + t[2])
    act(loads.first[r], a, x, f, bodies)
    act(loads.second[r], b, x, (-f[0], -f[1], -f[2]), bodies)
    for k in range(3):
        loads.first[r, 3 + k] += moment * n[k]
        loads.second[r, 3 + k] -= moment * n[k]
    loads.effort[r], loads.rate[r] = normal, -away
    loads.potential[r] = 0.5 * c[STIFFNESS] * depth * depth + stored
    loads.stiff[r] = h * h * max(c[STIFFNESS] * up, 0.5 * c[HOLD] * along, 0.5 * c[TWIST_STIFFNESS] * about)


@inner
def _across(n):
    """Return a unit vector that is square to n."""
    if abs(n[2]) < 0.9:
        size = np.sqrt(n[0] * n[0] + n[1] * n[1])
        return -n[1] / size, n[0] / size, 0.0
    size = np.sqrt(n[1] * n[1] + n[2] * n[2])
    return 0.0, -n[2] / size, n[1] / size
