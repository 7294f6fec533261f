"""Continuous collision: bodies that could pass through others between two detections stop where they meet.

A body that moves farther in a sub-step than the radius of the largest ball inside it is fast. Where its path
crosses another body, it goes no farther than to the point of contact, with the velocity it has there; the
impact is settled at the end of the sub-step. So it loses the rest of the sub-step and nothing else: its
energy is that of the time of contact. What it is jointed to stops with it.

A fast kinematic body goes on as it is told: what it meets on its way it takes along, at its surface.
"""

from typing import Annotated

import numpy as np

from stoss.collision import Detector
from stoss.collision.algebra import norm, quaternion_multiply
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints, Ints2
from stoss.collision.quaternions import multiply, rotate
from stoss.collision.queries.candidates import SweptSizes, find_candidates, swept_sizes
from stoss.collision.queries.paths import Paths
from stoss.collision.queries.sweep import NEVER, first_meetings
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.engine.bodies.arrays import DYNAMIC, KINEMATIC, STATIC, BodyArrays
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.motion.free_motion import advance_bodies

FEATURE = "fast bodies"  # see `kernels.prepare`

__all__ = ["BodySizes", "ContinuousCollision", "connected", "find_fast", "stop_early"]

# Share of both inner radii that a pair must overlap by on its way to stop. What overlaps less at the end
# is put back on the right side by ordinary contacts, what overlapped less on the way has skimmed.
DEPTH = 0.5
# The same, and the share of the inner radius from which a body is fast, if times of contact are looked for.
EXACT_DEPTH = 0.05
EXACT_SPEED = 0.1
# How much faster jointed bodies may get within a step.
AHEAD = 1.5


class BodySizes(Struct):
    """How large bodies are, all their shapes together."""

    inner: Annotated[Floats, "bodies"]  # radius of the largest ball inside the thinnest shape [m]
    lever: Annotated[Floats, "bodies"]  # distance from the centre of mass of what turning moves [m]
    outer: Annotated[Floats, "bodies"]  # radius of the ball about the centre of mass around all [m]
    fast: Annotated[Bools, "bodies"]  # which of them were fast when `find_fast` last looked


@kernel
def find_fast(bodies: BodyArrays, start: Floats2, span: float, sizes: BodySizes, share: float) -> int:
    """Mark the bodies that have moved farther than `share` of their inner radius; return how many.

    Kinematic ones, which nothing stops, only from their whole inner radius on.
    """
    positions, kinds, fast = bodies.positions, bodies.kinds, sizes.fast
    count = 0
    for i in range(len(kinds)):
        fast[i] = False
        if kinds[i] == STATIC:
            continue
        w = bodies.angular_velocities[i]
        if kinds[i] == KINEMATIC and not bodies.velocities[i].any() and not w.any():
            continue
        moved = norm(
            positions[i, 0] - start[i, 0], positions[i, 1] - start[i, 1], positions[i, 2] - start[i, 2]
        )
        moved += span * sizes.lever[i] * norm(w[0], w[1], w[2])
        if moved > (share if kinds[i] == DYNAMIC else max(share, 1.0)) * sizes.inner[i]:
            fast[i] = True
            count += 1
    return count


@kernel
def _turns(before: Floats2, after: Floats2, angular_velocities: Floats2, span: float, out: Floats2) -> None:
    """Fill out (n, 3) with the rotation vectors from one orientation to the other.

    Of those that differ by whole turns, the one that is nearest to the angular velocity times the span.
    """
    for i in range(len(before)):
        q = before[i]
        p0, p1, p2, p3 = quaternion_multiply(
            after[i, 0], after[i, 1], after[i, 2], after[i, 3], q[0], -q[1], -q[2], -q[3]
        )
        sine = norm(p1, p2, p3)
        w = angular_velocities[i]
        if sine == 0.0:
            wanted = span * norm(w[0], w[1], w[2])
            turns = np.round(wanted / (2.0 * np.pi))
            scale = 2.0 * np.pi * turns / wanted * span if turns > 0.0 else 0.0
            out[i, 0], out[i, 1], out[i, 2] = scale * w[0], scale * w[1], scale * w[2]
            continue
        p1, p2, p3 = p1 / sine, p2 / sine, p3 / sine
        angle = 2.0 * np.arctan2(sine, p0)
        wanted = span * (p1 * w[0] + p2 * w[1] + p3 * w[2])
        angle += 2.0 * np.pi * np.round((wanted - angle) / (2.0 * np.pi))
        out[i, 0], out[i, 1], out[i, 2] = angle * p1, angle * p2, angle * p3


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


