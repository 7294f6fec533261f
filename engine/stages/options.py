"""Settings and circumstances of sub-steps as numbers, for kernels."""

from stoss.engine.bodies.material import IMPACT_LAWS
from stoss.engine.constraints.options import RowOptions
from stoss.engine.motion.free_motion import METHODS
from stoss.engine.settings import Settings
from stoss.engine.solvers.arrays import SolverOptions
from stoss.engine.stages.certificate import SPLIT_KICK
from stoss.engine.stages.energy_account import KICK
from stoss.engine.stages.state import Options

__all__ = ["step_options"]

# Tolerances of preview and velocity rows in a composition, as shares of the usual ones: far below the error
# of its order.
COMPOSED_TOLERANCE = 1e-6
COMPOSED_VELOCITY = 1e-3
# Most sweeps over an impact, which end when it is resolved: no later step puts right what they leave.
IMPACT_SWEEPS = 300
# No preview is better than this [m or rad], for bodies of about a metre.
ROUNDING = 1e-13


def step_options(settings: Settings, composed: bool, step: float, has_stops: bool, is_led: bool) -> Options:
    """Return settings and circumstances of sub-steps as numbers; see `Options`.

    Phases start cold with shock propagation: its impulses act on the upper bodies alone, and a start from
    them would push the lower ones.
    """
    velocity_tolerance = settings.velocity_tolerance * (COMPOSED_VELOCITY if composed else 1.0)
    return Options(
        preview_passes=settings.preview_passes,
        tolerance=max(settings.position_tolerance * COMPOSED_TOLERANCE, ROUNDING)
        if composed
        else settings.position_tolerance,
        velocity_tolerance=velocity_tolerance,
        rows=RowOptions(
            motion=METHODS[settings.motion],
            position_tolerance=settings.position_tolerance,
            correction_speed=settings.correction_speed,
            resting_speed=settings.resting_speed,
            touch_distance=settings.touch_distance,
            step=step,
            exact=settings.time_of_impact,
        ),
        solver=SolverOptions(
            sweeps=settings.sweeps,
            tolerance=velocity_tolerance,
            budget=settings.budget,
            quiet=settings.resting_speed,
            time_limit=settings.time_limit,
            shock=settings.shock_propagation,
        ),
        impacts=SolverOptions(
            sweeps=max(settings.sweeps, IMPACT_SWEEPS),
            tolerance=velocity_tolerance,
            budget=settings.budget,
            quiet=0.0,
            time_limit=settings.time_limit,
            shock=settings.shock_propagation,
        ),
        most_parts=settings.most_sub_steps,
        most_cost=settings.most_cost,
        largest_turn=settings.largest_turn,
        kick=min(SPLIT_KICK * settings.largest_turn**2, KICK) if settings.most_sub_steps > 1 else KICK,
        impact_law=IMPACT_LAWS.index(settings.impact_law),
        stops=has_stops,
        led=is_led,
        cold=settings.shock_propagation or not settings.warm_start,
        composed=composed,
    )
