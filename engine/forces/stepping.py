"""What loads do in a step: forces at its middle, who wakes, what they gave when it is over."""

import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine.forces.arrays import Motion
from stoss.engine.forces.motion import learn_motion, leave_middle, to_middle
from stoss.engine.motion.free_motion import METHODS

if TYPE_CHECKING:
    from stoss.engine.forces.store import LoadStore

__all__ = ["LoadStep"]

# (h omega)^2 of a stiffness, or 2 h / tau of a damping, above which a warning names the load: six steps in a
# period, where the leapfrog is off by 4 % of the frequency. It runs away at 4.
TOO_STIFF = 1.0


class LoadStep:
    """Evaluate the loads of a world in its steps, and in the sub-steps of compositions.

    Args:
        store: the loads.

    Attributes:
        length: of the present step [s].
        motion: how bodies moved in it.
        applied: forces and torques (n, 6) of the last step.
        asleep: (n,) who slept then.
        warned: keys of loads for which the step was too long.
    """

    def __init__(self, store: "LoadStore") -> None:
        self._store, self._world = store, store.world
        self.length = store.world.time_step
        self.motion = Motion.zeros()
        self.applied = np.zeros((0, 6))
        self.asleep = np.zeros(0, np.bool_)
        self.warned: set[int] = set()
        self._keys = np.zeros(0, np.int64)  # of the bodies
        self._present: Any = None  # bodies that these arrays are of
        self._begun: Any = None  # what a step that is not made returns to
        self._whole = np.zeros((0, 6))  # forces and torques of the whole step
        # of the present sub-step of a composition: its start, length [s], and what was given before it
        self._stage, self._stage_length = Motion.zeros(), 0.0
        self._stage_works: dict[int, float] = {}

    def follow_bodies(self) -> None:
        """Let what is known of the motion of bodies be in the order of their arrays."""
        registry = self._world._body_store.registry
        present = registry.next_key, len(registry), self._world._body_store.table
        if present == self._present:
            return
        self._present = present
        keys = np.array([record.key for record in registry.records], np.int64)
        if np.array_equal(keys, self._keys):
            return
        old = {int(key): row for row, key in enumerate(self._keys)}
        rows = np.array([old.get(int(key), -1) for key in keys], np.int64)
        motion, known = Motion.zeros(bodies=len(keys)), rows >= 0
        motion.accelerations[known] = self.motion.accelerations[rows[known]]
        applied, asleep = np.zeros((len(keys), 6)), np.zeros(len(keys), np.bool_)
        applied[known], asleep[known] = self.applied[rows[known]], self.asleep[rows[known]]
        self.motion, self.applied, self.asleep, self._keys = motion, applied, asleep, keys

    def begin_with(self, accelerations: np.ndarray, applied: np.ndarray, asleep: np.ndarray) -> None:
        """Go on from a saved step."""
        keys = [record.key for record in self._world._body_store.registry.records]
        self._keys, self._present = np.array(keys, np.int64), None
        self.motion = Motion.zeros(bodies=len(keys))
        self.motion.accelerations[:] = accelerations
        self.applied, self.asleep = applied.copy(), asleep.copy()
        self._begun = None

    def begin(self, h: float) -> tuple[np.ndarray, np.ndarray] | None:
        """Evaluate all loads at the middle of the step of length h [s] that begins.

        Returns:
            Forces and torques (n, 6) [N, N m] of the bodies, and rows of bodies asleep that are to wake,
            since what acts on them changed. None: there is nothing.

        Raises:
            LoadError: a function raised, or returned what is no number; bodies are as they were.
        """
        self.length = h
        store, world = self._store, self._world
        store.rows.begin()
        if store.is_empty and not self.applied.any():
            return None
        store.arrange()
        self._begun = (
            store.table.mark(),
            {key: array.copy() for key, array in store.functions.scratch.items()},
            dict(store.integrals.values),
            dict(store.integrals.rates),
        )
        asleep = world._steps.stages.state.sleepers.asleep_among(world._all_bodies.table.count)
        self._stage_length, self._stage_works = 0.0, {}
        total = self.evaluate(h, asleep, self.motion, 0.0)
        wake = self._to_wake(total, asleep)
        self._whole = total.copy() if world.settings.order > 2 else total
        return total, wake

    def evaluate(self, h: float, asleep: np.ndarray, motion: Motion, offset: float) -> np.ndarray:
        """Return the forces and torques (n, 6) of all loads at the middle of the next h [s].

        Args:
            h: length [s].
            asleep: (n,) bodies that sleep.
            motion: receives how bodies were.
            offset: time [s] since the start of the step.
        """
        world, store, bodies = self._world, self._store, self._store.bodies
        method, time = METHODS[world.settings.motion], world.time
        total = self.motion.total
        total[:] = 0.0
        to_middle(method, bodies, asleep, True, h, motion)
        vars(world)["time"] = time + offset + 0.5 * h
        try:
            if not store.table.evaluate(h, total):
                self._name_bad()
            self._warn_of_stiffness(h)
            store.functions.call(h, total)
        finally:
            vars(world)["time"] = time
            leave_middle(bodies, motion)
        plane = world.plane
        if plane is not None:  # which holds what leads out of it
            total[:, plane.normal] = total[:, 3 + plane.first] = total[:, 3 + plane.second] = 0.0
        return total

    # ------------------------------------------------------------- compositions

    def change_to(self, offset: float, h: float) -> np.ndarray:
        """Evaluate all loads for a sub-step of a composition, from where the bodies are.

        What the evaluation for the whole step did to memory and integrals is taken back by the first one.

        Args:
            offset: time [s] since the start of the step.
            h: length of the sub-step [s], which may be negative.

        Returns:
            Forces and torques (n, 6).
        """
        self._end_stage()
        if offset == 0.0:
            self._return_to(self._begun)
            self._stage_works = {}
        count = len(self._store.bodies.kinds)
        if len(self._stage.positions) != count:
            self._stage = Motion.zeros(bodies=count)
        self._stage.accelerations[:] = self.motion.accelerations
        self._stage_length = h
        asleep = self._world._steps.stages.state.sleepers.asleep_among(count)
        return self.evaluate(h, asleep, self._stage, offset)

    def whole(self) -> np.ndarray:
        """Return the forces and torques (n, 6) of the whole step anew, which is no composition after all."""
        if self._stage_length != 0.0 or self._stage_works:
            self._return_to(self._begun)
            self._stage_length, self._stage_works = 0.0, {}
            asleep = self._world._steps.stages.state.sleepers.asleep_among(len(self._store.bodies.kinds))
            self._whole = self.evaluate(self.length, asleep, self.motion, 0.0).copy()
        return self._whole

    @property
    def of_whole_step(self) -> np.ndarray:
        """Return the forces and torques (n, 6) of the whole step as they were worked out."""
        return self._whole

    def _end_stage(self) -> None:
        """Add up what loads gave in the present sub-step."""
        if self._stage_length != 0.0:
            for key, work in self._works_over(self._stage, self._stage_length):
                self._stage_works[key] = self._stage_works.get(key, 0.0) + work

    def _works_over(self, motion: Motion, h: float) -> Iterator[tuple[int, float]]:
        """Yield the work [J] of each load since a start h [s] ago."""
        yield from self._store.table.works(motion, h)
        yield from self._store.functions.works(motion, h)

    # ------------------------------------------------------------- what is wrong

    def _name_bad(self) -> None:
        bad = self._store.table.bad()
        if bad is not None:
            raise self._store.failure(self._store.what(bad[0]), f"gave a force that is not finite: {bad[1]}")

    def _warn_of_stiffness(self, h: float) -> None:
        """Name loads for whose stiffness the step is too long, each once."""
        store = self._store
        for key, stiff in store.table.stiffer_than(TOO_STIFF):
            if key in self.warned:
                continue
            self.warned.add(key)
            warnings.warn(
                f"{store.what(key)} ({store.title(key)}), step {self._world.step_count + 1}: time_step = "
                f"{h:g} s is long for its stiffness or damping, (h omega)^2 = {stiff:.3g} with the bodies "
                f"free; it is inaccurate above 1 and runs away above 4. Give time_step = "
                f"{h / np.sqrt(stiff):.2g} s or less, or a linear law, which is implicit",
                stacklevel=_levels_to_user(),
            )

    # ------------------------------------------------------------- sleep, end of the step

    def _to_wake(self, total: np.ndarray, asleep: np.ndarray) -> np.ndarray:
        """Return rows of bodies asleep on which other forces act than when they fell asleep.

        In the first step after that a small change is no reason, since the force before was that of a body
        that still moved a little: one by which it would go farther than the distance of rest in its time.
        """
        if not asleep.any() and not self.asleep.any():
            self.applied[:] = total
            return np.zeros(0, np.int64)
        bodies, limits = self._store.bodies, self._world.settings.rest_limits
        other = np.abs(total - self.applied)
        masses = np.maximum(bodies.masses, 1e-300)
        sizes = np.sqrt(bodies.inertias.max(axis=1) / masses)
        size = (
            np.maximum(other[:, :3].max(axis=1), other[:, 3:].max(axis=1) / np.maximum(sizes, 1e-300))
            / masses
        )
        least = np.where(self.asleep, 0.0, 2.0 * limits.distance / max(limits.time, self.length) ** 2)
        wake = asleep & (size > least)
        self.applied[:] = total
        self.asleep = asleep & ~wake
        return np.flatnonzero(wake)

    def finish(self) -> None:
        """End a step that was made: energies, and accelerations to go on from."""
        store = self._store
        for key, one in store.rows.works().items():
            store.works[key] = one
            store.energies[key] += one
        if self._begun is None:
            return
        motion, h = self.motion, self.length
        self._end_stage()
        works = self._stage_works if self._stage_length != 0.0 else dict(self._works_over(motion, h))
        for key, one in works.items():
            store.works[key] = one
            store.energies[key] += one
        system, impacts = self._world._steps.stages.system.system, self._world._steps.impacts
        learn_motion(system, store.bodies, impacts is not None and impacts.found > 0, h, motion)
        self._begun = None

    def roll_back(self) -> None:
        """Return to the start of the step, which was not made."""
        if self._begun is None:
            return
        self._return_to(self._begun)
        self._begun = None

    def _return_to(self, begun: Any) -> None:
        """Let rows, functions and integrals remember what they did when the step began."""
        store = self._store
        rows, scratch, integrals, rates = begun
        store.table.return_to(rows)
        kept = {key: array.copy() for key, array in scratch.items() if key in store.kinds}
        store.functions.scratch.update(kept)
        store.integrals.values, store.integrals.rates = dict(integrals), dict(rates)


def _levels_to_user() -> int:
    """Return how many frames up, from the caller, the first one is that is not of this package."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("stoss."):
        frame, levels = frame.f_back, levels + 1
    return levels
