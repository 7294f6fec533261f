"""Worlds and figures of sweeps in tests: another module, as users have them."""

import os
import signal
import sys
import time
from pathlib import Path

import stoss as st
from stoss.scenes.experiments.metrics import Finished


def pendulum(length: float = 1.0, *, swing: float = 0.5, time_step: float = 0.01) -> st.World:
    """Return a world with a point mass on a rod without mass."""
    import math

    world = st.World(time_step=time_step)
    place = (length * math.sin(swing), 0.0, -length * math.cos(swing))
    bob = world.add_body(st.Sphere(0.01), position=place, mass=1.0, name="bob")
    world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, bob, name="pin")
    return world


def bounce(speed: float = 0.0, *, settings: st.Settings | None = None) -> st.World:
    """Return a world with a ball that falls on the ground; fast ones say so, and very fast ones fail."""
    if speed > 900.0:
        raise ValueError(f"speed = {speed} is more than this ball can stand")
    print(f"a ball at {speed:g} m/s")
    world = st.World(settings=settings) if settings is not None else st.World()
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    world.add_body(st.Sphere(0.1), position=(0, 0, 1), velocity=(speed, 0, 0), mass=1.0, name="ball")
    return world


def ends(kill: str = "", code: int = 0, folder: str = "", parent: bool = False) -> st.World:
    """Return a world, or end the process, or its parent, by a signal or with a code; in a folder once."""
    first = not folder or not (Path(folder) / f"{kill}{code}").exists()
    if folder and (kill or code):
        (Path(folder) / f"{kill}{code}").touch()
    if first and kill:
        os.kill(os.getppid() if parent else os.getpid(), signal.Signals[kill])
        time.sleep(10.0)
    if first and code:
        os._exit(code)
    return bounce()


def leaves(code: int = 3) -> st.World:
    """End Python, as scripts do."""
    sys.exit(code)


def place(run: Finished) -> dict[str, float]:
    """Return where the ball is."""
    x, _, z = run.world.body("ball").position
    return {"x": x, "z": z}


def height(run: Finished) -> float:
    """Return the height of the last body."""
    return float(run.world.positions[-1][2])


def broken(run: Finished) -> float:
    """Fail for fast balls."""
    return 1.0 / (run.parameters["speed"] - 1.0)


def word(run: Finished) -> str:
    """Return no number."""
    return "high"
