"""Where fast bodies stop on their way through a sub-step, and how those go on that nothing holds.

What meets something that is held (by the ground, a kinematic body, the world) stays where it is, with the
velocity that it has there, and loses the rest of the sub-step. Bodies that are alone would lose the fall of
the rest as well, and leave their centre of mass behind. So of those all that meet go on as a whole, with the
motion of their common centre of mass, and get what gravity and loads give in the rest: momentum, angular
momentum and the path of the centre of mass are those of free motion, exactly. Whom the whole meets joins it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Bools, Ints, Ints2
from stoss.collision.quaternions import Vector, conjugate, multiply, quaternion_of, rotate, vector_of
from stoss.collision.queries.candidates import SweptSizes, find_candidates
from stoss.collision.queries.paths import Paths
from stoss.collision.queries.sweep import NEVER, first_meetings
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.engine.bodies.arrays import KINEMATIC, BodyArrays
from stoss.engine.motion.free_motion import advance_bodies

FEATURE = "fast bodies"  # see `kernels.prepare`

__all__ = ["EarlyStops", "Meetings", "connected", "find_stops", "stop_early"]


class EarlyStops(NamedTuple):
    """Which bodies stop within a sub-step, and what then becomes of them (n,).

    Attributes:
        share: of the sub-step at which each stops, `NEVER` if it does not.
        given: share up to which it gets what gravity and loads give.
        way: (n, 3) by which it goes on as part of a whole [m].
        met: the body that it meets, -1 if it only belongs to one that does.
        carrier: the fast kinematic body that takes it along, or -1.
        met_sleepers: bodies asleep that fast kinematic ones meet: then nothing is stopped yet.
    """

    share: np.ndarray
    given: np.ndarray
    way: np.ndarray
    met: np.ndarray
    carrier: np.ndarray
    met_sleepers: list[int]


@dataclass
class Meetings:
    """What tells when shapes meet.

    Attributes:
        table: the shapes.
        sizes: of the shapes.
        excluded: sorted keys of body pairs that pass through each other.
        paths: of the bodies.
        close: gap [m] at which bodies meet.
        depth: share of both inner radii that they must overlap by later on.
    """

    table: ShapeTable
    sizes: SweptSizes
    excluded: np.ndarray
    paths: Paths
    close: float
    depth: float

    def times(self, pairs: np.ndarray) -> np.ndarray:
        """Return the share of the sub-step at which each pair (p, 2) of shapes first meets, or `NEVER`."""
        return first_meetings(self.table, pairs, self.paths, self.sizes, self.close, self.depth)

    def ahead_of(self, held: np.ndarray, quaternions: np.ndarray) -> np.ndarray:
        """Return the pairs (p, 2) of shapes that may meet on the ways of bodies that are `held` (n,).

        quaternions (n, 4) are those of all bodies at the end of the sub-step.
        """
        paths = self.paths
        until = np.minimum(paths.until, 1.0)
        rest = (1.0 - until)[:, None] * paths.drift
        stopped = paths.until < 1.0
        place = places(paths, np.arange(len(until)), until)
        turned = quaternions.copy()
        for i in np.flatnonzero(stopped).tolist():
            turned[i] = _turned(paths, i, float(until[i]))
        ways = Paths(
            np.where(stopped[:, None], place, paths.start),
            np.where(stopped[:, None], rest, paths.shift),
            np.where(stopped[:, None], 0.0, paths.bend),
            np.where(stopped[:, None], turned, paths.quaternion),
            np.where(stopped[:, None], 0.0, paths.turn),
            np.full(len(until), NEVER),
            np.zeros_like(rest),
        )
        self.table.update(place + rest, turned, 0.0)
        return find_candidates(self.table, ways, held, self.excluded)


def places(paths: Paths, bodies: np.ndarray, shares: np.ndarray | float) -> np.ndarray:
    """Return where bodies (b,) are in free motion at some shares of the sub-step (b, 3) [m]."""
    s = np.broadcast_to(shares, len(bodies))[:, None]
    return paths.start[bodies] + s * paths.shift[bodies] - s * (1.0 - s) * paths.bend[bodies]


def _turned(paths: Paths, i: int, share: float) -> tuple[float, float, float, float]:
    """Return the orientation of body i at a share of the sub-step."""
    turn = share * paths.turn[i]
    angle = float(np.linalg.norm(turn))
    if angle == 0.0:
        return quaternion_of(paths.quaternion[i])
    x, y, z = vector_of(turn * (np.sin(0.5 * angle) / angle))
    return multiply((float(np.cos(0.5 * angle)), x, y, z), quaternion_of(paths.quaternion[i]))


@kernel(allocates=True)
def connected(pairs: Ints2, joins: Bools, count: int) -> Ints:
    """Return for each body the least number among those that it is connected with (count,).

    Args:
        pairs: (p, 2) bodies, -1 for the world.
        joins: (count,) bodies that connect others; the world never does.
        count: number of bodies.
    """
    group = np.arange(count)
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        if a < 0 or b < 0 or not (joins[a] and joins[b]):
            continue
        while group[a] != a:
            a = group[a]
        while group[b] != b:
            b = group[b]
        group[max(a, b)] = min(a, b)
    for i in range(count):
        group[i] = group[group[i]]  # the roots come first
    return group


def _alone(pairs: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return which `free` bodies (n,) are linked by pairs (p, 2) to none that is not."""
    whole = connected(pairs, free, len(free))
    linked = pairs >= 0
    outside = ~linked | ~free[pairs]
    ends = pairs[(outside.any(axis=1)[:, None]) & ~outside]
    return free & ~np.isin(whole, whole[ends])


