"""Files of robots: in folders, and in wheels that ship them."""

from collections.abc import Iterable
from importlib import metadata, util
from pathlib import Path

__all__ = ["WHEELS", "robot_files", "wheel_folders"]

ENDINGS = (".urdf", ".xml", ".mjcf", ".xacro")

# Distributions that ship robots: the module beside whose files they are, or the folder in the environment.
WHEELS = {
    "pybullet": "pybullet_data",
    "gymnasium": "gymnasium.envs.mujoco",
    "gymnasium-robotics": "gymnasium_robotics",
    "example-robot-data": "cmeel.prefix/share/example-robot-data/robots",
}


def wheel_folders() -> dict[str, Path]:
    """Return the folders of the wheels that are installed, by the names of these."""
    found = {}
    for name, place in WHEELS.items():
        folder = _shipped(name, place) if "/" in place else _module(place)
        if folder is not None:
            found[name] = folder
    return found


def _module(name: str) -> Path | None:
    """Return the folder of a module without importing it; what it is in may be looked at, not run."""
    first, *rest = name.split(".")
    spec = util.find_spec(first)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent.joinpath(*rest)


def _shipped(distribution: str, place: str) -> Path | None:
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if place in str(file):
            path = Path(str(file.locate()))
            return Path(str(path).split(place)[0]) / place
    return None


def robot_files(folder: Path) -> Iterable[Path]:
    """Yield the files of robots in a folder and below."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in ENDINGS and path.is_file():
            yield path
