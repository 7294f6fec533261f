"""Controllers: code of users that thinks at a rate of its own, and what the world keeps of each."""

import math
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.control.actuators import Actuator
from stoss.engine.control.errors import NOT_MADE, ControlError
from stoss.engine.control.state import give_back, state_of

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Controller", "ControllerEntry"]


class Controller:
    """Code that reads sensors and tells actuators what to do: derive from it.

        class Balance(st.Controller):
            def sense(self, world):
                self.angle, self.rate = self.encoder.read()

            def update(self, time, period):
                return -30.0 * self.angle - 5.0 * self.rate

        world.add_controller(Balance(), rate=100, actuators=[motor])

    Before a step in which controllers are due, all of them sense, then all of them update, in the order in
    which they were added; then the actuators act and the step is made.

    What a controller keeps in attributes is part of the state of the world: numbers, texts, arrays, lists and
    the like of these, generators of random numbers, and objects of classes of your own. Bodies, joints,
    sensors, functions and so on are referred to and stay what they are. A copy of the world has controllers
    of its own.

    Attributes:
        period: time from one update to the next [s], a multiple of the step; the world writes it.
        not_state: names of attributes that are no state, for instance of a log.
        keys: what keys of the window do, by their names such as "UP" or "K"; see `press`.
    """

    period: float = 0.0
    not_state: tuple[str, ...] = ()
    keys: Mapping[str, str] = MappingProxyType({})

    def sense(self, world: "World") -> None:
        """Read what is needed of the world.

        Args:
            world: the world that it was added to.
        """

    def update(self, time: float, period: float) -> Any:
        """Decide what actuators are to do until the next update.

        Args:
            time: world time [s].
            period: until the next update [s].

        Returns:
            Commands for the actuators that it was added with, one for each; or None, and nothing changes.
        """
        raise NotImplementedError(f"{type(self).__name__} has no update(time, period)")

    def reset(self) -> None:
        """Begin anew; called when it is added to a world."""

    def draw(self, canvas: Any) -> None:
        """Draw over the bodies what tells of it, where windows, pictures and films show `control`.

        Args:
            canvas: see `stoss.viewer.world.canvas.Canvas`.
        """

    def press(self, key: str) -> None:
        """Do what a key of the window is for, between two steps.

        Args:
            key: one of `keys`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no press(key)")


class FunctionController(Controller):
    """A function f(world) as a controller.

    Args:
        function: returns commands, or None.
    """

    not_state = ("world",)

    def __init__(self, function: "Callable[[World], Any]") -> None:
        self.function = function
        self.world: World | None = None

    def sense(self, world: "World") -> None:
        """Take note of the world."""
        self.world = world

    def update(self, time: float, period: float) -> Any:
        """Return what the function returns."""
        assert self.world is not None  # it has sensed
        return self.function(self.world)


class ControllerEntry:
    """A controller in a world, and when it is due.

    Args:
        name: of the controller.
        controller: the controller.
        rate: how often it is to update [1/s]; None: in every step.
        actuators: that it tells what to do.
    """

    def __init__(
        self, name: str, controller: Controller, rate: float | None, actuators: tuple[Actuator, ...]
    ) -> None:
        self.name, self.controller, self.rate, self.actuators = name, controller, rate, actuators
        self._next = -1  # step count at which it is due
        self._last = -1  # step count at which it was

    def set_period(self, time_step: float, *, warn: bool = False) -> int:
        """Tell the controller its period, and return how many steps that is.

        Args:
            time_step: of the world [s].
            warn: whether to warn if it is not what was asked for.

        Raises:
            ValueError: it is to be shorter than a step.
        """
        steps = 1
        if self.rate is not None:
            wanted = 1.0 / (self.rate * time_step)
            if wanted < 1.0 - 1e-9:
                raise ValueError(
                    f"rate = {self.rate:g} 1/s of controller {self.name!r} is more than one update in a "
                    f"step; give at most {1.0 / time_step:g}, or time_step = {1.0 / self.rate:.3g} s or less"
                )
            steps = round(wanted)
            if warn and abs(wanted - steps) > 1e-6 * wanted:
                warnings.warn(
                    f"rate = {self.rate:g} 1/s of controller {self.name!r} is no whole number of steps of "
                    f"{time_step:g} s: it updates every {steps} steps, {1.0 / (steps * time_step):g} times a "
                    "second",
                    stacklevel=5,
                )
        self.controller.period = steps * time_step
        return steps

    def is_due(self, world: "World") -> bool:
        """Return whether it is to update before the next step."""
        now = world.step_count
        return now >= self._next or now < self._last

    def sense(self, world: "World") -> None:
        """Let it sense."""
        self._call(world, "sense", lambda: self.controller.sense(world))

    def update(self, world: "World") -> None:
        """Let it update, and tell the actuators."""
        steps = self.set_period(world.time_step)
        self._last, self._next = world.step_count, world.step_count + steps
        commands = self._call(
            world, "update", lambda: self.controller.update(world.time, self.controller.period)
        )
        if commands is not None:
            self._tell(world, commands)

    def _call(self, world: "World", what: str, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except ControlError:
            raise
        except Exception as error:
            raise self.error(world, f"{what} raised {type(error).__name__}: {error}") from error

    def error(self, world: "World", told: str) -> ControlError:
        """Return the error that tells what went wrong before a step, which is then not made."""
        step = world.step_count + 1
        return ControlError(
            f"controller {self.name!r}, step {step} (from t = {world.time:.6g} s): {told}; {NOT_MADE}",
            self.name,
            step,
        )

    def _tell(self, world: "World", commands: Any) -> None:
        """Give commands to the actuators."""
        count = len(self.actuators)
        if count == 0:
            raise self.error(
                world,
                f"update returned {checks.shown(commands)}, but it was added without actuators; "
                "add it with actuators=[...], or return None",
            )
        given = (
            [commands] if count == 1 and np.ndim(commands) == np.ndim(self.actuators[0].command) else commands
        )
        if not isinstance(given, list | tuple | np.ndarray) or len(given) != count:
            raise self.error(
                world,
                f"update returned {checks.shown(commands)}; give {count} command{'s' * (count > 1)}, one for "
                "each actuator",
            )
        for actuator, command in zip(self.actuators, given, strict=True):
            try:
                actuator.command = command
            except (TypeError, ValueError) as error:
                raise self.error(
                    world, f"update returned {checks.shown(commands)} for actuator {actuator.name!r}: {error}"
                ) from error

    def start_anew(self) -> None:
        """Let the controller begin anew, due at once."""
        self._next = self._last = -1
        self.controller.reset()

    def save(self) -> tuple[Any, ...]:
        """Return when it is due, and the state of the controller."""
        left_out = frozenset(self.controller.not_state)
        return self._next, self._last, state_of(self.controller, left_out)

    def give_back(self, state: Any) -> None:
        """Return to a state that `save` returned."""
        what = f"controller {self.name!r}"
        if not isinstance(state, tuple) or len(state) != 3 or not all(type(n) is int for n in state[:2]):
            raise ValueError(f"{what}: {str(state)[:40]!r} is no state of a controller")
        self._next, self._last = state[:2]
        give_back(self.controller, state[2], what)


def checked_rate(value: Any) -> float | None:
    """Return a rate [1/s], None: in every step."""
    if value is None:
        return None
    rate = checks.positive("rate", value, "1/s")
    if not math.isfinite(1.0 / rate):
        raise ValueError(f"rate = {checks.shown(value)} 1/s is too low")
    return rate
