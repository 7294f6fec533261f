"""`stoss view`: open a window on a scene. It is there at once: the scene is built behind it."""

import argparse
import dataclasses
import os
import sys
from typing import NoReturn

from stoss.collision.kernels.prepare import end_workers
from stoss.command_line.inputs import chosen_settings
from stoss.command_line.interrupts import exit_code_of, told_interruption
from stoss.command_line.looks import set_up
from stoss.errors import UsageError
from stoss.viewer.drawing.context import NoDisplayError
from stoss.viewer.window.window import Window
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.session import Source
from stoss.viewer.world.simulation import Simulation

__all__ = ["open_window", "view"]

# A scene checks its values within that time [s]: then a wrong one is told without a window.
_CHECKED = 0.1


def view(options: argparse.Namespace) -> int:
    """Carry out `stoss view` and return the exit code.

    Raises:
        UsageError: a value that scene or engine rejects, or no display.
    """
    settings = dataclasses.asdict(chosen_settings(options))
    source = Source(options.scene, options.parameters, settings, options.time_step)
    bench = Workbench(Simulation(source.stage, paused=options.paused), source)
    bench.panels["Scenes"] = options.choose
    open_window(bench, options, f"stoss: {options.scene.name}")
    return 0


def open_window(bench: Workbench, options: argparse.Namespace, title: str) -> None:
    """Show a workbench in a window until it is closed.

    Raises:
        UsageError: no display, or a value that scene, engine or window reject.
    """
    bench.size = options.size
    set_up(bench, options)
    simulation = bench.simulation
    simulation.start()
    simulation.wait(_CHECKED)
    interruption: KeyboardInterrupt | None = None
    try:
        if simulation.error is None:
            Window(bench, options.quality, title, options.shell).run()
    except NoDisplayError as error:
        if simulation.error is None:
            raise UsageError(str(error)) from error
    except KeyboardInterrupt as error:
        interruption = error
    finally:
        bench.close()
    if isinstance(simulation.error, ValueError | TypeError):
        raise UsageError(str(simulation.error)) from simulation.error
    if simulation.error is not None:
        raise simulation.error
    if bench.busy:
        _leave(interruption)
    if interruption is not None:
        raise interruption


def _leave(interruption: KeyboardInterrupt | None) -> NoReturn:
    """End the process at once: Python itself would wait for the kernel that is being compiled."""
    if interruption is not None:
        print(f"stoss: {told_interruption(interruption)}", file=sys.stderr)
    end_workers()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if interruption is None else exit_code_of(interruption))
