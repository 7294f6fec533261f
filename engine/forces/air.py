"""Wind and drag."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from stoss.engine import checks
from stoss.engine.forces.arrays import DRAG, LoadRows
from stoss.engine.forces.constant import ReadyLoad, on_body, set_end
from stoss.engine.world.load_kind import Place
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Drag"]


@closed
@dataclass(frozen=True)
class Drag(ReadyLoad):
    """Drag of the air, and wind: a force against the velocity u of a point relative to the air.

    force = -(linear + density area coefficient |u| / 2) u, torque = -angular times the angular velocity.
    `load.amount` is the wind, so that it may blow in gusts. It is explicit.

    Args:
        at: where it acts: a body (its centre of mass), a marker, or (body, point).
        area: across the stream [m^2].
        coefficient: of drag; 0.47 for a sphere.
        density: of the air [kg/m^3].
        linear: drag in proportion to the speed [N s/m].
        angular: torque per rate [N m s/rad].
        wind: velocity of the air (3,) [m/s], world.
    """

    at: Place
    area: float = 0.0
    coefficient: float = 1.0
    density: float = 1.2
    linear: float = 0.0
    angular: float = 0.0
    wind: Any = (0.0, 0.0, 0.0)

    _ends: ClassVar = ("at",)
    _amount: ClassVar = "wind"
    _amount_at: ClassVar = 3

    def __post_init__(self) -> None:
        name = self._name
        units = {
            "area": "m^2",
            "coefficient": "1",
            "density": "kg/m^3",
            "linear": "N s/m",
            "angular": "N m s",
        }
        for field, unit in units.items():
            self._set(**{field: checks.number(f"{name}: {field}", getattr(self, field), unit, least=0.0)})
        self._set(wind=checks.triple(f"{name}: wind", self.wind))

    def _checked(self, what: str, world: "World") -> "Drag":
        if world.plane is not None:
            world.plane.place(f"{what}: wind", self.wind)
        return replace(self, at=on_body(f"{what}: at", self.at, world))

    def _rows(self, world: "World") -> LoadRows:
        rows = LoadRows(1, DRAG)
        set_end(rows, 0, self.at, world)
        rows.numbers[0, 0] = self.linear
        rows.numbers[0, 1] = 0.5 * self.density * self.area * self.coefficient
        rows.numbers[0, 2] = self.angular
        rows.numbers[0, 3:6] = self.wind
        return rows
