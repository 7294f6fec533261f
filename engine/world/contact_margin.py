"""Whether contacts are seen early enough for a step, gravity and margin."""

import warnings

import numpy as np

__all__ = ["warn_of_margin"]


def warn_of_margin(time_step: float, gravity: float, margin: float) -> None:
    """Warn if a body at rest falls farther in a step than contacts are seen ahead.

    Args:
        time_step: [s].
        gravity: its size [m/s^2].
        margin: `Settings.contact_margin` [m].
    """
    fall = 0.5 * gravity * time_step * time_step
    if fall > margin:
        warnings.warn(
            f"settings.contact_margin = {margin:.3g} m is less than a body at rest falls in one step, "
            f"g h^2 / 2 = {fall:.3g} m: contacts are seen too late, and stacks collapse. Give "
            f"time_step = {np.sqrt(margin / gravity):.2g} s or less (now {time_step:.3g} s; "
            "Settings.scaled(length) expects steps to be scaled by the square root of length), "
            "or a larger contact_margin",
            stacklevel=6,  # the caller of `World.step`, beyond `Steps` and what explains its arguments
        )
