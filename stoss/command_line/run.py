"""`stoss run SCENE`: build a world, run it with a progress bar, report, and keep the motion if asked."""

import argparse
import json
import sys

from stoss.command_line.inputs import build_world, check_writable, chosen_settings
from stoss.command_line.progress import StepBar, say, watched_kernels
from stoss.engine import SimulationError, World
from stoss.errors import FileError
from stoss.scenes.running.report import format_report, run_report
from stoss.scenes.running.running import RunFigures, run_steps
from stoss.scenes.running.trajectory import Recorder

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Carry out `stoss run` and return the exit code.

    Raises:
        UsageError: a value that scene or engine rejects, or a file that cannot be written.
        FileError: the motion could not be written after all.
    """
    settings = chosen_settings(options)
    if options.save is not None:
        check_writable("--save", options.save, ".npz")
    steps = max(1, round(options.duration / options.time_step))
    talk = not (options.quiet or options.json)
    figures = RunFigures()
    exit_code = 0
    with watched_kernels(talk) as watch:
        world = build_world(options, settings)
        start_energy = float(world.report.energy)
        recorder = None
        if options.save is not None:
            about = {"scene": options.scene.name, "parameters": options.parameters}
            recorder = Recorder(world, options.every, about)
        with StepBar(steps, world.time_step, visible=talk) as progress:

            def on_step(world: World, figures: RunFigures) -> None:
                if recorder is not None:
                    recorder.after_step(world)
                progress.advance(figures)

            try:
                run_steps(world, steps, figures, watch=watch, on_step=on_step)
            except SimulationError as error:
                exit_code = _stop(f"the simulation stopped: {error}", 1)
            except KeyboardInterrupt:
                exit_code = _stop(f"interrupted at {world.time:g} s", 130)
    unsaved: FileError | KeyboardInterrupt | None = None
    if recorder is not None:
        try:
            recorder.write(options.save)
        except (FileError, KeyboardInterrupt) as error:  # the report of the run is told all the same
            unsaved = error
    if exit_code != 1:
        report = run_report(options.scene.name, options.parameters, world, figures, start_energy)
        report["saved"] = None if unsaved is not None else options.save
        print(json.dumps(report) if options.json else format_report(report), flush=True)
    if unsaved is not None:
        raise unsaved
    if recorder is not None and talk:
        print(f"motion written to {options.save}", file=sys.stderr)
    return exit_code


def _stop(message: str, exit_code: int) -> int:
    say(f"stoss: {message}")
    return exit_code
