"""Draw a frame: all bodies by instances, light, shadows, ground and sky, and what is laid over them."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stoss.viewer.drawing import shaders
from stoss.viewer.drawing.bodies import Bodies
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.gl import Framebuffer, VertexArray, bound_framebuffer, gl
from stoss.viewer.drawing.marks import OverlayGeometry
from stoss.viewer.drawing.overlay_batches import OverlayBatches
from stoss.viewer.drawing.programs import Programs
from stoss.viewer.drawing.quality import Quality, find_quality
from stoss.viewer.drawing.shadows import SOLID, ShadowMaps
from stoss.viewer.drawing.sky import LOOK, draw_sky
from stoss.viewer.drawing.style import Style
from stoss.viewer.drawing.targets import Targets
from stoss.viewer.world.frames import Description, Frame

__all__ = ["Hit", "Renderer"]

# Colours of the rims of bodies: of none, of those that are highlighted, of those that are selected; around
# these a dark rim, so that they are seen on bodies of any colour.
_MARKS = ((0.0, 0.0, 0.0), (1.0, 0.08, 0.55), (1.0, 0.45, 0.05))
_RIM, _RIM_WIDTH = (0.05, 0.05, 0.07), 1.8  # its colour, and width in widths of a mark

# Half-spaces are discs of that many distances between camera and target.
_REACH = 400.0


class Hit(NamedTuple):
    """What is under the pointer.

    Attributes:
        body, shape: rows in the description.
        point: (3,) [m], world, on the surface as it is drawn.
    """

    body: int
    shape: int
    point: np.ndarray


class Renderer:
    """Draws frames of a description into the framebuffer that is bound. A context must be current.

    Args:
        description: what there is.
        quality: "low", "medium" or "high".
    """

    def __init__(self, description: Description, quality: str = "medium") -> None:
        self.quality: Quality = find_quality(quality)
        self._programs = Programs()
        self._targets = Targets()
        self._shadows = ShadowMaps()
        self._overlays = OverlayBatches()
        self._empty = VertexArray()
        self._bodies = Bodies(description)

    @property
    def description(self) -> Description:
        """Return what there is."""
        return self._bodies.description

    def set_description(self, description: Description) -> None:
        """Draw other bodies from now on."""
        self._bodies.set_description(description)

    def set_quality(self, name: str) -> None:
        """Draw at another level of quality from now on."""
        self.quality = find_quality(name)
        for things in (self._programs, self._targets, self._shadows):
            things.delete()

    def draw(
        self,
        frame: Frame,
        camera: Camera,
        size: Size,
        style: Style | None = None,
        overlays: OverlayGeometry | None = None,
    ) -> None:
        """Draw a frame over the whole of the framebuffer that is bound.

        Args:
            frame: of the present description.
            camera: where it is seen from.
            size: width and height of the framebuffer [pixels].
            style: colours and marks.
            overlays: what is laid over the bodies.
        """
        style = style or Style()
        target = bound_framebuffer()
        origin = self._begin(frame, camera, size, style)
        shadows = self._draw_shadows(frame, camera, size, origin)
        if self.quality.samples:
            self._targets.find("picture", size, gl.GL_RGBA8, self.quality.samples).bind()
        elif self.quality.smooth:
            self._targets.find_smooth(size).bind()
        else:
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
            gl.glViewport(0, 0, *size)
        if style.background is not None:
            gl.glClearColor(*style.background, 1.0)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT | gl.GL_COLOR_BUFFER_BIT)
        matrix = camera.projection_matrix(size) @ camera.view_matrix(origin)
        uniforms = _camera_uniforms(camera, origin, matrix) | shadows
        self._draw_bodies(uniforms, style)
        if style.background is None:
            draw_sky(self._programs, self._empty, camera, size)
        if style.see_through or style.opacity:
            self._draw_glass(uniforms, style)
        if style.selected or style.highlighted:
            self._draw_outlines(uniforms, size)
        if overlays is not None:
            self._overlays.draw(self._programs, overlays, uniforms, origin, camera, size)
        if self.quality.samples:
            self._targets.find("picture", size, gl.GL_RGBA8, self.quality.samples).copy_to(target)
        elif self.quality.smooth:
            self._targets.smooth(self._programs, self._empty, target, size)
        _leave_state()

    def picture(
        self,
        frame: Frame,
        camera: Camera,
        size: Size,
        style: Style | None = None,
        overlays: OverlayGeometry | None = None,
        enlarged: int = 1,
    ) -> np.ndarray:
        """Return a picture (height, width, 3) uint8, drawn apart from what is on the screen.

        Args:
            frame, camera, size, style, overlays: as for `draw`.
            enlarged: draw that many times as large and average, for finer edges.
        """
        large = (size[0] * enlarged, size[1] * enlarged)
        before = bound_framebuffer()
        target = self._targets.find("still", large, gl.GL_RGBA8)
        target.bind()
        if overlays is not None and enlarged > 1:
            lines, halos = overlays.lines.copy(), overlays.halos.copy()
            lines[:, 3] *= enlarged
            halos[:, 3] *= enlarged
            overlays = replace(overlays, lines=lines, halos=halos)
        self.draw(frame, camera, large, style, overlays)
        pixels = self.read_pixels(large)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, before)
        if enlarged > 1:
            blocks = pixels.reshape(size[1], enlarged, size[0], enlarged, 3)
            pixels = (blocks.mean(axis=(1, 3)) + 0.5).astype(np.uint8)
        return pixels

    @staticmethod
    def read_pixels(size: Size) -> np.ndarray:
        """Return the framebuffer that is bound, as (height, width, 3) uint8 from the top down."""
        pixels = np.empty((size[1], size[0], 4), np.uint8)
        gl.glReadPixels(0, 0, *size, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data)
        return np.ascontiguousarray(pixels[::-1, :, :3])

    def pick(
        self, frame: Frame, camera: Camera, size: Size, x: float, y: float, style: Style | None = None
    ) -> Hit | None:
        """Return what is seen at a place in the picture, or None where it is the sky.

        Args:
            frame, camera, size: as for `draw`.
            x, y: the place [pixels] from the left upper corner.
            style: for bodies that are hidden.
        """
        before = bound_framebuffer()
        origin = self._begin(frame, camera, size, style or Style())
        self._targets.find("pick", (1, 1), gl.GL_RGBA32F).bind()
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT | gl.GL_COLOR_BUFFER_BIT)
        # The one pixel is blown up to the whole picture.
        zoom = np.diag([size[0], size[1], 1.0, 1.0])
        zoom[0, 3], zoom[1, 3] = size[0] - 2.0 * x, 2.0 * y - size[1]
        matrix = zoom @ camera.projection_matrix(size) @ camera.view_matrix(origin)
        uniforms = _camera_uniforms(camera, origin, matrix)
        for batch in self._bodies.batches:
            if batch.pickable:
                self._programs.find("body", ("PICK", *batch.defines)).use(uniforms)
                batch.draw()
        values = np.empty(4, np.float32)
        gl.glReadPixels(0, 0, 1, 1, gl.GL_RGBA, gl.GL_FLOAT, values.ctypes.data)
        _leave_state()
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, before)
        shape = int(values[3]) - 1
        if shape < 0:
            return None
        return Hit(int(self.description.shape_body[shape]), shape, origin + values[:3].astype(float))

    def measure(
        self, frame: Frame, camera: Camera, size: Size, style: Style | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what the rays through the middles of all pixels meet, from the left upper corner.

        Args:
            frame, camera, size: as for `draw`.
            style: for bodies that are hidden.

        Returns:
            Points (h, w, 3) [m] and unit normals (h, w, 3), world, and rows (h, w) of shapes, -1 for the sky.
        """
        before = bound_framebuffer()
        origin = self._begin(frame, camera, size, style or Style())
        # Rounder than a picture needs it: as round as this many shapes may be.
        self._bodies.choose_levels(frame, camera, size, replace(self.quality, deviation=1e-6))
        target = Framebuffer(size, (gl.GL_RGBA32F, gl.GL_RGBA32F))
        try:
            target.bind()
            gl.glClearColor(0.0, 0.0, 0.0, 0.0)
            gl.glClear(gl.GL_DEPTH_BUFFER_BIT | gl.GL_COLOR_BUFFER_BIT)
            matrix = camera.projection_matrix(size) @ camera.view_matrix(origin)
            uniforms = _camera_uniforms(camera, origin, matrix)
            for batch in self._bodies.batches:
                if batch.pickable:
                    self._programs.find("body", ("PICK", "NORMALS", *batch.defines)).use(uniforms)
                    batch.draw()
            tables = []
            for number in range(2):
                values = np.empty((size[1], size[0], 4), np.float32)
                gl.glReadBuffer(gl.GL_COLOR_ATTACHMENT0 + number)
                gl.glReadPixels(0, 0, *size, gl.GL_RGBA, gl.GL_FLOAT, values.ctypes.data)
                tables.append(values[::-1].astype(float))
        finally:
            _leave_state()
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, before)
            target.delete()
        (places, normals), shapes = tables, tables[0][..., 3].astype(int) - 1
        return places[..., :3] + origin, normals[..., :3], shapes

    def delete(self) -> None:
        """Free everything that was made on the graphics card."""
        for things in (
            *(self._bodies, self._overlays, self._programs, self._targets, self._shadows),
            self._empty,
        ):
            things.delete()

    def _begin(self, frame: Frame, camera: Camera, size: Size, style: Style) -> np.ndarray:
        """Send a frame to the graphics card; return the origin (3,) [m] that all is drawn relative to."""
        origin = self._bodies.upload(frame, camera, style)
        self._bodies.choose_levels(frame, camera, size, self.quality)
        _prepare_state()
        return origin

    @property
    def _has_shadows(self) -> bool:
        return self.quality.shadow_size > 0 and len(self.description.shapes) <= self.quality.shadow_shapes

    def _draw_shadows(
        self, frame: Frame, camera: Camera, size: Size, origin: np.ndarray
    ) -> dict[str, object]:
        """Draw the maps of the shadows, if there are to be any; return what programs need to read them."""
        if not self._has_shadows:
            return {}
        return self._shadows.draw(self._programs, self._bodies, self.quality, frame, camera, size, origin)

    def _draw_bodies(self, uniforms: dict[str, object], style: Style) -> None:
        defines = []
        if self._has_shadows:
            defines += shaders.taps("SHADOW", self.quality.shadow_taps)
            if self.quality.ambient_taps:
                defines += shaders.taps("AMBIENT", self.quality.ambient_taps)
            if self.quality.shadow_taps > 1:
                defines.append("TURNED_TAPS")
        for batch in self._bodies.batches:
            program = self._programs.find("body", [*defines, *batch.defines])
            program.use(uniforms | {"grid_shown": float(style.grid)})
            batch.draw()

    def _draw_glass(self, uniforms: dict[str, object], style: Style) -> None:
        """Draw bodies that are seen through, first their far sides, then the near ones."""
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        for side in (gl.GL_FRONT, gl.GL_BACK):
            gl.glCullFace(side)
            self._draw_bodies(uniforms | {"opacity": (0.01, 0.99)}, style)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_BLEND)

    def _draw_outlines(self, uniforms: dict[str, object], size: Size) -> None:
        """Draw marked bodies blown up, from behind, so that a rim of them is seen."""
        program = self._programs.find("body", ["OUTLINE"])
        gl.glCullFace(gl.GL_FRONT)
        for width, colours in ((_RIM_WIDTH, (_RIM,) * len(_MARKS)), (1.0, _MARKS)):
            pixels = width * max(2.0, size[1] / 300.0)
            ends = (2.0 * pixels / size[0], 2.0 * pixels / size[1])
            program.use(uniforms | {"opacity": (0.01, 2.0), "outline": ends})
            for number, colour in enumerate(colours):
                program.use({f"mark_colours[{number}]": colour})
            for batch in self._bodies.batches:
                if not batch.half_space and not batch.open:
                    batch.draw()
        gl.glCullFace(gl.GL_BACK)


