"""What happened in a step, as functions of users are told: contacts, joints that broke or reached stops."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.joints.arrays import LIMIT
from stoss.engine.joints.probes import measured
from stoss.engine.world.body import Body
from stoss.engine.world.contact_list import WorldContacts
from stoss.engine.world.joint import Joint
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["EVENTS", "Event", "at_stops", "bodies_of", "is_whole"]

EVENTS = ("joint_broken", "contact_begin", "contact_end", "contact_broken", "joint_at_stop")


@closed
@dataclass(frozen=True)
class Event:
    """What a function that was given to `world.on` is told.

    Attributes:
        kind: "contact_begin", "contact_end", "contact_broken", "joint_broken" or "joint_at_stop".
        world: where it happened.
        time: at the end of the step in which it happened [s].
        step: number of that step.
        bodies: of the contact, or of the joint, without the world.
        joint: of the joint that broke or reached a stop, or None.
        coordinate: name of the coordinate at its stop, empty for others.
        stop: "lower" or "upper", empty for others.
    """

    kind: str
    world: "World"
    time: float
    step: int
    bodies: tuple[Body, ...]
    joint: Joint | None = None
    coordinate: str = ""
    stop: str = ""

    @property
    def contacts(self) -> WorldContacts:
        """Contacts of the two bodies at present."""
        return self.world.contacts.of(*self.bodies[:2])


def bodies_of(joint: Joint) -> tuple[Body, ...]:
    """Return the bodies of a joint, without the world."""
    return tuple(body for body in (joint.first, joint.second) if body is not None)


def is_whole(world: "World", event: Event) -> bool:
    """Return whether what an event is about is still there."""
    bodies, joints = world._all_bodies.registry, world._all_joints.registry
    return all(map(bodies.has, event.bodies)) and (event.joint is None or joints.has(event.joint))


def at_stops(world: "World") -> dict[tuple[int, int], tuple[Joint, str, str]]:
    """Return the limits whose stops are reached, with what these are: joint, coordinate, "lower" or "upper".

    At a stop is who is within the tolerance of it, or was given an impulse by it in the last step.
    """
    store = world._joint_store
    arrays = store.table.arrays
    rows = np.flatnonzero(arrays.active & (arrays.role == LIMIT)) if store.table.count else np.zeros(0, int)
    if not len(rows):
        return {}
    values, _ = measured(arrays, world._all_bodies.arrays)
    found = {}
    tolerance = world.settings.position_tolerance
    for m in rows.tolist():
        number = int(arrays.joint[arrays.part[m]])
        to_lower, to_upper = values[m] - arrays.lower[m], arrays.upper[m] - values[m]
        reached = min(to_lower, to_upper) <= tolerance or arrays.total[m] != 0.0
        if reached and arrays.enabled[number]:
            joint = store.handles[number]
            first = m if arrays.curve[m] < 0 else m - int(arrays.axis[m])  # of both rows of a curve
            own = (*joint.limits, *joint.curved_limits)
            handle = next(limit for limit in own if limit.index == first)
            pushed_up = arrays.total[m] > 0.0 if arrays.total[m] != 0.0 else to_lower < to_upper
            key = joint._key, int(arrays.row_key[first])
            found[key] = joint, handle.coordinate, "lower" if pushed_up else "upper"
    return found
