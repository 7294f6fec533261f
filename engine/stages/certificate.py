"""The certificate of a sub-step: what each island may be given, and what is done where it was too much.

What holds and touches may not give energy. A solve that says otherwise is wrong: joints and friction that
contradict each other, a chain near its toggle, a preview that did not converge. Such an island does not get
its impulses, but those of the next method of a short ladder:

SHORTER      the sub-step is made again in two halves, down to the shortest one.
BY_VELOCITY  the island is held by the velocities half-way through the sub-step in place of the preview of its
             poses. That is a projection: it takes energy, whatever contradicts whatever. What it leaves open,
             of second order in the turn, is displaced (`separation`).
SWEPT        the same by sweeps from no impulses, each of which takes energy; for a matrix that is too bad.
BOUNDED      at the start of the sub-step nothing is given, and nobody turns far; at its end velocities are
             scaled, about the motion of the island as one rigid body.
"""

import numpy as np

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import KINEMATIC
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.contacts.compliance import book_compliance
from stoss.engine.joints.arrays import SUM
from stoss.engine.joints.correct import previewed
from stoss.engine.joints.placement import place_parts
from stoss.engine.motion.free_motion import preview_bodies
from stoss.engine.solvers.arrays import is_direct
from stoss.engine.stages.ledger import (
    DRIVEN,
    HELD,
    NORMAL,
    book_elastic,
    elastic_energy,
    is_elastic,
    own_rate,
)
from stoss.engine.stages.momentum import add_inertia, angular_momentum, angular_velocity, centre_of_mass

__all__ = [
    "BOUNDED",
    "BY_VELOCITY",
    "HELD_AT_REST",
    "KICK",
    "LOST",
    "NET",
    "RUNGS",
    "SHORTER",
    "SPLIT_KICK",
    "SWEPT",
    "bound",
    "certify",
    "certify_settled",
    "clear_account",
    "climb",
    "find_runaways",
    "close_account",
    "gave_up",
    "slow_unheld",
]

# Rungs of the ladder that are reported by body.
USUAL, SHORTER, BY_VELOCITY, SWEPT, BOUNDED = range(5)
# Their names in reports.
RUNGS = ("usual", "shorter sub-steps", "held by velocity", "swept", "bounded")
# Energy that `correct` may give, as a share of that of the motion: by the square of half the turn, as the
# kick that keeps a body on its circle. `settle` takes it off again.
KICK = 0.05
# The same for joints whose steps are split, in squares of the turn for which they are: the kick of a turn f
# is f^2 / 4. And what may be left of it at the end of the sub-step.
SPLIT_KICK = 2.0
NET = 0.005
# Multiples of the energy that free fall gives within the sub-step.
FALL = 1.0
# The same where debts are kept: the motion of a mechanism in free swing goes to and fro by more than what
# is pushed and rubs may have.
FALL_OF_DEBTORS = 0.2
FALL_AT_START = 0.5  # the same for `correct`
# Shares of the work of drives, of all that they give and take, that what holds may give in passing it on: in
# `correct`, and what may be left of it at the end of the sub-step, beside what the jerk of a motor gives as
# it meets a fall (half the root of both energies). Of no more work than there is motion: drives whose works
# add up to more than that run away.
PASSED_ON_AT_START, PASSED_ON = KICK, NET
# What holds at rest, a quarter, and rounding: it is taken back at the end of the sub-step, so that those in
# debt get it, too, from what takes energy; without it they would sink into what they rest on.
HELD_AT_REST = 0.26
# Multiples of the energy of the motion that the works of a solve may add up to, whatever their signs: more is
# the sum of impulses that run away along a contradiction, and its digits are lost.
GROSS = 100.0
# The same where the sum of the works says nothing any more, whatever it is: too few digits of it are left.
LOST = 1e4
ROUNDING = 1e-9  # share of the energy of the motion
# Multiples of the energy there is, that of the island at the speed of what is driven and presses it included,
# beyond which contacts fling bodies: those are impulses of a contradiction, which no press can give.
FLUNG = 1e3
UNHELD = 0.5  # [rad] by which bodies turn in a sub-step in which nothing holds them


@inner
def _sum_over(s, island, values):
    """Return the sum of values (bodies,) over the bodies of an island."""
    total = 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        total += values[s.islands.bodies[at]]
    return total


@inner
def _taken(s, island):
    """Return what drives took from an island in this sub-step [J], negative, 0 if they gave it something.

    Dampers and what holds act in one solve, on velocities that light bodies have for less than a step: what
    one of them takes of these the other seems to give.
    """
    return min(_sum_over(s, island, s.work.drives), 0.0)


