"""stoss: real-time rigid-body dynamics built on impulses alone.

    import stoss as st

    world = st.World()
    world.add_body(st.HalfSpace(), kind="static")
    cube = world.add_body(st.Box((1, 1, 1)), position=(0, 0, 2))
    world.step(100)
    print(cube.position)

What is named here is what most programs need; the rest is in `stoss.engine` (dynamics), `stoss.collision`
(shapes, queries), `stoss.scenes` (ready-made worlds), `stoss.viewer` (window, pictures, films) and
`stoss.benchmarks`. Importing `stoss` is cheap: each name is loaded when it is first used.
"""

import os
import sys
from typing import TYPE_CHECKING

# In a checkout the sub-packages stand beside this folder, in an installed package inside it.
_here = os.path.dirname(os.path.abspath(__file__))
if not os.path.isdir(os.path.join(_here, "engine")):
    __path__.append(os.path.dirname(_here))

from stoss.identity import __version__
from stoss.lazy import names_of

if TYPE_CHECKING:
    from stoss import benchmarks, collision, engine, scenes, viewer
    from stoss.collision import (
        Box,
        Capsule,
        Cone,
        Contacts,
        ConvexHull,
        Cylinder,
        Ellipsoid,
        HalfSpace,
        Placed,
        Shape,
        Sphere,
        TriangleMesh,
        decompose,
        rotation,
    )
    from stoss.engine import (
        Actuator,
        Anisotropic,
        Ball,
        Body,
        Compose,
        ConstantAngle,
        Contact,
        ContactEvents,
        ContactSensor,
        ContactStop,
        ContinuousStribeck,
        ControlError,
        Controller,
        CoordinateSpring,
        CoordinateStop,
        Coulomb,
        Coupling,
        Curve,
        CustomJoint,
        Cylindrical,
        Dahl,
        Distance,
        Drag,
        Drawn,
        Drive,
        Encoder,
        EnergyLedger,
        Event,
        Filtered,
        Fixed,
        FixedOrientation,
        Force,
        ForcePlate,
        Free,
        FreedomReport,
        FrictionBook,
        FrictionFunction,
        FrictionLaw,
        Gear,
        Hinge,
        Imu,
        Integral,
        Joint,
        JointFriction,
        JointKind,
        JointTorque,
        LawError,
        Limit,
        LineForce,
        Load,
        LoadContext,
        LoadError,
        LuGre,
        MassProperties,
        Material,
        Muscle,
        ParallelAxes,
        Part,
        PassivityReport,
        PidDrive,
        Planar,
        PointContact,
        PointOnEllipsoid,
        PointOnLine,
        PointOnPlane,
        Rack,
        RaySensor,
        Regularised,
        RotationalSpring,
        Screw,
        Sensor,
        Servo,
        Settings,
        SimulationError,
        Slider,
        Snapshot,
        SoftStop,
        SplineJoint,
        SpringDamper,
        SpringNetwork,
        StepReport,
        StickSlipContact,
        Stribeck,
        Torque,
        TorqueActuator,
        Universal,
        VelocityActuator,
        Viscous,
        WobblingMass,
        World,
        WorldContacts,
        from_mesh,
        from_shapes,
        from_values,
        height_field,
    )
    from stoss.engine.articulated import (
        Articulation,
        BothRuns,
        IKResult,
        IKTarget,
        InstantAxis,
        Reactions,
        ReducedSolver,
        instant_axis,
    )
    from stoss.engine.humans import (
        GaitRecorder,
        Humanoid,
        VirtualModelWalker,
        Walk,
        build_humanoid,
        gait_page,
        gait_report,
    )
    from stoss.engine.humans.levels import Skeleton, build_robot, build_skeleton
    from stoss.engine.laws.comparison_contacts import HertzContact, HuntCrossleyContact, SpringDashpotContact
    from stoss.engine.laws.contact import ContactLaw, ImpactOutcome
    from stoss.engine.laws.restriction import BarrierContact, RestrictionContact
    from stoss.engine.model import Model, ModelError
    from stoss.engine.motion_capture import (
        FittedJoint,
        IdentifiedModel,
        MarkerData,
        Motion,
        MotionLibrary,
        MotionPlayer,
        Segments,
        calibrate_markers,
        contact_loads,
        fit_joint,
        fit_segments,
        identify_model,
        load_bvh,
        load_markers,
        record_markers,
        retarget,
        save_bvh,
        track_markers,
    )
    from stoss.engine.observer import (
        CentralDifferenceKalmanFilter,
        StopFit,
        acceleration_noise,
        fit_stop,
    )
    from stoss.engine.recording import AngularMomentumAudit, Recorder, Recording, observables
    from stoss.scenes import SCENES
    from stoss.scenes.experiments import SweepTable, compare_runs, sweep
    from stoss.viewer import (
        CameraSensor,
        InstantCenters,
        MotionView,
        camera_image,
        export,
        film,
        picture,
        render,
        show,
    )

