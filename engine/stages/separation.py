"""Separate overlapping bodies by displacing them, without impulses, so that no energy enters.

A body that met another one within the step lies inside it by up to speed times step; that fresh overlap is
removed at once, the impact itself is left to `settle`. Older overlap, from a start inside each other or from
sweeps that were stopped early, is removed slowly. The displacements are rows like any others, for the same
solvers: unknown is the mass-weighted displacement in place of the velocity. Where nothing from outside
pushes, velocities are changed after all, by as little as angular momentum needs (`momentum`).
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.energy import energies
from stoss.engine.constraints.mass_weighting import world_sqrt_inverse_inertias
from stoss.engine.constraints.rows import FRESH, Rows
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.joints.constraints import PLACES, build_joint_rows, set_separation_biases
from stoss.engine.joints.state import find_joint_errors
from stoss.engine.joints.stops import leave_out_displacement, stops_passed
from stoss.engine.settings import Settings
from stoss.engine.solvers.allowance import room, room_at_end, spent
from stoss.engine.solvers.arrays import SolverOptions
from stoss.engine.solvers.doubts import forget_doubts
from stoss.engine.solvers.solve_islands import solve_islands
from stoss.engine.solvers.statistics import (
    ALLOWANCE,
    DISPLACEMENTS,
    END_OF_ALLOWANCE,
    PLANNED,
    STATISTICS,
    SUB_STEP_WORK,
    SUB_STEPS,
)
from stoss.engine.stages.compliant import leave_compliant, return_compliant
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.displacement import (
    ask_for_less,
    displace_bodies,
    face_each_other,
    shorten_turns,
)
from stoss.engine.stages.displacement_rows import HELD_ROWS, build_contact_rows, find_held
from stoss.engine.stages.energy_account import motion_of
from stoss.engine.stages.ledger import DISPLACED
from stoss.engine.stages.lift import (
    charge_lift,
    charge_lift_of_loose,
    find_driven,
    is_unheld,
    note_placed,
)
from stoss.engine.stages.momentum import (
    keep_angular_momenta,
    leave_out_held,
    restore_momenta,
)
from stoss.engine.stages.promises import LESS, forget_overlaps, judge_promises, keep_overlaps
from stoss.engine.stages.scratch import copy_matrix
from stoss.engine.stages.separating import Separating
from stoss.engine.stages.state import System
from stoss.engine.stages.unpaid import any_unheld, take_back_unpaid

__all__ = ["Separation", "separate"]

# Rounds of displacement: the first one removes overlaps, the others close the joints that it opened.
SEPARATION_ROUNDS = 3
# Rounds where links would turn too far in one: they are turned less, and the rest is asked for anew.
TURNING_ROUNDS = 10
# Overlap that is left alone, as a share of the position tolerance.
SLOP = 0.1
SEPARATION_SWEEPS = 10
SEPARATION_WORK = 60.0  # allowance of one displacement; see `allowance`
LEAST_WORK = 1.0  # the same where the step has come to its end: all searches are brief


@kernel
def separate(
    s: System,
    w: Separating,
    memory: ImpulseMemory,
    gravity: Floats,
    h: float,
    closed: bool,
    stops: bool,
    statistics: Floats,
) -> None:
    """Displace bodies, see `_separate`, but leave what contacts give way by their laws."""
    leave_compliant(s, w.pairs, w.yielded, h, w.touch, w.resting_speed)
    displaced = _separate(s, w, memory, gravity, h, closed, stops, statistics)
    return_compliant(s, w.pairs, w.yielded)
    if displaced:
        face_each_other(s, w.pairs, w.displaced)


@inner
def _separate(s, w, memory, gravity, h, closed, stops, statistics):
    """Displace bodies at the end of a sub-step of length h [s], which may be negative; book the energy.

    Returns whether any were.

    Args:
        s: the system; rows are those of before, and stay.
        w: what it works on; receives what is jammed.
        memory: impulses of the contacts at the start of the sub-step.
        gravity: (3,) [m/s^2].
        h: length of the sub-step [s].
        closed: whether all joints are known to be closed, those beyond their stops excepted.
        stops: whether any joint has stops.
        statistics: of the step, whose work it adds to.
    """
    contacts, count = s.contacts, len(s.touching)
    w.count[0] = 0
    deepest = -np.inf
    for c in range(count):
        w.before[c], w.contradicted[c] = contacts.gap[c], False
        if not -contacts.gap[c] <= deepest:
            deepest = -contacts.gap[c]
    depth = deepest if count > 0 else 0.0
    displaced = _find_displaced(s, w, h, depth, closed, stops)
    if displaced:
        _displace(s, w, memory, gravity, h, depth, statistics)
    else:
        forget_overlaps(s.bodies)
    note_placed(s, 2.0 * w.touch, w.tolerance, w.errors, w.bends)
    return displaced


@inner
def _displace(s, w, memory, gravity, h, depth, statistics):
    """Displace the islands that were found, see `_separate`; `depth` is that of the deepest overlap [m]."""
    contacts, bodies, count = s.contacts, s.bodies, len(s.touching)
    judge_promises(s, w, h)
    kinetic, potential = energies(bodies, gravity)
    s.ledger[DISPLACED] -= kinetic + potential
    copy_matrix(bodies.positions, w.positions, len(bodies.kinds))
    for island in range(len(w.moving)):
        w.whole[island] = s.has_joints[island] and not w.broken[island]
        w.motion[island] = motion_of(s, island, bodies)
    find_held(contacts, count, memory, w.whole, s.layout, w.touch, w.margin, w.held)
    _allow(s, w, statistics)
    _displace_islands(s, w, gravity, h)
    statistics[DISPLACEMENTS] += max(spent(w.statistics), 0.0)
    if w.jointed:
        leave_out_displacement(s.joints, s.joint_frames, bodies, w.displaced, w.positions, w.quaternions)
        charge_lift(s, w.positions, w.motion, w.driven, gravity, abs(h))
    charge_lift_of_loose(s, w.positions, gravity)
    kinetic, potential = energies(bodies, gravity)
    s.ledger[DISPLACED] += kinetic + potential
    _note_lifted(s, w)
    keep_overlaps(s, w)
    _find_jammed(s, w, depth)


@inner
def _find_displaced(s, w, h, depth, closed, stops):
    """Find the islands that are to be displaced; return whether there are any.

    Their joints are open or beyond their stops, nothing has held them (`unpaid`), or their bodies overlap by
    more than the slop; by `depth` at most.
    """
    islands = len(w.displaced)
    any_broken = any_passed = False
    for island in range(islands):
        w.broken[island] = w.passed[island] = False
    if w.jointed and not closed:
        _find_errors(s, w)
        for island in range(islands):
            w.broken[island] = w.errors[island] > w.correction_speed * abs(h)
            any_broken = any_broken or w.broken[island]
    if stops:
        any_passed = stops_passed(
            s.joints, s.joint_frames, s.bodies, s.old, h, w.tolerance, w.correction_speed, w.passed
        )
    if depth <= w.slop and not any_passed and not any_broken and not (w.jointed and any_unheld(s)):
        return False
    starts = s.layout.contact_start
    for island in range(islands):
        displaced = w.broken[island] or (any_passed and w.passed[island])
        displaced = displaced or (s.has_joints[island] and is_unheld(s, island))
        if depth > w.slop:
            for k in range(starts[island], starts[island + 1]):
                displaced = displaced or s.contacts.gap[s.layout.contacts[k]] < -w.slop
        w.displaced[island] = w.moving[island] = w.free[island] = displaced
        s.work.displaced[island] = s.work.displaced[island] or displaced
    return True


@inner
def _find_errors(s, w):
    """Write the largest error [m or rad] of the joints of each island."""
    for island in range(len(w.errors)):
        w.errors[island] = 0.0
    find_joint_errors(s.joints, s.joint_frames, s.bodies, w.errors)


@inner
def _displace_islands(s, w, gravity, h):
    """Displace the bodies of the chosen islands, in a few rounds."""
    bodies, scratch, rows, blocks = s.bodies, s.scratch, w.rows, s.layout.joint_block
    for island in range(len(w.momenta)):
        for k in range(4):
            w.momenta[island, k] = 0.0
    keep_angular_momenta(bodies, s.islands, w.free, w.momenta)
    copy_matrix(bodies.quaternions, w.quaternions, len(bodies.kinds))
    _lay_out(s.layout, w)
    left = SEPARATION_ROUNDS
    for number in range(TURNING_ROUNDS + SEPARATION_ROUNDS):
        first = number == 0
        world_sqrt_inverse_inertias(bodies, scratch.sqrt_inverse_inertia)
        if len(s.touching) > 0:
            build_contact_rows(s, w, h, first)
        if w.jointed:
            build_joint_rows(
                s.joints, s.joint_frames, blocks, PLACES, bodies, scratch.sqrt_inverse_inertia, rows, 0.0
            )
            set_separation_biases(s.joints, s.joint_frames, blocks, rows, abs(h), w.speed, first, w.allowed)
        _solve(s, w, w.moving)
        if w.jointed:
            _solve_for_less(s, w)
        leave_out_held(s.touching, s.layout, rows, w.free)
        shorten_turns(s, w)
        displace_bodies(s, w, h)
        if not w.jointed:
            break
        _find_errors(s, w)
        turning = False
        for island in range(len(w.moving)):
            turning = turning or (w.moving[island] and w.limited[island])
        turning = turning and number + 1 < TURNING_ROUNDS and room(w.statistics) > 0.0
        left = SEPARATION_ROUNDS if turning else left - 1
        going_on = False
        for island in range(len(w.moving)):
            still_open = w.errors[island] > w.tolerance and not w.broken[island]
            w.moving[island] = w.moving[island] and left > 0 and (w.limited[island] or still_open)
            going_on = going_on or w.moving[island]
        if not going_on:
            break
    if w.jointed:
        find_driven(s, w.driven)
        take_back_unpaid(s, w, gravity, abs(h))
    restore_momenta(bodies, s.old, s.islands, w.free, w.momenta, w.positions, w.quaternions)


@inner
def _note_lifted(s, w):
    """Note by how much gaps have grown, times what their rows moved for that."""
    order, blocks = s.layout.contacts, s.layout.contact_block
    for k in range(len(order)):
        c, r = order[k], w.rows.start[blocks[k]]
        s.work.lifted[c] = (s.contacts.gap[c] - w.before[c]) * w.rows.effective_mass[r]


@inner
def _lay_out(layout, w):
    """Write the first row of each block: a contact has one, or `HELD_ROWS`, a joint those of its place."""
    start = w.rows.start
    for block in range(len(start)):
        start[block] = 1
    for block in range(len(start) - 1):
        if layout.start[block] == layout.start[block + 1]:
            start[block] = 0
    for at in range(len(layout.contacts)):
        if w.held[layout.contacts[at]]:
            start[layout.contact_block[at]] = HELD_ROWS
    for j in range(len(layout.joint_block)):
        if layout.joint_block[j] >= 0:
            start[layout.joint_block[j]] = w.place_rows[j]
    total = 0
    for block in range(len(start) - 1):
        size = start[block]
        start[block] = total
        total += size
    start[len(start) - 1] = total


@inner
def _allow(s, w, statistics):
    """Set what a displacement may cost, in all its rounds, and begin without doubts.

    No more than what the step may still cost: it displaces in each of its sub-steps.
    """
    forget_doubts(w.solver.searches)
    for island in range(len(w.moving)):
        w.solver.methods[island], w.solver.failed[island] = s.solver.methods[island], False
    for k in range(len(w.statistics)):
        w.statistics[k] = 0.0
    allowance = min(SEPARATION_WORK, max(room_at_end(statistics), LEAST_WORK))
    w.statistics[ALLOWANCE] = w.statistics[END_OF_ALLOWANCE] = allowance
    # that of a usual sub-step; half of it is always swept
    w.statistics[SUB_STEP_WORK] = 2.0 * SEPARATION_SWEEPS
    w.statistics[SUB_STEPS] = w.statistics[PLANNED] = 1.0


@inner
def _solve_for_less(s, w):
    """Solve anew, and for less, islands whose contacts asked for more than joints let them have."""
    if not ask_for_less(s, w):
        return
    for island in range(len(w.excessive)):
        if w.excessive[island]:
            for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
                for k in range(6):
                    s.scratch.z[s.islands.bodies[at], k] = 0.0
            first, last = s.islands.block_start[island], s.islands.block_start[island + 1]
            for r in range(w.rows.start[first], w.rows.start[last]):
                w.rows.impulse[r], w.rows.state[r] = 0.0, FRESH
    _solve(s, w, w.excessive)


@inner
def _solve(s, w, chosen):
    """Solve the rows of the chosen islands; z receives the displacement."""
    for island in range(len(w.moving)):
        w.solver.known[island], w.solver.enough[island] = False, 0.0
        w.solver.still[island] = w.options.tolerance
    rows, z = w.rows, s.scratch.z
    solve_islands(rows, z, s.islands, w.solver, s.bodies, chosen, w.options, False, w.statistics)


@inner
def _find_jammed(s, w, depth):
    """Find the contacts that overlap by far, no less than before bodies were displaced.

    So it is where bodies are wedged between others that do not give way: what one contact asks for
    contradicts what another one does, or what joints do. By far is more than impacts and sweeps that ended
    early leave; for links that their joints hold inside each other, more than the tolerance.
    """
    contacts, starts = s.contacts, s.layout.contact_start
    count = len(s.touching)
    for c in range(count):
        w.depth[c] = w.margin
    if depth > w.tolerance:
        for island in range(len(s.has_joints)):
            if s.has_joints[island]:
                for k in range(starts[island], starts[island + 1]):
                    w.depth[s.layout.contacts[k]] = w.tolerance
    for c in range(count):
        gap = contacts.gap[c]
        if gap < -w.depth[c] and (w.contradicted[c] or gap <= (1.0 - LESS) * w.before[c]):
            w.jammed[w.count[0]] = c
            w.count[0] += 1


class Separation:
    """Displace the bodies of a constraint system that overlap, or whose joints are open.

    Args:
        system: contacts, islands and joints.
    """

    def __init__(self, system: ConstraintSystem) -> None:
        self._system = system
        self._work = Table(Separating, one=1, figures=STATISTICS)
        rows, axes, work = Table(Rows), system.axes, self._work.arrays
        axes.blocks.add_all(rows, name="blocks")
        axes.displaced.add_all(rows, name="rows")
        axes.islands.add_all(self._work, name="islands")
        axes.contacts.add_all(self._work, name="contacts")
        axes.bodies.add_all(self._work, name="bodies")
        work.rows, work.solver = rows.arrays, system.solver.spare
        self._settings: Settings | None = None

    def separate(self, h: float, closed: bool) -> None:
        """Displace bodies at the end of a sub-step of length h [s]; note energy and jammed contacts.

        Args:
            h: may be negative [s].
            closed: whether all joints are known to be closed, those beyond their stops excepted.
        """
        system, state = self._system, self._system.state
        gaps, slop = system.contacts.gap[: system.contacts.count], SLOP * state.settings.position_tolerance
        may_be_open = (len(system.acting_joints) > 0 and not closed) or system.has_stops
        any_known = np.count_nonzero(state.bodies.placed) + np.count_nonzero(state.bodies.overlaps) > 0
        if not (may_be_open or any_known) and (len(gaps) == 0 or gaps.min() >= -slop):
            return  # as the kernel would, after more has been made ready
        stops, statistics = system.has_stops, state.statistics
        separate(system.system, self.prepare(), system.memory, state.gravity, h, closed, stops, statistics)
        self.note_jammed()

    def note_jammed(self) -> None:
        """Tell the system which contacts are jammed."""
        work = self._work.arrays
        if work.count[0]:
            self._system.jammed = work.jammed[: work.count[0]].copy()

    def prepare(self) -> Separating:
        """Return what a displacement works on; one struct for good."""
        system = self._system
        work = self._work.resize(keep=False, measures=len(system.state.joints.role))
        work.pairs = system.pairs
        work.place_rows, work.jointed = system.place_rows, len(system.acting_joints) > 0
        if system.state.settings is not self._settings:
            self._settings = system.state.settings
            self._take_settings(work, self._settings)
        return work

    def _take_settings(self, work: Separating, settings: Settings) -> None:
        work.tolerance, work.margin = settings.position_tolerance, settings.contact_margin
        work.slop, work.correction_speed = SLOP * settings.position_tolerance, settings.correction_speed
        work.touch, work.resting_speed = settings.touch_distance, settings.resting_speed
        work.rate, work.speed = settings.recovery_rate, settings.recovery_speed
        work.options = SolverOptions(
            sweeps=SEPARATION_SWEEPS,
            tolerance=0.1 * work.slop,
            budget=settings.budget,
            quiet=0.0,
            time_limit=0.0,
            shock=settings.shock_propagation,
        )