def _prepare_state() -> None:
    gl.glEnable(gl.GL_DEPTH_TEST)
    gl.glDepthFunc(gl.GL_LEQUAL)
    gl.glDepthMask(gl.GL_TRUE)
    gl.glEnable(gl.GL_CULL_FACE)
    gl.glCullFace(gl.GL_BACK)
    gl.glDisable(gl.GL_BLEND)
    gl.glDisable(gl.GL_SCISSOR_TEST)
    gl.glEnable(gl.GL_MULTISAMPLE)
    gl.glClearColor(0.0, 0.0, 0.0, 1.0)


def _leave_state() -> None:
    gl.glDisable(gl.GL_DEPTH_TEST)
    gl.glDisable(gl.GL_CULL_FACE)
    gl.glDisable(gl.GL_BLEND)
    gl.glDepthMask(gl.GL_TRUE)
    gl.glBindVertexArray(0)
    gl.glUseProgram(0)
    gl.glActiveTexture(gl.GL_TEXTURE0)


def _camera_uniforms(camera: Camera, origin: np.ndarray, matrix: np.ndarray) -> dict[str, object]:
    spacing, strength = _grid_spacing(camera.distance)
    return LOOK | {
        "bodies": 0,
        "opacity": SOLID,
        "view_projection": matrix,
        "eye": camera.eye - origin,
        "back": camera.axes[2],
        "orthographic": float(camera.orthographic),
        "focus": camera.target - origin,
        "reach": _REACH * camera.distance,
        "fade": 12.0 * camera.distance,
        "grid": (spacing, strength),
    }


def _grid_spacing(distance: float) -> tuple[float, float]:
    """Return the spacing [m] of the finer lines of the grid and their strength, less from farther away."""
    level = np.log10(distance / 8.0)
    finer = np.floor(level)
    return float(10.0**finer), float(1.0 - (level - finer)) * 0.75
