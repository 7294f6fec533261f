"""Random worlds: chains, trees, loops, mechanisms with stops and drives, ragdolls and piles that touch.

Every family is drawn at steps of 5, 10, 16.7 and 33 ms, with each solver, with sleeping and without. The same
family and number give the same world on every machine. Numbers are rounded, so that a world can be printed.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from stoss.benchmarks.worlds.records import (
    WORLD,
    BodyRecord,
    DriveRecord,
    JointRecord,
    StopRecord,
    WorldRecord,
)
from stoss.collision.quaternions import Quaternion, Vector, multiply, rotate

__all__ = ["FAMILIES", "RUBBING", "TIME_STEPS", "draw", "draw_from", "draw_rubbing"]

TIME_STEPS = (0.005, 0.01, 0.0167, 0.033)
SOLVERS = ("auto", "direct", "gauss_seidel")
GRAVITY = 9.81
RUBBING = (3, 4, 10, 20)  # links of chains of boxes that rub
_ORIGIN: Vector = (0.0, 0.0, 0.0)


class _Dice:
    """Random numbers with few digits.

    Args:
        random: the source; `random.Random`, or hypothesis in its place, which then shrinks what it drew.
    """

    def __init__(self, random: Random) -> None:
        self.random = random

    def number(self, low: float, high: float) -> float:
        return round(self.random.uniform(low, high), 3)

    def vector(self, size: float) -> Vector:
        return self.number(-size, size), self.number(-size, size), self.number(-size, size)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def whole(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def pick(self, *values: Any) -> Any:
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
        return self.leaning((0.0, 0.0, 1e-3), 1.0)

    def quaternion(self) -> Quaternion:
        w, (x, y, z) = math.cos(angle := self.random.uniform(0.0, math.pi)), self.direction()
        s = math.sin(angle) / math.sqrt(x * x + y * y + z * z)
        return round(w, 9), round(s * x, 9), round(s * y, 9), round(s * z, 9)

    def axis(self) -> Vector:
        """Return an axis of the world, or any direction."""
        axes = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
        return self.direction() if self.chance(0.4) else self.pick(*axes)

    def mass(self) -> float:
        return round(10.0 ** self.random.uniform(-1.0, 1.0), 3) if self.chance(0.4) else 1.0

    def friction(self) -> float:
        return float(self.pick(0.0, 0.3, 0.5, 0.8, 1.2))

    def restitution(self) -> float:
        return float(self.pick(0.0, 0.0, 0.0, 0.3, 0.7, 1.0))


def _rounded(v: Vector) -> Vector:
    return round(v[0], 6), round(v[1], 6), round(v[2], 6)


def _plus(a: Vector, b: Vector, factor: float = 1.0) -> Vector:
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


def _along(direction: Vector) -> Quaternion:
    """Return a turn that takes z to a direction."""
    x, y, z = direction
    if z < -0.999999:
        return 0.0, 1.0, 0.0, 0.0
    size = math.sqrt((1.0 + z) ** 2 + x * x + y * y)
    return round((1.0 + z) / size, 9), round(-y / size, 9), round(x / size, 9), 0.0


def _floor(dice: _Dice, height: float) -> BodyRecord:
    return BodyRecord("half-space", (), (0.0, 0.0, height), kind="static", friction=dice.friction())


def _limb(dice: _Dice, middle: Vector, direction: Vector, length: float, friction: float) -> BodyRecord:
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
        _rounded(middle),
        _along(direction),
        mass=dice.mass(),
        friction=friction,
        restitution=dice.restitution() if dice.chance(0.3) else 0.0,
    )


def _joint(dice: _Dice, first: int, second: int, point: Vector, axis: Vector, collide: bool) -> JointRecord:
    kind = dice.pick("Ball", "Ball", "Hinge", "Hinge", "Universal", "Fixed", "Slider", "Cylindrical")
    other = None
    if kind == "Universal":
        x, y, z = axis
        across = (y, -x, 0.0) if abs(z) < 0.8 else (0.0, z, -y)
        size = math.hypot(*across)
        other = round(across[0] / size, 9), round(across[1] / size, 9), round(across[2] / size, 9)
    return JointRecord(kind, first, second, _rounded(point), axis, other, collide)


COORDINATES = {
    "Ball": ("swing", "twist"),
    "Hinge": ("angle",),
    "Universal": ("angle_1", "angle_2"),
    "Slider": ("displacement",),
    "Cylindrical": ("angle", "displacement"),
}


def _with_stop(dice: _Dice, joint: JointRecord) -> JointRecord:
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
    return _swings_less(dice, joint) if name == "twist" else joint


def _with_drive(dice: _Dice, joint: JointRecord) -> JointRecord:
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
    return _swings_less(dice, replace(joint, drives=(*joint.drives, drive)))


def _swings_less(dice: _Dice, joint: JointRecord) -> JointRecord:
    """Return the joint with a stop of its swing before half a turn, where twist is undefined."""
    if joint.kind != "Ball" or any(stop.coordinate == "swing" for stop in joint.stops):
        return joint
    stop = StopRecord("swing", -math.inf, dice.number(0.5, 2.5), 0.0, None, 0.0)
    return replace(joint, stops=(*joint.stops, stop))


Parts = tuple[list[BodyRecord], list[JointRecord]]


def _grown(dice: _Dice, links: int, *, tree: bool, start: Vector, kink: float, friction: float) -> Parts:
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
        bodies.append(_limb(dice, _plus(base, direction, 0.5 * length), direction, length, friction))
        joint = _joint(dice, parent, k, base, axis if dice.chance(0.7) else dice.axis(), collide)
        if one_kind is not None:
            joint = replace(joint, kind=one_kind, other=None)
        joints.append(joint)
        ends.append(_plus(base, direction, length))
        directions.append(direction)
    return bodies, joints


def _loosened(dice: _Dice, joints: list[JointRecord]) -> list[JointRecord]:
    """Return the joints without the one to the world."""
    return [joint for joint in joints if joint.first != WORLD]


def _on_floor(dice: _Dice, bodies: list[BodyRecord], gap: float) -> list[BodyRecord]:
    """Return the bodies, and a floor `gap` below the lowest point that any of them may have."""
    lowest = min(b.position[2] - _reach(b) for b in bodies)
    return [*bodies, _floor(dice, round(lowest - gap, 3))]


def _reach(body: BodyRecord) -> float:
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


def _pushed(dice: _Dice, bodies: list[BodyRecord], speed: float) -> list[BodyRecord]:
    """Return bodies that move as one, at a velocity of at most `speed` per axis."""
    v = dice.vector(speed)
    return [replace(b, velocity=v) if b.kind == "dynamic" else b for b in bodies]


def _loose(dice: _Dice, k: int, spread: float, height: float, friction: float) -> BodyRecord:
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


def _chain(dice: _Dice) -> Parts:
    bodies, joints = _grown(
        dice, dice.whole(2, 10), tree=False, start=_ORIGIN, kink=dice.pick(0.0, 0.3), friction=dice.friction()
    )
    if dice.chance(0.5):
        joints = _loosened(dice, joints)
        bodies = _pushed(dice, bodies, 3.0)
        return _on_floor(dice, bodies, dice.number(0.0, 1.0)), joints
    if dice.chance(0.5):
        bodies.append(_floor(dice, -dice.number(0.6, 2.0) - _depth(bodies)))
    return bodies, joints


def _depth(bodies: list[BodyRecord]) -> float:
    """Return how far below the origin bodies reach now [m]."""
    return round(max(0.0, -min(b.position[2] - _reach(b) for b in bodies)), 3)


def _tree(dice: _Dice) -> Parts:
    bodies, joints = _grown(
        dice, dice.whole(4, 12), tree=True, start=_ORIGIN, kink=1.0, friction=dice.friction()
    )
    if dice.chance(0.5):
        joints = _loosened(dice, joints)
        return _on_floor(dice, _pushed(dice, bodies, 2.0), dice.number(0.0, 1.0)), joints
    return bodies, joints


def _loop(dice: _Dice) -> Parts:
    """Return a polygon of limbs; hinges across it make a plane mechanism, ball joints a slack ring."""
    n = dice.whole(3, 7)
    friction, length, kind = dice.friction(), dice.number(0.2, 0.5), dice.pick("Hinge", "Ball", "Universal")
    upright = dice.chance(0.7)
    radius = 0.5 * length / math.sin(math.pi / n)
    corners: list[Vector] = []
    for k in range(n):
        turn = 2.0 * math.pi * k / n + 0.1
        x, y = radius * math.cos(turn), radius * math.sin(turn)
        corners.append((x, 0.0, y) if upright else (x, y, 0.0))
    axis = (0.0, 1.0, 0.0) if upright else (0.0, 0.0, 1.0)
    bodies: list[BodyRecord] = []
    joints: list[JointRecord] = []
    for k in range(n):
        a, b = corners[k], corners[(k + 1) % n]
        middle = _plus((0.5 * a[0], 0.5 * a[1], 0.5 * a[2]), b, 0.5)
        span = math.dist(a, b)
        direction = ((b[0] - a[0]) / span, (b[1] - a[1]) / span, (b[2] - a[2]) / span)
        bodies.append(_limb(dice, middle, direction, span, friction))
        base = JointRecord(kind, k, (k + 1) % n, _rounded(b), axis)
        if kind == "Universal":
            base = replace(base, other=(1.0, 0.0, 0.0))
        joints.append(base)
    if dice.chance(0.6):  # one corner or one limb on the world
        joints.append(JointRecord(dice.pick("Ball", "Hinge", "Fixed"), WORLD, 0, _rounded(corners[0]), axis))
        spin = dice.vector(3.0)
        bodies[n // 2] = replace(bodies[n // 2], spin=spin)
        return bodies, joints
    return _on_floor(dice, _pushed(dice, bodies, 2.0), dice.number(0.0, 1.0)), joints


def _stops(dice: _Dice) -> Parts:
    bodies, joints = _chain(dice) if dice.chance(0.7) else _tree(dice)
    return bodies, [_with_stop(dice, j) if dice.chance(0.7) else j for j in joints]


def _drives(dice: _Dice) -> Parts:
    bodies, joints = _chain(dice) if dice.chance(0.7) else _tree(dice)
    joints = [_with_drive(dice, j) if dice.chance(0.6) else j for j in joints]
    return bodies, [_with_stop(dice, j) if dice.chance(0.3) else j for j in joints]


def _doll(dice: _Dice) -> Parts:
    """Return a body with limbs on ball joints and hinges with stops and dampers, dropped."""
    friction = dice.friction()
    bodies = [BodyRecord("box", (0.2, 0.3, 0.5), _ORIGIN, mass=10.0, friction=friction)]
    joints: list[JointRecord] = []
    places = (
        ((0.0, 0.16, 0.2), (0.0, 1.0, 0.0)),
        ((0.0, -0.16, 0.2), (0.0, -1.0, 0.0)),
        ((0.0, 0.1, -0.26), (0.0, 0.0, -1.0)),
        ((0.0, -0.1, -0.26), (0.0, 0.0, -1.0)),
        ((0.0, 0.0, 0.27), (0.0, 0.0, 1.0)),
    )
    for point, direction in places[: dice.whole(2, 5)]:
        base, parent = point, 0
        for k in range(1 if direction[2] > 0.0 else 2):
            length = dice.number(0.25, 0.4)
            body = BodyRecord(
                dice.pick("capsule", "capsule", "box"),
                (0.04, round(length - 0.09, 3)),
                _rounded(_plus(base, direction, 0.5 * length)),
                _along(direction),
                mass=dice.number(1.0, 3.0),
                friction=friction,
            )
            if body.shape == "box":
                body = replace(body, size=(0.07, 0.07, round(length - 0.02, 3)))
            bodies.append(body)
            across = (1.0, 0.0, 0.0) if abs(direction[0]) < 0.5 else (0.0, 1.0, 0.0)
            damper = DriveRecord("damper", "twist", (("damping", dice.pick(0.0, 0.02, 0.2)),))
            if k == 0:
                stops = (
                    StopRecord("swing", -math.inf, dice.number(0.3, 1.4), dice.pick(0.0, 0.0, 0.5)),
                    StopRecord("twist", -dice.number(0.2, 0.8), dice.number(0.2, 0.8)),
                )
                joint = JointRecord(
                    "Ball", parent, len(bodies) - 1, _rounded(base), direction, None, False, stops, (damper,)
                )
            else:
                stop = (StopRecord("angle", 0.0, dice.number(1.0, 2.4)),)
                drive = (DriveRecord("damper", "angle", damper.values),)
                joint = JointRecord(
                    "Hinge", parent, len(bodies) - 1, _rounded(base), across, None, False, stop, drive
                )
            joints.append(joint)
            parent = len(bodies) - 1
            base = _plus(base, direction, length)
    turn = dice.quaternion()
    moved = []
    for b in bodies:
        w, x, y, z = multiply(turn, b.quaternion)
        size = math.sqrt(w * w + x * x + y * y + z * z)
        q = round(w / size, 9), round(x / size, 9), round(y / size, 9), round(z / size, 9)
        moved.append(replace(b, position=_rounded(rotate(turn, b.position)), quaternion=q))
    turned = [
        replace(j, point=_rounded(rotate(turn, j.point)), axis=_unit(rotate(turn, j.axis))) for j in joints
    ]
    return _on_floor(dice, _pushed(dice, moved, 2.0), dice.number(0.0, 2.0)), turned


def _unit(v: Vector) -> Vector:
    return round(v[0], 9), round(v[1], 9), round(v[2], 9)


def _pile(dice: _Dice) -> Parts:
    friction = dice.friction()
    n = dice.whole(3, 12)
    bodies = [
        _loose(dice, k, dice.pick(0.05, 0.2), 0.4 + 0.62 * k * dice.pick(1.0, 1.2), friction)
        for k in range(n)
    ]
    bodies = [replace(b, spin=dice.vector(2.0)) if dice.chance(0.3) else b for b in bodies]
    return [*bodies, _floor(dice, 0.0)], []


def _kinematic(dice: _Dice) -> Parts:
    """Return loose bodies on a plate that turns or travels, or a chain on a crank."""
    if dice.chance(0.5):
        friction = dice.friction()
        spin = (0.0, 0.0, dice.number(-3.0, 3.0)) if dice.chance(0.6) else dice.vector(0.2)
        plate = BodyRecord(
            "box",
            (3.0, 3.0, 0.2),
            _ORIGIN,
            velocity=dice.vector(0.3),
            spin=spin,
            kind="kinematic",
            friction=friction,
        )
        n = dice.whole(1, 5)
        return [plate, *(_loose(dice, k, 0.3, 0.5 + 0.75 * k, friction) for k in range(n))], []
    bodies, joints = _grown(
        dice, dice.whole(2, 7), tree=False, start=_ORIGIN, kink=0.2, friction=dice.friction()
    )
    crank = BodyRecord(
        "box",
        (0.1, 0.1, 0.1),
        (0.0, 0.0, 0.0),
        velocity=dice.vector(0.5),
        spin=dice.vector(2.0),
        kind="kinematic",
    )
    n = len(bodies)
    joints[0] = replace(joints[0], first=n)
    return [*bodies, crank], joints


def _free(dice: _Dice) -> Parts:
    """Return jointed and loose bodies that meet, with nothing of the world near."""
    bodies, joints = _grown(
        dice, dice.whole(2, 6), tree=True, start=_ORIGIN, kink=0.7, friction=dice.friction()
    )
    joints = _loosened(dice, joints)
    if dice.chance(0.3):
        joints = [_with_stop(dice, j) for j in joints]
    if dice.chance(0.3):
        joints = [_with_drive(dice, j) for j in joints]
    for k in range(dice.whole(0, 4)):
        x, y, z = dice.direction()
        away = 2.5 + 0.8 * k
        loose = _loose(dice, 0, 0.1, 0.0, dice.friction())
        towards = -dice.number(0.2, 3.0)
        bodies.append(
            replace(
                loose,
                position=(round(away * x, 3), round(away * y, 3), round(away * z, 3)),
                velocity=(round(towards * x, 3), round(towards * y, 3), round(towards * z, 3)),
                spin=dice.vector(2.0),
            )
        )
    k = dice.whole(0, len(bodies) - 1)
    bodies[k] = replace(bodies[k], spin=dice.vector(5.0))
    return bodies, joints


def _overlaps(dice: _Dice) -> Parts:
    """Return a pile or a chain that begins inside the floor or inside itself."""
    if dice.chance(0.5):
        bodies, joints = _pile(dice)
        bodies = [
            replace(b, position=(b.position[0], b.position[1], round(0.3 * b.position[2], 3)))
            if b.kind == "dynamic"
            else b
            for b in bodies
        ]
        return bodies, joints
    bodies, joints = _grown(
        dice, dice.whole(2, 8), tree=dice.chance(0.5), start=_ORIGIN, kink=0.6, friction=dice.friction()
    )
    joints = _loosened(dice, joints)
    if dice.chance(0.4):
        joints = [_with_stop(dice, j) for j in joints]
    if dice.chance(0.4):
        joints = [replace(j, collide=True) for j in joints]
    return _on_floor(dice, bodies, -dice.number(0.0, 0.1)), joints


def _jams(dice: _Dice) -> Parts:
    """Return a rod or two on hinges whose tip rubs on the floor."""
    n = dice.whole(1, 3)
    lean = dice.number(-1.5, 1.5)
    direction = (round(math.sin(lean), 9), 0.0, round(-math.cos(lean), 9))
    bodies: list[BodyRecord] = []
    joints: list[JointRecord] = []
    base: Vector = _ORIGIN
    friction = dice.number(0.2, 1.5)
    for k in range(n):
        length = dice.number(0.2, 0.6)
        bodies.append(_limb(dice, _plus(base, direction, 0.5 * length), direction, length, friction))
        joints.append(
            JointRecord(dice.pick("Hinge", "Hinge", "Ball"), k - 1, k, _rounded(base), (0.0, 1.0, 0.0))
        )
        base = _plus(base, direction, length)
    floor = _floor(dice, -_depth(bodies) - dice.pick(0.0, 0.001, 0.02))
    bodies[0] = replace(bodies[0], spin=(0.0, dice.number(-4.0, 4.0), 0.0))
    return [*bodies, replace(floor, friction=friction)], joints


FAMILIES: dict[str, Callable[[_Dice], Parts]] = {
    "chain": _chain,
    "tree": _tree,
    "loop": _loop,
    "stops": _stops,
    "drives": _drives,
    "doll": _doll,
    "pile": _pile,
    "kinematic": _kinematic,
    "free": _free,
    "overlaps": _overlaps,
    "jams": _jams,
}


def draw(number: int, family: str | None = None, seed: int = 0) -> WorldRecord:
    """Return the world of that number in a series; families take turns unless one is named.

    Args:
        number: which one.
        family: a key of `FAMILIES`.
        seed: of the series.
    """
    name = [*FAMILIES][number % len(FAMILIES)] if family is None else family
    return draw_from(Random(f"{seed} {name} {number}"), name, number)


def draw_from(random: Random, family: str, number: int = 0) -> WorldRecord:
    """Return a world of a family from a source of random numbers; `number` is only noted."""
    dice = _Dice(random)
    time_step, solver = dice.pick(*TIME_STEPS), dice.pick(*SOLVERS)
    sleeping, weightless = dice.chance(0.3), dice.chance(0.7 if family == "free" else 0.05)
    bodies, joints = FAMILIES[family](dice)
    if family != "kinematic" and dice.chance(0.1):
        k = dice.whole(0, len(bodies) - 1)
        if bodies[k].kind == "dynamic":
            alone = family == "free"  # a torque alone leaves the momentum to be compared
            bodies[k] = (
                replace(bodies[k], torque=dice.vector(0.5))
                if alone
                else replace(bodies[k], force=dice.vector(3.0))
            )
    gravity = 0.0 if weightless else GRAVITY
    return WorldRecord(family, number, gravity, time_step, solver, sleeping, tuple(bodies), tuple(joints))


def draw_rubbing(number: int, links: int, seed: int = 0) -> WorldRecord:
    """Return a chain of boxes (0.3, 0.1, 0.1) of 1 kg that rub: hanging (even), or thrown on the floor (odd).

    Args:
        number: which one.
        links: how many boxes.
        seed: of the series.
    """
    dice = _Dice(Random(f"{seed} rubbing {links} {number}"))
    time_step, solver = dice.pick(*TIME_STEPS), dice.pick(*SOLVERS)
    friction, straight = dice.number(0.2, 1.0), dice.chance(0.3)
    at, direction = _ORIGIN, dice.direction()
    bodies: list[BodyRecord] = []
    joints: list[JointRecord] = []
    for k in range(links):
        if not straight:
            direction = dice.leaning(direction, 0.4)
        # the edge of 0.3 m along x
        body = BodyRecord(
            "box", (0.1, 0.1, 0.3), _rounded(_plus(at, direction, 0.15)), _along(direction), friction=friction
        )
        bodies.append(body)
        joints.append(JointRecord("Ball", k - 1, k, _rounded(at)))
        at = _plus(at, direction, 0.3)
    if number % 2:
        joints = joints[1:]
        bodies = _on_floor(dice, _pushed(dice, bodies, 3.0), dice.number(0.05, 1.0))
    return WorldRecord(
        f"rubbing {links}", number, GRAVITY, time_step, solver, False, tuple(bodies), tuple(joints)
    )
