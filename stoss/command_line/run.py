"""`stoss run SCENE`: build a world, run it with a progress bar, report, and keep the motion if asked."""

import argparse
import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from stoss.command_line.options import UsageError
from stoss.scenes.registry import suggestion
from stoss.scenes.running.compilation import CompileWatch
from stoss.scenes.running.report import format_report, run_report
from stoss.scenes.running.running import RunFigures, run_steps
from stoss.scenes.running.trajectory import Recorder

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["build_world", "check_writable", "chosen_settings", "compile_note", "run"]

# How often the real-time factor behind the progress bar is renewed [s].
_REFRESH = 0.25


def run(options: argparse.Namespace) -> int:
    """Carry out `stoss run` and return the exit code.

    Raises:
        UsageError: a value that scene or engine rejects, or a file that cannot be written.
    """
    from stoss.engine import SimulationError

    settings = chosen_settings(options)
    if options.save is not None:
        check_writable("--save", options.save, ".npz")
    steps = max(1, round(options.duration / options.time_step))
    talk = not (options.quiet or options.json)
    figures = RunFigures()
    exit_code = 0
    with CompileWatch(compile_note if talk else None) as watch:
        world = build_world(options, settings)
        start_energy = float(world.report.energy)
        recorder = None
        if options.save is not None:
            about = {"scene": options.scene.name, "parameters": options.parameters}
            recorder = Recorder(world, options.every, about)
        with _Progress(steps, world.time_step, visible=talk and sys.stderr.isatty()) as progress:

            def on_step(world: "World", figures: RunFigures) -> None:
                if recorder is not None:
                    recorder.after_step(world)
                progress.advance(figures)

            try:
                run_steps(world, steps, figures, watch=watch, on_step=on_step)
            except SimulationError as error:
                exit_code = _stop(f"the simulation stopped: {error}", 1)
            except KeyboardInterrupt:
                exit_code = _stop(f"interrupted at {world.time:g} s", 130)
    if recorder is not None:
        recorder.write(options.save)
    if exit_code != 1:
        report = run_report(options.scene.name, options.parameters, world, figures, start_energy)
        report["saved"] = options.save
        print(json.dumps(report) if options.json else format_report(report))
    if recorder is not None and talk:
        print(f"motion written to {options.save}", file=sys.stderr)
    return exit_code


def build_world(options: argparse.Namespace, settings: "Settings") -> "World":
    """Return the world of the scene that a command names.

    Raises:
        UsageError: a value that the scene rejects.
    """
    try:
        return options.scene.build(settings=settings, time_step=options.time_step, **options.parameters)
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error


def chosen_settings(options: argparse.Namespace) -> "Settings":
    """Return the settings that the options --solver, --motion, --collision and --set ask for.

    Raises:
        UsageError: no such setting, or a value that `stoss.engine.Settings` rejects.
    """
    from stoss.engine import Settings

    defaults = {field.name: field.default for field in dataclasses.fields(Settings)}
    changes: dict[str, Any] = {
        name: getattr(options, name)
        for name in ("solver", "motion", "collision")
        if getattr(options, name) is not None
    }
    for assignment in options.assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise UsageError(f"--set: {assignment!r} is no assignment; write NAME=VALUE, such as sweeps=30")
        if name not in defaults:
            close = suggestion(name, defaults)
            raise UsageError(f"--set: no setting named {name!r}{close}; there are {', '.join(defaults)}")
        kind: Callable[[str], Any] = type(defaults[name])
        try:
            changes[name] = _boolean(text) if kind is bool else kind(text)
        except ValueError:
            raise UsageError(f"--set: {name} is {text!r}; give a value like {defaults[name]!r}") from None
    try:
        return Settings(**changes)
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error


def check_writable(option: str, path: str, suffix: str) -> None:
    """Raise UsageError unless a file of that name can be written and has the right ending."""
    if Path(path).suffix != suffix:
        raise UsageError(f"{option}: {path} does not end in {suffix}; name it {Path(path).stem}{suffix}")
    folder = Path(path).parent
    if not folder.is_dir():
        raise UsageError(f"{option}: there is no folder {folder}; make it first")
    if Path(path).is_dir() or not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise UsageError(f"{option}: {path} cannot be written; choose another place")


def compile_note() -> None:
    """Tell on the error stream that kernels are being compiled."""
    tqdm.write(
        "compiling kernels for this machine; this happens once, later runs take them from the cache",
        file=sys.stderr,
    )


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _stop(message: str, exit_code: int) -> int:
    tqdm.write(f"stoss: {' '.join(message.split())}", file=sys.stderr)
    return exit_code


class _Progress:
    """A progress bar over the steps, with the real-time factor of the last moments behind it."""

    def __init__(self, steps: int, time_step: float, visible: bool) -> None:
        self._bar = tqdm(total=steps, unit=" steps", file=sys.stderr, disable=not visible, leave=False)
        self._time_step = time_step
        self._renewed = time.perf_counter()
        self._steps = 0
        self._seconds = 0.0

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def advance(self, figures: RunFigures) -> None:
        """Move the bar on by one step."""
        if self._bar.disable:
            return
        now = time.perf_counter()
        if now - self._renewed > _REFRESH and figures.seconds > self._seconds:
            factor = (figures.steps - self._steps) * self._time_step / (figures.seconds - self._seconds)
            self._bar.set_postfix_str(f"{factor:.2f} x real time", refresh=False)
            self._renewed, self._steps, self._seconds = now, figures.steps, figures.seconds
        self._bar.update()
