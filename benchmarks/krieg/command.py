"""The command that measures the tests of Krieg 1992 and writes them beside what is expected."""

import argparse
import warnings
from collections.abc import Callable, Sequence

from stoss.benchmarks.krieg import chain, control, files, heel, laws
from stoss.benchmarks.tables import put_into_page
from stoss.docstrings import first_line
from stoss.scenes.cases.registry import Figure

__all__ = ["CHECKS", "main", "page"]

_ALL: dict[str, Callable[..., list[Figure]]] = {
    **chain.CHECKS,
    **files.CHECKS,
    **laws.CHECKS,
    **control.CHECKS,
    **heel.CHECKS,
}
CHECKS = {name: _ALL[name] for name in sorted(_ALL)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure tests, print them, and return 1 if one fails.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.krieg",
        description="Tests of Krieg 1992, measured on the engine and on the reference.",
    )
    parser.add_argument("tests", nargs="*", help=f"of {', '.join(CHECKS)}; all when left out")
    parser.add_argument("--short", action="store_true", help="shorter runs, as in the tests")
    parser.add_argument("--write", metavar="FILE.md", help="put the table into a page")
    options = parser.parse_args(arguments)
    for name in options.tests:
        if name not in CHECKS:
            parser.error(f"no test {name!r}; there are {', '.join(CHECKS)}")
    results = {}
    for name in options.tests or CHECKS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of stops that are far bent, as the table asks for
            results[name] = CHECKS[name](short=options.short)
        print(first_line(CHECKS[name]), flush=True)
        for one in results[name]:
            mark = "" if one.passed else "  FAILED"
            print(f"    {one.what}: {one.measured:.7g} {one.unit} ({one.bound}){mark}", flush=True)
    if options.write is not None:
        put_into_page(options.write, page(results))
    return 0 if all(one.passed for found in results.values() for one in found) else 1


def page(results: dict[str, list[Figure]]) -> str:
    """Return tests and their figures as a table in Markdown."""
    lines = ["| test | what | measured | must be | unit |", "| --- | --- | --- | --- | --- |"]
    for name, figures in results.items():
        title = (first_line(CHECKS[name]) or name).removeprefix(f"{name}: ")
        lines.append(f"| **{name}** | {title} | | | |")
        for one in figures:
            mark = "" if one.passed else " (missed)"
            unit = one.unit.replace("|", "")
            lines.append(f"| | {one.what} | {one.measured:.6g}{mark} | {one.bound} | {unit} |")
    return "\n".join(lines)
