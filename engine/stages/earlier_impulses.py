"""What contacts were given, or hit with, before they were found anew: in earlier sub-steps, or the last step.

Each sub-step finds its contacts anew, and so does who looks at them after anything of the world was
changed between two steps. The rows of contacts tell of what came since then alone; those of joints stay, and
add up by themselves. What is found again is added to the contact there is; what is not found is gone, and
kept apart, so that no sum of forces lacks it. Nothing of the motion depends on any of it: it is what contacts
are asked for after a step.
"""

from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.contacts import ContactArrays, Contacts
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.laws.contact_functions import RIGID

if TYPE_CHECKING:
    from stoss.engine.stages.constraint_system import ConstraintSystem

__all__ = ["EarlierImpacts", "EarlierImpulses", "GoneContacts"]

_KEYS = ("shape_a", "shape_b", "feature")


class GoneContacts:
    """Contacts that acted in the step and are no longer there at its end.

    Args:
        system: whose contacts they are.
    """

    def __init__(self, system: "ConstraintSystem") -> None:
        self._system = system
        self._kept: list[tuple[ContactArrays, np.ndarray]] = []  # and impulses (c, 3) on the first bodies
        # impulses of the last `correct`; `ConstraintSystem.memory`, if nothing was remembered since
        self.corrected: ImpulseMemory | None = None

    def clear(self) -> None:
        """Begin the step anew."""
        self._kept.clear()
        self.corrected = None

    def keep(self, contacts: ContactArrays, impulses: np.ndarray) -> None:
        """Take note of some: how they were, and their impulses (c, 3) [N s]."""
        acted = np.flatnonzero(impulses.any(axis=1))
        if len(acted):
            gone = contacts.pick(acted)
            gone.gap[:] = np.inf
            self._kept.append((gone, impulses[acted]))

    def keep_lost(self) -> None:
        """Take note of those that acted in the first half of the sub-step and were not found at its end."""
        self._kept += self._lost()
        self.corrected = None

    def remove_bodies(self, bodies: np.ndarray, shapes: np.ndarray) -> None:
        """Forget those of bodies that are removed (ascending rows), and renumber what is behind these."""
        self._kept = [_without(*kept, bodies, shapes) for kept in self._kept]

    def with_contacts(self, contacts: Contacts, impulses: np.ndarray) -> tuple[Contacts, np.ndarray]:
        """Return contacts and their impulses (c, 3) with those that are gone, as far away as can be, last."""
        gone = [*self._kept, *self._lost()]
        if not gone:
            return contacts, impulses
        arrays, every = ContactArrays(*(field[: contacts.count] for field in contacts.arrays)), [impulses]
        for lost, given in gone:
            arrays = arrays.joined(lost)
            every.append(given)
        return Contacts.from_plain(arrays), np.concatenate(every)

    def _lost(self) -> list[tuple[ContactArrays, np.ndarray]]:
        memory, system = self.corrected, self._system
        if memory is None or memory is not system.memory or not len(memory.feature):
            return []
        lost = _places(_keys(system.contacts.arrays, system.contacts.count), _keys(memory)) < 0
        lost &= memory.normal_impulse != 0.0
        if not lost.any():
            return []
        found = memory.pick(lost)
        owner = system.detector.table.body
        gone = ContactArrays.zeros(contacts=len(found.feature))
        gone.body_a[:], gone.body_b[:] = owner[found.shape_a], owner[found.shape_b]
        gone.shape_a[:], gone.shape_b[:], gone.feature[:] = found.shape_a, found.shape_b, found.feature
        gone.point_a[:] = gone.point_b[:] = found.place
        gone.normal[:] = found.normal
        gone.gap[:] = np.inf
        return [(gone, found.normal_impulse[:, None] * found.normal + found.tangent_impulse)]