@inner
def _runs_away(s, o, island, motion, h, most):
    """Return whether the impulses of the last solve did far more work to and fro than there is energy.

    That is `most` times as much. Contacts alone may: what is pressed by a press that does not yield.
    """
    gross = 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        gross += s.work.gross[i]
        if gross > most * motion:  # seldom
            v, w = s.bodies.velocities[i], s.bodies.angular_velocities[i]
            motion += kinetic_energy(s.bodies, i, s.bodies.quaternions[i], v, w)
    return not gross <= most * (motion + _slack(s, o, island, h, FALL, PASSED_ON_AT_START))


@inner
def find_runaways(s, o, h, out):
    """Set out (islands,) where the last solve gave impulses to jointed bodies of which no digits are left."""
    found = False
    for island in range(len(s.has_joints)):
        motion = _motion_of(s, island, s.old)
        out[island] = s.has_joints[island] and _runs_away(s, o, island, motion, h, LOST)
        found = found or out[island]
    return found


@inner
def _motion_of(s, island, state):
    """Return the energy [J] with which an island moves in a state: at the start of the sub-step, or now."""
    motion, islands = 0.0, s.islands
    for at in range(islands.body_start[island], islands.body_start[island + 1]):
        i = islands.bodies[at]
        v, w = state.velocities[i], state.angular_velocities[i]
        motion += kinetic_energy(s.bodies, i, state.quaternions[i], v, w)
    return motion


@inner
def _flung(s, o, island, h, motion):
    """Return by how much energy [J] contacts have flung an island without joints beyond any speed of a press.

    What bodies that are moved give is theirs, and no gain. But bodies that stand in each other between a
    floor and a press have no solution, and what a search leaves then may be anything.
    """
    if s.has_joints[island] or s.ledger[DRIVEN] == 0.0:
        return 0.0
    energy = _motion_of(s, island, s.bodies)
    least = motion + _slack(s, o, island, h, FALL, PASSED_ON)
    if energy <= FLUNG * least:
        return 0.0
    fastest, contacts, bodies = 0.0, s.contacts, s.bodies
    for k in range(s.layout.contact_start[island], s.layout.contact_start[island + 1]):
        drift = s.frames.drift[k]
        if s.frames.conveys[k] != 0:
            fastest = max(fastest, drift[0] * drift[0] + drift[1] * drift[1])
        for half in range(2):
            i = contacts.body_a[s.frames.contact[k]] if half == 0 else contacts.body_b[s.frames.contact[k]]
            arm = s.frames.lever_a[k] if half == 0 else s.frames.lever_b[k]
            if bodies.kinds[i] == KINEMATIC:
                v, w = bodies.velocities[i], bodies.angular_velocities[i]
                x, y, z = cross(w[0], w[1], w[2], arm[0], arm[1], arm[2])
                x, y, z = x + v[0], y + v[1], z + v[2]
                fastest = max(fastest, dot(x, y, z, x, y, z))
    pressed = 0.5 * _sum_over(s, island, bodies.masses) * fastest
    # written so that NaN is flung
    return 0.0 if energy <= FLUNG * (least + pressed) else energy - least - pressed


@inner
def _keeps_debts(s, island):
    """Return whether what an island was given is a debt: where bodies touch, are swept or displaced.

    The energy of other mechanisms goes to and fro by itself.
    """
    alone = s.layout.contact_start[island] == s.layout.contact_start[island + 1]
    return not alone or not is_direct(s.solver, island) or s.work.displaced[island]


@inner
def _stored(s, o, island):
    """Return what springs of an island gave beyond what they had stored [J].

    Nothing in a composition: in its negative shares dampers give, as they must, what the others take.
    """
    return 0.0 if o.composed else _sum_over(s, island, s.work.elastic)


@inner
def _account(s, o, island):
    """Return what an island was given in this sub-step by what may only take, and what it owes [J].

    Dampers and brakes take of motion that joints gave in the same solves. But what they take of the work of
    motors and controllers is none of the joints', nor is what springs lose that nobody has got: drives count
    as far as they take in all. What is lost pays debts, which were made as such springs were bent by nobody.
    """
    gain, debt = _sum_over(s, island, s.work.gain), _sum_over(s, island, s.bodies.debts)
    if not o.composed:
        passive, active = _stored(s, o, island), _sum_over(s, island, s.work.active)
        net = min(passive, 0.0) + active
        taken = min(max(_sum_over(s, island, s.work.drives), net), 0.0)
        gain += max(passive, 0.0) + taken + max(_sum_over(s, island, s.work.motors), 0.0)
        debt = max(debt + min(net, 0.0) - taken, 0.0)
    return gain, debt


