"""From where a picture is taken: a camera, a name such as "top", two angles, or a saved view."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stoss.collision.plain_numbers import number, shown
from stoss.names import hint
from stoss.viewer.drawing.camera import AXIS_VIEWS, Camera, Size
from stoss.viewer.drawing.framing import framing_points
from stoss.viewer.world.frames import Description, Frame

__all__ = ["VIEW_NAMES", "Look", "camera_of", "check_look", "fitted_camera"]

# Azimuth and elevation [rad] by name.
VIEW_NAMES: dict[str, tuple[float, float]] = {
    **dict(zip(("front", "right", "top", "back", "left", "bottom"), AXIS_VIEWS.values(), strict=True)),
    "corner": (math.radians(-60.0), math.radians(22.0)),
}

# A camera; a name; azimuth from +x and elevation [degrees]; or what `Camera.view` gives.
Look = Camera | str | tuple[float, float] | Mapping[str, Any]

# A camera for a film looks at so many moments of it.
_LOOKS = 12


def check_look(name: str, value: Any) -> tuple[Camera, bool]:
    """Return the camera that is meant, and whether its target and distance are still to be found.

    Args:
        name: what it is called in messages.
        value: see `Look`; None is the view from a corner.

    Raises:
        TypeError, ValueError: it is none of these.
    """
    if value is None:
        return Camera(), True
    if isinstance(value, Camera):
        return value, False
    if isinstance(value, str):
        if value not in VIEW_NAMES:
            near = hint(value, VIEW_NAMES)
            raise ValueError(
                f"{name} = {value!r} is no view; choose from {', '.join(VIEW_NAMES)}, or give azimuth and "
                f"elevation in degrees, such as (-60, 20){near}"
            )
        azimuth, elevation = VIEW_NAMES[value]
        return Camera(azimuth=azimuth, elevation=elevation), True
    if isinstance(value, Mapping):
        camera = Camera()
        try:
            camera.set_view(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} = {shown(value)}: {error}") from None
        return camera, False
    if isinstance(value, Sequence | np.ndarray) and len(value) == 2:
        azimuth = number(f"{name}[0]", value[0], "degrees")
        elevation = number(f"{name}[1]", value[1], "degrees", least=-90.0, most=90.0)
        return Camera(azimuth=math.radians(azimuth), elevation=math.radians(elevation)), True
    raise TypeError(
        f"{name} = {shown(value)} must be a Camera, one of {', '.join(VIEW_NAMES)}, azimuth and elevation in "
        "degrees, or a saved view"
    )


def camera_of(name: str, value: Any, description: Description, frames: Sequence[Frame], size: Size) -> Camera:
    """Return the camera that is meant; one of which the direction alone is given has all in its picture.

    Args:
        name, value: as for `check_look`.
        description, frames: what is to be seen.
        size: of the picture [pixels].
    """
    camera, is_to_be_fitted = check_look(name, value)
    return fitted_camera(description, frames, size, camera) if is_to_be_fitted else camera


def fitted_camera(
    description: Description, frames: Sequence[Frame], size: Size, camera: Camera | None = None
) -> Camera:
    """Return a camera, in the direction of a given one, that has all of a motion in the picture."""
    camera = camera or Camera()
    looks = np.unique(np.linspace(0, len(frames) - 1, _LOOKS).astype(int))
    camera.fit(np.concatenate([framing_points(description, frames[k]) for k in looks]), size)
    return camera
