"""The names of `stoss`, each with the sub-package that has it: they are loaded from there when first used."""

from stoss import (
    benchmarks as benchmarks,
)
from stoss import (
    collision as collision,
)
from stoss import (
    engine as engine,
)
from stoss import (
    scenes as scenes,
)
from stoss import (
    viewer as viewer,
)
from stoss.collision import (
    Box as Box,
)
from stoss.collision import (
    Capsule as Capsule,
)
from stoss.collision import (
    Cone as Cone,
)
from stoss.collision import (
    Contacts as Contacts,
)
from stoss.collision import (
    ConvexHull as ConvexHull,
)
from stoss.collision import (
    Cylinder as Cylinder,
)
from stoss.collision import (
    Ellipsoid as Ellipsoid,
)
from stoss.collision import (
    HalfSpace as HalfSpace,
)
from stoss.collision import (
    Placed as Placed,
)
from stoss.collision import (
    Shape as Shape,
)
from stoss.collision import (
    Sphere as Sphere,
)
from stoss.collision import (
    TriangleMesh as TriangleMesh,
)
from stoss.collision import (
    decompose as decompose,
)
from stoss.collision import (
    rotation as rotation,
)
from stoss.engine import (
    Actuator as Actuator,
)
from stoss.engine import (
    Anisotropic as Anisotropic,
)
from stoss.engine import (
    Ball as Ball,
)
from stoss.engine import (
    Body as Body,
)
from stoss.engine import (
    Compose as Compose,
)
from stoss.engine import (
    ConstantAngle as ConstantAngle,
)
from stoss.engine import (
    Contact as Contact,
)
from stoss.engine import (
    ContactEvents as ContactEvents,
)
from stoss.engine import (
    ContactSensor as ContactSensor,
)
from stoss.engine import (
    ContactStop as ContactStop,
)
from stoss.engine import (
    ContinuousStribeck as ContinuousStribeck,
)
from stoss.engine import (
    ControlError as ControlError,
)
from stoss.engine import (
    Controller as Controller,
)
from stoss.engine import (
    CoordinateSpring as CoordinateSpring,
)
from stoss.engine import (
    CoordinateStop as CoordinateStop,
)
from stoss.engine import (
    Coulomb as Coulomb,
)
from stoss.engine import (
    Coupling as Coupling,
)
from stoss.engine import (
    Curve as Curve,
)
from stoss.engine import (
    CustomJoint as CustomJoint,
)
from stoss.engine import (
    Cylindrical as Cylindrical,
)
from stoss.engine import (
    Dahl as Dahl,
)
from stoss.engine import (
    Distance as Distance,
)
from stoss.engine import (
    Drag as Drag,
)
from stoss.engine import (
    Drawn as Drawn,
)
from stoss.engine import (
    Drive as Drive,
)
from stoss.engine import (
    Encoder as Encoder,
)
from stoss.engine import (
    EnergyLedger as EnergyLedger,
)
from stoss.engine import (
    Event as Event,
)
from stoss.engine import (
    Filtered as Filtered,
)
from stoss.engine import (
    Fixed as Fixed,
)
from stoss.engine import (
    FixedOrientation as FixedOrientation,
)
from stoss.engine import (
    Force as Force,
)
from stoss.engine import (
    ForcePlate as ForcePlate,
)
from stoss.engine import (
    Free as Free,
)
from stoss.engine import (
    FreedomReport as FreedomReport,
)
from stoss.engine import (
    FrictionBook as FrictionBook,
)
from stoss.engine import (
    FrictionFunction as FrictionFunction,
)
from stoss.engine import (
    FrictionLaw as FrictionLaw,
)
from stoss.engine import (
    Gear as Gear,
)
from stoss.engine import (
    Hinge as Hinge,
)
from stoss.engine import (
    Imu as Imu,
)
from stoss.engine import (
    Integral as Integral,
)
from stoss.engine import (
    Joint as Joint,
)
from stoss.engine import (
    JointFriction as JointFriction,
)
from stoss.engine import (
    JointKind as JointKind,
)
from stoss.engine import (
    JointTorque as JointTorque,
)
from stoss.engine import (
    LawError as LawError,
)
from stoss.engine import (
    Limit as Limit,
)
from stoss.engine import (
    LineForce as LineForce,
)
from stoss.engine import (
    Load as Load,
)
from stoss.engine import (
    LoadContext as LoadContext,
)
from stoss.engine import (
    LoadError as LoadError,
)
from stoss.engine import (
    LuGre as LuGre,
)
from stoss.engine import (
    MassProperties as MassProperties,
)
from stoss.engine import (
    Material as Material,
)
from stoss.engine import (
    Muscle as Muscle,
)
from stoss.engine import (
    ParallelAxes as ParallelAxes,
)
from stoss.engine import (
    Part as Part,
)
from stoss.engine import (
    PassivityReport as PassivityReport,
)
from stoss.engine import (
    PidDrive as PidDrive,
)
from stoss.engine import (
    Planar as Planar,
)
from stoss.engine import (
    PointContact as PointContact,
)
from stoss.engine import (
    PointOnEllipsoid as PointOnEllipsoid,
)
from stoss.engine import (
    PointOnLine as PointOnLine,
)
from stoss.engine import (
    PointOnPlane as PointOnPlane,
)
from stoss.engine import (
    Rack as Rack,
)
from stoss.engine import (
    RaySensor as RaySensor,
)
from stoss.engine import (
    Regularised as Regularised,
)
from stoss.engine import (
    RotationalSpring as RotationalSpring,
)
from stoss.engine import (
    Rotor as Rotor,
)
from stoss.engine import (
    Screw as Screw,
)
from stoss.engine import (
    Sensor as Sensor,
)
from stoss.engine import (
    Servo as Servo,
)
from stoss.engine import (
    Settings as Settings,
)
from stoss.engine import (
    SimulationError as SimulationError,
)
from stoss.engine import (
    Slider as Slider,
)
from stoss.engine import (
    Snapshot as Snapshot,
)
from stoss.engine import (
    SoftStop as SoftStop,
)
from stoss.engine import (
    SplineJoint as SplineJoint,
)
from stoss.engine import (
    SpringDamper as SpringDamper,
)
from stoss.engine import (
    SpringNetwork as SpringNetwork,
)
from stoss.engine import (
    StepReport as StepReport,
)
from stoss.engine import (
    StickSlipContact as StickSlipContact,
)
from stoss.engine import (
    Stribeck as Stribeck,
)
from stoss.engine import (
    Torque as Torque,
)
from stoss.engine import (
    TorqueActuator as TorqueActuator,
)
from stoss.engine import (
    Universal as Universal,
)
from stoss.engine import (
    VelocityActuator as VelocityActuator,
)
from stoss.engine import (
    Viscous as Viscous,
)
from stoss.engine import (
    WobblingMass as WobblingMass,
)
from stoss.engine import (
    World as World,
)
from stoss.engine import (
    WorldContacts as WorldContacts,
)
from stoss.engine import (
    from_mesh as from_mesh,
)
from stoss.engine import (
    from_shapes as from_shapes,
)
from stoss.engine import (
    from_values as from_values,
)
from stoss.engine import (
    height_field as height_field,
)
from stoss.engine.articulated import (
    Articulation as Articulation,
)
from stoss.engine.articulated import (
    BothRuns as BothRuns,
)
from stoss.engine.articulated import (
    IKResult as IKResult,
)
from stoss.engine.articulated import (
    IKTarget as IKTarget,
)
from stoss.engine.articulated import (
    InstantAxis as InstantAxis,
)
from stoss.engine.articulated import (
    Reactions as Reactions,
)
from stoss.engine.articulated import (
    ReducedSolver as ReducedSolver,
)
from stoss.engine.articulated import (
    instant_axis as instant_axis,
)
from stoss.engine.humans import (
    GaitRecorder as GaitRecorder,
)
from stoss.engine.humans import (
    Humanoid as Humanoid,
)
from stoss.engine.humans import (
    VirtualModelWalker as VirtualModelWalker,
)
from stoss.engine.humans import (
    Walk as Walk,
)
from stoss.engine.humans import (
    build_humanoid as build_humanoid,
)
from stoss.engine.humans import (
    gait_page as gait_page,
)
from stoss.engine.humans import (
    gait_report as gait_report,
)
from stoss.engine.humans.levels import (
    Skeleton as Skeleton,
)
from stoss.engine.humans.levels import (
    build_robot as build_robot,
)
from stoss.engine.humans.levels import (
    build_skeleton as build_skeleton,
)
from stoss.engine.laws.comparison_contacts import (
    HertzContact as HertzContact,
)
from stoss.engine.laws.comparison_contacts import (
    HuntCrossleyContact as HuntCrossleyContact,
)
from stoss.engine.laws.comparison_contacts import (
    SpringDashpotContact as SpringDashpotContact,
)
from stoss.engine.laws.contact import (
    ContactLaw as ContactLaw,
)
from stoss.engine.laws.contact import (
    ImpactOutcome as ImpactOutcome,
)
from stoss.engine.laws.restriction import (
    BarrierContact as BarrierContact,
)
from stoss.engine.laws.restriction import (
    RestrictionContact as RestrictionContact,
)
from stoss.engine.model import (
    Model as Model,
)
from stoss.engine.model import (
    ModelError as ModelError,
)
from stoss.engine.motion_capture import (
    FittedCurves as FittedCurves,
)
from stoss.engine.motion_capture import (
    FittedEllipsoid as FittedEllipsoid,
)
from stoss.engine.motion_capture import (
    FittedJoint as FittedJoint,
)
from stoss.engine.motion_capture import (
    FittedMechanism as FittedMechanism,
)
from stoss.engine.motion_capture import (
    FittedRods as FittedRods,
)
from stoss.engine.motion_capture import (
    IdentifiedModel as IdentifiedModel,
)
from stoss.engine.motion_capture import (
    MarkerData as MarkerData,
)
from stoss.engine.motion_capture import (
    Motion as Motion,
)
from stoss.engine.motion_capture import (
    MotionLibrary as MotionLibrary,
)
from stoss.engine.motion_capture import (
    MotionPlayer as MotionPlayer,
)
from stoss.engine.motion_capture import (
    Segments as Segments,
)
from stoss.engine.motion_capture import (
    calibrate_markers as calibrate_markers,
)
from stoss.engine.motion_capture import (
    contact_loads as contact_loads,
)
from stoss.engine.motion_capture import (
    fit_curves as fit_curves,
)
from stoss.engine.motion_capture import (
    fit_ellipsoid as fit_ellipsoid,
)
from stoss.engine.motion_capture import (
    fit_joint as fit_joint,
)
from stoss.engine.motion_capture import (
    fit_rods as fit_rods,
)
from stoss.engine.motion_capture import (
    fit_segments as fit_segments,
)
from stoss.engine.motion_capture import (
    identify_model as identify_model,
)
from stoss.engine.motion_capture import (
    load_bvh as load_bvh,
)
from stoss.engine.motion_capture import (
    load_markers as load_markers,
)
from stoss.engine.motion_capture import (
    record_markers as record_markers,
)
from stoss.engine.motion_capture import (
    retarget as retarget,
)
from stoss.engine.motion_capture import (
    save_bvh as save_bvh,
)
from stoss.engine.motion_capture import (
    track_markers as track_markers,
)
from stoss.engine.observer import (
    CentralDifferenceKalmanFilter as CentralDifferenceKalmanFilter,
)
from stoss.engine.observer import (
    StopFit as StopFit,
)
from stoss.engine.observer import (
    acceleration_noise as acceleration_noise,
)
from stoss.engine.observer import (
    fit_stop as fit_stop,
)
from stoss.engine.recording import (
    AngularMomentumAudit as AngularMomentumAudit,
)
from stoss.engine.recording import (
    Recorder as Recorder,
)
from stoss.engine.recording import (
    Recording as Recording,
)
from stoss.engine.recording import (
    observables as observables,
)
from stoss.identity import __version__ as __version__
from stoss.scenes import SCENES as SCENES
from stoss.scenes.experiments import (
    SweepTable as SweepTable,
)
from stoss.scenes.experiments import (
    compare_runs as compare_runs,
)
from stoss.scenes.experiments import (
    sweep as sweep,
)
from stoss.viewer import (
    CameraSensor as CameraSensor,
)
from stoss.viewer import (
    InstantCenters as InstantCenters,
)
from stoss.viewer import (
    MotionView as MotionView,
)
from stoss.viewer import (
    camera_image as camera_image,
)
from stoss.viewer import (
    export as export,
)
from stoss.viewer import (
    film as film,
)
from stoss.viewer import (
    picture as picture,
)
from stoss.viewer import (
    render as render,
)
from stoss.viewer import (
    show as show,
)
