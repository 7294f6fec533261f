"""What failed in an island of late, so that it is not tried at any price in every step.

Bodies that are jammed stay so for many steps, and each time no active set is found for them, and no number
of sub-steps helps. So the third failure within a step, or in steps that follow each other, casts a doubt on
their island: for the rest of the step what failed is tried briefly, and at every further failure for twice
as many steps. What has not failed for some steps in which it was tried is trusted again.

Doubts are noted by body, since islands come and go: (bodies, 2) last step of the doubt, and failures.
"""

from stoss.collision.kernels.decorators import inner

__all__ = ["LONG_AGO", "add_doubt", "forget_doubts", "is_doubted"]

MOST_FAILURES = 7  # of which each but the first doubles the steps that a doubt lasts: 32 at the most
TRUSTED_AFTER = 3  # steps without a failure
LONG_AGO = -100  # step


@inner
def is_doubted(doubts, step, islands, island):
    """Return whether an island consists, by half or more, of bodies that are doubted in this step."""
    first, last = islands.body_start[island], islands.body_start[island + 1]
    count = 0
    for at in range(first, last):
        count += doubts[islands.bodies[at], 0] >= step
    return 2 * count >= last - first


@inner
def forget_doubts(doubts):
    """Trust all bodies again."""
    for i in range(len(doubts)):
        doubts[i, 0], doubts[i, 1] = LONG_AGO, 0


@inner
def add_doubt(doubts, step, islands, island):
    """Note that what was tried for an island failed in this step; until it is tried again, nothing is."""
    for at in range(islands.body_start[island], islands.body_start[island + 1]):
        i = islands.bodies[at]
        if doubts[i, 0] >= step:
            continue
        failures = doubts[i, 1] if step - doubts[i, 0] <= TRUSTED_AFTER else 0
        doubts[i, 0] = step + ((1 << failures) >> 2) - 1
        doubts[i, 1] = min(failures + 1, MOST_FAILURES)
