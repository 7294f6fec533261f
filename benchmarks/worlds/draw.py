"""Random worlds: chains, trees, loops, mechanisms with stops and drives, ragdolls and piles that touch.

Every family is drawn at steps of 5, 10, 16.7 and 33 ms, with each solver, with sleeping and without. The same
family and number give the same world on every machine. Numbers are rounded, so that a world can be printed.
"""

from dataclasses import replace
from random import Random

from stoss.benchmarks.worlds.families import FAMILIES, IN_TURN
from stoss.benchmarks.worlds.parts import (
    Dice,
    along,
    on_floor,
    plus,
    pushed,
    rounded,
)
from stoss.benchmarks.worlds.records import (
    BodyRecord,
    JointRecord,
    WorldRecord,
)
from stoss.collision.quaternions import Vector

__all__ = ["RUBBING", "TIME_STEPS", "draw", "draw_from", "draw_rubbing"]

TIME_STEPS = (0.005, 0.01, 0.0167, 0.033)
SOLVERS = ("auto", "direct", "gauss_seidel")
GRAVITY = 9.81
RUBBING = (3, 4, 10, 20)  # links of chains of boxes that rub
_ORIGIN: Vector = (0.0, 0.0, 0.0)


def draw(number: int, family: str | None = None, seed: int = 0) -> WorldRecord:
    """Return the world of that number in a series; families take turns unless one is named.

    Args:
        number: which one.
        family: a key of `FAMILIES`, also one that takes no turns.
        seed: of the series.
    """
    name = IN_TURN[number % len(IN_TURN)] if family is None else family
    return draw_from(Random(f"{seed} {name} {number}"), name, number)


def draw_from(random: Random, family: str, number: int = 0) -> WorldRecord:
    """Return a world of a family from a source of random numbers; `number` is only noted."""
    dice = Dice(random)
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
    couplings: list[tuple[int, int, float]] = []
    if family == "gears":
        couplings = [(k, k + 1, dice.pick(-3.0, -1.0, -0.4, 0.1, 0.7, 2.0)) for k in range(len(joints) - 1)]
    gravity = 0.0 if weightless else GRAVITY
    parts = tuple(bodies), tuple(joints), tuple(couplings)
    return WorldRecord(family, number, gravity, time_step, solver, sleeping, *parts)


def draw_rubbing(number: int, links: int, seed: int = 0) -> WorldRecord:
    """Return a chain of boxes (0.3, 0.1, 0.1) of 1 kg that rub: hanging (even), or thrown on the floor (odd).

    Args:
        number: which one.
        links: how many boxes.
        seed: of the series.
    """
    dice = Dice(Random(f"{seed} rubbing {links} {number}"))
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
            "box", (0.1, 0.1, 0.3), rounded(plus(at, direction, 0.15)), along(direction), friction=friction
        )
        bodies.append(body)
        joints.append(JointRecord("Ball", k - 1, k, rounded(at)))
        at = plus(at, direction, 0.3)
    if number % 2:
        joints = joints[1:]
        bodies = on_floor(dice, pushed(dice, bodies, 3.0), dice.number(0.05, 1.0))
    return WorldRecord(
        f"rubbing {links}", number, GRAVITY, time_step, solver, False, tuple(bodies), tuple(joints)
    )
