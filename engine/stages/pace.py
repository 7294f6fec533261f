"""How many parts a step of mechanisms that keep their energy is split into: a number that changes seldom.

For each number of parts the step (RATTLE) keeps an energy of its own, near that of the mechanism; where the
number changes, the motion goes over from one to the other. A number that follows every swing changes at
other phases of it each time, and what that leaves adds up without end. So the number rises as soon as it
must, and falls only when for long no more was asked for. Each time that a fall was premature, the patience
doubles: a motion that recurs meets so few changes that their sum is bounded by the logarithm of time.

A number above `MOST_HELD` is followed: what it leaves is less by its square, and its cost counts.
"""

from typing import NamedTuple

__all__ = ["FIRST_PACE", "MOST_JOINTS", "Pace", "next_pace"]

# Parts that are kept although fewer would do.
MOST_HELD = 4
# Steps without need after which the number falls for the first time: several swings of a pendulum.
FIRST_PATIENCE = 500


# Joints up to which the number of parts is kept from step to step: the motion of more does not repeat itself.
MOST_JOINTS = 24


class Pace(NamedTuple):
    """Into how many parts steps are split, and what that depends on besides the present motion."""

    parts: int = 1  # that are kept
    step: float = 0.0  # length of the step [s] that they belong to
    patience: int = FIRST_PATIENCE  # steps without need after which the number falls
    calm: int = 0  # steps since so many parts were needed
    needed: int = 1  # most parts that were needed in these steps
    fell: bool = False  # whether the number has fallen yet


FIRST_PACE = Pace()


def next_pace(pace: Pace, needed: int, step: float) -> Pace:
    """Return the pace of a step of length `step` [s], for which the present motion needs so many parts."""
    needed = min(needed, MOST_HELD)
    if step != pace.step:
        return Pace(needed, step)
    if needed > pace.parts:
        return Pace(needed, step, pace.patience * (2 if pace.fell else 1))._replace(fell=pace.fell)
    if needed == pace.parts:
        return pace._replace(calm=0, needed=1)
    calm, needed = pace.calm + 1, max(pace.needed, needed)
    if calm < pace.patience:
        return pace._replace(calm=calm, needed=needed)
    return Pace(needed, step, pace.patience, fell=True)
