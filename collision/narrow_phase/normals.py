"""The exact normal of a pair of convex shapes from a rough one.

For a unit direction n let s(n) = min over a of n.x minus max over b of n.x. The signed distance of two convex
shapes is the maximum of s, and the maximiser is the contact normal. `refine_normal` goes uphill on s: through
the finitely many normals that faces and pairs of edges allow, and by Newton steps where a surface is curved.
s(n) never exceeds the true distance, so a step that raises it is right, wherever the start came from.
"""

import numpy as np

from stoss.collision.algebra import cross, norm, perpendicular
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats3
from stoss.collision.manifold.manifold import separation
from stoss.collision.shapes.edge_feature import edge_feature
from stoss.collision.shapes.features import face_normal, support
from stoss.collision.shapes.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL
from stoss.collision.shapes.shape_pair import ShapePair, centre_of, from_shape

FEATURE = "convex"  # see `kernels.prepare`

__all__ = ["STARTS", "best_face_normal", "curved_start", "difference", "refine_normal"]

ROUNDING = 4e-16  # [relative to the supports] below which s does not tell two directions apart
ON_AXIS = 1e-9  # sine of the angle with an axis below which there is no direction across it
STARTS = 4  # directions of `curved_start`
AROUND = 64
GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))
PROBE = 1e-5  # [rad] of the difference quotients: error PROBE^2, rounding 1e-16 / PROBE


@kernel
def difference(pair: ShapePair, dx: float, dy: float, dz: float) -> tuple[float, float, float]:
    """Return the point of the cores' difference a - b that lies least in direction d."""
    ax, ay, az = support(0, pair, -dx, -dy, -dz)
    bx, by, bz = support(1, pair, dx, dy, dz)
    return ax - bx, ay - by, az - bz


@inner
def _turn(pair, nx, ny, nz, kx, ky, kz):
    """Go uphill on s while n turns about a fixed unit axis k; return n.

    n' = k x n and n'' = (k.n) k - n, so that with the support point w(n) of a - b: s' = w.n' and
    s'' = w'.n' + w.n''; differences of support points give w'.
    """
    for _ in range(6):
        wx, wy, wz = difference(pair, nx, ny, nz)
        s = nx * wx + ny * wy + nz * wz
        tx, ty, tz = cross(kx, ky, kz, nx, ny, nz)
        px, py, pz = difference(pair, nx + PROBE * tx, ny + PROBE * ty, nz + PROBE * tz)
        mx, my, mz = difference(pair, nx - PROBE * tx, ny - PROBE * ty, nz - PROBE * tz)
        along = kx * nx + ky * ny + kz * nz
        g = tx * wx + ty * wy + tz * wz
        h = 0.5 * (tx * (px - mx) + ty * (py - my) + tz * (pz - mz)) / PROBE
        h += along * (kx * wx + ky * wy + kz * wz) - s
        if h >= 0.0:
            break
        step = min(max(-g / h, -0.3), 0.3)
        cosine, sine = np.cos(step), np.sin(step)
        rest = along * (1.0 - cosine)
        x, y, z = (
            nx * cosine + tx * sine + kx * rest,
            ny * cosine + ty * sine + ky * rest,
            (nz * cosine + tz * sine + kz * rest),
        )
        length = norm(x, y, z)
        x, y, z = x / length, y / length, z / length
        wx, wy, wz = difference(pair, x, y, z)
        if x * wx + y * wy + z * wz < s - ROUNDING * (abs(wx) + abs(wy) + abs(wz)):
            break
        nx, ny, nz = x, y, z
        if abs(step) < 1e-9:  # the next step would be its square
            break
    return nx, ny, nz


