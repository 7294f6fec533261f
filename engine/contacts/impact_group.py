"""Several contacts of one pair of bodies that hit as one: an edge or a face whose points all move alike.

Where the points of an edge or a face approach with one velocity, and what their impulses do leaves them with
one velocity, the impact is that of a single contact at the point of the resultant: it is integrated along the
impulse path (`impact_path`), and its impulse shared out. The normal impulse of point j is

    p_j = P0 / m + a s_j + b t_j,    sum p_j = P0,

s and t its place in the tangent plane, from the middle of all m points; a and b, linear in the impulse P (3)
of all, are what keeps the points together: pressure moves towards the side to which friction tilts the body.
Friction has at every point the share of the whole that the normal impulse has.

That is exact if no point pulls, and if the points do move alike; else the impact is left to the solvers.
"""

import numpy as np

from stoss.collision.algebra import dot
from stoss.collision.kernels.decorators import inner
from stoss.engine.contacts.compliance import barrier_of_law
from stoss.engine.contacts.frames import vector
from stoss.engine.contacts.impact_path import collide

__all__ = ["collide_as_one"]

# Difference between velocities of the points, to the speed of the impact, that is rounding.
ALIKE = 1e-9
# Normal impulse of a point, to the mean of all, that may be missing: rounding.
PULL = 1e-9
# Below this share of its size a 2 by 2 matrix is of rank one: the points lie on a line.
LINE = 1e-10


@inner
def _same_kind(rows, frames, members, count, rates, hit):
    """Return whether the contacts share normal, law and friction, and approach and slide alike."""
    k = members[0]
    r = frames.row[k]
    size = np.sqrt(dot(rates[r], rates[r + 1], rates[r + 2], rates[r], rates[r + 1], rates[r + 2]))
    for m in range(1, count):
        other, q = members[m], frames.row[members[m]]
        if hit[q, 0] != hit[r, 0] or hit[q, 2] != hit[r, 2] or rows.friction[q] != rows.friction[r]:
            return False
        if rows.static_friction[q] != rows.static_friction[r] or abs(hit[q, 1] - hit[r, 1]) > ALIKE * size:
            return False
        for i in range(3):
            if abs(rates[q + i] - rates[r + i]) > ALIKE * size:
                return False
            for j in range(3):
                if abs(frames.axes[other, i, j] - frames.axes[k, i, j]) > ALIKE:
                    return False
    return True


@inner
def _place(frames, members, count, places):
    """Write the places of the contacts in the tangent plane from their middle, for the largest of one."""
    first = frames.axes[members[0]]
    middle_s = middle_t = largest = 0.0
    for m in range(count):
        x, y, z = vector(frames.lever_a[members[m]])
        places[m, 0] = dot(first[1, 0], first[1, 1], first[1, 2], x, y, z)
        places[m, 1] = dot(first[2, 0], first[2, 1], first[2, 2], x, y, z)
        middle_s += places[m, 0] / count
        middle_t += places[m, 1] / count
    for m in range(count):
        places[m, 0] -= middle_s
        places[m, 1] -= middle_t
        largest = max(largest, abs(places[m, 0]), abs(places[m, 1]))
    if largest > 0.0:
        for m in range(count):
            places[m, 0] /= largest
            places[m, 1] /= largest


@inner
def _add(jacobian, r, amount, motion):
    """Add what an impulse of row r does to a mass-weighted motion (12,) of both bodies."""
    for i in range(12):
        motion[i] += amount * jacobian[r, i]


@inner
def _rate(jacobian, r, motion):
    """Return the velocity of row r in a mass-weighted motion (12,) of both bodies."""
    v = 0.0
    for i in range(12):
        v += jacobian[r, i] * motion[i]
    return v


@inner
def _mean_rate(rows, frames, members, count, axis, motion):
    """Return the mean velocity of the contacts along an axis in a mass-weighted motion."""
    v = 0.0
    for m in range(count):
        v += _rate(rows.jacobian, frames.row[members[m]] + axis, motion)
    return v / count


@inner
def _write_motions(rows, frames, members, count, places, motions):
    """Write what impulses do: normal and two tangents shared evenly (0 to 2), normal as s and t (3, 4)."""
    for i in range(5):
        for j in range(12):
            motions[i, j] = 0.0
    for m in range(count):
        r = frames.row[members[m]]
        for i in range(3):
            _add(rows.jacobian, r + i, 1.0 / count, motions[i])
        _add(rows.jacobian, r, places[m, 0], motions[3])
        _add(rows.jacobian, r, places[m, 1], motions[4])


@inner
def _keep_together(rows, frames, members, count, motions, shifts):
    """Write shifts (3, 2): a and b for a unit of each impulse, by least squares of the differences."""
    r = frames.row[members[0]]
    m00 = m01 = m11 = 0.0
    for i in range(3):
        shifts[i, 0] = shifts[i, 1] = 0.0
    for m in range(1, count):
        q = frames.row[members[m]]
        for i in range(3):
            d = _rate(rows.jacobian, q + i, motions[3]) - _rate(rows.jacobian, r + i, motions[3])
            e = _rate(rows.jacobian, q + i, motions[4]) - _rate(rows.jacobian, r + i, motions[4])
            m00, m01, m11 = m00 + d * d, m01 + d * e, m11 + e * e
            for k in range(3):
                v = _rate(rows.jacobian, q + i, motions[k]) - _rate(rows.jacobian, r + i, motions[k])
                shifts[k, 0] -= d * v
                shifts[k, 1] -= e * v
    trace, determinant = m00 + m11, m00 * m11 - m01 * m01
    for k in range(3):
        x, y = shifts[k, 0], shifts[k, 1]
        if not trace > 0.0:
            shifts[k, 0] = shifts[k, 1] = 0.0
        elif determinant > LINE * trace * trace:
            shifts[k, 0], shifts[k, 1] = (m11 * x - m01 * y) / determinant, (m00 * y - m01 * x) / determinant
        else:
            shifts[k, 0], shifts[k, 1] = x / trace, y / trace
        for i in range(12):
            motions[k, i] += shifts[k, 0] * motions[3, i] + shifts[k, 1] * motions[4, i]


