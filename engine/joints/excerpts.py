"""Excerpts of the arrays of joints: one joint alone, or rows that measure some coordinates."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.table import AXES, ROW_DEFAULTS, ROW_FIELDS, Place

__all__ = ["of_joint", "probe_of", "probes_of"]

WHOLE = ("schedules", "points", "curves", "curve values")  # axes whose numbers rows refer to


def of_joint(arrays: JointArrays, joint: int) -> JointArrays:
    """Return the arrays of one joint alone, renumbered from 0 (controllers are left out).

    Schedules and curves are those of all joints. Fields of joints, parts and rows are views where they hold
    no numbers of joints or parts.

    Args:
        arrays: of all joints.
        joint: number of the joint.
    """
    bounds = {
        "joints": (joint, joint + 1),
        "parts": (arrays.part_start[joint], arrays.part_start[joint + 1]),
        "rows": (arrays.row_start[joint], arrays.row_start[joint + 1]),
    }
    fields = {}
    for name, field in arrays.items():
        of, more = AXES[name]
        first, last = bounds.get(of, (0, 0))
        fields[name] = field if of in WHOLE else field[first : last + more]
    for name in ("part_start", "row_start", "part"):
        own = bounds["rows"][0] if name == "row_start" else bounds["parts"][0]
        fields[name] = fields[name] - own
    fields["joint"] = fields["joint"] - joint
    return JointArrays(**fields)


def probe_of(arrays: JointArrays, joint: int, place: Place) -> JointArrays:
    """Return the arrays of one joint with a single row that measures a coordinate, with its last value.

    Args:
        arrays: of all joints.
        joint: number of the joint.
        place: number of the part within the joint, measure and axis.
    """
    own = of_joint(arrays, joint)
    part, measure, axis = place
    match = (own.part == part) & (own.measure == measure) & (own.axis == axis)
    known = own.value[match]
    row = _rows(own, 1)
    row["part"][0], row["measure"][0], row["axis"][0] = place
    row["value"][0] = known[0] if len(known) else 0.0
    return own.replace(row_start=np.array([0, 1]), **row)


def probes_of(arrays: JointArrays, places: Sequence[tuple[int, Place]]) -> tuple[JointArrays, np.ndarray]:
    """Return arrays with one row for each of some coordinates, to measure them all at once.

    Args:
        arrays: of all joints.
        places: for each the number of the joint, and part within it, measure and axis.

    Returns:
        The arrays; and for each the row of these joints that knows its last value, -1 for none.
    """
    known = np.full(len(places), -1)
    rows = _rows(arrays, len(places))
    for k, (joint, (part, measure, axis)) in enumerate(places):
        first, last = arrays.row_start[joint], arrays.row_start[joint + 1]
        place = part + arrays.part_start[joint], measure, axis
        rows["part"][k], rows["measure"][k], rows["axis"][k] = place
        for m in range(first, last):
            if (arrays.part[m], arrays.measure[m], arrays.axis[m]) == place:
                known[k] = m
                break
    return arrays.replace(**rows), known


def _rows(arrays: JointArrays, count: int) -> dict[str, Any]:
    """Return the fields of rows with the values that they have where nothing is said."""
    fields = {name: getattr(arrays, name) for name in ROW_FIELDS}
    return {
        name: np.full((count, *field.shape[1:]), ROW_DEFAULTS.get(name, 0), field.dtype)
        for name, field in fields.items()
    }
