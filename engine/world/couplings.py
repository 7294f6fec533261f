"""Which bodies a coupling of two joints acts on, and what it measures."""

from typing import Any, NamedTuple

import numpy as np

from stoss.collision.quaternions import (
    ORIGIN,
    UNTURNED,
    conjugate,
    multiply,
    quaternion_of,
    rotate,
)
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.joints.arrays import SLIDE, TWIST
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.joints.frames import plane_frame
from stoss.engine.joints.kind import Coordinate
from stoss.engine.joints.meshes import Moving, find_mesh
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
    parts: list[PartValues] = []
    ends: list[tuple[int, int]] = []
    for handle, (p, _, _) in zip(handles, places, strict=True):
        own = of_joint(handle._table.arrays, handle._row)
        parts.append((own.point_a[p], own.quaternion_a[p], own.point_b[p], own.quaternion_b[p]))
        ends.append((int(own.ends[p, 0]), int(own.ends[p, 1])))
    first, second = (handle.value_of(name) for handle, name in zip(handles, names, strict=True))
    law = kind.law
    followed = law(first) if isinstance(law, Curve) else law * first
    target = second - followed if kind.offset is None else kind.offset
    one, two = (_coordinate(p, place) for p, place in enumerate(places))
    found = _reacting(ends, bodies)
    mesh = -1
    on_axles = all(len(handle.coordinates) == 1 and not handle.kind.coupled() for handle in handles)
    if (
        on_axles
        and len(found) == 3
        and (teeth := _teeth(ends, (one, two), parts, kind.ratio, bodies)) is not None
    ):
        carrier, part = teeth
        mesh = 2
        parts.append(part)
        ends.append((carrier, -1))
        found = [row for row in (*ends[0], *ends[1]) if row != carrier]
    pair = _pair(what, found, ends)
    return CoupledPair(pair, parts, ends, (one, two, (first, second), law, target, mesh))


def _coordinate(part: int, place: Coordinate) -> Coordinate:
    return part, place[1], place[2]


def _joint(what: str, name: str, joints: Registry[Any, Joint]) -> Joint:
    try:
        return joints.named(name)
    except KeyError as error:
        raise ValueError(f"{what} = {name!r}: {error.args[0]}") from error


def _reacting(ends: list[tuple[int, int]], bodies: BodyArrays) -> list[int]:
    """Return the bodies that react, each once."""
    rows = (row for pair in ends for row in pair)
    return list(dict.fromkeys(row for row in rows if row >= 0 and bodies.kinds[row] == DYNAMIC))


def _pair(what: str, found: list[int], ends: list[tuple[int, int]]) -> tuple[int, int]:
    """Return two bodies that a coupling acts on, the second one of the second joint; -1 for none."""
    if not found:
        raise ValueError(f"{what} acts on no body that reacts")
    second = next(row for row in (ends[1][1], ends[1][0], *found) if row in found)
    others = [row for row in found if row != second]
    return (others[0] if others else -1), second


def _teeth(
    ends: list[tuple[int, int]],
    places: tuple[Coordinate, Coordinate],
    parts: list[PartValues],
    ratio: float | None,
    bodies: BodyArrays,
) -> tuple[int, PartValues] | None:
    """Return the common carrier and where teeth meet on it, as a part; None if they cannot."""
    common = set(ends[0]) & set(ends[1])
    if ratio is None or len(common) != 1 or any(place[1] not in _WORDS for place in places):
        return None
    carrier = common.pop()
    one, two = (_moving(ends[p], place, parts[p], carrier, bodies) for p, place in enumerate(places))
    found = find_mesh(one, two, ratio)
    if found is None:
        return None
    point, direction = found
    x, y, z = direction.tolist()
    other = np.eye(3)[int(np.abs(direction).argmin())]
    u, v, w = np.cross(other, direction).tolist()
    size = (u * u + v * v + w * w) ** 0.5
    turn = plane_frame((x, y, z), (u / size, v / size, w / size))
    back = conjugate(quaternion_of(bodies.quaternions[carrier]))
    arm = (point - bodies.positions[carrier]).tolist()
    here = rotate(back, (arm[0], arm[1], arm[2])), multiply(back, turn)
    return carrier, (here[0], here[1], ORIGIN, UNTURNED)


def _moving(
    ends: tuple[int, int], place: Coordinate, part: PartValues, carrier: int, bodies: BodyArrays
) -> Moving:
    """Return the axis in the world of a coordinate between the carrier and another body."""
    point, turn = part[0], part[1]
    i = ends[0]
    q = quaternion_of(bodies.quaternions[i])
    px, py, pz = np.asarray(point).tolist()
    axis = np.zeros(3)
    axis[place[2] if place[1] == SLIDE else 2] = 1.0
    ax, ay, az = axis.tolist()
    along = rotate(multiply(q, quaternion_of(np.asarray(turn))), (ax, ay, az))
    origin = bodies.positions[i] + np.array(rotate(q, (px, py, pz)))
    return Moving(place[1] == TWIST, origin, np.array(along), 1.0 if i == carrier else -1.0)
