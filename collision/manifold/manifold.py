"""Contact regions: from two shapes and a normal to contact points with exact gaps.

A collision library says how deep two shapes overlap and in which direction; a body needs to know on what
it stands. If a flat face of either shape is (nearly) perpendicular to the normal, that face becomes the
reference: its normal replaces the given one, the feature with which the other shape looks at it is clipped
to it, and every gap is measured from its plane. Otherwise two lines meet (one contact, or two if they are
parallel), or a curved surface touches (one).
"""

import numpy as np
from stoss.collision.contacts import NORMAL_FIXED, ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2, Ints2
from stoss.collision.manifold.clipping import LINES, feature_number
from stoss.collision.manifold.face_manifold import MAX_CONTACTS, ManifoldScratch, face_region
from stoss.collision.narrow_phase.pair_data import put_contact
from stoss.collision.shapes.features import FLAT_NONE, edge_feature, support, support_polygon
from stoss.collision.shapes.polyhedra import PolyhedronArrays

__all__ = ["FACE_COSINE", "SLACK", "SWAP_BIAS", "contact_region", "separation"]

# Cosine of the angle within which a face replaces the given normal: 0.02 rad. The clipped gaps then differ
# from the distances along the given normal by 2e-4 of themselves, a fifth of what resting needs to notice
# nothing; and a cube that is tilted by less keeps its four contacts instead of rocking on one edge.
FACE_COSINE = np.cos(0.02)
LINE_SINE = (
    0.02  # a line counts as perpendicular to the normal, or lines as parallel, within this angle [rad]
)
# The second shape's face is the reference only if it separates better by this [relative to the faces' size]:
# with a smaller value rounding could swap the faces of a resting pair, and all feature numbers with them.
SWAP_BIAS = 1e-6
SLACK = 1e-7  # widening of reference faces, relative to their size
# A round shape touches a border along the normal of the face, to within SAME_COSINE (1e-5 rad), when it
# lies up to 1e-5 of its radius beside the face; a second attempt allows for that, or the border's line
# would be ambiguous.
WIDE_SLACK = 1e-4
SAME_COSINE = 1.0 - 5e-11


@inner
def separation(what, pose, vertices, nx, ny, nz):
    """Return the gap along a unit normal n (from b to a): min n.x over a minus max n.x over b [m].

    Its maximum over n is the signed distance of two convex shapes.
    """
    ax, ay, az = support(0, what, pose, vertices, -nx, -ny, -nz)
    bx, by, bz = support(1, what, pose, vertices, nx, ny, nz)
    reach = pose[0, 16] + pose[1, 16]
    return nx * (ax - bx) + ny * (ay - by) + nz * (az - bz) - reach


