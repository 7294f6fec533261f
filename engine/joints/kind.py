"""What all joint kinds have in common: parts in world coordinates, coordinates with names, checks."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from stoss.collision.plain_numbers import shown
from stoss.collision.quaternions import Quaternion, Vector
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.frames import (
    Hold,
    Part,
    axis_frame,
    direction,
    perpendicular_to,
    point,
)
from stoss.names import closed

__all__ = ["ORIGIN", "UP", "Coordinate", "Coupled", "JointKind", "hold", "one_part"]

Coordinate = tuple[int, int, int]  # part, measure, axis
Coupled = tuple[Coordinate, Coordinate, float | Curve]

ORIGIN: Vector = (0.0, 0.0, 0.0)
UP: Vector = (0.0, 0.0, 1.0)


def hold(measure: int, *axes: int) -> tuple[Hold, ...]:
    """Return what is held at zero."""
    return tuple((measure, axis, 0.0) for axis in axes)


@closed
@dataclass(frozen=True)
class JointKind:
    """Base of all joint kinds. A new kind is a frozen dataclass that gives `parts` and `coordinates`."""

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates.

        Args:
            middle: midpoint of the bodies' centres (3,) [m], for kinds that do not say where they are.
        """
        raise NotImplementedError

    def coordinates(self) -> dict[str, Coordinate]:
        """Return for each coordinate the part that measures it, the measure and its axis."""
        return {}

    def coupled(self) -> tuple[Coupled, ...]:
        """Return pairs of coordinates of which the second is a ratio times the first, or on a curve of it."""
        return ()

    def _set(self, **values: Any) -> None:
        """Replace given values by checked ones."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check(self, points: Iterable[str] = (), directions: Iterable[str] = ()) -> None:
        """Check fields that are points or directions, those whose default is None only where given.

        Raises:
            TypeError, ValueError: naming kind and field.
        """
        kind = type(self).__name__
        optional = {field.name for field in fields(self) if field.default is None}
        for names, check in ((points, point), (directions, direction)):
            for name in names:
                value = getattr(self, name)
                if hasattr(value, "world"):
                    raise TypeError(
                        f"{kind}: {name} = {shown(value)} must be 3 numbers; bodies are given to "
                        f"world.add_joint({kind}(...), first, second)"
                    )
                if value is not None or name not in optional:
                    self._set(**{name: check(f"{kind}: {name}", value)})

    def _frame(self, axis: Vector, x_axis: Vector | None) -> Quaternion:
        if x_axis is None:
            return axis_frame(axis)
        name = f"{type(self).__name__}: x_axis"
        return axis_frame(axis, perpendicular_to(axis, x_axis, name, x_axis))


def one_part(
    place: Vector,
    second: Vector | None,
    frame: Quaternion,
    holds: tuple[Hold, ...],
    second_frame: Quaternion | None = None,
) -> tuple[Part]:
    """Return the only part of a kind; without second place or frame both bodies have the same."""
    return (Part(place, frame, place if second is None else second, second_frame or frame, holds),)
