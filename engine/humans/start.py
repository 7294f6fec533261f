"""Poses from which a walk begins (Henze 2002, section 4.1)."""

from math import cos, radians, sin
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.articulated import Articulation
from stoss.engine.humans.humanoid import SIDES, Humanoid

if TYPE_CHECKING:
    from stoss.engine.world.body import Body

__all__ = ["begin_on_both_legs", "begin_on_one_leg"]

# Hip, knee and ankle [degrees] of the leg that stands, and of the other one.
STANDING, SWINGING = (-20.0, 40.0, -20.0), (-10.0, 40.0, -30.0)
ON_BOTH = (-14.8, 29.8, -15.0)  # of one who stands on both, with legs of 0.85 m


def begin_on_one_leg(person: Humanoid, stand: int, heading: float, speed: float, sideways: float) -> None:
    """Bring a person onto one leg, with a motion about its ankle.

    Args:
        person: where it is.
        stand: the leg: 0 right, 1 left.
        heading: direction in which it looks [rad].
        speed: of the centre of mass, forward [m/s].
        sideways: its speed to the left [m/s].
    """
    standing = SIDES[stand]
    ankle = _pose(person, heading, {standing: STANDING, SIDES[1 - stand]: SWINGING})
    world = person.world
    rows = [body.index for body in person.bodies.values()]
    masses, places = world.masses[rows], world.centers_of_mass[rows]
    away = masses @ places / masses.sum() - ankle
    along, across = np.array([cos(heading), sin(heading), 0.0]), np.array([-sin(heading), cos(heading), 0.0])
    spin = np.cross(away, speed * along + sideways * across) / (away @ away)
    for name, body in person.bodies.items():
        if name != f"{standing} foot":
            body.velocity = np.cross(spin, body.center_of_mass - ankle)
            body.angular_velocity = spin


def begin_on_both_legs(person: Humanoid, heading: float) -> None:
    """Bring a person onto both legs, at rest.

    Args:
        person: where it is.
        heading: direction in which it looks [rad].
    """
    _pose(person, heading, dict.fromkeys(SIDES, ON_BOTH))
    for body in person.bodies.values():
        body.velocity = body.angular_velocity = (0.0, 0.0, 0.0)


def _pose(person: Humanoid, heading: float, legs: dict[str, tuple[float, float, float]]) -> np.ndarray:
    """Bend the legs, with a sole on the ground; return where its ankle is (3,) [m].

    Args:
        person: where it is.
        heading: direction in which it looks [rad].
        legs: hip, knee and ankle by the side [degrees]; the first one stands.
    """
    world, standing = person.world, next(iter(legs))
    bent = Articulation(world)
    q = bent.q
    prefix = person.joints["right hip"].name.removesuffix("right hip")
    for side, angles in legs.items():
        for joint, angle in zip(("hip", "knee", "ankle"), angles, strict=True):
            name = f"{prefix}{side} {joint}"
            q[bent.index(name if joint == "knee" else f"{name}.y")] = radians(angle)
    q[bent.index(f"{prefix}pelvis.turn_z")] = heading
    bent.set_state(q)
    foot = person.bodies[f"{standing} foot"]
    assert person.human.foot.points
    low = float(foot.position[2] + dict(person.human.foot.points)["heel"][2])
    q[bent.index(f"{prefix}pelvis.z")] -= low - _ground(person, foot)
    bent.set_state(q)
    return np.array(world.joint(f"{prefix}{standing} ankle").first_point)


def _ground(person: Humanoid, foot: "Body") -> float:
    """Return the height of what is below a foot [m]."""
    others = list(person.bodies.values())
    hit = foot.world.ray_cast(foot.position, (0.0, 0.0, -1.0), without=others)
    return float(hit[1].point[2]) if hit is not None else 0.0
