"""Soft stops and springs that will be bent by the end of a sub-step without anything that works for it."""

from stoss.collision.kernels.decorators import inner
from stoss.engine.joints.arrays import SUM
from stoss.engine.joints.correct import previewed
from stoss.engine.joints.placement import place_parts
from stoss.engine.motion.free_motion import preview_bodies
from stoss.engine.solvers.arrays import is_direct
from stoss.engine.stages.elastic_rows import elastic_energy, is_elastic, own_rate

__all__ = ["bending", "place_previewed"]


@inner
def place_previewed(s, o, h, gravity, held):
    """Place the frames of joints where they will be at the end of the sub-step, if `bending` asks for it."""
    asks = held and len(s.joints.bodies) > 0
    for island in range(len(s.has_joints)):
        asks = asks or (s.has_joints[island] and not is_direct(s.solver, island))
    if asks:
        positions, quaternions = s.scratch.next_positions, s.scratch.next_quaternions
        preview_bodies(o.rows.motion, s.islands.bodies, s.bodies, gravity, h, positions, quaternions)
        place_parts(s.joints, positions, quaternions, s.joint_frames.places)


@inner
def bending(s, island, h):
    """Return the energy [J] that soft stops and springs will store by the end of the sub-step for nothing.

    Frames are placed as they will be then. Sweeps that end early leave rows the impulses that were right for
    another motion, or for a turn so far that the rows of its start say nothing about its end; so does what is
    held by velocity, in one solve that sees the stop on one side alone. These are given once more at the end
    of the sub-step.
    """
    joints, frames, rows, energy = s.joints, s.joint_frames, s.rows, 0.0
    for j in range(len(frames.first_row)):
        r = frames.first_row[j] - 1
        if r < -1 or frames.island[j] != island:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            if joints.measure[m] >= SUM or not is_elastic(joints, m):
                continue
            way = previewed(joints, frames, s.bodies, j, m, h) - joints.value[m]
            stored = elastic_energy(joints, m, joints.value[m] + way) - elastic_energy(
                joints, m, joints.value[m]
            )
            energy += stored + 2.0 * rows.impulse[r] * (way / h - own_rate(joints, m))
    return energy
