"""Watch random worlds: `python -m stoss.benchmarks.worlds [worlds]`."""

import argparse
import sys
from collections.abc import Sequence

from stoss.benchmarks import worlds
from stoss.benchmarks.worlds.families import FAMILIES
from stoss.benchmarks.worlds.series import (
    GRAVITY,
    Finding,
    Summary,
    gravest,
    random_worlds,
    reduce,
    rubbing_chains,
    run_all,
)

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the worlds, print a table and reduced failures; return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.worlds", description=worlds.__doc__)
    parser.add_argument("worlds", nargs="?", type=int, default=100, help="how many (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first one (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the series (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="that share the work (default: %(default)s)")
    parser.add_argument(
        "--duration", type=float, default=10.0, help="of each world [s] (default: %(default)s)"
    )
    parser.add_argument("--family", choices=[*FAMILIES], help="worlds of one kind (default: all in turn)")
    parser.add_argument(
        "--rubbing",
        action="store_true",
        help="that many starts of chains of 3, 4, 10 and 20 boxes that rub, hanging and thrown",
    )
    parser.add_argument(
        "--reduce", type=int, default=20, help="most failures to reduce (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    for name, least in (("worlds", 1), ("processes", 1), ("reduce", 0), ("seed", 0), ("first", 0)):
        if getattr(options, name) < least:
            parser.error(f"{name} = {getattr(options, name)} must be at least {least}")
    if not options.duration > 0.0:
        parser.error(f"duration = {options.duration} must be above zero [s]")
    if options.rubbing:
        orders = rubbing_chains(options.worlds, options.seed, options.first)
    else:
        orders = random_worlds(options.worlds, options.seed, options.family, options.first)
    summary, failures = Summary(), []
    for finding in run_all(orders, options.duration, options.processes):
        summary.add(finding)
        if finding.outcome.violations:
            failures.append(finding)
            print(
                f"{finding.order}, {finding.family}:",
                "; ".join(map(str, finding.outcome.violations)),
                flush=True,
            )
    print(summary.table(), flush=True)
    failures.sort(key=_gravity)
    for finding in failures[: options.reduce]:
        text, violation = reduce(finding)
        print(f"\n# {finding.order}, {finding.family}, reduced\n# {violation}\n{text}", flush=True)
    return int(bool(failures))


def _gravity(finding: Finding) -> tuple[int, float]:
    return GRAVITY.index(gravest(finding.outcome.violations).rule), -finding.outcome.gain


if __name__ == "__main__":
    sys.exit(main())
