"""Checks of a thesis as a command: measured one after the other, printed, and put into a page as a table."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence

from stoss.benchmarks.tables import put_into_page
from stoss.docstrings import first_line
from stoss.scenes.cases.registry import Figure

__all__ = ["Check", "add_checks", "chosen", "figure_table", "tell_all"]

Check = Callable[..., Iterable[Figure]]  # whose docstring begins with its name and what it shows


def add_checks(parser: argparse.ArgumentParser, checks: Mapping[str, Check]) -> None:
    """Add which checks are measured, and into which page they are put."""
    parser.add_argument("checks", nargs="*", help=f"of {', '.join(checks)}; all when left out")
    parser.add_argument("--write", metavar="FILE.md", help="put the table into a page")


def chosen(
    parser: argparse.ArgumentParser, options: argparse.Namespace, checks: Mapping[str, Check]
) -> list[str]:
    """Return the names that were asked for, or all; ends with an error for one that is none."""
    for name in options.checks:
        if name not in checks:
            parser.error(f"no check {name!r}; there are {', '.join(checks)}")
    return list(options.checks or checks)


def tell_all(
    checks: Mapping[str, Check],
    measured: Iterable[tuple[str, Iterable[Figure]]],
    write: str | None,
) -> int:
    """Print figures beside their bounds as they come, put them into a page, and return 1 if one misses.

    Args:
        checks: by name.
        measured: names, and the figures of each.
        write: name of the page, None: none.
    """
    results: dict[str, list[Figure]] = {}
    for name, figures in measured:
        print(first_line(checks[name]), flush=True)
        results[name] = []
        for one in figures:
            results[name].append(one)
            mark = "" if one.passed else "  MISSED"
            print(f"    {one.what}: {one.measured:.6g} {one.unit} ({one.bound}){mark}", flush=True)
    if write is not None:
        put_into_page(write, figure_table(checks, results))
    return int(not all(one.passed for figures in results.values() for one in figures))


def figure_table(checks: Mapping[str, Check], results: Mapping[str, Sequence[Figure]]) -> str:
    """Return checks and their figures as a table in Markdown."""
    lines = ["| check | what | measured | must be | unit |", "| --- | --- | --- | --- | --- |"]
    for name, figures in results.items():
        line = first_line(checks[name])
        lines.append(f"| **{name}** | {line.partition(': ')[2] or line} | | | |")
        for one in figures:
            mark, unit = "" if one.passed else " (missed)", one.unit.replace("|", "")
            lines.append(f"| | {one.what} | {one.measured:.6g}{mark} | {one.bound} | {unit} |")
    return "\n".join(lines)
