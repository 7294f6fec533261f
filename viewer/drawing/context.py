"""Graphics contexts: of pictures, which need no display, and of windows; both in one process, in any order.

Pictures are drawn by EGL, windows belong to the display. A thread has one current context: whoever draws
makes sure that it is of the right kind, and lets go of the other. While a window draws, pictures use its
context.
"""

import os
import sys
import warnings
from typing import Any

__all__ = [
    "NoDisplayError",
    "ensure_context",
    "one_line",
    "open_window",
    "renderer_name",
]

_MINIMUM = (3, 3)
_PACKAGES = "apt install libgl1 libegl1 libgl1-mesa-dri"
_CURE = "use `stoss render` or viewer.picture to draw without a display, or start with xvfb-run"

# The hidden window whose context pictures are drawn in; kept so that it is not closed.
_hidden: list[Any] = []


class NoDisplayError(RuntimeError):
    """Nothing can be drawn on this machine as it is; the message is one line with the cure."""


def ensure_context() -> None:
    """Make sure that an OpenGL context is current, opening one without a display if there is none.

    Raises:
        NoDisplayError: there is no OpenGL 3.3.
    """
    if _current() is not None and not _is_shadow(_current()):
        return
    _let_go()
    if not _hidden:
        _hidden.append(_open_hidden())
    _hidden[0].switch_to()


def _open_hidden() -> Any:
    """Return a window that nobody sees and that needs no display."""
    try:
        with warnings.catch_warnings():
            # That there is no device is told by the error that follows.
            warnings.filterwarnings("ignore", "No device available")
            kind, display, config = _without_display()
            window = kind(width=16, height=16, visible=False, display=display, config=_wanted(config))
    except Exception as error:  # a dozen unrelated classes: libraries missing, no device, no configuration
        raise NoDisplayError(f"no OpenGL 3.3 to draw with ({one_line(error)}): {_PACKAGES}") from error
    _check_version(window)
    return window


def open_window(size: tuple[int, int], title: str) -> Any:
    """Return a pyglet window on the display, whose context is current.

    Raises:
        NoDisplayError: there is no display to be had, or no OpenGL 3.3.
    """
    _let_go()
    try:
        kind, display, config = _on_display()
        window = kind(*size, caption=title, resizable=True, display=display, config=_wanted(config))
    except Exception as error:  # pyglet raises errors of a dozen unrelated classes here
        raise NoDisplayError(f"no window can be opened ({_why(error)}): {_CURE}") from error
    _check_version(window)
    return window


def _why(error: BaseException) -> str:
    """Return why there is no window, in a few words."""
    name = os.environ.get("DISPLAY", "")
    if sys.platform.startswith("linux") and type(error).__name__ == "NoSuchDisplayException":
        return f"no display answers at DISPLAY={name}" if name else "there is no display, DISPLAY is not set"
    return one_line(error)


def _loaded() -> Any:
    """Return pyglet with its windows and OpenGL, which open nothing by themselves."""
    import pyglet

    # The window that pyglet opens for itself when it is imported would need a display.
    pyglet.options.shadow_window = False
    try:
        import pyglet.gl
        import pyglet.window
    except ImportError:
        # No library of the display: what needs none works all the same.
        for name in [
            name for name in sys.modules if name.startswith(("pyglet.gl", "pyglet.window", "pyglet.d"))
        ]:
            del sys.modules[name]
        pyglet.options.headless = True
        import pyglet.gl
        import pyglet.window
    return pyglet


def _without_display() -> tuple[Any, Any, Any]:
    """Return the kind of window, the display and the kind of configuration that need no display."""
    pyglet = _loaded()
    if not sys.platform.startswith("linux"):  # hidden windows: there is no EGL
        return pyglet.window.Window, pyglet.display.Display(), pyglet.gl.Config
    from pyglet.display.headless import HeadlessDisplay
    from pyglet.gl.headless import HeadlessConfig
    from pyglet.window.headless import HeadlessWindow

    return HeadlessWindow, HeadlessDisplay(), HeadlessConfig


def _on_display() -> tuple[Any, Any, Any]:
    """Return the kind of window, the display and the kind of configuration of windows that one sees."""
    pyglet = _loaded()
    if not sys.platform.startswith("linux"):
        return pyglet.window.Window, pyglet.display.Display(), pyglet.gl.Config
    from pyglet.display.xlib import XlibDisplay
    from pyglet.gl.xlib import XlibConfig
    from pyglet.window.xlib import XlibWindow

    return XlibWindow, XlibDisplay(), XlibConfig


def _current() -> Any:
    """Return the context that is current, None if none is."""
    return getattr(sys.modules.get("pyglet.gl"), "current_context", None)


def _let_go() -> None:
    """Let no context be current: those of EGL and of the display are not exchanged for each other."""
    context = _current()
    if context is None:
        return
    if hasattr(context, "egl_context"):
        from pyglet.libs.egl import egl

        egl.eglMakeCurrent(context.display_connection, None, None, None)
    sys.modules["pyglet.gl"].current_context = None  # type: ignore[attr-defined]


def _wanted(kind: Any) -> Any:
    """Return a configuration with 8 bits per colour, depth, OpenGL 3.3 core."""
    return kind(
        red_size=8,
        green_size=8,
        blue_size=8,
        alpha_size=8,
        depth_size=24,
        double_buffer=True,
        major_version=_MINIMUM[0],
        minor_version=_MINIMUM[1],
        forward_compatible=True,
    )


def _check_version(window: Any) -> None:
    """Close a window and raise NoDisplayError unless it has OpenGL 3.3."""
    info = window.context.get_info()
    version, name = tuple(info.get_version())[:2], info.get_renderer()
    if version < _MINIMUM:
        window.close()
        raise NoDisplayError(
            f"OpenGL {version[0]}.{version[1]} of {name} is too old, 3.3 is needed: update the driver, "
            "or draw in software with LIBGL_ALWAYS_SOFTWARE=1"
        )


def renderer_name() -> str:
    """Return what draws: the name that the current context gives."""
    import pyglet.gl

    context: Any = pyglet.gl.current_context
    return str(context.get_info().get_renderer())


def _is_shadow(context: Any) -> bool:
    """Tell whether a context is the one that pyglet opens for itself, which has no surface to draw on."""
    import pyglet

    shadow = getattr(pyglet.gl, "_shadow_window", None)
    return shadow is not None and context is getattr(shadow, "context", None)


def one_line(error: BaseException) -> str:
    """Return what an error says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__
