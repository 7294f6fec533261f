"""Humanoids: the bodies and joints of a person in a world (Henze 2002, section 2.4)."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision import Box, Capsule, Placed, Sphere
from stoss.engine import checks
from stoss.engine.bodies.mass import MassProperties, from_values
from stoss.engine.bodies.material import Material
from stoss.engine.humans.anthropometry import MALE, Human, Segment, combined
from stoss.engine.joints.basic_kinds import Ball
from stoss.engine.joints.combined_kinds import Fixed, Hinge, Planar, Universal
from stoss.engine.world.drawn import Drawn
from stoss.names import closed, takes_names

if TYPE_CHECKING:
    from stoss.collision.shapes.shapes import Shape
    from stoss.engine.world.body import Body
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = ["SIDES", "SOLE", "VARIANTS", "Humanoid", "build_humanoid"]

# 22dof: that of the thesis. 20dof: its spine is rigid. 26dof: shoulders and elbows bend, too. planar: legs in
# the sagittal plane, 9 degrees of freedom. ragdoll: nobody drives it; all joints have the stops of a body.
VARIANTS = ("22dof", "20dof", "26dof", "planar", "ragdoll")
_WITH_ARMS = ("26dof", "ragdoll")
SIDES = ("right", "left")
# Beyond this angle the knee is held by a spring and a damper [rad, N m/rad, N m s/rad].
KNEE_STOP, STOP_STIFFNESS, STOP_DAMPING = np.radians(2.0), 5729.578, 57.29578
# Ranges of a ragdoll [degrees], of the right side, as clinics measure them: forward and to the right are
# positive, backward and to the left negative. Swing: least and most forward, then to the side. Twist: about
# the long axis, pointing away from the trunk.
_SWINGS = {
    "spine": (-25.0, 60.0, -25.0, 25.0),
    "hip": (-30.0, 120.0, -30.0, 45.0),
    "ankle": (-50.0, 20.0, -35.0, 15.0),
    "shoulder": (-50.0, 130.0, -30.0, 125.0),
}
_TWISTS = {
    "spine": (-30.0, 30.0),
    "hip": (-45.0, 45.0),
    "ankle": (-15.0, 15.0),
    "shoulder": (-80.0, 80.0),
}
_KNEE, _ELBOW = 135.0, 150.0
_FLESH = 0.5  # [N m s/rad] against the twist of what hangs on nothing else
# The soles hold by points, which turn about the vertical no more than they slide.
SOLE = Material(friction=2.0, torsional_friction=1.0, name="sole")
POINT = 0.005  # radius of the points of the sole [m]
GROUND, BODY = 1, 2  # groups: the parts of a body pass through each other


@closed
@dataclass
class Humanoid:
    """A person in a world.

    Attributes:
        human: whose data they are.
        variant: one of `VARIANTS`.
        bodies: by name: "pelvis", "upper body", "right thigh" and so on.
        joints: by name: "spine", "right hip", "right knee", "right ankle" and so on.
        scale: factor of lengths against the man of the thesis.
    """

    human: Human
    variant: str
    bodies: "dict[str, Body]" = field(default_factory=dict)
    joints: "dict[str, Joint]" = field(default_factory=dict)
    scale: float = 1.0

    @property
    def mass(self) -> float:
        """Return its mass [kg]."""
        return sum(body.mass for body in self.bodies.values())

    def __repr__(self) -> str:
        counts = f"{len(self.bodies)} bodies and {len(self.joints)} joints"
        return f"<Humanoid {self.variant!r}, {self.human.stature:g} m, {self.mass:.4g} kg: {counts}>"

    @property
    def world(self) -> "World":
        """Return the world that it is in."""
        return self.bodies["pelvis"].world


@takes_names
def build_humanoid(
    world: "World",
    human: Human = MALE,
    *,
    variant: str = "22dof",
    position: Any = (0.0, 0.0, 0.0),
    prefix: str = "",
) -> Humanoid:
    """Add a person that stands upright to a world, and return it.

    Eight bodies: pelvis, upper body with head and arms, thighs, shanks and feet; with "26dof" also arms.
    The soles touch the ground at heel and both balls. Parts of the body do not collide with each other. x is
    forward, y to the left. Henze 2002, section 2.4.

    Args:
        world: where to.
        human: its data, for instance `MALE.scaled(stature=1.65, mass=58)`.
        variant: "22dof" of the thesis, "20dof" with a rigid spine, "26dof" with shoulders and elbows,
            "planar" in the sagittal plane with 9 degrees of freedom, or "ragdoll", whose joints have the
            stops of a body and nothing that drives them.
        position: (3,) of the ground below its middle [m].
        prefix: of the names of bodies and joints.

    Raises:
        TypeError, ValueError: no data, no such variant, or a position that makes no sense.
    """
    checks.instance("human", human, Human, "MALE.scaled(stature=1.7)")
    variant = checks.choice("variant", variant, VARIANTS)
    origin = checks.vector("position", position)
    if not isinstance(prefix, str):
        raise TypeError(f"prefix = {prefix!r} must be a string")
    return _Builder(world, human, variant, origin, prefix).build()


class _Builder:
    def __init__(self, world: "World", human: Human, variant: str, origin: np.ndarray, prefix: str) -> None:
        self.world, self.human, self.origin, self.prefix = world, human, origin, prefix
        self.made = Humanoid(human, variant, scale=human.stature / MALE.stature)
        # heights of joints when it stands
        self.ankle = human.ankle_height
        self.knee = self.ankle + human.shank.length
        self.hip = self.knee + human.thigh.length
        self.spine = self.hip + human.pelvis.length

    def build(self) -> Humanoid:
        human, joints = self.human, self.made.joints
        size = self.made.scale
        assert human.pelvis.proximal is not None and human.pelvis.distal is not None
        pelvis = self.add(
            "pelvis",
            (0.0, 0.0, self.spine - human.pelvis.proximal[2]),
            human.pelvis,
            Box((0.15 * size, 0.26 * size, 0.12 * size)),
        )
        upper = self.upper_body()
        place = self.at((0.0, 0.0, self.spine))
        if self.made.variant == "ragdoll":
            self.ball("spine", "spine", (0.0, 0.0, self.spine), 1.0, pelvis, upper, up=True)
        else:
            kind = (
                Fixed(place)
                if self.made.variant in ("20dof", "planar")
                # twist about the long axis of the upper body, tilt about x of the pelvis
                else Universal(place, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
            )
            joints["spine"] = self.join("spine", kind, upper, pelvis)
        if self.made.variant == "planar":
            self.join("sagittal plane", Planar(place, (0.0, 1.0, 0.0)), None, pelvis)
        for side, sign in zip(SIDES, (-1.0, 1.0), strict=True):
            self.leg(side, sign, pelvis)
            if self.made.variant in _WITH_ARMS:
                self.arm(side, sign, upper)
        return self.made

    def at(self, place: Any) -> tuple[float, float, float]:
        x, y, z = (self.origin + place).tolist()
        return x, y, z

    def add(
        self,
        name: str,
        place: Any,
        segment: Segment | MassProperties,
        shape: "Shape | list[Placed]",
        drawn: tuple[Drawn, ...] = (),
    ) -> "Body":
        if isinstance(segment, Segment):
            segment = from_values(segment.mass, np.diag(segment.inertia), (0.0, 0.0, 0.0))
        body = self.world.add_body(
            shape,
            position=self.at(place),
            mass_properties=segment,
            material=SOLE,
            name=self.prefix + name,
            group=BODY,
            mask=GROUND,
        )
        body.display = drawn
        self.made.bodies[name] = body
        return body

    def join(self, name: str, kind: Any, first: "Body | None", second: "Body") -> "Joint":
        joint = self.world.add_joint(kind, first, second, name=self.prefix + name)
        self.made.joints[name] = joint
        return joint

    def shoulder(self) -> tuple[float, float]:
        """Return y and z of the left shoulder of one who stands."""
        human = self.human
        assert human.thorax.proximal is not None
        y, z = dict(human.thorax.points)["shoulder"][1:]
        return y, self.spine + human.lumbar.length - human.thorax.proximal[2] + z

    def upper_body(self) -> "Body":
        """Add lumbar, thorax, neck and head as one body, and the arms where they do not move."""
        human, size = self.human, self.made.scale
        parts: list[tuple[Segment, Any]] = []
        z = self.spine
        for segment in (human.lumbar, human.thorax, human.neck):
            assert segment.proximal is not None
            parts.append((segment, (0.0, 0.0, z - segment.proximal[2])))
            z += segment.length
        assert human.head.distal is not None
        head = z - human.head.distal[2]
        parts.append((human.head, (0.0, 0.0, head)))
        if self.made.variant not in _WITH_ARMS:
            y, z = self.shoulder()
            for segment, height in self.arm_parts(z):
                parts += [(segment, (0.0, y, height)), (segment, (0.0, -y, height))]
        mass, centre, inertia = combined(parts)
        y, z = self.shoulder()
        trunk = z - self.spine
        shapes = [
            Placed(Box((0.2 * size, 0.3 * size, trunk)), (0.0, 0.0, self.spine + 0.5 * trunk - centre[2])),
            Placed(Sphere(0.11 * size), (0.0, 0.0, head - centre[2])),
        ]
        if self.made.variant not in _WITH_ARMS:
            reach = human.upper_arm.length + human.forearm.length
            for sign in (-1.0, 1.0):
                shapes.append(
                    Placed(Capsule(0.04 * size, reach), (0.0, sign * y, z - 0.5 * reach - centre[2]))
                )
        properties = from_values(mass, inertia, (0.0, 0.0, 0.0))
        return self.add("upper body", centre, properties, shapes)

    def arm_parts(self, z: float) -> list[tuple[Segment, float]]:
        """Return the segments of a hanging arm, and the heights of their centres; z: of the shoulder."""
        human = self.human
        found = []
        for segment in (human.upper_arm, human.forearm, human.hand):
            assert segment.proximal is not None
            found.append((segment, z - segment.proximal[2]))
            z -= segment.length
        return found

    def leg(self, side: str, sign: float, pelvis: "Body") -> None:
        human, size = self.human, self.made.scale
        assert human.pelvis.distal is not None and human.thigh.proximal is not None
        assert human.shank.proximal is not None and human.foot.proximal is not None
        y = sign * human.pelvis.distal[1]
        thigh = self.add(
            f"{side} thigh",
            (0.0, y, self.hip - human.thigh.proximal[2]),
            human.thigh,
            [
                Placed(
                    Capsule(0.06 * size, human.thigh.length - 0.1 * size),
                    (0.0, 0.0, human.thigh.proximal[2] - 0.5 * human.thigh.length),
                )
            ],
        )
        shank = self.add(
            f"{side} shank",
            (0.0, y, self.knee - human.shank.proximal[2]),
            human.shank,
            [
                Placed(
                    Capsule(0.045 * size, human.shank.length - 0.1 * size),
                    (0.0, 0.0, human.shank.proximal[2] - 0.5 * human.shank.length),
                )
            ],
        )
        x, _, z = human.foot.proximal
        points = [(p[0], sign * p[1], p[2] + POINT) for _, p in human.foot.points]
        sole = Drawn(Box((0.26 * size, 0.08 * size, 0.05 * size)), (0.0, 0.0, -0.02 * size))
        foot = self.add(
            f"{side} foot",
            (-x, y, self.ankle - z),
            human.foot,
            [Placed(Sphere(POINT), p) for p in points],
            (sole,),
        )
        self.swinging("hip", f"{side} hip", (0.0, y, self.hip), sign, pelvis, thigh)
        knee = self.join(f"{side} knee", Hinge(self.at((0.0, y, self.knee)), (0.0, 1.0, 0.0)), thigh, shank)
        knee.limit(KNEE_STOP, np.inf, stiffness=STOP_STIFFNESS, damping=STOP_DAMPING)
        if self.made.variant == "ragdoll":
            knee.limit(upper=float(np.radians(_KNEE)))
        self.swinging("ankle", f"{side} ankle", (0.0, y, self.ankle), sign, shank, foot)

    def swinging(
        self, what: str, name: str, place: Any, sign: float, first: "Body", second: "Body"
    ) -> "Joint":
        """Add a hip or an ankle, as the variant has it; sign is -1 on the right side."""
        if self.made.variant == "planar":
            return self.join(name, Hinge(self.at(place), (0.0, 1.0, 0.0)), first, second)
        if self.made.variant == "ragdoll":
            return self.ball(what, name, place, sign, first, second)
        return self.join(name, Ball(self.at(place)), first, second)

    def ball(
        self,
        what: str,
        name: str,
        place: Any,
        sign: float,
        first: "Body",
        second: "Body",
        up: bool = False,
    ) -> "Joint":
        """Add a ball joint with the stops of a body; z is its long axis, x forward."""
        kind = Ball(self.at(place), (0.0, 0.0, 1.0 if up else -1.0), x_axis=(1.0, 0.0, 0.0))
        joint = self.join(name, kind, first, second)
        back, forth, inwards, outwards = np.radians(_SWINGS[what])
        # y of a frame whose z points down is to the right
        sides = (inwards, outwards) if sign < 0.0 or up else (-outwards, -inwards)
        joint.limit_swing(ellipse=(back, forth, *sides))
        low, high = np.radians(_TWISTS[what])
        joint.limit(low, high, coordinate="twist")
        joint.damper(_FLESH, coordinate="twist")
        return joint

    def arm(self, side: str, sign: float, upper: "Body") -> None:
        """Add an arm of two bodies; forearm and hand are one."""
        size = self.made.scale
        y, z = self.shoulder()
        (upper_arm, high), (forearm, low), (hand, lowest) = self.arm_parts(z)
        bone = self.add(
            f"{side} upper arm",
            (0.0, sign * y, high),
            upper_arm,
            [Placed(Capsule(0.045 * size, upper_arm.length - 0.1 * size))],
        )
        mass, centre, inertia = combined([(forearm, (0.0, sign * y, low)), (hand, (0.0, sign * y, lowest))])
        lower = self.add(
            f"{side} forearm",
            centre,
            from_values(mass, inertia, (0.0, 0.0, 0.0)),
            [Placed(Capsule(0.035 * size, forearm.length))],
        )
        shoulder = (0.0, sign * y, z)
        if self.made.variant == "ragdoll":
            self.ball("shoulder", f"{side} shoulder", shoulder, sign, upper, bone)
        else:
            self.join(f"{side} shoulder", Hinge(self.at(shoulder), (0.0, 1.0, 0.0)), upper, bone)
        elbow = z - upper_arm.length
        joint = self.join(
            f"{side} elbow", Hinge(self.at((0.0, sign * y, elbow)), (0.0, -1.0, 0.0)), bone, lower
        )
        joint.limit(KNEE_STOP, np.inf, stiffness=STOP_STIFFNESS, damping=STOP_DAMPING)
        if self.made.variant == "ragdoll":
            joint.limit(upper=float(np.radians(_ELBOW)))
