"""A friction law that is a function of the user, compiled and called by kernels."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.laws.friction_arrays import (
    KINETIC,
    OWN,
    SET_VALUED,
    SMOOTH,
    SPEED,
    STICKING,
    USER,
    VISCOUS,
)
from stoss.engine.laws.friction_law import LARGEST, FrictionLaw, Numbers, numbers_of
from stoss.names import closed

__all__ = ["FrictionFunction"]

# Compiled functions, as long as the process lives: a law and its copies share one.
_COMPILED: dict[Any, Any] = {}


@closed
@dataclass(frozen=True)
class FrictionFunction(FrictionLaw):
    """Friction by a function of your own, which numba compiles once.

        def worn(speed, numbers):
            return numbers[0] + numbers[1] / (1.0 + 20.0 * speed)

        rough = st.Material(friction_law=st.FrictionFunction(worn, (0.3, 0.2)))

    Args:
        function: f(speed, numbers), what resists at a speed of sliding [m/s or rad/s], 0 or more: per normal
            force on a contact, [N or N m] on a joint. Numbers, `math` and branches; it is given no arrays but
            `numbers`.
        numbers: at most 8 numbers for it, of any unit.
        sticks_at_rest: whether a place at rest is held exactly, by any force up to f(0); else f(0) must be 0.
        speed: [m/s or rad/s] of fast sliding, where a material takes its coefficient from.
        viscous: force per speed in addition, as of `Viscous`: it is taken at the end of the step.

    Raises:
        TypeError, ValueError: no function, or one that numba cannot compile; no numbers; or it gives NaN,
            infinity or less than 0, or resists at rest though it does not stick.
    """

    function: Callable[[float, Any], float]
    numbers: tuple[float, ...] = ()
    sticks_at_rest: bool = True
    speed: float = 1.0
    viscous: float = 0.0

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, type):
            raise TypeError(
                f"FrictionFunction: function = {checks.shown(self.function)} is no function f(speed, numbers)"
            )
        values = checks.float_array("FrictionFunction: numbers", self.numbers, "numbers")
        if values.ndim != 1 or len(values) > OWN or not np.isfinite(values).all():
            raise ValueError(
                f"FrictionFunction: numbers = {checks.shown(self.numbers)} must be finite, at most {OWN}"
            )
        object.__setattr__(self, "numbers", tuple(values.tolist()))
        checks.flag("FrictionFunction: sticks_at_rest", self.sticks_at_rest)
        self._set(speed=self._check("speed", above=True), viscous=self._check("viscous"))
        for speed in (0.0, 1e-6 * self.speed, 0.1 * self.speed, self.speed, 10.0 * self.speed):
            found = self._value(speed)
            if not 0.0 <= found <= LARGEST:
                raise ValueError(
                    f"FrictionFunction: {self._name}({speed:g}, numbers) = {found!r}; friction acts "
                    "against the sliding, so it gives a finite number of 0 or more for every speed"
                )
        if not self.sticks_at_rest and self._value(0.0) > 0.0:
            raise ValueError(
                f"FrictionFunction: {self._name}(0, numbers) = {self._value(0.0):g} at rest, but it does not "
                "stick; let it begin with 0, or give sticks_at_rest=True"
            )

    def __repr__(self) -> str:
        return f"FrictionFunction({self._name}, numbers={self.numbers})"

    @property
    def _name(self) -> str:
        return str(getattr(self.function, "__name__", self.function))

    def _compiled(self) -> Any:
        """Return the function as C takes it."""
        if self.function not in _COMPILED:
            from numba import carray, cfunc, njit, types

            inner = self.function if hasattr(self.function, "py_func") else njit(self.function)

            def call(speed: float, data: Any) -> float:
                return inner(speed, carray(data, (OWN,)))

            try:
                _COMPILED[self.function] = cfunc(types.float64(types.float64, types.CPointer(types.float64)))(
                    call
                )
            except Exception as error:
                raise TypeError(
                    f"FrictionFunction: numba cannot compile function {self._name}: "
                    f"{str(error).strip().splitlines()[0]}; it may use numbers, math and branches"
                ) from error
        return _COMPILED[self.function]

    def _value(self, speed: float) -> float:
        own = np.zeros(OWN)
        own[: len(self.numbers)] = self.numbers
        return float(self._compiled().ctypes(speed, own.ctypes.data_as(self._compiled().ctypes.argtypes[1])))

    def _numbers(self) -> Numbers:
        values = {STICKING: self._value(0.0), KINETIC: self._value(self.speed), SPEED: self.speed}
        memory = SET_VALUED if self.sticks_at_rest else SMOOTH
        law = numbers_of(USER, memory, values | {VISCOUS: self.viscous})
        law.own[: len(self.numbers)] = self.numbers
        return law._replace(address=int(self._compiled().address))
