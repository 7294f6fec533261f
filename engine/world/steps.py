"""The steps of a world: what is done around the stages of one, and what the last one left."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.bodies.energy import bad_bodies
from stoss.engine.motion.time_of_impact import ImpactSearch
from stoss.engine.stages import clock
from stoss.engine.stages.at_once import NOTHING, SAME_PAIRS, SETTLED, UNEVENTFUL
from stoss.engine.stages.checkpoint import Checkpoint
from stoss.engine.stages.ledger import ENTRIES
from stoss.engine.stages.stepper import Stepper
from stoss.engine.stages.sub_steps import SubSteps
from stoss.engine.world.contact_margin import warn_of_margin
from stoss.engine.world.kernel_needs import KernelNeeds
from stoss.engine.world.outcome import Outcome
from stoss.engine.world.report import LawError
from stoss.engine.world.runaway import runaway_error
from stoss.engine.world.touching import Touching
from stoss.engine.world.undo import StepUndo, replaced_values

if TYPE_CHECKING:
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = ["Steps"]

FEW_BODIES = 500  # whose memory is not worth to be given back


class Steps:
    """Make the steps of a world.

    Args:
        world: whose stores, gravity and settings are there already.

    Attributes:
        stages: of a step; `World._stepper` gives them without the rows of what was removed.
        touching: who touches since the last step.
        order: of the last step.
        impacts: the search for times of impact in the last step, None: there was none.
        ledger: what took and gave energy over all steps (ENTRIES,) [J].
        force_step: length of the step that the joints' impulses belong to [s].
        margin_checked: for which step, gravity and margin it was looked whether contacts are seen in time.
        kernels: which are ready.
        outcome: what looks over a step.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self.force_step = world._time_step
        self.stages = self.new_stepper()
        self.touching = Touching.none()
        self.order = 2
        self.impacts: ImpactSearch | None = None
        self.ledger = np.zeros(ENTRIES)
        self.margin_checked: tuple[float, ...] = ()
        self.kernels = KernelNeeds()
        self.outcome = Outcome()
        self._most_bodies = 0  # in any step since the stepper was made
        # uses of the entry up to which nothing was changed since the last step, if that was made in one call
        self._untouched = -1

    # ------------------------------------------------------------- the stages, and bodies that go

    def new_stepper(self) -> Stepper:
        """Return stages for the bodies and joints of the world, which know nothing of a step yet."""
        world = self._world
        bodies = world._all_bodies
        return Stepper(bodies.table, world._all_joints.table, bodies.detector, world._settings, world._laws)

    def renew(self) -> None:
        """Begin with new stages."""
        self.stages = self.new_stepper()

    def compact_bodies(self) -> None:
        """Take bodies that were removed out of the arrays, and out of all that knows their rows."""
        bodies = self._world._all_bodies
        self._most_bodies = max(self._most_bodies, bodies.table.count)
        rows = bodies.compact()
        self.stages.waking.remove_bodies(rows)
        self.touching = self.touching.without_bodies(rows)
        few = 4 * bodies.table.count < self._most_bodies
        if few and self._most_bodies > FEW_BODIES:
            self._give_memory_back()

    def _give_memory_back(self) -> None:
        """Give back the memory in which steps of far more bodies worked; steps go on as from a snapshot."""
        old = self.stages
        saved = old.save()
        self.stages = self.new_stepper()
        self.stages.take_figures(old)
        self.stages.restore(saved)
        self._most_bodies = self._world._all_bodies.table.count

    # ------------------------------------------------------------- steps, and what users want around them

    def make(self, count: int) -> None:
        """Make some steps, one at least; the world has been entered for that alone."""
        entry = self._world._entry
        if entry.uses == self._untouched + 1:
            self._untouched += 1  # by this call alone
        else:
            self.prepare_kernels()
            self._check_margin()
        for _ in range(count):
            self._make_one()
            entry.let_signals_in()

    def prepare_kernels(self) -> None:
        """Compile what the world needs and is not on disk yet."""
        world = self._world
        detector, jointed = world._body_store.detector, world._all_joints.table.count > 0
        self.kernels.prepare(detector, world._settings, jointed, world._loads is not None, world._entry)

    def _make_one(self) -> None:
        """Advance by one step, RATTLE with impacts: on several sub-steps where one is too long."""
        world = self._world
        control = world._control
        if control is None and not (world.before_step or world.after_step) and self._make_plain():
            return
        undo = StepUndo(
            world, callbacks=bool(world.before_step) or (control is not None and control.calls_users)
        )
        try:
            if world.before_step:
                world._entry.call(tuple(world.before_step), world)
                control = world._control
            if control is not None:
                world._entry.call((control.before,), world)
            undo.begin()
            self._make_between(undo)
        except BaseException as error:
            undo.roll_back(error)
            raise
        if control is not None:
            world._entry.call((control.after,), world)
        if world.after_step:
            world._entry.call(tuple(world.after_step), world)

    def _make_plain(self) -> bool:
        """Make a step around which nothing is called or changed; return whether it was made."""
        world, stages = self._world, self.stages
        time_step, entry = world._time_step, world._entry
        known = entry.uses == self._untouched and not stages.state.stale
        if not (known or self._is_plain()):
            return False
        touching = self.touching
        pairs = self.outcome.know(touching.pairs)
        goes_on = (known and stages.plain.was_uneventful) or touching.goes_on
        before, undo = replaced_values(world), None
        try:
            made = stages.make_plain(
                world.step_count, world.time, time_step, world._gravity, pairs, goes_on, known
            )
            if made == NOTHING and not stages.plain.has_begun:
                return False
            if made > SETTLED:
                self._end_plain(made)
                return True
            self._untouched = -1
            if world._all_joints.table.count:  # some of which may break
                undo = StepUndo.of_plain(world, before, stages.plain.last_figures)
            ended = stages.end_usual(time_step)
            self._end(*((2, None) if ended else self._make_sub_steps(stages.plain.start)))
        except BaseException as error:
            self._untouched = -1
            if stages.plain.has_begun:
                undo = undo or StepUndo.of_plain(world, before, stages.plain.last_figures)
                undo.roll_back(error)
            raise
        return True

    def _is_plain(self) -> bool:
        """Return whether nothing is told for the next step, and nothing is left to be put right before it."""
        world = self._world
        told, bodies = world._all_bodies.next_step, world._all_bodies.registry
        if (
            told.loads
            or told.moves_bodies
            or told.moves_surfaces
            or world._loads is not None
            or world._plane is not None
        ):
            return False
        dropped = bodies.has_dropped or world._all_joints.registry.has_dropped
        return world._time_step == self.force_step and not dropped

    def _make_between(self, undo: StepUndo) -> None:
        """Make the step between the functions that users want to be called around it."""
        world = self._world
        stages, time_step = world._stepper, world._time_step
        self._most_bodies = max(self._most_bodies, world._all_bodies.table.count)
        if time_step != self.force_step:
            self._change_force_step(time_step)
        if world._plane is not None:
            world._plane.check(world._bodies)
        told, row = world._all_bodies.next_step, world._all_bodies.registry.row_of_key
        loads = told.take_loads(row)
        told.start_moves(world._all_bodies.arrays, row, time_step)
        if told.conveying:
            stages.state.stale = True  # contacts may have been looked at since they were given another motion
        told.start_surfaces(world._all_bodies.arrays, row, time_step)
        more = None if world._loads is None else world._loads.begin(time_step)
        composed = more is not None and world._settings.order > 2
        stages.loads = world._loads.stepping if world._loads is not None and composed else None
        start = stages.begin(world.step_count, world.time, time_step, world._gravity, loads, more)
        undo.start(start)
        order, impacts = (2, None) if stages.make_usual(time_step) else self._make_sub_steps(start)
        self._end(order, impacts)

    def _make_sub_steps(self, start: Checkpoint) -> tuple[int, ImpactSearch | None]:
        """Make the sub-steps of a step; return its order, and the search for times of impact."""
        stages = self._world._stepper
        plan = SubSteps(stages, start, self._world._time_step)
        for h in plan:
            correction = stages.correct(h, plan.options)
            if not correction.possible:
                plan.shorten(h)
                continue
            stages.move(h)
            if plan.reject(h):
                continue
            stages.separate(h, closed=correction.closed)
            stages.settle(h, plan.options)
        return plan.order, plan.impacts

    # ------------------------------------------------------------- the end of a step

    def _end(self, order: int, impacts: ImpactSearch | None) -> None:
        """End a step whose stages were made, of this order, with this search for times of impact."""
        world, stages = self._world, self.stages
        time_step = world._time_step
        same_pairs = self._guard()
        if world._laws.laws:
            self._check_laws()
        stages.finish(time_step)
        told, row = world._all_bodies.next_step, world._all_bodies.registry.row_of_key
        told.end_moves(world._all_bodies.arrays, row)
        told.end_surfaces(world._all_bodies.arrays, row)
        self._count_step(world._all_joints.break_overloaded(time_step), order, impacts)
        if world._loads is not None:
            world._loads.finish()
        self._tell_who_touches(impacts, same_pairs)
        if stages.broken:
            self._break_contacts(stages.broken)
        stages.clock.end(clock.FINISH)

    def _end_plain(self, made: int) -> None:
        """End a step after which nothing is left to be done, but to tell which pairs touch; see `at_once`."""
        self._count_step([], 2, None)
        self._untouched = self._world._entry.uses
        if made != UNEVENTFUL:
            self._tell_who_touches(None, made == SAME_PAIRS)
        self.stages.clock.end(clock.FINISH)

    def _tell_who_touches(self, impacts: ImpactSearch | None, same: bool) -> None:
        """Tell which pairs touch now, and what of that is new; `same`: those of before are known to."""
        stages, settings = self.stages, self._world._settings
        self.touching = self.touching.after(
            stages.system.contacts, settings.touch_distance, stages.state.sleepers, impacts, same
        )

    def _count_step(self, broken_joints: "list[Joint]", order: int, impacts: ImpactSearch | None) -> None:
        """Count a step that was made, and keep what is told of it."""
        values = vars(self._world)  # past the checks of what users assign
        values["time"] += values["_time_step"]
        values["step_count"] += 1
        values["broken_joints"] = broken_joints
        self.ledger = self.ledger + self.stages.state.ledger
        self.order, self.impacts = order, impacts

    def _break_contacts(self, pairs: list[tuple[int, int]]) -> None:
        """Let bodies, by their rows, pass through each other between which a wall broke."""
        bodies, state = self._world._body_store, self.stages.state
        handles = bodies.handles
        bodies.excluded |= {(handles[a]._key, handles[b]._key) for a, b in pairs}
        state.stale = True
        self.stages.waking.wake(np.unique(pairs))
        self.touching = self.touching.broken(pairs)

    # ------------------------------------------------------------- what is looked at

    def _guard(self) -> bool:
        """Stop if a body ran away, naming it; return whether the same pairs are known to touch as before."""
        world = self._world
        bodies, system, settings = world._all_bodies.table.arrays, self.stages.system, world._settings
        contacts = system.contacts
        good, same_pairs = self.outcome.of(
            bodies, settings.speed_limit, contacts, settings.touch_distance, self.touching.pairs
        )
        if good:
            return same_pairs
        bad, impulses = bad_bodies(bodies, settings.speed_limit), system.contact_impulses
        handles, step = world._all_bodies.handles, world.step_count + 1
        raise runaway_error(bad, bodies, handles, contacts, impulses, step, world.time)

    def _check_laws(self) -> None:
        """Raise SimulationError if a friction law of a user gave what no friction gives."""
        world = self._world
        law = world._laws.faulty
        if law is not None:
            step = world.step_count + 1
            raise LawError(
                f"friction law {law!r} returned NaN, infinity or less than 0 in step {step}, "
                f"t = {world.time:.4f} s: friction acts against the sliding, so its function gives a finite "
                "number of 0 or more for every speed",
                step,
                law,
            )

    def _check_margin(self) -> None:
        """Warn if contacts are seen too late with this step, gravity and margin: once for each of these."""
        world = self._world
        margin = world._settings.contact_margin
        now = world._time_step, *world._gravity.tolist(), margin
        if now == self.margin_checked:
            return
        self.margin_checked = now
        if world._body_store.table.count > 1:
            warn_of_margin(world._time_step, float(np.linalg.norm(world._gravity)), margin)

    def _change_force_step(self, time_step: float) -> None:
        """Let the impulses of joints, which those asleep keep, be those of a step of another length [s]."""
        if self._world._settings.rest == "exact":
            self._world.wake_all()
        joints, share = self._world._joint_table.arrays, time_step / self.force_step
        joints.reaction *= share
        joints.total *= share
        self.force_step = time_step
