"""Checks of what a joint kind says, which may be one of a user's own: before anything is built from it."""

from typing import Any

from stoss.collision.orientations import unit_quaternion
from stoss.collision.plain_numbers import finite_array, number, shown, whole
from stoss.collision.quaternions import Vector
from stoss.engine.joints.arrays import AXES
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.frames import Part
from stoss.engine.joints.kind import JointKind

__all__ = ["checked_parts"]


def checked_parts(joint: str, kind: JointKind, middle: Vector) -> tuple[Part, ...]:
    """Return the parts of a kind, its numbers as they must be; its coordinates are checked too.

    Args:
        joint: name, for messages.
        kind: the kind.
        middle: see `JointKind.parts`.

    Raises:
        TypeError, ValueError: naming the kind, what it gave, and what is wanted.
    """
    what = f"joint {joint!r}: {type(kind).__name__}"
    given = kind.parts(middle)
    if not isinstance(given, tuple | list) or not all(isinstance(part, Part) for part in given):
        raise TypeError(f"{what}.parts() = {shown(given)} must be a tuple of Part")
    if not given:
        raise ValueError(f"{what}.parts() = {shown(given)} is empty; give one Part at least")
    parts = tuple(_checked_part(f"{what}.parts()[{p}]", part) for p, part in enumerate(given))
    names = kind.coordinates()
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{what}.coordinates() = {shown(names)} must be a dict of names")
    for name, place in names.items():
        _check_place(f"{what}.coordinates()[{name!r}]", place, len(parts))
    for number_of, coupled in enumerate(kind.coupled()):
        where = f"{what}.coupled()[{number_of}]"
        first, second, ratio = _entries(where, coupled, "coordinate, coordinate, ratio")
        if not isinstance(ratio, Curve):
            number(f"{where}: ratio", ratio)
        for place in (first, second):
            _check_place(where, place, len(parts))
    return parts


def _check_place(where: str, place: Any, count: int) -> None:
    """Raise unless a coordinate is measured by one of `count` parts."""
    part, measure, axis = _entries(where, place, "part, measure, axis")
    whole(f"{where}: part", part, most=count - 1, cure=f" of {shown(place)}")
    _check_measure(where, measure, axis, place)


def _checked_part(what: str, part: Part) -> Part:
    holds = []
    for number_of, held in enumerate(part.holds):
        where = f"{what}.holds[{number_of}]"
        measure, axis, target = _entries(where, held, "measure, axis, target")
        _check_measure(where, measure, axis, held)
        holds.append((int(measure), int(axis), number(f"{where}: target", target)))
    return Part(
        _vector(f"{what}.point_a", part.point_a),
        unit_quaternion(f"{what}.quaternion_a", part.quaternion_a),
        _vector(f"{what}.point_b", part.point_b),
        unit_quaternion(f"{what}.quaternion_b", part.quaternion_b),
        tuple(holds),
        _vector(f"{what}.radii", part.radii),
    )


def _check_measure(where: str, measure: Any, axis: Any, given: Any) -> None:
    cure = f" of {shown(given)}; stoss.engine.joints.arrays lists the measures"
    code = whole(f"{where}: measure", measure, most=len(AXES) - 1, cure=cure)
    whole(f"{where}: axis", axis, most=AXES[code] - 1, cure=cure)


def _entries(where: str, given: Any, names: str) -> tuple[Any, Any, Any]:
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise TypeError(f"{where} = {shown(given)} must be three numbers: {names}")
    first, second, third = given
    return first, second, third


def _vector(name: str, value: Any) -> Vector:
    x, y, z = finite_array(name, value, (3,)).tolist()
    return x, y, z
