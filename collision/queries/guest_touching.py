"""Kernels: the point at which a moving shape touches what it has met."""

import numpy as np

from stoss.collision.algebra import cross, dot, perpendicular
from stoss.collision.kernels.decorators import inner
from stoss.collision.manifold.manifold import contact_manifold, separation
from stoss.collision.queries.guest_meeting import guest_size, put_face, put_guest
from stoss.collision.shapes.edge_feature import edge_feature
from stoss.collision.shapes.features import support
from stoss.collision.shapes.kinds import HALFSPACE
from stoss.collision.shapes.shape_pair import load_shape
from stoss.collision.shapes.support_polygon import support_polygon

FEATURE = "queries"  # see `kernels.prepare`

__all__ = ["write_touch"]

LINE_SINE = 1e-6  # of the angle with the plane across the normal within which a line lies in it
LEAN = 1e-7  # [rad] by which directions that are nearby differ


@inner
def _alone(k, pair, nx, ny, nz, size):
    """Return (alone, x, y, z): the support of a shape, and whether it is that of all directions nearby."""
    x, y, z = support(k, pair, nx, ny, nz)
    tx, ty, tz = perpendicular(nx, ny, nz)
    alone = True
    for i in range(4):
        if i == 2:
            tx, ty, tz = cross(nx, ny, nz, tx, ty, tz)
        lean = LEAN if i % 2 == 0 else -LEAN
        px, py, pz = support(k, pair, nx + lean * tx, ny + lean * ty, nz + lean * tz)
        alone = alone and abs(px - x) + abs(py - y) + abs(pz - z) <= 100.0 * LEAN * size
    return alone, x, y, z


@inner
def _between_lines(pair, nx, ny, nz, edges):
    """Return (known, x, y, z): where, on the second shape, two lines that are not parallel are nearest."""
    lean_a, _ = edge_feature(0, pair, -nx, -ny, -nz, edges[0])
    lean_b, _ = edge_feature(1, pair, nx, ny, nz, edges[1])
    a, b = edges[0, 0], edges[1, 0]
    ux, uy, uz = edges[0, 1, 0] - a[0], edges[0, 1, 1] - a[1], edges[0, 1, 2] - a[2]
    vx, vy, vz = edges[1, 1, 0] - b[0], edges[1, 1, 1] - b[1], edges[1, 1, 2] - b[2]
    wx, wy, wz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    uu, vv, uv = dot(ux, uy, uz, ux, uy, uz), dot(vx, vy, vz, vx, vy, vz), dot(ux, uy, uz, vx, vy, vz)
    wu, wv = dot(wx, wy, wz, ux, uy, uz), dot(wx, wy, wz, vx, vy, vz)
    area = uu * vv - uv * uv
    if lean_a > LINE_SINE or lean_b > LINE_SINE or area <= 1e-12 * uu * vv:
        return False, 0.0, 0.0, 0.0
    # nearest to each other on lines without end, then within both ends
    s = min(max((wu * vv - wv * uv) / area, 0.0), 1.0)
    r = min(max((s * uv - wv) / vv, 0.0), 1.0)
    s = min(max((r * uv + wu) / uu, 0.0), 1.0)
    down = separation(pair, nx, ny, nz) + pair.rounding[0]
    return True, a[0] + s * ux - down * nx, a[1] + s * uy - down * ny, a[2] + s * uz - down * nz


@inner
def write_touch(row, face, guest, shapes, motion, best, scratch, point):
    """Write to `point` where the guest touches what it has met: the mean of the deepest contacts."""
    pair, manifold, out = scratch.convex.pair, scratch.convex.manifold, scratch.contacts
    s, nx, ny, nz, gap = best[0], best[1], best[2], best[3], best[4]
    load_shape(row, 1, shapes, pair)
    put_guest(pair, guest, motion, 0.0)
    if face >= 0:
        put_face(face, row, shapes, pair)
    put_guest(pair, guest, motion, s)
    room = 1e-9 * guest_size(guest, motion)
    count, x, y, z = 0, 0.0, 0.0, 0.0
    if pair.kind[1] == HALFSPACE:
        support_polygon(0, pair, -nx, -ny, -nz, manifold.features)
        corners = manifold.features.corners
        lowest = np.inf
        for i in range(manifold.features.count[0]):
            lowest = min(lowest, dot(nx, ny, nz, corners[0, i, 0], corners[0, i, 1], corners[0, i, 2]))
        for i in range(manifold.features.count[0]):
            cx, cy, cz = corners[0, i, 0], corners[0, i, 1], corners[0, i, 2]
            if dot(nx, ny, nz, cx, cy, cz) <= lowest + room:
                count, x, y, z = count + 1, x + cx, y + cy, z + cz
        down = gap + pair.rounding[0]  # from the core to the plane
        x, y, z = x / count - down * nx, y / count - down * ny, z / count - down * nz
    else:
        contacts = contact_manifold(pair, nx, ny, nz, gap + room, manifold, out, 0)
        lowest = np.inf
        for i in range(contacts):
            lowest = min(lowest, out.gap[i])
        for i in range(contacts):
            if out.gap[i] <= lowest + room:
                count, x, y = count + 1, x + out.point_b[i, 0], y + out.point_b[i, 1]
                z += out.point_b[i, 2]
        x, y, z = x / max(count, 1), y / max(count, 1), z / max(count, 1)
        size = guest.bounding_radius[0]
        known, px, py, pz = _alone(0, pair, -nx, -ny, -nz, size)
        if known or count == 0:  # rounding may have left no contact
            down = gap + pair.rounding[0]
            x, y, z = px - down * nx, py - down * ny, pz - down * nz
        else:
            known, px, py, pz = _alone(1, pair, nx, ny, nz, size)
            if known:
                up = pair.rounding[1]
                x, y, z = px + up * nx, py + up * ny, pz + up * nz
            else:
                known, px, py, pz = _between_lines(pair, nx, ny, nz, manifold.edges)
                if known:
                    x, y, z = px, py, pz
    point[0], point[1], point[2] = x, y, z
