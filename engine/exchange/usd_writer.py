"""USD out of a model: its physics schema, and a recorded motion as time samples."""

from dataclasses import dataclass
from math import isfinite, pi
from pathlib import Path
from typing import Any

import numpy as np

from stoss.collision.quaternions import Quaternion, quaternion_of, vector_of
from stoss.engine.exchange.outline import frames_of, passing, principal_frame
from stoss.engine.exchange.usd_drives import write_actions
from stoss.engine.exchange.usd_shapes import ShapeWriter
from stoss.engine.exchange.usd_words import LOCKS, pxr
from stoss.engine.joints.arrays import CROSS
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.model.errors import ModelError
from stoss.engine.model.frames import HERE, Pose, inverse, then
from stoss.engine.model.geometry import Geometry
from stoss.engine.model.model import Model
from stoss.engine.model.records import Body, Joint
from stoss.files import replacing

__all__ = ["Samples", "save"]

_RIGHT = 1e-6  # [rad] by which axes may miss a right angle
CODES_PER_SECOND = 60.0  # time codes, which may be fractions: 1 s is 60


@dataclass(frozen=True)
class Samples:
    """Poses of bodies over time: centres of mass and principal axes, as recordings have them.

    Args:
        names: of the bodies (n).
        times: (k,) [s].
        positions, quaternions: (k, n, 3) [m], (k, n, 4) (w, x, y, z).
    """

    names: tuple[str, ...]
    times: np.ndarray
    positions: np.ndarray
    quaternions: np.ndarray


def save(model: Model, path: Path, samples: Samples | None = None) -> tuple[str, ...]:
    """Write a model as USD and return what it does not hold.

    Args:
        model: the model.
        path: .usda (text), .usdc (binary) or .usd.
        samples: a motion of its bodies.

    Raises:
        ModelError: the model cannot be built, bodies of the motion are not in it, or usd-core is missing.
        FileError: the file cannot be written.
    """
    return _Writer(model, samples).write(path)


