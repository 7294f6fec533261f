"""Pictures and films of worlds, for scripts: drawn without a window, or beside one.

from stoss import viewer
viewer.render(world, "now.png")
viewer.render(world, "fall.mp4", duration=5.0)
pixels = viewer.picture(world, size=(640, 360))
"""

import errno
import os
import struct
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import number, shown, whole
from stoss.errors import FileError
from stoss.files import check_place, replaced, replacing
from stoss.names import takes_names
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.context import ensure_context, renderer_name
from stoss.viewer.drawing.debug import debug_geometry
from stoss.viewer.drawing.film import Film, encoder
from stoss.viewer.drawing.framing import framing_points
from stoss.viewer.drawing.overlays import OverlayOptions, overlay_geometry
from stoss.viewer.drawing.quality import find_quality
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.drawing.style import Style
from stoss.viewer.drawing.trails import Trails
from stoss.viewer.world.canvas import Draw, Marks, check_draw, drawn_by
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = [
    "PICTURE_SUFFIXES",
    "default_quality",
    "draw_film",
    "film_frames",
    "fitted_camera",
    "options_of",
    "picture",
    "render",
    "write_picture",
]

PICTURE_SUFFIXES = (".png", ".jpg")

# Of the encoder: 2 is the best, 31 the smallest.
_JPEG_QUALITY = 4

# A camera for a film looks at so many moments of it.
_LOOKS = 12


def default_quality(path: str | Path) -> str:
    """Return the level for a file: high, but medium for a film that is drawn in software."""
    in_software = "llvmpipe" in renderer_name().lower()
    return "medium" if Path(path).suffix.lower() == ".mp4" and in_software else "high"


def _check_size(size: Any) -> None:
    """Raise unless a size is a width and a height [pixels]."""
    if not isinstance(size, tuple | list) or len(size) != 2:
        raise TypeError(f"size = {shown(size)} must be a width and a height in pixels, such as (1280, 720)")
    for pixels in size:
        whole("size", pixels, least=1, most=16384, cure=f" of {shown(size)}, pixels")


def _check_world(name: str, value: Any) -> None:
    """Raise unless a value is a world."""
    from stoss.engine import World

    if not isinstance(value, World):
        raise TypeError(f"{name} = {shown(value)} must be a World")


@takes_names
def picture(
    subject: "World | tuple[Description, Frame]",
    size: Size = (1280, 720),
    *,
    camera: Camera | None = None,
    quality: str = "high",
    style: Style | None = None,
    overlays: OverlayOptions | Iterable[str] = (),
    trails: Trails | None = None,
    enlarged: int = 1,
    draw: Draw | None = None,
) -> np.ndarray:
    """Return a picture (height, width, 3) uint8 of a world as it is.

    Args:
        subject: a world, or a description with one of its frames.
        size: width and height [pixels].
        camera: where it is seen from; None fits the bodies into the picture.
        quality: "low", "medium" or "high".
        style: colours and marks.
        overlays: options, or names of what is laid over the bodies, such as "contacts".
        trails: paths of the bodies up to now.
        enlarged: draw that many times as large and average, for finer edges.
        draw: a function that draws over the bodies of a world: `draw(canvas, world)`, see
            `stoss.viewer.world.canvas.Canvas`.

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no OpenGL 3.3.
        ValueError: unknown quality or overlay.
    """
    find_quality(quality)
    options = options_of(overlays)
    _check_size(size)
    if check_draw(draw) is not None and isinstance(subject, tuple):
        raise TypeError("draw goes with a world; a description with a frame has none")
    if not isinstance(subject, tuple):
        _check_world("subject", subject)
    ensure_context()
    if isinstance(subject, tuple):
        description, frame = subject
    else:
        description, frame = describe_world(subject), frame_of(subject, options.needs_contacts)
    camera = camera or fitted_camera(description, [frame], size)
    marks = Marks() if isinstance(subject, tuple) else drawn_by(draw, subject)
    renderer = Renderer(description, quality)
    try:
        geometry = debug_geometry(marks) + overlay_geometry(description, frame, options, trails)
        return renderer.picture(frame, camera, size, style, geometry, enlarged)
    finally:
        renderer.delete()


