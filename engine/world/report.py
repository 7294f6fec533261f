"""What a step leaves behind for its user: figures, events, errors."""

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from stoss.engine.bodies.energy import energy_and_momentum
from stoss.engine.joints.state import held_errors
from stoss.engine.solvers.island_solver import (
    BOUNDED_IMPACTS,
    CHANGE,
    DIRECT,
    FACTORISATIONS,
    IMPACT_ROUNDS,
    PASSES,
    PREVIEW_ERROR,
    REFINEMENTS,
    RESIDUAL,
    SUB_STEPS,
    SWEEPS_MADE,
)
from stoss.engine.stages.ledger import EnergyLedger

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["SimulationError", "StageClock", "StepReport", "report_of"]


class StageClock:
    """Add up the seconds of each stage of a step, over its sub-steps."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}
        self._last = perf_counter()

    def end(self, stage: str) -> None:
        """Count the time since the last call for this stage."""
        now = perf_counter()
        self.times[stage] = self.times.get(stage, 0.0) + now - self._last
        self._last = now


class SimulationError(RuntimeError):
    """The simulation ran away; the world is back in the last good state.

    Attributes:
        step: number of the step that failed.
        body: name of the body.
        contact: names of the bodies of the contact with the largest impulse on that body, or None.
    """

    def __init__(self, message: str, step: int, body: str, contact: tuple[str, str] | None) -> None:
        super().__init__(message)
        self.step = step
        self.body = body
        self.contact = contact


@dataclass(frozen=True)
class StepReport:
    """Figures of the last step.

    Attributes:
        step, time: number of the step and world time after it [s].
        body_count, contact_count: bodies; contacts seen, those across a gap included.
        touching_count: contacts whose surfaces touch.
        islands, direct_islands: sets of connected awake bodies, and how many of them were solved directly.
        asleep_count: bodies that sleep.
        joint_count: joints, those that are disabled included.
        sub_steps, order: steps that this step was made of, and its order: a composition of order 4 or 6 falls
            back to 2 near contacts, stops and dampers.
        contact_times, roll_backs, missed_contact_times: with `Settings.time_of_contact`: impacts at which the
            step was split, sub-steps that were taken back to find them, and sub-steps that ended with an
            impact passed over, because there were too many of them.
        passes: solutions of the position rows.
        factorisations, refinements, sweeps: work of the two solvers.
        impact_rounds: rounds of impacts with restitution.
        bounded_impacts: islands in which an impact would have added energy, and gave back less than its law
            says.
        residual: largest velocity by which a row is missed [m/s]: of the direct solver.
        sweep_change: largest change of velocity in the last sweep [m/s], of Gauss-Seidel.
        preview_error: largest distance by which the preview missed in the last pass [m].
        joint_error, joint_angle_error: by how much joints are open, at most [m], [rad].
        max_overlap: deepest overlap of any contact [m].
        jammed: names of bodies that overlap by more than `Settings.contact_margin` and that the step could
            not move apart, since others are in the way: their places contradict each other.
        kinetic_energy, potential_energy: [J]; potential energy is -m g . x.
        ledger: what took and gave energy in this step.
        momentum, angular_momentum: (3,) [N s] and about the world's origin [N m s].
        stage_times: seconds of this step per stage.
    """

    step: int = 0
    time: float = 0.0
    body_count: int = 0
    contact_count: int = 0
    touching_count: int = 0
    islands: int = 0
    direct_islands: int = 0
    asleep_count: int = 0
    joint_count: int = 0
    sub_steps: int = 1
    order: int = 2
    contact_times: int = 0
    roll_backs: int = 0
    missed_contact_times: int = 0
    passes: int = 0
    factorisations: int = 0
    refinements: int = 0
    sweeps: int = 0
    impact_rounds: int = 0
    bounded_impacts: int = 0
    residual: float = 0.0
    sweep_change: float = 0.0
    preview_error: float = 0.0
    joint_error: float = 0.0
    joint_angle_error: float = 0.0
    max_overlap: float = 0.0
    jammed: tuple[tuple[str, str], ...] = ()
    kinetic_energy: float = 0.0
    potential_energy: float = 0.0
    ledger: EnergyLedger = field(default_factory=EnergyLedger)
    momentum: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_momentum: np.ndarray = field(default_factory=lambda: np.zeros(3))
    stage_times: dict[str, float] = field(default_factory=dict)

    @property
    def energy(self) -> float:
        """Return kinetic plus potential energy [J]."""
        return self.kinetic_energy + self.potential_energy


def report_of(world: "World") -> StepReport:
    """Return the figures of the last step of a world and of its present state."""
    d, bodies, joints = world._dynamics, world._body_store.table, world._joint_store.table
    figures, times = d.figures, world._contact_times
    gaps = np.concatenate([d.contacts.gap[: d.contacts.count], d.sleepers.gaps])
    joint_error, angle_error = held_errors(joints.arrays)
    totals = energy_and_momentum(bodies.arrays, world._gravity)
    return StepReport(
        step=world.step_count,
        time=world.time,
        body_count=bodies.count,
        contact_count=len(gaps),
        touching_count=int((gaps <= world.settings.touch_distance).sum()),
        islands=len(d.solver.methods),
        direct_islands=int((d.solver.methods == DIRECT).sum()),
        asleep_count=d.sleepers.count,
        joint_count=joints.count,
        sub_steps=int(figures[SUB_STEPS]),
        order=d.order,
        contact_times=0 if times is None else times.found,
        roll_backs=0 if times is None else times.roll_backs,
        missed_contact_times=0 if times is None else times.missed,
        passes=int(figures[PASSES]),
        factorisations=int(figures[FACTORISATIONS]),
        refinements=int(figures[REFINEMENTS]),
        sweeps=int(figures[SWEEPS_MADE]),
        impact_rounds=int(figures[IMPACT_ROUNDS]),
        bounded_impacts=int(figures[BOUNDED_IMPACTS]),
        residual=float(figures[RESIDUAL]),
        sweep_change=float(figures[CHANGE]),
        preview_error=float(figures[PREVIEW_ERROR]),
        joint_error=joint_error,
        joint_angle_error=angle_error,
        max_overlap=float(max(0.0, -gaps.min())) if len(gaps) else 0.0,
        jammed=_jammed_pairs(world),
        kinetic_energy=float(totals[0]),
        potential_energy=float(totals[1]),
        ledger=EnergyLedger.of(d.ledger),
        momentum=totals[2:5].copy(),
        angular_momentum=totals[5:8].copy(),
        stage_times=dict(world._stage_times),
    )


def _jammed_pairs(world: "World") -> tuple[tuple[str, str], ...]:
    """Return the names of the pairs that the last step could not move apart."""
    jammed, contacts, handles = world._dynamics.jammed, world._dynamics.contacts, world._body_store.handles
    pairs = dict.fromkeys(zip(contacts.body_a[jammed], contacts.body_b[jammed], strict=True))
    return tuple((handles[a].name, handles[b].name) for a, b in pairs)
