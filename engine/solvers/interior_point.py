"""An interior point for the direct solver: impulses inside all their limits, where no search finds which act.

The rows of an island are a convex problem if friction is that of a cone (Anitescu and Hart 2004): the least
energy after the impulses, with normal impulses that push and friction in its discs. Primal-dual Newton steps
(Nesterov and Todd 1998) lead to its solution in some tens of factorisations, whatever the masses, through the
inside of all cones: the same matrix as the direct solver's, in which each row is soft by velocity over
impulse. Of all impulses that solve it those in the middle are found, where each contact carries what it can,
so it is plain which rows act. The cone opens surfaces that slide, which friction does not: so the solution is
the start of a search for the active set, and not the end.
"""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.types import Floats
from stoss.engine.constraints.row_lanes import pushed, rate_along, read_motion, write_motion
from stoss.engine.constraints.rows import (
    ACTIVE,
    BOUNDED,
    FRESH,
    FRICTION,
    OFF,
    REST,
    SHARED,
    SLIDING,
    add_impulse,
)
from stoss.engine.solvers.block_cholesky import factorise, solve
from stoss.engine.solvers.cones import cone_target, find_scaling, from_axes, to_axes, way_to_cone
from stoss.engine.solvers.linear_system import add_product, clear_matrix, columns_of, unbounded

__all__ = ["find_interior"]

MOST_STEPS = 40
# Share of the way to the nearest limit that is gone in one step.
INSIDE = 0.99
# Share of the complementarity that a step aims at, at least.
LEAST_AIM = 1e-3
# Steps of less than the first share are made again towards the middle. What goes on with steps of less than
# the second one, or misses as much as before, has no solution: it does not do so more often than a few times.
SHORT, LEAST_SHARE, STUCK, MOST_VAIN = 0.1, 1e-3, 0.9, 5
# Share of the contacts that carry above which surfaces that slide are too many for the cone to tell how.
SLIDING_SHARE = 0.25
# Velocity [largest one that is asked for] by which rows may be off at the end, and what is better than that,
# towards which a few more steps are made while they are long.
PRECISION, FINE, MORE_STEPS, LONG = 1e-5, 1e-7, 3, 0.9
# Regularisation relative to a row's own 1/effective mass, of limited rows and of what holds.
REGULARISATION, HOLD_REGULARISATION = 1e-11, 1e-9


class Point(NamedTuple):
    """Where the way through the inside is, besides the impulses: numbers of all rows."""

    low: Floats  # velocity that the lower limit of a row allows [m/s]; the three of a contact, see `_is_cone`
    high: Floats  # the same of the upper one
    rate: Floats  # velocity [m/s]
    scaling: Floats  # of a contact: along, against and across the ray; see `cones`
    ray: Floats  # and the ray (2)
    change_low: Floats  # of a step
    change_high: Floats


@inner
def _is_cone(rows, r, block):
    """Return whether row r of a block is a contact whose friction is the pair behind it.

    Its impulse is (mu normal, tangents), its velocity (normal / mu, tangents), in the same cone.
    """
    if rows.kind[r] != BOUNDED or rows.lower[r] != 0.0 or rows.upper[r] != np.inf or rows.softness[r] != 0.0:
        return False
    first, end = rows.start[block], rows.start[block + 1]
    if rows.inverse_effective_mass[r] == 0.0 or r != first or r + 2 >= end or rows.kind[r + 1] != FRICTION:
        return False
    return rows.static_friction[r + 1] > 0.0


@inner
def _is_limited(rows, r):
    """Return whether row r is one whose impulse has a limit on one side or on both."""
    if rows.kind[r] != BOUNDED or rows.inverse_effective_mass[r] == 0.0 or rows.lower[r] == rows.upper[r]:
        return False
    return rows.lower[r] > -np.inf or rows.upper[r] < np.inf


