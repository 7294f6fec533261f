"""A window with ImGui and nothing in it: it is there at once, while what it will show is still loaded."""

import time
from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

from stoss.viewer.drawing.context import open_window

__all__ = ["ClosedError", "Shell"]

_T = TypeVar("_T")

_USUAL_DPI = 96.0
_SKY = (0.73, 0.79, 0.86, 1.0)
_BETWEEN = 0.02  # [s] looks at mouse, keys and work
_BETWEEN_PICTURES = 0.25  # [s]


class ClosedError(Exception):
    """The user closed the window while something was waited for."""


class Shell:
    """A window on the display, with what ImGui needs to draw into it.

    Args:
        size: width and height [pixels].
        title: of the window.

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no display, or no OpenGL 3.3.
    """

    def __init__(self, size: tuple[int, int], title: str = "stoss") -> None:
        self.window = open_window(size, title)
        self.window.on_key_press = _nothing  # pyglet would close the window at Escape
        from imgui_bundle import imgui

        from stoss.viewer.widgets.theme import set_up_imgui

        self._imgui = imgui
        set_up_imgui(self.display_scale)
        self._backend = _create_backend(self.window)

    @property
    def display_scale(self) -> float:
        """Return how many times as large as at 96 dots per inch things are drawn on this display."""
        return float(self.window.dpi) / _USUAL_DPI

    def wait_for(self, work: Callable[[], _T], told: str) -> _T:
        """Carry out work in a thread, tell so in the window, and return what it returns.

        Args:
            work: what has to be done.
            told: what is waited for.

        Raises:
            ClosedError: the user closed the window; the thread goes on, as a daemon.
            Exception: what the work raised.
        """
        outcome: list[_T] = []
        errors: list[BaseException] = []
        closed: list[bool] = []

        def carry_out() -> None:
            try:
                outcome.append(work())
            except BaseException as error:
                errors.append(error)

        self.window.push_handlers(on_close=_takes_note(closed), on_key_press=_quits(closed))
        thread = Thread(target=carry_out, name="stoss loading", daemon=True)
        thread.start()
        drawn = 0.0
        self._draw(told)  # ImGui shows what finds its own size from the second picture on
        try:
            while thread.is_alive() and not closed:
                self.window.dispatch_events()
                if time.perf_counter() - drawn > _BETWEEN_PICTURES:
                    drawn = time.perf_counter()
                    self._draw(told)
                thread.join(_BETWEEN)
        finally:
            self.window.pop_handlers()
        if errors:
            raise errors[0]
        if not outcome:
            raise ClosedError(told)
        return outcome[0]

    def render(self) -> None:
        """Draw what ImGui has laid over the picture."""
        self._backend.render(self._imgui.get_draw_data())

    def close(self) -> None:
        """Take the window away, if it is still there."""
        if self.window.context is None:
            return
        from stoss.viewer.widgets.theme import take_down_imgui

        self._backend.shutdown()
        take_down_imgui()
        self.window.close()

    def _draw(self, told: str) -> None:
        from pyglet import gl

        from stoss.viewer.widgets.waiting import draw_wait

        width, height = self.window.get_framebuffer_size()
        self.window.switch_to()
        gl.glClearColor(*_SKY)
        self.window.clear()
        self._imgui.get_io().delta_time = _BETWEEN_PICTURES
        self._imgui.new_frame()
        draw_wait("waiting", told, None, (0.5 * width, 0.5 * height), (0.5, 0.5))
        self._imgui.render()
        self.render()
        self.window.flip()


def _takes_note(closed: list[bool]) -> Callable[[], bool]:
    """Return a handler of the cross of a window, which takes note and leaves the window."""

    def on_close() -> bool:
        closed.append(True)
        return True

    return on_close


def _quits(closed: list[bool]) -> Callable[[int, int], None]:
    """Return a handler of keys that takes note of Ctrl+Q."""

    def on_key_press(symbol: int, modifiers: int) -> None:
        from pyglet.window import key

        if symbol == key.Q and modifiers & key.MOD_CTRL:
            closed.append(True)

    return on_key_press


def _nothing(*_: object) -> None:
    pass


def _create_backend(window: Any) -> Any:
    """Return what brings mouse and keys of a pyglet window to ImGui, and its drawing to the window."""
    from imgui_bundle.python_backends import pyglet_backend

    create: Any = vars(pyglet_backend)["create_renderer"]  # the module has no types
    return create(window)
