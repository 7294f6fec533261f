"""What friction laws have in common.

On a contact the numbers are per normal force (a coefficient, s/m), on a coordinate of a joint they are forces
[N, N s/m] or torques [N m, N m s/rad]. Source: Specker 2016, sections 2.1 to 2.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from stoss.engine import checks
from stoss.engine.laws.friction_arrays import (
    BRISTLE,
    FILTER,
    KINETIC,
    NUMBERS,
    OWN,
    PEAK,
    RATIO,
    SET_VALUED,
    SPEED,
    STICKING,
    VISCOUS,
    FrictionLaws,
)
from stoss.engine.laws.friction_curves import coefficients

__all__ = ["FrictionLaw", "Numbers", "arrays_of", "numbers_of"]

LARGEST = 1e12  # of any number of a law


class Numbers(NamedTuple):
    """A law as kernels take it."""

    curve: int
    memory: int
    numbers: np.ndarray  # (NUMBERS,)
    own: np.ndarray  # (OWN,)
    address: int


@dataclass(frozen=True)
class FrictionLaw:
    """What all friction laws have in common; `Stribeck`, `LuGre` and others are what one makes.

    A law is a value: equal numbers are equal laws. It is given to `Material(friction=...)`,
    `World.set_material_pair` or `joint.friction(...)`, and knows no world.
    """

    def _numbers(self) -> Numbers:
        """Return it as kernels take it."""
        raise NotImplementedError

    @property
    def sticking(self) -> float:
        """Return what resists at rest per load, or the most that does: what takes no law uses it."""
        numbers = self._numbers().numbers
        return float(max(numbers[STICKING], numbers[KINETIC]))

    @property
    def sliding(self) -> float:
        """Return what resists per load in fast sliding, but for viscous friction."""
        return float(self._numbers().numbers[KINETIC])

    @property
    def sticks(self) -> bool:
        """Return whether a place at rest is held exactly, by any force up to the largest."""
        return self._numbers().memory == SET_VALUED

    @property
    def remembers(self) -> bool:
        """Return whether each place has a state of its own."""
        return self._numbers().memory in (FILTER, BRISTLE)

    def force(self, velocity: Any, load: float = 1.0) -> Any:
        """Return the steady friction force, with the sign of the velocity: it acts against it.

        Args:
            velocity: of sliding, a number or an array [m/s or rad/s].
            load: normal force [N] of a contact; 1 for joints.

        Raises:
            TypeError, ValueError: no numbers, or a load below zero.
        """
        v = checks.float_array("velocity", velocity, "numbers")
        most = checks.number("load", load, "N", least=0.0)
        arrays = arrays_of([self])
        flat = np.ascontiguousarray(np.abs(v).ravel())
        out = np.zeros(len(flat))
        coefficients(arrays, 0, flat, out)
        found = most * np.sign(v) * out.reshape(v.shape)
        return float(found) if found.ndim == 0 else found

    def power(self, velocity: Any, load: float = 1.0) -> Any:
        """Return the power [W] that steady friction takes.

        Args:
            velocity: of sliding, a number or an array [m/s or rad/s].
            load: normal force [N] of a contact; 1 for joints.
        """
        return np.multiply(self.force(velocity, load), velocity)

    def bound(self, load: float = 1.0) -> float:
        """Return the largest force that does not grow with the speed.

        Args:
            load: normal force [N] of a contact; 1 for joints.
        """
        n = self._numbers().numbers
        most = checks.number("load", load, "N", least=0.0)
        speeds = np.append(np.linspace(0.0, 4.0, 4001) * max(n[PEAK], n[SPEED]), 0.0)
        arrays = arrays_of([self])
        arrays.numbers[0, VISCOUS] = 0.0
        out = np.zeros(len(speeds))
        coefficients(arrays, 0, speeds, out)
        return most * float(max(out.max(), n[STICKING], n[KINETIC]))

    def potential(self, velocity: Any, load: float = 1.0) -> Any:
        """Return the dissipation function [W], of which the force is the derivative by the velocity.

        It is not the power that is dissipated, which is force times velocity.

        Args:
            velocity: of sliding, a number or an array [m/s or rad/s].
            load: normal force [N] of a contact; 1 for joints.

        Raises:
            TypeError: this law has none in closed form.
        """
        raise TypeError(
            f"{type(self).__name__} has no dissipation function in closed form; Viscous, Regularised and "
            "ContinuousStribeck have one"
        )

    def _set(self, **values: float) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check(self, name: str, unit: str = "", *, above: bool = False) -> float:
        """Return a field as a number of 0 or more, or above zero."""
        what, value = f"{type(self).__name__}: {name}", getattr(self, name)
        if above:
            return checks.number(what, value, unit, above=0.0, most=LARGEST)
        return checks.number(what, value, unit, least=0.0, most=LARGEST)

    def _check_all(self, positive: Sequence[str] = (), skip: Sequence[str] = ()) -> None:
        """Check all fields that are numbers, those in `positive` to be above zero."""
        for one in fields(self):
            if one.name not in skip:
                self._set(**{one.name: self._check(one.name, above=one.name in positive)})

    def _check_static(self, static: float, dynamic: float) -> None:
        if static < dynamic:
            raise ValueError(
                f"{type(self).__name__}: static = {static!r} must not be below dynamic = {dynamic!r}: what "
                "rests holds at least as much as what slides"
            )


def numbers_of(curve: int, memory: int, values: dict[int, float]) -> Numbers:
    """Return a law by its numbers, places as keys."""
    numbers = np.zeros(NUMBERS)
    numbers[RATIO] = 1.0
    for place, value in values.items():
        numbers[place] = value
    return Numbers(curve, memory, numbers, np.zeros(OWN), 0)


def arrays_of(laws: Sequence[FrictionLaw]) -> FrictionLaws:
    """Return laws as kernels take them."""
    out = FrictionLaws.zeros(laws=len(laws))
    for k, law in enumerate(laws):
        row = law._numbers()
        out.curve[k], out.memory[k], out.address[k] = row.curve, row.memory, row.address
        out.numbers[k], out.own[k] = row.numbers, row.own
    return out
