"""Friction that depends on the direction of sliding."""

from dataclasses import dataclass

import numpy as np

from stoss.engine import checks
from stoss.engine.laws.friction_arrays import (
    ACROSS,
    RATIO,
)
from stoss.engine.laws.friction_law import FrictionLaw, Numbers
from stoss.names import closed

__all__ = ["Anisotropic"]


@closed
@dataclass(frozen=True)
class Anisotropic(FrictionLaw):
    """A law for contacts that resists less, or more, across a direction of the body: an ellipse.

    With the dissipation of the law at the speed |(v1, ratio v2)|, v1 along the direction and v2 across it: so
    the force is `ratio` times that of the law in sliding across, and never gives energy.

    Args:
        law: along the direction.
        ratio: of friction across it to that along it.
        direction: (3,) in the frame of the body whose material it is, of its part in the contact plane.

    Raises:
        TypeError, ValueError: no law, no number, or no direction.
    """

    law: FrictionLaw
    ratio: float
    direction: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        checks.instance("Anisotropic: law", self.law, FrictionLaw, "Coulomb(0.5)")
        if isinstance(self.law, Anisotropic):
            raise TypeError("Anisotropic: law is Anisotropic itself; give the law along the direction")
        self._set(ratio=self._check("ratio", above=True))
        direction = checks.triple("Anisotropic: direction", self.direction)
        size = float(np.linalg.norm(direction))
        if not size > 0.0:
            raise ValueError("Anisotropic: direction = (0, 0, 0) has no length; give the way of the grooves")
        object.__setattr__(self, "direction", tuple(x / size for x in direction))

    def _numbers(self) -> Numbers:
        base = self.law._numbers()
        numbers = base.numbers.copy()
        numbers[RATIO] = self.ratio
        numbers[ACROSS : ACROSS + 3] = self.direction
        return base._replace(numbers=numbers)
