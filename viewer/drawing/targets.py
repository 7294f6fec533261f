"""Where a renderer draws to before a picture is finished: framebuffers by name; and smoothing of edges."""

from stoss.viewer.drawing.camera import Size
from stoss.viewer.drawing.gl import Framebuffer, Texture, VertexArray, gl
from stoss.viewer.drawing.programs import Programs

__all__ = ["Targets"]


class Targets:
    """Framebuffers, made when they are first asked for and anew when their size changes."""

    def __init__(self) -> None:
        self._made: dict[str, Framebuffer] = {}
        self._smooth: Texture | None = None

    def find(self, name: str, size: Size, colour: int, samples: int = 0) -> Framebuffer:
        """Return a framebuffer of that size with one colour.

        Args:
            name: what it is for.
            size: width and height [pixels].
            colour: form of a pixel, as OpenGL counts them.
            samples: per pixel, for smoother edges; 0 for none.
        """
        target = self._made.get(name)
        if target is None or target.size != size:
            if target is not None:
                target.delete()
            target = self._made[name] = Framebuffer(size, (colour,), samples)
        return target

    def find_smooth(self, size: Size) -> Framebuffer:
        """Return where a picture is drawn before its edges are smoothed."""
        target = self._made.get("smooth")
        if target is None or target.size != size:
            if target is not None:
                target.delete()
            if self._smooth is not None:
                self._smooth.delete()
            self._smooth = Texture(gl.GL_RGBA8, size)
            target = self._made["smooth"] = Framebuffer(size, (), colour=self._smooth)
        return target

    def smooth(self, programs: Programs, empty: VertexArray, target: int, size: Size) -> None:
        """Copy what was drawn to `find_smooth` into a framebuffer and smooth its edges.

        Args:
            programs: of the renderer.
            empty: attributes of a triangle that the program places by itself.
            target, size: the framebuffer.
        """
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
        gl.glViewport(0, 0, *size)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        assert self._smooth is not None
        self._smooth.bind(0)
        programs.find("smooth").use({"picture": 0, "pixel": (1.0 / size[0], 1.0 / size[1])})
        empty.bind()
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)

    def delete(self) -> None:
        """Free all of them; they are made anew when they are asked for again."""
        for target in self._made.values():
            target.delete()
        if self._smooth is not None:
            self._smooth.delete()
        self._made, self._smooth = {}, None