@inner
def _set_off(rows, b0, b1, z, scale, point):
    """Start from impulses and velocities inside their limits; return how many limits there are."""
    low, high = point.low, point.high
    count = 0
    for block in range(b0, b1):
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        end = rows.start[block + 1]
        motion = read_motion(z, a, b)
        for r in range(rows.start[block], end):
            low[r] = high[r] = 0.0
            if not _is_limited(rows, r):
                continue
            size = scale * rows.effective_mass[r]
            if rows.upper[r] == np.inf:
                impulse = rows.lower[r] + size
            elif rows.lower[r] == -np.inf:
                impulse = rows.upper[r] - size
            else:
                impulse = 0.5 * (rows.lower[r] + rows.upper[r])
            motion = pushed(rows.jacobian, r, impulse - rows.impulse[r], motion)
            rows.impulse[r] = impulse
            if rows.lower[r] > -np.inf:
                low[r] = scale
                count += 1
            if rows.upper[r] < np.inf:
                high[r] = scale
                count += 1
        write_motion(z, a, b, motion)
        for r in range(rows.start[block], end):
            if _is_cone(rows, r, block):
                low[r] = scale / rows.static_friction[r + 1]
                low[r + 1] = low[r + 2] = 0.0
    return count


@inner
def _assemble(rows, b0, b1, z, structure, block_pair, work, point):
    """Build the matrix of a step; return the largest velocity by which a row is missed [m/s]."""
    column, jacobian, weight = structure.column, work.jacobian, work.weight
    low, high, rate, scaling, ray = point.low, point.high, point.rate, point.scaling, point.ray
    worst = 0.0
    for block in range(b0, b1):
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        i, j = columns_of(rows, block, column)
        motion = read_motion(z, a, b)
        position = structure.pair_position[block_pair[block]]
        flip = 0 if structure.pair_flipped[block_pair[block]] == 1 else 6
        r, end = rows.start[block], rows.start[block + 1]
        while r < end:
            count = 1
            weight[r] = 0.0
            regularisation = REGULARISATION * rows.inverse_effective_mass[r]
            if unbounded(rows, r):
                if rows.inverse_effective_mass[r] == 0.0:
                    r += 1
                    continue
                rate[r] = rate_along(rows.jacobian, r, motion) + rows.bias[r]
                rate[r] += rows.softness[r] * rows.impulse[r]
                worst = max(worst, abs(rate[r]))
                for k in range(12):
                    jacobian[r, k] = rows.jacobian[r, k]
                held = HOLD_REGULARISATION * rows.inverse_effective_mass[r]
                weight[r] = 1.0 / (rows.softness[r] + held)
            elif _is_cone(rows, r, block):
                count = 3
                mu = rows.static_friction[r + 1]
                for k in range(3):
                    rate[r + k] = rate_along(rows.jacobian, r + k, motion) + rows.bias[r + k]
                rate[r] /= mu
                scaling[r], scaling[r + 1], scaling[r + 2], u, v = find_scaling(
                    mu * rows.impulse[r],
                    rows.impulse[r + 1],
                    rows.impulse[r + 2],
                    low[r],
                    low[r + 1],
                    low[r + 2],
                )
                ray[r], ray[r + 1] = u, v
                for k in range(12):
                    n, p, q = rows.jacobian[r, k] / mu, rows.jacobian[r + 1, k], rows.jacobian[r + 2, k]
                    jacobian[r, k], jacobian[r + 1, k], jacobian[r + 2, k] = to_axes(n, p, q, u, v)
                for k in range(3):
                    weight[r + k] = 1.0 / (1.0 / scaling[r + k] + regularisation / (mu * mu))
                    worst = max(worst, abs(rate[r + k] - low[r + k]))
            elif _is_limited(rows, r):
                rate[r] = rate_along(rows.jacobian, r, motion) + rows.bias[r]
                rate[r] += rows.softness[r] * rows.impulse[r]
                slope = rows.softness[r] + regularisation
                if rows.lower[r] > -np.inf:
                    slope += low[r] / (rows.impulse[r] - rows.lower[r])
                if rows.upper[r] < np.inf:
                    slope += high[r] / (rows.upper[r] - rows.impulse[r])
                for k in range(12):
                    jacobian[r, k] = rows.jacobian[r, k]
                weight[r] = 1.0 / slope
                worst = max(worst, abs(rate[r] - low[r] + high[r]))
            for k in range(r, r + count):
                if weight[k] == 0.0:
                    continue
                if a >= 0:
                    add_product(work.diagonal, i, weight[k], jacobian, k, 0, jacobian, k, 0)
                if b >= 0:
                    add_product(work.diagonal, j, weight[k], jacobian, k, 6, jacobian, k, 6)
                if a >= 0 and b >= 0:
                    add_product(
                        work.off_diagonal, position, weight[k], jacobian, k, flip, jacobian, k, 6 - flip
                    )
            r += count
    return worst


