"""`stoss build`: open a window in which a model is built, an empty one or that of a file."""

import argparse
from pathlib import Path

from stoss.command_line.view import open_window
from stoss.engine.model import Model, WorldSettings
from stoss.errors import UsageError
from stoss.viewer.workbench.project import read_source
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.session import source_of_model
from stoss.viewer.world.simulation import Simulation

__all__ = ["build"]


def build(options: argparse.Namespace) -> int:
    """Carry out `stoss build` and return the exit code.

    Raises:
        UsageError: the file cannot be read as a model, or no display.
    """
    if options.file is None:
        model = Model() if options.planar is None else Model(world=_planar(options.planar))
        source = source_of_model(model)
    elif options.planar is not None:
        raise UsageError("--planar is for an empty model; a file says itself whether it is planar")
    else:
        try:
            source = read_source(Path(options.file))
        except (ValueError, OSError) as error:
            raise UsageError(str(error)) from error
    bench = Workbench(Simulation(source.stage, paused=True), source)
    bench.panels["Build"] = True
    if options.file is not None:
        bench.project.recent.add(Path(options.file))
    open_window(bench, options, "stoss: build")
    return 0


def _planar(plane: str) -> WorldSettings:
    return WorldSettings(planar=plane)
