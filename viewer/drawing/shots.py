"""How a film is shot: slower than it happened, along with a body, around it, with the time in the picture."""

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.collision.plain_numbers import flag, number, shown
from stoss.names import closed, hint
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.labels import letter_height
from stoss.viewer.drawing.lettering import Lettering
from stoss.viewer.world.frames import Description, Frame

__all__ = ["Shot"]

_MARGIN = 0.03  # of the time to the edges, in parts of the height


@closed
@dataclass(frozen=True)
class Shot:
    """How a film, or a picture, is shot.

    Attributes:
        slow: how many times slower than it happened: 4 is slow motion, 0.5 twice as fast.
        follow: name of a body that the camera goes along with, "" for none.
        orbit: by how much the camera turns about its target [degrees per second of the film].
        stamp: whether the time is written into a corner.
    """

    slow: float = 1.0
    follow: str = ""
    orbit: float = 0.0
    stamp: bool = False

    def __post_init__(self) -> None:
        number("slow", self.slow, above=0.0, cure=", such as 4 for a quarter of the speed")
        number("orbit", self.orbit, "degrees per second")
        flag("stamp", self.stamp)
        if not isinstance(self.follow, str):
            raise TypeError(f"follow = {shown(self.follow)} must be the name of a body")

    def followed(self, description: Description) -> int:
        """Return the row of the body that is followed, -1 for none.

        Raises:
            ValueError: there is no such body.
        """
        if not self.follow:
            return -1
        names = description.names
        if self.follow not in names:
            close = hint(self.follow, names) or f"; there are {', '.join(names[:8])}"
            raise ValueError(f"follow = {self.follow!r} is no body here{close}")
        return names.index(self.follow)

    def camera(self, first: Camera, row: int, begin: Frame, frame: Frame, seconds: float) -> Camera:
        """Return the camera for a picture.

        Args:
            first: that of the first picture.
            row: of the body that is followed, -1 for none.
            begin, frame: what the first picture shows, and this one.
            seconds: of the film up to this picture.
        """
        camera = copy.deepcopy(first)
        if row >= 0:
            camera.follow(frame.positions[row], begin.positions[row])
        camera.orbit(math.radians(self.orbit) * seconds, 0.0)
        return camera

    def write(self, pixels: np.ndarray, time: float) -> None:
        """Write the time [s] into the left lower corner, if it is to be there."""
        if not self.stamp:
            return
        height = len(pixels)
        lettering = Lettering(1.4 * letter_height(height))
        speed = "" if self.slow == 1.0 else f"   {speed_words(self.slow)}"
        margin = _MARGIN * height
        lettering.write(pixels, f"{time:.2f} s{speed}", margin, height - margin - lettering.height)


def speed_words(slow: Any) -> str:
    """Return what a film that is so many times slower is called."""
    return f"{slow:g} times slower" if slow > 1.0 else f"{1.0 / slow:g} times faster"
