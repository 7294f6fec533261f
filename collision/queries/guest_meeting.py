"""Kernels: how a shape meets another one when it moves without turning, and where it does.

The signed distance of two convex shapes is a convex function of a translation, so Newton's method, which goes
on to where the plane between the shapes would be reached, comes from outside and never passes the first
touch: conservative advancement with quadratic convergence on curved surfaces, and exact after finitely many
steps between flat ones.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import dot, rotate_inverse
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.collision.manifold.manifold import separation
from stoss.collision.manifold.scratch import MAX_CONTACTS
from stoss.collision.narrow_phase.convex import convex_normal
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch
from stoss.collision.narrow_phase.mesh import TREE_DEPTH
from stoss.collision.narrow_phase.mesh_normals import put_triangle
from stoss.collision.queries.paths import way_meets_node
from stoss.collision.shapes.features import support
from stoss.collision.shapes.kinds import HALFSPACE
from stoss.collision.shapes.shape_pair import centre_of, from_shape
from stoss.collision.shapes.shape_table import ShapeArrays

FEATURE = "queries"  # see `kernels.prepare`

__all__ = [
    "NEVER",
    "GuestScratch",
    "are_far",
    "gap_to",
    "guest_size",
    "meet",
    "meet_mesh",
    "put_face",
    "put_guest",
]

NEVER = 2.0  # share of the motion: later than its end
MOST_ADVANCES = 64
ROUNDING = 1e-12  # gap, relative to the coordinates of the shape, at which shapes touch
RESTS = 1e-8  # overlap, relative to them, up to which shapes only touch, as what rests and slides does


class GuestScratch(Struct):
    """Work arrays of questions about a shape, of fixed lengths; made once.

    Attributes:
        convex: the guest as the first shape of the pair, another one as the second.
        stack: nodes of a mesh's tree that are still to be looked at.
        start, way: of the origin of the guest, in the frame of a mesh [m].
        contacts: of the pair.
    """

    convex: ConvexScratch
    stack: Annotated[Ints, "nodes"]
    start: Annotated[Floats, "axes"]
    way: Annotated[Floats, "axes"]
    contacts: ContactArrays

    @classmethod
    def new(cls) -> "GuestScratch":
        """Return new arrays."""
        contacts = ContactArrays.zeros(contacts=MAX_CONTACTS)
        return cls(
            ConvexScratch.new(), np.zeros(2 * TREE_DEPTH, np.int64), np.zeros(3), np.zeros(3), contacts
        )


@inner
def gap_to(pair, scratch):
    """Return (nx, ny, nz, gap): the normal from the second shape to the guest, and the distance along it."""
    if pair.kind[1] == HALFSPACE:
        nx, ny, nz = from_shape(1, pair, pair.size[1, 0], pair.size[1, 1], pair.size[1, 2])
        x, y, z = support(0, pair, -nx, -ny, -nz)
        p = pair.position
        height = dot(nx, ny, nz, x - p[1, 0], y - p[1, 1], z - p[1, 2])
        return nx, ny, nz, height - pair.size[1, 3] - pair.rounding[0]
    _, nx, ny, nz, gap = convex_normal(pair, np.inf, scratch.search, scratch.manifold.edges)
    return nx, ny, nz, gap


@inner
def put_guest(pair, guest, motion, s):
    """Write where the guest is at the share s of its motion."""
    for k in range(3):
        pair.position[0, k] = guest.position[0, k] + s * motion[k]


@inner
def guest_size(guest, motion):
    """Return what lengths are relative to [m]."""
    size = guest.bounding_radius[0]
    for k in range(3):
        size += abs(guest.position[0, k]) + abs(motion[k])
    return size


@kernel
def meet(
    guest: ShapeArrays, motion: Floats, limit: float, scratch: ConvexScratch
) -> tuple[float, float, float, float, float]:
    """Return (s, nx, ny, nz, gap) where the guest meets the second shape of the pair; s = NEVER if not.

    Inputs:
        motion: (3,) [m].
        limit: share of the motion up to which it is looked.
        scratch: with the pair.
    """
    pair = scratch.pair
    size = guest_size(guest, motion)
    met, mx, my, mz, least = NEVER, 0.0, 0.0, 1.0, np.inf
    s, within = 0.0, ROUNDING * size
    nx, ny, nz = 0.0, 0.0, 1.0
    for _ in range(MOST_ADVANCES):
        put_guest(pair, guest, motion, s)
        ox, oy, oz = nx, ny, nz
        nx, ny, nz, gap = gap_to(pair, scratch)
        if s > 0.0 and pair.kind[1] != HALFSPACE:
            before = separation(pair, ox, oy, oz)
            if (
                before > gap + within
            ):  # where curved shapes barely touch, the search may end beside the best normal
                nx, ny, nz, gap = ox, oy, oz, before
        if met == NEVER and gap <= within:
            met, mx, my, mz, least = s, nx, ny, nz, gap
        if gap <= -RESTS * size:
            break
        speed = -dot(nx, ny, nz, motion[0], motion[1], motion[2])
        # the gap is convex: what no longer approaches never will
        if speed <= 0.0 or (met == NEVER and s + gap / speed > limit + ROUNDING):
            return NEVER, nx, ny, nz, gap
        # what has met must go in, if need be beyond the end of the motion
        s += (gap if met == NEVER else gap + 2.0 * RESTS * size) / speed
    return min(met, 1.0) if met < NEVER else s, mx, my, mz, least


@inner
def put_face(f, row, shapes, pair):
    """Make triangle `f` of a mesh the second shape, with the side on which the centre of the guest lies."""
    first = pair.solids.face_start[shapes.polyhedron[row]]
    put_triangle(1, f, first, shapes.position[row], shapes.quaternion[row], pair)
    x, y, z = centre_of(0, pair)
    normal, corners = pair.normal, pair.corners
    nx, ny, nz = normal[1, 0], normal[1, 1], normal[1, 2]
    if dot(nx, ny, nz, x - corners[1, 0, 0], y - corners[1, 0, 1], z - corners[1, 0, 2]) < 0.0:
        normal[1, 0], normal[1, 1], normal[1, 2] = -nx, -ny, -nz
        for k in range(3):  # the corners run round the normal
            corners[1, 1, k], corners[1, 2, k] = corners[1, 2, k], corners[1, 1, k]


@kernel
def meet_mesh(
    row: int,
    shapes: ShapeArrays,
    guest: ShapeArrays,
    motion: Floats,
    limit: float,
    scratch: GuestScratch,
    best: Floats,
) -> int:
    """Write (s, nx, ny, nz, gap) where the guest meets a mesh to `best`; return the triangle, -1 for none.

    Inputs:
        row: of the mesh.
        limit: share of the motion up to which it is looked; without a motion, triangles in the guest count.
        scratch: with the guest in the pair.
    """
    pair, stack, c, d = scratch.convex.pair, scratch.stack, scratch.start, scratch.way
    solids = pair.solids
    node_range = solids.node_range
    q, p, around = shapes.quaternion[row], shapes.position[row], guest.bounding_radius[0]
    o = guest.position[0]
    c[0], c[1], c[2] = rotate_inverse(q, o[0] - p[0], o[1] - p[1], o[2] - p[2])
    d[0], d[1], d[2] = rotate_inverse(q, motion[0], motion[1], motion[2])
    around += ROUNDING * guest_size(guest, motion)
    found = -1
    waiting = 1
    stack[0] = solids.root[shapes.polyhedron[row]]
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if not way_meets_node(solids, node, c, d, around, limit):
            continue
        if node_range[node, 0] >= 0:
            stack[waiting], stack[waiting + 1] = node_range[node, 1], node_range[node, 0]
            waiting += 2
            continue
        begin = -1 - node_range[node, 0]
        for leaf in range(begin, begin + node_range[node, 1]):
            f = solids.leaf_faces[leaf]
            put_guest(pair, guest, motion, 0.0)
            put_face(f, row, shapes, pair)
            s, nx, ny, nz, gap = meet(guest, motion, limit, scratch.convex)
            if s < NEVER and (found < 0 or s < best[0] or (s == best[0] and gap < best[4])):
                found, limit = f, s
                best[0], best[1], best[2], best[3], best[4] = s, nx, ny, nz, gap
    return found


@inner
def are_far(guest, shapes, row, motion):
    """Return whether the bounds of the guest on its way, and those of a shape, are apart."""
    apart = False
    for k in range(3):
        low, high = guest.aabb_min[0, k], guest.aabb_max[0, k]
        low, high = min(low, low + motion[k]), max(high, high + motion[k])
        room = ROUNDING * (abs(low) + abs(high))
        apart = apart or low - room > shapes.aabb_max[row, k] or high + room < shapes.aabb_min[row, k]
    return apart
