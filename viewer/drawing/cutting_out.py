"""Pictures with bodies alone: what is ground and sky elsewhere is transparent."""

from dataclasses import replace

import numpy as np

from stoss.collision.shapes.shapes import HalfSpace
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.marks import OverlayGeometry
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.drawing.style import Style
from stoss.viewer.world.frames import Description, Frame

__all__ = ["cut_out"]


def cut_out(
    renderer: Renderer,
    frame: Frame,
    camera: Camera,
    size: Size,
    style: Style,
    overlays: OverlayGeometry | None = None,
    enlarged: int = 1,
) -> np.ndarray:
    """Return a picture (height, width, 4) uint8 without ground and sky, the last number being the opacity.

    It is drawn on black and on white: the difference tells how much of the ground each pixel lets through, so
    edges are smooth, and glass is half transparent.

    Args:
        renderer, frame, camera, size, style, overlays, enlarged: as for `Renderer.picture`.
    """
    bare = replace(style, hidden=(*style.hidden, *_endless(renderer.description)))
    black, white = (
        renderer.picture(
            frame, camera, size, replace(bare, background=(shade,) * 3), overlays, enlarged
        ).astype(float)
        for shade in (0.0, 1.0)
    )
    opacity = np.clip(1.0 - (white - black).mean(axis=2, keepdims=True) / 255.0, 0.0, 1.0)
    colour = np.clip(black / np.maximum(opacity, 1.0 / 255.0), 0.0, 255.0)
    return (np.concatenate([colour, 255.0 * opacity], axis=2) + 0.5).astype(np.uint8)


def _endless(description: Description) -> tuple[int, ...]:
    """Return the rows of bodies of half-spaces alone."""
    without_end = np.array([isinstance(shape, HalfSpace) for shape in description.shapes], bool)
    bodies = description.shape_body
    return tuple(sorted({*bodies[without_end].tolist()} - {*bodies[~without_end].tolist()}))
