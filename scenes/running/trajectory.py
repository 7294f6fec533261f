"""Motions on disk: poses of all bodies over time, with the shapes that are needed to draw them again.

A trajectory is one .npz file without pickled objects:

    times       (k,)       simulated time of each sample [s]
    positions   (k, n, 3)  centres of mass [m]
    quaternions (k, n, 4)  body frame to world, (w, x, y, z)
    names       (n,)       names of the bodies
    kinds       (n,)       "static", "kinematic" or "dynamic"
    colors      (n, 3)     red, green, blue (sRGB, 0 to 1), NaN for none of its own; may be missing
    shapes      JSON list, one entry per shape: body (number), type, its parameters, and its pose
                (position, quaternion) in the body frame; with drawn: true it is only drawn, in its color
                (red, green, blue) if it has one
    about       JSON object: format version, scene, parameters, time step and whatever the writer adds

The body frame has its origin at the centre of mass and the principal axes of inertia as axes.
"""

import dataclasses
import json
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.containers import MOST_BYTES, MOST_JSON, Header, loads, open_arrays
from stoss.declared import check, check_version, fits
from stoss.files import replaced
from stoss.scenes.running.drawn_parts import drawn_on

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
        self._bodies = world.bodies
        self._known = set(self._bodies)
        self._names = [body.name for body in world.bodies]
        self._kinds = [body.kind for body in world.bodies]
        self._colors = [body.color or (np.nan, np.nan, np.nan) for body in world.bodies]
        self._shapes = _shape_records(world) + _drawn_records(world)
        # Each sample is added in one piece, so that an interruption leaves whole ones.
        self._samples: list[tuple[float, np.ndarray, np.ndarray]] = []
        self._first_step, self._last_step = world.step_count, -1
        self._sample(world)

    def after_step(self, world: "World") -> None:
        """Take a sample if this step is due and has none yet; to be called after each step.

        Raises:
            ValueError: the number of bodies has changed.
        """
        due = (world.step_count - self._first_step) % self.every == 0
        if due and world.step_count != self._last_step:
            self._sample(world)

    def write(self, path: str | Path) -> None:
        """Write what was collected to an .npz file.

        Raises:
            ValueError: the name does not end in .npz.
            FileError: the file cannot be written; an older one is as it was.
        """
        if Path(path).suffix != ".npz":
            raise ValueError(f"path is {str(path)!r}; give a file name that ends in .npz")
        times, positions, quaternions = zip(*self._samples, strict=True)
        with replaced(path) as file:
            np.savez_compressed(
                file,
                times=np.array(times),
                positions=np.array(positions),
                quaternions=np.array(quaternions),
                names=np.array(self._names, dtype=np.str_),
                kinds=np.array(self._kinds, dtype=np.str_),
                colors=np.array(self._colors, np.float64).reshape(-1, 3),
                shapes=np.array(json.dumps(self._shapes)),
                about=np.array(json.dumps(self.about)),
            )

    def _sample(self, world: "World") -> None:
        # Bodies without shapes may come and go: what the mouse pulls by is one of them.
        bodies = world.bodies
        if bodies != self._bodies:
            seen = [body for body in bodies if body.shapes or body in self._known]
            if seen != self._bodies:
                raise ValueError(
                    f"the world has {len(bodies)} bodies, the recording began with {len(self._bodies)}; "
                    "begin a new recording when bodies are added or removed"
                )
        rows = [body.index for body in self._bodies] if bodies != self._bodies else slice(None)
        places, turns = world.centers_of_mass[rows], world.principal_quaternions[rows]
        self._samples.append((world.time, np.array(places), np.array(turns)))
        self._last_step = world.step_count


def load_trajectory(path: str | Path, *, most_bytes: int = MOST_BYTES) -> Trajectory:
    """Read a motion that `Recorder.write` wrote.

    Args:
        path: the file.
        most_bytes: how much memory it may need.

    Raises:
        ValueError: the file is no motion, is damaged, of a later format, or needs more memory.
        OSError: the file cannot be read.
    """
    with open_arrays(path, "no trajectory of stoss", most_bytes) as file:
        _check_headers(file.headers)
        about = loads(str(file.read("about")))
        check("about", about, dict[str, Any])
        check_version(about["format"], FORMAT_VERSION)
        every = about.get("every", 1)
        if not fits(every, int) or every < 1:
            raise ValueError(f"about: every is {every!r}, not a number of steps")
        count = file.headers["names"].shape[0]
        motion = Trajectory(
            times=file.read("times"),
            positions=file.read("positions"),
            quaternions=file.read("quaternions"),
            names=[str(name) for name in file.read("names")],
            kinds=[str(kind) for kind in file.read("kinds")],
            shapes=loads(str(file.read("shapes"))),
            about=about,
            # missing in files from before bodies had colours
            colors=file.read("colors") if "colors" in file.headers else np.full((count, 3), np.nan),
        )
        _check_values(motion)
        return motion


# Axes and kind of type of each array: k samples, n bodies.
_ARRAYS: dict[str, tuple[tuple[str | int, ...], str]] = {
    "times": (("k",), "f"),
    "positions": (("k", "n", 3), "f"),
    "quaternions": (("k", "n", 4), "f"),
    "names": (("n",), "U"),
    "kinds": (("n",), "U"),
    "colors": (("n", 3), "f"),
    "shapes": ((), "U"),
    "about": ((), "U"),
}
_LONGEST_NAME = 10_000  # characters


