"""Which contact normals the surface of a mesh offers at a triangle."""

import numpy as np

from stoss.collision.algebra import cross, dot, norm, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.collision.manifold.manifold import FACE_COSINE, separation
from stoss.collision.shapes.features import face_normal
from stoss.collision.shapes.mesh_topology import EDGE_CONVEX, EDGE_OPEN
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_pair import ShapePair

FEATURE = "mesh"  # see `kernels.prepare`

__all__ = [
    "FACE",
    "LEAVE",
    "NORMAL_BIAS",
    "TAKE",
    "corner_offers",
    "glides_over",
    "judge_normal",
    "put_triangle",
    "top_corner",
]

NORMAL_BIAS = 1e-6  # [m per m of size] by which another direction must separate better than the face normal
ALLOWED = 1e-6  # [rad] how far a normal may lean over an edge and still count as that of the face
MAX_FAN = 64  # triangles around a corner that are looked at
TAKE, LEAVE, FACE = 0, 1, 2  # what to do with a normal at a triangle


@inner
def put_triangle(k, f, first_face, position, quaternion, pair):
    """Write triangle `f` (face row) of a mesh into row `k` of the pair."""
    solids, out, normal = pair.solids, pair.corners, pair.normal
    vertices, planes = solids.vertices, solids.planes
    corner_range, corners = solids.corner_range, solids.corners
    pair.face_range[k, 0] = f - first_face
    for i in range(3):
        v = corners[corner_range[f, 0] + i]
        x, y, z = rotate(quaternion, vertices[v, 0], vertices[v, 1], vertices[v, 2])
        out[k, i, 0], out[k, i, 1], out[k, i, 2] = x + position[0], y + position[1], z + position[2]
    x, y, z = rotate(quaternion, planes[f, 0], planes[f, 1], planes[f, 2])
    normal[k, 0], normal[k, 1], normal[k, 2] = x, y, z


@kernel
def corner_offers(
    f: int, i: int, quaternion: Floats, solids: PolyhedronArrays, nx: float, ny: float, nz: float
) -> bool:
    """Return whether no edge at corner i of f rises in direction n: then the corner may touch along n."""
    vertices, corner_range, corners = solids.vertices, solids.corner_range, solids.corners
    neighbours = solids.neighbours
    lx, ly, lz = rotate_inverse(quaternion, nx, ny, nz)
    v = corners[corner_range[f, 0] + i]
    x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
    for way in range(2):  # around the corner, and back from the start if the surface ends
        face, at = f, i
        for _ in range(MAX_FAN):
            first = corner_range[face, 0]
            for step in range(1, 3):
                w = corners[first + (at + step) % 3]
                ex, ey, ez = vertices[w, 0] - x, vertices[w, 1] - y, vertices[w, 2] - z
                if dot(ex, ey, ez, lx, ly, lz) > ALLOWED * norm(ex, ey, ez):
                    return False
            face = neighbours[face, (at + 2) % 3 if way == 0 else at]
            if face < 0 or face == f:
                break
            first = corner_range[face, 0]
            for c in range(3):
                w = corners[first + c]
                if vertices[w, 0] == x and vertices[w, 1] == y and vertices[w, 2] == z:
                    at = c
        if face == f:
            break
    return True


@inner
def top_corner(k, pair, nx, ny, nz):
    """Return the corner of a triangle that lies farthest in direction n, and whether it does so alone."""
    corners = pair.corners
    top, second, at, size = -np.inf, -np.inf, 0, 0.0
    for i in range(3):
        height = dot(nx, ny, nz, corners[k, i, 0], corners[k, i, 1], corners[k, i, 2])
        size += norm(
            corners[k, i, 0] - corners[k, 0, 0],
            corners[k, i, 1] - corners[k, 0, 1],
            corners[k, i, 2] - corners[k, 0, 2],
        )
        if height > top:
            top, second, at = height, top, i
        elif height > second:
            second = height
    return at, top - second > ALLOWED * size


@kernel
def judge_normal(f: int, k: int, pair: ShapePair, quaternion: Floats, nx: float, ny: float, nz: float) -> int:
    """Return what to do with a normal n: TAKE it, LEAVE it to a neighbour, or use the face's (FACE).

    Over a convex edge n may lean as far as the neighbour's normal, over an open edge as it likes. Over flat
    and
    hollow edges it may not, unless the surface ends at the corner that n points out of: the triangles there
        see it.
    """
    solids, corners = pair.solids, pair.corners
    planes, neighbours, bends = solids.planes, solids.neighbours, solids.bends
    fx, fy, fz = pair.normal[k, 0], pair.normal[k, 1], pair.normal[k, 2]
    if dot(nx, ny, nz, fx, fy, fz) < -ALLOWED:
        return FACE
    verdict = TAKE
    for i in range(3):
        j = (i + 1) % 3
        ex, ey = corners[k, j, 0] - corners[k, i, 0], corners[k, j, 1] - corners[k, i, 1]
        ez = corners[k, j, 2] - corners[k, i, 2]
        mx, my, mz = cross(ex, ey, ez, fx, fy, fz)  # outward, in the plane of the triangle
        length = norm(mx, my, mz)
        mx, my, mz = mx / length, my / length, mz / length
        lean = dot(nx, ny, nz, mx, my, mz)
        if lean <= ALLOWED or bends[f, i] == EDGE_OPEN:
            continue
        if bends[f, i] == EDGE_CONVEX:
            g = neighbours[f, i]
            gx, gy, gz = rotate(quaternion, planes[g, 0], planes[g, 1], planes[g, 2])
            # angles over the edge, measured from the face normal
            most = np.arctan2(dot(gx, gy, gz, mx, my, mz), dot(gx, gy, gz, fx, fy, fz))
            if np.arctan2(lean, dot(nx, ny, nz, fx, fy, fz)) >= most - ALLOWED:
                verdict = max(verdict, LEAVE)
            continue
        verdict = FACE
    if verdict == LEAVE:
        return verdict
    at, alone = top_corner(k, pair, nx, ny, nz)
    if verdict == FACE:
        return LEAVE if corner_offers(f, at, quaternion, solids, nx, ny, nz) else FACE
    # a corner alone may touch along n if no other triangle around it reaches farther
    return TAKE if not alone or corner_offers(f, at, quaternion, solids, nx, ny, nz) else LEAVE


@kernel
def glides_over(k: int, f: int, quaternion: Floats, pair: ShapePair, size: float) -> bool:
    """Return whether a flat face of the shape lies on or over a neighbour from which f falls away.

    Such a face meets the neighbour's plane before it can meet f. Without this, a box that slides over tiles
    with bevelled rims would be stopped by each rim that it is about to pass at no height at all.
    """
    solids = pair.solids
    planes, neighbours, bends = solids.planes, solids.neighbours, solids.bends
    s, sign = 1 - k, 1.0 if k == 1 else -1.0
    for i in range(3):
        if bends[f, i] != EDGE_CONVEX:
            continue
        g = neighbours[f, i]
        gx, gy, gz = rotate(quaternion, planes[g, 0], planes[g, 1], planes[g, 2])
        flat, x, y, z = face_normal(s, pair, -gx, -gy, -gz)
        if not flat or -dot(x, y, z, gx, gy, gz) < FACE_COSINE:
            continue
        if -dot(x, y, z, pair.normal[k, 0], pair.normal[k, 1], pair.normal[k, 2]) >= FACE_COSINE:
            continue  # it lies on f as well
        if separation(pair, sign * gx, sign * gy, sign * gz) >= -NORMAL_BIAS * size:
            return True
    return False
