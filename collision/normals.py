"""The exact normal of a pair of convex shapes from a rough one.

For a unit direction n let s(n) = min over a of n.x minus max over b of n.x. The signed distance of two convex
shapes is the maximum of s, and the maximiser is the contact normal. `refine_normal` goes uphill on s: through
the finitely many normals that faces and pairs of edges allow, and by Newton steps where a surface is curved.
s(n) never exceeds the true distance, so a step that raises it is right, wherever the start came from.
"""

import numpy as np
from numba import njit

from collision.algebra import cross, norm, perpendicular
from collision.features import FLAT_NONE, edge_feature, support, support_polygon
from collision.region import separation

__all__ = ["difference", "refine_normal"]

PROBE = 1e-5  # [rad] of the difference quotients: error PROBE^2, rounding 1e-16 / PROBE


@njit(cache=True)
def difference(a, b, shapes, hulls, dx, dy, dz):
    """Return the point of the cores' difference a - b that lies least in direction d."""
    ax, ay, az = support(shapes[0][a], shapes[1][a], shapes[2][a], hulls, shapes[3][a], shapes[4][a], -dx, -dy, -dz)
    bx, by, bz = support(shapes[0][b], shapes[1][b], shapes[2][b], hulls, shapes[3][b], shapes[4][b], dx, dy, dz)
    return ax - bx, ay - by, az - bz


@njit(cache=True)
def _newton(a, b, shapes, hulls, nx, ny, nz, ux, uy, uz):
    """Go uphill on s(n) by Newton steps, perpendicular to u if u is not zero; return n.

    With w(n) the support point of a - b: gradient t.w, second derivatives t_i.(dw/dn t_j) - (n.w) delta_ij on
    the sphere of directions. Differences of support points give dw/dn.
    """
    bound = ux * ux + uy * uy + uz * uz > 0.0
    for _ in range(6):
        wx, wy, wz = difference(a, b, shapes, hulls, nx, ny, nz)
        s = nx * wx + ny * wy + nz * wz
        if bound:
            tx, ty, tz = cross(ux, uy, uz, nx, ny, nz)
        else:
            tx, ty, tz = perpendicular(nx, ny, nz)
        g = tx * wx + ty * wy + tz * wz
        px, py, pz = difference(a, b, shapes, hulls, nx + PROBE * tx, ny + PROBE * ty, nz + PROBE * tz)
        mx, my, mz = difference(a, b, shapes, hulls, nx - PROBE * tx, ny - PROBE * ty, nz - PROBE * tz)
        dx, dy, dz = 0.5 * (px - mx) / PROBE, 0.5 * (py - my) / PROBE, 0.5 * (pz - mz) / PROBE
        h = tx * dx + ty * dy + tz * dz - s
        if bound:
            if h >= 0.0:
                break
            step = -g / h
            step = min(max(step, -0.3), 0.3)
            x, y, z = nx + step * tx, ny + step * ty, nz + step * tz
            moved = abs(step)
        else:
            qx, qy, qz = cross(nx, ny, nz, tx, ty, tz)
            k = qx * wx + qy * wy + qz * wz
            hq = qx * dx + qy * dy + qz * dz
            px, py, pz = difference(a, b, shapes, hulls, nx + PROBE * qx, ny + PROBE * qy, nz + PROBE * qz)
            mx, my, mz = difference(a, b, shapes, hulls, nx - PROBE * qx, ny - PROBE * qy, nz - PROBE * qz)
            dx, dy, dz = 0.5 * (px - mx) / PROBE, 0.5 * (py - my) / PROBE, 0.5 * (pz - mz) / PROBE
            hq = 0.5 * (hq + tx * dx + ty * dy + tz * dz)
            hh = qx * dx + qy * dy + qz * dz - s
            det = h * hh - hq * hq
            if h >= 0.0 or det <= 0.0:
                break
            st, sq = (hq * k - hh * g) / det, (hq * g - h * k) / det
            moved = np.sqrt(st * st + sq * sq)
            if moved > 0.3:
                st, sq = st * 0.3 / moved, sq * 0.3 / moved
            x, y, z = nx + st * tx + sq * qx, ny + st * ty + sq * qy, nz + st * tz + sq * qz
        length = norm(x, y, z)
        x, y, z = x / length, y / length, z / length
        wx, wy, wz = difference(a, b, shapes, hulls, x, y, z)
        after = x * wx + y * wy + z * wz
        if after < s - 4e-16 * (abs(wx) + abs(wy) + abs(wz)):
            break
        nx, ny, nz = x, y, z
        if moved < 1e-12:
            break
    return nx, ny, nz


