"""A shape at a place within its body."""

from dataclasses import dataclass

from stoss.collision.orientations import turns_of
from stoss.collision.plain_numbers import shown
from stoss.collision.quaternions import ORIGIN, UNTURNED, length
from stoss.collision.shapes.checks import finite_numbers
from stoss.collision.shapes.shapes import Shape
from stoss.names import closed

__all__ = ["Placed"]


@closed
@dataclass(frozen=True)
class Placed:
    """A shape with an offset, for compounds.

    Args:
        shape: the shape.
        position: its origin in the body's frame (3,) [m].
        quaternion: its orientation (w, x, y, z), shape to body, stored with length one; or scipy's
            `Rotation`.
    """

    shape: Shape
    position: tuple[float, float, float] = ORIGIN
    quaternion: tuple[float, float, float, float] = UNTURNED

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Shape):
            raise TypeError(f"Placed: shape = {shown(self.shape)} must be a shape such as Box((1, 1, 1))")
        if self.position is ORIGIN and self.quaternion is UNTURNED:
            return
        position = finite_numbers("Placed", "position", self.position, 3)
        quaternion = finite_numbers("Placed", "quaternion", turns_of(self.quaternion), 4)
        w, x, y, z = quaternion
        size = length((w, x, y, z))
        if not size > 1e-150:
            raise ValueError(f"Placed: quaternion = {shown(self.quaternion)} must be longer than zero")
        if size != 1.0:
            quaternion = w / size, x / size, y / size, z / size
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "quaternion", quaternion)