@inner
def _newton(pair, nx, ny, nz):
    """Go uphill on s by Newton steps on the sphere of directions; return n.

    With w(n) the support point of a - b and tangents t_i: gradient t_i.w, second derivatives
    t_i.(dw/dn t_j) - (n.w) delta_ij.
    """
    for _ in range(6):
        wx, wy, wz = difference(pair, nx, ny, nz)
        s = nx * wx + ny * wy + nz * wz
        tx, ty, tz = perpendicular(nx, ny, nz)
        px, py, pz = difference(pair, nx + PROBE * tx, ny + PROBE * ty, nz + PROBE * tz)
        mx, my, mz = difference(pair, nx - PROBE * tx, ny - PROBE * ty, nz - PROBE * tz)
        dx, dy, dz = 0.5 * (px - mx) / PROBE, 0.5 * (py - my) / PROBE, 0.5 * (pz - mz) / PROBE
        g = tx * wx + ty * wy + tz * wz
        h = tx * dx + ty * dy + tz * dz - s
        qx, qy, qz = cross(nx, ny, nz, tx, ty, tz)
        k = qx * wx + qy * wy + qz * wz
        m = qx * dx + qy * dy + qz * dz
        px, py, pz = difference(pair, nx + PROBE * qx, ny + PROBE * qy, nz + PROBE * qz)
        mx, my, mz = difference(pair, nx - PROBE * qx, ny - PROBE * qy, nz - PROBE * qz)
        dx, dy, dz = 0.5 * (px - mx) / PROBE, 0.5 * (py - my) / PROBE, 0.5 * (pz - mz) / PROBE
        m = 0.5 * (m + tx * dx + ty * dy + tz * dz)
        hh = qx * dx + qy * dy + qz * dz - s
        det = h * hh - m * m
        if h >= 0.0 or det <= 0.0:
            break
        st, sq = (m * k - hh * g) / det, (m * g - h * k) / det
        moved = np.sqrt(st * st + sq * sq)
        if moved > 0.3:
            st, sq = st * 0.3 / moved, sq * 0.3 / moved
        x, y, z = nx + st * tx + sq * qx, ny + st * ty + sq * qy, nz + st * tz + sq * qz
        length = norm(x, y, z)
        x, y, z = x / length, y / length, z / length
        wx, wy, wz = difference(pair, x, y, z)
        if x * wx + y * wy + z * wz < s - ROUNDING * (abs(wx) + abs(wy) + abs(wz)):
            break
        nx, ny, nz = x, y, z
        if moved < 1e-9:
            break
    return nx, ny, nz


@inner
def _turn_on_line(s, sign, pair, nx, ny, nz, ux, uy, uz):
    """Return the best normal among those perpendicular to a line of shape s, found by turning.

    An edge u, or the side of a cylinder: n turns about u. The side of a cone: n keeps its angle with the axis
    and turns about it.
    """
    if pair.kind[s] == CONE:
        kx, ky, kz = from_shape(s, pair, 0.0, 0.0, 1.0)
        r, length = pair.size[s, 0], 2.0 * pair.size[s, 1]
        want = sign * r / np.sqrt(r * r + length * length)
    else:
        scale = norm(ux, uy, uz)
        if scale == 0.0:
            return nx, ny, nz
        kx, ky, kz = ux / scale, uy / scale, uz / scale
        want = 0.0
    along = kx * nx + ky * ny + kz * nz
    x, y, z = nx - along * kx, ny - along * ky, nz - along * kz
    across = norm(x, y, z)
    if across < ON_AXIS:
        return nx, ny, nz  # along the axis there is no direction to start from
    scale = np.sqrt(1.0 - want * want) / across
    x, y, z = x * scale + want * kx, y * scale + want * ky, z * scale + want * kz
    scale = 1.0 / norm(x, y, z)  # where n is almost along the axis, rounding has left it askew
    return _turn(pair, x * scale, y * scale, z * scale, kx, ky, kz)


