"""Where there is room beside a body for another one like it."""

import numpy as np

__all__ = ["free_shift"]

_GAP = 0.05  # between the boxes of a body and of its copy, in parts of their size
_ABOVE = 1.02  # times its height that a copy is put higher
_LEAST_GAP = 0.002  # [m]
_FARTHEST = 12  # times its own size that a copy is put aside, before it is put on top of all


def free_shift(own: np.ndarray, boxes: np.ndarray) -> tuple[float, float, float]:
    """Return a shift (3,) [m] at which boxes overlap no others: on the body, else aside, else on top of all.

    Args:
        own: (k, 2, 3) [m] lower and upper corners of the boxes of the body; without any it is shifted by 1 m.
        boxes: (n, 2, 3) [m] of all bodies, its own among them.
    """
    if not len(own):
        return 1.0, 0.0, 0.0
    size = own[:, 1].max(axis=0) - own[:, 0].min(axis=0)
    stride = size + np.maximum(_GAP * size, _LEAST_GAP)
    upwards = np.array([0.0, 0.0, _ABOVE * size[2]])
    if _is_free(own + upwards, boxes):
        return _numbers(upwards)
    for count in range(1, _FARTHEST + 1):
        for way in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
            shift = np.array([*way, 0.0]) * count * stride
            if _is_free(own + shift, boxes):
                return _numbers(shift)
    top = boxes[:, 1, 2].max() - own[:, 0, 2].min() + stride[2] - size[2]
    return _numbers(np.array([0.0, 0.0, top]))


def _is_free(moved: np.ndarray, boxes: np.ndarray) -> bool:
    """Return whether boxes (k, 2, 3) overlap none of others (n, 2, 3); those that only touch do not."""
    touching = 1e-9 + 1e-6 * np.abs(moved).max()
    apart = (moved[:, None, 1] <= boxes[None, :, 0] + touching) | (
        boxes[None, :, 1] <= moved[:, None, 0] + touching
    )
    return bool(apart.any(axis=2).all())


def _numbers(shift: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in shift)
    return x, y, z
