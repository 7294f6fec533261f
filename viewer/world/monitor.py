"""Curves: numbers of a world that are noted after every step, for the plots of the window."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stoss.engine import StepReport, World

__all__ = ["BODY_QUANTITIES", "WORLD_QUANTITIES", "Channel", "Monitor"]

_Reading = Callable[["StepReport"], float]

# Quantities of the whole world, with their units.
WORLD_QUANTITIES: dict[str, tuple[str, _Reading]] = {
    "energy": ("J", lambda r: r.energy),
    "kinetic energy": ("J", lambda r: r.kinetic_energy),
    "potential energy": ("J", lambda r: r.potential_energy),
    "momentum": ("N s", lambda r: float(np.linalg.norm(r.momentum))),
    "angular momentum": ("N m s", lambda r: float(np.linalg.norm(r.angular_momentum))),
    "contacts": ("", lambda r: float(r.touching_count)),
    "largest overlap": ("m", lambda r: r.max_overlap),
    "joint error": ("m", lambda r: r.joint_error),
    "time of a step": ("s", lambda r: sum(r.stage_times.values())),
}
# Quantities of a body, component by component.
BODY_QUANTITIES = {"position": "m", "velocity": "m/s", "angular velocity": "rad/s"}


@dataclass(frozen=True)
class Channel:
    """One curve.

    Attributes:
        kind: "world", "body" or "joint".
        name: of the body or joint, "" for the world.
        quantity: of `WORLD_QUANTITIES` or `BODY_QUANTITIES`, or a coordinate of the joint, with " rate"
            behind it for its rate.
        axis: component 0, 1, 2 of a quantity of a body; 3 for its length.
    """

    kind: str
    name: str
    quantity: str
    axis: int = 3

    @property
    def label(self) -> str:
        """Return what the curve is called in a legend."""
        if self.kind == "world":
            unit = WORLD_QUANTITIES[self.quantity][0]
            return f"{self.quantity} [{unit}]" if unit else self.quantity
        if self.kind == "body":
            component = ("x", "y", "z", "size")[self.axis]
            return f"{self.name}: {self.quantity} {component} [{BODY_QUANTITIES[self.quantity]}]"
        return f"{self.name}: {self.quantity}"

    def read(self, world: "World", report: "StepReport") -> float:
        """Return the present value, NaN where body or joint are gone."""
        if self.kind == "world":
            return WORLD_QUANTITIES[self.quantity][1](report)
        try:
            if self.kind == "joint":
                joint = world.joint(self.name)
                if self.quantity.endswith(" rate"):
                    return joint.rate_of(self.quantity.removesuffix(" rate"))
                return joint.value_of(self.quantity)
            row = world.body(self.name).index
        except KeyError:
            return float("nan")
        arrays = {
            "position": world.positions,
            "velocity": world.velocities,
            "angular velocity": world.angular_velocities,
        }
        vector = arrays[self.quantity][row]
        return float(np.linalg.norm(vector)) if self.axis == 3 else float(vector[self.axis])


class Monitor:
    """Note the values of channels after every step, the last `length` of them.

    Args:
        channels: what to note.
        length: how many steps are kept.
    """

    def __init__(self, channels: tuple[Channel, ...] = (), length: int = 4000) -> None:
        self.channels = channels
        self._times = np.zeros(length)
        self._values = np.full((len(channels), length), np.nan)
        self._count = 0

    def note(self, world: "World") -> None:
        """Note the present values."""
        report = world.report
        place = self._count % len(self._times)
        self._times[place] = world.time
        for row, channel in enumerate(self.channels):
            self._values[row, place] = channel.read(world, report)
        self._count += 1

    def forget_after(self, time: float) -> None:
        """Drop what is later than a time [s]."""
        times, values = self.curves()
        kept = times <= time
        count = int(kept.sum())
        self._times[:count], self._values[:, :count] = times[kept], values[:, kept]
        self._count = count

    def curves(self) -> tuple[np.ndarray, np.ndarray]:
        """Return times (k,) [s] and values (channels, k), oldest first, as copies.

        May be called while another thread notes: the last column is then the old or the new one.
        """
        length, count = len(self._times), self._count
        if count <= length:
            return self._times[:count].copy(), self._values[:, :count].copy()
        first = count % length
        return np.roll(self._times, -first), np.roll(self._values, -first, axis=1)
