"""What is run: a scene, a model or a function that builds a world, as data that other processes build too."""

import functools
import hashlib
import inspect
import pickle
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.scenes.registry import SCENES, Scene, find_scene, is_model_file, suggestion

if TYPE_CHECKING:
    from stoss.engine import Settings, World
    from stoss.engine.model import Model

__all__ = ["Source", "digest_of_function", "packed", "source_of", "unpacked"]

TIME_STEP = "time_step"


@dataclass(frozen=True)
class Source:
    """What is run.

    Attributes:
        kind: "scene", "model" or "function".
        name: of the scene, the file of the model, or the function.
        content: the text of the model, whole in itself, or the packed function.
        digest: changes when anything of it does; of a scene it is its name, and of a function see
            `digest_of_function`.
    """

    kind: str
    name: str
    content: bytes
    digest: str

    @property
    def scene(self) -> Scene | None:
        """The scene, also of a model; None of a function."""
        if self.kind == "function":
            return None
        return SCENES[self.name] if self.kind == "scene" else _scene_of_text(self.name, self.content)

    @property
    def stem(self) -> str:
        """A short name, for folders."""
        return Path(self.name).stem if self.kind == "model" else self.name.rpartition(":")[2]

    @property
    def duration(self) -> float | None:
        """Simulated time [s] after which it has shown what it is about, if it says so."""
        return None if self.scene is None else self.scene.duration

    @property
    def record(self) -> tuple[tuple[str, ...], float | None]:
        """What a model says is to be recorded: channels, and the time between two samples [s]."""
        if self.kind != "model":
            return (), None
        record = _model_of_text(self.content).record
        return tuple(record.channels), None if record.every is None else float(record.every)

    def names_of_channels(self, world: "World") -> dict[str, str]:
        """Return the names of channels of its world, by what a model calls them: those of its coordinates."""
        scene = self.scene
        if scene is None or scene.channels is None:
            return {}
        return dict(zip(self.record[0], scene.channels(world), strict=True))

    @property
    def settings(self) -> "Settings | None":
        """The usual settings, None for a function that takes none."""
        from stoss.engine import Settings

        if self.scene is None:
            return Settings() if "settings" in _arguments(_function(self.content)) else None
        return self.scene.settings or Settings()

    @property
    def time_step(self) -> float | None:
        """The usual time step [s], None for a function that takes none."""
        if self.scene is not None:
            return self.scene.time_step
        argument = _arguments(_function(self.content)).get(TIME_STEP)
        return None if argument is None or argument.default is argument.empty else float(argument.default)

    def defaults(self) -> dict[str, Any]:
        """Return the parameters with the values that they have when nothing is said."""
        if self.scene is not None:
            return {one.name: one.default for one in self.scene.parameters}
        return {
            name: argument.default
            for name, argument in _arguments(_function(self.content)).items()
            if name not in (TIME_STEP, "settings") and argument.default is not argument.empty
        }

    def checked(self, name: str, value: Any) -> Any:
        """Return the value of a parameter as the source takes it.

        Raises:
            ValueError, TypeError: no such parameter, or not such a value.
        """
        from stoss.collision import plain_numbers

        scene = self.scene
        if scene is not None:
            for one in scene.parameters:
                if one.name == name:
                    return one.checked(value)
            known = [one.name for one in scene.parameters]
        else:
            arguments = _arguments(_function(self.content))
            if name in arguments or any(one.kind is one.VAR_KEYWORD for one in arguments.values()):
                return value if isinstance(value, str | bool | int) else plain_numbers.number(name, value)
            known = [*arguments]
        there = ", ".join(known) or "none"
        raise ValueError(f"{self.name} has no parameter {name!r}{suggestion(name, known)}; there are {there}")

    def build(
        self, parameters: dict[str, Any], time_step: float | None, settings: "Settings | None"
    ) -> "World":
        """Return a new world.

        Raises:
            ValueError, TypeError: a value that scene, model or engine rejects.
        """
        common = {TIME_STEP: time_step, "settings": settings}
        given = {name: value for name, value in common.items() if value is not None}
        scene = self.scene
        if scene is not None:
            return scene.build(**given, **parameters)
        function = _function(self.content)
        arguments = _arguments(function)
        world = function(**{name: value for name, value in given.items() if name in arguments}, **parameters)
        if not (hasattr(world, "step") and hasattr(world, "state_hash")):
            raise TypeError(
                f"{self.name} returned a {type(world).__name__}; return the stoss.World it builds"
            )
        built: World = world
        return built


