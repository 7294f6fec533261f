"""Shapes as the geometry of USD, colliders with its physics schema."""

from typing import Any

import numpy as np

from stoss.collision.quaternions import UNTURNED
from stoss.engine.exchange.usd_words import Pxr
from stoss.engine.joints.frames import axis_frame
from stoss.engine.model.frames import HERE, Pose, then
from stoss.engine.model.geometry import Geometry
from stoss.engine.model.records import Body, Shape
from stoss.engine.world.colors import checked_color

__all__ = ["ShapeWriter"]


class ShapeWriter:
    """Write shapes into a stage.

    Args:
        pxr: modules of usd-core.
        stage: the stage.
        geometry: the meshes.
        left_out: is told of what USD does not hold.
    """

    def __init__(self, pxr: Pxr, stage: Any, geometry: Geometry, left_out: list[str]) -> None:
        self.pxr, self.stage, self.geometry, self.left_out = pxr, stage, geometry, left_out

    def add(self, path: str, body: Body, shape: Shape, *, collides: bool) -> Any:
        """Write a shape and return its prim; None where it is left out, which is told.

        Args:
            path: of the prim.
            body: whose it is.
            shape: the shape.
            collides: whether bodies touch it.
        """
        Gf, UsdGeom, UsdPhysics = self.pxr.Gf, self.pxr.UsdGeom, self.pxr.UsdPhysics  # noqa: N806
        made = self._geometry(path, shape)
        if made is None:
            self.left_out.append(f"body {body.name!r}: a {shape.type}")
            return None
        form, scale, inner = made
        pose = then((shape.position, shape.quaternion), inner)
        if pose[0] != HERE[0]:
            form.AddTranslateOp().Set(Gf.Vec3d(*pose[0]))
        if pose[1] != UNTURNED:
            form.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(*pose[1]))
        if scale is not None:
            form.AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*scale))
        color = checked_color("color", shape.color if shape.color is not None else body.color)
        if color is not None:
            form.CreateDisplayColorAttr([Gf.Vec3f(*color)])
        prim = form.GetPrim()
        if collides:
            UsdPhysics.CollisionAPI.Apply(prim)
            if shape.mesh is not None:
                mesh = UsdPhysics.MeshCollisionAPI.Apply(prim)
                mesh.CreateApproximationAttr("convexHull" if shape.type == "convex_hull" else "none")
            if body.display:
                form.CreatePurposeAttr(UsdGeom.Tokens.guide)
        return prim

    def _geometry(self, path: str, shape: Shape) -> tuple[Any, tuple[float, ...] | None, Pose] | None:
        """Return the prim of a shape, its scale, and its pose in that of the shape."""
        UsdGeom, stage, kind = self.pxr.UsdGeom, self.stage, shape.type  # noqa: N806
        radius, length = float(shape.radius or 0.0), float(shape.length or 0.0)
        if kind == "box":
            cube = UsdGeom.Cube.Define(stage, path)
            cube.CreateSizeAttr(1.0)
            return cube, tuple(map(float, shape.size or ())), HERE
        if kind in ("sphere", "ellipsoid"):
            sphere = UsdGeom.Sphere.Define(stage, path)
            sphere.CreateRadiusAttr(radius if kind == "sphere" else 1.0)
            return sphere, None if kind == "sphere" else tuple(map(float, shape.radii or ())), HERE
        round_ones = {"capsule": UsdGeom.Capsule, "cylinder": UsdGeom.Cylinder, "cone": UsdGeom.Cone}
        if kind in round_ones:
            one = round_ones[kind].Define(stage, path)
            one.CreateAxisAttr("Z")
            one.CreateRadiusAttr(radius)
            one.CreateHeightAttr(length)
            return one, None, HERE
        if kind == "half_space":
            plane = UsdGeom.Plane.Define(stage, path)
            plane.CreateAxisAttr("Z")
            plane.CreateWidthAttr(100.0)
            plane.CreateLengthAttr(100.0)
            x, y, z = shape.normal or (0.0, 0.0, 1.0)
            away = float(shape.offset or 0.0)
            return plane, None, ((x * away, y * away, z * away), axis_frame((x, y, z)))
        return self._mesh(path, shape) if shape.mesh is not None else None

    def _mesh(self, path: str, shape: Shape) -> tuple[Any, None, Pose]:
        vertices, faces = self._polygons(shape)
        mesh = self.pxr.UsdGeom.Mesh.Define(self.stage, path)
        mesh.CreatePointsAttr(self.pxr.Vt.Vec3fArray.FromNumpy(np.asarray(vertices, np.float32)))
        mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
        mesh.CreateFaceVertexIndicesAttr([int(number) for face in faces for number in face])
        mesh.CreateSubdivisionSchemeAttr("none")
        if shape.two_sided:
            mesh.CreateDoubleSidedAttr(True)
        mesh.GetPrim().SetDisplayName(str(shape.mesh))
        return mesh, None, HERE

    def _polygons(self, shape: Shape) -> tuple[np.ndarray, list[Any]]:
        if shape.type == "convex_hull":
            hull: Any = self.geometry.shape(Shape(type="convex_hull", mesh=shape.mesh))
            return hull.vertices, list(hull.faces)
        vertices, faces = self.geometry.mesh(str(shape.mesh))
        return vertices, list(faces)
