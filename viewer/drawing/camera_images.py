"""What a camera measures: colours, depth, which body, and the direction of the surface, pixel by pixel."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stoss.collision.shapes.shapes import HalfSpace
from stoss.names import takes_names
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.colouring import needs_forces
from stoss.viewer.drawing.context import ensure_context
from stoss.viewer.drawing.geometry import rotate
from stoss.viewer.drawing.looks import Look, camera_of, check_look
from stoss.viewer.drawing.picture_files import Picture
from stoss.viewer.drawing.pictures import check_size, check_world, style_of
from stoss.viewer.drawing.quality import find_quality
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.drawing.style import Style
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["CameraImage", "camera_image"]


class CameraImage(NamedTuple):
    """What a camera sees; all arrays are (height, width, ...), from the left upper corner.

    Attributes:
        rgb: (h, w, 3) uint8, as `viewer.picture` draws it.
        depth: (h, w) [m] along the direction in which the camera looks, infinite where there is nothing.
        segmentation: (h, w) row of the body in the arrays of the world, -1 where there is nothing.
        normals: (h, w, 3) unit vectors out of the surface, world; zero where there is nothing.
        camera: from where it was taken.
    """

    rgb: Picture
    depth: np.ndarray
    segmentation: np.ndarray
    normals: np.ndarray
    camera: Camera


@takes_names
def camera_image(
    world: "World",
    size: Size = (640, 480),
    *,
    camera: Look | None = None,
    quality: str = "high",
    style: Style | str | None = None,
) -> CameraImage:
    """Return what a camera sees of a world as it is: colours, depth, rows of bodies and normals.

    Each pixel is one ray through its middle. Balls and the like are the polyhedra that are drawn, which lie
    within them: by up to 1 - cos(pi / 96) of their radius with "high", by more where there are hundreds.
    Half-spaces are exact.

    Args:
        world: the world.
        size: width and height [pixels].
        camera: where it is seen from, as for `viewer.picture`.
        quality: "low", "medium" or "high", of the colours and of round shapes.
        style: of the colours; bodies that it hides are not there.

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no OpenGL 3.3.
        ValueError: unknown quality or view.
    """
    find_quality(quality)
    shown = style_of(style)
    check_size(size)
    check_look("camera", camera)
    check_world("world", world)
    ensure_context()
    description, frame = describe_world(world), frame_of(world, needs_forces(shown))
    look = camera_of("camera", camera, description, [frame], size)
    renderer = Renderer(description, quality)
    try:
        rgb = renderer.picture(frame, look, size, shown).view(Picture)
        places, normals, shapes = renderer.measure(frame, look, size, shown)
    finally:
        renderer.delete()
    seen = shapes >= 0
    depth = np.full(shapes.shape, np.inf)
    depth[seen] = (look.eye - places[seen]) @ look.axes[2]
    _correct_half_spaces(description, frame, look, shapes, depth)
    rows = np.full(shapes.shape, -1)
    rows[seen] = description.shape_body[shapes[seen]]
    return CameraImage(rgb, depth, _rows_in_world(world, description)[rows], normals, look)


def _rows_in_world(world: "World", description: Description) -> np.ndarray:
    """Return rows in the world by those in a description, and -1 behind them for none."""
    return np.array([*(world.body(name).index for name in description.names), -1], np.int64)


def _correct_half_spaces(
    description: Description, frame: Frame, camera: Camera, shapes: np.ndarray, depth: np.ndarray
) -> None:
    """Replace the depth of half-spaces, whose drawn discs are large, by that of the rays to their planes."""
    height, width = shapes.shape
    for row, shape in enumerate(description.shapes):
        if not isinstance(shape, HalfSpace) or not (shapes == row).any():
            continue
        body = description.shape_body[row]
        own = rotate(description.shape_quaternion[row], np.array(shape.normal, float))
        normal = rotate(frame.quaternions[body], own)
        origin = frame.positions[body] + rotate(frame.quaternions[body], description.shape_position[row])
        y, x = np.nonzero(shapes == row)
        right, up, back = camera.axes
        slope = np.tan(0.5 * camera.field_of_view)
        across = ((2.0 * x + 1.0) / width - 1.0) * slope * width / height
        upward = (1.0 - (2.0 * y + 1.0) / height) * slope
        shift = across[:, None] * right + upward[:, None] * up
        # Points of a ray at a depth d: eye - d back, shifted by d times as much, or as at the target.
        if camera.orthographic:
            begin, way = camera.eye + camera.distance * shift, np.broadcast_to(-back, shift.shape)
        else:
            begin, way = np.broadcast_to(camera.eye, shift.shape), shift - back
        to_plane = shape.offset - (begin - origin) @ normal
        depth[y, x] = to_plane / (way @ normal)
