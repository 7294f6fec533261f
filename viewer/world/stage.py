"""A world under commands: what was done to it, and when, is kept, so that it can be done again bitwise.

A command is what a user may do to a world between two steps, as plain data: a frozen dataclass of names and
numbers. Bodies and joints are named, never numbered.
"""

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from stoss.engine.model.live import restore_with_controls
from stoss.viewer.world.draft import Draft, absorb, describe_now
from stoss.viewer.world.joint_pull import JointGrip, JointPull
from stoss.viewer.world.pull import Grip, Pull

if TYPE_CHECKING:
    from stoss.engine import Snapshot, StepReport, World
    from stoss.engine.articulated import Articulation
    from stoss.engine.model import Model
    from stoss.viewer.world.pose import PoseGrip, PosePull

__all__ = ["Command", "Entry", "Moment", "Release", "Stage", "Vector"]


@dataclass(frozen=True)
class Command:
    """Base of all commands; a new one is a frozen dataclass with `carry_out`.

    Attributes:
        builds: when what it does to the world belongs to the model that is being built: "always", where the
            model begins ("at first"), "never", or as an "edit" of the model itself.
    """

    name: ClassVar[str]
    builds: ClassVar[str] = "always"

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


Vector = tuple[float, ...]  # of commands: (3,), or (4,) a quaternion
Entry = tuple[int, Command]  # the number of steps made when it was carried out, and the command


@dataclass(frozen=True)
class Release(Command):
    """Let go of what is pulled."""

    builds = "never"

    def carry_out(self, stage: "Stage") -> None:
        """See the class."""
        stage.let_go()


@dataclass(frozen=True)
class Moment:
    """A state to which a stage can go back: of the world, and how a body or a joint is held.

    Attributes:
        snapshot: of the world.
        grip: how something is held, or None.
        draft: the model that is being built, or None.
        done: how many commands were carried out up to there.
    """

    snapshot: "Snapshot"
    grip: "Grip | JointGrip | PoseGrip | None"
    draft: Draft | None = None
    done: int = 0

    @property
    def step(self) -> int:
        """Return the number of steps made."""
        return self.snapshot.step_count


class Stage:
    """A world, the pull on it, and the list of commands that were carried out.

    Args:
        world: the world; its present step is the beginning of the list.
        model: of which it was built, if any.
        draft: the model that is being built, if that has begun.
        editable: whether it may be built anew, with other bodies; one of a program may not.

    Attributes:
        begun: the step at the beginning.
    """

    def __init__(
        self,
        world: "World",
        model: "Model | None" = None,
        draft: Draft | None = None,
        editable: bool = True,
    ) -> None:
        self.world, self.model, self.draft, self.editable = world, model, draft, editable
        self.begun = world.step_count
        self.pull: Pull | JointPull | PosePull | None = None
        self._articulation: Articulation | None = None
        self.log: list[Entry] = []

    def carry_out(self, command: Command) -> None:
        """Carry out a command and note it.

        Raises:
            ValueError, TypeError, KeyError: the engine rejects it; it is not noted, and nothing changes.
        """
        before = self.save()
        described = describe_now(self) if self._is_built_by(command) else None
        try:
            command.carry_out(self)
            if described is not None:
                absorb(self, described, before.snapshot, command.name.replace("_", " "), _stroke(command))
        except (ValueError, TypeError, KeyError):
            self.restore(before)
            raise
        self.log.append((self.world.step_count, command))

    def _is_built_by(self, command: Command) -> bool:
        """Return whether what a command does to the world belongs to the model."""
        if self.draft is None or command.builds == "edit":
            return False
        at_first = command.builds == "at first" and self.world.step_count == self.draft.begun
        return at_first or command.builds == "always"

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

    @property
    def articulation(self) -> "Articulation":
        """Return the coordinates of the joints, made anew where bodies or joints have come or gone."""
        from stoss.engine.articulated import Articulation

        made = self._articulation
        if made is None or made.world is not self.world or not made.is_current:
            made = self._articulation = Articulation(self.world)
        return made

    def free_name(self, stem: str) -> str:
        """Return the first of "stem 1", "stem 2", ... that no body has."""
        taken = {body.name for body in self.world.bodies}
        number = 1
        while f"{stem} {number}" in taken:
            number += 1
        return f"{stem} {number}"

    def save(self) -> Moment:
        """Return the present state, for `restore`."""
        grip = None if self.pull is None else self.pull.grip
        return Moment(self.world.save(), grip, self.draft, len(self.log))

    def restore(self, moment: Moment) -> None:
        """Return to a saved state; the list of commands stays."""
        built = moment.draft or self.draft
        if built is None:
            self.world.restore(moment.snapshot)
        else:
            restore_with_controls(self.world, moment.snapshot, built.sound)
        self.draft = moment.draft
        self.pull = None if moment.grip is None else moment.grip.resume(self.world)

    def replay(self, log: list[Entry], until: int) -> None:
        """Carry out a list of commands, each at its step, and go on to the step number `until`."""
        for step, command in log:
            while self.world.step_count < step:
                self.step()
            self.carry_out(command)
        while self.world.step_count < until:
            self.step()


def _stroke(command: Command) -> str:
    """Return what tells apart commands that are undone together: all but their numbers."""
    fields = [value for value in vars(command).values() if isinstance(value, str)]
    return " ".join([command.name, *fields])
