"""A step as one plan: how many sub-steps, and these made in one call, as far as nothing unusual comes up.

Mechanisms that turn or swing fast are made in several sub-steps. While nothing is near anything else, no
contacts are looked for but in the last one (`contact_free`), which is made as that of any step (`at_once`).
Where more is to be done, `SubSteps` goes on from where the kernel came to.
"""

from typing import Annotated, NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.collision.shapes.shape_table import place_shapes
from stoss.engine.joints.smoothness import CONSERVATIVE, find_smoothness
from stoss.engine.motion.continuous import reaches_others
from stoss.engine.solvers.allowance import allow, most_parts
from stoss.engine.solvers.choice import DIRECTLY_SOLVED, SWEPT
from stoss.engine.solvers.statistics import SHORTEST
from stoss.engine.stages.at_once import NOTHING, MadeAhead, SubStep, make_at_once, note_end
from stoss.engine.stages.clock import CONTACT_FREE
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.contact_free import DONE, make_contact_free
from stoss.engine.stages.crossings import Crossings
from stoss.engine.stages.pace import MOST_HELD, MOST_JOINTS, NOT_FOLLOWED, PARTS, RATE, forget_pace, next_pace
from stoss.engine.stages.splitting import HALVES, MOST_PLANNED, SPLITS, needed_parts
from stoss.engine.stages.state import Options, System

__all__ = ["Begun", "Plan", "Planned", "make_planned", "plan_parts", "set_allowance"]


class Plan(Struct):
    """What a step is planned from, and how far its sub-steps came."""

    counts: Annotated[Ints, "counts"]  # of islands by their solvers, see `choice`
    pace: Annotated[Floats, "pace"]
    usual: Annotated[Floats, "one"]  # work of a usual step
    smoothness: Annotated[Ints, "joints"]
    aside: Annotated[Bools, "joints"]  # none
    spans: Annotated[Floats, "two"]  # of the last sub-step, and of that of mechanisms that are set aside [s]
    connected: bool  # whether joints connect all bodies, so that none crosses the way of another
    group: Annotated[Ints, "bodies"]  # of the connected bodies that each belongs to
    margin: float  # that bodies keep from each other [m]
    lengths: Annotated[Floats, "lengths"]  # of the sub-steps that are left [s], the next one last
    came: Annotated[Ints, "three"]  # see the places below


# Places in `Plan.came`: how many sub-steps are left (-1: all that were planned), how contact-free ones ended,
# and how many were planned.
LEFT, ENDED, PLANNED = range(3)


class Begun(NamedTuple):
    """How far the sub-steps of a step came in the kernel."""

    left: list[float]  # their lengths [s], the next one, or the one that is begun, last
    made: float  # time without a look for contacts [s]
    end: int  # how contact-free ones ended; see `make_contact_free`


@kernel
def plan_parts(s: System, o: Options, n: Plan, acting: int, conservative: bool, step: float) -> int:
    """Return in how many parts a step of length `step` [s] is to be made, and let the pace be its own.

    Args:
        s, o, n: the system, options, and what it is planned from.
        acting: how many joints take part.
        conservative: whether nothing touches, and no joint changes the energy.
        step: its length [s].
    """
    direct, swept = n.counts[DIRECTLY_SOLVED], n.counts[SWEPT]
    parts = needed_parts(s, o, step) if acting > 0 else 1
    # more joints than bodies close loops: a net would need as many sub-steps, and lose energy
    many = MOST_JOINTS < acting <= len(s.islands.bodies)
    if many and parts > MOST_HELD and swept == 0 and len(s.touching) == 0:
        n.pace[RATE] = max(n.pace[RATE], 0.0)
        return parts
    n.pace[RATE] = NOT_FOLLOWED
    if swept > 0:
        parts = min(parts, most_parts(direct, swept, o.solver.sweeps, o.most_cost))
    if conservative and 0 < acting <= MOST_JOINTS:
        next_pace(n.pace, parts, step)
        parts = max(parts, min(int(n.pace[PARTS]), o.most_parts))
    else:
        forget_pace(n.pace)
    return parts


@kernel
def set_allowance(s: System, o: Options, n: Plan, parts: int, step: float, statistics: Floats) -> None:
    """Set what a step of length `step` [s], planned in so many parts, may cost, and how short they may be."""
    direct, swept = n.counts[DIRECTLY_SOLVED], n.counts[SWEPT]
    usual = n.usual[0] if swept == 0 and len(s.touching) == 0 else 0.0
    allow(statistics, direct, swept, o.solver.sweeps, parts, usual, o.most_cost)
    statistics[SHORTEST] = step / (HALVES * parts)


