"""A controller that walks: springs that are not there, and a machine of two states (Henze 2002, chapter 3).

No motion is prescribed. In each step a few scalar wishes (length of the leg, of the step, lean of the trunk,
speed, direction) become virtual forces by springs and dampers, and these become torques of the joints by the
transposed jacobian of each leg.
"""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from math import copysign, cos, exp, radians, sin
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.control.controller import Controller
from stoss.engine.humans.drives import ARM_TURN, add_arms, add_dampers
from stoss.engine.humans.gains import Gains
from stoss.engine.humans.humanoid import SIDES, Humanoid
from stoss.engine.humans.leg_state import LegSizes, LegState, state_of_leg
from stoss.engine.humans.placement import Placement
from stoss.engine.humans.senses import look_at_trunk, read_parts, read_soles
from stoss.engine.humans.standing import aim_of, feet_of, stand_still, step_to_stop
from stoss.engine.humans.start import begin_on_both_legs, begin_on_one_leg
from stoss.engine.humans.steps import LEFT, RIGHT, Steps
from stoss.engine.humans.strategies import (
    SPINE_TURN,
    Damper,
    Sight,
    give_torques,
    stand_on_both,
    stand_on_one,
    turn_spine,
)
from stoss.engine.humans.walk import SPEEDS, Landing, Walk, walk_by_key
from stoss.engine.humans.walk_marks import draw_walk
from stoss.engine.joints.leading import hold_in_step
from stoss.engine.world.drives import Drive

if TYPE_CHECKING:
    from stoss.engine.world.body import Body
    from stoss.engine.world.world import World

__all__ = ["LEFT", "RIGHT", "VirtualModelWalker"]

LAG_OF_SOLES = 0.005  # [s]
FIRST = 0.12  # [m] by which the first step is longer than those that follow
STOPS = 0.92  # [m/s] below which a walk is brought to an end within a few steps
TURN_RATE = radians(9.0)  # [rad/s]: a quarter turn in ten seconds


