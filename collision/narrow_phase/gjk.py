"""Distance and penetration of two convex shapes by support points: GJK when they are apart, EPA when not.

Both give the direction to a few digits only; `refine_normal` makes it exact.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross, norm
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.collision.narrow_phase.normals import difference
from stoss.collision.shapes.shape_pair import ShapePair, centre_of

FEATURE = "convex"  # see `kernels.prepare`

__all__ = ["complete_simplex", "gjk_normal", "GjkScratch", "penetration_normal"]

GJK_ROUNDS = 64
GJK_TOLERANCE = 1e-7  # relative gain in |v|^2 at which the direction goes to the refinement
TOUCHING = 1e-10  # distance, relative to the supports, below which v has lost its direction to rounding
EPA_POINTS = 72
EPA_FACES = 192
ON_FACE = 1e-10  # distance from a face of the polytope, relative to the supports, that rounding may make
EPA_TOLERANCE = 1e-4  # relative to the depth and the supports


class GjkScratch(Struct):
    """Work arrays of the two searches, of fixed lengths; made once."""

    simplex: Annotated[Floats, "corners", 3]
    points: Annotated[Floats, "points", 3]
    faces: Annotated[Ints, "faces", 3]
    planes: Annotated[Floats, "faces", 4]
    horizon: Annotated[Ints, "faces", 2]

    @classmethod
    def new(cls) -> "GjkScratch":
        """Return new arrays."""
        return cls.zeros(corners=4, points=EPA_POINTS, faces=EPA_FACES)


@inner
def _nearest_on_segment(w, i, j):
    """Return the weights of points i, j at which their segment is nearest to the origin."""
    ex, ey, ez = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    ee = ex * ex + ey * ey + ez * ez
    if ee == 0.0:
        return 1.0, 0.0
    t = -(w[i, 0] * ex + w[i, 1] * ey + w[i, 2] * ez) / ee
    t = min(max(t, 0.0), 1.0)
    return 1.0 - t, t


@inner
def _nearest_on_triangle(w, i, j, k):
    """Return the weights of points i, j, k at which their triangle is nearest to the origin."""
    ax, ay, az = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    bx, by, bz = w[k, 0] - w[i, 0], w[k, 1] - w[i, 1], w[k, 2] - w[i, 2]
    nx, ny, nz = cross(ax, ay, az, bx, by, bz)
    nn = nx * nx + ny * ny + nz * nz
    if nn > 0.0:
        # weights of the projected origin: n . ((p_j - p) x (p_k - p)) / n^2 and so on
        cx, cy, cz = cross(w[j, 0], w[j, 1], w[j, 2], w[k, 0], w[k, 1], w[k, 2])
        u = (nx * cx + ny * cy + nz * cz) / nn
        cx, cy, cz = cross(w[k, 0], w[k, 1], w[k, 2], w[i, 0], w[i, 1], w[i, 2])
        v = (nx * cx + ny * cy + nz * cz) / nn
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            return u, v, 1.0 - u - v
    best, u, v, t = np.inf, 1.0, 0.0, 0.0
    for side in range(3):
        p, q = (i, j) if side == 0 else ((j, k) if side == 1 else (k, i))
        wp, wq = _nearest_on_segment(w, p, q)
        x, y, z = wp * w[p, 0] + wq * w[q, 0], wp * w[p, 1] + wq * w[q, 1], wp * w[p, 2] + wq * w[q, 2]
        square = x * x + y * y + z * z
        if square < best:
            best = square
            if side == 0:
                u, v, t = wp, wq, 0.0
            elif side == 1:
                u, v, t = 0.0, wp, wq
            else:
                u, v, t = wq, 0.0, wp
    return u, v, t


@inner
def _reduce_simplex(w, count):
    """Shrink a simplex to the part nearest to the origin; return its size (5: the origin is inside), v."""
    u0, u1, u2, u3 = 1.0, 0.0, 0.0, 0.0
    if count == 2:
        u0, u1 = _nearest_on_segment(w, 0, 1)
    elif count == 3:
        u0, u1, u2 = _nearest_on_triangle(w, 0, 1, 2)
    elif count == 4:
        best, inside = np.inf, True
        for face in range(4):
            i, j, k, m = (
                (0, 1, 2, 3)
                if face == 0
                else ((0, 1, 3, 2) if face == 1 else ((0, 2, 3, 1) if face == 2 else (1, 2, 3, 0)))
            )
            nx, ny, nz = cross(
                w[j, 0] - w[i, 0],
                w[j, 1] - w[i, 1],
                w[j, 2] - w[i, 2],
                w[k, 0] - w[i, 0],
                w[k, 1] - w[i, 1],
                w[k, 2] - w[i, 2],
            )
            origin = -(nx * w[i, 0] + ny * w[i, 1] + nz * w[i, 2])
            mx, my, mz = w[m, 0] - w[i, 0], w[m, 1] - w[i, 1], w[m, 2] - w[i, 2]
            fourth = nx * mx + ny * my + nz * mz
            if fourth * fourth <= 1e-24 * (nx * nx + ny * ny + nz * nz) * (mx * mx + my * my + mz * mz):
                fourth = 0.0
            # inside this face; a flat tetrahedron has no inside
            if origin * fourth > 0.0:
                continue
            inside = False
            ui, uj, uk = _nearest_on_triangle(w, i, j, k)
            x = ui * w[i, 0] + uj * w[j, 0] + uk * w[k, 0]
            y = ui * w[i, 1] + uj * w[j, 1] + uk * w[k, 1]
            z = ui * w[i, 2] + uj * w[j, 2] + uk * w[k, 2]
            square = x * x + y * y + z * z
            if square < best:
                best = square
                u0, u1, u2, u3 = (
                    (ui, uj, uk, 0.0)
                    if face == 0
                    else (
                        (ui, uj, 0.0, uk)
                        if face == 1
                        else ((ui, 0.0, uj, uk) if face == 2 else (0.0, ui, uj, uk))
                    )
                )
        if inside:
            return 5, 0.0, 0.0, 0.0
    kept, vx, vy, vz = 0, 0.0, 0.0, 0.0
    for i in range(count):
        u = u0 if i == 0 else (u1 if i == 1 else (u2 if i == 2 else u3))
        if u > 0.0:
            vx, vy, vz = vx + u * w[i, 0], vy + u * w[i, 1], vz + u * w[i, 2]
            w[kept, 0], w[kept, 1], w[kept, 2] = w[i, 0], w[i, 1], w[i, 2]
            kept += 1
    return kept, vx, vy, vz


@inner
def _shrunk(pair, dx, dy, dz, scale, cx, cy, cz):
    """Return the point of the difference that lies least in direction d, both shapes scaled about c."""
    x, y, z = difference(pair, dx, dy, dz)
    rest = 1.0 - scale
    return scale * x + rest * cx, scale * y + rest * cy, scale * z + rest * cz


@kernel
def gjk_normal(pair: ShapePair, limit: float, scale: float, w: Floats2) -> tuple[int, float, float, float]:
    """Return (count, n): simplex size with the normal, 0 if the scaled cores are farther apart than `limit`.

    Count 5: the cores overlap and `w` is a tetrahedron around the origin. Count -k: they touch, `w` holds k
    points and the normal is unknown.

    Inputs:
        pair: as for `contact_manifold`.
        limit: [m].
        scale: by which each shape is scaled about the point inside that is its centre, 1 for the shapes.
        w: (4, 3) the simplex.
    """
    ax, ay, az = centre_of(0, pair)
    bx, by, bz = centre_of(1, pair)
    cx, cy, cz = ax - bx, ay - by, az - bz
    vx, vy, vz = cx, cy, cz
    if vx * vx + vy * vy + vz * vz < 1e-20:
        vx, vy, vz = 1.0, 0.0, 0.0
    vx, vy, vz = _shrunk(pair, vx, vy, vz, scale, cx, cy, cz)
    w[0, 0], w[0, 1], w[0, 2] = vx, vy, vz
    count = 1
    largest = vx * vx + vy * vy + vz * vz
    for _ in range(GJK_ROUNDS):
        vv = vx * vx + vy * vy + vz * vz
        if vv <= TOUCHING * TOUCHING * largest:
            return -count, 0.0, 0.0, 0.0
        x, y, z = _shrunk(pair, vx, vy, vz, scale, cx, cy, cz)
        vw = vx * x + vy * y + vz * z
        if vw > 0.0 and vw * vw > limit * limit * vv:
            return 0, 0.0, 0.0, 0.0
        known = vv - vw <= GJK_TOLERANCE * vv
        for i in range(count):
            known = known or (x == w[i, 0] and y == w[i, 1] and z == w[i, 2])
        if known:
            break
        w[count, 0], w[count, 1], w[count, 2] = x, y, z
        largest = max(largest, x * x + y * y + z * z)
        count, x, y, z = _reduce_simplex(w, count + 1)
        if count == 5:
            return 5, 0.0, 0.0, 0.0
        if x * x + y * y + z * z >= vv:
            break  # rounding has eaten the gain, or corners too near each other tell a wrong part
        vx, vy, vz = x, y, z
    length = norm(vx, vy, vz)
    if length <= TOUCHING * np.sqrt(largest):
        return -count, 0.0, 0.0, 0.0
    return count, vx / length, vy / length, vz / length


@kernel
def complete_simplex(pair: ShapePair, w: Floats2, count: int) -> int:
    """Add support points until the simplex is a tetrahedron with volume; return its size."""
    while count < 4:
        best, bx, by, bz = 0.0, 0.0, 0.0, 0.0
        ex, ey, ez = 0.0, 0.0, 0.0
        if count >= 2:
            ex, ey, ez = w[1, 0] - w[0, 0], w[1, 1] - w[0, 1], w[1, 2] - w[0, 2]
        for trial in range(6):
            if count == 3:
                if trial > 1:
                    break
                dx, dy, dz = cross(ex, ey, ez, w[2, 0] - w[0, 0], w[2, 1] - w[0, 1], w[2, 2] - w[0, 2])
            else:
                dx = 1.0 if trial < 2 else 0.0
                dz = 1.0 if trial > 3 else 0.0
                dy = 1.0 - dx - dz
                if count == 2:
                    dx, dy, dz = cross(ex, ey, ez, dx, dy, dz)
            if trial % 2 == 1:
                dx, dy, dz = -dx, -dy, -dz
            length = norm(dx, dy, dz)
            if length == 0.0:
                continue
            x, y, z = difference(pair, dx / length, dy / length, dz / length)
            reach = abs(dx * (x - w[0, 0]) + dy * (y - w[0, 1]) + dz * (z - w[0, 2])) / length
            if reach > best:
                best, bx, by, bz = reach, x, y, z
        if best == 0.0:
            return count
        w[count, 0], w[count, 1], w[count, 2] = bx, by, bz
        count += 1
    return count


@inner
def _add_face(points, faces, planes, at, i, j, k):
    """Write face (i, j, k) with unit normal and distance from the origin, infinite for a sliver."""
    nx, ny, nz = cross(
        points[j, 0] - points[i, 0],
        points[j, 1] - points[i, 1],
        points[j, 2] - points[i, 2],
        points[k, 0] - points[i, 0],
        points[k, 1] - points[i, 1],
        points[k, 2] - points[i, 2],
    )
    length = norm(nx, ny, nz)
    faces[at, 0], faces[at, 1], faces[at, 2] = i, j, k
    if length == 0.0:
        planes[at, 0], planes[at, 1], planes[at, 2], planes[at, 3] = 0.0, 0.0, 0.0, np.inf
        return
    nx, ny, nz = nx / length, ny / length, nz / length
    planes[at, 0], planes[at, 1], planes[at, 2] = nx, ny, nz
    planes[at, 3] = nx * points[i, 0] + ny * points[i, 1] + nz * points[i, 2]


@kernel
def penetration_normal(pair: ShapePair, w: Floats2, work: GjkScratch) -> tuple[float, float, float]:
    """Return the normal of least penetration of two cores, from a tetrahedron around the origin."""
    points, faces, planes, horizon = work.points, work.faces, work.planes, work.horizon
    for i in range(4):
        points[i, 0], points[i, 1], points[i, 2] = w[i, 0], w[i, 1], w[i, 2]
    nx, ny, nz = cross(
        w[1, 0] - w[0, 0],
        w[1, 1] - w[0, 1],
        w[1, 2] - w[0, 2],
        w[2, 0] - w[0, 0],
        w[2, 1] - w[0, 1],
        w[2, 2] - w[0, 2],
    )
    if nx * (w[3, 0] - w[0, 0]) + ny * (w[3, 1] - w[0, 1]) + nz * (w[3, 2] - w[0, 2]) > 0.0:
        for c in range(3):
            points[1, c], points[2, c] = points[2, c], points[1, c]
    _add_face(points, faces, planes, 0, 0, 1, 2)
    _add_face(points, faces, planes, 1, 0, 3, 1)
    _add_face(points, faces, planes, 2, 0, 2, 3)
    _add_face(points, faces, planes, 3, 1, 3, 2)
    point_count, face_count = 4, 4
    nx, ny, nz = 0.0, 0.0, 0.0
    last, size = -np.inf, 0.0
    for i in range(4):
        size = max(size, abs(w[i, 0]) + abs(w[i, 1]) + abs(w[i, 2]))
    while True:
        nearest = 0
        for f in range(1, face_count):
            if planes[f, 3] < planes[nearest, 3]:
                nearest = f
        depth = planes[nearest, 3]
        # the polytope only grows; when the distance falls by more than its rounding, the polytope is torn
        # (tiny faces on a curved surface)
        if depth < last - 1e-6 * abs(last) - ON_FACE * size:
            break
        last = depth
        nx, ny, nz = planes[nearest, 0], planes[nearest, 1], planes[nearest, 2]
        if point_count == EPA_POINTS:
            break
        x, y, z = difference(pair, -nx, -ny, -nz)
        gain = nx * x + ny * y + nz * z - depth
        if gain <= EPA_TOLERANCE * (abs(depth) + abs(x) + abs(y) + abs(z)):
            break
        points[point_count, 0], points[point_count, 1], points[point_count, 2] = x, y, z
        # Drop the faces that see the new point; edges that are left with one face are the horizon. Faces in
        # one plane with the point (the caps of cylinders) must not see it by rounding: the horizon would
        # fall apart.
        hidden = ON_FACE * (abs(x) + abs(y) + abs(z))
        edge_count, f, full = 0, 0, False
        while f < face_count:
            if planes[f, 0] * x + planes[f, 1] * y + planes[f, 2] * z - planes[f, 3] <= hidden:
                f += 1
                continue
            for k in range(3):
                i, j = faces[f, k], faces[f, (k + 1) % 3]
                twin = -1
                for e in range(edge_count):
                    if horizon[e, 0] == j and horizon[e, 1] == i:
                        twin = e
                        break
                if twin >= 0:
                    edge_count -= 1
                    horizon[twin, 0], horizon[twin, 1] = horizon[edge_count, 0], horizon[edge_count, 1]
                elif edge_count < EPA_FACES:
                    horizon[edge_count, 0], horizon[edge_count, 1] = i, j
                    edge_count += 1
                else:
                    full = True
            face_count -= 1
            for c in range(3):
                faces[f, c] = faces[face_count, c]
            for c in range(4):
                planes[f, c] = planes[face_count, c]
        if full or face_count + edge_count > EPA_FACES or edge_count == 0:
            break
        for e in range(edge_count):
            _add_face(points, faces, planes, face_count, horizon[e, 0], horizon[e, 1], point_count)
            face_count += 1
        point_count += 1
    return -nx, -ny, -nz
