"""Random pairs that meet: their energy may not rise."""

from typing import Any

import numpy as np

from stoss.benchmarks.studies.fuzz.contacts import beyond
from stoss.benchmarks.studies.fuzz.pairs import KINDS, draw_pairs
from stoss.engine import Body, Material, Settings, World

__all__ = ["ENERGY_TOLERANCE", "check_motion"]

_SHARE = 0.1  # of the smallest half edge, and of a radian, that bodies move and turn in a step
_PAIRS_PER_WORLD = 60  # each in a collision group of its own, one bit of 64
# Share of the energy by which a step may raise it: an impulse of at most twice the momentum m v, through an
# error of velocities of 1e-10 m/s, gives 4e-10 / v of m v^2 / 2; v is 10 um/s for the smallest bodies.
ENERGY_TOLERANCE = 4e-5


def check_motion(kinds: tuple[str, str], n: int, seed: int, steps: int = 20) -> np.ndarray:
    """Let pairs meet at random speeds, without gravity, and return how far their energy rose.

    At first they move and turn in a step by no more than a tenth of their smallest half edge and of a radian.

    Args:
        kinds: of the two shapes.
        n: number of pairs.
        seed: of the poses, as for `check`, and of the velocities.
        steps: of 10 ms.

    Returns:
        (n,): the largest rise of the kinetic energy in a step, as a share of the first one, beyond the
        tolerance.
    """
    rng = np.random.default_rng([seed, KINDS.index(kinds[0]), KINDS.index(kinds[1])])
    shapes, supports, positions, turns = draw_pairs(rng, kinds, n)
    rise = np.zeros(n)
    small = np.min([s.sizes.min(axis=1) for s in supports if s.kind != "halfspace"], axis=0)
    for first in range(0, n, _PAIRS_PER_WORLD):
        world = World(gravity=(0.0, 0.0, 0.0), settings=Settings())
        bodies = []
        for k in range(first, min(first + _PAIRS_PER_WORLD, n)):
            material = Material(restitution=rng.uniform(), friction=rng.uniform())
            fixed = kinds[1] in ("halfspace", "mesh") or rng.random() < 0.3
            for side in range(2):
                motion: dict[str, Any] = {"kind": "static"}
                if side == 0 or not fixed:
                    speed = 10.0 ** rng.uniform(-2.0, 0.0) * _SHARE * small[k] / world.time_step
                    spin = rng.uniform(0.0, _SHARE) / world.time_step
                    motion = {
                        "mass": 10.0 ** rng.uniform(-1.0, 1.0),
                        "velocity": speed * rng.normal(size=3),
                        "angular_velocity": spin * rng.normal(size=3),
                    }
                bit = 1 << (k - first)
                pose = {"position": positions[side, k], "quaternion": turns[side, k]}
                bodies.append(
                    world.add_body(shapes[side][k], material=material, group=bit, mask=bit, **pose, **motion)
                )
        energy = _energies(bodies)
        start = energy.copy()
        for _ in range(steps):
            world.step()
            now = _energies(bodies)
            gain = (now - energy) / start
            part = rise[first : first + _PAIRS_PER_WORLD]
            np.maximum(part, beyond(gain, ENERGY_TOLERANCE), out=part)
            energy = now
    return rise


def _energies(bodies: list[Body]) -> np.ndarray:
    """Return the kinetic energy of each pair of neighbours in a list [J]."""
    each = [0.0 if body.kind == "static" else body.kinetic_energy for body in bodies]
    return np.reshape(each, (-1, 2)).sum(axis=1)
