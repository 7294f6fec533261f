"""A session: what was done to a scene from its beginning, in a file that can be done again bit for bit."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.containers import read_json
from stoss.declared import check, check_version, fits
from stoss.files import write_text
from stoss.scenes.registry import MODEL
from stoss.viewer.world.commands import command_from_record
from stoss.viewer.world.draft import open_draft
from stoss.viewer.world.stage import Entry, Stage

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.engine.model import Model
    from stoss.scenes.registry import Scene

__all__ = ["FORMAT_VERSION", "Session", "Source", "load_session", "source_of_model"]

FORMAT_VERSION = 1

# What a file may ask for: enough for a day at 10 ms, and for any scene that a window can show.
MOST_STEPS = 10_000_000
LARGEST_PARAMETER = 1e6


@dataclass(frozen=True)
class Source:
    """Where a world came from, so that it can be built again.

    Attributes:
        scene: the scene.
        parameters: of the scene, `settings` not among them.
        settings: fields of `Settings`.
        time_step: [s].
        building: whether it is a model that is being built: what is wrong in it is told beside the thing.
    """

    scene: "Scene"
    parameters: dict[str, Any]
    settings: dict[str, Any]
    time_step: float
    building: bool = False

    def build(self) -> "World":
        """Build the world.

        Raises:
            ValueError, TypeError: a value that scene or engine rejects.
        """
        from stoss.engine import Settings

        settings = Settings(**self.settings)
        return self.scene.build(settings=settings, time_step=self.time_step, **self.parameters)

    @property
    def model(self) -> "Model | None":
        """Return the model of which the world is built, None for scenes that are programs."""
        from stoss.engine import Settings

        if self.scene.model is None:
            return None
        settings = Settings(**self.settings)
        made: Model = self.scene.model(settings=settings, time_step=self.time_step, **self.parameters)
        return made

    def stage(self) -> Stage:
        """Build the world, and return it as a stage.

        Raises:
            ValueError, TypeError: a value that scene or engine rejects.
        """
        model = self.model
        if model is None or not (self.building or self.scene.name == MODEL):
            return Stage(self.build(), model)
        draft, world = open_draft(model)
        return Stage(world, model, draft)

    def session(self, stage: Stage) -> "Session":
        """Return what was done to the world since; what was built of a file holds what was in the file."""
        name, parameters, model = self.scene.name, self.parameters, self.model
        if stage.draft is not None and model is not None:
            from stoss.scenes.model_files import text_of

            name, parameters = MODEL, {"text": text_of(model)}
        return Session(
            name,
            parameters,
            self.settings,
            self.time_step,
            list(stage.log),
            stage.world.step_count,
            stage.world.state_hash(),
        )


def source_of_model(model: "Model", name: str = MODEL) -> Source:
    """Return where the world of a model comes from that is built in a window.

    Args:
        model: the model.
        name: its file.

    Raises:
        ModelError: a parameter or a model within it is wrong.
    """
    from stoss.scenes.model_files import scene_of_model

    scene = scene_of_model(name, model)
    parameters = {one.name: one.default for one in scene.parameters}
    return Source(scene, parameters, vars(scene.settings), scene.time_step, building=True)


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
        stage = self.source.stage()
        if after_step is not None:
            stage.world.after_step.append(after_step)
        stage.replay(self.log, self.steps)
        return stage.world


def load_session(path: str | Path) -> Session:
    """Read what `Session.write` wrote.

    Raises:
        ValueError: the file is no session, is damaged, of a later format, or says what nothing takes.
        OSError: it cannot be read.
    """
    session: Session = read_json(path, "no session of stoss", _session_of)
    return session


_KNOWN: dict[str, Any] = {
    "format": int,
    "scene": str,
    "parameters": dict[str, int | float | str],
    "settings": dict[str, Any],
    "time_step": float,
    "steps": int,
    "state_hash": str,
    "commands": list[list[Any]],
}


def _session_of(record: Any) -> Session:
    """Return the session that a record describes, if all of it can be carried out.

    Raises:
        ValueError, TypeError, KeyError: it cannot.
    """
    check("it", record, dict[str, Any])
    check_version(record["format"], FORMAT_VERSION)
    for name in record:
        if name not in _KNOWN:
            raise ValueError(f"it holds {name!r}, which is not known")
    for name, declared in _KNOWN.items():
        check(name, record[name], declared)
    steps, time_step = record["steps"], record["time_step"]
    if not 0 <= steps <= MOST_STEPS:
        raise ValueError(f"steps is {steps}, not within 0 to {MOST_STEPS}")
    if not 0.0 < time_step < math.inf:
        raise ValueError(f"time_step is {time_step}, not above zero")
    log, last = [], 0
    for entry in record["commands"]:
        check("a command", entry, list[Any])
        if len(entry) != 2 or not fits(entry[0], int) or not last <= entry[0] <= steps:
            raise ValueError(
                f"a command stands at {str(entry[:1])[1:-1]}, not at a step from {last} to {steps}"
            )
        last = entry[0]
        check("a command", entry[1], dict[str, Any])
        log.append((last, command_from_record(entry[1])))
    session = Session(
        scene=record["scene"],
        parameters=record["parameters"],
        settings=record["settings"],
        time_step=time_step,
        log=log,
        steps=steps,
        state_hash=record["state_hash"],
    )
    _check_source(session.source)
    return session


def _check_source(source: Source) -> None:
    """Raise unless a scene has these parameters and an engine these settings."""
    from stoss.engine import Settings

    Settings(**source.settings)
    known = {parameter.name: parameter for parameter in source.scene.parameters}
    for name, value in source.parameters.items():
        if name not in known:
            raise ValueError(
                f"scene {source.scene.name} has no parameter {name!r}; it has {', '.join(known)}"
            )
        parameter = known[name]
        check(name, value, parameter.type)
        if parameter.choices and value not in parameter.choices:
            raise ValueError(f"{name} is {value!r}; choose from {', '.join(parameter.choices)}")
        if parameter.type is not str and not abs(value) <= LARGEST_PARAMETER:
            raise ValueError(f"{name} is {value}, not within {LARGEST_PARAMETER:g}")
