"""Sub-steps while nothing is near anything else: many in one call, since no contacts are looked for."""

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.mass_weighting import world_sqrt_inverse_inertias
from stoss.engine.contacts.conveyors import advance_surfaces
from stoss.engine.joints.leading import advance_led
from stoss.engine.joints.stops import stops_passed
from stoss.engine.motion.free_motion import advance_bodies
from stoss.engine.solvers.allowance import is_at_end
from stoss.engine.solvers.statistics import CLOSED
from stoss.engine.stages.build import build_joints
from stoss.engine.stages.correct import hold_positions
from stoss.engine.stages.ledger import work_of_loads
from stoss.engine.stages.pace import RATE
from stoss.engine.stages.settle import settle_velocities
from stoss.engine.stages.splitting import divide_rest
from stoss.engine.stages.state import Options, System

__all__ = ["DONE", "GIVEN_UP", "OPEN", "make_contact_free", "move"]

# How `make_contact_free` ends.
DONE, OPEN, GIVEN_UP = range(3)


@kernel
def move(bodies: BodyArrays, method: int, gravity: Floats, h: float, ledger: Floats) -> None:
    """Move every body freely from t to t + h; the work of forces on the way is entered in the ledger."""
    work_of_loads(bodies, h, False, ledger)
    advance_bodies(method, bodies, gravity, h)
    advance_surfaces(bodies, h)
    work_of_loads(bodies, h, True, ledger)


@kernel
def make_contact_free(
    s: System, o: Options, lengths: Floats, left: int, gravity: Floats, pace: Floats, statistics: Floats
) -> tuple[int, int]:
    """Make sub-steps while nothing touches: all but the last, which is to find new contacts.

    Where the pace follows the motion, what is left is divided anew before each of them.

    Args:
        s, o: system without contacts, and options.
        lengths: of the sub-steps [s], the next one at `left` - 1; with room for SPLITS more. Receives those
            that are left.
        left: how many they are.
        gravity: [m/s^2].
        pace: (PACE,) of the step.
        statistics: receives statistics.

    Returns:
        How many are left, and how it ended: DONE, OPEN (a joint is open or beyond a stop at the end of the
        last of these, which was moved but not settled) or GIVEN_UP (the composition fails).
    """
    b = s.bodies
    follows = pace[RATE] >= 0.0 and not o.composed
    planned = left  # sub-steps that are left when the last planned one was made, with all its halves
    while left > 1:
        if follows and left == planned:
            left = divide_rest(s, o, pace, lengths, left, statistics)
            planned = left - 1
            continue
        if is_at_end(statistics) and not o.composed:
            # what is left is made as one sub-step
            while left > 1:
                left -= 1
                lengths[0] += lengths[left]
            break
        h = lengths[left - 1]
        if not hold_positions(s, o, h, gravity, statistics):
            if o.composed:
                return left, GIVEN_UP
            lengths[left - 1] = 0.5 * h
            lengths[left] = 0.5 * h
            left += 1
            continue
        move(b, o.rows.motion, gravity, h, s.ledger)
        if o.led:
            advance_led(s.joints, h)
        if o.stops:
            passed = s.work.chosen[: len(s.has_joints)]
            tolerance, speed = o.rows.position_tolerance, o.rows.correction_speed
            if stops_passed(s.joints, s.joint_frames, b, s.old, h, tolerance, speed, passed):
                return left, OPEN
        if statistics[CLOSED] == 0.0 and len(s.has_joints) > 0:
            return left, OPEN
        world_sqrt_inverse_inertias(b, s.scratch.sqrt_inverse_inertia)
        build_joints(s, h)
        settle_velocities(s, o, h, False, statistics)
        left -= 1
    return left, DONE
