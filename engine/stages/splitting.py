"""In how many parts a step is made, because joints turn or swing fast."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.joints.state import fastest_turns
from stoss.engine.solvers.statistics import PARTS, PLANNED, SHORTEST, SUB_STEPS
from stoss.engine.stages.correct import LARGEST_SWING
from stoss.engine.stages.pace import RATE
from stoss.engine.stages.state import Options, System

__all__ = ["HALVES", "MOST_PLANNED", "SPLITS", "divide_rest", "needed_parts", "room_for"]

# Parts for the sake of loads where joints meet contacts: what jams has loads without limit, which move
# nothing.
MOST_BY_SWING = 16
# The shortest sub-step is that much shorter than the planned ones.
HALVES = 16
# Room for halves of sub-steps that are split: one for each time that a planned one may be halved, and more.
SPLITS = 8
# Multiples of `Options.largest_turn` by which a lever may turn in a sub-step whose length is its own: the
# energy is then as exact as with equal ones, of which there are more.
OWN_TURN = 1.3
MOST_PLANNED = 1000  # sub-steps that are planned in the kernel
# Bounds of the rate in the middle of a sub-step, as multiples of that at its start.
LEAST_AHEAD, MOST_AHEAD = 0.5, 2.0


@kernel
def needed_parts(s: System, o: Options, step: float) -> int:
    """Return in how many parts a step of length `step` [s] is to be made, as joints turn or swing now."""
    turn, swing, jammed = fastest_turns(
        s.joints, s.joint_frames, s.layout, s.rows, s.bodies, s.step_length[0]
    )
    swings = max(swing * step, min(jammed * step, MOST_BY_SWING * LARGEST_SWING))
    return _count(max(turn * step / o.largest_turn, swings / LARGEST_SWING), o)


@inner
def _count(wanted, o):
    # written so that NaN asks for one step, in which it will be found out
    if not wanted > 1.0:
        return 1
    return int(min(np.ceil(wanted), float(o.most_parts)))


@inner
def _parts_ahead(s, o, pace, rest):
    """Return in how many parts the time `rest` [s] is to be made, by the first of them; see `pace`.

    The rate at which the motion asks for sub-steps is taken for the middle of the first one, from its trend
    since the last one began. By that at the start there would be fewer before a fast turn than after it, and
    the motion backwards in time would have others.
    """
    turn, swing, _ = fastest_turns(s.joints, s.joint_frames, s.layout, s.rows, s.bodies, s.step_length[0])
    rate = max(turn / (OWN_TURN * o.largest_turn), swing / LARGEST_SWING)
    ahead = rate
    if pace[RATE] > 0.0:
        ahead = min(max(rate + 0.5 * (rate - pace[RATE]), LEAST_AHEAD * rate), MOST_AHEAD * rate)
    pace[RATE] = rate
    return _count(ahead * rest, o)


@kernel
def divide_rest(s: System, o: Options, pace: Floats, lengths: Floats, left: int, statistics: Floats) -> int:
    """Divide what is left of a step anew, and let it be planned like this; return in how many sub-steps.

    Args:
        s, o, pace: system, options and pace.
        lengths: of the `left` sub-steps that are left [s]; receives the new ones, and needs room for them and
            SPLITS more.
        left: how many they are.
        statistics: of the step.
    """
    rest = 0.0
    for k in range(left):
        rest += lengths[k]
    most = min(o.most_parts - int(statistics[SUB_STEPS]), len(lengths) - SPLITS)
    parts = max(min(_parts_ahead(s, o, pace, rest), most), 1)
    for k in range(parts):
        lengths[k] = rest / parts
    statistics[PARTS] += parts - left
    statistics[PLANNED] += parts - left
    statistics[SHORTEST] = rest / (HALVES * parts)
    return parts


def room_for(most: int, lengths: list[float]) -> np.ndarray:
    """Return an array that begins with these lengths and has room for `most` sub-steps and their halves."""
    count = max(min(most, MOST_PLANNED), len(lengths))
    return np.array([*lengths, *[0.0] * (count - len(lengths) + SPLITS)])
