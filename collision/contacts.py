"""Contacts as a structure of arrays: what detection reports and dynamics reads."""

from typing import NamedTuple

import numpy as np
from stoss.collision.kernels.decorators import kernel

__all__ = ["NORMAL_FIXED", "NORMAL_ON_A", "NORMAL_ON_B", "ContactArrays", "Contacts", "free_small_carriers"]

# Which body carries the normal when the bodies move on: the one whose face defines it.
NORMAL_FIXED = 0
NORMAL_ON_A = 1
NORMAL_ON_B = 2

_FIELDS = {
    "body_a": ((), np.int64),
    "body_b": ((), np.int64),
    "shape_a": ((), np.int64),
    "shape_b": ((), np.int64),
    "feature": ((), np.int64),
    "point_a": ((3,), np.float64),
    "point_b": ((3,), np.float64),
    "normal": ((3,), np.float64),
    "gap": ((), np.float64),
    "radius_a": ((), np.float64),
    "radius_b": ((), np.float64),
    "normal_side": ((), np.int64),
}


class ContactArrays(NamedTuple):
    """The arrays of `Contacts`, as kernels take them; only the first `count` entries mean anything."""

    body_a: np.ndarray
    body_b: np.ndarray
    shape_a: np.ndarray
    shape_b: np.ndarray
    feature: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    radius_a: np.ndarray
    radius_b: np.ndarray
    normal_side: np.ndarray


@kernel
def free_small_carriers(contacts, count, bounding_radius):
    """Take the normal off faces that are smaller than the curvature of what they touch.

    Turned a little, such a face is touched somewhere else: beside it, or at its edge. Fixed, the normal is
    right as far as the contact moves by less than that radius.

    Inputs:
        contacts, count: `ContactArrays` and how many are valid; `normal_side` is written.
        bounding_radius: of all shapes [m].
    """
    for c in range(count):
        side = contacts.normal_side[c]
        if (side == NORMAL_ON_A and contacts.radius_b[c] > bounding_radius[contacts.shape_a[c]]) or (
            side == NORMAL_ON_B and contacts.radius_a[c] > bounding_radius[contacts.shape_b[c]]
        ):
            contacts.normal_side[c] = NORMAL_FIXED


class Contacts:
    """Hold the contacts of one detection, `count` of them, in arrays of at least that length.

    Fields, each an array whose first axis is the contact:
        body_a, body_b: bodies; shape_a < shape_b: shapes (rows of the `ShapeTable`).
        feature: number that finds the same contact of the same shape pair again in a later detection.
        point_a, point_b (3): points on the surfaces [m], world. They differ by gap * normal.
        normal (3): unit vector from the second body towards the first.
        gap: distance along the normal, (point_a - point_b) . normal [m], negative when overlapping.
        radius_a, radius_b: radius of curvature of the surface at its point [m]: r for a sphere, a
            capsule or the side of a cylinder, 0 for corners, edges and faces. The point at
            `point -+ radius * normal` (inside its shape) is the one that may be taken as fixed on
            the body when a rolling body moves on.
        normal_side: which body carries the normal (NORMAL_FIXED, NORMAL_ON_A, NORMAL_ON_B).

    Contacts are sorted by (shape_a, shape_b); the order within a pair is the same for the same poses.
    """

    body_a: np.ndarray
    body_b: np.ndarray
    shape_a: np.ndarray
    shape_b: np.ndarray
    feature: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    radius_a: np.ndarray
    radius_b: np.ndarray
    normal_side: np.ndarray

    def __init__(self, capacity: int = 64) -> None:
        self.count = 0
        self._arrays: ContactArrays | None = None  # made when next needed
        for name, (shape, dtype) in _FIELDS.items():
            setattr(self, name, np.zeros((capacity, *shape), dtype))

    @property
    def capacity(self) -> int:
        """Return how many contacts fit without growing."""
        return len(self.gap)

    @property
    def arrays(self) -> ContactArrays:
        """Return the arrays for a kernel: the same tuple until they are replaced by longer ones."""
        if self._arrays is None:
            self._arrays = ContactArrays(*(getattr(self, name) for name in _FIELDS))
        return self._arrays

    def reserve(self, capacity: int) -> None:
        """Make room for `capacity` contacts, keeping those that are there."""
        if capacity <= self.capacity:
            return
        for name, (shape, dtype) in _FIELDS.items():
            grown = np.zeros((capacity, *shape), dtype)
            grown[: self.count] = getattr(self, name)[: self.count]
            setattr(self, name, grown)
        self._arrays = None

    def copy(self) -> "Contacts":
        """Return an independent copy without spare room."""
        twin = Contacts(0)
        twin.count = self.count
        for name in _FIELDS:
            setattr(twin, name, getattr(self, name)[: self.count].copy())
        return twin

    def take(self, order: np.ndarray) -> None:
        """Rearrange the contacts into the given order (indices, may also drop some)."""
        for name in _FIELDS:
            field = getattr(self, name)
            field[: len(order)] = field[order]
        self.count = len(order)
