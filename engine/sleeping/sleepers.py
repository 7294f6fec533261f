"""Sleeping: islands that stay where they are are left out of the steps until something happens to them.

A body rests while it stays within a distance of an anchor, the pose at which it last came to rest: neither
jitter nor a turning point of its motion counts, only whether it gets anywhere, and slow creep does. An island
whose bodies have all rested for a time falls asleep. For the stages of a step its bodies are then static; its
contacts are kept aside, with their impulses, and continue with these when it wakes.

It wakes when anything of it is not as it was: pose, velocity, force, mass, surface, gravity, a drive or a
stop of its joints. That is found by comparing with a copy, so that no way to change something is forgotten.
And it wakes when bodies that move come near (within the contact margin) or its support moves. A step that
brings an awake body near one that sleeps is taken again with both awake: nothing collides with a body asleep.

Source: Bender 2007, section 7.2, which names sleeping as future work.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from stoss.collision.contacts import ContactArrays, Contacts
from stoss.collision.kernels.structs import Struct
from stoss.engine.bodies.arrays import DYNAMIC, STATIC, BodyArrays
from stoss.engine.constraints.islands import Islands
from stoss.engine.contacts.events import touching_pairs
from stoss.engine.contacts.warm_start import ImpulseMemory, empty_memory
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.sleeping.rest import Rest, mark_changes, moving_supports, update_rest

__all__ = ["SleepState", "Sleepers", "join_memories", "pick"]

_Arrays = TypeVar("_Arrays", bound=Struct)

# What may change of joints while they sleep: numbering first, then what is said of joints, then of rows. What
# schedules and controllers say shows in the set points.
_WATCHED = (
    *("bodies", "row_key", "part", "enabled"),
    *(
        "active",
        "target",
        "target_rate",
        "lower",
        "upper",
        "restitution",
        "stiffness",
        "damping",
        "max_force",
    ),
)
_NUMBERING, _PER_JOINT = 3, 4
# The first fields of `BodyArrays`, which users may write at any time: poses, velocities, forces, torques.
_STATE_FIELDS = 6


class Kept(NamedTuple):
    """The contacts of bodies asleep, sorted by shape pair."""

    contacts: ContactArrays
    impulses: np.ndarray  # (c, 3) over the last step [N s]
    memory: ImpulseMemory


@dataclass(frozen=True)
class SleepState:
    """All that sleeping depends on, for snapshots."""

    rest: Rest
    kept: Kept
    seen: BodyArrays | None
    seen_joints: tuple[np.ndarray, ...]
    gravity: np.ndarray | None
    last_island: int


def pick(arrays: _Arrays, index: Any) -> _Arrays:
    """Return copies of the chosen entries of all arrays."""
    return type(arrays)(*(field[index].copy() for field in arrays))


def _join(first: _Arrays, second: _Arrays, order: np.ndarray) -> _Arrays:
    """Return the entries of both, in the given order."""
    both = (np.concatenate(pair)[order] for pair in zip(first, second, strict=True))
    return type(first)(*both)


def _merged_order(first: Any, second: Any) -> np.ndarray:
    """Return the order by shape pair of the entries of both, each of which is in that order."""
    a, b = (
        np.concatenate([getattr(one, name) for one in (first, second)]) for name in ("shape_a", "shape_b")
    )
    return np.argsort((a << 32) | b, kind="stable")


def join_memories(first: ImpulseMemory, second: ImpulseMemory) -> ImpulseMemory:
    """Return the impulses of both, sorted by shape pair."""
    if len(second.feature) == 0:
        return first
    return _join(first, second, _merged_order(first, second))


def _watched(joints: JointArrays) -> tuple[np.ndarray, ...]:
    """Return copies of what may change of joints."""
    return tuple(getattr(joints, name).copy() for name in _WATCHED)


class Sleepers:
    """Know which bodies rest and which sleep, keep the contacts of the latter, and tell who is to wake.

    Args:
        distance: [m] within which a body rests.
        time: [s] for which all bodies of an island must rest to fall asleep.
        touch_distance: [m] gap up to which a contact touches.
    """

    def __init__(self, distance: float, time: float, touch_distance: float) -> None:
        self.configure(distance, time, touch_distance)
        self._rest = Rest(np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)))
        self._kept = _nothing_kept()
        self._seen: BodyArrays | None = None  # bodies as they were, if any sleep
        self._seen_joints: tuple[np.ndarray, ...] = ()
        self._gravity: np.ndarray | None = None
        self._last_island = 0
        self._moving = np.zeros(0, np.bool_)  # bodies that do not react, but move or were changed
        self._view_of: BodyArrays | None = None
        self._view: BodyArrays | None = None
        self.count = 0  # bodies asleep
        self.pairs = np.zeros((0, 2), np.int64)  # bodies asleep, or one of them and its support, that touch

    def configure(self, distance: float, time: float, touch_distance: float) -> None:
        """Take other limits, as at the beginning."""
        self._distance, self._time, self._touch_distance = distance, time, touch_distance

    # ------------------------------------------------------------- what the step sees

    @property
    def asleep(self) -> np.ndarray:
        """Return which bodies sleep (n,)."""
        return self._rest.island > 0

    @property
    def gaps(self) -> np.ndarray:
        """Return the gaps [m] of the contacts that are kept."""
        return self._kept.contacts.gap

    def awake_view(self, bodies: BodyArrays) -> BodyArrays:
        """Return the bodies with those that sleep as static ones."""
        self._fit(bodies)
        if self.count == 0:
            return bodies
        if self._view_of is not bodies or self._view is None:
            kinds = np.where(self._rest.island > 0, STATIC, bodies.kinds)
            self._view_of, self._view = bodies, bodies.replace(kinds=kinds)
        return self._view

    def movable(self, awake_view: BodyArrays) -> np.ndarray:
        """Return which bodies a detection is to see against all others: those that move."""
        awake = awake_view.kinds == DYNAMIC
        return awake | self._moving if self.count and len(self._moving) == len(awake) else awake

    def met_sleepers(self, contacts: Contacts, awake_view: BodyArrays) -> np.ndarray:
        """Return the bodies asleep among those of a detection, and drop contacts between supports."""
        if self.count == 0:
            return np.zeros(0, np.int64)
        a, b = contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]
        bodies = np.concatenate([a, b])
        met = np.unique(bodies[self._rest.island[bodies] > 0])
        if len(met) == 0 and self._moving.any():
            kinds = awake_view.kinds
            contacts.take(np.flatnonzero((kinds[a] == DYNAMIC) | (kinds[b] == DYNAMIC)))
        return met

    def with_pairs(self, pairs: np.ndarray) -> np.ndarray:
        """Return touching pairs (p, 2) of awake bodies together with those that sleep, sorted."""
        if len(self.pairs) == 0 or len(pairs) == 0:
            return pairs if len(pairs) else self.pairs
        both = np.concatenate([pairs, self.pairs])
        return both[np.argsort((both[:, 0] << 32) | both[:, 1])]

    def with_contacts(self, contacts: Contacts, impulses: np.ndarray) -> tuple[Contacts, np.ndarray]:
        """Return the contacts of awake bodies and their impulses (c, 3) with those that are kept."""
        kept = self._kept
        own = ContactArrays(*(field[: contacts.count] for field in contacts.arrays))
        order = _merged_order(own, kept.contacts)
        out = Contacts(0)
        out.count = len(order)
        for name, field in zip(own._fields, _join(own, kept.contacts, order), strict=True):
            setattr(out, name, field)
        return out, np.concatenate([impulses, kept.impulses])[order]

    def joints_asleep(self, joints: JointArrays) -> np.ndarray:
        """Return which joints have a body that sleeps (j,)."""
        if self.count == 0:
            return np.zeros(len(joints.bodies), np.bool_)
        island = np.append(self._rest.island, 0)  # the world, -1, is awake
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
        update_rest(
            bodies.kinds,
            bodies.positions,
            bodies.quaternions,
            bodies.masses,
            bodies.inertias,
            self._rest,
            self._distance,
            h,
        )
        rested = (self._rest.sleep_timer >= self._time) & (bodies.kinds == DYNAMIC) & (self._rest.island == 0)
        if not rested.any():
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
        return np.where(rested & ~stays[home], home, 0)

    def island_of(self, body: int, islands: Islands) -> np.ndarray:
        """Return the number of its island for the bodies that are connected to `body`, 0 for others."""
        home = self._homes(islands, len(self._rest.island))
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
            bodies, joints: all of them; the velocities of bodies that sleep become zero.
            contacts, impulses, memory: of the awake ones, one entry per contact.
        """
        chosen = numbers > 0
        self._rest.island[chosen] = numbers[chosen] + self._last_island
        self._last_island += int(numbers.max())
        bodies.velocities[chosen] = 0.0
        bodies.angular_velocities[chosen] = 0.0
        self._seen_joints = _watched(joints)
        if self._seen is None:
            self._seen = pick(bodies, slice(None))
        for now, then in zip(bodies, self._seen, strict=True):
            then[chosen] = now[chosen]
        a, b = contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]
        gone = chosen[a] | chosen[b]
        mine = np.flatnonzero(gone)
        new = Kept(pick(contacts.arrays, mine), impulses[mine], pick(memory, mine))
        order = _merged_order(self._kept.contacts, new.contacts)
        self._keep(
            Kept(
                _join(self._kept.contacts, new.contacts, order),
                np.concatenate([self._kept.impulses, new.impulses])[order],
                _join(self._kept.memory, new.memory, order),
            )
        )
        return np.flatnonzero(~gone)

    def _keep(self, kept: Kept) -> None:
        self._kept = kept
        self._view_of = None
        self.count = int(np.count_nonzero(self._rest.island))
        if self.count == 0:
            self._seen = None
        gaps = kept.contacts.gap
        self.pairs = touching_pairs(kept.contacts, len(gaps), self._touch_distance)

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
        before, self._gravity = self._gravity, gravity.copy()
        if before is not None and not np.array_equal(before, gravity):
            return np.arange(len(bodies.kinds))
        if self.count == 0 or self._seen is None:
            return np.zeros(0, np.int64)
        changed = np.zeros(len(bodies.kinds), np.bool_)
        watched = len(bodies._fields) if changed_constants else _STATE_FIELDS
        fields = list(zip(bodies, self._seen, strict=True))[:watched]
        for now, then in fields:
            mark_changes(now, then, changed)
        fixed = np.flatnonzero(bodies.kinds != DYNAMIC)
        for now, then in fields:
            then[fixed] = now[fixed]
        self._moving = moving_supports(bodies)
        self._moving[fixed] |= changed[fixed]
        woken = changed & (self._rest.island > 0)
        if self._moving.any():
            woken |= self._supported_by(self._moving)
        self._review_joints(joints, woken)
        return np.flatnonzero(woken)

    def _review_joints(self, joints: JointArrays, woken: np.ndarray) -> None:
        """Mark the bodies of joints that were changed, or that hold on to a body that moves.

        Where joints or rows were added or removed, these are numbered anew, and all mechanisms wake.
        """
        if len(joints.bodies) == 0 and len(self._seen_joints[0]) == 0:
            return
        now, then = _watched(joints), self._seen_joints
        self._seen_joints = now
        same = all(np.array_equal(now[i], then[i]) for i in range(_NUMBERING))
        if not same:
            bodies = np.concatenate([joints.bodies, then[0]]).ravel()
        else:
            rows = np.zeros(len(joints.part), np.bool_)
            for field, old in zip(now[_PER_JOINT:], then[_PER_JOINT:], strict=True):
                mark_changes(field, old, rows)
            changed = now[_PER_JOINT - 1] != then[_PER_JOINT - 1]
            changed[joints.joint[joints.part[rows]]] = True
            changed |= np.append(self._moving, False)[joints.bodies].any(axis=1) & joints.enabled
            bodies = joints.bodies[changed].ravel()
        woken[bodies[bodies >= 0]] = True

    def _supported_by(self, on: np.ndarray) -> np.ndarray:
        """Return which bodies have a contact that is kept with the bodies `on` (n,)."""
        out = np.zeros(len(on), np.bool_)
        a, b = self._kept.contacts.body_a, self._kept.contacts.body_b
        out[b[on[a]]] = True
        out[a[on[b]]] = True
        return out

    def supported_by(self, body: int) -> np.ndarray:
        """Return the bodies asleep that touch `body`, and itself."""
        on = np.arange(len(self._rest.island)) == body
        return np.flatnonzero(self._supported_by(on) | on)

    def wake(self, bodies: np.ndarray, table: BodyArrays) -> ImpulseMemory | None:
        """Wake the islands of these bodies; return the impulses of their contacts, None if all are awake.

        All of them have to rest anew from now on.
        """
        self._fit(table)
        if len(bodies) == 0:
            return None
        rest = self._rest
        numbers = np.unique(rest.island[bodies])
        woken = np.isin(rest.island, numbers[numbers > 0])
        touched = woken.copy()
        touched[bodies] = True
        rest.sleep_timer[touched] = 0.0
        rest.positions[touched], rest.quaternions[touched] = (
            table.positions[touched],
            table.quaternions[touched],
        )
        if not woken.any():
            return None
        rest.island[woken] = 0
        c = self._kept.contacts
        leaving = woken[c.body_a] | woken[c.body_b]
        memory = pick(self._kept.memory, leaving)
        staying = ~leaving
        self._keep(Kept(pick(c, staying), self._kept.impulses[staying], pick(self._kept.memory, staying)))
        return memory

    # ------------------------------------------------------------- bookkeeping

    def _fit(self, bodies: BodyArrays) -> None:
        """Know bodies that were added; what does not react among them counts as changed."""
        old, count = len(self._rest.island), len(bodies.kinds)
        if old == count:
            return
        self._rest = Rest(*(np.concatenate([field, _zeros(field, count - old)]) for field in self._rest))
        self._rest.positions[old:], self._rest.quaternions[old:] = (
            bodies.positions[old:],
            bodies.quaternions[old:],
        )
        self._moving = np.concatenate([self._moving, np.zeros(count - len(self._moving), np.bool_)])
        if self._seen is not None:
            self._seen = BodyArrays(*(np.concatenate([f, _zeros(f, count - old)]) for f in self._seen))

    def remove_body(self, body: int, shapes: np.ndarray) -> None:
        """Forget a body that is awake and touches nothing asleep, and renumber bodies and shapes behind it.

        Args:
            body: its row.
            shapes: rows of its shapes, ascending.
        """
        if body >= len(self._rest.island):
            return  # not known yet
        self._rest = Rest(*(np.delete(field, body, axis=0) for field in self._rest))
        self._moving = np.delete(self._moving, body)
        if self._seen is not None:
            self._seen = BodyArrays(*(np.delete(field, body, axis=0) for field in self._seen))
        if self._seen_joints:
            self._seen_joints[0][self._seen_joints[0] > body] -= 1
        c, memory = self._kept.contacts, self._kept.memory
        for bodies in (c.body_a, c.body_b):
            bodies -= bodies > body
        for rows in (c.shape_a, c.shape_b, memory.shape_a, memory.shape_b):
            rows -= np.searchsorted(shapes, rows)
        self._keep(self._kept)

    def save(self) -> SleepState:
        """Return a copy of all that sleeping depends on."""
        kept = self._kept
        return SleepState(
            pick(self._rest, slice(None)),
            Kept(pick(kept.contacts, slice(None)), kept.impulses.copy(), pick(kept.memory, slice(None))),
            None if self._seen is None else pick(self._seen, slice(None)),
            tuple(field.copy() for field in self._seen_joints),
            None if self._gravity is None else self._gravity.copy(),
            self._last_island,
        )

    def restore(self, state: SleepState) -> None:
        """Return to a saved state, which is copied."""
        self._rest = pick(state.rest, slice(None))
        self._moving = np.zeros(len(self._rest.island), np.bool_)
        self._seen = None if state.seen is None else pick(state.seen, slice(None))
        self._seen_joints = tuple(field.copy() for field in state.seen_joints)
        self._gravity = None if state.gravity is None else state.gravity.copy()
        self._last_island = state.last_island
        kept = state.kept
        self._keep(
            Kept(pick(kept.contacts, slice(None)), kept.impulses.copy(), pick(kept.memory, slice(None)))
        )


def _zeros(like: np.ndarray, count: int) -> np.ndarray:
    return np.zeros((count, *like.shape[1:]), like.dtype)


def _nothing_kept() -> Kept:
    return Kept(pick(Contacts(0).arrays, slice(None)), np.zeros((0, 3)), empty_memory())
