"""Points of bodies that stick and slip on the ground, compliant, with a moment about the normal."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stoss.engine import checks
from stoss.engine.forces import stick_slip_law as law
from stoss.engine.forces.arrays import STICK_SLIP, LoadRows
from stoss.engine.forces.constant import ReadyLoad
from stoss.engine.forces.ends import place_of
from stoss.engine.forces.point_contact import checked_points, points_of
from stoss.engine.world.load_kind import Place
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["TOUCH_STATES", "StickSlipContact"]

TOUCH_STATES = ("none", "slip", "stick")  # in the order of `stick_slip_law`

LARGEST = 1e12  # in place of infinite: times a force of zero it is zero
# Fields that may be infinite: what never gives way.
_ENDLESS = ("static_friction", "static_torsional_friction", "stick_speed", "stick_rate")
# Units of the numbers of the law, in their order there.
_UNITS = {
    "stiffness": "N/m",
    "damping": "N s/m",
    "depth_damping": "N s/m^2",
    "hold": "N/m",
    "drag": "N s/m",
    "twist_stiffness": "N m/rad",
    "twist_damping": "N m s/rad",
    "friction": "",
    "static_friction": "",
    "viscous_friction": "N s/m",
    "torsional_friction": "m",
    "static_torsional_friction": "m",
    "stick_speed": "m/s",
    "stick_rate": "rad/s",
}


@closed
@dataclass(frozen=True)
class StickSlipContact(ReadyLoad):
    """Points that press on a body, stick to it and slip, as soles of feet do (Henze 2002, appendix F).

    Normal force stiffness d + (damping + depth_damping d) d' for a depth d, never pulling. A point that
    sticks is held where it stuck by `hold` and `drag`, and against turning about the normal by
    `twist_stiffness` and `twist_damping`; where that takes more than the static friction it slips, with
    friction against its motion alone, until it has slowed down to the stick speed, or friction has turned it
    round. Without the moment about the normal a walker turns about the point on which it stands.
    `load.states` says what each point does, `load.effort` its normal force; their order is that of `points`.
    Different here: a damper that would turn a motion round within a step stops it instead, so that a foot of
    1 kg is stable at 1 ms. Contacts of shapes are impulses, rigid and stable at any step.

    Args:
        points: where it touches: markers, or (body, point); one or several.
        ground: body with shapes: a half-space, boxes, a triangle mesh, `height_field(...)`.
        stiffness: [N/m].
        damping: [N s/m].
        depth_damping: damping per depth [N s/m^2].
        hold: stiffness along the surface while it sticks [N/m].
        drag: damping of that [N s/m].
        twist_stiffness: stiffness about the normal while it sticks [N m/rad].
        twist_damping: damping of that [N m s/rad].
        friction: coefficient while it slips.
        static_friction: coefficient up to which it sticks; not below `friction`.
        viscous_friction: force per speed while it slips [N s/m].
        torsional_friction: moment about the normal over normal force while it slips [m].
        static_torsional_friction: the same up to which it sticks [m].
        stick_speed: below which what slows down sticks [m/s].
        stick_rate: spin above which it does not stick [rad/s].

    Raises:
        TypeError, ValueError: no numbers, or below zero; static friction below that of sliding.
    """

    points: Any
    ground: Place
    stiffness: float = 5e4
    damping: float = 0.0
    depth_damping: float = 4e5
    hold: float = 2e5
    drag: float = 2e3
    twist_stiffness: float = 200.5
    twist_damping: float = 20.05
    friction: float = 0.95
    static_friction: float = 2.0
    viscous_friction: float = 0.0
    torsional_friction: float = 0.0
    static_torsional_friction: float = np.inf
    stick_speed: float = 1e-3
    stick_rate: float = np.inf

    _ends: ClassVar = ("points", "ground")

    def __post_init__(self) -> None:
        name = self._name
        self._set(points=points_of(name, self.points))
        for field, unit in _UNITS.items():
            value = checks.number(
                f"{name}: {field}", getattr(self, field), unit, least=0.0, finite=field not in _ENDLESS
            )
            self._set(**{field: value})
        for slow, fast in (
            ("static_friction", "friction"),
            ("static_torsional_friction", "torsional_friction"),
        ):
            if getattr(self, slow) < getattr(self, fast):
                raise ValueError(
                    f"{name}: {slow} = {getattr(self, slow):g} is below {fast} = {getattr(self, fast):g}; "
                    "what sticks holds at least as much as what slips"
                )

    def _checked(self, what: str, world: "World") -> "StickSlipContact":
        points, ground = checked_points(what, self.points, self.ground, world)
        return replace(self, points=points, ground=ground)

    def _rows(self, world: "World") -> LoadRows:
        rows = LoadRows(len(self.points), STICK_SLIP)
        for r, one in enumerate(self.points):
            rows.bodies[r, 0], rows.points[r, :3], _ = place_of(one, world)
        rows.bodies[:, 1] = place_of(self.ground, world)[0]
        rows.numbers[:, : len(_UNITS)] = [min(getattr(self, field), LARGEST) for field in _UNITS]
        rows.numbers[:, law.COUNT] = (rows.bodies[:, :1] == rows.bodies[None, :, 0]).sum(axis=1)
        return rows
