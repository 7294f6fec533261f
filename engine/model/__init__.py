"""A model: what a world is made of, as immutable data that is loaded, edited, saved and built."""

from stoss.dependencies import require

require(__name__)

from stoss.engine.model.errors import ModelError
from stoss.engine.model.expressions import Expression
from stoss.engine.model.model import Model
from stoss.engine.model.records import (
    Action,
    Body,
    Camera,
    Coordinate,
    Frame,
    Initial,
    Joint,
    Kind,
    Load,
    Marker,
    Material,
    MaterialPair,
    Mesh,
    Parameter,
    Recording,
    Shape,
    SubModel,
    WorldSettings,
)

__all__ = [
    "Action",
    "Body",
    "Camera",
    "Coordinate",
    "Expression",
    "Frame",
    "Initial",
    "Joint",
    "Kind",
    "Load",
    "Marker",
    "Material",
    "MaterialPair",
    "Mesh",
    "Model",
    "ModelError",
    "Parameter",
    "Recording",
    "Shape",
    "SubModel",
    "WorldSettings",
]
