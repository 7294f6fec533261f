"""When moving shapes first meet: conservative advancement of pairs on their paths, against tunnelling.

The signed distance d of two convex shapes is the largest separation along any direction, so it shrinks no
faster than the shapes approach each other along its normal, whatever its sign. Advancing by d over that speed
therefore never passes a meeting (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems").
A meeting counts where the shapes later overlap by a good part of their thickness: what skims, slides or rolls
is left alone, and so is what ordinary contacts will put right.
"""

from typing import Annotated

import numpy as np
from stoss.collision.algebra import dot, norm, quaternion_multiply, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints, Ints2
from stoss.collision.manifold.face_manifold import ManifoldScratch
from stoss.collision.narrow_phase.convex import convex_normal
from stoss.collision.narrow_phase.gjk import GjkScratch
from stoss.collision.narrow_phase.mesh_normals import put_triangle
from stoss.collision.narrow_phase.pair_data import (
    centre_of,
    load_pair,
)
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.shapes import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HALFSPACE,
    HULL,
    MESH,
    SPHERE,
)

FEATURE = "fast bodies"  # see `kernels.prepare`

__all__ = ["NEVER", "Paths", "find_candidates", "first_meetings", "swept_sizes"]

NEVER = 2.0  # share of the step: later than its end
MOST_ADVANCES = 64
DEEP = 0.9  # share of the depth at which a meeting counts, at which the search ends
TREE_DEPTH = 64


class Paths(Struct):
    """How bodies move in a step: along parabolas, turning about fixed axes, until they are held.

    At the share s of the step a body is at start + s shift - s (1 - s) bend.
    """

    start: Annotated[Floats, "bodies", 3]  # [m]
    shift: Annotated[Floats, "bodies", 3]  # [m]
    bend: Annotated[Floats, "bodies", 3]  # half the acceleration times the square of the step [m]
    quaternion: Annotated[Floats, "bodies", 4]  # at the start
    turn: Annotated[Floats, "bodies", 3]  # rotation vector over the step [rad], world
    until: Annotated[Floats, "bodies"]  # share of the step from which the body stays where it is


def swept_sizes(table: ShapeTable) -> tuple[np.ndarray, np.ndarray]:
    """Return of each shape the radius of the largest ball inside it, and how far turning moves its surface.

    Returns:
        (count,) [m], infinite for half-spaces, 0 for meshes; (count,) distance [m] of its farthest point from
        the origin of the body, without what is round about it.
    """
    count = table.count
    inner, lever = np.empty(count), np.empty(count)
    offset = np.sqrt((table.local_position[:count] ** 2).sum(axis=1))
    arrays = table.polyhedra.arrays if table.polyhedra.count else None
    for s in range(count):
        kind, size, radius = table.kind[s], table.size[s], table.bounding_radius[s]
        lever[s] = offset[s] + radius
        if kind == SPHERE:
            inner[s], lever[s] = size[0], offset[s]
        elif kind == CAPSULE:
            inner[s], lever[s] = size[0], offset[s] + size[1]
        elif kind == BOX or kind == ELLIPSOID:
            inner[s] = size[:3].min()
        elif kind == CYLINDER:
            inner[s] = size[:2].min()
        elif kind == CONE:
            # the circle inside the triangle of base 2 r, height 2 l
            r, height = size[0], 2.0 * size[1]
            inner[s] = r * height / (r + np.hypot(r, height))
        elif kind == HALFSPACE:
            inner[s], lever[s] = np.inf, 0.0
        elif kind == MESH:
            inner[s] = 0.0
        else:
            assert kind == HULL and arrays is not None
            p = table.polyhedron[s]
            planes = arrays.planes[arrays.face_start[p] : arrays.face_start[p + 1]]
            inner[s] = (planes[:, 3] - planes[:, :3] @ arrays.centre[p]).min()
    return inner, lever


@inner
def _pose(paths, i, s):
    """Return position and quaternion of body i at the share s of the step."""
    s = min(s, paths.until[i])
    back = s * (1.0 - s)
    x = paths.start[i, 0] + s * paths.shift[i, 0] - back * paths.bend[i, 0]
    y = paths.start[i, 1] + s * paths.shift[i, 1] - back * paths.bend[i, 1]
    z = paths.start[i, 2] + s * paths.shift[i, 2] - back * paths.bend[i, 2]
    t0, t1, t2 = paths.turn[i, 0], paths.turn[i, 1], paths.turn[i, 2]
    angle = norm(t0, t1, t2)
    q = paths.quaternion[i]
    if angle == 0.0:
        return x, y, z, q[0], q[1], q[2], q[3]
    sine = np.sin(0.5 * s * angle) / angle
    q0, q1, q2, q3 = quaternion_multiply(
        np.cos(0.5 * s * angle), sine * t0, sine * t1, sine * t2, q[0], q[1], q[2], q[3]
    )
    return x, y, z, q0, q1, q2, q3


