"""Contact events: which pairs of bodies began, went on or ended touching."""

from dataclasses import dataclass

import numpy as np

from collision.contacts import Contacts

__all__ = ["ContactEvents", "find_events", "no_events", "touching_pairs"]


@dataclass(frozen=True)
class ContactEvents:
    """Pairs of bodies (rows, first < second, each (p, 2)) whose touching began, went on or ended in a step."""

    begin: np.ndarray
    persist: np.ndarray
    end: np.ndarray


def no_events() -> ContactEvents:
    """Return the events of a step in which nothing touches."""
    none = np.zeros((0, 2), np.int64)
    return ContactEvents(none, none, none)


def touching_pairs(contacts: Contacts, touch_distance: float, body_count: int) -> np.ndarray:
    """Return the pairs of bodies (p, 2) that touch, sorted, each once."""
    touching = contacts.gap[: contacts.count] <= touch_distance
    a, b = contacts.body_a[: contacts.count][touching], contacts.body_b[: contacts.count][touching]
    keys = np.unique(np.minimum(a, b) * body_count + np.maximum(a, b))
    return np.stack([keys // max(body_count, 1), keys % max(body_count, 1)], axis=1)


def find_events(before: np.ndarray, now: np.ndarray) -> ContactEvents:
    """Compare two sorted lists of pairs (p, 2)."""
    if np.array_equal(before, now):
        none = now[:0]
        return ContactEvents(none, now, none)
    size = 1 + max(int(before.max(initial=0)), int(now.max(initial=0)))
    old, new = before[:, 0] * size + before[:, 1], now[:, 0] * size + now[:, 1]
    return ContactEvents(
        begin=now[~np.isin(new, old)], persist=now[np.isin(new, old)], end=before[~np.isin(old, new)]
    )
