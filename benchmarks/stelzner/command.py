"""The command that measures what is known of the systems of Stelzner 2008, and writes it into a page."""

import argparse
from collections.abc import Callable, Iterable, Sequence

from stoss.benchmarks.stelzner import capture, kinematics, mechanics, methods
from stoss.benchmarks.tables import put_into_page
from stoss.docstrings import first_line
from stoss.scenes.cases.registry import Figure

__all__ = ["CHECKS", "main", "page"]

CHECKS: dict[str, Callable[..., Iterable[Figure]]] = dict(
    sorted({**mechanics.CHECKS, **kinematics.CHECKS, **capture.CHECKS, **methods.CHECKS}.items())
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print figures beside their bounds, and return 1 if one misses its bound.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.stelzner",
        description="Benchmarks and acceptance tests of Stelzner 2008, measured.",
    )
    parser.add_argument("checks", nargs="*", help=f"of {', '.join(CHECKS)}; all when left out")
    parser.add_argument("--short", action="store_true", help="shorter runs, as in the tests")
    parser.add_argument("--write", metavar="FILE.md", help="put the table into a page")
    options = parser.parse_args(arguments)
    for name in options.checks:
        if name not in CHECKS:
            parser.error(f"no check {name!r}; there are {', '.join(CHECKS)}")
    results: dict[str, list[Figure]] = {}
    for name in options.checks or CHECKS:
        print(first_line(CHECKS[name]), flush=True)
        results[name] = []
        for one in CHECKS[name](short=options.short):
            results[name].append(one)
            mark = "" if one.passed else "  MISSED"
            print(f"    {one.what}: {one.measured:.6g} {one.unit} ({one.bound}){mark}", flush=True)
    if options.write is not None:
        put_into_page(options.write, page(results))
    return 0 if all(one.passed for found in results.values() for one in found) else 1


def page(results: dict[str, list[Figure]]) -> str:
    """Return checks and their figures as a table in Markdown."""
    lines = ["| check | what | measured | must be | unit |", "| --- | --- | --- | --- | --- |"]
    for name, found in results.items():
        title = (first_line(CHECKS[name]) or name).partition(": ")[2]
        lines.append(f"| **{name}** | {title} | | | |")
        for one in found:
            mark = "" if one.passed else " (missed)"
            lines.append(f"| | {one.what} | {one.measured:.4g}{mark} | {one.bound} | {one.unit} |")
    return "\n".join(lines)
