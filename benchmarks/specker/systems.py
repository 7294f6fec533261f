"""The systems of Specker 2016 beside the reference: `python -m stoss.benchmarks.specker.systems`."""

import argparse
from collections.abc import Sequence

from stoss.benchmarks.specker.checks import CHECKS, Row
from stoss.benchmarks.tables import put_into_page
from stoss.docstrings import first_line

__all__ = ["main", "page"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure checks, print them, and return 1 if one misses.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.specker.systems",
        description="Tests and systems of Specker 2016: the engine beside the reference.",
    )
    parser.add_argument("checks", nargs="*", help="words of their names, such as X-08; all when left out")
    parser.add_argument("--write", metavar="FILE.md", help="put the table into a page")
    options = parser.parse_args(arguments)
    for word in options.checks:
        if not any(word in name for name in CHECKS):
            parser.error(f"no check {word!r}; there are {'; '.join(CHECKS)}")
    results = {}
    for name, check in CHECKS.items():
        if options.checks and not any(word in name for word in options.checks):
            continue
        results[name] = check()
        print(f"{name}: {_title(name)}", flush=True)
        for row in results[name]:
            print(f"    {_told(row)}", flush=True)
    if options.write is not None:
        put_into_page(options.write, page(results))
    return 0 if all(row.holds for rows in results.values() for row in rows) else 1


def page(results: dict[str, list[Row]]) -> str:
    """Return the rows of checks as a table in Markdown."""
    lines = ["| system | what | stoss | reference | may differ by | unit | the thesis says |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for name, rows in results.items():
        lines.append(f"| **{name}** | {_title(name)} | | | | | |")
        for row in rows:
            mark = "" if row.holds else " (missed)"
            figures = f"{row.ours:.6g}{mark} | {row.reference:.6g} | {row.tolerance:.2g}"
            lines.append(f"| | {row.what} | {figures} | {row.unit} | {row.thesis} |")
    return "\n".join(lines)


def _title(name: str) -> str:
    return (first_line(CHECKS[name]) or name).partition(": ")[2] or (first_line(CHECKS[name]) or name)


def _told(row: Row) -> str:
    mark = "" if row.holds else "  MISSED"
    return f"{row.what}: {row.ours:.6g} {row.unit} ({row.reference:.6g} +- {row.tolerance:.2g}){mark}"


if __name__ == "__main__":
    raise SystemExit(main())
