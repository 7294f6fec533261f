"""All public calls, found by looking at what the packages give away."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.benchmarks.api_fuzz.meanings import LEFT_OUT, MEANINGS_OF
from stoss.benchmarks.api_fuzz.values import MEANINGS

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["Argument", "Call", "all_calls", "unclear_arguments"]

Rng = np.random.Generator


@dataclass(frozen=True)
class Argument:
    """An argument of a call.

    Attributes:
        name: as it is in the call.
        meaning: one of `MEANINGS`, empty if nobody has said.
        needed: whether it has no default.
        by_place: whether it can be given by its place only.
        none: whether None is its default, and so fits.
        default: its default.
    """

    name: str
    meaning: str
    needed: bool
    by_place: bool = False
    none: bool = False
    default: Any = None

    def draw(self, world: "World", rng: Rng, good: bool) -> Any:
        """Return a value that fits, or one that does not."""
        return MEANINGS[self.meaning or "anything"][0 if good else 1](world, rng)


@dataclass(frozen=True)
class Call:
    """Something public that can be called, assigned or read.

    Attributes:
        name: `Owner.name`.
        way: "call", "assign" or "read".
        arguments: of the call; one for what is assigned.
        of: finds whose method or attribute it is, None if there is none; or what is called.
        of_itself: whether `of` finds what is called.
        only_wrong: whether it takes too long with values that fit.
    """

    name: str
    way: str
    arguments: tuple[Argument, ...]
    of: "Callable[[World, Rng], Any]"
    of_itself: bool = False
    only_wrong: bool = False


def _one_of(values: list[Any], rng: Rng) -> Any:
    return values[int(rng.integers(len(values)))] if values else None


def _detector(world: "World", rng: Rng) -> Any:
    import stoss as st
    from stoss.collision import Detector

    detector = Detector()
    for body in range(3):
        detector.add_shape(st.Sphere(1.0), body, (1.5 * body, 0, 0))
    detector.detect(np.zeros((3, 3)), np.tile([1.0, 0, 0, 0], (3, 1)), np.ones(3, bool), 0.01)
    return detector


def _owners() -> "dict[type, Callable[[World, Rng], Any]]":
    """Return the classes whose attributes and methods are public, and how to find one of each."""
    import stoss as st
    from stoss import collision, engine

    def rows(kind: type) -> "Callable[[World, Rng], Any]":
        return lambda w, r: _one_of(
            [
                x
                for j in w.joints
                for x in (*j.limits, *j.curved_limits, *j.drives, *j.frictions)
                if isinstance(x, kind)
            ],
            r,
        )

    return {
        st.World: lambda w, r: w,
        st.Body: lambda w, r: _one_of(w.bodies, r),
        st.Joint: lambda w, r: _one_of(w.joints, r),
        st.Limit: rows(st.Limit),
        engine.SwingLimit: rows(engine.SwingLimit),
        engine.TwistLimit: rows(engine.TwistLimit),
        st.Drive: rows(st.Drive),
        st.JointFriction: rows(st.JointFriction),
        st.PidDrive: rows(st.PidDrive),
        st.Rotor: rows(st.Rotor),
        st.Settings: lambda w, r: w.settings,
        st.Material: lambda w, r: _one_of(w.bodies, r).material,
        st.StepReport: lambda w, r: w.report,
        st.EnergyLedger: lambda w, r: w.ledger,
        engine.WorldContacts: lambda w, r: w.contacts,
        engine.Contact: lambda w, r: _one_of(list(w.contacts), r),
        collision.Detector: _detector,
    }


def _constructors() -> dict[str, Any]:
    """Return the classes that users make, and the functions that they call."""
    import stoss as st
    from stoss import collision, engine
    from stoss.collision import rotation

    found: dict[str, Any] = {}
    for package in (engine, collision):
        for name in package.__all__:
            thing = getattr(package, name)
            made = inspect.isclass(thing) and (
                issubclass(thing, st.Shape | st.JointKind)
                and thing not in (st.Shape, st.JointKind)
                or issubclass(thing, st.Sensor | st.Actuator)
                and thing not in (st.Sensor, st.Actuator)
                or thing
                in (
                    *(st.World, st.Settings, st.Material, st.MassProperties, st.Placed, st.Drawn),
                    collision.Detector,
                )
            )
            if made or inspect.isfunction(thing):
                found[name] = thing
    for name in rotation.__all__:
        found[f"rotation.{name}"] = getattr(rotation, name)
    return found


def _arguments(owner: str, function: Any) -> tuple[Argument, ...]:
    """Return the arguments of a function or class."""
    out = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            continue
        places = (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY)
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        needed = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
        meaning = MEANINGS_OF.get(f"{owner}.{name}") or MEANINGS_OF.get(name, "")
        out.append(
            Argument(
                name, meaning, needed, parameter.kind in places, parameter.default is None, parameter.default
            )
        )
    return tuple(out)


def _settings_arguments() -> tuple[Argument, ...]:
    import stoss as st
    from stoss.engine.settings import CHOICES

    out = []
    for field in fields(st.Settings):
        if field.name in CHOICES:
            meaning = f"one of {', '.join(CHOICES[field.name])}"
            MEANINGS.setdefault(meaning, _words(CHOICES[field.name]))
        else:
            kind = str(getattr(field.type, "__name__", field.type))
            meaning = {"bool": "flag", "int": "whole", "float": "not negative"}[kind]
        out.append(Argument(field.name, meaning, False))
    return tuple(out)


def _words(words: tuple[str, ...]) -> Any:
    return (lambda w, r: _one_of(list(words), r)), MEANINGS["solver"][1]


def all_calls() -> list[Call]:
    """Return all public calls, in the order of their names."""
    calls = [*_calls_of_owners(), *_calls_of_constructors(), *_scene_calls()]
    return sorted(
        (call for call in calls if call.name not in LEFT_OUT), key=lambda call: (call.name, call.way)
    )


def _calls_of_owners() -> Iterator[Call]:
    for kind, of in _owners().items():
        owner = kind.__name__
        for name in dir(kind):
            if name.startswith("_"):
                continue
            thing = inspect.getattr_static(kind, name)
            if inspect.isfunction(thing):
                yield Call(f"{owner}.{name}", "call", _arguments(f"{owner}.{name}", thing), of)
                continue
            if isinstance(thing, classmethod | staticmethod):
                continue
            yield Call(f"{owner}.{name}", "read", (), of)
            may_be_set = (
                thing.fset is not None if isinstance(thing, property) else hasattr(type(thing), "__set__")
            )
            if may_be_set and not is_dataclass(kind):
                meaning = MEANINGS_OF.get(f"{owner}.{name}") or MEANINGS_OF.get(name, "")
                yield Call(f"{owner}.{name}", "assign", (Argument(name, meaning, True),), of)


def _calls_of_constructors() -> Iterator[Call]:
    for name, thing in _constructors().items():
        arguments = _settings_arguments() if name == "Settings" else _arguments(name, thing)

        def of(world: "World", rng: Rng, thing: Any = thing) -> Any:
            return thing

        yield Call(name, "call", arguments, of, of_itself=True)


def _scene_calls() -> Iterator[Call]:
    """Return what the options of a scene are checked by, without building worlds of a thousand bodies."""
    from stoss.scenes import SCENES

    meanings = {int: "scene count", float: "number", str: "text"}
    for name, scene in SCENES.items():
        arguments = tuple(Argument(p.name, meanings[p.type], False) for p in scene.parameters)

        def of(world: "World", rng: Rng, scene: Any = scene) -> Any:
            return scene.build

        yield Call(f"scene {name}", "call", arguments, of, of_itself=True, only_wrong=True)


def unclear_arguments() -> list[str]:
    """Return arguments of which nobody has said what they mean, as `Owner.name.argument`."""
    return sorted(
        f"{call.name}.{argument.name}"
        for call in all_calls()
        for argument in call.arguments
        if not argument.meaning
    )
