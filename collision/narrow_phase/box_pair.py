"""What the kernels on boxes share: a pair in its own frames, and feature numbers.

Feature numbers name the geometry alone (vertex, edge or face of either box), not the way it was found,
so a contact keeps its number when the reference face changes over.

    0 + 6 vertex_a + face_b        48 + 6 vertex_b + face_a      96 + 12 edge_a + edge_b
    240 and up: vertex and edge pairs of boxes apart

Vertex numbers: bit k set when coordinate k is positive. Edge: 4 axis + sign bits of the next two axes.
Face: 2 axis + (1 when positive).
"""

from typing import Annotated

from stoss.collision.algebra import matrix_from_quaternion
from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.collision.narrow_phase.pair_contacts import PairContacts

__all__ = [
    "EDGE_EDGE",
    "EDGE_VERTEX",
    "FACE_VERTEX",
    "VERTEX_EDGE",
    "VERTEX_FACE",
    "VERTEX_VERTEX",
    "BoxScratch",
    "edge_number",
    "write_matrix",
]

# First feature numbers of each kind, a's feature first.
VERTEX_FACE = 0  # + 6 vertex_a + face_b
FACE_VERTEX = 48  # + 6 vertex_b + face_a
EDGE_EDGE = 96  # + 12 edge_a + edge_b
VERTEX_VERTEX = 240  # + 8 vertex_a + vertex_b
VERTEX_EDGE = 304  # + 12 vertex_a + edge_b
EDGE_VERTEX = 400  # + 12 vertex_b + edge_a

_MOST_CORNERS = 16  # of a face that is being clipped


class BoxScratch(Struct):
    """A pair of boxes, or of a capsule a and a box b, in the frames of its shapes, and its contacts.

    Attributes:
        rotation: matrices of a [0] and b [1], shape to world.
        axes: of b in the frame of a, by columns.
        way: from the centre of a to that of b in the frames of a [0] and b [1] [m].
        other_axes, other_centre: axes and centre of the other box in the frame of the reference box.
        polygon: two polygons: of each, rows of two coordinates along the face, and of heights over it [m].
        tags: of each corner of these: 0 to 7 a vertex, 8 + 4 label + plane a crossing.
        labels: of the edge that leaves each corner: 0 to 3 an edge of the incident face, 4 + plane a side.
        vertices: of a [0] in the frame of b, of b [1] in the frame of a [m], for boxes apart.
        core: of a capsule in the frame of the box: centre, half axis; and half edges of the box; by columns.
        found: the contacts.
    """

    rotation: Annotated[Floats, "two", 3, 3]
    axes: Annotated[Floats, "three", 3]
    way: Annotated[Floats, "two", 3]
    other_axes: Annotated[Floats, "three", 3]
    other_centre: Annotated[Floats, "three"]
    polygon: Annotated[Floats, "two", 3, _MOST_CORNERS]
    tags: Annotated[Ints, "two", _MOST_CORNERS]
    labels: Annotated[Ints, "two", _MOST_CORNERS]
    vertices: Annotated[Floats, "two", 8, 3]
    core: Annotated[Floats, "three", 3]
    found: PairContacts

    @classmethod
    def new(cls) -> "BoxScratch":
        """Return new arrays."""
        return cls.zeros(two=2, three=3).replace(found=PairContacts.new())


@inner
def write_matrix(q, r):
    """Write the rotation matrix of a quaternion."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_from_quaternion(q)
    r[0, 0], r[0, 1], r[0, 2] = r00, r01, r02
    r[1, 0], r[1, 1], r[1, 2] = r10, r11, r12
    r[2, 0], r[2, 1], r[2, 2] = r20, r21, r22


@inner
def edge_number(axis, bit_next, bit_after):
    """Return the number of the edge along `axis` at the given signs (0, 1) of the next two axes."""
    return 4 * axis + bit_next + 2 * bit_after
