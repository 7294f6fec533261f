"""What senses, thinks and acts around the steps of a world."""

import copy
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from stoss.collision.plain_numbers import shown
from stoss.engine import checks
from stoss.engine.control.actuators import Actuator, remove_traces
from stoss.engine.control.controller import Controller, ControllerEntry, FunctionController, checked_rate
from stoss.engine.control.errors import NOT_MADE, ControlError
from stoss.engine.control.part import Part
from stoss.engine.control.relay import Relay
from stoss.engine.control.sensor import Sensor
from stoss.engine.world.body import Body
from stoss.engine.world.drives import RowHandle
from stoss.engine.world.joint import Joint
from stoss.engine.world.marker import Marker

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Control"]

P = TypeVar("P", bound=Part)

_HANDLES = (Body, Joint, Marker, RowHandle)

State = dict[str, Any]  # by "sensor name", "actuator name", "controller name"


class Control:
    """Keep sensors, actuators and controllers of a world, and functions for events; call them in their order.

    Before a step: functions whose time has come; controllers that are due sense, then they update; actuators
    act. After it: sensors measure; functions for events are called.

    Args:
        world: the world.

    Attributes:
        sensors, actuators: by name, in the order in which they were added.
        controllers: the same, with what is known of each.
        relay: functions for events.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self.sensors: dict[str, Sensor] = {}
        self.actuators: dict[str, Actuator] = {}
        self.controllers: dict[str, ControllerEntry] = {}
        self.relay = Relay()
        self._looked_for: Any = None  # what there was when all were last looked for that sensors are at

    @property
    def calls_users(self) -> bool:
        """Return whether code of users runs before a step."""
        return bool(self.controllers) or not self.relay.is_empty

    @property
    def functions(self) -> "Iterable[tuple[str, Callable[..., Any]]]":
        """Give the functions of users, with what they are called for."""
        for name, entry in self.controllers.items():
            if isinstance(entry.controller, FunctionController):
                yield f"controller {name!r}", entry.controller.function
        yield from self.relay.functions

    @property
    def told(self) -> list[str]:
        """Return what is here that a model cannot hold, for its `left_out`."""
        parts = [f"{kind} {name!r}" for kind, name in (one.split(" ", 1) for one in self.save())]
        return [*parts, *(f"{what}: {function!r} is Python code" for what, function in self.relay.functions)]

    def copy(self, memo: dict[int, Any], callbacks: bool) -> "Control":
        """Return a copy for a copy of the world, as a part of what `copy.deepcopy` copies.

        Args:
            memo: what is copied already, the world among it.
            callbacks: whether code of users is copied: controllers, and functions for events.
        """
        if callbacks:
            return copy.deepcopy(self, memo)
        bare = Control(self._world)
        bare.sensors, bare.actuators = self.sensors, self.actuators
        return copy.deepcopy(bare, memo)

    # ------------------------------------------------------------- who there is

    def _add(self, part: Any, kind: type[P], among: dict[str, P], name: Any, such_as: str) -> P:
        checks.instance(kind.noun, part, kind, such_as)
        if part._world is not None:
            raise ValueError(f"{part!r} is in a world already; make another one, or remove it there")
        for at in part._at():
            if at.world is not self._world:
                raise ValueError(f"{kind.noun}: {at!r} is not in this world")
            _check_there(self._world, at, kind.noun)
        part._name = _new_name(kind.noun, name, among)
        part._world = self._world
        try:
            part._added(self._world)
        except BaseException:
            part._world, part._name = None, ""
            raise
        among[part._name] = part
        return part

    def add_sensor(self, sensor: Any, name: Any) -> Any:
        """Add a sensor; see `World.add_sensor`."""
        return self._add(sensor, Sensor, self.sensors, name, "Imu(body)")

    def add_actuator(self, actuator: Any, name: Any) -> Any:
        """Add an actuator; see `World.add_actuator`."""
        return self._add(actuator, Actuator, self.actuators, name, "TorqueActuator(joint)")

    def remove_part(self, part: Part) -> None:
        """Take a sensor or an actuator out of the world."""
        among: Any = self.sensors if isinstance(part, Sensor) else self.actuators
        del among[part._name]
        part._left()
        part._world, part._name = None, ""
        if isinstance(part, Actuator):
            for entry in self.controllers.values():
                entry.actuators = tuple(one for one in entry.actuators if one is not part)

    def add_controller(self, controller: Any, rate: Any, actuators: Any, name: Any) -> Any:
        """Add a controller; see `World.add_controller`."""
        made = controller
        if not isinstance(controller, Controller):
            if not callable(controller) or isinstance(controller, type):
                raise TypeError(
                    f"controller = {shown(controller)} must be a Controller, or a function f(world)"
                )
            made = FunctionController(controller)
        elif any(entry.controller is controller for entry in self.controllers.values()):
            raise ValueError(f"controller = {shown(controller)} is in this world already")
        elif type(controller).update is Controller.update:
            raise TypeError(f"{type(controller).__name__} has no update(time, period), which is to decide")
        elif getattr(controller, "world", None) not in (None, self._world):
            raise ValueError(
                f"controller = {shown(controller)} is for another world; make one for this world"
            )
        given = tuple(actuators) if isinstance(actuators, list | tuple) else (actuators,)
        for one in given:
            checks.instance("actuators", one, Actuator, "TorqueActuator(joint)")
            if one._world is not self._world:
                raise ValueError(f"actuators: {one!r} is not in this world; world.add_actuator(it) adds it")
        own = _new_name("controller", name, self.controllers)
        entry = ControllerEntry(own, made, checked_rate(rate), given)
        entry.set_period(self._world.time_step, warn=True)
        entry.controller.reset()
        self.controllers[own] = entry
        return controller

    def remove_controller(self, controller: Any) -> None:
        """Remove a controller; see `World.remove_controller`."""
        for name, entry in self.controllers.items():
            own = entry.controller
            function = own.function if isinstance(own, FunctionController) else None
            if (
                controller is own
                or controller is function
                or (isinstance(controller, str) and controller == name)
            ):
                del self.controllers[name]
                return
        known = ", ".join(self.controllers) or "none"
        raise ValueError(f"controller = {shown(controller)} is not in this world; it has {known}")

    def _find_handles(self) -> None:
        """Let all who hold handles that are not valid any more hold those of the same names."""
        for among in (self.sensors, self.actuators):
            for part in among.values():
                _find_handles(self._world, part)
        for entry in self.controllers.values():
            _find_handles(self._world, entry.controller)

    def remove_at_lost(self) -> None:
        """Remove the sensors and actuators whose bodies, joints or markers are gone."""
        lost = [
            part
            for among in (self.sensors, self.actuators)
            for part in among.values()
            if not all(_is_there(self._world, at) for at in part._at())
        ]
        for part in lost:
            if isinstance(part, Actuator):
                part._handle = None
            self.remove_part(part)
        self._looked_for = self._what_there_is()

    def _what_there_is(self) -> tuple[int, ...]:
        """Return numbers that are others when a body, joint or marker has come or gone."""
        w = self._world
        registries = (w._all_bodies.registry, w._all_joints.registry, w._markers.registry)
        return tuple(n for one in registries for n in (one.next_key, len(one), len(one.records)))

    # ------------------------------------------------------------- around a step

    def before(self, world: "World") -> None:
        """Sense, think and act, before a step."""
        self.relay.before(world)
        due = [entry for entry in self.controllers.values() if entry.is_due(world)]
        for entry in due:
            entry.sense(world)
        for entry in due:
            entry.update(world)
        there = self._what_there_is()
        if there != self._looked_for:
            self.remove_at_lost()
        versions = world._all_joints.table.version, -1 if world._loads is None else world._loads.table.version
        for actuator in self.actuators.values():
            try:
                actuator._act(world.time, world.time_step, versions)
            except Exception as error:
                step = world.step_count + 1
                raise ControlError(
                    f"actuator {actuator.name!r}, step {step} (from t = {world.time:.6g} s) failed, "
                    f"{type(error).__name__}: {error}; {NOT_MADE}",
                    actuator.name,
                    step,
                ) from error
        for sensor in self.sensors.values():
            sensor._begin()

    def after(self, world: "World") -> None:
        """Measure and tell, after a step."""
        for sensor in self.sensors.values():
            sensor._end(world.time, world.time_step)
        self.relay.after(world)

    # ------------------------------------------------------------- state

    def save(self) -> State:
        """Return the state of all that is here."""
        return {
            **{f"sensor {name}": sensor._save() for name, sensor in self.sensors.items()},
            **{f"actuator {name}": actuator._save() for name, actuator in self.actuators.items()},
            **{f"controller {name}": entry.save() for name, entry in self.controllers.items()},
        }

    def mark(self) -> dict[Any, Any]:
        """Return what `return_to` needs to take back what is done before a step."""
        return {
            **{part: part._mark() for among in (self.sensors, self.actuators) for part in among.values()},
            **{entry: entry.save() for entry in self.controllers.values()},
        }

    def return_to(self, marks: dict[Any, Any]) -> None:
        """Take back what was done since `mark`; who has come since then stays as it is."""
        for one, mark in marks.items():
            if isinstance(one, ControllerEntry):
                one.give_back(mark)
            elif one._world is self._world:
                one._return(mark)
        self.relay.look(self._world)

    def restore(self, state: State) -> None:
        """Return to a state: of those that have one in it, by their names.

        What has none in it begins anew: a controller by its `reset`. What is not here any more is warned of.

        Args:
            state: what `save` returned.
        """
        known = {
            **{f"sensor {name}": sensor._give_back for name, sensor in self.sensors.items()},
            **{f"actuator {name}": actuator._give_back for name, actuator in self.actuators.items()},
            **{f"controller {name}": entry.give_back for name, entry in self.controllers.items()},
        }
        for name, value in state.items():
            if name in known:
                known[name](value)
        for name, actuator in self.actuators.items():
            if f"actuator {name}" not in state:
                actuator._forget()
        for name, entry in self.controllers.items():
            if f"controller {name}" not in state:
                entry.start_anew()
        warn_of_lost(state, known)
        for name, value in state.items():
            if name not in known and name.startswith(Actuator.noun):
                remove_traces(self._world, value)
        self._find_handles()
        self.remove_at_lost()
        self.relay.look(self._world)


def warn_of_lost(state: State, known: Iterable[str]) -> None:
    """Warn of what has a state in a snapshot, and is not in the world that takes it."""
    lost = [name for name in state if name not in known]
    if lost:
        warnings.warn(
            f"the snapshot holds the state of {', '.join(lost)}, which this world does not have: it is left "
            "out. Add them with the same names, and restore then",
            stacklevel=4,
        )


def _new_name(noun: str, name: Any, among: Iterable[str]) -> str:
    """Return the name of what is to be added, one with a number if it is None."""
    if name is None:
        number = 0
        while f"{noun} {number}" in among:
            number += 1
        return f"{noun} {number}"
    own = checks.text("name", name)
    if own in among:
        raise ValueError(f"name = {own!r} is taken by another {noun}; names of {noun}s are unique in a world")
    return own


def _registry(world: "World", at: Any) -> Any:
    if isinstance(at, Body):
        return world._all_bodies.registry
    return world._all_joints.registry if isinstance(at, Joint) else world._markers.registry


def _is_there(world: "World", at: Any) -> bool:
    return bool(_registry(world, at).has(at))


def _find_handles(world: "World", owner: Any) -> None:
    """Let an object hold, in its attributes and in lists there, the valid handles in place of others."""
    for name, value in vars(owner).items():
        if isinstance(value, _HANDLES):
            vars(owner)[name] = _valid(world, value)
        elif type(value) in (list, tuple) and any(isinstance(one, _HANDLES) for one in value):
            vars(owner)[name] = type(value)(_valid(world, one) for one in value)


def _valid(world: "World", handle: Any) -> Any:
    """Return the handle of the same name, if one is not valid any more and there is another."""
    if isinstance(handle, RowHandle):
        joint = _valid(world, handle.joint)
        rows = () if joint is handle.joint else joint._rows
        return next((row for row in rows if row._key == handle._key), handle)
    if not isinstance(handle, Body | Joint | Marker) or handle.world is not world:
        return handle
    registry = _registry(world, handle)
    return handle if registry.has(handle) or handle.name not in registry else registry.named(handle.name)


def _check_there(world: "World", at: Any, noun: str) -> None:
    if not _is_there(world, at):
        raise ValueError(f"{noun}: {at!r} was removed")
