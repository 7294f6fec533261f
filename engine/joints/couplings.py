"""Rows that couple two coordinates: gears, racks, screws. Their measure is q2 - ratio q1.

The two coordinates are rows of the same joint that only measure: the two in front of the row that couples
them. Each is measured by a part of its own, between two bodies of its own, so that four bodies may react. The
jacobian is the sum of both gradients (SUM); what is between other bodies than the two of the joint is the
REST of a row that is SHARED. Where two wheels and their common carrier react (MESH), the row may be the
force between teeth, at a place of the carrier that the ratio decides, on one wheel and against the other: by
the axles the carrier takes what is left, as in a gearbox. On what axles leave free both are the same.
"""

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2
from stoss.engine.bodies.arrays import DYNAMIC, KINEMATIC, BodyArrays
from stoss.engine.constraints.mass_weighting import symmetric_times
from stoss.engine.constraints.rows import (
    BOUNDED,
    Rows,
    across_plane,
    finish_row,
    share_row,
    start_row,
    within_plane,
    write_force,
    write_nothing,
)
from stoss.engine.joints.arrays import LENGTH, MESH, SLIDE, SUM, JointArrays
from stoss.engine.joints.curves import follow
from stoss.engine.joints.measures import (
    counts_turns,
    gradient,
    lever_arms,
    measure,
    relative_rate,
    turned,
    write_geometry,
)
from stoss.engine.joints.placement import JointFrames

__all__ = [
    "build_coupled_row",
    "coupled_preview",
    "coupled_rate",
    "coupled_value",
    "driven_rate",
    "far_bodies",
    "gather_coupled",
    "join_far",
]

ROUNDING = 1e-14  # of both terms, relative to them


@inner
def far_bodies(joints, j, kinds):
    """Return which bodies react to the coupling j besides those of the joint, if these do.

    (-1, -1) if there are none, one and the joint's second if there is one.
    """
    a, b = joints.bodies[j, 0], joints.bodies[j, 1]
    one = -1
    if a < 0 or b < 0 or kinds[a] != DYNAMIC or kinds[b] != DYNAMIC:
        return one, one
    for p in range(joints.part_start[j], joints.part_start[j + 1]):
        for end in range(2):
            i = joints.ends[p, end]
            if i < 0 or i == a or i == b or i == one or kinds[i] != DYNAMIC:
                continue
            if one >= 0:
                return one, i
            one = i
    return one, (b if one >= 0 else -1)


@inner
def join_far(bodies, block, x, y, far):
    """Write into bodies (blocks, 2) those of a coupling's blocks; return how many blocks there are.

    Its second half, the one with the joint's bodies, which is `block`, and one for each pair of one of each.
    """
    z, w = far
    bodies[block - 1, 0], bodies[block - 1, 1] = z, w
    bodies[block, 0], bodies[block, 1] = x, y
    bodies[block + 1, 0], bodies[block + 1, 1] = x, z
    if w == y:
        return 3
    bodies[block + 2, 0], bodies[block + 2, 1] = x, w
    bodies[block + 3, 0], bodies[block + 3, 1] = y, z
    bodies[block + 4, 0], bodies[block + 4, 1] = y, w
    return 6


@inner
def _weight(joints, m, term):
    """Return the factor of the first (0) or second (1) of both coordinates in row m."""
    return 1.0 if term == 1 else -joints.ratio[m]


@kernel
def coupled_value(joints: JointArrays, frames: JointFrames, m: int) -> float:
    """Return the measure of row m where the parts are placed; angles go on from their last values."""
    total = 0.0
    for term in range(2):
        t = m - 2 + term
        p = joints.part[t]
        value = measure(joints.measure[t], joints.axis[t], p, frames.places, joints.value[t])
        total += value if term == 1 else -follow(joints, m, value)[0]
    return total


@kernel
def coupled_preview(joints: JointArrays, frames: JointFrames, m: int, bodies: BodyArrays, h: float) -> float:
    """Return the measure of row m at t + h, where the parts of the preview are placed.

    After many turns it is the difference of large numbers: what is rounding is no miss of its target.
    """
    total = 0.0
    size = 0.0
    for term in range(2):
        t = m - 2 + term
        kind, p, old = joints.measure[t], joints.part[t], joints.value[t]
        if counts_turns(kind):
            a, b = joints.ends[p, 0], joints.ends[p, 1]
            old += turned(kind, p, frames.places, a, b, bodies.angular_velocities, h)
        own = measure(kind, joints.axis[t], p, frames.places, old)
        own = own if term == 1 else -follow(joints, m, own)[0]
        total += own
        size += abs(own)
    return joints.target[m] if abs(total - joints.target[m]) <= ROUNDING * size else total


