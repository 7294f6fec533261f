"""The list of scenes: a scene is a function that builds a world.

A scene function takes keyword parameters only, each with a default value, among them `time_step` [s]
and `settings`. Its docstring's `Args:` section gives meaning and unit of each; the command line shows
these lines and turns every parameter into an option. Scene functions import the engine inside their
body, so that naming and listing scenes does not load the kernels.
"""

import difflib
import inspect
import json
import os
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from stoss.docstrings import KEPT, argument_descriptions, docstring
from stoss.names import takes_names
from stoss.plugins import find_plugins

if TYPE_CHECKING:
    from stoss.engine import Settings, World
    from stoss.engine.model import Model

__all__ = [
    "MODEL",
    "MODEL_FILES",
    "SCENES",
    "Parameter",
    "Scene",
    "find_scene",
    "is_model_file",
    "scene",
    "suggestion",
]

MODEL = "(model)"  # the scene of a model that a session holds as a text
MODEL_FILES = (".toml", ".json", ".xml", ".urdf", ".mjcf")

# The largest whole number that a scene takes, but for its seed: more than any machine simulates.
MOST = 1_000_000

# Parameters that every scene has and that the command line offers under its own options.
COMMON_PARAMETERS = ("settings", "time_step")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a scene.

    Attributes:
        name: keyword of the scene function.
        type: int, float or str.
        default: value when it is not given.
        choices: the allowed values, () when any value of the type may be given.
        description: meaning and unit, from the docstring of the scene function.
    """

    name: str
    type: type
    default: Any
    choices: tuple[str, ...]
    description: str

    def checked(self, value: Any) -> Any:
        """Return a value of the parameter as the scene takes it.

        Raises:
            TypeError, ValueError: of another type, not finite, or not among the choices.
        """
        from stoss.collision import plain_numbers

        if self.choices:
            return plain_numbers.choice(self.name, value, self.choices)
        if self.type is int:
            most = 2**62 if self.name == "seed" else MOST
            least = min(0, self.default) if self.name == "seed" else -MOST
            return plain_numbers.whole(self.name, value, least=least, most=most)
        if self.type is float:
            return plain_numbers.number(self.name, value)
        if not isinstance(value, str):
            raise TypeError(f"{self.name} = {plain_numbers.shown(value)} must be a string")
        return value


@dataclass(frozen=True)
class Scene:
    """A named way to build a world.

    Attributes:
        name: the name on the command line.
        summary: one line for the list of scenes.
        function: builds the world, see the module's docstring.
        duration: simulated time [s] after which the scene has shown what it is about.
        body_count: number of moving bodies with default parameters.
        moment: simulated time [s] at which a picture shows it best.
        view: direction from which it is seen best: azimuth from +x and elevation [degrees].
        see_through: names of bodies that a picture shows like glass.
        follow: name of a body that the camera of a window goes along with, "" for none.
        plots: curves that a window plots from the beginning, as "name of the channel [unit]"; those of one
            unit share a plot. None: the energies, once the panel is opened.
        parameters: what can be varied, without `time_step` and `settings`.
        settings: with which it is built where nothing else is asked for; None: the usual ones.
        channels, every: names the channels of its world that are recorded when it is run, and how often [s],
            where nothing else is said; None: none.
        model: returns the model that it is built of, with the arguments of `function`; None: it is a program.
    """

    name: str
    summary: str
    function: Callable[..., "World"]
    duration: float
    body_count: int
    moment: float
    view: tuple[float, float]
    see_through: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    settings: "Settings | None" = None
    channels: "Callable[[World], tuple[str, ...]] | None" = None
    every: float | None = None
    model: "Callable[..., Model] | None" = None
    follow: str = ""
    plots: tuple[str, ...] = ()

    @property
    def time_step(self) -> float:
        """Return the default time step [s]."""
        return float(inspect.signature(self.function).parameters["time_step"].default)

    def build(self, **parameters: Any) -> "World":
        """Build the world.

        Args:
            **parameters: parameters of the scene function, `time_step` [s] and `settings` among them.

        Raises:
            ValueError: the scene has no such parameter, or a value is out of range.
        """
        known = [parameter.name for parameter in self.parameters] + list(COMMON_PARAMETERS)
        for name in parameters:
            if name not in known:
                raise ValueError(
                    f"scene {self.name} has no parameter {name!r} (= {parameters[name]!r})"
                    f"{suggestion(name, known)}; "
                    f"it has {', '.join(known)}"
                )
        for parameter in self.parameters:
            if parameter.name in parameters:
                parameters[parameter.name] = parameter.checked(parameters[parameter.name])
        return self.function(**parameters)


class _Scenes(dict[str, Scene]):
    """The scenes, with those of plug-ins, which are loaded when a name is not known, or all are asked for.

    Attributes:
        complete: whether all of ours are registered.
    """

    complete = False

    def __missing__(self, name: object) -> Scene:
        if name in self:
            return super().__getitem__(str(name))
        close = suggestion(name, self) if isinstance(name, str) else ""
        raise KeyError(f"no scene named {name!r}{close}; list(SCENES) names all {len(self)}")

    def knows(self, name: str) -> bool:
        """Return whether there is a scene of that name among those that are loaded."""
        return super().__contains__(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (_load_plugins() and super().__contains__(name))

    def __iter__(self) -> Iterator[str]:
        _load_plugins()
        return super().__iter__()

    def __len__(self) -> int:
        _load_plugins()
        return super().__len__()

    def keys(self) -> Any:
        _load_plugins()
        return super().keys()

    def values(self) -> Any:
        _load_plugins()
        return super().values()

    def items(self) -> Any:
        _load_plugins()
        return super().items()


def _load_plugins() -> bool:
    """Let plug-ins register their scenes, once all of ours are there; return whether there are any."""
    return _SCENES.complete and bool(find_plugins("stoss.scenes"))


_SCENES = _Scenes()
SCENES: dict[str, Scene] = _SCENES


def let_plugins_in() -> None:
    """Let scenes of plug-ins be looked for from now on: all of ours are registered."""
    _SCENES.complete = True


@takes_names
def scene(
    name: str,
    summary: str,
    *,
    duration: float,
    body_count: int,
    moment: float | None = None,
    view: tuple[float, float] = (-60.0, 20.0),
    see_through: tuple[str, ...] = (),
    follow: str = "",
    plots: tuple[str, ...] = (),
) -> Callable[[Callable[..., "World"]], Callable[..., "World"]]:
    """Register a scene function under a name; the function itself is returned unchanged.

    Args:
        name: the name on the command line.
        summary: one line for the list of scenes.
        duration: default simulated time [s].
        body_count: number of moving bodies with default parameters.
        moment: time of its picture [s]; None takes a third of the duration.
        view: azimuth and elevation of its picture [degrees].
        see_through: names of bodies that its picture shows like glass.
        follow: name of a body that the camera of a window goes along with.
        plots: curves that a window plots from the beginning, such as "joint.hip.friction.force [N m]".

    Raises:
        ValueError: the name is taken.
        TypeError: a parameter is not keyword-only, has no default, is of a type that the command line
            cannot read, or is missing from the docstring.
    """

    def register(function: Callable[..., "World"]) -> Callable[..., "World"]:
        if _SCENES.knows(name):
            raise ValueError(f"scene name {name!r} is taken by {SCENES[name].function.__module__}")
        shown = duration / 3.0 if moment is None else moment
        parameters = _parameters(function)
        SCENES[name] = Scene(
            name,
            summary,
            function,
            duration,
            body_count,
            shown,
            view,
            see_through,
            parameters,
            follow=follow,
            plots=plots,
        )
        return function

    return register


@takes_names
def find_scene(name: str) -> Scene:
    """Return the scene of that name, or that of the file of a model.

    Raises:
        ValueError: there is none, the message names the closest; or the file is wrong.
    """
    if name in SCENES:
        return SCENES[name]
    if name == MODEL:
        built: Scene = import_module("stoss.scenes.model_files").scene_of_text()
        return built
    if is_model_file(name):
        found: Scene = import_module("stoss.scenes.model_files").scene_of_file(name)  # it loads the engine
        return found
    close = suggestion(name, SCENES)
    raise ValueError(f"no scene named {name!r}{close}; stoss list names all {len(SCENES)}")


def is_model_file(word: str) -> bool:
    """Return whether a word stands for the file of a model; a .json may be that of a session."""
    suffix = os.path.splitext(word)[1].lower()
    if suffix != ".json":
        return suffix in MODEL_FILES
    try:
        with open(word, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "format" not in content


def suggestion(word: str, candidates: Mapping[str, Any] | list[str]) -> str:
    """Return ` (did you mean ...?)` for the closest candidate, or nothing when none is close."""
    close = difflib.get_close_matches(word, list(candidates), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def _parameters(function: Callable[..., "World"]) -> tuple[Parameter, ...]:
    signature = inspect.signature(function)
    missing = [name for name in COMMON_PARAMETERS if name not in signature.parameters]
    if missing:
        raise TypeError(f"{function.__name__}: add the keyword parameter {missing[0]}")
    descriptions = argument_descriptions(docstring(function))
    parameters = []
    for name, parameter in signature.parameters.items():
        if (
            parameter.kind is not inspect.Parameter.KEYWORD_ONLY
            or parameter.default is inspect.Parameter.empty
        ):
            raise TypeError(f"{function.__name__}: make {name} keyword-only with a default value")
        if name in COMMON_PARAMETERS:
            continue
        if name not in descriptions and not KEPT:
            descriptions[name] = name.replace("_", " ")
        if name not in descriptions:
            raise TypeError(f"{function.__name__}: describe {name} in the docstring's Args section")
        kind = type(parameter.default)
        if kind not in (int, float, str):
            raise TypeError(f"{function.__name__}: {name} is of type {kind.__name__}; use int, float or str")
        # Literal["cubes", "mixed"] gives the choices of a string.
        choices = typing.get_args(parameter.annotation) if kind is str else ()
        parameters.append(Parameter(name, kind, parameter.default, choices, descriptions[name]))
    return tuple(parameters)
