"""Separate overlapping bodies by displacing them, without impulses, so that no energy enters.

A body that met another one within the step lies inside it by up to speed times step; that fresh overlap is
removed at once, the impact itself is left to `settle`. Older overlap, from a start inside each other or from
sweeps that were stopped early, is removed slowly. The displacements are rows like any others, for the same
solvers: unknown is the mass-weighted displacement in place of the velocity. Where nothing from outside
pushes, velocities are changed after all, by as little as angular momentum needs (`momentum`).
"""

import numpy as np

from stoss.collision.algebra import (
    cross,
    dot,
    quaternion_multiply,
    rotate,
    rotation_vector_to_quaternion,
)
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Bools, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays, BodyScratch
from stoss.engine.bodies.energy import energy_and_momentum
from stoss.engine.constraints.islands import Islands, Layout
from stoss.engine.constraints.mass_weighting import symmetric_times, world_sqrt_inverse_inertias
from stoss.engine.constraints.rows import BOUNDED, Rows, finish_rows, start_row, write_force
from stoss.engine.joints.constraints import PLACES, build_joint_rows, set_separation_biases
from stoss.engine.joints.state import find_joint_errors
from stoss.engine.joints.stops import stops_passed
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.ledger import DISPLACED
from stoss.engine.stages.lift import find_old_overlaps, pay_for_lift
from stoss.engine.stages.momentum import (
    keep_angular_momenta,
    leave_out_held,
    restore_angular_momenta,
)

__all__ = ["Separation"]

# Rounds of displacement: the first one removes overlaps, the others close the joints that it opened.
SEPARATION_ROUNDS = 3
# Overlap that is left alone, as a share of the position tolerance.
SLOP = 0.1
LESS = 0.01  # share of an overlap by which it must shrink in a step, unless it is jammed