@inner
def _aim_at(rows, b0, b1, structure, c0, c1, work, point, aim):
    """Set the right side of a step that aims at `aim` [J] for each limit, and solve it.

    `work.amount`, `change_low` and `change_high` hold the changes of the step without an aim, whose products
    are taken into account (Mehrotra 1992), zeros if there is none yet.
    """
    column, jacobian, weight, amount = structure.column, work.jacobian, work.weight, work.amount
    rate, ray, change_low, change_high = point.rate, point.ray, point.change_low, point.change_high
    for j in range(c0, c1):
        for k in range(6):
            work.x[j, k] = 0.0
    for block in range(b0, b1):
        i, j = columns_of(rows, block, column)
        x = read_motion(work.x, i, j)
        r, end = rows.start[block], rows.start[block + 1]
        while r < end:
            if weight[r] == 0.0:
                r += 1
                continue
            count = 1
            if _is_cone(rows, r, block):
                count = 3
                mu, u, v = rows.static_friction[r + 1], ray[r], ray[r + 1]
                n, p, q = cone_target(
                    (mu * rows.impulse[r], rows.impulse[r + 1], rows.impulse[r + 2]),
                    (mu * amount[r], amount[r + 1], amount[r + 2]),
                    (change_low[r], change_low[r + 1], change_low[r + 2]),
                    aim,
                    (point.scaling[r], point.scaling[r + 1], point.scaling[r + 2]),
                    u,
                    v,
                )
                n, p, q = rate[r] - n, rate[r + 1] - p, rate[r + 2] - q
                amount[r], amount[r + 1], amount[r + 2] = to_axes(n, p, q, u, v)
            else:
                change, amount[r] = amount[r], rate[r]
                if rows.lower[r] > -np.inf:
                    amount[r] -= (aim - change * change_low[r]) / (rows.impulse[r] - rows.lower[r])
                if rows.upper[r] < np.inf:
                    amount[r] += (aim + change * change_high[r]) / (rows.upper[r] - rows.impulse[r])
            for k in range(r, r + count):
                x = pushed(jacobian, k, -weight[k] * amount[k], x)
            r += count
        write_motion(work.x, i, j, x)
    solve(structure.start, structure.row, c0, c1, work.diagonal, work.off_diagonal, work.x)


@inner
def _gap(rows, b0, b1, point):
    """Return the sum of impulse times velocity over all limits, and the largest velocity that is too much."""
    low, high = point.low, point.high
    total_gap = largest = 0.0
    for block in range(b0, b1):
        end = rows.start[block + 1]
        for r in range(rows.start[block], end):
            if not _is_limited(rows, r):
                continue
            m = rows.effective_mass[r]
            if _is_cone(rows, r, block):
                load, speed = rows.impulse[r], rows.static_friction[r + 1] * low[r]
                gap = load * speed
                gap += rows.impulse[r + 1] * low[r + 1] + rows.impulse[r + 2] * low[r + 2]
                total_gap += gap
                largest = max(largest, gap / (load + m * speed))
                continue
            if rows.lower[r] > -np.inf:
                load = rows.impulse[r] - rows.lower[r]
                total_gap += load * low[r]
                largest = max(largest, load * low[r] / (load + m * low[r]))
            if rows.upper[r] < np.inf:
                load = rows.upper[r] - rows.impulse[r]
                total_gap += load * high[r]
                largest = max(largest, load * high[r] / (load + m * high[r]))
    return total_gap, largest


