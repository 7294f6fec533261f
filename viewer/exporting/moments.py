"""Moments of a motion as frames, also between its samples: for pictures, films and slow motion."""

from collections.abc import Iterator

import numpy as np

from stoss.viewer.exporting.motion import Motion
from stoss.viewer.world.differences import turn_between
from stoss.viewer.world.frames import Frame

__all__ = ["absent_bodies", "frame_at", "frames_between"]


def frame_at(motion: Motion, time: float) -> Frame:
    """Return a motion at a time [s], between two samples if need be; velocities are their difference."""
    times = motion.times
    after = int(np.clip(np.searchsorted(times, time, side="right"), 1, max(1, len(times) - 1)))
    before = after - 1
    if after >= len(times):  # there is one sample alone
        after = before
    length = float(times[after] - times[before])
    share = float(np.clip((time - times[before]) / length, 0.0, 1.0)) if length > 0.0 else 0.0
    p, q = motion.positions[before], motion.positions[after]
    turns = motion.quaternions[before], motion.quaternions[after]
    turn = (1.0 - share) * turns[0] + share * turns[1]
    size = np.linalg.norm(turn, axis=1, keepdims=True)
    turn = np.where(size > 1e-6, turn / np.maximum(size, 1e-6), turns[0])
    return Frame(
        time=float(times[before] + share * length),
        step=before,
        positions=p + share * (q - p),
        quaternions=turn,
        velocities=(q - p) / (length or 1.0),
        angular_velocities=turn_between(motion.quaternions[before], motion.quaternions[after])
        / (length or 1.0),
    )


def frames_between(motion: Motion, begin: float, end: float, fps: float) -> Iterator[Frame]:
    """Give a frame for each picture of a film.

    Args:
        motion: the motion.
        begin, end: times [s].
        fps: frames per second of the motion.
    """
    for number in range(max(1, round((end - begin) * fps) + 1)):
        yield frame_at(motion, min(begin + number / fps, end))


def absent_bodies(motion: Motion, frame: Frame) -> tuple[int, ...]:
    """Return the rows of bodies that are not there yet, or not any more."""
    times = motion.times
    late = times[motion.first] > frame.time + 1e-9
    gone = (times[motion.last] < frame.time - 1e-9) & (motion.last < len(times) - 1)
    return tuple(np.flatnonzero(late | gone).tolist())
