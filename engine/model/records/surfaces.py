"""Laws, materials, and values of pairs of materials."""

from stoss.collision.quaternions import Vector
from stoss.engine.model.records.base import Record

__all__ = ["Law", "Material", "MaterialPair"]


class Law(Record, frozen=True, kw_only=True):
    """A law of friction or of contact: see `stoss.Stribeck`, `stoss.RestrictionContact` and so on.

    Args:
        type: which one: "stribeck", "lu_gre", "restriction_contact" ...
        law: of a "filtered" or an "anisotropic" one: the law that it changes.
    """

    type: str
    law: "Law | None" = None
    dynamic: float | None = None
    static: float | None = None
    speed: float | None = None
    viscous: float | None = None
    decay: str | None = None
    transition: float | None = None
    sticks: bool | None = None
    time_constant: float | None = None
    hold_speed: float | None = None
    ratio: float | None = None
    direction: Vector | None = None
    stiffness: float | None = None
    damping: float | None = None
    power: float | None = None
    max_force: float | None = None
    compression: float | None = None
    thickness: float | None = None
    exit_compression: float | None = None
    level: float | None = None


class Material(Record, frozen=True, kw_only=True):
    """Surface values: see `stoss.Material`.

    Args:
        name: by which bodies name it.
        friction_law, contact_law: laws in place of coefficients of friction, and of a restitution.
        label: name of the `stoss.Material` that is made of it; left out: `name`.
    """

    name: str
    restitution: float | None = None
    friction: float | None = None
    static_friction: float | None = None
    rolling_friction: float | None = None
    torsional_friction: float | None = None
    friction_law: Law | None = None
    contact_law: Law | None = None
    label: str | None = None


class MaterialPair(Record, frozen=True, kw_only=True):
    """Values that a pair of materials has of its own: see `World.set_material_pair`.

    Args:
        first, second: names of the materials.
        friction_law, contact_law: laws in place of coefficients of friction, and of a restitution.
    """

    first: str
    second: str
    restitution: float | None = None
    friction: float | None = None
    static_friction: float | None = None
    impact_law: str | None = None
    friction_law: Law | None = None
    contact_law: Law | None = None
