"""What random worlds are put together from: limbs, joints, stops, drives and loose bodies."""

import math
from dataclasses import replace
from random import Random
from typing import Any

from stoss.benchmarks.worlds.records import (
    CONE,
    WORLD,
    BodyRecord,
    DriveRecord,
    JointRecord,
    StopRecord,
)
from stoss.collision.quaternions import Quaternion, Vector, rotate

__all__ = [
    "COORDINATES",
    "Dice",
    "Parts",
    "along",
    "bounded",
    "new_floor",
    "grown",
    "new_joint",
    "new_limb",
    "new_loose",
    "loosened",
    "on_floor",
    "plus",
    "pushed",
    "reach",
    "rounded",
    "swings_less",
    "with_drive",
    "with_stop",
]


class Dice:
    """Random numbers with few digits.

    Args:
        random: the source; `random.Random`, or hypothesis in its place, which then shrinks what it drew.
    """

    def __init__(self, random: Random) -> None:
        self.random = random

    def number(self, low: float, high: float) -> float:
        """Return a number between two bounds."""
        return round(self.random.uniform(low, high), 3)

    def vector(self, size: float) -> Vector:
        """Return a vector whose parts are within `size`."""
        return self.number(-size, size), self.number(-size, size), self.number(-size, size)

    def chance(self, share: float) -> bool:
        """Return True with this probability."""
        return self.random.random() < share

    def whole(self, low: int, high: int) -> int:
        """Return a whole number between two bounds, both included."""
        return self.random.randint(low, high)

    def pick(self, *values: Any) -> Any:
        """Return one of the values."""
        return values[self.random.randrange(len(values))]

    def leaning(self, direction: Vector, kink: float) -> Vector:
        """Return a direction that leans from another one by about `kink` [rad]."""
        gauss = self.random.gauss
        x, y, z = (c + kink * gauss(0.0, 1.0) for c in direction)
        size = math.sqrt(x * x + y * y + z * z)
        return (
            (round(x / size, 6), round(y / size, 6), round(z / size, 6))
            if 1e-3 < size < 1e3
            else (0.0, 0.0, 1.0)
        )

    def direction(self) -> Vector:
        """Return a direction."""
        return self.leaning((0.0, 0.0, 1e-3), 1.0)

    def quaternion(self) -> Quaternion:
        """Return an orientation."""
        w, (x, y, z) = math.cos(angle := self.random.uniform(0.0, math.pi)), self.direction()
        s = math.sin(angle) / math.sqrt(x * x + y * y + z * z)
        return round(w, 9), round(s * x, 9), round(s * y, 9), round(s * z, 9)

    def axis(self) -> Vector:
        """Return an axis of the world, or any direction."""
        axes = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
        return self.direction() if self.chance(0.4) else self.pick(*axes)

    def mass(self) -> float:
        """Return a mass [kg], often 1."""
        return round(10.0 ** self.random.uniform(-1.0, 1.0), 3) if self.chance(0.4) else 1.0

    def friction(self) -> float:
        """Return a coefficient of friction."""
        return float(self.pick(0.0, 0.3, 0.5, 0.8, 1.2))

    def restitution(self) -> float:
        """Return a restitution, often none."""
        return float(self.pick(0.0, 0.0, 0.0, 0.3, 0.7, 1.0))


def rounded(v: Vector) -> Vector:
    """Return a vector with few digits."""
    return round(v[0], 6), round(v[1], 6), round(v[2], 6)


