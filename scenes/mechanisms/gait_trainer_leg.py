"""One leg of the gait trainer of Specker 2016, section 5.2, in its stages S0 to S3."""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["gait_trainer_leg"]

# Table 5.1: lengths [m], masses [kg], springs; x to the front and z up, from the hip
_THIGH, _SHANK, _FOOT = 0.414, 0.390, 0.260
_KNEE_MASS, _ANKLE_MASS, _CARRIAGE_MASS = 2.0, 5.7, 6.4
_ANCHOR, _LEVER, _LEVER_ANGLE = (-0.161, 0.0, -0.442), 0.255, 2.050
_HIP_STIFFNESS, _HIP_LENGTH = 354.0, 0.162
_RAIL, _RAIL_ANGLE, _RAIL_STIFFNESS, _RAIL_REST = (0.840, 0.0, -0.530), 1.222, 183.0, 0.522
_HIP_FRICTION = (5.0, 4.0, 0.2, 0.1)  # static and dynamic [N m], speeds of peak and transition [rad/s]
_RAIL_FRICTION = (45.0, 35.0, 0.2, 0.1)  # [N], [m/s]
_FILTER, _HOLD = 0.2, 0.1  # [s], [rad/s or m/s]
_STOP, _STOP_SLOPE, _STOP_PLACE, _STOP_DAMPING = 50.0, 100.0, -9.6e-3, 1.5  # [N m], [1/rad], [rad], [s/rad]
_START = (
    0.998361760207451,
    0.07418697466491105,
)  # angle [rad] and place [m] where springs hold the weight
# Moments of inertia of masses that are points there, as shares of their mass [m^2]: smaller ones move alike,
# by more sub-steps.
_POINT = 1e-4
# What drives it from the first second on, at a quarter of a hertz: mean and amplitude of moment and force.
_DRIVES = {"swing": ((4.0, 12.0), (40.0, 70.0)), "stretch": ((-6.0, 0.0), (60.0, 70.0)), "none": ()}


@scene(
    "gait_trainer_leg",
    "The leg of a gait trainer on hip and rail, with friction in both and a stop at the knee.",
    duration=10.0,
    body_count=3,
    moment=2.0,
    view=(-90, 5),
    plots=(
        "joint.hip.friction.force [N m]",
        "load.gear.effort",
        "load.knee stop.effort",
        "joint.rail.friction.force [N]",
        "joint.knee.angle [rad]",
    ),
)
def gait_trainer_leg(
    *,
    stage: Literal["S0", "S1", "S2", "S3"] = "S3",
    drive: Literal["swing", "stretch", "none"] = "stretch",
    settings: "Settings | None" = None,
    time_step: float = 1e-3,
) -> "World":
    """Build thigh, shank and carriage with masses at knee, ankle and rail, and springs at hip and rail.

    S0 has no friction; S1 the static laws of gearbox and bearing, as continuous curves; S2 filters them, so
    that they hold at rest what they last carried; S3 adds the stop that keeps the knee from bending
    backwards. The window plots moments and forces of friction, drives and stop.

    Args:
        stage: what the model has.
        drive: from 1 s on: "swing" moves both axes, "stretch" pushes the knee into its stop, "none" nothing.
        settings: settings of the engine.
        time_step: time step [s]; without the stop 10 ms do as well. What is told of the stop's stiffness
            reckons with free bodies, whose inertia about the knee is next to none.
    """
    from stoss.engine import (
        ContactStop,
        ContinuousStribeck,
        Distance,
        Filtered,
        Hinge,
        JointTorque,
        MassProperties,
        Slider,
        SpringDamper,
    )
    from stoss.engine.laws.restriction import RestrictionContact

    world = new_world(time_step, settings)
    knee, ankle, carriage = _places(*_START)
    along = np.array([math.cos(_RAIL_ANGLE), 0.0, math.sin(_RAIL_ANGLE)])
    points = {
        name: world.add_body(
            (),
            position=place,
            mass_properties=MassProperties(mass, np.zeros(3), np.full(3, _POINT * mass), np.eye(4)[0]),
            name=name,
        )
        for name, place, mass in (
            ("thigh", knee, _KNEE_MASS),
            ("shank", ankle, _ANKLE_MASS),
            ("carriage", carriage, _CARRIAGE_MASS),
        )
    }
    thigh, shank, sled = points.values()
    # their angles grow as the thigh is raised, and as the knee bends; they count from the start
    hip = world.add_joint(Hinge((0.0, 0.0, 0.0), (0.0, -1.0, 0.0)), None, thigh, name="hip")
    bend = world.add_joint(Hinge(tuple(knee), (0.0, 1.0, 0.0)), thigh, shank, name="knee")
    world.add_joint(Distance(tuple(ankle), tuple(carriage)), shank, sled, name="foot")
    rail = world.add_joint(Slider(tuple(carriage), tuple(along)), None, sled, name="rail")
    lever = _LEVER * np.array([math.sin(_START[0] - _LEVER_ANGLE), 0.0, -math.cos(_START[0] - _LEVER_ANGLE)])
    world.add_load(
        SpringDamper(_ANCHOR, (thigh, tuple(lever - knee)), _HIP_LENGTH, _HIP_STIFFNESS), name="hip spring"
    )
    rail.spring(_RAIL_STIFFNESS, rest=_RAIL_REST - _START[1])
    if stage != "S0":
        for joint, values in ((hip, _HIP_FRICTION), (rail, _RAIL_FRICTION)):
            curve = ContinuousStribeck(*values)
            joint.friction(curve if stage == "S1" else Filtered(curve, _FILTER, _HOLD))
    if stage == "S3":
        law = RestrictionContact(_STOP, 2.0 * math.atanh(0.99) / _STOP_SLOPE, _STOP_DAMPING)
        lower = _STOP_PLACE + 0.5 * law.compression - _bend(*_START)
        world.add_load(ContactStop(bend, law, lower=lower), name="knee stop")
    for joint, name, (mean, swing) in zip((hip, rail), ("gear", "motor"), _DRIVES[drive], strict=False):
        begins = "min(1, max(0, ceil(t - 1)))"
        factor = f"{begins} * ({mean!r} + {swing!r} * sin(tau * 0.25 * (t - 1)))"
        world.add_load(JointTorque(joint, 1.0, factor=factor), name=name)
    _draw(world, knee, ankle, lever, along)
    return world


