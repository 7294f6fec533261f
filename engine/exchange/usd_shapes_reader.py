"""Geometry of USD as shapes, in the frames of bodies, with scales taken in."""

from typing import Any

import numpy as np

from stoss.collision.quaternions import Vector
from stoss.collision.shapes.faceted import ConvexHull
from stoss.engine.exchange.usd_places import Placed, Places, relative, tidy
from stoss.engine.exchange.usd_words import Pxr
from stoss.engine.model.records import Mesh, Shape

__all__ = ["ShapeReader"]

# Axes of round shapes: which columns are x, y, z of ours.
_TURNS = {"X": (1, 2, 0), "Y": (2, 0, 1), "Z": (0, 1, 2)}


class ShapeReader:
    """Read the shapes of prims.

    Args:
        modules: of usd-core.
        places: where prims are.
        left_out: is told of what cannot be taken over.

    Attributes:
        meshes: by name.
    """

    def __init__(self, modules: Pxr, places: Places, left_out: list[str]) -> None:
        self.pxr, self.places, self.left_out = modules, places, left_out
        self.meshes: dict[str, Mesh] = {}

    def shape(self, prim: Any, body: str, outer: Placed, collides: bool) -> Shape | None:
        """Return the shape of a prim, None where it is left out.

        Args:
            prim: the prim.
            body: name of the body that it belongs to.
            outer: where that is.
            collides: whether it is a collider.
        """
        UsdGeom = self.pxr.UsdGeom  # noqa: N806
        if UsdGeom.Imageable(prim).ComputePurpose() == UsdGeom.Tokens.guide and not collides:
            return None
        matrix = self.places.matrix(prim)
        axis = prim.GetAttribute("axis").Get() if prim.HasAttribute("axis") else "Z"
        columns = [*_TURNS[str(axis)], 3]
        where = relative(matrix[:, columns], outer)
        x, y, z = np.abs(where.scale).tolist()
        kind, what = str(prim.GetTypeName()), f"body {body!r}: {prim.GetName()!r}"
        own: dict[str, Any] = {"color": self._color(prim)}
        own |= {"position": _tidied(where.pose[0]), "quaternion": where.pose[1]}
        if kind == "Cube":
            edge = float(prim.GetAttribute("size").Get())
            return Shape(type="box", size=(_short(x * edge), _short(y * edge), _short(z * edge)), **own)
        if kind == "Sphere":
            r = float(prim.GetAttribute("radius").Get())
            if np.ptp([x, y, z]) <= 1e-6 * x:
                return Shape(type="sphere", radius=_short(x * r), **own)
            return Shape(type="ellipsoid", radii=(_short(x * r), _short(y * r), _short(z * r)), **own)
        if kind in ("Cylinder", "Capsule", "Cone", "Cylinder_1", "Capsule_1"):
            return self._round(prim, kind, (x, y, z), what, own)
        if kind == "Plane":
            return Shape(type="half_space", normal=(0.0, 0.0, 1.0), **own)
        if kind == "Mesh":
            return self._mesh(prim, where.scale, what, collides, own)
        self.left_out.append(f"{what}, geometry of type {kind}")
        return None

    def _round(
        self, prim: Any, kind: str, scale: tuple[float, float, float], what: str, own: dict[str, Any]
    ) -> Shape:
        x, y, z = scale
        if abs(x - y) > 1e-6 * x:
            self.left_out.append(f"{what}: it is not round ({x:g} and {y:g} wide); its mean radius is taken")
        name = "radius" if prim.HasAttribute("radius") else "radiusTop"
        radius = 0.5 * (x + y) * float(prim.GetAttribute(name).Get())
        if name == "radiusTop":
            bottom = 0.5 * (x + y) * float(prim.GetAttribute("radiusBottom").Get())
            if abs(bottom - radius) > 1e-6 * bottom:
                self.left_out.append(
                    f"{what}: its ends have radii {radius:g} and {bottom:g}; the mean is taken"
                )
                radius = 0.5 * (radius + bottom)
        length = _short(z * float(prim.GetAttribute("height").Get()))
        plain = kind.removesuffix("_1").lower()
        return Shape(type=plain, radius=_short(radius), length=length, **own)

    def _mesh(
        self, prim: Any, scale: np.ndarray, what: str, collides: bool, own: dict[str, Any]
    ) -> Shape | None:
        mesh = self.pxr.UsdGeom.Mesh(prim)
        points = np.array(mesh.GetPointsAttr().Get() or (), float).reshape(-1, 3) * scale
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get() or (), int)
        numbers = np.array(mesh.GetFaceVertexIndicesAttr().Get() or (), int)
        faces = (
            [tuple(part.tolist()) for part in np.split(numbers, np.cumsum(counts)[:-1])]
            if len(counts)
            else []
        )
        flips = str(mesh.GetOrientationAttr().Get()) == "leftHanded"
        if flips != bool(np.prod(scale) < 0.0):
            faces = [face[::-1] for face in faces]
        hull = self._is_hull(prim, what) if collides else False
        if hull:
            try:
                ConvexHull(points)
            except ValueError as error:
                self.left_out.append(f"{what}: {error}")
                return None
        elif not faces:
            self.left_out.append(f"{what}: a mesh without faces")
            return None
        name = self._named(prim.GetDisplayName() or prim.GetName(), points, faces)
        two_sided = True if collides and not hull and mesh.GetDoubleSidedAttr().Get() else None
        kind = "convex_hull" if hull else "triangle_mesh"
        return Shape(type=kind, mesh=name, two_sided=two_sided, **own)

    def _is_hull(self, prim: Any, what: str) -> bool:
        """Return whether a mesh collides as its convex hull."""
        api = self.pxr.UsdPhysics.MeshCollisionAPI(prim)
        wanted = str(api.GetApproximationAttr().Get() or "none") if api else "none"
        if wanted in ("none", "meshSimplification"):
            body = prim
            while body and not body.IsPseudoRoot():
                if body.HasAPI(self.pxr.UsdPhysics.RigidBodyAPI):
                    self.left_out.append(f"{what}: a hollow mesh that moves; its convex hull is taken")
                    return True
                body = body.GetParent()
            return False
        if wanted != "convexHull":
            self.left_out.append(f"{what}: approximation by {wanted}; its convex hull is taken")
        return True

    def _named(self, wanted: str, points: np.ndarray, faces: list[tuple[int, ...]]) -> str:
        vertices = tuple((tidy(x), tidy(y), tidy(z)) for x, y, z in points.tolist())
        name, number = wanted, 2
        while name in self.meshes:
            known = self.meshes[name]
            if known.vertices == vertices and known.faces == tuple(faces):
                return name
            name, number = f"{wanted} {number}", number + 1
        self.meshes[name] = Mesh(name=name, vertices=vertices, faces=tuple(faces))
        return name

    def _color(self, prim: Any) -> Vector | None:
        colors = self.pxr.UsdGeom.Gprim(prim).GetDisplayColorAttr().Get()
        if not colors:
            return None
        r, g, b = (min(max(tidy(float(part)), 0.0), 1.0) for part in colors[0])
        return r, g, b


def _short(value: float) -> float:
    """Return a length without what rounding has added in the last digits."""
    return float(f"{value:.14g}")


def _tidied(vector: Vector) -> Vector:
    size = max(map(abs, vector))
    x, y, z = (0.0 if abs(part) < 1e-14 * size else part for part in vector)
    return x, y, z
