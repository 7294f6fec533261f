"""Remember the impulses of contacts from step to step, by their shapes and feature or place (warm start)."""

from typing import Annotated

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.putting import put
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.constraints.rows import Rows
from stoss.engine.contacts.frames import ContactFrames
from stoss.engine.contacts.rolling_friction import recall_turning, remember_turning
from stoss.engine.laws.friction_arrays import STATE

__all__ = [
    "ImpulseMemory",
    "empty_memory",
    "find_partner",
    "forget_shapes",
    "recall",
    "remember",
    "remember_settled",
]


# Multiples of what settled a contact from which on the impulse that holds it tells of a load that builds up.
GROWING = 1.5


class ImpulseMemory(Struct):
    """Impulses of the contacts of one detection, in its order."""

    shape_a: Annotated[Ints, "contacts"]
    shape_b: Annotated[Ints, "contacts"]
    feature: Annotated[Ints, "contacts"]
    normal_impulse: Annotated[Floats, "contacts"]  # [N s]
    tangent_impulse: Annotated[Floats, "contacts", 3]  # world [N s]
    turn_impulse: Annotated[Floats, "contacts", 3]  # world [N m s], against rolling and spinning
    state: Annotated[Ints, "contacts", 4]  # of the normal row and of the pairs: friction, rolling, torsion
    friction_state: Annotated[Floats, "contacts", STATE]  # of contacts with a friction law
    swept: Annotated[Bools, "contacts"]  # whether `settled` is known
    settled: Annotated[Floats, "contacts", 7]  # impulses before those: normal, tangent and turn, as above
    normal: Annotated[Floats, "contacts", 3]  # where and along what the impulses acted
    place: Annotated[Floats, "contacts", 3]


def empty_memory() -> ImpulseMemory:
    """Return the memory of no contacts, always the same one."""
    return _NOTHING


_NOTHING = ImpulseMemory.zeros()


def forget_shapes(memory: ImpulseMemory, removed: np.ndarray) -> ImpulseMemory:
    """Return the memory without the shapes `removed` (ascending rows), the others renumbered."""
    keep = ~(np.isin(memory.shape_a, removed) | np.isin(memory.shape_b, removed))
    kept = ImpulseMemory(*(field[keep].copy() for field in memory))
    for shapes in (kept.shape_a, kept.shape_b):
        shapes -= np.searchsorted(removed, shapes)
    return kept


@kernel
def remember(rows: Rows, frames: ContactFrames, contacts: ContactArrays, memory: ImpulseMemory) -> None:
    """Write the impulses that the rows carry into `memory`, which has one entry per contact."""
    for k in range(len(frames.contact)):
        c = frames.contact[k]
        r = frames.row[k]
        put(memory.shape_a, c, contacts.shape_a[c])
        put(memory.shape_b, c, contacts.shape_b[c])
        put(memory.feature, c, contacts.feature[c])
        put(memory.swept, c, False)
        memory.normal_impulse[c] = rows.impulse[r]
        _remember_tangent(rows.impulse, r, frames.axes[k], memory.tangent_impulse[c])
        for i in range(3):
            memory.normal[c, i] = contacts.normal[c, i]
            memory.place[c, i] = 0.5 * (contacts.point_a[c, i] + contacts.point_b[c, i])
        state = memory.state[c]
        put(state, 0, rows.state[r])
        put(state, 1, rows.state[r + 1])
        put(state, 2, 0)
        put(state, 3, 0)
        for i in range(STATE):
            kept = frames.friction_next[k, i] if frames.friction_law[k] >= 0 else 0.0
            put(memory.friction_state[c], i, kept)
        if frames.resists[k] != 0:
            remember_turning(
                rows.impulse,
                rows.state,
                r + 3,
                frames.resists[k],
                frames.axes[k],
                memory.turn_impulse[c],
                memory.state[c],
            )
        else:
            for i in range(3):
                put(memory.turn_impulse[c], i, 0.0)


@inner
def remember_settled(rows, frames, memory, settled, first, last):
    """Write the impulses (rows,) that settled contacts first to last - 1 of `frames` before those, too.

    Sweeps that end early leave of each solution a share of what they start from. Where positions are held and
    where velocities are settled, loads ask for the same impulses, but errors for opposite ones: what takes
    bodies back is what is to be stopped then. To settle from the impulses that hold positions would let
    towers sway more in each step, so each of the two stages goes on from where it came to itself; but loads
    that build up are known by the last stage.
    """
    for k in range(first, last):
        c, r = frames.contact[k], frames.row[k]
        put(memory.swept, c, rows.impulse[r] < GROWING * settled[r])
        memory.settled[c, 0] = settled[r]
        _remember_tangent(settled, r, frames.axes[k], memory.settled[c, 1:4])
        if frames.resists[k] != 0:
            turn, state = memory.settled[c, 4:], memory.state[c]
            remember_turning(settled, rows.state, r + 3, frames.resists[k], frames.axes[k], turn, state)


