"""How a world was before a step, and the way back there if the step cannot be made.

`Checkpoint` is the state that the sub-steps of a step return to. What a step takes or changes around it is
kept here: loads, moves, what is counted. Most of that is made anew in a step, so it is shared, not copied.
"""

from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.bodies.arrays import BodyTable
from stoss.engine.stages.checkpoint import Checkpoint
from stoss.engine.stages.clock import Mark
from stoss.engine.world.report import SimulationError

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["StepUndo", "replaced_values"]

# What a step replaces, and never writes into: of the world, and of its `Steps`.
_OF_WORLD = "time", "step_count", "broken_joints"
_OF_STEPS = "touching", "order", "impacts", "ledger", "force_step"
_of_world, _of_steps = itemgetter(*_OF_WORLD), attrgetter(*_OF_STEPS)

Figures = tuple[np.ndarray, np.ndarray, Mark]
Copies = tuple[tuple[np.ndarray, np.ndarray], ...]  # arrays, and copies of them


def replaced_values(world: "World") -> tuple[object, ...]:
    """Return what a step replaces of a world."""
    return *_of_world(vars(world)), *_of_steps(world._steps)


class StepUndo:
    """Remember how a world is, before a step, and return it to that.

    Args:
        world: the world.
        callbacks: whether functions of users come first, which may change anything.
    """

    __slots__ = (
        *(
            "_begun",
            "_bodies",
            "_callbacks",
            "_control",
            "_figures",
            "_joint_version",
            "_joints",
        ),
        *("_next_step", "_start", "_values", "_which_bodies", "_world"),
    )

    def __init__(self, world: "World", callbacks: bool) -> None:
        store, stages = world._body_store, world._stepper
        state, table = stages.state, world._joint_store.table
        self._world, self._callbacks = world, callbacks
        self._begun = False
        self._control = None if world._control is None else world._control.mark()
        self._start: Checkpoint | None = None
        self._values = replaced_values(world)
        self._figures: Figures = state.statistics.copy(), state.ledger.copy(), stages.clock.mark()
        self._next_step = store.next_step.copy()
        self._bodies: Copies = ()
        self._joints: Copies = ()
        self._which_bodies: tuple[BodyTable, int, int, bytes] | None = None
        self._joint_version = table.version
        if callbacks or self._next_step.moves_bodies or self._next_step.moves_surfaces:
            self._take_bodies()
        if table.count:
            self._take_joints()

    @classmethod
    def of_plain(cls, world: "World", values: tuple[object, ...], figures: Figures) -> "StepUndo":
        """Return the way back from a step around which nothing is called, after it has failed.

        Args:
            world: the world.
            values: its `replaced_values` before the step.
            figures: statistics, ledger and times of the step before.
        """
        undo = cls(world, callbacks=False)
        undo._values, undo._figures, undo._begun = values, figures, True
        undo._start = world._stepper.plain.start
        return undo

    def _take_bodies(self) -> None:
        b = self._world._body_store.arrays
        self._bodies = _copies(b.velocities, b.angular_velocities, b.surface_motion, b.conveys)
        if self._callbacks:
            self._which_bodies = self._those_bodies()
            self._bodies += _copies(b.positions, b.quaternions, b.forces, b.torques)

    def _those_bodies(self) -> tuple[BodyTable, int, int, bytes]:
        store = self._world._body_store
        return store.table, store.registry.next_key, len(store.registry), store.arrays.kinds.tobytes()

    def _take_joints(self) -> None:
        world = self._world
        table = world._joint_store.table
        self._joint_version, j = table.version, table.arrays
        self._joints = _copies(j.enabled, j.broken)
        if self._callbacks or world._time_step != world._steps.force_step:
            self._joints += _copies(j.reaction, j.total)

    def begin(self) -> None:
        """Let the step itself begin, after the functions of users."""
        if self._callbacks:
            if self._which_bodies != self._those_bodies():
                self._take_bodies()
            if self._joint_version != self._world._joint_store.table.version:
                self._take_joints()
        self._begun = True

    def start(self, start: Checkpoint) -> None:
        """Take the start of the step, to which poses and velocities return."""
        self._start = start

    def roll_back(self, error: BaseException) -> None:
        """Return to how it was.

        Bodies and joints that callbacks added, removed or switched stay so; what else they did to poses,
        velocities and forces is taken back. After an error that nobody foresaw contacts and rows are made
        from nothing, with all bodies awake, since it may have come in the middle of making them.

        Args:
            error: what kept the step from being made.
        """
        world, stages = self._world, self._world._stepper
        store, joints = world._body_store, world._joint_store.table
        foreseen = isinstance(error, SimulationError)
        if self._begun:
            stages.roll_back(self._start, whole=foreseen)
            if world._loads is not None:
                world._loads.roll_back()
        if self._which_bodies in (None, self._those_bodies()):
            if any(now.tobytes() != before.tobytes() for now, before in self._bodies[4:6]):
                world._changed()  # callbacks moved bodies; contacts may have been found there
            _write_back(self._bodies)
        if self._begun or joints.version == self._joint_version:
            _write_back(self._joints)
            joints.version += joints.version != self._joint_version  # some broke
        store.next_step = self._next_step
        store.arrays.told.fill(0.0)
        store.arrays.surface_change.fill(0.0)
        if foreseen:  # loads and moves with which a body ran away would let it do so again
            store.next_step.loads, store.next_step.moves = {}, {}
        store.next_step.keep({record.key for record in store.registry.records})
        values = iter(self._values)
        for owner, names in ((world, _OF_WORLD), (world._steps, _OF_STEPS)):
            for name in names:
                setattr(owner, name, next(values))
        if self._begun and not foreseen:
            world._steps.renew()
            stages = world._steps.stages
            stages.system.pairs = store.pairs.table
        stages.state.statistics[:], stages.state.ledger[:], clock = self._figures
        stages.clock.restore(clock)
        if world._control is not None:
            world._control.return_to(self._control or {})


def _copies(*arrays: np.ndarray) -> Copies:
    return tuple((array, array.copy()) for array in arrays)


def _write_back(arrays: Copies) -> None:
    for array, before in arrays:
        array[:] = before
