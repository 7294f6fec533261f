"""Warm start against cold start, for both solvers: `python -m stoss.benchmarks.studies.warm_start`.

Every phase of a step starts from the impulses of the last one (Bender 2007, section 7.2, future work), or
from nothing. Stacks and walls run for 10 s, in which they should not move.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stoss.benchmarks.presets import TIME_STEP
from stoss.scenes.registry import find_scene
from stoss.scenes.running.compilation import CompileWatch

__all__ = ["CASES", "Case", "Outcome", "main", "measure_start"]


class Case(NamedTuple):
    """One scene of the comparison."""

    scene: str
    parameters: dict[str, Any]
    steps: int  # of 10 ms
    rests: bool  # whether it should not move


CASES = {
    "stack20": Case("stack", {"bodies": 20}, 1000, True),
    "stack50": Case("stack", {"bodies": 50}, 1000, True),
    "pyramid210": Case("pyramid", {"base": 20}, 1000, True),
    "wall105": Case("wall", {}, 1000, True),
    "funnel500": Case("funnel", {"bodies": 500, "shapes": "mixed"}, 500, False),
}
SOLVERS = ("direct", "gauss_seidel")


class Outcome(NamedTuple):
    """What one run gave; work is the mean per step."""

    steps_per_second: float  # of processor time, without compiling
    sweeps: float
    factorisations: float
    refinements: float
    overlap: float  # deepest of all steps [m]
    drift: float  # largest distance of a body from its start at the end [m]
    fallen: bool


def measure_start(case: Case, solver: str, warm: bool, steps: int | None = None) -> Outcome:
    """Run a case and return its figures.

    Args:
        case: what to run.
        solver: "direct", "gauss_seidel" or "auto".
        warm: whether phases start from the impulses of the last one.
        steps: number of steps; None takes that of the case.
    """
    from stoss.engine import Settings

    settings = Settings(solver=solver, warm_start=warm)
    world = find_scene(case.scene).build(settings=settings, time_step=TIME_STEP, **case.parameters)
    count = case.steps if steps is None else steps
    start, tallest = world.positions.copy(), float(world.positions[:, 2].max())
    work, overlap, spent = np.zeros(3), 0.0, 0.0
    with CompileWatch() as watch:
        for _ in range(count):
            before = watch.processor_time
            report = world.step()
            spent += watch.processor_time - before
            work += report.sweeps, report.factorisations, report.refinements
            overlap = max(overlap, report.max_overlap)
    drift = float(np.linalg.norm(world.positions - start, axis=1).max())
    fallen = case.rests and float(world.positions[:, 2].max()) < tallest - 0.25
    sweeps, factorisations, refinements = (work / count).tolist()
    return Outcome(count / spent, sweeps, factorisations, refinements, overlap, drift, fallen)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases, print the table and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.studies.warm_start", description=__doc__
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(CASES)} (default: all)")
    parser.add_argument("--steps", type=int, help="number of steps of each run (default: those of the case)")
    parser.add_argument("--solvers", default=",".join(SOLVERS), help="with commas (default: %(default)s)")
    options = parser.parse_args(arguments)
    solvers = options.solvers.split(",")
    for what, names, known in (
        ("case", options.cases, CASES),
        ("solver", solvers, (*SOLVERS, "auto")),
    ):
        for name in names:
            if name not in known:
                parser.error(f"there is no {what} {name!r}; choose from {', '.join(known)}")
    if options.steps is not None and options.steps < 1:
        parser.error("--steps must be at least 1")
    print(
        f"{'case':<11} {'solver':<13} {'start':<6} {'steps/s':>8} {'sweeps':>7} {'factors':>8} {'passes':>7} "
        f"{'overlap m':>10} {'drift m':>9}"
    )
    for name in options.cases or CASES:
        case = CASES[name]
        for solver in solvers:
            for warm in (True, False):
                o = measure_start(case, solver, warm, options.steps)
                drift = "falls" if o.fallen else f"{o.drift:.1e}" if case.rests else ""
                print(
                    f"{name:<11} {solver:<13} {'warm' if warm else 'cold':<6} {o.steps_per_second:>8.0f} "
                    f"{o.sweeps:>7.1f} {o.factorisations:>8.2f} {o.refinements:>7.1f} {o.overlap:>10.1e} "
                    f"{drift:>9}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