class _Writer:
    """What is known while a stage is written."""

    def __init__(self, model: Model, samples: Samples | None) -> None:
        self.pxr = pxr()
        self.model = model.flat()
        unseen = tuple(body.replace(display=()) for body in self.model.bodies)
        self.world = self.model.replace(bodies=unseen).build()
        self.stage: Any = self.pxr.Usd.Stage.CreateInMemory()
        self.left_out: list[str] = []
        self.samples = samples
        self.prims: dict[str, Any] = {}  # of bodies
        self.materials: dict[str, Any] = {}
        self.shapes = ShapeWriter(self.pxr, self.stage, Geometry(self.model.meshes), self.left_out)

    def write(self, path: Path) -> tuple[str, ...]:
        UsdGeom = self.pxr.UsdGeom  # noqa: N806
        stage = self.stage
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        self.pxr.UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
        root = UsdGeom.Xform.Define(stage, "/World").GetPrim()
        stage.SetDefaultPrim(root)
        data = {"timeStep": float(self.world.time_step), "name": self.model.name or ""}
        root.SetCustomDataByKey("stoss", data)
        self._add_scene()
        for body in self.model.bodies:
            self._add_body(body)
        for joint in self.model.joints:
            self._add_joint(joint)
        self._add_pairs()
        if self.samples is not None:
            self._add_samples(self.samples)
        self._tell_rest()
        root.SetDocumentation("\n".join(["written by stoss; not in here:", *self.left_out]))
        with replacing(path) as part:
            stage.GetRootLayer().Export(str(part))
        return tuple(self.left_out)

    def _add_scene(self) -> None:
        scene = self.pxr.UsdPhysics.Scene.Define(self.stage, "/World/PhysicsScene")
        gravity = np.array(self.world.gravity, float)
        size = float(np.linalg.norm(gravity))
        direction = gravity / size if size else np.array([0.0, 0.0, -1.0])
        scene.CreateGravityDirectionAttr(self.pxr.Gf.Vec3f(*direction.tolist()))
        scene.CreateGravityMagnitudeAttr(size)

    def _path(self, outer: str, name: str) -> str:
        """Return a path that nothing has, for something of a name."""
        plain = self.pxr.Tf.MakeValidIdentifier(name)
        path, number = f"{outer}/{plain}", 2
        while self.stage.GetPrimAtPath(path):
            path, number = f"{outer}/{plain}_{number}", number + 1
        return path

    # ------------------------------------------------------------- bodies

    def _add_body(self, body: Body) -> None:
        UsdGeom, UsdPhysics, Gf = self.pxr.UsdGeom, self.pxr.UsdPhysics, self.pxr.Gf  # noqa: N806
        form = UsdGeom.Xform.Define(self.stage, self._path("/World", body.name))
        prim, own = form.GetPrim(), self.world.body(body.name)
        self.prims[body.name] = prim
        prim.SetDisplayName(body.name)
        pose = vector_of(own.position), quaternion_of(own.quaternion)
        self._place(form, pose)
        if body.kind != "static":
            rigid = UsdPhysics.RigidBodyAPI.Apply(prim)
            if body.kind == "kinematic":
                rigid.CreateKinematicEnabledAttr(True)
            if np.any(own.velocity):
                rigid.CreateVelocityAttr(Gf.Vec3f(*own.velocity.tolist()))
            if np.any(own.angular_velocity):
                rigid.CreateAngularVelocityAttr(Gf.Vec3f(*np.degrees(own.angular_velocity).tolist()))
        if body.kind == "dynamic":
            self._add_mass(prim, own)
        for shape in body.shapes:
            made = self.shapes.add(self._path(str(prim.GetPath()), "shape"), body, shape, collides=True)
            if made is not None and body.material is not None:
                self._bind(made, body.material, own.material)
        for shape in body.display:
            self.shapes.add(self._path(str(prim.GetPath()), "display"), body, shape, collides=False)
        for marker in body.markers:
            frame = UsdGeom.Xform.Define(self.stage, self._path(str(prim.GetPath()), marker.name))
            frame.GetPrim().SetDisplayName(marker.name)
            self._place(frame, (marker.position, marker.quaternion))

    def _place(self, form: Any, pose: Pose) -> None:
        Gf, UsdGeom = self.pxr.Gf, self.pxr.UsdGeom  # noqa: N806
        form.AddTranslateOp().Set(Gf.Vec3d(*pose[0]))
        form.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(*pose[1]))

    def _add_mass(self, prim: Any, body: Any) -> None:
        Gf = self.pxr.Gf  # noqa: N806
        center, turn = inverse(principal_frame(self.world, body))
        mass = self.pxr.UsdPhysics.MassAPI.Apply(prim)
        mass.CreateMassAttr(float(body.mass))
        mass.CreateCenterOfMassAttr(Gf.Vec3f(*center))
        mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*body.inertia.tolist()))
        mass.CreatePrincipalAxesAttr(Gf.Quatf(*turn))

    def _bind(self, prim: Any, name: str, values: Any) -> None:
        """Bind the material of a body to one of its colliders."""
        UsdPhysics, UsdShade = self.pxr.UsdPhysics, self.pxr.UsdShade  # noqa: N806
        if name not in self.materials:
            material = UsdShade.Material.Define(self.stage, self._path("/World", name))
            material.GetPrim().SetDisplayName(name)
            own = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
            own.CreateDynamicFrictionAttr(values.friction)
            sticking = values.friction if values.static_friction is None else values.static_friction
            own.CreateStaticFrictionAttr(sticking)
            own.CreateRestitutionAttr(values.restitution)
            for what in ("rolling_friction", "torsional_friction"):
                if getattr(values, what):
                    self.left_out.append(f"material {name!r}: {what}")
            self.materials[name] = material
        binding = UsdShade.MaterialBindingAPI.Apply(prim)
        binding.Bind(self.materials[name], UsdShade.Tokens.weakerThanDescendants, "physics")

    # ------------------------------------------------------------- joints

    def _add_joint(self, record: Joint) -> None:
        joint = self.world.joint(record.name)
        if isinstance(joint.kind, Coupling) or record.type == "screw":
            self.left_out.append(f"joint {record.name!r} of type {record.type}")
            return
        UsdPhysics = self.pxr.UsdPhysics  # noqa: N806
        schemas = {
            "hinge": (UsdPhysics.RevoluteJoint, {"angle": "angular"}),
            "slider": (UsdPhysics.PrismaticJoint, {"displacement": "linear"}),
            "ball": (UsdPhysics.SphericalJoint, {}),
            "fixed": (UsdPhysics.FixedJoint, {}),
            "distance": (UsdPhysics.DistanceJoint, {}),
        }
        known = record.type in schemas or record.type in LOCKS
        if record.type == "universal" and abs(_held_angle(joint) - 0.5 * pi) > _RIGHT:
            self.left_out.append(f"joint {record.name!r}: a universal of axes that are not perpendicular")
            return
        if not known:
            self.left_out.append(f"joint {record.name!r} of type {record.type}")
            return
        schema, freedoms = schemas.get(record.type, (UsdPhysics.Joint, LOCKS.get(record.type, ("", {}))[1]))
        made = schema.Define(self.stage, self._path("/World", record.name))
        prim = made.GetPrim()
        prim.SetDisplayName(record.name)
        self._join(made, joint, record)
        if record.type in ("hinge", "slider", "ball"):
            made.CreateAxisAttr("Z")
        if record.type == "distance":
            length = float(of_joint(joint._table.arrays, joint._row).target[0])
            made.CreateMinDistanceAttr(length)
            made.CreateMaxDistanceAttr(length)
        if schema is UsdPhysics.Joint:
            for freedom in LOCKS[record.type][0].split():
                limit = UsdPhysics.LimitAPI.Apply(prim, freedom)
                limit.CreateLowAttr(1.0)  # above the high one: locked
                limit.CreateHighAttr(-1.0)
        named = {one.name: one for one in self.model.coordinates if one.joint == record.name}
        write_actions(self.pxr, made, joint, record, named, freedoms, self.left_out)

    def _join(self, made: Any, joint: Any, record: Joint) -> None:
        """Write which bodies a joint joins, and where."""
        Gf = self.pxr.Gf  # noqa: N806
        frames = frames_of(self.world, joint)
        ends = (joint.first, made.CreateBody0Rel, made.CreateLocalPos0Attr, made.CreateLocalRot0Attr)
        others = (joint.second, made.CreateBody1Rel, made.CreateLocalPos1Attr, made.CreateLocalRot1Attr)
        for (body, target, place, turn), frame in zip((ends, others), frames, strict=True):
            outer = HERE
            if body is not None:
                target().SetTargets([self.prims[body.name].GetPath()])
                outer = vector_of(body.position), quaternion_of(body.quaternion)
            local = then(inverse(outer), frame)
            place(Gf.Vec3f(*local[0]))
            turn(Gf.Quatf(*local[1]))
        if record.collide:
            made.CreateCollisionEnabledAttr(True)
        if not record.enabled:
            made.CreateJointEnabledAttr(False)
        for value, create in (
            (record.break_force, made.CreateBreakForceAttr),
            (record.break_torque, made.CreateBreakTorqueAttr),
        ):
            if value is not None and isfinite(value):
                create(float(value))

    def _add_pairs(self) -> None:
        """Write which bodies pass through each other."""
        for first, second in passing(self.model):
            pairs = self.pxr.UsdPhysics.FilteredPairsAPI.Apply(self.prims[first])
            pairs.CreateFilteredPairsRel().AddTarget(self.prims[second].GetPath())

    # ------------------------------------------------------------- motion

    def _add_samples(self, samples: Samples) -> None:
        """Write the poses of a motion, in the frames of the shapes.

        Raises:
            ModelError: a body of the motion is not in the model.
        """
        Gf = self.pxr.Gf  # noqa: N806
        unknown = [name for name in samples.names if name not in self.prims]
        if unknown:
            raise ModelError(
                f"the motion has bodies that are not in the model: {', '.join(unknown[:5])}; give the model "
                "that moved"
            )
        stage = self.stage
        stage.SetTimeCodesPerSecond(CODES_PER_SECOND)
        codes = [float(time) * CODES_PER_SECOND for time in samples.times]
        stage.SetStartTimeCode(codes[0])
        stage.SetEndTimeCode(codes[-1])
        for number, name in enumerate(samples.names):
            body = self.world.body(name)
            frame = principal_frame(self.world, body)
            moves = (samples.positions[:, number] != samples.positions[0, number]).any()
            moves = moves or (samples.quaternions[:, number] != samples.quaternions[0, number]).any()
            form = self.pxr.UsdGeom.Xformable(self.prims[name])
            place, turn = form.GetOrderedXformOps()
            last: Quaternion | None = None
            for k in range(len(codes) if moves else 1):
                outer = vector_of(samples.positions[k, number]), quaternion_of(samples.quaternions[k, number])
                position, q = then(outer, frame)
                if last is not None and sum(a * b for a, b in zip(last, q, strict=True)) < 0.0:
                    q = (-q[0], -q[1], -q[2], -q[3])  # the short way between two samples
                last = q
                when = () if not moves else (codes[k],)
                place.Set(Gf.Vec3d(*position), *when)
                turn.Set(Gf.Quatd(*q), *when)

    def _tell_rest(self) -> None:
        told, model = self.left_out, self.model
        if model.world.planar is not None:
            told.append(f"motion in the plane {model.world.planar!r} alone")
        if model.markers:
            told.append(f"markers of the world: {', '.join(marker.name for marker in model.markers)}")
        for pair in model.material_pairs:
            told.append(f"the values of the pair of materials {pair.first!r} and {pair.second!r}")
        for body in model.bodies:
            loads = (body.force, body.torque, body.first_force, body.first_torque)
            surfaces = (body.surface_velocity, body.surface_angular_velocity)
            if any(any(load) for load in loads):
                told.append(f"body {body.name!r}: forces that act on it")
            if any(any(surface) for surface in surfaces):
                told.append(f"body {body.name!r}: a moving surface")


def _held_angle(joint: Any) -> float:
    """Return the angle between the axes of a universal joint [rad]."""
    own = of_joint(joint._table.arrays, joint._row)
    return float(own.target[np.flatnonzero(own.measure == CROSS)[0]])
