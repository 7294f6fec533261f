"""Sleep in a constraint system: islands that fall asleep leave it, and return to it as they wake."""

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.engine.bodies.energy import energy_and_momentum
from stoss.engine.contacts.warm_start import forget_shapes
from stoss.engine.laws.friction_arrays import STATE
from stoss.engine.sleeping.kept_contacts import join_memories
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.earlier_impulses import EarlierImpulses
from stoss.engine.stages.ledger import DISPLACED

__all__ = ["Waking"]


class Waking:
    """Let islands fall asleep and wake: asleep, their bodies are static, and their contacts kept elsewhere.

    Args:
        system: the constraint system of those that are awake.
    """

    def __init__(self, system: ConstraintSystem) -> None:
        self._system = system
        self._state = system.state
        self._earlier = EarlierImpulses(system)  # of contacts that are to be found anew

    @property
    def all_contacts(self) -> tuple[Contacts, np.ndarray]:
        """Return all contacts of the present poses, those of bodies asleep too, and their impulses (c, 3)."""
        self.find_contacts()
        awake = self._system.contacts, self._system.contact_impulses
        sleepers = self._state.sleepers
        return sleepers.with_contacts(*awake) if sleepers.count else awake

    @property
    def acting_contacts(self) -> tuple[Contacts, np.ndarray]:
        """Return `all_contacts`, and behind them those that acted in the last step and are gone."""
        return self._system.gone.with_contacts(*self.all_contacts)

    def all_friction_states(self) -> np.ndarray:
        """Return what friction laws remember (c, STATE) of the contacts of `all_contacts`."""
        contacts, frames = self._system.contacts, self._system.frames
        states = np.zeros((contacts.count, STATE))
        lawful = frames.friction_law >= 0
        states[frames.contact[lawful]] = frames.friction_state[lawful]
        sleepers = self._state.sleepers
        return sleepers.with_states(contacts, states) if sleepers.count else states

    def find_contacts(self) -> None:
        """Find the contacts of the present poses, if anything was changed since the last step."""
        if self._state.stale:
            self.refresh(between=True)

    def refresh(self, *, between: bool = False) -> None:
        """Find the contacts of the present poses, without solving anything.

        Args:
            between: whether between two steps: then contacts have the impulses of the last step still, and
                what acted in it and is there no more is gone.
        """
        system = self._system
        if between:
            self._earlier.keep()
        system.remember_solved()
        system.forget_islands()
        _, met_sleepers = system.detect()
        while len(met_sleepers):
            system.contacts = Contacts()
            self.wake(met_sleepers)
            _, met_sleepers = system.detect()
        if system.has_idle_contacts:
            # as static bodies they would have contacts without rows; the next step sets aside anew
            self._state.set_aside(None)
            system.joint_version = -1
            system.forget_islands()
            system.detect()
        system.build()
        system.unsolved = True
        self._state.stale = False
        if between:
            self._earlier.add()
        self._earlier.clear()

    def remove_bodies(self, rows: np.ndarray) -> None:
        """Remove bodies (ascending rows) that have no joints any more, with their shapes and contacts."""
        system, state = self._system, self._state
        if state.sleepers.count:
            self.wake(state.sleepers.supported_by(rows))
        self._earlier.keep()
        system.remember_solved()
        table = system.detector.table
        gone = np.zeros(state.table.count, np.bool_)
        gone[rows] = True
        shapes = np.flatnonzero(gone[table.body[: table.count]])
        system.memory = forget_shapes(system.memory, shapes)
        system.remove_rungs(rows)
        system.gone.remove_bodies(rows, shapes)
        system.impacts.remove_shapes(shapes)
        self._earlier.remove_bodies(rows, shapes)
        state.sleepers.remove_bodies(rows, shapes)
        system.detector.remove_bodies(rows)
        state.table.remove(rows)
        state.joint_table.renumber_bodies(rows)
        state.set_aside(None)
        system.joint_version = -1
        system.drop_contacts()
        state.stale = True

    def wake_with_neighbours(self, row: int) -> None:
        """Wake a body, and those that lean on it."""
        sleepers = self._state.sleepers
        self.wake(np.union1d(sleepers.supported_by(np.array([row])), [row]))

    def forget_kinds(self) -> None:
        """Look anew at which bodies react, since kinds were changed."""
        state = self._state
        state.sleepers.forget_kinds()
        state.set_aside(None)

    def review(self, changed: bool) -> None:
        """Wake what was changed since the last step or leans on what moves; see `Sleepers.review`."""
        state = self._state
        self.wake(state.sleepers.review(state.table.arrays, state.joints, state.gravity, changed))
        self.find_contacts()

    def wake(self, rows: np.ndarray) -> None:
        """Wake the islands of the bodies `rows`, which go on from the impulses they had and rest anew."""
        system, state = self._system, self._state
        kept = state.sleepers.wake(rows, state.table.arrays) if state.settings.leaves_out else None
        if kept is None:
            return
        self._earlier.keep()
        self._earlier.take(kept.contacts, kept.impulses)
        system.remember_solved()
        system.memory = join_memories(system.memory, kept.memory)
        system.joint_version = -1
        system.drop_contacts()
        state.stale = True

    def rest(self, h: float) -> None:
        """Put islands to sleep whose bodies have rested long enough, at the end of a step of length h [s]."""
        system, state = self._system, self._state
        bodies = state.table.arrays
        numbers = state.sleepers.ready_to_sleep(bodies, system.islands, system.contacts, state.joints, h)
        if len(system.jammed):
            # what is wedged stays awake, to be reported
            c = system.contacts
            wedged = numbers[np.concatenate([c.body_a[system.jammed], c.body_b[system.jammed]])]
            numbers[np.isin(numbers, wedged)] = 0
        if numbers.any():
            # what is left of their motion ends
            weightless = np.zeros(3)
            state.ledger[DISPLACED] -= energy_and_momentum(bodies, weightless)[0]
            self._put_to_sleep(numbers)
            state.ledger[DISPLACED] += energy_and_momentum(bodies, weightless)[0]

    def sleep(self, row: int) -> None:
        """Put the island of a body to sleep at once."""
        self.review(changed=True)
        sleepers = self._state.sleepers
        if not sleepers.asleep[row]:
            self._put_to_sleep(sleepers.island_of(row, self._system.islands))

    def _put_to_sleep(self, numbers: np.ndarray) -> None:
        """Put bodies to sleep, those with the same number above 0 (n,) together."""
        system, state = self._system, self._state
        impulses = system.contact_impulses
        system.impacts.keep()
        system.remember()
        awake = state.sleepers.put_to_sleep(
            numbers, state.table.arrays, state.joints, system.contacts, impulses, system.memory
        )
        system.contacts.take(awake)
        system.jammed = np.searchsorted(awake, np.intersect1d(system.jammed, awake))
        system.memory, touching = system.memory.pick(awake), system.touching[awake]
        system.joint_version = -1
        system.find_islands()
        system.touching[:] = touching
        system.build()
        frames, parts = system.frames, impulses[awake][system.frames.contact]
        system.total[frames.row[:, None] + np.arange(3)] = (frames.axes @ parts[:, :, None])[:, :, 0]
