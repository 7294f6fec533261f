"""`stoss sweep` and `stoss compare`: many runs over a grid of parameters, and two runs side by side."""

import argparse
import json
import sys
from pathlib import Path

from stoss.command_line.grids import read_grids
from stoss.command_line.inputs import check_writable, chosen_settings
from stoss.command_line.interrupts import exit_code_of, told_interruption, with_something_to_keep
from stoss.command_line.progress import RunBar, say, watched_kernels
from stoss.errors import UsageError
from stoss.scenes.experiments import compare_runs
from stoss.scenes.experiments.plan import points_of
from stoss.scenes.experiments.source import source_of
from stoss.scenes.experiments.sweeps import TABLE, made_plan, run_points
from stoss.scenes.experiments.table import FORMATS, SweepTable
from stoss.scenes.experiments.work import FINISHED

__all__ = ["compare", "sweep"]


def sweep(options: argparse.Namespace) -> int:
    """Carry out `stoss sweep` and return the exit code: 1 if a run did not finish.

    Raises:
        UsageError: a value that scene, model or engine rejects, or a file that cannot be written.
        FileError: a run cannot be kept.
    """
    if not options.grids:
        raise UsageError(f"--grid is missing: what is to be varied? {options.parser.prog} --grid NAME=1,2,3")
    if options.table is not None:
        check_writable("--table", options.table, *FORMATS)
    try:
        plan = made_plan(
            source_of(options.scene.name),
            options.metrics,
            parameters=options.parameters,
            duration=options.duration,
            time_step=options.time_step,
            settings=chosen_settings(options),
            record=options.channels,
        )
        points = points_of(read_grids(options.grids, options.scene))
        out = Path(options.out or f"sweeps/{plan.source.stem}")
        interrupted = None
        talk = not (options.quiet or options.json)
        with watched_kernels(talk), RunBar(len(points), talk) as progress, with_something_to_keep():
            try:
                table = run_points(
                    plan,
                    points,
                    out=out,
                    workers=options.workers,
                    scheduler=options.scheduler,
                    again=options.again,
                    on_run=progress.advance,
                )
            except KeyboardInterrupt as error:
                interrupted = error
    except (ValueError, TypeError, ImportError) as error:
        raise UsageError(str(error)) from error
    if interrupted is not None:
        there = f"{progress.done} of {len(points)} runs are kept in {out}"
        say(f"stoss: {told_interruption(interrupted)}: {there}; the same command goes on")
        return exit_code_of(interrupted)
    return _tell(table, out, options)


def _tell(table: SweepTable, out: Path, options: argparse.Namespace) -> int:
    if options.table is not None:
        table.save(options.table)
    print(json.dumps(list(table)) if options.json else table.text())
    failed = [row for row in table if row["status"] != FINISHED]
    if not (options.quiet or options.json):
        where = f"{out}; table in {options.table or out / TABLE}"
        print(f"{len(table)} runs, {len(failed)} of them failed, kept in {where}", file=sys.stderr)
    return 1 if failed else 0


def compare(options: argparse.Namespace) -> int:
    """Carry out `stoss compare` and return the exit code: 1 if the runs do not end in the same bits.

    Raises:
        UsageError: one is no run.
    """
    found = compare_runs(options.first, options.second)
    print(json.dumps(found.record()) if options.json else found.text())
    return 0 if found.same else 1