@kernel
def _reaches_others(
    bodies: BodyArrays,
    sizes: BodySizes,
    jointed: Bools,
    group: Ints,
    span: float,
    shape_body: Ints,
    lower: Floats2,
    upper: Floats2,
) -> bool:
    """Return whether any fast jointed body could reach a body of another group within the span.

    Args:
        bodies, sizes: the bodies.
        jointed, group: (n,) as for `ContinuousCollision.may_cross`.
        span: time [s].
        shape_body: (s,) body of each shape.
        lower, upper: boxes around the shapes, at least s of them [m].
    """
    for i in range(len(jointed)):
        if not jointed[i]:
            continue
        v, w = bodies.velocities[i], bodies.angular_velocities[i]
        speed = norm(v[0], v[1], v[2])
        way = AHEAD * span * (speed + sizes.lever[i] * norm(w[0], w[1], w[2]))
        if way <= sizes.inner[i]:
            continue
        for s in range(len(shape_body)):
            j = shape_body[s]
            if group[j] == group[i]:
                continue
            u = bodies.velocities[j]
            reach = AHEAD * span * (speed + norm(u[0], u[1], u[2])) + sizes.outer[i]
            near = True
            for k in range(3):
                near = near and lower[s, k] - reach <= bodies.positions[i, k] <= upper[s, k] + reach
            if near:
                return True
    return False


def stop_early(
    stops: list[tuple[int, float, int, int]],
    bodies: BodyArrays,
    method: int,
    gravity: np.ndarray,
    span: float,
    met_body: np.ndarray,
    folded: list[tuple[np.ndarray, float]],
) -> None:
    """Return bodies to where they were at a share of the sub-step, by free motion backwards in time.

    What a fast kinematic body meets goes on with it from there, at its surface, to the end of the sub-step;
    those that have met each other alone go on as a whole, and keep the momentum that gravity gave.

    Args:
        stops, folded: see `early_stops`.
        bodies: at the end of the sub-step.
        method: method of rotation.
        gravity: [m/s^2].
        span: length of the sub-step [s].
        partner: (n,) receives whom the bodies meet.
    """
    for i, share, other, carrier in stops:
        back = (share - 1.0) * span
        advance_bodies(method, BodyArrays(*(field[i : i + 1] for field in bodies)), gravity, back)
        met_body[i] = other
        if carrier >= 0:
            _carry(bodies, i, carrier, method, gravity, back)
    for members, share in folded:
        masses, rest = bodies.masses[members], (1.0 - share) * span
        velocity = masses @ bodies.velocities[members] / masses.sum()
        bodies.positions[members] += rest * velocity + 0.5 * rest * rest * gravity
        bodies.velocities[members] += rest * gravity


def _carry(bodies: BodyArrays, i: int, carrier: int, method: int, gravity: np.ndarray, back: float) -> None:
    """Move body i as the kinematic body `carrier` has moved since the time -back [s] ago."""
    before = BodyArrays(*(field[carrier : carrier + 1].copy() for field in bodies))
    advance_bodies(method, before, gravity, back)
    w, x, y, z = before.quaternions[0].tolist()
    turn = multiply(tuple(bodies.quaternions[carrier].tolist()), (w, -x, -y, -z))
    arm = bodies.positions[i] - before.positions[0]
    bodies.positions[i] = bodies.positions[carrier] + rotate(turn, tuple(arm.tolist()))
    bodies.quaternions[i] = multiply(turn, tuple(bodies.quaternions[i].tolist()))


