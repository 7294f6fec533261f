"""Marks where a model is built: joints have glyphs, markers their axes, the ground a grid."""

import numpy as np

from stoss.collision.shapes.shapes import HalfSpace
from stoss.engine.model.editing import names_of
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.geometry import rotate
from stoss.viewer.drawing.ground_grid import ground_grid
from stoss.viewer.drawing.joint_glyphs import glyph_geometry
from stoss.viewer.drawing.marks import OverlayGeometry, lines, outlined, points
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.places import place_of
from stoss.viewer.world.view import View

__all__ = ["build_marks", "marker_geometry"]

_GLYPH_SIZE = 0.045  # of joints, half their width, in parts of the distance to what is looked at

_AXES = ((0.84, 0.20, 0.18, 1.0), (0.16, 0.62, 0.30, 1.0), (0.16, 0.38, 0.88, 1.0))
_SELECTED = (1.0, 0.60, 0.10, 1.0)
_MOST = 200  # markers that are marked


def build_marks(view: View, camera: Camera, focus: Focus) -> OverlayGeometry:
    """Return all marks; that of what is looked at stands out."""
    size = _GLYPH_SIZE * camera.distance
    joint, marker = (focus.name if focus.section == one else "" for one in ("joints", "markers"))
    shown = glyph_geometry(view.description, view.frame, size, joint) + marker_geometry(view, size, marker)
    if any(isinstance(shape, HalfSpace) for shape in view.description.shapes):
        return shown
    return ground_grid(camera.target, camera.distance) + shown


def marker_geometry(view: View, size: float, selected: str) -> OverlayGeometry:
    """Return marks of the markers whose places are known.

    Args:
        view: what is seen.
        size: length of their axes [m].
        selected: name of the one that is selected, "" for none.
    """
    if view.draft is None:
        return OverlayGeometry()
    tables, names = [], []
    for name in names_of(view.draft.sound, "markers")[:_MOST]:
        place = place_of(view, Focus("markers", name))
        if place is None:
            continue
        origin, turn = np.array(place[0]), np.array(place[1])
        for axis, colour in enumerate(_AXES):
            tip = origin + rotate(turn, size * np.eye(3)[axis])
            tables.append(lines(origin[None], tip[None], colour, 2.0))
        chosen = name == selected
        tables.append(points(origin[None], _SELECTED if chosen else _AXES[2], 10.0 if chosen else 6.0))
        names.append((name, origin))
    if not tables:
        return OverlayGeometry()
    made = outlined(np.concatenate(tables))
    made.labels = names
    return made
