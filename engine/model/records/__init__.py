"""The records of a model: immutable, typed, and named as the Python API names its arguments.

What is a number may be an `Expression`, a float that remembers how it was written; `Model.flat` has numbers
alone. What is left out (None) is what the API does then: its defaults are written down nowhere else. Records
that stand for a call (`Shape`, `Kind`, `Action`) say with `type` whom they call, and have the arguments of
all that may be called; `kinds` says who takes what.
"""

from stoss.engine.model.records.base import Matrix, Record
from stoss.engine.model.records.bodies import Body, Frame, Marker, Mesh, Shape
from stoss.engine.model.records.joints import Action, Coordinate, Joint, Kind
from stoss.engine.model.records.loads import Load
from stoss.engine.model.records.surfaces import Law, Material, MaterialPair
from stoss.engine.model.records.whole import Camera, Initial, Parameter, Recording, SubModel, WorldSettings

__all__ = [
    "Action",
    "Body",
    "Camera",
    "Coordinate",
    "Frame",
    "Initial",
    "Joint",
    "Kind",
    "Law",
    "Load",
    "Marker",
    "Material",
    "MaterialPair",
    "Matrix",
    "Mesh",
    "Parameter",
    "Record",
    "Recording",
    "Shape",
    "SubModel",
    "WorldSettings",
]
