"""Copies of worlds: `World.copy`, `copy.deepcopy` and pickle, all of them by way of a snapshot.

The arrays of a world are shared between its parts as views, and kernels know them by address; copied one by
one, they would come apart. So a copy is a new world that is restored from the snapshot of the other one, as
`World.restore` does, with handles, callbacks and the figures of the last step besides.
"""

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from stoss.engine.motion.time_of_impact import ImpactSearch
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.engine.world.marker import Marker
from stoss.engine.world.snapshot import Snapshot, restore_snapshot, take_snapshot

if TYPE_CHECKING:
    from stoss.engine.control.control import Control
    from stoss.engine.world.world import World

W = TypeVar("W", bound="World")

__all__ = ["WorldState", "copy_world", "deep_copy_world", "pickled_state", "take_over"]


class WorldState(NamedTuple):
    """All that a world is.

    Attributes:
        snapshot: the state.
        bodies, joints, markers, loads, integrals: handles, in their order.
        before_step, after_step: callbacks.
        control: sensors, actuators, controllers and functions for events.
        broken: rows of the joints that broke in the last step.
        order, impacts, statistics: of the last step, for its report.
        margin_checked: what was warned of.
        more: attributes that users gave the world.
    """

    snapshot: Snapshot
    bodies: list[Body]
    joints: list[Joint]
    markers: list[Marker]
    loads: list[Any]
    integrals: list[Any]
    before_step: list[Any]
    after_step: list[Any]
    control: "Control | None"
    broken: list[int]
    order: int
    impacts: ImpactSearch | None
    statistics: np.ndarray
    margin_checked: tuple[float, ...]
    more: dict[str, Any]


def _state_of(world: "World") -> WorldState:
    """Return all that a world is, with its own handles and callbacks."""
    snapshot = take_snapshot(world)
    return WorldState(
        snapshot,
        list(world._body_store.handles),
        list(world._joint_store.handles),
        list(world._markers.handles),
        world.loads,
        world.integrals,
        list(world.before_step),
        list(world.after_step),
        world._control,
        [joint.index for joint in world.broken_joints if world._joint_store.registry.has(joint)],
        world._steps.order,
        world._steps.impacts,
        world._stepper.state.statistics.copy(),
        world._steps.margin_checked,
        world._more_attributes(),
    )


def take_over(world: "World", state: WorldState) -> None:
    """Make a new world what a state says; the handles in it become those of this world."""
    snapshot = dataclasses.replace(state.snapshot, control=None)  # `state.control` is copied with its state
    world._set_up(snapshot.gravity, snapshot.time_step, snapshot.settings, snapshot.planar)
    loads = state.loads, state.integrals
    restore_snapshot(world, snapshot, state.bodies, state.joints, state.markers, loads)
    world.before_step, world.after_step = list(state.before_step), list(state.after_step)
    world.broken_joints = [world._joint_store.handles[row] for row in state.broken]
    world._steps.order, world._steps.impacts = state.order, state.impacts
    world._stepper.state.statistics[:] = state.statistics
    world._steps.margin_checked = state.margin_checked
    world._control = state.control
    vars(world).update(state.more)


def copy_world(world: W, *, callbacks: bool) -> W:
    """Return an independent copy of a world; see `World.copy`."""
    return _copied(world, {}, callbacks)


def deep_copy_world(world: W, memo: dict[int, Any]) -> W:
    """Return an independent copy of a world as a part of what `copy.deepcopy` copies."""
    return _copied(world, memo, True)


def _copied(world: W, memo: dict[int, Any], callbacks: bool) -> W:
    with world._entry("world.copy"):
        if callbacks:
            _check_callbacks(world)
        twin = type(world)._blank()
        memo[id(world)] = twin
        state = _state_of(world)
        none: list[Any] = []
        bodies = [_copied_body(body, twin, memo) for body in state.bodies]
        state = state._replace(
            bodies=bodies,
            joints=copy.deepcopy(state.joints, memo),
            markers=copy.deepcopy(state.markers, memo),
            loads=copy.deepcopy(state.loads, memo),
            integrals=copy.deepcopy(state.integrals, memo),
            before_step=copy.deepcopy(state.before_step, memo) if callbacks else none,
            after_step=copy.deepcopy(state.after_step, memo) if callbacks else none,
            control=None if state.control is None else state.control.copy(memo, callbacks),
            impacts=copy.deepcopy(state.impacts),
            more=copy.deepcopy(state.more, memo),
        )
        take_over(twin, state)
        twin._steps.kernels.take_over(world._steps.kernels)
        return twin


def _copied_body(body: Body, twin: "World", memo: dict[int, Any]) -> Body:
    """Return the handle that stands for a body in the copy; quicker than `copy.deepcopy`."""
    known = memo.get(id(body))
    if known is None:
        known = memo[id(body)] = Body(twin, body._key, body._name)
    return known


def pickled_state(world: "World") -> WorldState:
    """Return the state that goes into a pickle.

    Raises:
        ValueError: a callback refers to a handle of this world.
        pickle.PicklingError: a callback cannot be pickled.
    """
    _check_callbacks(world)
    for name, function in _callbacks(world):
        if isinstance(function, FunctionType) and "<" in function.__qualname__:
            raise pickle.PicklingError(
                f"{name}: {function.__qualname__} cannot be pickled, since it is not a function of a module; "
                "make it one, or pickle world.copy(callbacks=False)"
            )
    with world._entry("pickling the world"):
        return _state_of(world)


# ------------------------------------------------------------- callbacks


def _callbacks(world: "World") -> Iterator[tuple[str, Callable[..., Any]]]:
    yield from (("before_step", function) for function in world.before_step)
    yield from (("after_step", function) for function in world.after_step)
    if world._loads is not None:
        yield from world._loads.functions.all
    if world._control is not None:
        yield from world._control.functions


def _check_callbacks(world: "World") -> None:
    """Refuse callbacks that would act on this world, not on the copy that calls them.

    Python copies a function as itself, with the variables it refers to.

    Raises:
        ValueError: names the callback, and what it refers to.
    """
    for name, function in _callbacks(world):
        if not isinstance(function, FunctionType):
            continue  # methods, and objects that are called, are copied with what they hold
        for variable, value in _variables(function):
            if value is world or getattr(value, "world", None) is world:
                raise ValueError(
                    f"{name}: {function.__qualname__} refers to {variable} = {value!r} of the world that is "
                    "copied, and would act on that one when the copy calls it; let it use the world that it "
                    "is called with, such as world.body('name'), or take world.copy(callbacks=False)"
                )


def _variables(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield names and values of what a function refers to outside of itself, and what lists there hold."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found: list[tuple[str, Any]] = []
    for name, cell in cells:
        try:
            found.append((name, cell.cell_contents))
        except ValueError:  # not assigned yet
            continue
    found += [
        (name, function.__globals__[name])
        for name in _names(function.__code__)
        if name in function.__globals__
    ]
    found += [("a default", value) for value in function.__defaults__ or ()]
    found += list((function.__kwdefaults__ or {}).items())
    for name, value in found:
        yield name, value
        if isinstance(value, list | tuple | set | frozenset):
            yield from ((name, one) for one in value)
        elif isinstance(value, dict):
            yield from ((name, one) for one in value.values())


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
