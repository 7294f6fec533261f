"""The sky, and the light that it and the sun give."""

import numpy as np

from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.gl import VertexArray, gl
from stoss.viewer.drawing.programs import Programs

__all__ = ["LIGHT", "LOOK", "draw_sky"]

# Towards the light; and what it and the sky give [parts of white].
LIGHT = np.array([-0.42, -0.62, 1.05]) / np.linalg.norm([-0.42, -0.62, 1.05])
LOOK = {
    "light": LIGHT,
    "light_colour": (1.42, 1.34, 1.22),
    "ambient_above": (0.46, 0.52, 0.62),
    "ambient_below": (0.22, 0.21, 0.20),
    "sky_horizon": (0.90, 0.925, 0.95),
    "sky_zenith": (0.47, 0.63, 0.82),
    "sky_below": (0.68, 0.71, 0.75),
}


def draw_sky(programs: Programs, empty: VertexArray, camera: Camera, size: Size) -> None:
    """Draw the sky wherever nothing is in front of it.

    Args:
        programs: of the renderer.
        empty: attributes of a triangle that the program places by itself.
        camera, size: of the picture.
    """
    right, up, back = camera.axes
    slope = np.tan(0.5 * camera.field_of_view)
    forward = -back
    if camera.orthographic:
        slope = 0.0
        forward = np.array([forward[0], forward[1], 0.0])
    gl.glDisable(gl.GL_CULL_FACE)
    programs.find("sky").use(
        LOOK | {"forward": forward, "right": right * slope * size[0] / size[1], "upward": up * slope}
    )
    empty.bind()
    gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)
    gl.glEnable(gl.GL_CULL_FACE)
