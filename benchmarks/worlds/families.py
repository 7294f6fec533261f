"""Families of random worlds: what bodies and joints each has."""

import math
from collections.abc import Callable
from dataclasses import replace

from stoss.benchmarks.worlds.parts import (
    Dice,
    Parts,
    along,
    bounded,
    grown,
    loosened,
    new_floor,
    new_limb,
    new_loose,
    on_floor,
    plus,
    pushed,
    reach,
    rounded,
    with_drive,
    with_stop,
)
from stoss.benchmarks.worlds.records import (
    CONE,
    WORLD,
    BodyRecord,
    DriveRecord,
    JointRecord,
    StopRecord,
)
from stoss.collision.quaternions import Vector, multiply, rotate

__all__ = ["FAMILIES", "IN_TURN"]

_ORIGIN: Vector = (0.0, 0.0, 0.0)


def _chain(dice: Dice) -> Parts:
    bodies, joints = grown(
        dice, dice.whole(2, 10), tree=False, start=_ORIGIN, kink=dice.pick(0.0, 0.3), friction=dice.friction()
    )
    if dice.chance(0.5):
        joints = loosened(dice, joints)
        bodies = pushed(dice, bodies, 3.0)
        return on_floor(dice, bodies, dice.number(0.0, 1.0)), joints
    if dice.chance(0.5):
        bodies.append(new_floor(dice, -dice.number(0.6, 2.0) - _depth(bodies)))
    return bodies, joints


def _depth(bodies: list[BodyRecord]) -> float:
    """Return how far below the origin bodies reach now [m]."""
    return round(max(0.0, -min(b.position[2] - reach(b) for b in bodies)), 3)


def _tree(dice: Dice) -> Parts:
    bodies, joints = grown(
        dice, dice.whole(4, 12), tree=True, start=_ORIGIN, kink=1.0, friction=dice.friction()
    )
    if dice.chance(0.5):
        joints = loosened(dice, joints)
        return on_floor(dice, pushed(dice, bodies, 2.0), dice.number(0.0, 1.0)), joints
    return bodies, joints


def _loop(dice: Dice) -> Parts:
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
        middle = plus((0.5 * a[0], 0.5 * a[1], 0.5 * a[2]), b, 0.5)
        span = math.dist(a, b)
        direction = ((b[0] - a[0]) / span, (b[1] - a[1]) / span, (b[2] - a[2]) / span)
        bodies.append(new_limb(dice, middle, direction, span, friction))
        base = JointRecord(kind, k, (k + 1) % n, rounded(b), axis)
        if kind == "Universal":
            base = replace(base, other=(1.0, 0.0, 0.0))
        joints.append(base)
    if dice.chance(0.6):  # one corner or one limb on the world
        joints.append(JointRecord(dice.pick("Ball", "Hinge", "Fixed"), WORLD, 0, rounded(corners[0]), axis))
        spin = dice.vector(3.0)
        bodies[n // 2] = replace(bodies[n // 2], spin=spin)
        return bodies, joints
    return on_floor(dice, pushed(dice, bodies, 2.0), dice.number(0.0, 1.0)), joints


def _stops(dice: Dice) -> Parts:
    bodies, joints = _chain(dice) if dice.chance(0.7) else _tree(dice)
    return bodies, [with_stop(dice, j) if dice.chance(0.7) else j for j in joints]


def _drives(dice: Dice) -> Parts:
    bodies, joints = _chain(dice) if dice.chance(0.7) else _tree(dice)
    joints = [with_drive(dice, j) if dice.chance(0.6) else j for j in joints]
    return bodies, [with_stop(dice, j) if dice.chance(0.3) else j for j in joints]


def _doll(dice: Dice) -> Parts:
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
                rounded(plus(base, direction, 0.5 * length)),
                along(direction),
                mass=dice.number(1.0, 3.0),
                friction=friction,
            )
            if body.shape == "box":
                body = replace(body, size=(0.07, 0.07, round(length - 0.02, 3)))
            bodies.append(body)
            across = (1.0, 0.0, 0.0) if abs(direction[0]) < 0.5 else (0.0, 1.0, 0.0)
            damper = DriveRecord("damper", "twist", (("damping", dice.pick(0.0, 0.02, 0.2)),))
            if k == 0:
                swing = StopRecord("swing", -math.inf, dice.number(0.3, 1.4), dice.pick(0.0, 0.0, 0.5))
                if dice.chance(0.5):
                    swing = replace(swing, coordinate=CONE, lower=dice.number(0.3, 1.4))
                stops = (
                    swing,
                    StopRecord("twist", -dice.number(0.2, 0.8), dice.number(0.2, 0.8)),
                )
                joint = JointRecord(
                    "Ball", parent, len(bodies) - 1, rounded(base), direction, None, False, stops, (damper,)
                )
            else:
                stop = (StopRecord("angle", 0.0, dice.number(1.0, 2.4)),)
                drive = (DriveRecord("damper", "angle", damper.values),)
                joint = JointRecord(
                    "Hinge", parent, len(bodies) - 1, rounded(base), across, None, False, stop, drive
                )
            joints.append(joint)
            parent = len(bodies) - 1
            base = plus(base, direction, length)
    turn = dice.quaternion()
    moved = []
    for b in bodies:
        w, x, y, z = multiply(turn, b.quaternion)
        size = math.sqrt(w * w + x * x + y * y + z * z)
        q = round(w / size, 9), round(x / size, 9), round(y / size, 9), round(z / size, 9)
        moved.append(replace(b, position=rounded(rotate(turn, b.position)), quaternion=q))
    turned = [
        replace(j, point=rounded(rotate(turn, j.point)), axis=_unit(rotate(turn, j.axis))) for j in joints
    ]
    return on_floor(dice, pushed(dice, moved, 2.0), dice.number(0.0, 2.0)), turned