@kernel
def refine_normal(
    pair: ShapePair, nx: float, ny: float, nz: float, edges: Floats3
) -> tuple[float, float, float, float]:
    """Return the normal near n at which the separation is largest, and that separation (nx, ny, nz, s).

    Inputs:
        pair: as for `contact_manifold`.
        nx, ny, nz: unit start, from b to a.
        edges: (2, 2, 3) scratch.
    """
    best = separation(pair, nx, ny, nz)
    for _ in range(4):
        start = best
        ox, oy, oz = nx, ny, nz
        face = False
        for which in range(2):
            s, sign = (0, -1.0) if which == 0 else (1, 1.0)
            flat, fx, fy, fz = face_normal(s, pair, sign * ox, sign * oy, sign * oz)
            if not flat:
                continue
            fx, fy, fz = sign * fx, sign * fy, sign * fz
            if fx * ox + fy * oy + fz * oz < 0.5:
                continue
            value = separation(pair, fx, fy, fz)
            # among equals the face: a start from GJK differs from it by rounding only
            if value >= best - 1e-13 * (1.0 + abs(best)):
                best, nx, ny, nz, face = value, fx, fy, fz, True
        if face and nx * ox + ny * oy + nz * oz > 1.0 - 1e-10:
            return nx, ny, nz, best
        lean_a, _ = edge_feature(0, pair, -nx, -ny, -nz, edges[0])
        lean_b, _ = edge_feature(1, pair, nx, ny, nz, edges[1])
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
        if lean_a < 0.3 and lean_b < 0.3:
            cx, cy, cz = cross(ux, uy, uz, vx, vy, vz)
            length = norm(cx, cy, cz)
            if length > 1e-3 * norm(ux, uy, uz) * norm(vx, vy, vz):
                if cx * nx + cy * ny + cz * nz < 0.0:
                    length = -length
                cx, cy, cz = cx / length, cy / length, cz / length
                value = separation(pair, cx, cy, cz)
                if value > best:
                    best, nx, ny, nz = value, cx, cy, cz
        bound = False
        for which in range(2):
            if (lean_a if which == 0 else lean_b) > 0.1:
                continue
            if which == 0:
                x, y, z = _turn_on_line(0, -1.0, pair, nx, ny, nz, ux, uy, uz)
            else:
                x, y, z = _turn_on_line(1, 1.0, pair, nx, ny, nz, vx, vy, vz)
            value = separation(pair, x, y, z)
            if value >= best - ROUNDING:
                bound = True
                best, nx, ny, nz = value, x, y, z
        if not bound:
            x, y, z = _newton(pair, nx, ny, nz)
            value = separation(pair, x, y, z)
            if value >= best - ROUNDING:
                best, nx, ny, nz = value, x, y, z
        if best - start <= 1e-14 * (1.0 + abs(best)):
            break
    return nx, ny, nz, best


@kernel
def best_face_normal(
    pair: ShapePair, known: float, kx: float, ky: float, kz: float
) -> tuple[float, float, float, float]:
    """Return (nx, ny, nz, s): of all flat faces the normal that separates best; s = -inf for none.

    Only faces that separate better than `known` are found. No normal separates more than any two points of
    the shapes do along it: with those that were found last, most faces of large hulls need no look at the
    corners.

    Inputs:
        pair: as for `contact_manifold`.
        known: a separation [m].
        kx, ky, kz: its unit normal, from b to a.
    """
    planes = pair.solids.planes
    best, nx, ny, nz = -np.inf, 0.0, 0.0, 1.0
    wx, wy, wz = difference(pair, kx, ky, kz)
    reach = pair.rounding[0] + pair.rounding[1]
    slack = ROUNDING + 1e-12 * (abs(wx) + abs(wy) + abs(wz))
    for k in range(2):
        kind, sign = pair.kind[k], -1.0 if k == 0 else 1.0
        first, last = pair.face_range[k, 0], pair.face_range[k, 1]
        if kind == BOX:
            first, last = 0, 6
        elif kind == CYLINDER:
            first, last = 4, 6
        elif kind == CONE:
            first, last = 5, 6
        elif kind != HULL:
            continue
        for f in range(first, last):
            if kind == HULL:
                x, y, z = planes[f, 0], planes[f, 1], planes[f, 2]
            else:  # +x, -x, +y, -y, +z, -z
                side = 1.0 - 2.0 * (f % 2)
                x = side if f < 2 else 0.0
                y = side if f == 2 or f == 3 else 0.0
                z = side if f > 3 else 0.0
            x, y, z = from_shape(k, pair, sign * x, sign * y, sign * z)
            if x * wx + y * wy + z * wz - reach < max(best, known) - slack:
                continue
            wx, wy, wz = difference(pair, x, y, z)
            value = x * wx + y * wy + z * wz - reach
            if value > best:
                best, nx, ny, nz = value, x, y, z
    return nx, ny, nz, best


