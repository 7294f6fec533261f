"""What of the settings, and of the circumstances of a step, kernels take."""

from stoss.collision.kernels.structs import Struct

__all__ = ["Options", "SolverOptions"]


class SolverOptions(Struct):
    """How far the solvers go."""

    sweeps: int  # most sweeps
    tolerance: float  # residual of the direct solver [m/s]
    budget: float  # multiplications of direct solves after which the others are brief
    time_limit: float  # for the sweeps [s], 0 for none
    shock: bool  # whether shock propagation ends sweeps that have not converged


class Options(Struct):
    """Settings and circumstances of a step, as numbers."""

    motion: int
    preview_passes: int
    tolerance: float  # of the preview [m]
    position_tolerance: float
    velocity_tolerance: float
    correction_speed: float
    resting_speed: float
    touch_distance: float
    solver: SolverOptions
    shortest: float  # sub-step [s] that is not split
    impact_law: int  # of stops
    stops: bool  # whether any joint has stops
    exact: bool  # whether sub-steps end where surfaces meet
    cold: bool  # whether phases start from no impulses
    composed: bool  # whether the step is a composition: then it is given up where it would have to be split
