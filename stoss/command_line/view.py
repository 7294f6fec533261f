"""`stoss view` and `stoss replay`: open a window on a scene, a motion or a session."""

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import Any

from stoss.command_line.options import UsageError
from stoss.command_line.run import build_world, chosen_settings
from stoss.scenes.registry import find_scene
from stoss.scenes.running.trajectory import load_trajectory
from stoss.viewer.drawing.context import NoDisplayError
from stoss.viewer.window.window import Window
from stoss.viewer.window.workbench import Source, Workbench
from stoss.viewer.world.player import Player
from stoss.viewer.world.session import Session, load_session
from stoss.viewer.world.simulation import Simulation

__all__ = ["replay", "view"]


def view(options: argparse.Namespace) -> int:
    """Carry out `stoss view` and return the exit code.

    Raises:
        UsageError: a value that scene or engine rejects, or no display.
    """
    settings = chosen_settings(options)
    world = build_world(options, settings)
    source = Source(options.scene, options.parameters, dataclasses.asdict(settings), options.time_step)
    bench = Workbench(Simulation(world, paused=options.paused), source)
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
    simulation = Simulation(session.build(), paused=options.paused)
    simulation.follow(session.log)
    source = Source(find_scene(session.scene), session.parameters, session.settings, session.time_step)
    _open(Workbench(simulation, source), options, f"stoss: session of {session.scene}")
    return 0


def _open(bench: Workbench, options: argparse.Namespace, title: str) -> None:
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