def _check_headers(headers: dict[str, Header]) -> None:
    """Raise ValueError unless all arrays are there, no others, and have shapes that fit each other."""
    if "header" in headers and "digest" in headers:
        raise ValueError("it is a snapshot: world.restore(Snapshot.read(path)) makes a world of it")
    if "time" in headers and "about" in headers:
        raise ValueError("it is a recording of channels: stoss plot draws it")
    for name in headers:
        if name not in _ARRAYS:
            raise ValueError(f"it holds {name!r}, which is not known")
    lengths: dict[str | int, int] = {}
    for name, (axes, kind) in _ARRAYS.items():
        if name == "colors" and name not in headers:
            continue
        if name not in headers:
            raise ValueError(f"{name} is missing; write it with --save")
        head = headers[name]
        if head.dtype.kind != kind or (kind == "f" and head.dtype != np.float64):
            raise ValueError(f"{name!r} is of type {head.dtype}")
        if kind == "U" and head.dtype.itemsize > 4 * (_LONGEST_NAME if axes else MOST_JSON):
            raise ValueError(f"{name!r} holds a text of {head.dtype.itemsize // 4} characters")
        wanted = tuple(axis if isinstance(axis, int) else lengths.get(axis, -1) for axis in axes)
        if len(head.shape) != len(axes) or any(
            w not in (-1, h) for w, h in zip(wanted, head.shape, strict=True)
        ):
            raise ValueError(f"{name!r} has the shape {head.shape}, the others ask for {wanted}")
        lengths |= zip(axes, head.shape, strict=True)
    if lengths["k"] == 0:
        raise ValueError("it has no samples; record it anew")


def _check_values(motion: Trajectory) -> None:
    """Raise ValueError unless a motion can be shown."""
    if not np.isfinite(motion.times).all() or (np.diff(motion.times) < 0.0).any():
        raise ValueError("times are not finite, or go back")
    if not np.isfinite(motion.positions).all() or not np.isfinite(motion.quaternions).all():
        raise ValueError("positions or quaternions are not finite")
    lengths = np.einsum("kni,kni->kn", motion.quaternions, motion.quaternions)
    if (np.abs(lengths - 1.0) > 1e-6).any():
        raise ValueError("quaternions are not of unit length")
    if not set(motion.kinds) <= {"static", "kinematic", "dynamic"}:
        raise ValueError(f"kinds are {sorted(set(motion.kinds))[:4]}")
    given = motion.colors[~np.isnan(motion.colors).all(axis=1)]
    if not ((given >= 0.0) & (given <= 1.0)).all():
        raise ValueError("colors are not within 0 to 1")
    for name in motion.names:
        name.encode()  # raises for halves of characters, which cannot be shown
    check("shapes", motion.shapes, list[dict[str, Any]])
    for record in motion.shapes:
        body = record["body"]
        if not fits(body, int) or not 0 <= body < len(motion.names):
            raise ValueError(f"a shape belongs to body {body!r} of {len(motion.names)}")
        place = [record["position"], record["quaternion"]]
        if (
            not fits(place, list[list[float]])
            or [*map(len, place)] != [3, 4]
            or not np.isfinite(sum(place, [])).all()
        ):
            raise ValueError(f"the pose of a shape of body {body} is no pose")
        color = record.get("color")
        if color is not None and not (
            fits(color, list[float]) and len(color) == 3 and all(0.0 <= part <= 1.0 for part in color)
        ):
            raise ValueError(f"the color of a shape of body {body} is no color")
        shape_from_record(record)


def shape_record(shape: "Shape") -> dict[str, Any]:
    """Return type and parameters of a shape as JSON values; `shape_from_record` reads them."""
    record: dict[str, Any] = {"type": type(shape).__name__}
    for field in dataclasses.fields(shape):
        if field.init:
            value = getattr(shape, field.name)
            record[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
    return record


def shape_from_record(record: dict[str, Any]) -> "Shape":
    """Return the shape that a record describes; entries beside its parameters are ignored.

    Raises:
        ValueError, TypeError, KeyError: no such shape, or values that it does not take.
    """
    from stoss import collision

    kinds = {kind.__name__: kind for kind in collision.Shape.__subclasses__()}
    if record["type"] not in kinds:
        raise ValueError(f"there is no shape {record['type']!r}; there are {', '.join(kinds)}")
    shape_class = kinds[record["type"]]
    fields = [field for field in dataclasses.fields(shape_class) if field.init]
    return shape_class(**{f.name: record[f.name] for f in fields if f.name in record or f.default is MISSING})


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


def _drawn_records(world: "World") -> list[dict[str, Any]]:
    shapes, owners, places, turns = drawn_on(world.bodies)
    return [
        {
            "body": int(owners[k]),
            **shape_record(one.shape),
            "position": places[k].tolist(),
            "quaternion": turns[k].tolist(),
            "drawn": True,
            "color": one.color,
        }
        for k, one in enumerate(shapes)
    ]
