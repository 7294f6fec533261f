"""Saved states: checkpoints within a step, to which its sub-steps return, and the state between two steps.

Nothing here is written in place once it is saved, so what is always made anew (the contacts of a checkpoint)
is shared, not copied; so are the impulses at the start of a step, which are not written in it. The start of a
step lasts as long as the step.
"""

from typing import Annotated, NamedTuple

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.laws.friction_arrays import STATE
from stoss.engine.sleeping.sleepers import SleepState
from stoss.engine.solvers.island_solver import SolverState
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.pace import Pace
from stoss.engine.stages.scratch import copy_matrix, copy_vector
from stoss.engine.stages.state import State

__all__ = [
    "Checkpoint",
    "Kept",
    "SavedSystem",
    "StartOfStep",
    "keep",
    "restore",
    "restore_bodies_and_joints",
    "restore_system",
    "save_system",
    "take_checkpoint",
]


NOTHING_REMEMBERED = np.zeros((0, STATE))


# The solution of the joints, and what friction on them remembers and did: what a step changes of them.
_JOINT_FIELDS = (
    *("value", "impulse", "state", "total", "reaction", "led", "led_rate"),
    *("bent", "slid", "work", "work_at_start"),
)


class TimeLevel(NamedTuple):
    """The contacts of one time level, and the solution of its rows."""

    contacts: Contacts
    impulse: np.ndarray  # (rows,)
    state: np.ndarray  # (rows,)
    friction: np.ndarray  # (contacts, STATE) what friction laws remember


class Checkpoint(NamedTuple):
    """A state within a step: bodies and joints, and the impulses that go on from it."""

    positions: np.ndarray
    quaternions: np.ndarray
    velocities: np.ndarray
    angular_velocities: np.ndarray
    debts: np.ndarray
    placed: np.ndarray
    overlaps: np.ndarray
    surfaces: np.ndarray | None  # motions of surfaces; None: none changes in the step
    joints: tuple[np.ndarray, ...]  # see `_joint_fields`
    memory: ImpulseMemory
    step_length: float
    pace: Pace
    ledger: np.ndarray
    law_work: np.ndarray  # (2, laws) of friction laws, see `LawTable.work` [J]
    level: TimeLevel | None  # None: nothing was near anything else, or contacts are to be found anew


class Kept(Struct):
    """Arrays of the start of a step, whose memory is kept from step to step."""

    positions: Annotated[Floats, "bodies", 3]
    quaternions: Annotated[Floats, "bodies", 4]
    velocities: Annotated[Floats, "bodies", 3]
    angular_velocities: Annotated[Floats, "bodies", 3]
    debts: Annotated[Floats, "bodies"]
    placed: Annotated[Bools, "bodies"]
    overlaps: Annotated[Floats, "bodies", 2]
    value: Annotated[Floats, "rows"]
    impulse: Annotated[Floats, "rows"]
    state: Annotated[Ints, "rows"]
    total: Annotated[Floats, "rows"]
    reaction: Annotated[Floats, "joints", 6]
    led: Annotated[Floats, "rows", 2]
    led_rate: Annotated[Floats, "rows", 2]
    bent: Annotated[Floats, "rows"]
    slid: Annotated[Floats, "rows"]
    work: Annotated[Floats, "rows"]
    work_at_start: Annotated[Floats, "rows"]


@kernel
def keep(bodies: BodyArrays, joints: JointArrays, kept: Kept) -> None:
    """Copy what a step changes of bodies and joints."""
    count = len(bodies.kinds)
    copy_matrix(bodies.positions, kept.positions, count)
    copy_matrix(bodies.quaternions, kept.quaternions, count)
    copy_matrix(bodies.velocities, kept.velocities, count)
    copy_matrix(bodies.angular_velocities, kept.angular_velocities, count)
    copy_vector(bodies.debts, kept.debts, count)
    copy_vector(bodies.placed, kept.placed, count)
    copy_matrix(bodies.overlaps, kept.overlaps, count)
    rows = len(joints.value)
    copy_vector(joints.value, kept.value, rows)
    copy_vector(joints.impulse, kept.impulse, rows)
    copy_vector(joints.state, kept.state, rows)
    copy_vector(joints.total, kept.total, rows)
    copy_matrix(joints.reaction, kept.reaction, len(joints.reaction))
    copy_matrix(joints.led, kept.led, rows)
    copy_matrix(joints.led_rate, kept.led_rate, rows)
    copy_vector(joints.bent, kept.bent, rows)
    copy_vector(joints.slid, kept.slid, rows)
    copy_vector(joints.work, kept.work, rows)
    copy_vector(joints.work_at_start, kept.work_at_start, rows)


