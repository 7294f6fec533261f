"""From which speed on an impact bounces, for contacts and for stops of joints."""

from stoss.collision.kernels.decorators import inner

__all__ = ["least_bounce"]

# Steps, to and fro, that a bounce must last to be one, and the share of the resting speed below which
# everything rests: what solvers leave.
BOUNCE_STEPS = 200.0
REST_SHARE = 1e-3


@inner
def least_bounce(pressing, restitution, step, resting_speed):
    """Return the speed of approach up to which there is no bounce [m/s or rad/s].

    After a bounce at speed u the surfaces meet again after 2 e u / a. Where nothing presses them together (a
    is zero) they never do, and the slowest impact bounces; where they would within BOUNCE_STEPS, and are
    slower
    than the resting speed, they rest.

    Args:
        pressing: a, the acceleration with which they are pressed together [m/s^2 or rad/s^2].
        restitution: e.
        step: length of a whole step [s].
        resting_speed: [m/s or rad/s].
    """
    if restitution == 0.0:
        return resting_speed
    least = resting_speed * REST_SHARE
    if pressing > 0.0:
        least = max(least, 0.5 * BOUNCE_STEPS * pressing * step / restitution)
    return min(least, resting_speed)