__all__ = [
    "Actuator",
    "AngularMomentumAudit",
    "Anisotropic",
    "Articulation",
    "Ball",
    "BarrierContact",
    "Body",
    "BothRuns",
    "Box",
    "CameraSensor",
    "Capsule",
    "CentralDifferenceKalmanFilter",
    "Compose",
    "Cone",
    "ConstantAngle",
    "Contact",
    "ContactEvents",
    "ContactLaw",
    "ContactSensor",
    "Contacts",
    "ContinuousStribeck",
    "ControlError",
    "Controller",
    "ConvexHull",
    "CoordinateSpring",
    "ContactStop",
    "CoordinateStop",
    "Coulomb",
    "Coupling",
    "Curve",
    "CustomJoint",
    "Cylinder",
    "Cylindrical",
    "Dahl",
    "Distance",
    "Drag",
    "Drawn",
    "Drive",
    "Ellipsoid",
    "Encoder",
    "EnergyLedger",
    "Event",
    "Filtered",
    "FittedJoint",
    "Fixed",
    "FixedOrientation",
    "Force",
    "ForcePlate",
    "Free",
    "FreedomReport",
    "FrictionBook",
    "FrictionFunction",
    "FrictionLaw",
    "GaitRecorder",
    "Gear",
    "HalfSpace",
    "HertzContact",
    "Hinge",
    "Humanoid",
    "HuntCrossleyContact",
    "IKResult",
    "IKTarget",
    "IdentifiedModel",
    "ImpactOutcome",
    "Imu",
    "InstantAxis",
    "InstantCenters",
    "Integral",
    "Joint",
    "JointFriction",
    "JointKind",
    "JointTorque",
    "LawError",
    "Limit",
    "LineForce",
    "Load",
    "LoadContext",
    "LoadError",
    "LuGre",
    "MarkerData",
    "MassProperties",
    "Material",
    "Model",
    "ModelError",
    "Motion",
    "MotionLibrary",
    "MotionPlayer",
    "MotionView",
    "Muscle",
    "ParallelAxes",
    "Part",
    "PassivityReport",
    "PidDrive",
    "Placed",
    "Planar",
    "PointContact",
    "PointOnEllipsoid",
    "PointOnLine",
    "PointOnPlane",
    "Rack",
    "RaySensor",
    "Reactions",
    "Recorder",
    "Recording",
    "ReducedSolver",
    "Regularised",
    "RestrictionContact",
    "RotationalSpring",
    "SCENES",
    "Screw",
    "Segments",
    "Sensor",
    "Servo",
    "Settings",
    "Shape",
    "SimulationError",
    "Skeleton",
    "Slider",
    "Snapshot",
    "SoftStop",
    "Sphere",
    "SplineJoint",
    "SpringDamper",
    "SpringDashpotContact",
    "SpringNetwork",
    "StepReport",
    "StickSlipContact",
    "StopFit",
    "Stribeck",
    "SweepTable",
    "Torque",
    "TorqueActuator",
    "TriangleMesh",
    "Universal",
    "VelocityActuator",
    "VirtualModelWalker",
    "Viscous",
    "Walk",
    "WobblingMass",
    "World",
    "WorldContacts",
    "__version__",
    "acceleration_noise",
    "benchmarks",
    "build_humanoid",
    "build_robot",
    "build_skeleton",
    "calibrate_markers",
    "camera_image",
    "collision",
    "compare_runs",
    "contact_loads",
    "decompose",
    "engine",
    "export",
    "film",
    "fit_joint",
    "fit_segments",
    "fit_stop",
    "from_mesh",
    "from_shapes",
    "from_values",
    "gait_page",
    "gait_report",
    "height_field",
    "identify_model",
    "instant_axis",
    "load_bvh",
    "load_markers",
    "observables",
    "picture",
    "record_markers",
    "render",
    "retarget",
    "rotation",
    "save_bvh",
    "scenes",
    "show",
    "sweep",
    "track_markers",
    "viewer",
]