@inner
def _slack(s, o, island, h, share, passed_on):
    """Return the energy [J] that an island may be given at rest.

    A share of what fall, loads and the closing of joints are within h [s], and a share `passed_on` of what
    drives move.
    """
    bodies, accelerations, fall, driven, motion = s.bodies, s.scratch.accelerations, 0.0, 0.0, 0.0
    speed2 = o.rows.correction_speed**2
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        a = accelerations[i]
        inertia = max(bodies.inertias[i, 0], max(bodies.inertias[i, 1], bodies.inertias[i, 2]))
        linear = dot(a[0], a[1], a[2], a[0], a[1], a[2]) * h * h + speed2
        angular = dot(a[3], a[4], a[5], a[3], a[4], a[5]) * h * h + speed2
        fall += 0.5 * (bodies.masses[i] * linear + inertia * angular)
        if s.work.driven[i] > 0.0:
            driven += s.work.driven[i]
            v, w = bodies.velocities[i], bodies.angular_velocities[i]
            motion += kinetic_energy(bodies, i, bodies.quaternions[i], v, w)
            v, w = s.old.velocities[i], s.old.angular_velocities[i]
            motion += kinetic_energy(bodies, i, s.old.quaternions[i], v, w)
    moved = min(driven, motion)
    jerk = 0.5 * np.sqrt(fall * min(moved, max(_sum_over(s, island, s.work.active), 0.0)))
    return share * fall + min(PASSED_ON_AT_START * moved, passed_on * moved + jerk)


@inner
def _allowed(s, o, island, h, motion):
    """Return the energy [J] that an island may be given by the end of a sub-step, what it owes included."""
    share = FALL_OF_DEBTORS if s.has_joints[island] and _keeps_debts(s, island) else FALL
    return NET * motion + _slack(s, o, island, h, share, PASSED_ON)


@inner
def _bending(s, island, h):
    """Return the energy [J] that soft stops and springs will store by the end of the sub-step for nothing.

    Frames are placed as they will be then. Sweeps that end early leave rows the impulses that were right for
    another motion, or for a turn so far that the rows of its start say nothing about its end; so does what is
    held by velocity, in one solve that sees the stop on one side alone. These are given once more at the end
    of the sub-step.
    """
    joints, frames, rows, energy = s.joints, s.joint_frames, s.rows, 0.0
    for j in range(len(frames.first_row)):
        r = frames.first_row[j] - 1
        if r < -1 or frames.island[j] != island:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            if joints.measure[m] >= SUM or not is_elastic(joints, m):
                continue
            way = previewed(joints, frames, s.bodies, j, m, h) - joints.value[m]
            stored = elastic_energy(joints, m, joints.value[m] + way) - elastic_energy(
                joints, m, joints.value[m]
            )
            energy += stored + 2.0 * rows.impulse[r] * (way / h - own_rate(joints, m))
    return energy


@inner
def _place_previewed(s, o, h, gravity, held):
    """Place the frames of joints where they will be at the end of the sub-step, if `_bending` asks for it."""
    asks = held > 0.0 and len(s.joints.bodies) > 0
    for island in range(len(s.has_joints)):
        asks = asks or (s.has_joints[island] and not is_direct(s.solver, island))
    if asks:
        positions, quaternions = s.scratch.next_positions, s.scratch.next_quaternions
        preview_bodies(o.rows.motion, s.islands.bodies, s.bodies, gravity, h, positions, quaternions)
        place_parts(s.joints, positions, quaternions, s.joint_frames.places)


