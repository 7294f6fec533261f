"""Contacts between shapes of all kinds in one walk, without FCL.

Pairs come in order, so those of one kind of narrow phase stand in runs. Each run is handed to the kernel of
its phase, which appends its contacts: they are in order as well. A kernel is called by its address, so a
world compiles and loads those alone that it comes to.
"""

from typing import Annotated

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Ints, Ints2
from stoss.collision.narrow_phase.box_pair import BoxScratch
from stoss.collision.narrow_phase.convex import collide_convex
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch
from stoss.collision.narrow_phase.half_space import collide_halfspace
from stoss.collision.narrow_phase.mesh import MeshScratch, collide_mesh
from stoss.collision.narrow_phase.native import collide_pairs
from stoss.collision.narrow_phase.phases import (
    HALFSPACE_PHASE,
    KIND_COUNT,
    MESH_PHASE,
    NATIVE_PHASE,
    NO_PHASE,
)
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays

FEATURE = "convex"  # see `kernels.prepare`

__all__ = ["ALL_NATIVE", "MixedScratch", "collide_mixed"]


class MixedScratch(Struct):
    """What the narrow phases of all kinds of shapes work on.

    Attributes:
        phase_of: the narrow phase of each pair of kinds, see `NarrowPhases`.
        boxes: for spheres, capsules, boxes and half-spaces.
        convex: for the rest but meshes.
        mesh: for these; empty if there are none.
    """

    phase_of: Annotated[Ints, "kinds", KIND_COUNT]
    boxes: BoxScratch
    convex: ConvexScratch
    mesh: MeshScratch

    @classmethod
    def of(cls, phase_of: np.ndarray, boxes: BoxScratch, solids: PolyhedronArrays) -> "MixedScratch":
        """Return new arrays, none for meshes, for shapes whose polyhedra these are."""
        convex = ConvexScratch.new()
        convex.pair.solids = solids
        return cls(phase_of, boxes, convex, NO_MESHES)

    def need_meshes(self) -> None:
        """Have arrays for meshes, which take five times as much as all others."""
        if len(self.mesh.stack) == 0:
            mesh = MeshScratch.new()
            mesh.convex = self.convex
            self.mesh = mesh


NO_MESHES = MeshScratch.zeros()
ALL_NATIVE = MixedScratch.zeros()  # where `collide_pairs` knows all shapes


@kernel
def collide_mixed(
    pairs: Ints2,
    start: int,
    shapes: ShapeArrays,
    margin: float,
    scratch: MixedScratch,
    out: ContactArrays,
    count: int,
) -> tuple[int, int]:
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    convex, phase_of, p = scratch.convex, scratch.phase_of, start
    while p < len(pairs):
        phase = _phase(pairs, p, shapes, phase_of)
        end = p + 1
        while end < len(pairs) and _phase(pairs, end, shapes, phase_of) == phase:
            end += 1
        run, done = pairs[:end], end
        if phase == NATIVE_PHASE:
            done, count = collide_pairs(run, p, shapes, margin, scratch.boxes, out, count)
        elif phase == HALFSPACE_PHASE:
            done, count = collide_halfspace(run, p, shapes, margin, convex, out, count)
        elif phase == MESH_PHASE:
            done, count = collide_mesh(run, p, shapes, margin, scratch.mesh, out, count)
        elif phase != NO_PHASE:
            done, count = collide_convex(run, p, shapes, margin, convex, out, count)
        if done < end:
            return done, count
        p = end
    return len(pairs), count


@inner
def _phase(pairs, p, shapes, phase_of):
    return phase_of[shapes.kind[pairs[p, 0]], shapes.kind[pairs[p, 1]]]
