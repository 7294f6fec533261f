"""Which engines there are, and how they are loaded when they are installed."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, NamedTuple

from benchmarks.peers.running import Simulation

__all__ = ["ENGINES", "EXTRA", "Engine", "MissingPeerError", "load"]

EXTRA = 'python -m pip install "stoss[peers]"'


class MissingPeerError(ImportError):
    """An engine is not installed."""


class Engine(NamedTuple):
    """How an engine is reached."""

    adapter: str  # module of this package with `build(scene, time_step, **options)`
    package: str  # what the adapter imports
    distribution: str  # what pip installs
    options: dict[str, Any] = {}


ENGINES = {
    "stoss": Engine("stoss_peer", "engine", "stoss"),
    "rapier": Engine("rapier_peer", "rapier3d", "rapier3d"),
    "physx": Engine("physx_peer", "sapien", "sapien"),
    "mujoco": Engine("mujoco_peer", "mujoco", "mujoco"),
    "mujoco-rk4": Engine("mujoco_peer", "mujoco", "mujoco", {"integrator": "RK4"}),
    "pybullet": Engine("pybullet_peer", "pybullet", "pybullet"),
    "dart": Engine("dart_peer", "dartpy", "dartpy"),
    "dart-constraints": Engine("dart_peer", "dartpy", "dartpy", {"joint_coordinates": False}),
}


def load(name: str) -> tuple[Callable[..., Simulation], str]:
    """Return the `build` of an engine and the version that is installed.

    Raises:
        MissingPeerError: the engine is not installed.
    """
    engine = ENGINES[name]
    if find_spec(engine.package) is None:
        raise MissingPeerError(f"{name}: {engine.distribution} is not installed; {EXTRA}")
    build = import_module(f"benchmarks.peers.{engine.adapter}").build
    try:
        return build, version(engine.distribution)
    except PackageNotFoundError:  # a checkout that is not installed
        return build, ""
