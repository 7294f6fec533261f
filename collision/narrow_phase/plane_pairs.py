"""Spheres, capsules and boxes against half-spaces."""

from stoss.collision.algebra import dot, matrix_from_quaternion, rotate
from stoss.collision.contacts import NORMAL_ON_B
from stoss.collision.kernels.decorators import inner
from stoss.collision.narrow_phase.pair_contacts import put_from_a
from stoss.collision.narrow_phase.round_pairs import half_axis

__all__ = ["box_halfspace", "capsule_halfspace", "sphere_halfspace"]


@inner
def _plane(b, shapes):
    """Return the world normal of a half-space and a point on its surface."""
    size, position = shapes.size, shapes.position
    nx, ny, nz = rotate(shapes.quaternion[b], size[b, 0], size[b, 1], size[b, 2])
    offset = size[b, 3]
    x, y, z = position[b, 0] + offset * nx, position[b, 1] + offset * ny, position[b, 2] + offset * nz
    return nx, ny, nz, x, y, z


@inner
def _ball_halfspace(x, y, z, r, plane, margin, number, n, found):
    nx, ny, nz, ox, oy, oz = plane
    gap = (x - ox) * nx + (y - oy) * ny + (z - oz) * nz - r
    if gap > margin:
        return n
    put_from_a(found, n, number, NORMAL_ON_B, (x - r * nx, y - r * ny, z - r * nz), (nx, ny, nz), gap)
    return n + 1


@inner
def sphere_halfspace(a, b, shapes, margin, found):
    """Write the contact of a sphere; return how many."""
    position = shapes.position
    x, y, z = position[a, 0], position[a, 1], position[a, 2]
    return _ball_halfspace(x, y, z, shapes.size[a, 0], _plane(b, shapes), margin, 0, 0, found)


@inner
def capsule_halfspace(a, b, shapes, margin, found):
    """Write the contacts of both ends of a capsule; return how many."""
    position, plane = shapes.position, _plane(b, shapes)
    ux, uy, uz = half_axis(a, shapes)
    n = 0
    for end in range(2):
        way = 1.0 if end == 1 else -1.0
        x, y, z = position[a, 0] + way * ux, position[a, 1] + way * uy, position[a, 2] + way * uz
        n = _ball_halfspace(x, y, z, shapes.size[a, 0], plane, margin, end, n, found)
    return n


@inner
def box_halfspace(a, b, shapes, margin, found):
    """Write contacts of all vertices of a box that are below the margin; the feature is the vertex."""
    size, position, quaternion = shapes.size, shapes.position, shapes.quaternion
    nx, ny, nz, ox, oy, oz = _plane(b, shapes)
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_from_quaternion(quaternion[a])
    hx, hy, hz = size[a, 0], size[a, 1], size[a, 2]
    cx, cy, cz = position[a, 0], position[a, 1], position[a, 2]
    # height of a vertex: height of the centre +- e_x +- e_y +- e_z
    height = (cx - ox) * nx + (cy - oy) * ny + (cz - oz) * nz
    ex = hx * dot(r00, r10, r20, nx, ny, nz)
    ey = hy * dot(r01, r11, r21, nx, ny, nz)
    ez = hz * dot(r02, r12, r22, nx, ny, nz)
    if height - abs(ex) - abs(ey) - abs(ez) > margin:
        return 0
    n = 0
    for vertex in range(8):
        sx = 1.0 if vertex & 1 else -1.0
        sy = 1.0 if vertex & 2 else -1.0
        sz = 1.0 if vertex & 4 else -1.0
        gap = height + sx * ex + sy * ey + sz * ez
        if gap > margin:
            continue
        x, y, z = sx * hx, sy * hy, sz * hz
        px = cx + r00 * x + r01 * y + r02 * z
        py = cy + r10 * x + r11 * y + r12 * z
        pz = cz + r20 * x + r21 * y + r22 * z
        put_from_a(found, n, vertex, NORMAL_ON_B, (px, py, pz), (nx, ny, nz), gap)
        n += 1
    return n
