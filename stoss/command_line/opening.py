"""Windows are there at once: they are opened before the engine is loaded that fills them."""

import argparse
from collections.abc import Callable

from stoss.viewer.drawing.context import NoDisplayError
from stoss.viewer.window.shell import ClosedError, Shell

__all__ = ["carry_out_in_window"]


def carry_out_in_window(
    load: Callable[[], Callable[[argparse.Namespace], int]], options: argparse.Namespace
) -> int:
    """Load a command while its window stands already, carry it out there, and return the exit code.

    The command finds the window in `options.shell`. Where there is no display that is None: it is told when
    the window is needed, after all else that may be wrong with the command.
    """
    try:
        shell = Shell(options.size)
    except NoDisplayError:
        options.shell = None
        return load()(options)
    options.shell = shell
    try:
        return shell.wait_for(load, "loading the engine")(options)
    except ClosedError:
        return 0
    finally:
        shell.close()