@inner
def _remember_tangent(impulse, r, axes, tangent):
    """Write the friction of the contact with rows from r on as a world vector."""
    for i in range(3):
        tangent[i] = impulse[r + 1] * axes[1, i] + impulse[r + 2] * axes[2, i]


@inner
def recall(memory, contacts, count, place, rows, frames, settled):
    """Give the rows of contacts that are in `memory` their impulses and states.

    Both lists are sorted by shape pair, so one walk through both finds the points of a pair. `place` is where
    each contact stands in `frames`. Where it is known, `settled` (rows,) receives what settled them before,
    and `frames.was_settled` says so.
    """
    old = len(memory.feature)
    for k in range(count):
        frames.was_settled[k] = False
    first = 0
    c = 0
    while c < count:
        a = contacts.shape_a[c]
        b = contacts.shape_b[c]
        end = c + 1
        while end < count and contacts.shape_a[end] == a and contacts.shape_b[end] == b:
            end += 1
        while first < old and (
            memory.shape_a[first] < a or (memory.shape_a[first] == a and memory.shape_b[first] < b)
        ):
            first += 1
        last = first
        while last < old and memory.shape_a[last] == a and memory.shape_b[last] == b:
            last += 1
        for new in range(c, end):
            m = find_partner(memory, first, last, contacts, c, end, new)
            if m >= 0:
                _give(memory, m, rows, frames, place[new], settled)
        first = last
        c = end


@inner
def find_partner(memory, first, last, contacts, begin, end, new):
    """Return which of the old points first to last - 1 of two shapes the new point was, -1 if none.

    That with its feature. Else, since features may change while points stay, the nearest one, if that has
    lost its feature and no other of the new points begin to end - 1 that seeks its partner is nearer.
    """
    partner = _find_feature(memory, first, last, contacts.feature[new])
    if partner >= 0:
        return partner
    least = np.inf
    for m in range(first, last):
        distance = _square_distance(memory, m, contacts, new)
        if distance < least:
            partner, least = m, distance
    if partner < 0:
        return -1
    for other in range(begin, end):
        if memory.feature[partner] == contacts.feature[other]:
            return -1
        if _square_distance(memory, partner, contacts, other) < least:
            if _find_feature(memory, first, last, contacts.feature[other]) < 0:
                return -1
    return partner


@inner
def _find_feature(memory, first, last, feature):
    for m in range(first, last):
        if memory.feature[m] == feature:
            return m
    return -1


@inner
def _square_distance(memory, m, contacts, c):
    square = 0.0
    for i in range(3):
        square += (0.5 * (contacts.point_a[c, i] + contacts.point_b[c, i]) - memory.place[m, i]) ** 2
    return square


@inner
def _give(memory, m, rows, frames, k, settled):
    """Give the rows of contact k of `frames` the impulses and states of a point of the memory."""
    r, axes = frames.row[k], frames.axes[k]
    rows.impulse[r] = memory.normal_impulse[m]
    rows.state[r] = memory.state[m, 0]
    _recall_tangent(rows.impulse, r, axes, memory.tangent_impulse[m])
    rows.state[r + 1] = rows.state[r + 2] = memory.state[m, 1]
    if frames.friction_law[k] >= 0:
        _recall_law(rows, frames, k, r, memory.friction_state[m])
    resists, state = frames.resists[k], memory.state[m]
    if resists != 0:
        recall_turning(rows.impulse, rows.state, r + 3, resists, axes, memory.turn_impulse[m], state)
    frames.was_settled[k] = memory.swept[m]
    if memory.swept[m]:
        settled[r] = memory.settled[m, 0]
        _recall_tangent(settled, r, axes, memory.settled[m, 1:4])
        if frames.friction_law[k] >= 0:
            settled[r + 2] /= _square(axes[2])
        if resists != 0:
            recall_turning(settled, rows.state, r + 3, resists, axes, memory.settled[m, 4:], state)


@inner
def _recall_tangent(impulse, r, axes, tangent):
    """Give the friction rows of the contact with rows from r on a world vector."""
    for i in range(1, 3):
        p = 0.0
        for j in range(3):
            p += axes[i, j] * tangent[j]
        impulse[r + i] = p


@inner
def _recall_law(rows, frames, k, r, state):
    """Give a contact with a friction law what it remembers; its second tangent may be no unit vector."""
    for i in range(STATE):
        frames.friction_state[k, i] = frames.friction_next[k, i] = state[i]
    rows.impulse[r + 2] /= _square(frames.axes[k, 2])


@inner
def _square(axis):
    return axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]
