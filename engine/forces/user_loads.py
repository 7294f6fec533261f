"""Loads that are functions of the user: plain ones, and ones that numba compiles."""

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stoss.engine import checks
from stoss.engine.world.load_kind import LoadKind, UserCode
from stoss.names import closed

if TYPE_CHECKING:
    pass

__all__ = [
    "CompiledContext",
    "FunctionLoad",
    "checked_function",
    "compile_for",
    "is_compiled",
    "parameters_of",
]


@closed
@dataclass(frozen=True)
class FunctionLoad(LoadKind):
    """A function f(context) of the user, see `World.add_load`.

    Args:
        code: the function.
        parameters: numbers by their names, `context.parameters`.
        scratch: (k,) numbers that it may keep, as they were when it was added: `context.scratch`.
    """

    code: UserCode
    parameters: dict[str, float]
    scratch: np.ndarray


class CompiledContext(NamedTuple):
    """What functions that are compiled by `numba.njit` are called with: plain arrays.

    Attributes:
        time: the middle of the step [s].
        time_step: its length [s].
        step: number of the step, from 0.
        centers_of_mass, principal_quaternions, velocities, angular_velocities: (n, 3), (n, 4), (n, 3), (n, 3)
            of the bodies at that time, in the order of `world.bodies`.
        masses: (n,) [kg], 0 for bodies that do not react.
        parameters: named tuple of numbers.
        integrals: (k,) values of the user integrals, in their order.
        scratch: (k,) numbers of this load, kept from step to step.
        forces, torques: (n, 3) [N], [N m], world, to be added to.
    """

    time: float
    time_step: float
    step: int
    centers_of_mass: np.ndarray
    principal_quaternions: np.ndarray
    velocities: np.ndarray
    angular_velocities: np.ndarray
    masses: np.ndarray
    parameters: Any
    integrals: np.ndarray
    scratch: np.ndarray
    forces: np.ndarray
    torques: np.ndarray


def is_compiled(function: Any) -> bool:
    """Return whether numba compiles a function."""
    from numba.core.dispatcher import Dispatcher

    return isinstance(function, Dispatcher)


def checked_function(name: str, function: Any) -> Callable[[Any], Any]:
    """Return a function of the user.

    Raises:
        TypeError: it cannot be called.
    """
    if not callable(function) or isinstance(function, type):
        raise TypeError(
            f"{name} = {checks.shown(function)} must be a load such as Force(body, (0, 0, 10)), or a "
            "function f(context)"
        )
    return function


def parameters_of(name: str, values: Any) -> dict[str, float]:
    """Return numbers by their names.

    Raises:
        TypeError, ValueError: something else, or a name that is no word.
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} = {checks.shown(values)} must be a dict of numbers by their names")
    for key in values:
        if not isinstance(key, str) or not key.isidentifier() or key.startswith("_"):
            raise ValueError(f"{name}: {key!r} is no word of letters, digits and _ that begins with a letter")
    return {key: checks.number(f"{name}[{key!r}]", value) for key, value in values.items()}


def parameter_tuple(values: Mapping[str, float]) -> Any:
    """Return parameters as a named tuple of numbers."""
    names = tuple(values) or ("none",)
    return _tuple_type(names)(*(values.values() or (0.0,)))


_TYPES: dict[tuple[str, ...], Any] = {}


def _tuple_type(names: tuple[str, ...]) -> Any:
    """Return the type of a named tuple, one for good: numba compiles anew for another."""
    if names not in _TYPES:
        _TYPES[names] = namedtuple("Parameters", names)  # noqa: PYI024 - its fields are not known ahead
    return _TYPES[names]


def compile_for(name: str, function: Any, context: CompiledContext) -> None:
    """Compile a function for the context that it will be called with.

    Raises:
        TypeError: it does not compile; says why.
    """
    from numba import typeof
    from numba.core.errors import NumbaError

    try:
        function.compile((typeof(context),))
    except NumbaError as error:
        raise TypeError(
            f"{name}: {function.__qualname__} does not compile as f(context), with a context of arrays "
            f"(see docs/forces.md): {error}"
        ) from error
