"""Values of pairs of materials that override the rules by which two bodies combine theirs."""

from typing import Any, ClassVar

import numpy as np

from stoss.engine import checks
from stoss.engine.bodies.material import IMPACT_LAWS, Material
from stoss.engine.laws.contact import ContactLaw
from stoss.engine.laws.contact_functions import EXIT, LAW_NUMBERS, RESTRICTION, deepest_gap
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.laws.law_table import LawTable

__all__ = [
    "CONTACT",
    "FRICTION_LAW",
    "LAW",
    "OWN",
    "OWNER",
    "RESTITUTION",
    "SLIDE",
    "STICK",
    "MaterialPairs",
    "has_walls",
    "no_pairs",
]

# Values of a pair; NaN where the rules hold. FRICTION_LAW: number of the law; with SLIDE that of the pair,
# else that of one of its bodies, to be scaled. OWNER: whose body the law is of, 0 the first, 1 the second.
# CONTACT: code of the contact law, and then its numbers; OWN: 1 if that is the law of the pair.
RESTITUTION, SLIDE, STICK, LAW, FRICTION_LAW, OWNER, OWN, CONTACT = range(8)
_VALUES = CONTACT + 1 + LAW_NUMBERS


def no_pairs() -> np.ndarray:
    """Return the table (1, 1, values) without any pair."""
    return np.full((1, 1, _VALUES), np.nan)


def has_walls(table: np.ndarray) -> bool:
    """Return whether contacts of any pair can break, by the table (groups, groups, values)."""
    codes, exits = table[..., CONTACT], table[..., CONTACT + 1 + EXIT]
    return bool(((codes == RESTRICTION) & (exits > 0.0)).any())


class MaterialPairs:
    """Hold the materials of which some pair has its own values, or that have a law, and the table of values.

    Materials are numbered from 1; 0 stands for all others.

    Attributes:
        table: (groups, groups, values), symmetric; made anew at every change.
    """

    # What is written to files.
    plain_fields: ClassVar[dict[str, Any]] = {"table": np.ndarray, "groups": dict[Material, int]}

    def __init__(self) -> None:
        self.table = no_pairs()
        self._groups: dict[Material, int] = {}

    def group(self, material: Material) -> int:
        """Return the number of a material, 0 if no pair of it has its own values."""
        return self._groups.get(material, 0)

    @property
    def groups(self) -> dict[Material, int]:
        """Return the numbers of the materials."""
        return dict(self._groups)

    @classmethod
    def from_plain(cls, table: np.ndarray, groups: dict[Material, int]) -> "MaterialPairs":
        """Return pairs with this table.

        Raises:
            ValueError: the table does not fit the materials.
        """
        size = len(groups) + 1
        if table.dtype != np.float64 or table.shape != (size, size, _VALUES):
            raise ValueError(f"pairs of {len(groups)} materials have a table of shape {table.shape}")
        if sorted(groups.values()) != [*range(1, size)]:
            raise ValueError("materials of pairs are not numbered from 1")
        out = cls()
        out.table, out._groups = table, dict(groups)
        return out

    def copy(self) -> "MaterialPairs":
        """Return an independent copy."""
        other = MaterialPairs()
        other.table = self.table.copy()
        other._groups = dict(self._groups)
        return other

    def set(
        self,
        first: Material,
        second: Material,
        restitution: float | None,
        friction: float | FrictionLaw | None,
        static_friction: float | None,
        impact_law: str | None,
        contact_law: ContactLaw | None,
        laws: LawTable,
    ) -> None:
        """Set the values of a pair; see `World.set_material_pair`."""
        for name, material in (("first", first), ("second", second)):
            checks.instance(name, material, Material, "Material(name='ice')")
        if static_friction is not None and friction is None:
            raise ValueError(
                f"static_friction = {checks.shown(static_friction)} needs friction too; give both or none"
            )
        # a material of these values checks them
        checked = Material(
            0.0 if restitution is None else restitution,
            0.0 if friction is None else friction,
            static_friction,
        )
        if impact_law is not None:
            checks.choice("impact_law", impact_law, IMPACT_LAWS)
        values = np.full(_VALUES, np.nan)
        if restitution is not None:
            values[RESTITUTION] = checked.restitution
        if friction is not None:
            values[SLIDE], values[STICK] = checked.friction, checked.sticking
        if checked.friction_law is not None:
            values[FRICTION_LAW], values[OWNER] = laws.number(checked.friction_law), 0.0
        if impact_law is not None:
            values[LAW] = IMPACT_LAWS.index(impact_law)
        if contact_law is not None:
            if restitution is not None:
                raise ValueError(
                    f"restitution = {checks.shown(restitution)} with a contact law, whose impacts say "
                    "it: give one of them"
                )
            ContactLaw._checked(contact_law)
            values[OWN], values[CONTACT:] = 1.0, (contact_law._code, *contact_law._numbers)
        for material in (first, second):
            self._groups.setdefault(material, len(self._groups) + 1)
        table = self._grown()
        i, j = self._groups[first], self._groups[second]
        table[i, j] = table[j, i] = values
        if i != j and not np.isnan(values[OWNER]):
            table[j, i, OWNER] = 1.0
        self.table = table
        self._fill_laws(laws)
        self._fill_contact_laws()

    def add_law_of(self, material: Material, laws: LawTable) -> bool:
        """Let the laws of a material act; return whether they did not yet."""
        if (material.friction_law is None and material.contact_law is None) or material in self._groups:
            return False
        self._groups[material] = len(self._groups) + 1
        self.table = self._grown()
        self._fill_laws(laws)
        self._fill_contact_laws()
        return True

    def _grown(self) -> np.ndarray:
        """Return a new table, for all materials that are numbered now."""
        size, old = len(self._groups) + 1, len(self.table)
        table = np.full((size, size, _VALUES), np.nan)
        table[:old, :old] = self.table
        return table

    def _fill_laws(self, laws: LawTable) -> None:
        """Write the laws of single materials where the pair has no friction of its own."""
        known = [None, *(material.friction_law for material in self._groups)]
        for i, first in enumerate(known):
            for j, second in enumerate(known):
                if not np.isnan(self.table[i, j, SLIDE]):
                    continue
                takes_first = first is not None and (second is None or first.sliding <= second.sliding)
                law = first if takes_first else second
                if first is not None and second is not None and first.sliding == second.sliding and i > j:
                    law, takes_first = second, False  # the same whichever body comes first
                if law is not None:
                    self.table[i, j, FRICTION_LAW] = laws.number(law)
                    self.table[i, j, OWNER] = 0.0 if takes_first else 1.0

    def _fill_contact_laws(self) -> None:
        """Write the contact laws of materials where their pair has none, and no restitution, of its own."""
        laws = [None, *(material.contact_law for material in self._groups)]
        for i, first in enumerate(laws):
            for j, second in enumerate(laws):
                values = self.table[i, j]
                if not np.isnan(values[OWN]):
                    continue
                law = first if second is None or (first is not None and _is_softer(first, second)) else second
                if law is None or not np.isnan(values[RESTITUTION]):
                    values[CONTACT:] = np.nan
                else:
                    values[CONTACT:] = law._code, *law._numbers


def _is_softer(first: ContactLaw, second: ContactLaw) -> bool:
    """Return whether a contact law gives way farther than another, or as far, to 1 kg at 1 m/s."""
    deep, deeper = (deepest_gap(law._code, law._numbers, 1.0, 1.0) for law in (first, second))
    if deep == deeper:  # the same of two, whichever comes first
        return tuple(first._numbers) <= tuple(second._numbers)
    return bool(deep < deeper)
