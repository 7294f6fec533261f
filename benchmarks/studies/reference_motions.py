"""Mechanisms whose motion is known to 1e-10, and how far the engine's orders stay from it.

`python -m stoss.benchmarks.studies.reference_motions` prints, for every mechanism, order and time step, the
distance of a watched point to its reference over time, and the largest error of the energy. The references
come from minimal coordinates or projected multipliers (energy closed to 1e-10); scenes follow the IFToMM
multibody benchmark library. All SI; their y is up there and z is up here.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from stoss.collision import Sphere
from stoss.engine import Body, Distance, Hinge, Settings, World, from_values

__all__ = ["MOTIONS", "Motion", "add_rod", "bricard", "deviations", "double_rod", "four_bars", "pendulum"]

Points = tuple[tuple[float, float, float, float], ...]  # time [s] and place of the watched point [m]
ACROSS = (0.0, 1.0, 0.0)


class Motion(NamedTuple):
    """A mechanism, the point that is watched, and where it is at some times."""

    name: str
    build: Callable[[float, Settings | None], World]
    watch: Callable[[World], np.ndarray]
    points: Points


def add_rod(world: World, first: Sequence[float], last: Sequence[float], width: float = 0.0) -> Body:
    """Add a rod of 1 kg from one point to another [m]; x of the body points along it.

    Args:
        world: receives it.
        first, last: its ends (3,) [m].
        width: of its square section [m]; a thin rod needs some inertia about itself, which no hinge across it
            turns.
    """
    a, b = np.asarray(first, float), np.asarray(last, float)
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    quaternion = np.array([1.0 + along[0], 0.0, -along[2], along[1]])
    if np.linalg.norm(quaternion) < 1e-6:
        quaternion = np.array([0.0, 0.0, 0.0, 1.0])
    across = (length**2 + width**2) / 12.0
    about = width**2 / 6.0 if width > 0.0 else 1e-2 * across
    return world.add_body(
        position=0.5 * (a + b),
        quaternion=quaternion / np.linalg.norm(quaternion),
        mass_properties=from_values(mass=1.0, center=(0, 0, 0), inertia=(about, across, across)),
    )


def end_of(body: Body, sign: float = 1.0) -> np.ndarray:
    """Return the end of a rod of 1 m."""
    return body.world_point((0.5 * sign, 0.0, 0.0))


def pendulum(time_step: float, settings: Settings | None = None) -> World:
    """A01: a mass of 1 kg on a massless rod of 1 m, let go horizontally at (-1, 0, 0)."""
    world = World(time_step=time_step, settings=settings)
    mass = world.add_body(Sphere(0.05), position=(-1.0, 0.0, 0.0), mass=1.0)
    world.add_joint(Distance((0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)), None, mass)
    return world


def double_rod(time_step: float, settings: Settings | None = None) -> World:
    """Two uniform rods of 1 m and 1 kg, let go horizontally."""
    world = World(time_step=time_step, settings=settings)
    rods = [add_rod(world, (k, 0.0, 0.0), (k + 1.0, 0.0, 0.0)) for k in range(2)]
    world.add_joint(Hinge((0.0, 0.0, 0.0), ACROSS), None, rods[0])
    world.add_joint(Hinge((1.0, 0.0, 0.0), ACROSS), rods[0], rods[1])
    return world


def four_bars(cells: int, time_step: float, settings: Settings | None = None) -> World:
    """A02: `cells` four-bars in a row, 2 cells + 1 rods of 1 m and 1 kg; the cranks turn with 1 rad/s.

    Where all bars lie in line the degrees of freedom rise to cells + 1.
    """
    world = World(time_step=time_step, settings=settings)
    cranks = [add_rod(world, (k, 0.0, 0.0), (k, 0.0, 1.0)) for k in range(cells + 1)]
    couplers = [add_rod(world, (k, 0.0, 1.0), (k + 1.0, 0.0, 1.0)) for k in range(cells)]
    for k, crank in enumerate(cranks):
        crank.velocity, crank.angular_velocity = (0.5, 0.0, 0.0), (0.0, 1.0, 0.0)
        world.add_joint(Hinge((k, 0.0, 0.0), ACROSS), None, crank)
    for k, coupler in enumerate(couplers):
        coupler.velocity = (1.0, 0.0, 0.0)
        world.add_joint(Hinge((k, 0.0, 1.0), ACROSS), cranks[k], coupler)
        world.add_joint(Hinge((k + 1.0, 0.0, 1.0), ACROSS), coupler, cranks[k + 1])
    return world


def bricard(time_step: float, settings: Settings | None = None) -> World:
    """A04: Bricard's loop of five rods and six hinges, 30 rows of rank 29; gravity along -y, as published."""
    world = World(gravity=(0.0, -9.81, 0.0), time_step=time_step, settings=settings)
    places = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    rods = [add_rod(world, places[k], places[k + 1], 0.1) for k in range(5)]
    chain: list[Body | None] = [None, *rods, None]
    for k, (place, axis) in enumerate(zip(places, axes, strict=True)):
        world.add_joint(Hinge(place, axis), chain[k], chain[k + 1])
    return world


