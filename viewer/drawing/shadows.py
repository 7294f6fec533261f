"""Shadows: maps of depth, seen from the light and from straight above."""

from typing import NamedTuple

import numpy as np

from stoss.viewer.drawing.bodies import Bodies
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.gl import Framebuffer, Texture, gl
from stoss.viewer.drawing.programs import Programs
from stoss.viewer.drawing.quality import Quality
from stoss.viewer.drawing.sky import LIGHT
from stoss.viewer.world.frames import Frame

__all__ = ["SOLID", "ShadowMaps"]

# Shadows are looked for up to that many distances from the camera.
_SHADOW_DEPTH = 2.5

# A map is so many times as wide as what is in it: shadows fade out near its edges.
_MARGIN = 1.05

# Opacity, from and to, of what is solid; nothing else throws shadows.
SOLID = (0.99, 2.0)

# From clip coordinates (-1 to 1) to those of a texture (0 to 1).
_BIAS = np.array([[0.5, 0.0, 0.0, 0.5], [0.0, 0.5, 0.0, 0.5], [0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.0, 1.0]])


class _LightView(NamedTuple):
    """How the map of a light is seen.

    Attributes:
        matrix: from the world, less the origin, to clip coordinates.
        texel, width, depth: size of a pixel, and of all [m].
        steepness: depth per width, in texture coordinates, of a plane at 45 degrees.
    """

    matrix: np.ndarray
    texel: float
    width: float
    depth: float
    steepness: float


class ShadowMaps:
    """The maps "shadow", from the light, and "ambient", from above, which darkens what lies below others."""

    def __init__(self) -> None:
        self._textures: dict[str, Texture] = {}
        self._targets: dict[str, Framebuffer] = {}

    def draw(
        self,
        programs: Programs,
        bodies: Bodies,
        quality: Quality,
        frame: Frame,
        camera: Camera,
        size: Size,
        origin: np.ndarray,
    ) -> dict[str, object]:
        """Draw the depth of all bodies into the maps; return what programs need to read them."""
        wanted = {"shadow": (LIGHT, quality.shadow_size)}
        if quality.ambient_taps:
            wanted["ambient"] = (np.array([0.0, 0.0, 1.0]), quality.shadow_size // 2)
        views: dict[str, _LightView] = {}
        centres = frame.positions[bodies.finite] - origin
        radii = bodies.radii[bodies.finite]
        gl.glEnable(gl.GL_DEPTH_CLAMP)
        for name, (direction, pixels) in wanted.items():
            view = views[name] = _fit_light(direction, centres, radii, camera, size, origin, pixels)
            self._target(name, pixels).bind()
            gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
            bodies.bind()
            programs.find("body", ["PLAIN"]).use(
                {"bodies": 0, "opacity": SOLID, "view_projection": view.matrix}
            )
            for batch in bodies.batches:
                if not batch.half_space:
                    batch.draw(coarse=True)
        gl.glDisable(gl.GL_DEPTH_CLAMP)
        return self._uniforms(views, bodies.size)

    def _target(self, name: str, pixels: int) -> Framebuffer:
        if name not in self._textures:
            texture = self._textures[name] = Texture(gl.GL_DEPTH_COMPONENT24, (pixels, pixels))
            if name == "shadow":
                texture.compare_depth()
            self._targets[name] = Framebuffer((pixels, pixels), (), depth=texture)
        return self._targets[name]

    def _uniforms(self, views: dict[str, _LightView], body_size: float) -> dict[str, object]:
        """Bind the maps behind the table of bodies; return where they are and how wide they are blurred."""
        uniforms: dict[str, object] = {}
        for unit, (name, view) in enumerate(views.items(), 1):
            self._textures[name].bind(unit)
            gl.glActiveTexture(gl.GL_TEXTURE0)
            uniforms |= {f"{name}_map": unit, f"{name}_matrix": _BIAS @ view.matrix}
            if name == "shadow":
                blur = max(1.6 * view.texel, 0.03 * body_size)
                inverse = np.linalg.inv((_BIAS @ view.matrix)[:3, :3])
                uniforms |= {"shadow_texel": view.texel, "shadow_blur": blur / view.width}
                uniforms |= {"shadow_normals": inverse.T, "shadow_steepest": 4.0 * view.steepness}
            else:
                reach = 0.45 * body_size
                uniforms |= {"ambient_reach": reach, "ambient_blur": reach / view.width}
                uniforms |= {"ambient_depth": view.depth}
        return uniforms

    def delete(self) -> None:
        """Free the maps; they are made anew when they are drawn again."""
        for target in self._targets.values():
            target.delete()
        for texture in self._textures.values():
            texture.delete()
        self._textures, self._targets = {}, {}


def _fit_light(
    direction: np.ndarray,
    centres: np.ndarray,
    radii: np.ndarray,
    camera: Camera,
    size: Size,
    origin: np.ndarray,
    pixels: int,
) -> _LightView:
    """Return the view from a far light of those bodies whose shadows may be in the picture.

    Args:
        direction: (3,) towards the light.
        centres, radii: (n, 3), (n,) [m] balls about the bodies, relative to the origin.
        camera, size: of the picture.
        origin: (3,) [m].
        pixels: edge of the map.
    """
    side = np.cross([0.0, 1.0, 0.0], direction)
    side /= np.linalg.norm(side)
    axes = np.array([side, np.cross(direction, side), direction])
    low, high = np.full(3, -1.0), np.full(3, 1.0)
    if len(centres):
        seen = centres @ axes.T
        low, high = (seen - radii[:, None]).min(axis=0), (seen + radii[:, None]).max(axis=0)
    # Only what the camera sees within some distances matters across the light.
    right, up, back = camera.axes
    slope = np.tan(0.5 * camera.field_of_view)
    corners = []
    for depth in (-1.0, _SHADOW_DEPTH) if camera.orthographic else (0.0, _SHADOW_DEPTH):
        reach = (1.0 if camera.orthographic else depth) * slope * camera.distance
        for x in (-1.0, 1.0):
            for y in (-1.0, 1.0):
                shift = x * reach * size[0] / size[1] * right + y * reach * up
                corners.append(camera.eye - origin - depth * camera.distance * back + shift)
    view = np.array(corners) @ axes.T
    inner_low, inner_high = np.maximum(low, view.min(axis=0))[:2], np.minimum(high, view.max(axis=0))[:2]
    if (inner_high > inner_low).all():
        low[:2], high[:2] = inner_low, inner_high
    # Sizes and places in steps, so that shadows do not flicker while bodies move.
    half = float(0.5 * (high - low)[:2].max()) * _MARGIN
    half = float(2.0 ** (np.ceil(8.0 * np.log2(max(half, 1e-6))) / 8.0))
    texel = 2.0 * half / pixels
    middle = np.round(0.5 * (low + high)[:2] / texel) * texel
    depth_middle, depth_half = 0.5 * (low[2] + high[2]), max(0.5 * (high[2] - low[2]), 1e-6) * 1.02
    scale = np.array([1.0 / half, 1.0 / half, -1.0 / depth_half])
    matrix = np.eye(4)
    matrix[:3, :3] = scale[:, None] * axes
    matrix[:3, 3] = -scale * np.array([*middle, depth_middle])
    return _LightView(matrix, texel, 2.0 * half, 2.0 * depth_half, half / depth_half)
