"""The experiments: each lets people walk, and returns what was measured and what the thesis says.

V-.. are tests and E-.. experiments of the specification that was made of the thesis; the rest has words.
"""

from collections.abc import Callable
from math import radians
from typing import Any

import numpy as np

from stoss.benchmarks.henze.beyond import ledges, people, pushes, slopes, start_and_stop
from stoss.benchmarks.henze.creep import standing_feet
from stoss.benchmarks.henze.falls import negative, slowest
from stoss.benchmarks.henze.walks import go, stands
from stoss.scenes.cases.registry import Figure, at_least, at_most, near

__all__ = ["EXPERIMENTS"]

STANDARD, SPEEDS = 1.11, (1.33, 1.17, 0.88, 0.73)


def planar(seconds: float = 10.0) -> list[Figure]:
    """V-14: walks in the plane at the four speeds of table 4.2."""
    found = []
    for speed in SPEEDS:
        out = go(seconds, speed, planar=True, start=(min(speed, 1.0), 0.0), skip=3)
        found.append(stands(out, seconds, f"{speed} m/s: walked without a fall"))
        measured = out.report.speed if out.report is not None else float("nan")
        found.append(near(f"{speed} m/s: speed", measured, speed, 0.15 * speed, "m/s"))
    return found


def standard(seconds: float = 30.0) -> list[Figure]:
    """V-15: the standard walk in space (thesis 1.11 m/s, steps of 0.537 m, resistance 0.56)."""
    out = go(seconds, STANDARD, record=True)
    report = out.report
    assert report is not None
    way = out.path[-1] - out.path[0]
    return [
        stands(out, seconds),
        near("speed", report.speed, 1.11, 0.15, "m/s"),
        near("length of steps, feet", report.step_length, 0.537, 0.05, "m"),
        near("width of steps (0.245 to 0.27)", report.step_width, 0.2575, 0.03, "m"),
        near("resistance (0.56)", report.resistance, 0.55, 0.15),
        near("share of single support", report.single_support, 0.835, 0.085),
        at_most("to the side, of the way", abs(way[1] / way[0]), 0.03),
        at_most("joints open", out.joint_error, 1e-6, "m"),
    ]


def fast(seconds: float = 15.0) -> list[Figure]:
    """V-16: the fast walk of table 4.2."""
    out = go(seconds, 1.33)
    speed = out.report.speed if out.report is not None else float("nan")
    return [stands(out, seconds), near("speed", speed, 1.33, 0.15, "m/s")]


def parameters(seconds: float = 10.0) -> list[Figure]:
    """V-17, E-07: what the speed does when one parameter of the standard walk grows."""
    from stoss.engine.humans import Walk

    found = []
    for name, low, high, sign in (
        ("speed", 0.90, 1.05, 1.0),
        ("push_off", 0.35, 0.6, 1.0),
        ("step", 0.45, 0.5, -1.0),
        ("step_gain", 0.1, 0.4, -1.0),
    ):
        speeds = []
        for value in (low, high):
            report = go(seconds, Walk(**{name: value})).report
            speeds.append(report.speed if report is not None else float("nan"))
        change = sign * (speeds[1] - speeds[0])
        told = f"{name.replace('_', ' ')} {low} to {high}: {speeds[0]:.3f} to {speeds[1]:.3f} m/s"
        found.append(at_least(told, change, 0.0 if name != "step_gain" else -0.02, "m/s"))
    return found


def heading_steps(seconds: float = 25.0) -> list[Figure]:
    """V-18, E-09: 10 degrees to the left at once after 5 s, and back after 10 s more."""
    turn = radians(10.0)
    plan = ((5.0, {"heading": turn}), (15.0, {"heading": 0.0}))
    out = go(seconds, STANDARD, plan=plan, turn_rate=None)
    return [
        stands(out, seconds),
        near("course after 15 s", out.course(min(15.0, seconds)), 10.0, 3.0, "degrees"),
        near("course at the end", out.course(seconds), 0.0, 3.0, "degrees"),
    ]


