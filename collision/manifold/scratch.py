"""Work arrays of the manifold of one pair of shapes."""

from typing import Annotated

from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.collision.shapes.features import MAX_CORNERS, FacingFeatures

__all__ = ["MAX_CANDIDATES", "MAX_CONTACTS", "ManifoldScratch"]

MAX_CANDIDATES = 256
MAX_CONTACTS = 8  # contacts per pair of shapes


class ManifoldScratch(Struct):
    """What is known of a pair on the way to its contacts, of fixed lengths; made once.

    Attributes:
        features: with which the shapes look at each other.
        edges: lines of both shapes (2, 3 each), see `edge_feature`.
        flat: corners of the reference feature [0] and the incident one [1] in the coordinates of the
            reference plane: along two tangents, and height over it [m].
        discs: the same of round faces: x, y, height of the centre, radius [m].
        found, numbers: candidates [0] (x, y, height) and their feature numbers; [1] is work space.
        tags: of the corners of both polygons of a clipping: number, and the edge that leaves it.
        chosen: rows of candidates that become contacts.
    """

    features: FacingFeatures
    edges: Annotated[Floats, "two", 2, 3]
    flat: Annotated[Floats, "two", MAX_CORNERS + 1, 3]
    discs: Annotated[Floats, "two", 4]
    found: Annotated[Floats, "two", MAX_CANDIDATES, 3]
    numbers: Annotated[Ints, "candidates"]
    tags: Annotated[Ints, "two", MAX_CANDIDATES, 2]
    chosen: Annotated[Ints, "contacts"]

    @classmethod
    def new(cls) -> "ManifoldScratch":
        """Return new arrays."""
        return cls.zeros(two=2, candidates=MAX_CANDIDATES, contacts=MAX_CONTACTS)
