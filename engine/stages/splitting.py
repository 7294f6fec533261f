"""In how many parts a step is made, because joints turn or swing fast."""

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.engine.joints.state import fastest_turns
from stoss.engine.stages.correct import LARGEST_SWING
from stoss.engine.stages.state import Options, System

__all__ = ["needed_parts"]

# Parts for the sake of loads where joints meet contacts: what jams has loads without limit, which move
# nothing.
MOST_BY_SWING = 16


@kernel
def needed_parts(s: System, o: Options, step: float) -> int:
    """Return in how many parts a step of length `step` [s] is to be made, as joints turn or swing now."""
    turn, swing, jammed = fastest_turns(
        s.joints, s.joint_frames, s.layout, s.rows, s.bodies, s.step_length[0]
    )
    swings = max(swing * step, min(jammed * step, MOST_BY_SWING * LARGEST_SWING))
    wanted = max(turn * step / o.largest_turn, swings / LARGEST_SWING)
    # written so that NaN asks for one step, in which it will be found out
    if not wanted > 1.0:
        return 1
    return int(min(np.ceil(wanted), float(o.most_parts)))
