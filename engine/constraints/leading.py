"""What is told anew in every step: how far it changes evenly, and how far it has jumped."""

import numpy as np

from stoss.collision.kernels.decorators import inner

__all__ = ["lasting", "lead"]

# How many times as large as the last one a change is believed: as of a parabola in the second step from rest.
GROWTH = 3.0


@inner
def lasting(change, last):
    """Return a change as far as it lasts: none where it begins or turns round, at most `GROWTH` last ones."""
    if change * last <= 0.0:
        return 0.0
    bound = GROWTH * abs(last)
    return min(max(change, -bound), bound)


@inner
def lead(given, told, last_rate, last_change, h):
    """Return how a number that was `told` before comes to the one that is given in a step of length h [s].

    What slows down evenly may turn round; else what turns round has jumped.

    Args:
        given, told: at the end of this step, and of the last one; infinite: nothing.
        last_rate, last_change: by how much it had changed in the last step, and this, per second.
        h: length of the step [s].

    Returns:
        The rate at which it changes in the step, without a jump, and by how much that changes evenly;
        the rate and its change as they were told, for the next step.
    """
    rate = (given - told) / h
    if not np.isfinite(rate):
        rate = 0.0
    change = (rate - last_rate) / h
    even = lasting(change, last_change)
    mean = rate if even == change and last_rate != 0.0 else lasting(rate, last_rate)
    if mean == 0.0 and rate != 0.0:
        even = 0.0
    return mean, even, rate, change
