"""A small world to look at, and waiting for what another thread does."""

import time
from collections.abc import Callable

from stoss.collision import Box
from stoss.engine import World


def falling_box() -> World:
    """Return a world with a box of 1 kg in free fall from 5 m."""
    world = World()
    world.add_body(Box((0.2, 0.2, 0.2)), position=(0.0, 0.0, 5.0), mass=1.0, name="box")
    return world


def wait_for(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Return as soon as a condition holds; fail if it does not in time."""
    end = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < end, "waited in vain"
        time.sleep(0.005)
