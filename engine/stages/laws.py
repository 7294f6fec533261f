"""Friction laws in the stages: which islands have any, what their rows are, and what they remember."""

from stoss.collision.kernels.decorators import inner
from stoss.engine.contacts.friction_laws import finish_contact_laws, look_at_contact_laws, start_contact_laws
from stoss.engine.joints.friction_laws import finish_joint_laws, look_at_joint_laws, start_joint_laws
from stoss.engine.solvers.arrays import is_direct
from stoss.engine.solvers.statistics import CHANGE

__all__ = ["LAW_TOLERANCE", "finish_laws", "look_at_laws", "start_laws"]

# By how much [m/s or rad/s] what friction does may differ from what its law says.
LAW_TOLERANCE = 1e-9


@inner
def find_laws(s):
    """Find the islands with friction laws."""
    lawful, starts = s.work.lawful, s.layout.contact_start
    for island in range(len(s.has_joints)):
        lawful[island] = False
        s.work.rubbed[island] = 0.0
    if len(s.laws.curve) == 0:
        return
    for island in range(len(s.has_joints)):
        for k in range(starts[island], starts[island + 1]):
            lawful[island] = lawful[island] or s.frames.friction_law[k] >= 0
    joints = s.joints
    for j in range(len(s.joint_frames.first_row)):
        if s.joint_frames.first_row[j] < 0:
            continue
        if start_joint_laws(joints, s.joint_frames, s.old.velocities, s.old.angular_velocities, j):
            lawful[s.joint_frames.island[j]] = True


@inner
def start_laws(s):
    """Find the islands with friction laws, and let these begin a step."""
    find_laws(s)
    if len(s.laws.curve) > 0 and len(s.frames.contact) > 0:
        start_contact_laws(s.rows, s.frames, s.laws)


@inner
def look_at_laws(s, h, ends, chosen, statistics):
    """Set the rows of friction laws, see `look_at_contact_laws`; return by how much they were off [m/s].

    For the velocities in the biases of contacts, and those that bodies have at the end of the step (`ends`),
    or in its mean; in the `chosen` islands. `statistics` are those of the step so far.
    """
    if len(s.laws.curve) == 0:
        return 0.0
    worst, starts, w = 0.0, s.layout.contact_start, s.work
    v, a = s.bodies.velocities, s.bodies.angular_velocities
    if not ends:
        v, a = s.scratch.middle_velocities, s.scratch.middle_angular_velocities
    if ends:
        find_laws(s)
    for island in range(len(s.has_joints)):
        if not (w.lawful[island] and chosen[island]):
            continue
        off = 0.0
        if starts[island] < starts[island + 1]:
            # coefficients are followed no closer than sweeps come
            close = LAW_TOLERANCE if is_direct(s.solver, island) else statistics[CHANGE]
            begin, end = starts[island], starts[island + 1]
            off = look_at_contact_laws(s.rows, s.frames, s.contacts, s.laws, w.applied, h, begin, end, close)
        if s.has_joints[island]:
            there = look_at_joint_laws(s.joints, s.joint_frames, s.rows, s.laws, v, a, w.applied, h, island)
            off = max(off, there)
        w.rubbed[island] = off
        worst = max(worst, off)
    return worst


@inner
def finish_laws(s, h, ends):
    """Bring on what friction laws remember, by half a step: its first (velocities of its mean) or second."""
    if len(s.laws.curve) == 0:
        return
    v, a = s.bodies.velocities, s.bodies.angular_velocities
    if not ends:
        v, a = s.scratch.middle_velocities, s.scratch.middle_angular_velocities
    if len(s.frames.contact) > 0:
        finish_contact_laws(s.rows, s.frames, s.contacts, s.laws, s.bodies, v, a, h, ends)
    if len(s.joints.bodies) > 0:
        finish_joint_laws(s.joints, s.joint_frames, s.rows, s.laws, v, a, h, ends)
