"""Continuous collision: bodies that could pass through others between two detections stop where they meet.

A body that moves farther in a sub-step than the radius of the largest ball inside it is fast. Where its path
crosses another body, it goes no farther than to the point of contact, with the velocity it has there; the
impact is settled at the end of the sub-step. So it loses the rest of the sub-step and nothing else: its
energy is that of the time of contact. What it is jointed to stops with it. Bodies that nothing holds go on
together (`early_stops`).

A fast kinematic body goes on as it is told: what it meets on its way it takes along, at its surface.
"""

from typing import Annotated

import numpy as np

from stoss.collision import Detector
from stoss.collision.algebra import dot, norm, quaternion_multiply, rotate_inverse
from stoss.collision.broad_phase.find_pairs import is_excluded
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints
from stoss.collision.queries.candidates import SweptSizes, find_candidates, swept_sizes
from stoss.collision.queries.paths import Paths
from stoss.collision.queries.sweep import NEVER, first_meetings
from stoss.collision.shapes.kinds import HALFSPACE
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.engine.bodies.arrays import DYNAMIC, KINEMATIC, STATIC, BodyArrays
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.motion.early_stops import EarlyStops, Meetings, connected, find_stops

FEATURE = "fast bodies"  # see `kernels.prepare`

__all__ = ["BodySizes", "ContinuousCollision", "find_fast", "none_meets", "reaches_others"]

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
def none_meets(
    bodies: BodyArrays,
    sizes: BodySizes,
    shapes: ShapeArrays,
    excluded: Ints,
    start: Floats2,
    accelerations: Floats2,
    span: float,
) -> bool:
    """Return whether it is plain that no fast body has met another on its way: by balls around both ways.

    Args:
        bodies, sizes: at the end, and which were fast.
        shapes, excluded: as for `find_candidates`.
        start: (n, 3) positions at the start [m].
        accelerations: (n, 6) by gravity and forces.
        span: length of the way [s].
    """
    kind, body, group, mask, positions = shapes.kind, shapes.body, shapes.group, shapes.mask, bodies.positions
    for s in range(len(body)):
        a = body[s]
        if not sizes.fast[a]:
            continue
        for t in range(len(body)):
            b = body[t]
            if a == b or kind[t] == HALFSPACE or group[s] & mask[t] == 0 or group[t] & mask[s] == 0:
                continue
            p, q = positions[a], positions[b]
            reach = _way(start, positions, accelerations, a, span) + sizes.outer[a]
            reach += _way(start, positions, accelerations, b, span) + sizes.outer[b]
            if not norm(p[0] - q[0], p[1] - q[1], p[2] - q[2]) > reach:
                if len(excluded) == 0 or not is_excluded(excluded, a, b):
                    return False
    return True


@inner
def _way(start, positions, accelerations, i, span):
    """Return how far body i was from where it is at most [m]: it went along a parabola."""
    x, y, z = (
        positions[i, 0] - start[i, 0],
        positions[i, 1] - start[i, 1],
        positions[i, 2] - start[i, 2],
    )
    bend = norm(accelerations[i, 0], accelerations[i, 1], accelerations[i, 2])
    return norm(x, y, z) + 0.125 * span * span * bend


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


@kernel
def reaches_others(
    bodies: BodyArrays,
    sizes: BodySizes,
    jointed: Bools,
    group: Ints,
    span: float,
    margin: float,
    shapes: ShapeArrays,
) -> bool:
    """Return whether any fast body could reach one of another group within the span, one of them jointed.

    Args:
        bodies, sizes: the bodies.
        jointed, group: (n,) as for `ContinuousCollision.may_cross`.
        span: time [s].
        margin: that bodies keep from each other [m].
        shapes: in their places, with bounds that are larger by half the margin.
    """
    for i in range(len(jointed)):
        v, w = bodies.velocities[i], bodies.angular_velocities[i]
        speed = norm(v[0], v[1], v[2])
        way = AHEAD * span * (speed + sizes.lever[i] * norm(w[0], w[1], w[2]))
        if way <= sizes.inner[i]:
            continue
        for s in range(len(shapes.body)):
            j = shapes.body[s]
            if group[j] == group[i] or not (jointed[i] or jointed[j]):
                continue
            u = bodies.velocities[j]
            reach = AHEAD * span * (speed + norm(u[0], u[1], u[2])) + sizes.outer[i]
            if _is_within(shapes, s, bodies.positions[i], reach, bodies.angular_velocities[j], 0.5 * margin):
                return True
    return False


@inner
def _is_within(shapes, s, p, reach, w, margin):
    """Return whether a point p may be nearer than `reach` to shape s, whose body turns with w, by its bounds.

    Those of a half-space have no end: it is as far as its plane, unless that turns.
    """
    if shapes.kind[s] == HALFSPACE and w[0] == w[1] == w[2] == 0.0:
        c, n = shapes.position[s], shapes.size[s]
        x, y, z = rotate_inverse(shapes.quaternion[s], p[0] - c[0], p[1] - c[1], p[2] - c[2])
        return dot(n[0], n[1], n[2], x, y, z) - n[3] <= reach + margin
    near = True
    for k in range(3):
        near = near and shapes.aabb_min[s, k] - reach <= p[k] <= shapes.aabb_max[s, k] + reach
    return near


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
            self._all_connected = count > 0 and bool((self._group == self._group[0]).all())
            self._joint_version = (version, count)
        return self._jointed, self._group

    @property
    def all_connected(self) -> bool:
        """Return whether joints connect all bodies, by the last `jointed`."""
        return self._all_connected

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
        """Return whether a fast body might reach another one, and joints act on one of both.

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
        return reaches_others(bodies, self.sizes(len(jointed)), jointed, group, span, margin, table.arrays)

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
            start,
            bodies.positions - start,
            bend,
            start_quaternions,
            turn,
            np.full(len(start), NEVER),
            np.zeros_like(bend),
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
        links: np.ndarray,
    ) -> EarlyStops | None:
        """Return which bodies are to stop, and how they go on; None if nobody can meet anybody.

        Args:
            bodies: at the end of the sub-step.
            start, start_quaternions: poses at its start.
            accelerations: (n, 6) by gravity and forces.
            span: length of the sub-step [s].
            close: gap [m] at which bodies meet.
            group: (n,) bodies of the same number stop together.
            free: (n,) bodies that may be stopped.
            asleep: (n,) bodies that sleep.
            links: (l, 2) bodies that act on each other, -1 for the world.
        """
        if not (self._sizes.fast & (free | (bodies.kinds == KINEMATIC))).any():
            return None  # who is fast is not to be stopped, and takes nobody along
        paths = self._paths(bodies, start, start_quaternions, accelerations, span)
        table, pairs = self._candidates(bodies, paths)
        if len(pairs) == 0:
            return None
        meetings = Meetings(table, self._shape_sizes, self._detector.excluded_keys, paths, close, DEPTH)
        return find_stops(meetings, pairs, bodies, self._sizes.fast, group, free, asleep, links)
