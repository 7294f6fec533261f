"""`stoss view` and `stoss replay`: open a window on a scene, a motion or a session.

The window is there at once: scenes and sessions are built behind it.
"""

import argparse
import dataclasses
import multiprocessing
import os
import sys
from pathlib import Path
from typing import NoReturn

from stoss.command_line.options import UsageError
from stoss.command_line.run import chosen_settings
from stoss.scenes.running.trajectory import load_trajectory
from stoss.viewer.drawing.context import NoDisplayError
from stoss.viewer.window.window import Window
from stoss.viewer.window.workbench import Workbench
from stoss.viewer.world.player import Player
from stoss.viewer.world.session import Session, Source, load_session
from stoss.viewer.world.simulation import Simulation

__all__ = ["replay", "view"]

# A scene checks its values within that time [s]: then a wrong one is told without a window.
_CHECKED = 0.1


def view(options: argparse.Namespace) -> int:
    """Carry out `stoss view` and return the exit code.

    Raises:
        UsageError: a value that scene or engine rejects, or no display.
    """
    settings = dataclasses.asdict(chosen_settings(options))
    source = Source(options.scene, options.parameters, settings, options.time_step)
    bench = Workbench(Simulation(source.build, paused=options.paused), source)
    bench.panels["Scenes"] = options.choose
    _open(bench, options, f"stoss: {options.scene.name}")
    return 0


def replay(options: argparse.Namespace) -> int:
    """Carry out `stoss replay` and return the exit code: 1 if a checked session ends otherwise.

    Raises:
        UsageError: a file that cannot be read, or no display.
    """
    path = Path(options.file)
    if not path.is_file():
        raise UsageError(f"there is no file {path}; stoss run SCENE --save {path.stem}.npz writes a motion")
    try:
        if path.suffix == ".json":
            return _replay_session(load_session(path), options)
        player = Player(load_trajectory(path), paused=options.paused)
    except (ValueError, OSError, KeyError) as error:
        raise UsageError(str(error)) from error
    if options.check:
        raise UsageError(f"--check: {path} is a motion, not a session (.json): there is nothing to compare")
    _open(Workbench(player), options, f"stoss: {path.name}")
    return 0


def _replay_session(session: Session, options: argparse.Namespace) -> int:
    if options.check:
        world = session.replay()
        same = world.state_hash() == session.state_hash
        end = "the same state" if same else "another state than when it was recorded"
        print(f"{len(session.log)} commands in {session.steps} steps end in {end}")
        return 0 if same else 1
    source = session.source
    simulation = Simulation(source.build, paused=options.paused)
    simulation.follow(session.log)
    _open(Workbench(simulation, source), options, f"stoss: session of {session.scene}")
    return 0


def _open(bench: Workbench, options: argparse.Namespace, title: str) -> None:
    """Show a workbench in a window until it is closed.

    Raises:
        UsageError: no display, or a value that scene or engine rejects.
    """
    bench.size = options.size
    simulation = bench.simulation
    simulation.start()
    simulation.wait(_CHECKED)
    try:
        if simulation.error is None:
            Window(bench, options.quality, title).run()
    except NoDisplayError as error:
        if simulation.error is None:
            raise UsageError(str(error)) from error
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    finally:
        bench.close()
    if isinstance(simulation.error, ValueError | TypeError):
        raise UsageError(str(simulation.error)) from simulation.error
    if simulation.error is not None:
        raise simulation.error
    if bench.busy:
        _leave()


def _leave() -> NoReturn:
    """End the process at once: Python itself would wait for the kernel that is being compiled."""
    for process in multiprocessing.active_children():
        process.kill()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
