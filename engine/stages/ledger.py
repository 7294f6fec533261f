"""The energy ledger: the work of all impulses, by what they belong to.

Impulses p that change the velocities from v0 to v1 change the kinetic energy by the sum over all rows of
p J (v0 + v1) / 2, exactly. So the sum of the entries is what the energy of the bodies changes by: the free
rotation keeps it to 6e-13 (`engine/motion/free_motion.py`).
"""

from dataclasses import dataclass

import numpy as np

from stoss.collision.algebra import cross, dot, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC, KINEMATIC
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.constraints.row_lanes import halves_along, read_motion
from stoss.engine.constraints.rows import SHARED, plus_velocity
from stoss.engine.contacts.conveyors import turning_work
from stoss.engine.contacts.frames import vector
from stoss.engine.joints.arrays import HOLD, LAW, LENGTH, LIMIT, SUM
from stoss.engine.joints.couplings import driven_rate
from stoss.engine.laws.contact_functions import RIGID
from stoss.engine.stages.elastic_rows import elastic_energy, is_elastic, own_rate
from stoss.names import closed

__all__ = [
    "ENTRIES",
    "EnergyLedger",
    "book",
    "keep_velocities",
    "work_of_loads",
]

# Entries of the ledger [J]: what each of them adds to the energy of the bodies.
NORMAL, ROUGH, HELD, STOPS, DRIVES, DISPLACED, DRIVEN, LOADS = range(8)
ENTRIES = 8


@closed
@dataclass(frozen=True)
class EnergyLedger:
    """What took energy from the bodies, or gave it to them, in joule; `World.ledger`, over the whole run.

    `change` is by what the sum of kinetic and potential energy has changed, to rounding, but for what the
    user did between steps; with methods of rotation other than the symmetric one also but for their error.

    Attributes:
        dissipated_normal: taken by normal impulses of contacts. Negative for a single step is no fault: the
            two halves of what holds a resting body take and give the same.
        dissipated_friction: taken by friction of contacts.
        joint_work: added by what joints hold.
        stop_work: added by stops.
        drive_work: added by springs, motors, servos, controllers and dry friction of joints, and stops that
            move.
        displacement_energy: added where overlapping bodies, or open joints, were displaced.
        driven_work: added by contacts and joints with kinematic bodies, which move as they are told, and by
            surfaces that move along their body.
        load_work: added by forces and torques other than gravity.
    """

    dissipated_normal: float = 0.0
    dissipated_friction: float = 0.0
    joint_work: float = 0.0
    stop_work: float = 0.0
    drive_work: float = 0.0
    displacement_energy: float = 0.0
    driven_work: float = 0.0
    load_work: float = 0.0

    @staticmethod
    def of(entries: np.ndarray) -> "EnergyLedger":
        """Return the ledger with these entries (8,), in the order of the codes above."""
        normal, rough, *rest = (float(x) for x in entries)
        return EnergyLedger(0.0 - normal, 0.0 - rough, *rest)

    @property
    def dissipated(self) -> float:
        """Return what contacts took, by normal impulses and friction together [J]."""
        return self.dissipated_normal + self.dissipated_friction

    @property
    def change(self) -> float:
        """Return the sum of all entries: the change of kinetic and potential energy [J]."""
        added = self.joint_work + self.stop_work + self.drive_work + self.displacement_energy
        return added + self.driven_work + self.load_work - self.dissipated


@inner
def keep_velocities(bodies, velocities, angular_velocities):
    """Copy the velocities of all bodies (n, 3)."""
    for i in range(len(bodies.kinds)):
        for k in range(3):
            velocities[i, k] = bodies.velocities[i, k]
            angular_velocities[i, k] = bodies.angular_velocities[i, k]


