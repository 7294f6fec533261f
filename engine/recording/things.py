"""What can be observed of things that Python reads: loads and integrals; and all that say so themselves.

A thing of a world (a load, a sensor, a controller) either has a method `observables()` that yields some
`Observable`, or a function here does. `LISTS` names the lists of a world that are asked.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine.joints.arrays import LENGTH
from stoss.engine.recording.observable import AXES, Observable

if TYPE_CHECKING:
    from stoss.engine.control.actuators import Actuator
    from stoss.engine.control.sensor import Sensor
    from stoss.engine.forces.integrals import Integral
    from stoss.engine.forces.load import Load
    from stoss.engine.world.world import World

__all__ = ["LISTS", "of_load_on", "of_things", "things_of"]


def things_of(world: "World") -> list[list[Any]]:
    """Return the lists of a world whose members can be observed."""
    if world._loads is None and world._control is None:  # as in most worlds
        return []
    return [_members(getattr(world, name)) for name in LISTS]


def _members(things: Any) -> list[Any]:
    return list(things.values() if isinstance(things, Mapping) else things)


def of_things(world: "World") -> Iterator[Observable]:
    """Yield what can be observed of loads, integrals and whatever says so of itself."""
    for name, tell in LISTS.items():
        for thing in _members(getattr(world, name)):
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


def _reader(thing: Any, what: str) -> "Callable[[World], Any]":
    return lambda world: getattr(thing, what)


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


# ------------------------------------------------------------- sensors and actuators

# Units of what sensors tell, by the names in their readings.
_UNITS = {
    **{"acceleration": "m/s^2", "angular_velocity": "rad/s", "force": "N", "moment": "N m"},
    **{"center_of_pressure": "m", "free_moment": "N m", "distances": "m", "normal_force": "N"},
}
_MOST_NUMBERS = 64  # of one thing that a sensor tells: no pictures


def _of_sensor(sensor: "Sensor") -> Iterator[Observable]:
    """Yield what a sensor tells: each number, or row of numbers, in its reading."""
    from stoss.engine.control.contact_sensors import ContactSensor

    name = f"sensor.{sensor.name}"
    if isinstance(sensor, ContactSensor):  # of as many points as there happen to be
        yield Observable(f"{name}.force", "N", AXES, read=lambda world: sensor.read().force.sum(axis=0))
        yield Observable(f"{name}.normal_force", "N", read=lambda world: sensor.read().normal_force.sum())
        yield Observable(f"{name}.points", read=lambda world: len(sensor.read().states))
        return
    told = sensor.read()
    fields = getattr(told, "_fields", ())
    for field in fields or ("",):
        value = np.asarray(getattr(told, field) if field else told)
        if value.ndim > 1 or value.size > _MOST_NUMBERS or value.dtype.kind not in "fiub" or not value.size:
            continue
        parts = () if value.ndim == 0 else AXES[: len(value)] if len(value) < 4 else _numbered(len(value))
        whole = f"{name}.{field}" if field else name
        yield Observable(whole, _unit(sensor, field), parts, read=_told(sensor, field))


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def _told(sensor: "Sensor", field: str) -> "Callable[[World], Any]":
    return lambda world: getattr(sensor.read(), field) if field else sensor.read()


def _unit(sensor: "Sensor", field: str) -> str:
    from stoss.engine.control.sensor import Encoder

    if isinstance(sensor, Encoder):
        measure = sensor._joint._coordinates[sensor._coordinate][1]
        return ("m" if measure <= LENGTH else "rad") + ("/s" if field == "rate" else "")
    return _UNITS.get(field, "")


def _of_actuator(actuator: "Actuator") -> Iterator[Observable]:
    for what in ("command", "force"):
        value = np.asarray(getattr(actuator, what))
        if value.ndim < 2 and value.dtype.kind in "fiub":
            parts = () if value.ndim == 0 else AXES if len(value) == 3 else _numbered(len(value))
            name = f"actuator.{actuator.name}.{what}"
            yield Observable(name, "", parts, read=_reader(actuator, what))


LISTS: dict[str, Callable[[Any], Iterator[Observable]]] = {
    "loads": _of_load,
    "integrals": _of_integral,
    "sensors": _of_sensor,
    "actuators": _of_actuator,
    "controllers": _of_nothing,
}
