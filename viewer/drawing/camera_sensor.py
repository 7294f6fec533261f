"""A camera on a body, as a sensor of a world: colours, depth, and which body is seen where."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.rotation import to_matrix
from stoss.engine import Body, Marker, Sensor, checks
from stoss.engine.control.part import checked_place
from stoss.names import closed
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.pictures import check_size
from stoss.viewer.drawing.quality import find_quality
from stoss.viewer.drawing.style import Style

if TYPE_CHECKING:
    from stoss.viewer.drawing.camera_images import CameraImage

__all__ = ["CameraSensor", "FramedCamera"]

# The nearest plane that a camera draws, in parts of the distance to what it looks at.
NEAREST = 0.01


@dataclass
class FramedCamera(Camera):
    """A camera whose axes are given, so that it may be turned about its own line of sight.

    Attributes:
        frame: (3, 3) unit vectors right, up and back, in rows.
    """

    frame: np.ndarray = field(default_factory=lambda: np.eye(3))

    @property
    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the unit vectors right, up and back, each (3,)."""
        return self.frame[0], self.frame[1], self.frame[2]


@closed
class CameraSensor(Sensor):
    """See what a camera at a marker sees: `world.add_sensor(CameraSensor(marker)).read()`.

    It looks along x of the marker, with z upwards and y to the left.

    Args:
        at: marker at whose origin it is, or a body: the frame of its shapes.
        size: width and height of the image [pixels].
        field_of_view: vertical angle of the image [rad].
        nearest: what is nearer than this is not seen [m].
        own_body: whether the body that it is on is seen.
        quality: "low", "medium" or "high", of the colours and of round shapes.
    """

    def __init__(
        self,
        at: Marker | Body,
        size: Size = (320, 240),
        *,
        field_of_view: float = np.pi / 3,
        nearest: float = 0.01,
        own_body: bool = False,
        quality: str = "medium",
    ) -> None:
        check_size(size)
        find_quality(quality)
        self._frame = checked_place(at)
        self._size = size
        self._angle = checks.number("field_of_view", field_of_view, "rad", above=0.0, most=0.99 * np.pi)
        self._nearest = checks.positive("nearest", nearest, "m")
        self._own_body = checks.flag("own_body", own_body)
        self._quality = quality

    def _at(self) -> tuple[Any, ...]:
        return (self._frame,)

    @property
    def camera(self) -> FramedCamera:
        """Return the camera as it stands at present."""
        ahead, left, up = to_matrix(self._frame.quaternion).T
        away = self._nearest / NEAREST
        return FramedCamera(
            target=self._frame.position + away * ahead,
            distance=away,
            field_of_view=self._angle,
            frame=np.array([-left, up, -ahead]),
        )

    def read(self) -> "CameraImage":
        """Return what it sees at present: `rgb`, `depth`, `segmentation` and `normals`, (h, w, ...).

        Raises:
            stoss.viewer.drawing.context.NoDisplayError: there is no OpenGL 3.3.
        """
        from stoss.viewer.drawing.camera_images import camera_image  # what draws is loaded when it is needed

        world, at = self._in_world(), self._frame
        body = at.body if isinstance(at, Marker) else at
        hidden = () if body is None or self._own_body else (body.index,)
        return camera_image(
            world, self._size, camera=self.camera, quality=self._quality, style=Style(hidden=hidden)
        )
