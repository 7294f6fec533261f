"""Contact events: which pairs of bodies began, went on or ended touching."""

from dataclasses import dataclass, field

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.sorting import sort_numbers
from stoss.collision.kernels.types import Ints2
from stoss.names import closed

__all__ = ["ContactEvents", "find_events", "no_events", "touching_pairs", "without_bodies"]


@closed
@dataclass(frozen=True)
class ContactEvents:
    """Pairs of bodies whose touching began, went on or ended in a step.

    Attributes:
        begin, persist, end: (p, 2) rows of the bodies, the lower one first.
        broken: those between which a wall broke (`BarrierContact`), who pass through each other from then on.
    """

    begin: np.ndarray
    persist: np.ndarray
    end: np.ndarray
    broken: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))

    def without_bodies(self, rows: np.ndarray) -> "ContactEvents":
        """Return the pairs of other bodies than `rows` (ascending), which move up as those are removed."""
        lists = self.begin, self.persist, self.end, self.broken
        return ContactEvents(*(without_bodies(pairs, rows) for pairs in lists))


def without_bodies(pairs: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the pairs (p, 2) of other bodies than `rows` (ascending), which move up as those are removed."""
    kept = pairs[~np.isin(pairs, rows).any(axis=1)]
    return kept - np.searchsorted(rows, kept)


def no_events() -> ContactEvents:
    """Return the events of a step in which nothing touches."""
    none = np.zeros((0, 2), np.int64)
    return ContactEvents(none, none, none)


@kernel(allocates=True)
def touching_pairs(contacts: ContactArrays, count: int, touch_distance: float) -> Ints2:
    """Return the pairs of bodies (p, 2) that touch, first < second, sorted, each once."""
    keys = np.empty(count, np.int64)
    found = 0
    sorted_already = True  # as those of contacts are, where shapes stand in the order of their bodies
    for c in range(count):
        if contacts.gap[c] <= touch_distance:
            a = contacts.body_a[c]
            b = contacts.body_b[c]
            key = (min(a, b) << 32) | max(a, b)
            if found == 0 or keys[found - 1] != key:
                sorted_already = sorted_already and (found == 0 or keys[found - 1] < key)
                keys[found] = key
                found += 1
    if not sorted_already:
        sort_numbers(keys, 0, found)
    pairs = np.empty((found, 2), np.int64)
    kept = 0
    for i in range(found):
        if i == 0 or keys[i] != keys[i - 1]:
            pairs[kept, 0] = keys[i] >> 32
            pairs[kept, 1] = keys[i] & 0xFFFFFFFF
            kept += 1
    return pairs[:kept].copy()


@inner
def _order(p, q):
    """Return -1, 0 or 1 as the pair p comes before q, is equal, or comes behind it."""
    for k in range(2):
        if p[k] != q[k]:
            return -1 if p[k] < q[k] else 1
    return 0


@kernel(allocates=True)
def compare_pairs(before: Ints2, now: Ints2) -> tuple[Ints2, Ints2, Ints2]:
    """Return the pairs of `now` that were not in `before`, those that were, and those of `before` that went.

    Both lists are sorted.
    """
    begin, persist, end = np.empty_like(now), np.empty_like(now), np.empty_like(before)
    begun = lasting = ended = i = j = 0
    while i < len(before) or j < len(now):
        order = 1 if i == len(before) else (-1 if j == len(now) else _order(before[i], now[j]))
        if order == 0:
            persist[lasting, 0], persist[lasting, 1] = now[j, 0], now[j, 1]
            lasting += 1
        elif order > 0:
            begin[begun, 0], begin[begun, 1] = now[j, 0], now[j, 1]
            begun += 1
        else:
            end[ended, 0], end[ended, 1] = before[i, 0], before[i, 1]
            ended += 1
        i += order <= 0
        j += order >= 0
    return begin[:begun].copy(), persist[:lasting].copy(), end[:ended].copy()


def find_events(before: np.ndarray, now: np.ndarray) -> ContactEvents:
    """Compare two sorted lists of pairs (p, 2)."""
    if len(before) == len(now) and before.tobytes() == now.tobytes():  # quicker than by numbers
        return ContactEvents(begin=now[:0], persist=now, end=now[:0])
    return ContactEvents(*compare_pairs(before, now))
