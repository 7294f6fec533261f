"""Rolling without slip: the order in the step, and the energy over minutes.

`python -m stoss.benchmarks.studies.rolling` prints for an eccentric ball, an ellipsoid that rocks, a leaning
coin in a circle, a ball on a turntable and a cone about its apex: by what half the step divides the error
(four: order two), and between which bounds the energy lies, from what it was at first, in each tenth of the
run. None of them loses or gains any; that of the ball on the table comes back each time it goes round.
"""

import argparse
import math
from collections.abc import Callable, Sequence

import numpy as np

from stoss.benchmarks.studies.long_runs import energy_errors
from stoss.collision import Cone, Cylinder, Ellipsoid, HalfSpace, Sphere
from stoss.engine import Body, Material, World, from_values

__all__ = ["ROLLERS", "main", "order_ratio"]

ROUGH = Material(friction=0.9, restitution=0.0)
LEANING_RATE = 1.460752716029147  # [rad/s] of the steady precession of the coin below


def _on_floor(time_step: float) -> World:
    world = World(time_step=time_step)
    world.add_body(HalfSpace(), kind="static", material=ROUGH)
    return world


def _lying(angle: float) -> tuple[float, float, float, float]:
    """Return the turn about y by an angle [rad]."""
    return math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0


def eccentric_ball(time_step: float) -> tuple[World, Body]:
    """Return a ball at rest whose centre of mass is beside its centre."""
    world = _on_floor(time_step)
    mass = from_values(1.0, (0.08, 0.08, 0.08), center=(0.15, 0, 0))
    return world, world.add_body(Sphere(0.5), position=(0, 0, 0.5), mass_properties=mass, material=ROUGH)


def rocking_ellipsoid(time_step: float) -> tuple[World, Body]:
    """Return an ellipsoid that is let go on its side."""
    world = _on_floor(time_step)
    height = math.hypot(0.6 * math.sin(0.6), 0.3 * math.cos(0.6))
    shape = Ellipsoid((0.6, 0.4, 0.3))
    return world, world.add_body(
        shape, mass=1.0, material=ROUGH, position=(0, 0, height), quaternion=_lying(0.6)
    )


def leaning_coin(time_step: float) -> tuple[World, Body]:
    """Return a disc that rolls in a circle, leaning inwards by 0.3 rad, at its rate of steady precession."""
    world, rate = _on_floor(time_step), LEANING_RATE
    radius, thickness, lean, up = 0.5, 0.02, 0.3, np.array([0.0, 0.0, 1.0])
    axis = np.array([math.cos(lean), 0.0, math.sin(lean)])
    arm = radius * np.array([-math.sin(lean), 0.0, math.cos(lean)]) + 0.5 * thickness * axis
    centre = arm + (1.0, 0.0, 0.0)
    velocity = np.cross(rate * up, centre)
    slip = velocity - np.cross(rate * up, arm)
    spin = rate * up + axis * slip[1] / np.cross(axis, arm)[1]
    coin = world.add_body(
        Cylinder(radius, thickness),
        mass=1.0,
        material=ROUGH,
        position=centre,
        quaternion=_lying(math.atan2(axis[0], axis[2])),
        velocity=velocity,
        angular_velocity=spin,
    )
    return world, coin


def ball_on_a_turntable(time_step: float) -> tuple[World, Body]:
    """Return a ball that goes round in a circle of its own on a turntable."""
    world, turning, r = World(time_step=time_step), 2.0, 0.3
    place, velocity = np.array([1.0, 0.0, r]), np.array([0.0, 0.5, 0.0])
    slip = np.cross((0.0, 0.0, turning), place) - velocity  # what spin is to make up for
    world.add_body(
        Cylinder(5.0, 0.2),
        kind="kinematic",
        position=(0, 0, -0.1),
        angular_velocity=(0, 0, turning),
        material=ROUGH,
    )
    ball = world.add_body(
        Sphere(r),
        mass=1.0,
        position=place,
        material=ROUGH,
        velocity=velocity,
        angular_velocity=(slip[1] / r, -slip[0] / r, 0.0),
    )
    return world, ball


def cone_about_its_apex(time_step: float) -> tuple[World, Body]:
    """Return a cone that rolls in a circle about its apex."""
    world, r, length, rate = _on_floor(time_step), 0.3, 0.6, 3.0
    half = math.atan2(r, length)
    axis = np.array([-math.cos(half), 0.0, -math.sin(half)])  # from the base to the apex, at the origin
    spin = np.array([rate, 0.0, 0.0])
    cone = world.add_body(
        Cone(r, length),
        mass=1.0,
        material=ROUGH,
        position=-0.5 * length * axis,
        quaternion=_lying(math.atan2(axis[0], axis[2])),
        velocity=np.cross(spin, -0.75 * length * axis),
        angular_velocity=spin,
    )
    return world, cone


ROLLERS: dict[str, Callable[[float], tuple[World, Body]]] = {
    "eccentric ball": eccentric_ball,
    "ellipsoid that rocks": rocking_ellipsoid,
    "leaning coin": leaning_coin,
    "ball on a turntable": ball_on_a_turntable,
    "cone about its apex": cone_about_its_apex,
}


def order_ratio(name: str, time_step: float = 0.01, duration: float = 1.0) -> float:
    """Return by what half the step divides the error of the pose after a duration [s]."""
    ends = []
    for h in (time_step, 0.5 * time_step, 0.25 * time_step):
        world, body = ROLLERS[name](h)
        world.step(round(duration / h))
        ends.append(np.concatenate([body.position, body.quaternion]))
    return float(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what rolls and print orders and bounds."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.studies.rolling", description=__doc__)
    parser.add_argument("--duration", type=float, default=300.0, help="of each [s] (default: %(default)s)")
    parser.add_argument("--time-step", type=float, default=0.01, help="[s] (default: %(default)s)")
    parser.add_argument("--only", choices=[*ROLLERS], help="one of them")
    options = parser.parse_args(arguments)
    for name in ("duration", "time_step"):
        if not getattr(options, name) > 0.0:
            parser.error(f"{name.replace('_', ' ')} = {getattr(options, name)} must be above zero [s]")
    for name, build in ROLLERS.items():
        if options.only not in (None, name):
            continue
        world, body = build(options.time_step)
        energy = world.report.energy
        print(
            f"{name}: half the step divides the error by {order_ratio(name, options.time_step):.2f}; "
            f"{energy:.4f} J at the start, {world.report.kinetic_energy:.4f} J of motion",
            flush=True,
        )
        for low, high in energy_errors(world, round(options.duration / options.time_step)):
            print(f"    {low:+.6e}  {high:+.6e}", flush=True)
        print(f"    height at the end {body.position[2]:.5f} m", flush=True)


if __name__ == "__main__":
    main()
