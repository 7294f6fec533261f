"""What contacts have by their laws: which law, at what rate, and what impacts of the last step came to."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.algebra import cross, dot, norm
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.material_pairs import CONTACT, MaterialPairs
from stoss.engine.contacts.conveyors import surface_drift
from stoss.engine.laws.contact_functions import stored_energy

if TYPE_CHECKING:
    from stoss.engine.world.world import World

FEATURE = "contact readouts"  # see `kernels.prepare`

__all__ = [
    "has_contact_laws",
    "impacts_of_contacts",
    "laws_of_contacts",
    "speeds_of_contacts",
    "stored_in_contacts",
]


def laws_of_contacts(
    first: np.ndarray, second: np.ndarray, bodies: BodyArrays, pairs: MaterialPairs
) -> np.ndarray:
    """Return code and numbers (c, 1 + n) of the law of each contact, NaN for none.

    Args:
        first, second: rows (c,) of the bodies.
        bodies, pairs: of the world.
    """
    if len(pairs.table) == 1:
        return np.broadcast_to(pairs.table[0, 0, CONTACT:], (len(first), pairs.table.shape[2] - CONTACT))
    return pairs.table[bodies.pair_group[first], bodies.pair_group[second], CONTACT:]


def has_contact_laws(world: "World") -> bool:
    """Return whether any pair of materials gives way by a law."""
    return bool((~np.isnan(world._body_store.pairs.table[:, :, CONTACT])).any())


@kernel
def speeds_of_contacts(
    first: Ints,
    second: Ints,
    points: Floats2,
    normals: Floats2,
    bodies: BodyArrays,
    rates: Floats,
    slips: Floats,
) -> None:
    """Write how fast gaps change and surfaces slide, at points that are shared and move with both bodies.

    Args:
        first, second: rows (c,) of the bodies.
        points, normals: (c, 3) [m].
        bodies: of the world.
        rates: receives the rates (c,) of the gaps [m/s].
        slips: receives the speeds (c,) along each other [m/s], of conveyors with that of their surfaces.
    """
    for c in range(len(first)):
        n = normals[c]
        vx = vy = vz = 0.0
        for half in range(2):
            i, sign = (first[c], 1.0) if half == 0 else (second[c], -1.0)
            x, y, z = _arm(bodies, i, points[c])
            v, w = bodies.velocities[i], bodies.angular_velocities[i]
            a, b, d = cross(w[0], w[1], w[2], x, y, z)
            vx, vy, vz = vx + sign * (v[0] + a), vy + sign * (v[1] + b), vz + sign * (v[2] + d)
        rates[c] = dot(n[0], n[1], n[2], vx, vy, vz)
        i, j = first[c], second[c]
        if bodies.conveys[i] != 0 or bodies.conveys[j] != 0:
            arms = _arm(bodies, i, points[c]), _arm(bodies, j, points[c])
            x, y, z, _, _, _ = surface_drift(bodies, i, j, bodies.quaternions, arms[0], arms[1], 0.0)
            vx, vy, vz = vx + x, vy + y, vz + z
        along = dot(n[0], n[1], n[2], vx, vy, vz)
        slips[c] = norm(vx - along * n[0], vy - along * n[1], vz - along * n[2])


@inner
def _arm(bodies, i, point):
    """Return the way from the centre of mass of a body to a point (3,) [m]."""
    p = bodies.positions[i]
    return point[0] - p[0], point[1] - p[1], point[2] - p[2]


def impacts_of_contacts(world: "World", arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Return approach [m/s], effective mass [kg] and load [N] (3, c) of impacts of the last step, else 0."""
    found = np.zeros((3, len(arrays["gap"])))
    impacts = world._stepper.system.impacts.all
    if impacts:
        keys = zip(*(arrays[name].tolist() for name in ("shape_a", "shape_b", "feature")), strict=True)
        for row, key in enumerate(keys):
            if key in impacts:
                found[:, row] = impacts[key]
    return found


def stored_in_contacts(laws: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Return what contacts can give back (c,) [J]; `laws` as `laws_of_contacts` gives them, gaps (c,) [m]."""
    stored = np.zeros(len(gaps))
    for c in np.flatnonzero(~np.isnan(laws[:, 0])):
        stored[c] = stored_energy(int(laws[c, 0]), np.ascontiguousarray(laws[c, 1:]), gaps[c])
    return stored