@inner
def _place(paths, s, shape, body, local_position, local_quaternion, position, quaternion):
    """Write the world pose of a shape at the share s of the step."""
    x, y, z, q0, q1, q2, q3 = _pose(paths, body[shape], s)
    lx, ly, lz = rotate(
        (q0, q1, q2, q3), local_position[shape, 0], local_position[shape, 1], local_position[shape, 2]
    )
    position[shape, 0], position[shape, 1], position[shape, 2] = x + lx, y + ly, z + lz
    t = local_quaternion[shape]
    quaternion[shape, 0], quaternion[shape, 1], quaternion[shape, 2], quaternion[shape, 3] = (
        quaternion_multiply(q0, q1, q2, q3, t[0], t[1], t[2], t[3])
    )


@inner
def _speed_along(paths, i, s, nx, ny, nz, lever):
    """Return the most by which body i moves in direction n per share of the step, after the share s."""
    if s >= paths.until[i]:
        return 0.0
    shift, bend = paths.shift[i], paths.bend[i]
    along = dot(nx, ny, nz, shift[0], shift[1], shift[2])
    along += abs(dot(nx, ny, nz, bend[0], bend[1], bend[2]))
    along += lever * norm(paths.turn[i, 0], paths.turn[i, 1], paths.turn[i, 2])
    return along if paths.until[i] >= 1.0 else max(along, 0.0)


@kernel
def _sweep_bounds(
    count: int,
    body: Ints,
    local_position: Floats2,
    radius: Floats,
    lower: Floats2,
    upper: Floats2,
    paths: Paths,
    low: Floats2,
    high: Floats2,
) -> None:
    """Fill low, high (count, 3): bounds of each shape on its path; lower, upper are those at its end."""
    for s in range(count):
        i = body[s]
        angle = norm(paths.turn[i, 0], paths.turn[i, 1], paths.turn[i, 2])
        local = local_position[s]
        arm = norm(local[0], local[1], local[2])
        grown = 0.0
        x, y, z = paths.shift[i, 0], paths.shift[i, 1], paths.shift[i, 2]
        if angle > 0.0:
            grown = min(angle, 2.0) * radius[s]
            if arm > 0.0:
                # an arc leaves its chord by no more than its rise, or by the diameter
                grown += arm * (1.0 - np.cos(0.5 * angle)) if angle < np.pi else 2.0 * arm
                _, _, _, q0, q1, q2, q3 = _pose(paths, i, 1.0)
                x1, y1, z1 = rotate((q0, q1, q2, q3), local[0], local[1], local[2])
                x0, y0, z0 = rotate(paths.quaternion[i], local[0], local[1], local[2])
                x, y, z = x + x1 - x0, y + y1 - y0, z + z1 - z0
        for k in range(3):
            d = x if k == 0 else (y if k == 1 else z)
            room = grown + 0.25 * abs(paths.bend[i, k])
            low[s, k] = min(lower[s, k], lower[s, k] - d) - room
            high[s, k] = max(upper[s, k], upper[s, k] - d) + room


@kernel
def _pair_candidates(
    count: int,
    kind: Ints,
    body: Ints,
    group: Ints,
    mask: Ints,
    low: Floats2,
    high: Floats2,
    fast: Bools,
    excluded: Ints,
    pairs: Ints2,
) -> int:
    """Write the pairs of a shape of a fast body and another one that may meet; return how many there are."""
    n = 0
    for i in range(count):
        a = body[i]
        if not fast[a] or kind[i] == HALFSPACE or kind[i] == MESH:
            continue
        x0, y0, z0, x1, y1, z1 = low[i, 0], low[i, 1], low[i, 2], high[i, 0], high[i, 1], high[i, 2]
        for j in range(count):
            # the bitwise form has no branches to mispredict
            if not (
                (x0 <= high[j, 0])
                & (low[j, 0] <= x1)
                & (y0 <= high[j, 1])
                & (low[j, 1] <= y1)
                & (z0 <= high[j, 2])
                & (low[j, 2] <= z1)
                & (kind[j] != HALFSPACE)
            ):
                continue
            b = body[j]
            if a == b or (fast[b] and j < i and kind[j] != MESH):
                continue
            if group[i] & mask[j] == 0 or group[j] & mask[i] == 0:
                continue
            if len(excluded) > 0:
                key = (min(a, b) << 32) | max(a, b)
                at = np.searchsorted(excluded, key)
                if at < len(excluded) and excluded[at] == key:
                    continue
            if n < len(pairs):
                pairs[n, 0], pairs[n, 1] = i, j
            n += 1
    return n