def source_of(what: Any) -> Source:
    """Return the source that a user names.

    Args:
        what: the name of a scene, the file of a model, "module:function", a `Model`, or a function that
            builds a world of keyword arguments.

    Raises:
        ValueError, TypeError: there is none, or the model is wrong.
    """
    if isinstance(what, str) and ":" in what and not is_model_file(what):
        what = function_of(what)
    if isinstance(what, str | Path):
        name = str(what)
        if not is_model_file(name):
            return Source("scene", find_scene(name).name, b"", name)
        from stoss.engine.model import Model

        return _of_model(Model.load(name), name)
    if callable(what):
        name = f"{what.__module__}:{getattr(what, '__qualname__', type(what).__name__)}"
        for argument in _arguments(what).values():
            if argument.kind is argument.POSITIONAL_ONLY:
                raise TypeError(f"{name}: {argument.name} is positional only; take it by its name")
        return Source("function", name, packed(what), digest_of_function(what))
    if hasattr(what, "flat") and hasattr(what, "dumps"):
        return _of_model(what, what.name or "model")
    raise TypeError(
        f"source = {what!r}: give the name of a scene, the file of a model, a stoss.Model, or a function "
        "that builds a world"
    )


def _of_model(model: Any, name: str) -> Source:
    model.flat()  # raises where it is wrong
    content = model.dumps("toml").encode()
    return Source("model", name, content, hashlib.sha256(content).hexdigest())


def function_of(text: str) -> Callable[..., Any]:
    """Return the function that "module:function" names; modules are also sought in the present folder.

    Raises:
        ValueError: there is none.
    """
    import importlib

    module_name, _, name = text.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
        importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise ValueError(f"{text!r}: there is no module {error.name}, here or installed") from None
    found = getattr(module, name, None)
    if not callable(found):
        known = [one for one, value in vars(module).items() if inspect.isfunction(value)]
        raise ValueError(
            f"{text!r}: {module_name} has no function {name!r}{suggestion(name, known)}; "
            f"it has {', '.join(known) or 'none'}"
        )
    function: Callable[..., Any] = found
    return function


def packed(function: Callable[..., Any]) -> bytes:
    """Return a function as bytes; those of the main program, and nameless ones, with all they need.

    Raises:
        TypeError: it cannot be given to other processes.
    """
    from numba import cloudpickle

    module = sys.modules.get(getattr(function, "__module__", ""))
    own = module is not None and module.__name__ != "__main__" and not _is_installed(module)
    if own:  # workers elsewhere do not have this file
        cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps(function))
    except Exception as error:  # whatever the objects that it refers to raise
        raise TypeError(
            f"{function!r} cannot be given to other processes ({error}); let it use nothing but numbers, "
            "texts, arrays and functions, and build the rest itself"
        ) from error
    finally:
        if own:
            cloudpickle.unregister_pickle_by_value(module)


def _is_installed(module: Any) -> bool:
    """Return whether a module comes with Python, or was installed, so that workers have it too."""
    file = getattr(module, "__file__", None)
    if file is None or module.__name__.partition(".")[0] == "stoss":
        return True
    homes = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return any(Path(file).is_relative_to(home) for home in homes)


@functools.lru_cache(maxsize=64)
def unpacked(content: bytes) -> Callable[..., Any]:
    """Return the function that `packed` made into bytes."""
    function: Callable[..., Any] = pickle.loads(content)
    return function


def digest_of_function(function: Callable[..., Any]) -> str:
    """Return what changes when a function does: its module's text, of the main program its own.

    Other modules that it uses are not looked at.
    """
    try:
        module = inspect.getmodule(function)
        own = module is None or module.__name__ == "__main__"
        text = inspect.getsource(function) if own else inspect.getsource(module)  # type: ignore[arg-type]
    except (OSError, TypeError):  # typed in, or not of Python
        text = repr(getattr(getattr(function, "__code__", None), "co_code", b""))
    name = getattr(function, "__qualname__", "")
    defaults = (getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None))
    return hashlib.sha256(f"{name} {defaults} {text}".encode()).hexdigest()


_function = unpacked


def _arguments(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


@functools.lru_cache(maxsize=8)
def _scene_of_text(name: str, content: bytes) -> Scene:
    from stoss.scenes.model_files import scene_of_model

    return scene_of_model(name, _model_of_text(content))


@functools.lru_cache(maxsize=8)
def _model_of_text(content: bytes) -> "Model":
    from stoss.engine.model import Model

    return Model.loads(content.decode(), "toml")
