"""What a step leaves behind for its user: statistics, and the error when it failed."""

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from stoss.collision.read_only import read_only
from stoss.engine.joints.placement import JointFrames, new_joint_frames
from stoss.engine.joints.state import open_joints
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.solvers.arrays import DIRECT
from stoss.engine.solvers.statistics import (
    BOUNDED_IMPACTS,
    CHANGE,
    DISPLACEMENTS,
    FACTORISATIONS,
    IMPACT_ROUNDS,
    PASSES,
    PREVIEW_ERROR,
    REFINEMENTS,
    RESCUES,
    RESIDUAL,
    SUB_STEPS,
    SWEEPS_MADE,
)
from stoss.engine.stages.certificate import RUNGS
from stoss.engine.stages.clock import STAGES
from stoss.engine.stages.ledger import EnergyLedger
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.stages.constraint_system import ConstraintSystem
    from stoss.engine.world.world import World

__all__ = [
    "LawError",
    "LoadError",
    "SimulationError",
    "StepReport",
    "frames_of_step",
    "report_of",
    "unread_report",
]


# Error [position tolerances] from which on joints are named: above what a stop is passed by in rest.
OPEN = 50.0


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

    def __reduce__(self) -> tuple[Any, ...]:
        # an exception is made anew from `args`, which hold the message alone
        return type(self), (*self.args, self.step, self.body, self.contact), vars(self)


class LoadError(SimulationError):
    """A load, or the rate of an integral, failed; the world is as it was before the step.

    Attributes:
        step: number of the step that was not made.
        load: what failed, as the message names it.
    """

    def __init__(self, message: str, step: int, load: str) -> None:
        super().__init__(message, step, "", None)
        self.load = load

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.step, self.load), vars(self)


class LawError(SimulationError):
    """A friction law of the user gave what no friction gives; the world is as it was before the step.

    Attributes:
        step: number of the step that was not made.
        law: the law.
    """

    def __init__(self, message: str, step: int, law: FrictionLaw) -> None:
        super().__init__(message, step, "", None)
        self.law = law

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.step, self.law), vars(self)


class StepRecord(NamedTuple):
    """What a report is worked out from, as it was after the step."""

    step: int
    time: float
    order: int
    body_count: int
    joint_count: int
    asleep_count: int
    impacts: tuple[int, int, int]  # found, sub-steps made again, missed
    statistics: np.ndarray  # (FIGURES,)
    ledger: np.ndarray  # (ENTRIES,) [J]
    methods: np.ndarray  # (islands,) SWEEPS, DIRECT
    gaps: np.ndarray  # (c,) of all contacts [m]
    touch_distance: float
    joint_errors: tuple[float, float]  # [m], [rad]
    totals: np.ndarray  # (8,) energies, momentum, angular momentum
    jammed: tuple[tuple[str, str], ...]
    ladder: tuple[tuple[str, tuple[str, ...]], ...]
    open_joints: tuple[str, ...]
    stage_seconds: list[float]  # in the order of `STAGES`


class Unread(NamedTuple):
    """What a report of the last step is worked out from as long as its world stays the same.

    Velocities may be written by whoever holds their array, so what depends on them is worked out at once.
    """

    world: "World"
    step: int
    time: float
    totals: np.ndarray
    joint_errors: tuple[float, float]
    any_open: bool

    @classmethod
    def of(cls, world: "World") -> "Unread":
        """Return that of a world, as it is now."""
        stages = world._stepper
        state = stages.state
        return cls(
            world,
            world.step_count,
            world.time,
            *world._steps.outcome.figures(
                state.table.arrays,
                state.joints,
                frames_of_step(stages.system),
                world._gravity,
                OPEN * state.settings.position_tolerance,
            ),
        )

    def record(self) -> StepRecord:
        """Return what the report tells."""
        world = self.world
        stages, impacts = world._stepper, world._steps.impacts
        state, system = stages.state, stages.system
        contacts, sleepers, jointed = system.contacts, state.sleepers, state.joint_table.count
        gaps, tolerance = contacts.gap[: contacts.count], OPEN * state.settings.position_tolerance
        return StepRecord(
            step=self.step,
            time=self.time,
            order=world._steps.order,
            body_count=state.table.count,
            joint_count=jointed,
            asleep_count=sleepers.count,
            impacts=(0, 0, 0) if impacts is None else (impacts.found, impacts.retries, impacts.missed),
            statistics=state.statistics.copy(),
            ledger=state.ledger.copy(),
            methods=stages.methods,
            gaps=np.concatenate([gaps, sleepers.gaps]) if sleepers.count else gaps.copy(),
            touch_distance=state.settings.touch_distance,
            joint_errors=self.joint_errors if jointed else (0.0, 0.0),
            totals=self.totals,
            jammed=_jammed_pairs(world) if len(system.jammed) else (),
            open_joints=_open_joints(world, tolerance) if self.any_open else (),
            ladder=_ladder(world) if np.count_nonzero(system.rungs) else (),
            stage_seconds=stages.clock.seconds,
        )


