"""`stoss replay`: look at a motion or a session that was saved, or check that a session ends as it did."""

import argparse
from pathlib import Path

from stoss.command_line.progress import say, watched_kernels
from stoss.command_line.view import open_window
from stoss.engine import SimulationError
from stoss.errors import UsageError
from stoss.scenes.running.trajectory import load_trajectory
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.player import Player
from stoss.viewer.world.session import Session, load_session
from stoss.viewer.world.simulation import Simulation

__all__ = ["replay"]


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
            session = load_session(path)
            return _check(path, session) if options.check else _show(session, options)
        player = Player(load_trajectory(path, most_bytes=round(1e9 * options.memory)), paused=options.paused)
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error
    if options.check:
        raise UsageError(f"--check: {path} is a motion, not a session (.json): there is nothing to compare")
    open_window(Workbench(player), options, f"stoss: {path.name}")
    return 0


def _check(path: Path, session: Session) -> int:
    """Simulate a session without a window and compare the end."""
    try:
        with watched_kernels(visible=True):
            world = session.replay()
    except (ValueError, TypeError, KeyError, IndexError) as error:
        told = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise UsageError(f"{path}: it cannot be carried out again: {told}") from error
    except SimulationError as error:
        say(f"stoss: the simulation stopped: {error}")
        return 1
    same = world.state_hash() == session.state_hash
    end = "the same state" if same else "another state than when it was recorded"
    print(f"{len(session.log)} commands in {session.steps} steps end in {end}")
    return 0 if same else 1


def _show(session: Session, options: argparse.Namespace) -> int:
    """Simulate a session anew in a window."""
    source = session.source
    simulation = Simulation(source.stage, paused=options.paused)
    simulation.follow(session.log)
    open_window(Workbench(simulation, source), options, f"stoss: session of {session.scene}")
    return 0
