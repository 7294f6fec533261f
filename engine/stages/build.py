"""Build the rows of one time level: what contacts and joints are at the present poses."""

from stoss.collision.kernels.decorators import inner, kernel
from stoss.engine.constraints.mass_weighting import world_sqrt_inverse_inertias
from stoss.engine.contacts.constraints import build_rows
from stoss.engine.contacts.warm_start import recall
from stoss.engine.joints.constraints import ALL, build_joint_rows
from stoss.engine.solvers.arrays import still_holds_all
from stoss.engine.stages.state import Building, System

__all__ = ["build", "build_joints"]


@kernel
def build(s: System, b: Building, h: float) -> None:
    """Build the rows of contacts and joints, with the impulses of the last stage, which was h ago [s].

    Args:
        s: system with memory for the rows.
        b: what else they are built from.
        h: length of the step that ends here [s].
    """
    rows, contacts, frames, order = s.rows, s.contacts, s.frames, s.layout.contacts
    for block in range(len(rows.start)):
        rows.start[block] = s.layout.start[block]
    for r in range(len(s.total)):
        s.total[r] = 0.0
    world_sqrt_inverse_inertias(s.bodies, s.scratch.sqrt_inverse_inertia)
    if len(order) > 0:
        build_rows(contacts, s.layout, b, s.bodies, s.scratch.sqrt_inverse_inertia, rows, frames)
        for k in range(len(order)):
            s.contact_place[order[k]] = k
        recall(b.memory, contacts, len(order), s.contact_place, rows, frames, s.work.last_settled)
    build_joints(s, h)


@inner
def build_joints(s, h):
    """Build the rows of joints, if there are any, and keep factors only where all rows are the same."""
    if len(s.joints.bodies) > 0:
        blocks, sqrt_inverse_inertia = s.layout.joint_block, s.scratch.sqrt_inverse_inertia
        build_joint_rows(s.joints, s.joint_frames, blocks, ALL, s.bodies, sqrt_inverse_inertia, s.rows, h)
    still_holds_all(s.rows, s.islands, s.solver)
