"""The limits, drives and friction laws of one joint: how they are added and found again."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from stoss.engine.joints.arrays import (
    ANGLE_1,
    CONE,
    DRIVE,
    FORCE,
    LAW,
    LIMIT,
    NO_KEY,
    ROTOR,
    SWING,
    TWIST_RANGE,
)
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.joints.stop_curves import outline, swing_curve, twist_curve
from stoss.engine.world.curved_stops import SwingLimit, TwistLimit
from stoss.engine.world.drives import Drive, JointFriction, Limit, PidDrive, Rotor, RowHandle
from stoss.engine.world.joint_checks import check_stop, checked_coordinate

if TYPE_CHECKING:
    from stoss.engine.world.joint import Joint

__all__ = ["JointRows", "checked_stop"]

_Handle = TypeVar("_Handle", bound=RowHandle)
_KINDS: dict[int, type[RowHandle]] = {
    LIMIT: Limit,
    DRIVE: Drive,
    FORCE: PidDrive,
    LAW: JointFriction,
    ROTOR: Rotor,
}


def checked_stop(
    joint: "Joint", restitution: Any, stiffness: Any | None, damping: Any | None
) -> dict[str, float]:
    """Return the values of a stop, rigid without a stiffness.

    Raises:
        TypeError, ValueError: naming joint, argument, value and cure.
    """
    k = np.inf if stiffness is None else Limit.stiffness.check(joint, stiffness)
    d = 0.0 if damping is None else Limit.damping.check(joint, damping)
    e = Limit.restitution.check(joint, restitution)
    check_stop(joint, e, k, d)
    return dict(restitution=e, stiffness=k, damping=d)


class JointRows:
    """What acts on the coordinates of a joint, as handles: there is one of each.

    Args:
        joint: whose rows they are.
    """

    __slots__ = ("_joint", "_known")

    def __init__(self, joint: "Joint") -> None:
        self._joint = joint
        self._known: dict[int, RowHandle] = {}

    def __iter__(self) -> Iterator[RowHandle]:
        """Yield the handles of what is there, in the order in which it was added."""
        joint = self._joint
        own = of_joint(joint._table.arrays, joint._row)
        names = {place: name for name, place in reversed(joint._coordinates.items())}
        for m in np.flatnonzero(own.row_key != NO_KEY):
            key = int(own.row_key[m])
            if key not in self._known:
                measure = int(own.measure[m])
                if measure in (CONE, TWIST_RANGE):
                    curved = SwingLimit if measure == CONE else TwistLimit
                    self._known[key] = curved(joint, key, "swing" if measure == CONE else "twist")
                else:
                    place = (int(own.part[m]), measure, int(own.axis[m]))
                    self._known[key] = _KINDS[int(own.role[m])](joint, key, names[place])
            yield self._known[key]

    def add(self, handle: type[_Handle], coordinate: str, role: int, values: dict[str, Any]) -> _Handle:
        """Add a row on a coordinate, and return its handle."""
        joint = self._joint
        part, measure, axis = joint._coordinates[coordinate]
        return self._added(
            handle, coordinate, joint._table.add_row(joint._row, part, measure, axis, role, **values)
        )

    def add_swing_limit(self, given: dict[str, Any], inside: Any, stop: dict[str, float]) -> SwingLimit:
        """Add a stop at a cone; see `Joint.limit_swing`.

        Args:
            given: what may be given as the cone, by its name.
            inside: a direction within it.
            stop: see `checked_stop`.
        """
        joint = self._joint
        named = [name for name, value in given.items() if value is not None]
        if len(named) != 1:
            raise ValueError(
                f"{joint._what('limit_swing')} takes one of ellipse, spline and polygon, not {len(named)}"
            )
        name, part = self._swinging_part()
        curve = swing_curve(joint._what(named[0]), named[0], given[named[0]], inside)
        rows = ({"upper": 0.0, **stop}, {"upper": 0.0, **stop})
        return self._added(
            SwingLimit, name, joint._table.add_curved_stop(joint._row, part, CONE, curve, rows)
        )

    def _swinging_part(self) -> tuple[str, int]:
        """Return the coordinate that a cone limits, and the part that measures it."""
        joint = self._joint
        for name, (part, measure, _) in joint._coordinates.items():
            if measure in (SWING, ANGLE_1):
                return name if measure == SWING else "swing", part
        raise ValueError(
            f"{joint._what('limit_swing')}: a {type(joint.kind).__name__} has no axis that swings; "
            "limit one of its coordinates, or use Ball or Universal"
        )

    def add_twist_limit(self, ranges: Any, stop: dict[str, float]) -> TwistLimit:
        """Add a stop of the twist; see `Joint.limit_twist`, and for `stop` `checked_stop`."""
        joint = self._joint
        name = checked_coordinate(joint, "twist", drive=True)
        curve = twist_curve(joint._what("ranges"), ranges)
        table = outline(curve)
        twist, swing = joint.value_of(name), joint.value_of("swing")
        upper, lower = (float(np.interp(swing, table[:, 0], table[:, k])) for k in (2, 1))
        rows = (
            {"upper": 0.0, "value": twist - upper, **stop},
            {"lower": 0.0, "value": twist - lower, **stop},
        )
        part = joint._coordinates[name][0]
        key = joint._table.add_curved_stop(joint._row, part, TWIST_RANGE, curve, rows)
        return self._added(TwistLimit, name, key)

    def _added(self, handle: type[_Handle], coordinate: str, key: int) -> _Handle:
        self._joint.world._changed()
        made = self._known[key] = handle(self._joint, key, coordinate)
        return made
