"""Rigid-body dynamics by impulses: the world, its bodies and joints, and what a step does."""

from engine.body import Body
from engine.drives import Controller, Drive, Limit
from engine.events import ContactEvents
from engine.freedom import FreedomReport, RedundantRow
from engine.joint import Joint
from engine.joint_frames import Part
from engine.joint_kind import JointKind
from engine.joints import (
    Ball,
    Compose,
    Cylindrical,
    Direction,
    Distance,
    DoubleRotation,
    Fixed,
    Free,
    Hinge,
    Line,
    Lock,
    Planar,
    Plane,
    Slider,
    Universal,
)
from engine.ledger import EnergyLedger
from engine.mass import MassProperties, from_mesh, from_shapes, from_values
from engine.material import Material
from engine.report import SimulationError, StepReport
from engine.settings import Settings
from engine.snapshot import Snapshot
from engine.world import World

__all__ = [
    "Ball",
    "Body",
    "Compose",
    "ContactEvents",
    "Controller",
    "Cylindrical",
    "Direction",
    "Distance",
    "DoubleRotation",
    "Drive",
    "EnergyLedger",
    "Fixed",
    "Free",
    "FreedomReport",
    "Hinge",
    "Joint",
    "JointKind",
    "Limit",
    "Line",
    "Lock",
    "MassProperties",
    "Material",
    "Part",
    "Planar",
    "Plane",
    "RedundantRow",
    "Settings",
    "SimulationError",
    "Slider",
    "Snapshot",
    "StepReport",
    "Universal",
    "World",
    "from_mesh",
    "from_shapes",
    "from_values",
]
