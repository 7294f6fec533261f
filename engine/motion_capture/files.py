"""Recordings out of files of motion-capture systems (Stelzner 2008, section A.2.5)."""

import os
from pathlib import Path

import numpy as np

from stoss.engine import checks
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.engine.motion_capture.marker_formats import ENDINGS, UNITS, UP, read_markers
from stoss.names import takes_names

__all__ = ["load_markers"]


@takes_names
def load_markers(path: str | os.PathLike[str], *, unit: str | None = None, up: str = "z") -> MarkerData:
    """Return the markers of a recording, in metres, z up.

    Args:
        path: a C3D file (with the extra `stoss[mocap]`), a TRC file, or a text file of Vicon's with columns
            `Field`, `Time` and `name:X`, `name:Y`, `name:Z`.
        unit: "m", "cm" or "mm"; None: what the file says, where it says none millimetres.
        up: "z", or "y" where the recording has that axis up.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: another format, or it is broken: names file, line and what is wrong.
        ImportError: the library for C3D is not installed.
    """
    file = Path(path)
    scale = None if unit is None else UNITS[checks.choice("unit", unit, tuple(UNITS))]
    turn = UP[checks.choice("up", up, tuple(UP))]
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"{file}: recordings end in {', '.join(ENDINGS)}")
    if not file.is_file():
        raise FileNotFoundError(f"{file}: there is no such file")
    names, times, positions, own = read_markers(file)
    positions[~np.isfinite(positions)] = np.nan
    try:
        return MarkerData(tuple(names), times, (own if scale is None else scale) * positions @ turn.T)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{file}: {error}") from error
