"""Shapes that are drawn on a body, and neither collide nor weigh anything: a rod, a jib, a sign."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector
from stoss.collision.shapes.placed import Placed
from stoss.collision.shapes.shapes import Shape
from stoss.engine import checks
from stoss.engine.world.colors import Color, checked_color
from stoss.names import closed

__all__ = ["Drawn", "drawn_shapes"]


@closed
@dataclass(frozen=True)
class Drawn:
    """A shape that is only drawn, for `Body.display`.

    Args:
        shape: the shape.
        position: its origin in the frame of the body's shapes (3,) [m].
        quaternion: its orientation (w, x, y, z), shape to body, stored with length one; or scipy's
            `Rotation`.
        color: (red, green, blue) in sRGB, 0 to 1, a name or "#ff8800"; None takes that of the body.
    """

    shape: Shape
    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED
    color: Color | None = None

    def __post_init__(self) -> None:
        try:
            place = Placed(self.shape, self.position, self.quaternion)
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace("Placed:", "Drawn:")) from None
        object.__setattr__(self, "position", place.position)
        object.__setattr__(self, "quaternion", place.quaternion)
        object.__setattr__(self, "color", checked_color("color", self.color))


def drawn_shapes(name: str, value: Any) -> tuple[Drawn, ...]:
    """Return what is to be drawn on a body.

    Args:
        name: what it is called in messages.
        value: shapes, `stoss.Placed` or `Drawn` ones; one, several, or None for none.

    Raises:
        TypeError: it is none of these.
    """
    if value is None:
        return ()
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        value = [value]
    return tuple(_drawn(name, one) for one in value)


def _drawn(name: str, value: Any) -> Drawn:
    if isinstance(value, Drawn):
        return value
    if isinstance(value, Placed):
        return Drawn(value.shape, value.position, value.quaternion)
    if isinstance(value, Shape):
        return Drawn(value)
    raise TypeError(
        f"{name} = {checks.shown(value)} must be shapes such as [st.Box((1, 1, 1))], or st.Drawn(shape, "
        "position, quaternion, color)"
    )
