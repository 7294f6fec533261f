"""Coordinates of joints at the present poses; of single ones quickly, by what is kept from call to call."""

from typing import NamedTuple

import numpy as np

from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.excerpts import probe_of
from stoss.engine.joints.measures import measure_joints, measure_rows
from stoss.engine.joints.placement import JointFrames, new_joint_frames
from stoss.engine.joints.table import JointTable

__all__ = ["coordinate_of", "measured"]


class Probe(NamedTuple):
    """What measures a coordinate of a joint."""

    version: int  # of the table, when it was made
    source: np.ndarray  # of the table, of which the arrays are views
    arrays: JointArrays  # of the joint alone, with one row
    known: int  # row of the table that holds the last value, -1: none
    frames: JointFrames
    value: np.ndarray  # (1,)
    rate: np.ndarray  # (1,)


def measured(joints: JointArrays, bodies: BodyArrays) -> tuple[np.ndarray, np.ndarray]:
    """Return values (r,) [m or rad] and rates (r,) of all rows of joints at the present poses."""
    value, rate = joints.value.copy(), np.zeros(len(joints.value))
    measure_joints(joints, bodies, value, rate)
    return value, rate


def coordinate_of(
    table: JointTable, joint: int, place: tuple[int, int, int], bodies: BodyArrays
) -> tuple[float, float]:
    """Return value [m or rad] and rate of a coordinate at the present poses; angles go on from the last ones.

    Args:
        table: the joints.
        joint: number of the joint.
        place: part within the joint, measure and axis.
        bodies: of the world.
    """
    arrays, key = table.arrays, (joint, *place)
    probe = table.kept_probes.get(key)
    if probe is None or probe.version != table.version or probe.source is not arrays.point_a:
        probe = table.kept_probes[key] = _probe(table, joint, place)
    probe.value[0] = 0.0 if probe.known < 0 else arrays.value[probe.known]
    measure_rows(probe.arrays, bodies, probe.frames, probe.value, probe.rate)
    return float(probe.value[0]), float(probe.rate[0])


def _probe(table: JointTable, joint: int, place: tuple[int, int, int]) -> Probe:
    arrays = table.arrays
    for key in [key for key, probe in table.kept_probes.items() if probe.version != table.version]:
        del table.kept_probes[key]
    rows = np.arange(arrays.row_start[joint], arrays.row_start[joint + 1])
    part, measure, axis = arrays.part_start[joint] + place[0], *place[1:]
    match = (arrays.part[rows] == part) & (arrays.measure[rows] == measure) & (arrays.axis[rows] == axis)
    known = int(rows[match][0]) if match.any() else -1
    own = probe_of(table.arrays, joint, place)
    frames = new_joint_frames(own)
    frames.places.turns[:] = True
    return Probe(table.version, arrays.point_a, own, known, frames, np.zeros(1), np.zeros(1))
