"""The data of a model: all of its fields, which files hold and worlds are built of."""

from stoss.engine.model.origin import NOWHERE, Origin
from stoss.engine.model.records import (
    Body,
    Camera,
    Coordinate,
    Initial,
    Joint,
    Load,
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

__all__ = ["ModelData"]


class ModelData(Record, frozen=True, kw_only=True):
    """The fields of a model; `Model` says what they are, and adds how it is read, written and built."""

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
    forces: tuple[Load, ...] = ()
    exclude: tuple[tuple[str, str], ...] = ()
    initial: Initial = Initial()
    record: Recording = Recording()
    camera: Camera | None = None
    models: tuple[SubModel, ...] = ()
    left_out: tuple[str, ...] = ()
    origin: Origin = NOWHERE
