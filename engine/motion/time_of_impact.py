"""Time of impact: end a sub-step where surfaces meet (Bender 2007, section 4.1), the accuracy mode.

A sub-step after which bodies overlap that were apart at its start is made again from there with a shorter
length, such that they just touch at its end; there the impact is settled, and the rest of the step follows.
Where nothing but free motion acts, the first guess is right to rounding. With joints and resting contacts
the impulses of the position rows depend on the length of the sub-step, so it is solved anew every time, and
the guess is improved until the gap is within the tolerance.
"""

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.arrays import BodyArrays, BodyScratch, OldBodies
from stoss.engine.constraints.options import RowOptions
from stoss.engine.contacts.frames import ContactFrames, approach_speed, gap_at, turned_normal, vector
from stoss.engine.motion.free_motion import preview_bodies

FEATURE = "time of impact"  # see `kernels.prepare`

__all__ = ["ImpactSearch", "first_contact", "gap_tolerance"]

# Impacts that one step is split at, and how often a sub-step is made again for one of them. Beyond that the
# step goes on as without this search: what overlaps is put back.
MOST_IMPACTS = 50
MOST_RETRIES = 12
# Tolerance of the gap at the time of contact, as a share of the position tolerance.
GAP_SHARE = 0.5
# Iterations of regula falsi for one contact, and the gap [m] at which they end: rounding.
MOST_ITERATIONS = 60
ROUNDING = 1e-15


@inner
def _gap(frames, c, a, b, positions, quaternions):
    """Return the gap of a contact for any poses, along the normal that a face carries with it."""
    return gap_at(frames, c, a, b, turned_normal(frames, c, quaternions), positions, quaternions)


@inner
def gap_tolerance(options):
    """Return how large the gap at a time of contact may be, or the overlap [m]."""
    return min(GAP_SHARE * options.position_tolerance, options.touch_distance)


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


@kernel(allocates=True)
def first_contact(
    contacts: ContactArrays,
    frames: ContactFrames,
    before: ContactArrays,
    before_count: int,
    bodies: BodyArrays,
    old: OldBodies,
    scratch: BodyScratch,
    gravity: Floats,
    options: RowOptions,
    h: float,
) -> tuple[float, float, bool]:
    """Find when, in the sub-step of length h that has just been moved, surfaces that were apart first met.

    Args:
        contacts, frames: contacts at the end of the sub-step, and their geometry (`place_contacts`).
        before, before_count: contacts at its start.
        bodies, old: bodies at its end and at its start.
        scratch: scratch of the stages, for poses.
        gravity: [m/s^2].
        options: of the step; a gap up to `touch_distance` at the start is not new.
        h: length of the sub-step [s].

    Returns:
        The time [s] of the first contact, h if none was passed over; the time at which the first of those
        that have not quite met yet will, infinite if there is none; whether any pair just meets.
    """
    earliest, next_one, meets = h, np.inf, False
    touch = options.touch_distance
    tolerance = gap_tolerance(options)
    members = np.empty(2, np.int64)
    first = 0
    for c in range(len(frames.contact)):
        gap = contacts.gap[c]
        if gap > touch:
            continue
        a, b = contacts.body_a[c], contacts.body_b[c]
        gap_0 = _gap(frames, c, a, b, old.positions, old.quaternions)
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
            n0, n1, n2 = vector(contacts.normal[c])
            u = approach_speed(a, b, contacts.point_a[c], (n0, n1, n2), bodies)
            if u > 0.0:
                next_one = min(next_one, h + gap / u)
            continue
        if gap >= -tolerance:
            meets = True
            continue
        # regula falsi, Illinois: halve the value of an end that stays
        members[0], members[1] = a, b
        positions, quaternions = scratch.next_positions, scratch.next_quaternions
        low, high, value_low, value_high = 0.0, h, gap_0, gap
        time, last = h, 0
        for _ in range(MOST_ITERATIONS):
            time = (low * value_high - high * value_low) / (value_high - value_low)
            if not (low < time < high):
                time = 0.5 * (low + high)
            preview_bodies(options.motion, members, bodies, gravity, time - h, positions, quaternions)
            value = _gap(frames, c, a, b, positions, quaternions)
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


class ImpactSearch:
    """Look for the length of a sub-step at whose end surfaces just meet, for the sub-steps of one step.

    Attributes:
        found: impacts at which the step was split.
        retries: sub-steps that were made again.
        missed: sub-steps whose impacts were left to the end of the sub-step, after too many of both.
        pairs: for each impact, the pairs of bodies (p, 2) that touched.
        whole: length [s] of the sub-step in which is searched, before it was shortened; 0: none.
    """

    def __init__(self) -> None:
        self.found = self.retries = self.missed = 0
        self.pairs: list[np.ndarray] = []
        self.whole = 0.0
        self._early, self._late = 0.0, np.inf  # lengths known to be too short and too long
        self._tries = self._splits = 0  # for this sub-step; sub-steps that were made shorter in the step

    def begin(self, h: float) -> bool:
        """Note the length [s] of the sub-step that comes; return whether it is a new one, made first."""
        new = self.whole == 0.0
        if new:
            self.whole, self._early, self._late, self._tries = h, 0.0, np.inf, 0
        return new

    def end(self) -> None:
        """Forget the sub-step: it is made, or cannot be made at its length."""
        self.whole = 0.0

    def start_again(self) -> None:
        """Forget what was found: the step is made again from its start."""
        self.whole, self.found, self.pairs, self._splits = 0.0, 0, [], 0

    def better_length(
        self, h: float, first: float, next_one: float, meets: bool
    ) -> tuple[float | None, bool]:
        """Judge a sub-step of length h [s] that was made.

        Args:
            h: its length [s].
            first, next_one, meets: what `first_contact` says of it.

        Returns:
            The length with which to make it again, None if it stays; whether it then passes over an impact.
        """
        end = first
        if first < h:
            self._late = min(self._late, h)
        elif not meets and next_one < self._late and self._late < np.inf:
            self._early, end = h, next_one  # just missed it
        goes_on = end != h and self._tries < MOST_RETRIES and self._splits < MOST_IMPACTS
        if goes_on and not self._early < end < self._late:
            end = 0.5 * (self._early + self._late)
            goes_on = self._early < end < self._late
        if goes_on:
            self._tries += 1
            self.retries += 1
            return end, False
        self._splits += self._tries > 0
        self.missed += end < h
        return None, end < h

    def all_pairs(self, pairs: np.ndarray) -> np.ndarray:
        """Return the sorted pairs (p, 2) that touch at the end of the step, or touched in between."""
        return np.unique(np.concatenate([pairs, *self.pairs]), axis=0) if self.pairs else pairs
