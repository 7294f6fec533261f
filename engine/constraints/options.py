"""What of the settings the rows of contacts and joints are prepared by."""

from stoss.collision.kernels.structs import Struct

__all__ = ["RowOptions"]


class RowOptions(Struct):
    """Tolerances and thresholds of rows, and how bodies are previewed; see `Settings`."""

    motion: int  # method of rotation
    position_tolerance: float  # [m]
    correction_speed: float  # [m/s or rad/s]
    resting_speed: float  # [m/s]
    touch_distance: float  # [m]
    step: float  # length of the whole step [s]: what is pressed together within some of them rests
    exact: bool  # whether sub-steps end where surfaces meet
