"""`stoss run SCENE`: build a world, run it with a progress bar, report, and keep what is asked for."""

import argparse
import json
import sys
from contextlib import nullcontext

from stoss.command_line.inputs import build_world, check_writable, chosen_settings
from stoss.command_line.interrupts import exit_code_of, told_interruption, with_something_to_keep
from stoss.command_line.kept_run import KeptRun
from stoss.command_line.options.values import Interval
from stoss.command_line.progress import StepBar, say, watched_kernels
from stoss.command_line.recording import Channels
from stoss.command_line.reference import Comparison, told
from stoss.engine import SimulationError, World
from stoss.errors import FileError
from stoss.files import written_somewhere
from stoss.scenes.running.compilation import CompileWatch
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
    kept = None if options.out is None else KeptRun(options, settings)
    channels = Channels(options, None if kept is None else kept.channels)
    steps = max(1, round(options.duration / options.time_step))
    talk = not (options.quiet or options.json)
    figures = RunFigures()
    with watched_kernels(talk) as watch:
        world = build_world(options, settings)
        start_energy = float(world.report.energy)
        recorder = comparison = None
        if options.reference is not None:
            comparison = Comparison(world, steps, options.reference, options.tolerance)
        if options.save is not None or kept is not None:
            about = {"scene": options.scene.name, "parameters": options.parameters}
            every = options.every or Interval(1, None)
            recorder = Recorder(world, every.in_steps(world.time_step), about)
        channels.begin(world)
        with with_something_to_keep():
            with nullcontext() if kept is None else kept.heard():
                exit_code, error = _advance(world, steps, figures, (recorder, comparison), watch, talk)
            saved, unsaved = _save(recorder, options.save)
            channels.end(error)
            report = run_report(options.scene.name, options.parameters, world, figures, start_energy)
            report["saved"] = saved
            report["recorded"] = channels.saved
            if comparison is not None and exit_code != 1:
                report["reference"] = comparison.report()
            unkept = None
            if kept is not None and recorder is not None:
                unkept = kept.written(report, error, recorder)
            if exit_code != 1:
                print(json.dumps(report) if options.json else format_report(report), flush=True)
                if comparison is not None and not options.json:
                    print(told(report["reference"]), flush=True)
    for trouble in (unsaved, channels.trouble, unkept):
        if trouble is not None:
            raise trouble
    if saved is not None and talk:
        print(f"motion written to {saved}", file=sys.stderr)
    if talk:
        channels.tell()
    if kept is not None and talk:
        print(f"kept in {options.out}", file=sys.stderr)
    return exit_code


def _advance(
    world: World,
    steps: int,
    figures: RunFigures,
    followers: tuple[Recorder | None, Comparison | None],
    watch: CompileWatch,
    talk: bool,
) -> tuple[int, BaseException | None]:
    """Advance a world until it is done, stops or is interrupted.

    Returns:
        the exit code so far, and what ended it.
    """
    recorder, comparison = followers
    with StepBar(steps, world.time_step, visible=talk) as progress:

        def on_step(world: World, figures: RunFigures) -> None:
            if recorder is not None:
                recorder.after_step(world)
            if comparison is not None:
                comparison.after_step(world)
            progress.advance(figures)

        try:
            run_steps(world, steps, figures, watch=watch, on_step=on_step)
        except SimulationError as error:
            return _stop(f"the simulation stopped: {error}", 1), error
        except MemoryError as error:
            told = f"the memory is used up at {world.time:g} s; take fewer bodies or a larger --every"
            return _stop(told, 2), error
        except KeyboardInterrupt as error:
            if recorder is not None:
                recorder.after_step(world)  # of a step that was made, but not yet recorded
            return _stop(f"{told_interruption(error)} at {world.time:g} s", exit_code_of(error)), error
    return 0, None


def _save(
    recorder: Recorder | None, path: str | None
) -> tuple[str | None, FileError | KeyboardInterrupt | None]:
    """Write the motion, if it is to be kept; return where it is, and why it is not where it should be."""
    if recorder is None or path is None:
        return None, None
    try:
        place, reason = written_somewhere(path, recorder.write)
    except KeyboardInterrupt as error:  # the report of the run is told all the same
        return None, error
    if reason is not None:
        return None if place is None else str(place), reason
    return path, None


def _stop(message: str, exit_code: int) -> int:
    say(f"stoss: {message}")
    return exit_code
