"""A world under commands: what was done to it, and when, is kept, so that it can be done again bitwise.

A command is what a user may do to a world between two steps, as plain data: a frozen dataclass of names and
numbers. Bodies and joints are named, never numbered.
"""

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from stoss.viewer.world.joint_pull import JointGrip, JointPull
from stoss.viewer.world.pull import Grip, Pull

if TYPE_CHECKING:
    from stoss.engine import Snapshot, StepReport, World

__all__ = ["Command", "Entry", "Moment", "Release", "Stage"]


@dataclass(frozen=True)
class Command:
    """Base of all commands; a new one is a frozen dataclass with `carry_out`."""

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def carry_out(self, stage: "Stage") -> None:
        """Change the world of a stage.

        Raises:
            ValueError, TypeError, KeyError: the engine rejects it; nothing was changed.
        """
        raise NotImplementedError

    def record(self) -> dict[str, Any]:
        """Return name and fields as JSON values; `command_from_record` reads them."""
        return {"command": self.name, **dataclasses.asdict(self)}


Entry = tuple[int, Command]  # the number of steps made when it was carried out, and the command


@dataclass(frozen=True)
class Release(Command):
    """Let go of what is pulled."""

    def carry_out(self, stage: "Stage") -> None:
        """See the class."""
        stage.let_go()


@dataclass(frozen=True)
class Moment:
    """A state to which a stage can go back: of the world, and how a body or a joint is held."""

    snapshot: "Snapshot"
    grip: Grip | JointGrip | None

    @property
    def step(self) -> int:
        """Return the number of steps made."""
        return self.snapshot.step_count


class Stage:
    """A world, the pull on it, and the list of commands that were carried out.

    Args:
        world: the world; its present step is the beginning of the list.
    """

    def __init__(self, world: "World") -> None:
        self.world = world
        self.pull: Pull | JointPull | None = None
        self.log: list[Entry] = []

    def carry_out(self, command: Command) -> None:
        """Carry out a command and note it.

        Raises:
            ValueError, TypeError, KeyError: the engine rejects it; it is not noted, and nothing changes.
        """
        before = self.save()
        try:
            command.carry_out(self)
        except (ValueError, TypeError, KeyError):
            self.restore(before)
            raise
        self.log.append((self.world.step_count, command))

    def step(self) -> "StepReport":
        """Advance the world by one step.

        Raises:
            SimulationError: see `World.step`.
        """
        if self.pull is not None:
            self.pull.follow()
        return self.world.step()

    def let_go(self) -> None:
        """End the pull, if there is one."""
        if self.pull is not None:
            self.pull.end()
            self.pull = None

    def free_name(self, stem: str) -> str:
        """Return the first of "stem 1", "stem 2", ... that no body has."""
        taken = {body.name for body in self.world.bodies}
        number = 1
        while f"{stem} {number}" in taken:
            number += 1
        return f"{stem} {number}"

    def save(self) -> Moment:
        """Return the present state, for `restore`."""
        return Moment(self.world.save(), None if self.pull is None else self.pull.grip)

    def restore(self, moment: Moment) -> None:
        """Return to a saved state; the list of commands stays."""
        self.world.restore(moment.snapshot)
        self.pull = None if moment.grip is None else moment.grip.resume(self.world)

    def replay(self, log: list[Entry], until: int) -> None:
        """Carry out a list of commands, each at its step, and go on to the step number `until`."""
        for step, command in log:
            while self.world.step_count < step:
                self.step()
            self.carry_out(command)
        while self.world.step_count < until:
            self.step()