class _Stops:
    """Bodies that stop, one meeting after the other."""

    def __init__(self, meetings: Meetings, masses: np.ndarray, alone: np.ndarray) -> None:
        count = len(alone)
        self.paths, self.masses, self.alone = meetings.paths, masses, alone
        self.given, self.way = np.full(count, NEVER), np.zeros((count, 3))
        self.met, self.carrier = np.full(count, -1), np.full(count, -1)
        self.whole = np.full(count, -1)  # number of the one that each belongs to
        self.since: list[float] = []  # at which share each whole has begun

    @property
    def share(self) -> np.ndarray:
        """Return the shares (n,) at which bodies stop."""
        return self.paths.until

    def stop(self, members: np.ndarray, share: float) -> None:
        """Let bodies stay where they are."""
        self.paths.until[members] = self.given[members] = share

    def _go_on(self, number: int, share: float) -> np.ndarray:
        """Bring a whole to a share of the sub-step; return its members."""
        members = np.flatnonzero(self.whole == number)
        self.way[members] += self._way(members, self.since[number], share)
        return members

    def _way(self, members: np.ndarray, begin: float, end: float) -> np.ndarray:
        """Return the way (3,) of the common centre of mass between two shares of the sub-step [m]."""
        ways = places(self.paths, members, end) - places(self.paths, members, begin)
        masses = self.masses[members]
        centre: np.ndarray = masses @ ways / masses.sum()
        return centre

    def _set_drift(self, members: np.ndarray, rest: np.ndarray | float) -> None:
        """Let the paths of bodies end where they will be, after `rest` (3,) more [m]."""
        share = self.share[members][:, None]
        self.paths.drift[members] = (self.way[members] + rest) / np.maximum(1.0 - share, 1e-9)

    def join(self, members: np.ndarray, share: float) -> np.ndarray:
        """Let bodies, and the wholes that some belong to, go on as one; return all of them."""
        for number in np.unique(self.whole[members]).tolist():
            if number >= 0:
                members = np.union1d(members, self._go_on(number, share))
        self.stop(members[self.share[members] == NEVER], share)
        self.whole[members] = len(self.since)
        self.since.append(share)
        self.given[members] = 1.0
        self._set_drift(members, self._way(members, share, 1.0))
        return members

    def hold(self, i: int, share: float) -> np.ndarray:
        """Let the whole stay where it is that body i belongs to, which met something that is held."""
        members = self._go_on(int(self.whole[i]), share)
        self.whole[members], self.alone[members], self.given[members] = -1, False, share
        self._set_drift(members, 0.0)
        return members

    def finish(self) -> None:
        """Bring all wholes to the end of the sub-step."""
        for number in np.unique(self.whole[self.whole >= 0]).tolist():
            self._go_on(number, 1.0)


def find_stops(
    meetings: Meetings,
    pairs: np.ndarray,
    bodies: BodyArrays,
    fast: np.ndarray,
    group: np.ndarray,
    free: np.ndarray,
    asleep: np.ndarray,
    links: np.ndarray,
) -> EarlyStops:
    """Return which bodies stop, and how they go on.

    The earliest meeting counts first; then those that it changes are looked at again.

    Args:
        meetings: tells when pairs of shapes meet; its paths are written.
        pairs: (p, 2) shapes that may meet.
        bodies: at the end of the sub-step.
        fast: (n,) bodies whose paths are looked at.
        group: (n,) bodies of the same number stop together.
        free: (n,) bodies that may be stopped.
        asleep: (n,) bodies that sleep.
        links: (l, 2) bodies that act on each other, -1 for the world.
    """
    paths, body = meetings.paths, meetings.table.body
    times = meetings.times(pairs)
    stops = _Stops(meetings, bodies.masses, _alone(np.concatenate([links, body[pairs]]), free))
    met_sleepers: list[int] = []
    done = np.zeros(len(times), np.bool_)
    while len(times):
        p = int(np.argmin(times))
        share = float(times[p])
        if share >= 1.0:
            break
        times[p], done[p] = NEVER, True
        both = body[pairs[p]]
        changed = np.zeros(len(free), np.bool_)
        if stops.alone[both].all():
            stops.met[both] = both[::-1]
            unstopped = np.isin(group, group[both]) & free & (paths.until == NEVER)
            members = stops.join(np.union1d(np.flatnonzero(unstopped), both), share)
            changed[members] = True
            ahead = meetings.ahead_of(changed, bodies.quaternions)
            pairs, times, done = _with_more(pairs, times, done, ahead, len(body))
        else:
            for i, other in (both.tolist(), both[::-1].tolist()):
                carries = bool(fast[other] and bodies.kinds[other] == KINEMATIC)
                if carries and asleep[i]:
                    met_sleepers.append(i)
                if stops.whole[i] >= 0:
                    members = stops.hold(i, share)
                elif (fast[i] or carries) and free[i] and paths.until[i] == NEVER:
                    members = np.flatnonzero((group == group[i]) & free & (paths.until == NEVER))
                    stops.stop(members, share)
                else:
                    continue
                stops.met[i], stops.carrier[members] = other, other if carries else -1
                changed[members] = True
        again = np.flatnonzero(~done & changed[body[pairs]].any(axis=1))
        new = meetings.times(pairs[again])
        times[again] = np.where(new < NEVER, np.maximum(new, share), NEVER)
    stops.finish()
    return EarlyStops(stops.share, stops.given, stops.way, stops.met, stops.carrier, met_sleepers)


