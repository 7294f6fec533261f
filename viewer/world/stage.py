"""A world under commands: what was done to it, and when, is kept, so that it can be done again bitwise."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.viewer.world.commands import Command, Release, command_from_record
from stoss.viewer.world.pull import Grip, Pull

if TYPE_CHECKING:
    from stoss.engine import Snapshot, StepReport, World

__all__ = ["FORMAT_VERSION", "Entry", "Moment", "Session", "Stage", "load_session"]

FORMAT_VERSION = 1
Entry = tuple[int, Command]  # the number of steps made when it was carried out, and the command


@dataclass(frozen=True)
class Moment:
    """A state to which a stage can go back: of the world, and how a body is held."""

    snapshot: "Snapshot"
    grip: Grip | None

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
        self.pull: Pull | None = None
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
            self._restore(before)
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

    def save(self) -> "Moment":
        """Return the present state, for `go_back`."""
        return Moment(self.world.save(), None if self.pull is None else self.pull.grip)

    def go_back(self, moment: "Moment", step: int) -> None:
        """Return to the state after so many steps: to a saved one, and on from there by the same commands.

        What was done later is forgotten, and what is held then is let go.
        """
        done = self.log
        self._restore(moment)
        begin = self.world.step_count
        self.log = [entry for entry in done if entry[0] < begin]
        self.replay([entry for entry in done if begin <= entry[0] < step], step)
        if self.pull is not None:
            self.carry_out(Release())

    def _restore(self, moment: "Moment") -> None:
        self.world.restore(moment.snapshot)
        self.pull = None if moment.grip is None else Pull(self.world, moment.grip)

    def replay(self, log: list[Entry], until: int) -> None:
        """Carry out a list of commands, each at its step, and go on to the step number `until`."""
        for step, command in log:
            while self.world.step_count < step:
                self.step()
            self.carry_out(command)
        while self.world.step_count < until:
            self.step()


@dataclass(frozen=True)
class Session:
    """What was done to a scene, from its beginning, and what came out.

    Attributes:
        scene, parameters: the scene and its parameters, `settings` not among them.
        settings: fields of `Settings` at the beginning.
        time_step: [s] at the beginning.
        log: the commands.
        steps: number of steps made.
        state_hash: hash of the state after them.
    """

    scene: str
    parameters: dict[str, Any]
    settings: dict[str, Any]
    time_step: float
    log: list[Entry] = field(default_factory=list)
    steps: int = 0
    state_hash: str = ""

    def write(self, path: str | Path) -> None:
        """Write it to a .json file.

        Raises:
            ValueError: the name does not end in .json.
            OSError: it cannot be written.
        """
        if Path(path).suffix != ".json":
            raise ValueError(f"path is {str(path)!r}; give a file name that ends in .json")
        record = {
            "format": FORMAT_VERSION,
            "scene": self.scene,
            "parameters": self.parameters,
            "settings": self.settings,
            "time_step": self.time_step,
            "steps": self.steps,
            "state_hash": self.state_hash,
            "commands": [[step, command.record()] for step, command in self.log],
        }
        Path(path).write_text(json.dumps(record, indent=1), encoding="utf-8")

    def build(self) -> "World":
        """Build the world as it was at the beginning."""
        from stoss.engine import Settings
        from stoss.scenes.registry import find_scene

        return find_scene(self.scene).build(
            settings=Settings(**self.settings), time_step=self.time_step, **self.parameters
        )

    def replay(self, after_step: Callable[["World"], None] | None = None) -> "World":
        """Do all of it again and return the world; its `state_hash()` is that of the session."""
        world = self.build()
        if after_step is not None:
            world.after_step.append(after_step)
        Stage(world).replay(self.log, self.steps)
        return world


def load_session(path: str | Path) -> Session:
    """Read what `Session.write` wrote.

    Raises:
        ValueError: the file is no session, or of a later format, or holds an unknown command.
        OSError: it cannot be read.
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
        if record["format"] > FORMAT_VERSION:
            raise ValueError(f"format {record['format']} is newer than {FORMAT_VERSION}; update stoss")
        return Session(
            scene=record["scene"],
            parameters=record["parameters"],
            settings=record["settings"],
            time_step=record["time_step"],
            log=[(int(step), command_from_record(command)) for step, command in record["commands"]],
            steps=record["steps"],
            state_hash=record["state_hash"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: no session of stoss: {error}") from error