class EarlierImpacts:
    """Impacts of the step on contacts that give way by a law, found again by their shapes and features.

    Args:
        system: whose contacts they are.

    Attributes:
        kept: approach [m/s], effective mass [kg] and load [N] by shapes and feature, of those whose contacts
            were found anew since. Not written in place: saved states share it.
    """

    def __init__(self, system: "ConstraintSystem") -> None:
        self._system = system
        self.kept: dict[tuple[int, int, int], tuple[float, float, float]] = {}

    def clear(self) -> None:
        """Begin the step anew."""
        self.kept = {}

    def keep(self) -> None:
        """Take note of those of the present contacts, which are to be found anew."""
        self.kept = self.all

    @property
    def all(self) -> dict[tuple[int, int, int], tuple[float, float, float]]:
        """Return those that were kept, and those of the present contacts."""
        system = self._system
        frames, contacts = system.frames, system.contacts
        hit = np.flatnonzero((frames.contact_law != RIGID) & (frames.approach > frames.least_bounce))
        if not len(hit):
            return self.kept
        found = frames.contact[hit]
        keys = zip(*(getattr(contacts, name)[found].tolist() for name in _KEYS), strict=True)
        masses = system.rows.effective_mass[frames.row[hit]]
        numbers = frames.approach[hit], masses, masses * frames.pressing[hit]
        return self.kept | dict(zip(keys, zip(*(one.tolist() for one in numbers), strict=True), strict=True))

    def remove_shapes(self, shapes: np.ndarray) -> None:
        """Forget those of shapes that are removed (ascending), and renumber what is behind these."""
        self.kept = {
            (a - int(np.searchsorted(shapes, a)), b - int(np.searchsorted(shapes, b)), feature): numbers
            for (a, b, feature), numbers in self.kept.items()
            if a not in shapes and b not in shapes
        }


class EarlierImpulses:
    """Impulses of contacts by sub-steps, found again by their shapes and features.

    Args:
        system: whose contacts they are.
    """

    def __init__(self, system: "ConstraintSystem") -> None:
        self._system = system
        self._kept: list[tuple[ContactArrays, np.ndarray]] = []  # contacts, and impulses (c, 3) [N s]

    def clear(self) -> None:
        """Begin the step anew."""
        self._kept.clear()

    def keep(self) -> None:
        """Take note of what the contacts were given in the sub-step, or step, that is at its end."""
        system = self._system
        system.gone.keep_lost()
        system.impacts.keep()
        if system.contacts.count:
            self.take(system.contacts.copy().arrays, system.contact_impulses)

    def take(self, contacts: ContactArrays, impulses: np.ndarray) -> None:
        """Take note of contacts and what they were given (c, 3) [N s]."""
        self._kept.append((contacts, impulses))

    def remove_bodies(self, bodies: np.ndarray, shapes: np.ndarray) -> None:
        """Forget contacts of bodies that are removed, as `GoneContacts.remove_bodies` does."""
        self._kept = [_without(*kept, bodies, shapes) for kept in self._kept]

    def add(self) -> None:
        """Add what was kept to what the contacts of the present sub-step were given."""
        if not self._kept:
            return
        system = self._system
        now, sums = _keys(system.contacts.arrays, system.contacts.count), np.zeros((system.contacts.count, 3))
        for contacts, impulses in self._kept:
            at = _places(now, _keys(contacts))
            there = at >= 0
            np.add.at(sums, at[there], impulses[there])
            system.gone.keep(contacts.pick(~there), impulses[~there])
        frames = system.frames
        if len(frames.contact):
            parts = sums[frames.contact]
            system.total[frames.row[:, None] + np.arange(3)] += (frames.axes @ parts[:, :, None])[:, :, 0]


def _without(
    contacts: ContactArrays, impulses: np.ndarray, bodies: np.ndarray, shapes: np.ndarray
) -> tuple[ContactArrays, np.ndarray]:
    """Return contacts and impulses without those of bodies and shapes that go (ascending), renumbered."""
    stay = ~(np.isin(contacts.shape_a, shapes) | np.isin(contacts.shape_b, shapes))
    left = contacts.pick(stay)
    for of, gone in (("body_a", bodies), ("body_b", bodies), ("shape_a", shapes), ("shape_b", shapes)):
        rows = getattr(left, of)
        rows -= np.searchsorted(gone, rows)
    return left, impulses[stay]


def _keys(of: ContactArrays | ImpulseMemory, count: int | None = None) -> np.ndarray:
    """Return shapes and feature (c, 3) of contacts."""
    return np.stack([getattr(of, name)[:count] for name in _KEYS], axis=1)


def _places(now: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return where each of some keys (n, 3) is among those of `now`, -1 where it is not."""
    if np.array_equal(keys, now):
        return np.arange(len(keys))
    _, found = np.unique(np.concatenate([now, keys]), axis=0, return_inverse=True)
    found = found.reshape(-1)
    place = np.full(len(now) + len(keys), -1)
    place[found[: len(now)]] = np.arange(len(now))
    out: np.ndarray = place[found[len(now) :]]
    return out
