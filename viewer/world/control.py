"""What the window asks of a simulation."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from stoss.viewer.world.channels import Channel
from stoss.viewer.world.commands import Command

__all__ = ["Control"]


@dataclass
class Control:
    """What the window wants. The simulation guards it by a lock, and reads it before every step.

    Attributes:
        paused: whether it is to stand.
        speed: simulated seconds per second that it aims at.
        steps: how many are to be made although it is paused.
        back: number of the step to go back to, or None.
        channels: curves to be noted, or None for those that are noted.
        contacts: whether frames are to hold the contacts.
        inspected: body and joint of which the outline is to tell, "" for none.
        closed: whether it is to end.
        commands: to be carried out.
        questions: functions to be called, and the promises of their results.
    """

    paused: bool = False
    speed: float = 1.0
    steps: int = 0
    back: int | None = None
    channels: tuple[Channel, ...] | None = None
    contacts: bool = False
    inspected: tuple[str, str] = ("", "")
    closed: bool = False
    commands: deque[Command] = field(default_factory=deque)
    questions: deque[tuple[Callable[[], Any], "Future[Any]"]] = field(default_factory=deque)
