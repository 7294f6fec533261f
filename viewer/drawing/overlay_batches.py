"""Draw what is laid over the bodies: lines, arrows and cones, in full where they are seen, else faintly."""

import numpy as np

from stoss.viewer.drawing import geometry
from stoss.viewer.drawing.batches import Batch, instanced
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.geometry import rotate
from stoss.viewer.drawing.gl import Buffer, VertexArray, gl
from stoss.viewer.drawing.marks import OverlayGeometry, is_light
from stoss.viewer.drawing.programs import Programs
from stoss.viewer.drawing.style import to_linear

__all__ = ["OverlayBatches", "arrow_rims"]

# Width of the rims of arrows [pixels], so that they are seen on any ground, and their opacity; the radius of
# a shaft in radii of its head.
_RIM, _RIM_OPACITY, _SHAFT = 1.3, 0.85, 0.4

# Strength of what bodies hide.
_HIDDEN = 0.4


def arrow_rims(arrows: np.ndarray, camera: Camera, size: Size) -> np.ndarray:
    """Return arrows that stick out by some pixels behind others, light where those are dark.

    Args:
        arrows: (a, 16), of `OverlayGeometry`.
        camera, size: of the picture.
    """
    rims = arrows.copy()
    if not len(rims):
        return rims
    depth = np.maximum((camera.eye - arrows[:, :3]) @ camera.axes[2], 0.05 * camera.distance)
    metres = _RIM * max(1.0, size[1] / 720.0) * camera.metres_per_pixel(size)
    wide = np.full(len(arrows), metres) if camera.orthographic else metres * depth / camera.distance
    # the shaft grows with the head, by as many pixels at least
    radius, head, shaft = np.maximum(arrows[:, 8], 1e-300), arrows[:, 10], arrows[:, 11]
    grown = radius + wide / _SHAFT
    rims[:, 8] = rims[:, 9] = grown
    rims[:, 10] = head * grown / radius
    rims[:, :3] -= rotate(arrows[:, 4:8], np.array([0.0, 0.0, 1.0])) * wide[:, None]
    beyond = wide * np.sqrt(1.0 + (head / radius) ** 2)  # of the tip of the rim
    rims[:, 11] = np.maximum(wide + shaft + head + beyond - rims[:, 10], 0.0)
    rims[:, 12:15] = np.where(is_light(arrows[:, 12:15])[:, None], 0.05, 1.0)
    rims[:, 15] *= _RIM_OPACITY
    return rims


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
            rims = arrow_rims(overlays.arrows, camera, size)
            for name, table in (("cone", overlays.cones), ("arrow", rims), ("arrow", overlays.arrows)):
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