@njit(cache=True)
def refine_normal(a, b, shapes, hulls, nx, ny, nz, scratch):
    """Return the normal near n at which the separation is largest, and that separation (nx, ny, nz, s).

    Args:
        a, b, shapes, hulls: the pair, as for `contact_region`.
        nx, ny, nz: unit start, from b to a.
        scratch: `make_scratch()`.
    """
    corners, ids, edges = scratch[0], scratch[1], scratch[6]
    best = separation(a, b, shapes, hulls, nx, ny, nz)
    for _ in range(4):
        start = best
        ox, oy, oz = nx, ny, nz
        face = False
        for which in range(2):
            s, sign = (a, -1.0) if which == 0 else (b, 1.0)
            _, flat, fx, fy, fz = support_polygon(shapes[0][s], shapes[1][s], shapes[2][s], hulls, shapes[3][s],
                                                  shapes[4][s], sign * ox, sign * oy, sign * oz, corners[0], ids[0])
            if flat == FLAT_NONE:
                continue
            fx, fy, fz = sign * fx, sign * fy, sign * fz
            if fx * ox + fy * oy + fz * oz < 0.5:
                continue
            value = separation(a, b, shapes, hulls, fx, fy, fz)
            # among equals the face: a start from GJK differs from it by rounding only
            if value >= best - 1e-13 * (1.0 + abs(best)):
                best, nx, ny, nz, face = value, fx, fy, fz, True
        if face and nx * ox + ny * oy + nz * oz > 1.0 - 1e-10:
            return nx, ny, nz, best
        lean_a, _ = edge_feature(shapes[0][a], shapes[1][a], shapes[2][a], hulls, shapes[3][a], shapes[4][a],
                                 -nx, -ny, -nz, edges[0])
        lean_b, _ = edge_feature(shapes[0][b], shapes[1][b], shapes[2][b], hulls, shapes[3][b], shapes[4][b],
                                 nx, ny, nz, edges[1])
        ux, uy, uz = edges[0, 1, 0] - edges[0, 0, 0], edges[0, 1, 1] - edges[0, 0, 1], edges[0, 1, 2] - edges[0, 0, 2]
        vx, vy, vz = edges[1, 1, 0] - edges[1, 0, 0], edges[1, 1, 1] - edges[1, 0, 1], edges[1, 1, 2] - edges[1, 0, 2]
        if lean_a < 0.3 and lean_b < 0.3:
            cx, cy, cz = cross(ux, uy, uz, vx, vy, vz)
            length = norm(cx, cy, cz)
            if length > 1e-3 * norm(ux, uy, uz) * norm(vx, vy, vz):
                if cx * nx + cy * ny + cz * nz < 0.0:
                    length = -length
                cx, cy, cz = cx / length, cy / length, cz / length
                value = separation(a, b, shapes, hulls, cx, cy, cz)
                if value > best:
                    best, nx, ny, nz = value, cx, cy, cz
        for attempt in range(3):
            lx, ly, lz = 0.0, 0.0, 0.0
            if attempt == 0:
                if lean_a > 0.1:
                    continue
                lx, ly, lz = ux, uy, uz
            elif attempt == 1:
                if lean_b > 0.1:
                    continue
                lx, ly, lz = vx, vy, vz
            x, y, z = nx, ny, nz
            if attempt < 2:
                length = norm(lx, ly, lz)
                if length == 0.0:
                    continue
                lx, ly, lz = lx / length, ly / length, lz / length
                along = lx * x + ly * y + lz * z
                x, y, z = x - along * lx, y - along * ly, z - along * lz
                length = norm(x, y, z)
                x, y, z = x / length, y / length, z / length
            x, y, z = _newton(a, b, shapes, hulls, x, y, z, lx, ly, lz)
            value = separation(a, b, shapes, hulls, x, y, z)
            if value >= best - 1e-15:
                best, nx, ny, nz = value, x, y, z
        if best - start <= 1e-14 * (1.0 + abs(best)):
            break
    return nx, ny, nz, best
