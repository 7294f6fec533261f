"""A controller that walks: springs that are not there, and a machine of two states (Henze 2002, chapter 3).

No motion is prescribed. In each step a few scalar wishes (length of the leg, of the step, lean of the trunk,
speed, direction) become virtual forces by springs and dampers, and these become torques of the joints by the
transposed jacobian of each leg. Gains are per degree, as the thesis has them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from functools import lru_cache
from math import acos, atan, copysign, cos, exp, isnan, nan, pi, radians, sin, sqrt, tan
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.control.controller import Controller
from stoss.engine.humans.humanoid import SIDES, Humanoid
from stoss.engine.humans.leg_state import LEAST_LOAD, LegSizes, LegState, state_of_leg
from stoss.engine.humans.sagittal import shared_by_both, stance, swing
from stoss.engine.humans.senses import look_at_trunk, read_parts, read_soles
from stoss.engine.humans.walk import SPEEDS, Landing, Walk
from stoss.engine.world.drives import Drive

if TYPE_CHECKING:
    from stoss.engine.world.body import Body
    from stoss.engine.world.world import World

__all__ = ["VirtualModelWalker"]

PER_DEGREE = 180.0 / pi
RIGHT, LEFT = 0, 1
# Gains (P, D) of moments [N m/deg, N m s/deg], and of forces [N/m, N s/m]; H-424.
TRUNK, SPINE_TILT, SPINE_TWIST = (17.5, 3.5), (130.0, 1.3), (1.3, 0.13)
LEG_TURN, SWING_TILT, SWING_TURN = (17.5, 3.5), (8.8, 0.9), (4.4, 0.9)
FOOT_STANCE, FOOT_SWING, FOOT_SIDE, FOOT_SIDE_SWING = (7.0, 0.9), (3.5, 0.2), (3.5, 0.9), (3.5, 0.2)
LEG_LENGTH, SWING_LENGTH, STEP = (20000.0, 2000.0), (1500.0, 50.0), (300.0, 100.0)
HIP_HEIGHT, SPEED = (20000.0, 2000.0), 100.0
CARRIED = 467.0  # [N] of the trunk, for 75 kg
SHORTER_UNTIL = 0.33  # share of a step for which the swinging leg stays short
TOES_UP, LEAN_BACK = radians(-17.0), radians(-30.0)
SLOW = 1.15  # times the wanted speed below which the standing foot lets the body fall forward
SIDEWAYS = 0.2  # [m/s] above which the standing foot tilts against it
TILT_OUT, TILT_IN = radians(12.0), radians(6.0)
SPINE_TURN = radians(10.0)
SHOULDER, ELBOW, ARM_TURN = (0.15, 0.05), (0.02, 0.01), radians(25.0)
LIFT_OFF = 0.45  # half steps that the hip is ahead of the rear foot when that lifts off
LAG_OF_SOLES = 0.005  # [s]
# [m] of the pendulum whose lean tells where to put the foot. The thesis gives none; with 0.85 of the leg, the
# foot lands too near, as the leg follows with a lag, and any speed to the side stays: the walk drifts.
PENDULUM = 0.52
LAG_OF_PLACE = 0.02  # [s] of the rate of that place
PACE, TURN = 0.05, radians(10.0)  # [m/s, rad] by each press of an arrow key
TURN_RATE = radians(9.0)  # [rad/s]: a quarter turn in ten seconds
GRAVITY = 9.81
UP = np.array([0.0, 0.0, 1.0])
LANDING = 11  # numbers of a landing


@lru_cache(maxsize=64)
def _walk_of(numbers: tuple[float, ...]) -> Walk:
    return Walk(*numbers)


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
        walk: what is wanted; assign `walk` to change it while it walks.
        heading_control: whether the trunk is kept in the direction of the walk; without it the walk veers.
        turn_rate: how fast it turns to another direction at most [rad/s]; None: at once.
        feed_forward: whether hips make up for the twist of the legs' forces.
        swing_arms: whether arms are swung against the legs, by springs (H-421), with "26dof".

    Attributes:
        phase: "single" or "double" support.
        standing: side of the leg that stands, or that is behind: "right" or "left".
        steps: how many were made.
        fallen: whether the hips are too low for it to walk on; it gives no torques then.
    """

    keys = MappingProxyType(
        {"UP": "walk faster", "DOWN": "walk slower", "LEFT": "turn to the left", "RIGHT": "turn to the right"}
    )
    not_state = (
        *("humanoid", "_parts", "_dampers", "_arms", "_legs", "_sizes_of_legs", "_trunk"),
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
        self.humanoid = humanoid
        self.walk = Walk() if walk is None else walk
        self.heading_control = checks.flag("heading_control", heading_control)
        self.turn_rate = None if turn_rate is None else checks.positive("turn_rate", turn_rate, "rad/s")
        self.feed_forward = checks.flag("feed_forward", feed_forward)
        if checks.flag("swing_arms", swing_arms) and humanoid.variant != "26dof":
            raise ValueError(f"swing_arms = True needs a humanoid of '26dof', not {humanoid.variant!r}")
        self._arms: list[Drive] = self._add_arms() if swing_arms else []
        self._plan: list[tuple[float, tuple[float, ...]]] = []
        self._heading = self.walk.heading
        names = ("pelvis", "upper body", *(f"{s} {p}" for p in ("thigh", "shank", "foot") for s in SIDES))
        self._parts: list[Body] = [humanoid.bodies[name] for name in names]
        self._world_rows = np.zeros(0, np.int64)  # of the parts, when it last sensed
        self._frames, self._masses = np.zeros((8, 3, 3)), np.zeros(8)
        self._w, self._places, self._speeds = (np.zeros((8, 3)) for _ in range(3))
        self._trunk = (0.0,) * 8  # see `look_at_trunk`
        self._sizes()
        self.phase, self._stand, self.steps, self.fallen = "single", RIGHT, 0, False
        self._landings = np.zeros((0, LANDING))
        self._step = self._s(self.walk.step)
        self._begin: float | None = None  # indicator of the phase as it began
        self._time, self._last_switch, self._touched = 0.0, 0.0, self._step
        self._given = np.zeros((8, 3))
        self._add_dampers()
        self._loads = np.zeros((2, 3))
        self._legs: list[LegState] = []
        self._place, self._place_rate, self._period = nan, 0.0, 0.0

    @property
    def walk(self) -> Walk:
        """What is wanted; assign another walk while it walks."""
        return _walk_of(self._walk)

    @walk.setter
    def walk(self, walk: Walk) -> None:
        self._walk: tuple[float, ...] = astuple(checks.instance("walk", walk, Walk, "Walk(speed=1.0)"))

    @property
    def landings(self) -> list[Landing]:
        """Return the landings of the feet, one after the other; see `gait_report`."""
        return [
            Landing(time, SIDES[int(side)], (x, y, z), ankles, (px, py, pz), heading, lifted)
            for time, side, x, y, z, ankles, px, py, pz, heading, lifted in self._landings.tolist()
        ]

    @property
    def heading(self) -> float:
        """Return the direction in which it walks at present, which turns to that of its walk [rad]."""
        return self._heading

    @property
    def standing(self) -> str:
        """Return the side of the leg that stands, or that is behind."""
        return SIDES[self._stand]

    def _s(self, length: float) -> float:
        """Return a length of the man of the thesis for this person [m]."""
        return self.humanoid.scale * length

    def _sizes(self) -> None:
        """Note lengths, and the levers of the feet."""
        human = self.humanoid.human
        assert human.pelvis.distal is not None
        self._sizes_of_legs = LegSizes(human)
        self._ly = human.pelvis.distal[1]
        self._weight = human.mass / 75.0

    def _add_dampers(self) -> None:
        """Add dampers to spine, hips and ankles.

        The damping part of what acts on light bodies is a row of the solver: it turns a foot thirty times
        faster than a step of 1 ms could follow by itself. What is damped against the world has as its
        target the rate of the heavier body.
        """
        joints = self.humanoid.joints
        names = ["spine"] if self.humanoid.variant != "20dof" else []
        names += [f"{side} {joint}" for joint in ("hip", "ankle") for side in SIDES]
        self._dampers: list[Drive] = []
        self._damper_rows, self._version = np.zeros(0, np.int64), -1  # and of what version of the joints
        for name in names:
            turns = [own for own in joints[name].coordinates if own.startswith(("rotation", "angle_"))]
            self._dampers += [joints[name].damper(0.0, coordinate=own) for own in turns]

    def _add_arms(self) -> list[Drive]:
        """Add springs and dampers to shoulders and elbows; return those of the shoulders, right first."""
        share = self.humanoid.human.mass / 75.0 * self.humanoid.scale * PER_DEGREE
        for side in SIDES:
            self.humanoid.joints[f"{side} elbow"].servo(
                ARM_TURN, stiffness=share * ELBOW[0], damping=share * ELBOW[1]
            )
        return [
            self.humanoid.joints[f"{side} shoulder"].servo(
                0.0, stiffness=share * SHOULDER[0], damping=share * SHOULDER[1]
            )
            for side in SIDES
        ]

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
        arrays.damping[rows], arrays.target_rate[rows] = np.array(wanted).T

    def plan(self, time: float, walk: Walk) -> None:
        """Walk otherwise from a time on.

        Args:
            time: of the world [s].
            walk: what is wanted then, for instance `dataclasses.replace(walker.walk, heading=0.5)`.
        """
        at = checks.number("time", time, "s")
        self._plan.append((at, astuple(checks.instance("walk", walk, Walk, "Walk(speed=1.0)"))))
        self._plan.sort(key=lambda one: one[0])

    def press(self, key: str) -> None:
        """Walk faster or slower by 0.05 m/s, or turn by 10 degrees.

        Args:
            key: "UP", "DOWN", "LEFT" or "RIGHT".
        """
        walk = self.walk
        if key in ("UP", "DOWN"):
            pace = walk.pace + (PACE if key == "UP" else -PACE)
            other = Walk.at(min(max(pace, SPEEDS[0][0]), SPEEDS[-1][0]))
            self.walk = replace(walk, speed=other.speed, push_off=other.push_off, step=other.step)
        else:
            self.walk = replace(walk, heading=walk.heading + (TURN if key == "LEFT" else -TURN))

    # ------------------------------------------------------------- the start

    def start(self, speed: float = 1.0, outward: float = 0.25, *, standing: str = "right") -> None:
        """Bring the person into the first single support: on one leg, turning about its ankle (H-423).

        Args:
            speed: of the centre of mass, forward [m/s].
            outward: its speed to the side of the leg that stands [m/s].
            standing: "right" or "left"; a walk from the left leg mirrors that from the right one.

        Raises:
            ValueError: neither side.
        """
        stand = SIDES.index(checks.choice("standing", standing, SIDES))
        sideways = outward if stand == LEFT else -outward
        person, world = self.humanoid, self.humanoid.world
        bent = Articulation(world)
        q = bent.q
        prefix = person.joints["right hip"].name.removesuffix("right hip")
        swinging = SIDES[1 - stand]
        for side, angles in ((standing, (-20.0, 40.0, -20.0)), (swinging, (-10.0, 40.0, -30.0))):
            for joint, angle in zip(("hip", "knee", "ankle"), angles, strict=True):
                name = f"{prefix}{side} {joint}"
                q[bent.index(name if joint == "knee" else f"{name}.y")] = radians(angle)
        turn = self._heading = self.walk.heading
        q[bent.index(f"{prefix}pelvis.turn_z")] = turn
        bent.set_state(q)
        # the sole on the ground, where it was
        foot = person.bodies[f"{standing} foot"]
        assert person.human.foot.points
        low = float(foot.position[2] + dict(person.human.foot.points)["heel"][2])
        pelvis = bent.index(f"{prefix}pelvis.z")
        q[pelvis] -= low - self._ground(foot)
        bent.set_state(q)
        ankle = np.array(world.joint(f"{prefix}{standing} ankle").first_point)
        rows = [body.index for body in person.bodies.values()]
        masses, places = world.masses[rows], world.centers_of_mass[rows]
        away = masses @ places / masses.sum() - ankle
        along, across = np.array([cos(turn), sin(turn), 0.0]), np.array([-sin(turn), cos(turn), 0.0])
        wanted = speed * along + sideways * across
        spin = np.cross(away, wanted) / (away @ away)
        for body in person.bodies.values():
            if body is not foot:
                body.velocity = np.cross(spin, body.center_of_mass - ankle)
                body.angular_velocity = spin
        self.phase, self._stand, self._begin, self.steps, self.fallen = "single", stand, None, 0, False
        self._landings = np.zeros((0, LANDING))
        self._step = self._touched = self._s(self.walk.step)
        self._last_switch = world.time

    def _ground(self, foot: "Body") -> float:
        """Return the height of what is below a foot."""
        hit = foot.world.ray_cast(
            foot.position, (0.0, 0.0, -1.0), without=list(self.humanoid.bodies.values())
        )
        return float(hit[1].point[2]) if hit is not None else 0.0

    # ------------------------------------------------------------- sensors

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
        share = 1.0 - exp(-world.time_step / LAG_OF_SOLES)
        self._loads *= 1.0 - share
        for foot, which, impulse, _ in self.points_on_ground(world):
            self._loads[foot, which] += share * max(impulse[2], 0.0) / world.time_step

    # ------------------------------------------------------------- thinking

    def update(self, time: float, period: float) -> None:
        """Give the joints their torques."""
        while self._plan and time >= self._plan[0][0] - 0.5 * period:
            self._walk = self._plan.pop(0)[1]
        wanted = self.walk.heading
        away = wanted - self._heading
        self._period = period
        most = abs(away) if self.turn_rate is None else min(self.turn_rate * period, abs(away))
        self._heading = wanted if abs(away) == most else self._heading + copysign(most, away)
        world = self.humanoid.world
        torques = self._torques()
        world._bodies.torques[self._world_rows] += torques - self._given
        self._given = torques

    def _torques(self) -> np.ndarray:
        """Return torques on the bodies (8, 3) in the world [N m]; H-425."""
        walk, out = self.walk, np.zeros((8, 3))
        turn = self._heading
        along = cos(turn), sin(turn)
        self._trunk = look_at_trunk(self._frames, self._w, self._speeds, self._masses, turn)
        th4, roll, yaw, th4d, vy = self._trunk[:5]
        parts = self._frames, self._w, self._places, self._speeds
        legs = [
            state_of_leg(self._sizes_of_legs, side, parts, self._loads[side], (th4, th4d))
            for side in (RIGHT, LEFT)
        ]
        hips = 0.5 * (legs[0].hip_speed + legs[1].hip_speed)
        vx = float(along[0] * hips[0] + along[1] * hips[1])
        height = min(leg.z for leg in legs)
        if height < 0.5 * self._s(walk.leg) or self._frames[0, 2, 2] < 0.3:
            self.fallen = True
        if self.fallen:
            for leg in legs:
                leg.hip_dampers = leg.ankle_dampers = [(0.0, 0.0)] * 3
            self._set_dampers(self.humanoid.world, legs, [(0.0, 0.0)] * 2)
            return out
        self._legs = legs
        self._decide(legs, vx)
        st, sw = self._stand, 1 - self._stand
        a, b = legs[st], legs[sw]
        share = self._weight * self.humanoid.scale  # of moments and forces of another mass and size
        f_trunk = share * PER_DEGREE * (TRUNK[0] * (walk.lean - th4) - TRUNK[1] * th4d)
        f_tilt = -share * PER_DEGREE * TRUNK[0] * roll
        f_head = -share * PER_DEGREE * TRUNK[0] * yaw
        if not self.heading_control:
            f_head = 0.0
        if self.phase == "single":
            kw = self._stand_on_one(a, b, vx, vy, f_trunk, f_tilt, f_head)
        else:
            self._stand_on_both(a, b, vx, f_trunk, f_tilt, f_head)
            kw = 1.0
        self._give(out, legs)
        spine = self._turn_spine(out, kw, share)
        self._set_dampers(self.humanoid.world, legs, spine)
        return out

    def _decide(self, legs: list[LegState], vx: float) -> None:
        """Go from single to double support, and on to the next step; H-410, H-411."""
        walk, st, sw = self.walk, self._stand, 1 - self._stand
        between = legs[st].x - legs[sw].x
        ahead = -legs[sw].x  # of the foot before the hip
        if self.phase == "single":
            if self._begin is None:
                self._begin = between
            loads = self._loads[sw]
            if loads.sum() >= LEAST_LOAD and ahead > 0.0:
                self.phase, self._begin, self._touched = "double", ahead, between
                apart = (self._places[6 + sw] - self._places[6 + st]).tolist()
                pelvis = self._places[0].tolist()
                landing = (self._time, sw, *apart, between, *pelvis, self._heading, nan)
                self._landings = np.vstack([self._landings, landing])
        elif ahead < LIFT_OFF * 0.5 * self._step or legs[st].al >= walk.push_off > 0.0:
            took = self._time - self._last_switch
            mean = self._touched / took if took > 0.0 else walk.speed
            wanted = self._s(walk.step)
            self._step = wanted + walk.step_gain * wanted * (mean - walk.speed) / walk.speed
            self._last_switch = self._time
            self._stand, self._begin, self.phase = sw, -between, "single"
            self._place = nan
            self.steps += 1
            self._landings[-1, -1] = self._time
            if self._arms:
                self._arms[sw].target, self._arms[st].target = -ARM_TURN, ARM_TURN

    def _stand_on_one(
        self,
        a: LegState,
        b: LegState,
        vx: float,
        vy: float,
        f_trunk: float,
        f_tilt: float,
        f_head: float,
    ) -> float:
        """Set the torques of single support: leg a stands, leg b swings; return how far the step has come."""
        walk, share = self.walk, self._weight * self.humanoid.scale
        force = self._weight
        deg = share * PER_DEGREE
        l0 = self._s(walk.leg)
        between, assert_begin = a.x - b.x, self._begin
        assert assert_begin is not None
        kw = min(max((between - assert_begin) / (self._step - assert_begin), 0.0), 1.0)
        set_angle = LEAN_BACK if vx < SLOW * walk.speed else 0.0
        f1t = deg * FOOT_STANCE[0] * kw * (set_angle - a.al)
        spring = force * (LEG_LENGTH[0] * (l0 - a.length) - LEG_LENGTH[1] * a.length_rate)
        fz = spring * a.z / a.length + CARRIED * force
        a.torques, fx = stance(a.model, f1t, fz, f_trunk)
        # the leg that swings
        p, step = SHORTER_UNTIL, self._step
        if between < p * step:
            wanted = walk.shortening * l0
        elif between <= step:
            wanted = l0 * ((1 - walk.shortening) / (1 - p) * (between - p * step) / step + walk.shortening)
        else:
            wanted = l0
        spring = force * (SWING_LENGTH[0] * (wanted - b.length) - SWING_LENGTH[1] * b.length_rate)
        gx = -spring * b.x / b.length + force * (STEP[0] * (step - between) + STEP[1] * b.xd)
        gz = -spring * b.z / b.length
        f1w = deg * FOOT_SWING[0] * (TOES_UP - b.al)
        b.torques = swing(b.model, f1w, gx, gz)
        # sideways, and about the vertical
        a.aa = -f_tilt
        a.ps = -deg * LEG_TURN[0] * a.h3 - f_head
        lean = acos(max(-1.0, 1.0 - vy * vy / (2.0 * GRAVITY * self._s(PENDULUM))))
        place = atan(cos(b.h1) * tan(lean if vy > 0.0 else -lean))
        b.aa = deg * SWING_TILT[0] * kw * (place - b.h2)
        rate = self._rate_of_place(place)
        b.ps = -deg * SWING_TURN[0] * b.h3
        a.hip_dampers = self._hold_trunk(a, deg, 1.0)
        b.hip_dampers = [
            (deg * SWING_TILT[1], rate * cos(b.h1)),
            (0.0, 0.0),
            (deg * SWING_TURN[1], -rate * sin(b.h1)),
        ]
        tilt = 0.0
        if abs(vy) > SIDEWAYS:
            out = (vy < 0.0) == (a.side == LEFT)  # abduction: of the left foot to +x
            tilt = -(1.0 if vy > 0.0 else -1.0) * (TILT_OUT if out else TILT_IN)
        a.aa_foot, a.ps_foot = deg * FOOT_SIDE[0] * (tilt - a.f2), -deg * FOOT_SIDE[0] * a.f3
        b.aa_foot, b.ps_foot = -deg * FOOT_SIDE_SWING[0] * b.f2, -deg * FOOT_SIDE_SWING[0] * b.f3
        a.ankle_dampers = [(deg * FOOT_SIDE[1], 0.0), (deg * FOOT_STANCE[1], 0.0), (deg * FOOT_SIDE[1], 0.0)]
        b.ankle_dampers = [(deg * FOOT_SIDE_SWING[1], 0.0)] * 3
        if self.feed_forward:
            sign = 1.0 if a.side == RIGHT else -1.0
            a.about_z = sign * self._ly * fx + sign * self._ly * gx
        return kw

    def _rate_of_place(self, place: float) -> float:
        """Return the rate of the angle to which the swinging leg is put aside, with a lag [rad/s]."""
        if isnan(self._place):
            self._place, self._place_rate = place, 0.0
        share = 1.0 - exp(-self._period / LAG_OF_PLACE)
        self._place_rate += share * ((place - self._place) / self._period - self._place_rate)
        self._place = place
        return self._place_rate

    def _stand_on_both(
        self, a: LegState, b: LegState, vx: float, f_trunk: float, f_tilt: float, f_head: float
    ) -> None:
        """Set the torques of double support: leg a is behind, leg b before."""
        walk, share = self.walk, self._weight * self.humanoid.scale
        force = self._weight
        deg = share * PER_DEGREE
        l0, step = self._s(walk.leg), self._step
        ahead, begin = -b.x, self._begin
        assert begin is not None
        span = LIFT_OFF * 0.5 * step - begin
        kt = min(max((ahead - begin) / span, 0.0), 1.0) if span != 0.0 else 1.0
        f1w = -deg * FOOT_SWING[0] * b.ph1
        f1t = deg * FOOT_STANCE[0] * (walk.push_off - a.al)
        high = sqrt(max(l0 * l0 - 0.25 * step * step, 0.0))
        spring = force * (LEG_LENGTH[0] * (l0 - a.length) - LEG_LENGTH[1] * a.length_rate)
        fz = force * (HIP_HEIGHT[0] * (high - 0.5 * (a.z + b.z)) - HIP_HEIGHT[1] * 0.5 * (a.zd + b.zd))
        fz += CARRIED * force + spring * a.z / a.length
        fx = force * SPEED * (walk.speed - vx) + spring * a.x / a.length
        b.torques, a.torques = shared_by_both(b.model, a.model, f1w, f1t, fx, fz, f_trunk, kt)
        for leg, part, damping in ((b, kt, FOOT_SIDE_SWING[1]), (a, 1.0 - kt, FOOT_SIDE[1])):
            leg.aa = -part * f_tilt
            leg.ps = -deg * LEG_TURN[0] * leg.h3 - part * f_head
            leg.aa_foot, leg.ps_foot = -deg * FOOT_SIDE[0] * leg.f2, -deg * FOOT_SIDE[0] * leg.f3
            leg.hip_dampers = self._hold_trunk(leg, deg, part)
            leg.ankle_dampers = [(deg * damping, 0.0)] * 3
            if self.feed_forward:
                own = leg.model.force_on_hip(leg.torques, 0.5 * fx)
                leg.about_z = (1.0 if leg.side == RIGHT else -1.0) * self._ly * own

    def _hold_trunk(self, leg: LegState, deg: float, part: float) -> list[tuple[float, float]]:
        """Return the dampers of a hip by which a standing leg holds tilt and heading of the trunk.

        Args:
            leg: that stands.
            deg: unit of the gains.
            part: share of this leg.
        """
        turn = part if self.heading_control else 0.0
        return [
            (deg * part * TRUNK[1], leg.spin[0]),
            (0.0, 0.0),
            (deg * (LEG_TURN[1] + turn * TRUNK[1]), turn * leg.spin[2] / (1.0 + turn)),
        ]

    def _give(self, out: np.ndarray, legs: list[LegState]) -> None:
        """Add the torques of the legs: on the outer body, and their opposites on the inner one."""
        for leg in legs:
            ankle, knee, hip = leg.torques
            of_hip = leg.fe_hip * hip + leg.aa_hip * leg.aa + leg.ps_hip * leg.ps + UP * leg.about_z
            of_knee = leg.fe_knee * knee
            of_ankle = leg.fe_ankle * ankle + leg.aa_ankle * leg.aa_foot + leg.ps_ankle * leg.ps_foot
            side = leg.side
            out[0] -= of_hip
            out[2 + side] += of_hip - of_knee
            out[4 + side] += of_knee - of_ankle
            out[6 + side] += of_ankle

    def _turn_spine(self, out: np.ndarray, kw: float, share: float) -> list[tuple[float, float]]:
        """Hold the upper body upright, and turn it against the legs; return the dampers. H-420."""
        if self.humanoid.variant == "20dof":
            return []
        pelvis, upper = self._frames[0], self._frames[1]
        tilt, twist, spin = self._trunk[5:]
        deg = share * PER_DEGREE
        wanted = SPINE_TURN if self._stand == RIGHT else -SPINE_TURN
        torque = -deg * SPINE_TILT[0] * tilt * pelvis[:, 0]
        torque = torque + deg * SPINE_TWIST[0] * kw * (wanted - twist) * upper[:, 2]
        out[1] += torque
        out[0] -= torque
        return [(deg * SPINE_TWIST[1], 0.0), (deg * SPINE_TILT[1], spin)]
