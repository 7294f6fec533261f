"""The world: bodies, time and the step."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from stoss.collision.contacts import Contacts
from stoss.collision.queries import queries
from stoss.collision.shapes.shapes import Shape
from stoss.engine import checks
from stoss.engine.bodies.energy import bad_bodies, energy_and_momentum
from stoss.engine.bodies.material import COMBINATION_RULES, combine_all
from stoss.engine.bodies.material_pairs import SLIDE
from stoss.engine.contacts.events import ContactEvents, find_events, no_events, touching_pairs
from stoss.engine.joints.state import held_errors, overloaded_joints
from stoss.engine.motion.time_of_impact import ImpactSearch
from stoss.engine.settings import Settings
from stoss.engine.stages import clock
from stoss.engine.stages.checkpoint import Checkpoint
from stoss.engine.stages.ledger import ENTRIES, EnergyLedger
from stoss.engine.stages.sub_steps import SubSteps
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.engine.world.model import Model, read_only
from stoss.engine.world.report import SimulationError, StepRecord, StepReport
from stoss.engine.world.snapshot import Snapshot

__all__ = ["World"]

Callback = Callable[["World"], None]


class World(Model):
    """A set of rigid bodies under gravity, with contacts, that is advanced in steps of equal length.

    Args:
        gravity: (3,) [m/s^2].
        time_step: length of a step [s].
        settings: how it is simulated.

    Raises:
        ValueError: a value that is not finite, or a time step that is not above zero.

    Attributes:
        before_step, after_step: lists of functions f(world), called around every step in their order.
        events: which pairs of bodies began, went on or ended touching in the last step.
        broken_joints: joints that broke in the last step.
    """

    def __init__(
        self,
        gravity: Any = (0.0, 0.0, -9.81),
        time_step: float = 0.01,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(Settings() if settings is None else settings)
        self._gravity = checks.vector("gravity", gravity)
        self._time_step = checks.positive("time_step", time_step, "s")
        self.events: ContactEvents = no_events()
        self.broken_joints: list[Joint] = []
        self.before_step: list[Callback] = []
        self.after_step: list[Callback] = []
        self._order = 2  # of the last step
        self._impacts: ImpactSearch | None = None  # in the last step
        self._ledger = np.zeros(ENTRIES)
        self.time = 0.0
        self.step_count = 0

    # ------------------------------------------------------------------ step

    def step(self, count: int = 1) -> StepReport:
        """Advance the world by `count` steps and report the last one.

        Raises:
            SimulationError: a body ran away; the world is back at the last good step.
        """
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ValueError(f"count = {count!r} must be a whole number of at least 1")
        for _ in range(count):
            self._step()
        return self.report

    def _step(self) -> None:
        """Advance by one step, RATTLE with impacts: on several sub-steps where one is too long."""
        for callback in self.before_step:
            callback(self)
        stages, time_step = self._dynamics, self._time_step
        start = stages.begin(self.step_count, self.time, time_step, self._gravity, self._take_loads())
        plan = SubSteps(stages, start, time_step)
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
        self._guard(start)
        stages.finish(time_step)
        self.time += time_step
        self.step_count += 1
        self._ledger += stages.state.ledger
        self._order, self._impacts = plan.order, plan.impacts
        self._break_joints()
        self._note_events()
        stages.clock.end(clock.FINISH)
        for callback in self.after_step:
            callback(self)

    def _take_loads(self) -> dict[int, np.ndarray]:
        """Return the forces and torques given for the next step alone, by row, and forget them."""
        loads = {self._rows[key]: load for key, load in self._loads.items()} if self._loads else {}
        self._loads = {}
        return loads

    def _note_events(self) -> None:
        """Compare which bodies touch with those that touched after the last step."""
        stages = self._dynamics
        contacts = stages.system.contacts
        pairs = touching_pairs(contacts.arrays, contacts.count, self.settings.touch_distance)
        pairs = stages.sleepers.with_pairs(pairs)
        if self._impacts is not None:
            pairs = self._impacts.all_pairs(pairs)
        self.events, self._touching = find_events(self._touching, pairs), pairs

    def _break_joints(self) -> None:
        """Break the joints whose reaction exceeds their limits."""
        self.broken_joints = []
        if self._joint_table.count == 0:
            return
        for j in overloaded_joints(self._joint_table.arrays, self._time_step):
            self._joint_table.break_joint(j)
            self.broken_joints.append(self._joint_handles[j])

    def _guard(self, start: Checkpoint) -> None:
        """Stop if a body has run away, naming it, and go back to the last good state."""
        bad = bad_bodies(self._bodies, self.settings.speed_limit)
        if len(bad) == 0:
            return
        culprit = self._culprit(bad)
        contact = self._hardest_contact(culprit)
        b = self._bodies
        with np.errstate(over="ignore", invalid="ignore"):
            speed = float(np.linalg.norm(b.velocities[culprit]))
            spin = float(np.linalg.norm(b.angular_velocities[culprit]))
        self._dynamics.roll_back(start)
        name = self._handles[culprit].name
        touching = "" if contact is None else f", in contact between {contact[0]!r} and {contact[1]!r}"
        raise SimulationError(
            f"step {self.step_count + 1}: body {name!r} ran away ({speed:.3g} m/s, {spin:.3g} rad/s)"
            f"{touching}; the world is back at t = {self.time:.6g} s: try a smaller time step, "
            "or check its masses and forces",
            self.step_count + 1,
            name,
            contact,
        )

    def _culprit(self, bad: np.ndarray) -> int:
        """Return the runaway body on which the largest force or torque acts, or the fastest one."""
        b = self._bodies
        loads = np.maximum(np.abs(b.forces[bad]).max(axis=1), np.abs(b.torques[bad]).max(axis=1))
        if loads.max() > 0.0:
            return int(bad[np.argmax(loads)])
        speeds = np.abs(b.velocities[bad]).max(axis=1)
        return int(bad[np.argmax(np.where(np.isfinite(speeds), speeds, -1.0))])

    def _hardest_contact(self, body: int) -> tuple[str, str] | None:
        contacts = self._dynamics.system.contacts
        a, b = contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]
        mine = np.nonzero((a == body) | (b == body))[0]
        if len(mine) == 0:
            return None
        sizes = np.abs(self._dynamics.system.contact_impulses[mine]).max(axis=1)
        worst = mine[int(np.argmax(np.where(np.isnan(sizes), np.inf, sizes)))]
        return self._handles[a[worst]].name, self._handles[b[worst]].name

    @property
    def gravity(self) -> np.ndarray:
        """Gravity (3,) [m/s^2]; assign to change it."""
        return read_only(self._gravity)

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity = checks.vector("gravity", value)

    @property
    def time_step(self) -> float:
        """Length of a step [s]; assign to change it."""
        return self._time_step

    @time_step.setter
    def time_step(self, value: float) -> None:
        self._time_step = checks.positive("time_step", value, "s")

    # ------------------------------------------------------------- results

    @property
    def contacts(self) -> Contacts:
        """Contacts of the present state, those across a gap and of bodies asleep included.

        The next step overwrites them.
        """
        return self._dynamics.waking.all_contacts[0]

    @property
    def contact_impulses(self) -> np.ndarray:
        """Impulse (c, 3) [N s] on the first body of each contact over the last step."""
        return self._dynamics.waking.all_contacts[1]

    @property
    def contact_friction(self) -> np.ndarray:
        """Coefficient of sliding friction (c,) of each of the `contacts`."""
        bodies, contacts = self._bodies, self.contacts
        first, second = contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]
        rule = COMBINATION_RULES.index(self.settings.friction_rule)
        own = self._pairs.table[bodies.pair_group[first], bodies.pair_group[second], SLIDE]
        return np.where(
            np.isnan(own), combine_all(rule, bodies.friction[first], bodies.friction[second]), own
        )

    @property
    def report(self) -> StepReport:
        """Statistics of the last step and of the present state."""
        state, system, impacts = self._dynamics.state, self._dynamics.system, self._impacts
        gaps = system.contacts.gap[: system.contacts.count]
        return StepReport(
            StepRecord(
                step=self.step_count,
                time=self.time,
                order=self._order,
                body_count=self._table.count,
                joint_count=self._joint_table.count,
                asleep_count=state.sleepers.count,
                impacts=(0, 0, 0) if impacts is None else (impacts.found, impacts.retries, impacts.missed),
                statistics=state.statistics.copy(),
                ledger=state.ledger.copy(),
                methods=system.solver.methods,
                gaps=np.concatenate([gaps, state.sleepers.gaps]) if state.sleepers.count else gaps.copy(),
                touch_distance=self.settings.touch_distance,
                joint_errors=held_errors(state.joints) if self._joint_table.count else (0.0, 0.0),
                totals=energy_and_momentum(self._bodies, self._gravity),
                jammed=self._jammed_pairs(),
                stage_seconds=self._dynamics.clock.seconds,
            )
        )

    def _jammed_pairs(self) -> tuple[tuple[str, str], ...]:
        """Return the names of the pairs that the last step could not move apart."""
        jammed, contacts = self._dynamics.system.jammed, self._dynamics.system.contacts
        if len(jammed) == 0:
            return ()
        pairs = dict.fromkeys(zip(contacts.body_a[jammed], contacts.body_b[jammed], strict=True))
        return tuple((self._handles[a].name, self._handles[b].name) for a, b in pairs)

    @property
    def ledger(self) -> EnergyLedger:
        """What has taken energy from the bodies, or given it to them, over all steps [J]."""
        return EnergyLedger.of(self._ledger)

    def state_hash(self) -> str:
        """Return a hash of all poses and velocities: equal bits, equal hash."""
        b = self._bodies
        digest = hashlib.sha256()
        for array in (b.positions, b.quaternions, b.velocities, b.angular_velocities):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def save(self) -> Snapshot:
        """Return the whole state; `restore` continues from it bitwise as if nothing had happened."""
        return Snapshot(
            records=tuple(self._records),
            excluded=frozenset(self._excluded),
            next_key=self._next_key,
            bodies=self._table.copy_arrays(),
            joints=self._joint_store.save(),
            settings=self.settings,
            gravity=self._gravity.copy(),
            time_step=self._time_step,
            time=self.time,
            step_count=self.step_count,
            touching=self._touching.copy(),
            events=self.events,
            loads={key: load.copy() for key, load in self._loads.items()},
            ledger=self._ledger.copy(),
            materials=tuple(self._materials),
            pairs=self._pairs.copy(),
            dynamics=self._dynamics.save(),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a saved state, of this world or of one with the same collision backend.

        Bodies that were added since are gone, bodies that were removed are back (with new handles).
        """
        same = len(snapshot.records) == len(self._records) and all(
            mine is theirs for mine, theirs in zip(self._records, snapshot.records, strict=True)
        )
        if not same or snapshot.excluded != self._excluded:
            self._rebuild(snapshot)
        if snapshot.settings != self.settings:
            self.settings = snapshot.settings
        self._table.set_arrays(snapshot.bodies)
        self._joint_store.restore(snapshot.joints)
        self.broken_joints = []
        self._gravity = snapshot.gravity.copy()
        self._time_step = snapshot.time_step
        self.time, self.step_count = snapshot.time, snapshot.step_count
        self._touching, self.events = snapshot.touching.copy(), snapshot.events
        self._loads = {key: load.copy() for key, load in snapshot.loads.items()}
        self._ledger = snapshot.ledger.copy()
        self._materials = list(snapshot.materials)
        self._pairs = snapshot.pairs.copy()
        self._dynamics.pairs = self._pairs.table
        self._dynamics.restore(snapshot.dynamics)

    # ------------------------------------------------------------- queries

    def ray_cast(self, origin: Any, direction: Any, max_distance: float = np.inf) -> tuple[Body, Any] | None:
        """Return the first body on a ray and the hit (point, normal, distance), or None.

        Args:
            origin: (3,) [m].
            direction: (3,), any length above zero.
            max_distance: [m].
        """
        self._place_shapes()
        hit = queries.ray_cast(self._detector.table, origin, direction, max_distance)
        return None if hit is None else (self._handles[hit.body], hit)

    def closest_point(self, point: Any) -> tuple[Body, Any] | None:
        """Return the body whose surface is closest to a point (3,) [m], and the finding, or None."""
        self._place_shapes()
        found = queries.closest_point(self._detector.table, point)
        return None if found is None else (self._handles[found.body], found)

    def overlap(self, shape: Shape, position: Any = (0, 0, 0), quaternion: Any = (1, 0, 0, 0)) -> list[Body]:
        """Return the bodies that overlap a shape placed in the world."""
        self._place_shapes()
        rows = queries.overlap(self._detector.table, shape, position, quaternion)
        return [self._handles[i] for i in sorted({int(self._detector.table.body[row]) for row in rows})]

    def _place_shapes(self) -> None:
        b = self._bodies
        self._detector.table.update(b.positions, b.quaternions, 0.0)
