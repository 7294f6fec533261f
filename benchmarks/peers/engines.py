"""Which engines there are, and how they are loaded when they are installed."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, NamedTuple

from stoss.benchmarks.peers.running import Simulation

__all__ = ["ENGINES", "EXTRA", "Engine", "MissingPeerError", "load"]

EXTRA = 'python -m pip install "stoss[peers]"'


class MissingPeerError(ImportError):
    """An engine is not installed."""


class Engine(NamedTuple):
    """How an engine is reached."""

    adapter: str  # module of this package with `build` and `build_contacts`(scene, time_step, **options)
    package: str  # what the adapter imports
    distribution: str  # what pip installs
    options: dict[str, Any] | None = {}  # for scenes of joints; None: takes no part in them
    contact_options: dict[str, Any] | None = None  # the same for scenes of contacts


ENGINES = {
    "stoss": Engine("stoss_peer", "stoss.engine", "stoss", contact_options={}),
    "stoss-sweeps": Engine("stoss_peer", "stoss.engine", "stoss", None, {"solver": "gauss_seidel"}),
    "stoss-exact-rest": Engine("stoss_peer", "stoss.engine", "stoss", None, {"rest": "exact"}),
    "rapier": Engine("rapier_peer", "rapier3d", "rapier3d", contact_options={}),
    "physx": Engine("physx_peer", "sapien", "sapien", contact_options={}),
    "mujoco": Engine("mujoco_peer", "mujoco", "mujoco", contact_options={}),
    "mujoco-rk4": Engine("mujoco_peer", "mujoco", "mujoco", {"integrator": "RK4"}),
    "mujoco-elliptic": Engine(
        "mujoco_peer", "mujoco", "mujoco", None, {"elliptic": True, "integrator": "IMPLICITFAST"}
    ),
    "pybullet": Engine("pybullet_peer", "pybullet", "pybullet", contact_options={}),
    "dart": Engine("dart_peer", "dartpy", "dartpy"),
    "dart-constraints": Engine("dart_peer", "dartpy", "dartpy", {"joint_coordinates": False}),
}


def load(name: str, function: str = "build") -> tuple[Callable[..., Simulation], str]:
    """Return the `build`, or `build_contacts`, of an engine and the version that is installed.

    Raises:
        MissingPeerError: the engine is not installed.
    """
    engine = ENGINES[name]
    if find_spec(engine.package) is None:
        raise MissingPeerError(f"{name}: {engine.distribution} is not installed; {EXTRA}")
    build = getattr(import_module(f"stoss.benchmarks.peers.{engine.adapter}"), function)
    try:
        return build, version(engine.distribution)
    except PackageNotFoundError:  # a checkout that is not installed
        return build, ""
