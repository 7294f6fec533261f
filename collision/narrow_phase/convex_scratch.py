"""Work arrays of the narrow phases of convex shapes."""

from stoss.collision.kernels.structs import Struct
from stoss.collision.manifold.scratch import ManifoldScratch
from stoss.collision.narrow_phase.gjk import GjkScratch
from stoss.collision.narrow_phase.scratch import OfThread
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_pair import ShapePair

__all__ = ["ConvexScratch", "convex_scratch"]


class ConvexScratch(Struct):
    """What the narrow phases of convex shapes work on.

    Attributes:
        pair: the two shapes at hand.
        search: for GJK and EPA.
        manifold: for their contacts.
    """

    pair: ShapePair
    search: GjkScratch
    manifold: ManifoldScratch

    @classmethod
    def new(cls) -> "ConvexScratch":
        """Return new arrays."""
        return cls(ShapePair.new(), GjkScratch.new(), ManifoldScratch.new())


_own = OfThread(ConvexScratch.new)


def convex_scratch(solids: PolyhedronArrays) -> ConvexScratch:
    """Return the work arrays of this thread, for shapes whose polyhedra these are."""
    scratch = _own.scratch
    scratch.pair.solids = solids
    return scratch
