"""Joints become rows: what they hold, their stops, springs, motors and controllers, one row each.

As with contacts, rows are built once per time level and serve `settle` at that time and `correct` of the
step that follows. A row of a joint is a measure (`joint_measures`) in one of four roles:

HOLD   the measure keeps its target: zero error at t + h by the preview, zero rate at t + h
       (Bender 2007, section 3.2.1).
LIMIT  the measure stays within two bounds: one-sided, like a contact, with restitution or with a spring.
DRIVE  spring, damper and rate, up to a largest force: springs, servos, motors, dry friction, velocity joints
       (sections 3.2.5 to 3.2.7). Half of its impulse acts at either end of the step. The spring's is that of
       the mean displacement over the step, h/2 k ((q0 + q1)/2 - target): the implicit midpoint rule, which
       keeps the energy and is stable at any stiffness. The damper is implicit at either end, so a stiff one
       stops its motion instead of reflecting it.
FORCE  a given force: the explicit PID controller of section 3.2.5.
"""

from typing import Annotated

import numpy as np
from stoss.collision.algebra import cross
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.constraints.rows import BOUNDED, FRESH, Rows
from stoss.engine.joints.arrays import DRIVE, FORCE, HOLD, LENGTH, LIMIT, SLIDE, JointArrays
from stoss.engine.joints.measures import (
    PlacedParts,
    arms,
    counts_turns,
    gradient,
    measure,
    place_parts,
    relative_rate,
    relative_turning,
    slide,
)

__all__ = [
    "BEFORE_IMPACTS",
    "JointFrames",
    "build_joint_rows",
    "count_joint_rows",
    "new_joint_frames",
    "prepare_joints_correct",
    "prepare_joints_settle",
    "set_separation_biases",
    "start_held_rows",
]


# In place of the number of a round of impacts: all is settled but stops that are about to be hit.
BEFORE_IMPACTS = -2


class JointFrames(Struct):
    """Geometry of the rows of all joints at one time level, and the step's view of their measures."""

    first_row: Annotated[Ints, "joints"]  # first row of each joint in the system, -1 if it takes no part
    island: Annotated[Ints, "joints"]
    direction: Annotated[Floats, "rows", 3]  # world
    arm_a: Annotated[Floats, "rows", 3]  # [m]
    arm_b: Annotated[Floats, "rows", 3]
    start: Annotated[Floats, "rows"]  # measure at the start of the step
    approach: Annotated[Floats, "rows"]  # speed at which a stop was met in this step, 0 if it was not


def new_joint_frames(joints: int, rows: int) -> JointFrames:
    """Return frames for so many joints and rows, none of which takes part."""
    return JointFrames(
        np.full(joints, -1, np.int64),
        np.zeros(joints, np.int64),
        np.zeros((rows, 3)),
        np.zeros((rows, 3)),
        np.zeros((rows, 3)),
        np.zeros(rows),
        np.zeros(rows),
    )


@inner
def _write_half(jacobian, r, offset, sign, linear, root_mass, roots, i, d0, d1, d2, r0, r1, r2):
    """Write the half of row r for body i, mass-weighted: force direction d at the arm r, or torque d."""
    m = sign * root_mass if linear else 0.0
    jacobian[r, offset] = m * d0
    jacobian[r, offset + 1] = m * d1
    jacobian[r, offset + 2] = m * d2
    if linear:
        d0, d1, d2 = cross(r0, r1, r2, d0, d1, d2)
    jacobian[r, offset + 3] = sign * (roots[i, 0] * d0 + roots[i, 1] * d1 + roots[i, 2] * d2)
    jacobian[r, offset + 4] = sign * (roots[i, 3] * d0 + roots[i, 4] * d1 + roots[i, 5] * d2)
    jacobian[r, offset + 5] = sign * (roots[i, 6] * d0 + roots[i, 7] * d1 + roots[i, 8] * d2)