@inner
def _find_changes(rows, b0, b1, structure, work, point, aim):
    """Turn the solution of a step into changes of impulses and velocities; return how far it may be gone."""
    column, jacobian, weight, amount = structure.column, work.jacobian, work.weight, work.amount
    low, high, rate, ray, change_low, change_high = (
        point.low,
        point.high,
        point.rate,
        point.ray,
        point.change_low,
        point.change_high,
    )
    share = np.inf
    for block in range(b0, b1):
        i, j = columns_of(rows, block, column)
        x = read_motion(work.x, i, j)
        r, end = rows.start[block], rows.start[block + 1]
        while r < end:
            if weight[r] == 0.0:
                amount[r] = change_low[r] = change_high[r] = 0.0
                r += 1
                continue
            if _is_cone(rows, r, block):
                mu, u, v = rows.static_friction[r + 1], ray[r], ray[r + 1]
                n, p, q = (
                    rate_along(jacobian, r, x),
                    rate_along(jacobian, r + 1, x),
                    rate_along(jacobian, r + 2, x),
                )
                p0, p1, p2 = from_axes(
                    -(amount[r] + n) * weight[r],
                    -(amount[r + 1] + p) * weight[r + 1],
                    -(amount[r + 2] + q) * weight[r + 2],
                    u,
                    v,
                )
                u0, u1, u2 = from_axes(n, p, q, u, v)
                u0 += rate[r] - low[r]
                u1 += rate[r + 1] - low[r + 1]
                u2 += rate[r + 2] - low[r + 2]
                x0 = mu * rows.impulse[r]
                share = min(share, way_to_cone(x0, rows.impulse[r + 1], rows.impulse[r + 2], p0, p1, p2))
                share = min(share, way_to_cone(low[r], low[r + 1], low[r + 2], u0, u1, u2))
                amount[r], amount[r + 1], amount[r + 2] = p0 / mu, p1, p2
                change_low[r], change_low[r + 1], change_low[r + 2] = u0, u1, u2
                r += 3
                continue
            v = rate_along(jacobian, r, x)
            amount[r] = -(amount[r] + v) * weight[r]
            change_low[r] = change_high[r] = 0.0
            if rows.lower[r] > -np.inf:
                gap = rows.impulse[r] - rows.lower[r]
                change_low[r] = (aim - low[r] * amount[r]) / gap - low[r]
                share = min(share, _way(gap, amount[r]), _way(low[r], change_low[r]))
            if rows.upper[r] < np.inf:
                gap = rows.upper[r] - rows.impulse[r]
                change_high[r] = (aim + high[r] * amount[r]) / gap - high[r]
                share = min(share, _way(gap, -amount[r]), _way(high[r], change_high[r]))
            r += 1
    return share


@inner
def _way(x, d):
    """Return how much of d can be gone until x reaches zero."""
    return -x / d if d < 0.0 else np.inf


@inner
def _move(rows, b0, b1, z, work, share, point):
    """Go a share of a step."""
    for block in range(b0, b1):
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        motion = read_motion(z, a, b)
        for r in range(rows.start[block], rows.start[block + 1]):
            if work.amount[r] == 0.0:
                continue
            rows.impulse[r] += share * work.amount[r]
            point.low[r] += share * point.change_low[r]
            point.high[r] += share * point.change_high[r]
            motion = pushed(rows.jacobian, r, share * work.amount[r], motion)
        write_motion(z, a, b, motion)


@inner
def _choose_states(rows, b0, b1, z, point):
    """Take the impulses from rows whose limits are nearer than their velocities, and say which slide.

    Returns how many contacts with friction carry, and how many of these slide.
    """
    low, high = point.low, point.high
    carrying = sliding = 0
    for block in range(b0, b1):
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        end = rows.start[block + 1]
        for r in range(rows.start[block], end):
            rows.state[r] = ACTIVE if unbounded(rows, r) and rows.effective_mass[r] > 0.0 else FRESH
        for r in range(rows.start[block], end):
            if not _is_limited(rows, r):
                continue
            k = rows.inverse_effective_mass[r]
            limit = rows.impulse[r]
            if _is_cone(rows, r, block):
                mu = rows.static_friction[r + 1]
                p = np.sqrt(rows.impulse[r + 1] ** 2 + rows.impulse[r + 2] ** 2)
                v = np.sqrt(low[r + 1] ** 2 + low[r + 2] ** 2)
                # what slides lies on the edge of its cone; what leaves lies inside that of velocities
                if rows.impulse[r] * k < mu * (low[r] - v):
                    for m in range(r, r + 3):
                        add_impulse(rows.jacobian, m, a, b, -rows.impulse[m], z)
                        rows.impulse[m] = 0.0
                        rows.state[m] = OFF
                    continue
                slides = (mu * rows.impulse[r] - p) * rows.inverse_effective_mass[r + 1] < v
                carrying += 1
                sliding += slides
                rows.state[r] = ACTIVE
                rows.state[r + 1] = rows.state[r + 2] = SLIDING if slides else ACTIVE
                continue
            if rows.lower[r] > -np.inf and (rows.impulse[r] - rows.lower[r]) * k < low[r]:
                limit = rows.lower[r]
            elif rows.upper[r] < np.inf and (rows.upper[r] - rows.impulse[r]) * k < high[r]:
                limit = rows.upper[r]
            else:
                rows.state[r] = ACTIVE
                continue
            add_impulse(rows.jacobian, r, a, b, limit - rows.impulse[r], z)
            rows.impulse[r] = limit
            rows.state[r] = OFF
    return carrying, sliding


