"""Options of the commands that run scenes: run, sweep, compare."""

from stoss.command_line.options.parser import (
    Parser,
    add_duration,
    add_quiet,
)
from stoss.command_line.options.values import (
    choice,
    count,
    interval,
    positive,
)
from stoss.scenes.registry import Scene

__all__ = ["REFERENCES", "add_compare", "add_run", "add_sweep"]

# Integrators of `stoss run --reference`, compared by a test as well.
REFERENCES = ("DOP853", "Radau", "LSODA", "Adams")


def add_run(parser: Parser, scene: Scene) -> None:
    """Add the options of `stoss run`."""
    output = parser.add_argument_group("output")
    add_duration(output, scene)
    output.add_argument("--save", metavar="FILE.npz", help="write the motion of all bodies to this file")
    output.add_argument(
        "--record",
        metavar="FILE.npz",
        help="record channels, numbers with names and units, to this file; stoss plot draws them",
    )
    output.add_argument(
        "--channels",
        nargs="+",
        metavar="NAME",
        help="what is recorded: names and patterns such as joint.* (default energy.*, or as a model says)",
    )
    output.add_argument(
        "--out",
        metavar="FOLDER",
        help="keep the run in a folder: what was run, report, motion, channels, log; for stoss compare",
    )
    output.add_argument(
        "--every",
        type=interval,
        metavar="K",
        help="keep every K-th step in these files, or one each so many seconds: 0.05 or 2s (default 1)",
    )
    output.add_argument(
        "--json", action="store_true", help="print the report as one JSON object, nothing else"
    )
    output.add_argument(
        "--reference",
        nargs="?",
        const=REFERENCES[0],
        type=choice(REFERENCES),
        metavar="METHOD",
        help="solve the motion by Lagrange multipliers and an adaptive integrator too, and say how far the "
        f"run is off: {', '.join(REFERENCES)} (default {REFERENCES[0]}); contacts are not known there",
    )
    output.add_argument(
        "--tolerance",
        type=positive,
        default=1e-9,
        metavar="E",
        help="relative tolerance of that integrator (default 1e-9)",
    )
    add_quiet(output)


def add_sweep(parser: Parser, scene: Scene) -> None:
    """Add the options of `stoss sweep`."""
    sweep = parser.add_argument_group("the sweep")
    sweep.add_argument(
        "--grid",
        dest="grids",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="values of a parameter, a setting or time_step: 10,20,50, or 0.1:1:5 for five from 0.1 to 1 "
        "(0.1:10:5:log for equal ratios); may be repeated, all combinations are run",
    )
    sweep.add_argument(
        "--metric",
        dest="metrics",
        action="append",
        default=[],
        metavar="WHAT",
        help="a figure of each run: KIND:CHANNEL with final, max, min, mean, rms, overshoot or "
        "settling_time, such as max:energy.kinetic; or MODULE:FUNCTION; may be repeated",
    )
    sweep.add_argument(
        "--channels",
        nargs="+",
        default=[],
        metavar="NAME",
        help="record these and keep them with each run: names and patterns such as joint.*",
    )
    add_duration(sweep, scene, "simulated time of each run")
    sweep.add_argument(
        "--out", metavar="FOLDER", help="where the runs are kept, and looked for (default sweeps/NAME)"
    )
    sweep.add_argument("--table", metavar="FILE", help="write the table here too: .csv, .npz or .parquet")
    sweep.add_argument("--again", action="store_true", help="make runs anew that failed earlier")
    sweep.add_argument(
        "--workers", type=count, metavar="N", help="processes (default: one for each processor)"
    )
    sweep.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on a Dask cluster, such as tcp://127.0.0.1:8786"
    )
    sweep.add_argument("--json", action="store_true", help="print the rows as one JSON array, nothing else")
    add_quiet(sweep)


def add_compare(parser: Parser) -> None:
    """Add the options of `stoss compare`."""
    parser.add_argument("first", metavar="RUN", help="the folder of a run")
    parser.add_argument("second", metavar="RUN", help="that of another")
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
