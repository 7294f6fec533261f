"""The command that measures what is known of the systems of Stelzner 2008, and writes it into a page."""

import argparse
from collections.abc import Sequence

from stoss.benchmarks.checks import Check, add_checks, chosen, tell_all
from stoss.benchmarks.stelzner import capture, kinematics, mechanics, methods

__all__ = ["CHECKS", "main"]

CHECKS: dict[str, Check] = dict(
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
    add_checks(parser, CHECKS)
    parser.add_argument("--short", action="store_true", help="shorter runs, as in the tests")
    options = parser.parse_args(arguments)
    names = chosen(parser, options, CHECKS)
    return tell_all(CHECKS, ((name, CHECKS[name](short=options.short)) for name in names), options.write)
