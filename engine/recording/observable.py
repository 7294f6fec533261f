"""Observables: whatever of a world can be read as numbers, each with a name and a unit.

    joint.elbow.angle [rad]     body.box.position [m], with the columns .x .y .z     energy.total [J]

One list of them serves recordings, plots, the window and exports. Most are numbers that a kernel reads
(`code` and `row`, see `reading`); those of users and of things with Python in them are functions.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["AXES", "QUATERNION", "Observable", "named_with_unit", "of_function"]

AXES = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")

FUNCTION = -1  # code of what Python reads


@dataclass(frozen=True)
class Observable:
    """Numbers that can be read of a world at any time.

    Attributes:
        name: unique, such as "joint.elbow.angle".
        unit: in SI, "" for plain numbers.
        components: what its numbers are called, ("x", "y", "z") of vectors; () of a single number.
        read: returns the value, a number or an array of as many as there are components; None: a kernel
            reads it.
        code, row: what the kernel reads, and of which body, joint, row or pair of bodies.
        missing: the value while there is no such thing: NaN, 0 N of bodies that do not touch.
        shy: whether patterns pass over it, so that it has to be named.
    """

    name: str
    unit: str = ""
    components: tuple[str, ...] = ()
    read: "Callable[[World], Any] | None" = None
    code: int = FUNCTION
    row: int = -1
    missing: float = float("nan")
    shy: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of its numbers: "body.box.position.x" and so on."""
        return tuple(f"{self.name}.{one}" for one in self.components) or (self.name,)


_WITH_UNIT = re.compile(r"\s*(.*?)\s*\[([^\[\]]*)\]\s*", re.DOTALL)


def named_with_unit(text: str) -> tuple[str, str]:
    """Return name and unit of a text such as "reach [m]"; a text without brackets has no unit."""
    match = _WITH_UNIT.fullmatch(text)
    return (text.strip(), "") if match is None else (match[1], match[2].strip())


def of_function(text: str, function: "Callable[[World], Any]", world: "World") -> Observable:
    """Return what a function of a user observes; it is called once, to see how many numbers it gives.

    Args:
        text: its name, with the unit behind it in brackets.
        function: takes the world, returns a number or an array of numbers.
        world: of which it is asked.

    Raises:
        TypeError, ValueError: it has no name, or returns no numbers.
    """
    name, unit = named_with_unit(text)
    if not name:
        raise ValueError(f'functions: {text!r} has no name; write it as "reach [m]"')
    if not callable(function):
        raise TypeError(f"functions: {name!r} is {function!r}, no function f(world)")
    shape = np.shape(numbers(name, function(world), None))
    if shape == ():
        components: tuple[str, ...] = ()
    elif shape == (3,):
        components = AXES
    else:
        components = tuple(map(str, range(shape[0])))
    return Observable(name, unit, components, read=function)


def numbers(name: str, value: Any, count: int | None) -> np.ndarray:
    """Return what a function gave as an array without axes, or with one.

    Args:
        name: of the observable.
        value: what it gave.
        count: how many numbers there must be, 0 for one without an axis; None: any.

    Raises:
        TypeError, ValueError: no numbers, or not so many.
    """
    try:
        array = np.asarray(value, np.float64)
        if value is None:  # which numpy takes for NaN
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(
            f"{name}: the function returned {value!r}; give a number, or an array of some"
        ) from None
    if array.ndim > 1 or array.shape == (0,):
        raise ValueError(
            f"{name}: the function returned shape {array.shape}; give a number, or a row of some"
        )
    found = len(array) if array.ndim else 0
    if count is not None and found != count:
        told = "a number" if count == 0 else f"{count} numbers"
        raise ValueError(f"{name}: the function returned shape {array.shape}, at first it was {told}")
    return array
