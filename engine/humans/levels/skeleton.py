"""Whole people in levels of detail (Stelzner 2008, chapter 4)."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision import Box, Placed, Sphere
from stoss.engine import checks
from stoss.engine.bodies.mass import from_values
from stoss.engine.humans.anthropometry import MALE, Human
from stoss.engine.humans.humanoid import POINT, SIDES
from stoss.engine.humans.levels.bones import Bones, Y, Z, properties_of, rod
from stoss.engine.humans.levels.hands import add_hand
from stoss.engine.humans.levels.kneecaps import MASS, add_kneecap
from stoss.engine.humans.levels.knees import KNEES, add_knee
from stoss.engine.humans.levels.shoulders import MASSES, SHOULDERS, add_girdle, add_rhythm
from stoss.engine.humans.levels.spines import SPINES, add_spine
from stoss.engine.joints.basic_kinds import Ball
from stoss.engine.joints.combined_kinds import Hinge
from stoss.names import closed, takes_names

if TYPE_CHECKING:
    from stoss.engine.articulated.structure import Follow
    from stoss.engine.world.body import Body
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = ["Skeleton", "build_skeleton"]

FOOT_SHARES = {"talus": 0.1, "toes": 0.15}  # of the mass of the foot; stand-ins


@closed
@dataclass
class Skeleton:
    """A person in a world, bone by bone; joints have the names of what they carry, or of the body.

    Attributes:
        human: whose data they are.
        bodies: by name: "pelvis", "right thigh", "L5", "head" and so on.
        joints: by name: "right knee", "left wrist", "L5".
        follow: coordinates that follow others in `Articulation(world, person.follow)` alone, none if it is
            `coupled`: vertebrae the lowest one of back and neck, clavicle and shoulder blade the arm.
        leaders: which coordinate leads the bending of the spine, "flexion", "lateral", "axial" and the same
            of the neck, "neck flexion": its name in `Articulation`, and its share of the whole.
    """

    human: Human
    bodies: "dict[str, Body]" = field(default_factory=dict)
    joints: "dict[str, Joint]" = field(default_factory=dict)
    follow: "dict[str, Follow]" = field(default_factory=dict)
    leaders: dict[str, tuple[str, float]] = field(default_factory=dict)

    @property
    def mass(self) -> float:
        """Return its mass [kg]."""
        return sum(body.mass for body in self.bodies.values())


@takes_names
def build_skeleton(
    world: "World",
    human: Human = MALE,
    *,
    knee: str = "spline",
    spine: str = "rigid thorax",
    shoulder: str = "ball",
    hands: bool = False,
    kneecaps: bool = False,
    limits: bool = True,
    coupled: bool = True,
    position: Any = (0.0, 0.0, 0.0),
    prefix: str = "",
) -> Skeleton:
    """Add a person who stands upright with hanging arms, in the detail that is asked for.

    With the pelvis's six, legs have 20 degrees of freedom, arms seven each, fingers twenty a hand. Vertebrae
    share six, and the shoulder girdle follows the arm, by couplings. Parts of the body do not collide with
    each other. x is forward, y to the left. Angles of balls are turns about x, y and z. Stelzner 2008,
    chapter 4.

        world = st.World()
        person = st.build_skeleton(world, knee="four-bar", spine="full", shoulder="girdle", hands=True)
        both = st.Articulation(world)

    Args:
        world: where to.
        human: its data, for instance `MALE.scaled(stature=1.65, mass=58)`.
        knee: "hinge", "spline", "four-bar" or "ellipsoid", see `add_knee`.
        spine: "full", 24 vertebrae; "rigid thorax", lumbar and cervical ones; "three bodies"; or "rigid".
        shoulder: "ball", or "girdle": clavicles, and shoulder blades that glide on the ribs.
        hands: whether they have fingers.
        kneecaps: whether the knees have some, which follow the flexion.
        limits: whether joints stop where those of people do.
        coupled: whether vertebrae and shoulder girdles are coupled; else each joint is free within its stops,
            and `follow` says what would follow what.
        position: (3,) of the ground below its middle [m].
        prefix: of the names of bodies and joints.

    Raises:
        TypeError, ValueError: no such level, or a value that makes no sense.
    """
    human = checks.instance("human", human, Human, "MALE.scaled(stature=1.7)")
    knee, spine = checks.choice("knee", knee, KNEES), checks.choice("spine", spine, SPINES)
    shoulder = checks.choice("shoulder", shoulder, SHOULDERS)
    hands, limits = checks.flag("hands", hands), checks.flag("limits", limits)
    coupled, kneecaps = checks.flag("coupled", coupled), checks.flag("kneecaps", kneecaps)
    ground = checks.vector("position", position)
    if not isinstance(prefix, str):
        raise TypeError(f"prefix = {prefix!r} must be a string")
    bones = Bones(world, human.stature / MALE.stature, prefix, coupled)
    size = bones.size
    assert human.pelvis.distal is not None and human.pelvis.proximal is not None
    hip = human.ankle_height + human.shank.length + human.thigh.length
    middle = ground + (0.0, 0.0, hip - human.pelvis.distal[2])
    mass = from_values(human.pelvis.mass, np.diag(human.pelvis.inertia), (0.0, 0.0, 0.0))
    bones.add("pelvis", middle, mass, shapes=(Placed(Box((0.15 * size, 0.24 * size, 0.1 * size))),))
    for side, sign in zip(SIDES, (-1.0, 1.0), strict=True):
        y = sign * human.pelvis.distal[1]
        _add_leg(bones, human, side, sign, ground + (0.0, y, hip), knee, kneecaps, limits)
    girdle = 2.0 * size**3 * sum(MASSES.values()) if shoulder == "girdle" else 0.0
    share = 1.0 - girdle / human.thorax.mass
    top = middle + human.pelvis.proximal
    carrier, between = add_spine(bones, human, spine, top, limits=limits, thorax_share=share)
    for side, sign in zip(SIDES, (-1.0, 1.0), strict=True):
        place = between + (0.0, sign * dict(human.thorax.points)["shoulder"][1], 0.0)
        carries = carrier
        if shoulder == "girdle":
            carries = add_girdle(bones, side, sign, carrier, between + (0.0, 0.0, 0.01 * size), place)
        _add_arm(bones, human, side, sign, carries, place, hands, limits)
        if shoulder == "girdle":
            add_rhythm(bones, side, sign)
    return Skeleton(human, bones.bodies, bones.joints, bones.follow, bones.leaders)


def _add_leg(
    bones: Bones,
    human: Human,
    side: str,
    sign: float,
    hip: np.ndarray,
    knee: str,
    kneecap: bool,
    limits: bool,
) -> None:
    size = bones.size
    knee_at = hip - (0.0, 0.0, human.thigh.length)
    ankle = knee_at - (0.0, 0.0, human.shank.length)
    thigh, shank = f"{side} thigh", f"{side} shank"
    whole, share = properties_of(human.thigh), 1.0 - kneecap * size**3 * MASS / human.thigh.mass
    own = from_values(share * whole.mass, share * np.diag(human.thigh.inertia), whole.center)
    bones.add(thigh, hip, own, (0.0, 0.0, -human.thigh.length), 0.03 * size)
    bones.add(shank, knee_at, properties_of(human.shank), (0.0, 0.0, -human.shank.length), 0.025 * size)
    point = tuple(hip.tolist())
    bones.join(f"{side} hip", Ball(point), "pelvis", thigh)
    joint = add_knee(
        bones.world, knee, bones.bodies[thigh], bones.bodies[shank], knee_at, size=size,
        name=f"{bones.prefix}{side} knee",
    )  # fmt: skip
    bones.joints[f"{side} knee"] = joint
    if kneecap:
        add_kneecap(bones, side, knee_at)
    _add_foot(bones, human, side, sign, ankle, limits)
    if limits:
        bones.limit(f"{side} knee", {"angle": (0.0, 130.0)})
        wide = {"turn_x": (-45.0, 30.0), "turn_z": (-40.0, 45.0)}
        mirrored = {name: (-high, -low) if sign > 0 else (low, high) for name, (low, high) in wide.items()}
        bones.limit(f"{side} hip", {**mirrored, "turn_y": (-85.0, 20.0)})


def _add_foot(bones: Bones, human: Human, side: str, sign: float, ankle: np.ndarray, limits: bool) -> None:
    size, foot = bones.size, human.foot
    assert foot.proximal is not None
    at = tuple(ankle.tolist())
    talus, sole, toes = (f"{side} {name}" for name in ("talus", "foot", "toes"))
    mass = foot.mass * FOOT_SHARES["talus"]
    bones.add(talus, ankle, rod(mass, (0.03 * size, 0.0, -0.02 * size), 0.02 * size))
    points = {name: np.array(p) * (1.0, sign, 1.0) - foot.proximal for name, p in foot.points}
    tips = tuple(Placed(Sphere(POINT), tuple((p + (0.0, 0.0, POINT)).tolist())) for p in points.values())
    share = 1.0 - sum(FOOT_SHARES.values())
    own = from_values(share * foot.mass, share * np.diag(foot.inertia), -np.array(foot.proximal))
    bones.add(sole, ankle, own, 0.75 * points["medial ball"], 0.02 * size, tips)
    ball = ankle + (points["medial ball"][0], 0.0, points["medial ball"][2] + 0.02 * size)
    tip = np.array([0.05 * size, 0.0, 0.0])
    bones.add(toes, ball, rod(foot.mass * FOOT_SHARES["toes"], tip, 0.015 * size), tip, 0.015 * size)
    shank = f"{side} shank"
    bones.join(
        f"{side} upper ankle", Hinge(at, Y), shank, talus, **({"angle": (-30.0, 50.0)} if limits else {})
    )
    # half-way up from straight ahead
    lower = Hinge(at, (np.sqrt(0.5), 0.0, np.sqrt(0.5)))
    bones.join(f"{side} lower ankle", lower, talus, sole, **({"angle": (-30.0, 30.0)} if limits else {}))
    bones.join(
        f"{side} toes",
        Hinge(tuple(ball.tolist()), Y),
        sole,
        toes,
        **({"angle": (-60.0, 30.0)} if limits else {}),
    )


def _add_arm(
    bones: Bones,
    human: Human,
    side: str,
    sign: float,
    carrier: str,
    place: np.ndarray,
    hands: bool,
    limits: bool,
) -> None:
    size = bones.size
    elbow = place - (0.0, 0.0, human.upper_arm.length)
    upper, ulna, radius = (f"{side} {name}" for name in ("upper arm", "ulna", "radius"))
    bones.add(upper, place, properties_of(human.upper_arm), elbow - place, 0.022 * size)
    down = np.array([0.0, 0.0, -human.forearm.length])
    x, y, z = human.forearm.inertia
    assert human.forearm.proximal is not None
    half = from_values(0.5 * human.forearm.mass, 0.5 * np.array([x, y, z]), -np.array(human.forearm.proximal))
    for name in (ulna, radius):
        bones.add(name, elbow, half, down, 0.012 * size)
    bones.join(f"{side} shoulder", Ball(tuple(place.tolist())), carrier, upper)
    at = tuple(elbow.tolist())
    bones.join(
        f"{side} elbow",
        Hinge(at, (0.0, -1.0, 0.0)),
        upper,
        ulna,
        **({"angle": (0.0, 145.0)} if limits else {}),
    )
    bones.join(f"{side} forearm", Hinge(at, Z), ulna, radius, **({"angle": (-90.0, 90.0)} if limits else {}))
    add_hand(bones, human, side, sign, radius, elbow + down, fingers=hands, limits=limits)