@kernel(allocates=True)
def count_joint_rows(joints: JointArrays, bodies: BodyArrays) -> tuple[Bools, Ints, Ints]:
    """Return which joints take part (enabled, and a body that reacts), their rows, and those that hold."""
    taking_part = np.zeros(len(joints.enabled), np.bool_)
    rows = np.zeros(len(joints.enabled), np.int64)
    holds = np.zeros(len(joints.enabled), np.int64)
    for j in range(len(joints.enabled)):
        if not joints.enabled[j]:
            continue
        for half in range(2):
            i = joints.bodies[j, half]
            if i >= 0 and bodies.kinds[i] == DYNAMIC:
                taking_part[j] = True
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            rows[j] += joints.active[m]
            holds[j] += joints.role[m] == HOLD and joints.active[m]
        taking_part[j] = taking_part[j] and rows[j] > 0
    return taking_part, rows, holds


@kernel
def build_joint_rows(
    joints: JointArrays,
    frames: JointFrames,
    places: PlacedParts,
    blocks: Ints,
    holds_only: bool,
    bodies: BodyArrays,
    roots: Floats2,
    rows: Rows,
    h: float,
) -> None:
    """Build the rows of all joints that take part, at the present poses: everything but biases and limits.

    Args:
        joints, frames, places: frames and places are written.
        blocks: (j,) block of each joint, whose first row is in place, -1 if it takes no part.
        holds_only: build the rows that hold alone, without impulses: for the displacement of bodies.
        bodies, roots, rows: rows receive jacobians, kinds, impulses and states of the last phase.
        h: time [s] since the rows were last built: angles go on from where their rate has brought them, so
            that a wheel may turn by more than half a turn in a step.
    """
    place_parts(joints, bodies.positions, bodies.quaternions, places)
    positions, kinds, root_masses = bodies.positions, bodies.kinds, bodies.root_inverse_masses
    measures, axes, values, active, roles = (
        joints.measure,
        joints.axis,
        joints.value,
        joints.active,
        joints.role,
    )
    points_a, points_b, axes_a, axes_b = places.point_a, places.point_b, places.axes_a, places.axes_b
    relative = places.relative
    directions, arms_a, arms_b = frames.direction, frames.arm_a, frames.arm_b
    jacobian, angular_velocities = rows.jacobian, bodies.angular_velocities
    for j in range(len(blocks)):
        block = blocks[j]
        if block < 0 and holds_only:
            continue
        if block < 0:
            # takes no part, but turns are counted
            a, b = joints.bodies[j, 0], joints.bodies[j, 1]
            for m in range(joints.row_start[j], joints.row_start[j + 1]):
                p = joints.part[m]
                kind, axis = measures[m], axes[m]
                value = values[m]
                if h != 0.0 and counts_turns(kind):
                    d0, d1, d2 = gradient(kind, axis, p, points_a, points_b, axes_a, axes_b, relative)
                    value += h * relative_turning(d0, d1, d2, a, b, angular_velocities)
                values[m] = measure(kind, axis, p, points_a, points_b, axes_a, relative, value)
            continue
        r = rows.start[block]
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        a_reacts = a >= 0 and kinds[a] == DYNAMIC
        b_reacts = b >= 0 and kinds[b] == DYNAMIC
        rows.bodies[block, 0] = a if a_reacts else -1
        rows.bodies[block, 1] = b if b_reacts else -1
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            p = joints.part[m]
            kind, axis = measures[m], axes[m]
            holds = roles[m] == HOLD
            if holds_only and not holds:
                continue
            if kind == SLIDE:
                values[m], d0, d1, d2 = slide(axis, p, points_a, points_b, axes_a)
            else:
                value = values[m]
                d0, d1, d2 = gradient(kind, axis, p, points_a, points_b, axes_a, axes_b, relative)
                if h != 0.0 and counts_turns(kind):
                    value += h * relative_turning(d0, d1, d2, a, b, angular_velocities)
                values[m] = measure(kind, axis, p, points_a, points_b, axes_a, relative, value)
            if not active[m]:
                continue
            u, v, w, x, y, z = arms(kind, p, a, b, points_a, points_b, positions)
            directions[m, 0], directions[m, 1], directions[m, 2] = d0, d1, d2
            arms_a[m, 0], arms_a[m, 1], arms_a[m, 2] = u, v, w
            arms_b[m, 0], arms_b[m, 1], arms_b[m, 2] = x, y, z
            linear = kind <= LENGTH
            for i in range(12):
                jacobian[r, i] = 0.0
            if a_reacts:
                _write_half(jacobian, r, 0, -1.0, linear, root_masses[a], roots, a, d0, d1, d2, u, v, w)
            if b_reacts:
                _write_half(jacobian, r, 6, 1.0, linear, root_masses[b], roots, b, d0, d1, d2, x, y, z)
            k = 0.0
            for i in range(12):
                k += jacobian[r, i] * jacobian[r, i]
            rows.k[r] = k
            rows.inverse_k[r] = 1.0 / k if k > 0.0 else 0.0
            rows.relaxation[r] = rows.inverse_k[r]
            rows.softness[r] = 0.0
            rows.limiting[r] = r
            rows.friction[r] = 0.0
            rows.static_friction[r] = 0.0
            rows.lower[r] = -np.inf if holds else 0.0
            rows.upper[r] = np.inf if holds else 0.0
            rows.kind[r] = BOUNDED
            if holds_only:
                rows.impulse[r] = 0.0
                rows.state[r] = FRESH
            else:
                rows.impulse[r] = joints.impulse[m]
                rows.state[r] = joints.state[m]
            r += 1


