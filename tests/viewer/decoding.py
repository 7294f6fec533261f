"""Pictures and films as another program reads them."""

from pathlib import Path

import numpy as np

from stoss.viewer.drawing.film import encoder


def decoded(path: Path, size: tuple[int, int]) -> np.ndarray:
    """Return the pictures (k, height, width, 3) of a file, read by another program."""
    reader = encoder("tests").read_frames(str(path), pix_fmt="rgb24")
    next(reader)
    return np.array([np.frombuffer(frame, np.uint8).reshape(size[1], size[0], 3) for frame in reader])
