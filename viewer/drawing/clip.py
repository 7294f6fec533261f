"""Films that are kept in memory, as notebooks show them; animated images where no video can be encoded."""

import base64
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np

from stoss.files import check_place, replaced
from stoss.viewer.drawing.film import FILM_SUFFIXES, Film, encoder
from stoss.viewer.drawing.picture_files import SIGNATURE, chunk, filtered_rows

__all__ = ["AnimatedImage", "Clip"]

_ADVICE = "an animated image; for a video: pip install 'stoss[video]'"


class Clip:
    """A film in memory, which a notebook shows; `viewer.film` makes it.

    Attributes:
        size: width and height of its pictures [pixels].
        fps: pictures per second.
        count: number of pictures.
        data: the file.
        is_video: whether that is an mp4; otherwise an animated PNG, because imageio-ffmpeg is missing.
    """

    def __init__(self, size: tuple[int, int], fps: float, count: int, data: bytes, is_video: bool) -> None:
        self.size, self.fps, self.count, self.data, self.is_video = size, fps, count, data, is_video

    def save(self, path: str | Path) -> None:
        """Write the film to a file: .mp4, .gif or .webp; or .png, an animated one, without imageio-ffmpeg.

        Raises:
            ValueError: another ending, or no encoder.
            FileError: the file cannot be written; an older one is as it was.
        """
        suffixes = FILM_SUFFIXES if self.is_video else (".png", *FILM_SUFFIXES)
        path = check_place(path, suffixes)
        if path.suffix.lower() == (".mp4" if self.is_video else ".png"):
            with replaced(path) as file:
                file.write(self.data)
            return
        if not self.is_video:
            encoder(f"films in {path.suffix.lower()}")
            raise ValueError(f"{path}: this film was made without an encoder; make it again, or save a .png")
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "film.mp4"
            source.write_bytes(self.data)
            pictures = encoder("films").read_frames(str(source), pix_fmt="rgb24")
            next(pictures)
            width, height = self.size
            with Film(path, self.size, self.fps) as film:
                for pixels in pictures:
                    film.add(np.frombuffer(pixels, np.uint8).reshape(height, width, 3))

    def _repr_html_(self) -> str:
        code, width = base64.b64encode(self.data).decode(), self.size[0]
        if self.is_video:
            return (
                f'<video controls loop autoplay muted width="{width}" '
                f'src="data:video/mp4;base64,{code}"></video>'
            )
        return f'<img width="{width}" src="data:image/png;base64,{code}"><br><small>{_ADVICE}</small>'

    def __repr__(self) -> str:
        kind = "video" if self.is_video else _ADVICE
        width, height = self.size
        return f"<Clip, {self.count / self.fps:.3g} s, {width} x {height} pixels, {kind}>"


class AnimatedImage:
    """An animated PNG that is put together; takes pictures as `Film` does.

    Args:
        size: width and height of its pictures [pixels].
        fps: pictures per second.

    Attributes:
        size: as given.
        count: pictures so far.
    """

    def __init__(self, size: tuple[int, int], fps: float) -> None:
        self.size, self.count = size, 0
        self._delay = round(1000.0 / fps)  # [ms]
        self._parts: list[bytes] = []
        self._number = 0

    def add(self, pixels: np.ndarray) -> None:
        """Add a picture (height, width, 3) uint8."""
        width, height = self.size
        control = struct.pack(">IIIIIHHBB", self._next(), width, height, 0, 0, self._delay, 1000, 0, 0)
        self._parts.append(chunk(b"fcTL", control))
        data = zlib.compress(filtered_rows(pixels), 6)
        if self.count == 0:
            self._parts.append(chunk(b"IDAT", data))
        else:
            self._parts.append(chunk(b"fdAT", struct.pack(">I", self._next()) + data))
        self.count += 1

    def file(self) -> bytes:
        """Return the file."""
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", *self.size, 8, 2, 0, 0, 0))
        control = chunk(b"acTL", struct.pack(">II", self.count, 0))
        return b"".join([SIGNATURE, head, control, *self._parts, chunk(b"IEND", b"")])

    def _next(self) -> int:
        self._number += 1
        return self._number - 1