def _jammed_contacts(before: np.ndarray, after: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """Return the contacts that overlap by more than `depth` [m], no less than before bodies were displaced.

    So it is where bodies are wedged between others that do not give way: what one contact asks for
    contradicts what another one does.

    Args:
        before, after: (c,) gaps [m].
        depth: (c,) [m] above what impacts and sweeps that ended early leave.
    """
    return np.flatnonzero((after < -depth) & (after <= (1.0 - LESS) * before))


@kernel(allocates=True)
def _overlapping_islands(contacts: ContactArrays, order: Ints, contact_start: Ints, slop: float) -> Bools:
    """Return which islands have a contact that overlaps by more than `slop` [m]."""
    out = np.zeros(len(contact_start) - 1, np.bool_)
    for island in range(len(out)):
        for k in range(contact_start[island], contact_start[island + 1]):
            if contacts.gap[order[k]] < -slop:
                out[island] = True
                break
    return out


@kernel
def _build_rows(
    contacts: ContactArrays,
    layout: Layout,
    bodies: BodyArrays,
    scratch: BodyScratch,
    rows: Rows,
    h: float,
    rate: float,
    speed: float,
    slop: float,
    first_round: bool,
) -> None:
    """Build one normal row per contact, in the order of the blocks: its gap after the displacement.

    A contact across a gap may close it, not more. An overlap shrinks by what the bodies have approached in
    this step, or, if that is more, by the share `rate` of it, at most speed h; after the first round, which
    did that, it must not grow. The first rows of the blocks are in place.
    """
    order, blocks, sqrt_inverse_inertia = layout.contacts, layout.contact_block, scratch.sqrt_inverse_inertia
    run = last = rows.start[blocks[0]] if len(order) > 0 else 0  # rows that follow each other
    for k in range(len(order)):
        c = order[k]
        block = blocks[k]
        r = rows.start[block]
        a = contacts.body_a[c]
        b = contacts.body_b[c]
        n0, n1, n2 = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
        approach = 0.0
        for half in range(2):
            i = a if half == 0 else b
            sign = 1.0 if half == 0 else -1.0
            arm0 = 0.5 * (contacts.point_a[c, 0] + contacts.point_b[c, 0]) - bodies.positions[i, 0]
            arm1 = 0.5 * (contacts.point_a[c, 1] + contacts.point_b[c, 1]) - bodies.positions[i, 1]
            arm2 = 0.5 * (contacts.point_a[c, 2] + contacts.point_b[c, 2]) - bodies.positions[i, 2]
            x, y, z = cross(arm0, arm1, arm2, n0, n1, n2)
            v, w = bodies.velocities[i], bodies.angular_velocities[i]
            approach -= sign * (dot(n0, n1, n2, v[0], v[1], v[2]) + dot(x, y, z, w[0], w[1], w[2]))
            write_force(
                rows, r, half, sign, (n0, n1, n2), (arm0, arm1, arm2), bodies, sqrt_inverse_inertia, i
            )
            rows.bodies[block, half] = i if bodies.kinds[i] == DYNAMIC else -1
        gap = contacts.gap[c]
        if gap >= 0.0:
            rows.bias[r] = gap
        elif first_round:
            depth = max(-gap - slop, 0.0)
            rows.bias[r] = -min(depth, max(approach * h, min(rate * depth, speed * h)))
        else:
            rows.bias[r] = 0.0
        start_row(rows, r, BOUNDED, r, 0.0, np.inf)
        if r != last:
            finish_rows(rows, run, last)
            run = r
        last = r + 1
    finish_rows(rows, run, last)


@inner
def _limit(z, members, bodies, h, speed):
    """Shorten the displacement z of an island so that no body is moved too fast.

    Old overlaps are removed at `speed` each, but in a pile they add up. The limit is twice that, plus twice
    the fastest body's own speed, which fresh overlaps are in proportion to.
    """
    farthest = 0.0
    fastest = 0.0
    for i in members:
        m = bodies.sqrt_inverse_masses[i]
        v = bodies.velocities[i]
        farthest = max(farthest, m * np.sqrt(dot(z[i, 0], z[i, 1], z[i, 2], z[i, 0], z[i, 1], z[i, 2])))
        fastest = max(fastest, np.sqrt(dot(v[0], v[1], v[2], v[0], v[1], v[2])))
    reach = 2.0 * h * (speed + fastest)
    if farthest > reach:
        for i in members:
            for k in range(6):
                z[i, k] *= reach / farthest


@kernel
def _displace(
    contacts: ContactArrays,
    layout: Layout,
    islands: Islands,
    displaced: Bools,
    bodies: BodyArrays,
    scratch: BodyScratch,
    h: float,
    speed: float,
) -> None:
    """Displace the bodies of the islands `displaced` by z, and clear it.

    Points, gaps, poses and the directions of angular velocities are updated; normals are kept.
    """
    z, sqrt_inverse_inertia = scratch.z, scratch.sqrt_inverse_inertia
    order, contact_start, body_start = layout.contacts, layout.contact_start, islands.body_start
    for island in range(len(displaced)):
        if not displaced[island]:
            continue
        _limit(z, islands.bodies[body_start[island] : body_start[island + 1]], bodies, h, speed)
        for k in range(contact_start[island], contact_start[island + 1]):
            c = order[k]
            for half in range(2):
                i = contacts.body_a[c] if half == 0 else contacts.body_b[c]
                point = contacts.point_a[c] if half == 0 else contacts.point_b[c]
                if bodies.kinds[i] != DYNAMIC:
                    continue
                m = bodies.sqrt_inverse_masses[i]
                w0, w1, w2 = symmetric_times(sqrt_inverse_inertia[i], z[i, 3], z[i, 4], z[i, 5])
                x, y, s = cross(
                    w0,
                    w1,
                    w2,
                    point[0] - bodies.positions[i, 0],
                    point[1] - bodies.positions[i, 1],
                    point[2] - bodies.positions[i, 2],
                )
                point[0] += m * z[i, 0] + x
                point[1] += m * z[i, 1] + y
                point[2] += m * z[i, 2] + s
            contacts.gap[c] = dot(
                contacts.normal[c, 0],
                contacts.normal[c, 1],
                contacts.normal[c, 2],
                contacts.point_a[c, 0] - contacts.point_b[c, 0],
                contacts.point_a[c, 1] - contacts.point_b[c, 1],
                contacts.point_a[c, 2] - contacts.point_b[c, 2],
            )
        for at in range(body_start[island], body_start[island + 1]):
            i = islands.bodies[at]
            m = bodies.sqrt_inverse_masses[i]
            w0, w1, w2 = symmetric_times(sqrt_inverse_inertia[i], z[i, 3], z[i, 4], z[i, 5])
            for k in range(3):
                bodies.positions[i, k] += m * z[i, k]
            t0, t1, t2, t3 = rotation_vector_to_quaternion(w0, w1, w2)
            # turning with the body, the angular velocity keeps its energy
            w = bodies.angular_velocities[i]
            w[0], w[1], w[2] = rotate((t0, t1, t2, t3), w[0], w[1], w[2])
            q = bodies.quaternions[i]
            p0, p1, p2, p3 = quaternion_multiply(t0, t1, t2, t3, q[0], q[1], q[2], q[3])
            scale = 1.0 / np.sqrt(p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3)
            q[0], q[1], q[2], q[3] = p0 * scale, p1 * scale, p2 * scale, p3 * scale
            for k in range(6):
                z[i, k] = 0.0


class Separation:
    """Displace the bodies of a constraint system that overlap, or whose joints are open.

    Args:
        system: contacts, islands and joints.
    """

    def __init__(self, system: ConstraintSystem) -> None:
        self._system = system
        self._table = Table(Rows)

    def separate(self, h: float, closed: bool) -> None:
        """Displace bodies at the end of a sub-step of length h [s]; note energy and jammed contacts.

        Args:
            h: may be negative [s].
            closed: whether all joints are known to be closed, those beyond their stops excepted.
        """
        system, state = self._system, self._system.state
        settings = state.settings
        slop = SLOP * settings.position_tolerance
        gaps = system.contacts.gap[: system.contacts.count]
        depth = -gaps.min() if len(gaps) else 0.0
        broken = None
        if len(system.acting_joints) and not closed:
            broken = self._joint_errors() > settings.correction_speed * abs(h)
        passed = self._stops_passed(h)
        if depth <= slop and passed is None and (broken is None or not broken.any()):
            return
        before = gaps.copy()
        state.ledger[DISPLACED] -= energy_and_momentum(state.bodies, state.gravity)[:2].sum()
        paying = self._paying(h, depth, slop, broken)
        old_positions = state.bodies.positions.copy() if paying is not None else before
        self._displace(h, depth, slop, broken, passed)
        if paying is not None:
            pay_for_lift(system.islands, paying, state.bodies, old_positions, state.gravity)
        state.ledger[DISPLACED] += energy_and_momentum(state.bodies, state.gravity)[:2].sum()
        system.jammed = _jammed_contacts(before, gaps, self._jam_depths(depth))

    def _paying(self, h: float, depth: float, slop: float, broken: np.ndarray | None) -> np.ndarray | None:
        """Return the islands (islands,) that pay for being lifted; None if there are none.

        Those with joints: that are open, or that hold bodies in an overlap. Where unjointed bodies are lifted
        out of a fresh overlap, the speed of their impact accounts for it.
        """
        system, state = self._system, self._system.state
        if not len(system.acting_joints):
            return None
        paying = np.zeros(len(system.islands.body_start) - 1, np.bool_)
        if depth > slop:
            find_old_overlaps(system.contacts.arrays, system.layout, state.bodies, abs(h), slop, paying)
            paying &= system.has_joints
        if broken is not None:
            paying |= broken
        return paying if paying.any() else None

    def _jam_depths(self, depth: float) -> np.ndarray:
        """Return for each contact the overlap [m] from which on it may be jammed; `depth` is the deepest."""
        system, settings = self._system, self._system.state.settings
        depths = np.full(system.contacts.count, settings.contact_margin)
        if system.has_joints.any() and depth > settings.position_tolerance:
            # links that their joints hold inside each other
            jointed = np.repeat(system.has_joints, np.diff(system.layout.contact_start))
            depths[system.layout.contacts[jointed]] = settings.position_tolerance
        return depths

    def _joint_errors(self) -> np.ndarray:
        """Return the largest error [m or rad] of the joints of each island."""
        system, state = self._system, self._system.state
        errors = np.zeros(len(system.islands.body_start) - 1)
        find_joint_errors(state.joints, system.joint_frames, state.bodies, errors)
        return errors

    def _stops_passed(self, h: float) -> np.ndarray | None:
        """Return in which islands (i,) joints are beyond their stops, None if there are none."""
        system, state = self._system, self._system.state
        if not system.has_stops:
            return None
        passed = np.zeros(len(system.islands.body_start) - 1, np.bool_)
        settings = state.settings
        tolerance = settings.position_tolerance
        found = stops_passed(
            state.joints,
            system.joint_frames,
            state.bodies,
            h,
            tolerance,
            settings.correction_speed,
            passed,
        )
        return passed if found else None

    def _displace(
        self, h: float, depth: float, slop: float, broken: np.ndarray | None, passed: np.ndarray | None
    ) -> None:
        """Displace the bodies of islands that overlap, or whose joints are open, in a few rounds.

        Args:
            h: length of the sub-step [s].
            depth: largest overlap [m].
            slop: overlap [m] that is left alone.
            broken: (islands,) whose joints are open; None: none.
            passed: (islands,) whose joints are beyond their stops; None: none.
        """
        system, state = self._system, self._system.state
        settings, bodies, z = state.settings, state.bodies, state.scratch.z
        sqrt_inverse_inertia = state.scratch.sqrt_inverse_inertia
        contacts, islands, layout = system.contacts.arrays, system.islands, system.layout
        if broken is None:
            broken = np.zeros(len(islands.body_start) - 1, np.bool_)
        displaced = broken if passed is None else broken | passed
        if depth > slop:
            displaced = displaced | _overlapping_islands(
                contacts, layout.contacts, layout.contact_start, slop
            )
        system.resize_rows()
        system.system.work.displaced[: len(displaced)] |= displaced
        free, momenta = displaced.copy(), np.zeros((len(displaced), 4))
        keep_angular_momenta(bodies, islands, free, momenta)
        quaternions = bodies.quaternions.copy()
        moving = displaced
        single = system.lay_out(1, np.zeros(system.contacts.count, np.int64), system.place_rows)
        for number in range(SEPARATION_ROUNDS):
            world_sqrt_inverse_inertias(bodies, sqrt_inverse_inertia)
            rows = self._table.resize(keep=False, blocks=len(islands.order), rows=int(single.start[-1]))
            rows.start[:] = single.start
            if system.contacts.count > 0:
                _build_rows(
                    contacts,
                    layout,
                    bodies,
                    state.scratch,
                    rows,
                    h,
                    settings.recovery_rate,
                    settings.recovery_speed,
                    slop,
                    number == 0,
                )
            if len(system.acting_joints):
                blocks, frames = layout.joint_block, system.joint_frames
                build_joint_rows(
                    state.joints, frames, blocks, PLACES, bodies, sqrt_inverse_inertia, rows, 0.0
                )
                set_separation_biases(
                    state.joints, frames, blocks, rows, abs(h), settings.recovery_speed, number == 0
                )
            system.solver.displace(rows, z, moving, settings, 0.1 * slop)
            leave_out_held(system.touching, layout, rows, free)
            _displace(
                contacts,
                layout,
                islands,
                moving,
                bodies,
                state.scratch,
                abs(h),
                settings.recovery_speed,
            )
            if not len(system.acting_joints):
                break
            moving = moving & (self._joint_errors() > settings.position_tolerance) & ~broken
            if not moving.any():
                break
        restore_angular_momenta(bodies, state.old, islands, free, momenta, quaternions)
