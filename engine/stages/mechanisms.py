"""Mechanisms that touch nothing are made apart from the rest of the world: at an order of their own.

A composition of order 4 or 6 steps backwards too, which nothing that touches, or is damped much, would
survive. So mechanisms that can be composed are set aside: for the stages of the rest they are static, as if
they slept, and a constraint system of their own, for which all else is static, brings them to the end of the
step first. If one of them turns out to meet something, the step is made again with it among the rest.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.engine.bodies.arrays import DYNAMIC, KINEMATIC
from stoss.engine.joints.smoothness import (
    CONSERVATIVE,
    ROUGH,
    SMOOTH,
    find_rough_joints,
    find_smooth_bodies,
    find_smoothness,
)
from stoss.engine.solvers.island_solver import SolverState
from stoss.engine.solvers.statistics import SUB_STEPS
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.contact_free import DONE, GIVEN_UP, make_contact_free
from stoss.engine.stages.pace import FIRST_PACE, MOST_JOINTS, PARTS, Pace, next_pace
from stoss.engine.stages.splitting import SPLITS, needed_parts
from stoss.engine.stages.state import Options, State

__all__ = ["Mechanisms", "SavedMechanisms"]


NOBODY = np.zeros(0, np.bool_)


class SavedMechanisms(NamedTuple):
    """What the mechanisms that are set aside go on from, besides bodies and joints."""

    aside: np.ndarray  # (n,) bodies
    step_length: float
    pace: Pace
    solver: SolverState


class Mechanisms:
    """Choose mechanisms to be set aside, and make their steps.

    Args:
        system: the constraint system of the rest.

    Attributes:
        system: the constraint system of the mechanisms.
        sub_steps: how many they made in the present step.
    """

    def __init__(self, system: ConstraintSystem) -> None:
        self._rest = system
        state = system.state
        self._state = State(state.table, state.joint_table, state.settings, state.laws)
        self._state.statistics, self._state.ledger = state.statistics, state.ledger
        self.system = ConstraintSystem(self._state, system.detector)
        self._joints = np.zeros(0, np.bool_)  # theirs
        self._values = np.zeros(0)  # that these joints measure at the end of the step
        self._smoothness = np.zeros(0, np.int64)  # of all joints
        self._least = ROUGH  # of these
        self._refused = np.zeros(0, np.bool_)  # joints that were rough in this step
        self._failed = np.zeros(0, np.bool_)  # bodies that met something, or of joints that did not close
        self.sub_steps = 0

    @property
    def aside(self) -> np.ndarray | None:
        """Return which bodies (n,) are set aside, None if none is."""
        return self._rest.state.aside

    @property
    def composable(self) -> bool:
        """Return whether all of the rest can be composed: nothing touches, and all joints are smooth."""
        return self._rest.contact_free and self._least >= SMOOTH and not self._failed.any()

    @property
    def conservative(self) -> bool:
        """Return whether nothing of the rest touches, and no joint changes the energy."""
        return self._rest.contact_free and self._least == CONSERVATIVE

    def look(self, h: float) -> None:
        """See how smooth the joints are in a step of length h [s]."""
        state = self._rest.state
        joints, count = state.joints, len(state.joints.enabled)
        composes = state.settings.order > 2
        self._least = CONSERVATIVE
        self._refused = np.zeros(count, np.bool_) if composes else NOBODY
        self._failed = np.zeros(state.table.count, np.bool_) if composes else NOBODY
        if not composes and count > MOST_JOINTS:
            self._least = ROUGH  # nobody asks: nothing is composed, and parts follow the motion
            return
        if count == 0:
            return
        if len(self._smoothness) != count:
            self._smoothness = np.zeros(count, np.int64)
        theirs = np.zeros(count, np.bool_)
        if self.aside is not None and len(self.aside) == state.table.count:
            theirs = self._joints = self._joints_of(self.aside)  # joints may have come and gone
        lengths = np.concatenate([self._rest.step_length, self.system.step_length])
        bodies = self._rest.state.awake_bodies
        self._least = find_smoothness(joints, bodies, theirs, lengths, h, self._smoothness)

    def acted_roughly(self, h: float) -> bool:
        """Return whether any joint of the rest was rough in the last sub-step, of length h [s]."""
        joints = self._rest.state.joints
        return len(joints.enabled) > 0 and find_rough_joints(joints, joints.enabled, h, self._refused)

    @property
    def know_why(self) -> bool:
        """Return whether it is known what could not be composed in this step: the rest then may be."""
        return bool(self._refused.any() or self._failed.any())

    def refuse_failing(self, aside: bool) -> None:
        """Note the bodies of the island whose preview missed most when a composition was given up.

        Args:
            aside: whether it was that of the mechanisms that are set aside.
        """
        system = self.system if aside else self._rest
        islands = system.islands
        worst = system.system.work.worst[: len(islands.body_start) - 1]
        if len(worst):
            island = int(worst.argmax())
            self._failed[islands.bodies[islands.body_start[island] : islands.body_start[island + 1]]] = True

    def choose(self, h: float, may_cross: Callable[[float], bool]) -> bool:
        """Set aside the mechanisms that can be composed in a step of length h [s], if not all can.

        Args:
            h: length of the step [s].
            may_cross: tells whether bodies might cross others on the way, which only the rest looks for.

        Returns:
            Whether other bodies are set aside than before: then the rest is to find its contacts anew.
        """
        state, joints = self._rest.state, self._rest.state.joints
        bodies, count, smoothness = state.awake_bodies, state.table.count, self._smoothness
        aside = np.zeros(count, np.bool_)
        settings = state.settings
        if self._refused.any():
            smoothness[self._refused] = self._least = ROUGH
        if not (self.composable or settings.time_of_impact):
            taken = state.sleepers.resting_among(count) | self._failed
            c = self._rest.contacts
            taken[c.body_a[: c.count]] = taken[c.body_b[: c.count]] = True
            # what does not react may touch
            taken &= (state.table.arrays.kinds == DYNAMIC) | state.sleepers.asleep_among(count)
            memory = np.zeros(count, np.int64)
            find_smooth_bodies(joints, smoothness, SMOOTH, bodies, taken, memory, aside)
        if not aside.any() or (settings.continuous_collision and may_cross(h)):
            return self.release()
        if self.aside is not None and np.array_equal(aside, self.aside):
            state.set_aside(aside)  # kinds of bodies may have been changed
            self._state.set_aside(self._others(aside))
            return False
        self._take(aside)
        return True

    def _take(self, aside: np.ndarray) -> None:
        """Set bodies aside."""
        self._rest.state.set_aside(aside)
        self._state.set_aside(self._others(aside))
        self._joints = self._joints_of(aside)
        self._rest.joint_version = self.system.joint_version = -1
        # nothing of mechanisms that were set aside before: snapshots do not hold it
        self.system.solver.forget(self._state.table.count)
        self.system.step_length[0] = 0.0
        self._state.pace = FIRST_PACE

    def _joints_of(self, aside: np.ndarray) -> np.ndarray:
        """Return which joints hold any of these bodies (n,)."""
        joints = self._rest.state.joints
        return np.append(aside, False)[joints.bodies].any(axis=1) & joints.enabled

    def _others(self, aside: np.ndarray) -> np.ndarray:
        """Return the bodies that are static for the mechanisms; those that move as told go on."""
        return ~aside & (self._state.table.arrays.kinds == DYNAMIC)

    def release(self) -> bool:
        """Give all bodies back to the rest; return whether any was set aside."""
        if self.aside is None:
            return False
        self._rest.state.set_aside(None)
        self._rest.joint_version = -1
        return True

    def make(
        self,
        step: float,
        shares: list[float],
        options: Options,
        change: Callable[[float, float], None] | None = None,
    ) -> bool:
        """Bring the mechanisms to the end of the step; return whether that was possible.

        What does not belong to them is as it was afterwards.

        Args:
            step: its length [s].
            shares: of a part of it, in the order in which they are made.
            options: of the sub-steps.
            change: evaluates loads for a sub-step: its start since that of the step [s], and its length [s].
        """
        rest, state = self._rest.state, self._state
        state.settings, state.gravity, state.step = rest.settings, rest.gravity, rest.step
        joints, bodies = rest.joints, rest.table.arrays
        led = (joints.value, joints.led, joints.led_rate)
        led_before = [field.copy() for field in led]
        kinematic = np.flatnonzero(bodies.kinds == KINEMATIC)
        moved = (bodies.positions, bodies.quaternions, bodies.velocities, bodies.angular_velocities)
        before, surfaces = [field[kinematic] for field in moved], bodies.surface_motion.copy()
        self._find_islands()
        self.system.build()
        needed = needed_parts(self.system.system, options, step)
        next_pace(state.pace_numbers, needed, step)
        parts = min(max(needed, int(state.pace_numbers[PARTS])), state.settings.most_sub_steps)
        lengths = [share * (step / parts) for share in shares] * parts
        made = state.statistics[SUB_STEPS]
        # the last entry of what is given is not made
        parts_of = [lengths] if change is None else [[length] for length in lengths]
        offset, end = 0.0, DONE
        for some in parts_of:
            if change is not None:
                change(offset, some[0])
                offset += some[0]
            room = np.array([0.0, *reversed(some), *SPLITS * [0.0]])
            _, end = make_contact_free(
                *(self.system.system, options, room, len(some) + 1),
                *(state.gravity, state.pace_numbers, state.statistics),
            )
            if end != DONE:
                break
        self.system.solver.learn(self.system.islands, state.settings)
        if end == GIVEN_UP:
            self.refuse_failing(True)
        self.sub_steps = int(state.statistics[SUB_STEPS] - made)
        state.statistics[SUB_STEPS] = made
        for field, kept in zip(moved, before, strict=True):  # those that are not set aside have yet to move
            field[kinematic] = kept
        bodies.surface_motion[:] = surfaces
        mine = self._joints[joints.joint[joints.part]]
        for field, kept in zip(led, led_before, strict=True):
            field[~mine] = kept[~mine]
        self._values = joints.value[mine]
        return end == DONE and not find_rough_joints(joints, self._joints, lengths[-1], self._refused)

    def _find_islands(self) -> None:
        """Find the islands of the mechanisms, unless they are known."""
        system = self.system
        system.solver.begin(self._state.step)
        if system.joint_version != self._state.joint_table.version or not system.solver.settled:
            system.find_islands()

    def finish(self) -> None:
        """End a step: count sub-steps, and let turns of wheels be as their own stages counted them."""
        if self.aside is None:
            return
        joints, statistics = self._state.joints, self._state.statistics
        joints.value[self._joints[joints.joint[joints.part]]] = self._values
        statistics[SUB_STEPS] = max(statistics[SUB_STEPS], self.sub_steps)

    def met(self, contacts: Contacts) -> bool:
        """Return whether any of them is near something, by the contacts at the end of a step."""
        if self.aside is None:
            return False
        bodies = np.concatenate([contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]])
        self._failed[bodies] = True
        return bool(self.aside[bodies].any())

    def save(self) -> SavedMechanisms | None:
        """Return what they go on from, None if none is set aside."""
        if self.aside is None or len(self.aside) != self._state.table.count:
            self.release()  # bodies were added
            return None
        self._find_islands()
        system = self.system
        return SavedMechanisms(
            self.aside, float(system.step_length[0]), self._state.pace, system.solver.save(system.islands)
        )

    def restore(self, saved: SavedMechanisms | None) -> None:
        """Return to a saved state; bodies and joints are in place already."""
        if saved is None:
            self.release()
            return
        self._take(saved.aside)
        self._find_islands()
        self.system.solver.restore(saved.solver, self.system.islands, self.system.layout)
        self.system.step_length[0] = saved.step_length
        self._state.pace = saved.pace