def quarter_turn(seconds: float = 30.0) -> list[Figure]:
    """V-19, E-10: a quarter turn in ten seconds, after ten seconds straight on (7.07 m at 1.11 m/s)."""
    out = go(seconds, STANDARD, plan=((10.0, {"heading": radians(90.0)}),), turn_rate=radians(9.0))
    path = out.path[1200:1900, :2]
    speed = float(np.linalg.norm(np.diff(out.path[1000:2000, :2], axis=0), axis=1).sum() / 10.0)
    turned = np.unwrap([np.radians(out.course(t, 1.0)) for t in (12.0, 19.0)])
    way = float(np.linalg.norm(np.diff(path[::50], axis=0), axis=1).sum())
    radius = way / float(turned[1] - turned[0]) * 7.0 / 6.5
    wanted = speed / radians(9.0)
    return [
        stands(out, seconds),
        near("course at the end", out.course(seconds), 90.0, 3.0, "degrees"),
        near(f"radius of the arc, at {speed:.2f} m/s", radius, wanted, 0.15 * wanted, "m"),
    ]


def rigid_trunk(seconds: float = 10.0) -> list[Figure]:
    """V-20, E-05: a rigid spine (the prototype sways 1.2 to 1.4 times as much)."""
    both = [go(seconds, STANDARD, variant=variant, record=True) for variant in ("22dof", "20dof")]
    swings = [one.report.swing_of_momentum[0] if one.report else float("nan") for one in both]
    return [
        stands(both[1], seconds),
        at_least("angular momentum about x, against a free spine", swings[1] / swings[0], 1.0, "times"),
    ]


def no_torsion(seconds: float = 10.0) -> list[Figure]:
    """V-21, E11: no torsional friction, no control of the heading: a fall (prototype: after 3 to 6.4 s)."""
    out = go(seconds, STANDARD, torsional=0.0, heading_control=False)
    return [at_most("fell after", out.lasted if out.fell else float("inf"), seconds, "s")]


def arms(seconds: float = 10.0) -> list[Figure]:
    """V-22, E-08: arms that are fixed, free, or swung (thesis 1.11, 1.13 and 1.10 m/s)."""
    found, first = [], 0.0
    for name, options in (
        ("fixed", {}),
        ("free", {"variant": "26dof"}),
        ("swung", {"variant": "26dof", "swing_arms": True}),
    ):
        out = go(seconds, STANDARD, **options)
        speed = out.report.speed if out.report is not None else float("nan")
        first = first or speed
        found.append(stands(out, seconds, f"{name}: walked without a fall"))
        found.append(near(f"{name}: speed", speed, first, 0.1 * first, "m/s"))
    return found


def slow(seconds: float = 30.0) -> list[Figure]:
    """V-23, E-02: the exemplary walk (thesis 0.88 m/s, 26 m, steps of 0.44 m, 1.87 per second)."""
    out = go(seconds, 0.88, record=True)
    report = out.report
    assert report is not None
    return [
        stands(out, seconds),
        near("speed", report.speed, 0.88, 0.15, "m/s"),
        near("way", float(out.path[-1, 0] - out.path[0, 0]) * 30.0 / seconds, 26.0, 4.0, "m in 30 s"),
        near("length of steps, feet", report.step_length, 0.44, 0.05, "m"),
        near("steps", 1.0 / report.step_time, 1.87, 0.2, "1/s"),
        near("share of single support (0.785)", report.single_support, 0.835, 0.085),
        near("gross power (367)", report.power, 367.0, 100.0, "W"),
    ]


def scenes(seconds: float = 8.0) -> list[Figure]:
    """E01: the walks of figure 3.8 that are not in V-14: they do not fall.

    Of B the thesis gives 0.8 m/s and steps of 0.55 m; values of the others are chosen.
    """
    from stoss.engine.humans import Walk

    # free arms in the plane only: there they hang on shoulders that do not turn
    arms = {"variant": "26dof"}
    found = []
    for name, walk, options in (
        ("B, longer steps", Walk(speed=0.8, step=0.5, push_off=0.2), {}),
        ("C, lifts the swinging leg high", Walk(shortening=0.7), {}),
        ("D, crouches", Walk(leg=0.78), {}),
        ("E, arms free", Walk(), arms),
        ("F, arms swung", Walk(), {**arms, "swing_arms": True}),
    ):
        out = go(seconds, walk, planar=True, start=(1.0, 0.0), skip=3, **options)
        speed, step = (out.report.speed, out.report.step_length) if out.report else (float("nan"),) * 2
        found.append(stands(out, seconds, f"{name}: {speed:.2f} m/s, steps of {step:.2f} m"))
    return found


