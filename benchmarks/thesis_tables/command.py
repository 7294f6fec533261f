"""The command that prints the tables of the thesis."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from stoss.benchmarks.measure import machine
from stoss.benchmarks.tables import machine_load
from stoss.benchmarks.thesis_tables import contacts, crowds, joints
from stoss.docstrings import first_line
from stoss.errors import FileError
from stoss.files import check_place, write_text

__all__ = ["TABLES", "main"]

TABLES: dict[str, Callable[[argparse.Namespace], list[Any]]] = {
    **joints.TABLES,
    **contacts.TABLES,
    **crowds.TABLES,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.thesis_tables",
        description="Tables of the thesis with this engine; times are processor times. "
        "Set OPENBLAS_NUM_THREADS=1 to keep the dense multipliers on one core.",
    )
    parser.add_argument("tables", nargs="*", help=f"of {', '.join(TABLES)}; all when left out")
    joint = parser.add_argument_group("joints")
    joint.add_argument("--steps", type=int, default=500, help="most steps of a run (thesis: 500)")
    joint.add_argument("--levels", type=int, nargs="*", default=[5, 6, 7, 8], help="levels of the trees")
    joint.add_argument("--chains", type=int, nargs="*", default=list(joints.CHAIN_THESIS), help="links")
    joint.add_argument("--drop", type=float, default=0.0, help="how far below its joint a child hangs [m]")
    joint.add_argument("--seed", type=int, default=0, help="of the directions in which links are pushed")
    contact = parser.add_argument_group("contacts")
    contact.add_argument(
        "--time-step", type=float, default=contacts.TIME_STEP, help="time step [s] (thesis: 0.001)"
    )
    contact.add_argument("--bodies", type=int, help="cubes, fewer than in the thesis")
    contact.add_argument("--duration", type=float, help="most seconds of a run, fewer than in the thesis")
    parser.add_argument("--json", metavar="FILE", help="keep the figures")
    options = parser.parse_args(arguments)
    for name in options.tables:
        if name not in TABLES:
            parser.error(f"no table {name!r}; there are {', '.join(TABLES)}")
    if options.json is not None:
        try:
            check_place(options.json, (".json",))
        except (ValueError, OSError) as error:
            parser.error(f"--json: {error}")
    results = {}
    for name in options.tables or TABLES:
        lines = TABLES[name](options)
        title = first_line(TABLES[name]) or name
        if name in joints.TABLES:
            text, results[name] = joints.format_lines(title, lines), [joints.as_json(line) for line in lines]
        else:
            text, results[name] = contacts.format_lines(title, lines), lines
        print(f"{text}\n", flush=True)
    print(f"{machine_load()}; ratio: thesis over median")
    if options.json is not None:
        content = {"machine": machine(), "tables": results}
        try:
            write_text(options.json, json.dumps(content, indent=1) + "\n")
        except FileError as error:
            print(error, file=sys.stderr)
            return 2
    return 0
