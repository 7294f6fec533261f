"""The command that measures the experiments of Henze 2002 and writes them beside what the thesis says."""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from stoss.benchmarks.checks import add_checks, chosen, tell_all
from stoss.benchmarks.henze.experiments import EXPERIMENTS, measure
from stoss.scenes.cases.registry import Figure

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure experiments, print them, and return 1 if one misses what it should show.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.henze", description="Experiments of Henze 2002: walks, measured."
    )
    add_checks(parser, EXPERIMENTS)
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="that many side by side")
    options = parser.parse_args(arguments)
    names = chosen(parser, options, EXPERIMENTS)
    if options.processes < 1:
        parser.error(f"--processes {options.processes} must be at least 1")
    found: Iterator[list[Figure]] = map(measure, names)
    if options.processes > 1:
        found = ProcessPoolExecutor(options.processes).map(measure, names)
    return tell_all(EXPERIMENTS, zip(names, found, strict=True), options.write)
