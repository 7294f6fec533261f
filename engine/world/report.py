"""What a step leaves behind for its user: figures, events, errors."""

from dataclasses import dataclass, field

import numpy as np
from stoss.engine.stages.ledger import EnergyLedger

__all__ = ["SimulationError", "StepReport"]


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
