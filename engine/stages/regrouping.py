"""Group contacts and joints into islands, lay out their rows, and choose their solvers, all in one call.

In a heap contacts couple other bodies in almost every step. So all that follows from who is coupled with whom
is found anew by one kernel, `regroup`, in memory that is kept: it changes the lengths of the arrays itself
(`axes`), and the stages after it can go on at once.
"""

from typing import Annotated

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.axes import LENGTH, set_length
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Ints
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.constraints.axes import AxisArrays
from stoss.engine.constraints.islands import (
    MECHANISM,
    NET,
    TREE,
    Sources,
    group_blocks,
    lay_out,
    number_islands,
)
from stoss.engine.contacts.rolling_friction import find_resistance
from stoss.engine.joints.arrays import HOLD
from stoss.engine.solvers.choice import Choice, begin_choice, postpone
from stoss.engine.solvers.island_solver import Choosing, choose_solvers
from stoss.engine.stages.displacement_rows import HELD_ROWS
from stoss.engine.stages.state import System

__all__ = ["JointBlocks", "Regrouping", "postpone_hit", "regroup"]

CONTACT_ROWS = 3  # the least rows of a contact
FEW_FREEDOMS = 3  # that a loop is left with by count


class JointBlocks(Struct):
    """Blocks of rows that joints make; see `JointSources`."""

    bodies: Annotated[Ints, "sources", 2]
    joint: Annotated[Ints, "sources"]
    rows: Annotated[Ints, "sources"]
    acting: Annotated[Ints, "acting"]  # numbers of the joints that take part
    row_count: Annotated[Ints, "joints"]  # of all joints
    displaced: int  # how many rows they all have in a displacement


class Regrouping(Struct):
    """What contacts and joints are grouped from, and what receives it."""

    system: System
    sources: Sources
    axes: AxisArrays
    choosing: Choosing
    number: Annotated[Ints, "bodies"]  # of the island of each body
    joints: JointBlocks
    rule: int  # by which coefficients of friction are combined
    resists: bool  # whether any body may resist turning
    step: Annotated[Ints, "one"]  # number of the present step
    wanted: Annotated[
        Ints, "four"
    ]  # receives the room that is needed for blocks, rows, displaced rows and fill


@kernel
def _write_sources(contacts: ContactArrays, joints: JointBlocks, sources: Sources) -> None:
    """Write between which bodies the blocks are: contacts come first."""
    first, second, count = sources.first, sources.second, len(sources.resists)
    for c in range(count):
        first[c], second[c] = contacts.body_a[c], contacts.body_b[c]
    for k in range(len(joints.joint)):
        first[count + k], second[count + k] = joints.bodies[k, 0], joints.bodies[k, 1]


@kernel(allocates=True)
def _group_joints(s: System, joints: JointBlocks, joint_rows: Ints) -> None:
    """Write where the rows of joints begin, which islands have any, and how they close.

    Loops with hardly any freedom are mechanisms.
    """
    frames, count, kinds = s.joint_frames, len(s.has_joints), s.bodies.kinds
    for island in range(count):
        joint_rows[island], s.has_joints[island], s.closure[island] = 0, False, TREE
    if len(joints.acting) == 0:
        return
    edges, held, grounded = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_)
    for j in range(len(frames.island)):
        frames.island[j] = s.layout.joint_island[j]
    for j in joints.acting:
        island = frames.island[j]
        frames.first_row[j] = s.layout.start[s.layout.joint_block[j]]
        joint_rows[island] += joints.row_count[j]
        edges[island] += 1
        for half in range(2):
            i = s.joints.bodies[j, half]
            grounded[island] = grounded[island] or i < 0 or kinds[i] != DYNAMIC
        for m in range(s.joints.row_start[j], s.joints.row_start[j + 1]):
            held[island] += s.joints.active[m] and s.joints.role[m] == HOLD
    for island in range(count):
        s.has_joints[island] = joint_rows[island] > 0
        members = s.islands.body_start[island + 1] - s.islands.body_start[island]
        if edges[island] > members - 1 + grounded[island]:
            free = 6 * (members if grounded[island] else members - 1)
            s.closure[island] = MECHANISM if held[island] >= free - FEW_FREEDOMS else NET


@kernel
def _forget_total(s: System) -> None:
    """Let there be no impulses over the last step, since there are other rows."""
    for r in range(len(s.total)):
        s.total[r] = 0.0


@inner
def _fits(work, rows, islands, bodies):
    """Return whether the memory of the stages has room for so many."""
    return len(work.applied) >= rows and len(work.chosen) >= islands and len(work.hits) >= bodies


@kernel
def regroup(g: Regrouping, count: int) -> bool:
    """Group the first `count` contacts and the joints anew; return whether there was room for it.

    If not, `wanted` says how much there should be, and it is to be called again. It changes lengths, and so
    looks at no array of the tables itself; see `axes`.
    """
    s, a, j, wanted = g.system, g.axes, g.joints, g.wanted
    blocks = count + len(j.joint)
    rows_before = a.rows.size[LENGTH]
    begin_choice(g.choosing.choice, s.solver)
    wanted[0] = blocks
    wanted[1] = wanted[2] = wanted[3] = 0
    if not (set_length(a.contacts, count) and set_length(a.blocks, blocks) and set_length(a.pairs, blocks)):
        return False
    _write_sources(s.contacts, j, g.sources)
    members, islands = number_islands(g.sources, s.bodies.kinds, g.number)
    if not (set_length(a.members, members) and set_length(a.islands, islands)):
        return False
    set_length(a.pairs, group_blocks(g.sources, s.bodies.kinds, g.number, s.islands))
    find_resistance(g.sources, s.bodies, g.rule, g.resists)
    rows = lay_out(s.islands, CONTACT_ROWS, g.sources, j.joint, j.rows, s.layout)
    wanted[1], wanted[2] = rows, (HELD_ROWS if len(j.acting) > 0 else 1) * count + j.displaced
    if not (set_length(a.rows, rows) and set_length(a.displaced, wanted[2])):
        return False
    if not _fits(s.work, rows, islands, len(g.number)):
        return False
    _group_joints(s, j, g.choosing.choice.joint_rows)
    s.solver.step[0] = g.step[0]
    wanted[3] = choose_solvers(g.choosing, s.islands, s.layout, s.bodies)
    if wanted[3] == 0 and rows != rows_before:
        _forget_total(s)
    return wanted[3] == 0


@kernel
def postpone_hit(s: System, choice: Choice) -> None:
    """Leave bodies that are left to the sweeps, and that were just hit, to them for a while longer."""
    frames, contacts = s.frames, s.contacts
    for k in range(len(frames.contact)):
        if frames.approach[k] > frames.least_bounce[k]:
            c = frames.contact[k]
            postpone(contacts.body_a[c], choice, s.solver.step[0])
            postpone(contacts.body_b[c], choice, s.solver.step[0])
