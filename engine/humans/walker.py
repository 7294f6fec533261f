"""A controller that walks: springs that are not there, and a machine of two states (Henze 2002, chapter 3).

No motion is prescribed. In each step a few scalar wishes (length of the leg, of the step, lean of the trunk,
speed, direction) become virtual forces by springs and dampers, and these become torques of the joints by the
transposed jacobian of each leg. Gains are per degree, as the thesis has them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import acos, asin, atan, atan2, cos, exp, hypot, pi, radians, sin, sqrt, tan
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.control.controller import Controller
from stoss.engine.humans.humanoid import SIDES, Humanoid
from stoss.engine.humans.sagittal import Leg, shared_by_both, stance, swing
from stoss.engine.world.drives import Drive
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Landing", "VirtualModelWalker", "Walk"]

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
LIFT_OFF = 0.45  # half steps that the hip is ahead of the rear foot when that lifts off
LEAST_LOAD = 30.0  # [N] of a foot that has touched down
LAG_OF_SOLES = 0.005  # [s]
GAIN_OF_STEP = 0.25  # by which steps lengthen with the speed
GRAVITY = 9.81


@dataclass
class Landing:
    """A foot that touched down.

    Attributes:
        time: [s].
        side: of the foot.
        apart: from the middle of the other foot to its own (3,) [m].
        pelvis: (3,) [m].
        lifted: when the other foot lifted off [s], NaN: it has not yet.
    """

    time: float
    side: str
    apart: tuple[float, float, float]
    pelvis: tuple[float, float, float]
    lifted: float = float("nan")


@closed
@dataclass(frozen=True)
class Walk:
    """What is wanted of a walk; the numbers are those of the standard walk of the thesis, section 4.4.

    Args:
        speed: that the speed control aims at [m/s]; the walk becomes somewhat faster.
        push_off: angle of the rear ankle in double support [rad].
        step: distance of the ankles [m].
        lean: of the trunk, forward [rad].
        leg: length of a standing leg, hip to ankle [m].
        shortening: of the swinging leg, share of its length.
        heading: direction [rad], counted to the left from x.

    Raises:
        ValueError: a value that makes no sense.
    """

    speed: float = 0.95
    push_off: float = 0.45
    step: float = 0.475
    lean: float = radians(2.0)
    leg: float = 0.85
    shortening: float = 0.8
    heading: float = 0.0

    def __post_init__(self) -> None:
        for name, unit in (("speed", "m/s"), ("step", "m"), ("leg", "m"), ("shortening", "share")):
            checks.positive(f"Walk: {name}", getattr(self, name), unit)
        for name in ("push_off", "lean", "heading"):
            checks.number(f"Walk: {name}", getattr(self, name), "rad")


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
        heading_control: whether the trunk is kept in the direction of the walk, for turns; the walk then
            drifts to the side by some degrees.
        feed_forward: whether hips make up for the twist of the legs' forces.

    Attributes:
        walk: what is wanted.
        phase: "single" or "double" support.
        standing: side of the leg that stands, or that is behind: "right" or "left".
        steps: how many were made.
        landings: of the feet, one after the other; see `gait_report`.
        fallen: whether the hips are too low for it to walk on; it gives no torques then.
    """

    not_state = ("humanoid", "_dampers")

    def __init__(
        self,
        humanoid: Humanoid,
        walk: Walk | None = None,
        *,
        heading_control: bool = False,
        feed_forward: bool = True,
    ) -> None:
        checks.instance("humanoid", humanoid, Humanoid, "build_humanoid(world)")
        self.humanoid = humanoid
        self.walk = Walk() if walk is None else checks.instance("walk", walk, Walk, "Walk(speed=1.0)")
        self.heading_control = checks.flag("heading_control", heading_control)
        self.feed_forward = checks.flag("feed_forward", feed_forward)
        self._rows: dict[str, int] = {}
        self._sizes()
        self.phase, self._stand, self.steps, self.fallen = "single", RIGHT, 0, False
        self.landings: list[Landing] = []
        self._step = self._s(self.walk.step)
        self._begin: float | None = None  # indicator of the phase as it began
        self._time, self._last_switch, self._touched = 0.0, 0.0, self._step
        self._given = np.zeros((8, 3))
        self._add_dampers()
        self._loads = np.zeros((2, 3))

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
        assert human.foot.proximal is not None and human.pelvis.distal is not None
        self._l2, self._l3 = human.shank.length, human.thigh.length
        self._ly = human.pelvis.distal[1]
        x, _, z = human.foot.proximal
        points = dict(human.foot.points)
        heel = points["heel"]
        balls = 0.5 * (np.array(points["medial ball"]) + np.array(points["lateral ball"]))
        back, up, fore = x - heel[0], z - heel[2], balls[0] - x
        self._heel = hypot(back, up), atan2(up, back)
        self._ball = hypot(fore, up), atan2(up, fore)
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
        for name in names:
            turns = [own for own in joints[name].coordinates if own.startswith(("rotation", "angle_"))]
            self._dampers += [joints[name].damper(0.0, coordinate=own) for own in turns]

    def _set_dampers(
        self, world: "World", legs: "list[_LegState]", spine: Sequence[tuple[float, float]]
    ) -> None:
        """Write damping [N m s/rad] and target [rad/s] of each damper."""
        arrays = world._joint_table.arrays
        wanted = [*(spine if self.humanoid.variant != "20dof" else ())]
        for leg in legs:
            wanted += leg.hip_dampers
        for leg in legs:
            wanted += leg.ankle_dampers
        rows = [damper.index for damper in self._dampers]
        arrays.damping[rows], arrays.target_rate[rows] = np.array(wanted).T

    # ------------------------------------------------------------- the start

    def start(self, speed: float = 1.0, sideways: float = -0.25) -> None:
        """Bring the person into the first single support: on the right leg, turning about its ankle (H-423).

        Args:
            speed, sideways: of the centre of mass, forward and to the left [m/s].
        """
        person, world = self.humanoid, self.humanoid.world
        bent = Articulation(world)
        q = bent.q
        prefix = person.joints["right hip"].name.removesuffix("right hip")
        for side, angles in (("right", (-20.0, 40.0, -20.0)), ("left", (-10.0, 40.0, -30.0))):
            for joint, angle in zip(("hip", "knee", "ankle"), angles, strict=True):
                name = f"{prefix}{side} {joint}"
                q[bent.index(name if joint == "knee" else f"{name}.y")] = radians(angle)
        turn = self.walk.heading
        q[bent.index(f"{prefix}pelvis.turn_z")] = turn
        bent.set_state(q)
        # the right sole on the ground, where it was
        foot = person.bodies["right foot"]
        assert person.human.foot.points
        low = float(foot.position[2] + dict(person.human.foot.points)["heel"][2])
        pelvis = bent.index(f"{prefix}pelvis.z")
        q[pelvis] -= low - self._ground()
        bent.set_state(q)
        ankle = np.array(world.joint(f"{prefix}right ankle").first_point)
        rows = [body.index for body in person.bodies.values()]
        masses, places = world.masses[rows], world.centers_of_mass[rows]
        away = masses @ places / masses.sum() - ankle
        along, across = np.array([cos(turn), sin(turn), 0.0]), np.array([-sin(turn), cos(turn), 0.0])
        wanted = speed * along + sideways * across
        spin = np.cross(away, wanted) / (away @ away)
        for name, body in person.bodies.items():
            if name != "right foot":
                body.velocity = np.cross(spin, body.center_of_mass - ankle)
                body.angular_velocity = spin
        self.phase, self._stand, self._begin, self.steps, self.fallen = "single", RIGHT, None, 0, False
        self.landings = []
        self._step = self._touched = self._s(self.walk.step)
        self._last_switch = world.time

    def _ground(self) -> float:
        """Return the height of what is below the right foot."""
        foot = self.humanoid.bodies["right foot"]
        hit = foot.world.ray_cast(
            foot.position, (0.0, 0.0, -1.0), without=list(self.humanoid.bodies.values())
        )
        return float(hit[1].point[2]) if hit is not None else 0.0

    # ------------------------------------------------------------- sensors

    def sense(self, world: "World") -> None:
        """Read poses and rates of the bodies, and the loads on the points of the soles."""
        if not self._rows:
            self._rows = {name: body.index for name, body in self.humanoid.bodies.items()}
        names = ("pelvis", "upper body", *(f"{s} {p}" for p in ("thigh", "shank", "foot") for s in SIDES))
        rows = [self._rows[name] for name in names]
        q, self._w = world.quaternions[rows], world.angular_velocities[rows]
        self._places, self._speeds = world.centers_of_mass[rows], world.velocities[rows]
        self._masses = world.masses[rows]
        w, x, y, z = q.T
        self._frames = np.empty((8, 3, 3))
        f = self._frames
        f[:, 0, 0], f[:, 0, 1], f[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
        f[:, 1, 0], f[:, 1, 1], f[:, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        f[:, 2, 0], f[:, 2, 1], f[:, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
        self._read_soles(world, rows)
        self._time = world.time
        self._world_rows = rows

    def _read_soles(self, world: "World", rows: Sequence[int]) -> None:
        """Note the load on heel and balls of both feet [N].

        Rigid points share a load as chance has it from step to step: a lag makes means of them.
        """
        share = 1.0 - exp(-world.time_step / LAG_OF_SOLES)
        self._loads *= 1.0 - share
        contacts = world.contacts
        if not len(contacts):
            return
        for foot in (RIGHT, LEFT):
            row = rows[6 + foot]
            for end in (contacts.body_a, contacts.body_b):
                for c in np.flatnonzero(end == row):
                    local = self._frames[6 + foot].T @ (contacts.point[c] - self._places[6 + foot])
                    which = 0 if local[0] < 0.0 else 1 if local[1] * (1 if foot == LEFT else -1) < 0.0 else 2
                    force = float(contacts.impulse[c] @ contacts.normal[c]) / world.time_step
                    self._loads[foot, which] += share * abs(force)

    # ------------------------------------------------------------- thinking

    def update(self, time: float, period: float) -> None:
        """Give the joints their torques."""
        world = self.humanoid.world
        torques = self._torques()
        world.torques[self._world_rows] += torques - self._given
        self._given = torques

    def _torques(self) -> np.ndarray:
        """Return torques on the bodies (8, 3) in the world [N m]; H-425."""
        walk, out = self.walk, np.zeros((8, 3))
        turn = walk.heading
        ego = np.array([[cos(turn), -sin(turn), 0.0], [sin(turn), cos(turn), 0.0], [0.0, 0.0, 1.0]])
        ex, ey, ez = ego.T
        frames, spins = self._frames, self._w
        pelvis, spin = frames[0], spins[0]
        th4, roll, yaw = _yxz(ego.T @ pelvis)
        th4d = float(spin @ ey)
        mass = self._masses.sum()
        v_com = self._masses @ self._speeds / mass
        legs = [self._look_at_leg(side, th4, th4d, ez) for side in (RIGHT, LEFT)]
        hips = np.array([leg.hip_speed for leg in legs]).mean(axis=0)
        vx, vy = float(hips @ ex), float(v_com @ ey)
        height = min(leg.z for leg in legs)
        if height < 0.5 * self._s(walk.leg) or pelvis[2, 2] < 0.3:
            self.fallen = True
        if self.fallen:
            for leg in legs:
                leg.hip_dampers = leg.ankle_dampers = [(0.0, 0.0)] * 3
            self._set_dampers(self.humanoid.world, legs, [(0.0, 0.0)] * 2)
            return out
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
        self._give(out, legs, ez)
        spine = self._turn_spine(out, ego, kw, share)
        self._set_dampers(self.humanoid.world, legs, spine)
        return out

    def _look_at_leg(self, side: int, th4: float, th4d: float, ez: np.ndarray) -> "_LegState":
        thigh, shank, foot = (self._frames[k + side] for k in (2, 4, 6))
        wp, wt, ws, wf = self._w[0], self._w[2 + side], self._w[4 + side], self._w[6 + side]
        pelvis = self._frames[0]
        leg = _LegState()
        leg.side = side
        ga = _yxz(pelvis.T @ thigh)[0]
        be = _yxz(thigh.T @ shank)[0]
        al = _yxz(shank.T @ foot)[0]
        gad = float((wt - wp) @ pelvis[:, 1])
        bed = float((ws - wt) @ thigh[:, 1])
        leg.al, leg.ald = al, float((wf - ws) @ shank[:, 1])
        leg.th3 = th4 + ga
        leg.th2 = leg.th3 + be
        leg.ph1 = leg.th2 + al
        th3d = th4d + gad
        th2d = th3d + bed
        leg.ph1d = th2d + leg.ald
        l2, l3 = self._l2, self._l3
        s2, c2, s3, c3 = sin(leg.th2), cos(leg.th2), sin(leg.th3), cos(leg.th3)
        leg.x, leg.z = l2 * s2 + l3 * s3, l2 * c2 + l3 * c3
        leg.xd, leg.zd = l2 * c2 * th2d + l3 * c3 * th3d, -l2 * s2 * th2d - l3 * s3 * th3d
        leg.length = hypot(leg.x, leg.z)
        leg.length_rate = (leg.x * leg.xd + leg.z * leg.zd) / leg.length
        # the leg as a whole, from ankle to hip
        human = self.humanoid.human
        assert human.thigh.proximal is not None and human.foot.proximal is not None
        hip = self._places[2 + side] + thigh @ np.array(human.thigh.proximal)
        ankle = self._places[6 + side] + foot @ np.array(human.foot.proximal)
        leg.spin = pelvis.T @ wt
        leg.hip_speed = self._speeds[2 + side] + np.cross(wt, hip - self._places[2 + side])
        z = hip - ankle
        z = z / sqrt(float(z @ z))
        y = thigh[:, 1] - z * float(z @ thigh[:, 1])
        y = y / sqrt(float(y @ y))
        frame = np.stack([np.cross(y, z), y, z], axis=1)
        h1, leg.h2, leg.h3 = _yxz(pelvis.T @ frame)
        leg.h1 = h1
        leg.fe_hip, leg.ps_hip = pelvis[:, 1], z
        leg.aa_hip = pelvis @ np.array([cos(h1), 0.0, -sin(h1)])
        leg.h2d, leg.h3d = float((wt - wp) @ leg.aa_hip), float((wt - wp) @ leg.ps_hip)
        f1, leg.f2, leg.f3 = _yxz(frame.T @ foot)
        leg.aa_ankle = frame @ np.array([cos(f1), 0.0, -sin(f1)])
        leg.fe_ankle, leg.ps_ankle, leg.fe_knee = shank[:, 1], foot[:, 2], thigh[:, 1]
        leg.f2d, leg.f3d = float((wf - ws) @ leg.aa_ankle), float((wf - ws) @ leg.ps_ankle)
        loads = self._loads[side]
        on_heel = loads[0] > LEAST_LOAD and loads[1] + loads[2] < LEAST_LOAD
        lever, angle = self._heel if on_heel else self._ball
        hat = leg.ph1 + (0.5 * pi - angle if on_heel else angle - 0.5 * pi)
        leg.model = Leg(lever, hat, l2, l3, leg.th2, leg.th3)
        return leg

    def _decide(self, legs: "list[_LegState]", vx: float) -> None:
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
                self.landings.append(Landing(self._time, SIDES[sw], tuple(apart), tuple(pelvis)))
        elif ahead < LIFT_OFF * 0.5 * self._step or legs[st].al >= walk.push_off > 0.0:
            took = self._time - self._last_switch
            mean = self._touched / took if took > 0.0 else walk.speed
            wanted = self._s(walk.step)
            self._step = wanted + GAIN_OF_STEP * wanted * (mean - walk.speed) / walk.speed
            self._last_switch = self._time
            self._stand, self._begin, self.phase = sw, -between, "single"
            self.steps += 1
            self.landings[-1].lifted = self._time

    def _stand_on_one(
        self,
        a: "_LegState",
        b: "_LegState",
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
        lean = acos(max(-1.0, 1.0 - vy * vy / (2.0 * GRAVITY * l0)))
        place = atan(cos(b.h1) * tan(lean if vy > 0.0 else -lean))
        b.aa = deg * SWING_TILT[0] * kw * (place - b.h2)
        b.ps = -deg * SWING_TURN[0] * b.h3
        a.hip_dampers = self._hold_trunk(a, deg, 1.0)
        b.hip_dampers = [(deg * SWING_TILT[1], 0.0), (0.0, 0.0), (deg * SWING_TURN[1], 0.0)]
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

    def _stand_on_both(
        self, a: "_LegState", b: "_LegState", vx: float, f_trunk: float, f_tilt: float, f_head: float
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

    def _hold_trunk(self, leg: "_LegState", deg: float, part: float) -> list[tuple[float, float]]:
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

    def _give(self, out: np.ndarray, legs: "list[_LegState]", ez: np.ndarray) -> None:
        """Add the torques of the legs: on the outer body, and their opposites on the inner one."""
        for leg in legs:
            ankle, knee, hip = leg.torques
            of_hip = leg.fe_hip * hip + leg.aa_hip * leg.aa + leg.ps_hip * leg.ps + ez * leg.about_z
            of_knee = leg.fe_knee * knee
            of_ankle = leg.fe_ankle * ankle + leg.aa_ankle * leg.aa_foot + leg.ps_ankle * leg.ps_foot
            side = leg.side
            out[0] -= of_hip
            out[2 + side] += of_hip - of_knee
            out[4 + side] += of_knee - of_ankle
            out[6 + side] += of_ankle

    def _turn_spine(
        self, out: np.ndarray, ego: np.ndarray, kw: float, share: float
    ) -> list[tuple[float, float]]:
        """Hold the upper body upright, and turn it against the legs; return the dampers. H-420."""
        if self.humanoid.variant == "20dof":
            return []
        pelvis, upper = self._frames[0], self._frames[1]
        spin_p = self._w[0]
        deg = share * PER_DEGREE
        tilt = _yxz(ego.T @ upper)[1]
        twist = _yxz(pelvis.T @ upper)[2]
        wanted = SPINE_TURN if self._stand == RIGHT else -SPINE_TURN
        torque = -deg * SPINE_TILT[0] * tilt * pelvis[:, 0]
        torque = torque + deg * SPINE_TWIST[0] * kw * (wanted - twist) * upper[:, 2]
        out[1] += torque
        out[0] -= torque
        return [(deg * SPINE_TWIST[1], 0.0), (deg * SPINE_TILT[1], float(spin_p @ pelvis[:, 0]))]


class _LegState:
    """A leg as it is, and what it is to do."""

    side: int
    al: float  # ankle
    ald: float
    th2: float  # angles of the shank, the thigh and the foot in the sagittal plane [rad]
    th3: float
    ph1: float
    ph1d: float
    x: float  # hip from the ankle [m]
    z: float
    xd: float
    zd: float
    length: float
    length_rate: float
    h1: float  # leg against the pelvis
    h2: float
    h3: float
    h2d: float
    h3d: float
    f2: float  # foot against the leg
    f3: float
    f2d: float
    f3d: float
    hip_speed: np.ndarray
    spin: np.ndarray  # of the thigh, in the frame of the pelvis [rad/s]
    hip_dampers: list[tuple[float, float]]  # damping and target about x, y, z
    ankle_dampers: list[tuple[float, float]]
    fe_hip: np.ndarray  # axes of torques
    aa_hip: np.ndarray
    ps_hip: np.ndarray
    fe_knee: np.ndarray
    fe_ankle: np.ndarray
    aa_ankle: np.ndarray
    ps_ankle: np.ndarray
    model: Leg
    torques: tuple[float, float, float] = (0.0, 0.0, 0.0)
    aa: float = 0.0
    ps: float = 0.0
    about_z: float = 0.0
    aa_foot: float = 0.0
    ps_foot: float = 0.0


def _yxz(m: Any) -> tuple[float, float, float]:
    """Return the angles about y, x and z whose turns, one after the other, make a matrix [rad]."""
    return (
        atan2(m[0, 2], m[2, 2]),
        asin(min(max(-m[1, 2], -1.0), 1.0)),
        atan2(m[1, 0], m[1, 1]),
    )
