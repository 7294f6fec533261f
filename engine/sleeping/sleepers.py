"""Sleeping: islands that stay where they are are left out of the steps until something happens to them.

A body rests while it stays within a distance of an anchor, the pose at which it last came to rest: neither
jitter nor a turning point of its motion counts, only whether it gets anywhere, and slow creep does. An island
whose bodies have all rested for a time falls asleep. For the stages of a step its bodies are then static; its
contacts are kept aside, with their impulses, and continue with these when it wakes.

It wakes when anything of it is not as it was: pose, velocity, force, mass, surface, gravity, a drive or a
stop of its joints. That is found by comparing with a copy, so that no way to change something is forgotten.
And it wakes when bodies that move come near (within the contact margin) or its support moves. A step that
brings an awake body near one that sleeps is taken again with both awake: nothing collides with a body asleep.

Where rest is to be *exact* the limits are those of rounding, and all of the outcome is kept, the rest of the
velocities too: a step from it would give it again, so the steps that are left out change nothing.

Source: Bender 2007, section 7.2, which names sleeping as future work.
"""

from dataclasses import dataclass

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.collision.kernels.tables import Table
from stoss.engine.bodies.arrays import DYNAMIC, STATIC, BodyArrays
from stoss.engine.constraints.islands import Islands
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.sleeping.changes import Changes, Seen
from stoss.engine.sleeping.kept_contacts import Kept, KeptContacts
from stoss.engine.sleeping.rest import Rest, RestLimits, moving_supports, update_rest

__all__ = ["SleepState", "Sleepers"]

# Share of the awake bodies that touch anything from which on those that rest exactly are left out. To leave
# out an island, or to take it back, costs about a step, as contacts and islands of all others are found anew,
# and beside what is left out a step is not made in one call; in a heap that flows, few would rest, for short.
WORTHWHILE = 0.25


@dataclass(frozen=True)
class SleepState:
    """All that sleeping depends on, for snapshots."""

    rest: Rest
    kept: Kept
    seen: Seen
    last_island: int


