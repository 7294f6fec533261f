"""Draw a frame: all bodies by instances, light, shadows, ground and sky, and what is laid over them.

The poses go to the graphics card once per frame, as one array; shapes, sizes and places in their bodies are
there already. Nothing is done per body in Python.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from stoss.collision.shapes.shapes import HalfSpace
from stoss.viewer.drawing import geometry, shaders
from stoss.viewer.drawing.batches import (
    INSTANCE_SIZES,
    LEVELS,
    MESH_SIZES,
    Batch,
    RoundBatch,
    finished,
    instanced,
)
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.gl import Buffer, Framebuffer, Program, Texture, VertexArray, bound_framebuffer, gl
from stoss.viewer.drawing.overlays import OverlayGeometry
from stoss.viewer.drawing.quality import Quality, find_quality
from stoss.viewer.drawing.style import Style, body_colours, group_colours, to_linear
from stoss.viewer.world.frames import Description, Frame

__all__ = ["Hit", "Renderer"]

# Towards the light; and what it and the sky give [parts of white].
_LIGHT = np.array([-0.42, -0.62, 1.05]) / np.linalg.norm([-0.42, -0.62, 1.05])
_LOOK = {
    "light": _LIGHT,
    "light_colour": (1.42, 1.34, 1.22),
    "ambient_above": (0.46, 0.52, 0.62),
    "ambient_below": (0.22, 0.21, 0.20),
    "sky_horizon": (0.90, 0.925, 0.95),
    "sky_zenith": (0.47, 0.63, 0.82),
    "sky_below": (0.68, 0.71, 0.75),
}
# Opacity of bodies that are seen through, and of what is solid.
_GLASS, _SOLID = 0.16, (0.99, 2.0)

_MARKS = ((0.0, 0.0, 0.0), (1.0, 0.82, 0.25), (1.0, 0.45, 0.05))

# The origin of what is drawn is a multiple of that [m], so that single precision suffices everywhere.
_ORIGIN_STEP = 1000.0

# Half-spaces are discs of that many distances between camera and target.
_REACH = 400.0

# Shadows are looked for up to that many distances from the camera.
_SHADOW_DEPTH = 2.5

# Hulls and meshes with at most so many instances are put together into one draw.
_FEW = 2


class Hit(NamedTuple):
    """What is under the pointer.

    Attributes:
        body, shape: rows in the description.
        point: (3,) [m], world, on the surface as it is drawn.
    """

    body: int
    shape: int
    point: np.ndarray


class _LightView(NamedTuple):
    """How the map of a light is seen.

    Attributes:
        matrix: from the world, less the origin, to clip coordinates.
        texel, width: size of a pixel, and of all [m].
        steepness: depth per width, in texture coordinates, of a plane at 45 degrees.
    """

    matrix: np.ndarray
    texel: float
    width: float
    steepness: float


class Renderer:
    """Draws frames of a description into the framebuffer that is bound. A context must be current.

    Args:
        description: what there is.
        quality: "low", "medium" or "high".
    """

    def __init__(self, description: Description, quality: str = "medium") -> None:
        self.quality: Quality = find_quality(quality)
        self._batches: list[Batch | RoundBatch] = []
        self._programs: dict[str, Program] = {}
        self._targets: dict[str, Framebuffer] = {}
        self._textures: dict[str, Texture] = {}
        self._bodies = Buffer(None, gl.GL_TEXTURE_BUFFER)
        self._bodies.fill(np.zeros(12, np.float32))
        self._body_texture = Texture(gl.GL_RGBA32F, buffer=self._bodies)
        self._empty = VertexArray()
        corners = np.array([[0, -1, 0, 0], [1, -1, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]], np.float32)
        self._quad = Buffer(corners)
        self._free: dict[str, Batch] = {}
        self.set_description(description)

    # ------------------------------------------------------------ contents

    def set_description(self, description: Description) -> None:
        """Draw other bodies from now on."""
        for batch in self._batches:
            batch.delete()
        self.description = description
        count = len(description.names)
        self._base_colours: dict[bool, np.ndarray] = {}
        self._finite = np.zeros(count, bool)
        self._radii = np.zeros(count)
        self._batches = self._build_batches(description)
        moving = np.array([kind != "static" for kind in description.kinds], bool) & self._finite
        sizes = self._radii[moving if moving.any() else self._finite]
        self.body_size = 2.0 * float(np.median(sizes)) if len(sizes) else 1.0

    def set_quality(self, name: str) -> None:
        """Draw at another level of quality from now on."""
        self.quality = find_quality(name)
        things: list[Any] = [*self._programs.values(), *self._targets.values(), *self._textures.values()]
        for thing in things:
            thing.delete()
        self._programs, self._targets, self._textures = {}, {}, {}

    def _build_batches(self, description: Description) -> list[Batch | RoundBatch]:
        meshes: dict[object, geometry.Mesh] = {}
        members: dict[object, list[int]] = {}
        known: dict[int, object] = {}  # keys of shapes that occur more than once, by identity
        for row, shape in enumerate(description.shapes):
            key = known.get(id(shape))
            if key is None:
                key, mesh = geometry.shape_mesh(shape, 24)
                known[id(shape)] = key
                meshes.setdefault(key, mesh)
            members.setdefault(key, []).append(row)
            low, high = geometry.local_bounds(shape)
            if np.isfinite(low).all():
                body = int(description.shape_body[row])
                reach = np.linalg.norm(np.maximum(np.abs(low), np.abs(high)))
                far = float(np.linalg.norm(description.shape_position[row]) + reach)
                self._finite[body] = True
                self._radii[body] = max(self._radii[body], far)
        batches: list[Batch | RoundBatch] = []
        few: dict[str, list[tuple[geometry.Mesh, int]]] = {"hull": [], "mesh": []}
        for key, rows in members.items():
            if isinstance(key, tuple) and len(rows) <= _FEW:
                few[key[0]] += [(meshes[key], row) for row in rows]
                continue
            instances = self._instances(description, rows)
            if key in ("sphere", "capsule", "cylinder", "cone"):
                batches.append(RoundBatch(str(key), instances, instances[:, 8:10].max(axis=1)))
                continue
            half_space = key == "half-space"
            batch = instanced(meshes[key], Buffer(instances), INSTANCE_SIZES, len(rows), half_space)
            batch.open = isinstance(key, tuple) and key[0] == "mesh"
            batches.append(batch)
        for kind, of_kind in few.items():
            if of_kind:
                batch = self._merged(description, of_kind)
                batch.open = kind == "mesh"
                batches.append(batch)
        # Planes come last: most of them is hidden by then.
        return sorted(batches, key=lambda batch: batch.half_space)

    def _merged(self, description: Description, few: list[tuple[geometry.Mesh, int]]) -> Batch:
        instances = self._instances(description, [row for _, row in few])
        vertices = np.concatenate(
            [
                np.hstack([mesh.vertices, np.tile(instance, (len(mesh.vertices), 1))])
                for (mesh, _), instance in zip(few, instances, strict=True)
            ]
        )
        first = np.cumsum([0] + [len(mesh.vertices) for mesh, _ in few])
        triangles = np.concatenate(
            [mesh.triangles + np.uint32(k) for (mesh, _), k in zip(few, first, strict=False)]
        )
        buffer, array = Buffer(vertices.astype(np.float32)), VertexArray()
        array.attach(buffer, MESH_SIZES + INSTANCE_SIZES, 0, per_instance=False)
        return finished(array, [buffer], triangles, 0)

    def _choose_levels(self, frame: Frame, camera: Camera, size: Size) -> None:
        """Give round shapes the corners that their size on the screen asks for."""
        round_batches = [batch for batch in self._batches if isinstance(batch, RoundBatch)]
        if not round_batches:
            return
        depth = (camera.eye - frame.positions) @ camera.axes[2] - self._radii
        depth = np.maximum(depth, 0.05 * camera.distance)
        scale = np.full(len(depth), 1.0 / camera.metres_per_pixel(size))
        if not camera.orthographic:
            scale *= camera.distance / depth
        wanted = []
        for batch in round_batches:
            pixels = float((batch.radii * scale[batch.bodies]).max())
            # A side deviates from the circle by radius (1 - cos(pi / corners)).
            corners = np.pi / np.sqrt(2.0 * min(1.0, self.quality.deviation / max(pixels, 1e-9)))
            wanted.append(int(np.searchsorted(LEVELS, min(corners, self.quality.segments))))
        for highest in range(len(LEVELS) - 1, -1, -1):
            for batch, level in zip(round_batches, wanted, strict=True):
                batch.segments = LEVELS[min(level, highest)]
            if sum(batch.triangles(batch.segments) for batch in round_batches) <= self.quality.triangles:
                break

    @staticmethod
    def _instances(description: Description, rows: list[int]) -> np.ndarray:
        """Return a row (13) per shape: place in the body, row of the body, quaternion, sizes, own row."""
        table = np.empty((len(rows), 13), np.float32)
        table[:, :3] = description.shape_position[rows]
        table[:, 3] = description.shape_body[rows]
        table[:, 4:8] = description.shape_quaternion[rows]
        table[:, 8:12] = [geometry.instance_size(description.shapes[row]) for row in rows]
        table[:, 12] = rows
        for place, row in enumerate(rows):
            shape = description.shapes[row]
            if isinstance(shape, HalfSpace):
                turn = description.shape_quaternion[row]
                table[place, :3] += geometry.rotate(turn, np.array(shape.normal) * shape.offset)
                table[place, 4:8] = geometry.product(
                    turn, geometry.fitting_quaternion(np.array(shape.normal))
                )
        return table

    # ------------------------------------------------------------- drawing

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
        origin = self._upload(frame, camera, style)
        self._choose_levels(frame, camera, size)
        self._prepare_state()
        maps = self._draw_maps(frame, camera, size, origin) if self._has_shadows else {}
        if self.quality.samples:
            self._target("picture", size, (gl.GL_RGBA8,), self.quality.samples).bind()
        elif self.quality.smooth:
            self._smooth_target(size).bind()
        else:
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
            gl.glViewport(0, 0, *size)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT | gl.GL_COLOR_BUFFER_BIT)
        matrix = camera.projection_matrix(size) @ camera.view_matrix(origin)
        uniforms = self._camera_uniforms(camera, origin, matrix)
        for unit, (name, (texture, view)) in enumerate(maps.items(), 1):
            texture.bind(unit)
            gl.glActiveTexture(gl.GL_TEXTURE0)
            uniforms |= {f"{name}_map": unit, f"{name}_matrix": _BIAS @ view.matrix}
            if name == "shadow":
                blur = max(1.6 * view.texel, 0.03 * self.body_size)
                inverse = np.linalg.inv((_BIAS @ view.matrix)[:3, :3])
                uniforms |= {"shadow_texel": view.texel, "shadow_blur": blur / view.width}
                uniforms |= {"shadow_normals": inverse.T, "shadow_steepest": 4.0 * view.steepness}
            else:
                reach = 0.45 * self.body_size
                uniforms |= {"ambient_reach": reach, "ambient_blur": reach / view.width}
        self._draw_bodies(uniforms, style)
        self._draw_sky(camera, size)
        if style.see_through:
            self._draw_glass(uniforms, style)
        if style.selected or style.highlighted:
            self._draw_outlines(uniforms, size)
        if overlays is not None:
            self._draw_overlays(overlays, uniforms, origin, camera, size)
        if self.quality.samples:
            self._targets["picture"].copy_to(target)
        elif self.quality.smooth:
            self._smooth(target, size)
        self._leave_state()

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
        target = self._target("still", large, (gl.GL_RGBA8,), 0)
        target.bind()
        if overlays is not None and enlarged > 1:
            wider = overlays.lines.copy()
            wider[:, 3] *= enlarged
            overlays = replace(overlays, lines=wider)
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
        origin = self._upload(frame, camera, style or Style())
        self._choose_levels(frame, camera, size)
        self._prepare_state()
        self._target("pick", (1, 1), (gl.GL_RGBA32F,), 0).bind()
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT | gl.GL_COLOR_BUFFER_BIT)
        # The one pixel is blown up to the whole picture.
        zoom = np.diag([size[0], size[1], 1.0, 1.0])
        zoom[0, 3], zoom[1, 3] = size[0] - 2.0 * x, 2.0 * y - size[1]
        matrix = zoom @ camera.projection_matrix(size) @ camera.view_matrix(origin)
        uniforms = self._camera_uniforms(camera, origin, matrix)
        for batch in self._batches:
            defines = ["PICK"] + ["HALF_SPACE"] * batch.half_space
            self._program("body", defines).use(uniforms)
            batch.draw()
        values = np.empty(4, np.float32)
        gl.glReadPixels(0, 0, 1, 1, gl.GL_RGBA, gl.GL_FLOAT, values.ctypes.data)
        self._leave_state()
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, before)
        shape = int(values[3]) - 1
        if shape < 0:
            return None
        return Hit(int(self.description.shape_body[shape]), shape, origin + values[:3].astype(float))

    def delete(self) -> None:
        """Free everything that was made on the graphics card."""
        things: list[Any] = [*self._batches, *self._free.values(), *self._programs.values()]
        things += [*self._targets.values(), *self._textures.values()]
        things += [self._body_texture, self._bodies, self._empty, self._quad]
        for thing in things:
            thing.delete()

    # ------------------------------------------------------------- insides

    def _upload(self, frame: Frame, camera: Camera, style: Style) -> np.ndarray:
        """Send poses and colours of the bodies; return the origin that they are relative to."""
        count = len(self.description.names)
        if len(frame.positions) != count:
            raise ValueError(
                f"the frame has {len(frame.positions)} bodies, the description {count}; "
                "call set_description first"
            )
        origin = np.round(camera.target / _ORIGIN_STEP) * _ORIGIN_STEP
        table = np.zeros((max(1, count), 12), np.float32)
        table[:count, :3] = frame.positions - origin
        table[:count, 4:8] = frame.quaternions
        vary = style.colour_by == "body"
        if vary not in self._base_colours:
            self._base_colours[vary] = group_colours(self.description, vary)
        table[:count, 8:11] = to_linear(
            body_colours(self.description, frame, style, self._base_colours[vary])
        )
        table[:, 11] = 1.0
        table[list(style.highlighted), 3] = 1.0
        table[list(style.selected), 3] = 2.0
        table[list(style.see_through), 11] = _GLASS
        table[list(style.hidden), 11] = 0.0
        self._bodies.fill(table)
        self._body_texture.bind(0)
        return origin

    @staticmethod
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

    @staticmethod
    def _leave_state() -> None:
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glBindVertexArray(0)
        gl.glUseProgram(0)
        gl.glActiveTexture(gl.GL_TEXTURE0)

    def _target(self, name: str, size: Size, colours: tuple[int, ...], samples: int) -> Framebuffer:
        target = self._targets.get(name)
        if target is None or target.size != size:
            if target is not None:
                target.delete()
            target = self._targets[name] = Framebuffer(size, colours, samples)
        return target

    def _smooth_target(self, size: Size) -> Framebuffer:
        """Return where a picture is drawn before its edges are smoothed."""
        target = self._targets.get("picture")
        if target is None or target.size != size:
            if target is not None:
                target.delete()
                self._textures["picture"].delete()
            texture = self._textures["picture"] = Texture(gl.GL_RGBA8, size)
            target = self._targets["picture"] = Framebuffer(size, (), colour=texture)
        return target

    def _smooth(self, target: int, size: Size) -> None:
        """Copy the picture into a framebuffer and smooth its edges."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
        gl.glViewport(0, 0, *size)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        self._textures["picture"].bind(0)
        self._program("smooth", []).use({"picture": 0, "pixel": (1.0 / size[0], 1.0 / size[1])})
        self._empty.bind()
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)

    def _program(self, kind: str, defines: list[str]) -> Program:
        key = " ".join([kind, *defines])
        if key not in self._programs:
            vertex, fragment = {
                "body": (shaders.BODY_VERTEX, shaders.BODY_FRAGMENT),
                "sky": (shaders.SKY_VERTEX, shaders.SKY_FRAGMENT),
                "smooth": (shaders.WHOLE_VERTEX, shaders.SMOOTH_FRAGMENT),
                "line": (shaders.LINE_VERTEX, shaders.LINE_FRAGMENT),
            }[kind]
            self._programs[key] = Program(vertex, fragment, defines)
        return self._programs[key]

    def _camera_uniforms(self, camera: Camera, origin: np.ndarray, matrix: np.ndarray) -> dict[str, object]:
        spacing, strength = _grid_spacing(camera.distance)
        return _LOOK | {
            "bodies": 0,
            "opacity": _SOLID,
            "view_projection": matrix,
            "eye": camera.eye - origin,
            "back": camera.axes[2],
            "orthographic": float(camera.orthographic),
            "focus": camera.target - origin,
            "reach": _REACH * camera.distance,
            "fade": 12.0 * camera.distance,
            "grid": (spacing, strength),
        }

    @property
    def _has_shadows(self) -> bool:
        return self.quality.shadow_size > 0 and len(self.description.shapes) <= self.quality.shadow_shapes

    def _draw_bodies(self, uniforms: dict[str, object], style: Style) -> None:
        defines = []
        if self._has_shadows:
            defines += shaders.taps("SHADOW", self.quality.shadow_taps)
            if self.quality.ambient_taps:
                defines += shaders.taps("AMBIENT", self.quality.ambient_taps)
        for batch in self._batches:
            program = self._program("body", defines + ["HALF_SPACE"] * batch.half_space)
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

    def _draw_sky(self, camera: Camera, size: Size) -> None:
        right, up, back = camera.axes
        slope = np.tan(0.5 * camera.field_of_view)
        forward = -back
        if camera.orthographic:
            slope = 0.0
            forward = np.array([forward[0], forward[1], 0.0])
        gl.glDisable(gl.GL_CULL_FACE)
        self._program("sky", []).use(
            _LOOK | {"forward": forward, "right": right * slope * size[0] / size[1], "upward": up * slope}
        )
        self._empty.bind()
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)
        gl.glEnable(gl.GL_CULL_FACE)

    def _draw_outlines(self, uniforms: dict[str, object], size: Size) -> None:
        """Draw marked bodies blown up, from behind, so that a rim of them is seen."""
        pixels = max(2.0, size[1] / 300.0)
        program = self._program("body", ["OUTLINE"])
        program.use(
            uniforms | {"opacity": (0.01, 2.0), "outline": (2.0 * pixels / size[0], 2.0 * pixels / size[1])}
        )
        for number, colour in enumerate(_MARKS):
            program.use({f"mark_colours[{number}]": colour})
        gl.glCullFace(gl.GL_FRONT)
        for batch in self._batches:
            if not batch.half_space and not batch.open:
                batch.draw()
        gl.glCullFace(gl.GL_BACK)

    # ------------------------------------------------------------- shadows

    def _draw_maps(
        self, frame: Frame, camera: Camera, size: Size, origin: np.ndarray
    ) -> dict[str, tuple[Texture, _LightView]]:
        """Draw the depth of all bodies seen from the light, and from straight above."""
        wanted = {"shadow": (_LIGHT, self.quality.shadow_size)}
        if self.quality.ambient_taps:
            wanted["ambient"] = (np.array([0.0, 0.0, 1.0]), self.quality.shadow_size // 2)
        maps = {}
        centres = frame.positions[self._finite] - origin
        radii = self._radii[self._finite]
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(1.5, 2.0)
        gl.glEnable(gl.GL_DEPTH_CLAMP)
        for name, (direction, pixels) in wanted.items():
            view = _fit_light(direction, centres, radii, camera, size, origin, pixels)
            if name not in self._textures:
                texture = self._textures[name] = Texture(gl.GL_DEPTH_COMPONENT24, (pixels, pixels))
                texture.compare_depth()
                self._targets[name] = Framebuffer((pixels, pixels), (), depth=texture)
            self._targets[name].bind()
            gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
            self._body_texture.bind(0)
            self._program("body", ["PLAIN"]).use(
                {"bodies": 0, "opacity": _SOLID, "view_projection": view.matrix}
            )
            for batch in self._batches:
                if not batch.half_space:
                    batch.draw(coarse=True)
            maps[name] = (self._textures[name], view)
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glDisable(gl.GL_DEPTH_CLAMP)
        return maps

    # ------------------------------------------------------------ overlays

    def _draw_overlays(
        self,
        overlays: OverlayGeometry,
        uniforms: dict[str, object],
        origin: np.ndarray,
        camera: Camera,
        size: Size,
    ) -> None:
        """Draw lines, arrows and cones: in full where they are seen, faintly where bodies hide them."""
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        for hidden in (True, False):
            gl.glDepthFunc(gl.GL_GREATER if hidden else gl.GL_LEQUAL)
            strength = 0.4 if hidden else 1.0
            for name, table in (("cone", overlays.cones), ("arrow", overlays.arrows)):
                if len(table):
                    values = np.array(table, np.float64)
                    values[:, :3] -= origin
                    values[:, 12:15] = to_linear(values[:, 12:15])
                    values[:, 15] *= strength
                    batch = self._free_batch(name, values.astype(np.float32))
                    self._program("body", ["FREE"]).use(uniforms)
                    batch.draw()
            if len(overlays.lines):
                values = np.array(overlays.lines, np.float64)
                values[:, :3] -= origin
                values[:, 4:7] -= origin
                gl.glDisable(gl.GL_CULL_FACE)
                self._program("line", []).use(
                    {
                        "view_projection": uniforms["view_projection"],
                        "size": (float(size[0]), float(size[1])),
                        "nearest": 0.5 if camera.orthographic else 0.01 * camera.distance,
                        "strength": strength,
                    }
                )
                self._line_batch(values.astype(np.float32))
                gl.glEnable(gl.GL_CULL_FACE)

    def _free_batch(self, name: str, values: np.ndarray) -> Batch:
        batch = self._free.get(name)
        if batch is None:
            mesh = geometry.arrow(16) if name == "arrow" else geometry.unit_mesh("cone", 24)
            batch = self._free[name] = instanced(mesh, Buffer(values), (4, 4, 4, 4), len(values))
        batch.buffers[1].fill(values)
        batch.instances = len(values)
        return batch

    def _line_batch(self, values: np.ndarray) -> None:
        batch = self._free.get("line")
        if batch is None:
            array, buffer = VertexArray(), Buffer(values)
            array.attach(self._quad, (4,), 0, per_instance=False)
            array.attach(buffer, (4, 3, 4), 1, per_instance=True)
            batch = self._free["line"] = Batch(array, [buffer], 4, 0)
        batch.buffers[0].fill(values)
        batch.array.bind()
        gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, len(values))


