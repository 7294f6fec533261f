"""Films for notebooks: `viewer.film(world)` at the end of a cell."""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from stoss.collision.plain_numbers import number
from stoss.names import takes_names
from stoss.viewer.drawing.camera import Size
from stoss.viewer.drawing.choosing import Names, check_names
from stoss.viewer.drawing.clip import AnimatedImage, Clip
from stoss.viewer.drawing.colouring import needs_forces
from stoss.viewer.drawing.context import ensure_context
from stoss.viewer.drawing.film import Film
from stoss.viewer.drawing.looks import Look, camera_of, check_look
from stoss.viewer.drawing.overlays import OverlayOptions
from stoss.viewer.drawing.pictures import (
    check_size,
    check_world,
    default_quality,
    draw_film,
    film_frames,
    glassy,
    options_of,
    style_of,
)
from stoss.viewer.drawing.quality import find_quality
from stoss.viewer.drawing.style import Style
from stoss.viewer.world.frames import describe_world

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["film"]


@takes_names
def film(
    world: "World",
    duration: float = 5.0,
    *,
    size: Size = (640, 360),
    fps: float = 30.0,
    camera: Look | None = None,
    quality: str | None = None,
    style: Style | str | None = None,
    overlays: OverlayOptions | Iterable[str] = (),
    see_through: Names = (),
) -> Clip:
    """Advance a world and return a film of it, which a notebook shows and `.save("a.mp4")` writes.

    It is a video, or an animated image where imageio-ffmpeg is missing (`pip install 'stoss[video]'`).

    Args:
        world: the world, which is advanced.
        duration: simulated time that it shows [s].
        size, fps, camera, quality, style, overlays, see_through: as for `render`.

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no OpenGL 3.3.
        ValueError: unknown quality, view, overlay or body.
    """
    options, shown = options_of(overlays), style_of(style)
    check_world("world", world)
    check_size(size)
    check_look("camera", camera)
    glass = check_names("see_through", see_through)
    duration, fps = number("duration", duration, "s", least=0.0), number("fps", fps, "1/s", above=0.0)
    if quality is not None:
        find_quality(quality)
    description = describe_world(world)
    shown = glassy(shown, glass, description)
    ensure_context()
    level = quality or default_quality(".mp4")

    def draw(sink: Film | AnimatedImage) -> None:
        frames = list(film_frames(world, duration, fps, options.needs_contacts or needs_forces(shown)))
        look = camera_of("camera", camera, description, frames, size)
        draw_film(sink, description, frames, look, level, shown, options, fps=fps)

    if find_spec("imageio_ffmpeg") is None:
        image = AnimatedImage(size, fps)
        draw(image)
        return Clip(size, fps, image.count, image.file(), is_video=False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        with Film(path, size, fps) as sink:
            draw(sink)
        return Clip(size, fps, sink.count, path.read_bytes(), is_video=True)
