"""What friction of a place, or of a law, did: work, what is stored, what became heat, power."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stoss.names import closed

__all__ = ["FrictionBook", "PassivityReport"]


@closed
@dataclass(frozen=True)
class FrictionBook:
    """The energy of friction of one contact, one coordinate or one law (Specker 2016, section 4.2).

    Attributes:
        work: on the bodies [J], negative as a rule: since the contact, the coordinate's law, or the world's
            knowing the law began.
        stored: in bristles now [J], 0 for laws that store nothing.
        power: what it took from the bodies in the last step, per time [W]: the mean over the whole step.
    """

    work: float = 0.0
    stored: float = 0.0
    power: float = 0.0

    @property
    def dissipated(self) -> float:
        """Return what became heat [J]: what it took, less what it stores."""
        return -self.work - self.stored


@closed
@dataclass(frozen=True)
class PassivityReport:
    """Whether what only may take energy did so; true in conditions if it did.

    Attributes:
        gains: what gave energy, by a name for it [J]; empty if all is as it should.
        dissipated: what each took, by the same names, and what each pair that touches took [J].
        scale: sum of the sizes of all energies [J], of which the tolerance is a share.
    """

    gains: Mapping[str, float] = field(default_factory=dict)
    dissipated: Mapping[str, float] = field(default_factory=dict)
    scale: float = 0.0

    def __bool__(self) -> bool:
        return not self.gains
