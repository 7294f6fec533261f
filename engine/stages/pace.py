"""How many parts a step of mechanisms that keep their energy is split into: a number that changes seldom.

For each number of parts the step (RATTLE) keeps an energy of its own, near that of the mechanism; where the
number changes, the motion goes over from one to the other. A number that follows every swing changes at
other phases of it each time, and what that leaves adds up without end. So the number rises as soon as it
must, and falls only when for long no more was asked for. Each time that a fall was premature, the patience
doubles: a motion that recurs meets so few changes that their sum is bounded by the logarithm of time.

A number above `MOST_HELD` is followed: what it leaves is less by its square, and its cost counts.

The motion of more than `MOST_JOINTS` joints does not repeat itself. Where they close no loops, nothing
touches, and it is so fast that more than `MOST_HELD` parts are needed, each sub-step has a length of its
own, from the rate at which the motion asks for them in its middle (`splitting`).
"""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import inner

__all__ = [
    "FIRST_PACE",
    "MOST_JOINTS",
    "PACE",
    "MOST_HELD",
    "NOT_FOLLOWED",
    "PARTS",
    "Pace",
    "RATE",
    "forget_pace",
    "next_pace",
    "read_pace",
    "write_pace",
]

# Parts that are kept although fewer would do.
MOST_HELD = 4
# Steps without need after which the number falls for the first time: several swings of a pendulum.
FIRST_PATIENCE = 500


# Joints up to which the number of parts is kept from step to step.
MOST_JOINTS = 24
# Rate of a motion whose sub-steps are of equal length.
NOT_FOLLOWED = -1.0


class Pace(NamedTuple):
    """Into how many parts steps are split, and what that depends on besides the present motion."""

    parts: int = 1  # that are kept
    step: float = 0.0  # length of the step [s] that they belong to
    patience: int = FIRST_PATIENCE  # steps without need after which the number falls
    calm: int = 0  # steps since so many parts were needed
    needed: int = 1  # most parts that were needed in these steps
    fell: bool = False  # whether the number has fallen yet
    # sub-steps [1/s] that the motion asked for when the last one began, where each has a length of its own; 0
    # before the first of these
    rate: float = NOT_FOLLOWED


FIRST_PACE = Pace()
# The same for kernels: an array with these places.
PARTS, STEP, PATIENCE, CALM, NEEDED, FELL, RATE = range(7)
PACE = 7


def read_pace(pace: np.ndarray) -> Pace:
    """Return what an array (PACE,) holds."""
    parts, step, patience, calm, needed, fell, rate = pace.tolist()
    return Pace(int(parts), step, int(patience), int(calm), int(needed), bool(fell), rate)


def write_pace(pace: Pace, out: np.ndarray) -> None:
    """Write a pace into an array (PACE,)."""
    out[:] = pace


@inner
def next_pace(pace, needed, step):
    """Let the pace (PACE,) be that of a step of `step` [s], for which the motion needs so many parts."""
    needed = min(needed, MOST_HELD)
    if step != pace[STEP]:
        _begin_pace(pace, needed, step, FIRST_PATIENCE, False)
    elif needed > pace[PARTS]:
        _begin_pace(pace, needed, step, pace[PATIENCE] * (2 if pace[FELL] else 1), pace[FELL])
    elif needed == pace[PARTS]:
        pace[CALM], pace[NEEDED] = 0, 1
    else:
        pace[CALM], pace[NEEDED] = pace[CALM] + 1, max(pace[NEEDED], needed)
        if pace[CALM] >= pace[PATIENCE]:
            _begin_pace(pace, pace[NEEDED], step, pace[PATIENCE], True)


@inner
def forget_pace(pace):
    """Let the pace (PACE,) be the first one."""
    _begin_pace(pace, 1, 0.0, FIRST_PATIENCE, False)
    pace[RATE] = NOT_FOLLOWED


@inner
def _begin_pace(pace, parts, step, patience, fell):
    pace[PARTS], pace[STEP], pace[PATIENCE] = parts, step, patience
    pace[CALM], pace[NEEDED], pace[FELL] = 0, 1, fell
