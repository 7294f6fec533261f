"""Draw what is laid over the bodies: lines, arrows and cones, in full where they are seen, else faintly."""

import numpy as np

from stoss.viewer.drawing import geometry
from stoss.viewer.drawing.batches import Batch, instanced
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.gl import Buffer, VertexArray, gl
from stoss.viewer.drawing.marks import OverlayGeometry
from stoss.viewer.drawing.programs import Programs
from stoss.viewer.drawing.style import to_linear

__all__ = ["OverlayBatches"]

# Strength of what bodies hide.
_HIDDEN = 0.4


class OverlayBatches:
    """Lines, arrows and cones on the graphics card."""

    def __init__(self) -> None:
        corners = np.array([[0, -1, 0, 0], [1, -1, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]], np.float32)
        self._quad = Buffer(corners)
        self._batches: dict[str, Batch] = {}

    def draw(
        self,
        programs: Programs,
        overlays: OverlayGeometry,
        uniforms: dict[str, object],
        origin: np.ndarray,
        camera: Camera,
        size: Size,
    ) -> None:
        """Draw all of it, over bodies that were drawn with the same uniforms."""
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        for hidden in (True, False):
            gl.glDepthFunc(gl.GL_GREATER if hidden else gl.GL_LEQUAL)
            strength = _HIDDEN if hidden else 1.0
            for name, table in (("cone", overlays.cones), ("arrow", overlays.arrows)):
                if len(table):
                    values = np.array(table, np.float64)
                    values[:, :3] -= origin
                    values[:, 12:15] = to_linear(values[:, 12:15])
                    values[:, 15] *= strength
                    batch = self._solid_batch(name, values.astype(np.float32))
                    programs.find("body", ["FREE"]).use(uniforms)
                    batch.draw()
            if len(overlays.lines):
                values = np.concatenate([overlays.halos, overlays.lines]).astype(np.float64)
                values[:, :3] -= origin
                values[:, 4:7] -= origin
                gl.glDisable(gl.GL_CULL_FACE)
                programs.find("line").use(
                    {
                        "view_projection": uniforms["view_projection"],
                        "size": (float(size[0]), float(size[1])),
                        "nearest": 0.5 if camera.orthographic else 0.01 * camera.distance,
                        "strength": strength,
                    }
                )
                self._draw_lines(values.astype(np.float32))
                gl.glEnable(gl.GL_CULL_FACE)

    def _solid_batch(self, name: str, values: np.ndarray) -> Batch:
        batch = self._batches.get(name)
        if batch is None:
            mesh = geometry.arrow(16) if name == "arrow" else geometry.unit_mesh("cone", 24)
            batch = self._batches[name] = instanced(mesh, Buffer(values), (4, 4, 4, 4), len(values))
        batch.buffers[1].fill(values)
        batch.instances = len(values)
        return batch

    def _draw_lines(self, values: np.ndarray) -> None:
        batch = self._batches.get("line")
        if batch is None:
            array, buffer = VertexArray(), Buffer(values)
            array.attach(self._quad, (4,), 0, per_instance=False)
            array.attach(buffer, (4, 3, 4), 1, per_instance=True)
            batch = self._batches["line"] = Batch(array, [buffer], 4, 0)
        batch.buffers[0].fill(values)
        batch.array.bind()
        gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, len(values))

    def delete(self) -> None:
        """Free everything that was made on the graphics card."""
        for batch in self._batches.values():
            batch.delete()
        self._quad.delete()
