"""Tables 3.1 to 3.7 of the thesis: joints.

Processor time per step of the iterative solver and of the direct one ("LGS") beside the figures of
Bender 2007, sections 3.3.3.1, 3.5 and 5.5.1.2 (Pentium 4, 3.4 GHz), and the cost per joint up to 10 000
bodies.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.benchmarks.baselines.boxes import tree_model
from stoss.benchmarks.baselines.table import CASES, measure_case
from stoss.benchmarks.tables import format_cells
from stoss.scenes.registry import find_scene
from stoss.scenes.running.compilation import CompileWatch

if TYPE_CHECKING:
    from stoss.engine import Settings, StepReport, World

__all__ = [
    "CHAIN_THESIS",
    "TABLES",
    "Line",
    "Measured",
    "as_json",
    "format_lines",
    "run_timed",
    "thesis_settings",
]

_COLUMNS = (
    *("", "bodies", "mean ms", "median", "thesis", "ratio"),
    *("us/joint", "passes", "sweeps", "factor.", "sub", "joint m", "usual m"),
)

TOLERANCES = (1e-3, 1e-4, 1e-6)  # [m] and [m/s]
TREE_TIME_STEP = 1.0 / 30.0  # [s]
CHAIN_TIME_STEP = 0.01  # [s]
CHAIN_STEPS = 200  # after which the thesis starts again with one link more
MOST_SWEEPS = 10_000
EARLY_SWEEPS = 10  # with which the thesis stops early
DENSE_STEPS = 20  # steps of the dense multipliers, which are slow

# Milliseconds per step of the thesis.
CHAIN_THESIS = {  # bodies: iterative, LGS, at 1e-6
    10: (3.30, 2.11),
    20: (23.20, 2.78),
    30: (71.65, 3.63),
    40: (157.69, 4.60),
    50: (287.14, 6.28),
}
TREE_THESIS = {  # bodies: iterative and LGS at the three tolerances
    31: ((2.73, 7.07, 15.87), (3.51, 3.99, 4.53)),
    63: ((7.86, 21.87, 54.25), (6.95, 7.09, 7.89)),
    127: ((20.35, 63.77, 169.07), (18.38, 19.05, 19.66)),
    255: ((51.47, 176.96, 494.15), (57.72, 57.61, 59.48)),
}
LOOPS_THESIS = {  # method: at the three tolerances
    "iterative": (32.26, 88.86, 241.24),
    "LGS": (41.19, 64.94, 114.70),  # loops cut, their joints closed by iteration
    "LGS, joints replaced": (3.51, 3.89, 4.85),
}
EARLY_THESIS = 6.30


@dataclass(frozen=True)
class Measured:
    """Figures of a run.

    Attributes:
        mean_ms, median_ms: processor time per step [ms], compiling and loading kernels left out.
        passes: solutions of the position rows per step.
        sweeps: Gauss-Seidel sweeps per step, of positions and velocities together.
        factorisations, refinements: of the direct solver, per step.
        sub_steps: parts of a step, on average.
        joint_error, usual_error: largest opening of a joint [m] in the run, and in the median step.
        joints: number of joints.
        stage_ms: median time per stage [ms], by the clock.
    """

    mean_ms: float
    median_ms: float
    passes: float
    sweeps: float
    factorisations: float
    refinements: float
    sub_steps: float
    joint_error: float
    usual_error: float
    joints: int
    stage_ms: dict[str, float]


@dataclass(frozen=True)
class Line:
    """One line of a table: what was run, its figures, and the thesis's time per step [ms]."""

    label: str
    bodies: int
    measured: Measured | float
    thesis_ms: float | None = None


def thesis_settings(solver: str, tolerance: float, **changes: Any) -> "Settings":
    """Return the settings of a method of the thesis.

    Args:
        solver: "iterative" or "LGS".
        tolerance: of positions [m] and of velocities [m/s].
        changes: settings that differ.
    """
    from stoss.engine import Settings

    values: dict[str, Any] = {"position_tolerance": tolerance, "velocity_tolerance": tolerance}
    if solver == "iterative":
        values |= {"solver": "gauss_seidel", "sweeps": MOST_SWEEPS}
    else:
        values |= {"solver": "direct"}
    return Settings(**(values | changes))


