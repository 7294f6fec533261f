"""The command that measures the tests of Krieg 1992 and writes them beside what is expected."""

import argparse
import warnings
from collections.abc import Iterable, Iterator, Sequence

from stoss.benchmarks.checks import Check, add_checks, chosen, tell_all
from stoss.benchmarks.krieg import chain, control, files, heel, laws
from stoss.scenes.cases.registry import Figure

__all__ = ["CHECKS", "main"]

CHECKS: dict[str, Check] = dict(
    sorted({**chain.CHECKS, **files.CHECKS, **laws.CHECKS, **control.CHECKS, **heel.CHECKS}.items())
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure tests, print them, and return 1 if one fails.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.krieg",
        description="Tests of Krieg 1992, measured on the engine and on the reference.",
    )
    add_checks(parser, CHECKS)
    parser.add_argument("--short", action="store_true", help="shorter runs, as in the tests")
    options = parser.parse_args(arguments)
    return tell_all(CHECKS, _measured(chosen(parser, options, CHECKS), options.short), options.write)


def _measured(names: Iterable[str], short: bool) -> Iterator[tuple[str, list[Figure]]]:
    """Yield the figures of each test, without warnings of stops that are far bent, as the table asks for."""
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            figures = list(CHECKS[name](short=short))
        yield name, figures