@inner
def _share_out(rows, frames, members, count, places, shifts, impulse, target):
    """Write the impulses of the contacts whose sum is `impulse` (3); return whether none of them pulls."""
    p0, p1, p2 = impulse
    a = shifts[0, 0] * p0 + shifts[1, 0] * p1 + shifts[2, 0] * p2
    b = shifts[0, 1] * p0 + shifts[1, 1] * p1 + shifts[2, 1] * p2
    for m in range(count):
        r = frames.row[members[m]]
        p = p0 / count + a * places[m, 0] + b * places[m, 1]
        if p < -PULL * p0 / count:
            return False
        share = max(p, 0.0) / p0 if p0 > 0.0 else 0.0
        target[r], target[r + 1], target[r + 2] = share * p0, share * p1, share * p2
    return True


@inner
def _moves_alike(rows, frames, members, count, motions, impulse, shared, speed):
    """Return whether the impulses `shared` give all contacts the velocity that they do as one."""
    p0, p1, p2 = impulse
    whole, parts = motions[5], motions[6]
    for i in range(12):
        whole[i] = p0 * motions[0, i] + p1 * motions[1, i] + p2 * motions[2, i]
        parts[i] = 0.0
    for m in range(count):
        r = frames.row[members[m]]
        for i in range(3):
            _add(rows.jacobian, r + i, shared[r + i], parts)
    first = frames.row[members[0]]
    for m in range(count):
        r = frames.row[members[m]]
        for i in range(3):
            wanted = _rate(rows.jacobian, first + i, whole)
            if abs(_rate(rows.jacobian, r + i, parts) - wanted) > ALIKE * speed:
                return False
    return True


@inner
def collide_as_one(rows, frames, members, count, rates, hit, work, first, second):
    """Resolve an impact of several contacts of one pair of bodies as that of one, if that is exact.

    Args:
        rows, frames: rows of the system, and geometry of the contacts.
        members: (count,) the contacts, in the order of the frames.
        rates: (rows,) velocities before the impact.
        hit: (rows, 3) restitution, approach, law.
        work: (places (count, 2), motions (7, 12), shifts (3, 2)), written to.
        first, second: (rows,) receive the impulses of compression and restitution.

    Returns:
        Whether it was; if not, `first` and `second` of these contacts are zero.
    """
    places, motions, shifts = work
    if not _same_kind(rows, frames, members, count, rates, hit):
        return False
    r = frames.row[members[0]]
    u0, u1, u2 = rates[r], rates[r + 1], rates[r + 2]
    speed = np.sqrt(dot(u0, u1, u2, u0, u1, u2))
    slip, mu = np.sqrt(u1 * u1 + u2 * u2), rows.friction[r + 1]
    _place(frames, members, count, places)
    _write_motions(rows, frames, members, count, places, motions)
    _keep_together(rows, frames, members, count, motions, shifts)
    k = (
        _mean_rate(rows, frames, members, count, 0, motions[0]),
        _mean_rate(rows, frames, members, count, 0, motions[1]),
        _mean_rate(rows, frames, members, count, 0, motions[2]),
        _mean_rate(rows, frames, members, count, 1, motions[1]),
        _mean_rate(rows, frames, members, count, 1, motions[2]),
        _mean_rate(rows, frames, members, count, 2, motions[2]),
    )
    coupled = abs(k[1]) + abs(k[2]) > ALIKE * k[0]
    if not coupled and slip <= ALIKE * speed:
        return False  # nothing slides: the solvers are exact
    stick = rows.static_friction[r + 1]
    damping, strength = barrier_of_law(frames, members[0])
    p0, p1, p2, q0, q1, q2, broken = collide(
        k, (u0, u1, u2), mu, stick, hit[r, 0], int(hit[r, 2]), hit[r, 1], damping, count * strength
    )
    done = True
    if slip > ALIKE * speed:
        # while it slides as it does at first, too, nothing may pull
        done = _share_out(
            rows, frames, members, count, places, shifts, (1.0, -mu * u1 / slip, -mu * u2 / slip), first
        )
    done = done and _share_out(rows, frames, members, count, places, shifts, (p0, p1, p2), first)
    done = done and _share_out(rows, frames, members, count, places, shifts, (q0, q1, q2), second)
    done = done and _moves_alike(rows, frames, members, count, motions, (p0, p1, p2), first, speed)
    done = done and _moves_alike(rows, frames, members, count, motions, (q0, q1, q2), second, speed)
    if not done:
        for m in range(count):
            q = frames.row[members[m]]
            for i in range(3):
                first[q + i] = second[q + i] = 0.0
    if done and broken:
        for m in range(count):
            frames.broken[members[m]] = True
    return done
