"""`stoss view`: open a window on a scene."""

import argparse
import dataclasses
import sys
from typing import Any

from stoss.command_line.errors import UsageError
from stoss.command_line.inputs import build_world, chosen_settings
from stoss.command_line.progress import watched_kernels
from stoss.viewer.drawing.context import NoDisplayError
from stoss.viewer.window.window import Window
from stoss.viewer.window.workbench import Source, Workbench
from stoss.viewer.world.simulation import Simulation

__all__ = ["open_window", "view"]


def view(options: argparse.Namespace) -> int:
    """Carry out `stoss view` and return the exit code.

    Raises:
        UsageError: a value that scene or engine rejects, or no display.
    """
    settings = chosen_settings(options)
    with watched_kernels(visible=True):
        world = build_world(options, settings)
        source = Source(options.scene, options.parameters, dataclasses.asdict(settings), options.time_step)
        bench = Workbench(Simulation(world, paused=options.paused), source)
        bench.panels["Scenes"] = options.choose
        open_window(bench, options, f"stoss: {options.scene.name}")
    return 0


def open_window(bench: Workbench, options: argparse.Namespace, title: str) -> None:
    """Show a workbench in a window until it is closed.

    Raises:
        UsageError: no window can be opened.
    """
    bench.size = options.size
    bench.begin()
    try:
        window: Any = Window(bench, options.quality, title)
    except NoDisplayError as error:
        raise UsageError(str(error)) from error
    try:
        window.run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
