"""USD with its physics schema: rigid bodies, colliders, masses, joints, limits and drives."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from stoss.collision.quaternions import Vector
from stoss.engine.exchange.usd_joints import JointReader
from stoss.engine.exchange.usd_places import Placed, Places, tidy
from stoss.engine.exchange.usd_shapes_reader import ShapeReader
from stoss.engine.exchange.usd_words import Pxr, pxr
from stoss.engine.model.errors import ModelError
from stoss.engine.model.folders import Folders
from stoss.engine.model.model import Model
from stoss.engine.model.records import Body, Marker, Material, Shape, WorldSettings

__all__ = ["read_usd"]

MOST_BYTES = 1 << 28  # of a layer
DEEPEST = 20  # layers that refer to one another
EARTH = 9.81  # [m/s^2] where a scene leaves gravity to the reader


def read_usd(path: str | Path, *, folders: Iterable[str | Path] = ()) -> Model:
    """Return the model of a USD file with physics, in the pose of its default time.

    Args:
        path: the file: .usd, .usda or .usdc.
        folders: from which its layers may be read, besides its own folder.

    Raises:
        ModelError: the file is none, or it refers to layers elsewhere.
    """
    modules, file = pxr(), Path(path)
    _check_layers(modules, file, Folders(file, folders), ())
    try:
        stage = modules.Usd.Stage.Open(str(file))
    except modules.Tf.ErrorException as error:
        raise ModelError(f"{file}: {_text(error)}") from error
    return _Reader(modules, stage, file).model()


def _check_layers(modules: Pxr, file: Path, folders: Folders, stack: tuple[Path, ...]) -> None:
    """Refuse layers outside of where the file may read, before any of them is composed."""
    try:
        size = file.stat().st_size
    except OSError as error:
        raise ModelError(f"{file}: {error.strerror or error}") from error
    if size > MOST_BYTES:
        raise ModelError(f"{file}: {size / 1e6:.0f} MB; a layer has at most {MOST_BYTES / 1e6:.0f} MB")
    if len(stack) > DEEPEST:
        raise ModelError(f"{file}: layers refer to one another deeper than {DEEPEST}")
    try:
        layer = modules.Sdf.Layer.FindOrOpen(str(file))
    except modules.Tf.ErrorException as error:
        raise ModelError(f"{file}: {_text(error)}") from error
    if layer is None:
        raise ModelError(f"{file}: usd-core cannot read it")
    for name in layer.GetCompositionAssetDependencies():
        try:
            inner = folders.find(str(name), str(file.resolve().parent))
        except ModelError as error:
            raise ModelError(f"{file}: {error}") from None
        if inner not in stack:
            _check_layers(modules, inner, folders, (*stack, file.resolve()))


class _Reader:
    """What is known while a stage is read."""

    def __init__(self, modules: Pxr, stage: Any, path: Path) -> None:
        self.pxr, self.stage, self.path = modules, stage, path
        self.left_out: list[str] = []
        self.places = Places(modules, stage)
        self.shapes = ShapeReader(modules, self.places, self.left_out)
        self.materials: dict[str, Material] = {}
        self.bodies: dict[str, Body] = {}  # by the path of the prim
        self.body_of: dict[str, str] = {}  # paths of bodies, by those of prims in them
        self.names: set[str] = set()

    def model(self) -> Model:
        """Return the model."""
        UsdPhysics = self.pxr.UsdPhysics  # noqa: N806
        prims = list(self.stage.Traverse(self.pxr.Usd.TraverseInstanceProxies()))
        for prim in prims:
            if prim.HasAPI(UsdPhysics.RigidBodyAPI):
                self._add_body(prim)
        for prim in prims:
            if prim.HasAPI(UsdPhysics.CollisionAPI) and str(prim.GetPath()) not in self.body_of:
                self._add_fixed(prim)
        joints = JointReader(self.pxr, self.places, self.body_of, self.bodies, self.left_out)
        records = [
            record
            for prim in prims
            if prim.IsA(UsdPhysics.Joint)
            if (record := joints.joint(prim, self._name(prim))) is not None
        ]
        self._tell_rest(prims)
        data = (
            self.stage.GetDefaultPrim().GetCustomDataByKey("stoss") if self.stage.GetDefaultPrim() else None
        )
        data = data or {}
        return Model(
            name=str(data.get("name") or self.path.stem),
            world=WorldSettings(gravity=self._gravity(prims), **_step(data)),
            materials=tuple(self.materials.values()),
            meshes=tuple(self.shapes.meshes.values()),
            bodies=tuple(self.bodies.values()),
            joints=tuple(records),
            exclude=self._pairs(prims),
            left_out=tuple(self.left_out),
        )

    def _name(self, prim: Any) -> str:
        """Return the name of something: what it is displayed as, or what it is called, if that is free."""
        wanted = prim.GetDisplayName() or prim.GetName()
        name, number = wanted, 2
        while name in self.names:
            name, number = f"{wanted} {number}", number + 1
        self.names.add(name)
        return name

    def _gravity(self, prims: list[Any]) -> Vector:
        scenes = [prim for prim in prims if prim.IsA(self.pxr.UsdPhysics.Scene)]
        if len(scenes) > 1:
            self.left_out.append(f"{len(scenes) - 1} of {len(scenes)} physics scenes")
        direction, size = np.zeros(3), EARTH
        if scenes:
            scene = self.pxr.UsdPhysics.Scene(scenes[0])
            direction = np.array(scene.GetGravityDirectionAttr().Get(), float)
            given = float(scene.GetGravityMagnitudeAttr().Get())
            size = tidy(given) * self.places.length if np.isfinite(given) and given >= 0.0 else EARTH
        if not np.any(direction):
            return 0.0, 0.0, -size
        turned = self.places.turned(direction / np.linalg.norm(direction)) * size
        x, y, z = (tidy(part) for part in turned.tolist())
        return x, y, z

    # ------------------------------------------------------------- bodies

    def _add_body(self, prim: Any) -> None:
        UsdPhysics = self.pxr.UsdPhysics  # noqa: N806
        rigid, path, name = UsdPhysics.RigidBodyAPI(prim), str(prim.GetPath()), self._name(prim)
        place = self.places.of(prim)
        kind = "kinematic" if rigid.GetKinematicEnabledAttr().Get() else "dynamic"
        if rigid.GetRigidBodyEnabledAttr().Get() is False:
            kind = "static"
        own = self._form(prim, name, place)
        if kind == "dynamic":
            own |= self._mass(prim, name, place, bool(own["shapes"]))
        for field, attribute, unit in (
            ("velocity", rigid.GetVelocityAttr(), self.places.length),
            ("angular_velocity", rigid.GetAngularVelocityAttr(), np.pi / 180.0),
        ):
            value = np.array(attribute.Get() or (0.0, 0.0, 0.0), float)
            if np.any(value) and kind != "static":
                x, y, z = (self.places.turned(self.places.outer(prim) @ value) * unit).tolist()
                own[field] = (tidy(x), tidy(y), tidy(z))
        self.bodies[path] = Body(name=name, kind=kind, **own)

    def _form(self, prim: Any, name: str, place: Placed) -> dict[str, Any]:
        """Return shapes, markers, colour and material of a body, and where it is."""
        shapes: list[Shape] = []
        display: list[Shape] = []
        markers: list[Marker] = []
        material = None
        path = str(prim.GetPath())
        self.body_of[path] = path
        for inner in self._within(prim):
            self.body_of[str(inner.GetPath())] = path
            collides = inner.HasAPI(self.pxr.UsdPhysics.CollisionAPI)
            if inner.IsA(self.pxr.UsdGeom.Gprim):
                shape = self.shapes.shape(inner, name, place, collides)
                if shape is not None:
                    (shapes if collides else display).append(shape)
                if collides:
                    found = self._material(inner)
                    if material is not None and found is not None and found != material:
                        self.left_out.append(f"body {name!r} has one material, not {found!r} too")
                    material = material or found
            elif _is_marker(inner) and inner != prim:
                pose = self.places.within(inner, place)
                label = inner.GetDisplayName() or inner.GetName()
                if label not in {marker.name for marker in markers}:
                    markers.append(Marker(name=label, position=pose[0], quaternion=pose[1]))
        colors = [shape.color for shape in (*display, *shapes) if shape.color is not None]
        return dict(
            shapes=tuple(shape.replace(color=None) for shape in shapes),
            display=tuple(display),
            markers=tuple(markers),
            material=material,
            color=colors[0] if colors else None,
            position=place.pose[0],
            quaternion=place.pose[1],
        )

    def _within(self, prim: Any) -> Iterable[Any]:
        """Yield a prim and those in it, but for other bodies."""
        yield prim
        for inner in prim.GetFilteredChildren(self.pxr.Usd.TraverseInstanceProxies()):
            if not inner.HasAPI(self.pxr.UsdPhysics.RigidBodyAPI):
                yield from self._within(inner)

    def _add_fixed(self, prim: Any) -> None:
        """Add a static body of a collider that is in none: with its neighbours in the same group."""
        group = prim.GetParent()
        alone = not group or group.IsPseudoRoot() or group == self.stage.GetDefaultPrim()
        root = prim if alone or any(self._moves(inner) for inner in self._below(group)) else group
        name = self._name(root)
        own = self._form(root, name, self.places.of(root))
        self.bodies[str(root.GetPath())] = Body(name=name, kind="static", **own)

    def _below(self, prim: Any) -> Iterable[Any]:
        return iter(self.pxr.Usd.PrimRange(prim, self.pxr.Usd.TraverseInstanceProxies()))

    def _moves(self, prim: Any) -> bool:
        return bool(prim.HasAPI(self.pxr.UsdPhysics.RigidBodyAPI))

    def _mass(self, prim: Any, name: str, place: Placed, solid: bool) -> dict[str, Any]:
        """Return what a body weighs, as its prim says; what is left out comes from its shapes."""
        if not prim.HasAPI(self.pxr.UsdPhysics.MassAPI):
            return self._of_parts(prim, name, solid)
        api, length = self.pxr.UsdPhysics.MassAPI(prim), self.places.length
        mass = tidy(float(api.GetMassAttr().Get() or 0.0)) * self.places.mass
        density = tidy(float(api.GetDensityAttr().Get() or 0.0)) * self.places.mass / length**3
        moments = np.array(api.GetDiagonalInertiaAttr().Get() or (0.0, 0.0, 0.0), float)
        center = np.array(api.GetCenterOfMassAttr().Get() or (-np.inf,) * 3, float)
        axes = api.GetPrincipalAxesAttr().Get()
        if mass <= 0.0:
            return {"density": density} if density > 0.0 else self._of_parts(prim, name, solid)
        if not np.all(moments > 0.0):
            if not solid:
                raise ModelError(f"{self.path}: body {name!r} has a mass, but neither inertia nor colliders")
            if np.isfinite(center).all():
                self.left_out.append(f"body {name!r}: its centre of mass, since its inertia is left out")
            return {"mass": mass}
        found: dict[str, Any] = {"mass": mass}
        scale = self.places.mass * length**2
        found["inertia"] = tuple(tidy(float(one)) * scale for one in moments)
        if np.isfinite(center).all():
            found["center"] = tuple((np.array([tidy(x) for x in center.tolist()]) * place.scale).tolist())
        if axes is not None:
            turn = np.array([axes.GetReal(), *axes.GetImaginary()], float)
            size = float(np.linalg.norm(turn))
            if size > 0.0 and np.any(turn[1:]):
                found["axes"] = tuple((turn / size).tolist())
        return found

    def _of_parts(self, prim: Any, name: str, solid: bool) -> dict[str, Any]:
        """Return the mass that the colliders of a body say together."""
        api = self.pxr.UsdPhysics.MassAPI
        parts = [api(inner) for inner in self._within(prim) if inner.HasAPI(api) and inner != prim]
        mass = sum(float(part.GetMassAttr().Get() or 0.0) for part in parts)
        densities = {float(part.GetDensityAttr().Get() or 0.0) for part in parts} - {0.0}
        if mass > 0.0:
            return {"mass": mass * self.places.mass}
        if len(densities) == 1:
            return {"density": densities.pop() * self.places.mass / self.places.length**3}
        if densities:
            self.left_out.append(f"body {name!r}: densities of its colliders, which differ")
        if not solid:
            raise ModelError(f"{self.path}: body {name!r} has neither mass nor colliders")
        return {}

    # ------------------------------------------------------------- surfaces, pairs, and the rest

    def _material(self, prim: Any) -> str | None:
        UsdPhysics, UsdShade = self.pxr.UsdPhysics, self.pxr.UsdShade  # noqa: N806
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if not material or not material.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
            return None
        own, api = material.GetPrim(), UsdPhysics.MaterialAPI(material.GetPrim())
        name = own.GetDisplayName() or own.GetName()
        if name not in self.materials:
            sliding, sticking, bounce = (
                tidy(float(attribute.Get() or 0.0))
                for attribute in (
                    api.GetDynamicFrictionAttr(),
                    api.GetStaticFrictionAttr(),
                    api.GetRestitutionAttr(),
                )
            )
            values: dict[str, Any] = {"friction": sliding, "restitution": bounce}
            if sticking > sliding:
                values["static_friction"] = sticking
            self.materials[name] = Material(name=name, **values)
        return name

    def _pairs(self, prims: list[Any]) -> tuple[tuple[str, str], ...]:
        """Return pairs of bodies that pass through each other."""
        UsdPhysics = self.pxr.UsdPhysics  # noqa: N806
        found: dict[tuple[str, str], None] = {}
        for prim in prims:
            if not prim.HasAPI(UsdPhysics.FilteredPairsAPI):
                continue
            for target in UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets():
                ends = [self.body_of.get(str(path)) for path in (prim.GetPath(), target)]
                if None in ends or ends[0] == ends[1]:
                    continue
                names = [self.bodies[str(end)].name for end in ends]
                if (names[1], names[0]) not in found:
                    found[names[0], names[1]] = None
        return tuple(found)

    def _tell_rest(self, prims: list[Any]) -> None:
        told: Counter[str] = Counter()
        for prim in prims:
            applied = prim.GetMetadata("apiSchemas")
            for schema in applied.GetAddedOrExplicitItems() if applied else ():
                if str(schema).startswith("Physx"):  # those of PhysX, which usd-core does not know
                    told[f"schema {str(schema).split(':')[0]}"] += 1
            if prim.IsA(self.pxr.UsdPhysics.CollisionGroup):
                told["collision group"] += 1
            if prim.GetTypeName() in ("Camera", "PointInstancer") or "Light" in prim.GetTypeName():
                told[str(prim.GetTypeName())] += 1
            form = self.pxr.UsdGeom.Xformable(prim)
            if form and form.TransformMightBeTimeVarying():
                told["motion over time"] += 1
        self.left_out += [f"{count} of {what}" for what, count in told.items()]


def _is_marker(prim: Any) -> bool:
    """Return whether a prim is a frame and nothing else."""
    return prim.GetTypeName() == "Xform" and not prim.GetAppliedSchemas() and not prim.GetChildren()


def _step(data: Any) -> dict[str, Any]:
    """Return the length of the step, which stoss writes."""
    step = data.get("timeStep")
    return {"time_step": float(step)} if isinstance(step, float) and step > 0.0 else {}


def _text(error: Exception) -> str:
    """Return the first line of what usd-core says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else "usd-core cannot read it"