class StartOfStep:
    """Take the checkpoint of the start of each step into the same memory: it lasts until the next one."""

    def __init__(self) -> None:
        self._table = Table(Kept)
        self._kept = self._table.arrays
        self._lengths = 0, 0, 0
        self._bodies: tuple[np.ndarray, ...] = ()  # its arrays, in the order of `Checkpoint`
        self._joints: tuple[np.ndarray, ...] = ()
        self._contacts = Contacts(0)
        self._level: TimeLevel | None = None

    def take(self, system: ConstraintSystem) -> Checkpoint:
        """Return the present state; `first_memory` is not written from here on."""
        state = system.state
        keep(state.table.arrays, state.joints, self.room(state))
        self.take_level(system)
        system.first_memory = system.memory
        return self.taken(system, float(system.step_length[0]), state.pace, state.ledger.copy())

    def take_level(self, system: ConstraintSystem) -> None:
        """Copy the present contacts, where the step may be made again from them: to end it at impacts."""
        self._level = None
        if system.state.settings.time_of_impact:
            self._level = _level_of(system, self._contacts)

    def room(self, state: State) -> Kept:
        """Return what `keep` copies the present state to."""
        joints = state.joints
        lengths = state.table.count, len(joints.value), len(joints.reaction)
        if lengths != self._lengths or not self._bodies:
            self._make_room(*lengths)
        return self._kept

    def taken(
        self, system: ConstraintSystem, step_length: float, pace: Pace, ledger: np.ndarray
    ) -> Checkpoint:
        """Return what was copied as the start of a step, from the impulses `first_memory`.

        Args:
            system: the constraint system.
            step_length: what `system.step_length` was [s].
            pace: what `state.pace` was.
            ledger: what that was [J].
        """
        state = system.state
        positions, quaternions, velocities, angular_velocities, debts, placed, overlaps = self._bodies
        return Checkpoint(
            positions,
            quaternions,
            velocities,
            angular_velocities,
            debts,
            placed,
            overlaps,
            _changing_surfaces(state.table.arrays),
            self._joints if state.joint_table.count > 0 else (),
            system.first_memory,
            step_length,
            pace,
            ledger,
            state.laws.work,
            self._level,
        )

    def _make_room(self, bodies: int, rows: int, joints: int) -> None:
        """Have memory for so many bodies, and rows and joints."""
        kept = self._table.resize(keep=False, bodies=bodies, rows=rows, joints=joints)
        self._lengths = bodies, rows, joints
        self._bodies = tuple(getattr(kept, name) for name in Checkpoint._fields[:7])
        self._joints = tuple(getattr(kept, name) for name in _JOINT_FIELDS)


class SavedSystem(NamedTuple):
    """Contacts and impulses between two steps: what the next one starts from besides bodies and joints."""

    stale: bool
    changed: bool
    usual_work: float
    level: TimeLevel
    total: np.ndarray
    step_length: float
    pace: Pace
    memory: ImpulseMemory
    unsolved: bool
    solver: SolverState
    sleepers: SleepState
    impacts: dict[tuple[int, int, int], tuple[float, float, float]] = {}  # see `EarlierImpacts`; not written


def take_checkpoint(system: ConstraintSystem) -> Checkpoint:
    """Return a copy of the present state within a step, contacts too, for `restore`.

    Args:
        system: the constraint system, and the bodies and joints below it.
    """
    b = system.state.bodies
    jointed = system.state.joint_table.count > 0
    return Checkpoint(
        b.positions.copy(),
        b.quaternions.copy(),
        b.velocities.copy(),
        b.angular_velocities.copy(),
        b.debts.copy(),
        b.placed.copy(),
        b.overlaps.copy(),
        _changing_surfaces(b),
        tuple(field.copy() for field in _joint_fields(system.state)) if jointed else (),
        system.memory.copy(),
        float(system.step_length[0]),
        system.state.pace,
        system.state.ledger.copy(),
        system.state.laws.work,
        _level_of(system),
    )


