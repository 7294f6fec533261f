"""One ball against a wall, by schemes that follow the force in time: what the engine is compared with.

Each returns the speed [m/s] with which the ball leaves, for a step [s] and the phase, 0 to 1, of a step after
which the law is felt.
"""

import math
from collections.abc import Callable

from stoss.engine.laws.comparison_contacts import HuntCrossleyContact
from stoss.engine.laws.restriction import RestrictionContact

__all__ = ["CLOSED", "SPEED", "explicit", "gradient", "implicit"]

MASS, SPEED = 0.05, 1.0  # [kg], [m/s] of approach
FORCE, ZONE, DAMPING = 200.0, 1e-3, 0.5  # [N], [m], [s/m]
SLOPE = math.log(199.0) / ZONE  # 2 r_t, for 0.005 to 0.995 over the zone [1/m]
FAR = 1.5e-3  # [m] from which on the law is felt
SHARP, LOSS = 3e6, 0.4  # [N/m^1.5] and [s/m] of Hunt and Crossley's law
STEADY = 60  # bisections
CLOSED = {
    "restriction": RestrictionContact(FORCE, ZONE, DAMPING).restitution(SPEED),
    "hunt-crossley": HuntCrossleyContact(SHARP, LOSS).restitution(SPEED),
}


def _fly(step: Callable[[float, float], tuple[float, float]], h: float, phase: float) -> float:
    """Return the speed after the ball has come, and left again, by a step of gap and rate."""
    gap, rate = FAR + phase * h * SPEED, -SPEED
    for _ in range(math.ceil(1.0 / h)):
        gap, rate = step(gap, rate)
        if (rate > 0.0 and gap > FAR) or not abs(rate) < 1e3:
            break
    return rate


def _activation(gap: float) -> float:
    return 0.5 - 0.5 * math.tanh(0.5 * SLOPE * (gap + 0.5 * ZONE))


def _stored(gap: float) -> float:
    x = -SLOPE * (gap + 0.5 * ZONE)
    return FORCE / (2.0 * SLOPE) * (max(x, 0.0) + math.log1p(math.exp(-abs(x))))


def _damped(rate: float) -> float:
    return 1.0 - math.tanh(DAMPING * rate)


def _solved(residual: Callable[[float], float], low: float, high: float) -> float:
    """Return where an increasing function is zero."""
    for _ in range(STEADY):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if residual(middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)


def implicit(h: float, phase: float) -> float:
    """Give the force of the gap and the rate at the end of the step."""

    def step(gap: float, rate: float) -> tuple[float, float]:
        most = rate + h * FORCE / MASS
        new = _solved(
            lambda v: v - rate - 0.5 * h * FORCE / MASS * _activation(gap + h * v) * _damped(v), rate, most
        )
        return gap + h * new, new

    return _fly(step, h, phase)


def gradient(h: float, phase: float) -> float:
    """Give the mean of the force at rest between both gaps, damped by the mean rate."""

    def step(gap: float, rate: float) -> tuple[float, float]:
        def off(new: float) -> float:
            way, mean = 0.5 * h * (rate + new), 0.5 * (rate + new)
            held = 0.5 * FORCE * _activation(gap + 0.5 * way)
            if abs(way) > 1e-10:
                held = (_stored(gap) - _stored(gap + way)) / way
            return new - rate - h / MASS * held * _damped(mean)

        new = _solved(off, rate, rate + h * FORCE / MASS)
        return gap + 0.5 * h * (rate + new), new

    return _fly(step, h, phase)


def explicit(h: float, phase: float) -> float:
    """Give Hunt and Crossley's force of the start of the step, then move by the new rate."""

    def step(gap: float, rate: float) -> tuple[float, float]:
        force = max(SHARP * max(-gap, 0.0) ** 1.5 * (1.0 - LOSS * rate), 0.0)
        rate += h * force / MASS
        return gap + h * rate, rate

    return _fly(step, h, phase)
