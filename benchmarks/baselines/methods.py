"""The methods that can be compared, with their parameters."""

from dataclasses import dataclass

__all__ = ["BaraffMultipliers", "DenseMultipliers", "Method", "PenaltyJoint", "SpringJoint"]


@dataclass(frozen=True)
class _Multipliers:
    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        _check_not_negative(self, "alpha", "beta")

    @property
    def factors(self) -> tuple[float, float, float]:
        """Factors of c, C' and C in the wanted acceleration of a joint: C'' + 2 alpha C' + beta^2 C = 0."""
        return 1.0, 2.0 * self.alpha, self.beta**2

    @property
    def compliance(self) -> float:
        """Acceleration of a joint per force that closes it [1/kg]: none."""
        return 0.0


@dataclass(frozen=True)
class DenseMultipliers(_Multipliers):
    """Lagrange multipliers with a dense Cholesky factorisation, loops allowed (Bender 2007, section 2.1.3.1).

    Args:
        alpha: damping of Baumgarte's stabilisation [1/s]; the thesis does not state its values.
        beta: natural frequency of Baumgarte's stabilisation [1/s]. RK4 needs beta h < 2.78 at alpha = beta.
    """


@dataclass(frozen=True)
class BaraffMultipliers(_Multipliers):
    """Lagrange multipliers in linear time, for trees only (Bender 2007, section 2.1.3.2).

    Args:
        alpha: damping of Baumgarte's stabilisation [1/s].
        beta: natural frequency of Baumgarte's stabilisation [1/s].
    """


@dataclass(frozen=True)
class PenaltyJoint:
    """Penalty force of the thesis, for trees only (Bender 2007, section 2.1.1).

    -strength (C'' + 2 frequency damping C' + frequency^2 C): the force depends on the acceleration that it
    causes. So there is a linear system to solve: Baraff's, with -1 / strength on the diagonal of the joints.
    For strength without end it becomes Lagrange multipliers with Baumgarte's stabilisation.

    Args:
        strength: [kg]; large against the masses.
        frequency: natural frequency [1/s].
        damping: share of critical damping.
    """

    strength: float = 1e6
    frequency: float = 20.0
    damping: float = 1.0

    def __post_init__(self) -> None:
        _check_positive(self, "strength", "frequency")
        _check_not_negative(self, "damping")

    @property
    def factors(self) -> tuple[float, float, float]:
        """Factors of c, C' and C in the wanted acceleration of a joint."""
        return 1.0, 2.0 * self.frequency * self.damping, self.frequency**2

    @property
    def compliance(self) -> float:
        """Acceleration of a joint per force that closes it [1/kg]."""
        return 1.0 / self.strength


@dataclass(frozen=True)
class SpringJoint:
    """Penalty force without its acceleration term: a spring and a damper, no system to solve, loops allowed.

    Args:
        stiffness: strength frequency^2 of `PenaltyJoint` [N/m].
        damping: 2 strength frequency damping of `PenaltyJoint` [N s/m].
    """

    stiffness: float = 1e5
    damping: float = 1e2

    def __post_init__(self) -> None:
        _check_positive(self, "stiffness")
        _check_not_negative(self, "damping")

    @property
    def factors(self) -> tuple[float, float, float]:
        """Factors of c, C' and C in the force."""
        return 0.0, self.damping, self.stiffness


Method = DenseMultipliers | BaraffMultipliers | PenaltyJoint | SpringJoint


def _check_positive(method: object, *names: str) -> None:
    for name in names:
        value = getattr(method, name)
        if not 0.0 < value < float("inf"):
            raise ValueError(f"{name} = {value!r}: give a positive finite number")


def _check_not_negative(method: object, *names: str) -> None:
    for name in names:
        value = getattr(method, name)
        if not 0.0 <= value < float("inf"):
            raise ValueError(f"{name} = {value!r}: give a finite number, 0 or more")
