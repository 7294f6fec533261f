"""Rays against single shapes, in closed form, in the shape's own frame."""

import numpy as np

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner
from stoss.collision.shapes.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HALFSPACE, HULL, SPHERE

__all__ = ["ray_mesh", "ray_shape"]

MISS = np.inf


@inner
def _roots(a, b, c):
    """Return (real, t0, t1): the sorted roots of a t^2 + 2 b t + c, a > 0, without cancellation."""
    root = b * b - a * c
    if root < 0.0:
        return False, 0.0, 0.0
    q = -b - np.sqrt(root) if b > 0.0 else -b + np.sqrt(root)
    if q == 0.0:
        return True, 0.0, 0.0
    t0, t1 = q / a, c / q
    return True, min(t0, t1), max(t0, t1)


@inner
def _slab(o, d, half, enter, leave):
    """Return the interval of the ray within |x| <= half, cut with (enter, leave)."""
    if d == 0.0:
        return (enter, leave) if abs(o) <= half else (MISS, -MISS)
    t0, t1 = (-half - o) / d, (half - o) / d
    return max(enter, min(t0, t1)), min(leave, max(t0, t1))


@inner
def _ray_box(size, ox, oy, oz, dx, dy, dz):
    enter, leave, axis = -MISS, MISS, 0
    for i in range(3):
        o, d = (ox, dx) if i == 0 else ((oy, dy) if i == 1 else (oz, dz))
        before = enter
        enter, leave = _slab(o, d, size[i], enter, leave)
        if enter > before:
            axis = i
    n = (
        (-np.sign(dx), 0.0, 0.0)
        if axis == 0
        else ((0.0, -np.sign(dy), 0.0) if axis == 1 else (0.0, 0.0, -np.sign(dz)))
    )
    return enter, leave, n[0], n[1], n[2]


@inner
def _ray_ellipsoid(a, b, c, ox, oy, oz, dx, dy, dz):
    """Return the interval in an ellipsoid: a sphere of radius one after scaling."""
    px, py, pz, qx, qy, qz = ox / a, oy / b, oz / c, dx / a, dy / b, dz / c
    real, t0, t1 = _roots(
        dot(qx, qy, qz, qx, qy, qz), dot(px, py, pz, qx, qy, qz), dot(px, py, pz, px, py, pz) - 1.0
    )
    if not real:
        return MISS, -MISS, 0.0, 0.0, 0.0
    nx, ny, nz = (px + t0 * qx) / a, (py + t0 * qy) / b, (pz + t0 * qz) / c
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    return t0, t1, nx / length, ny / length, nz / length


@inner
def _ray_round(kind, r, half, ox, oy, oz, dx, dy, dz):
    """Return the interval in a capsule, cylinder or cone: first and last point on any part of it."""
    enter, leave, nx, ny, nz = MISS, -MISS, 0.0, 0.0, 0.0
    # side: x^2 + y^2 = (r0 - k (z + half))^2, with k = r / length for cones, else 0
    k = r / (2.0 * half) if kind == CONE else 0.0
    r0 = r - k * (oz + half)  # radius at the height of the ray's origin
    a, b, c = (
        dx * dx + dy * dy - k * k * dz * dz,
        ox * dx + oy * dy + k * r0 * dz,
        ox * ox + oy * oy - r0 * r0,
    )
    real, t0, t1 = False, 0.0, 0.0
    if abs(a) > 1e-14:
        real, t0, t1 = _roots(a, b, c) if a > 0.0 else _roots(-a, -b, -c)
    elif b != 0.0:
        real, t0, t1 = True, -0.5 * c / b, -0.5 * c / b
    if real:
        for i in range(2):
            t = t0 if i == 0 else t1
            z = oz + t * dz
            if abs(z) <= half:
                if t < enter:
                    x, y = ox + t * dx, oy + t * dy
                    across = np.sqrt(x * x + y * y)
                    enter = t
                    if across > 0.0:
                        s = np.sqrt(1.0 + k * k)
                        nx, ny, nz = x / across / s, y / across / s, k / s
                    else:
                        nx, ny, nz = 0.0, 0.0, 1.0
                leave = max(leave, t)
    for i in range(2):
        end = -half if i == 0 else half
        if kind == CAPSULE:
            real, t0, t1 = _roots(
                1.0, ox * dx + oy * dy + (oz - end) * dz, ox * ox + oy * oy + (oz - end) ** 2 - r * r
            )
            if real:
                if t0 < enter:
                    enter = t0
                    nx, ny, nz = (ox + t0 * dx) / r, (oy + t0 * dy) / r, (oz + t0 * dz - end) / r
                leave = max(leave, t1)
        elif dz != 0.0 and (kind == CYLINDER or i == 0):
            t = (end - oz) / dz
            x, y = ox + t * dx, oy + t * dy
            if x * x + y * y <= r * r:
                if t < enter:
                    enter, nx, ny, nz = t, 0.0, 0.0, 2.0 * i - 1.0
                leave = max(leave, t)
    return enter, leave, nx, ny, nz


