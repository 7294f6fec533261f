"""Static triangle meshes against convex shapes.

A mesh is a skin with one free side. Each triangle near the shape is taken as a convex body of its own, but
the contact normal must be one that the *surface* offers: the normal of the face, or at an edge or corner a
direction between the normals of the faces that meet there. So inner edges of a flat or hollow surface give
no tilted normals, and what a neighbour covers is left to the neighbour.
"""

import numpy as np
from stoss.collision.algebra import cross, dot
from stoss.collision.contacts import ContactArrays, Contacts
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2, Ints, Ints2
from stoss.collision.manifold.clipping import CORNER_A, CORNER_B, reduce_candidates
from stoss.collision.manifold.face_manifold import MAX_CONTACTS, ManifoldScratch, face_region
from stoss.collision.manifold.manifold import SLACK, contact_region, separation
from stoss.collision.narrow_phase.convex import convex_normal
from stoss.collision.narrow_phase.gjk import GjkScratch
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
from stoss.collision.narrow_phase.pair_data import (
    load_pair,
)
from stoss.collision.shapes.features import face_normal, support, support_polygon
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.shapes import MESH

FEATURE = "mesh"  # see `kernels.prepare`

__all__ = ["TREE_DEPTH", "collide_mesh_pairs"]

MAX_FOUND = 512  # contacts of one pair before reduction; beyond that they are reduced on the way
MAX_KEPT = 64  # contacts that one pair may report: eight for each of eight directions
TREE_DEPTH = 64  # the tree is balanced: 2^64 triangles
SAME_NORMAL = 1.0 - 1e-7  # cosine; below the bend that EDGE_FLAT allows, above rounding


@inner
def _copy_contact(found, j, out, at):
    out.body_a[at], out.body_b[at], out.shape_a[at], out.shape_b[at] = (
        found.body_a[j],
        found.body_b[j],
        found.shape_a[j],
        found.shape_b[j],
    )
    out.feature[at], out.normal_side[at], out.gap[at] = found.feature[j], found.normal_side[j], found.gap[j]
    out.radius_a[at], out.radius_b[at] = found.radius_a[j], found.radius_b[j]
    for axis in range(3):
        out.point_a[at, axis], out.point_b[at, axis] = found.point_a[j, axis], found.point_b[j, axis]
        out.normal[at, axis] = found.normal[j, axis]


