"""The viewer: a window into a running simulation, pictures and films.

    from stoss import viewer
    viewer.show(world)              # a window on any world, from a script or a notebook cell
    viewer.show(build)              # the same, at once: the function builds the world behind the window
    viewer.render(world, "a.png")   # a picture, or a film (.mp4), without a window
    viewer.picture(world)           # the pixels, which a notebook shows
    viewer.film(world, 5.0)         # a film, which a notebook plays
    viewer.camera_image(world)      # colours, depth, rows of bodies and normals, as arrays
    viewer.export(world, "a.html")  # a page that plays the motion; .glb and .rrd too

    with viewer.open(world) as v:   # a window for a loop of your own
        while v.is_open:
            world.step()
            v.sync()

Importing this package needs no display; opening a window or drawing does.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from stoss.lazy import names_of
from stoss.names import takes_names

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.viewer.drawing.camera_images import CameraImage, camera_image
    from stoss.viewer.drawing.camera_sensor import CameraSensor
    from stoss.viewer.drawing.choosing import Names
    from stoss.viewer.drawing.looks import Look
    from stoss.viewer.drawing.overlays import OverlayOptions
    from stoss.viewer.drawing.pictures import picture
    from stoss.viewer.drawing.strobe import Strobe
    from stoss.viewer.drawing.trails import Trails
    from stoss.viewer.exporting.clips import film
    from stoss.viewer.exporting.export import export
    from stoss.viewer.exporting.filming import render
    from stoss.viewer.passive import Viewer
    from stoss.viewer.world.canvas import Canvas
    from stoss.viewer.world.instant_centers import InstantCenters
    from stoss.viewer.world.motion_view import MotionView
    from stoss.viewer.world.stage import Entry

__all__ = [
    "CameraImage",
    "Strobe",
    "Trails",
    "CameraSensor",
    "InstantCenters",
    "MotionView",
    "Viewer",
    "camera_image",
    "export",
    "film",
    "open",
    "picture",
    "render",
    "show",
]


__getattr__, __dir__ = names_of(
    __name__,
    {
        "drawing.camera_images": "CameraImage camera_image",
        "drawing.camera_sensor": "CameraSensor",
        "drawing.pictures": "picture",
        "drawing.strobe": "Strobe",
        "drawing.trails": "Trails",
        "exporting.clips": "film",
        "exporting.export": "export",
        "exporting.filming": "render",
        "passive": "Viewer",
        "world.instant_centers": "InstantCenters",
        "world.motion_view": "MotionView",
    },
)


@takes_names
def show(
    world: "World | Callable[[], World]",
    *,
    paused: bool = False,
    size: tuple[int, int] = (1280, 720),
    quality: str | None = None,
    title: str = "stoss",
    panels: tuple[str, ...] = (),
    view: "Look | None" = None,
    overlays: "OverlayOptions | Iterable[str]" = (),
    draw: "Callable[[Canvas, World], None] | None" = None,
    see_through: "Names" = (),
) -> "list[Entry]":
    """Show a world in a window until it is closed. The world goes on from its present state, in real time.

    The window opens at once; what the world still needs, such as kernels to be compiled, it shows. The world
    is touched in a thread of its own alone, in which its callbacks (`before_step`, `after_step`) are called
    too. After the call a world that was given is as it was left, after a whole step.

    Args:
        world: the world, or a function that builds it.
        paused: whether to begin standing.
        size: width and height of the window [pixels].
        quality: "low", "medium" or "high"; None chooses what runs smoothly.
        title: of the window.
        panels: those that are open at the beginning, such as "Statistics" or "Plots".
        view: where from: "top", "front" and the like, azimuth and elevation in degrees, or what
            `Camera.view()` gave; what names a direction alone fits the bodies into the picture, as None does.
        overlays: options, or names of what is laid over the bodies, such as "contacts".
        draw: a function that draws over the bodies what belongs to the present state: `draw(canvas, world)`,
            see `stoss.viewer.world.canvas.Canvas`. It is called in the thread of the world.
        see_through: names of bodies that are drawn like glass, or patterns such as "wall*".

    Returns:
        What the user did: pairs of the step and the command before it, see `stoss.viewer.world.commands`.

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no display, or no OpenGL 3.3.
        ValueError: an unknown quality or panel.
        Exception: what the function raised that was to build the world.
    """
    from stoss.engine import World

    if not (isinstance(world, World) or callable(world)):
        raise TypeError(f"world = {world!r} must be a World, or a function that builds one")
    from stoss.viewer.drawing.choosing import check_names
    from stoss.viewer.drawing.looks import check_look
    from stoss.viewer.drawing.pictures import options_of
    from stoss.viewer.drawing.quality import find_quality
    from stoss.viewer.workbench.actions import check_panels
    from stoss.viewer.workbench.workbench import Workbench
    from stoss.viewer.world.canvas import check_draw
    from stoss.viewer.world.simulation import Simulation

    if quality is not None:
        find_quality(quality)
    check_look("view", view)
    simulation = Simulation(world, paused=paused, draw=check_draw(draw))
    bench = Workbench(
        simulation,
        size=size,
        panels=check_panels(panels),
        first_view=view,
        first_glass=check_names("see_through", see_through) or None,
        overlays=options_of(overlays),
    )
    from stoss.viewer.window.window import Window

    Window(bench, quality, title).run()
    if simulation.error is not None:
        raise simulation.error
    return simulation.log


@takes_names
def open(
    world: "World",
    *,
    paused: bool = False,
    speed: float = 1.0,
    size: tuple[int, int] = (1280, 720),
    quality: str | None = None,
    title: str = "stoss",
    panels: tuple[str, ...] = (),
    view: "Look | None" = None,
    overlays: "OverlayOptions | Iterable[str]" = (),
    see_through: "Names" = (),
) -> "Viewer":
    """Open a window for a loop of your own, which steps the world and calls `sync`; see `Viewer`.

        with viewer.open(world) as v:
            while v.is_open:
                world.step()
                v.sync()

    It returns when all is compiled that the world needs; meanwhile the window tells so.

    Args:
        world: the world.
        paused: whether the first `sync` waits until the user goes on.
        speed: simulated seconds per second that `sync` keeps to; infinite: as fast as the loop can.
        size, quality, title, panels, view, overlays, see_through: as for `show`.

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no display, or no OpenGL 3.3.
        RuntimeError: this process has a window already.
        ValueError: an unknown quality, panel or overlay.
    """
    from stoss.viewer.passive import open_viewer

    return open_viewer(
        world,
        paused=paused,
        speed=speed,
        size=size,
        quality=quality,
        title=title,
        panels=panels,
        view=view,
        overlays=overlays,
        see_through=see_through,
    )
