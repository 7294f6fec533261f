"""Friction laws in the stages: which islands have any, what their rows are, and what they remember."""

from stoss.collision.kernels.decorators import inner
from stoss.engine.contacts.friction_laws import finish_contact_laws, look_at_contact_laws, start_contact_laws
from stoss.engine.joints.friction_laws import finish_joint_laws, look_at_joint_laws, start_joint_laws
from stoss.engine.solvers.arrays import is_direct

__all__ = ["finish_laws", "look_at_laws", "rubs", "start_laws"]

# By how much [m/s or rad/s] what friction does may differ from what its law says.
LAW_TOLERANCE = 1e-9
# Looks after which a share of the speed is as good, and each look must bring friction nearer to its law by
# so much. What does not is of a heap whose loads are not determined, and are others in each solve. Single
# bodies and joints, whose error would add up from step to step, are given more; heaps that are swept less,
# for sweeps that end early are no nearer.
SWEPT, HASTY, PATIENT, SHARE, SLOW = 1, 3, 6, 1e-5, 0.9


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
def look_at_laws(s, h, ends, chosen, number):
    """Set the rows of friction laws, see `look_at_contact_laws`; return by how much they were off [m/s].

    For the velocities in the biases of contacts, and those that bodies have at the end of the step (`ends`),
    or in its mean; in the `chosen` islands, after a `number` of solves.
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
        close = LAW_TOLERANCE, SHARE if number > _patience(s, island) else 0.0
        if starts[island] < starts[island + 1]:
            begin, end = starts[island], starts[island + 1]
            off = look_at_contact_laws(s.rows, s.frames, s.contacts, s.laws, w.applied, h, begin, end, close)
        if s.has_joints[island]:
            there = look_at_joint_laws(
                s.joints, s.joint_frames, s.rows, s.laws, v, a, w.applied, h, island, close
            )
            off = max(off, there)
        w.rubbed_before[island], w.rubbed[island] = w.rubbed[island], off
        worst = max(worst, off)
    return worst


@inner
def _patience(s, island):
    """Return after how many looks an island need not come nearer to its laws; see above."""
    several = s.islands.body_start[island + 1] - s.islands.body_start[island] > 1
    if not several or s.has_joints[island]:
        return PATIENT
    return HASTY if is_direct(s.solver, island) else SWEPT


@inner
def rubs(s, island, number):
    """Return whether friction of an island is to be brought nearer to its laws, after so many looks at it."""
    w = s.work
    if not (w.lawful[island] and w.rubbed[island] > 0.0):
        return False
    return number <= _patience(s, island) or w.rubbed[island] <= SLOW * w.rubbed_before[island]


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
