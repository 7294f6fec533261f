"""What acts on the bodies in one step and no longer: loads of this step alone, set points of drives."""

import numpy as np

from stoss.engine.joints.leading import follow_told, goes_on_changing
from stoss.engine.joints.state import update_drives
from stoss.engine.stages.state import State

__all__ = ["StepInputs"]


class StepInputs:
    """Impose loads and set points on a state for one step.

    Args:
        state: bodies and joints.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._lasting: tuple[np.ndarray, np.ndarray] | None = None  # forces and torques without the loads
        self._loads: dict[int, np.ndarray] = {}  # of this step alone
        # arrays that drives and stops change, and how they were before the step
        self._controls: list[tuple[np.ndarray, np.ndarray]] = []

    def update_joints(self, time: float, h: float, led: bool) -> None:
        """Take set points and forces of drives from schedules and controllers, and the motion of stops.

        Args:
            time, h: start and length of the step [s].
            led: whether any joint has stops or drives.
        """
        joints = self._state.joints
        self._controls = []
        if led and goes_on_changing(joints):
            self._note(joints.told, joints.told_rate, joints.told_change)
            follow_told(joints, h)
        if len(joints.gain) or len(joints.schedule_start) > 1:
            self._note(joints.target, joints.target_rate, joints.history_count, joints.last_error)
            update_drives(joints, time, h)

    def _note(self, *fields: np.ndarray) -> None:
        self._controls += [(field, field.copy()) for field in fields]

    def add_loads(self, loads: dict[int, np.ndarray], more: np.ndarray | None) -> None:
        """Add forces and torques (6,) [N, N m] to those of bodies, by their rows, and more (n, 6) of all."""
        self._lasting, self._loads = None, loads
        if loads or more is not None:
            b = self._state.table.arrays
            forces, torques = b.forces, b.torques
            self._lasting = forces.copy(), torques.copy()
            if more is not None:
                forces += more[:, :3]
                torques += more[:, 3:]
            for row, load in loads.items():
                forces[row] += load[:3]
                torques[row] += load[3:]

    def change_loads(self, more: np.ndarray) -> None:
        """Replace the forces and torques (n, 6) of all bodies."""
        self.remove_loads()
        self.add_loads(self._loads, more)

    def remove_loads(self) -> None:
        """Leave the bodies with the forces and torques that last."""
        if self._lasting is not None:
            b = self._state.table.arrays
            b.forces[:], b.torques[:] = self._lasting
            self._lasting = None

    def finish(self) -> None:
        """End a step that was made: its loads go."""
        self.remove_loads()
        self._controls = []

    def undo(self) -> None:
        """Take back the loads, and what controllers and stops have learnt: the step was not made."""
        self.remove_loads()
        for field, good in self._controls:
            field[:] = good
        self._controls = []
