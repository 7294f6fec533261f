"""What can be plotted of a world: the columns of its observables, of which recordings are made too."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoss.engine.recording import Observable, Observer, observables
from stoss.viewer.world.pull import POINTER

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["AXES", "SIZE", "Channel", "Readings", "channel_of", "listed"]

AXES = ("x", "y", "z")
SIZE = "size"  # of a vector, as if it were one more component


@dataclass(frozen=True)
class Channel:
    """One curve.

    Attributes:
        name: of a column, such as "body.box.position.z" or "body.box.velocity.size".
        unit: in SI, "" for a plain number.
    """

    name: str
    unit: str

    @classmethod
    def of_label(cls, label: str) -> "Channel":
        """Return the curve that is called so; see `label`."""
        name, _, unit = label.removesuffix("]").partition(" [")
        return cls(name, unit)

    @property
    def label(self) -> str:
        """Return what the curve is called, with its unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def channel_of(observable: Observable, component: str = "") -> Channel:
    """Return the curve of an observable, or of one of its components.

    Args:
        observable: what is observed.
        component: of a vector, "size" for its length.
    """
    name = f"{observable.name}.{component}" if observable.components else observable.name
    return Channel(name, observable.unit)


def listed(world: "World") -> tuple[Observable, ...]:
    """Return all that can be plotted, without what the window itself holds a body by."""
    return tuple(one for one in observables(world) if f".{POINTER}." not in one.name)


class Readings:
    """Read channels of a world, all at once; NaN where there is no such thing.

    Args:
        world: the world.
        channels: what is read, in this order.
    """

    def __init__(self, world: "World", channels: Iterable[Channel]) -> None:
        self._channels = tuple(channels)
        self._observer: Observer | None = None
        if self._channels:
            # who does not touch presses with 0 N
            known = [
                (c.name, c.unit, 0.0 if c.name.startswith("contact.") else float("nan"))
                for c in self._channels
            ]
            self._observer = Observer(world, [c.name for c in self._channels], known=known)

    def read(self) -> list[float]:
        """Return the present values."""
        if self._observer is None:
            return []
        found: list[float] = self._observer.read()[: len(self._channels)].tolist()
        return found
