"""Which bodies touch after a step, and what of that is new."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.engine.contacts.events import ContactEvents, find_events, no_events, touching_pairs, without_bodies
from stoss.engine.motion.time_of_impact import ImpactSearch
from stoss.engine.sleeping.sleepers import Sleepers

if TYPE_CHECKING:
    from stoss.engine.world.body import Body

__all__ = ["Touching"]


@dataclass(frozen=True)
class Touching:
    """Pairs of bodies that touch, by their rows; a step replaces it.

    Attributes:
        pairs: (p, 2) the lower row first, sorted.
        events: of the last step.
    """

    pairs: np.ndarray
    events: ContactEvents

    @classmethod
    def none(cls) -> "Touching":
        """Return that of a world in which nothing touches."""
        return cls(np.zeros((0, 2), np.int64), no_events())

    @property
    def goes_on(self) -> bool:
        """Return whether nothing began or ended, so that it is the same if no other pairs touch."""
        events = self.events
        return events.persist is self.pairs and not (
            len(events.begin) or len(events.end) or len(events.broken)
        )

    def after(
        self, contacts: Contacts, touch: float, sleepers: Sleepers, impacts: ImpactSearch | None, same: bool
    ) -> "Touching":
        """Return who touches after the next step.

        Args:
            contacts: those of the state after it.
            touch: gap up to which surfaces touch [m].
            sleepers: whose pairs are not among the contacts.
            impacts: in the step, whose bodies touched within it.
            same: whether the pairs of the contacts are known to be those of before.
        """
        pairs = self.pairs
        if same and impacts is None and not sleepers.count:
            if self.goes_on:
                return self
            return Touching(pairs, find_events(pairs, pairs))
        now = sleepers.with_pairs(touching_pairs(contacts.arrays, contacts.count, touch))
        if impacts is not None:
            now = impacts.all_pairs(now)
        return Touching(now, find_events(pairs, now))

    def broken(self, pairs: Sequence[tuple[int, int]]) -> "Touching":
        """Return the same with the pairs between which a wall broke among the events."""
        return replace(self, events=replace(self.events, broken=np.array(sorted(pairs), np.int64)))

    def without_bodies(self, rows: np.ndarray) -> "Touching":
        """Return that of other bodies than `rows` (ascending), which move up as those are removed."""
        return Touching(without_bodies(self.pairs, rows), self.events.without_bodies(rows))

    def names(self, row: int, handles: "Sequence[Body]") -> list[str]:
        """Return the names of bodies that one of them touches."""
        mine = self.pairs[(self.pairs == row).any(axis=1)]
        return [handles[a if b == row else b].name for a, b in mine.tolist() if max(a, b) < len(handles)]