@kernel
def _touch_triangle(
    k: int,
    f: int,
    position: Floats,
    quaternion: Floats,
    what: Ints2,
    pose: Floats2,
    solids: PolyhedronArrays,
    margin: float,
    forced: bool,
    work: GjkScratch,
    scratch: ManifoldScratch,
    out: ContactArrays,
    count: int,
) -> int:
    """Write the contacts of one triangle (row k) and the shape; return the count of contacts.

    With `forced`, take the face normal of a triangle in the shape without comparing: for shapes that are too
    deep for anything better.
    """
    s = 1 - k
    sign = 1.0 if k == 1 else -1.0  # normals run from b to a, those of the surface from the mesh to the shape
    fx, fy, fz = pose[k, 26], pose[k, 27], pose[k, 28]
    reach = pose[s, 16]
    plane = fx * pose[k, 17] + fy * pose[k, 18] + fz * pose[k, 19]
    lx, ly, lz = support(s, what, pose, solids.vertices, -fx, -fy, -fz)
    hx, hy, hz = support(s, what, pose, solids.vertices, fx, fy, fz)
    low = fx * lx + fy * ly + fz * lz - plane - reach
    high = fx * hx + fy * hy + fz * hz - plane + reach
    if low > margin or high <= 0.0:  # too far, or wholly behind the skin
        return count
    corners, ids, edges = scratch.corners, scratch.ids, scratch.edges
    nx, ny, nz = fx, fy, fz
    near, gx, gy, gz, gap = convex_normal(what, pose, solids, margin, work, edges)
    if not near or (forced and gap > 0.0):
        return count
    if not forced:
        if glides_over(k, f, quaternion, what, pose, solids, high - low):
            return count
        gx, gy, gz = sign * gx, sign * gy, sign * gz
        if gap > low + NORMAL_BIAS * (high - low) and dot(gx, gy, gz, fx, fy, fz) < SAME_NORMAL:
            verdict = judge_normal(f, k, pose, quaternion, solids, gx, gy, gz)
            if verdict == LEAVE:
                return count
            if verdict == TAKE:
                nx, ny, nz = gx, gy, gz
            else:
                # a flat face of the shape may rest on a corner of f, with a normal that is not that of f
                flat, x, y, z = face_normal(s, what, pose, solids, -fx, -fy, -fz)
                if flat and separation(what, pose, solids.vertices, -sign * x, -sign * y, -sign * z) > (
                    low + NORMAL_BIAS * (high - low)
                ):
                    at, _ = top_corner(k, pose, -x, -y, -z)
                    if corner_offers(f, at, quaternion, solids, -x, -y, -z):
                        return count
    before = count
    if dot(nx, ny, nz, fx, fy, fz) >= SAME_NORMAL:
        corner_count, flat, ix, iy, iz = support_polygon(
            s, what, pose, solids, -fx, -fy, -fz, corners[s], ids[s]
        )
        support_polygon(k, what, pose, solids, fx, fy, fz, corners[k], ids[k])
        count = face_region(
            k,
            1,
            3,
            fx,
            fy,
            fz,
            s,
            flat,
            corner_count,
            ix,
            iy,
            iz,
            what,
            pose,
            solids.vertices,
            margin,
            SLACK,
            scratch,
            out,
            count,
        )
        patch = solids.patch[f]
        if gap > 0.0:
            # the shape does not touch this triangle: what lies behind it is beyond another one's border
            kept = before
            for c in range(before, count):
                if out.gap[c] >= -NORMAL_BIAS * (high - low):
                    _copy_contact(out, c, out, kept)
                    kept += 1
            count = kept
    else:
        count = contact_region(
            what, pose, solids, sign * nx, sign * ny, sign * nz, margin, scratch, out, count
        )
        patch = 3 * what[k, 3]
    # a corner of the shape keeps its number while it slides over a flat patch
    for c in range(before, count):
        number = out.feature[c]
        if (number & 3) == 1 + s:
            out.feature[c] = number + (patch << 32 if k == 1 else 4 * patch)
    return count


@inner
def _is_corner(number):
    kind = number & 3
    return kind == CORNER_A or kind == CORNER_B


@inner
def _merge(found, count, kept, extent, flat, chosen, group, out, at):
    """Reduce contacts: drop those that coincide, then keep the outermost and deepest of each normal.

    Inputs:
        found: the contacts, `count` of them.
        kept: how many places there are in `out` behind `at`.
        extent: size of the shape [m].
        flat, chosen, group: scratch.
        out, at: where to write.

    Returns:
        Number of contacts in `out`.
    """
    tolerance = 1e-6 * extent
    for i in range(count):
        group[i] = -1
    for i in range(count):
        if group[i] != -1:
            continue
        nx, ny, nz = found.normal[i, 0], found.normal[i, 1], found.normal[i, 2]
        # tangents from the normal alone: the same for all contacts on a flat patch, in every step
        if abs(nx) < 0.7:
            length = np.sqrt(ny * ny + nz * nz)
            tx, ty, tz = 0.0, nz / length, -ny / length
        else:
            length = np.sqrt(nx * nx + nz * nz)
            tx, ty, tz = -nz / length, 0.0, nx / length
        ux, uy, uz = cross(nx, ny, nz, tx, ty, tz)
        size = 0
        for j in range(i, count):
            if (
                group[j] != -1
                or found.normal[j, 0] * nx + found.normal[j, 1] * ny + found.normal[j, 2] * nz < SAME_NORMAL
            ):
                continue
            group[j] = i
            x, y, z = found.point_a[j, 0], found.point_a[j, 1], found.point_a[j, 2]
            px, py = tx * x + ty * y + tz * z, ux * x + uy * y + uz * z
            known = False
            for m in range(size):
                if abs(flat[m, 0] - px) <= tolerance and abs(flat[m, 1] - py) <= tolerance:
                    known = True
                    # the number of a corner outlives those of lines that meet
                    if _is_corner(found.feature[j]) and not _is_corner(found.feature[int(flat[m, 3])]):
                        flat[m, 3] = j
                    break
            if not known:
                flat[size, 0], flat[size, 1], flat[size, 2], flat[size, 3] = px, py, found.gap[j], j
                size += 1
        total = reduce_candidates(flat, size, MAX_CONTACTS, True, chosen)
        for c in range(min(total, kept)):
            j = int(flat[chosen[c], 3])
            _copy_contact(found, j, out, at)
            at += 1
            kept -= 1
    return at


