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

from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.solvers.arrays import is_direct
from stoss.engine.stages.bending import bending, place_previewed
from stoss.engine.stages.elastic_rows import find_taken
from stoss.engine.stages.energy_account import (
    FALL,
    FALL_AT_START,
    KICK,
    LIFTED,
    NET,
    PASSED_ON,
    PASSED_ON_AT_START,
    account,
    allowed,
    borne,
    keeps_debts,
    motion_of,
    slack_of,
    springs_gave,
    sum_over,
    taken_at_start,
)
from stoss.engine.stages.flung import flung
from stoss.engine.stages.lifting import lifting
from stoss.engine.stages.slowing import energy_and_turning, rigid_motion, slow_down
from stoss.engine.stages.yielding import outruns

__all__ = [
    "BOUNDED",
    "BY_VELOCITY",
    "LOST",
    "RUNGS",
    "SHORTER",
    "SPLIT_KICK",
    "SWEPT",
    "bound",
    "certify",
    "certify_settled",
    "climb",
    "gave_up",
]

# Rungs of the ladder that are reported by body.
USUAL, SHORTER, BY_VELOCITY, SWEPT, BOUNDED = range(5)
# Their names in reports.
RUNGS = ("usual", "shorter sub-steps", "held by velocity", "swept", "bounded")
# The same as `KICK` for joints whose steps are split, in squares of the turn for which they are: the kick of
# a turn f is f^2 / 4.
SPLIT_KICK = 2.0
# Multiples of the energy of the motion that the works of a solve may add up to, whatever their signs: more is
# the sum of impulses that run away along a contradiction, and its digits are lost.
GROSS = 100.0
# The same where the sum of the works says nothing any more, whatever it is: too few digits of it are left.
LOST = 1e4
ROUNDING = 1e-9  # share of the energy of the motion


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
    return not gross <= most * (motion + slack_of(s, o, island, h, FALL, PASSED_ON_AT_START))


@inner
def _lifts(s, o, island, h, motion):
    """Return whether an island will be lifted by more than its motion and its drives can pay for.

    Mechanisms that touch nothing swing to and fro, and give back what they seem to be lifted by.
    """
    if o.composed or not s.has_joints[island] or not keeps_debts(s, island):
        return False
    means = motion + slack_of(s, o, island, h, LIFTED, PASSED_ON) - sum_over(s, island, s.bodies.debts)
    return lifting(s, island, h, max(means, 0.0), o.tolerance)


@inner
def certify(s, o, h, gravity, failing, held):
    """Find the islands that `correct` gave more energy than it may.

    Returns whether there are any, and whether shorter sub-steps may be a cure for any of them.

    Args:
        s, o: system and options; the work of the impulses is booked.
        h: length of the sub-step [s].
        gravity: (3,) [m/s^2].
        failing: (islands,) is set where an island was given too much.
        held: whether islands are held otherwise than by the preview of their poses. Then who is in debt gets
            what bears its weight, which is taken back at the end, or it would sink into what it rests on.
    """
    found = splits = False
    place_previewed(s, o, h, gravity, held)
    for island in range(len(s.has_joints)):
        gain = sum_over(s, island, s.work.gain) + taken_at_start(s, island)
        failing[island] = False
        motion = motion_of(s, island, s.old)
        elastic = springs_gave(s, o, island) + sum_over(s, island, s.work.motors)
        if s.has_joints[island] and (held or not is_direct(s.solver, island)) and not o.composed:
            elastic = max(elastic, bending(s, island, h))
        gives = gain > 0.0 or elastic > 0.0
        if flung(s, o, island, h, motion) != 0.0 or outruns(s, island, h):
            failing[island] = found = True
            continue
        if not gives and not s.has_joints[island]:
            continue
        if gives and _lifts(s, o, island, h, motion):
            failing[island] = found = True
            continue
        runs_away = _runs_away(s, o, island, motion, h, GROSS if gives else LOST)
        if not gives and not runs_away:
            continue
        if runs_away or elastic > NET * motion + slack_of(s, o, island, h, FALL, PASSED_ON_AT_START):
            failing[island] = found = splits = True
            continue
        most = (o.kick if s.has_joints[island] else KICK) * motion
        debt = 0.0 if o.composed or not s.has_joints[island] else sum_over(s, island, s.bodies.debts)
        if not gain + debt <= most:
            # written so that NaN fails; who is in debt gets nothing, but what is rounding
            share = FALL_AT_START if s.has_joints[island] and keeps_debts(s, island) else FALL
            slack = slack_of(s, o, island, h, share, PASSED_ON_AT_START)
            least = ROUNDING * motion
            if held:
                least += (1.0 + ROUNDING) * max(borne(s, island, h), 0.0)
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
    find_taken(s)
    for island in range(len(s.has_joints)):
        gain, debt = account(s, o, island)
        motion = motion_of(s, island, s.old)
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
        if flung(s, o, island, h, motion) != 0.0 or outruns(s, island, h):
            swept[island] = found = True
        if gain + debt <= 0.0 or swept[island]:
            continue
        if not gain + debt <= NET * motion and not gain + debt <= allowed(s, o, island, h, motion):
            found = True
            swept[island] = not last <= 0.0
            bounded[island] = not swept[island]
    return found


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
        gain, debt = account(s, o, island)
        motion = motion_of(s, island, s.old)
        excess = max(gain + debt - allowed(s, o, island, h, motion), flung(s, o, island, h, motion))
        rigid = rigid_motion(s, island)
        energy, _ = energy_and_turning(s, island, rigid)
        if energy > 0.0 and excess > 0.0:
            slow_down(s, island, rigid, energy, np.sqrt(max(1.0 - excess / energy, 0.0)))
