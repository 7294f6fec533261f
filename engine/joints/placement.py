"""Where joints are at given poses of the bodies: frames of their parts, directions and lever arms of rows."""

from typing import Annotated

from stoss.collision.algebra import cross, quaternion_multiply
from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.joints.arrays import LENGTH, JointArrays

__all__ = ["JointFrames", "PlacedParts", "new_joint_frames", "place_parts"]


class PlacedParts(Struct):
    """Frames of all parts in the world, for some poses of the bodies."""

    point_a: Annotated[Floats, "parts", 3]  # [m]
    point_b: Annotated[Floats, "parts", 3]
    axes_a: Annotated[Floats, "parts", 9]  # axes x, y, z of frame A, one after the other
    axes_b: Annotated[Floats, "parts", 9]
    relative: Annotated[Floats, "parts", 4]  # rotation from A to B, in A
    radii: Annotated[Floats, "parts", 3]  # of ellipsoids [m]
    turns: Annotated[Bools, "parts"]  # measures an angle; without one, axes_b and relative stay unset


class JointFrames(Struct):
    """Geometry of the rows of all joints at one time level, and the step's view of their measures."""

    first_row: Annotated[Ints, "joints"]  # first row of each joint in the system, -1 if it takes no part
    island: Annotated[Ints, "joints"]
    direction: Annotated[Floats, "rows", 3]  # world
    lever_a: Annotated[Floats, "rows", 3]  # from the centre of mass to where the impulse acts [m]
    lever_b: Annotated[Floats, "rows", 3]
    start: Annotated[Floats, "rows"]  # measure at the start of the step
    start_rate: Annotated[Floats, "rows"]  # of stops: its rate then; of rotors: theirs, in the present stage
    approach: Annotated[Floats, "rows"]  # speed at which a stop was met in this step, 0 if it was not
    least_bounce: Annotated[Floats, "rows"]  # speed up to which a stop that is met does not give back
    seen: Annotated[Floats, "rows", 5]  # of friction laws: see `contacts.friction_laws`
    beyond: Annotated[Floats, "rows"]  # how far beyond a stop the joint is and stays, to be displaced
    work: Annotated[Floats, "rows"]  # of drives and soft stops on bodies in this sub-step [J]
    # what these store more than at its start, less what kinematic bodies gave them [J]
    kept: Annotated[Floats, "rows"]
    work_before: Annotated[Floats, "rows"]  # the same two before the work of a solve was entered
    kept_before: Annotated[Floats, "rows"]
    account: Annotated[Floats, "rows", 2]  # the same two before a stage
    places: PlacedParts  # of the poses that were last looked at, among them previewed ones


def new_joint_frames(joints: JointArrays) -> JointFrames:
    """Return frames for all joints, none of which takes part."""
    frames = JointFrames.zeros(joints=len(joints.enabled), rows=len(joints.part), parts=len(joints.joint))
    frames.first_row[:] = -1
    frames.places.radii[:] = joints.radii
    frames.places.turns[joints.part[joints.measure > LENGTH]] = True
    return frames


@inner
def _write_axes(q0, q1, q2, q3, p, out):
    """Write the columns of R(q), one after the other, into row p."""
    out[p, 0] = 1.0 - 2.0 * (q2 * q2 + q3 * q3)
    out[p, 1] = 2.0 * (q1 * q2 + q0 * q3)
    out[p, 2] = 2.0 * (q1 * q3 - q0 * q2)
    out[p, 3] = 2.0 * (q1 * q2 - q0 * q3)
    out[p, 4] = 1.0 - 2.0 * (q1 * q1 + q3 * q3)
    out[p, 5] = 2.0 * (q2 * q3 + q0 * q1)
    out[p, 6] = 2.0 * (q1 * q3 + q0 * q2)
    out[p, 7] = 2.0 * (q2 * q3 - q0 * q1)
    out[p, 8] = 1.0 - 2.0 * (q1 * q1 + q2 * q2)


@inner
def _place_point(body, p, points, positions, quaternions, out):
    """Place the point of part p on a body, or on the world (body -1)."""
    x, y, z = points[p, 0], points[p, 1], points[p, 2]
    if body >= 0:
        w, a, b, c = quaternions[body, 0], quaternions[body, 1], quaternions[body, 2], quaternions[body, 3]
        u, v, t = cross(a, b, c, x, y, z)
        u, v, t = 2.0 * u, 2.0 * v, 2.0 * t
        k, m, n = cross(a, b, c, u, v, t)
        x += w * u + k + positions[body, 0]
        y += w * v + m + positions[body, 1]
        z += w * t + n + positions[body, 2]
    out[p, 0], out[p, 1], out[p, 2] = x, y, z


@inner
def _place_axes(body, p, turns, quaternions, out):
    """Place the axes of part p on a body, or on the world (body -1); return their quaternion."""
    q0, q1, q2, q3 = turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]
    if body >= 0:
        w, a, b, c = quaternions[body, 0], quaternions[body, 1], quaternions[body, 2], quaternions[body, 3]
        q0, q1, q2, q3 = quaternion_multiply(w, a, b, c, q0, q1, q2, q3)
    _write_axes(q0, q1, q2, q3, p, out)
    return q0, q1, q2, q3


@inner(always=True)
def place_parts(joints, positions, quaternions, places):
    """Find the frames of all parts for these poses."""
    # arrays by name: what is read within branches does not leave the loop by itself
    ends, relative, turns = joints.ends, places.relative, places.turns
    local_a, local_b = joints.point_a, joints.point_b
    turn_a, turn_b = joints.quaternion_a, joints.quaternion_b
    point_a, point_b, axes_a, axes_b = places.point_a, places.point_b, places.axes_a, places.axes_b
    for p in range(len(ends)):
        a, b = ends[p, 0], ends[p, 1]
        _place_point(a, p, local_a, positions, quaternions, point_a)
        _place_point(b, p, local_b, positions, quaternions, point_b)
        a0, a1, a2, a3 = _place_axes(a, p, turn_a, quaternions, axes_a)
        if turns[p]:
            b0, b1, b2, b3 = _place_axes(b, p, turn_b, quaternions, axes_b)
            r0, r1, r2, r3 = quaternion_multiply(a0, -a1, -a2, -a3, b0, b1, b2, b3)
            sign = 1.0 if r0 >= 0.0 else -1.0
            relative[p, 0], relative[p, 1] = sign * r0, sign * r1
            relative[p, 2], relative[p, 3] = sign * r2, sign * r3
