"""Rigid-body dynamics by impulses: the world, its bodies and joints, and what a step does."""

from stoss.dependencies import require

require(__name__)

from stoss.engine.bodies.mass import MassProperties, from_shapes, from_values
from stoss.engine.bodies.mass_of_mesh import from_mesh
from stoss.engine.bodies.material import Material
from stoss.engine.contacts.events import ContactEvents
from stoss.engine.control.actuators import Actuator, TorqueActuator, VelocityActuator
from stoss.engine.control.contact_sensors import ContactReading, ContactSensor, ForcePlate, ForceReading
from stoss.engine.control.controller import Controller
from stoss.engine.control.errors import ControlError
from stoss.engine.control.events import Event
from stoss.engine.control.imu import Imu, ImuReading
from stoss.engine.control.ray_sensor import RayReading, RaySensor
from stoss.engine.control.relay import Subscription
from stoss.engine.control.sensor import Encoder, EncoderReading, Sensor
from stoss.engine.control.servo import Servo
from stoss.engine.forces.air import Drag
from stoss.engine.forces.constant import Force, JointTorque, LineForce, Torque
from stoss.engine.forces.context import LoadContext
from stoss.engine.forces.integrals import Integral
from stoss.engine.forces.load import Load
from stoss.engine.forces.point_contact import PointContact, height_field
from stoss.engine.forces.springs import CoordinateSpring, RotationalSpring, SpringDamper, SpringNetwork
from stoss.engine.forces.stick_slip import StickSlipContact
from stoss.engine.forces.stops import ContactStop, CoordinateStop, SoftStop
from stoss.engine.forces.tissue import Muscle, WobblingMass
from stoss.engine.joints.basic_kinds import (
    Ball,
    ConstantAngle,
    Distance,
    FixedOrientation,
    ParallelAxes,
    PointOnLine,
    PointOnPlane,
)
from stoss.engine.joints.combined_kinds import (
    Compose,
    Cylindrical,
    Fixed,
    Free,
    Hinge,
    Planar,
    Slider,
    Universal,
)
from stoss.engine.joints.coupling_kinds import Coupling, Gear, Rack, Screw
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.framed import Framed
from stoss.engine.joints.frames import Part
from stoss.engine.joints.freedom import FreedomReport, RedundantRow
from stoss.engine.joints.guided_kinds import CustomJoint, PointOnEllipsoid, SplineJoint
from stoss.engine.joints.kind import JointKind
from stoss.engine.laws.anisotropic_friction import Anisotropic
from stoss.engine.laws.friction import ContinuousStribeck, Coulomb, Regularised, Stribeck, Viscous
from stoss.engine.laws.friction_book import FrictionBook, PassivityReport
from stoss.engine.laws.friction_function import FrictionFunction
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.laws.friction_with_memory import Dahl, Filtered, LuGre
from stoss.engine.settings import Settings
from stoss.engine.stages.ledger import EnergyLedger
from stoss.engine.world.body import Body
from stoss.engine.world.contact_list import Contact, WorldContacts
from stoss.engine.world.curved_stops import CurvedLimit, SwingLimit, TwistLimit
from stoss.engine.world.drawn import Drawn
from stoss.engine.world.drives import Drive, JointFriction, Limit, PidDrive, Rotor
from stoss.engine.world.joint import Joint
from stoss.engine.world.marker import Marker
from stoss.engine.world.report import LawError, LoadError, SimulationError, StepReport
from stoss.engine.world.snapshot import Snapshot
from stoss.engine.world.world import World

__all__ = [
    "Actuator",
    "Anisotropic",
    "Ball",
    "Body",
    "Compose",
    "ConstantAngle",
    "Contact",
    "ContactEvents",
    "ContactReading",
    "ContactSensor",
    "ContactStop",
    "ContinuousStribeck",
    "ControlError",
    "Controller",
    "CoordinateSpring",
    "CoordinateStop",
    "Coulomb",
    "Coupling",
    "Curve",
    "CustomJoint",
    "CurvedLimit",
    "Cylindrical",
    "Dahl",
    "Distance",
    "Drag",
    "Drawn",
    "Drive",
    "Encoder",
    "EncoderReading",
    "EnergyLedger",
    "Event",
    "Filtered",
    "Fixed",
    "FixedOrientation",
    "Force",
    "ForcePlate",
    "ForceReading",
    "Framed",
    "Free",
    "FreedomReport",
    "FrictionBook",
    "FrictionFunction",
    "FrictionLaw",
    "Gear",
    "Hinge",
    "Imu",
    "ImuReading",
    "Integral",
    "Joint",
    "JointFriction",
    "JointKind",
    "JointTorque",
    "Limit",
    "LineForce",
    "Load",
    "LoadContext",
    "LawError",
    "LoadError",
    "LuGre",
    "Marker",
    "MassProperties",
    "Material",
    "Muscle",
    "ParallelAxes",
    "Part",
    "PassivityReport",
    "PidDrive",
    "Planar",
    "PointContact",
    "PointOnEllipsoid",
    "PointOnLine",
    "PointOnPlane",
    "Rack",
    "RayReading",
    "RaySensor",
    "RedundantRow",
    "Regularised",
    "RotationalSpring",
    "Rotor",
    "Screw",
    "Sensor",
    "Servo",
    "Settings",
    "SimulationError",
    "Slider",
    "Snapshot",
    "SoftStop",
    "SplineJoint",
    "SpringDamper",
    "SpringNetwork",
    "StepReport",
    "Stribeck",
    "StickSlipContact",
    "Subscription",
    "SwingLimit",
    "Torque",
    "TorqueActuator",
    "TwistLimit",
    "Universal",
    "VelocityActuator",
    "Viscous",
    "WobblingMass",
    "World",
    "WorldContacts",
    "from_mesh",
    "from_shapes",
    "from_values",
    "height_field",
]