@inner
def certify(s, o, h, gravity, failing, held):
    """Find the islands that `correct` gave more energy than it may.

    Returns whether there are any, and whether shorter sub-steps may be a cure for any of them.

    Args:
        s, o: system and options; the work of the impulses is booked.
        h: length of the sub-step [s].
        gravity: (3,) [m/s^2].
        failing: (islands,) is set where an island was given too much.
        held: share of its fall that is given to an island whatever its debts: above zero where islands are
            held otherwise.
    """
    found = splits = False
    _place_previewed(s, o, h, gravity, held)
    for island in range(len(s.has_joints)):
        gain = _sum_over(s, island, s.work.gain) + _taken(s, island)
        failing[island] = False
        motion = _motion_of(s, island, s.old)
        elastic = _stored(s, o, island) + _sum_over(s, island, s.work.motors)
        if s.has_joints[island] and (held > 0.0 or not is_direct(s.solver, island)) and not o.composed:
            elastic = max(elastic, _bending(s, island, h))
        gives = gain > 0.0 or elastic > 0.0
        if _flung(s, o, island, h, motion) != 0.0:
            failing[island] = found = True
            continue
        if not gives and not s.has_joints[island]:
            continue
        runs_away = _runs_away(s, o, island, motion, h, GROSS if gives else LOST)
        if not gives and not runs_away:
            continue
        if runs_away or elastic > NET * motion + _slack(s, o, island, h, FALL, PASSED_ON_AT_START):
            failing[island] = found = splits = True
            continue
        most = (o.kick if s.has_joints[island] else KICK) * motion
        debt = 0.0 if o.composed or not s.has_joints[island] else _sum_over(s, island, s.bodies.debts)
        if not gain + debt <= most:
            # written so that NaN fails; who is in debt gets nothing, but what is rounding
            share = FALL_AT_START if s.has_joints[island] and _keeps_debts(s, island) else FALL
            slack = _slack(s, o, island, h, share, PASSED_ON_AT_START)
            least = ROUNDING * motion
            if held > 0.0:
                least += _slack(s, o, island, h, held, PASSED_ON_AT_START)
            failing[island] = not gain <= max(most + slack - debt, least)
            found = found or failing[island]
            # what would do without the debt is none of the length of the sub-step
            splits = splits or not gain <= most + slack
    return found, splits


@inner
def certify_settled(s, o, h, swept, bounded):
    """Find the islands that have too much energy at the end of a sub-step; return whether there are any.

    Where bodies touch, or are swept, what was given in earlier sub-steps and not taken since counts too, so
    that small gifts do not add up.

    Args:
        s, o, h: as for `certify`.
        swept: (islands,) is set where the last solve gave energy, which no solution does: a bad one.
        bounded: (islands,) is set elsewhere.
    """
    found = False
    for island in range(len(s.has_joints)):
        gain, debt = _account(s, o, island)
        motion = _motion_of(s, island, s.old)
        swept[island] = bounded[island] = False
        last = drives = 0.0
        for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
            i = s.islands.bodies[at]
            last += s.work.gain[i] - s.work.gain_before[i]
            last += 0.0 if o.composed else s.work.elastic[i] - s.work.elastic_before[i]
            drives += s.work.drives[i] - s.work.drives_before[i]
        # springs that give what they store are no bad solution
        last -= max(drives, 0.0)
        if last > 0.0 or s.has_joints[island]:
            swept[island] = _runs_away(s, o, island, motion, h, GROSS if last > 0.0 else LOST)
            found = found or swept[island]
        if _flung(s, o, island, h, motion) != 0.0:
            swept[island] = found = True
        if gain + debt <= 0.0 or swept[island]:
            continue
        if not gain + debt <= NET * motion and not gain + debt <= _allowed(s, o, island, h, motion):
            found = True
            swept[island] = not last <= 0.0
            bounded[island] = not swept[island]
    return found


@inner
def clear_account(s):
    """Begin a sub-step, in which nothing was gained yet."""
    for i in range(len(s.bodies.kinds)):
        s.work.gain[i] = s.work.driven[i] = s.work.elastic[i] = 0.0
        s.work.drives[i] = s.work.active[i] = s.work.motors[i] = 0.0
    if len(s.joints.bodies) > 0:
        book_elastic(s, -1.0)
    book_compliance(s, -1.0)


@inner
def close_account(s, o, h):
    """End a sub-step: what an island was given since its lowest energy is a debt of all its bodies.

    Where energy goes to and fro by itself, only what is more than it may be: what could not be taken off it.
    """
    for island in range(len(s.has_joints)):
        gain, debt = _account(s, o, island)
        debt += gain
        mass = _sum_over(s, island, s.bodies.masses)
        first, last = s.islands.body_start[island], s.islands.body_start[island + 1]
        if debt > 0.0 and not _keeps_debts(s, island):
            debt -= _allowed(s, o, island, h, _motion_of(s, island, s.old))
        for at in range(first, last):
            i = s.islands.bodies[at]
            s.bodies.debts[i] = max(debt, 0.0) * s.bodies.masses[i] / mass


