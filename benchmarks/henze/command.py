"""The command that measures the experiments of Henze 2002 and writes them beside what the thesis says."""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from stoss.benchmarks.henze.experiments import EXPERIMENTS, measure
from stoss.benchmarks.tables import put_into_page
from stoss.docstrings import first_line
from stoss.scenes.cases.registry import Figure

__all__ = ["main", "page"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure experiments, print them, and return 1 if one misses what it should show.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.henze", description="Experiments of Henze 2002: walks, measured."
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(EXPERIMENTS)}; all when left out")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="that many side by side")
    parser.add_argument("--write", metavar="FILE.md", help="put the table into a page")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in EXPERIMENTS:
            parser.error(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    if options.processes < 1:
        parser.error(f"--processes {options.processes} must be at least 1")
    names = options.names or list(EXPERIMENTS)
    results = {}
    found: Iterator[list[Figure]] = map(measure, names)
    if options.processes > 1:
        found = ProcessPoolExecutor(options.processes).map(measure, names)
    for name, figures in zip(names, found, strict=True):
        results[name] = figures
        print(first_line(EXPERIMENTS[name]), flush=True)
        for one in figures:
            mark = "" if one.passed else "  MISSED"
            print(f"    {one.what}: {one.measured:.4g} {one.unit} ({one.bound}){mark}", flush=True)
    if options.write is not None:
        put_into_page(options.write, page(results))
    return 0 if all(one.passed for figures in results.values() for one in figures) else 1


def page(results: dict[str, list[Figure]]) -> str:
    """Return experiments and their figures as a table in Markdown."""
    lines = ["| experiment | what | measured | must be | unit |", "| --- | --- | --- | --- | --- |"]
    for name, figures in results.items():
        told = (first_line(EXPERIMENTS[name]) or name).split(": ", 1)[-1]
        lines.append(f"| **{name.replace('E-', 'E')}** | {told} | | | |")
        for one in figures:
            mark = "" if one.passed else " (missed)"
            lines.append(f"| | {one.what} | {one.measured:.4g}{mark} | {one.bound} | {one.unit} |")
    return "\n".join(lines)