@kernel
def set_separation_biases(joints: JointArrays, blocks: Ints, rows: Rows, most: float) -> None:
    """Let the displacement close joints by at most `most` [m or rad]; rows are built with `holds_only`."""
    for j in range(len(blocks)):
        if blocks[j] < 0:
            continue
        r = rows.start[blocks[j]]
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.role[m] == HOLD and joints.active[m]:
                rows.bias[r] = min(max(joints.value[m] - joints.target[m], -most), most)
                r += 1


@inner
def _side(value, lower, upper):
    """Return on which side a stop is nearer: -1 the lower one, 1 the upper one, 0 if they coincide."""
    if lower == upper:
        return 0
    return -1 if value - lower < upper - value else 1


@inner
def _kept(error, reach):
    """Return what an error may still be at the end of the step: what one step cannot take off it gently."""
    return error - min(max(error, -reach), reach)


@inner
def _one_sided(side):
    """Return the bounds of the impulse of a stop on this side."""
    return (-np.inf if side >= 0 else 0.0), (np.inf if side <= 0 else 0.0)


@inner
def _drive_at_start(k, d, target, target_rate, most, value, mean, half):
    """Return bounds, bias and softness of a drive at t; `mean` is the previewed mean rate."""
    if d == np.inf:
        return -most, most, mean - target_rate, 0.0
    stiff = half * k + d
    if stiff == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    return -most, most, mean + (k * (value - target) - d * target_rate) / stiff, 1.0 / (half * stiff)


@inner
def _drive_at_end(k, d, target, target_rate, lower, upper, middle, rate, half):
    """Return bounds, bias and softness of a drive at t + h; `middle` is the mean of its two values."""
    if d == np.inf:
        return lower, upper, rate - target_rate, 0.0
    spring = -half * k * (middle - target)
    if d == 0.0:
        spring = min(max(spring, lower), upper)
        return spring, spring, 0.0, 0.0
    softness = 1.0 / (half * d)
    return lower, upper, rate - target_rate - softness * spring, softness


