"""The engine beside the equations of generalised coordinates, over a second at 1 ms."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.benchmarks.stelzner import mechanisms, parts
from stoss.scenes.cases.registry import Figure, at_most

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["CHECKS"]

BOUND = 1e-3  # of any joint angle at any time within a second at 1 ms [deg]
SHORT = 0.1  # of a run in the tests [s]

Part = Callable[..., "World"]

# what moves, whether it is one of those that the bound is asked of, and with which setting
PARTS: dict[str, tuple[Part, bool, dict[str, Any]]] = {
    "double pendulum": (mechanisms.double_pendulum, False, {"order": 4}),
    "four-bar closed by a whole hinge": (mechanisms.four_bar, False, {"order": 4}),
    "knee, hinge": (lambda **of: parts.shank("hinge", **of), True, {}),
    "knee, curves": (lambda **of: parts.shank("spline", **of), True, {}),
    "knee, crossed rods": (lambda **of: parts.shank("four-bar", **of), True, {}),
    "knee, condyles": (lambda **of: parts.shank("ellipsoid", **of), True, {}),
    "shoulder loop": (parts.arm, True, {}),
    "shoulder loop that follows the arm": (lambda **of: parts.arm(coupled=True, **of), True, {}),
    "shoulder loop, springs of 60 N m/rad": (
        lambda **of: parts.arm(gravity=9.81, stiffness=60.0, damping=0.0, **of),
        True,
        {"order": 4},
    ),
    "shoulder loop, 60 N m/rad and 0.5 N m s/rad": (
        lambda **of: parts.arm(gravity=9.81, stiffness=60.0, damping=0.5, **of),
        True,
        {"largest_turn": 1e-4},
    ),
    "spine of 24 vertebrae": (lambda **of: parts.spine("full", **of), True, {}),
    "spine of 24 vertebrae, six coordinates": (
        lambda **of: parts.spine("full", coupled=True, **of),
        True,
        {"largest_turn": 1e-3},
    ),
    "spine of three bodies": (lambda **of: parts.spine("three bodies", **of), True, {}),
    "spine of three bodies, six coordinates": (
        lambda **of: parts.spine("three bodies", coupled=True, **of),
        True,
        {},
    ),
}


def differences(part: Part, seconds: float, **options: Any) -> tuple[float, float]:
    """Return the largest difference of any angle, and over how much the widest one goes [deg]."""
    both = part(**options).run_both(seconds)
    angles = both.differences
    return float(np.degrees(np.abs(angles)).max()), float(np.degrees(np.ptp(both.reduced, axis=0)).max())


def two_methods(short: bool = False) -> Iterator[Figure]:
    """Methods: engine and reduced equations agree on every joint angle."""
    seconds = SHORT if short else 1.0
    for name, (part, asked, cure) in PARTS.items():
        off, wide = differences(part, seconds)
        bound = BOUND if asked and not cure else np.inf
        yield at_most(f"{name}, over {wide:.0f} deg", off, bound, "deg")
        for setting, value in cure.items():
            found = differences(part, seconds, **cure)[0]
            yield at_most(f"{name}, Settings({setting}={value:g})", found, BOUND, "deg")


CHECKS = {"methods": two_methods}
