"""What is read off the present state of a world."""

import hashlib

import numpy as np

from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.material import COMBINATION_RULES, combine_all
from stoss.engine.bodies.material_pairs import SLIDE, MaterialPairs
from stoss.engine.settings import Settings
from stoss.engine.stages.stepper import Stepper

__all__ = ["friction_of_contacts", "island_numbers", "state_hash"]


def friction_of_contacts(
    first: np.ndarray, second: np.ndarray, bodies: BodyArrays, pairs: MaterialPairs, settings: Settings
) -> np.ndarray:
    """Return the coefficient of sliding friction (c,) of each contact: that of the pair, or the rule's.

    Args:
        first, second: rows (c,) of the bodies.
        bodies, pairs, settings: of the world.
    """
    rule = COMBINATION_RULES.index(settings.friction_rule)
    own = pairs.table[bodies.pair_group[first], bodies.pair_group[second], SLIDE]
    combined = combine_all(rule, bodies.friction[first], bodies.friction[second])
    return np.where(np.isnan(own), combined, own)


def island_numbers(stepper: Stepper) -> np.ndarray:
    """Return the island of each body (n,) in the last step, -1 for one without contacts and joints."""
    out = np.full(stepper.state.table.count, -1, np.int64)
    first = 0
    for islands in stepper.islands:
        sizes = np.diff(islands.body_start)
        numbers = np.repeat(np.arange(first, first + len(sizes)), sizes)
        out[islands.bodies[: islands.body_start[-1]]] = numbers
        first += len(sizes)
    return out


def state_hash(bodies: BodyArrays) -> str:
    """Return a hash of all poses and velocities: equal bits, equal hash."""
    digest = hashlib.sha256()
    for array in (bodies.positions, bodies.quaternions, bodies.velocities, bodies.angular_velocities):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