def plus(a: Vector, b: Vector, factor: float = 1.0) -> Vector:
    """Return a + factor b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


def along(direction: Vector) -> Quaternion:
    """Return a turn that takes z to a direction."""
    x, y, z = direction
    if z < -0.999999:
        return 0.0, 1.0, 0.0, 0.0
    size = math.sqrt((1.0 + z) ** 2 + x * x + y * y)
    return round((1.0 + z) / size, 9), round(-y / size, 9), round(x / size, 9), 0.0


def new_floor(dice: Dice, height: float) -> BodyRecord:
    """Return a floor at this height [m]."""
    return BodyRecord("half-space", (), (0.0, 0.0, height), kind="static", friction=dice.friction())


def new_limb(dice: Dice, middle: Vector, direction: Vector, length: float, friction: float) -> BodyRecord:
    """Return a rod of some shape, `length` from end to end along `direction`."""
    thick = dice.number(0.03, 0.12)
    shape = dice.pick("box", "box", "capsule", "cylinder", "sphere")
    size = {
        "box": (thick, dice.number(0.03, 0.12), round(length, 3)),
        "capsule": (0.5 * thick, round(length - thick, 3)),
        "cylinder": (0.5 * thick, round(length, 3)),
        "sphere": (round(0.5 * length, 4),),
    }[shape]
    return BodyRecord(
        shape,
        size,
        rounded(middle),
        along(direction),
        mass=dice.mass(),
        friction=friction,
        restitution=dice.restitution() if dice.chance(0.3) else 0.0,
    )


def new_joint(dice: Dice, first: int, second: int, point: Vector, axis: Vector, collide: bool) -> JointRecord:
    """Return a joint of any kind between two bodies."""
    kind = dice.pick("Ball", "Ball", "Hinge", "Hinge", "Universal", "Fixed", "Slider", "Cylindrical")
    other = None
    if kind == "Universal":
        x, y, z = axis
        across = (y, -x, 0.0) if abs(z) < 0.8 else (0.0, z, -y)
        size = math.hypot(*across)
        other = round(across[0] / size, 9), round(across[1] / size, 9), round(across[2] / size, 9)
    return JointRecord(kind, first, second, rounded(point), axis, other, collide)


SLIDE = 0.5  # [m] to either side, of what slides on a crank

COORDINATES = {
    "Ball": ("swing", "twist"),
    "Hinge": ("angle",),
    "Universal": ("angle_1", "angle_2"),
    "Slider": ("displacement",),
    "Cylindrical": ("angle", "displacement"),
}


def with_stop(dice: Dice, joint: JointRecord) -> JointRecord:
    """Return the joint with a stop on one of its coordinates, if it has any."""
    if joint.kind not in COORDINATES:
        return joint
    name = dice.pick(*COORDINATES[joint.kind])
    reach = 0.2 if name == "displacement" else 1.2
    lower, upper = -dice.number(0.05 * reach, reach), dice.number(0.05 * reach, reach)
    soft = dice.chance(0.2)
    stop = StopRecord(
        name,
        -math.inf if name == "swing" else round(lower, 3),
        round(upper, 3),
        0.0 if soft else dice.pick(0.0, 0.0, 0.5, 1.0),
        dice.number(50.0, 2000.0) if soft else None,
        dice.number(0.0, 5.0) if soft else 0.0,
    )
    joint = replace(joint, stops=(*joint.stops, stop))
    return swings_less(dice, joint) if name == "twist" else joint


def bounded(joint: JointRecord) -> JointRecord:
    """Return the joint with stops if it slides.

    What slides on a crank is flung out with cosh(w t): 10^5 times as far in ten seconds at 1.3 rad/s.
    """
    if "displacement" not in COORDINATES.get(joint.kind, ()):
        return joint
    return replace(joint, stops=(*joint.stops, StopRecord("displacement", -SLIDE, SLIDE)))


def with_drive(dice: Dice, joint: JointRecord) -> JointRecord:
    """Return the joint with something that drives or resists one of its coordinates."""
    if joint.kind not in COORDINATES:
        return joint
    names = [name for name in COORDINATES[joint.kind] if name != "swing"]
    name = dice.pick(*names)
    reach = 0.2 if name == "displacement" else 1.0
    method = dice.pick("motor", "servo", "spring", "damper", "friction", "pid")
    bound = dice.pick(5.0, 50.0, math.inf)
    if any(stop.coordinate == name for stop in joint.stops):
        bound = min(bound, 50.0)  # one that runs into its own stop with all force contradicts itself
    target = dice.number(-reach, reach)
    values: dict[str, dict[str, float]] = {
        "motor": {"velocity": dice.number(-3.0, 3.0) * reach, "max_force": bound},
        "servo": {
            "target": target,
            "stiffness": dice.number(10.0, 2000.0),
            "damping": dice.number(0.0, 20.0),
        },
        "spring": {"stiffness": dice.number(5.0, 500.0), "damping": dice.pick(0.0, 0.5), "rest": target},
        "damper": {"damping": dice.number(0.01, 5.0)},
        "friction": {"max_force": dice.number(0.1, 10.0)},
        "pid": {"target": target, "gain": dice.number(1.0, 20.0), "derivative_time": 0.1, "max_force": 50.0},
    }
    if method == "servo" and dice.chance(0.5):
        values["servo"]["max_force"] = bound
    drive = DriveRecord(method, name, tuple(values[method].items()))
    return swings_less(dice, replace(joint, drives=(*joint.drives, drive)))


def swings_less(dice: Dice, joint: JointRecord) -> JointRecord:
    """Return the joint with a stop of its swing before half a turn, where twist is undefined."""
    if joint.kind != "Ball" or any(stop.coordinate in ("swing", CONE) for stop in joint.stops):
        return joint
    stop = StopRecord("swing", -math.inf, dice.number(0.5, 2.5), 0.0, None, 0.0)
    return replace(joint, stops=(*joint.stops, stop))


Parts = tuple[list[BodyRecord], list[JointRecord]]


def grown(dice: Dice, links: int, *, tree: bool, start: Vector, kink: float, friction: float) -> Parts:
    """Return limbs that hang on each other, each on the end of the one before or of any."""
    bodies: list[BodyRecord] = []
    joints: list[JointRecord] = []
    ends: list[Vector] = []
    directions: list[Vector] = []
    first_direction = dice.direction()
    collide = dice.chance(0.1)
    one_kind = dice.pick("Ball", "Hinge", None)
    axis = dice.axis()
    for k in range(links):
        parent = WORLD if k == 0 else (dice.whole(0, k - 1) if tree else k - 1)
        base = start if k == 0 else ends[parent]
        direction = dice.leaning(first_direction if k == 0 else directions[parent], kink)
        length = dice.number(0.2, 0.5)
        bodies.append(new_limb(dice, plus(base, direction, 0.5 * length), direction, length, friction))
        joint = new_joint(dice, parent, k, base, axis if dice.chance(0.7) else dice.axis(), collide)
        if one_kind is not None:
            joint = replace(joint, kind=one_kind, other=None)
        joints.append(joint)
        ends.append(plus(base, direction, length))
        directions.append(direction)
    return bodies, joints


def loosened(dice: Dice, joints: list[JointRecord]) -> list[JointRecord]:
    """Return the joints without the one to the world."""
    return [joint for joint in joints if joint.first != WORLD]


def on_floor(dice: Dice, bodies: list[BodyRecord], gap: float) -> list[BodyRecord]:
    """Return the bodies, and a floor `gap` below the lowest point that any of them may have."""
    lowest = min(b.position[2] - reach(b) for b in bodies)
    return [*bodies, new_floor(dice, round(lowest - gap, 3))]


def reach(body: BodyRecord) -> float:
    """Return how far below its centre a body reaches."""
    x, y, z = (
        abs(rotate(body.quaternion, (1.0, 0.0, 0.0))[2]),
        abs(rotate(body.quaternion, (0.0, 1.0, 0.0))[2]),
        abs(rotate(body.quaternion, (0.0, 0.0, 1.0))[2]),
    )
    s = body.size
    match body.shape:
        case "box":
            return 0.5 * (x * s[0] + y * s[1] + z * s[2])
        case "capsule":
            return s[0] + 0.5 * z * s[1]
        case "cylinder":
            return s[0] + 0.5 * z * s[1]
        case _:
            return max(s)


def pushed(dice: Dice, bodies: list[BodyRecord], speed: float) -> list[BodyRecord]:
    """Return bodies that move as one, at a velocity of at most `speed` per axis."""
    v = dice.vector(speed)
    return [replace(b, velocity=v) if b.kind == "dynamic" else b for b in bodies]


def new_loose(dice: Dice, k: int, spread: float, height: float, friction: float) -> BodyRecord:
    """Return one body of a pile, the k-th, above those before it so that none overlaps."""
    shape = dice.pick("box", "box", "sphere", "capsule", "cylinder", "ellipsoid")
    size = {
        "box": (dice.number(0.1, 0.4), dice.number(0.1, 0.4), dice.number(0.1, 0.4)),
        "sphere": (dice.number(0.06, 0.2),),
        "capsule": (dice.number(0.05, 0.1), dice.number(0.1, 0.3)),
        "cylinder": (dice.number(0.06, 0.2), dice.number(0.08, 0.35)),
        "ellipsoid": (dice.number(0.06, 0.2), dice.number(0.06, 0.2), dice.number(0.06, 0.2)),
    }[shape]
    place = (dice.number(-spread, spread), dice.number(-spread, spread), round(height, 3))
    turn = dice.quaternion() if dice.chance(0.6) else (1.0, 0.0, 0.0, 0.0)
    return BodyRecord(
        shape, size, place, turn, mass=dice.mass(), friction=friction, restitution=dice.restitution()
    )


# ------------------------------------------------------------------ families
