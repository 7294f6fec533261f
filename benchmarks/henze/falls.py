"""Walks that are to fall: what the controller of Henze 2002 cannot do without (E-11, E-12)."""

from collections.abc import Callable
from math import atan, cos, isnan, tan
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.benchmarks.henze.walks import falls, go, stands
from stoss.engine.humans.gains import Gain
from stoss.engine.humans.placement import Placement
from stoss.engine.humans.sagittal import Leg
from stoss.scenes.cases.registry import Figure, at_least, at_most

if TYPE_CHECKING:
    from stoss.engine.humans import Humanoid, VirtualModelWalker

__all__ = ["negative", "slowest"]


OF_THESIS = 0.85  # [m] of the pendulum that tells where to put the foot


class _ByTheLetter(Placement):
    """A place against the pelvis, as the thesis has it; the damper of the leg aims at no rate."""

    def angle(self, sideways: float, pendulum: float, flexion: float, yaw: float) -> float:
        return super().angle(sideways, pendulum, flexion, 0.0)

    def follow(self, place: float, period: float, pace: float = 1.0) -> float:
        super().follow(place, period, pace)
        return 0.0


class _AtTheMidline(_ByTheLetter):
    """A foot that is put below the middle of the body, not below its hip."""

    def __init__(self, walker: "VirtualModelWalker") -> None:
        super().__init__()
        pelvis = walker.humanoid.human.pelvis
        assert pelvis.distal is not None
        self.inward = pelvis.distal[1] / walker.walk.leg
        self.walker = walker

    def angle(self, sideways: float, pendulum: float, flexion: float, yaw: float) -> float:
        place = super().angle(sideways, pendulum, flexion, yaw)
        sign = 1.0 if self.walker.standing == "left" else -1.0  # a right foot that swings comes to the left
        return atan(tan(place) + sign * self.inward * cos(flexion))


class _OncePerStep(Placement):
    """A place that is chosen as the step begins; it has no rate that the damper of the leg could aim at."""

    def angle(self, sideways: float, pendulum: float, flexion: float, yaw: float) -> float:
        return super().angle(sideways, pendulum, flexion, yaw) if isnan(self.place) else self.place

    def follow(self, place: float, period: float, pace: float = 1.0) -> float:
        super().follow(place, period, pace)
        return 0.0


def _letter(_: "Humanoid", walker: "VirtualModelWalker") -> None:
    walker.gains.pendulum = OF_THESIS
    walker._placement = _ByTheLetter()


def _midline(_: "Humanoid", walker: "VirtualModelWalker") -> None:
    walker.gains.pendulum = OF_THESIS
    walker._placement = _AtTheMidline(walker)


def _once(_: "Humanoid", walker: "VirtualModelWalker") -> None:
    walker.gains.pendulum = OF_THESIS
    walker._placement = _OncePerStep()


def _sagittal_alone(_: "Humanoid", walker: "VirtualModelWalker") -> None:
    """Let be what acts to the sides."""
    gains = walker.gains
    gains.swing_tilt = Gain(0.0, gains.swing_tilt.damper)
    gains.foot_side = gains.foot_side_swing = Gain(0.0, gains.foot_side_swing.damper)
    gains.sideways = float("inf")


def _wrong_shank(_: "Humanoid", walker: "VirtualModelWalker") -> None:
    """Let it think that its shanks are a tenth longer."""
    walker._sizes_of_legs.numbers[0] *= 1.1


def _of_thesis(before: "Callable[[Humanoid, VirtualModelWalker], None]") -> dict[str, Any]:
    """Return the options of a walk by the letter: springs of appendix F, no control of the heading.

    Args:
        before: called before the first step.
    """
    return {"before": before, "heading_control": False, "soft": True, "time_step": 0.0005}


