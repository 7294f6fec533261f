"""Contacts as a structure of arrays: what detection reports and dynamics reads."""

from typing import Annotated, Any, ClassVar

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Floats, Ints

__all__ = [
    "NORMAL_FIXED",
    "NORMAL_ON_A",
    "NORMAL_ON_B",
    "ContactArrays",
    "Contacts",
    "free_small_faces",
    "move_contact",
]

# Which body carries the normal when the bodies move on: the one whose face defines it.
NORMAL_FIXED = 0
NORMAL_ON_A = 1
NORMAL_ON_B = 2


class ContactArrays(Struct):
    """The arrays of `Contacts`, as kernels take them; only the first `count` entries mean anything."""

    body_a: Annotated[Ints, "contacts"]
    body_b: Annotated[Ints, "contacts"]
    shape_a: Annotated[Ints, "contacts"]
    shape_b: Annotated[Ints, "contacts"]
    feature: Annotated[Ints, "contacts"]
    point_a: Annotated[Floats, "contacts", 3]
    point_b: Annotated[Floats, "contacts", 3]
    normal: Annotated[Floats, "contacts", 3]
    gap: Annotated[Floats, "contacts"]
    radius_a: Annotated[Floats, "contacts"]
    radius_b: Annotated[Floats, "contacts"]
    normal_side: Annotated[Ints, "contacts"]


@inner
def move_contact(contacts, source, target):
    """Copy one contact to another place."""
    contacts.body_a[target], contacts.body_b[target] = contacts.body_a[source], contacts.body_b[source]
    contacts.shape_a[target], contacts.shape_b[target] = contacts.shape_a[source], contacts.shape_b[source]
    contacts.radius_a[target], contacts.radius_b[target] = (
        contacts.radius_a[source],
        contacts.radius_b[source],
    )
    contacts.feature[target], contacts.gap[target] = contacts.feature[source], contacts.gap[source]
    contacts.normal_side[target] = contacts.normal_side[source]
    for k in range(3):
        contacts.point_a[target, k] = contacts.point_a[source, k]
        contacts.point_b[target, k] = contacts.point_b[source, k]
        contacts.normal[target, k] = contacts.normal[source, k]


@kernel
def free_small_faces(contacts: ContactArrays, count: int, bounding_radius: Floats) -> None:
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

    plain_fields: ClassVar[dict[str, Any]] = {"entries": ContactArrays}  # what is written to files

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
        self._table = Table(ContactArrays, contacts=capacity)
        self.arrays = self._table.arrays  # for kernels: one struct for good
        self._show()

    def _show(self) -> None:
        for name, array in self.arrays.items():
            setattr(self, name, array)

    @property
    def capacity(self) -> int:
        """Return how many contacts fit without growing."""
        return len(self.gap)

    def reserve(self, capacity: int) -> None:
        """Make room for `capacity` contacts, keeping those that are there."""
        if capacity > self.capacity:
            self._table.resize(contacts=capacity)
            self._show()

    def copy(self) -> "Contacts":
        """Return an independent copy without spare room."""
        twin = Contacts(self.count)
        self.copy_to(twin)
        return twin

    def copy_to(self, other: "Contacts") -> None:
        """Make others the same as these.

        Args:
            other: receives the entries; room is made for them.
        """
        other.count = 0
        other.reserve(self.count)
        other.count = self.count
        for new, old in zip(other.arrays, self.arrays, strict=True):
            new[: self.count] = old[: self.count]

    @property
    def entries(self) -> ContactArrays:
        """Return copies of the arrays without spare room."""
        return self.arrays.pick(np.arange(self.count))

    @classmethod
    def from_plain(cls, entries: ContactArrays) -> "Contacts":
        """Return contacts with these entries."""
        out = cls(len(entries.gap))
        out.count = len(entries.gap)
        for new, old in zip(out.arrays, entries, strict=True):
            new[:] = old
        return out

    def take(self, order: np.ndarray) -> None:
        """Rearrange the contacts into the given `order` (n,) of indices, which may also drop some."""
        for field in self.arrays:
            field[: len(order)] = field[order]
        self.count = len(order)
