"""The user's own lines, arrows, points and texts, as what overlays are made of."""

from stoss.viewer.drawing.marks import OverlayGeometry, arrows
from stoss.viewer.world.canvas import Marks

__all__ = ["debug_geometry"]


def debug_geometry(marks: Marks) -> OverlayGeometry:
    """Return marks of the user's own as overlays."""
    vectors = marks.arrows
    shafts = arrows(vectors[:, :3], vectors[:, 4:7], vectors[:, 7:], vectors[:, 3])
    return OverlayGeometry(marks.lines, shafts, texts=list(marks.texts))
