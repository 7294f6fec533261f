"""Shapes as the geoms of MJCF, with the friction of their bodies, and meshes written out."""

import numpy as np

from stoss.collision.quaternions import UNTURNED
from stoss.engine.exchange.mechanism import Link
from stoss.engine.exchange.outline import Outline
from stoss.engine.exchange.xml_writing import Node, child, numbers
from stoss.engine.joints.frames import axis_frame
from stoss.engine.model.frames import HERE, Pose, then
from stoss.engine.model.records import Shape
from stoss.engine.world.colors import checked_color

__all__ = ["Geoms"]

_SIDES = 24  # of a cone


class Geoms:
    """Write the geoms of links.

    Args:
        out: the model; its `left_out` is told of what MJCF does not hold.

    Attributes:
        assets: the meshes that geoms name.
    """

    def __init__(self, out: Outline) -> None:
        self.out, self.left_out = out, out.left_out
        self.assets = Node("asset")
        self.meshes: dict[tuple[str, bool], str | None] = {}
        self.told: set[str] = set()

    def add(self, node: Node, link: Link, outer: Pose) -> None:
        """Write the geoms of a link into its body."""
        surface = self._surface(link)
        for shape in link.shapes:
            self._add(node, link, shape, outer, surface)
        unseen = {"contype": "0", "conaffinity": "0", "group": "2"}
        for shape in link.display:
            self._add(node, link, shape, outer, unseen)

    def _add(self, node: Node, link: Link, shape: Shape, outer: Pose, own: dict[str, str]) -> None:
        collides = "contype" not in own
        made = self._geometry(link, shape, collides)
        if made is None:
            return
        attributes, inner = made
        pose = then(outer, then((shape.position, shape.quaternion), inner))
        place = {} if pose[0] == HERE[0] else {"pos": numbers(pose[0])}
        if pose[1] != UNTURNED:
            place["quat"] = numbers(pose[1])
        color = checked_color("color", shape.color if shape.color is not None else link.color)
        paint = {} if color is None else {"rgba": f"{numbers(color)} 1"}
        if link.display and collides:
            paint = {"group": "3"}  # what is not drawn, by the custom of MuJoCo
        child(node, "geom", **attributes, **place, **own, **paint)

    def _geometry(self, link: Link, shape: Shape, collides: bool) -> tuple[dict[str, str], Pose] | None:
        """Return the attributes of a shape, and its pose in that of the shape; None where it is left out."""
        kind, r, size = shape.type, shape.radius or 0.0, shape.size or (0.0, 0.0, 0.0)
        if kind == "box":
            return {"type": "box", "size": numbers(0.5 * edge for edge in size)}, HERE
        if kind == "sphere":
            return {"type": "sphere", "size": numbers([r])}, HERE
        if kind in ("capsule", "cylinder"):
            return {"type": kind, "size": numbers([r, 0.5 * (shape.length or 0.0)])}, HERE
        if kind == "ellipsoid" and shape.radii is not None:
            return {"type": "ellipsoid", "size": numbers(shape.radii)}, HERE
        if kind == "half_space":
            if link.kind != "static":
                self.left_out.append(f"body {link.name!r}: a half space that moves")
                return None
            x, y, z = shape.normal or (0.0, 0.0, 1.0)
            away = shape.offset or 0.0
            turn = axis_frame((x, y, z))
            return {"type": "plane", "size": "0 0 1"}, ((x * away, y * away, z * away), turn)
        mesh = self._cone(shape) if kind == "cone" else self._mesh(shape)
        if mesh is None:
            self.left_out.append(f"body {link.name!r}: a {kind}, which MuJoCo takes for flat")
            return None
        if kind == "cone" or (kind == "triangle_mesh" and collides):
            why = f"of {_SIDES} sides" if kind == "cone" else "hull: MuJoCo lets no hollow meshes collide"
            line = f"body {link.name!r}: a {kind} is its convex {why}"
            if line not in self.told:
                self.told.add(line)
                self.left_out.append(line)
        return {"type": "mesh", "mesh": mesh}, HERE

    def _mesh(self, shape: Shape) -> str | None:
        """Return the name of a mesh in the file; None where it is flat, of which MuJoCo makes no body."""
        name = str(shape.mesh)
        hull = shape.type == "convex_hull"
        if (name, hull) not in self.meshes:
            if hull:
                solid = self.out.geometry.shape(Shape(type="convex_hull", mesh=name))
                vertices = np.asarray(solid.vertices)  # type: ignore[attr-defined]
                faces = np.zeros((0, 3), np.int64)
            else:
                vertices, faces = self.out.geometry.mesh(name)
            own = name if (name, not hull) not in self.meshes else f"{name} {'hull' if hull else 'mesh'}"
            self.meshes[name, hull] = self._written(own, vertices, faces)
        return self.meshes[name, hull]

    def _written(self, name: str, vertices: np.ndarray, faces: np.ndarray) -> str | None:
        spread = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
        if len(vertices) < 4 or spread[2] < 1e-6 * spread[0]:
            return None
        own = {"vertex": numbers(np.ravel(vertices))}
        if len(faces):
            own |= {"face": numbers(np.ravel(faces)), "inertia": "shell"}
        child(self.assets, "mesh", name=name, **own)
        return name

    def _cone(self, shape: Shape) -> str:
        """Return the name of a mesh for a cone."""
        radius, length = shape.radius or 0.0, shape.length or 0.0
        name = f"cone {numbers([radius, length])}"
        if (name, True) not in self.meshes:
            self.meshes[name, True] = self._written(name, _cone_points(radius, length), np.zeros((0, 3)))
        return name

    def _surface(self, link: Link) -> dict[str, str]:
        """Return the attributes of a body's friction."""
        material = self.out.world.body(link.name).material
        if material.restitution:
            line = f"material {material.name or link.material!r}: restitution {material.restitution:g}"
            if line not in self.told:
                self.told.add(line)
                self.left_out.append(line)
        slide, spin, roll = material.friction, material.torsional_friction, material.rolling_friction
        dimensions = "6" if roll else "4" if spin else "3" if slide else "1"
        return {"friction": numbers([slide, spin, roll]), "condim": dimensions}


def _cone_points(radius: float, length: float) -> np.ndarray:
    """Return the corners of a cone, whose origin is half-way up."""
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    rim = np.column_stack((radius * np.cos(angles), radius * np.sin(angles), np.full(_SIDES, -0.5 * length)))
    return np.vstack((rim, [(0.0, 0.0, 0.5 * length)]))
