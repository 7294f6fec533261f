"""Joints become rows: what they hold, their stops, springs, motors and controllers, one row each.

As with contacts, rows are built once per time level and serve `settle` at that time and `correct` of the
step that follows. A row of a joint is a measure (`measures`) in one of these roles:

HOLD   the measure keeps its target: zero error at t + h by the preview, zero rate at t + h
       (Bender 2007, section 3.2.1).
LIMIT  the measure stays within two bounds: one-sided, like a contact, with restitution or with a spring.
DRIVE  spring, damper and rate, up to a largest force: springs, servos, motors, dry friction, velocity joints
       (sections 3.2.5 to 3.2.7). Half of its impulse acts at either end of the step. The spring's is that of
       the mean displacement over the step, h/2 k ((q0 + q1)/2 - target): the implicit midpoint rule, which
       keeps the energy and is stable at any stiffness. The damper is implicit at either end, so a stiff one
       stops its motion instead of reflecting it.
FORCE  a given force: the explicit PID controller of section 3.2.5.
ROTOR  an inertia that goes with the measure and with nothing else: its impulse takes from the bodies what it
       gains. It is a row of softness 1 / inertia, whose own rate is that with which the step began.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints, Ints2
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.constraints.rows import (
    BOUNDED,
    SHARED,
    Rows,
    finish_row,
    start_row,
    write_force,
    write_nothing,
    write_torque,
)
from stoss.engine.joints.arrays import CONE, HOLD, LENGTH, LIMIT, SLIDE, SUM, JointArrays
from stoss.engine.joints.couplings import build_coupled_row, far_bodies
from stoss.engine.joints.curves import follow
from stoss.engine.joints.measures import (
    counts_turns,
    gradient,
    lever_arms,
    measure,
    slide,
    turned,
    write_geometry,
)
from stoss.engine.joints.placement import JointFrames, place_parts
from stoss.engine.joints.roles import nearer_stop, one_sided
from stoss.engine.joints.stop_curve_measures import choose_pieces, curve_measure

__all__ = ["ALL", "HOLDS", "PLACES", "build_joint_rows", "count_joint_rows", "set_separation_biases"]

# Which rows are built: all, those that hold, or those that say where bodies may be: what holds, and stops.
ALL, HOLDS, PLACES = range(3)


@kernel(allocates=True)
def count_joint_rows(joints: JointArrays, bodies: BodyArrays) -> tuple[Bools, Ints, Ints, Ints, Ints2]:
    """Return which joints take part (enabled, and a body that reacts), and their `ALL`, `HOLDS`, `PLACES`.

    And the bodies (j, 2) besides the joint's that react to those that are SHARED, else -1.
    """
    taking_part = np.zeros(len(joints.enabled), np.bool_)
    rows = np.zeros(len(joints.enabled), np.int64)
    holds = np.zeros(len(joints.enabled), np.int64)
    places = np.zeros(len(joints.enabled), np.int64)
    far = np.full((len(joints.enabled), 2), -1)
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
            places[j] += (joints.role[m] == HOLD or joints.role[m] == LIMIT) and joints.active[m]
            if joints.measure[m] == SUM and joints.active[m]:
                far[j, 0], far[j, 1] = far_bodies(joints, j, bodies.kinds)
        taking_part[j] = taking_part[j] and rows[j] > 0
    return taking_part, rows, holds, places, far


@kernel
def build_joint_rows(
    joints: JointArrays,
    frames: JointFrames,
    blocks: Ints,
    which: int,
    bodies: BodyArrays,
    sqrt_inverse_inertia: Floats2,
    rows: Rows,
    h: float,
) -> None:
    """Build the rows of all joints that take part, at the present poses: everything but biases and limits.

    Args:
        joints, frames: values of the rows, and frames, are written.
        blocks: (j,) block of each joint, whose first row is in place, -1 if it takes no part.
        which: `ALL` with the impulses that they had; `HOLDS` or `PLACES` without impulses.
        bodies, roots, rows: rows receive jacobians, kinds, impulses and states of the last phase.
        h: time [s] since the rows were last built: angles go on from where their rate has brought them, so
            that a wheel may turn by more than half a turn in a step.
    """
    place_parts(joints, bodies.positions, bodies.quaternions, frames.places)
    for j in range(len(blocks)):
        block = blocks[j]
        if block < 0 and which != ALL:
            continue
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        if block < 0:
            # takes no part, but turns are counted
            for m in range(joints.row_start[j], joints.row_start[j + 1]):
                p = joints.part[m]
                if joints.measure[m] >= SUM:
                    joints.value[m] = joints.value[m - 1] - follow(joints, m, joints.value[m - 2])[0]
                else:
                    _measure_again(joints, frames.places, m, joints.ends[p, 0], joints.ends[p, 1], bodies, h)
            continue
        r = rows.start[block]
        first = a if a >= 0 and bodies.kinds[a] == DYNAMIC else -1
        second = b if b >= 0 and bodies.kinds[b] == DYNAMIC else -1
        rows.bodies[block, 0], rows.bodies[block, 1] = first, second
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            holds = joints.role[m] == HOLD
            if (which == HOLDS and not holds) or (which == PLACES and not holds and joints.role[m] != LIMIT):
                continue
            kind = joints.measure[m]
            if kind >= SUM:
                if joints.active[m]:
                    build_coupled_row(joints, frames, m, bodies, sqrt_inverse_inertia, rows, block, r)
                    if which == ALL:
                        rows.impulse[r] = joints.impulse[m]
                        rows.state[r] = joints.state[m]
                        if rows.kind[r] == SHARED:
                            rows.impulse[r - 1], rows.state[r - 1] = rows.impulse[r], rows.state[r]
                    r += 1
                continue
            if not joints.active[m]:
                p = joints.part[m]  # of a coordinate that is coupled, perhaps, between other bodies
                _measure_again(joints, frames.places, m, joints.ends[p, 0], joints.ends[p, 1], bodies, h)
                continue
            direction = _measure_again(joints, frames.places, m, a, b, bodies, h)
            lever_a, lever_b = lever_arms(kind, joints.part[m], a, b, frames.places, bodies.positions)
            write_geometry(frames, m, direction, lever_a, lever_b)
            start_row(rows, r, BOUNDED, -np.inf if holds else 0.0, np.inf if holds else 0.0)
            # the impulse acts on the second body, its opposite on the first
            linear = kind <= LENGTH
            _write_half(rows, r, 0, -1.0, linear, direction, lever_a, bodies, sqrt_inverse_inertia, first)
            _write_half(rows, r, 1, 1.0, linear, direction, lever_b, bodies, sqrt_inverse_inertia, second)
            finish_row(rows, r)
            if which == ALL:
                rows.impulse[r] = joints.impulse[m]
                rows.state[r] = joints.state[m]
            r += 1


@inner(always=True)
def _measure_again(joints, places, m, a, b, bodies, h):
    """Bring the value of row m up to date; return the direction of its gradient."""
    kind, axis, p = joints.measure[m], joints.axis[m], joints.part[m]
    if kind == SLIDE:
        joints.value[m], d0, d1, d2 = slide(axis, p, places)
        return d0, d1, d2
    value = joints.value[m]
    if kind >= CONE:
        if kind == CONE and axis == 0:
            choose_pieces(joints, places, m)
        joints.value[m], d0, d1, d2 = curve_measure(joints, places, m, joints.piece[m], value)
        return d0, d1, d2
    d0, d1, d2 = gradient(kind, axis, p, places)
    if h != 0.0 and counts_turns(kind):
        value += turned(kind, p, places, a, b, bodies.angular_velocities, h)
    joints.value[m] = measure(kind, axis, p, places, value)
    return d0, d1, d2


@inner(always=True)
def _write_half(rows, r, half, sign, linear, direction, lever, bodies, sqrt_inverse_inertia, i):
    """Write the half of row r for body i, -1 for one that does not react: of a force or of a torque."""
    if i < 0:
        write_nothing(rows, r, half)
    elif linear:
        write_force(rows, r, half, sign, direction, lever, bodies, sqrt_inverse_inertia, i)
    else:
        write_torque(rows, r, half, sign, direction, bodies, sqrt_inverse_inertia, i)


@kernel
def set_separation_biases(
    joints: JointArrays,
    frames: JointFrames,
    blocks: Ints,
    rows: Rows,
    h: float,
    speed: float,
    first_round: bool,
    allowed: Floats,
) -> None:
    """Let the displacement close joints and bring them back to their stops; rows are those of `PLACES`.

    By at most speed h, and what is beyond a stop only if it stays there; the first round notes how far beyond
    that leaves it in `allowed` (measures,), and it must not go farther. What has not reached its stop may go
    up to it, not beyond.
    """
    most = speed * h
    for j in range(len(blocks)):
        if blocks[j] < 0:
            continue
        r = rows.start[blocks[j]]
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            if joints.role[m] == HOLD:
                rows.bias[r] = min(max(joints.value[m] - joints.target[m], -most), most)
                r += 1
            elif joints.role[m] == LIMIT:
                _set_stop_bias(joints, frames, rows, m, r, most, first_round, allowed)
                r += 1


@inner
def _set_stop_bias(joints, frames, rows, m, r, most, first_round, allowed):
    """Set row r of the stop m, see `set_separation_biases`; a soft stop is bent no farther, or less."""
    value = joints.value[m]
    side = nearer_stop(value, joints.led[m, 0], joints.led[m, 1])
    end = 1 if side > 0 else 0
    rows.lower[r], rows.upper[r] = one_sided(side)
    off = value - joints.led[m, end]
    if first_round:
        # what a soft stop cannot have been bent was bent in this sub-step, and is not so at its end
        shift = frames.beyond[m] if joints.stiffness[m] < np.inf else min(frames.beyond[m], most)
        allowed[m] = max(side * off - shift, 0.0) if side * off > 0.0 else 0.0
    rows.bias[r] = off - side * allowed[m]
