"""Points of bodies that touch the ground by a force law: heels, feet, tools."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stoss.collision.shapes.faceted import TriangleMesh
from stoss.engine import checks
from stoss.engine.forces.arrays import CONTACT, LoadRows
from stoss.engine.forces.constant import ReadyLoad, on_body
from stoss.engine.forces.ends import place_of
from stoss.engine.world.load_kind import Place
from stoss.names import closed, takes_names

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["PointContact", "checked_points", "height_field", "points_of"]


@closed
@dataclass(frozen=True)
class PointContact(ReadyLoad):
    """Points that touch a body by a compliant law: the heel of Gruber (Krieg 1992, section 3.2.2).

    Normal force (stiffness + damping z') z^power for a depth z, never pulling; along the surface
    -hold |d|^(power-1) d - drag |d|^power d' for the way d from the anchor, where the point touched first,
    clear of it again once they part. Different here: a friction cone bounds it, and the anchor is then drawn
    along, so feet may slide; any shape may be the ground, and it may move. Explicit: contacts of shapes are
    impulses, rigid and stable at any step.

    Args:
        points: where it touches: markers, or (body, point); one or several. `load.effort` is the normal force
            of each.
        ground: body with shapes: a half-space, boxes, a triangle mesh, `height_field(...)`.
        stiffness: [N/m^power].
        damping: [N s/m^(power+1)].
        hold: the same along the surface; 0: none.
        drag: damping along the surface.
        power: of the depth, 1 or more.
        friction: largest tangential force per normal force; inf: it never slides.
    """

    points: Any
    ground: Place
    stiffness: float = 0.0
    damping: float = 0.0
    hold: float = 0.0
    drag: float = 0.0
    power: float = 3.5
    friction: float = np.inf

    _ends: ClassVar = ("points", "ground")

    def __post_init__(self) -> None:
        name = self._name
        self._set(points=points_of(name, self.points))
        for field in ("stiffness", "damping", "hold", "drag"):
            self._set(**{field: checks.number(f"{name}: {field}", getattr(self, field), least=0.0)})
        self._set(
            power=checks.number(f"{name}: power", self.power, least=1.0),
            friction=checks.number(f"{name}: friction", self.friction, least=0.0, finite=False),
        )

    def _checked(self, what: str, world: "World") -> "PointContact":
        points, ground = checked_points(what, self.points, self.ground, world)
        return replace(self, points=points, ground=ground)

    def _rows(self, world: "World") -> LoadRows:
        rows = LoadRows(len(self.points), CONTACT)
        for r, one in enumerate(self.points):
            rows.bodies[r, 0], rows.points[r, :3], _ = place_of(one, world)
        rows.bodies[:, 1] = place_of(self.ground, world)[0]
        law = self.stiffness, self.damping, self.hold, self.drag, self.power, self.friction
        rows.numbers[:, :6] = law
        return rows


def points_of(name: str, points: Any) -> list[Any]:
    """Return the points of a contact as a list; raise ValueError if there are none."""
    if not isinstance(points, list):
        points = list(points) if isinstance(points, tuple) and not _is_pair(points) else [points]
    if not points:
        raise ValueError(f"{name}: points = [] has none; give a marker, or (body, point)")
    return points


def checked_points(what: str, points: list[Any], ground: Any, world: "World") -> tuple[list[Any], Any]:
    """Return the ends of a contact of points in a world.

    Raises:
        ValueError: the ground has no shapes, or a point is on it.
    """
    ends = [on_body(f"{what}: points[{i}]", one, world) for i, one in enumerate(points)]
    base = on_body(f"{what}: ground", ground, world)
    store = world._all_bodies
    row = store.registry.row_of_key(base.body or 0)
    table = store.detector.table
    if not (table.body[: table.count] == row).any():
        raise ValueError(
            f"{what}: ground = body {store.handles[row].name!r} has no shapes; give one with a surface"
        )
    for i, one in enumerate(ends):
        if one.body == base.body:
            raise ValueError(f"{what}: points[{i}] is on the ground itself")
    return ends, base


def _is_pair(value: tuple[Any, ...]) -> bool:
    """Return whether a tuple is a body and a point of it."""
    return len(value) == 2 and isinstance(value[1], list | tuple | np.ndarray) and np.ndim(value[1]) == 1


@takes_names
def height_field(heights: Any, size: Any) -> TriangleMesh:
    """Return the surface of a height field, centred at the origin, as a mesh for a static body.

    Args:
        heights: (rows, columns) [m], rows along x, columns along y; two of each at least.
        size: lengths (2,) along x and y [m].

    Raises:
        TypeError, ValueError: no such numbers.
    """
    z = checks.array("heights", heights, (-1, -1))
    if min(z.shape) < 2:
        raise ValueError(f"heights has shape {z.shape}; give two rows and two columns at least")
    lengths = checks.array("size", size, (2,))
    if (lengths <= 0.0).any():
        raise ValueError(f"size = {checks.shown(size)} must be above zero")
    rows, columns = z.shape
    x, y = (np.linspace(-0.5, 0.5, n) * length for n, length in zip(z.shape, lengths, strict=True))
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), z], axis=-1).reshape(-1, 3)
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij"))
    a = i * columns + j
    faces = np.concatenate(
        [np.stack([a, a + columns, a + columns + 1], 1), np.stack([a, a + columns + 1, a + 1], 1)]
    )
    return TriangleMesh(points, faces)
