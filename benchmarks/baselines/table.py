"""Measured tables: the trees of the thesis (Table 3.7) and its chains (Table 3.1), with all methods."""

from dataclasses import replace
from typing import NamedTuple

from stoss.benchmarks.baselines.boxes import box_model, chain_model, tree_model
from stoss.benchmarks.baselines.methods import (
    BaraffMultipliers,
    DenseMultipliers,
    Method,
    PenaltyJoint,
    SpringJoint,
)
from stoss.benchmarks.baselines.model import BallJointModel
from stoss.benchmarks.baselines.running import consistent_velocities, simulate
from stoss.benchmarks.tables import format_cells, machine_load
from stoss.scenes.mechanisms.jointed_boxes import chain_boxes

__all__ = ["CASES", "Case", "Row", "chain_rows", "format_rows", "measure_case", "tree_rows", "whip_rows"]

_COLUMNS = (
    *("scene", "method", "bodies", "steps", "ms/step", "wall ms"),
    *("thesis ms", "energy drift J", "joint error m", ""),
)


class Case(NamedTuple):
    """A method and how finely it divides a time step of the experiment."""

    name: str
    method: Method
    divisions: int = 1


# Baumgarte's parameters: critically damped and slow against 1/h = 30 1/s. The spring: a tenth of a millimetre
# of sag per kilogram. Where the lightest box of the trees hangs 0.1 m below its joint, the joint sees an
# inverse mass of 1/m + r^2/J = 400 1/kg and oscillates with 6300 rad/s, for which RK4 needs steps below
# 2.8 / 6300 s: 100 divisions of 1/30 s are below that.
CASES = (
    Case("multipliers, dense", DenseMultipliers(10.0, 10.0)),
    Case("multipliers, Baraff", BaraffMultipliers(10.0, 10.0)),
    Case("Baraff without Baumgarte", BaraffMultipliers()),
    Case("penalty", PenaltyJoint()),
    Case("spring and damper", SpringJoint(1e5, 10.0), 100),
)

# Table 3.7 of the thesis, milliseconds per step of 1/30 s on a Pentium 4 at 3.4 GHz, by number of bodies.
THESIS = {
    "multipliers, dense": {31: 212.12, 63: 2190.0, 127: 25200.0, 255: 175450.0},
    "multipliers, Baraff": {31: 7.72, 63: 16.84, 127: 35.29, 255: 82.05},
}


class Row(NamedTuple):
    """Figures of one run, in SI units; times are for a time step of the experiment, with all divisions."""

    scene: str
    bodies: int
    method: str
    steps: int
    completed_steps: int
    seconds_per_step: float
    wall_seconds_per_step: float
    energy_drift: float
    joint_error: float
    thesis_seconds_per_step: float | None


def measure_case(
    scene: str, model: BallJointModel, time_step: float, steps: int, case: Case, *, sample_every: int = 1
) -> Row:
    """Run a model with one method.

    Args:
        scene: name for the table.
        model: what to run.
        time_step: of the experiment [s].
        steps: of the experiment.
        case: the method and its divisions of a step.
        sample_every: measure every so many steps.
    """
    k = case.divisions
    if model.torque_steps:
        # the same push, however finely the step is divided
        model = replace(model, torque_steps=k * model.torque_steps)
    result = simulate(model, time_step / k, k * steps, case.method, sample_every=k * sample_every)
    thesis = THESIS.get(case.name, {}).get(model.body_count) if scene.startswith("tree") else None
    return Row(
        scene,
        model.body_count,
        case.name,
        steps,
        result.completed_steps // k,
        k * result.seconds_per_step,
        k * result.wall_seconds_per_step,
        result.energy_drift,
        result.joint_error,
        None if thesis is None else thesis / 1000.0,
    )


def tree_rows(levels: int, *, steps: int = 500, dense_steps: int = 20, drop: float = 0.0) -> list[Row]:
    """Measure a tree at 1/30 s with all methods, as Table 3.7 does.

    Args:
        levels: 5 to 8 for the thesis's 31 to 255 bodies.
        steps: number of steps; the thesis has 500.
        dense_steps: number of steps of the dense method.
        drop: how far below its joint each child hangs [m].
    """
    scene = "tree" if drop == 0.0 else f"tree, {drop:g} m below"
    model = tree_model(levels, drop=drop)
    return [
        measure_case(
            scene,
            model,
            1 / 30,
            min(steps, dense_steps) if case is CASES[0] else steps,
            case,
            sample_every=10,
        )
        for case in CASES
    ]


def chain_rows(bodies: int, *, steps: int = 200) -> list[Row]:
    """Measure a hanging chain at 10 ms after a push of 2 m/s per box, with all methods.

    Args:
        bodies: number of boxes.
        steps: number of steps; the thesis has 200 for each length.
    """
    model = consistent_velocities(chain_model(bodies))
    return [measure_case("chain, pushed", model, 0.01, steps, case) for case in CASES]


def whip_rows(bodies: int, *, steps: int = 1000) -> list[Row]:
    """Measure a chain that falls from horizontal, at 10 ms and, for the linear method, at fractions of it.

    When the end of the chain whips round, RK4 needs far shorter steps than before and after.

    Args:
        bodies: number of boxes.
        steps: number of steps.
    """
    model = box_model(chain_boxes(bodies, horizontal=True))
    cases = [*CASES[1:], *(Case(f"Baraff, {k} divisions", CASES[1].method, k) for k in (2, 4, 10))]
    return [measure_case("chain, whip", model, 0.01, steps, case) for case in cases]


def format_rows(rows: list[Row]) -> str:
    """Return the rows as a table for reading."""
    cells = [list(_COLUMNS)]
    for row in rows:
        thesis = "" if row.thesis_seconds_per_step is None else f"{1000.0 * row.thesis_seconds_per_step:.2f}"
        times = [f"{1000.0 * seconds:.4f}" for seconds in (row.seconds_per_step, row.wall_seconds_per_step)]
        whole = row.completed_steps == row.steps
        cells.append(
            [
                *(row.scene, row.method, f"{row.bodies}", f"{row.completed_steps}", *times, thesis),
                *(f"{row.energy_drift:.2e}", f"{row.joint_error:.2e}"),
                "" if whole else f"blown up in step {row.completed_steps + 1}",
            ]
        )
    about = f"processor time per step of the experiment; {machine_load()}"
    return f"{about}\n{format_cells(cells, left=(0, 1, len(_COLUMNS) - 1))}"