@kernel
def contact_region(
    what: Ints2,
    pose: Floats2,
    solids: PolyhedronArrays,
    nx: float,
    ny: float,
    nz: float,
    margin: float,
    scratch: ManifoldScratch,
    out: ContactArrays,
    count: int,
) -> int:
    """Write the contacts of two convex shapes that touch along a normal.

    Inputs:
        what, pose: the shapes a and b (no half-space, no mesh), as `load_pair` wrote them.
        solids: arrays of all polyhedra.
        nx, ny, nz: unit normal from b to a, (nearly) the one along which the shapes are least separated.
        margin: contacts farther apart than this [m] are left out.
        scratch: `ManifoldScratch.new()`.
        out: `contact_arrays`, with room for MAX_CONTACTS behind `count`.
        count: contacts that are there already.

    Returns:
        Number of contacts, `count` included.
    """
    corners, ids, edges = scratch.corners, scratch.ids, scratch.edges
    ca, flat_a, ax, ay, az = support_polygon(0, what, pose, solids, -nx, -ny, -nz, corners[0], ids[0])
    cb, flat_b, bx, by, bz = support_polygon(1, what, pose, solids, nx, ny, nz, corners[1], ids[1])
    use_a = flat_a != FLAT_NONE and -(ax * nx + ay * ny + az * nz) >= FACE_COSINE
    use_b = flat_b != FLAT_NONE and bx * nx + by * ny + bz * nz >= FACE_COSINE
    a_first = use_a
    if use_a and use_b:
        size = (
            abs(corners[0, 0, 0] - corners[0, 2, 0])
            + abs(corners[0, 0, 1] - corners[0, 2, 1])
            + abs(corners[0, 0, 2] - corners[0, 2, 2])
        )
        better = separation(what, pose, solids.vertices, bx, by, bz) - separation(
            what, pose, solids.vertices, -ax, -ay, -az
        )
        a_first = better <= SWAP_BIAS * size
    before = count
    for attempt in range(4):
        slack = SLACK
        if attempt >= 2:
            # the normal is that of a face, yet the other shape touches beside it: within its curvature, at
            # the border
            slack = WIDE_SLACK
        if a_first == (attempt % 2 == 0):
            if use_a and (attempt < 2 or -(ax * nx + ay * ny + az * nz) >= SAME_COSINE):
                count = face_region(
                    0,
                    flat_a,
                    ca,
                    ax,
                    ay,
                    az,
                    1,
                    flat_b,
                    cb,
                    bx,
                    by,
                    bz,
                    what,
                    pose,
                    solids.vertices,
                    margin,
                    slack,
                    scratch,
                    out,
                    count,
                )
        elif use_b and (attempt < 2 or bx * nx + by * ny + bz * nz >= SAME_COSINE):
            count = face_region(
                1,
                flat_b,
                cb,
                bx,
                by,
                bz,
                0,
                flat_a,
                ca,
                ax,
                ay,
                az,
                what,
                pose,
                solids.vertices,
                margin,
                slack,
                scratch,
                out,
                count,
            )
        if count > before:
            break
    if count > before:
        # A face that replaced another normal has to show the least distance, too. If the shape reaches
        # deepest beside that face (a capsule over an edge), the contact along the given normal is added.
        lean = (
            bx * nx + by * ny + bz * nz
            if (use_b and not (use_a and a_first))
            else -(ax * nx + ay * ny + az * nz)
        )
        if lean >= SAME_COSINE or count == before + MAX_CONTACTS:
            return count
        least = np.inf
        for c in range(before, count):
            least = min(least, out.gap[c])
        true = separation(what, pose, solids.vertices, nx, ny, nz)
        if least <= true + 1e-3 * abs(true) + 1e-7:
            return count
    reach_a, reach_b = pose[0, 16], pose[1, 16]
    lean_a, edge_a = edge_feature(0, what, pose, solids, -nx, -ny, -nz, edges[0])
    lean_b, edge_b = edge_feature(1, what, pose, solids, nx, ny, nz, edges[1])
    radius_a, radius_b = corners[0, 0, 3], corners[1, 0, 3]
    if flat_a != FLAT_NONE:
        radius_a = 0.0
    if flat_b != FLAT_NONE:
        radius_b = 0.0
    px, py, pz = support(0, what, pose, solids.vertices, -nx, -ny, -nz)
    qx, qy, qz = support(1, what, pose, solids.vertices, nx, ny, nz)
    gap = nx * (px - qx) + ny * (py - qy) + nz * (pz - qz) - reach_a - reach_b
    if gap > margin:
        return count
    line_a, line_b = lean_a <= LINE_SINE, lean_b <= LINE_SINE
    ux, uy, uz = (
        edges[0, 1, 0] - edges[0, 0, 0],
        edges[0, 1, 1] - edges[0, 0, 1],
        edges[0, 1, 2] - edges[0, 0, 2],
    )
    vx, vy, vz = (
        edges[1, 1, 0] - edges[1, 0, 0],
        edges[1, 1, 1] - edges[1, 0, 1],
        edges[1, 1, 2] - edges[1, 0, 2],
    )
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    if line_a and line_b and uu > 0.0 and vv > 0.0:
        wx, wy, wz = (
            edges[1, 0, 0] - edges[0, 0, 0],
            edges[1, 0, 1] - edges[0, 0, 1],
            edges[1, 0, 2] - edges[0, 0, 2],
        )
        wu, wv = wx * ux + wy * uy + wz * uz, wx * vx + wy * vy + wz * vz
        if uu * vv - uv * uv < LINE_SINE * LINE_SINE * uu * vv:
            # parallel: where they lie side by side, in the parameter of the first line
            s0, s1 = wu / uu, (wu + uv) / uu
            low, high = max(0.0, min(s0, s1)), min(1.0, max(s0, s1))
            if high - low > 1e-6:
                for end in range(2):
                    s = low if end == 0 else high
                    r = min(max((s * uv - wv) / vv, 0.0), 1.0)
                    px, py, pz = edges[0, 0, 0] + s * ux, edges[0, 0, 1] + s * uy, edges[0, 0, 2] + s * uz
                    qx, qy, qz = edges[1, 0, 0] + r * vx, edges[1, 0, 1] + r * vy, edges[1, 0, 2] + r * vz
                    number = feature_number(True, LINES, edge_a * 2 + end, edge_b)
                    count = _put_single(
                        what,
                        number,
                        px,
                        py,
                        pz,
                        qx,
                        qy,
                        qz,
                        nx,
                        ny,
                        nz,
                        reach_a,
                        reach_b,
                        radius_a,
                        radius_b,
                        margin,
                        out,
                        count,
                    )
                return count
            line_a = line_b = False
        else:
            det = uu * vv - uv * uv
            s = min(max((wu * vv - wv * uv) / det, 0.0), 1.0)
            r = min(max((s * uv - wv) / vv, 0.0), 1.0)
            px, py, pz = edges[0, 0, 0] + s * ux, edges[0, 0, 1] + s * uy, edges[0, 0, 2] + s * uz
            qx, qy, qz = edges[1, 0, 0] + r * vx, edges[1, 0, 1] + r * vy, edges[1, 0, 2] + r * vz
    elif line_a and uu > 0.0:
        s = ((qx - edges[0, 0, 0]) * ux + (qy - edges[0, 0, 1]) * uy + (qz - edges[0, 0, 2]) * uz) / uu
        s = min(max(s, 0.0), 1.0)
        px, py, pz = edges[0, 0, 0] + s * ux, edges[0, 0, 1] + s * uy, edges[0, 0, 2] + s * uz
    elif line_b and vv > 0.0:
        s = ((px - edges[1, 0, 0]) * vx + (py - edges[1, 0, 1]) * vy + (pz - edges[1, 0, 2]) * vz) / vv
        s = min(max(s, 0.0), 1.0)
        qx, qy, qz = edges[1, 0, 0] + s * vx, edges[1, 0, 1] + s * vy, edges[1, 0, 2] + s * vz
    # the gap is that of the supports; the lines only say where along them the contact lies
    mx, my, mz = 0.5 * (px + qx), 0.5 * (py + qy), 0.5 * (pz + qz)
    shift = 0.5 * (reach_b - reach_a - gap)
    number = feature_number(True, LINES, edge_a if line_a else 0, edge_b if line_b else 0)
    put_contact(
        out,
        count,
        what,
        number,
        NORMAL_FIXED,
        mx + shift * nx,
        my + shift * ny,
        mz + shift * nz,
        nx,
        ny,
        nz,
        gap,
        radius_a,
        radius_b,
    )
    return count + 1


@inner
def _put_single(
    what, number, px, py, pz, qx, qy, qz, nx, ny, nz, reach_a, reach_b, radius_a, radius_b, margin, out, count
):
    """Write the contact between two points of the cores, with the gap along the normal."""
    gap = nx * (px - qx) + ny * (py - qy) + nz * (pz - qz) - reach_a - reach_b
    if gap > margin:
        return count
    mx, my, mz = 0.5 * (px + qx), 0.5 * (py + qy), 0.5 * (pz + qz)
    shift = 0.5 * (reach_b - reach_a - gap)
    put_contact(
        out,
        count,
        what,
        number,
        NORMAL_FIXED,
        mx + shift * nx,
        my + shift * ny,
        mz + shift * nz,
        nx,
        ny,
        nz,
        gap,
        radius_a,
        radius_b,
    )
    return count + 1