@inner
def _approach(rows, z, islands, structure, work, island, point, scale, count):
    """Make Newton steps until impulses and velocities are in the middle; return whether, and how many."""
    b0, b1 = islands.block_start[island], islands.block_start[island + 1]
    c0, c1 = islands.body_start[island], islands.body_start[island + 1]
    least, vain, more = np.inf, 0, 0
    for number in range(MOST_STEPS):
        gap, largest = _gap(rows, b0, b1, point)
        clear_matrix(structure, c0, c1, work, False)
        worst = _assemble(rows, b0, b1, z, structure, islands.block_pair, work, point)
        if not worst < np.inf:
            return False, number
        near = max(worst, largest) <= PRECISION * scale
        if near and (max(worst, largest) <= FINE * scale or more == MORE_STEPS):
            return True, number
        factorise(structure.start, structure.row, c0, c1, work.diagonal, work.off_diagonal)
        # how far a step without an aim comes says how far from the limits the next one is to stay; where even
        # that one is short, impulses and velocities come first into the middle again
        aim = share = 0.0
        for k in range(3):
            if k != 1:
                for r in range(rows.start[b0], rows.start[b1]):
                    work.amount[r] = point.change_low[r] = point.change_high[r] = 0.0
            _aim_at(rows, b0, b1, structure, c0, c1, work, point, aim)
            share = _find_changes(rows, b0, b1, structure, work, point, aim)
            share = min(INSIDE * share, 1.0)
            if k == 1 and share > SHORT:
                break
            aim = (max((1.0 - share) ** 2, LEAST_AIM) if k == 0 else 1.0) * gap / count
        if near and share < LONG:
            return True, number + 1
        more += near
        progress = share >= LEAST_SHARE and (worst <= PRECISION * scale or worst < STUCK * least)
        vain = 0 if progress else vain + 1
        if vain > MOST_VAIN:
            return False, number + 1
        least = min(least, worst)
        _move(rows, b0, b1, z, work, share, point)
    return False, MOST_STEPS


@inner(allocates=True)
def find_interior(rows, z, islands, solver, island, scale):
    """Give an island impulses from which it is plain which rows act.

    Args:
        rows, z: of which z holds nothing but impulses that are given.
        islands, solver: of these rows; the factor in `solver.work` is lost.
        island: its number.
        scale: [m/s] largest velocity that is asked for.

    Returns:
        Whether there are any, whether it is plain indeed, since few surfaces slide, and the factorisations.
    """
    b0, b1 = islands.block_start[island], islands.block_start[island + 1]
    structure, work = solver.structure, solver.work
    size = len(rows.impulse)
    point = Point(
        *(np.empty(size), np.empty(size), np.empty(size), np.empty(size)),
        *(np.empty(size), np.empty(size), np.empty(size)),
    )
    for r in range(rows.start[b0], rows.start[b1]):
        if rows.kind[r] == SHARED or rows.kind[r] == REST:
            return False, False, 0
    count = _set_off(rows, b0, b1, z, scale, point)
    if count == 0:
        return False, False, 0
    inside, made = _approach(rows, z, islands, structure, work, island, point, scale, count)
    if not inside:
        return False, False, made
    carrying, sliding = _choose_states(rows, b0, b1, z, point)
    return True, sliding <= SLIDING_SHARE * carrying, made
