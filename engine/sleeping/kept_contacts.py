"""The contacts of bodies asleep, which are kept aside with their impulses until these wake."""

from typing import Any, NamedTuple

import numpy as np

from stoss.collision.contacts import ContactArrays, Contacts
from stoss.engine.contacts.events import touching_pairs
from stoss.engine.contacts.warm_start import ImpulseMemory, empty_memory

__all__ = ["Kept", "KeptContacts", "join_memories"]


class Kept(NamedTuple):
    """Contacts, sorted by shape pair, and what is known of each."""

    contacts: ContactArrays
    impulses: np.ndarray  # (c, 3) over the last step [N s]
    memory: ImpulseMemory

    def pick(self, index: np.ndarray) -> "Kept":
        """Return copies of the chosen entries: indices, or a mask."""
        return Kept(self.contacts.pick(index), self.impulses[index], self.memory.pick(index))

    def joined(self, other: "Kept") -> "Kept":
        """Return the entries of both, those of `other` last."""
        impulses = np.concatenate([self.impulses, other.impulses])
        return Kept(self.contacts.joined(other.contacts), impulses, self.memory.joined(other.memory))

    def copy(self) -> "Kept":
        """Return independent copies."""
        return Kept(self.contacts.copy(), self.impulses.copy(), self.memory.copy())


class KeptContacts:
    """Keep the contacts of bodies asleep.

    Attributes:
        kept: the contacts.
        pairs: (p, 2) bodies asleep, or one of them and its support, that touch.
    """

    def __init__(self) -> None:
        self.kept = Kept(ContactArrays.zeros(), np.zeros((0, 3)), empty_memory())
        self.pairs = np.zeros((0, 2), np.int64)

    @property
    def gaps(self) -> np.ndarray:
        """Return the gaps [m]."""
        return self.kept.contacts.gap

    def add(self, new: Kept) -> None:
        """Keep more contacts."""
        self.kept = self.kept.joined(new).pick(_merged_order(self.kept.contacts, new.contacts))

    def remove(self, woken: np.ndarray) -> Kept:
        """Give away the contacts of the bodies `woken` (n,)."""
        c = self.kept.contacts
        leaving = woken[c.body_a] | woken[c.body_b]
        given = self.kept.pick(leaving)
        self.kept = self.kept.pick(~leaving)
        return given

    def find_pairs(self, touch_distance: float) -> None:
        """Find the pairs that touch, with gaps up to `touch_distance` [m], after the contacts changed."""
        self.pairs = touching_pairs(self.kept.contacts, len(self.gaps), touch_distance)

    def with_pairs(self, pairs: np.ndarray) -> np.ndarray:
        """Return touching pairs (p, 2) together with those that are kept, sorted."""
        if len(self.pairs) == 0 or len(pairs) == 0:
            return pairs if len(pairs) else self.pairs
        both = np.concatenate([pairs, self.pairs])
        return both[np.argsort((both[:, 0] << 32) | both[:, 1])]

    def with_contacts(self, contacts: Contacts, impulses: np.ndarray) -> tuple[Contacts, np.ndarray]:
        """Return contacts and their impulses (c, 3) with those that are kept."""
        own = ContactArrays(*(field[: contacts.count] for field in contacts.arrays))
        order = _merged_order(own, self.kept.contacts)
        both = Contacts.from_plain(own.joined(self.kept.contacts).pick(order))
        return both, np.concatenate([impulses, self.kept.impulses])[order]

    def with_states(self, contacts: Contacts, states: np.ndarray) -> np.ndarray:
        """Return what friction laws remember of contacts (c, STATE), with those that are kept."""
        own = ContactArrays(*(field[: contacts.count] for field in contacts.arrays))
        order = _merged_order(own, self.kept.contacts)
        return np.concatenate([states, self.kept.memory.friction_state])[order]

    def supported_by(self, on: np.ndarray) -> np.ndarray:
        """Return which bodies have a contact that is kept with the bodies `on` (n,)."""
        out = np.zeros(len(on), np.bool_)
        a, b = self.kept.contacts.body_a, self.kept.contacts.body_b
        out[b[on[a]]] = True
        out[a[on[b]]] = True
        return out

    def remove_bodies(self, removed: np.ndarray, shapes: np.ndarray) -> None:
        """Renumber bodies and shapes behind those that are removed (ascending) and have no contact here."""
        c, memory = self.kept.contacts, self.kept.memory
        for bodies in (c.body_a, c.body_b):
            bodies -= np.searchsorted(removed, bodies)
        for rows in (c.shape_a, c.shape_b, memory.shape_a, memory.shape_b):
            rows -= np.searchsorted(shapes, rows)


def join_memories(first: ImpulseMemory, second: ImpulseMemory) -> ImpulseMemory:
    """Return the impulses of both, sorted by shape pair."""
    if len(second.feature) == 0:
        return first
    return first.joined(second).pick(_merged_order(first, second))


def _merged_order(first: Any, second: Any) -> np.ndarray:
    """Return the order by shape pair of the entries of both, each of which is in that order."""
    a, b = (
        np.concatenate([getattr(one, name) for one in (first, second)]) for name in ("shape_a", "shape_b")
    )
    return np.argsort((a << 32) | b, kind="stable")
