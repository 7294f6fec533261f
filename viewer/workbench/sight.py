"""Where a workbench looks from: fitting, turning, following a body, and views that are kept."""

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from stoss.viewer.drawing.framing import framing_points, scene_points
from stoss.viewer.drawing.looks import check_look
from stoss.viewer.workbench.saved_views import SavedViews, View

if TYPE_CHECKING:
    from stoss.viewer.workbench.workbench import Workbench

__all__ = ["Sight"]

# Corners [m] of what is looked at where nothing is built yet.
_EMPTY = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-0.3, 1.0)])


class Sight:
    """Move the camera of a workbench.

    Args:
        bench: the workbench, whose camera, picture and selection it is about.

    Attributes:
        following: whether the camera goes along with the selected body.
        views: saved views of the camera by name.
        lasting_views: where they outlast the window; None: nowhere.
    """

    def __init__(self, bench: "Workbench") -> None:
        self._bench = bench
        self.following = False
        self.views: dict[str, View] = {}
        self.lasting_views: SavedViews | None = None
        self._followed: np.ndarray | None = None  # where the body was in the last picture
        self._along_axis = False  # whether it lacks perspective because it looks along an axis

    def begin(self) -> None:
        """Look at the world as its scene asks for, from a distance at which all of it is in the picture."""
        bench = self._bench
        self._read_views()
        scene = bench.scene
        if scene is not None:
            azimuth, elevation = scene.view
            bench.camera.azimuth, bench.camera.elevation = math.radians(azimuth), math.radians(elevation)
        self.fit()
        if bench.first_view is not None:
            camera, is_to_be_fitted = check_look("view", bench.first_view)
            bench.camera.set_view(camera.view())
            bench.first_view = None
            if is_to_be_fitted:
                self.fit()
        if scene is not None and scene.follow and bench.row(scene.follow) >= 0:
            bench.select(scene.follow)  # last: what is selected is what is fitted
            self.following = True

    # ------------------------------------------------------------- following

    def toggle_follow(self) -> None:
        """Let the camera go along with the selected body, or stay."""
        self.following = bool(self._bench.selected_body) and not self.following

    def forget_place(self) -> None:
        """Follow from where the body is in the next picture, not from where another one was."""
        self._followed = None

    def follow(self) -> None:
        """Go along with the selected body since the last picture, if that is wanted."""
        bench = self._bench
        if not self.following or bench.selected_row < 0:
            self._followed = None
            return
        place = bench.view.frame.positions[bench.selected_row]
        if self._followed is not None:
            bench.camera.follow(place, self._followed)
        self._followed = place

    # ------------------------------------------------------------- fitting and turning

    def fit(self) -> None:
        """Fit the selected body, or all bodies that move, into what is free of panels."""
        bench = self._bench
        corners = self._corners(bench.selected_row)
        if not len(corners) and bench.project.draft is not None:
            corners = _EMPTY  # where something will be built
        bench.camera.fit(corners, bench.size, free=bench.free)

    def bring_into_view(self, body: str) -> None:
        """Fit all bodies into what is free of panels, unless a body is in there already."""
        bench = self._bench
        row = bench.row(body)
        left, top, right, bottom = self._free
        seen = bench.camera.project(self._corners(row), bench.size) if row >= 0 else np.zeros((0, 3))
        x, y = seen[:, 0], seen[:, 1]
        if not ((x > left) & (x < right) & (y > top) & (y < bottom)).all():
            corners = np.concatenate([self._corners(-1), self._corners(row)])
            bench.camera.fit(corners, bench.size, margin=1.5, free=bench.free)

    @property
    def _free(self) -> tuple[float, float, float, float]:
        """Return the edges [pixels] of what is free of panels."""
        width, height = self._bench.size
        return self._bench.free or (0.0, 0.0, float(width), float(height))

    @property
    def pivot(self) -> np.ndarray:
        """Return the point (3,) [m] about which the camera turns: in the middle of what is free of panels."""
        left, top, right, bottom = self._free
        return self._bench.camera.point_under(0.5 * (left + right), 0.5 * (top + bottom), self._bench.size)

    def turn(self, azimuth: float, elevation: float) -> None:
        """Turn the camera by angles [rad]; one that looked along an axis has its perspective again."""
        camera = self._bench.camera
        if self._along_axis:
            camera.orthographic, self._along_axis = False, False
        camera.orbit(azimuth, elevation, self.pivot)

    def axis_view(self, number: int) -> None:
        """Look along an axis, without perspective; see `Camera.axis_view`."""
        camera = self._bench.camera
        if not camera.orthographic:
            camera.orthographic = self._along_axis = True
        camera.axis_view(number, self.pivot)

    def toggle_perspective(self) -> None:
        """Draw with perspective, or without."""
        camera = self._bench.camera
        camera.orthographic, self._along_axis = not camera.orthographic, False

    def _corners(self, row: int) -> np.ndarray:
        """Return corners (k, 3) [m] of the boxes about a body, or about all that moves for -1."""
        description, frame = self._bench.view.description, self._bench.view.frame
        if row < 0:
            return framing_points(description, frame)
        own = np.flatnonzero(description.shape_body == row)
        description = dataclasses.replace(
            description,
            shapes=tuple(description.shapes[k] for k in own),
            shape_body=description.shape_body[own],
            shape_position=description.shape_position[own],
            shape_quaternion=description.shape_quaternion[own],
        )
        return scene_points(description, frame)

    # ------------------------------------------------------------- views that are kept

    def save_view(self, name: str) -> None:
        """Keep the present view under a name."""
        self.views[name] = self._bench.camera.view()
        self._write_views()

    def save_next_view(self) -> None:
        """Keep the present view under the next number."""
        number = 1
        while f"view {number}" in self.views:
            number += 1
        name = f"view {number}"
        self.save_view(name)
        self._bench.tell(f"kept as {name}, see the menu Views")

    def load_view(self, name: str) -> None:
        """Return to a saved view."""
        if name in self.views:
            self._bench.camera.set_view(self.views[name])
            self._along_axis = False

    def forget_view(self, name: str) -> None:
        """Remove a saved view."""
        if self.views.pop(name, None) is not None:
            self._write_views()

    def _read_views(self) -> None:
        """Take the views that were saved for the scene."""
        if self.lasting_views is not None:
            scene = self._bench.scene
            if scene is not None:
                self.lasting_views.place = scene.name
            self.views = self.lasting_views.read()
            self._tell_trouble(self.lasting_views)

    def _write_views(self) -> None:
        if self.lasting_views is not None:
            self.lasting_views.write(self.views)
            self._tell_trouble(self.lasting_views)

    def _tell_trouble(self, views: SavedViews) -> None:
        if views.trouble:
            self._bench.tell(views.trouble)
