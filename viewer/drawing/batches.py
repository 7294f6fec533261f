"""Batches: what is drawn with one call, a mesh with the places of all its instances."""

from dataclasses import dataclass

import numpy as np

from stoss.viewer.drawing import geometry
from stoss.viewer.drawing.gl import Buffer, VertexArray, gl

__all__ = ["INSTANCE_SIZES", "LEVELS", "MESH_SIZES", "Batch", "RoundBatch", "finished", "instanced"]

# Numbers per vertex and per instance, attribute by attribute.
MESH_SIZES, INSTANCE_SIZES = (4, 3), (4, 4, 4, 1)

# Corners that circles may have.
LEVELS = (8, 12, 16, 24, 32, 48, 64, 96)


@dataclass
class Batch:
    """A mesh and its instances, which are drawn together.

    Attributes:
        array, buffers: of vertices, instances and triangles.
        indices: three per triangle.
        instances: 0 where the vertices hold everything.
        half_space: whether it is a plane.
        open: whether it may be seen from behind, as meshes are, which need not be closed.
        pickable: whether it belongs to a body that the pointer may be on.
    """

    array: VertexArray
    buffers: list[Buffer]
    indices: int
    instances: int
    half_space: bool = False
    open: bool = False
    pickable: bool = True

    @property
    def defines(self) -> tuple[str, ...]:
        """Return the switches of the program that draws it in colour."""
        return ("HALF_SPACE",) * self.half_space

    def draw(self, coarse: bool = False) -> None:
        """Draw it; a mesh has no coarser form."""
        self.array.bind()
        if self.open:
            gl.glDisable(gl.GL_CULL_FACE)
        if self.instances:
            gl.glDrawElementsInstanced(
                gl.GL_TRIANGLES, self.indices, gl.GL_UNSIGNED_INT, None, self.instances
            )
        else:
            gl.glDrawElements(gl.GL_TRIANGLES, self.indices, gl.GL_UNSIGNED_INT, None)
        if self.open:
            gl.glEnable(gl.GL_CULL_FACE)

    def delete(self) -> None:
        """Free it on the graphics card."""
        self.array.delete()
        for buffer in self.buffers:
            buffer.delete()


class RoundBatch:
    """Instances of a round shape, drawn with as many corners as their size on the screen asks for.

    Args:
        kind: of `geometry.unit_mesh`.
        instances: (k, 13) as `Renderer._instances` gives them.
        radii: (k,) [m] of the circles.
    """

    half_space = open = False
    pickable = True

    def __init__(self, kind: str, instances: np.ndarray, radii: np.ndarray) -> None:
        self.kind, self.count = kind, len(instances)
        self.defines = ("ROUND", *(("ROUND_ENDS",) * (kind in ("sphere", "capsule"))))
        self.bodies, self.radii = instances[:, 3].astype(int), radii
        self.segments = LEVELS[0]
        self._instances = Buffer(instances)
        self._levels: dict[int, Batch] = {}

    def triangles(self, segments: int) -> int:
        """Return how many triangles it has with so many corners."""
        return self.count * len(geometry.unit_mesh(self.kind, segments).triangles)

    def draw(self, coarse: bool = False) -> None:
        """Draw it, `coarse` with the next smaller number of corners."""
        segments = LEVELS[max(0, LEVELS.index(self.segments) - 1)] if coarse else self.segments
        if segments not in self._levels:
            mesh = geometry.unit_mesh(self.kind, segments)
            self._levels[segments] = instanced(mesh, self._instances, INSTANCE_SIZES, self.count)
        self._levels[segments].draw()

    def fill(self, instances: np.ndarray) -> None:
        """Put the instances elsewhere; there are as many as before."""
        self._instances.fill(instances)

    def delete(self) -> None:
        """Free it on the graphics card."""
        for level in self._levels.values():
            level.delete()


def instanced(
    mesh: geometry.Mesh, instances: Buffer, sizes: tuple[int, ...], count: int, half_space: bool = False
) -> Batch:
    """Return the batch of a mesh and its instances, of which `sizes` says the numbers per attribute."""
    vertices, array = Buffer(mesh.vertices), VertexArray()
    array.attach(vertices, MESH_SIZES, 0, per_instance=False)
    array.attach(instances, sizes, 2, per_instance=True)
    return finished(array, [vertices, instances], mesh.triangles, count, half_space)


def finished(
    array: VertexArray, buffers: list[Buffer], triangles: np.ndarray, instances: int, half_space: bool = False
) -> Batch:
    """Return the batch of an array of attributes and its triangles."""
    gl.glBindVertexArray(0)
    index = Buffer(triangles, gl.GL_ELEMENT_ARRAY_BUFFER)
    array.index(index)
    gl.glBindVertexArray(0)
    return Batch(array, [*buffers, index], triangles.size, instances, half_space)
