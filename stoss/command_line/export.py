"""`stoss export SCENE|FILE OUT`: write a motion as a web page, as glTF or for Rerun."""

import argparse
import sys
from dataclasses import replace

from stoss.command_line.inputs import build_world, chosen_settings
from stoss.command_line.progress import step_bar, watched_kernels
from stoss.engine import SimulationError
from stoss.engine.recording import Observer
from stoss.errors import UsageError
from stoss.viewer.exporting.export import check_format, checked_channels, write_motion
from stoss.viewer.exporting.motion import Motion
from stoss.viewer.exporting.sources import motion_of, motion_of_world

__all__ = ["export"]


def export(options: argparse.Namespace) -> int:
    """Carry out `stoss export` and return the exit code: 1 if the simulation had to stop.

    Raises:
        UsageError: a value that scene or engine rejects, or a file that cannot be read or written.
        FileError: the file could not be written after all.
    """
    try:
        path = check_format(options.out)
        checked_channels(getattr(options, "channels", None) or (), path)
    except (ValueError, OSError) as error:
        raise UsageError(f"OUT: {error}") from error
    try:
        with watched_kernels(not options.quiet):
            motion = _of_scene(options) if options.scene is not None else _of_file(options)
    except SimulationError as error:
        print(f"stoss: the simulation stopped: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    write_motion(motion if options.title is None else replace(motion, title=options.title), path)
    if not options.quiet:
        print(f"written to {path}", file=sys.stderr)
    return 0


def _of_scene(options: argparse.Namespace) -> Motion:
    world = build_world(options, chosen_settings(options))
    if options.channels:
        try:
            Observer(world, options.channels)
        except ValueError as error:
            raise UsageError(f"--channels: {error}") from error
    steps = round(options.duration / world.time_step)
    with step_bar(steps, not options.quiet) as bar:
        motion = motion_of_world(
            world, options.duration, options.fps, after_step=bar.update, channels=options.channels or ()
        )
    return motion.of_scene(options.scene.name)


def _of_file(options: argparse.Namespace) -> Motion:
    try:
        return motion_of(options.file, None, options.fps, None)
    except (ValueError, TypeError, OSError) as error:
        raise UsageError(str(error)) from error
