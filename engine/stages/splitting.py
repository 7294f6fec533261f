"""In how many parts a step is made, because joints turn or swing fast."""

import numpy as np

from stoss.engine.joints.state import fastest_turns
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.correct import LARGEST_SWING

__all__ = ["needed_parts", "shortest_part"]

# Parts for the sake of loads where joints meet contacts: what jams has loads without limit, which move
# nothing.
MOST_BY_SWING = 16
HALVES = 16  # the shortest sub-step is that much shorter than the planned ones


def shortest_part(step: float, parts: int) -> float:
    """Return the length [s] of the shortest sub-step of a step [s] that is planned in so many parts."""
    return step / (HALVES * parts)


def needed_parts(system: ConstraintSystem, step: float) -> int:
    """Return in how many parts a step of length `step` [s] is to be made, as joints turn or swing now."""
    state, settings = system.state, system.state.settings
    if not len(system.acting_joints):
        return 1
    turn, swing, jammed = fastest_turns(
        state.joints,
        system.joint_frames,
        system.layout,
        system.rows,
        state.bodies,
        system.step_length[0],
    )
    swings = max(swing * step, min(jammed * step, MOST_BY_SWING * LARGEST_SWING))
    wanted = max(turn * step / settings.largest_turn, swings / LARGEST_SWING)
    # written so that NaN asks for one step, in which it will be found out
    return int(min(np.ceil(wanted), settings.most_sub_steps)) if wanted > 1.0 else 1
