"""Time of contact: end a sub-step where surfaces meet (Bender 2007, section 4.1), the accuracy mode.

A sub-step after which bodies overlap that were apart at its start is taken back and made anew with a shorter
length, such that they just touch at its end; there the impact is settled, and the rest of the step follows.
Where nothing but free motion acts, the first guess is right to rounding. With joints and resting contacts
the impulses of the position rows depend on the length of the sub-step, so it is solved anew every time, and
the guess is improved until the gap is within the tolerance.
"""

from typing import TYPE_CHECKING

import numpy as np
from stoss.collision.algebra import cross, dot, rotate, rotate_inverse
from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.arrays import BodyArrays, BodyScratch, OldBodies
from stoss.engine.contacts.constraints import ANYONE, NOBODY
from stoss.engine.contacts.events import touching_pairs
from stoss.engine.motion.free_motion import preview_bodies

if TYPE_CHECKING:
    from stoss.engine.stages.stepper import Dynamics

FEATURE = "time of impact"  # see `kernels.prepare`

__all__ = ["ContactTimes", "first_contact"]

# Impacts that one step is split at, and sub-steps that are taken back for one of them. Beyond that the step
# goes on as without this search: what overlaps is put back.
MOST_IMPACTS = 50
MOST_ROLL_BACKS = 12
# Tolerance of the gap at the time of contact, as a share of the position tolerance.
GAP_SHARE = 0.5
# Iterations of regula falsi for one contact, and the gap [m] at which they end: rounding.
MOST_ITERATIONS = 60
ROUNDING = 1e-15


@inner
def _gap(a, b, core_a, core_b, normal, carrier, rounding, positions, quaternions):
    """Return the gap of a contact for any poses; cores and normal are in body frames."""
    x, y, z = rotate(quaternions[a], core_a[0], core_a[1], core_a[2])
    p, q, r = rotate(quaternions[b], core_b[0], core_b[1], core_b[2])
    x, y, z = (
        x + positions[a, 0] - p - positions[b, 0],
        y + positions[a, 1] - q - positions[b, 1],
        z + positions[a, 2] - r - positions[b, 2],
    )
    n0, n1, n2 = normal[0], normal[1], normal[2]
    if carrier >= 0:
        n0, n1, n2 = rotate(quaternions[carrier], n0, n1, n2)
    along = dot(n0, n1, n2, x, y, z)
    if carrier < 0 and rounding > 0.0 and along > 0.0:
        along = np.sqrt(dot(x, y, z, x, y, z))
    return along - rounding


@inner
def _touched(contacts, count, shape_a, shape_b, touch, first):
    """Return whether two shapes touched in the sorted list `contacts`, and where to go on looking."""
    while first < count and (
        contacts.shape_a[first] < shape_a
        or (contacts.shape_a[first] == shape_a and contacts.shape_b[first] < shape_b)
    ):
        first += 1
    at = first
    while at < count and contacts.shape_a[at] == shape_a and contacts.shape_b[at] == shape_b:
        if contacts.gap[at] <= touch:
            return True, first
        at += 1
    return False, first


@inner
def _approach(a, b, point, n0, n1, n2, bodies):
    """Return the speed at which two bodies approach each other at a point."""
    u = 0.0
    for half in range(2):
        i = a if half == 0 else b
        w = bodies.angular_velocities[i]
        x, y, z = cross(
            w[0],
            w[1],
            w[2],
            point[0] - bodies.positions[i, 0],
            point[1] - bodies.positions[i, 1],
            point[2] - bodies.positions[i, 2],
        )
        v = bodies.velocities[i]
        speed = dot(n0, n1, n2, v[0] + x, v[1] + y, v[2] + z)
        u += -speed if half == 0 else speed
    return u