@closed
class StepReport:
    """Statistics of the last step, worked out as they are read: most are never read.

    Args:
        record: what they are worked out from; not changed any more.
    """

    __slots__ = ("__weakref__", "_source")

    def __init__(self, record: "StepRecord | Unread") -> None:
        self._source = record

    def __reduce__(self) -> tuple[Any, ...]:
        return StepReport, (self._record,)

    @property
    def _record(self) -> StepRecord:
        source = self._source
        if not isinstance(source, StepRecord):
            record = source.record()
            if self._source is source:  # another thread may have entered the world meanwhile
                self._source = record
        return self._source  # type: ignore[return-value]

    def _keep(self) -> None:
        """Take note of what it tells, before the world changes."""
        _ = self._record

    def __repr__(self) -> str:
        counts = f"{self.body_count} bodies ({self.asleep_count} asleep), {self.joint_count} joints"
        energies = f"{self.kinetic_energy:.6g} kinetic + {self.potential_energy:.6g} potential"
        troubles = [
            f", {name} {found!r}"
            for name in ("jammed", "ladder", "open_joints")
            if (found := getattr(self, name))
        ]
        return (
            f"<StepReport of step {self.step}, {self.time:.6g} s: {counts}, {self.touching_count} contacts "
            f"touch, energy {self.energy:.6g} J = {energies}, overlaps up to {self.max_overlap:.3g} m, "
            f"joints open by {self.joint_error:.3g} m{''.join(troubles)}>"
        )

    @property
    def step(self) -> int:
        """Number of the step."""
        return self._record.step

    @property
    def time(self) -> float:
        """World time after it [s]."""
        return self._record.time

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return self._record.body_count

    @property
    def contact_count(self) -> int:
        """Number of contacts seen, those across a gap included."""
        return len(self._record.gaps)

    @property
    def touching_count(self) -> int:
        """Number of contacts whose surfaces touch."""
        return int((self._record.gaps <= self._record.touch_distance).sum())

    @property
    def islands(self) -> int:
        """Number of sets of connected awake bodies."""
        return len(self._record.methods)

    @property
    def direct_islands(self) -> int:
        """How many islands were solved directly."""
        return int((self._record.methods == DIRECT).sum())

    @property
    def solved_directly(self) -> np.ndarray:
        """Return which islands (n,) bool were solved directly, by their numbers in `World.island_numbers`."""
        return read_only(self._record.methods == DIRECT)

    @property
    def asleep_count(self) -> int:
        """Number of bodies that sleep."""
        return self._record.asleep_count

    @property
    def joint_count(self) -> int:
        """Number of joints, those that are disabled included."""
        return self._record.joint_count

    @property
    def sub_steps(self) -> int:
        """Steps that this step was made of."""
        return int(self._record.statistics[SUB_STEPS])

    @property
    def order(self) -> int:
        """Highest order in the step: what touches, or is bounded or damped much, is always of order 2."""
        return self._record.order

    @property
    def times_of_impact(self) -> int:
        """With `Settings.time_of_impact`: impacts at which the step was split."""
        return self._record.impacts[0]

    @property
    def roll_backs(self) -> int:
        """With `Settings.time_of_impact`: sub-steps that were made again to find impacts."""
        return self._record.impacts[1]

    @property
    def missed_times_of_impact(self) -> int:
        """With `Settings.time_of_impact`: sub-steps that passed over an impact, after too many."""
        return self._record.impacts[2]

    @property
    def passes(self) -> int:
        """Solutions of the position rows."""
        return int(self._record.statistics[PASSES])

    @property
    def factorisations(self) -> int:
        """Factorisations of the direct solver."""
        return int(self._record.statistics[FACTORISATIONS])

    @property
    def refinements(self) -> int:
        """Refinement passes of the direct solver."""
        return int(self._record.statistics[REFINEMENTS])

    @property
    def sweeps(self) -> int:
        """Gauss-Seidel sweeps."""
        return int(self._record.statistics[SWEEPS_MADE])

    @property
    def rescues(self) -> float:
        """Work of sweeps where no active set was found [factorisations of their island]."""
        return float(self._record.statistics[RESCUES])

    @property
    def displacements(self) -> float:
        """Work of displacements beyond usual ones, of overlaps and open joints [factorisations]."""
        return float(self._record.statistics[DISPLACEMENTS])

    @property
    def impact_rounds(self) -> int:
        """Rounds of impacts with restitution."""
        return int(self._record.statistics[IMPACT_ROUNDS])

    @property
    def bounded_impacts(self) -> int:
        """Islands in which an impact would have added energy, and gave back less than its law says."""
        return int(self._record.statistics[BOUNDED_IMPACTS])

    @property
    def residual(self) -> float:
        """Largest velocity by which a row of the direct solver is missed [m/s]."""
        return float(self._record.statistics[RESIDUAL])

    @property
    def sweep_change(self) -> float:
        """Largest change of velocity in the last sweep [m/s]."""
        return float(self._record.statistics[CHANGE])

    @property
    def preview_error(self) -> float:
        """Largest distance by which the preview missed in the last pass [m]."""
        return float(self._record.statistics[PREVIEW_ERROR])

    @property
    def joint_error(self) -> float:
        """By how much joints are open, or stay beyond their stops, at most [m]."""
        return self._record.joint_errors[0]

    @property
    def joint_angle_error(self) -> float:
        """By how much joints are turned open, or stay beyond their stops, at most [rad]."""
        return self._record.joint_errors[1]

    @property
    def max_overlap(self) -> float:
        """Deepest overlap of any contact [m]."""
        return float(max(0.0, -self._record.gaps.min(initial=0.0)))

    @property
    def jammed(self) -> tuple[tuple[str, str], ...]:
        """Names of bodies that overlap by more than `Settings.contact_margin` and cannot be moved apart.

        Others are in the way: their places contradict each other.
        """
        return self._record.jammed

    @property
    def ladder(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Islands that the usual method would have given energy from nothing, and what was done instead.

        For each the method, and the names of its bodies; see `stoss.engine.stages.certificate`. Sub-steps
        that are made shorter because joints turn fast are no fault, and not among them.
        """
        return self._record.ladder

    @property
    def open_joints(self) -> tuple[str, ...]:
        """Names of joints that are open, or beyond a hard stop, by more than `OPEN` position tolerances."""
        return self._record.open_joints

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy [J]."""
        return float(self._record.totals[0])

    @property
    def potential_energy(self) -> float:
        """Potential energy, -m g . x [J]."""
        return float(self._record.totals[1])

    @property
    def energy(self) -> float:
        """Kinetic plus potential energy [J]."""
        return float(self._record.totals[0] + self._record.totals[1])

    @property
    def ledger(self) -> EnergyLedger:
        """What took and gave energy in this step."""
        return EnergyLedger.of(self._record.ledger)

    @property
    def momentum(self) -> np.ndarray:
        """Momentum (3,) [N s]."""
        return self._record.totals[2:5]

    @property
    def angular_momentum(self) -> np.ndarray:
        """Angular momentum (3,) about the world's origin [N m s]."""
        return self._record.totals[5:8]

    @property
    def stage_times(self) -> dict[str, float]:
        """Seconds of this step per stage."""
        return {
            name: spent for name, spent in zip(STAGES, self._record.stage_seconds, strict=True) if spent > 0.0
        }


def report_of(world: "World") -> StepReport:
    """Return the statistics of the last step of a world and of its present state."""
    world._stepper.waking.find_contacts()
    return StepReport(Unread.of(world).record())


def unread_report(world: "World") -> StepReport:
    """Return the same, worked out when it is read, or before the world changes: most are dropped unread."""
    report = StepReport(Unread.of(world))
    world._entry.unread = ref(report)
    return report


def _open_joints(world: "World", tolerance: float) -> tuple[str, ...]:
    """Return the names of the joints that are open by more than a tolerance [m or rad]."""
    found = open_joints(world._joint_store.table.arrays, tolerance)
    return tuple(world._joint_store.handles[j].name for j in found)


def frames_of_step(system: "ConstraintSystem") -> JointFrames:
    """Return the frames of the joints: those of the last step, or new ones if joints changed since."""
    state = system.state
    known = system.joint_version == state.joint_table.version
    return system.joint_frames if known else new_joint_frames(state.joints)


def _jammed_pairs(world: "World") -> tuple[tuple[str, str], ...]:
    """Return the names of the pairs that the last step could not move apart."""
    system, handles = world._stepper.system, world._body_store.handles
    jammed, contacts = system.jammed, system.contacts
    pairs = dict.fromkeys(zip(contacts.body_a[jammed], contacts.body_b[jammed], strict=True))
    return tuple((handles[a].name, handles[b].name) for a, b in pairs)


def _ladder(world: "World") -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the islands in which the last step took another method than the usual one."""
    system, handles = world._stepper.system, world._body_store.handles
    islands, rungs = system.islands, system.rungs
    entries = []
    for first, last in zip(islands.body_start[:-1], islands.body_start[1:], strict=True):
        members = islands.bodies[first:last]
        rung = int(rungs[members].max(initial=0))
        if rung > 0:
            entries.append((RUNGS[rung], tuple(handles[i].name for i in members[rungs[members] > 0])))
    return tuple(entries)