def _places(angle: float, place: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return knee, ankle and carriage [m] for the angle of the thigh from the plumb line and the place."""
    knee = _THIGH * np.array([math.sin(angle), 0.0, -math.cos(angle)])
    carriage = np.array(_RAIL) + place * np.array([math.cos(_RAIL_ANGLE), 0.0, math.sin(_RAIL_ANGLE)])
    shank = _shank_angle(knee, carriage)
    return knee, knee + _SHANK * np.array([math.sin(shank), 0.0, -math.cos(shank)]), carriage


def _shank_angle(knee: np.ndarray, carriage: np.ndarray) -> float:
    """Return the angle of the shank from the plumb line, the knee bent forwards."""
    across, down = float(carriage[0] - knee[0]), float(knee[2] - carriage[2])
    far = math.hypot(across, down)
    inside = math.acos((_SHANK**2 + far**2 - _FOOT**2) / (2.0 * _SHANK * far))
    return 0.5 * math.pi - math.atan2(down, across) - inside


def _bend(angle: float, place: float) -> float:
    """Return how far the knee is bent [rad]: the angle of the thigh above that of the shank."""
    knee, _, carriage = _places(angle, place)
    return angle - _shank_angle(knee, carriage)


def _draw(
    world: "World",
    knee: np.ndarray,
    ankle: np.ndarray,
    lever: np.ndarray,
    along: np.ndarray,
) -> None:
    """Draw bones, masses and rail, which nothing touches."""
    from stoss.collision import Box, Sphere
    from stoss.engine import Drawn
    from stoss.scenes.building.drawn import drawn_rod

    thigh, shank, sled = (world.body(name) for name in ("thigh", "shank", "carriage"))
    thigh.display = [
        drawn_rod(-knee, np.zeros(3), 0.03, None),
        drawn_rod(-knee, lever - knee, 0.015),
        Drawn(Sphere(0.05)),
    ]
    shank.display = [drawn_rod(knee - ankle, np.zeros(3), 0.025, None), Drawn(Sphere(0.05))]
    sled.display = [Drawn(Box((0.1, 0.12, 0.1)))]
    post = world.add_body((), kind="static", name="frame")
    start = np.array(_RAIL) - 0.1 * along
    post.display = [
        Drawn(Sphere(0.06)),
        drawn_rod(start + (0.0, 0.1, 0.0), start + 0.9 * along + (0.0, 0.1, 0.0), 0.015),
        Drawn(Sphere(0.02), _ANCHOR),
    ]