def run_timed(build: Callable[[], "World"], steps: int) -> Measured:
    """Build a world twice, to load the kernels and to measure its steps, and return the figures.

    Args:
        build: builds the world.
        steps: number of steps.
    """
    build().step(2)
    world = build()
    seconds = np.zeros(steps)
    reports: list[StepReport] = []
    begin = ready = 0.0

    def before(_: "World") -> None:
        nonlocal begin, ready
        ready = watch.ready_cpu_seconds
        begin = time.thread_time()

    def after(world: "World") -> None:
        ended = time.thread_time()
        seconds[len(reports)] = ended - begin - (watch.ready_cpu_seconds - ready)
        reports.append(world.report)

    world.before_step.append(before)
    world.after_step.append(after)
    with CompileWatch() as watch:
        world.step(steps)

    def mean(name: str) -> float:
        return float(np.mean([getattr(report, name) for report in reports]))

    stages = {stage: [r.stage_times.get(stage, 0.0) for r in reports] for stage in reports[0].stage_times}
    return Measured(
        mean_ms=1e3 * float(seconds.mean()),
        median_ms=1e3 * float(np.median(seconds)),
        passes=mean("passes"),
        sweeps=mean("sweeps"),
        factorisations=mean("factorisations"),
        refinements=mean("refinements"),
        sub_steps=mean("sub_steps"),
        joint_error=max(report.joint_error for report in reports),
        usual_error=float(np.median([report.joint_error for report in reports])),
        joints=reports[0].joint_count,
        stage_ms={stage: 1e3 * float(np.median(times)) for stage, times in stages.items()},
    )


def _chain(
    bodies: int, settings: "Settings", *, speed: float = 2.0, seed: int = 0, weightless: bool = False
) -> Callable[[], "World"]:
    """Return what builds the chain of Table 3.1, hanging, its links pushed in random directions."""

    def build() -> "World":
        world = find_scene("chain").build(
            bodies=bodies,
            length=1.0,
            thickness=0.1,
            start="hanging",
            speed=speed,
            seed=seed + bodies,
            time_step=CHAIN_TIME_STEP,
            settings=settings,
        )
        if weightless:
            world.gravity = (0.0, 0.0, 0.0)
        return world

    return build


def _tree(levels: int, settings: "Settings", drop: float) -> Callable[[], "World"]:
    return lambda: find_scene("tree").build(
        levels=levels, drop=drop, time_step=TREE_TIME_STEP, settings=settings
    )


def _levels(options: argparse.Namespace) -> list[tuple[int, int]]:
    return [(levels, 2**levels - 1) for levels in options.levels]


def chain_table(options: argparse.Namespace) -> list[Line]:
    """Table 3.1: the chain that grows by a link every 200 steps, at 1e-6."""
    lines = []
    for bodies in options.chains:
        for k, solver in enumerate(("iterative", "LGS")):
            build = _chain(bodies, thesis_settings(solver, 1e-6), seed=options.seed)
            measured = run_timed(build, min(options.steps, CHAIN_STEPS))
            thesis = CHAIN_THESIS[bodies][k] if bodies in CHAIN_THESIS else None
            lines.append(Line(f"chain, {solver}", bodies, measured, thesis))
    return lines


def tree_table(options: argparse.Namespace) -> list[Line]:
    """Tables 3.2, 3.3 and 3.4: the trees at three tolerances."""
    lines = []
    for levels, bodies in _levels(options):
        for k, solver in enumerate(("iterative", "LGS")):
            for number, tolerance in enumerate(TOLERANCES):
                settings = thesis_settings(solver, tolerance)
                measured = run_timed(_tree(levels, settings, options.drop), options.steps)
                thesis = TREE_THESIS[bodies][k][number] if bodies in TREE_THESIS else None
                lines.append(Line(f"tree, {solver}, {tolerance:.0e}", bodies, measured, thesis))
    return lines


def split_table(options: argparse.Namespace) -> list[Line]:
    """Table 3.5: what a step of the LGS method is made of, tree of 127 at 1e-6.

    `settle` builds and factorises the matrix and corrects velocities; `correct` uses the same factors for
    the positions of the next step.
    """
    measured = run_timed(_tree(7, thesis_settings("LGS", 1e-6), options.drop), options.steps)
    stages = measured.stage_ms
    return [
        Line("build and factorise, one pass of velocities: settle", 127, stages["settle"], 15.81 + 1.01),
        Line("one pass of positions: correct / passes", 127, stages["correct"] / measured.passes, 1.01),
        Line("free step: move", 127, stages["move"], 0.17),
        Line("the rest", 127, sum(stages.values()) - sum(stages[s] for s in ("settle", "correct", "move"))),
        Line("whole step", 127, measured, 19.66),
    ]