@kernel
def prepare_joints_correct(
    joints: JointArrays,
    frames: JointFrames,
    places: PlacedParts,
    rows: Rows,
    bodies: BodyArrays,
    positions: Floats2,
    quaternions: Floats2,
    h: float,
    reach: float,
    resting_speed: float,
    chosen: Bools,
    fresh: bool,
    worst: Floats,
) -> float:
    """Set the rows so that joints hold at t + h, by the preview of the poses.

    Args:
        joints, frames, places, rows, bodies: of time t.
        positions, quaternions: previewed poses.
        h: length of the step [s]; may be negative.
        reach: error [m or rad] that is corrected within this step; what is larger is kept for `separate`.
        resting_speed: [m/s or rad/s] rate above which an elastic stop is left to `settle`.
        chosen: (islands,) which islands are to be prepared.
        fresh: whether the solve is the first of this step.
        worst: (islands,) receives the largest error of the preview.

    Returns:
        The largest error at t of what is held [m or rad].
    """
    place_parts(joints, positions, quaternions, places)
    measures, axes, values, active, roles = (
        joints.measure,
        joints.axis,
        joints.value,
        joints.active,
        joints.role,
    )
    points_a, points_b, axes_a, relative = places.point_a, places.point_b, places.axes_a, places.relative
    directions, angular_velocities = frames.direction, bodies.angular_velocities
    targets, bias, first_row = joints.target, rows.bias, frames.first_row
    row_start, pairs, owners = joints.row_start, joints.bodies, joints.part
    half = 0.5 * h
    farthest = 0.0
    for j in range(len(first_row)):
        r = first_row[j] - 1
        if r < -1 or not chosen[frames.island[j]]:
            continue
        a, b = pairs[j, 0], pairs[j, 1]
        error = 0.0
        held = 0.0
        for m in range(row_start[j], row_start[j + 1]):
            if not active[m]:
                continue
            r += 1
            value = values[m]
            p = owners[m]
            if measures[m] == SLIDE:
                new = slide(axes[m], p, points_a, points_b, axes_a)[0]
            else:
                old = value
                if counts_turns(measures[m]):
                    d0, d1, d2 = directions[m, 0], directions[m, 1], directions[m, 2]
                    old += h * relative_turning(d0, d1, d2, a, b, angular_velocities)
                new = measure(measures[m], axes[m], p, points_a, points_b, axes_a, relative, old)
            role = roles[m]
            if role == HOLD:
                off = value - targets[m]
                farthest = max(farthest, abs(off))
                miss = new - targets[m] - _kept(off, reach)
                held += miss * miss
                bias[r] = miss / h
                continue
            mean = (new - value) / h
            k, d = joints.stiffness[m], joints.damping[m]
            if role == DRIVE:
                most = joints.max_force[m] * abs(half)
                lower, upper, shift, softness = _drive_at_start(
                    k, d, joints.target[m], joints.target_rate[m], most, value, mean, half
                )
            elif role == FORCE:
                lower = upper = half * joints.target_rate[m]
                shift = softness = 0.0
            else:
                side = _side(value, joints.lower[m], joints.upper[m])
                bound = joints.upper[m] if side > 0 else joints.lower[m]
                lower, upper = _one_sided(side)
                if k < np.inf:
                    # the damper acts beyond the bound only, the spring where the middle of the step is
                    d = d if side * (value - bound) > 0.0 else 0.0
                    if half * k + d == 0.0:
                        lower = upper = 0.0
                    _, _, shift, softness = _drive_at_start(k, d, bound, 0.0, 0.0, value, mean, half)
                else:
                    softness = 0.0
                    over = value - bound if side == 0 else side * max(side * (value - bound), 0.0)
                    miss = new - bound - _kept(over, reach)
                    shift = miss / h
                    bounces = False
                    if joints.restitution[m] > 0.0 and side != 0:
                        rate = relative_rate(
                            measures[m] <= LENGTH,
                            m,
                            a,
                            b,
                            frames.direction,
                            frames.arm_a,
                            frames.arm_b,
                            bodies.velocities,
                            bodies.angular_velocities,
                        )
                        bounces = side * rate > resting_speed
                    if bounces:
                        # left to `settle`, else this row would swallow the bounce
                        lower = upper = 0.0
                    else:
                        error = max(error, abs(miss) if rows.impulse[r] != 0.0 else side * miss)
            bias[r] = shift
            rows.softness[r] = softness
            rows.relaxation[r] = 1.0 / (rows.k[r] + softness) if rows.k[r] > 0.0 else 0.0
            if fresh:
                # bounds stay as they are in later passes, whose impulses are applied already
                rows.lower[r] = lower
                rows.upper[r] = upper
                rows.impulse[r] = min(max(rows.impulse[r], lower), upper)
        island = frames.island[j]
        worst[island] = max(worst[island], error, np.sqrt(held))
    return farthest