@kernel(allocates=True)
def _collide(
    pairs: Ints2,
    start: int,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    margin: float,
    work: GjkScratch,
    scratch: ManifoldScratch,
    stack: Ints,
    found: ContactArrays,
    spare: ContactArrays,
    flat: Floats2,
    group: Ints,
    out: ContactArrays,
    count: int,
) -> tuple[int, int]:
    """Collide pairs from row `start` on; return the next row (when `out` is full) and the contacts so far."""
    kinds, polyhedra = shapes.kind, shapes.polyhedron
    positions, quaternions = shapes.position, shapes.quaternion
    root, face_start, leaf_faces = solids.root, solids.face_start, solids.leaf_faces
    node_min, node_max, node_range = solids.node_min, solids.node_max, solids.node_range
    what, pose, chosen = scratch.what, scratch.pose, scratch.chosen
    capacity = len(out.gap)
    lower, upper = np.empty(3), np.empty(3)
    for p in range(start, len(pairs)):
        if count + MAX_KEPT > capacity:
            return p, count
        a, b = pairs[p, 0], pairs[p, 1]
        load_pair(a, b, shapes, solids, what, pose)
        k = 0 if kinds[a] == MESH else 1
        m = a if k == 0 else b
        s = 1 - k
        position, quaternion = positions[m], quaternions[m]
        mesh = polyhedra[m]
        # bounds of the shape in the mesh's frame
        reach, extent = pose[s, 16] + margin, 0.0
        for axis in range(3):
            dx, dy, dz = pose[k, 3 + axis], pose[k, 6 + axis], pose[k, 9 + axis]
            x, y, z = support(s, what, pose, solids.vertices, dx, dy, dz)
            upper[axis] = dot(x - position[0], y - position[1], z - position[2], dx, dy, dz) + reach
            x, y, z = support(s, what, pose, solids.vertices, -dx, -dy, -dz)
            lower[axis] = dot(x - position[0], y - position[1], z - position[2], dx, dy, dz) - reach
            extent = max(extent, upper[axis] - lower[axis])
        contacts = 0
        for attempt in range(2):
            depth = 1
            stack[0] = root[mesh]
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
                    f = leaf_faces[leaf]
                    put_triangle(k, f, face_start[mesh], position, quaternion, solids, what, pose)
                    if contacts + MAX_CONTACTS > MAX_FOUND:
                        total = _merge(found, contacts, MAX_KEPT, extent, flat, chosen, group, spare, 0)
                        contacts = _merge(spare, total, MAX_KEPT, extent, flat, chosen, group, found, 0)
                    contacts = _touch_triangle(
                        k,
                        f,
                        position,
                        quaternion,
                        what,
                        pose,
                        solids,
                        margin,
                        attempt == 1,
                        work,
                        scratch,
                        found,
                        contacts,
                    )
            if contacts > 0:
                break
        first = count
        count = _merge(found, contacts, MAX_KEPT, extent, flat, chosen, group, out, count)
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
    if len(pairs) == 0:
        return
    shapes, solids = table.arrays, table.polyhedra.arrays
    work, scratch = GjkScratch.new(), ManifoldScratch.new()
    found, spare = Contacts(MAX_FOUND).arrays, Contacts(MAX_FOUND).arrays
    stack, flat, group = (
        np.empty(2 * TREE_DEPTH, np.int64),
        np.empty((MAX_FOUND, 4)),
        np.empty(MAX_FOUND, np.int64),
    )
    done = 0
    while done < len(pairs):
        contacts.reserve(max(contacts.count + 8 * (len(pairs) - done) + MAX_KEPT, contacts.capacity))
        done, contacts.count = _collide(
            pairs,
            done,
            shapes,
            solids,
            margin,
            work,
            scratch,
            stack,
            found,
            spare,
            flat,
            group,
            contacts.arrays,
            contacts.count,
        )
