"""Contacts of one pair of shapes, before it is known which of them comes first."""

from typing import Annotated

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints

__all__ = ["MOST_PER_PAIR", "PairContacts", "put_from_a", "put_from_b"]

# No pair has more contacts: a box against a half-space or a box, at most eight.
MOST_PER_PAIR = 8


class PairContacts(Struct):
    """Contacts of shapes a and b; fields as in `Contacts`."""

    point_a: Annotated[Floats, "contacts", 3]
    point_b: Annotated[Floats, "contacts", 3]
    normal: Annotated[Floats, "contacts", 3]
    gap: Annotated[Floats, "contacts"]
    feature: Annotated[Ints, "contacts"]
    side: Annotated[Ints, "contacts"]

    @classmethod
    def new(cls) -> "PairContacts":
        """Return new arrays."""
        return cls.zeros(contacts=MOST_PER_PAIR)


@inner
def _put(found, n, number, side, a, b, normal, gap):
    point_a, point_b, direction = found.point_a, found.point_b, found.normal
    point_a[n, 0], point_a[n, 1], point_a[n, 2] = a
    point_b[n, 0], point_b[n, 1], point_b[n, 2] = b
    direction[n, 0], direction[n, 1], direction[n, 2] = normal
    found.gap[n] = gap
    found.feature[n], found.side[n] = number, side


@inner
def put_from_a(found, n, number, side, point, normal, gap):
    """Write contact `n` by its point on a and the normal from b to a."""
    x, y, z = point
    nx, ny, nz = normal
    _put(found, n, number, side, point, (x - gap * nx, y - gap * ny, z - gap * nz), normal, gap)


@inner
def put_from_b(found, n, number, side, point, normal, gap):
    """Write contact `n` by its point on b and the normal from b to a."""
    x, y, z = point
    nx, ny, nz = normal
    _put(found, n, number, side, (x + gap * nx, y + gap * ny, z + gap * nz), point, normal, gap)