@kernel
def prepare_joints_settle(
    joints: JointArrays,
    frames: JointFrames,
    rows: Rows,
    bodies: BodyArrays,
    h: float,
    touch: float,
    resting_speed: float,
    impact_round: int,
    find_approaches: bool,
) -> int:
    """Set the rows at the end of the step: joints have no rate, stops are not run into.

    In a round of impacts (`impact_round` >= 0) stops that are met faster than `resting_speed` are stopped:
    judged in the first round by the rate with which they were met (found by a call with `find_approaches`),
    later by what the last round caused. Forces do nothing in the instant of an impact.
    With `impact_round` = BEFORE_IMPACTS those stops are left open, all else is as without impacts.
    Returns how many elastic stops are met (`find_approaches`), or how many stops are hit in this round.
    """
    half = 0.5 * h
    impact = impact_round >= 0
    before_impacts = impact_round == BEFORE_IMPACTS
    hits = 0
    measures, values, active, roles = joints.measure, joints.value, joints.active, joints.role
    directions, arms_a, arms_b = frames.direction, frames.arm_a, frames.arm_b
    velocities, angular_velocities = bodies.velocities, bodies.angular_velocities
    for j in range(len(frames.first_row)):
        r = frames.first_row[j] - 1
        if r < -1:
            continue
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not active[m]:
                continue
            r += 1
            role = roles[m]
            value = values[m]
            if find_approaches and role != LIMIT:
                continue
            linear = measures[m] <= LENGTH
            rate = relative_rate(linear, m, a, b, directions, arms_a, arms_b, velocities, angular_velocities)
            if impact:
                rows.impulse[r] = 0.0
                rows.state[r] = FRESH
            if role == HOLD:
                rows.bias[r] = rate
                continue
            k, d = joints.stiffness[m], joints.damping[m]
            lower = upper = bias = softness = 0.0
            if role == LIMIT:
                side = _side(value, joints.lower[m], joints.upper[m])
                bound = joints.upper[m] if side > 0 else joints.lower[m]
                touches = side * (value - bound) >= -touch
                if find_approaches:
                    meets = k == np.inf and side != 0 and touches and side * rate > 0.0
                    frames.approach[m] = side * rate if meets else 0.0
                    hits += meets and joints.restitution[m] > 0.0
                    continue
                if k < np.inf:
                    if not impact:
                        lower, upper = _one_sided(side)
                        middle = 0.5 * (frames.start[m] + value)
                        d = d if side * (value - bound) > 0.0 else 0.0
                        lower, upper, bias, softness = _drive_at_end(
                            k, d, bound, 0.0, lower, upper, middle, rate, half
                        )
                elif touches or side == 0:
                    bias = rate
                    approach = frames.approach[m] if impact_round == 0 or before_impacts else side * rate
                    hit = side * rate > 0.0 and approach > resting_speed
                    if side == 0 or not (impact or (before_impacts and hit)):
                        lower, upper = _one_sided(side)
                    elif hit and impact:
                        lower, upper = _one_sided(side)
                        bias = rate
                        hits += 1
            elif impact:
                pass
            elif role == DRIVE:
                most = joints.max_force[m] * abs(half)
                middle = 0.5 * (frames.start[m] + value)
                lower, upper, bias, softness = _drive_at_end(
                    k, d, joints.target[m], joints.target_rate[m], -most, most, middle, rate, half
                )
            else:
                lower = upper = half * joints.target_rate[m]
            rows.bias[r] = bias
            rows.softness[r] = softness
            rows.relaxation[r] = 1.0 / (rows.k[r] + softness) if rows.k[r] > 0.0 else 0.0
            rows.lower[r] = lower
            rows.upper[r] = upper
            rows.impulse[r] = min(max(rows.impulse[r], lower), upper)
    return hits


@kernel(allocates=True)
def start_held_rows(
    joints: JointArrays, frames: JointFrames, contact_start: Ints, rows: Rows, z: Floats2, applied: Bools
) -> None:
    """Add the effect of the impulses with which held rows start to z, and note that in `applied` (rows,).

    Only in islands where nothing else carries load, neither contacts nor stops nor drives: half of what keeps
    a body in place would turn it far away.
    """
    jacobian, impulse = rows.jacobian, rows.impulse
    alone = contact_start[:-1] == contact_start[1:]
    for start in range(2):
        for j in range(len(frames.first_row)):
            r = frames.first_row[j] - 1
            island = frames.island[j]
            if r < -1 or not alone[island]:
                continue
            for m in range(joints.row_start[j], joints.row_start[j + 1]):
                if not joints.active[m]:
                    continue
                r += 1
                if joints.role[m] != HOLD:
                    alone[island] = alone[island] and impulse[r] == 0.0
                    continue
                if start == 0:
                    continue
                applied[r] = True
                for half in range(2):
                    i = joints.bodies[j, half]
                    if i >= 0:
                        for k in range(6):
                            z[i, k] += jacobian[r, 6 * half + k] * impulse[r]
