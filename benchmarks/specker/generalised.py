"""Generalised forces of contacts: J^T F of the engine beside the derivatives of the thesis's functions."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["force_errors"]

_LENGTH, _BASE, _STRENGTH, _DAMPING = 0.1, 0.01, 400.0, 4.0  # of the double pendulum
_CENTRE, _TRANSITION = 0.008, 2.0 * float(np.arctanh(0.99)) / 0.004
_MU, _STATIC, _PEAK, _SMOOTH = 0.18, 0.2, 0.02, 0.01  # of friction; speeds as coarse as differences can be


def force_errors(states: int = 20, seed: int = 0) -> tuple[float, float]:
    """Return the largest differences of generalised contact and friction forces, as shares of them (T-16).

    Both masses of the double pendulum are near the floor, at random angles and rates. The engine gives its
    forces of contacts, and the rates of gap and slip for unit rates of the angles; the reference derives the
    restriction function and, with frozen normal forces, the dissipation function by those rates.

    Args:
        states: their number.
        seed: of the states.
    """
    rng = np.random.default_rng(seed)
    worst = np.zeros(2)
    for _ in range(states):
        angles, rates = rng.uniform((-0.02, -0.02), (0.02, 0.02)), rng.normal(0.0, 2.0, 2)
        ours = np.array(_of_engine(angles, rates))
        wanted = np.array(_of_reference(angles, rates))
        sizes = np.abs(wanted).max(axis=1)
        worst = np.maximum(worst, np.abs(ours - wanted).max(axis=1) / sizes)
    return float(worst[0]), float(worst[1])


def _law() -> Any:
    import stoss as st

    return st.ContinuousStribeck(_STATIC, _MU, _PEAK, _SMOOTH)


def _world(angles: np.ndarray, rates: np.ndarray) -> "World":
    """Return the pendulum in a state, before any step."""
    from stoss.scenes import SCENES

    world = SCENES["double_pendulum_floor"].build(radius=1e-4)
    first, both = angles[0], angles.sum()
    along = np.array([np.cos(first), 0.0, np.sin(first)]), np.array([np.cos(both), 0.0, np.sin(both)])
    across = np.array([-np.sin(first), 0.0, np.cos(first)]), np.array([-np.sin(both), 0.0, np.cos(both)])
    inner, outer = world.body("inner"), world.body("outer")
    inner.position = (0.0, 0.0, _BASE) + _LENGTH * along[0]
    outer.position = inner.position + _LENGTH * along[1]
    inner.velocity = _LENGTH * rates[0] * across[0]
    outer.velocity = inner.velocity + _LENGTH * rates.sum() * across[1]
    inner.angular_velocity = outer.angular_velocity = (0.0, 0.0, 0.0)
    return world


def _of_engine(angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    world = _world(angles, rates)
    units = [_world(angles, unit).contacts for unit in np.eye(2)]
    normal, friction, law = np.zeros(2), np.zeros(2), _law()
    for number, contact in enumerate(world.contacts):
        push = contact.normal_force
        normal += push * np.array([contacts[number].rate for contacts in units])
        if "outer" not in (contact.first.name, contact.second.name):
            continue
        slip = float(world.body("outer").velocity[0])
        assert abs(abs(slip) - contact.slip_speed) < 1e-12 or contact.slip_speed == 0.0
        slides = [contacts[number].first.world.body("outer").velocity[0] for contacts in units]
        friction += law.force(slip, push) * np.array(slides)
    return normal, friction


def _of_reference(angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    pushes = _kinematics(angles, rates)[2]

    def restriction(given: np.ndarray) -> float:
        gaps, speeds, _, _ = _kinematics(angles, given)
        share = 0.5 * (1.0 - np.tanh(_TRANSITION * (gaps - _CENTRE)))
        return float(
            (share * (0.5 * speeds - _log_cosh(_DAMPING * speeds) / (2.0 * _DAMPING))).sum() * _STRENGTH
        )

    def dissipation(given: np.ndarray) -> float:
        slide = _kinematics(angles, given)[3]
        more = _STATIC - _MU * np.tanh(_PEAK / _SMOOTH)
        smooth = _MU * _SMOOTH * _log_cosh(slide / _SMOOTH)
        return float(pushes[1] * (smooth - more * _PEAK * np.exp(0.5 - 0.5 * (slide / _PEAK) ** 2)))

    return _gradient(restriction, rates), _gradient(dissipation, rates)


def _kinematics(angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return distances [m], their rates, normal forces [N] of both masses, and the slip of the outer one."""
    (a, b), (da, db) = angles, rates
    first, second = _BASE + _LENGTH * np.sin(a), _LENGTH * np.sin(a + b)
    v1, v2 = _LENGTH * np.cos(a) * da, _LENGTH * np.cos(a + b) * (da + db)
    gaps, speeds = np.array([first, first + second]), np.array([v1, v1 + v2])
    share = 0.5 * (1.0 - np.tanh(_TRANSITION * (gaps - _CENTRE)))
    pushes = share * 0.5 * _STRENGTH * (1.0 - np.tanh(_DAMPING * speeds))
    slide = -np.sin(a) * _LENGTH * da - np.sin(a + b) * _LENGTH * (da + db)
    return gaps, speeds, pushes, float(slide)


def _log_cosh(x: Any) -> Any:
    return np.abs(x) + np.log1p(np.exp(-2.0 * np.abs(x))) - np.log(2.0)


def _gradient(function: Any, at: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Return the derivatives by central differences of order 6."""
    out = np.zeros(len(at))
    for i in range(len(at)):
        e = step * np.eye(len(at))[i]
        near, middle, far = (function(at + k * e) - function(at - k * e) for k in (1.0, 2.0, 3.0))
        out[i] = (45.0 * near - 9.0 * middle + far) / (60.0 * step)
    return out
