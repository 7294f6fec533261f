"""Sleep: islands of an instant that fall asleep, and wake."""

import numpy as np
from stoss.collision.contacts import Contacts
from stoss.engine.bodies.energy import energy_and_momentum
from stoss.engine.contacts.warm_start import forget_shapes
from stoss.engine.sleeping.sleepers import join_memories, pick
from stoss.engine.stages.constraint_system import Instant
from stoss.engine.stages.ledger import DISPLACED

__all__ = ["RestingInstant"]


class RestingInstant(Instant):
    """An instant whose islands may sleep: their bodies are static, and their contacts kept elsewhere."""

    @property
    def idle(self) -> bool:
        """Return whether nothing moves in this step, because all that could is asleep."""
        return self.sleepers.count > 0 and not self.sleepers.movable(self.bodies).any()

    @property
    def all_contacts(self) -> tuple[Contacts, np.ndarray]:
        """Return all contacts of the present poses, those of bodies asleep too, and their impulses (c, 3)."""
        if self.stale:
            self.refresh()
        awake = self.contacts, self.contact_impulses
        return self.sleepers.with_contacts(*awake) if self.sleepers.count else awake

    def refresh(self) -> None:
        """Find the contacts of the present poses, without solving anything."""
        if self.contacts.count > 0:
            self.remember()
        self.forget_islands()
        self.detect()
        while len(self.met):
            self.contacts = Contacts()
            self.wake(self.met)
            self.detect()
        self.build()
        self.stale = False

    def remove_body(self, row: int) -> None:
        """Remove a body, which has no joints any more; its shapes go, and with them its contacts."""
        if self.sleepers.count:
            self.wake(self.sleepers.leaning_on(row))
        if self.contacts.count > 0:
            self.remember()
        shapes = np.flatnonzero(self.detector.table.body[: self.detector.table.count] == row)
        self.memory = forget_shapes(self.memory, shapes)
        self.sleepers.remove_body(row, shapes)
        self.detector.remove_body(row)
        self.table.remove(row)
        self.joint_table.renumber_body(row)
        self.drop_contacts()

    def review_sleepers(self, gravity: np.ndarray, changed: bool) -> None:
        """Wake what was changed since the last step or leans on what moves; see `Sleepers.review`."""
        self.wake(self.sleepers.review(self.table.arrays, self.joints, gravity, changed))
        if self.stale:
            self.refresh()

    def wake(self, rows: np.ndarray) -> None:
        """Wake the islands of the bodies `rows`, which go on from the impulses they had and rest anew."""
        memory = self.sleepers.wake(rows, self.table.arrays) if self.settings.sleeping else None
        if memory is None:
            return
        if self.contacts.count > 0:
            self.remember()
        self.memory = join_memories(self.memory, memory)
        self.joint_version = -1
        self.drop_contacts()

    def rest(self, h: float) -> None:
        """Put islands to sleep whose bodies have rested long enough, at the end of a step of length h [s]."""
        numbers = self.sleepers.tired(self.table.arrays, self.islands, self.contacts, self.joints, h)
        if len(self.jammed):
            # what is wedged stays awake, to be reported
            c = self.contacts
            wedged = numbers[np.concatenate([c.body_a[self.jammed], c.body_b[self.jammed]])]
            numbers[np.isin(numbers, wedged)] = 0
        if numbers.any():
            # what is left of their motion ends
            weightless = np.zeros(3)
            self.ledger[DISPLACED] -= energy_and_momentum(self.table.arrays, weightless)[0]
            self._put_to_sleep(numbers)
            self.ledger[DISPLACED] += energy_and_momentum(self.table.arrays, weightless)[0]

    def sleep(self, row: int, gravity: np.ndarray) -> None:
        """Put the island of a body to sleep at once."""
        self.review_sleepers(gravity, True)
        if not self.sleepers.asleep[row]:
            self._put_to_sleep(self.sleepers.island_of(row, self.islands))

    def _put_to_sleep(self, numbers: np.ndarray) -> None:
        """Put bodies to sleep, those with the same number above 0 (n,) together."""
        impulses = self.contact_impulses
        self.remember()
        awake = self.sleepers.put_to_sleep(
            numbers, self.table.arrays, self.joints, self.contacts, impulses, self.memory
        )
        self.contacts.take(awake)
        self.jammed = np.searchsorted(awake, np.intersect1d(self.jammed, awake))
        self.memory, self.touching = pick(self.memory, awake), self.touching[awake]
        self.joint_version = -1
        self.find_islands()
        self.build()
        parts = impulses[awake][self.frames.contact]
        self.total[self.frames.row[:, None] + np.arange(3)] = (self.frames.axes @ parts[:, :, None])[:, :, 0]
