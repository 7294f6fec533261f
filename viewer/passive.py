"""A window for a loop of the user's own: the loop makes the steps, `sync` shows them.

    with viewer.open(world) as v:
        while v.is_open:
            world.step()
            v.sync()

Window, world and loop share one thread: nothing is drawn, and no mouse is heard, but in `sync`. So the loop
may do anything to the world, callbacks need no locks, and pictures can be taken in between.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from imgui_bundle import imgui

from stoss.collision.plain_numbers import flag, number, shown
from stoss.engine import World
from stoss.names import closed
from stoss.viewer.drawing.choosing import Names, check_names
from stoss.viewer.drawing.looks import Look, check_look
from stoss.viewer.drawing.overlays import OverlayOptions
from stoss.viewer.drawing.pictures import options_of
from stoss.viewer.drawing.quality import find_quality
from stoss.viewer.window.window import Window
from stoss.viewer.workbench.actions import check_panels
from stoss.viewer.workbench.own import Button, Knob, Switch
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.canvas import Canvas
from stoss.viewer.world.driven import Driven
from stoss.viewer.world.simulation import Simulation
from stoss.viewer.world.stage import Entry

__all__ = ["Viewer", "open_viewer"]

_FRAME = 1.0 / 60.0  # [s] between two pictures, at least
_OWN_PANEL = "Control"


@closed
class Viewer(Canvas):
    """A window on a world that a loop of the user's own steps; `viewer.open` makes one.

    Use it in a `with` statement: at its end, and at an error within it, the window goes away and the world is
    as the last step left it. What the user does in the window acts on the steps of the loop: pulls of the
    mouse, changed settings, pausing (`sync` returns when it goes on), single steps, speed, going back.
    """

    def __init__(self, world: World, bench: Workbench, window: Window, driven: Driven) -> None:
        super().__init__()
        self._world, self._bench, self._window, self._driven = world, bench, window, driven
        self._closed = self._left = False
        self._drawn = self._drawing = 0.0  # when the last picture was finished, and how long it took [s]

    def __repr__(self) -> str:
        return f"<Viewer of {self._world!r}, {'open' if self.is_open else 'closed'}>"

    def __enter__(self) -> "Viewer":
        self._check_not_left()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ------------------------------------------------------------- the loop

    @property
    def is_open(self) -> bool:
        """Return whether the window is there: the user has not closed it, nor the program."""
        return not self._closed

    def sync(self) -> bool:
        """Show the world as it is, and let mouse, keys and controls act; call it after each step.

        It keeps the pace that the window is set to, real time at first, and waits while it is paused. It
        draws as often as a screen shows it, however often it is called.

        Returns:
            Whether the window is open; after the user has closed it nothing else happens.

        Raises:
            RuntimeError: the program itself has closed it.
            Exception: what a function of a button or a key raised.
        """
        self._check_not_left()
        if self._closed:
            return False
        self._driven.note()
        self._driven.show_marks(self)
        while True:
            self._turn()
            if self._closed or self._driven.is_due():
                return not self._closed
            time.sleep(min(self._driven.rest, max(0.0, self._next_picture - time.perf_counter()), 0.01))

    def hold(self) -> None:
        """Keep the window open, with the world standing, until the user closes it or lets it go on.

        Raises:
            RuntimeError: the program itself has closed it.
        """
        self.paused = True
        self.sync()

    def close(self) -> None:
        """Take the window away; nothing happens if it is gone."""
        self._left = True
        self._take_away()

    # ------------------------------------------------------------- how it runs

    @property
    def paused(self) -> bool:
        """Whether `sync` waits for the user; assign to stop or go on."""
        return self._driven.paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._driven.pause(flag("paused", value))

    @property
    def speed(self) -> float:
        """Simulated seconds per second that `sync` keeps to; infinite: as fast as the loop can."""
        return self._driven.speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._driven.speed = _speed(value)

    @property
    def selected(self) -> str:
        """Return the name of the body that the user has selected, "" for none."""
        return self._bench.selected_body

    @property
    def log(self) -> list[Entry]:
        """Return what the user did to the world: pairs of the step and the command before it."""
        return self._driven.log

    def tell(self, text: str) -> None:
        """Show a line of text in the window for a while."""
        self._bench.tell(str(text))

    # ------------------------------------------------------------- own controls

    def slider(self, name: str, least: float, most: float, value: float | None = None) -> Knob:
        """Add a slider to the window, before the loop; read its `value` within.

        Args:
            name: what stands beside it.
            least, most: its ends, in the unit of what it stands for.
            value: where it begins, in the same unit; None at its lower end.

        Raises:
            TypeError, ValueError: a wrong number, or a name that is taken.
        """
        return self._shown(self._bench.own.slider(name, least, most, value))

    def switch(self, name: str, on: bool = False) -> Switch:
        """Add a box to be ticked, before the loop; read whether it is `on` within.

        Args:
            name: what is written beside it.

        Raises:
            TypeError, ValueError: neither True nor False, or a name that is taken.
        """
        return self._shown(self._bench.own.switch(name, on))

    def button(self, name: str, function: Callable[[], Any] | None = None) -> Button:
        """Add a button, before the loop.

        Args:
            name: what stands on it.
            function: is called without arguments, in `sync`; or ask within the loop whether it was `pressed`.

        Raises:
            TypeError, ValueError: no function, or a name that is taken.
        """
        return self._shown(self._bench.own.button(name, function))

    def key(self, name: str, function: Callable[[], Any]) -> None:
        """Say what a key does, instead of what the window does with it.

        Args:
            name: "k", "F8", "space", "ctrl+r" and the like.
            function: is called without arguments, in `sync`.

        Raises:
            TypeError, ValueError: no such key, no function, or a key that has one.
        """
        self._bench.own.key(name, function)

    # ------------------------------------------------------------- inside

    @property
    def _next_picture(self) -> float:
        """Return when the next picture is due: drawing takes half of the time at most."""
        return self._drawn + max(_FRAME, self._drawing)

    def _shown(self, control: Any) -> Any:
        self._bench.panels[_OWN_PANEL] = True
        return control

    def _turn(self) -> None:
        """Carry out what was asked for, and draw if that is due."""
        self._driven.turn()
        begin = time.perf_counter()
        if begin >= self._next_picture:
            self._window.turn()
            self._drawn = time.perf_counter()
            self._drawing = self._drawn - begin
            self._driven.turn()
        if self._bench.own.call_due():
            self._driven.show_world()
        if self._bench.closing:
            self._take_away()

    def _take_away(self) -> None:
        if not self._closed:
            self._closed = True
            self._window.close()

    def _check_not_left(self) -> None:
        if self._left:
            raise RuntimeError(
                "this viewer was closed by the program, at the end of its with statement or by close(); make "
                "another with viewer.open(world)"
            )


def open_viewer(
    world: World,
    *,
    paused: bool,
    speed: float,
    size: tuple[int, int],
    quality: str | None,
    title: str,
    panels: Iterable[str],
    view: Look | None,
    overlays: OverlayOptions | Iterable[str],
    see_through: Names = (),
) -> Viewer:
    """Open a window on a world; see `stoss.viewer.open`."""
    if not isinstance(world, World):
        cure = "build it before" if callable(world) else "make one with st.World() or st.SCENES[...].build()"
        raise TypeError(f"world = {shown(world)} must be a World; {cure}")
    speed = _speed(speed)
    if quality is not None:
        find_quality(quality)
    check_look("view", view)
    if imgui.get_current_context() is not None:
        raise RuntimeError("this process has a window already; close it first, there is room for one")
    preparing = Simulation(world, paused=True)
    bench = Workbench(
        preparing,
        size=size,
        panels=check_panels(panels),
        first_view=view,
        first_glass=check_names("see_through", see_through) or None,
        overlays=options_of(overlays),
    )
    window = Window(bench, quality, title)
    preparing.start()
    try:
        while not (preparing.ready or preparing.error or bench.closing):
            window.turn()
            time.sleep(_FRAME)
        preparing.close()
        if preparing.error is not None:
            raise preparing.error
    except BaseException:
        window.close()
        raise
    driven = Driven(world, paused=paused, speed=speed)
    bench.simulation = driven
    viewer = Viewer(world, bench, window, driven)
    if bench.closing:
        viewer._take_away()
    return viewer


def _speed(value: Any) -> float:
    return number("speed", value, above=0.0, finite=False, cure="; to stop, set paused")
