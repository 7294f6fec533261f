"""Motions on disk: poses of all bodies over time, with the shapes that are needed to draw them again.

A trajectory is one .npz file without pickled objects:

    times       (k,)       simulated time of each sample [s]
    positions   (k, n, 3)  centres of mass [m]
    quaternions (k, n, 4)  body frame to world, (w, x, y, z)
    names       (n,)       names of the bodies
    kinds       (n,)       "static", "kinematic" or "dynamic"
    colors      (n, 3)     red, green, blue (sRGB, 0 to 1), NaN for none of its own; may be missing
    shapes      JSON list, one entry per shape: body (number), type, its parameters, and its pose
                (position, quaternion) in the body frame
    about       JSON object: format version, scene, parameters, time step and whatever the writer adds

The body frame has its origin at the centre of mass and the principal axes of inertia as axes.
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from stoss.files import replaced

if TYPE_CHECKING:
    from stoss.collision.shapes.shapes import Shape
    from stoss.engine import World

__all__ = ["FORMAT_VERSION", "Recorder", "Trajectory", "load_trajectory", "shape_from_record", "shape_record"]

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Trajectory:
    """A motion read from a file; the fields are described at the top of the module."""

    times: np.ndarray
    positions: np.ndarray
    quaternions: np.ndarray
    names: list[str]
    kinds: list[str]
    shapes: list[dict[str, Any]]
    about: dict[str, Any]
    colors: np.ndarray


class Recorder:
    """Collect the poses of a world while it runs.

    Bodies must not be added or removed in between.

    Args:
        world: the world; its present state is the first sample.
        every: keep every so many steps.
        about: what to write beside the motion, such as the scene and its parameters (JSON values).
    """

    def __init__(self, world: "World", every: int = 1, about: dict[str, Any] | None = None) -> None:
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ValueError(f"every is {every!r}; give a whole number of steps of at least 1")
        self.every = every
        self.about = {"format": FORMAT_VERSION, "time_step": world.time_step, "every": every, **(about or {})}
        self._names = [body.name for body in world.bodies]
        self._kinds = [body.kind for body in world.bodies]
        self._colors = [body.color or (np.nan, np.nan, np.nan) for body in world.bodies]
        self._shapes = _shape_records(world)
        self._times: list[float] = []
        self._positions: list[np.ndarray] = []
        self._quaternions: list[np.ndarray] = []
        self._first_step = world.step_count
        self._sample(world)

    def after_step(self, world: "World") -> None:
        """Take a sample if this step is due; to be called after each step.

        Raises:
            ValueError: the number of bodies has changed.
        """
        if (world.step_count - self._first_step) % self.every == 0:
            self._sample(world)

    def write(self, path: str | Path) -> None:
        """Write what was collected to an .npz file.

        Raises:
            ValueError: the name does not end in .npz.
            FileError: the file cannot be written; an older one is as it was.
        """
        if Path(path).suffix != ".npz":
            raise ValueError(f"path is {str(path)!r}; give a file name that ends in .npz")
        with replaced(path) as file:
            np.savez_compressed(
                file,
                times=np.array(self._times),
                positions=np.array(self._positions),
                quaternions=np.array(self._quaternions),
                names=np.array(self._names, dtype=np.str_),
                kinds=np.array(self._kinds, dtype=np.str_),
                colors=np.array(self._colors, np.float64).reshape(-1, 3),
                shapes=np.array(json.dumps(self._shapes)),
                about=np.array(json.dumps(self.about)),
            )

    def _sample(self, world: "World") -> None:
        count = len(world.centers_of_mass)
        if count != len(self._names):
            raise ValueError(
                f"the world has {count} bodies, the recording began with {len(self._names)}; "
                "begin a new recording when bodies are added or removed"
            )
        self._times.append(world.time)
        self._positions.append(np.array(world.centers_of_mass))
        self._quaternions.append(np.array(world.principal_quaternions))


def load_trajectory(path: str | Path) -> Trajectory:
    """Read a motion that `Recorder.write` wrote.

    Raises:
        ValueError: the file is not a trajectory, or of a later format.
        OSError: the file cannot be read.
    """
    fields = [field.name for field in dataclasses.fields(Trajectory)]
    try:
        with np.load(path, allow_pickle=False) as data:
            missing = [name for name in fields if name not in getattr(data, "files", ())]
            values = {name: data[name] for name in fields if name not in missing}
            if missing == ["colors"]:  # as before bodies had colours
                values["colors"] = np.full((len(values["names"]), 3), np.nan)
                missing = []
    except (ValueError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path}: no trajectory of stoss ({error}); write it with --save") from error
    if missing:
        raise ValueError(f"{path}: no trajectory of stoss, {missing[0]} is missing; write it with --save")
    about = json.loads(str(values["about"]))
    if about["format"] > FORMAT_VERSION:
        raise ValueError(f"{path}: format {about['format']} is newer than {FORMAT_VERSION}; update stoss")
    return Trajectory(
        times=values["times"],
        positions=values["positions"],
        quaternions=values["quaternions"],
        names=[str(name) for name in values["names"]],
        kinds=[str(kind) for kind in values["kinds"]],
        shapes=json.loads(str(values["shapes"])),
        about=about,
        colors=values["colors"],
    )


def shape_record(shape: "Shape") -> dict[str, Any]:
    """Return type and parameters of a shape as JSON values; `shape_from_record` reads them."""
    record: dict[str, Any] = {"type": type(shape).__name__}
    for field in dataclasses.fields(shape):
        if field.init:
            value = getattr(shape, field.name)
            record[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
    return record


def shape_from_record(record: dict[str, Any]) -> "Shape":
    """Return the shape that a record describes; entries beside its parameters are ignored."""
    from stoss import collision

    shape_class = getattr(collision, record["type"])
    names = [field.name for field in dataclasses.fields(shape_class) if field.init]
    return shape_class(**{name: record[name] for name in names})


def _shape_records(world: "World") -> list[dict[str, Any]]:
    table = world.shape_table
    return [
        {
            "body": int(table.body[row]),
            **shape_record(table.shapes[row]),
            "position": table.local_position[row].tolist(),
            "quaternion": table.local_quaternion[row].tolist(),
        }
        for row in range(table.count)
    ]
