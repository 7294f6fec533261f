"""Energy of mechanisms over a million steps with default settings: bounded, without drift.

`python -m stoss.benchmarks.studies.long_runs` prints, for a pendulum from 170 degrees, a spherical pendulum,
a double pendulum and two four-bars, between which bounds the error of the energy lies in each tenth of the
run. A method of order two keeps an energy near the true one, so the bounds are not zero; where they move from
tenth to tenth, it drifts.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stoss.benchmarks.studies.reference_motions import ACROSS, add_rod, four_bars
from stoss.collision import Box
from stoss.engine import Ball, Hinge, World
from stoss.scenes.mechanisms.linkage import close_four_bar, in_plane

if TYPE_CHECKING:
    from stoss.engine import Body, Joint

__all__ = ["MECHANISMS", "crank_rocker", "energy_errors", "hung_rods", "main"]

PARTS = 10
BATCH = 10  # steps between two looks at the energy


def hung_rods(count: int, angle: float, time_step: float, spin: float = 0.0) -> World:
    """Return a chain of rods of 1 m and 1 kg on hinges, or on ball joints if it spins.

    Args:
        count: number of rods.
        angle: from hanging straight [rad].
        time_step: [s].
        spin: of the whole about the vertical [rad/s].
    """
    world = World(time_step=time_step)
    along = np.array([math.sin(angle), 0.0, -math.cos(angle)])
    turn = 0.5 * (0.5 * math.pi - angle)
    quaternion = (math.cos(turn), 0.0, math.sin(turn), 0.0)
    last: Body | None = None
    joints: list[Joint] = []
    for k in range(count):
        rod = world.add_body(
            Box((1.0, 0.1, 0.2)), position=(k + 0.5) * along, quaternion=quaternion, mass=1.0, mask=0
        )
        rod.velocity = np.cross((0.0, 0.0, spin), rod.position)
        rod.angular_velocity = (0.0, 0.0, spin)
        joints.append(world.add_joint(Ball(k * along) if spin else Hinge(k * along, (0, 1, 0)), last, rod))
        last = rod
    return world


def crank_rocker(time_step: float) -> World:
    """Return a four-bar that never comes into line, let go at rest; its crank swings to and fro."""
    fixed, lengths = (0j, 1.0 + 0j), (0.4, 1.0, 0.8)
    left, right = close_four_bar(fixed, *lengths, math.radians(120.0), 1)
    world = World(time_step=time_step)
    crank, coupler, rocker = (
        add_rod(world, in_plane(start), in_plane(end))
        for start, end in ((fixed[0], left), (left, right), (fixed[1], right))
    )
    world.add_joint(Hinge(in_plane(fixed[0]), ACROSS), None, crank)
    world.add_joint(Hinge(in_plane(left), ACROSS), crank, coupler)
    world.add_joint(Hinge(in_plane(right), ACROSS), rocker, coupler)
    world.add_joint(Hinge(in_plane(fixed[1]), ACROSS), None, rocker)
    return world


MECHANISMS: dict[str, Callable[[float], World]] = {
    "pendulum from 170 degrees": lambda h: hung_rods(1, math.radians(170.0), h),
    "spherical pendulum": lambda h: hung_rods(1, 2.0, h, spin=1.0),
    "double pendulum": lambda h: hung_rods(2, 1.2, h),
    "crank and rocker": crank_rocker,
    "four-bar through its flat pose": lambda h: four_bars(1, h),
}


def energy_errors(world: World, steps: int, parts: int = PARTS) -> np.ndarray:
    """Return the least and the largest error of the energy in each part of a run, (parts, 2) [J]."""
    start = world.report.energy
    bounds = np.empty((parts, 2))
    for part in range(parts):
        errors = np.empty(max(steps // (parts * BATCH), 1))
        for k in range(len(errors)):
            errors[k] = world.step(BATCH).energy - start
        bounds[part] = errors.min(), errors.max()
    return bounds


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the mechanisms and print the bounds."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.studies.long_runs", description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000, help="of each (default: %(default)s)")
    parser.add_argument("--time-step", type=float, default=0.01, help="[s] (default: %(default)s)")
    parser.add_argument("--only", choices=[*MECHANISMS], help="one of them")
    options = parser.parse_args(arguments)
    if options.steps < PARTS * BATCH:
        parser.error(f"steps = {options.steps} must be at least {PARTS * BATCH}")
    if not options.time_step > 0.0:
        parser.error(f"time step = {options.time_step} must be above zero [s]")
    for name, build in MECHANISMS.items():
        if options.only not in (None, name):
            continue
        world = build(options.time_step)
        print(
            f"{name}: {world.report.energy:.4f} J at the start; error [J] from, to, in each tenth", flush=True
        )
        for low, high in energy_errors(world, options.steps):
            print(f"    {low:+.6e}  {high:+.6e}", flush=True)


if __name__ == "__main__":
    main()
