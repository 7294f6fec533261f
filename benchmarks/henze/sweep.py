"""Many walks with varied parameters: python -m stoss.benchmarks.henze.sweep --walks 200 --processes 8."""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from stoss.benchmarks.henze.walks import go

__all__ = ["RANGES", "main", "table"]

# Least and most of what is varied, each evenly between.
RANGES: dict[str, tuple[float, float]] = {
    "speed": (0.65, 1.15),
    "step": (0.375, 0.525),
    "push_off": (0.0, 0.6),
    "lean": (-0.03, 0.12),
    "leg": (0.80, 0.86),
    "shortening": (0.7, 0.9),
    "step_gain": (0.0, 0.5),
    "friction": (0.6, 2.0),
    "slope": (-4.0, 4.0),
    "stature": (1.5, 1.95),
    "mass": (50.0, 110.0),
}
PARTS = 3  # of each range


def one(seed: int, seconds: float, time_step: float = 0.001) -> tuple[dict[str, float], float, bool]:
    """Return the parameters of a walk, how long it lasted [s], and whether it fell.

    Args:
        seed: of its parameters.
        seconds: how long it is to last [s].
        time_step: of its world [s].
    """
    from stoss.engine.humans import MALE, Walk

    rng = np.random.default_rng(seed)
    values: dict[str, float] = {name: float(rng.uniform(*ends)) for name, ends in RANGES.items()}
    of_walk = ("speed", "step", "push_off", "lean", "leg", "shortening", "step_gain")
    walk = Walk(**{name: values[name] for name in of_walk})
    human = MALE.scaled(stature=values["stature"], mass=values["mass"])
    friction, slope = values["friction"], values["slope"]
    out = go(seconds, walk, human=human, time_step=time_step, friction=friction, slope=slope)
    return values, out.lasted, out.fell


def table(walks: Sequence[tuple[dict[str, float], float, bool]]) -> str:
    """Return what falls as a table in Markdown: of each third of a range, the share that fell, and when.

    Args:
        walks: as `one` returns them.
    """
    fell = np.array([fallen for _, _, fallen in walks])
    lasted = np.array([time for _, time, _ in walks])
    lines = [
        f"{len(walks)} walks, {fell.sum()} falls"
        + (f", in the middle after {np.median(lasted[fell]):.1f} s" if fell.any() else ""),
        "",
        "| varied | from | to | fell in the lowest third | middle | highest | falls in the middle after |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, (low, high) in RANGES.items():
        values = np.array([own[name] for own, _, _ in walks])
        third = np.minimum(((values - low) / (high - low) * PARTS).astype(int), PARTS - 1)
        shares, times = [], []
        for k in range(PARTS):
            of = third == k
            shares.append(f"{fell[of].sum()} of {of.sum()}")
            times.append(f"{np.median(lasted[of & fell]):.1f}" if (of & fell).any() else "-")
        lines.append(f"| {name} | {low} | {high} | {' | '.join(shares)} | {', '.join(times)} s |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk many times, and print what falls and when.

    Args:
        arguments: of the command line; None takes those of the process.
    """
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.henze.sweep", description=__doc__)
    parser.add_argument("--walks", type=int, default=200, metavar="N", help="how many; 200")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each is; 5")
    parser.add_argument("--step", type=float, default=0.001, help="time step, which divides 10 ms; 0.001 s")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="that many side by side")
    parser.add_argument("--seed", type=int, default=0, help="of the first; each has one of its own")
    options = parser.parse_args(arguments)
    if options.walks < 1 or options.processes < 1:
        parser.error("--walks and --processes must be at least 1")
    if not 0.0 < options.seconds < 1000.0:
        parser.error(f"--seconds {options.seconds:g} must be above 0 and below 1000")
    steps = 0.01 / options.step if options.step > 0.0 else 0.0
    if round(steps) < 1 or abs(steps - round(steps)) > 1e-9:
        parser.error(f"--step {options.step:g} does not divide 0.01 s; give 0.001 or 0.002")
    walks: list[Any] = []
    count = options.walks
    seeds = range(options.seed, options.seed + options.walks)
    with ProcessPoolExecutor(options.processes) as pool:
        for found in pool.map(one, seeds, [options.seconds] * count, [options.step] * count):
            walks.append(found)
            _, lasted, fallen = found
            print(f"{len(walks)}: {lasted:.2f} s{', fell' if fallen else ''}", file=sys.stderr, flush=True)
    print(table(walks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
