"""What the window asks of a simulation, from another thread."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from stoss.viewer.world.channels import Channel
from stoss.viewer.world.commands import Command

__all__ = ["Control", "Look", "Remote"]


@dataclass(frozen=True)
class Look:
    """Look at a state of the recording.

    Attributes:
        step: the number of its step; None counts from the one that is looked at.
        by: how many steps on from there.
    """

    step: int | None
    by: int = 0


@dataclass
class Control:
    """What the window wants. The simulation guards it by a lock, and reads it before every step.

    Attributes:
        paused: whether it is to stand.
        speed: simulated seconds per second that it aims at.
        steps: how many to go on by although it is paused.
        channels: curves to be noted, or None for those that are noted.
        contacts: whether frames are to hold the contacts.
        inspected: body and joint of which the outline is to tell, "" for none.
        closed: whether it is to end.
        wishes: commands to be carried out and states to be looked at, in their order.
        questions: functions to be called, whether at the end of the recording, and the promises of their
            results.
    """

    paused: bool = False
    speed: float = 1.0
    steps: int = 0
    channels: tuple[Channel, ...] | None = None
    contacts: bool = False
    inspected: tuple[str, str] = ("", "")
    closed: bool = False
    wishes: deque[Command | Look] = field(default_factory=deque)
    questions: deque[tuple[Callable[[], Any], bool, "Future[Any]"]] = field(default_factory=deque)


class Remote:
    """The methods by which a window runs a simulation: they wait for nothing.

    Args:
        paused: whether to begin standing.
    """

    def __init__(self, paused: bool) -> None:
        self._control = Control(paused=paused)
        self._condition = threading.Condition()

    def post(self, *commands: Command) -> None:
        """Put commands into the list; they are carried out before the next step, also while it is paused."""
        with self._condition:
            self._control.wishes.extend(commands)
            self._condition.notify()

    def ask(self, function: Callable[[], Any], at_end: bool = False) -> "Future[Any]":
        """Call a function between two steps, in the simulation's thread, and return its promised result.

        Args:
            function: what to call.
            at_end: whether the world is to be at the end of the recording meanwhile, also where the past is
                looked at.
        """
        promise: Future[Any] = Future()
        with self._condition:
            self._control.questions.append((function, at_end, promise))
            self._condition.notify()
        return promise

    def pause(self, paused: bool = True) -> None:
        """Stop, or go on."""
        with self._condition:
            self._control.paused, self._control.steps = paused, 0
            self._condition.notify()

    @property
    def paused(self) -> bool:
        """Whether it stands, or will after the step it is in."""
        return self._control.paused

    def step(self, count: int = 1) -> None:
        """Stop, and go on by so many steps: those that are recorded are shown, then new ones are made."""
        with self._condition:
            self._control.paused = True
            if count < 0:
                self._control.wishes.append(Look(None, count))
            else:
                self._control.steps += count
            self._condition.notify()

    def step_back(self) -> None:
        """Stop, and look at the state a step before; each call counts, also while a step takes long."""
        self.step(-1)

    def go_to(self, step: int) -> None:
        """Stop, and look at the state after a step of the recording; what came after it stays."""
        with self._condition:
            self._control.paused, self._control.steps = True, 0
            self._control.wishes.append(Look(step))
            self._condition.notify()

    def reset(self) -> None:
        """Stop, and look at the beginning."""
        self.go_to(-1)

    @property
    def speed(self) -> float:
        """Simulated seconds per second that it aims at; infinite: as fast as it can."""
        return self._control.speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not value > 0.0:
            raise ValueError(f"speed = {value!r} must be above zero; use pause() to stop")
        with self._condition:
            self._control.speed = value
            self._condition.notify()

    def watch(self, *channels: Channel) -> None:
        """Note these curves from now on, in `monitor`."""
        with self._condition:
            self._control.channels = channels
            self._condition.notify()

    def show_contacts(self, wanted: bool) -> None:
        """Say whether frames are to hold the contacts."""
        with self._condition:
            if self._control.contacts != wanted:
                self._control.contacts = wanted
                self._condition.notify()

    def inspect(self, body: str = "", joint: str = "") -> None:
        """Say of which body and joint the outline is to tell."""
        with self._condition:
            if self._control.inspected != (body, joint):
                self._control.inspected = (body, joint)
                self._condition.notify()