def restore(system: ConstraintSystem, checkpoint: Checkpoint) -> None:
    """Return to a checkpoint of this step; without contacts, unless it holds them.

    Forces, set points of drives, who sleeps, and what the solvers have learnt stay as they are.
    """
    restore_bodies_and_joints(system.state, checkpoint)
    system.memory = checkpoint.memory
    if checkpoint.level is None:
        system.drop_contacts()
    else:
        _return_to(system, checkpoint.level)
    system.step_length[0] = checkpoint.step_length
    system.state.pace = checkpoint.pace
    system.state.ledger[:] = checkpoint.ledger
    laws = system.state.laws.arrays
    laws.work[:], laws.work_at_start[:] = checkpoint.law_work


def restore_bodies_and_joints(state: State, checkpoint: Checkpoint) -> None:
    """Return bodies and joints to a checkpoint of this step, and nothing that is made from them."""
    b = state.table.arrays
    b.positions[:], b.quaternions[:] = checkpoint.positions, checkpoint.quaternions
    b.velocities[:], b.angular_velocities[:] = checkpoint.velocities, checkpoint.angular_velocities
    b.debts[:], b.placed[:], b.overlaps[:] = checkpoint.debts, checkpoint.placed, checkpoint.overlaps
    if checkpoint.surfaces is not None:
        b.surface_motion[:] = checkpoint.surfaces
    if checkpoint.joints:
        for field, good in zip(_joint_fields(state), checkpoint.joints, strict=True):
            field[:] = good


def _changing_surfaces(bodies: BodyArrays) -> np.ndarray | None:
    """Return the motions (n, 6) of surfaces, if any is told to change in the step."""
    return bodies.surface_motion.copy() if bodies.surface_change.any() else None


def save_system(system: ConstraintSystem) -> SavedSystem:
    """Return what the next step starts from, besides bodies and joints."""
    return SavedSystem(
        stale=system.state.stale,
        changed=system.state.changed,
        usual_work=system.state.usual_work,
        level=_level_of(system),
        total=system.total.copy(),
        step_length=float(system.step_length[0]),
        pace=system.state.pace,
        memory=system.memory.copy(),
        unsolved=system.unsolved,
        solver=system.solver.save(system.islands),
        sleepers=system.state.sleepers.save(),
        impacts=system.impacts.all,
    )


def restore_system(system: ConstraintSystem, saved: SavedSystem) -> None:
    """Return to a saved state between two steps; bodies and joints are in place already."""
    state = system.state
    state.sleepers.restore(saved.sleepers)
    state.resize()
    system.jammed = np.zeros(0, np.int64)
    system.joint_version = -1
    system.memory = saved.memory
    system.unsolved, system.impacts.kept = saved.unsolved, saved.impacts
    _return_to(system, saved.level, saved.solver)
    system.total[:] = saved.total
    system.step_length[0] = saved.step_length
    state.pace = saved.pace
    state.stale, state.changed = saved.stale, saved.changed
    state.usual_work = saved.usual_work


def _joint_fields(state: State) -> tuple[np.ndarray, ...]:
    """Return the solution of the joints: what a step changes of them."""
    return tuple(getattr(state.joints, name) for name in _JOINT_FIELDS)


def _level_of(system: ConstraintSystem, room: Contacts | None = None) -> TimeLevel:
    """Return the present time level; its contacts are in `room`, if there is one."""
    contacts = Contacts(system.contacts.count) if room is None else room
    system.contacts.copy_to(contacts)
    return TimeLevel(
        contacts,
        system.rows.impulse.copy(),
        system.rows.state.copy(),
        system.frames.friction_state.copy() if system.state.laws.laws else NOTHING_REMEMBERED,
    )


def _return_to(system: ConstraintSystem, level: TimeLevel, solver: SolverState | None = None) -> None:
    """Build the rows of other contacts, and give them the impulses that they had."""
    contacts = level.contacts.copy()
    contacts.reserve(1)
    system.contacts = contacts
    system.find_islands()
    system.touching[:] = contacts.gap[: contacts.count] <= system.state.settings.touch_distance
    system.build()
    if solver is not None:
        system.solver.restore(solver, system.islands, system.layout)
    system.rows.impulse[:], system.rows.state[:] = level.impulse, level.state
    if len(level.friction):
        system.frames.friction_state[:] = system.frames.friction_next[:] = level.friction
