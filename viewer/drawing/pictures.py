"""Pictures of worlds, and what films are drawn with: without a window, or beside one.

from stoss import viewer
pixels = viewer.picture(world, size=(640, 360))
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.collision.plain_numbers import flag, shown, whole
from stoss.engine.checks import instance
from stoss.names import takes_names
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.choosing import Names, check_names, chosen_rows
from stoss.viewer.drawing.clip import AnimatedImage
from stoss.viewer.drawing.colouring import check_mode, legends_of, needs_forces
from stoss.viewer.drawing.context import ensure_context, renderer_name
from stoss.viewer.drawing.cutting_out import cut_out
from stoss.viewer.drawing.debug import debug_geometry
from stoss.viewer.drawing.film import FILM_SUFFIXES, Film
from stoss.viewer.drawing.key import draw_key
from stoss.viewer.drawing.labels import write_labels
from stoss.viewer.drawing.looks import Look, camera_of, check_look
from stoss.viewer.drawing.overlays import OverlayOptions, overlay_geometry
from stoss.viewer.drawing.picture_files import Picture
from stoss.viewer.drawing.quality import find_quality
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.drawing.shots import Shot
from stoss.viewer.drawing.strobe import Strobe
from stoss.viewer.drawing.style import Style
from stoss.viewer.drawing.trails import Trails
from stoss.viewer.world.canvas import Draw, Marks, check_draw, drawn_by
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = [
    "check_size",
    "check_world",
    "default_quality",
    "draw_film",
    "film_frames",
    "glassy",
    "options_of",
    "picture",
    "style_of",
]


def default_quality(path: str | Path) -> str:
    """Return the level for a file: high, but medium for a film that is drawn in software."""
    in_software = "llvmpipe" in renderer_name().lower()
    return "medium" if Path(path).suffix.lower() in FILM_SUFFIXES and in_software else "high"


def check_size(size: Any) -> None:
    """Raise unless a size is a width and a height [pixels]."""
    if not isinstance(size, tuple | list) or len(size) != 2:
        cure = "; render(world, path) writes a file" if isinstance(size, str | Path) else ""
        raise TypeError(
            f"size = {shown(size)} must be a width and a height in pixels, such as (1280, 720){cure}"
        )
    for pixels in size:
        whole("size", pixels, least=1, most=16384, cure=f" of {shown(size)}, pixels")


def check_world(name: str, value: Any) -> None:
    """Raise unless a value is a world."""
    from stoss.engine import World

    if not isinstance(value, World):
        raise TypeError(f"{name} = {shown(value)} must be a World")


@takes_names
def picture(
    subject: "World | tuple[Description, Frame]",
    size: Size = (1280, 720),
    *,
    camera: Look | None = None,
    quality: str = "high",
    style: Style | str | None = None,
    overlays: OverlayOptions | Iterable[str] = (),
    trails: Trails | None = None,
    enlarged: int = 1,
    draw: Draw | None = None,
    transparent: bool = False,
    see_through: Names = (),
    strobe: Strobe | None = None,
) -> Picture:
    """Return a picture of a world as it is: an array (height, width, 3) uint8 that notebooks show.

    Args:
        subject: a world, or a description with one of its frames.
        size: width and height [pixels].
        camera: where it is seen from: a `Camera`, "front", "right", "top", "back", "left", "bottom" or
            "corner", azimuth and elevation in degrees such as (-60, 20), or a saved view. What names a
            direction alone fits the bodies into the picture, as None does.
        quality: "low", "medium" or "high".
        style: colours and marks; or the name of what colours tell, such as "speed".
        overlays: options, or names of what is laid over the bodies, such as "contacts".
        trails: paths of the bodies up to now, see `stoss.viewer.Trails`.
        enlarged: draw that many times as large and average, for finer edges.
        draw: a function that draws over the bodies of a world: `draw(canvas, world)`, see
            `stoss.viewer.world.canvas.Canvas`.
        transparent: whether ground and sky are left out: the picture is (height, width, 4) then, the last
            number being the opacity.
        see_through: names of bodies that are drawn like glass, or patterns such as "wall*".
        strobe: earlier moments that are in the picture too, see `stoss.viewer.Strobe`.

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no OpenGL 3.3.
        ValueError: unknown quality, overlay or body.
    """
    find_quality(quality)
    options, style = options_of(overlays), style_of(style)
    check_size(size)
    check_look("camera", camera)
    whole("enlarged", enlarged, least=1, most=8)
    flag("transparent", transparent)
    glass = check_names("see_through", see_through)
    if check_draw(draw) is not None and isinstance(subject, tuple):
        raise TypeError("draw goes with a world; a description with a frame has none")
    if not isinstance(subject, tuple):
        check_world("subject", subject)
    ensure_context()
    if isinstance(subject, tuple):
        description, frame = subject
    else:
        contacts = options.needs_contacts or needs_forces(style)
        description, frame = describe_world(subject), frame_of(subject, contacts)
    style = glassy(style, glass, description)
    shown = description, frame, style
    if strobe is not None:
        shown = instance("strobe", strobe, Strobe, "Strobe(0.1)").exposed(*shown)
    if trails is not None:
        instance("trails", trails, Trails, "Trails()").add(description, frame)
        options = replace(options, trajectories=True)
    look = camera_of("camera", camera, shown[0], [shown[1]], size)
    marks = Marks() if isinstance(subject, tuple) else drawn_by(draw, subject)
    renderer = Renderer(shown[0], quality)
    try:
        geometry = debug_geometry(marks) + overlay_geometry(description, frame, options, trails)
        shoot = partial(cut_out, renderer) if transparent else renderer.picture
        pixels = shoot(shown[1], look, size, shown[2], geometry, enlarged)
        write_labels(pixels, geometry, look)
        draw_key(pixels, legends_of(description, frame, style, geometry))
        return pixels.view(Picture)
    finally:
        renderer.delete()


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
    film: Film | AnimatedImage,
    description: Description,
    frames: Iterable[Frame],
    camera: Camera,
    quality: str,
    style: Style | None = None,
    overlays: OverlayOptions | None = None,
    trails: Trails | None = None,
    *,
    shot: Shot | None = None,
    fps: float = 30.0,
    hidden: Callable[[Frame], tuple[int, ...]] | None = None,
) -> None:
    """Draw frames into a film.

    Args:
        film: where to.
        description: the bodies.
        frames: one per picture.
        camera: where they are seen from.
        quality, style, overlays: as for `render`.
        trails: paths up to the first frame.
        shot: how the camera moves, and what is written into the picture.
        fps: pictures per second.
        hidden: rows of bodies that are not there in a frame.
    """
    options, trails = overlays or OverlayOptions(), trails or Trails(length=10**6)
    shot, style, begin = shot or Shot(), style or Style(), None
    row = shot.followed(description)
    renderer = Renderer(description, quality)
    try:
        for number, frame in enumerate(frames):
            begin = begin or frame
            look = shot.camera(camera, row, begin, frame, number / fps)
            trails.add(description, frame)
            geometry = overlay_geometry(description, frame, options, trails)
            shown = style if hidden is None else replace(style, hidden=(*style.hidden, *hidden(frame)))
            pixels = renderer.picture(frame, look, film.size, shown, geometry)
            write_labels(pixels, geometry, look)
            draw_key(pixels, legends_of(description, frame, shown, geometry))
            shot.write(pixels, frame.time)
            film.add(pixels)
    finally:
        renderer.delete()


def glassy(style: Style, names: Sequence[str], description: Description) -> Style:
    """Return a style under which bodies of these names, or patterns of names, are drawn like glass too.

    Raises:
        ValueError: there is no such body.
    """
    rows = chosen_rows("see_through", names, description.names)
    return replace(style, see_through=(*style.see_through, *rows)) if rows else style


def options_of(overlays: OverlayOptions | Iterable[str]) -> OverlayOptions:
    """Return options, or those in which the overlays that are named are switched on.

    Raises:
        ValueError: there is no overlay of that name.
    """
    return overlays if isinstance(overlays, OverlayOptions) else OverlayOptions.of(overlays)


def style_of(style: Style | str | None) -> Style:
    """Return a style.

    Raises:
        TypeError, ValueError: it is none, or colours tell nothing of that name.
    """
    if isinstance(style, str):
        return Style(colour_by=check_mode("style", style))
    if not (style is None or isinstance(style, Style)):
        raise TypeError(f"style = {shown(style)} must be a Style, or what colours tell, such as 'speed'")
    style = style or Style()
    check_mode("style.colour_by", style.colour_by)
    return style