@takes_names
def render(
    world: "World",
    path: str | Path,
    *,
    duration: float = 5.0,
    size: Size = (1280, 720),
    fps: float = 30.0,
    camera: Camera | None = None,
    quality: str | None = None,
    style: Style | None = None,
    overlays: OverlayOptions | Iterable[str] = (),
) -> None:
    """Write a picture (.png, .jpg) of a world as it is, or a film (.mp4) while it is advanced.

    Args:
        world: the world; a film advances it.
        path: where to.
        duration: simulated time that a film shows [s].
        size: width and height [pixels].
        fps: pictures per second of a film, and per simulated second.
        camera: where it is seen from; None fits all of the motion into the picture.
        quality: "low", "medium" or "high"; None takes high, or medium for a film drawn in software.
        style: colours and marks.
        overlays: options, or names of what is laid over the bodies, such as "contacts".

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no OpenGL 3.3.
        ValueError: unknown quality, overlay or ending, or films cannot be encoded.
        OSError: the file cannot be written.
    """
    options = options_of(overlays)
    _check_world("world", world)
    _check_size(size)
    duration, fps = number("duration", duration, "s", least=0.0), number("fps", fps, "1/s", above=0.0)
    path = check_place(path, (*PICTURE_SUFFIXES, ".mp4"))
    ensure_context()
    quality = quality or default_quality(path)
    if path.suffix.lower() != ".mp4":
        pixels = picture(world, size, camera=camera, quality=quality, style=style, overlays=options)
        write_picture(path, pixels)
        return
    with Film(path, size, fps) as film:
        description = describe_world(world)
        frames = list(film_frames(world, duration, fps, options.needs_contacts))
        camera = camera or fitted_camera(description, frames, size)
        draw_film(film, description, frames, camera, quality, style, options)


def film_frames(world: "World", duration: float, fps: float, contacts: bool = False) -> Iterator[Frame]:
    """Advance a world and give a frame for each picture of a film.

    Args:
        world: the world.
        duration: simulated time [s].
        fps: frames per simulated second.
        contacts: whether to keep the contacts.

    Raises:
        SimulationError: from `World.step`.
    """
    begin = world.step_count
    for k in range(max(1, round(duration * fps))):
        due = round(k / (fps * world.time_step)) - (world.step_count - begin)
        if due > 0:
            world.step(due)
        yield frame_of(world, contacts)


def draw_film(
    film: Film,
    description: Description,
    frames: Iterable[Frame],
    camera: Camera,
    quality: str,
    style: Style | None = None,
    overlays: OverlayOptions | None = None,
    trails: Trails | None = None,
) -> None:
    """Draw frames into a film.

    Args:
        film: where to.
        description: the bodies.
        frames: one per picture.
        camera: where they are seen from.
        quality, style, overlays: as for `render`.
        trails: paths up to the first frame.
    """
    options, trails = overlays or OverlayOptions(), trails or Trails(length=10**6)
    renderer = Renderer(description, quality)
    try:
        for frame in frames:
            trails.add(description, frame)
            geometry = overlay_geometry(description, frame, options, trails)
            film.add(renderer.picture(frame, camera, film.size, style, geometry))
    finally:
        renderer.delete()


def write_picture(path: str | Path, pixels: np.ndarray) -> None:
    """Write pixels (height, width, 3) uint8 to a file: .png, or .jpg, which needs imageio-ffmpeg.

    Raises:
        ValueError: another ending, or no encoder.
        FileError: the file cannot be written; an older one is as it was.
    """
    path = check_place(path, PICTURE_SUFFIXES)
    height, width, _ = pixels.shape
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
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(_filtered(pixels), 9)), (b"IEND", b""))
    with replaced(path) as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, data in parts:
            file.write(
                struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
            )


def _filtered(pixels: np.ndarray) -> bytes:
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


def options_of(overlays: OverlayOptions | Iterable[str]) -> OverlayOptions:
    """Return options, or those in which the overlays that are named are switched on.

    Raises:
        ValueError: there is no overlay of that name.
    """
    return overlays if isinstance(overlays, OverlayOptions) else OverlayOptions.of(overlays)


def fitted_camera(
    description: Description, frames: Sequence[Frame], size: Size, camera: Camera | None = None
) -> Camera:
    """Return a camera, in the direction of a given one, that has all of a motion in the picture."""
    camera = camera or Camera()
    looks = np.unique(np.linspace(0, len(frames) - 1, _LOOKS).astype(int))
    camera.fit(np.concatenate([framing_points(description, frames[k]) for k in looks]), size)
    return camera
