"""Notebooks: a world at the end of a cell is shown as a picture.

The engine knows nothing of pictures: when `stoss` is imported in a notebook, that is told how to show worlds.
"""

import sys
import warnings
from typing import Any

__all__ = ["show_worlds", "world_png"]

_SIZE = (640, 360)


def show_worlds() -> None:
    """Let the notebook that this process belongs to show worlds as pictures, if there is one."""
    shell: Any = sys.modules["IPython"].get_ipython()
    if shell is not None:
        formatter = shell.display_formatter.formatters["image/png"]
        formatter.for_type_by_name("stoss.engine.world.world", "World", world_png)


def world_png(world: Any) -> bytes | None:
    """Return the picture of a world as a PNG file, None, with a warning, where nothing can be drawn."""
    from stoss.viewer.drawing.context import NoDisplayError
    from stoss.viewer.drawing.picture_files import png
    from stoss.viewer.drawing.pictures import picture

    try:
        return png(picture(world, _SIZE, quality="medium"))
    except NoDisplayError as error:
        warnings.warn(f"the world is shown without a picture: {error}", stacklevel=2)
        return None
