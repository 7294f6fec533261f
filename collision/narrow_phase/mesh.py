"""Static triangle meshes against convex shapes.

A mesh is a skin with one free side. Each triangle near the shape is taken as a convex body of its own, but
the contact normal must be one that the *surface* offers: the normal of the face, or at an edge or corner a
direction between the normals of the faces that meet there. So inner edges of a flat or hollow surface give
no tilted normals, and what a neighbour covers is left to the neighbour.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import dot
from stoss.collision.contacts import ContactArrays, Contacts
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints, Ints2
from stoss.collision.manifold.face_manifold import face_manifold
from stoss.collision.manifold.manifold import SLACK, contact_manifold, separation
from stoss.collision.manifold.scratch import MAX_CONTACTS
from stoss.collision.narrow_phase.convex import convex_normal
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch, convex_scratch
from stoss.collision.narrow_phase.mesh_contacts import (
    MAX_KEPT,
    SAME_NORMAL,
    MergeScratch,
    copy_contact,
    leave_far_skins,
    merge_contacts,
)
from stoss.collision.narrow_phase.mesh_normals import (
    LEAVE,
    NORMAL_BIAS,
    TAKE,
    corner_offers,
    glides_over,
    judge_normal,
    put_triangle,
    top_corner,
)
from stoss.collision.narrow_phase.scratch import OfThread
from stoss.collision.narrow_phase.walk import walk_pairs
from stoss.collision.shapes.features import face_normal, support
from stoss.collision.shapes.kinds import MESH
from stoss.collision.shapes.shape_pair import centre_of, load_pair
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.support_polygon import support_polygon

FEATURE = "mesh"  # see `kernels.prepare`

__all__ = ["TREE_DEPTH", "MeshScratch", "collide_mesh", "collide_mesh_pairs"]

MAX_FOUND = 512  # contacts of one pair before reduction; beyond that they are reduced on the way
TREE_DEPTH = 64  # the tree is balanced: 2^64 triangles


class MeshScratch(Struct):
    """Work arrays of a pair of a mesh and a convex shape.

    Attributes:
        convex: for the shape and one triangle.
        stack: nodes of the tree that are still to be looked at.
        lower, upper: bounds of the shape in the frame of the mesh [m].
        found, spare: contacts with all triangles so far.
        merging: to bring them down.
    """

    convex: ConvexScratch
    stack: Annotated[Ints, "nodes"]
    lower: Annotated[Floats, "axes"]
    upper: Annotated[Floats, "axes"]
    found: ContactArrays
    spare: ContactArrays
    merging: MergeScratch

    @classmethod
    def new(cls) -> "MeshScratch":
        """Return new arrays."""
        return cls(
            ConvexScratch.new(),
            np.zeros(2 * TREE_DEPTH, np.int64),
            np.zeros(3),
            np.zeros(3),
            ContactArrays.zeros(contacts=MAX_FOUND),
            ContactArrays.zeros(contacts=MAX_FOUND),
            MergeScratch.zeros(contacts=MAX_FOUND),
        )


_own = OfThread(MeshScratch.new)


@inner
def _offered_normal(k, f, quaternion, pair, g, gap, low, size):
    """Return (touches, nx, ny, nz): along which normal the shape touches triangle `f`, from the mesh.

    Inputs:
        k, f, quaternion, pair: as for `_touch_triangle`.
        g, gap: the normal of triangle and shape taken by themselves, from the mesh, and the gap along it [m].
        low, size: height of the lowest point of the shape over the triangle, and its extent across it [m].
    """
    s, sign = 1 - k, 1.0 if k == 1 else -1.0
    fx, fy, fz = pair.normal[k, 0], pair.normal[k, 1], pair.normal[k, 2]
    gx, gy, gz = g
    needed = low + NORMAL_BIAS * size
    if not (gap > needed and dot(gx, gy, gz, fx, fy, fz) < SAME_NORMAL):
        return True, fx, fy, fz
    verdict = judge_normal(f, k, pair, quaternion, gx, gy, gz)
    if verdict == LEAVE:
        return False, fx, fy, fz
    if verdict == TAKE:
        return True, gx, gy, gz
    # a flat face of the shape may rest on a corner of f, with a normal that is not that of f
    flat, x, y, z = face_normal(s, pair, -fx, -fy, -fz)
    if flat and separation(pair, -sign * x, -sign * y, -sign * z) > needed:
        at, _ = top_corner(k, pair, -x, -y, -z)
        if corner_offers(f, at, quaternion, pair.solids, -x, -y, -z):
            return False, fx, fy, fz
    return True, fx, fy, fz


@inner
def _drop_shallow(out, first, count, lowest):
    """Keep the contacts from `first` on with at least that gap [m]; return the count of contacts."""
    kept = first
    for c in range(first, count):
        if out.gap[c] >= lowest:
            copy_contact(out, c, out, kept)
            kept += 1
    return kept


@kernel
def _touch_triangle(
    k: int,
    f: int,
    quaternion: Floats,
    margin: float,
    forced: bool,
    scratch: ConvexScratch,
    out: ContactArrays,
    count: int,
) -> int:
    """Write the contacts of one triangle and the shape; return the count of contacts.

    Inputs:
        k, f: row of the triangle in the pair, and of its face.
        quaternion: of the mesh.
        forced: take the face normal of a triangle in the shape without comparing: for shapes that are too
            deep for anything better.
        scratch: with the pair.
    """
    pair, manifold = scratch.pair, scratch.manifold
    s = 1 - k
    sign = 1.0 if k == 1 else -1.0  # normals run from b to a, those of the surface from the mesh to the shape
    fx, fy, fz = pair.normal[k, 0], pair.normal[k, 1], pair.normal[k, 2]
    reach = pair.rounding[s]
    plane = fx * pair.corners[k, 0, 0] + fy * pair.corners[k, 0, 1] + fz * pair.corners[k, 0, 2]
    lx, ly, lz = support(s, pair, -fx, -fy, -fz)
    hx, hy, hz = support(s, pair, fx, fy, fz)
    low = fx * lx + fy * ly + fz * lz - plane - reach
    high = fx * hx + fy * hy + fz * hz - plane + reach
    if low > margin or high <= 0.0:  # too far, or wholly behind the skin
        return count
    nx, ny, nz = fx, fy, fz
    near, gx, gy, gz, gap = convex_normal(pair, margin, scratch.search, manifold.edges)
    if not near or (forced and gap > 0.0):
        return count
    if not forced:
        if glides_over(k, f, quaternion, pair, high - low):
            return count
        g = (sign * gx, sign * gy, sign * gz)
        touches, nx, ny, nz = _offered_normal(k, f, quaternion, pair, g, gap, low, high - low)
        if not touches:
            return count
    before = count
    if dot(nx, ny, nz, fx, fy, fz) >= SAME_NORMAL:
        support_polygon(s, pair, -fx, -fy, -fz, manifold.features)
        support_polygon(k, pair, fx, fy, fz, manifold.features)
        count = face_manifold(k, pair, margin, SLACK, manifold, out, count)
        patch = pair.solids.patch[f]
        if gap > 0.0:
            # the shape does not touch this triangle: what lies behind it is beyond another one's border
            count = _drop_shallow(out, before, count, -NORMAL_BIAS * (high - low))
    else:
        count = contact_manifold(pair, sign * nx, sign * ny, sign * nz, margin, manifold, out, count)
        patch = 3 * pair.face_range[k, 0]
    # a corner of the shape keeps its number while it slides over a flat patch
    for c in range(before, count):
        number = out.feature[c]
        if (number & 3) == 1 + s:
            out.feature[c] = number + (patch << 32 if k == 1 else 4 * patch)
    return count


@inner
def _bounds(k, pair, position, margin, lower, upper):
    """Write the bounds of the shape in the frame of mesh k, grown by the margin; return their extent [m]."""
    s, r = 1 - k, pair.rotation
    reach, extent = pair.rounding[s] + margin, 0.0
    for axis in range(3):
        dx, dy, dz = r[k, 0, axis], r[k, 1, axis], r[k, 2, axis]
        x, y, z = support(s, pair, dx, dy, dz)
        upper[axis] = dot(x - position[0], y - position[1], z - position[2], dx, dy, dz) + reach
        x, y, z = support(s, pair, -dx, -dy, -dz)
        lower[axis] = dot(x - position[0], y - position[1], z - position[2], dx, dy, dz) - reach
        extent = max(extent, upper[axis] - lower[axis])
    return extent


@inner
def _touch_triangles(k, mesh, position, quaternion, extent, margin, forced, scratch):
    """Write the contacts of all triangles near the shape to `scratch.found`; return how many."""
    convex, stack, lower, upper = scratch.convex, scratch.stack, scratch.lower, scratch.upper
    pair, found, spare = convex.pair, scratch.found, scratch.spare
    solids, chosen = pair.solids, convex.manifold.chosen
    node_min, node_max, node_range = solids.node_min, solids.node_max, solids.node_range
    first_face = solids.face_start[mesh]
    contacts = 0
    depth = 1
    stack[0] = solids.root[mesh]
    while depth > 0:
        depth -= 1
        node = stack[depth]
        apart = False
        for axis in range(3):
            apart = apart or node_min[node, axis] > upper[axis] or node_max[node, axis] < lower[axis]
        if apart:
            continue
        if node_range[node, 0] >= 0:
            stack[depth], stack[depth + 1] = node_range[node, 1], node_range[node, 0]
            depth += 2
            continue
        first = -1 - node_range[node, 0]
        for leaf in range(first, first + node_range[node, 1]):
            f = solids.leaf_faces[leaf]
            put_triangle(k, f, first_face, position, quaternion, pair)
            if contacts + MAX_CONTACTS > MAX_FOUND:
                total = merge_contacts(found, contacts, extent, scratch.merging, chosen, spare, 0)
                contacts = merge_contacts(spare, total, extent, scratch.merging, chosen, found, 0)
            contacts = _touch_triangle(k, f, quaternion, margin, forced, convex, found, contacts)
    return contacts


@kernel
def collide_mesh(
    pairs: Ints2,
    start: int,
    shapes: ShapeArrays,
    margin: float,
    scratch: MeshScratch,
    out: ContactArrays,
    count: int,
) -> tuple[int, int]:
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    pair, chosen = scratch.convex.pair, scratch.convex.manifold.chosen
    capacity = len(out.gap)
    for p in range(start, len(pairs)):
        if count + MAX_KEPT > capacity:
            return p, count
        a, b = pairs[p, 0], pairs[p, 1]
        load_pair(a, b, shapes, pair)
        k = 0 if shapes.kind[a] == MESH else 1
        m = a if k == 0 else b
        position, quaternion, mesh = shapes.position[m], shapes.quaternion[m], shapes.polyhedron[m]
        extent = _bounds(k, pair, position, margin, scratch.lower, scratch.upper)
        contacts = 0
        for attempt in range(2):
            contacts = _touch_triangles(k, mesh, position, quaternion, extent, margin, attempt == 1, scratch)
            contacts = leave_far_skins(
                k, centre_of(1 - k, pair), scratch.found, contacts, scratch.merging.group
            )
            if contacts > 0:
                break
        first = count
        count = merge_contacts(scratch.found, contacts, extent, scratch.merging, chosen, out, count)
        # one corner on two patches may have one number: later ones get others
        for c in range(first + 1, count):
            for e in range(first, c):
                if out.feature[e] == out.feature[c]:
                    out.feature[c] += (c - first) << 56
    return len(pairs), count


def collide_mesh_pairs(pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
    """Append the contacts of pairs of a static mesh and a convex shape, in either order.

    Args:
        pairs: (p, 2) rows of the table, first below second.
        table: the shapes, updated.
        margin: contacts up to this gap [m] are reported.
        contacts: grows as needed.
    """
    scratch = _own.scratch
    scratch.convex = convex_scratch(table.polyhedra.arrays)
    walk_pairs(collide_mesh, pairs, table, margin, contacts, scratch, MAX_KEPT)