@inner
def climb(s, islands, rung):
    """Note the rung that the bodies of some islands have reached in this step."""
    for island in range(len(s.has_joints)):
        if islands[island]:
            for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
                i = s.islands.bodies[at]
                s.work.rung[i] = max(s.work.rung[i], rung)


@inner
def gave_up(s):
    """Return whether any island was held by another method in this step."""
    for i in range(len(s.bodies.kinds)):
        if s.work.rung[i] >= BY_VELOCITY:
            return True
    return False


@inner
def bound(s, o, h, islands):
    """Scale the velocities of some islands so that they have no more energy than they may; book it.

    So rows that ask for no velocity stay satisfied. An island that is linked to nothing outside keeps its
    momenta: only what it moves relative to the rigid body that has them is scaled.
    """
    for island in range(len(islands)):
        if not islands[island]:
            continue
        gain, debt = _account(s, o, island)
        motion = _motion_of(s, island, s.old)
        excess = max(gain + debt - _allowed(s, o, island, h, motion), _flung(s, o, island, h, motion))
        rigid = _rigid_motion(s, island)
        energy, _ = _energy_and_turning(s, island, rigid)
        if energy > 0.0 and excess > 0.0:
            _slow_down(s, island, rigid, energy, np.sqrt(max(1.0 - excess / energy, 0.0)))


@inner
def slow_unheld(s, h, islands):
    """Slow down the bodies of some islands that nothing holds in a sub-step of length h [s].

    So that none turns by more than `UNHELD`, relative to the island as one rigid body: links would else be
    far from their joints at its end, and beyond their stops by more than all motion could bend them.
    """
    for island in range(len(islands)):
        if islands[island]:
            rigid = _rigid_motion(s, island)
            energy, turning = _energy_and_turning(s, island, rigid)
            if turning * abs(h) > UNHELD:
                _slow_down(s, island, rigid, energy, UNHELD / (turning * abs(h)))


@inner
def _energy_and_turning(s, island, rigid):
    """Return the energy of the motion relative to a rigid one [J], and its fastest turning [rad/s]."""
    bodies, energy, fastest = s.bodies, 0.0, 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        v, w = _relative_motion(bodies, i, rigid[0], rigid[1], rigid[2])
        energy += kinetic_energy(bodies, i, bodies.quaternions[i], v, w)
        fastest = max(fastest, np.sqrt(dot(w[0], w[1], w[2], w[0], w[1], w[2])))
    return energy, fastest


@inner
def _slow_down(s, island, rigid, energy, scale):
    """Scale the motion relative to a rigid one, whose energy is given [J]; book it."""
    bodies, first = s.bodies, s.islands.body_start[island]
    taken = (1.0 - scale * scale) * energy
    s.ledger[HELD if s.has_joints[island] else NORMAL] -= taken
    s.work.gain[s.islands.bodies[first]] -= taken
    for at in range(first, s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        v, w = _relative_motion(bodies, i, rigid[0], rigid[1], rigid[2])
        for k in range(3):
            bodies.velocities[i, k] -= (1.0 - scale) * v[k]
            bodies.angular_velocities[i, k] -= (1.0 - scale) * w[k]


@inner
def _relative_motion(bodies, i, place, velocity, turn):
    """Return the velocities of a body relative to a rigid motion, given about a place."""
    p, v, w = bodies.positions[i], bodies.velocities[i], bodies.angular_velocities[i]
    x, y, z = cross(turn[0], turn[1], turn[2], p[0] - place[0], p[1] - place[1], p[2] - place[2])
    return (
        (v[0] - velocity[0] - x, v[1] - velocity[1] - y, v[2] - velocity[2] - z),
        (w[0] - turn[0], w[1] - turn[1], w[2] - turn[2]),
    )


@inner
def _rigid_motion(s, island):
    """Return centre of mass, velocity and turning of the rigid body that has the momenta of a free island.

    None of it for an island that is linked to something outside.
    """
    bodies, parts, zero = s.bodies, s.islands, (0.0, 0.0, 0.0)
    for block in range(parts.block_start[island], parts.block_start[island + 1]):
        if s.rows.bodies[block, 0] < 0 or s.rows.bodies[block, 1] < 0:
            return zero, zero, zero
    members = parts.bodies[parts.body_start[island] : parts.body_start[island + 1]]
    place, velocity = centre_of_mass(bodies, members)
    momentum, _, _ = angular_momentum(bodies, members, place, velocity, True)
    inertia = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in members:
        inertia = add_inertia(bodies, i, place, inertia, True)
    turn = angular_velocity(inertia, momentum)
    return place, velocity, turn