def _unit(v: Vector) -> Vector:
    return round(v[0], 9), round(v[1], 9), round(v[2], 9)


def _pile(dice: Dice) -> Parts:
    friction = dice.friction()
    n = dice.whole(3, 12)
    bodies = [
        new_loose(dice, k, dice.pick(0.05, 0.2), 0.4 + 0.62 * k * dice.pick(1.0, 1.2), friction)
        for k in range(n)
    ]
    bodies = [replace(b, spin=dice.vector(2.0)) if dice.chance(0.3) else b for b in bodies]
    return [*bodies, new_floor(dice, 0.0)], []


def _kinematic(dice: Dice) -> Parts:
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
        return [plate, *(new_loose(dice, k, 0.3, 0.5 + 0.75 * k, friction) for k in range(n))], []
    bodies, joints = grown(
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
    return [*bodies, crank], [bounded(j) for j in joints]


def _free(dice: Dice) -> Parts:
    """Return jointed and loose bodies that meet, with nothing of the world near."""
    bodies, joints = grown(
        dice, dice.whole(2, 6), tree=True, start=_ORIGIN, kink=0.7, friction=dice.friction()
    )
    joints = loosened(dice, joints)
    if dice.chance(0.3):
        joints = [with_stop(dice, j) for j in joints]
    if dice.chance(0.3):
        joints = [with_drive(dice, j) for j in joints]
    for k in range(dice.whole(0, 4)):
        x, y, z = dice.direction()
        away = 2.5 + 0.8 * k
        loose = new_loose(dice, 0, 0.1, 0.0, dice.friction())
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


def _overlaps(dice: Dice) -> Parts:
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
    bodies, joints = grown(
        dice, dice.whole(2, 8), tree=dice.chance(0.5), start=_ORIGIN, kink=0.6, friction=dice.friction()
    )
    joints = loosened(dice, joints)
    if dice.chance(0.4):
        joints = [with_stop(dice, j) for j in joints]
    if dice.chance(0.4):
        joints = [replace(j, collide=True) for j in joints]
    return on_floor(dice, bodies, -dice.number(0.0, 0.1)), joints


def _jams(dice: Dice) -> Parts:
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
        bodies.append(new_limb(dice, plus(base, direction, 0.5 * length), direction, length, friction))
        joints.append(
            JointRecord(dice.pick("Hinge", "Hinge", "Ball"), k - 1, k, rounded(base), (0.0, 1.0, 0.0))
        )
        base = plus(base, direction, length)
    floor = new_floor(dice, -_depth(bodies) - dice.pick(0.0, 0.001, 0.02))
    bodies[0] = replace(bodies[0], spin=(0.0, dice.number(-4.0, 4.0), 0.0))
    return [*bodies, replace(floor, friction=friction)], joints


def _conveyor(dice: Dice) -> Parts:
    """Return loose bodies on a plate that stands still and whose surface moves."""
    friction = dice.friction()
    plate = BodyRecord(
        "box",
        (4.0, 4.0, 0.2),
        _ORIGIN,
        kind="static",
        friction=friction,
        surface=dice.vector(1.5),
        surface_spin=(0.0, 0.0, dice.number(-3.0, 3.0)) if dice.chance(0.5) else _ORIGIN,
    )
    n = dice.whole(1, 5)
    return [plate, *(new_loose(dice, k, 0.3, 0.5 + 0.75 * k, friction) for k in range(n))], []


def _gears(dice: Dice) -> Parts:
    """Return limbs on axles in a row, and a weight on a slide; `draw_from` couples each to the one before."""
    bodies: list[BodyRecord] = []
    joints: list[JointRecord] = []
    for k in range(dice.whole(2, 4)):
        place = (1.5 * k, 0.0, 0.0)
        lean = dice.number(-3.0, 3.0)
        direction = (round(math.sin(lean), 9), 0.0, round(math.cos(lean), 9))
        length = dice.number(0.2, 0.5)
        middle = plus(place, direction, dice.pick(0.0, 0.5) * length)
        bodies.append(new_limb(dice, middle, direction, length, 0.5))
        joint = JointRecord("Hinge", WORLD, k, place, (0.0, 1.0, 0.0))
        joints.append(with_drive(dice, joint) if dice.chance(0.4) else joint)
    if dice.chance(0.5):
        k = len(bodies)
        place = (1.5 * k, 0.0, 0.0)
        bodies.append(BodyRecord("box", (0.2, 0.2, 0.2), place, mass=dice.mass()))
        joints.append(JointRecord("Slider", WORLD, k, place, (0.0, 0.0, 1.0)))
    return bodies, joints


FAMILIES: dict[str, Callable[[Dice], Parts]] = {
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
    "conveyor": _conveyor,
    "gears": _gears,
}
# Those that take turns where no family is named: later ones are left out, so that a number stays a world.
IN_TURN = tuple(FAMILIES)[:11]