@inner
def ray_shape(s, shapes, solids, ox, oy, oz, dx, dy, dz):
    """Return (t, nx, ny, nz): where a ray enters a convex shape, and the normal; t = inf for a miss.

    Inputs:
        s, shapes, solids: row and arrays of the shapes, and of all polyhedra.
        ox, oy, oz: origin of the ray in the shape's frame [m]. Inside the shape: t = 0, normal against the
            ray.
        dx, dy, dz: unit direction.
    """
    kind, size = shapes.kind[s], shapes.size[s]
    if kind == SPHERE:
        enter, leave, nx, ny, nz = _ray_ellipsoid(size[0], size[0], size[0], ox, oy, oz, dx, dy, dz)
    elif kind == ELLIPSOID:
        enter, leave, nx, ny, nz = _ray_ellipsoid(size[0], size[1], size[2], ox, oy, oz, dx, dy, dz)
    elif kind == BOX:
        enter, leave, nx, ny, nz = _ray_box(size, ox, oy, oz, dx, dy, dz)
    elif kind == HALFSPACE or kind == HULL:
        enter, leave, nx, ny, nz = -MISS, MISS, 0.0, 0.0, 0.0
        planes = solids.planes
        first, last = 0, 1
        if kind == HULL:
            row = shapes.polyhedron[s]
            first, last = solids.face_start[row], solids.face_start[row + 1]
        for f in range(first, last):
            fx, fy, fz, w = (
                (planes[f, 0], planes[f, 1], planes[f, 2], planes[f, 3])
                if kind == HULL
                else (size[0], size[1], size[2], size[3])
            )
            height, rate = dot(fx, fy, fz, ox, oy, oz) - w, dot(fx, fy, fz, dx, dy, dz)
            if rate == 0.0:
                if height > 0.0:
                    return MISS, 0.0, 0.0, 0.0
            elif rate < 0.0:
                if -height / rate > enter:
                    enter, nx, ny, nz = -height / rate, fx, fy, fz
            else:
                leave = min(leave, -height / rate)
    else:
        enter, leave, nx, ny, nz = _ray_round(kind, size[0], size[1], ox, oy, oz, dx, dy, dz)
    if enter > leave or leave < 0.0:
        return MISS, 0.0, 0.0, 0.0
    if enter < 0.0:
        return 0.0, -dx, -dy, -dz
    return enter, nx, ny, nz


@inner
def ray_mesh(mesh, solids, stack, ox, oy, oz, dx, dy, dz, limit):
    """Return (t, nx, ny, nz): the first triangle a ray meets, from either side, within `limit` [m].

    Inputs:
        mesh: row of the polyhedron.
        solids: arrays of all polyhedra.
        stack: scratch for the tree.
        ox, oy, oz, dx, dy, dz: the ray in the mesh's frame, direction of unit length.
        limit: longest distance [m].
    """
    vertices, planes = solids.vertices, solids.planes
    corner_range, corners = solids.corner_range, solids.corners
    node_min, node_max, node_range, leaf_faces = (
        solids.node_min,
        solids.node_max,
        solids.node_range,
        solids.leaf_faces,
    )
    best, nx, ny, nz = MISS, 0.0, 0.0, 0.0
    depth = 1
    stack[0] = solids.root[mesh]
    while depth > 0:
        depth -= 1
        node = stack[depth]
        enter, leave = 0.0, min(limit, best)
        for axis in range(3):
            o, d = (ox, dx) if axis == 0 else ((oy, dy) if axis == 1 else (oz, dz))
            middle = 0.5 * (node_min[node, axis] + node_max[node, axis])
            half = 0.5 * (node_max[node, axis] - node_min[node, axis])
            # the middle is rounded: widen the box by that
            enter, leave = _slab(o - middle, d, half + 1e-15 * (abs(middle) + abs(o)), enter, leave)
        if enter > leave:
            continue
        if node_range[node, 0] >= 0:
            stack[depth], stack[depth + 1] = node_range[node, 0], node_range[node, 1]
            depth += 2
            continue
        first = -1 - node_range[node, 0]
        for leaf in range(first, first + node_range[node, 1]):
            f = leaf_faces[leaf]
            rate = dot(planes[f, 0], planes[f, 1], planes[f, 2], dx, dy, dz)
            if rate == 0.0:
                continue
            c = corner_range[f, 0]
            # signed volumes of the ray with each edge decide on which side it passes: the same number for
            # both triangles of an edge, so that no ray slips between them
            inside_left, inside_right = True, True
            for i in range(3):
                v, w = corners[c + i], corners[c + (i + 1) % 3]
                if v > w:
                    v, w = w, v
                    flip = -1.0
                else:
                    flip = 1.0
                ax, ay, az = vertices[v, 0] - ox, vertices[v, 1] - oy, vertices[v, 2] - oz
                bx, by, bz = vertices[w, 0] - ox, vertices[w, 1] - oy, vertices[w, 2] - oz
                cx, cy, cz = cross(ax, ay, az, bx, by, bz)
                side = flip * dot(cx, cy, cz, dx, dy, dz)
                inside_left = inside_left and side >= 0.0
                inside_right = inside_right and side <= 0.0
            if not (inside_left or inside_right):
                continue
            t = (planes[f, 3] - dot(planes[f, 0], planes[f, 1], planes[f, 2], ox, oy, oz)) / rate
            if 0.0 <= t <= limit and t < best:
                best, nx, ny, nz = t, planes[f, 0], planes[f, 1], planes[f, 2]
    return best, nx, ny, nz
