"""Friction laws as kernels take them: what curve, what memory, and their numbers."""

from typing import Annotated

from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints

__all__ = [
    "ACROSS",
    "BRISTLE",
    "CONSTANT",
    "CONTINUOUS",
    "DAMPING",
    "DECAY",
    "KINETIC",
    "FILTER",
    "FrictionLaws",
    "HOLD_SPEED",
    "HUMP",
    "LORENTZ",
    "NO_LAW",
    "NUMBERS",
    "OWN",
    "PEAK",
    "RATIO",
    "REGULARISED",
    "SET_VALUED",
    "SLID",
    "SMOOTH",
    "SPEED",
    "STATE",
    "STEP_WORK",
    "STICKING",
    "STIFFNESS",
    "STRIBECK",
    "TIME",
    "TRANSITION",
    "USER",
    "VISCOUS",
    "WORK",
]

NO_LAW = -1

# Curves: what resists per load at a speed s >= 0; see `friction_curves.coefficient`.
CONSTANT, STRIBECK, LORENTZ, REGULARISED, CONTINUOUS, USER = range(6)

# Memory. SET_VALUED: sticks, by any force up to the curve's at rest. SMOOTH: as it says, nothing at rest.
# FILTER: the force follows a smooth curve with a delay, and is held at rest. BRISTLE: Dahl and LuGre.
SET_VALUED, SMOOTH, FILTER, BRISTLE = range(4)

# Places of numbers. STICKING, KINETIC: force per load [1, or N, N m]. SPEED: at which one becomes the other
# [m/s or rad/s]. VISCOUS: [force per load and speed]. TRANSITION: of a smooth curve about zero [m/s].
# DECAY: exponent of the Stribeck curve. TIME: of a filter [s]. HOLD_SPEED: below it a filter holds, 0: it
# does not. STIFFNESS, DAMPING: of bristles [per load]. PEAK: speed up to which a curve rises [m/s].
# ACROSS: 3 numbers, the direction in the body across which `RATIO` times as much resists; RATIO 1: none.
# HUMP: height of the Stribeck term of a CONTINUOUS curve.
STICKING, KINETIC, SPEED, VISCOUS, TRANSITION, DECAY, TIME, HOLD_SPEED, STIFFNESS, DAMPING, PEAK, RATIO = (
    range(12)
)
ACROSS = 12
HUMP = 15
NUMBERS = 16
OWN = 8  # numbers that a law of a user may have
# What a contact with a law remembers: a vector in the world (force per load, or deflection [m]), then the
# speed with which it slid at the end of the last step; and the work of friction on the bodies
# [J], since the contact is there and in the whole of the last step.
SLID, WORK, STEP_WORK = 3, 4, 5
STATE = 6


class FrictionLaws(Struct):
    """The friction laws of a world."""

    curve: Annotated[Ints, "laws"]
    memory: Annotated[Ints, "laws"]
    numbers: Annotated[Floats, "laws", NUMBERS]
    own: Annotated[Floats, "laws", OWN]  # numbers of a law of a user
    address: Annotated[Ints, "laws"]  # of its function
    fault: Annotated[Ints, "laws"]  # 1: it gave what is no number, or less than nothing
    work: Annotated[Floats, "laws"]  # of its friction on the bodies, since the world knows the law [J]
    work_before: Annotated[Floats, "laws"]  # the same before the work of a solve was entered
    work_at_start: Annotated[Floats, "laws"]  # the same at the start of the last step
