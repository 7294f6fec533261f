"""Material values of a body and the rules by which two bodies combine them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine import checks
from stoss.engine.laws import comparison_contacts, restriction  # noqa: F401, so that files know all laws
from stoss.engine.laws.contact import ContactLaw
from stoss.engine.laws.friction import Coulomb
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.names import closed

__all__ = ["COMBINATION_RULES", "IMPACT_LAWS", "Material", "combine", "combine_all"]

COMBINATION_RULES = ("multiply", "add", "minimum", "maximum", "mean", "geometric_mean")
IMPACT_LAWS = ("newton", "poisson", "stronge")  # in the order of the codes of `impulse_path`
DEFAULT_FRICTION = 0.5
LARGEST_FRICTION = 1e12  # [1 or m]: with more, products of two are no floats any more
_MULTIPLY, _ADD, _MINIMUM, _MAXIMUM, _MEAN, _GEOMETRIC_MEAN = range(6)


@closed
@dataclass(frozen=True)
class Material:
    """Surface values of a body; `Settings` says how a pair of bodies combines them.

    Args:
        restitution: share of the approach velocity that is given back, 0 to 1.
        friction: Coulomb coefficient while sliding, 0 or more; or a friction law, as in `friction_law`.
        static_friction: Coulomb coefficient while sticking, at least `friction`; None for the same.
        rolling_friction: [m] torque against rolling over normal force, 0 or more: half the width of the area
            of contact, say. Combined by the friction rule, like the next.
        torsional_friction: [m] torque against spinning about the normal over normal force, 0 or more: of an
            even pressure on a patch of radius r 2/3 friction r, of a ball with the radius a of contact
            3 pi/16 friction a. While it sticks as much more as static friction is above sliding friction.
        name: tells materials of equal values apart, where pairs of them have values of their own.
        friction_law: such as `Stribeck(static=0.6, dynamic=0.4, speed=0.05)`; None: Coulomb's, by the
            coefficients. With a law `friction` and `static_friction` are left out, and become what it has in
            fast sliding and at rest. Where a body with a law touches one without, the law is scaled by the
            friction rule; of two laws it is that of the body with the smaller `sliding`.
            `World.set_material_pair` says it for a pair.
        contact_law: how contacts give way and bounce, such as `RestrictionContact(200.0, 1e-3, 0.5)`; it has
            the restitution then. Of the laws of two materials it is that which gives way farther, to 1 kg at
            1 m/s; `World.set_material_pair` says it for a pair. None: rigid.

    Raises:
        TypeError, ValueError: no number, or a value out of its range; friction that is not its law's; or
            restitution beside a contact law.
    """

    restitution: float = 0.0
    friction: float = DEFAULT_FRICTION
    static_friction: float | None = None
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0
    name: str = ""
    friction_law: FrictionLaw | None = None
    contact_law: ContactLaw | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            restitution: float = 0.0,
            friction: float | FrictionLaw = DEFAULT_FRICTION,
            static_friction: float | None = None,
            rolling_friction: float = 0.0,
            torsional_friction: float = 0.0,
            name: str = "",
            friction_law: FrictionLaw | None = None,
            contact_law: ContactLaw | None = None,
        ) -> None: ...

    def _take_law(self) -> None:
        """Let a law that was given as friction be the law, and its coefficients the numbers."""
        law = self.friction if isinstance(self.friction, FrictionLaw) else self.friction_law
        if law is None:
            return
        checks.instance("friction_law", law, FrictionLaw, "Stribeck(static=0.6, dynamic=0.4, speed=0.05)")
        sliding, sticking = law.sliding, max(law.sliding, law.sticking)
        if law is not self.friction_law and self.friction_law is not None:
            raise ValueError("friction and friction_law are two laws; give one")
        if self.friction is not law and self.friction not in (sliding, DEFAULT_FRICTION):
            raise ValueError(
                f"friction = {checks.shown(self.friction)} is not that of friction_law = {law!r}, "
                f"{sliding:g}; give the law alone, or friction_law=None with the number"
            )
        if self.static_friction is not None and self.static_friction != sticking:
            raise ValueError(
                f"static_friction = {checks.shown(self.static_friction)} with a friction law, whose is "
                f"{sticking:g}: the law says it, so leave it out"
            )
        plain = isinstance(law, Coulomb) and law.viscous == 0.0
        object.__setattr__(self, "friction", sliding)
        object.__setattr__(self, "static_friction", None if sticking == sliding else sticking)
        object.__setattr__(self, "friction_law", None if plain else law)

    def __post_init__(self) -> None:
        self._take_law()
        share = "; a share, 0 to 1"
        values = {
            "restitution": checks.number("restitution", self.restitution, least=0.0, most=1.0, cure=share)
        }
        values["friction"] = checks.number("friction", self.friction, least=0.0)
        for name in ("rolling_friction", "torsional_friction"):
            values[name] = checks.number(name, getattr(self, name), "m", least=0.0)
        if self.static_friction is not None:
            least = values["friction"]
            cure = f": not below friction = {least!r}; leave it out to use the same value"
            values["static_friction"] = checks.number(
                "static_friction", self.static_friction, least=least, cure=cure
            )
        for name, value in values.items():
            checks.number(name, value, most=LARGEST_FRICTION)
        checks.text("name", self.name)
        if self.contact_law is not None:
            ContactLaw._checked(self.contact_law)
            if values["restitution"] != 0.0:
                raise ValueError(
                    f"restitution = {checks.shown(self.restitution)} with a contact law, whose impacts say "
                    "it: give one of them"
                )
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def sticking(self) -> float:
        """Return the coefficient of static friction."""
        return self.friction if self.static_friction is None else self.static_friction


@inner
def combine(rule, a, b):
    """Return the value of a pair from the values of its bodies (Bender 2007, section 5.1.3)."""
    if rule == _MULTIPLY:
        return a * b
    if rule == _ADD:
        return a + b
    if rule == _MINIMUM:
        return min(a, b)
    if rule == _MAXIMUM:
        return max(a, b)
    if rule == _MEAN:
        return 0.5 * (a + b)
    return np.sqrt(a * b)


@kernel(allocates=True)
def combine_all(rule: int, first: Floats, second: Floats) -> Floats:
    """Return the values of many pairs (c,)."""
    out = np.empty(len(first))
    for i in range(len(out)):
        out[i] = combine(rule, first[i], second[i])
    return out
