"""Walks that the thesis does not have: slopes, ledges, pushes, other people."""

import numpy as np

from stoss.benchmarks.henze.walks import follow, go, set_out, stands
from stoss.scenes.cases.registry import Figure, at_least, at_most

__all__ = ["ledges", "people", "pushes", "slopes", "start_and_stop"]

DIRECTIONS = {"forward": (1.0, 0.0), "backward": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
STANDARD = 1.11


def slopes(seconds: float = 10.0) -> list[Figure]:
    """slopes: 2 and 5 degrees up and down, walked with the parameters of flat ground."""
    found = []
    for slope in (2.0, 5.0, -2.0, -5.0):
        out = go(seconds, STANDARD, slope=slope)
        found.append(stands(out, seconds, f"{slope:+.0f} degrees: walked without a fall"))
    return found


def ledges(seconds: float = 6.0) -> list[Figure]:
    """ledges: a step of the ground of 2 cm after 3 m, up and down, walked as on flat ground."""
    from stoss.engine.humans import Walk

    found = []
    for ledge, walk, told in (
        (-0.02, Walk(), "-2 cm"),
        (0.02, Walk(), "+2 cm"),
        (0.02, Walk(shortening=0.7), "+2 cm, swinging leg of 0.7 its length, not 0.8"),
    ):
        out = go(seconds, walk, ledge=ledge)
        found.append(stands(out, seconds, f"{told}: walked without a fall"))
    return found


def pushes(seconds: float = 4.0, most: float = 120.0, within: float = 5.0) -> list[Figure]:
    """pushes: the largest impulse on the upper body that is survived for 4 s, found by bisection.

    It comes after three seconds of the standard walk, on the right leg.
    """
    party = set_out(STANDARD)
    follow(party, 3.0)
    saved = party.world.save()
    found = []
    for name, (x, y) in DIRECTIONS.items():
        low, high = 0.0, most
        while high - low > within:
            impulse = 0.5 * (low + high)
            party.world.restore(saved)
            party.push(impulse * x, impulse * y)
            low, high = (low, impulse) if follow(party, seconds).fell else (impulse, high)
        found.append(at_least(f"{name}: survived (fell at {high:.0f})", low, 10.0, "N s"))
    return found


def people(seconds: float = 10.0) -> list[Figure]:
    """people: of both sexes, 5 to 95 % of stature, and light and heavy ones, with the default walk."""
    from stoss.engine.humans import MALE, Walk, person

    some = {
        f"{sex}, {share} %": person(sex, percentile=share)
        for sex in ("female", "male")
        for share in (5, 50, 95)
    }
    some["1.75 m, 50 kg"] = MALE.scaled(stature=1.75, mass=50.0)
    some["1.75 m, 120 kg"] = MALE.scaled(stature=1.75, mass=120.0)
    found = []
    for name, human in some.items():
        out = go(seconds, Walk(), human=human)
        speed = out.report.speed if out.report is not None else float("nan")
        told = f"{name}, {human.stature:.2f} m, {human.mass:.0f} kg: {speed:.2f} m/s, walked"
        found.append(stands(out, seconds, told))
    return found


def start_and_stop(seconds: float = 11.0) -> list[Figure]:
    """start-stop: from standing into a walk at once, and to standing again from 4 s on."""
    from stoss.engine.humans import Walk, person

    found = []
    for name, speed, human in (
        ("0.8 m/s", 0.8, None),
        ("1.11 m/s", 1.11, None),
        ("1.33 m/s", 1.33, None),
        ("female, 5 %", 1.0, person("female", percentile=5)),
        ("male, 95 %", 0.95, person("male", percentile=95)),
    ):
        party = set_out(Walk.at(speed), human=human)
        party.walker.stand()
        party.walker.plan(4.0, Walk(speed=0.0))
        out = follow(party, seconds)
        stands_still = party.walker.phase == "stand" and not out.fell
        pace = float(np.linalg.norm(party.person.bodies["pelvis"].velocity)) if stands_still else float("nan")
        found.append(at_least(f"{name}: walked", float(out.path[:400, 0].max() - out.path[0, 0]), 2.0, "m"))
        found.append(at_most(f"{name}: speed at the end", pace, 0.05, "m/s"))
    return found
