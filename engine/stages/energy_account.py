"""The account of a sub-step: what each island was given by what may only take, and how much that may be.

What holds and touches, and what only stores, may not give energy over a sub-step. What it seems to give at
one end of it, it takes at the other. What an island got, and what could not be taken off it, is a debt of
its bodies.
"""

import numpy as np

from stoss.collision.algebra import dot
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.contacts.compliance import book_compliance
from stoss.engine.solvers.arrays import is_direct
from stoss.engine.stages.elastic_rows import book_elastic, clear_rows

__all__ = [
    "FALL",
    "FALL_AT_START",
    "FALL_OF_DEBTORS",
    "NET",
    "PASSED_ON",
    "PASSED_ON_AT_START",
    "KICK",
    "LIFTED",
    "account",
    "allowed",
    "borne",
    "clear_account",
    "close_account",
    "keeps_debts",
    "motion_of",
    "slack_of",
    "springs_gave",
    "sum_over",
    "taken_at_start",
]

# Energy that `correct` may give, as a share of that of the motion: by the square of half the turn, as the
# kick that keeps a body on its circle. `settle` takes it off again.
KICK = 0.05
# What may be left of it at the end of the sub-step.
NET = 0.005
# Multiples of the energy that free fall gives within the sub-step.
FALL = 1.0
# The same where debts are kept: the motion of a mechanism in free swing goes to and fro by more than what
# is pushed and rubs may have.
FALL_OF_DEBTORS = 0.05
FALL_AT_START = 0.5  # the same for `correct`
LIFTED = 0.02  # the same by which a displacement may lift and bend what has no motion to pay for it
# Shares of the work of drives, of all that they give and take, that what holds may give in passing it on: in
# `correct`, and what may be left of it at the end of the sub-step, beside what the jerk of a motor gives as
# it meets a fall (half the root of both energies). Of no more work than there is motion: drives whose works
# add up to more than that run away.
PASSED_ON_AT_START, PASSED_ON = KICK, NET


@inner
def sum_over(s, island, values):
    """Return the sum of values (bodies,) over the bodies of an island."""
    total = 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        total += values[s.islands.bodies[at]]
    return total


@inner
def motion_of(s, island, state):
    """Return the energy [J] with which an island moves in a state: at the start of the sub-step, or now."""
    motion, islands = 0.0, s.islands
    for at in range(islands.body_start[island], islands.body_start[island + 1]):
        i = islands.bodies[at]
        v, w = state.velocities[i], state.angular_velocities[i]
        motion += kinetic_energy(s.bodies, i, state.quaternions[i], v, w)
    return motion


@inner
def clear_account(s):
    """Begin a sub-step, in which nothing was gained yet, and everything is held."""
    for i in range(len(s.bodies.kinds)):
        s.work.unheld[i] = False
        s.work.gain[i] = s.work.driven[i] = s.work.elastic[i] = 0.0
        s.work.drives[i] = s.work.active[i] = s.work.motors[i] = s.work.shared[i] = 0.0
    if len(s.joints.bodies) > 0:
        clear_rows(s)
        book_elastic(s, -1.0)
    book_compliance(s, -1.0)


@inner
def taken_at_start(s, island):
    """Return what drives took from an island in this sub-step [J], negative, 0 if they gave it something.

    Dampers and what holds act in one solve, on velocities that light bodies have for less than a step: what
    one of them takes of these the other seems to give.
    """
    return min(sum_over(s, island, s.work.drives), 0.0)


@inner
def keeps_debts(s, island):
    """Return whether what an island was given is a debt: where bodies touch, are swept or displaced.

    The energy of other mechanisms goes to and fro by itself.
    """
    alone = s.layout.contact_start[island] == s.layout.contact_start[island + 1]
    return not alone or not is_direct(s.solver, island) or s.work.displaced[island]


@inner
def springs_gave(s, o, island):
    """Return what springs of an island gave beyond what they had stored [J].

    Nothing in a composition: in its negative shares dampers give, as they must, what the others take.
    """
    return 0.0 if o.composed else sum_over(s, island, s.work.elastic)


@inner
def account(s, o, island):
    """Return what an island was given in this sub-step by what may only take, and what it owes [J].

    Dampers and brakes take of motion that joints gave in the same solves. But what they take of the work of
    motors and controllers is none of the joints', nor is what springs store, or lose that nobody has got
    (`find_taken`). What is lost pays debts, which were made as such springs were bent by nobody.
    """
    gain, debt = sum_over(s, island, s.work.gain), sum_over(s, island, s.bodies.debts)
    if not o.composed:
        passive, active = springs_gave(s, o, island), sum_over(s, island, s.work.active)
        net = min(passive, 0.0) + active
        taken = min(max(sum_over(s, island, s.work.taken), net), 0.0)
        gain += max(passive, 0.0) + taken + max(sum_over(s, island, s.work.motors), 0.0)
        debt = max(debt + min(net, 0.0) - taken, 0.0)
    return gain, debt


@inner
def borne(s, island, h):
    """Return the work [J] that gravity and loads seem to give what holds them at the start of a sub-step.

    They act in the motion. What holds an island against half of them before gives this, and takes it at the
    end: it would be nothing if both acted at the same moment. h: length of the sub-step [s].
    """
    bodies, old, accelerations, work = s.bodies, s.old, s.scratch.accelerations, 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        for k in range(3):
            faster = bodies.velocities[i, k] - old.velocities[i, k]
            work -= bodies.masses[i] * accelerations[i, k] * faster
            work -= bodies.torques[i, k] * (bodies.angular_velocities[i, k] - old.angular_velocities[i, k])
    return 0.25 * h * work


@inner
def slack_of(s, o, island, h, share, passed_on):
    """Return the energy [J] that an island may be given at rest.

    A share of what fall, loads and the closing of joints are within h [s], and a share `passed_on` of what
    drives move.
    """
    bodies, accelerations, fall, driven = s.bodies, s.scratch.accelerations, 0.0, 0.0
    before = now = 0.0
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
            now += kinetic_energy(bodies, i, bodies.quaternions[i], v, w)
            v, w = s.old.velocities[i], s.old.angular_velocities[i]
            before += kinetic_energy(bodies, i, s.old.quaternions[i], v, w)
    # what was given is no motion that drives make
    moved = min(driven, before + max(now - max(sum_over(s, island, s.work.gain), 0.0), 0.0))
    jerk = 0.5 * np.sqrt(fall * min(moved, max(sum_over(s, island, s.work.active), 0.0)))
    return share * fall + min(PASSED_ON_AT_START * moved, passed_on * moved + jerk)


@inner
def allowed(s, o, island, h, motion):
    """Return the energy [J] that an island may be given by the end of a sub-step, what it owes included."""
    share = FALL_OF_DEBTORS if s.has_joints[island] and keeps_debts(s, island) else FALL
    return NET * motion + slack_of(s, o, island, h, share, PASSED_ON)


@inner
def close_account(s, o, h):
    """End a sub-step: what an island was given since its lowest energy is a debt of all its bodies.

    Where energy goes to and fro by itself, only what is more than it may be: what could not be taken off it.
    """
    for island in range(len(s.has_joints)):
        gain, debt = account(s, o, island)
        debt += gain
        mass = sum_over(s, island, s.bodies.masses)
        first, last = s.islands.body_start[island], s.islands.body_start[island + 1]
        if debt > 0.0 and not keeps_debts(s, island):
            debt -= allowed(s, o, island, h, motion_of(s, island, s.old))
        for at in range(first, last):
            i = s.islands.bodies[at]
            s.bodies.debts[i] = max(debt, 0.0) * s.bodies.masses[i] / mass
