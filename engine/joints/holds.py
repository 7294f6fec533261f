"""What kinds of joints hold and what they leave: the words of `basic_kinds` and `combined_kinds`."""

from stoss.engine.joints.arrays import ALIGN, ANGLE_1, ANGLE_2, CARDAN, SLIDE, SWING, TURN, TWIST
from stoss.engine.joints.kind import Coordinate, hold

__all__ = [
    "ANGLE",
    "CARDAN_ANGLES",
    "AXIS",
    "DISPLACEMENT",
    "IN_PLANE",
    "IN_PLANE_PLACE",
    "ON_LINE",
    "ORIENTATION",
    "POINT",
    "SWING_TWIST",
    "TURNS",
    "TWO_ANGLES",
]

# what is held
POINT, ON_LINE, IN_PLANE = hold(SLIDE, 0, 1, 2), hold(SLIDE, 0, 1), hold(SLIDE, 2)
ORIENTATION, AXIS = hold(TURN, 0, 1, 2), hold(ALIGN, 0, 1)

# coordinates that are left
TURNS: dict[str, Coordinate] = {f"rotation {'xyz'[k]}": (0, TURN, k) for k in range(3)}
CARDAN_ANGLES: dict[str, Coordinate] = {f"turn_{'xyz'[k]}": (0, CARDAN, k) for k in range(3)}
ANGLE: dict[str, Coordinate] = {"angle": (0, TWIST, 0)}
DISPLACEMENT: dict[str, Coordinate] = {"displacement": (0, SLIDE, 2)}
IN_PLANE_PLACE: dict[str, Coordinate] = {"x": (0, SLIDE, 0), "y": (0, SLIDE, 1)}
SWING_TWIST: dict[str, Coordinate] = {"swing": (0, SWING, 0), "twist": (0, TWIST, 0)}
TWO_ANGLES: dict[str, Coordinate] = {
    "angle_1": (0, ANGLE_1, 0),
    "angle_2": (0, ANGLE_2, 0),
}