@inner
def _mean_momenta(bodies, members, velocities, angular_velocities, out):
    """Fill out (n, 6) with M^(1/2) times the mean of the given velocities and the present ones."""
    for i in members:
        m = 0.5 / bodies.sqrt_inverse_masses[i]
        v, w, q = bodies.velocities[i], bodies.angular_velocities[i], bodies.quaternions[i]
        sqrt_inverse_inertia = bodies.sqrt_inverse_inertias[i]
        for k in range(3):
            out[i, k] = m * (velocities[i, k] + v[k])
        x, y, z = rotate_inverse(
            q,
            0.5 * (angular_velocities[i, 0] + w[0]),
            0.5 * (angular_velocities[i, 1] + w[1]),
            0.5 * (angular_velocities[i, 2] + w[2]),
        )
        out[i, 3], out[i, 4], out[i, 5] = rotate(
            q, x / sqrt_inverse_inertia[0], y / sqrt_inverse_inertia[1], z / sqrt_inverse_inertia[2]
        )


@inner
def _point_velocity(arm, v, w, axis):
    """Return the velocity along `axis` of a point of a body at `arm` from its centre."""
    x, y, z = cross(w[0], w[1], w[2], arm[0], arm[1], arm[2])
    return axis[0] * (v[0] + x) + axis[1] * (v[1] + y) + axis[2] * (v[2] + z)


@inner
def _add_work(jacobian, r, a, b, p, motion, gain, gross):
    """Add the work of an impulse p on row r to what each body gained, and its size; return the work."""
    u, v = halves_along(jacobian, r, motion)
    if a >= 0:
        gain[a] += p * u
        gross[a] += abs(p * u)
    if b >= 0:
        gain[b] += p * v
        gross[b] += abs(p * v)
    return p * (u + v)


@inner
def _add_loads(s, velocities, angular_velocities, loads, out):
    """Add to the means `out` (n, 6) half of what loads do in the time `loads` [s], in islands with joints.

    Joints hold against loads at the same moment at which these act. Booked one after the other, both would
    seem to do work on each other, which they take back at the end of the step only if nothing has changed
    meanwhile. What the impulses are booked by that, the loads are not.
    """
    bodies = s.bodies
    for island in range(len(s.has_joints)):
        if not s.has_joints[island]:
            continue
        for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
            i = s.islands.bodies[at]
            f, t, q, roots = (
                bodies.forces[i],
                bodies.torques[i],
                bodies.quaternions[i],
                bodies.sqrt_inverse_inertias[i],
            )
            if f[0] == f[1] == f[2] == t[0] == t[1] == t[2] == 0.0:
                continue
            x, y, z = rotate_inverse(q, t[0], t[1], t[2])
            x, y, z = rotate(q, x * roots[0], y * roots[1], z * roots[2])
            out[i, 3] += 0.5 * loads * x
            out[i, 4] += 0.5 * loads * y
            out[i, 5] += 0.5 * loads * z
            for k in range(3):
                out[i, k] += 0.5 * loads * f[k] * bodies.sqrt_inverse_masses[i]
                change = f[k] * (bodies.velocities[i, k] - velocities[i, k])
                change += t[k] * (bodies.angular_velocities[i, k] - angular_velocities[i, k])
                s.ledger[LOADS] -= 0.5 * loads * change
                s.work.shared[i] += 0.5 * loads * change