@kernel(allocates=True)
def first_contact(
    contacts: ContactArrays,
    count: int,
    before: ContactArrays,
    before_count: int,
    bodies: BodyArrays,
    old: OldBodies,
    scratch: BodyScratch,
    motion: int,
    gravity: Floats,
    h: float,
    touch: float,
    tolerance: float,
) -> tuple[float, float, bool]:
    """Find when, in the sub-step of length h that has just been moved, surfaces that were apart first met.

    Args:
        contacts, count: contacts at the end of the sub-step.
        before, before_count: contacts at its start.
        bodies, old: bodies at its end and at its start.
        scratch: scratch of the stages, for poses.
        motion: method of rotation.
        gravity: [m/s^2].
        h: length of the sub-step [s].
        touch: gap [m] up to which a contact touched at the start, and so is not new.
        tolerance: gap [m] of either sign up to which surfaces just meet.

    Returns:
        The time [s] of the first contact, h if none was passed over; the time at which the first of those
        that have not quite met yet will, infinite if there is none; whether any pair just meets.
    """
    earliest, next_one, meets = h, np.inf, False
    core_a, core_b, normal, members = np.empty(3), np.empty(3), np.empty(3), np.empty(2, np.int64)
    positions, quaternions = scratch.next_positions, scratch.next_quaternions
    first = 0
    for c in range(count):
        gap = contacts.gap[c]
        if gap > touch:
            continue
        a, b = contacts.body_a[c], contacts.body_b[c]
        n0, n1, n2 = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
        for half in range(2):
            i = a if half == 0 else b
            point = contacts.point_a[c] if half == 0 else contacts.point_b[c]
            inward = contacts.radius_a[c] if half == 0 else -contacts.radius_b[c]
            core = core_a if half == 0 else core_b
            core[0], core[1], core[2] = rotate_inverse(
                bodies.quaternions[i],
                point[0] + inward * n0 - bodies.positions[i, 0],
                point[1] + inward * n1 - bodies.positions[i, 1],
                point[2] + inward * n2 - bodies.positions[i, 2],
            )
        side = contacts.normal_side[c]
        carrier = a if side == NORMAL_ON_A else (b if side == NORMAL_ON_B else -1)
        normal[0], normal[1], normal[2] = n0, n1, n2
        if carrier >= 0:
            normal[0], normal[1], normal[2] = rotate_inverse(bodies.quaternions[carrier], n0, n1, n2)
        rounding = contacts.radius_a[c] + contacts.radius_b[c]
        gap_0 = _gap(a, b, core_a, core_b, normal, carrier, rounding, old.positions, old.quaternions)
        if gap_0 <= touch:
            if gap < -tolerance:
                known, first = _touched(
                    before, before_count, contacts.shape_a[c], contacts.shape_b[c], touch, first
                )
                if not known:
                    # so deep inside that the normal is not the one with which the surfaces met
                    earliest = min(earliest, 0.5 * h)
            continue
        if gap > tolerance:
            u = _approach(a, b, contacts.point_a[c], n0, n1, n2, bodies)
            if u > 0.0:
                next_one = min(next_one, h + gap / u)
            continue
        if gap >= -tolerance:
            meets = True
            continue
        # regula falsi, Illinois: halve the value of an end that stays
        members[0], members[1] = a, b
        low, high, value_low, value_high = 0.0, h, gap_0, gap
        time, last = h, 0
        for _ in range(MOST_ITERATIONS):
            time = (low * value_high - high * value_low) / (value_high - value_low)
            if not (low < time < high):
                time = 0.5 * (low + high)
            preview_bodies(motion, members, bodies, gravity, time - h, positions, quaternions)
            value = _gap(a, b, core_a, core_b, normal, carrier, rounding, positions, quaternions)
            if abs(value) <= ROUNDING:
                break
            if value > 0.0:
                low, value_low = time, value
                value_high *= 0.5 if last == 1 else 1.0
                last = 1
            else:
                high, value_high = time, value
                value_low *= 0.5 if last == -1 else 1.0
                last = -1
        earliest = min(earliest, time)
    return earliest, next_one, meets


class ContactTimes:
    """Find the times of contact within one step, and make its sub-steps end there.

    Args:
        dynamics: the stages.
        gravity: [m/s^2].
        step: length of the step [s].

    Attributes:
        found: impacts at which the step was split.
        roll_backs: sub-steps that were taken back.
        missed: sub-steps whose impacts were left to the end of the sub-step, after too many of both.
        pairs: for each impact, the pairs of bodies (p, 2) that touched.
    """

    def __init__(self, dynamics: "Dynamics", gravity: np.ndarray, step: float) -> None:
        self.found = self.roll_backs = self.missed = 0
        self.pairs: list[np.ndarray] = []
        self._dynamics = dynamics
        self._gravity = gravity
        self._step = step
        self._mark = dynamics.mark()
        self._length = 0.0  # of the sub-step before it was shortened [s], 0: not begun
        self._early, self._late = 0.0, np.inf  # times known to be too early and too late
        self._tries = 0

    def begin(self, h: float) -> None:
        """Note where a sub-step starts; nothing if it is one that was taken back."""
        if self._length == 0.0:
            self._length = h
            self._early, self._late, self._tries = 0.0, np.inf, 0
            self._mark = self._dynamics.mark()

    def split(self) -> None:
        """Forget the sub-step that cannot be made at its length."""
        self._length = 0.0

    def start_again(self) -> None:
        """Forget what was found: the step is taken again from its start."""
        self._length, self.found, self.pairs = 0.0, 0, []

    def take_back(self, h: float, pending: list[float]) -> bool:
        """Look at the contacts after a sub-step; if it went past a contact, undo it.

        Args:
            h: length of the sub-step [s].
            pending: lengths that are left, the next one last; the new ones are put in.

        Returns:
            Whether it was undone. A composition that touches anything is undone as a whole, to be made anew
            at order 2.
        """
        d = self._dynamics
        touch = d.settings.touch_distance
        if d.order > 2:
            if pending or d.contacts.count == 0 or d.contacts.gap[: d.contacts.count].min() > touch:
                return False
            d.back(self._mark)
            pending += d.sub_steps(self._step, 2)[::-1]
            self.roll_backs += 1
            return True
        tolerance = min(GAP_SHARE * d.settings.position_tolerance, touch)
        end, next_one, meets = d.first_contact(self._mark.contacts, h, self._gravity, touch, tolerance)
        if d.settings.swept:
            end = min(end, d.first_meeting(h))
        if end < h:
            self._late = min(self._late, h)
        elif not meets and next_one < self._late and self._late < np.inf:
            self._early, end = h, next_one  # just missed it
        goes_on = end != h and self._tries < MOST_ROLL_BACKS and self.found < MOST_IMPACTS
        if goes_on and not self._early < end < self._late:
            end = 0.5 * (self._early + self._late)
            goes_on = self._early < end < self._late
        if goes_on:
            self._tries += 1
            self.roll_backs += 1
            d.back(self._mark)
            if h < self._length:
                pending.pop()
            pending += [self._length - end, end]
            return True
        late = end < h
        self.missed += late
        d.set_partner(NOBODY if late else ANYONE)
        if meets and not late:
            self.found += 1
            self.pairs.append(touching_pairs(d.contacts.arrays, d.contacts.count, touch))
        self._length = 0.0
        return False

    def all_pairs(self, pairs: np.ndarray) -> np.ndarray:
        """Return the sorted pairs (p, 2) that touch at the end of the step, or touched in between."""
        return np.unique(np.concatenate([pairs, *self.pairs]), axis=0) if self.pairs else pairs
