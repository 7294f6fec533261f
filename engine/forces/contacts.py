"""Compliant contact of points with the shapes of a body, by powers of depth: Krieg 1992, section 3.2.2."""

import numpy as np

from stoss.collision.algebra import dot, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2, Ints
from stoss.collision.narrow_phase.mesh import TREE_DEPTH
from stoss.collision.shapes.distances import nearest_on_mesh, nearest_on_shape
from stoss.collision.shapes.kinds import MESH
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.forces.arrays import CONTACT, STICK_SLIP, LoadArrays
from stoss.engine.forces.evaluate import act, mobility_at, place, velocity_at
from stoss.engine.forces.stick_slip_law import touch_or_slip

__all__ = ["STACK", "evaluate_contacts"]

STACK = 2 * TREE_DEPTH


@inner
def _nearest(body, x, shapes, solids, bodies, stack):
    """Return signed distance of a point x of the world from the shapes of a body, and the normal there."""
    p, q = bodies.positions[body], bodies.quaternions[body]
    u, v, w = rotate_inverse(q, x[0] - p[0], x[1] - p[1], x[2] - p[2])
    best, nx, ny, nz = np.inf, 0.0, 0.0, 0.0
    for s in range(len(shapes.kind)):
        if shapes.body[s] != body:
            continue
        turn, at = shapes.local_quaternion[s], shapes.local_position[s]
        a, b, c = rotate_inverse(turn, u - at[0], v - at[1], w - at[2])
        if shapes.kind[s] == MESH:
            gap, e, f, g = nearest_on_mesh(shapes.polyhedron[s], solids, stack, a, b, c, np.inf)
        else:
            gap, e, f, g = nearest_on_shape(s, shapes, solids, a, b, c)
        if gap < best:
            best = gap
            side = 1.0 if gap >= 0.0 else -1.0
            nx, ny, nz = rotate(turn, side * (a - e), side * (b - f), side * (c - g))
    size = np.sqrt(dot(nx, ny, nz, nx, ny, nz))
    if size == 0.0:
        return best, (0.0, 0.0, 0.0)
    return best, rotate(q, nx / size, ny / size, nz / size)


@kernel
def evaluate_contacts(
    loads: LoadArrays,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    bodies: BodyArrays,
    h: float,
    stack: Ints,
    total: Floats2,
) -> None:
    """Evaluate the contacts of points among the loads, and add what they do to forces and torques (n, 6)."""
    for r in range(len(loads.code)):
        code = loads.code[r]
        if (code != CONTACT and code != STICK_SLIP) or not loads.active[r]:
            continue
        a, b = loads.bodies[r, 0], loads.bodies[r, 1]
        x = place(a, loads.points, r, 0, bodies)
        gap, n = _nearest(b, x, shapes, solids, bodies, stack)
        loads.value[r] = -gap
        if gap >= 0.0:
            loads.state[r, 0] = 0.0  # the anchor goes as they part
            continue
        if code == CONTACT:
            _touch(loads, r, x, -gap, n, bodies, h)
        else:
            touch_or_slip(loads, r, x, -gap, n, bodies, h)
        for k in range(6):
            total[a, k] += loads.first[r, k]
            total[b, k] += loads.second[r, k]


@inner
def _touch(loads, r, x, depth, n, bodies, h):
    """Push and hold a point x that is in a body by a depth, along its normal n.

    Normal: A z^p + B z' z^p, never pulling. Tangential, by the way d from the anchor, where they first
    touched: -A_t |d|^(p-1) d - B_t |d|^p d', at most friction times the normal force; the anchor is then
    drawn along. Numbers: A, B, A_t, B_t, p, friction.
    """
    a, b, numbers, state = loads.bodies[r, 0], loads.bodies[r, 1], loads.numbers[r], loads.state[r]
    stiffness, damping, hold, drag, power = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    p, q = bodies.positions[b], bodies.quaternions[b]
    if state[0] == 0.0:
        state[0] = 1.0
        state[1], state[2], state[3] = rotate_inverse(q, x[0] - p[0], x[1] - p[1], x[2] - p[2])
    u, v = velocity_at(a, x, bodies), velocity_at(b, x, bodies)
    w = (u[0] - v[0], u[1] - v[1], u[2] - v[2])
    approach = -dot(*w, *n)
    raised = depth**power
    normal = max((stiffness + damping * approach) * raised, 0.0)
    loads.effort[r], loads.rate[r] = normal, approach
    o = rotate(q, state[1], state[2], state[3])
    d = (x[0] - p[0] - o[0], x[1] - p[1] - o[1], x[2] - p[2] - o[2])
    along, slide = dot(*d, *n), dot(*w, *n)
    d = (d[0] - along * n[0], d[1] - along * n[1], d[2] - along * n[2])
    w = (w[0] - slide * n[0], w[1] - slide * n[1], w[2] - slide * n[2])
    way = np.sqrt(dot(*d, *d))
    pull, resist = (hold * way ** (power - 1.0), drag * way**power) if way > 0.0 else (0.0, 0.0)
    t = (-pull * d[0] - resist * w[0], -pull * d[1] - resist * w[1], -pull * d[2] - resist * w[2])
    size, most = np.sqrt(dot(*t, *t)), numbers[5] * normal
    if size > most:
        share = most / size
        t = (share * t[0], share * t[1], share * t[2])
        kept = (most / hold) ** (1.0 / power) if hold > 0.0 else 0.0
        if way > kept:
            # the anchor is drawn along, as far as the friction does not hold it
            back = (way - kept) / way
            e = rotate_inverse(q, back * d[0], back * d[1], back * d[2])
            state[1], state[2], state[3] = state[1] + e[0], state[2] + e[1], state[3] + e[2]
    f = (normal * n[0] + t[0], normal * n[1] + t[1], normal * n[2] + t[2])
    act(loads.first[r], a, x, f, bodies)
    act(loads.second[r], b, x, (-f[0], -f[1], -f[2]), bodies)
    loads.potential[r] = stiffness * raised * depth / (power + 1.0)
    mobility = mobility_at(a, x, n, bodies) + mobility_at(b, x, n, bodies)
    loads.stiff[r] = max(h * h * power * normal / depth, 2.0 * h * damping * raised) * mobility