@kernel
def make_planned(u: SubStep, n: Plan, o: Options, step: float, stays: bool) -> int:
    """Plan a step of length `step` [s] and make it as far as nothing unusual comes up.

    Args:
        u, n, o: what it works on, what it is planned from, and options.
        step: its length [s].
        stays: see `make_at_once`.

    Returns:
        How far the last sub-step came (`at_once`), NOTHING if it was not begun.
    """
    s, statistics, acting = u.system, u.statistics, len(u.regrouping.joints.acting)
    parts = plan_parts(s, o, n, acting, _is_conservative(s, n, acting, step), step)
    set_allowance(s, o, n, parts, step, statistics)
    n.came[LEFT], n.came[ENDED], n.came[PLANNED] = -1, DONE, parts
    h = step / parts
    if parts > 1:
        if o.rows.exact or parts + SPLITS > len(n.lengths) or not _is_apart(u, n, step):
            note_end(u.ended, CONTACT_FREE)
            return NOTHING
        unseen = 0.0
        for k in range(parts):
            n.lengths[k] = h
            unseen += h
        left, end = make_contact_free(s, o, n.lengths, parts, u.gravity, n.pace, statistics)
        note_end(u.ended, CONTACT_FREE)
        n.came[LEFT], n.came[ENDED] = left, end
        if end != DONE:
            return NOTHING
        for island in range(len(s.solver.failed)):
            if s.solver.failed[island]:
                return NOTHING
        h = n.lengths[0]
        unseen = unseen - h + h  # rounded as where the sub-steps are made one by one
    else:
        note_end(u.ended, CONTACT_FREE)
        n.lengths[0] = h
        n.came[LEFT] = 1
        unseen = step
    u.span[0], u.span[1] = h, unseen
    return make_at_once(u, o, False, stays)


@inner
def _is_conservative(s, n, acting, step):
    """Return whether nothing touches, and no joint changes the energy; of more than a few joints: no."""
    if len(s.touching) > 0 or acting == 0 or len(n.smoothness) > MOST_JOINTS:
        return False
    n.spans[0] = s.step_length[0]
    return find_smoothness(s.joints, s.bodies, n.aside, n.spans, step, n.smoothness) == CONSERVATIVE


@inner
def _is_apart(u, n, step):
    """Return whether no contacts are to be looked for within the step; see `Crossings.may_cross`."""
    if len(u.system.touching) > 0:
        return False
    if not u.watches or n.connected:
        return True
    bodies, shapes = u.system.bodies, u.building.shapes
    place_shapes(bodies.positions, bodies.quaternions, 0.5 * n.margin, u.detection.solids, shapes)
    return not reaches_others(bodies, u.sizes, u.jointed, n.group, step, n.margin, shapes)


class Planned:
    """Keep what steps are planned from.

    Args:
        system: the constraint system.
        ahead: makes stages ahead.
        crossings: what is known of fast bodies.
    """

    def __init__(self, system: ConstraintSystem, ahead: MadeAhead, crossings: Crossings) -> None:
        self._system, self._ahead, self._crossings = system, ahead, crossings
        self._plan: Plan | None = None

    @property
    def plan(self) -> Plan:
        """Return what steps are planned from, as it is now; one struct for good."""
        system, state = self._system, self._system.state
        joints, room = len(state.joints.enabled), min(state.settings.most_sub_steps, MOST_PLANNED) + SPLITS
        plan = self._plan
        if plan is None:
            plan = self._plan = Plan.zeros(one=1, two=2, three=3)
            plan.counts, plan.pace, plan.usual = system.solver.counted, state.pace_numbers, state.usual
        if len(plan.smoothness) != joints:
            plan.smoothness, plan.aside = np.zeros(joints, np.int64), np.zeros(joints, np.bool_)
        if len(plan.lengths) != room:
            plan.lengths = np.zeros(room)
        return plan

    def prepare(self, before: np.ndarray) -> SubStep | None:
        """Return what the stages of a step work on; None if something speaks against one call.

        Args:
            before: (n, 3) positions at the start of the step [m].
        """
        state = self._system.state
        if state.settings.order > 2 or not self._ahead.sees_impacts:
            return None
        sub_step = self._ahead.prepare(before)
        if sub_step is not None and state.joint_table.count:
            plan = self.plan
            plan.margin = state.settings.contact_margin
            plan.connected, plan.group = self._crossings.all_connected, self._crossings.jointed()[1]
        return sub_step

    def make(self, sub_step: SubStep, options: Options, step: float) -> int:
        """Plan a step of length `step` [s] that has begun, and make it as far as possible; return how far."""
        plan, stays = self.plan, self._ahead.stays
        return self._ahead.run(make_planned, sub_step, options, sub_step, plan, options, step, stays)

    def begun(self, step: float) -> Begun:
        """Return how far a step of length `step` [s] came that was made by `make_planned`."""
        assert self._plan is not None
        left, end, parts = self._plan.came.tolist()
        whole = [step / parts] * parts
        lengths: list[float] = whole if left < 0 else self._plan.lengths[:left].tolist()
        return Begun(lengths, sum(whole) - sum(lengths), end)
