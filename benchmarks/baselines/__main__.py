"""Measure the baselines: `python -m stoss.benchmarks.baselines`."""

import argparse
import sys

from stoss.benchmarks.baselines.table import Row, chain_rows, format_rows, tree_rows, whip_rows


def main(arguments: list[str] | None = None) -> int:
    """Print the table.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.baselines",
        description="Speed, energy drift and joint error of Lagrange multipliers and penalty joints, RK4. "
        "Set OPENBLAS_NUM_THREADS=1 to keep the dense method on one core.",
    )
    parser.add_argument("--levels", type=int, nargs="*", default=[5, 6, 7, 8], help="levels of the trees")
    parser.add_argument("--chains", type=int, nargs="*", default=[10, 50], help="boxes of the pushed chains")
    parser.add_argument("--whips", type=int, nargs="*", default=[50], help="boxes of the whipping chains")
    parser.add_argument("--steps", type=int, default=500, help="steps of the trees (thesis: 500)")
    parser.add_argument("--dense-steps", type=int, default=20, help="steps of the dense method in the trees")
    parser.add_argument("--drop", type=float, default=0.0, help="how far below its joint a child hangs [m]")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    for levels in options.levels:
        rows += tree_rows(levels, steps=options.steps, dense_steps=options.dense_steps, drop=options.drop)
    for bodies in options.chains:
        rows += chain_rows(bodies)
    for bodies in options.whips:
        rows += whip_rows(bodies)
    print(format_rows(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
