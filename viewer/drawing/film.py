"""Write films: mp4, animated GIF and WebP, by the encoder that comes with imageio-ffmpeg (extra `video`)."""

import math
import struct
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

from stoss.errors import FileError
from stoss.files import Replacement, check_place

__all__ = ["FILM_SUFFIXES", "Film", "encoder"]

# How each kind of file is encoded: codec, form of its pixels, further options.
_PALETTE = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:diff_mode=rectangle"
_ENCODINGS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    ".mp4": ("libx264", "yuv420p", ("-crf", "18", "-preset", "fast", "-movflags", "+faststart")),
    ".gif": ("gif", "pal8", ("-filter_complex", _PALETTE, "-loop", "0")),
    ".webp": ("libwebp_anim", "yuv420p", ("-quality", "80", "-compression_level", "5", "-loop", "0")),
}
FILM_SUFFIXES = tuple(_ENCODINGS)


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
    """A film that is being written: beside its place, which it takes when it is closed.

    Call `close` at the end, or use it in a `with` statement: an error within it leaves no film, Ctrl-C what
    there is of it.

    Args:
        path: a file that ends in .mp4, or in .gif or .webp, which web pages play by themselves.
        size: width and height of its pictures [pixels].
        fps: pictures per second.

    Attributes:
        path, size: as given.
        count: pictures written so far.

    Raises:
        ValueError: another ending, or no encoder is installed.
        FileError: the file cannot be written; an older one is as it was.
    """

    def __init__(self, path: str | Path, size: tuple[int, int], fps: float = 30.0) -> None:
        self.path, self.size, self.count = check_place(path, FILM_SUFFIXES), size, 0
        if not fps > 0.0:
            raise ValueError(f"fps is {fps}; give a number of pictures per second above zero")
        imageio_ffmpeg = encoder("films")
        self._fps, self._begin = fps, 0.0
        self._last: np.ndarray | None = None
        self._file = Replacement(self.path)
        self._kind = self.path.suffix.lower()
        codec, pixel_form, options = _ENCODINGS[self._kind]
        self._writer: Generator[None, Any, None] = imageio_ffmpeg.write_frames(
            str(self._file.part),
            size,
            fps=fps,
            codec=codec,
            pix_fmt_out=pixel_form,
            macro_block_size=2 if self._kind == ".mp4" else 1,
            ffmpeg_log_level="error",
            output_params=list(options),
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
        try:
            self._writer.send(np.ascontiguousarray(pixels))
        except (OSError, StopIteration) as error:
            self.discard()
            raise self._failure() from error
        self.count += 1

    def close(self) -> None:
        """Write what is left and end the file.

        Raises:
            FileError: it could not be written whole; an older one is as it was.
        """
        if self._last is not None:
            last, self._last = self._last, None
            self._write(last)
        self._writer.close()
        if self.count == 0:
            self.discard()
        elif not _WHOLE[self._kind](self._file.part):
            self.discard()
            raise self._failure()
        else:
            self._file.put()

    def discard(self) -> None:
        """End without a film; an older file is as it was."""
        self._writer.close()
        self._file.discard()

    def _failure(self) -> FileError:
        return FileError(
            None,
            f"{self.path} cannot be written: the encoder ended early, as on a full disk; free some space or "
            "choose another place",
        )

    def __enter__(self) -> "Film":
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None or issubclass(kind, KeyboardInterrupt):
            self.close()
        else:
            self.discard()


def _is_whole_mp4(path: Path) -> bool:
    """Return whether the boxes of an mp4 file, pictures and their index among them, fill it to its end."""
    try:
        size = path.stat().st_size
        names = set()
        with path.open("rb") as file:
            place = 0
            while place < size:
                file.seek(place)
                length, name = struct.unpack(">I4s", file.read(8))
                if length == 1:
                    (length,) = struct.unpack(">Q", file.read(8))
                if length < 8:
                    return False
                names.add(name)
                place += length
    except (OSError, struct.error):
        return False
    return place == size and {b"moov", b"mdat"} <= names


def _is_whole_gif(path: Path) -> bool:
    """Return whether a file begins and ends as a GIF does."""
    data = path.read_bytes()
    return data[:4] == b"GIF8" and data[-1:] == b";"


def _is_whole_webp(path: Path) -> bool:
    """Return whether a WebP file is as long as it says at its beginning."""
    with path.open("rb") as file:
        head = file.read(12)
    return (
        head[:4] == b"RIFF"
        and head[8:] == b"WEBP"
        and 8 + int.from_bytes(head[4:8], "little") == path.stat().st_size
    )


_WHOLE = {".mp4": _is_whole_mp4, ".gif": _is_whole_gif, ".webp": _is_whole_webp}