@inner
def book(s, impulses, velocities, angular_velocities, loads):
    """Enter the work of `impulses` (rows,), which changed the given velocities to the present ones.

    `loads` [s] is for how long forces and torques act at the same moment: half a step right after the
    impulses, minus half a step right before; 0 for impacts, which act by themselves.

    What a contact or a joint with a kinematic body does is split: the share of the surfaces is their relative
    motion's. `work.gain` receives what holding and touching gave each body, `work.gross` the sizes of all
    that, `work.elastic` what soft stops and passive drives gave (`is_elastic`), `work.drives` what drives
    did, `work.active` what those of them did that are not passive, `work.motors` what motors gave beyond
    what a brake at their rate may, `work.driven` the sizes of the works of drives and soft stops.
    """
    rows, bodies, y, out = s.rows, s.bodies, s.scratch.momenta, s.ledger
    gain, gross = s.work.gain, s.work.gross
    _mean_momenta(bodies, s.islands.bodies, velocities, angular_velocities, y)
    if loads != 0.0:
        _add_loads(s, velocities, angular_velocities, loads, y)
    jacobian, start, pairs = rows.jacobian, rows.start, rows.bodies
    normal = 0.0
    rough = 0.0
    contact_block = s.layout.contact_block
    for at in range(len(contact_block)):
        block = contact_block[at]
        a, b = pairs[block, 0], pairs[block, 1]
        first, before, motion = start[block], rough, read_motion(y, a, b)
        for r in range(first, start[block + 1]):
            p = impulses[r]
            if p == 0.0:
                continue
            stores = r == first and s.frames.contact_law[at] != RIGID
            work = _add_work(jacobian, r, a, b, p, motion, s.work.elastic if stores else gain, gross)
            if r == first:
                normal += work
            else:
                rough += work
        if s.frames.friction_law[at] >= 0:
            s.laws.work[s.frames.friction_law[at]] += rough - before
            s.frames.friction_work[at, 0] += rough - before
        if s.frames.conveys[at] != 0:
            # friction works on the surfaces, one of which moves along its body and is driven
            work = impulses[first + 1] * s.frames.drift[at, 0] + impulses[first + 2] * s.frames.drift[at, 1]
            if s.frames.resists[at] != 0:
                work += turning_work(impulses, first + 3, s.frames.resists[at], s.frames.drift[at])
            out[DRIVEN] -= work
            gain[max(a, b)] += work
            rough += work
        if (a < 0 or b < 0) and impulses[first] != 0.0:
            # the velocities of kinematic bodies do not change
            c = s.frames.contact[at]
            for half in range(2):
                i = s.contacts.body_a[c] if half == 0 else s.contacts.body_b[c]
                if bodies.kinds[i] != KINEMATIC:
                    continue
                arm = s.frames.lever_a[at] if half == 0 else s.frames.lever_b[at]
                sign = 1.0 if half == 0 else -1.0
                for k in range(3):
                    u = _point_velocity(
                        arm, bodies.velocities[i], bodies.angular_velocities[i], s.frames.axes[at, k]
                    )
                    work = sign * u * impulses[first + k]
                    out[DRIVEN] -= work
                    gain[max(a, b)] += work
                    if k == 0:
                        normal += work
                    else:
                        rough += work
                if s.frames.resists[at] != 0:
                    axes, w = s.frames.axes[at], bodies.angular_velocities[i]
                    u, v = dot(*vector(axes[1]), w[0], w[1], w[2]), dot(*vector(axes[2]), w[0], w[1], w[2])
                    turn = (0.0, 0.0, u, v, dot(*vector(axes[0]), w[0], w[1], w[2]))
                    work = sign * turning_work(impulses, first + 3, s.frames.resists[at], turn)
                    out[DRIVEN] -= work
                    gain[max(a, b)] += work
                    rough += work
    out[NORMAL] += normal
    out[ROUGH] += rough
    _book_joints(s, impulses)


