"""Contact manifolds: from two shapes and a normal to contact points with exact gaps.

A collision library says how deep two shapes overlap and in which direction; a body needs to know on what
it stands. If a flat face of either shape is (nearly) perpendicular to the normal, that face becomes the
reference: its normal replaces the given one, the feature with which the other shape looks at it is clipped
to it, and every gap is measured from its plane. Otherwise two lines meet (one contact, or two if they are
parallel), or a curved surface touches (one).
"""

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.manifold.face_manifold import face_manifold
from stoss.collision.manifold.line_manifold import line_manifold
from stoss.collision.manifold.scratch import MAX_CONTACTS, ManifoldScratch
from stoss.collision.shapes.features import FLAT_NONE, support
from stoss.collision.shapes.shape_pair import ShapePair
from stoss.collision.shapes.support_polygon import support_polygon

__all__ = ["FACE_COSINE", "SLACK", "SWAP_BIAS", "contact_manifold", "separation"]

# Cosine of the angle within which a face replaces the given normal: 0.02 rad. The clipped gaps then differ
# from the distances along the given normal by 2e-4 of themselves, a fifth of what resting needs to notice
# nothing; and a cube that is tilted by less keeps its four contacts instead of rocking on one edge.
FACE_COSINE = np.cos(0.02)
# The second shape's face is the reference only if it separates better by this [relative to the faces' size]:
# with a smaller value rounding could swap the faces of a resting pair, and all feature numbers with them.
SWAP_BIAS = 1e-6
SLACK = 1e-7  # widening of reference faces, relative to their size
# A round shape touches a border along the normal of the face, to within SAME_COSINE (1e-5 rad), when it
# lies up to 1e-5 of its radius beside the face; a second attempt allows for that, or the border's line
# would be ambiguous.
WIDE_SLACK = 1e-4
SAME_COSINE = 1.0 - 5e-11


@kernel
def separation(pair: ShapePair, nx: float, ny: float, nz: float) -> float:
    """Return the gap along a unit normal n (from b to a): min n.x over a minus max n.x over b [m].

    Its maximum over n is the signed distance of two convex shapes.
    """
    ax, ay, az = support(0, pair, -nx, -ny, -nz)
    bx, by, bz = support(1, pair, nx, ny, nz)
    reach = pair.rounding[0] + pair.rounding[1]
    return nx * (ax - bx) + ny * (ay - by) + nz * (az - bz) - reach


@inner
def _a_first(pair, features):
    """Return whether the face of a is the reference, where both shapes have one."""
    corners, normal = features.corners, features.normal
    size = (
        abs(corners[0, 0, 0] - corners[0, 2, 0])
        + abs(corners[0, 0, 1] - corners[0, 2, 1])
        + abs(corners[0, 0, 2] - corners[0, 2, 2])
    )
    of_b = separation(pair, normal[1, 0], normal[1, 1], normal[1, 2])
    return of_b - separation(pair, -normal[0, 0], -normal[0, 1], -normal[0, 2]) <= SWAP_BIAS * size


@kernel
def contact_manifold(
    pair: ShapePair,
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
        pair: the shapes a and b (no half-space, no mesh), as `load_pair` wrote them.
        nx, ny, nz: unit normal from b to a, (nearly) the one along which the shapes are least separated.
        margin: contacts farther apart than this [m] are left out.
        scratch: `ManifoldScratch.new()`.
        out: arrays of contacts, with room for MAX_CONTACTS behind `count`.
        count: contacts that are there already.

    Returns:
        Number of contacts, `count` included.
    """
    features = scratch.features
    support_polygon(0, pair, -nx, -ny, -nz, features)
    support_polygon(1, pair, nx, ny, nz, features)
    normal = features.normal
    lean_a = -(normal[0, 0] * nx + normal[0, 1] * ny + normal[0, 2] * nz)
    lean_b = normal[1, 0] * nx + normal[1, 1] * ny + normal[1, 2] * nz
    use_a = features.kind[0] != FLAT_NONE and lean_a >= FACE_COSINE
    use_b = features.kind[1] != FLAT_NONE and lean_b >= FACE_COSINE
    a_first = use_a
    if use_a and use_b:
        a_first = _a_first(pair, features)
    before = count
    for attempt in range(4):
        ref = 0 if a_first == (attempt % 2 == 0) else 1
        used, lean = (use_a, lean_a) if ref == 0 else (use_b, lean_b)
        # the normal may be that of a face, yet the other shape touch beside it: within its curvature, at the
        # border
        slack = SLACK if attempt < 2 else WIDE_SLACK
        if used and (attempt < 2 or lean >= SAME_COSINE):
            count = face_manifold(ref, pair, margin, slack, scratch, out, count)
        if count > before:
            break
    if count > before:
        # A face that replaced another normal has to show the least distance, too. If the shape reaches
        # deepest beside that face (a capsule over an edge), the contact along the given normal is added.
        lean = lean_b if use_b and not (use_a and a_first) else lean_a
        if lean >= SAME_COSINE or count == before + MAX_CONTACTS:
            return count
        least = np.inf
        for c in range(before, count):
            least = min(least, out.gap[c])
        true = separation(pair, nx, ny, nz)
        if least <= true + 1e-3 * abs(true) + 1e-7:
            return count
    return line_manifold(pair, nx, ny, nz, margin, scratch, out, count)