def _with_more(
    pairs: np.ndarray, times: np.ndarray, done: np.ndarray, more: np.ndarray, shapes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return pairs (p, 2) of shapes with those of `more` that are new, when they meet and what is done."""
    keys, others = (np.sort(some, axis=1) @ np.array([shapes, 1]) for some in (pairs, more))
    new = more[~np.isin(others, keys)]
    return (
        np.concatenate([pairs, new]),
        np.concatenate([times, np.full(len(new), NEVER)]),
        np.concatenate([done, np.zeros(len(new), np.bool_)]),
    )


def stop_early(
    stops: EarlyStops, bodies: BodyArrays, method: int, gravity: np.ndarray, span: float, met: np.ndarray
) -> None:
    """Return bodies to where they were at a share of the sub-step, by free motion backwards in time.

    Args:
        stops: see `EarlyStops`.
        bodies: at the end of the sub-step.
        method: method of rotation.
        gravity: [m/s^2].
        span: length of the sub-step [s].
        met: (n,) receives whom the bodies meet.
    """
    for i in np.flatnonzero(stops.share < 1.0).tolist():
        share, carrier = float(stops.share[i]), int(stops.carrier[i])
        given = (float(stops.given[i]) - share) / (1.0 - share)
        velocity, spin = bodies.velocities[i].copy(), np.array(_spin(bodies, i))
        _go_back(bodies, i, method, gravity, (share - 1.0) * span)
        met[i] = stops.met[i]
        if given > 0.0:
            bodies.positions[i] += stops.way[i]
            bodies.velocities[i] += given * (velocity - bodies.velocities[i])
            now = np.array(_spin(bodies, i))
            _set_spin(bodies, i, now + given * (spin - now))
        if carrier >= 0:
            reached = max(float(stops.given[i]), share)
            _carry(bodies, i, carrier, method, gravity, (reached - 1.0) * span)


def _go_back(bodies: BodyArrays, i: int, method: int, gravity: np.ndarray, back: float) -> None:
    advance_bodies(method, BodyArrays(*(field[i : i + 1] for field in bodies)), gravity, back)


def _spin(bodies: BodyArrays, i: int) -> Vector:
    """Return the angular momentum of body i about its centre of mass [N m s]."""
    q = quaternion_of(bodies.quaternions[i])
    x, y, z = rotate(conjugate(q), vector_of(bodies.angular_velocities[i]))
    j = vector_of(bodies.inertias[i])
    return rotate(q, (j[0] * x, j[1] * y, j[2] * z))


def _set_spin(bodies: BodyArrays, i: int, spin: np.ndarray) -> None:
    """Give body i an angular momentum (3,) about its centre of mass [N m s]."""
    q = quaternion_of(bodies.quaternions[i])
    x, y, z = rotate(conjugate(q), vector_of(spin))
    j = vector_of(bodies.inertias[i])
    bodies.angular_velocities[i] = rotate(q, (x / j[0], y / j[1], z / j[2]))


def _carry(bodies: BodyArrays, i: int, carrier: int, method: int, gravity: np.ndarray, back: float) -> None:
    """Move body i as the kinematic body `carrier` has moved since the time -back [s] ago."""
    before = BodyArrays(*(field[carrier : carrier + 1].copy() for field in bodies))
    advance_bodies(method, before, gravity, back)
    turn = multiply(
        quaternion_of(bodies.quaternions[carrier]), conjugate(quaternion_of(before.quaternions[0]))
    )
    arm = bodies.positions[i] - before.positions[0]
    bodies.positions[i] = bodies.positions[carrier] + rotate(turn, vector_of(arm))
    bodies.quaternions[i] = multiply(turn, quaternion_of(bodies.quaternions[i]))