class ContinuousCollision:
    """Find fast bodies and the shares of a sub-step at which they meet others.

    Args:
        detector: shapes of the bodies.
    """

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._version = (-1, -1)
        self._shape_sizes = SweptSizes.zeros()
        self._sizes = BodySizes.zeros()
        self._joint_version = (-1, -1)
        self._jointed, self._group = np.zeros(0, np.bool_), np.zeros(0, np.int64)
        self._held = np.zeros(0, np.bool_)  # whether the connected ones are held by what does not react
        self._all_connected = False

    def jointed(self, joints: JointArrays, kinds: np.ndarray, version: int) -> tuple[np.ndarray, np.ndarray]:
        """Return which bodies (n,) joints act on, and the number of the connected ones that each belongs to.

        Args:
            joints: the joints.
            kinds: (n,) of the bodies, asleep or not.
            version: of the joints.
        """
        count = len(kinds)
        if self._joint_version != (version, count):
            joined = joints.bodies[joints.enabled]
            self._jointed = np.zeros(count, np.bool_)
            self._jointed[joined[joined >= 0]] = True
            self._jointed &= kinds == DYNAMIC
            self._group = connected(joined, self._jointed, count)
            held = joined[((joined < 0) | (kinds[joined] != DYNAMIC)).any(axis=1)]
            self._held = np.isin(self._group, self._group[held[held >= 0]])
            self._all_connected = count > 0 and bool((self._group == self._group[0]).all())
            self._joint_version = (version, count)
        return self._jointed, self._group

    def any_fast(self, bodies: BodyArrays, start: np.ndarray, span: float, *, exact: bool) -> bool:
        """Return whether any body is fast.

        Args:
            bodies: at the end of the sub-step.
            start: (n, 3) positions at its start [m].
            span: length of the sub-step [s].
            exact: whether also bodies that cross the corner of another one matter.
        """
        return find_fast(bodies, start, abs(span), self.sizes(len(start)), EXACT_SPEED if exact else 1.0) > 0

    def sizes(self, count: int) -> BodySizes:
        """Return how large the `count` bodies are."""
        if self._version != (self._detector.table.version, count):
            self._measure(count)
        return self._sizes

    def may_cross(
        self, bodies: BodyArrays, jointed: np.ndarray, group: np.ndarray, span: float, margin: float
    ) -> bool:
        """Return whether a fast jointed body might reach a body that it is not connected with.

        Args:
            bodies: at the start of the step.
            jointed: (n,) bodies that joints act on.
            group: (n,) number of the connected bodies that each belongs to.
            span: length of the step [s].
            margin: that bodies keep from each other [m].
        """
        if self._all_connected:
            return False
        table = self._detector.table
        # the bounds are those of the last question that anyone asked, or none after a restore
        table.update(bodies.positions, bodies.quaternions, 0.5 * margin)
        sizes, shape_body = self.sizes(len(jointed)), table.body[: table.count]
        return _reaches_others(
            bodies, sizes, jointed, group, span, shape_body, table.aabb_min, table.aabb_max
        )

    def _measure(self, count: int) -> None:
        table = self._detector.table
        shapes = self._shape_sizes = swept_sizes(table)
        self._sizes = sizes = BodySizes.zeros(bodies=count)
        sizes.inner[:] = np.inf
        shape_body = table.body[: table.count]
        np.minimum.at(sizes.inner, shape_body, shapes.inner)
        np.maximum.at(sizes.lever, shape_body, shapes.lever)
        distance = np.sqrt((table.local_position[: table.count] ** 2).sum(axis=1))
        np.maximum.at(sizes.outer, shape_body, distance + table.bounding_radius[: table.count])
        self._version = (table.version, count)

    def _paths(
        self,
        bodies: BodyArrays,
        start: np.ndarray,
        start_quaternions: np.ndarray,
        accelerations: np.ndarray,
        span: float,
    ) -> Paths:
        turn = np.empty((len(start), 3))
        _turns(start_quaternions, bodies.quaternions, bodies.angular_velocities, span, turn)
        bend = 0.5 * span * span * accelerations[:, :3]
        return Paths(
            start, bodies.positions - start, bend, start_quaternions, turn, np.full(len(start), NEVER)
        )

    def _candidates(self, bodies: BodyArrays, paths: Paths) -> tuple[ShapeTable, np.ndarray]:
        table = self._detector.table
        table.update(bodies.positions, bodies.quaternions, 0.0)
        return table, find_candidates(table, paths, self._sizes.fast, self._detector.excluded_keys)

    def first_meeting(
        self,
        bodies: BodyArrays,
        start: np.ndarray,
        start_quaternions: np.ndarray,
        accelerations: np.ndarray,
        span: float,
        close: float,
    ) -> float:
        """Return the share of the sub-step at which the first pair that was apart meets, or `NEVER`.

        Arguments as for `early_stops`.
        """
        paths = self._paths(bodies, start, start_quaternions, accelerations, span)
        table, pairs = self._candidates(bodies, paths)
        times = first_meetings(table, pairs, paths, self._shape_sizes, close, EXACT_DEPTH)
        return float(times[times > 0.0].min(initial=NEVER))

    def early_stops(
        self,
        bodies: BodyArrays,
        start: np.ndarray,
        start_quaternions: np.ndarray,
        accelerations: np.ndarray,
        span: float,
        close: float,
        group: np.ndarray,
        free: np.ndarray,
        asleep: np.ndarray,
    ) -> tuple[list[tuple[int, float, int, int]], list[int], list[tuple[np.ndarray, float]]]:
        """Return which bodies are to stop, at which share of the sub-step, and at whom.

        The earliest meeting counts first; then those that it changes are looked at again.

        Args:
            bodies: at the end of the sub-step.
            start, start_quaternions: poses at its start.
            accelerations: (n, 6) by gravity and forces.
            span: length of the sub-step [s].
            close: gap [m] at which bodies meet.
            group: (n,) bodies of the same number stop together.
            free: (n,) bodies that may be stopped.
            asleep: (n,) bodies that sleep.

        Returns:
            (body, share, the body that it meets or -1 if it only belongs to one that does, the fast kinematic
            body that carries it on or -1); the bodies asleep that fast kinematic ones meet; and bodies that
            have met each other and are near nothing else, with the share at which.
        """
        if not (self._sizes.fast & (free | (bodies.kinds == KINEMATIC))).any():
            return [], [], []  # who is fast is not to be stopped, and takes nobody along
        paths = self._paths(bodies, start, start_quaternions, accelerations, span)
        table, pairs = self._candidates(bodies, paths)
        of_pair = table.body[pairs]
        times = first_meetings(table, pairs, paths, self._shape_sizes, close, DEPTH)
        stops: dict[int, tuple[float, int, int]] = {}
        met_sleepers: list[int] = []
        folded: list[tuple[np.ndarray, float]] = []
        done = np.zeros(len(times), np.bool_)
        while len(times):
            p = int(np.argmin(times))
            share = float(times[p])
            if share >= 1.0:
                break
            times[p], done[p] = NEVER, True
            changed = np.zeros(len(free), np.bool_)
            for mine, other in ((0, 1), (1, 0)):
                i, met_body = int(of_pair[p, mine]), int(of_pair[p, other])
                carries = bool(self._sizes.fast[met_body] and bodies.kinds[met_body] == KINEMATIC)
                if carries and asleep[i]:
                    met_sleepers.append(i)
                if not (self._sizes.fast[i] or carries) or not free[i] or paths.until[i] < NEVER:
                    continue
                members = np.flatnonzero((group == group[i]) & free & (paths.until == NEVER))
                carrier = met_body if carries else -1
                for m in members.tolist():  # links of one chain may meet each other: all stop once
                    stops.setdefault(m, (share, -1, carrier))
                stops[i] = stops[i][0], met_body, stops[i][2]
                changed[members] = True
            paths.until[changed] = share
            inside = changed[of_pair]
            if inside[p].all() and not (inside[:, 0] ^ inside[:, 1]).any() and not self._held[changed].any():
                folded.append((np.flatnonzero(changed), share))
            again = np.flatnonzero(~done & changed[of_pair].any(axis=1))
            new = first_meetings(table, pairs[again], paths, self._shape_sizes, close, DEPTH)
            times[again] = np.where(new < NEVER, np.maximum(new, share), NEVER)
        return [(m, *stop) for m, stop in stops.items()], met_sleepers, folded