@inner
def _book_joints(s, impulses):
    """Enter the work of the impulses of joints; `scratch.momenta` holds the mean velocities."""
    rows, y, out, gain = s.rows, s.scratch.momenta, s.ledger, s.work.gain
    joints, joint_block = s.joints, s.layout.joint_block
    for j in range(len(joint_block)):
        block = joint_block[j]
        if block < 0:
            continue
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        r = rows.start[block] - 1
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            p = impulses[r]
            if p == 0.0:
                continue
            role = joints.role[m]
            rigid = role == HOLD or (role == LIMIT and joints.stiffness[m] == np.inf)
            if not rigid:
                u = plus_velocity(0.0, rows.jacobian, r, a, b, y)
                if role == LAW:
                    joints.work[m] += p * u
                    s.laws.work[joints.law[m]] += p * u
                out[STOPS if role == LIMIT else DRIVES] += p * u
                passive = is_elastic(joints, m) and own_rate(joints, m) == 0.0
                if role != LIMIT:
                    s.work.drives[max(a, b)] += p * u
                s.joint_frames.work[m] += p * u
                if passive:
                    ends = p * _rate_of_ends(s, j, m)
                    s.joint_frames.kept[m] += ends
                    s.work.elastic[max(a, b)] += p * u + ends
                elif role == LAW:
                    s.work.elastic[max(a, b)] += min(p * u, 0.0)
                elif role != LIMIT:
                    s.work.active[max(a, b)] += p * u
                    if is_elastic(joints, m):
                        s.work.motors[max(a, b)] += p * (u + _rate_of_ends(s, j, m) - own_rate(joints, m))
                for i in (a, b):
                    if i >= 0:
                        moved = abs(p * u)
                        if passive:
                            moved = min(moved, _energy_there_is(s, i, m))
                        s.work.driven[i] += moved
                continue
            work = _add_work(rows.jacobian, r, a, b, p, read_motion(y, a, b), gain, s.work.gross)
            if rows.kind[r] == SHARED:
                ends = rows.bodies[block - 1]
                motion = read_motion(y, ends[0], ends[1])
                work += _add_work(rows.jacobian, r - 1, ends[0], ends[1], p, motion, gain, s.work.gross)
            driven = p * _rate_of_ends(s, j, m)
            out[DRIVEN] -= driven
            gain[max(a, b)] += driven
            work += driven
            if role == LIMIT:
                # a stop that moves drives: a rope that is reeled in
                driven = p * joints.led_rate[m, 0 if p > 0.0 else 1]
                if driven != 0.0:
                    out[DRIVES] += driven
                    gain[max(a, b)] -= driven
                    s.work.driven[max(a, b)] += abs(driven)
                    work -= driven
            out[HELD if role == HOLD else STOPS] += work


@inner
def _energy_there_is(s, i, m):
    """Return the energy [J] of body i and of a row that `is_elastic` when the sub-step began."""
    old, stored = s.old, elastic_energy(s.joints, m, s.joint_frames.start[m])
    v, w = old.velocities[i], old.angular_velocities[i]
    return stored + kinetic_energy(s.bodies, i, old.quaternions[i], v, w)


@inner
def _rate_of_ends(s, j, m):
    """Return the rate of row m of joint j by the motion of the kinematic bodies at its ends."""
    joints, frames, bodies, rate = s.joints, s.joint_frames, s.bodies, 0.0
    if joints.measure[m] >= SUM:
        return driven_rate(joints, frames, m, bodies)
    for half in range(2):
        i = joints.bodies[j, half]
        if i < 0 or bodies.kinds[i] != KINEMATIC:
            continue
        v, w, axis = bodies.velocities[i], bodies.angular_velocities[i], frames.direction[m]
        if joints.measure[m] <= LENGTH:
            lever = frames.lever_b[m] if half == 1 else frames.lever_a[m]
            own = _point_velocity(lever, v, w, axis)
        else:
            own = dot(axis[0], axis[1], axis[2], w[0], w[1], w[2])
        rate += own if half == 1 else -own
    return rate


@inner
def work_of_loads(bodies, h, after, out):
    """Add to the ledger the work of forces and torques over a free motion of length h [s].

    To be called before it and `after` it. Over a constant force a body goes its way. A torque acts as half an
    angular impulse at either end, each of which does its own work: with the mean of the angular velocities
    before and after that impulse alone, J^-1 h t / 2 apart; see `book` for what acts at the same moment.
    """
    sign = 1.0 if after else -1.0
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] != DYNAMIC:
            continue
        f, t, x, w = bodies.forces[i], bodies.torques[i], bodies.positions[i], bodies.angular_velocities[i]
        out[LOADS] += sign * (f[0] * x[0] + f[1] * x[1] + f[2] * x[2])
        if t[0] == 0.0 and t[1] == 0.0 and t[2] == 0.0:
            continue
        u, j = rotate_inverse(bodies.quaternions[i], t[0], t[1], t[2]), bodies.inertias[i]
        kick = u[0] * u[0] / j[0] + u[1] * u[1] / j[1] + u[2] * u[2] / j[2]
        out[LOADS] += 0.5 * h * (t[0] * w[0] + t[1] * w[1] + t[2] * w[2] - sign * 0.25 * h * kick)
