"""A session: what was done to a scene from its beginning, in a file that can be done again bit for bit."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.files import write_text
from stoss.viewer.world.commands import command_from_record
from stoss.viewer.world.stage import Entry, Stage

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.scenes.registry import Scene

__all__ = ["FORMAT_VERSION", "Session", "Source", "load_session"]

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Source:
    """Where a world came from, so that it can be built again.

    Attributes:
        scene: the scene.
        parameters: of the scene, `settings` not among them.
        settings: fields of `Settings`.
        time_step: [s].
    """

    scene: "Scene"
    parameters: dict[str, Any]
    settings: dict[str, Any]
    time_step: float

    def build(self) -> "World":
        """Build the world.

        Raises:
            ValueError, TypeError: a value that scene or engine rejects.
        """
        from stoss.engine import Settings

        settings = Settings(**self.settings)
        return self.scene.build(settings=settings, time_step=self.time_step, **self.parameters)

    def session(self, stage: Stage) -> "Session":
        """Return what was done to the world since."""
        return Session(
            self.scene.name,
            self.parameters,
            self.settings,
            self.time_step,
            list(stage.log),
            stage.world.step_count,
            stage.world.state_hash(),
        )


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
            FileError: it cannot be written; an older one is as it was.
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
        write_text(path, json.dumps(record, indent=1))

    @property
    def source(self) -> Source:
        """Return what builds the world as it was at the beginning.

        Raises:
            ValueError: there is no such scene.
        """
        from stoss.scenes.registry import find_scene

        return Source(find_scene(self.scene), self.parameters, self.settings, self.time_step)

    def replay(self, after_step: Callable[["World"], None] | None = None) -> "World":
        """Do all of it again and return the world; its `state_hash()` is that of the session."""
        world = self.source.build()
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