@kernel
def curved_start(start: int, pair: ShapePair) -> tuple[bool, float, float, float]:
    """Return (known, nx, ny, nz): a way out that curved shapes suggest, as a start for `refine_normal`.

    Inputs:
        start: 0 the way between the centres; 1, 2 straight out of the side of the first, second shape, where
            the other's centre is: across its axis, across the slope of a cone, or along the shortest axis of
            an ellipsoid; 3 the best of many directions all around.
        pair: as for `contact_manifold`.
    """
    if start == 3:
        best, nx, ny, nz = -np.inf, 0.0, 0.0, 1.0
        for i in range(AROUND):  # points of a spiral, evenly spread over the sphere
            z = 1.0 - (2.0 * i + 1.0) / AROUND
            r, turn = np.sqrt(1.0 - z * z), GOLDEN_ANGLE * i
            x, y = r * np.cos(turn), r * np.sin(turn)
            value = separation(pair, x, y, z)
            if value > best:
                best, nx, ny, nz = value, x, y, z
        return True, nx, ny, nz
    ax, ay, az = centre_of(0, pair)
    bx, by, bz = centre_of(1, pair)
    dx, dy, dz = ax - bx, ay - by, az - bz
    scale = norm(dx, dy, dz)
    if start == 0:
        if scale == 0.0:
            return False, 0.0, 0.0, 1.0
        return True, dx / scale, dy / scale, dz / scale
    k = start - 1
    kind = pair.kind[k]
    if kind == ELLIPSOID:
        a, b, c = pair.size[k, 0], pair.size[k, 1], pair.size[k, 2]
        x, y = 1.0 * (a <= b and a <= c), 1.0 * (b < a and b <= c)
        x, y, z = from_shape(k, pair, x, y, 1.0 - x - y)
        side = 1.0 if dx * x + dy * y + dz * z >= 0.0 else -1.0
        return True, side * x, side * y, side * z
    if kind != CYLINDER and kind != CONE and kind != CAPSULE:
        return False, 0.0, 0.0, 1.0
    kx, ky, kz = from_shape(k, pair, 0.0, 0.0, 1.0)
    along = dx * kx + dy * ky + dz * kz
    dx, dy, dz = dx - along * kx, dy - along * ky, dz - along * kz
    across = norm(dx, dy, dz)
    if across > ON_AXIS * scale:
        dx, dy, dz = dx / across, dy / across, dz / across
    else:
        dx, dy, dz = perpendicular(kx, ky, kz)
    if kind == CONE:  # the normal runs out of b and into a
        r, length = pair.size[k, 0], 2.0 * pair.size[k, 1]
        slant = np.sqrt(r * r + length * length)
        sine, cosine = (-r if k == 0 else r) / slant, length / slant
        dx, dy, dz = cosine * dx + sine * kx, cosine * dy + sine * ky, cosine * dz + sine * kz
    scale = 1.0 / norm(dx, dy, dz)
    return True, dx * scale, dy * scale, dz * scale