def double_step(seconds: float = 9.0) -> list[Figure]:
    """E03: double steps of the exemplary walk, after four seconds."""
    out = go(seconds, 0.88, record=True)
    seen, report = out.recorder, out.report
    assert seen is not None and report is not None
    of = seen["time"] > 4.0
    single, standing = seen["double"][of] == 0.0, seen["standing"][of]
    angles, torques = seen["angles"][of], seen["torques"][of]
    touching, force = seen["touching"][of], seen["ground_force"][of]
    # the left leg alone, with the body above its foot
    above = np.abs(seen["center"][of][:, 0] - seen["feet"][of][:, 1, 0]) < 0.05
    alone = single & (standing == 1.0) & (touching[:, 0].sum(1) == 0.0) & above
    begins = np.flatnonzero((seen["double"][of][1:] == 1.0) & (seen["double"][of][:-1] == 0.0)) + 1
    first = [bool(touching[k, 1 - int(standing[k]), 0]) for k in begins]
    weight = 75.0 * 9.81
    return [
        stands(out, seconds),
        near("double step (1.075)", 2.0 * report.step_time, 1.075, 0.15, "s"),
        near("share of single support (78.5)", 100.0 * float(single.mean()), 80.0, 10.0, "%"),
        at_least("landings on the heel", 100.0 * float(np.mean(first)), 99.0, "%"),
        near(
            "knee in single support (29.8)",
            float(np.degrees(angles[alone, 1, 1].mean())),
            30.0,
            8.0,
            "degrees",
        ),
        near("torque of the knee there (80)", float(np.abs(torques[alone, 1, 1]).mean()), 80.0, 25.0, "N m"),
        near("load on the leg there", float(force[alone, 1, 2].mean() / weight), 1.0, 0.1, "of the weight"),
    ]


def first_push(seconds: float = 10.0) -> list[Figure]:
    """first-push: the exemplary walk from its start at (0.5, -0.2) m/s, with which no prototype went on."""
    out = go(seconds, 0.88, start=(0.5, 0.2))
    return [stands(out, seconds)]


def speeds(seconds: float = 10.0) -> list[Figure]:
    """speeds, E-04, E-06: those of table 4.2, their steps and what they cost, in space."""
    found = []
    for speed, step in zip(SPEEDS, (0.57, 0.55, 0.44, 0.39), strict=True):
        report = go(seconds, speed, record=True).report
        values = (report.speed, report.step_length) if report is not None else (float("nan"),) * 2
        found.append(near(f"{speed} m/s: speed", values[0], speed, 0.15, "m/s"))
        found.append(near(f"{speed} m/s: length of steps", values[1], step, 0.07, "m"))
        cost = report.resistance if report is not None else float("nan")
        found.append(near(f"{speed} m/s: resistance (0.57 to 0.58)", cost, 0.57, 0.17))
    return found


EXPERIMENTS: dict[str, Callable[..., list[Figure]]] = {
    "V-14": planar,
    "V-15": standard,
    "V-16": fast,
    "V-17": parameters,
    "V-18": heading_steps,
    "V-19": quarter_turn,
    "V-20": rigid_trunk,
    "V-21": no_torsion,
    "V-22": arms,
    "V-23": slow,
    "first-push": first_push,  # E-02
    "speeds": speeds,  # E-06
    "E01": scenes,
    "E03": double_step,
    "E11": negative,
    "E12": slowest,
    "creep": standing_feet,
    # beyond the thesis
    "slopes": slopes,
    "ledges": ledges,
    "start-stop": start_and_stop,
    "pushes": pushes,
    "people": people,
}


def measure(name: str, **options: Any) -> list[Figure]:
    """Return the figures of an experiment by its name; for processes of their own."""
    return EXPERIMENTS[name](**options)
