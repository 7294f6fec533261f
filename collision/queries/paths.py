"""How bodies move in a step, as far as the search for first meetings needs to know."""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import dot, norm, quaternion_multiply, rotate
from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats

__all__ = ["Paths", "place_shape", "pose_at", "speed_along", "way_meets_node"]


class Paths(Struct):
    """How bodies move in a step: along parabolas, turning about fixed axes, until they are held.

    At the share s of the step a body is at start + s shift - s (1 - s) bend. One that is held turns no
    further, and goes on with what holds it.
    """

    start: Annotated[Floats, "bodies", 3]  # [m]
    shift: Annotated[Floats, "bodies", 3]  # [m]
    bend: Annotated[Floats, "bodies", 3]  # half the acceleration times the square of the step [m]
    quaternion: Annotated[Floats, "bodies", 4]  # at the start
    turn: Annotated[Floats, "bodies", 3]  # rotation vector over the step [rad], world
    until: Annotated[Floats, "bodies"]  # share of the step from which the body is held
    drift: Annotated[Floats, "bodies", 3]  # what it then goes per share of the step [m]


@inner
def pose_at(paths, i, s):
    """Return position and quaternion of body i at the share s of the step."""
    held = max(s - paths.until[i], 0.0)
    s = min(s, paths.until[i])
    back = s * (1.0 - s)
    drift = paths.drift[i]
    x = paths.start[i, 0] + s * paths.shift[i, 0] - back * paths.bend[i, 0] + held * drift[0]
    y = paths.start[i, 1] + s * paths.shift[i, 1] - back * paths.bend[i, 1] + held * drift[1]
    z = paths.start[i, 2] + s * paths.shift[i, 2] - back * paths.bend[i, 2] + held * drift[2]
    t0, t1, t2 = paths.turn[i, 0], paths.turn[i, 1], paths.turn[i, 2]
    angle = norm(t0, t1, t2)
    q = paths.quaternion[i]
    if angle == 0.0:
        return x, y, z, q[0], q[1], q[2], q[3]
    sine = np.sin(0.5 * s * angle) / angle
    q0, q1, q2, q3 = quaternion_multiply(
        np.cos(0.5 * s * angle), sine * t0, sine * t1, sine * t2, q[0], q[1], q[2], q[3]
    )
    return x, y, z, q0, q1, q2, q3


@inner
def place_shape(paths, s, shape, shapes):
    """Write the world pose of a shape at the share s of the step."""
    x, y, z, q0, q1, q2, q3 = pose_at(paths, shapes.body[shape], s)
    local, t = shapes.local_position, shapes.local_quaternion
    lx, ly, lz = rotate((q0, q1, q2, q3), local[shape, 0], local[shape, 1], local[shape, 2])
    position, quaternion = shapes.position, shapes.quaternion
    position[shape, 0], position[shape, 1], position[shape, 2] = x + lx, y + ly, z + lz
    quaternion[shape, 0], quaternion[shape, 1], quaternion[shape, 2], quaternion[shape, 3] = (
        quaternion_multiply(q0, q1, q2, q3, t[shape, 0], t[shape, 1], t[shape, 2], t[shape, 3])
    )


@inner
def speed_along(paths, i, s, nx, ny, nz, lever):
    """Return the most by which body i moves in direction n per share of the step, after the share s."""
    shift, bend, drift = paths.shift[i], paths.bend[i], paths.drift[i]
    later = dot(nx, ny, nz, drift[0], drift[1], drift[2])
    if s >= paths.until[i]:
        return later
    along = dot(nx, ny, nz, shift[0], shift[1], shift[2])
    along += abs(dot(nx, ny, nz, bend[0], bend[1], bend[2]))
    along += lever * norm(paths.turn[i, 0], paths.turn[i, 1], paths.turn[i, 2])
    return along if paths.until[i] >= 1.0 else max(along, later)


@inner
def way_meets_node(solids, node, start, way, around, limit):
    """Return whether a ball of radius `around` meets the box of a tree's node on its straight way.

    It goes from `start` by `way`, both in the frame of the mesh, and is followed up to the share `limit`.
    """
    enter, leave = 0.0, limit
    for k in range(3):
        low = solids.node_min[node, k] - around - start[k]
        high = solids.node_max[node, k] + around - start[k]
        if way[k] == 0.0:
            if low > 0.0 or high < 0.0:
                leave = -1.0
            continue
        first, last = low / way[k], high / way[k]
        enter, leave = max(enter, min(first, last)), min(leave, max(first, last))
    return enter <= leave
