"""What of the past is in a picture: paths, and moments as under a stroboscope."""

from dataclasses import dataclass

from stoss.collision.plain_numbers import flag, number
from stoss.viewer.drawing.strobe import Strobe
from stoss.viewer.drawing.trails import Trails
from stoss.viewer.world.frames import Description, Frame

__all__ = ["Exposure"]

_ALL = 10**6  # frames of a path


@dataclass(frozen=True)
class Exposure:
    """What of the past is in a picture.

    Attributes:
        trails: whether the paths of the bodies are.
        strobe: time between moments that are [s]; None for none.
        length: how far back both reach [s]; None for all.
    """

    trails: bool = False
    strobe: float | None = None
    length: float | None = None

    def __post_init__(self) -> None:
        flag("trails", self.trails)
        if self.strobe is not None:
            number("strobe", self.strobe, "s", above=0.0, cure=", the time between two moments, such as 0.1")
        if self.length is not None:
            number("exposure", self.length, "s", above=0.0)

    @property
    def is_wanted(self) -> bool:
        """Return whether anything of the past is in the picture."""
        return self.trails or self.strobe is not None

    def begin(self) -> "Past":
        """Return what collects the past."""
        return Past(
            Trails(length=_ALL) if self.trails else None,
            None if self.strobe is None else Strobe(self.strobe, most=1000),
        )


@dataclass(frozen=True)
class Past:
    """What collects the past for a picture, `trails` and `strobe` of `picture`."""

    trails: Trails | None
    strobe: Strobe | None

    @property
    def moments(self) -> list[Frame]:
        """Return the moments that are in the picture."""
        return [] if self.strobe is None else self.strobe.moments

    def add(self, description: Description, frame: Frame) -> None:
        """Take a moment."""
        if self.trails is not None:
            self.trails.add(description, frame)
        if self.strobe is not None:
            self.strobe.add(description, frame)
