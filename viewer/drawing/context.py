"""The graphics context of pictures that are made without a window, and clear errors where there is none.

pyglet decides once per process between windows and drawing without a display. A process that has a window
open uses its context for pictures too.
"""

import sys
import warnings
from typing import Any

__all__ = [
    "NoDisplayError",
    "check_version",
    "ensure_context",
    "one_line",
    "renderer_name",
    "window_config",
]

_MINIMUM = (3, 3)
_PACKAGES = "apt install libgl1 libegl1 libgl1-mesa-dri"

# The hidden window whose context is current; kept so that it is not closed.
_hidden: list[Any] = []


class NoDisplayError(RuntimeError):
    """Nothing can be drawn on this machine as it is; the message is one line with the cure."""


def ensure_context() -> None:
    """Make sure that an OpenGL context is current, opening one without a display if there is none.

    Raises:
        NoDisplayError: there is no OpenGL 3.3.
    """
    import pyglet

    if _hidden:
        _hidden[0].switch_to()
        return
    if "pyglet.gl" in sys.modules and sys.modules["pyglet.gl"].current_context is not None:
        if not _is_shadow(sys.modules["pyglet.gl"].current_context):
            return
    pyglet.options.headless = True
    try:
        with warnings.catch_warnings():
            # That there is no device is told by the error that follows.
            warnings.filterwarnings("ignore", "No device available")
            import pyglet.gl
            import pyglet.window

            window = pyglet.window.Window(width=16, height=16, visible=False, config=window_config())
    except Exception as error:  # a dozen unrelated classes: libraries missing, no device, no configuration
        raise NoDisplayError(f"no OpenGL 3.3 to draw with ({one_line(error)}): {_PACKAGES}") from error
    check_version(window.context)
    _hidden.append(window)
    window.switch_to()


def window_config() -> Any:
    """Return the configuration that contexts are asked for: 8 bits per colour, depth, OpenGL 3.3 core."""
    import pyglet.gl

    config: Any = pyglet.gl.Config  # chosen by pyglet for the platform
    return config(
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


def check_version(context: Any) -> None:
    """Raise NoDisplayError unless a context has OpenGL 3.3."""
    info = context.get_info()
    version = tuple(info.get_version())[:2]
    if version < _MINIMUM:
        raise NoDisplayError(
            f"OpenGL {version[0]}.{version[1]} of {info.get_renderer()} is too old, 3.3 is needed: update "
            "the graphics driver, or draw in software with LIBGL_ALWAYS_SOFTWARE=1"
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
