"""Poses of segments that joints allow, as close as can be to those measured (Stelzner 2008, section 5.2.3).

In each frame the places R and turns of all segments are changed by x, so that C = 0 for all joints and x'W x
is least, where W makes metres of radians by the lever of the markers. Each round solves for the change of
least size at which C would be zero if it were linear,

    x = d - W^-1 J' (J W^-1 J')^-1 (C + J d),

where d leads back to the measured poses: it ends at the closest of all poses that joints allow. Without d, as
in the thesis, errors of joints shrink quadratically to the first poses that are met, which are nearly as
close. The sign printed in (5.8) is wrong: with it the rounds diverge.
"""

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.engine.motion_capture.fitted_joint import FittedJoint
from stoss.engine.motion_capture.joint_fits import LEVER
from stoss.engine.motion_capture.mechanisms import FittedMechanism
from stoss.engine.motion_capture.pose_rows import PoseRows
from stoss.engine.motion_capture.segments import Segments

__all__ = ["consistent_poses", "joint_errors"]

MOST_ROUNDS = 30
CLOSED = 1e-13  # [m or cosine]
RANK = 1e-10  # loops say some things twice

Found = FittedJoint | FittedMechanism


def joint_errors(segments: Segments, joints: Sequence[Found]) -> np.ndarray:
    """Return by how much joints are open (f, rows) [m, or cosines of angles]."""
    turns = np.stack([segments.rotations(name) for name in segments.names], axis=1)
    return _rows(segments, joints, segments.positions, turns)[0]


def consistent_poses(
    segments: Segments, joints: Sequence[Found], *, closest: bool = True
) -> tuple[Segments, np.ndarray]:
    """Return segments whose joints are closed, and the largest error (rounds,) before each round.

    Frames in which a segment is not known have no poses.

    Args:
        segments: as they were measured.
        joints: between them.
        closest: whether the way back to the measured poses is part of each round.
    """
    known = segments.seen(*segments.names)
    places = segments.positions[known].copy()
    turns = np.stack([segments.rotations(name)[known] for name in segments.names], axis=1)
    first_places, first_turns = places.copy(), turns.copy()
    weights = _weights(segments)
    errors: list[float] = []
    for _ in range(MOST_ROUNDS):
        missed, rows = _rows(segments, joints, places, turns)
        errors.append(float(np.abs(missed).max(initial=0.0)))
        back = np.empty((*places.shape[:2], 6))
        back[:, :, :3] = first_places - places
        home = (first_turns @ np.swapaxes(turns, 2, 3)).reshape(-1, 3, 3)
        back[:, :, 3:] = Rotation.from_matrix(home).as_rotvec().reshape(*places.shape[:2], 3)
        back = back.reshape(len(places), -1) * closest
        over = rows / weights
        wanted = missed + np.einsum("fri,fi->fr", rows, back)
        forces = np.linalg.pinv(over @ np.swapaxes(rows, 1, 2), RANK, hermitian=True) @ wanted[:, :, None]
        step = back - (np.swapaxes(over, 1, 2) @ forces)[:, :, 0]
        largest = float(np.abs(step).max(initial=0.0))
        step = step.reshape(*places.shape[:2], 6)
        places += step[:, :, :3]
        change = Rotation.from_rotvec(step[:, :, 3:].reshape(-1, 3)).as_matrix()
        turns = change.reshape(turns.shape) @ turns
        if errors[-1] <= CLOSED and largest <= 1e-9:
            break
    positions, quaternions = (
        np.full_like(segments.positions, np.nan),
        np.full_like(segments.quaternions, np.nan),
    )
    positions[known] = places
    found = Rotation.from_matrix(turns.reshape(-1, 3, 3)).as_quat(canonical=True)
    quaternions[known] = np.roll(found, 1, axis=1).reshape(*turns.shape[:2], 4)
    return segments.with_poses(positions, quaternions), np.array(errors)


def _weights(segments: Segments) -> np.ndarray:
    """Return the weight of each of six changes of each segment: 1, and the square of the markers' lever."""
    out = np.ones((len(segments.names), 6))
    for row, name in enumerate(segments.names):
        places = np.array(list(segments.markers.get(name, {}).values()), float).reshape(-1, 3)
        out[row, 3:] = 2.0 / 3.0 * (places**2).sum(axis=1).mean() if len(places) else LEVER**2
    return out.reshape(-1)


def _rows(
    segments: Segments, joints: Sequence[Found], places: np.ndarray, turns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return errors of joints (f, r), and how they change with places and turns of segments (f, r, 6 s)."""
    frames, count = places.shape[:2]
    errors, rows = [np.zeros((frames, 0))], [np.zeros((frames, 0, count, 6))]
    for joint in joints:
        one, two = segments.index(joint.first), segments.index(joint.second)
        between = PoseRows(turns[:, one], places[:, one], turns[:, two], places[:, two])
        joint.add_rows(between)
        error, first, second = between.stacked()
        row = np.zeros((*error.shape, count, 6))
        row[:, :, one], row[:, :, two] = first, second
        errors.append(error)
        rows.append(row)
    return np.concatenate(errors, axis=1), np.concatenate(rows, axis=1).reshape(frames, -1, 6 * count)
