"""An arm with friction in its gear, and an observer that sees its angle alone."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.scenes.building.checks import check_positive
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["observer"]

_LENGTH, _MASS, _RADIUS, _GRAVITY = 0.4, 2.0, 0.06, 9.81  # [m], [kg], [m] of what it carries, [m/s^2]
_INERTIA = _MASS * (_LENGTH**2 + 0.4 * _RADIUS**2)  # about the hinge [kg m^2]
_STATIC, _DYNAMIC, _SPEED = 5.0, 4.0, 0.4  # friction of the gear [N m], and its Stribeck speed [rad/s]
_PEAK, _TRANSITION, _DELAY, _HOLD = 0.2, 0.1, 0.2, 0.1  # of the filtered friction that a model may have
_SWING, _PACE = 12.0, 0.25  # of the motor [N m], [Hz]


@scene(
    "observer",
    "A motor swings an arm through a gear that sticks; one like glass is what an observer believes.",
    duration=10.0,
    body_count=1,
    moment=2.4,
    view=(-90, 5),
    see_through=("believed",),
)
def observer(
    *,
    noise: float = 0.03,
    friction: int = 1,
    seed: int = 1,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build an arm of 40 cm that carries 2 kg, its motor, and an observer (Specker 2016, section 5.3).

    The observer is told the moment of the motor and a noisy angle, and finds rate and friction. What it
    believes is the pose of the body `believed`, and `world.after_step[0].observer.state`.

    Args:
        noise: standard deviation of the measured angle [rad].
        friction: 1: its model has friction that holds its force at rest; 0: it knows of none.
        seed: of the noise.
        settings: settings of the engine.
        time_step: time step, and time from one sample to the next [s].
    """
    from stoss.collision import Sphere
    from stoss.engine import Drawn, Hinge, JointTorque, Stribeck
    from stoss.scenes.building.drawn import drawn_rod

    check_positive("noise", noise)
    world = new_world(time_step, settings, (0.0, 0.0, -_GRAVITY))
    rod = drawn_rod((0.0, 0.0, _LENGTH), (0.0, 0.0, 0.0), 0.02, None)
    arm = world.add_body(Sphere(_RADIUS), position=(0.0, 0.0, -_LENGTH), mass=_MASS, name="arm")
    arm.display = [rod, Drawn(Sphere(_RADIUS))]
    # kinematic: it is put where the observer believes the arm to be
    believed = world.add_body((), kind="kinematic", position=(0.0, -0.15, -_LENGTH), name="believed")
    believed.display = [rod, Drawn(Sphere(_RADIUS))]
    gear = world.add_joint(Hinge((0.0, 0.0, 0.0), (0.0, -1.0, 0.0)), None, arm, name="gear")
    gear.friction(Stribeck(_STATIC, _DYNAMIC, _SPEED))
    world.add_load(JointTorque(gear, _SWING, factor=f"sin(tau * {_PACE!r} * t)"), name="motor")
    world.after_step.append(Watcher(time_step, noise, bool(friction), seed))
    return world


class Watcher:
    """Measure an arm after each step, let an observer learn of it, and show what that believes.

    Args:
        time_step: from one sample to the next [s].
        noise: standard deviation of the measured angle [rad].
        friction: whether the model of the observer has any.
        seed: of the noise.

    Attributes:
        observer: the filter; its state is angle [rad], rate [rad/s], and friction [N m] if it knows of it.
    """

    def __init__(self, time_step: float, noise: float, friction: bool, seed: int) -> None:
        from stoss.engine.observer import CentralDifferenceKalmanFilter, acceleration_noise

        count = 3 if friction else 2
        process = np.zeros((count, count))
        process[:2, :2] = acceleration_noise(time_step, [1.0])
        process[2:, 2:] = 1.0
        self._noise, self._random = noise, np.random.default_rng(seed)
        self.observer = CentralDifferenceKalmanFilter(
            _with_friction if friction else _without_friction,
            _angle,
            time_step,
            np.zeros(count),
            1e-6 * np.eye(count),
            process,
            [[noise * noise]],
        )

    def __call__(self, world: "World") -> None:
        """Take a sample."""
        seen = world.joint("gear").value + self._noise * self._random.normal()
        moment = _SWING * math.sin(math.tau * _PACE * (world.time - 0.5 * world.time_step))
        angle = float(self.observer.update([seen], [moment])[0])
        body = world.body("believed")
        place = np.array([math.sin(angle), 0.0, -math.cos(angle)])
        body.position = _LENGTH * place + (0.0, -0.15, 0.0)
        body.quaternion = (math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0)


def _angle(x: np.ndarray) -> np.ndarray:
    return x[:1].copy()


def _without_friction(x: np.ndarray, u: Any) -> np.ndarray:
    """Return the rates of angle and rate under the moment u (1) of the motor."""
    return np.array([x[1], (u[0] - _MASS * _GRAVITY * _LENGTH * math.sin(x[0])) / _INERTIA])


def _with_friction(x: np.ndarray, u: Any) -> np.ndarray:
    """Return the rates of angle, rate and friction, which follows a smooth curve and is held at rest."""
    more = _STATIC - _DYNAMIC * math.tanh(_PEAK / _TRANSITION)
    share = x[1] / _PEAK
    curve = _DYNAMIC * math.tanh(x[1] / _TRANSITION) + more * share * math.exp(0.5 - 0.5 * share * share)
    pace = -math.expm1(-((x[1] / _HOLD) ** 2)) / _DELAY
    first, second = _without_friction(x, [u[0] - x[2]])
    return np.array([first, second, pace * (curve - x[2])])
