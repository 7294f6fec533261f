"""Rigid-body dynamics by impulses: the world, its bodies and what a step does."""

from engine.body import Body
from engine.events import ContactEvents
from engine.mass import MassProperties, from_mesh, from_shapes, from_values
from engine.material import Material
from engine.report import SimulationError, StepReport
from engine.settings import Settings
from engine.snapshot import Snapshot
from engine.world import World

__all__ = [
    "Body",
    "ContactEvents",
    "MassProperties",
    "Material",
    "Settings",
    "SimulationError",
    "Snapshot",
    "StepReport",
    "World",
    "from_mesh",
    "from_shapes",
    "from_values",
]
