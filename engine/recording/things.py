"""What can be observed of things that Python reads: loads and integrals; and all that say so themselves.

A thing of a world (a load, a sensor, a controller) either has a method `observables()` that yields some
`Observable`, or a function here does. `LISTS` names the lists of a world that are asked.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine.recording.observable import AXES, Observable

if TYPE_CHECKING:
    from stoss.engine.forces.integrals import Integral
    from stoss.engine.forces.load import Load
    from stoss.engine.world.world import World

__all__ = ["LISTS", "of_load_on", "of_things", "things_of"]


def things_of(world: "World") -> list[list[Any]]:
    """Return the lists of a world whose members can be observed."""
    kind = type(world)
    return [getattr(world, name) for name in LISTS if hasattr(kind, name)]


def of_things(world: "World") -> Iterator[Observable]:
    """Yield what can be observed of loads, integrals and whatever says so of itself."""
    kind = type(world)
    for name, tell in LISTS.items():
        for thing in getattr(world, name) if hasattr(kind, name) else ():
            yield from thing.observables() if hasattr(type(thing), "observables") else tell(thing)


def _of_nothing(thing: Any) -> Iterator[Observable]:
    yield from ()


def _of_load(load: "Load") -> Iterator[Observable]:
    name = f"load.{load.name}"
    yield Observable(f"{name}.power", "W", read=lambda world: load.power)
    yield Observable(f"{name}.energy", "J", read=lambda world: load.energy)
    yield Observable(f"{name}.force", "N", AXES, read=lambda world: load.force)
    yield Observable(f"{name}.torque", "N m", AXES, read=lambda world: load.torque)
    value = load.value
    if value is None:  # of functions nothing more is known
        return
    parts = tuple(map(str, range(len(value)))) if np.ndim(value) else ()
    for what in ("effort", "value", "rate"):
        yield Observable(f"{name}.{what}", "", parts, read=_reader(load, what))


def _reader(load: "Load", what: str) -> "Callable[[World], Any]":
    return lambda world: getattr(load, what)


def of_load_on(world: "World", rest: str) -> list[Observable]:
    """Return the force and torque of a load on a body: of "NAME.on.BODY.force" and the like, [] of others.

    Args:
        world: the world.
        rest: the name of the channel behind "load.".
    """
    for load in getattr(world, "loads", ()):
        for body in world.bodies:
            if rest.startswith(f"{load.name}.on.{body.name}."):
                return [_on(load, body, 0, "force", "N"), _on(load, body, 3, "torque", "N m")]
    return []


def _on(load: "Load", body: Any, first: int, what: str, unit: str) -> Observable:
    name = f"load.{load.name}.on.{body.name}.{what}"
    return Observable(name, unit, AXES, read=lambda world: load.on(body)[first : first + 3])


def _of_integral(integral: "Integral") -> Iterator[Observable]:
    shape = np.shape(integral.value)
    parts = AXES if shape == (3,) else tuple(map(str, range(int(np.prod(shape))))) if shape else ()
    name = f"integral.{integral.name}"
    yield Observable(name, "", parts, read=_flat(integral, "value"))
    yield Observable(f"{name}.rate", "", parts, read=_flat(integral, "rate"))


def _flat(integral: "Integral", what: str) -> "Callable[[World], Any]":
    def read(world: "World") -> Any:
        value = np.asarray(getattr(integral, what))
        return value.ravel() if value.ndim else value

    return read


LISTS: dict[str, Callable[[Any], Iterator[Observable]]] = {
    "loads": _of_load,
    "integrals": _of_integral,
    "sensors": _of_nothing,
    "controllers": _of_nothing,
}