class Sleepers:
    """Know which bodies rest and which sleep, keep the contacts of the latter, and tell who is to wake.

    Args:
        limits: when what rests falls asleep.
        touch_distance: [m] gap up to which a contact touches.
    """

    def __init__(self, limits: RestLimits, touch_distance: float) -> None:
        self.configure(limits, touch_distance)
        self._rest = Table(Rest)
        self._kept = KeptContacts()
        self._changes = Changes()
        self._last_island = 0
        self._view_of: np.ndarray | None = None  # kinds of the bodies that are viewed
        self._view: BodyArrays | None = None
        self.count = 0  # bodies asleep

    def configure(self, limits: RestLimits, touch_distance: float) -> None:
        """Take other limits, as at the beginning."""
        self._limits, self._touch_distance = limits, touch_distance

    # ------------------------------------------------------------- what the step sees

    @property
    def _island(self) -> np.ndarray:
        return self._rest.arrays.island

    @property
    def asleep(self) -> np.ndarray:
        """Return which bodies sleep (n,)."""
        return self._island > 0

    def is_asleep(self, body: int) -> bool:
        """Return whether a body sleeps; one that is not known yet is awake."""
        return body < len(self._island) and bool(self._island[body] > 0)

    def asleep_among(self, count: int) -> np.ndarray:
        """Return which of `count` bodies sleep; those that are not known yet are awake."""
        out = np.zeros(count, np.bool_)
        out[: len(self._island)] = self.asleep
        return out

    def resting_among(self, count: int) -> np.ndarray:
        """Return which of `count` bodies sleep, or have rested for half the time that it takes."""
        out = self.asleep_among(count)
        timer = self._rest.arrays.sleep_timer
        out[: len(timer)] |= timer >= 0.5 * self._limits.time
        return out

    @property
    def gaps(self) -> np.ndarray:
        """Return the gaps [m] of the contacts that are kept."""
        return self._kept.gaps

    def awake_view(self, bodies: BodyArrays) -> BodyArrays:
        """Return the bodies with those that sleep as static ones."""
        self._fit(bodies)
        if self.count == 0:
            return bodies
        if self._view_of is not bodies.kinds or self._view is None:
            kinds = np.where(self.asleep, STATIC, bodies.kinds)
            self._view_of, self._view = bodies.kinds, bodies.replace(kinds=kinds)
        return self._view

    def movable(self, awake_view: BodyArrays) -> np.ndarray:
        """Return which bodies a detection is to see against all others: those that move."""
        awake = awake_view.kinds == DYNAMIC
        moving = self._changes.moving
        return awake | moving if self.count and len(moving) == len(awake) else awake

    def met_sleepers(self, contacts: Contacts, awake_view: BodyArrays) -> np.ndarray:
        """Return the bodies asleep among those of a detection, and drop contacts between supports."""
        if self.count == 0:
            return np.zeros(0, np.int64)
        a, b = contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]
        bodies = np.concatenate([a, b])
        met = np.unique(bodies[self._island[bodies] > 0])
        if len(met) == 0 and self._changes.moving.any():
            kinds = awake_view.kinds
            contacts.take(np.flatnonzero((kinds[a] == DYNAMIC) | (kinds[b] == DYNAMIC)))
        return met

    def with_pairs(self, pairs: np.ndarray) -> np.ndarray:
        """Return touching pairs (p, 2) of awake bodies together with those that sleep, sorted."""
        return self._kept.with_pairs(pairs)

    def with_contacts(self, contacts: Contacts, impulses: np.ndarray) -> tuple[Contacts, np.ndarray]:
        """Return the contacts of awake bodies and their impulses (c, 3) with those that are kept."""
        return self._kept.with_contacts(contacts, impulses)

    def with_states(self, contacts: Contacts, states: np.ndarray) -> np.ndarray:
        """Return what friction laws remember of contacts of awake bodies, with those that are kept."""
        return self._kept.with_states(contacts, states)

    def joints_asleep(self, joints: JointArrays) -> np.ndarray:
        """Return which joints have a body that sleeps (j,)."""
        if self.count == 0:
            return np.zeros(len(joints.bodies), np.bool_)
        island = np.append(self._island, 0)  # the world, -1, is awake
        return (island[joints.bodies] > 0).any(axis=1)

    # ------------------------------------------------------------- falling asleep

    def ready_to_sleep(
        self, bodies: BodyArrays, islands: Islands, contacts: Contacts, joints: JointArrays, h: float
    ) -> np.ndarray:
        """Return for each body the number (above 0) of the island with which it is to fall asleep, else 0.

        Args:
            bodies: all bodies, at the end of a step.
            islands, contacts: of the awake ones.
            joints: all joints.
            h: length of the step [s].
        """
        self._fit(bodies)
        limits, rest = self._limits, self._rest.arrays
        update_rest(bodies, rest, limits.distance, limits.speed, h)
        rested = rest.sleep_timer >= max(limits.time, (limits.steps - 0.5) * h)
        rested &= (bodies.kinds == DYNAMIC) & (self._island == 0) & (bodies.conveys == 0)
        if limits.exact:
            held = np.zeros(len(rested), np.bool_)
            held[islands.bodies] = True
            rested &= held
        least = max(WORTHWHILE * len(islands.bodies), 1.0) if limits.exact else 1.0
        if np.count_nonzero(rested) < least:
            return np.zeros(len(rested), np.int64)
        home = self._homes(islands, len(rested))
        stays = np.zeros(home.max() + 1, np.bool_)
        stays[home[(bodies.kinds == DYNAMIC) & ~rested]] = True
        moving = moving_supports(bodies)
        if moving.any():
            # beside a support that moves nothing rests: a box that is held back slides on its conveyor
            pairs = np.stack([contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]], axis=1)
            pairs = np.concatenate([pairs, joints.bodies[joints.enabled & (joints.bodies >= 0).all(axis=1)]])
            stays[home[pairs[moving[pairs].any(axis=1)]]] = True
        numbers = np.where(rested & ~stays[home], home, 0)
        if np.count_nonzero(numbers) < least:
            numbers[:] = 0  # computed, they have the same outcome
        return numbers

    def island_of(self, body: int, islands: Islands) -> np.ndarray:
        """Return the number of its island for the bodies that are connected to `body`, 0 for others."""
        home = self._homes(islands, len(self._island))
        return np.where(home == home[body], home, 0)

    def _homes(self, islands: Islands, count: int) -> np.ndarray:
        """Return the number of the island of each body, from 1; bodies in none have one of their own."""
        number = len(islands.body_start)
        home = np.arange(number, number + count)
        home[islands.bodies] = np.repeat(np.arange(1, number), np.diff(islands.body_start))
        return home

    def put_to_sleep(
        self,
        numbers: np.ndarray,
        bodies: BodyArrays,
        joints: JointArrays,
        contacts: Contacts,
        impulses: np.ndarray,
        memory: ImpulseMemory,
    ) -> np.ndarray:
        """Let bodies sleep and keep their contacts; return which contacts remain (indices).

        Args:
            numbers: (n,) above 0 for the bodies that fall asleep, the same for those of one island.
            bodies, joints: all of them; the velocities of bodies that sleep become zero, unless their rest is
                exact.
            contacts, impulses, memory: of the awake ones, one entry per contact.
        """
        chosen = numbers > 0
        self._island[chosen] = numbers[chosen] + self._last_island
        self._last_island += int(numbers.max())
        if not self._limits.exact:
            bodies.velocities[chosen] = 0.0
            bodies.angular_velocities[chosen] = 0.0
        self._changes.remember(bodies, joints, chosen)
        a, b = contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]
        gone = chosen[a] | chosen[b]
        mine = np.flatnonzero(gone)
        self._kept.add(Kept(contacts.arrays.pick(mine), impulses[mine], memory.pick(mine)))
        self._recount()
        return np.flatnonzero(~gone)

    def _recount(self) -> None:
        """Note who sleeps, after that or the contacts that are kept changed."""
        self._view_of = None
        self.count = int(np.count_nonzero(self._island))
        if self.count == 0:
            self._changes.forget()
        self._kept.find_pairs(self._touch_distance)

    # ------------------------------------------------------------- waking

    def review(
        self, bodies: BodyArrays, joints: JointArrays, gravity: np.ndarray, changed_constants: bool
    ) -> np.ndarray:
        """Return the bodies that are to wake, because they or what they lean on were changed or move.

        Args:
            bodies, joints: as the next step begins; drives have their set points.
            gravity: (3,) [m/s^2].
            changed_constants: whether masses, materials and the like may have changed, besides the state and
                the forces.
        """
        self._fit(bodies)
        if self._changes.in_gravity(gravity):
            return np.arange(len(bodies.kinds))
        if self.count == 0:
            return np.zeros(0, np.int64)
        woken = self._changes.in_bodies(bodies, changed_constants) & self.asleep
        if self._changes.moving.any():
            woken |= self._kept.supported_by(self._changes.moving)
        woken[self._changes.in_joints(joints)] = True
        return np.flatnonzero(woken)

    def supported_by(self, bodies: np.ndarray) -> np.ndarray:
        """Return the bodies asleep that touch any of `bodies`, and these themselves."""
        on = np.zeros(len(self._island), np.bool_)
        on[bodies[bodies < len(on)]] = True
        return np.flatnonzero(self._kept.supported_by(on) | on)

    def wake(self, bodies: np.ndarray, table: BodyArrays) -> Kept | None:
        """Wake the islands of these bodies; return their contacts, None if all are awake.

        All of them have to rest anew from now on.
        """
        self._fit(table)
        if len(bodies) == 0:
            return None
        rest = self._rest.arrays
        numbers = np.unique(rest.island[bodies])
        woken = np.isin(rest.island, numbers[numbers > 0])
        touched = woken.copy()
        touched[bodies] = True
        rest.sleep_timer[touched] = 0.0
        rest.positions[touched] = table.positions[touched]
        rest.quaternions[touched] = table.quaternions[touched]
        if not woken.any():
            return None
        rest.island[woken] = 0
        kept = self._kept.remove(woken)
        self._recount()
        return kept

    # ------------------------------------------------------------- bookkeeping

    def _fit(self, bodies: BodyArrays) -> None:
        """Know bodies that were added; what does not react among them counts as changed."""
        old, count = len(self._island), len(bodies.kinds)
        if old == count:
            return
        rest = self._rest.resize(bodies=count)
        rest.positions[old:], rest.quaternions[old:] = bodies.positions[old:], bodies.quaternions[old:]
        self._changes.resize(count)

    def remove_bodies(self, bodies: np.ndarray, shapes: np.ndarray) -> None:
        """Forget bodies that are awake and touch nothing asleep, and renumber bodies and shapes behind them.

        Args:
            bodies: their rows, ascending.
            shapes: rows of their shapes, ascending.
        """
        known = bodies[bodies < len(self._island)]
        if len(known) == 0:
            return
        self._rest.remove("bodies", known)
        self._changes.remove_bodies(known)
        self._kept.remove_bodies(known, shapes)
        self._recount()

    def forget_kinds(self) -> None:
        """Look anew at the kinds of the bodies, which were changed."""
        self._view_of = None

    def save(self) -> SleepState:
        """Return a copy of all that sleeping depends on."""
        return SleepState(
            self._rest.arrays.copy(), self._kept.kept.copy(), self._changes.save(), self._last_island
        )

    def restore(self, state: SleepState) -> None:
        """Return to a saved state, which is copied."""
        self._rest.take(state.rest)
        self._changes.restore(state.seen, len(state.rest.island))
        self._last_island = state.last_island
        self._kept.kept = state.kept.copy()
        self._recount()
