"""What files of motion-capture systems hold: C3D (by the library ezc3d), TRC, Vicon's columns of text.

Stelzner 2008, section A.2.5. Places are (frames, markers, 3), NaN where a marker was not seen.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stoss.files import check_place, replacing, write_text

__all__ = ["ENDINGS", "UNITS", "UP", "read_markers", "write_markers"]

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001}  # [m]
# Rows of the matrix that takes what has another axis up to z up; x stays x.
UP = {"z": np.eye(3), "y": np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])}
ENDINGS = (".c3d", ".trc", ".csv", ".txt")


def read_markers(file: Path) -> tuple[list[str], np.ndarray, np.ndarray, float]:
    """Return names, times (f,) [s], places (f, m, 3) as the file has them, and its unit of length [m].

    Raises:
        ValueError: it is broken: names file, line and what is wrong.
        ImportError: the library for C3D is not installed.
    """
    ending = file.suffix.lower()
    return (_read_c3d if ending == ".c3d" else _read_trc if ending == ".trc" else _read_columns)(file)


def write_markers(
    path: str | os.PathLike[str], names: Sequence[str], times: np.ndarray, places: np.ndarray
) -> None:
    """Write places (f, m, 3) [m] of markers at times (f,) [s] to a file, `.trc` or `.c3d`, in millimetres.

    Raises:
        ValueError: another ending.
        ImportError: the library for C3D is not installed.
    """
    file = check_place(os.fspath(path), (".trc", ".c3d"))
    rate = float((len(times) - 1) / (times[-1] - times[0])) if len(times) > 1 else 1.0
    if file.suffix.lower() == ".trc":
        write_text(file, _trc(file.name, rate, names, times, 1e3 * places))
        return
    with replacing(file) as at:
        _write_c3d(at, rate, names, 1e3 * places)


# ------------------------------------------------------------- C3D


def _ezc3d() -> Any:
    try:
        import ezc3d
    except ImportError as error:
        raise ImportError(
            "C3D files need the library ezc3d; install the extra: pip install 'stoss[mocap]'"
        ) from error
    return ezc3d


def _read_c3d(file: Path) -> tuple[list[str], np.ndarray, np.ndarray, float]:
    ezc3d = _ezc3d()
    try:
        content = ezc3d.c3d(str(file))
    except Exception as error:  # the library raises what its C++ threw
        raise ValueError(f"{file}: no C3D file that can be read: {error}") from error
    point = content["parameters"]["POINT"]
    places = content["data"]["points"][:3]  # (3, markers, frames), NaN where not seen
    names = [str(name) for name in point["LABELS"]["value"]]
    count = places.shape[1]
    if len(names) < count:  # labels are optional
        names += [f"marker {k}" for k in range(len(names), count)]
    rate = float(point["RATE"]["value"][0]) if len(point["RATE"]["value"]) else 0.0
    if not rate > 0.0:
        raise ValueError(f"{file}: POINT:RATE = {rate:g} frames per second; it must be above zero")
    first = int(content["header"]["points"]["first_frame"])
    times = (first + np.arange(places.shape[2])) / rate
    units = [str(value) for value in point.get("UNITS", {"value": []})["value"]]
    unit = units[0].strip().lower() if units else "mm"
    if unit not in UNITS:
        raise ValueError(f"{file}: POINT:UNITS = {unit!r}; known are {', '.join(UNITS)}: give unit=...")
    return names[:count], times, np.ascontiguousarray(places.transpose(2, 1, 0)), UNITS[unit]


def _write_c3d(file: Path, rate: float, names: Sequence[str], places: np.ndarray) -> None:
    content = _ezc3d().c3d()
    parameters = content["parameters"]["POINT"]
    parameters["RATE"]["value"] = [rate]
    parameters["LABELS"]["value"] = list(names)
    content.add_parameter("POINT", "UNITS", ["mm"])
    points = places.transpose(2, 1, 0)
    content["data"]["points"] = np.concatenate([points, np.ones((1, *points.shape[1:]))])
    content.write(str(file))


# ------------------------------------------------------------- TRC


def _read_trc(file: Path) -> tuple[list[str], np.ndarray, np.ndarray, float]:
    lines = file.read_text("utf-8", errors="replace").splitlines()
    if len(lines) < 5 or not lines[0].startswith("PathFileType"):
        raise ValueError(f"{file}:1: no TRC file: it does not begin with PathFileType")
    keys, values = lines[1].split("\t"), lines[2].split("\t")
    header = dict(zip((key.strip() for key in keys), (value.strip() for value in values), strict=False))
    unit = header.get("Units", "mm").lower()
    if unit not in UNITS:
        raise ValueError(f"{file}:3: Units = {unit!r}; known are {', '.join(UNITS)}: give unit=...")
    names = [name.strip() for name in lines[3].split("\t")[2:] if name.strip()]
    rows, times = [], []
    for number, line in enumerate(lines[5:], 6):
        if not line.strip():
            continue
        cells = line.split("\t")
        numbers = [_cell(cell, file, number) for cell in cells[1:]]
        if len(cells) < 2 or np.isnan(numbers[0]):
            raise ValueError(f"{file}:{number}: a frame without a time")
        times.append(numbers[0])
        row = (numbers[1:] + [np.nan] * (3 * len(names)))[: 3 * len(names)]
        rows.append(row)
    positions = np.array(rows).reshape(len(rows), len(names), 3)
    return names, np.array(times), positions, UNITS[unit]


def _cell(text: str, file: Path, line: int) -> float:
    """Return the number of a cell, NaN where it is empty."""
    text = text.strip()
    if not text:
        return float("nan")
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{file}:{line}: {text[:40]!r} is no number") from None


def _trc(name: str, rate: float, names: Sequence[str], times: np.ndarray, places: np.ndarray) -> str:
    count = len(names)
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate!r}\t{rate!r}\t{len(times)}\t{count}\tmm\t{rate!r}\t1\t{len(times)}",
        "Frame#\tTime\t" + "\t\t\t".join(names),
        "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, count + 1)),
        "",
    ]
    for k, (time, frame) in enumerate(zip(times.tolist(), places.tolist(), strict=True)):
        cells = ["" if x != x else repr(x) for place in frame for x in place]
        lines.append(f"{k + 1}\t{time!r}\t" + "\t".join(cells))
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------- columns of text

_COLUMN = re.compile(r"^(?:[^:]*:)?([^:]+):([XYZ])$", re.I)


def _read_columns(file: Path) -> tuple[list[str], np.ndarray, np.ndarray, float]:
    """Read columns `Field`, `Time` [ms] and triples `Measurement:Marker:X`; Stelzner 2008, section A.2.5."""
    lines = file.read_text("utf-8", errors="replace").splitlines()
    at = next((k for k, line in enumerate(lines) if re.match(r'^"?(Field|Frame)', line.strip(), re.I)), None)
    if at is None:
        raise ValueError(f"{file}:1: no line begins with Field, Time and the names of markers")
    mark = "\t" if "\t" in lines[at] else "," if "," in lines[at] else ";" if ";" in lines[at] else None
    columns = [cell.strip().strip('"') for cell in lines[at].split(mark)]
    if len(columns) < 2:
        raise ValueError(
            f"{file}:{at + 1}: no column of times; wanted are Field, Time and the names of markers"
        )
    names: list[str] = []
    place: dict[int, tuple[int, int]] = {}
    for column, text in enumerate(columns[2:], 2):
        found = _COLUMN.match(text)
        if found is None:
            raise ValueError(
                f"{file}:{at + 1}: column {column + 1} is {text!r}; wanted is marker:X, :Y or :Z"
            )
        name, axis = found.group(1), "xyz".index(found.group(2).lower())
        if name not in names:
            names.append(name)
        if (names.index(name), axis) in place.values():
            raise ValueError(f"{file}:{at + 1}: column {text!r} is there twice")
        place[column] = names.index(name), axis
    times, frames = [], []
    for number, line in enumerate(lines[at + 1 :], at + 2):
        if not line.strip():
            continue
        cells = line.split(mark)
        if len(cells) < 2:
            raise ValueError(f"{file}:{number}: a frame without a time")
        frame = np.full((len(names), 3), np.nan)
        for column, where in place.items():
            if column < len(cells):
                frame[where] = _cell(cells[column].strip('"'), file, number)
        times.append(_cell(cells[1], file, number))
        frames.append(frame)
    in_ms = "s)" not in columns[1].lower() or "ms" in columns[1].lower()
    positions = np.array(frames).reshape(len(frames), len(names), 3)
    return names, np.array(times) * (1e-3 if in_ms else 1.0), positions, UNITS["mm"]
