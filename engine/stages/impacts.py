"""One round of impacts: compression of all contacts that hit, then restitution by the law of each.

Compression and restitution are phases of their own, each with Coulomb friction by its own normal impulses.
In compression all contacts that hit come to a stop together. In restitution a contact is given at least

    Newton     what makes it leave at e times the approach,
    Poisson    e times its impulse of compression (Bender 2007, section 5.1.3; Pfeiffer and Glocker),
    Stronge    the impulse whose work is e^2 of what compression took,

and more where it would be pushed in again. A contact that hits alone, with no joints about, or an edge or
face that does (`lone_impacts`), is integrated in the impulse domain, which is exact also where sliding ends
or turns round within the impact.

A wall that can break gives at most the impulse after which it does; with that it lets the body through.

Compression never adds energy. Restitution can, with friction, joints or different restitutions side by side
(Kane and Levinson's double pendulum): then as much of it is given as leaves the energy as it was. Velocities
and impulses of the two phases lie on a line, along which the energy is a quadratic, friction stays in its
cones, and nothing approaches.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.constraints.mass_weighting import apply_rows
from stoss.engine.constraints.rows import BOUNDED, FRESH, row_velocity
from stoss.engine.contacts.compliance import (
    can_break,
    exit_by_law,
    is_resolved,
    most_of_wall,
    restitution_by_law,
)
from stoss.engine.contacts.frames import write_velocities
from stoss.engine.contacts.friction_laws import pair_for_impact
from stoss.engine.contacts.impact_path import BY_LAW, NEWTON, POISSON, STRONGE, rebound_impulse, rebound_work
from stoss.engine.joints.arrays import LIMIT
from stoss.engine.joints.settle import prepare_joints_settle
from stoss.engine.laws.contact_functions import RIGID
from stoss.engine.solvers.allowance import is_at_end
from stoss.engine.solvers.statistics import BOUNDED_IMPACTS, IMPACT_ROUNDS
from stoss.engine.stages.certificate import LOST
from stoss.engine.stages.ledger import book, keep_velocities
from stoss.engine.stages.lone_impacts import add_alone, collide_alone
from stoss.engine.stages.scratch import copy_matrix
from stoss.engine.stages.solve import solve_for_z
from stoss.engine.stages.state import Options, System

__all__ = ["impact_round", "mend_walls"]

# Gain of energy, as a share of the work of the impact, that is the tolerance of the solvers.
GAIN = 1e-9
# Share of the approach that is left by the tolerance of the solvers where a wall holds.
STOPPED = 1e-4
# Solutions for Stronge's law with several contacts, and the error of their works at which they end.
MOST_TRIALS, WORK_ERROR = 30, 1e-10


@inner
def _find_hits(s, first_round, hit, h):
    """Set the rows of contacts that approach too fast to rest so that they stop; return how many.

    hit (rows, 3) receives restitution, approach [m/s] and law of each: in the first round the approach is the
    speed with which the surfaces met, later what the impulses of the last round caused (Bender 2007, section
    5.2.1; the rounds are what makes a cradle pass its impulse on).
    """
    rows, frames, bodies, contacts = s.rows, s.frames, s.bodies, s.contacts
    hits = 0
    for k in range(len(frames.contact)):
        c = frames.contact[k]
        r = frames.row[k]
        block = s.layout.contact_block[k]
        for i in range(r, rows.start[block + 1]):
            rows.impulse[i] = 0.0
            rows.state[i] = FRESH
            rows.bias[i] = 0.0
        rows.upper[r] = 0.0
        if frames.contact_law[k] != RIGID:
            rows.lower[r] = 0.0
            rows.softness[r] = 0.0
        if not s.touching[c] or frames.broken[k]:
            continue
        a, b = contacts.body_a[c], contacts.body_b[c]
        u = write_velocities(rows, frames, k, a, b, bodies.velocities, bodies.angular_velocities)
        approach = frames.approach[k] if first_round else -u
        if u >= 0.0 or approach <= frames.least_bounce[k]:
            continue
        rows.upper[r] = np.inf
        hit[r, 0] = frames.restitution[k]
        if frames.contact_law[k] != RIGID:
            if is_resolved(frames, k, contacts.gap[c], approach, rows.effective_mass[r], h):
                rows.upper[r] = 0.0
                continue
            hit[r, 0] = restitution_by_law(frames, k, approach, rows.effective_mass[r])
        hit[r, 1] = approach
        hit[r, 2] = frames.law[k]
        if frames.friction_law[k] >= 0:
            pair_for_impact(rows, frames, s.laws, k)
        hits += 1
    return hits


@inner
def _find_stops(s, first_round, law, hit):
    """Note the stops of joints that are hit, as `_find_hits` does; their rows are set."""
    joints, rows, frames = s.joints, s.rows, s.joint_frames
    for j in range(len(frames.first_row)):
        r = frames.first_row[j] - 1
        if r < -1:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            one_sided = rows.lower[r] < rows.upper[r] and (rows.lower[r] == 0.0 or rows.upper[r] == 0.0)
            if joints.role[m] == LIMIT and one_sided:
                hit[r, 0] = joints.restitution[m]
                hit[r, 1] = frames.approach[m] if first_round else abs(rows.bias[r])
                hit[r, 2] = law


@inner
def _set_restitution(s, rates, hit, first, trial):
    """Set the rows for restitution, of which `trial` (rows,) is the normal impulse by Stronge's law.

    Returns whether there is anything to give back, and whether any of it by Stronge's law.
    """
    rows = s.rows
    any_rebound = False
    works = False
    for r in range(len(rows.impulse)):
        if rows.softness[r] != 0.0:  # a rotor has taken up what compression gave it
            rows.bias[r] = rates[r] + rows.softness[r] * first[r]
        rows.impulse[r] = 0.0
        rows.state[r] = FRESH
        e = hit[r, 0]
        if e <= 0.0 or rows.kind[r] != BOUNDED or rows.lower[r] == rows.upper[r]:
            continue
        sign = 1.0 if rows.lower[r] == 0.0 else -1.0
        if hit[r, 2] == NEWTON or hit[r, 2] == BY_LAW:
            rows.bias[r] = rates[r] - sign * e * hit[r, 1]
            any_rebound = True
            continue
        if first[r] == 0.0:
            continue
        if hit[r, 2] == POISSON:
            size = rebound_impulse(e, hit[r, 1], abs(rates[r]), abs(first[r]), rows.effective_mass[r])
        else:
            size = trial[r]
            works = True
        rows.impulse[r] = sign * size
        if sign > 0.0:
            rows.lower[r] = size
        else:
            rows.upper[r] = -size
        any_rebound = any_rebound or size > 0.0
    return any_rebound, works


@inner
def _one_sided_again(rows, hit):
    """Give the rows of `_set_restitution` the bounds of compression again."""
    for r in range(len(rows.impulse)):
        if hit[r, 0] > 0.0 and rows.kind[r] == BOUNDED and rows.lower[r] < rows.upper[r]:
            if rows.upper[r] == np.inf:
                rows.lower[r] = 0.0
            else:
                rows.upper[r] = 0.0


@inner
def _correct_trial(s, rates, hit, first, middle, trial):
    """Bring the impulses of Stronge's law closer to the works they are to do; return the worst error.

    Args:
        s: system with the solution for `trial`, z included.
        rates: (rows,) velocities before the impact.
        hit, first: restitution, approach and law; impulses of compression.
        middle: (n, 6) z after compression.
        trial: (rows,) normal impulses of restitution.
    """
    rows, z = s.rows, s.scratch.z
    worst = 0.0
    for block in range(len(rows.bodies)):
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if hit[r, 0] <= 0.0 or hit[r, 2] != STRONGE or first[r] == 0.0 or rows.lower[r] == rows.upper[r]:
                continue
            stopped = rates[r] + row_velocity(rows, r, a, b, middle)
            after = rates[r] + row_velocity(rows, r, a, b, z)
            taken = -0.5 * first[r] * (rates[r] + stopped)
            wanted = rebound_work(hit[r, 0], hit[r, 1], abs(rates[r]), taken, rows.effective_mass[r])
            given = 0.5 * rows.impulse[r] * (stopped + after)
            if not given > 0.0 or not wanted > 0.0 or abs(rows.impulse[r]) > trial[r] * (1.0 + 1e-9):
                continue  # it was pushed in by the others, and held
            worst = max(worst, abs(given / wanted - 1.0))
            trial[r] *= np.sqrt(wanted / given)
    return worst


@inner
def _limit_walls(s, rates):
    """Let walls give no more than they can before they break; return whether any is hit."""
    rows, frames = s.rows, s.frames
    found = False
    for k in range(len(frames.contact)):
        r = frames.row[k]
        if rows.upper[r] > 0.0 and can_break(frames, k):
            rows.upper[r] = most_of_wall(frames, k, -rates[r])
            found = True
    return found


@inner
def _find_pierced(s, rates):
    """Break the walls that are still approached; return whether there are any.

    What they give up to that depends on the speed that is left, and so on the mass behind them: that is what
    the solution shows, joints and other contacts included.
    """
    rows, frames, blocks = s.rows, s.frames, s.layout.contact_block
    found = False
    for k in range(len(frames.contact)):
        r = frames.row[k]
        if rows.upper[r] == 0.0 or not can_break(frames, k):
            continue
        a, b = rows.bodies[blocks[k], 0], rows.bodies[blocks[k], 1]
        change = row_velocity(rows, r, a, b, s.scratch.z)
        if rates[r] + change < STOPPED * rates[r] and change > 0.0:
            mass = rows.impulse[r] / change
            rows.upper[r] = mass * (-rates[r] - exit_by_law(frames, k, -rates[r], mass))
            frames.broken[k] = found = True
    return found


@inner
def _share(s, island, rates, hit, first, second, middle):
    """Return how much of the restitution of an island may be given, 0 to 1, so that energy does not rise.

    z holds the velocities after all of it, `middle` those after compression. What counts is the velocity
    with which the surfaces met, as for the laws. What rotors give is theirs: it is no gain.
    """
    rows, z = s.rows, s.scratch.z
    w0 = w1 = w2 = size = 0.0
    for block in range(s.islands.block_start[island], s.islands.block_start[island + 1]):
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            p, d = first[r], second[r]
            if (p == 0.0 and d == 0.0) or rows.softness[r] != 0.0:
                continue
            u = row_velocity(rows, r, a, b, middle)
            change = row_velocity(rows, r, a, b, z) - u
            before = rates[r]
            if hit[r, 0] >= 0.0:
                before = -hit[r, 1] if before < 0.0 else hit[r, 1]
            u += before + rates[r]
            w0 += 0.5 * p * u
            w1 += 0.5 * (d * u + p * change)
            w2 += 0.5 * d * change
            size += abs(p * before) + abs(d * change)
    if not w0 + w1 + w2 > GAIN * size:
        return 1.0
    if not w0 < 0.0:
        return 0.0
    # w0 < 0 <= w2, and w(1) > 0: there is one zero in between
    return -2.0 * w0 / (w1 + np.sqrt(max(w1 * w1 - 4.0 * w2 * w0, 0.0)))


@inner
def _runs_away(s, island, rates, first, second):
    """Return whether the impulses of a round are such that their works have no digits left."""
    gross = motion = 0.0
    for block in range(s.islands.block_start[island], s.islands.block_start[island + 1]):
        for r in range(s.rows.start[block], s.rows.start[block + 1]):
            gross += (abs(first[r]) + abs(second[r])) * abs(rates[r])
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        v, w = s.bodies.velocities[i], s.bodies.angular_velocities[i]
        motion += kinetic_energy(s.bodies, i, s.bodies.quaternions[i], v, w)
    return not gross <= LOST * motion


@inner
def _take_nothing(s, island, first, second):
    """Take back what a round gave an island: it is settled without restitution."""
    for block in range(s.islands.block_start[island], s.islands.block_start[island + 1]):
        for r in range(s.rows.start[block], s.rows.start[block + 1]):
            first[r] = second[r] = 0.0
    mend_walls(s, island)
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        for k in range(6):
            s.work.middle_z[s.islands.bodies[at], k] = s.scratch.z[s.islands.bodies[at], k] = 0.0


@inner
def mend_walls(s, island):
    """Let the walls of an island hold whose impacts are taken back."""
    for k in range(s.layout.contact_start[island], s.layout.contact_start[island + 1]):
        s.frames.broken[k] = False


@inner
def _solve(s, o, chosen, statistics):
    """Solve the rows of the chosen islands on top of what z holds, starting from their impulses.

    Nothing corrects an impact in the next step, as it does with resting loads: sweeps go on until it is done.
    """
    for r in range(len(s.rows.impulse)):
        s.work.unapplied[r] = False
    solve_for_z(s, o.impacts, s.work.unapplied, False, chosen, statistics)


@inner
def _enter(s, impulses, velocities, angular_velocities):
    """Change the velocities of the bodies by z, and enter the work of `impulses` in the ledger."""
    keep_velocities(s.bodies, velocities, angular_velocities)
    apply_rows(s.scratch.z, s.islands.bodies, s.bodies, s.scratch.sqrt_inverse_inertia)
    book(s, impulses, velocities, angular_velocities, 0.0)


@kernel
def impact_round(s: System, o: Options, h: float, number: int, statistics: Floats) -> bool:
    """Resolve one round of impacts; the rows' impulses are those of the round.

    Args:
        s, o: system and options.
        h: length of the step [s].
        number: of the round in this step, from 0.
        statistics: receives statistics.

    Returns:
        Whether anything hit, and another round is to follow.
    """
    rows, islands, z, w = s.rows, s.islands, s.scratch.z, s.work
    hit, rates, first, second, middle = w.hit, w.rates, w.first, w.second, w.middle_z
    count, bodies = len(rows.impulse), len(z)
    for r in range(count):
        hit[r, 0], hit[r, 1], hit[r, 2] = -1.0, 0.0, 0.0
    hits = _find_hits(s, number == 0, hit, h)
    stops = 0
    if len(s.joints.bodies) > 0:
        stops = prepare_joints_settle(
            s.joints, s.joint_frames, rows, s.bodies, h, o.rows, number, False, w.displaced, w.given
        )
    if hits + stops == 0:
        return False
    if stops > 0:
        _find_stops(s, number == 0, o.impact_law, hit)
    statistics[IMPACT_ROUNDS] += 1
    for r in range(count):
        rates[r] = rows.bias[r]
        first[r] = second[r] = 0.0
    chosen = w.hit_islands[: len(s.has_joints)]
    collide_alone(s, rates, hit, chosen, stops > 0, first, second)
    together = False
    for island in range(len(chosen)):
        together = together or chosen[island]
    if together:
        _compress(s, o, rates, chosen, statistics)
    add_alone(s, first)
    copy_matrix(z, middle, bodies)
    if together:
        _leave_walls(s)
        _give_back(s, o, chosen, statistics)
    add_alone(s, second)
    runs_away = False
    for island in range(len(chosen)):
        if s.has_joints[island] and _runs_away(s, island, rates, first, second):
            _take_nothing(s, island, first, second)
            runs_away = True
            continue
        share = _share(s, island, rates, hit, first, second, middle)
        if share < 1.0:
            statistics[BOUNDED_IMPACTS] += 1
            for block in range(islands.block_start[island], islands.block_start[island + 1]):
                for r in range(rows.start[block], rows.start[block + 1]):
                    second[r] *= share
            for i in range(islands.body_start[island], islands.body_start[island + 1]):
                for k in range(6):
                    low = middle[islands.bodies[i], k]
                    z[islands.bodies[i], k] = low + share * (z[islands.bodies[i], k] - low)
    for i in range(bodies):
        for k in range(6):
            w.rest_z[i, k] = z[i, k] - middle[i, k]
            z[i, k] = middle[i, k]
    velocities, angular_velocities = s.scratch.middle_velocities, s.scratch.middle_angular_velocities
    _enter(s, first, velocities, angular_velocities)
    copy_matrix(w.rest_z, z, bodies)
    _enter(s, second, velocities, angular_velocities)
    for r in range(count):
        rows.impulse[r] = first[r] + second[r]
    return not runs_away


@inner
def _compress(s, o, rates, chosen, statistics):
    """Bring what hits together to a stop, but for walls that this breaks; `first` receives the impulses."""
    rows, z, w = s.rows, s.scratch.z, s.work
    walls = _limit_walls(s, rates)
    _solve(s, o, chosen, statistics)
    if walls and _find_pierced(s, rates):
        for r in range(len(rows.impulse)):
            rows.impulse[r] = 0.0
            rows.state[r] = FRESH
        for i in range(len(z)):
            for k in range(6):
                z[i, k] = 0.0
        _solve(s, o, chosen, statistics)
    for r in range(len(rows.impulse)):
        w.first[r] += rows.impulse[r]


@inner
def _leave_walls(s):
    """Let walls that broke give nothing in restitution, and those that hold whatever it takes."""
    rows, frames = s.rows, s.frames
    for k in range(len(frames.contact)):
        if rows.upper[frames.row[k]] > 0.0:
            rows.upper[frames.row[k]] = 0.0 if frames.broken[k] else np.inf


@inner
def _give_back(s, o, chosen, statistics):
    """Solve for the restitution of contacts that hit together, after their compression."""
    rows, z, w = s.rows, s.scratch.z, s.work
    rates, hit, first, trial = w.rates, w.hit, w.first, w.trial
    for r in range(len(rows.impulse)):
        trial[r] = abs(first[r]) * max(hit[r, 0], 0.0)
    rebounds, works = _set_restitution(s, rates, hit, first, trial)
    if rebounds:
        for number in range(MOST_TRIALS):
            _solve(s, o, chosen, statistics)
            if not works or number + 1 == MOST_TRIALS or is_at_end(statistics):
                break
            if _correct_trial(s, rates, hit, first, w.middle_z, trial) <= WORK_ERROR:
                break
            _one_sided_again(rows, hit)
            copy_matrix(w.middle_z, z, len(z))
            _set_restitution(s, rates, hit, first, trial)
        for r in range(len(rows.impulse)):
            w.second[r] += rows.impulse[r]
    _one_sided_again(rows, hit)
