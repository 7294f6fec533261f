"""Pictures as arrays that notebooks show, and as files: PNG by our own hand, JPEG by the encoder of films."""

import errno
import os
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from stoss.errors import FileError
from stoss.files import check_place, replaced, replacing
from stoss.viewer.drawing.film import encoder

__all__ = ["PICTURE_SUFFIXES", "SIGNATURE", "Picture", "chunk", "filtered_rows", "png", "write_picture"]

PICTURE_SUFFIXES = (".png", ".jpg")

# The first bytes of a PNG file.
SIGNATURE = b"\x89PNG\r\n\x1a\n"

# Of the encoder: 2 is the best, 31 the smallest.
_JPEG_QUALITY = 4


class Picture(np.ndarray):
    """Pixels (height, width, 3) uint8, 4 with opacity: an array like any other, but notebooks show it."""

    def save(self, path: str | Path) -> None:
        """Write the picture to a file: .png, or .jpg, which needs imageio-ffmpeg.

        Raises:
            ValueError: another ending, or no encoder.
            FileError: the file cannot be written; an older one is as it was.
        """
        write_picture(path, np.asarray(self))

    def _repr_png_(self) -> bytes | None:
        return png(np.asarray(self)) if self._is_picture else None

    def __repr__(self) -> str:
        if not self._is_picture:
            return repr(np.asarray(self))
        return f"<Picture, {self.shape[1]} x {self.shape[0]} pixels, (height, width, {self.shape[2]}) uint8>"

    @property
    def _is_picture(self) -> bool:
        return self.ndim == 3 and self.shape[2] in (3, 4) and self.size > 0 and self.dtype == np.uint8

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        """Return what numpy works out from a picture as a plain array."""
        return array[()] if return_scalar else np.asarray(array)


def write_picture(path: str | Path, pixels: np.ndarray) -> None:
    """Write pixels (height, width, 3) uint8 to a file: .png, or .jpg, which needs imageio-ffmpeg.

    With opacity, (height, width, 4), they go into a .png alone.

    Raises:
        ValueError: another ending, or no encoder.
        FileError: the file cannot be written; an older one is as it was.
    """
    path = check_place(path, PICTURE_SUFFIXES)
    height, width, channels = pixels.shape
    if channels == 4 and path.suffix.lower() != ".png":
        raise ValueError(f"{path}: only .png keeps what is transparent; name it {path.stem}.png")
    if path.suffix.lower() == ".jpg":
        source = f"-f rawvideo -pix_fmt rgb24 -s {width}x{height} -i - -q:v {_JPEG_QUALITY}"
        command = [encoder("pictures in .jpg").get_ffmpeg_exe(), "-v", "error", "-y", *source.split()]
        with replacing(path) as part:
            done = subprocess.run([*command, str(part)], input=pixels.tobytes(), capture_output=True)
            if done.returncode:
                told = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
                if os.strerror(errno.ENOSPC) in told:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                raise FileError(None, f"{path} cannot be written: {told}")
        return
    with replaced(path) as file:
        file.write(png(pixels))


def png(pixels: np.ndarray) -> bytes:
    """Return the PNG file of pixels (height, width, 3 or 4) uint8."""
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 6 if channels == 4 else 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(filtered_rows(pixels), 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(chunk(name, data) for name, data in parts)


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a part of a PNG file."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def filtered_rows(pixels: np.ndarray) -> bytes:
    """Return the rows as differences to neighbours, of the kind that makes each row small (PNG, 9.2)."""
    here = np.pad(pixels.astype(np.int16), ((1, 0), (1, 0), (0, 0)))
    left, above, corner = here[1:, :-1], here[:-1, 1:], here[:-1, :-1]
    here = here[1:, 1:]
    estimate = left + above - corner
    near_left, near_above, near_corner = (np.abs(estimate - side) for side in (left, above, corner))
    paeth = np.where(
        (near_left <= near_above) & (near_left <= near_corner),
        left,
        np.where(near_above <= near_corner, above, corner),
    )
    kinds = [here, here - left, here - above, here - (left + above) // 2, here - paeth]
    rows = np.array([kind.astype(np.uint8).reshape(len(pixels), -1) for kind in kinds])
    best = np.abs(rows.view(np.int8).astype(np.int32)).sum(axis=2).argmin(axis=0)
    chosen = rows[best, np.arange(len(pixels))]
    return np.concatenate([best[:, None].astype(np.uint8), chosen], axis=1).tobytes()