def find_candidates(
    table: ShapeTable,
    paths: Paths,
    fast: np.ndarray,
    excluded: np.ndarray,
) -> np.ndarray:
    """Return the pairs (p, 2) of shapes that may meet on their paths, the first one of a fast body.

    Args:
        table: the shapes, updated for the ends of the paths without a margin.
        paths: of the bodies.
        fast: (n,) bodies whose paths are looked at.
        excluded: sorted keys of body pairs that pass through each other.
    """
    count = table.count
    low, high = np.empty((count, 3)), np.empty((count, 3))
    _sweep_bounds(
        count,
        table.body,
        table.local_position,
        table.bounding_radius,
        table.aabb_min,
        table.aabb_max,
        paths,
        low,
        high,
    )
    pairs = np.empty((256, 2), np.int64)
    while True:
        found = _pair_candidates(
            count,
            table.kind,
            table.body,
            table.group,
            table.mask,
            low,
            high,
            fast,
            excluded,
            pairs,
        )
        if found <= len(pairs):
            return pairs[:found].copy()
        pairs = np.empty((2 * found, 2), np.int64)


@kernel
def _advance_pair(
    i: int,
    j: int,
    k: int,
    face: int,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    paths: Paths,
    lever_i: float,
    lever_j: float,
    close: float,
    depth: float,
    work: GjkScratch,
    scratch: ManifoldScratch,
) -> float:
    """Return the share of the step at which shapes i and j meet, NEVER if they do not.

    Where k = 1, j is a mesh of which the triangle `face` is meant, with its free side only.
    """
    local_position, local_quaternion = shapes.local_position, shapes.local_quaternion
    _kinds, polyhedra, body = shapes.kind, shapes.polyhedron, shapes.body
    positions, quaternions = shapes.position, shapes.quaternion
    edges, what, pose = scratch.edges, scratch.what, scratch.pose
    a, b = body[i], body[j]
    s, met, gap = 0.0, NEVER, np.inf
    for number in range(MOST_ADVANCES):
        _place(paths, s, i, body, local_position, local_quaternion, positions, quaternions)
        _place(paths, s, j, body, local_position, local_quaternion, positions, quaternions)
        load_pair(i, j, shapes, solids, what, pose)
        if k == 1:
            put_triangle(
                1, face, solids.face_start[polyhedra[j]], positions[j], quaternions[j], solids, what, pose
            )
            if number == 0:
                x, y, z = centre_of(0, what, pose)
                nx, ny, nz = pose[1, 26], pose[1, 27], pose[1, 28]
                if dot(nx, ny, nz, x - pose[1, 17], y - pose[1, 18], z - pose[1, 19]) <= 0.0:
                    return NEVER
        _, nx, ny, nz, gap = convex_normal(what, pose, solids, np.inf, work, edges)
        if met == NEVER and gap <= close:
            met = s
        if met != NEVER and gap <= -DEEP * depth:
            return met
        # n points from j to i: they approach along it
        speed = _speed_along(paths, a, s, -nx, -ny, -nz, lever_i)
        speed += _speed_along(paths, b, s, nx, ny, nz, lever_j)
        reach = gap + depth if met != NEVER else gap - 0.5 * close
        if speed <= 0.0 or gap + depth > speed * (1.0 - s) or s + reach / speed >= 1.0:
            return NEVER
        s += reach / speed
    if met == NEVER:
        return s  # close enough, and nothing was passed
    return met if gap < -0.5 * depth else NEVER


