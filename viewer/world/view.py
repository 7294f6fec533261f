"""What a simulation shows to those who look at it from another thread: all values of one instant."""

from dataclasses import dataclass, field

import numpy as np

from stoss.engine import Settings
from stoss.viewer.world.canvas import Marks
from stoss.viewer.world.draft import Draft
from stoss.viewer.world.frames import Description, Frame
from stoss.viewer.world.outline import Outline

__all__ = ["Failure", "View", "Wait", "empty_view"]


@dataclass(frozen=True)
class Failure:
    """Why the simulation stopped.

    Attributes:
        message: what happened.
        bodies: names of the bodies that took part.
    """

    message: str
    bodies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wait:
    """What has to be ready before the simulation goes on.

    Attributes:
        text: what it is.
        share: how much of it is done, 0 to 1; None where that is unknown.
    """

    text: str
    share: float | None = None


@dataclass(frozen=True)
class View:
    """All that the window shows, of one instant.

    Attributes:
        description, frame: what is drawn.
        outline: bodies, joints and settings with the values that can be changed.
        paused: whether it stands.
        rate: simulated seconds per second over the last moments.
        pull: where a body is held and where the pointer is, (3,) each [m], or None.
        failure: why it stopped, or None.
        past: step numbers of the recording: the first and the last; that of `frame` is the one looked at.
        looking_back: whether the past is looked at, and not the end of the recording.
        cuts: how many cuts of the recording can be undone, and how many can be made again.
        marks: what the user's program draws over the bodies.
        draft: the model that is being built, or None.
    """

    description: Description
    frame: Frame
    outline: Outline
    paused: bool
    rate: float = 0.0
    pull: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    failure: Failure | None = None
    past: tuple[int, int] = (0, 0)
    looking_back: bool = False
    cuts: tuple[int, int] = (0, 0)
    marks: Marks = field(default_factory=Marks)
    draft: Draft | None = None


def empty_view(paused: bool) -> View:
    """Return the view of a world that is not there yet."""
    none, places, turns = np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4))
    description = Description((), (), none, places, (), np.zeros(0, np.int64), places, turns)
    return View(description, Frame(0.0, 0, places, turns), Outline((0.0, 0.0, 0.0), 0.01, Settings()), paused)
