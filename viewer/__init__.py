"""The viewer: a window into a running simulation, pictures and films.

    from stoss import viewer
    viewer.show(world)              # a window on any world, from a script or a notebook cell
    viewer.show(build)              # the same, at once: the function builds the world behind the window
    viewer.render(world, "a.png")   # a picture, or a film (.mp4), without a window
    viewer.picture(world)           # the pixels

Importing this package needs no display; opening a window or drawing does.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stoss.names import takes_names

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.viewer.drawing.pictures import picture, render
    from stoss.viewer.world.stage import Entry

__all__ = ["picture", "render", "show"]


def __getattr__(name: str) -> Any:
    if name in ("picture", "render"):
        from stoss.viewer.drawing import pictures

        return getattr(pictures, name)
    raise AttributeError(f"module 'viewer' has no attribute {name!r}")


@takes_names
def show(
    world: "World | Callable[[], World]",
    *,
    paused: bool = False,
    size: tuple[int, int] = (1280, 720),
    quality: str | None = None,
    title: str = "stoss",
    panels: tuple[str, ...] = (),
    view: dict[str, Any] | None = None,
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
        view: a view of the camera, from `Camera.view()`; None fits the bodies into the picture.

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
    from stoss.viewer.window.window import Window
    from stoss.viewer.workbench.workbench import Workbench
    from stoss.viewer.world.simulation import Simulation

    simulation = Simulation(world, paused=paused)
    bench = Workbench(simulation, size=size, panels=dict.fromkeys(panels, True), first_view=view)
    Window(bench, quality, title).run()
    if simulation.error is not None:
        raise simulation.error
    return simulation.log