@inner(allocates=True)
def _advance_mesh(i, j, shapes, solids, paths, lever, radius, close, depth, stack, work, scratch):
    """Return the share of the step at which shape i meets mesh j, which stands still."""
    polyhedra, body = shapes.polyhedron, shapes.body
    positions, quaternions = shapes.position, shapes.quaternion
    local_position, local_quaternion = shapes.local_position, shapes.local_quaternion
    root, leaf_faces = solids.root, solids.leaf_faces
    node_min, node_max, node_range = solids.node_min, solids.node_max, solids.node_range
    # the way of the shape's origin in the frame of the mesh, from c along d; arcs leave it by `around`
    c, d = np.empty(3), np.empty(3)
    _place(paths, 1.0, j, body, local_position, local_quaternion, positions, quaternions)
    q = quaternions[j]
    angle = norm(paths.turn[body[i], 0], paths.turn[body[i], 1], paths.turn[body[i], 2])
    bend = paths.bend[body[i]]
    around = radius + 0.25 * norm(bend[0], bend[1], bend[2])
    arm = norm(local_position[i, 0], local_position[i, 1], local_position[i, 2])
    around += arm * (1.0 - np.cos(0.5 * angle)) if angle < np.pi else 2.0 * arm
    for end in range(2):
        _place(paths, float(end), i, body, local_position, local_quaternion, positions, quaternions)
        x, y, z = rotate_inverse(
            q,
            positions[i, 0] - positions[j, 0],
            positions[i, 1] - positions[j, 1],
            positions[i, 2] - positions[j, 2],
        )
        if end == 0:
            c[0], c[1], c[2] = x, y, z
        else:
            d[0], d[1], d[2] = x - c[0], y - c[1], z - c[2]
    best = NEVER
    depth_of_stack = 1
    stack[0] = root[polyhedra[j]]
    while depth_of_stack > 0:
        depth_of_stack -= 1
        node = stack[depth_of_stack]
        enter, leave = 0.0, 1.0
        for k in range(3):
            low, high = node_min[node, k] - around - c[k], node_max[node, k] + around - c[k]
            if d[k] == 0.0:
                if low > 0.0 or high < 0.0:
                    leave = -1.0
                continue
            first, last = low / d[k], high / d[k]
            enter, leave = max(enter, min(first, last)), min(leave, max(first, last))
        if enter > leave:
            continue
        if node_range[node, 0] >= 0:
            stack[depth_of_stack], stack[depth_of_stack + 1] = node_range[node, 1], node_range[node, 0]
            depth_of_stack += 2
            continue
        first_leaf = -1 - node_range[node, 0]
        for leaf in range(first_leaf, first_leaf + node_range[node, 1]):
            met = _advance_pair(
                i, j, 1, leaf_faces[leaf], shapes, solids, paths, lever, 0.0, close, depth,
                work, scratch,
            )  # fmt: skip
            best = min(best, met)
    return best


@kernel(allocates=True)
def _advance(
    pairs: Ints2,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    paths: Paths,
    inner: Floats,
    lever: Floats,
    radius: Floats,
    close: float,
    depth_share: float,
    work: GjkScratch,
    scratch: ManifoldScratch,
    out: Floats,
) -> None:
    stack = np.empty(2 * TREE_DEPTH, np.int64)
    body = shapes.body
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        depth = depth_share * (inner[i] + inner[j])
        a, b = body[i], body[j]
        if paths.until[a] >= 1.0 and paths.until[b] >= 1.0:
            x = paths.shift[a, 0] - paths.shift[b, 0]
            y = paths.shift[a, 1] - paths.shift[b, 1]
            z = paths.shift[a, 2] - paths.shift[b, 2]
            way = lever[i] * norm(paths.turn[a, 0], paths.turn[a, 1], paths.turn[a, 2])
            way += lever[j] * norm(paths.turn[b, 0], paths.turn[b, 1], paths.turn[b, 2])
            if norm(x, y, z) + way <= depth:
                out[p] = NEVER
                continue
        if shapes.kind[j] == MESH:
            out[p] = _advance_mesh(
                i, j, shapes, solids, paths, lever[i], radius[i], close, depth, stack,
                work, scratch,
            )  # fmt: skip
        else:
            out[p] = _advance_pair(
                i, j, 0, 0, shapes, solids, paths, lever[i], lever[j], close, depth, work,
                scratch,
            )  # fmt: skip


def first_meetings(
    table: ShapeTable,
    pairs: np.ndarray,
    paths: Paths,
    sizes: tuple[np.ndarray, np.ndarray],
    close: float,
    depth_share: float,
) -> np.ndarray:
    """Return the share of the step at which each pair of shapes first meets, NEVER if they do not (p,).

    Args:
        table: the shapes; their world poses are overwritten.
        pairs: (p, 2) shapes; meshes come second, and stand still.
        paths: of the bodies.
        sizes: of the shapes, see `swept_sizes`.
        close: gap [m] at which shapes meet.
        depth_share: share of both inner radii that they must overlap by later on for the meeting to count.
    """
    times = np.full(len(pairs), NEVER)
    if len(pairs) == 0:
        return times
    _advance(
        pairs,
        table.arrays,
        table.polyhedra.arrays,
        paths,
        *sizes,
        table.bounding_radius,
        close,
        depth_share,
        GjkScratch.new(),
        ManifoldScratch.new(),
        times,
    )
    return times
