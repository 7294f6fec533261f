"""The same world by two methods, side by side: impulses between bodies, and generalised coordinates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated.articulation import Articulation
from stoss.engine.articulated.reduced import ReducedSolver
from stoss.engine.articulated.structure import Follow
from stoss.engine.joints.arrays import LIMIT
from stoss.engine.world.world import World
from stoss.names import closed

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BothRuns", "run_both"]


@closed
@dataclass(frozen=True, eq=False, repr=False)
class BothRuns:
    """Two runs of one world over time: by the engine, and in generalised coordinates.

    Attributes:
        coordinates: names of the coordinates.
        times: (t,) [s], those of the start and after each step.
        engine, reduced: the coordinates (t, n) [rad or m].
        engine_rates, reduced_rates: their rates (t, n).
        engine_energy, reduced_energy: kinetic and potential energy of the bodies (t,) [J].
        ended: why both ended before their time, "" if they did not.
        world: the world of the engine's run, at its end.
        solver: the other solver, at the end of its run.
    """

    coordinates: tuple[str, ...]
    times: np.ndarray
    engine: np.ndarray
    reduced: np.ndarray
    engine_rates: np.ndarray
    reduced_rates: np.ndarray
    engine_energy: np.ndarray
    reduced_energy: np.ndarray
    ended: str
    world: World
    solver: ReducedSolver

    @property
    def differences(self) -> np.ndarray:
        """Return the engine's coordinates less those of the other (t, n) [rad or m]."""
        return self.engine - self.reduced

    @property
    def largest(self) -> float:
        """Return the largest difference of any coordinate at any time [rad or m]."""
        return float(np.abs(self.differences).max(initial=0.0))

    def coordinate(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return a coordinate (t,) by both methods [rad or m].

        Args:
            name: one of `coordinates`.

        Raises:
            KeyError: there is none of that name.
        """
        if name not in self.coordinates:
            raise KeyError(f"coordinate {name!r} is not one of {', '.join(self.coordinates)}")
        k = self.coordinates.index(name)
        return self.engine[:, k].copy(), self.reduced[:, k].copy()

    def __repr__(self) -> str:
        early = f", ended: {self.ended}" if self.ended else ""
        span = self.times[-1] - self.times[0]
        return f"<BothRuns over {span:g} s, largest difference {self.largest:.3g}{early}>"

    def __str__(self) -> str:
        """Return a table of the largest differences, and when they are."""
        lines = [f"{'coordinate':30} {'largest difference':>20} {'at [s]':>8} {'at the end':>12}"]
        for k, name in enumerate(self.coordinates):
            off = self.differences[:, k]
            worst = int(np.abs(off).argmax())
            lines.append(f"{name:30} {off[worst]:20.3e} {self.times[worst]:8.3f} {off[-1]:12.3e}")
        return "\n".join([*lines, *([self.ended] if self.ended else [])])


def run_both(
    world: World, duration: float, follow: Mapping[str, Follow] | None, tolerance: float
) -> BothRuns:
    """Run a copy of a world by both; see `World.run_both`."""
    duration = checks.positive("duration", duration, "s")
    solver = ReducedSolver(world, follow, tolerance)
    engine = world.copy()
    seen = Articulation(engine, follow)
    h = engine.time_step
    count = max(round(duration / h), 1)
    engine_at, reduced_at = [_look(seen, engine)], [_look(solver.articulation, solver.world)]
    times, ended = [engine.time], ""
    for _ in range(count):
        engine.step()
        solver.step(h)
        seen.time = engine.time
        ended = _meets(engine)
        if ended:
            break
        times.append(engine.time)
        engine_at.append(_look(seen, engine))
        reduced_at.append(_look(solver.articulation, solver.world))
    one, other = _columns(engine_at), _columns(reduced_at)
    return BothRuns(
        seen.coordinates,
        np.array(times),
        one[0],
        other[0],
        one[1],
        other[1],
        one[2],
        other[2],
        ended,
        engine,
        solver,
    )


def _look(seen: Articulation, world: World) -> tuple[np.ndarray, np.ndarray, float]:
    """Return coordinates, rates and energy."""
    arrays = world._bodies
    masses = np.where(seen._moves, arrays.masses, 0.0)
    energy = world.report.kinetic_energy - float(masses @ (arrays.positions @ world.gravity))
    return seen.q, seen.rates, energy


def _columns(looks: "Sequence[tuple[np.ndarray, np.ndarray, float]]") -> tuple[np.ndarray, ...]:
    q, rates, energy = zip(*looks, strict=True)
    return np.array(q), np.array(rates), np.array(energy)


def _meets(world: World) -> str:
    """Return what happened that the reduced equations do not know, "" for nothing."""
    contacts = world.contacts
    touching = np.flatnonzero(np.abs(contacts.impulse).max(axis=1, initial=0.0) > 0.0)
    if len(touching):
        first = contacts[int(touching[0])]
        return f"{first.first.name!r} touches {first.second.name!r} at {world.time:g} s"
    joints = world._joint_table.arrays
    own = np.flatnonzero((joints.role == LIMIT) & joints.active & (joints.stiffness == np.inf))
    value, beyond = joints.value[own], 1e-9
    past = (value <= joints.lower[own] + beyond) | (value >= joints.upper[own] - beyond)
    if past.any():
        number = int(joints.joint[joints.part[own[past][0]]])
        return f"joint {world.joints[number].name!r} reaches a stop at {world.time:g} s"
    return ""