def negative(seconds: float = 10.0) -> list[Figure]:
    """E11: what ends in a fall, and what does not."""
    from stoss.engine.humans import Walk

    found = []
    for name, walk, options in (
        (
            "no torsional friction, no control of the heading",
            Walk(),
            {"torsional": 0.0, "heading_control": False},
        ),
        ("steps of 0.55 m at 0.8 m/s", Walk(speed=0.8, step=0.55, push_off=0.0), {}),
        (
            "by the letter, 1.2 m/s without push-off",
            Walk(speed=1.2, push_off=0.0),
            _of_thesis(_letter),
        ),
        ("by the letter, feet aimed at the midline", Walk(), _of_thesis(_midline)),
        ("by the letter, place to the side chosen once per step", Walk(), _of_thesis(_once)),
        ("sagittal controller alone", Walk(), {"before": _sagittal_alone}),
    ):
        found.append(falls(go(seconds, walk, **options), seconds, f"{name}: fell after"))
    out = go(seconds, Walk(), **_of_thesis(_letter))
    found.append(stands(out, seconds, "by the letter, standard: walked"))
    for name, walk, before in (
        ("1.2 m/s without push-off", Walk(speed=1.2, push_off=0.0), _letter),
        ("feet aimed at the midline", Walk(), _midline),
    ):
        out = go(seconds, walk, before=before)
        found.append(at_least(f"on contacts of the engine, {name}: walked", out.lasted, 0.0, "s"))
    for friction in (0.9, 0.6):
        out = go(seconds, Walk(), friction=friction)
        told = f"friction {friction} (thesis: not reliable; prototype: 12 to 15 s): walked"
        found.append(at_least(told, out.lasted, 0.0, "s"))
    out = go(seconds, Walk(), planar=True, start=(1.0, 0.0), before=_wrong_shank)
    found.append(stands(out, seconds, "in the plane, shanks taken for a tenth longer: walked"))
    return [*found, *_singular()]


def _singular() -> list[Figure]:
    """Return how near to singular the transforms are that the thesis does not use; H-406."""
    # thighs as long as shanks: both hips are equally high, above feet that are apart
    level = Leg(0.16, -0.9, 0.44, 0.44, 0.35, -0.2), Leg(0.16, -0.9, 0.44, 0.44, 0.2, -0.35)
    beside = level[0], level[0]
    return [
        at_most(
            "share of the vertical force, hips equally high: determinant", abs(_determinant(*level, 2)), 1e-9
        ),
        at_least("share of the moment on the trunk: determinant", abs(_determinant(*level, 3)), 1e-3),
        at_most("feet side by side: determinant", abs(_determinant(*beside, 3)), 1e-9),
    ]


def _determinant(front: Leg, rear: Leg, shared: int) -> float:
    """Return the determinant of the eight equations of (3.13), of which one force is shared.

    Args:
        front, rear: the legs.
        shared: 2: the vertical force, 3: the moment on the trunk.
    """
    matrix = np.zeros((8, 8))
    for k, leg in enumerate((front, rear)):
        own = slice(4 * k, 4 * k + 4)
        # no torque between foot and ground, by the forces on foot, hip and trunk
        matrix[k, own] = (1.0, leg.a1, leg.a2, 1.0)
        matrix[2 + k, 4 * k] = 1.0
        for row, force in ((4, 1), (5, 2), (6, 3)):
            matrix[row, 4 * k + force] = 1.0
    matrix[7, shared] = 1.0
    return float(np.linalg.det(matrix))


def slowest(seconds: float = 8.0) -> list[Figure]:
    """E12: slower than any walk that the thesis shows; how long it goes on."""
    from stoss.engine.humans import Walk

    found = []
    for speed, step in ((0.55, 0.325), (0.45, 0.275)):
        out = go(seconds, Walk(speed=speed, push_off=0.0, step=step))
        pace = out.report.speed if out.report is not None else float("nan")
        found.append(at_least(f"set to {speed} m/s: {pace:.2f} m/s, walked", out.lasted, 0.0, "s"))
    return found
