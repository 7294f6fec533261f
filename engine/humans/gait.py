"""What a walk was like: speed, steps, support, power (Henze 2002, sections 4.1 and 4.2)."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from stoss.engine.humans.gait_recorder import GaitRecorder
from stoss.engine.humans.walker import VirtualModelWalker
from stoss.names import closed, takes_names

__all__ = ["GaitReport", "gait_report"]


@closed
@dataclass(frozen=True)
class GaitReport:
    """Figures of a walk, means over its steps; print it to read it.

    Those from `power` on are known of a walk that a `GaitRecorder` has recorded, else NaN.

    Attributes:
        steps: that were looked at.
        speed: of the pelvis in the direction of the walk [m/s].
        sideways: its speed to the left [m/s].
        step_length: distance of the feet in that direction at touch-down [m].
        ankle_length: distance of the ankles in that direction at touch-down [m].
        step_width: distance of the feet across it [m].
        step_time: from one touch-down to the next [s].
        single_support: share of the time on one foot.
        variation: standard deviation of the length of steps, as a share of it.
        froude: speed^2 / (g length of the leg).
        power: gross power of the actuators (4.1) [W].
        loss: what the ground takes [W].
        resistance: power / (weight speed).
        energy: mean of kinetic and potential energy [J].
        kinetic_share: of the kinetic one in it.
        swing_of_momentum: (3,) largest less least angular momentum about the centre of mass, in the frame of
            the walk [kg m^2/s].
    """

    steps: int
    speed: float
    sideways: float
    step_length: float
    ankle_length: float
    step_width: float
    step_time: float
    single_support: float
    variation: float
    froude: float
    power: float = nan
    loss: float = nan
    resistance: float = nan
    energy: float = nan
    kinetic_share: float = nan
    swing_of_momentum: tuple[float, float, float] = (nan, nan, nan)

    def __str__(self) -> str:
        told = (
            f"{self.steps} steps: {self.speed:.3f} m/s, {self.sideways:+.3f} m/s to the left, steps of "
            f"{self.step_length:.3f} m, {self.step_width:.3f} m wide, {self.step_time:.3f} s, "
            f"{self.single_support:.0%} on one foot"
        )
        if not np.isnan(self.power):
            told += (
                f"; {self.power:.0f} W, {self.resistance:.2f} of weight times speed, {self.loss:.1f} W lost"
            )
        return told

    def table(self) -> str:
        """Return the figures as a table in Markdown, beside those of the thesis and of people, and whose."""
        lines = [
            "| figure | unit | this walk | thesis at 1.11 m/s | people | who |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for name, unit, thesis, people, who in COMPARED:
            value = getattr(self, name)
            lines.append(f"| {name.replace('_', ' ')} | {unit} | {value:.3f} | {thesis} | {people} | {who} |")
        return "\n".join(lines)


# Of the thesis: table 4.3 and section 4.2; those in brackets at 0.88 m/s. Of people who walk as they like:
# Schulz 2012, Journal of NeuroEngineering and Rehabilitation 9:69, table 1, younger and older adults on a
# floor without obstacles: speed 154.5 +- 27.6 % of the length of the leg per second, steps of 85.6 +- 10.0 %
# with deviations of 3.9 % from step to step, 14.0 +- 3.1 % wide, 0.56 +- 0.05 s; here for legs of 0.88 m.
# Perry 1992, "Gait Analysis": feet stand for 60 % of a cycle. The thesis, section 4.2: lower bounds.
SCHULZ, PERRY, HENZE = "Schulz 2012", "Perry 1992", "Henze 2002"
COMPARED = (
    ("speed", "m/s", "1.11", "1.36 +- 0.24", SCHULZ),
    ("step_length", "m", "0.537", "0.75 +- 0.09", SCHULZ),
    ("ankle_length", "m", "(0.42)", "", ""),
    ("step_width", "m", "0.245 to 0.27", "0.12 +- 0.03", SCHULZ),
    ("step_time", "s", "(0.535)", "0.56 +- 0.05", SCHULZ),
    ("single_support", "share", "(0.785)", "0.8", PERRY),
    ("variation", "share", "(0.055)", "0.046", SCHULZ),
    ("froude", "", "(0.093)", "0.21", SCHULZ),
    ("power", "W", "457, (367)", "70, least", HENZE),
    ("loss", "W", "(23.3)", "", ""),
    ("resistance", "", "0.56", "0.11", HENZE),
    ("energy", "J", "(784)", "", ""),
    ("kinetic_share", "share", "(0.046)", "", ""),
)


@takes_names
def gait_report(walk: VirtualModelWalker | GaitRecorder, skip: int = 4) -> GaitReport:
    """Return figures of the steps that a walker has made.

    Args:
        walk: a walker that has walked, or what has recorded it.
        skip: steps at the beginning that are left out.

    Raises:
        TypeError: neither.
        ValueError: it has made too few steps.
    """
    if not isinstance(walk, VirtualModelWalker | GaitRecorder):
        raise TypeError(f"walk must be a VirtualModelWalker or a GaitRecorder, not a {type(walk).__name__}")
    walker = walk.walker if isinstance(walk, GaitRecorder) else walk
    every = walker.landings
    landings = every[skip:]
    if len(landings) < 3:
        raise ValueError(f"{len(every)} landings are too few to leave out {skip} and look at two steps")
    times = np.array([landing.time for landing in landings])
    lifts = np.array([landing.lifted for landing in landings[:-1]])
    turns = np.array([landing.heading for landing in landings])
    along = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    across = np.stack([-np.sin(turns), np.cos(turns)], axis=1)
    ways = np.diff([landing.pelvis[:2] for landing in landings], axis=0)
    apart = np.array([landing.apart[:2] for landing in landings])
    span = times[-1] - times[0]
    lengths = (apart * along).sum(1)
    speed = float((ways * along[1:]).sum() / span)
    human = walker.humanoid.human
    recorded = _recorded(walk, times, speed) if isinstance(walk, GaitRecorder) else {}
    return GaitReport(
        steps=len(landings) - 1,
        speed=speed,
        sideways=float((ways * across[1:]).sum() / span),
        step_length=float(lengths.mean()),
        ankle_length=float(np.mean([landing.ankles for landing in landings])),
        step_width=float(np.abs((apart * across).sum(1)).mean()),
        step_time=float(np.diff(times).mean()),
        single_support=float(1.0 - (lifts - times[:-1]).sum() / span),
        variation=float(lengths.std() / lengths.mean()),
        froude=speed**2 / (9.81 * (human.thigh.length + human.shank.length)),
        **recorded,
    )


def _recorded(recorder: GaitRecorder, times: np.ndarray, speed: float) -> dict[str, Any]:
    """Return the figures of energy and momentum between the first and the last time."""
    time = recorder["time"]
    of = (time >= times[0]) & (time < times[-1])
    if of.sum() < 2:
        raise ValueError("the walk was recorded at other times; make the GaitRecorder before it begins")
    power = float(recorder["gross_power"][of].mean())
    kinetic, potential = recorder["kinetic"][of], recorder["potential"][of]
    lost, momentum = recorder["contact_loss"][of], recorder["angular_momentum"][of]
    weight = recorder.walker.humanoid.mass * 9.81
    return {
        "power": power,
        "loss": float((lost[-1] - lost[0]) / (time[of][-1] - time[of][0])),
        "resistance": power / (weight * speed),
        "energy": float((kinetic + potential).mean()),
        "kinetic_share": float(kinetic.mean() / (kinetic + potential).mean()),
        "swing_of_momentum": tuple(np.ptp(momentum, axis=0).tolist()),
    }
