"""Signed distance from a point to single shapes, in closed form, in the shape's own frame."""

import numpy as np

from stoss.collision.algebra import cross, dot, norm
from stoss.collision.kernels.decorators import inner
from stoss.collision.shapes.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HALFSPACE, SPHERE

__all__ = ["nearest_on_mesh", "nearest_on_shape"]


@inner
def _nearest_on_segment(x, y, ax, ay, bx, by):
    """Return the point of a plane segment that is nearest to (x, y)."""
    ex, ey = bx - ax, by - ay
    t = min(max(((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey), 0.0), 1.0)
    return ax + t * ex, ay + t * ey


@inner
def _nearest_on_profile(kind, r, half, x, z):
    """Return (px, pz, inside) on the half profile of a cylinder or cone; x is the distance from the axis."""
    top = r if kind == CYLINDER else 0.0
    best, px, pz = np.inf, 0.0, 0.0
    for side in range(3):
        if side == 0:
            qx, qz = _nearest_on_segment(x, z, r, -half, top, half)
        elif side == 1:
            qx, qz = _nearest_on_segment(x, z, 0.0, -half, r, -half)
        elif top > 0.0:
            qx, qz = _nearest_on_segment(x, z, 0.0, half, top, half)
        else:
            continue
        square = (qx - x) ** 2 + (qz - z) ** 2
        if square < best:
            best, px, pz = square, qx, qz
    # inside: between the ends, and left of the slanted side
    inside = abs(z) < half and (x - r) * 2.0 * half < (top - r) * (z + half)
    return px, pz, inside


@inner
def _nearest_on_ellipsoid(a, b, c, x, y, z):
    """Return the nearest point on an ellipsoid.

    It is p_i = a_i^2 x_i / (t + a_i^2) with t the largest root of sum (a_i x_i / (t + a_i^2))^2 = 1, found by
    bisection, which cannot fail. The unknown here is t + m^2 with the shortest semi-axis m: near the centre
    t itself would cancel. Where the coordinate along m is 0 and the others too small for a root, t = -m^2 and
    the point leaves their plane along m.
    """
    m = min(a, b, c)
    ra, rb, rc = (a - m) * (a + m), (b - m) * (b + m), (c - m) * (c + m)
    low, high = 0.0, norm(a * x, b * y, c * z) + m * m
    while True:
        s = 0.5 * (low + high)
        if s <= low or s >= high:
            break
        ux, uy, uz = a * x / (s + ra), b * y / (s + rb), c * z / (s + rc)
        if ux * ux + uy * uy + uz * uz > 1.0:
            low = s
        else:
            high = s
    ux, uy, uz = a * x / (high + ra), b * y / (high + rb), c * z / (high + rc)
    rest = 1.0 - (ux * ux + uy * uy + uz * uz)
    if rest > 1e-9:
        extra = np.sqrt(rest)
        if m == c:
            uz = extra if z >= 0.0 else -extra
        elif m == b:
            uy = extra if y >= 0.0 else -extra
        else:
            ux = extra if x >= 0.0 else -extra
    length = norm(ux, uy, uz)
    return a * ux / length, b * uy / length, c * uz / length


@inner
def _nearest_on_face(f, solids, x, y, z):
    """Return the point of a convex face that is nearest to (x, y, z)."""
    vertices, corners, planes = solids.vertices, solids.corners, solids.planes
    first, last = solids.corner_range[f, 0], solids.corner_range[f, 1]
    nx, ny, nz, offset = planes[f, 0], planes[f, 1], planes[f, 2], planes[f, 3]
    height = nx * x + ny * y + nz * z - offset
    px, py, pz = x - height * nx, y - height * ny, z - height * nz
    best, qx, qy, qz, inside = np.inf, px, py, pz, True
    for c in range(first, last):
        v, w = corners[c], corners[c + 1 if c + 1 < last else first]
        ex, ey, ez = (
            vertices[w, 0] - vertices[v, 0],
            vertices[w, 1] - vertices[v, 1],
            vertices[w, 2] - vertices[v, 2],
        )
        rx, ry, rz = px - vertices[v, 0], py - vertices[v, 1], pz - vertices[v, 2]
        mx, my, mz = cross(ex, ey, ez, nx, ny, nz)
        inside = inside and dot(mx, my, mz, rx, ry, rz) <= 0.0
        ee = dot(ex, ey, ez, ex, ey, ez)
        t = min(max(dot(rx, ry, rz, ex, ey, ez) / ee, 0.0), 1.0) if ee > 0.0 else 0.0
        dx, dy, dz = t * ex - rx, t * ey - ry, t * ez - rz
        square = dx * dx + dy * dy + dz * dz
        if square < best:
            best, qx, qy, qz = square, px + dx, py + dy, pz + dz
    if inside:
        return px, py, pz
    return qx, qy, qz


@inner
def nearest_on_shape(s, shapes, solids, x, y, z):
    """Return (distance, px, py, pz): signed distance [m], negative inside, and the nearest point.

    Inputs:
        s, shapes, solids: row and arrays of the shapes, and of all polyhedra.
        x, y, z: the point in the shape's frame [m].
    """
    kind, size = shapes.kind[s], shapes.size[s]
    if kind == SPHERE or kind == CAPSULE:
        end = 0.0 if kind == SPHERE else min(max(z, -size[1]), size[1])
        length = norm(x, y, z - end)
        if length == 0.0:  # on the axis: any direction across
            return -size[0], size[0], 0.0, end
        scale = size[0] / length
        return length - size[0], x * scale, y * scale, end + (z - end) * scale
    if kind == BOX:
        px, py, pz = (
            min(max(x, -size[0]), size[0]),
            min(max(y, -size[1]), size[1]),
            min(max(z, -size[2]), size[2]),
        )
        distance = norm(x - px, y - py, z - pz)
        if distance > 0.0:
            return distance, px, py, pz
        dx, dy, dz = size[0] - abs(x), size[1] - abs(y), size[2] - abs(z)
        if dx <= dy and dx <= dz:
            return -dx, size[0] if x >= 0.0 else -size[0], y, z
        if dy <= dz:
            return -dy, x, size[1] if y >= 0.0 else -size[1], z
        return -dz, x, y, size[2] if z >= 0.0 else -size[2]
    if kind == CYLINDER or kind == CONE:
        across = norm(x, y, 0.0)
        pr, pz, inside = _nearest_on_profile(kind, size[0], size[1], across, z)
        distance = norm(pr - across, pz - z, 0.0)
        px, py = (pr * x / across, pr * y / across) if across > 0.0 else (pr, 0.0)
        return -distance if inside else distance, px, py, pz
    if kind == ELLIPSOID:
        px, py, pz = _nearest_on_ellipsoid(size[0], size[1], size[2], x, y, z)
        distance = norm(x - px, y - py, z - pz)
        inside = (x / size[0]) ** 2 + (y / size[1]) ** 2 + (z / size[2]) ** 2 < 1.0
        return -distance if inside else distance, px, py, pz
    if kind == HALFSPACE:
        height = dot(size[0], size[1], size[2], x, y, z) - size[3]
        return height, x - height * size[0], y - height * size[1], z - height * size[2]
    planes, row = solids.planes, shapes.polyhedron[s]
    first_face, last_face = solids.face_start[row], solids.face_start[row + 1]
    deepest, at = -np.inf, first_face
    for f in range(first_face, last_face):
        height = dot(planes[f, 0], planes[f, 1], planes[f, 2], x, y, z) - planes[f, 3]
        if height > deepest:
            deepest, at = height, f
    if deepest <= 0.0:
        return deepest, x - deepest * planes[at, 0], y - deepest * planes[at, 1], z - deepest * planes[at, 2]
    best, px, py, pz = np.inf, 0.0, 0.0, 0.0
    for f in range(first_face, last_face):
        height = dot(planes[f, 0], planes[f, 1], planes[f, 2], x, y, z) - planes[f, 3]
        if height <= 0.0 or height >= best:
            continue
        qx, qy, qz = _nearest_on_face(f, solids, x, y, z)
        distance = norm(x - qx, y - qy, z - qz)
        if distance < best:
            best, px, py, pz = distance, qx, qy, qz
    return best, px, py, pz


@inner
def nearest_on_mesh(mesh, solids, stack, x, y, z, limit):
    """Return (distance, px, py, pz): the nearest point on a mesh within `limit` [m], inf if there is none.

    The distance is negative behind the surface, judged by the face that the point looks at most squarely.

    Inputs:
        mesh: row of the polyhedron.
        solids: arrays of all polyhedra.
        stack: scratch for the tree.
        x, y, z: the point in the mesh's frame [m].
        limit: longest distance [m].
    """
    planes = solids.planes
    node_min, node_max, node_range, leaf_faces = (
        solids.node_min,
        solids.node_max,
        solids.node_range,
        solids.leaf_faces,
    )
    best, square_on, px, py, pz = limit, 0.0, 0.0, 0.0, 0.0
    found = False
    depth = 1
    stack[0] = solids.root[mesh]
    while depth > 0:
        depth -= 1
        node = stack[depth]
        gap = 0.0
        for axis in range(3):
            p = x if axis == 0 else (y if axis == 1 else z)
            outside = max(node_min[node, axis] - p, p - node_max[node, axis], 0.0)
            gap += outside * outside
        if gap > best * best * (1.0 + 1e-12):
            continue
        if node_range[node, 0] >= 0:
            stack[depth], stack[depth + 1] = node_range[node, 1], node_range[node, 0]
            depth += 2
            continue
        first = -1 - node_range[node, 0]
        for leaf in range(first, first + node_range[node, 1]):
            f = leaf_faces[leaf]
            qx, qy, qz = _nearest_on_face(f, solids, x, y, z)
            distance = norm(x - qx, y - qy, z - qz)
            height = dot(planes[f, 0], planes[f, 1], planes[f, 2], x - qx, y - qy, z - qz)
            tie = 1e-12 * (1.0 + distance)
            if (
                distance < best - tie
                or distance <= best + tie
                and (not found or abs(height) > abs(square_on))
            ):
                best, square_on, px, py, pz, found = distance, height, qx, qy, qz, True
    if not found:
        return np.inf, 0.0, 0.0, 0.0
    return (-best if square_on < 0.0 else best), px, py, pz
