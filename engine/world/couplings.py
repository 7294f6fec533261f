"""Which bodies a coupling of two joints acts on, and what it measures."""

from typing import Any, NamedTuple

import numpy as np

from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.joints.arrays import SLIDE, TWIST
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.kind import Coordinate
from stoss.engine.joints.table import CoupledValues, PartValues
from stoss.engine.world.joint import Joint
from stoss.engine.world.joint_checks import checked_coordinate
from stoss.engine.world.registry import Registry

__all__ = ["CoupledPair", "find_coupling"]

_WORDS = {TWIST: "an angle about an axis", SLIDE: "a displacement"}


class CoupledPair(NamedTuple):
    """A coupling as the table of joints takes it."""

    bodies: tuple[int, int]  # rows of those that react, -1 for none
    parts: list[PartValues]
    ends: list[tuple[int, int]]
    coupled: CoupledValues


def find_coupling(what: str, kind: Coupling, joints: Registry[Any, Joint], bodies: BodyArrays) -> CoupledPair:
    """Return what a coupling is made of.

    Args:
        what: the coupling, as messages call it.
        kind: the coupling.
        joints: of the world.
        bodies: of the world.

    Raises:
        TypeError, ValueError: there is no such joint or coordinate, both are the same, or too many bodies
            react.
    """
    handles = [
        _joint(f"{what}: joint_{k}", name, joints) for k, name in ((1, kind.joint_1), (2, kind.joint_2))
    ]
    names = [
        checked_coordinate(handle, given)
        for handle, given in zip(handles, (kind.coordinate_1, kind.coordinate_2), strict=True)
    ]
    places = [handle._coordinates[name] for handle, name in zip(handles, names, strict=True)]
    for k, (place, wanted) in enumerate(zip(places, kind.measures, strict=True), 1):
        if wanted is not None and place[1] != wanted:
            raise ValueError(
                f"{what}: coordinate_{k} = {names[k - 1]!r} of joint {handles[k - 1].name!r} is not "
                f"{_WORDS[wanted]}; couple others, or use Coupling"
            )
    if handles[0] is handles[1] and places[0] == places[1]:
        raise ValueError(f"{what}: joint_1 and joint_2 are the same coordinate; couple two different ones")
    parts, ends = [], []
    for handle, (part, _, _) in zip(handles, places, strict=True):
        own = handle._table.of_joint(handle._row)
        parts.append((own.point_a[part], own.quaternion_a[part], own.point_b[part], own.quaternion_b[part]))
        ends.append((int(own.ends[part, 0]), int(own.ends[part, 1])))
    first, second = (handle.value_of(name) for handle, name in zip(handles, names, strict=True))
    target = second - kind.ratio * first if kind.offset is None else kind.offset
    one, two = (_coordinate(p, place) for p, place in enumerate(places))
    pair = _reacting(what, ends, handles, bodies)
    return CoupledPair(pair, parts, ends, (one, two, (first, second), kind.ratio, target))


def _coordinate(part: int, place: Coordinate) -> Coordinate:
    return part, place[1], place[2]


def _joint(what: str, name: str, joints: Registry[Any, Joint]) -> Joint:
    try:
        return joints.named(name)
    except KeyError as error:
        raise ValueError(f"{what} = {name!r}: {error.args[0]}") from error


def _reacting(
    what: str, ends: list[tuple[int, int]], handles: list[Joint], bodies: BodyArrays
) -> tuple[int, int]:
    """Return the two bodies that react, the second one of the second joint; -1 where there is only one."""
    rows = [row for pair in (ends[0], ends[1]) for row in pair if row >= 0 and bodies.kinds[row] == DYNAMIC]
    found = list(dict.fromkeys(rows))
    if not found:
        raise ValueError(f"{what} acts on no body that reacts")
    if len(found) > 2:
        store = handles[0].world._all_bodies.handles
        named = ", ".join(repr(store[row].name) for row in found)
        raise ValueError(
            f"{what} couples {len(found)} bodies that react ({named}); at most two may: let what carries "
            "both joints be static or kinematic, or join them in a row, one carrying the other"
        )
    second = next(row for row in (ends[1][1], ends[1][0], *found) if row in found)
    others = [row for row in found if row != second]
    return (others[0] if others else -1), int(np.int64(second))
