"""A model: immutable data of which worlds are built."""

from typing import Any

from stoss.engine.model.errors import ModelError
from stoss.engine.model.records import (
    Body,
    Camera,
    Coordinate,
    Initial,
    Joint,
    Marker,
    Material,
    MaterialPair,
    Mesh,
    Parameter,
    Record,
    Recording,
    SubModel,
    WorldSettings,
)
from stoss.names import hint

__all__ = ["Model"]


class Model(Record, frozen=True, kw_only=True):
    """What a world is made of, as data: it is loaded, changed, saved, and built as often as wanted.

    Args:
        name: what it is called.
        description: what it is about, in words.
        world: what holds for the whole world.
        params: named numbers.
        materials, material_pairs: surface values.
        meshes: geometry that shapes name.
        bodies: in their order.
        markers: named frames of the world.
        joints: in their order; couplings after the joints that they couple.
        coordinates: names of coordinates of joints.
        exclude: pairs of bodies that pass through each other.
        initial: the pose in which it begins.
        record: what is to be recorded.
        camera: where it is seen from.
        models: models within it.
        left_out: what an import, or `Model.of`, did not take over, item by item; it is not saved.
    """

    name: str | None = None
    description: str | None = None
    world: WorldSettings = WorldSettings()
    params: tuple[Parameter, ...] = ()
    materials: tuple[Material, ...] = ()
    material_pairs: tuple[MaterialPair, ...] = ()
    meshes: tuple[Mesh, ...] = ()
    bodies: tuple[Body, ...] = ()
    markers: tuple[Marker, ...] = ()
    joints: tuple[Joint, ...] = ()
    coordinates: tuple[Coordinate, ...] = ()
    exclude: tuple[tuple[str, str], ...] = ()
    initial: Initial = Initial()
    record: Recording = Recording()
    camera: Camera | None = None
    models: tuple[SubModel, ...] = ()
    left_out: tuple[str, ...] = ()

    def body(self, name: str) -> Body:
        """Return the body of that name; an error names the nearest."""
        found: Body = _named(self.bodies, "body", name)
        return found

    def joint(self, name: str) -> Joint:
        """Return the joint of that name; an error names the nearest."""
        found: Joint = _named(self.joints, "joint", name)
        return found


def _named(records: tuple[Any, ...], what: str, name: str) -> Any:
    for one in records:
        if one.name == name:
            return one
    names = [one.name for one in records]
    raise ModelError(
        f"there is no {what} {name!r}{hint(name, names)}; there are {', '.join(names) or 'none'}"
    )
