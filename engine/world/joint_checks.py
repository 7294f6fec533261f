"""Checks of what users give to joints, their limits and their drives: messages name the joint."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.joints.arrays import LENGTH, PID_HISTORY, SWING
from stoss.engine.joints.kind import Coordinate, JointKind

if TYPE_CHECKING:
    from stoss.engine.world.joint import Joint

__all__ = [
    "DAMPING_UNIT",
    "check_stop",
    "checked_bounds",
    "checked_coordinate",
    "checked_reset_time",
    "checked_switch",
    "checked_window",
]

DAMPING_UNIT = "N s/m or N m s/rad"


def checked_switch(joint: "Joint", value: Any) -> bool:
    """Return `value`, which must be True or False."""
    return checks.flag(joint._what("enabled"), value)


def check_stop(joint: "Joint", restitution: float, stiffness: float, damping: float) -> None:
    """Refuse a stop that is rigid (infinite stiffness, with restitution) and soft (with damping) at once."""
    if restitution > 0.0 and stiffness < np.inf:
        raise ValueError(
            f"{joint._what('restitution')} = {restitution:g} and stiffness = {stiffness:g}: a stop is either "
            "rigid with restitution or soft with stiffness and damping; leave one of them out"
        )
    if damping > 0.0 and stiffness == np.inf:
        raise ValueError(
            f"{joint._what('damping')} = {damping:g} without stiffness: only a soft stop is damped; "
            "give its stiffness too, or a restitution in place of damping"
        )


def checked_reset_time(joint: "Joint", value: Any) -> float:
    """Return a reset time, above zero."""
    cure = "; inf: no integral"
    return checks.number(joint._what("reset_time"), value, "s", above=0.0, finite=False, cure=cure)


def checked_window(joint: "Joint", value: Any) -> float:
    """Return the window of an integral, whose errors can all be kept."""
    number = checks.positive(joint._what("window"), value, "s")
    most = PID_HISTORY * joint.world._time_step
    if number > most:
        raise ValueError(
            f"{joint._what('window')} = {checks.shown(value)} is longer than {PID_HISTORY} steps of the "
            f"world; give at most {most:g} s"
        )
    return number


def checked_coordinate(joint: "Joint", name: str | None, drive: bool = False) -> str:
    """Return the name of a coordinate, the only one for None; for a drive it must be free.

    Raises:
        ValueError: unknown, left out where there are several, or held by the joint itself.
    """
    known, kind = joint._coordinates, type(joint.kind).__name__
    listed = ", ".join(map(repr, known))
    if name is None:
        if len(known) == 1:
            name = next(iter(known))
        elif not known:
            raise ValueError(f"joint {joint.name!r}: {kind} has no coordinates")
        else:
            raise ValueError(
                f"{joint._what('coordinate')} was left out, but there are {len(known)}; give one of {listed}"
            )
    if not isinstance(name, str):
        raise TypeError(
            f"{joint._what('coordinate')} = {checks.shown(name)} must be one of {listed or 'none'}"
        )
    if name not in known:
        near = get_close_matches(str(name), known, 3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        there = f"there are {listed}" if known else f"{kind} has none"
        raise ValueError(f"{joint._what('coordinate')} = {name!r} is unknown: {there}{hint}")
    if drive and _holds(joint.kind, known[name]):
        raise ValueError(
            f"{joint._what('coordinate')} = {name!r} is held by the joint itself, so it takes no limit "
            "and no drive; use Free in place of the kind that holds it"
        )
    return name


def _holds(kind: JointKind, place: Coordinate) -> bool:
    part, measure, axis = place
    return any((measure, axis) == (have, along) for have, along, _ in kind.parts()[part].holds)


def checked_bounds(joint: "Joint", coordinate: str, lower: Any, upper: Any) -> tuple[float, float]:
    """Return the bounds of a limit; a swing or a length is never below zero, so that bound is dropped.

    Raises:
        TypeError, ValueError: no numbers, in the wrong order, or bounds that stop nothing.
    """
    low = checks.number(joint._what("lower"), lower, "m or rad", finite=False)
    high = checks.number(joint._what("upper"), upper, "m or rad", finite=False)
    given = f"{joint._what('lower')} = {checks.shown(lower)}, upper = {checks.shown(upper)}"
    if low >= high or low == np.inf or high == -np.inf:
        raise ValueError(f"{given}: the lower bound must be below the upper one")
    if low == -np.inf and high == np.inf:
        raise ValueError(f"{given} stop nothing; give at least one of them")
    if joint._coordinates[coordinate][1] in (SWING, LENGTH):
        if high <= 0.0:
            raise ValueError(f"{given}: {coordinate!r} is never below 0; give an upper bound above 0")
        low = low if low > 0.0 else -np.inf
    return low, high