@kernel
def coupled_rate(
    joints: JointArrays, frames: JointFrames, m: int, velocities: Floats2, angular_velocities: Floats2
) -> float:
    """Return J v of row m."""
    rate = 0.0
    if joints.measure[m] == MESH:
        j = joints.joint[joints.part[m]]
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        return relative_rate(True, m, a, b, frames, velocities, angular_velocities)
    for term in range(2):
        t = m - 2 + term
        p = joints.part[t]
        a, b, linear = joints.ends[p, 0], joints.ends[p, 1], joints.measure[t] <= LENGTH
        own = relative_rate(linear, t, a, b, frames, velocities, angular_velocities)
        rate += _weight(joints, m, term) * own
    return rate


@inner
def _lever_of(joints, places, t, carrier, point, direction):
    """Return the rate of a force line's points, on what moves, for a unit rate of the coordinate of row t."""
    p = joints.part[t]
    sign = 1.0 if joints.ends[p, 0] == carrier else -1.0
    d0, d1, d2 = direction
    axes, origin = places.axes_a[p], places.point_a[p]
    if joints.measure[t] == SLIDE:
        i = 3 * joints.axis[t]
        return sign * dot(axes[i], axes[i + 1], axes[i + 2], d0, d1, d2)
    x, y, z = cross(point[0] - origin[0], point[1] - origin[1], point[2] - origin[2], d0, d1, d2)
    return sign * dot(axes[6], axes[7], axes[8], x, y, z)


@inner
def _write_mesh(joints, frames, m, bodies, sqrt_inverse_inertia, rows, block, r):
    """Write the jacobian of two wheels whose teeth meet: a force on one, its opposite on the other."""
    places, p = frames.places, joints.part[m]
    point = (places.point_a[p, 0], places.point_a[p, 1], places.point_a[p, 2])
    d0, d1, d2 = places.axes_a[p, 0], places.axes_a[p, 1], places.axes_a[p, 2]
    lever = _lever_of(joints, places, m - 1, joints.ends[p, 0], point, (d0, d1, d2))
    direction = (d0 / lever, d1 / lever, d2 / lever)
    j = joints.joint[p]
    a, b = joints.bodies[j, 0], joints.bodies[j, 1]
    x, y = bodies.positions[a], bodies.positions[b]
    lever_a = (point[0] - x[0], point[1] - x[1], point[2] - x[2])
    lever_b = (point[0] - y[0], point[1] - y[1], point[2] - y[2])
    write_geometry(frames, m, direction, lever_a, lever_b)
    if rows.bodies[block, 0] >= 0:
        write_force(rows, r, 0, -1.0, direction, lever_a, bodies, sqrt_inverse_inertia, a)
    if rows.bodies[block, 1] >= 0:
        write_force(rows, r, 1, 1.0, direction, lever_b, bodies, sqrt_inverse_inertia, b)


