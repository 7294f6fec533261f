"""The camera: where it stands, how it moves, and where points of the world appear. Plain numpy, no window.

The world has z up. Pixels are counted from the left upper corner of the picture, x to the right, y down, and
a `size` is (width, height) in pixels. Matrices act on columns: clip = projection @ view @ point.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["AXIS_VIEWS", "Area", "Camera"]

Size = tuple[int, int]
Area = tuple[float, float, float, float]  # left, upper, right and lower edge [pixels]

# Azimuth and elevation [rad] of the views on keys 1 to 6: from the front (-y), the right (+x), above, and the
# back, the left, below.
AXIS_VIEWS: dict[int, tuple[float, float]] = {
    1: (-0.5 * math.pi, 0.0),
    2: (0.0, 0.0),
    3: (-0.5 * math.pi, 0.5 * math.pi),
    4: (0.5 * math.pi, 0.0),
    5: (math.pi, 0.0),
    6: (-0.5 * math.pi, -0.5 * math.pi),
}

# The nearest plane that is drawn, in parts of the distance to the target.
_NEAREST = 0.01


@dataclass
class Camera:
    """A camera that looks at a target from a distance.

    Attributes:
        target: (3,) [m] the point in the middle of the picture.
        distance: from there to the camera [m].
        azimuth: direction of the camera seen from the target, about z from +x [rad].
        elevation: its angle above the horizontal [rad], up to straight above and below.
        field_of_view: vertical angle of the picture [rad].
        orthographic: whether to draw without perspective, at the scale of the target.
    """

    target: np.ndarray = field(default_factory=lambda: np.zeros(3))
    distance: float = 10.0
    azimuth: float = math.radians(-60.0)
    elevation: float = math.radians(22.0)
    field_of_view: float = math.radians(35.0)
    orthographic: bool = False

    def __post_init__(self) -> None:
        self.target = np.array(self.target, float)

    # -------------------------------------------------------------- frame

    @property
    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the unit vectors right, up and back (from the target to the camera), each (3,)."""
        ca, sa = math.cos(self.azimuth), math.sin(self.azimuth)
        ce, se = math.cos(self.elevation), math.sin(self.elevation)
        return np.array([-sa, ca, 0.0]), np.array([-se * ca, -se * sa, ce]), np.array([ce * ca, ce * sa, se])

    @property
    def eye(self) -> np.ndarray:
        """Return the place of the camera (3,) [m]."""
        return self.target + self.distance * self.axes[2]

    def view_matrix(self, origin: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return the matrix (4, 4) from the world, less an origin (3,) [m], to the camera's frame."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -matrix[:3, :3] @ (self.eye - np.asarray(origin, float))
        return matrix

    def projection_matrix(self, size: Size) -> np.ndarray:
        """Return the matrix (4, 4) from the camera's frame to clip coordinates; nothing is too far."""
        aspect, slope = size[0] / max(1, size[1]), math.tan(0.5 * self.field_of_view)
        matrix = np.zeros((4, 4))
        if self.orthographic:
            half = slope * self.distance
            depth = 100.0 * self.distance
            matrix[0, 0], matrix[1, 1], matrix[2, 2] = 1.0 / (half * aspect), 1.0 / half, -1.0 / depth
            matrix[2, 3], matrix[3, 3] = -self.distance / depth, 1.0
            return matrix
        near = _NEAREST * self.distance
        # The limit for a far plane at infinity, a little less so that rounding does not cut it off.
        limit = 1.0 - 1e-6
        matrix[0, 0], matrix[1, 1] = 1.0 / (slope * aspect), 1.0 / slope
        matrix[2, 2], matrix[2, 3], matrix[3, 2] = -limit, -(1.0 + limit) * near, -1.0
        return matrix

    def ray(self, x: float, y: float, size: Size) -> tuple[np.ndarray, np.ndarray]:
        """Return origin (3,) [m] and unit direction (3,) of the ray through a place [pixels]."""
        right, up, back = self.axes
        slope = math.tan(0.5 * self.field_of_view)
        across = (2.0 * x / size[0] - 1.0) * slope * size[0] / size[1]
        upward = (1.0 - 2.0 * y / size[1]) * slope
        if self.orthographic:
            shift = self.distance * (across * right + upward * up)
            # From far behind, so that nothing in front of the target is missed.
            return self.target + shift + 100.0 * self.distance * back, -back
        direction = across * right + upward * up - back
        return self.eye, direction / np.linalg.norm(direction)

    def project(self, points: Any, size: Size) -> np.ndarray:
        """Return where points (..., 3) [m] appear: x, y [pixels] and depth along the view [m], each (..., 3).

        Points behind the camera (depth below zero) have x and y NaN.
        """
        relative = np.asarray(points, float) - self.eye
        seen = relative @ np.array(self.axes).T
        depth = -seen[..., 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.full_like(depth, self.distance) if self.orthographic else depth
            scale = np.where(scale > 0.0, scale, np.nan) * math.tan(0.5 * self.field_of_view)
            x = size[0] * 0.5 + seen[..., 0] / scale * 0.5 * size[1]
            y = size[1] * (0.5 - 0.5 * seen[..., 1] / scale)
        return np.stack([x, y, depth], -1)

    def metres_per_pixel(self, size: Size, depth: float | None = None) -> float:
        """Return the length [m] of a pixel at a depth [m], by default that of the target."""
        if depth is None or self.orthographic:
            depth = self.distance
        return 2.0 * depth * math.tan(0.5 * self.field_of_view) / size[1]

    # ----------------------------------------------------------- movement

    def orbit(self, azimuth: float, elevation: float, pivot: Any = None) -> None:
        """Turn by angles [rad] about a point (3,) [m], by default the target.

        The elevation stops straight above and below.
        """
        limit = 0.5 * math.pi
        turned = math.remainder(self.azimuth + azimuth, 2.0 * math.pi)
        self.look_from(turned, float(np.clip(self.elevation + elevation, -limit, limit)), pivot)

    def look_from(self, azimuth: float, elevation: float, pivot: Any = None) -> None:
        """Look from a direction [rad]; a pivot (3,) [m], by default the target, stays where it appears."""
        point = self.target if pivot is None else np.asarray(pivot, float)
        away = np.array(self.axes) @ (self.target - point)
        self.azimuth, self.elevation = azimuth, elevation
        self.target = point + away @ np.array(self.axes)

    def pan(self, x: float, y: float, size: Size, depth: float | None = None) -> None:
        """Move so that what is at a depth [m], by default the target's, follows the pointer [pixels]."""
        right, up, _ = self.axes
        self.target += (y * up - x * right) * self.metres_per_pixel(size, depth)

    def zoom(self, factor: float) -> None:
        """Divide the distance to the target by a factor."""
        self.distance = float(np.clip(self.distance / factor, 1e-4, 1e6))

    def zoom_to(self, factor: float, x: float, y: float, size: Size, point: Any = None) -> None:
        """Zoom so that what is under the pointer stays there.

        Args:
            factor: above 1 to come nearer.
            x, y: the pointer [pixels].
            size: of the picture.
            point: (3,) [m] the world point there, where it is known (`Renderer.pick`); otherwise the one at
                the depth of the target.
        """
        if point is None:
            point = self.point_under(x, y, size)
        point = np.asarray(point, float)
        before = self.distance
        self.zoom(factor)
        self.target = point + (self.target - point) * (self.distance / before)

    def follow(self, place: Any, previous: Any) -> None:
        """Go along with something that moved from a previous place (3,) [m] to a place (3,) [m]."""
        self.target = self.target + np.asarray(place, float) - np.asarray(previous, float)

    def fit(self, points: Any, size: Size, margin: float = 1.1, free: Area | None = None) -> None:
        """Move, keeping the direction, so that points (n, 3) [m] fill the picture, or a part of it.

        Args:
            points: corners of what is to be seen; nothing happens without any.
            size: of the picture.
            margin: 1 for no room around it.
            free: left, upper, right and lower edge [pixels] of the part; None is the whole.
        """
        points = np.asarray(points, float).reshape(-1, 3)
        if len(points) == 0:
            return
        axes = np.array(self.axes)
        seen = points @ axes.T
        low, high = seen.min(axis=0), seen.max(axis=0)
        # Slopes of the planes that bound the part: to the left and below, and to the right and above.
        first, last = self._slopes(size, margin, free)
        middle = 0.5 * (low + high)
        if self.orthographic:
            distance = float(((high - low)[:2] / (last - first)).max())
            middle[:2] -= 0.5 * distance * (first + last)
        else:
            # Those planes touch the points: two of them give the depth of the eye, all of them its place.
            forward = (seen[:, :2] + seen[:, 2:] * last).max(axis=0)
            backward = (-seen[:, :2] - seen[:, 2:] * first).max(axis=0)
            distance = float(((forward + backward) / (last - first)).max()) - middle[2]
            distance = max(distance, float(high[2] - middle[2]) * 1.05)
            middle[:2] = 0.5 * (forward - backward - (first + last) * (middle[2] + distance))
        self.target = middle @ axes
        self.distance = max(float(distance), 1e-3)

    def _slopes(self, size: Size, margin: float, free: Area | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the slopes (2,) of left and lower, and of right and upper edge of a part of the picture."""
        left, top, right, bottom = free or (0.0, 0.0, float(size[0]), float(size[1]))
        unit = 2.0 * math.tan(0.5 * self.field_of_view) / size[1]  # of a pixel
        first = unit * np.array([left - 0.5 * size[0], 0.5 * size[1] - bottom])
        last = unit * np.array([right - 0.5 * size[0], 0.5 * size[1] - top])
        middle, half = 0.5 * (first + last), 0.5 * (last - first) / margin
        return middle - half, middle + half

    def point_under(self, x: float, y: float, size: Size) -> np.ndarray:
        """Return the point (3,) [m] at a place [pixels], at the depth of the target."""
        origin, direction = self.ray(x, y, size)
        back = self.axes[2]
        return origin + direction * float((self.target - origin) @ back) / float(direction @ back)

    def axis_view(self, number: int, pivot: Any = None) -> None:
        """Look along an axis: 1 front, 2 right, 3 top, 4 back, 5 left, 6 bottom; see `look_from`."""
        self.look_from(*AXIS_VIEWS[number], pivot)

    # -------------------------------------------------------- saved views

    def view(self) -> dict[str, Any]:
        """Return the view as plain values that can be kept in a JSON file."""
        return {
            "target": self.target.tolist(),
            "distance": self.distance,
            "azimuth": self.azimuth,
            "elevation": self.elevation,
            "field_of_view": self.field_of_view,
            "orthographic": self.orthographic,
        }

    def set_view(self, view: Mapping[str, Any]) -> None:
        """Take the values of a saved view.

        Raises:
            ValueError: a value is missing, unknown or no number.
        """
        if set(view) != set(self.view()):
            raise ValueError(f"a view has the values {', '.join(self.view())}; got {', '.join(view)}")
        target = np.array(view["target"], float)
        numbers = [float(view[name]) for name in ("distance", "azimuth", "elevation", "field_of_view")]
        if target.shape != (3,) or not np.isfinite([*target, *numbers]).all():
            raise ValueError(f"a view needs finite numbers and a target of three; got {dict(view)}")
        self.target = target
        self.distance, self.azimuth, self.elevation, self.field_of_view = numbers
        self.orthographic = bool(view["orthographic"])
