"""What must hold at every step of any world, watched from outside.

Energy. G is the kinetic and potential energy of the bodies and the elastic energy of springs, servos and soft
stops, less what motors, controllers, loads and kinematic bodies have given by the ledger. What is left in a
world (joints, stops, contacts, friction, dampers) may only take, so G never rises above what it was before.
What displaces overlaps and open joints is no source: it makes up for a motion that went too far. Only what is
inside each other when the watch begins may be pushed apart at any price.

A method of order two does not keep the energy itself but one near it; the difference goes to and fro with the
motion, and a step of half the length divides it by four: that is told apart by `judge`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.benchmarks.worlds.books import OPEN, OPEN_ANGLE, Books, Depth, Moment, work_of
from stoss.benchmarks.worlds.certificate import names_bodies, names_joint
from stoss.benchmarks.worlds.records import MOST_COST
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.bodies.energy import energy_and_momentum
from stoss.engine.joints.arrays import DRIVE, FORCE, LIMIT
from stoss.engine.joints.measures import measure_joints

if TYPE_CHECKING:
    from stoss.engine import StepReport, World

__all__ = ["ENERGY_SHARE", "INVARIANTS", "Violation", "Watch"]

INVARIANTS = (
    "exception",
    "energy",
    "ledger",
    "momentum",
    "angular momentum",
    "joint",
    "stop",
    "overlap",
    "cost",
)

ENERGY_SHARE = 0.01  # of the largest energy, by which it may rise
ROUNDING = 1e-9  # of the largest momentum, per step
OPEN_SWEPT = 1e-3  # the same where sweeps, which end early, solve
CLOSING = 10.0  # [s] for which a joint may stay open that was so from the start
LATE = 0.5  # [s] after which what was hit or opened must be back where it belongs
OVERLAP = 1e-3  # [m] that is no rounding
GROWTH = 2e-3  # [m] by which an overlap that is there already may grow
GROWN = 5  # steps for which it must have, since bodies that go on turning meet more than once
STALL = 5000.0  # units of work
LEAST_USUAL = 30.0  # units of work of the cheapest step that is a measure of others


@dataclass(frozen=True)
class Violation:
    """One rule that was broken.

    Attributes:
        rule: one of `INVARIANTS`.
        step, time: when it was seen first [s].
        measured, allowed: in the unit of the rule: J, N s, N m s, m (or rad), usual steps.
        text: what was seen, in words.
    """

    rule: str
    step: int
    time: float
    measured: float
    allowed: float
    text: str

    def __str__(self) -> str:
        return (
            f"{self.rule}: {self.text} {self.measured:.3g} (allowed {self.allowed:.3g}) "
            f"at {self.time:.3f} s, step {self.step}"
        )


class Watch:
    """Watch a world from now on, as one of its callbacks: `Watch(world)`, then step, then `violations()`.

    What a user changes between steps is no fault of the world: each step is judged by its own start and end.

    Args:
        world: which is watched.
        attached: whether it is one of the callbacks; if not, `look` is called after each step, which costs
            half as much, and nobody changes the world in between.

    Attributes:
        gain: by how much G has risen above its lowest value before [J], and at which time it did [s].
        scale: largest energy there was, potential energy counted from its lowest value [J].
        miss: by how much the energy differs from the ledger [J].
        work: of each step, in solutions, factorisations, passes and sweeps.
        stalls: how many steps were such that nobody would wait for them.
        open_steps: after how many a joint was open, or beyond a hard stop, and named.
    """

    def __init__(self, world: "World", attached: bool = True) -> None:
        self.world = world
        self.gain = self.gain_time = self.miss = self.miss_time = 0.0
        self.scale = self.kinetic = 0.0
        self.open_steps = 0
        self.work: list[float] = []
        self.stalls = 0
        self._found: dict[str, Violation] = {}
        self._books = Books()
        self._first = True
        self._pairs: dict[Any, Depth] = {}
        self._stops: dict[Any, Depth] = {}
        self._look_at_joints()
        self._before = self._moment()
        if attached:
            world.before_step.append(self._start)
            world.after_step.insert(0, lambda world: self.look(world.report))

    # ------------------------------------------------------------- around a step

    def _start(self, world: "World") -> None:
        """See what users have changed since the last step."""
        if self._drive_version != world._joint_table.version:
            self._look_at_joints()
        self._before = self._moment()

    def look(self, report: "StepReport") -> None:
        """Look at the world at the end of a step with this report, which began where the last look was."""
        before, now = self._before, self._moment()
        self._check_energy(before, now, report)
        self._check_momentum(before, now, report)
        self._check_joints(report)
        self._check_overlaps(report)
        self.open_steps += bool(report.open_joints)
        self.work.append(work_of(report))
        self.stalls += self.work[-1] > STALL
        self._first = False
        self._before = now

    def _moment(self) -> Moment:
        """Return energies and momenta of the present state."""
        world = self.world
        totals = energy_and_momentum(world._bodies, np.array(world.gravity))
        soft, springs = self._elastic_energies()
        # beside motors, what springs give is told from what motors give by the ledger alone
        return Moment(totals, soft if self._motors else soft + springs, soft + springs, self._where())

    def _note(self, rule: str, measured: float, allowed: float, text: str) -> None:
        if rule not in self._found:
            self._found[rule] = Violation(
                rule, self.world.step_count, self.world.time, measured, allowed, text
            )

    def _look_at_joints(self) -> None:
        """Find the rows of springs, stops and motors; they change when joints do."""
        world = self.world
        joints = world._joint_table.arrays
        self._drive_version = world._joint_table.version
        on = joints.active & joints.enabled[joints.joint[joints.part]]
        drives = on & (joints.role == DRIVE)
        # what may give energy: rates that are not zero, set points that move, controllers
        given = drives & ((joints.target_rate != 0.0) | (joints.schedule >= 0))
        self._motors = bool(given.any() or (on & (joints.role == FORCE)).any())
        springs = drives & (joints.stiffness > 0.0)
        soft = on & (joints.role == LIMIT) & np.isfinite(joints.stiffness)
        self._springs, self._soft = np.flatnonzero(springs), np.flatnonzero(soft)
        self._hard = np.flatnonzero(on & (joints.role == LIMIT) & ~np.isfinite(joints.stiffness))
        kinds = world._bodies.kinds
        pairs = joints.bodies[joints.enabled]
        self._held = bool((pairs < 0).any()) or bool((kinds[pairs[pairs >= 0]] != DYNAMIC).any())

    def _elastic_energies(self) -> tuple[float, float]:
        """Return what contacts and soft stops, and what springs store [J]."""
        world, contacts = self.world, 0.0
        if len(world._body_store.pairs.table) > 1:
            contacts = float(world.contacts.stored_energy.sum())
        if not len(self._springs) and not len(self._soft):
            return contacts, 0.0
        joints = self.world._joint_table.arrays
        value, rate = joints.value.copy(), np.zeros(len(joints.value))
        measure_joints(joints, self.world._bodies, value, rate)
        k = self._springs
        bend, stiffness = np.abs(value[k] - joints.target[k]), joints.stiffness[k]
        # beyond the largest force, that force times the way
        elastic = np.minimum(bend, joints.max_force[k] / stiffness)
        springs = float((stiffness * elastic * (bend - 0.5 * elastic)).sum())
        k = self._soft
        deep = np.maximum(np.maximum(joints.lower[k] - value[k], value[k] - joints.upper[k]), 0.0)
        return contacts + float((0.5 * joints.stiffness[k] * deep * deep).sum()), springs

    def _where(self) -> np.ndarray:
        """Return the sum of mass times place (3,) [kg m] of the dynamic bodies."""
        bodies = self.world._bodies
        return bodies.masses @ bodies.positions

    # ------------------------------------------------------------- energy

    def _check_energy(self, before: Moment, now: Moment, report: "StepReport") -> None:
        if not np.isfinite(now.totals).all():
            self._note("energy", np.inf, 0.0, "is no number")
            return
        books, ledger = self._books, report.ledger
        change = now.energy - before.energy
        given = ledger.driven_work + ledger.load_work
        if self._motors:
            # what drives take in the same solves, of velocities that light bodies have for less than a step,
            # holds seem to give: the sum of both is what there is
            given += max(ledger.drive_work, 0.0)
        if books.apart(report, 2.0 * self.world.settings.touch_distance):
            # springs, too, are bent by what is pushed apart: they store what no work was done for
            stored = now.elastic - before.elastic
            bent = min(stored, stored + ledger.drive_work + ledger.stop_work)
            given += ledger.displacement_energy + max(bent, 0.0)
        gained = change + now.elastic - before.elastic - given
        books.level += gained
        books.lowest = min(books.lowest, books.level)
        books.ledger += change - ledger.change
        potential = float(now.totals[1])
        books.least_potential = min(books.least_potential, potential)
        self.kinetic = max(self.kinetic, float(now.totals[0]))
        for moment in (before, now):
            energy = moment.energy + moment.stored - books.least_potential
            self.scale = max(self.scale, energy)
        if books.level - books.lowest > self.gain:
            self.gain, self.gain_time = books.level - books.lowest, self.world.time
            books.gain_step = self.world.step_count
        if abs(books.ledger) > self.miss:
            self.miss, self.miss_time = abs(books.ledger), self.world.time
            books.miss_step = self.world.step_count

    @property
    def cost(self) -> float:
        """Return the work of the costliest step over that of a usual one."""
        return max(self.work) / max(float(np.median(self.work)), LEAST_USUAL) if self.work else 0.0

    @property
    def allowed_gain(self) -> float:
        """Return by how much the energy may rise [J].

        A share of the largest energy; where nothing moves, what bodies have on the way by which surfaces are
        apart that count as touching, and at the speed at which impulses close joints.
        """
        world, settings = self.world, self.world.settings
        mass, gravity = float(world._bodies.masses.sum()), float(np.linalg.norm(world.gravity))
        least = gravity * settings.touch_distance + 0.5 * settings.correction_speed**2
        return ENERGY_SHARE * self.scale + mass * least

    # ------------------------------------------------------------- momentum

    def _check_momentum(self, before: Moment, now: Moment, report: "StepReport") -> None:
        """Compare with gravity and loads where nothing else acts from outside: no ground, no world."""
        world = self.world
        bodies = world._bodies
        if (
            self._held
            or (bodies.kinds != DYNAMIC).any()
            or world._body_store.next_step.loads
            or report.asleep_count
        ):
            return
        h = world.time_step
        mass, g = float(bodies.masses.sum()), world.gravity
        wanted = before.totals[2:5] + h * (mass * g + world.forces.sum(axis=0))
        size = float(np.abs(bodies.masses[:, None] * bodies.velocities).sum()) + mass * h * float(
            np.abs(g).sum()
        )
        miss = float(np.abs(now.totals[2:5] - wanted).max())
        if miss > ROUNDING * size + 1e-13:
            self._note("momentum", miss, ROUNDING * size, "momentum of bodies that are alone changed by")
        if world.forces.any():
            return
        turned = before.totals[5:8] + h * world.torques.sum(axis=0)
        turned = turned + np.cross(0.5 * h * (before.where + now.where), g)
        arms = np.abs(bodies.positions).max() * size + float(
            (bodies.inertias.max(axis=1) @ np.abs(bodies.angular_velocities)).sum()
        )
        miss = float(np.abs(now.totals[5:8] - turned).max())
        if miss > ROUNDING * arms + 1e-13:
            self._note(
                "angular momentum",
                miss,
                ROUNDING * arms,
                "angular momentum of bodies that are alone changed by",
            )

    # ------------------------------------------------------------- joints and stops

    def _check_joints(self, report: "StepReport") -> None:
        if report.joint_count == 0:
            return
        length, angle = report.joint_error, report.joint_angle_error
        swept = report.direct_islands < report.islands
        allowed = OPEN_SWEPT if swept else OPEN
        if not self._books.closed:
            self._books.closed = (length <= allowed and angle <= OPEN_ANGLE) or self.world.time > CLOSING
        elif (length > allowed or angle > OPEN_ANGLE) and not report.open_joints:
            if length > allowed:
                self._note("joint", length, allowed, "open by, m:")
            else:
                self._note("joint", angle, OPEN_ANGLE, "turned open by, rad:")
        if len(self._hard):
            self._check_stops(report)

    def _check_stops(self, report: "StepReport") -> None:
        """A stop is passed by what moves in the step in which it is hit, and then returned to."""
        joints, rows = self.world._joint_table.arrays, self._hard
        value = joints.value[rows]
        deep = np.maximum(joints.lower[rows] - value, value - joints.upper[rows])
        for m in range(len(rows)):
            row, depth = int(rows[m]), float(deep[m])
            excused = depth > OPEN_ANGLE and self._names_stop(report, row)
            self._judge_depth("stop", self._stops, row, depth, OPEN_ANGLE, excused)

    def _names_stop(self, report: "StepReport", row: int) -> bool:
        """Return whether the report names the joint of a stop, or a body of its island."""
        joints, handles = self.world._joint_table.arrays, self.world._joint_store.handles
        joint = joints.joint[joints.part[row]]
        return names_joint(report, handles[joint].name, self._together(*joints.bodies[joint]))

    def _together(self, *bodies: int) -> set[str]:
        """Return the names of some bodies, and of those in their islands: they may contradict them."""
        handles, islands = self.world._body_store.handles, self.world._stepper.system.islands
        found = {handles[i].name for i in bodies if i >= 0}
        for first, last in zip(islands.body_start[:-1], islands.body_start[1:], strict=True):
            members = islands.bodies[first:last]
            if np.isin(members, bodies).any():
                found.update(handles[i].name for i in members)
        return found

    def _check_overlaps(self, report: "StepReport") -> None:
        if report.max_overlap <= OVERLAP:
            self._pairs.clear()
            return
        contacts = self.world.contacts
        gaps, first, second = contacts.gap, contacts.body_a, contacts.body_b
        deepest: dict[tuple[int, int], float] = {}
        for c in np.flatnonzero(gaps < -OVERLAP):
            pair = (int(first[c]), int(second[c]))
            deepest[pair] = max(deepest.get(pair, 0.0), -float(gaps[c]))
        for pair in [pair for pair in self._pairs if pair not in deepest]:
            del self._pairs[pair]
        tells = bool(report.jammed or report.ladder)
        for pair, depth in deepest.items():
            excused = tells and names_bodies(report, self._together(*pair))
            self._judge_depth("overlap", self._pairs, pair, depth, OVERLAP, excused)

    def _judge_depth(
        self,
        rule: str,
        depths: dict[Any, Depth],
        key: Any,
        depth: float,
        tolerance: float,
        excused: bool,
    ) -> None:
        """Note what is too deep for long, or goes on growing, without being named, or its island.

        How deep it is first is what was moved in that step. What is there from the start may take its time,
        and what was named has as much time once it is not, and grows from what it was then: a jam that is
        named in nine steps of ten, and deeper in some of them, has not grown in the tenth. What shrinks does
        not grow, however deep it is.
        """
        if depth <= tolerance:
            depths.pop(key, None)
            return
        now = self.world.time
        seen = depths.setdefault(key, Depth(np.inf if self._first else now, depth, depth))
        grows = depth > seen.last
        seen.least, seen.last = min(seen.least, depth), depth
        seen.grown = seen.grown + grows if depth > seen.least + GROWTH else 0
        if excused:
            seen.since, seen.least, seen.grown = max(seen.since, now), depth, 0
            return
        if grows and seen.grown >= GROWN:
            self._note(rule, depth, seen.least + GROWTH, "grew to, m or rad:")
        elif now - seen.since > LATE:
            self._note(rule, depth, tolerance, f"for {LATE} s, m or rad:")

    # ------------------------------------------------------------- results

    def violations(self) -> list[Violation]:
        """Return what was broken, energies judged by the step as it is; see `judge`."""
        found = dict(self._found)
        allowed = self.allowed_gain
        if self.gain > allowed and "energy" not in found:
            text = "gained, J:"
            found["energy"] = Violation(
                "energy", self._books.gain_step, self.gain_time, self.gain, allowed, text
            )
        if self.miss > allowed:
            text = "differs from the ledger by, J:"
            found["ledger"] = Violation(
                "ledger", self._books.miss_step, self.miss_time, self.miss, allowed, text
            )
        if self.cost > MOST_COST:
            worst = int(np.argmax(self.work)) + 1
            time = worst * self.world.time_step
            found["cost"] = Violation("cost", worst, time, self.cost, MOST_COST, "usual steps:")
        return [found[rule] for rule in INVARIANTS if rule in found]
