"""Velocities of a recorded motion, from differences of its poses: files keep poses alone."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stoss.scenes.running.trajectory import Trajectory

__all__ = ["angular_velocities", "turn_between", "velocities"]


def velocities(motion: "Trajectory", samples: np.ndarray, bodies: np.ndarray | slice) -> np.ndarray:
    """Return the velocities (k, n, 3) [m/s] of bodies at samples: over the samples before and after."""
    before, after, length = _neighbours(motion, samples)
    way = motion.positions[after][:, bodies] - motion.positions[before][:, bodies]
    return np.asarray(way / length[:, None, None])


def angular_velocities(motion: "Trajectory", samples: np.ndarray, bodies: np.ndarray | slice) -> np.ndarray:
    """Return the angular velocities (k, n, 3) [rad/s], world; turns of up to half a turn between samples."""
    before, after, length = _neighbours(motion, samples)
    p, q = motion.quaternions[before][:, bodies], motion.quaternions[after][:, bodies]
    return np.asarray(turn_between(p, q) / length[:, None, None])


def turn_between(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the turns (..., 3) [rad], world, from orientations (..., 4) to others, the shorter way."""
    w = (q * p).sum(axis=-1)
    axis = p[..., :1] * q[..., 1:] - q[..., :1] * p[..., 1:] - np.cross(q[..., 1:], p[..., 1:])  # of q p*
    sine = np.linalg.norm(axis, axis=-1)
    angle = 2.0 * np.arctan2(sine, np.abs(w))
    scale = np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0) * np.where(w < 0.0, -1.0, 1.0)
    return np.asarray(scale[..., None] * axis)


def _neighbours(motion: "Trajectory", samples: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the samples before and after, and the time between them [s], above zero."""
    before = np.maximum(samples - 1, 0)
    after = np.minimum(samples + 1, len(motion.times) - 1)
    length = motion.times[after] - motion.times[before]
    return before, after, np.where(length > 0.0, length, 1.0)
