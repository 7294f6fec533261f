"""Write films: mp4, by the encoder that comes with imageio-ffmpeg (extra `video`)."""

import math
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Film", "check_place", "encoder"]


def check_place(path: str | Path, suffixes: tuple[str, ...]) -> Path:
    """Return a path as such, when a file can be written there.

    Raises:
        ValueError: another ending.
        OSError: there is no such folder, or it cannot be written to.
    """
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"{path} does not end in {' or '.join(suffixes)}; name it {path.stem}{suffixes[0]}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}; make it first")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PermissionError(f"{path} cannot be written; choose another place")
    return path


def encoder(what: str) -> Any:
    """Return the module imageio_ffmpeg.

    Raises:
        ValueError: it is not installed; the message says that what is to be written needs it.
    """
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise ValueError(f"{what} need imageio-ffmpeg: pip install 'stoss[video]'") from error
    return imageio_ffmpeg


class Film:
    """A film that is being written. Call `close` at the end, or use it in a `with` statement.

    Args:
        path: a file that ends in .mp4.
        size: width and height of its pictures [pixels].
        fps: pictures per second.

    Attributes:
        path, size: as given.
        count: pictures written so far.

    Raises:
        ValueError: another ending, or no encoder is installed.
        OSError: the file cannot be written.
    """

    def __init__(self, path: str | Path, size: tuple[int, int], fps: float = 30.0) -> None:
        self.path, self.size, self.count = check_place(path, (".mp4",)), size, 0
        if not fps > 0.0:
            raise ValueError(f"fps is {fps}; give a number of pictures per second above zero")
        imageio_ffmpeg = encoder("films")
        self._fps, self._begin = fps, 0.0
        self._last: np.ndarray | None = None
        self._writer: Generator[None, Any, None] = imageio_ffmpeg.write_frames(
            str(self.path),
            size,
            fps=fps,
            codec="libx264",
            macro_block_size=2,
            ffmpeg_log_level="error",
            output_params=["-crf", "18", "-preset", "fast", "-movflags", "+faststart"],
            quality=None,
        )
        self._writer.send(None)

    def add(self, pixels: np.ndarray, time: float | None = None) -> None:
        """Add a picture.

        Args:
            pixels: (height, width, 3) uint8.
            time: when it was taken [s]: the picture before it stays so long, and one that comes too soon is
                left out. None takes every picture once.
        """
        if pixels.shape != (self.size[1], self.size[0], 3) or pixels.dtype != np.uint8:
            raise ValueError(
                f"the picture is {pixels.shape} {pixels.dtype}; this film takes "
                f"{(self.size[1], self.size[0], 3)} uint8"
            )
        if time is None:
            self._write(pixels)
            return
        if self._last is None:
            self._begin = time
        else:
            while self.count < math.floor((time - self._begin) * self._fps):
                self._write(self._last)
        self._last = pixels

    def _write(self, pixels: np.ndarray) -> None:
        self._writer.send(np.ascontiguousarray(pixels))
        self.count += 1

    def close(self) -> None:
        """Write what is left and end the file."""
        if self._last is not None:
            self._write(self._last)
            self._last = None
        self._writer.close()

    def __enter__(self) -> "Film":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
