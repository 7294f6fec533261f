"""What can be plotted of a world: numbers that are read from it after a step."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine import EnergyLedger

if TYPE_CHECKING:
    from stoss.engine import StepReport, World

__all__ = [
    "AXES",
    "BODY_QUANTITIES",
    "DRIVE_QUANTITIES",
    "JOINT_VECTORS",
    "WORLD_QUANTITIES",
    "Channel",
    "contact_force",
]

_Reading = Callable[["World", "StepReport"], float]

AXES = ("x", "y", "z", "size")  # components of a vector, and its length


def _ledger_reading(name: str) -> _Reading:
    return lambda world, report: float(getattr(world.ledger, name))


# Quantities of the whole world, with their units.
WORLD_QUANTITIES: dict[str, tuple[str, _Reading]] = {
    "energy": ("J", lambda w, r: r.energy),
    "kinetic energy": ("J", lambda w, r: r.kinetic_energy),
    "potential energy": ("J", lambda w, r: r.potential_energy),
    "momentum": ("N s", lambda w, r: float(np.linalg.norm(r.momentum))),
    "angular momentum": ("N m s", lambda w, r: float(np.linalg.norm(r.angular_momentum))),
    "contacts": ("", lambda w, r: float(r.touching_count)),
    "bodies asleep": ("", lambda w, r: float(r.asleep_count)),
    "largest overlap": ("m", lambda w, r: r.max_overlap),
    "joint error": ("m", lambda w, r: r.joint_error),
    "contact force": (
        "N",
        lambda w, r: float(np.linalg.norm(w.contacts.impulse, axis=1).sum()) / w.time_step,
    ),
    "time of a step": ("s", lambda w, r: sum(r.stage_times.values())),
    **{
        f"ledger: {entry.name.replace('_', ' ')}": ("J", _ledger_reading(entry.name))
        for entry in dataclasses.fields(EnergyLedger)
    },
}
# Vectors of a body, component by component.
BODY_QUANTITIES = {"position": "m", "velocity": "m/s", "angular velocity": "rad/s", "contact force": "N"}
# Vectors of a joint, on its second body.
JOINT_VECTORS = {"force": "N", "torque": "N m"}
# Numbers of a drive, of lengths and of angles.
DRIVE_QUANTITIES = {
    "force": ("N", "N m"),
    "target": ("m", "rad"),
    "target_rate": ("m/s", "rad/s"),
}


@dataclass(frozen=True)
class Channel:
    """One curve.

    Attributes:
        kind: "world", "body", "joint" or "drive".
        name: of the body or joint, "" for the world.
        quantity: of `WORLD_QUANTITIES`, `BODY_QUANTITIES`, `JOINT_VECTORS` or `DRIVE_QUANTITIES`; or a
            coordinate of the joint, with " rate" behind it for its rate.
        axis: component 0, 1, 2 of a vector, 3 for its length; the number of the drive, counted from 0.
        angle: whether a coordinate or drive is one of an angle.
    """

    kind: str
    name: str
    quantity: str
    axis: int = 3
    angle: bool = False

    @property
    def unit(self) -> str:
        """Return the unit, "" for a plain number."""
        if self.kind == "world":
            return WORLD_QUANTITIES[self.quantity][0]
        if self.kind == "body":
            return BODY_QUANTITIES[self.quantity]
        if self.kind == "drive":
            return DRIVE_QUANTITIES[self.quantity][self.angle]
        if self.quantity in JOINT_VECTORS:
            return JOINT_VECTORS[self.quantity]
        return ("rad" if self.angle else "m") + ("/s" if self.quantity.endswith(" rate") else "")

    @property
    def title(self) -> str:
        """Return what the curve is called in a legend, beside its unit."""
        if self.kind == "world":
            return self.quantity
        if self.kind == "drive":
            number = f" {self.axis + 1}" if self.axis else ""
            return f"{self.name}: {self.quantity.replace('_', ' ')} of drive{number}"
        vector = self.kind == "body" or self.quantity in JOINT_VECTORS
        return f"{self.name}: {self.quantity}" + (f" {AXES[self.axis]}" if vector else "")

    @property
    def label(self) -> str:
        """Return what the curve is called, with its unit."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title

    def read(self, world: "World", report: "StepReport") -> float:
        """Return the present value, NaN where body, joint or drive are gone."""
        if self.kind == "world":
            return WORLD_QUANTITIES[self.quantity][1](world, report)
        try:
            if self.kind == "body":
                return self._component(_of_body(world, self.quantity, world.body(self.name).index))
            joint = world.joint(self.name)
            if self.kind == "drive":
                return float(getattr(joint.drives[self.axis], self.quantity))
            if self.quantity in JOINT_VECTORS:
                return self._component(joint.force if self.quantity == "force" else joint.torque)
            if self.quantity.endswith(" rate"):
                return joint.rate_of(self.quantity.removesuffix(" rate"))
            return joint.value_of(self.quantity)
        except (KeyError, IndexError, AttributeError):
            return float("nan")

    def _component(self, vector: np.ndarray) -> float:
        return float(np.linalg.norm(vector)) if self.axis == 3 else float(vector[self.axis])


def contact_force(world: "World", row: int) -> np.ndarray:
    """Return the sum of the contact forces on a body (3,) [N], mean over the last step."""
    contacts = world.contacts
    first = contacts.impulse[contacts.body_a == row].sum(axis=0)
    second = contacts.impulse[contacts.body_b == row].sum(axis=0)
    force: np.ndarray = (first - second) / world.time_step
    return force


def _of_body(world: "World", quantity: str, row: int) -> np.ndarray:
    if quantity == "contact force":
        return contact_force(world, row)
    arrays = {
        "position": world.positions,
        "velocity": world.velocities,
        "angular velocity": world.angular_velocities,
    }
    vector: np.ndarray = arrays[quantity][row]
    return vector
