"""What failed in an island of late, so that it is not tried at any price in every step.

Bodies that are jammed stay so for many steps, and each time no active set is found for them, and no number
of sub-steps helps. What lies down or tightens, as a rope round a post, fails for some steps too, and then no
more: it needs all the patience there is. And what fails at little cost may be tried in every step. So what
has failed in `PATIENCE` steps that follow each other, and made them dear (`allowance.is_dear`), casts a doubt
on its island: for the rest of the step it is tried briefly, and at every further failure for twice as many
steps. What has not failed for some steps in which it was tried is trusted again.

Doubts are noted by body, since islands come and go: (bodies, 3) last step of the doubt, steps with failures,
and the last of these.
"""

from stoss.collision.kernels.decorators import inner

__all__ = ["LONG_AGO", "add_doubt", "forget_doubts", "has_failed", "is_doubted"]

PATIENCE = 25  # steps with failures before the first doubt
MOST_DOUBLED = 5  # times that a doubt is doubled: to 32 steps
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
def has_failed(doubts, step, islands, island):
    """Return whether what was tried for an island, or for most of its bodies, failed in this step."""
    first, last = islands.body_start[island], islands.body_start[island + 1]
    count = 0
    for at in range(first, last):
        count += doubts[islands.bodies[at], 2] == step
    return 2 * count > last - first


@inner
def forget_doubts(doubts):
    """Trust all bodies again."""
    for i in range(len(doubts)):
        doubts[i, 0], doubts[i, 1], doubts[i, 2] = LONG_AGO, 0, LONG_AGO


@inner
def add_doubt(doubts, step, islands, island):
    """Note that what was tried for an island failed in this step; until it is tried again, nothing is."""
    for at in range(islands.body_start[island], islands.body_start[island + 1]):
        i = islands.bodies[at]
        if doubts[i, 0] >= step or doubts[i, 2] == step:
            continue
        followed = step - max(doubts[i, 0], doubts[i, 2]) <= TRUSTED_AFTER
        failures = doubts[i, 1] + 1 if followed else 1
        doubts[i, 1] = min(failures, PATIENCE + MOST_DOUBLED)
        doubts[i, 2] = step
        if failures >= PATIENCE:
            doubts[i, 0] = step + (1 << (doubts[i, 1] - PATIENCE)) - 1