# From clip coordinates (-1 to 1) to those of a texture (0 to 1).
_BIAS = np.array([[0.5, 0.0, 0.0, 0.5], [0.0, 0.5, 0.0, 0.5], [0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.0, 1.0]])


def _grid_spacing(distance: float) -> tuple[float, float]:
    """Return the spacing [m] of the finer lines of the grid and their strength, less from farther away."""
    level = np.log10(distance / 8.0)
    finer = np.floor(level)
    return float(10.0**finer), float(1.0 - (level - finer)) * 0.75


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
    half = float(0.5 * (high - low)[:2].max()) * 1.02
    half = float(2.0 ** (np.ceil(8.0 * np.log2(max(half, 1e-6))) / 8.0))
    texel = 2.0 * half / pixels
    middle = np.round(0.5 * (low + high)[:2] / texel) * texel
    depth_middle, depth_half = 0.5 * (low[2] + high[2]), max(0.5 * (high[2] - low[2]), 1e-6) * 1.02
    scale = np.array([1.0 / half, 1.0 / half, -1.0 / depth_half])
    matrix = np.eye(4)
    matrix[:3, :3] = scale[:, None] * axes
    matrix[:3, 3] = -scale * np.array([*middle, depth_middle])
    return _LightView(matrix, texel, 2.0 * half, half / depth_half)