# Where each name is found: a sub-package, for itself and for what it gives away.
_NAMES = {
    "": "benchmarks collision engine scenes viewer",
    "collision": (
        "Box Capsule Cone Contacts ConvexHull Cylinder Ellipsoid HalfSpace Placed Shape Sphere "
        "TriangleMesh decompose rotation"
    ),
    "engine": (
        "Actuator Anisotropic Ball Body Compose ConstantAngle Contact ContactEvents ContactSensor "
        "ContinuousStribeck ControlError Controller ContactStop CoordinateSpring CoordinateStop Coulomb "
        "Coupling "
        "Curve CustomJoint Cylindrical Dahl Distance Drag Drawn Drive Encoder EnergyLedger Event "
        "Filtered Fixed FixedOrientation Force ForcePlate Free FreedomReport FrictionBook "
        "FrictionFunction FrictionLaw Gear Hinge Imu Integral Joint JointFriction JointKind JointTorque "
        "LawError Limit LineForce Load LoadContext LoadError LuGre MassProperties Material Muscle "
        "ParallelAxes Part PassivityReport PidDrive Planar PointContact PointOnEllipsoid PointOnLine "
        "PointOnPlane Rack RaySensor Regularised RotationalSpring Screw Sensor Servo Settings "
        "SimulationError Slider Snapshot SoftStop SplineJoint SpringDamper SpringNetwork StepReport "
        "StickSlipContact Stribeck Torque TorqueActuator Universal VelocityActuator Viscous "
        "WobblingMass World WorldContacts from_mesh from_shapes from_values height_field"
    ),
    "engine.articulated": (
        "Articulation BothRuns IKResult IKTarget InstantAxis Reactions ReducedSolver instant_axis"
    ),
    "engine.humans": "GaitRecorder Humanoid VirtualModelWalker Walk build_humanoid gait_page gait_report",
    "engine.humans.levels": "Skeleton build_robot build_skeleton",
    "engine.laws.comparison_contacts": "HertzContact HuntCrossleyContact SpringDashpotContact",
    "engine.laws.contact": "ContactLaw ImpactOutcome",
    "engine.laws.restriction": "BarrierContact RestrictionContact",
    "engine.model": "Model ModelError",
    "engine.motion_capture": (
        "FittedJoint IdentifiedModel MarkerData Motion MotionLibrary MotionPlayer Segments calibrate_markers "
        "contact_loads fit_joint fit_segments identify_model load_bvh load_markers record_markers retarget "
        "save_bvh track_markers"
    ),
    "engine.observer": "CentralDifferenceKalmanFilter StopFit acceleration_noise fit_stop",
    "engine.recording": "AngularMomentumAudit Recorder Recording observables",
    "scenes": "SCENES",
    "viewer": "CameraSensor InstantCenters MotionView camera_image export film picture render show",
    "scenes.experiments": "SweepTable compare_runs sweep",
}

__getattr__, __dir__ = names_of(__name__, _NAMES)


if "IPython" in sys.modules:
    from stoss.notebook import show_worlds

    show_worlds()
