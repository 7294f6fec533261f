"""Detection in one call, for worlds of shapes that the native kernels know."""

from typing import Annotated

from stoss.collision.broad_phase.find_pairs import OVERLAPPING, KnownPairs, find_again
from stoss.collision.contacts import ContactArrays, free_small_faces
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats2, Ints
from stoss.collision.narrow_phase.box_pair import BoxScratch
from stoss.collision.narrow_phase.native import collide_pairs
from stoss.collision.narrow_phase.seams import SeamScratch, judge_seams
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays, place_shapes

__all__ = ["MORE_ROOM", "NEW_SEARCH", "Detection", "detect_natively"]

# What `detect_natively` asks for in place of a number of contacts.
NEW_SEARCH, MORE_ROOM = -1, -2


class Detection(Struct):
    """All that a detection works on but the poses."""

    shapes: ShapeArrays
    solids: PolyhedronArrays
    known: KnownPairs
    movable: Annotated[Bools, "bodies"]  # which bodies can move
    excluded: Annotated[Ints, "pairs"]  # sorted keys of body pairs
    scratch: BoxScratch
    seams: SeamScratch
    contacts: ContactArrays
    margin: float  # largest gap to report [m]
    has_pieces: bool  # whether any surface may be made of several shapes
    inert: bool  # whether no shape may touch any other


@kernel
def detect_natively(d: Detection, positions: Floats2, quaternions: Floats2, searched: bool) -> int:
    """Find all contacts; see `Detector.detect`.

    Args:
        d: what is known of shapes and pairs.
        positions, quaternions: of the bodies [m].
        searched: whether all pairs of these poses were just searched.

    Returns:
        How many contacts there are, NEW_SEARCH if all pairs are to be searched first, or MORE_ROOM if there
        are more than `contacts` has room for: then it is to be called again.
    """
    if d.inert:
        return 0
    shapes, known = d.shapes, d.known
    # each of the two bounds takes half of the margin
    margin = 0.5 * d.margin
    if not searched:
        place_shapes(positions, quaternions, margin, shapes)
        if not find_again(shapes, d.movable, d.excluded, margin, known):
            return NEW_SEARCH
    pairs = known.lists.overlapping[: known.counts[OVERLAPPING]]
    done, count = collide_pairs(pairs, 0, shapes, d.margin, d.scratch, d.contacts, 0)
    if done < len(pairs):
        return MORE_ROOM
    if d.has_pieces and count > 1:
        count = judge_seams(d.contacts, count, d.movable, shapes, d.solids, d.seams)
    free_small_faces(d.contacts, count, shapes.bounding_radius)
    return count