@kernel
def build_coupled_row(
    joints: JointArrays,
    frames: JointFrames,
    m: int,
    bodies: BodyArrays,
    sqrt_inverse_inertia: Floats2,
    rows: Rows,
    block: int,
    r: int,
) -> None:
    """Measure the coordinates of row m, whose parts are placed, and write its jacobian as row r."""
    x_body, y_body = rows.bodies[block, 0], rows.bodies[block, 1]
    far = (-1, -1)
    if joints.measure[m] == SUM:
        far = far_bodies(joints, joints.joint[joints.part[m]], bodies.kinds)
    wide = far[0] >= 0
    for half in range(2):
        write_nothing(rows, r, half)
        if wide:
            write_nothing(rows, r - 1, half)
    if wide:
        join_far(rows.bodies, block, x_body, y_body, far)
    zero = (0.0, 0.0, 0.0)
    write_geometry(frames, m, zero, zero, zero)
    total = 0.0
    for term in range(2):
        t = m - 2 + term
        kind, axis, p = joints.measure[t], joints.axis[t], joints.part[t]
        a, b = joints.ends[p, 0], joints.ends[p, 1]
        direction = gradient(kind, axis, p, frames.places)
        lever_a, lever_b = lever_arms(kind, p, a, b, frames.places, bodies.positions)
        write_geometry(frames, t, direction, lever_a, lever_b)
        joints.value[t] = measure(kind, axis, p, frames.places, joints.value[t])
        if term == 0:
            followed, joints.ratio[m] = follow(joints, m, joints.value[t])
            total -= followed
        else:
            total += joints.value[t]
        weight = _weight(joints, m, term)
        if joints.measure[m] == MESH:
            continue
        d0, d1, d2 = direction
        for end in range(2):
            i, lever, sign = (a, lever_a, -weight) if end == 0 else (b, lever_b, weight)
            if i < 0 or bodies.kinds[i] != DYNAMIC:
                continue
            jacobian = rows.jacobian[r if i == x_body or i == y_body else r - 1]
            at = 0 if i == x_body or i == far[0] else 6
            x, y, z = d0, d1, d2
            plane = bodies.plane[i]
            if kind <= LENGTH:
                if plane != 0:
                    x, y, z = within_plane(plane, x, y, z)
                force = sign * bodies.sqrt_inverse_masses[i]
                jacobian[at] += force * x
                jacobian[at + 1] += force * y
                jacobian[at + 2] += force * z
                x, y, z = cross(lever[0], lever[1], lever[2], x, y, z)
            elif plane != 0:
                x, y, z = across_plane(plane, x, y, z)
            x, y, z = symmetric_times(sqrt_inverse_inertia[i], x, y, z)
            jacobian[at + 3] += sign * x
            jacobian[at + 4] += sign * y
            jacobian[at + 5] += sign * z
    joints.value[m] = total
    if joints.measure[m] == MESH:
        _write_mesh(joints, frames, m, bodies, sqrt_inverse_inertia, rows, block, r)
    start_row(rows, r, BOUNDED, -float("inf"), float("inf"))
    if wide:
        share_row(rows, r)
    else:
        finish_row(rows, r)


@kernel
def gather_coupled(joints: JointArrays, frames: JointFrames, j: int, m: int, impulse: float) -> None:
    """Add to the reaction of joint j what an impulse of row m does to its second body."""
    second, reaction = joints.bodies[j, 1], joints.reaction[j]
    if joints.measure[m] == MESH:
        d, p, q = frames.direction[m], joints.part[m], joints.part[m - 1]
        point, axle = frames.places.point_a[p], frames.places.point_b[q]
        f0, f1, f2 = impulse * d[0], impulse * d[1], impulse * d[2]
        x, y, z = cross(point[0] - axle[0], point[1] - axle[1], point[2] - axle[2], f0, f1, f2)
        reaction[0] += f0
        reaction[1] += f1
        reaction[2] += f2
        reaction[3] += x
        reaction[4] += y
        reaction[5] += z
        return
    for term in range(2):
        t = m - 2 + term
        p, d = joints.part[t], frames.direction[t]
        for end in range(2):
            if joints.ends[p, end] != second:
                continue
            force = impulse * _weight(joints, m, term) * (1.0 if end == 1 else -1.0)
            first = 0 if joints.measure[t] <= LENGTH else 3
            for k in range(3):
                reaction[first + k] += force * d[k]


@kernel
def driven_rate(joints: JointArrays, frames: JointFrames, m: int, bodies: BodyArrays) -> float:
    """Return the part of J v of row m that kinematic bodies make."""
    rate = 0.0
    if joints.measure[m] == MESH:
        j = joints.joint[joints.part[m]]
        for half in range(2):
            i = joints.bodies[j, half]
            if i >= 0 and bodies.kinds[i] == KINEMATIC:
                a, b = (i, -1) if half == 0 else (-1, i)
                rate += relative_rate(True, m, a, b, frames, bodies.velocities, bodies.angular_velocities)
        return rate
    for term in range(2):
        t = m - 2 + term
        p, linear = joints.part[t], joints.measure[t] <= LENGTH
        for end in range(2):
            i = joints.ends[p, end]
            if i < 0 or bodies.kinds[i] != KINEMATIC:
                continue
            a, b = (i, -1) if end == 0 else (-1, i)
            own = relative_rate(linear, t, a, b, frames, bodies.velocities, bodies.angular_velocities)
            rate += _weight(joints, m, term) * own
    return rate
