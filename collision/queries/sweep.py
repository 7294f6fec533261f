"""When moving shapes first meet: conservative advancement of pairs on their paths, against tunnelling.

The signed distance d of two convex shapes is the largest separation along any direction, so it shrinks no
faster than the shapes approach each other along its normal, whatever its sign. Advancing by d over that speed
therefore never passes a meeting (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems").
A meeting counts where the shapes later overlap by a good part of their thickness: what skims, slides or rolls
is left alone, and so is what ordinary contacts will put right.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import dot, norm, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints, Ints2
from stoss.collision.narrow_phase.convex import convex_normal
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch, convex_scratch
from stoss.collision.narrow_phase.mesh_normals import put_triangle
from stoss.collision.narrow_phase.scratch import OfThread
from stoss.collision.queries.candidates import SweptSizes
from stoss.collision.queries.paths import Paths, place_shape, speed_along, way_meets_node
from stoss.collision.shapes.kinds import MESH
from stoss.collision.shapes.shape_pair import centre_of, load_pair
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable

FEATURE = "fast bodies"  # see `kernels.prepare`

__all__ = ["NEVER", "first_meetings"]

NEVER = 2.0  # share of the step: later than its end
MOST_ADVANCES = 64
DEEP = 0.9  # share of the depth at which a meeting counts, at which the search ends
TREE_DEPTH = 64


class SweepScratch(Struct):
    """Work arrays of `first_meetings`.

    Attributes:
        convex: for a pair of shapes at one time.
        stack: nodes of a mesh's tree that are still to be looked at.
        start, way: of the origin of a shape in the frame of a mesh [m].
    """

    convex: ConvexScratch
    stack: Annotated[Ints, "nodes"]
    start: Annotated[Floats, "axes"]
    way: Annotated[Floats, "axes"]

    @classmethod
    def new(cls) -> "SweepScratch":
        """Return new arrays."""
        return cls(ConvexScratch.new(), np.zeros(2 * TREE_DEPTH, np.int64), np.zeros(3), np.zeros(3))


_own = OfThread(SweepScratch.new)


@kernel
def _advance_pair(
    i: int,
    j: int,
    face: int,
    shapes: ShapeArrays,
    paths: Paths,
    sizes: SweptSizes,
    close: float,
    depth: float,
    scratch: ConvexScratch,
) -> float:
    """Return the share of the step at which shapes i and j meet, NEVER if they do not.

    If j is a mesh, the triangle `face` is meant, with its free side only; else that is -1.
    """
    pair, edges = scratch.pair, scratch.manifold.edges
    a, b = shapes.body[i], shapes.body[j]
    lever_i, lever_j = sizes.lever[i], sizes.lever[j] if face < 0 else 0.0
    s, met, gap = 0.0, NEVER, np.inf
    for number in range(MOST_ADVANCES):
        place_shape(paths, s, i, shapes)
        place_shape(paths, s, j, shapes)
        load_pair(i, j, shapes, pair)
        if face >= 0:
            first = pair.solids.face_start[shapes.polyhedron[j]]
            put_triangle(1, face, first, shapes.position[j], shapes.quaternion[j], pair)
            if number == 0:
                x, y, z = centre_of(0, pair)
                nx, ny, nz = pair.normal[1, 0], pair.normal[1, 1], pair.normal[1, 2]
                cx, cy, cz = pair.corners[1, 0, 0], pair.corners[1, 0, 1], pair.corners[1, 0, 2]
                if dot(nx, ny, nz, x - cx, y - cy, z - cz) <= 0.0:
                    return NEVER
        _, nx, ny, nz, gap = convex_normal(pair, np.inf, scratch.search, edges)
        if met == NEVER and gap <= close:
            met = s
        if met != NEVER and gap <= -DEEP * depth:
            return met
        # n points from j to i: they approach along it
        speed = speed_along(paths, a, s, -nx, -ny, -nz, lever_i)
        speed += speed_along(paths, b, s, nx, ny, nz, lever_j)
        reach = gap + depth if met != NEVER else gap - 0.5 * close
        if speed <= 0.0 or gap + depth > speed * (1.0 - s) or s + reach / speed >= 1.0:
            return NEVER
        s += reach / speed
    if met == NEVER:
        return s  # close enough, and nothing was passed
    return met if gap < -0.5 * depth else NEVER


@inner
def _way_to_mesh(i, j, shapes, paths, c, d):
    """Write the way of the origin of shape i in the frame of mesh j, from c along d; return how far off it.

    Arcs leave the way by so much, and the shape reaches so far from its origin [m].
    """
    positions, local = shapes.position, shapes.local_position
    place_shape(paths, 1.0, j, shapes)
    q, body = shapes.quaternion[j], shapes.body[i]
    angle = norm(paths.turn[body, 0], paths.turn[body, 1], paths.turn[body, 2])
    around = shapes.bounding_radius[i] + 0.25 * norm(
        paths.bend[body, 0], paths.bend[body, 1], paths.bend[body, 2]
    )
    arm = norm(local[i, 0], local[i, 1], local[i, 2])
    around += arm * (1.0 - np.cos(0.5 * angle)) if angle < np.pi else 2.0 * arm
    for end in range(2):
        place_shape(paths, float(end), i, shapes)
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
    return around


@inner
def _advance_mesh(i, j, shapes, paths, sizes, close, depth, scratch):
    """Return the share of the step at which shape i meets mesh j, which stands still."""
    solids, stack, c, d = scratch.convex.pair.solids, scratch.stack, scratch.start, scratch.way
    node_range = solids.node_range
    around = _way_to_mesh(i, j, shapes, paths, c, d)
    best = NEVER
    waiting = 1
    stack[0] = solids.root[shapes.polyhedron[j]]
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if not way_meets_node(solids, node, c, d, around, 1.0):
            continue
        if node_range[node, 0] >= 0:
            stack[waiting], stack[waiting + 1] = node_range[node, 1], node_range[node, 0]
            waiting += 2
            continue
        first_leaf = -1 - node_range[node, 0]
        for leaf in range(first_leaf, first_leaf + node_range[node, 1]):
            face = solids.leaf_faces[leaf]
            met = _advance_pair(i, j, face, shapes, paths, sizes, close, depth, scratch.convex)
            best = min(best, met)
    return best


@kernel
def _advance(
    pairs: Ints2,
    shapes: ShapeArrays,
    paths: Paths,
    sizes: SweptSizes,
    close: float,
    depth_share: float,
    scratch: SweepScratch,
    out: Floats,
) -> None:
    body, inner, lever, shift, turn = shapes.body, sizes.inner, sizes.lever, paths.shift, paths.turn
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        depth = depth_share * (inner[i] + inner[j])
        a, b = body[i], body[j]
        if paths.until[a] >= 1.0 and paths.until[b] >= 1.0:
            x, y, z = shift[a, 0] - shift[b, 0], shift[a, 1] - shift[b, 1], shift[a, 2] - shift[b, 2]
            way = lever[i] * norm(turn[a, 0], turn[a, 1], turn[a, 2])
            way += lever[j] * norm(turn[b, 0], turn[b, 1], turn[b, 2])
            if norm(x, y, z) + way <= depth:
                out[p] = NEVER
                continue
        if shapes.kind[j] == MESH:
            out[p] = _advance_mesh(i, j, shapes, paths, sizes, close, depth, scratch)
        else:
            out[p] = _advance_pair(i, j, -1, shapes, paths, sizes, close, depth, scratch.convex)


def first_meetings(
    table: ShapeTable,
    pairs: np.ndarray,
    paths: Paths,
    sizes: SweptSizes,
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
    scratch = _own.scratch
    scratch.convex = convex_scratch(table.polyhedra.arrays)
    _advance(pairs, table.arrays, paths, sizes, close, depth_share, scratch, times)
    return times