class VirtualModelWalker(Controller):
    """Walk with a humanoid: add it to its world as a controller.

        person = build_humanoid(world)
        walker = VirtualModelWalker(person)
        walker.start()
        world.add_controller(walker)

    It knows angles and rates of joints, the direction of gravity, and the loads on the points of the soles,
    and gives torques of joints, which it adds to `World.torques` in each step. Henze 2002, chapter 3.

    Args:
        humanoid: of 22, 20 or 26 degrees of freedom.
        walk: what is wanted; assign `walk` to change it while it walks, and one of speed 0 to stop it.
        heading_control: whether the trunk is kept in the direction of the walk; without it the walk veers.
        turn_rate: how fast it turns to another direction at most [rad/s]; None: at once.
        feed_forward: whether hips make up for the twist of the legs' forces.
        swing_arms: whether arms are swung against the legs, by springs, with "26dof".

    Attributes:
        phase: "single" or "double" support, or "stand".
        standing: side of the leg that stands, or that is behind: "right" or "left".
        steps: how many were made.
        fallen: whether the hips are too low for it to walk on; it gives no torques then.
    """

    keys = MappingProxyType(
        {"UP": "walk faster", "DOWN": "walk slower", "LEFT": "turn to the left", "RIGHT": "turn to the right"}
    )
    not_state: tuple[str, ...] = (
        *("humanoid", "gains", "_known", "_parts", "_dampers", "_arms", "_legs", "_sizes_of_legs", "_trunk"),
        *("_damper_rows", "_version"),
        *("_world_rows", "_frames", "_w", "_places", "_speeds", "_masses"),
    )

    def __init__(
        self,
        humanoid: Humanoid,
        walk: Walk | None = None,
        *,
        heading_control: bool = True,
        turn_rate: float | None = TURN_RATE,
        feed_forward: bool = True,
        swing_arms: bool = False,
    ) -> None:
        checks.instance("humanoid", humanoid, Humanoid, "build_humanoid(world)")
        if humanoid.variant in ("planar", "ragdoll"):
            raise ValueError(
                f"humanoid is a {humanoid.variant}, whose joints it lets be; take build_humanoid(world)"
            )
        self.humanoid, self.gains = humanoid, Gains(humanoid.human)
        self._sizes_of_legs = LegSizes(humanoid.human)
        self.walk = Walk() if walk is None else walk
        self._known = self._walk, self.gains.of(self.walk)
        self.heading_control = checks.flag("heading_control", heading_control)
        self.turn_rate = None if turn_rate is None else checks.positive("turn_rate", turn_rate, "rad/s")
        self.feed_forward = checks.flag("feed_forward", feed_forward)
        if checks.flag("swing_arms", swing_arms) and humanoid.variant != "26dof":
            raise ValueError(f"swing_arms = True needs a humanoid of '26dof', not {humanoid.variant!r}")
        self._arms: list[Drive] = add_arms(humanoid, self.gains) if swing_arms else []
        self._plan: list[tuple[float, tuple[float, ...]]] = []
        self._heading = self.walk.heading
        limbs = [f"{side} {part}" for part in ("thigh", "shank", "foot") for side in SIDES]
        self._parts: list[Body] = [humanoid.bodies[name] for name in ("pelvis", "upper body", *limbs)]
        self._world_rows = np.zeros(0, np.int64)  # of the parts, when it last sensed
        self._frames, self._masses = np.zeros((8, 3, 3)), np.zeros(8)
        self._w, self._places, self._speeds = (np.zeros((8, 3)) for _ in range(3))
        self._trunk = (0.0,) * 8  # see `look_at_trunk`
        self._steps, self._placement = Steps(self.gains.of(self.walk).step), Placement()
        self.fallen = False
        self._time, self._period = 0.0, 0.0
        self._given = np.zeros((8, 3))
        self._dampers: list[Drive] = add_dampers(humanoid)
        self._damper_rows, self._version = np.zeros(0, np.int64), -1  # and of what version of the joints
        self._loads = np.zeros((2, 3))
        self._legs: list[LegState] = []

    @property
    def walk(self) -> Walk:
        """What is wanted; assign another walk while it walks."""
        return Walk(*self._walk)

    @walk.setter
    def walk(self, walk: Walk) -> None:
        self._walk: tuple[float, ...] = astuple(checks.instance("walk", walk, Walk, "Walk(speed=1.0)"))

    @property
    def _wish(self) -> Walk:
        """Return what is wanted, in proportion to the body."""
        if self._known[0] is not self._walk:
            self._known = self._walk, self.gains.of(self.walk)
        wish, steps = self._known[1], self._steps
        if wish.speed == 0.0 and steps.phase != "stand" and not steps.stops:
            speed, push_off, step = SPEEDS[0][1:]
            return self.gains.of(replace(self.walk, speed=speed, push_off=push_off, step=step))
        return wish

    @property
    def landings(self) -> list[Landing]:
        """Return the landings of the feet, one after the other; see `gait_report`."""
        return self._steps.landings

    @property
    def heading(self) -> float:
        """Return the direction in which it walks at present, which turns to that of its walk [rad]."""
        return self._heading

    @property
    def standing(self) -> str:
        """Return the side of the leg that stands, or that is behind."""
        return SIDES[self._steps.stand]

    @property
    def phase(self) -> str:
        """Return "single" or "double" support, or "stand"."""
        return self._steps.phase

    @property
    def steps(self) -> int:
        """Return how many steps were made."""
        return self._steps.count

    def _set_dampers(
        self, world: "World", legs: list[LegState], spine: Sequence[tuple[float, float]]
    ) -> None:
        """Write damping [N m s/rad] and target [rad/s] of each damper."""
        table = world._joint_table
        arrays = table.arrays
        if self._version != table.version:
            self._damper_rows = np.array([damper.index for damper in self._dampers])
            self._version = table.version
        wanted = [*(spine if self.humanoid.variant != "20dof" else ())]
        for leg in legs:
            wanted += leg.hip_dampers
        for leg in legs:
            wanted += leg.ankle_dampers
        rows = self._damper_rows
        arrays.damping[rows], rates = np.array(wanted).T
        hold_in_step(arrays, rows, rates)

    def plan(self, time: float, walk: Walk) -> None:
        """Walk otherwise from a time on; a walk of speed 0 ends in standing.

        Args:
            time: of the world [s].
            walk: what is wanted then, for instance `dataclasses.replace(walker.walk, heading=0.5)`.
        """
        at = checks.number("time", time, "s")
        self._plan.append((at, astuple(checks.instance("walk", walk, Walk, "Walk(speed=1.0)"))))
        self._plan.sort(key=lambda one: one[0])

    def draw(self, canvas: Any) -> None:
        """Draw foot prints, the centre of mass, the forces of the ground, and the phase."""
        draw_walk(self, canvas)

    def press(self, key: str) -> None:
        """Walk faster or slower by 0.05 m/s, or turn by 10 degrees.

        Args:
            key: "UP", "DOWN", "LEFT" or "RIGHT".
        """
        self.walk = walk_by_key(self.walk, key)

    def start(self, speed: float = 1.0, outward: float = 0.25, *, standing: str = "right") -> None:
        """Bring the person into the first single support: on one leg, turning about its ankle.

        Args:
            speed: of the centre of mass, forward [m/s]; as all of a walk, of the man of the thesis.
            outward: its speed to the side of the leg that stands [m/s].
            standing: "right" or "left"; a walk from the left leg mirrors that from the right one.

        Raises:
            ValueError: neither side.
        """
        stand = SIDES.index(checks.choice("standing", standing, SIDES))
        factor = self.gains.speed
        sideways = factor * (outward if stand == LEFT else -outward)
        self._heading = self.walk.heading
        begin_on_one_leg(self.humanoid, stand, self._heading, factor * speed, sideways)
        self.fallen = False
        length = self.gains.of(self.walk).step
        self._steps.restart("single", stand, length, self.humanoid.world.time)
        self._placement.begin()

    def stand(self, *, standing: str = "right") -> None:
        """Bring the person onto both legs, at rest; from there a walk begins with a shift of the weight.

        Args:
            standing: the leg that stands first: "right" or "left".

        Raises:
            ValueError: neither side.
        """
        stand = SIDES.index(checks.choice("standing", standing, SIDES))
        self._heading = self.walk.heading
        begin_on_both_legs(self.humanoid, self._heading)
        self.fallen = False
        self._steps.restart("stand", 1 - stand, 0.0, self.humanoid.world.time)

    def sense(self, world: "World") -> None:
        """Read poses and rates of the bodies, and the loads on the points of the soles."""
        self._world_rows = np.array([part.index for part in self._parts])
        bodies = world._bodies
        read_parts(bodies, self._world_rows, self._frames, self._w, self._places, self._speeds, self._masses)
        self._read_soles(world)
        self._time = world.time

    def points_on_ground(self, world: "World") -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        """Yield foot, point, impulse on it (3,) [N s] and its place in the frame of the foot (3,) [m].

        Points are 0: heel, 1: medial, 2: lateral ball, feet 0: right, 1: left; those of the last step.

        Args:
            world: in which it walks.
        """
        contacts, impulses = world._stepper.waking.all_contacts
        if not contacts.count:
            return
        ends = contacts.body_a, contacts.body_b, contacts.point_a, contacts.point_b
        found = np.empty((2 * contacts.count, 8))
        count = read_soles(*ends, impulses, self._world_rows[6:], self._frames, self._places, found)
        for row in found[:count]:
            yield int(row[0]), int(row[1]), row[2:5], row[5:]

    def _read_soles(self, world: "World") -> None:
        """Note the load on heel and balls of both feet [N].

        Rigid points share a load as chance has it from step to step: a lag makes means of them.
        """
        share = 1.0 - exp(-world.time_step / (self.gains.speed * LAG_OF_SOLES))
        self._loads *= 1.0 - share
        for foot, which, impulse, _ in self.points_on_ground(world):
            self._loads[foot, which] += share * max(impulse[2], 0.0) / world.time_step

    def update(self, time: float, period: float) -> None:
        """Give the joints their torques."""
        while self._plan and time >= self._plan[0][0] - 0.5 * period:
            self._walk = self._plan.pop(0)[1]
        wanted = self._wish.heading
        away = wanted - self._heading
        self._period = period
        most = abs(away) if self.turn_rate is None else min(self.turn_rate * period, abs(away))
        self._heading = wanted if abs(away) == most else self._heading + copysign(most, away)
        world = self.humanoid.world
        torques = self._torques()
        world._bodies.torques[self._world_rows] += torques - self._given
        self._given = torques

    def _torques(self) -> np.ndarray:
        """Return torques on the bodies (8, 3) in the world [N m]."""
        out = np.zeros((8, 3))
        legs, seen = self._look()
        if min(leg.z for leg in legs) < 0.5 * seen.wish.leg or self._frames[0, 2, 2] < 0.3:
            self.fallen = True
        if self.fallen:
            for leg in legs:
                leg.hip_dampers = leg.ankle_dampers = [(0.0, 0.0)] * 3
            self._set_dampers(self.humanoid.world, legs, [(0.0, 0.0)] * 2)
            return out
        self._legs = legs
        aim = self._decide(legs, seen)
        steps = self._steps
        behind, before = legs[steps.stand], legs[1 - steps.stand]
        share = 1.0
        if steps.phase == "single":
            share = steps.share(behind.x - before.x, steps.length)
            stand_on_one(behind, before, seen, steps, self._placement)
        elif steps.phase == "double":
            stand_on_both(behind, before, seen, steps)
        else:
            stand_still(legs, seen, feet_of(self._places, self._masses, self._heading), aim)
        give_torques(legs, out)
        spine: list[Damper] = []
        if self.humanoid.variant != "20dof":
            to = SPINE_TURN if steps.stand == RIGHT else -SPINE_TURN
            to, share = (to, share) if steps.phase != "stand" else (0.0, 1.0)
            torque, spine = turn_spine(self._frames, self._trunk[5:], self.gains, to, share)
            out[1] += torque
            out[0] -= torque
        self._set_dampers(self.humanoid.world, legs, spine)
        return out

    def _look(self) -> tuple[list[LegState], Sight]:
        """Return both legs, and what else the strategies go by."""
        turn = self._heading
        self._trunk = look_at_trunk(self._frames, self._w, self._speeds, self._masses, turn)
        lean, roll, yaw, lean_rate, sideways = self._trunk[:5]
        parts = self._frames, self._w, self._places, self._speeds
        legs = [
            state_of_leg(self._sizes_of_legs, side, parts, self._loads[side], (lean, lean_rate))
            for side in (RIGHT, LEFT)
        ]
        hips = 0.5 * (legs[0].hip_speed + legs[1].hip_speed)
        pelvis = self.humanoid.human.pelvis
        assert pelvis.distal is not None
        return legs, Sight(
            wish=self._wish,
            gains=self.gains,
            hip=pelvis.distal[1],
            lean=lean,
            roll=roll,
            yaw=yaw,
            lean_rate=lean_rate,
            forward=float(cos(turn) * hips[0] + sin(turn) * hips[1]),
            sideways=sideways,
            heading_control=self.heading_control,
            feed_forward=self.feed_forward,
            period=self._period,
        )

    def _decide(self, legs: list[LegState], seen: Sight) -> np.ndarray:
        """Go on from phase to phase, and return where one who stands is to bring the body."""
        steps, wish = self._steps, seen.wish
        st, sw = steps.stand, 1 - steps.stand
        between = legs[st].x - legs[sw].x
        aim = np.zeros(2)  # of one who has just come to stand: where they are
        if steps.phase == "stand":
            feet = feet_of(self._places, self._masses, self._heading)
            aim, lifts = aim_of(seen, feet, sw)
            if lifts:
                self._lift(between, wish.step + seen.gains.length * FIRST)
        elif steps.phase == "single":
            if steps.begin is None:
                steps.begin = between
            if steps.touches(self._loads[sw].sum(), legs[sw], between):
                apart = (self._places[6 + sw] - self._places[6 + st]).tolist()
                heel = self._places[6 + sw] + self._frames[6 + sw] @ self._sizes_of_legs.heel_point
                where = (*apart, *self._places[0].tolist(), *heel.tolist())
                steps.land(self._time, between, -legs[sw].x, where, self._heading)
                if steps.closes:
                    steps.phase = "stand"
        elif steps.lifts(legs[st], legs[sw], wish.push_off):
            slow = steps.stops or seen.forward < STOPS * seen.gains.speed
            if self.walk.speed == 0.0 and slow:
                self._lift(between, step_to_stop(seen, -legs[sw].x), stops=True)
            else:
                self._lift(between, steps.next_length(self._time, wish))
        return aim

    def _lift(self, between: float, length: float, *, stops: bool = False) -> None:
        """Begin a step of some length, with ankles so far apart [m]; one that `stops` is to end the walk."""
        self._steps.stops = stops
        behind = self._steps.stand
        self._steps.lift(self._time, between, length)
        self._placement.begin()
        if self._arms:
            self._arms[1 - behind].target, self._arms[behind].target = -ARM_TURN, ARM_TURN