def early_table(options: argparse.Namespace) -> list[Line]:
    """Section 3.3.3.1: tree of 255, the iterative method stopped after ten sweeps of either kind."""
    settings = thesis_settings("iterative", 1e-6, sweeps=EARLY_SWEEPS, preview_passes=1)
    measured = run_timed(_tree(8, settings, options.drop), options.steps)
    return [Line(f"tree, iterative, {EARLY_SWEEPS} sweeps", 255, measured, EARLY_THESIS)]


def loop_table(options: argparse.Namespace) -> list[Line]:
    """Table 3.6: three closed loops with twelve hinges.

    The thesis cuts loops for its direct method and iterates over the joints that it cut (section 3.3.2.3);
    the direct solver here takes loops as they are, so these times compare two methods, and the label says so.
    """
    lines = []
    for method, thesis in LOOPS_THESIS.items():
        joints = "independent" if "replaced" in method else "hinges"
        for number, tolerance in enumerate(TOLERANCES):
            settings = thesis_settings(method.split(",")[0], tolerance)

            def build(settings: "Settings" = settings, joints: str = joints) -> "World":
                return find_scene("loops").build(joints=joints, time_step=TREE_TIME_STEP, settings=settings)

            measured = run_timed(build, options.steps)
            label = "direct; thesis: loops cut" if method == "LGS" else method
            lines.append(Line(f"loops, {label}, {tolerance:.0e}", 9, measured, thesis[number]))
    return lines


def multiplier_table(options: argparse.Namespace) -> list[Line]:
    """Table 3.7: Lagrange multipliers on the same trees; rows of the other methods are in `tree`."""
    lines = []
    for levels, bodies in _levels(options):
        for case, most in ((CASES[0], DENSE_STEPS), (CASES[1], options.steps)):
            model = tree_model(levels, drop=options.drop)
            row = measure_case("tree", model, TREE_TIME_STEP, min(options.steps, most), case, sample_every=10)
            thesis = row.thesis_seconds_per_step
            lines.append(
                Line(case.name, bodies, 1e3 * row.seconds_per_step, None if thesis is None else 1e3 * thesis)
            )
    return lines


def linear_table(options: argparse.Namespace) -> list[Line]:
    """Cost per joint of the LGS method from 31 to 10 000 bodies: trees, and chains in motion.

    The chains are without weight: the tension of a long one would make its links swing so fast that steps are
    split, and a split step costs its parts.
    """
    lines = []
    settings = thesis_settings("LGS", 1e-6)
    for levels in range(5, 14):
        measured = run_timed(_tree(levels, settings, options.drop), min(options.steps, 100))
        lines.append(Line("tree", 2**levels - 1, measured))
    for bodies in (31, 100, 316, 1000, 3162, 10_000):
        measured = run_timed(_chain(bodies, settings, speed=0.2, weightless=True), min(options.steps, 100))
        lines.append(Line("chain", bodies, measured))
    return lines


TABLES: dict[str, Callable[[argparse.Namespace], list[Line]]] = {
    "chain": chain_table,
    "tree": tree_table,
    "split": split_table,
    "early": early_table,
    "loops": loop_table,
    "multipliers": multiplier_table,
    "linear": linear_table,
}


def format_lines(title: str, lines: Sequence[Line]) -> str:
    """Return a table for reading."""
    rows = [list(_COLUMNS)]
    for line in lines:
        m = line.measured
        mean, median = (m, m) if isinstance(m, float) else (m.mean_ms, m.median_ms)
        thesis = "" if line.thesis_ms is None else f"{line.thesis_ms:.2f}"
        ratio = "" if line.thesis_ms is None else f"{line.thesis_ms / median:.0f}"
        row = [line.label, f"{line.bodies}", f"{mean:.4f}", f"{median:.4f}", thesis, ratio]
        if not isinstance(m, float):
            row += [f"{1e3 * median / m.joints:.3f}", f"{m.passes:.2f}", f"{m.sweeps:.1f}"]
            row += [f"{m.factorisations:.2f}", f"{m.sub_steps:.2f}"]
            row += [f"{m.joint_error:.1e}", f"{m.usual_error:.1e}"]
        rows.append(row)
    return f"{title}\n{format_cells(rows)}"


def as_json(line: Line) -> dict[str, Any]:
    """Return the figures of a line by their names."""
    m = line.measured
    figures = {"mean_ms": m, "median_ms": m} if isinstance(m, float) else vars(m)
    return {"label": line.label, "bodies": line.bodies, "thesis_ms": line.thesis_ms, **figures}
