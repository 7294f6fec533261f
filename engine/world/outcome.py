"""Look over a step that was made: bodies that ran away, other pairs that touch, figures for its report."""

from operator import is_
from typing import Annotated

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.energy import add_energy_and_momentum
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.placement import JointFrames
from stoss.engine.joints.state import held_errors, is_open
from stoss.engine.stages.after_step import Pairs, look_over

__all__ = ["Outcome"]


class Figures(Struct):
    """What the figures of a report are worked out from, and these."""

    bodies: BodyArrays
    joints: JointArrays
    frames: JointFrames
    gravity: Annotated[Floats, "three"]  # [m/s^2]
    totals: Annotated[Floats, "eight"]  # of `energy_and_momentum`
    joint_errors: Annotated[Floats, "two"]  # of `held_errors`


@kernel
def _work_out(f: Figures, tolerance: float) -> bool:
    """Write the figures; return whether any joint is open by more than a tolerance [m or rad]."""
    for k in range(8):
        f.totals[k] = 0.0
    add_energy_and_momentum(f.bodies, f.gravity, f.totals)
    joints = f.joints
    if len(joints.enabled) == 0:
        return False
    f.joint_errors[0], f.joint_errors[1] = held_errors(joints, f.frames)
    for j in range(len(joints.enabled)):
        if joints.enabled[j] and is_open(joints, j, tolerance):
            return True
    return False


class Outcome:
    """Look over the steps of a world, in one call each."""

    def __init__(self) -> None:
        self._known = Pairs(np.zeros((0, 2), np.int64))
        self._totals, self._joint_errors = np.zeros(8), np.zeros(2)
        self._figures: Figures | None = None
        self._figures_of: tuple[object, ...] = ()  # what these are worked out from

    def figures(
        self,
        bodies: BodyArrays,
        joints: JointArrays,
        frames: JointFrames,
        gravity: np.ndarray,
        tolerance: float,
    ) -> tuple[np.ndarray, tuple[float, float], bool]:
        """Return figures of the present state, and whether any joint is open.

        Args:
            bodies, joints, frames: the state; frames of the joints as they are.
            gravity: (3,) [m/s^2].
            tolerance: [m or rad] above which a joint is open.

        Returns:
            (8,) of `energy_and_momentum`, a copy; errors [m], [rad] of `held_errors`; whether any is open.
        """
        now = bodies, joints, frames, gravity
        if self._figures is None:
            self._figures = Figures(*now, self._totals, self._joint_errors)
        elif not all(map(is_, now, self._figures_of)):
            self._figures.update(*now, self._totals, self._joint_errors)
        self._figures_of = now
        any_open = _work_out(self._figures, tolerance)
        errors = self._joint_errors
        return self._totals.copy(), (float(errors[0]), float(errors[1])), any_open

    def know(self, pairs: np.ndarray) -> Pairs:
        """Return pairs (p, 2) that touch, for kernels."""
        if self._known.pairs is not pairs:
            self._known.pairs = pairs
        return self._known

    def of(
        self, bodies: BodyArrays, speed_limit: float, contacts: Contacts, touch: float, pairs: np.ndarray
    ) -> tuple[bool, bool]:
        """Return whether no body ran away, and whether the pairs that touch are known to be the same.

        Args:
            bodies: the bodies.
            speed_limit: [m/s].
            contacts: those of the present state.
            touch: gap up to which surfaces touch [m].
            pairs: (p, 2) that touched before.
        """
        known = self.know(pairs)
        good, same = look_over(bodies, speed_limit, contacts.arrays, contacts.count, touch, known)
        return good, same
