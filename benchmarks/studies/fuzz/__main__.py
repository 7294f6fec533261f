"""Check random pairs of all kinds: `python -m stoss.benchmarks.studies.fuzz [pairs] [seed] [--motion]`."""

import argparse
import sys

from stoss.benchmarks.studies import fuzz
from stoss.benchmarks.studies.fuzz import RULES, check, check_motion, kind_pairs

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Check random pairs of all kinds and print a table; return 1 if a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.studies.fuzz", description=fuzz.__doc__)
    parser.add_argument("pairs", nargs="?", type=int, default=100_000, help="how many pairs of shapes")
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--motion", action="store_true", help="let the pairs meet, and watch their energy")
    options = parser.parse_args(arguments)
    kinds = kind_pairs()
    share = -(-options.pairs // len(kinds))
    rules = ("rose",) if options.motion else RULES
    print(f"{'pair':22}{'pairs':>8}" + ("" if options.motion else f"{'touch':>8}"), end="")
    print("".join(f"{rule:>9}" for rule in rules))
    failed = False
    for pair in kinds:
        line = f"{pair[0] + ' ' + pair[1]:22}{share:8}"
        if options.motion:
            broken = {"rose": check_motion(pair, share, options.seed)}
        else:
            broken, found, _ = check(pair, share, options.seed)
            line += f"{int((found > 0).sum()):8}"
        counts = [int((broken[rule] > 0.0).sum()) for rule in rules]
        failed = failed or any(counts)
        worst = {r: f"{broken[r].max():.1e}" for r, k in zip(rules, counts, strict=True) if k}
        print(line + "".join(f"{k:9}" for k in counts), *(f"{r} {v}" for r, v in worst.items()), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
