"""What leads rows from step to step: stops that move, and rates and values that drives want.

What users assign holds at the end of the next step. Assigned in every step, it changes evenly on the way
there: then what follows is neither early nor late by half a step. What changes once has jumped, and is there
at once.
"""

from typing import Any

from stoss.collision.kernels.decorators import inner, kernel
from stoss.engine.constraints.leading import lead
from stoss.engine.joints.arrays import DRIVE, LIMIT, JointArrays

__all__ = [
    "RATE",
    "VALUE",
    "advance_led",
    "follow_told",
    "goes_on_changing",
    "hold_in_step",
    "is_moved",
    "led_after",
    "led_rate_after",
    "led_way",
]

# What leads a drive, in `JointArrays.led`.
RATE, VALUE = range(2)


def hold_in_step(joints: JointArrays, rows: Any, rates: Any, values: Any = None) -> None:
    """Let drives want rates, and values, in the whole of the next step: those of its middle.

    Args:
        joints: the arrays.
        rows: of the drives.
        rates: [m/s or rad/s].
        values: [m or rad]; None: as they are.
    """
    joints.target_rate[rows] = joints.told[rows, RATE] = rates
    if values is not None:
        joints.target[rows] = joints.told[rows, VALUE] = values


@inner
def led_way(joints, m, k, time):
    """Return by how much what leads row m changes in a time [s] from now on, or back."""
    return time * (joints.led_rate[m, k] + 0.5 * time * joints.led_change[m, k])


@inner
def led_after(joints, m, k, time):
    """Return what leads row m a time [s] from now."""
    return joints.led[m, k] + led_way(joints, m, k, time)


@inner
def is_moved(joints, m, k):
    """Return whether what leads row m changes in this step."""
    return joints.led_rate[m, k] != 0.0 or joints.led_change[m, k] != 0.0


@inner
def led_rate_after(joints, m, k, time):
    """Return by how much per second that changes a time [s] from now."""
    return joints.led_rate[m, k] + time * joints.led_change[m, k]


@kernel
def follow_told(joints: JointArrays, h: float) -> None:
    """Find how stops and wanted rates and values change in the step of length h [s] that begins.

    A stop that is changed once is where it is, and what is beyond it is displaced. One that is changed in
    every step moves, like a kinematic body: it arrives where it was put at the end of the step, with the rate
    that its last steps say. Wanted rates and values change evenly.
    """
    for m in range(len(joints.role)):
        role = joints.role[m]
        if role == LIMIT:
            for end in range(2):
                _follow(joints, m, end, joints.lower[m] if end == 0 else joints.upper[m], h, True)
        elif role == DRIVE:
            _follow(joints, m, RATE, joints.target_rate[m], h, False)
            _follow(joints, m, VALUE, joints.target[m], h, False)


@kernel
def goes_on_changing(joints: JointArrays) -> bool:
    """Return whether anything that leads rows was told to change, or has changed in the last two steps."""
    for m in range(len(joints.role)):
        if joints.role[m] == LIMIT:
            first, second = joints.lower[m], joints.upper[m]
        elif joints.role[m] == DRIVE:
            first, second = joints.target_rate[m], joints.target[m]
        else:
            continue
        for k in range(2):
            given = first if k == 0 else second
            if joints.led[m, k] != given or joints.told[m, k] != given or joints.told_rate[m, k] != 0.0:
                return True
            if joints.told_change[m, k] != 0.0 or joints.led_rate[m, k] != 0.0:
                return True
    return False


@inner
def _follow(joints, m, k, given, h, moves):
    """Lead row m to what it was given, at the end of the step; `moves`: by a rate that changes evenly."""
    mean, even, rate, change = lead(
        given, joints.told[m, k], joints.told_rate[m, k], joints.told_change[m, k], h
    )
    even = even if moves else 0.0
    joints.led[m, k] = given - h * mean
    joints.led_rate[m, k] = mean - 0.5 * h * even
    joints.led_change[m, k] = even
    joints.told[m, k], joints.told_rate[m, k], joints.told_change[m, k] = given, rate, change


@kernel
def advance_led(joints: JointArrays, h: float) -> None:
    """Move stops, and what drives want, from t to t + h."""
    for m in range(len(joints.role)):
        if joints.role[m] == LIMIT or joints.role[m] == DRIVE:
            for k in range(2):
                joints.led[m, k] = led_after(joints, m, k, h)
                joints.led_rate[m, k] = led_rate_after(joints, m, k, h)