def _upright(points: Sequence[tuple[float, float, float]]) -> Points:
    """Return points of the plane x, y of the references as points of the plane x, z."""
    return tuple((t, x, 0.0, y) for t, x, y in points)


MOTIONS: dict[str, Motion] = {
    motion.name: motion
    for motion in (
        Motion(
            "A01 pendulum",
            pendulum,
            lambda world: world.bodies[0].position,
            _upright(
                (
                    (0.1, -0.9987974827, -0.0490264057),
                    (0.5, -0.3910487916, -0.9203699488),
                    (1.0, 0.9862917511, -0.1650108531),
                    (2.0, -0.7935661953, -0.6084839304),
                    (3.0, 0.1766517899, -0.9842734097),
                    (5.0, -0.9423054350, -0.3347543384),
                    (7.5, -0.7274587213, -0.6861514474),
                    (10.0, -0.2750874626, -0.9614192051),
                )
            ),
        ),
        Motion(
            "A02 four-bar",
            lambda h, settings: four_bars(1, h, settings),
            lambda world: end_of(world.bodies[0]),
            _upright(
                (
                    (1.0, -0.2607126752, -0.9654164392),
                    (5.0, -0.9449081860, -0.3273354853),
                    (10.0, 0.4783850578, 0.8781501788),
                )
            ),
        ),
        Motion(
            "A02 two four-bars",
            lambda h, settings: four_bars(2, h, settings),
            lambda world: end_of(world.bodies[0]),
            _upright(
                (
                    (1.0, -0.1950203019, -0.9807992057),
                    (5.0, -0.8113104610, -0.5846155454),
                    (10.0, 0.3284581115, 0.9445185382),
                )
            ),
        ),
        Motion(
            "A04 Bricard",
            bricard,
            lambda world: end_of(world.bodies[1]),
            (
                (0.25, 0.940056968, -0.998308064, -0.058146448),
                (0.5, 0.774717808, -0.979815048, -0.199906159),
                (1.0, 0.274481319, -0.886707939, -0.462330003),
                (1.5, -0.279017575, -0.887361379, -0.461074596),
                (2.0, -0.778135373, -0.980352683, -0.197252671),
                (3.0, -0.771281359, -0.979269330, -0.202562533),
                (5.0, 0.999932742, -0.999999998, -0.000067255),
                (10.0, 0.999730987, -0.999999964, -0.000268977),
            ),
        ),
        Motion(
            "double rod pendulum",
            double_rod,
            lambda world: end_of(world.bodies[1]),
            _upright(
                (
                    (0.25, 1.926820576, -0.281262121),
                    (0.5, 1.296688536, -1.405779923),
                    (1.0, -1.662115136, -1.041466637),
                    (1.5, -1.776547134, 0.095901431),
                    (2.0, 0.313524776, -1.914746618),
                    (3.0, 1.330436825, -1.398644861),
                )
            ),
        ),
    )
}


def deviations(
    motion: Motion, time_step: float, settings: Settings, end: float = np.inf
) -> tuple[dict[float, float], float]:
    """Run a mechanism and return its deviations.

    Args:
        motion: the mechanism.
        time_step: [s], of which the times of the reference are multiples.
        settings: of the engine.
        end: last time of the reference to be looked at [s].

    Returns:
        Distance [m] to the reference at each of its times, and the largest error of the energy [J].
    """
    world = motion.build(time_step, settings)
    start = world.report.energy
    found, energy_error, step = {}, 0.0, 0
    for time, *place in motion.points:
        if time > end:
            break
        while step < round(time / time_step):
            energy_error = max(energy_error, abs(world.step().energy - start))
            step += 1
        found[time] = float(np.linalg.norm(motion.watch(world) - place))
    return found, energy_error


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.studies.reference_motions", description=__doc__
    )
    parser.add_argument("--steps", type=float, nargs="+", default=[1e-2, 1e-3, 1e-4], help="time steps [s]")
    parser.add_argument("--orders", type=int, nargs="+", default=[2, 4, 6], choices=(2, 4, 6))
    parser.add_argument("--end", type=float, default=np.inf, help="last time [s]")
    options: Any = parser.parse_args(arguments)
    for motion in MOTIONS.values():
        times = [time for time, *_ in motion.points if time <= options.end]
        print(f"\n{motion.name}: distance to the reference [m]")
        print("order  step [s]  energy [J]" + "".join(f"{f't = {time:g}':>10}" for time in times))
        for order in options.orders:
            for step in options.steps:
                found, energy = deviations(motion, step, Settings(order=order), options.end)
                row = "".join(f"{found[time]:10.1e}" for time in times)
                print(f"{order:5d}  {step:8g}  {energy:10.1e}{row}", flush=True)


if __name__ == "__main__":
    main()
