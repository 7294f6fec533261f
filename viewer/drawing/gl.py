"""A thin layer over OpenGL 3.3: programs, buffers, vertex arrays, framebuffers.

Nothing is imported from pyglet before something is made, so that this module can be imported without a
display. All objects belong to the context that is current when they are made.
"""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = [
    "Buffer",
    "Framebuffer",
    "GraphicsError",
    "Program",
    "Texture",
    "VertexArray",
    "gl",
    "picture_texture",
]


class GraphicsError(RuntimeError):
    """The graphics library refused something; the message says what."""


class _LateGL:
    """`pyglet.gl`, imported when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        import pyglet.gl

        value = getattr(pyglet.gl, name)
        setattr(self, name, value)
        return value


gl: Any = _LateGL()


def _made(function: Any) -> int:
    name = ctypes.c_uint()
    function(1, name)
    return name.value


def _pointer(data: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(data.ctypes.data)


class Program:
    """Shaders, compiled and linked.

    Args:
        vertex, fragment: sources without the version line.
        defines: names that are defined in both.
    """

    def __init__(self, vertex: str, fragment: str, defines: Sequence[str] = ()) -> None:
        head = "#version 330 core\n" + "".join(f"#define {name}\n" for name in defines)
        shaders = [
            self._compile(kind, head + source)
            for kind, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment))
        ]
        self.name = gl.glCreateProgram()
        for shader in shaders:
            gl.glAttachShader(self.name, shader)
        gl.glLinkProgram(self.name)
        done = ctypes.c_int()
        gl.glGetProgramiv(self.name, gl.GL_LINK_STATUS, done)
        if not done.value:
            raise GraphicsError(
                f"shaders could not be linked: {self._log(gl.glGetProgramInfoLog, self.name)}"
            )
        for shader in shaders:
            gl.glDeleteShader(shader)
        self._places: dict[str, int] = {}

    def _compile(self, kind: int, source: str) -> int:
        shader = int(gl.glCreateShader(kind))
        text = ctypes.create_string_buffer(source.encode())
        pointer = ctypes.cast(
            ctypes.pointer(ctypes.pointer(text)), ctypes.POINTER(ctypes.POINTER(ctypes.c_char))
        )
        gl.glShaderSource(shader, 1, pointer, None)
        gl.glCompileShader(shader)
        done = ctypes.c_int()
        gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS, done)
        if not done.value:
            raise GraphicsError(f"a shader could not be compiled: {self._log(gl.glGetShaderInfoLog, shader)}")
        return shader

    def _log(self, function: Any, name: int) -> str:
        text = ctypes.create_string_buffer(4096)
        function(name, len(text), None, text)
        return " ".join(text.value.decode(errors="replace").split())

    def use(self, uniforms: Mapping[str, Any] | None = None) -> None:
        """Make current, and set uniforms: numbers, vectors (2 to 4), matrices, whole numbers for samplers.

        Names that the shaders do not use are passed over, since the compiler removes them.
        """
        gl.glUseProgram(self.name)
        for name, value in (uniforms or {}).items():
            self._set(name, value)

    def _set(self, name: str, value: Any) -> None:
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = gl.glGetUniformLocation(self.name, name.encode())
        if place < 0:
            return
        if isinstance(value, bool | int | np.integer):
            gl.glUniform1i(place, int(value))
        elif isinstance(value, float | np.floating):
            gl.glUniform1f(place, float(value))
        else:
            array = np.asarray(value, np.float32)
            if array.ndim == 2:
                # Matrices act on columns; numpy keeps rows, so that OpenGL has to transpose.
                values = (ctypes.c_float * array.size)(*array.ravel().tolist())
                setter = gl.glUniformMatrix4fv if array.shape == (4, 4) else gl.glUniformMatrix3fv
                setter(place, 1, gl.GL_TRUE, values)
            else:
                (gl.glUniform2f, gl.glUniform3f, gl.glUniform4f)[len(array) - 2](place, *array.tolist())

    def delete(self) -> None:
        """Free it."""
        gl.glDeleteProgram(self.name)


class Buffer:
    """Memory of the graphics card, filled from arrays.

    Args:
        data: its first content, or None.
        target: what it is bound as, by default GL_ARRAY_BUFFER.
    """

    def __init__(self, data: np.ndarray | None = None, target: int | None = None) -> None:
        self.target = gl.GL_ARRAY_BUFFER if target is None else target
        self.name = _made(gl.glGenBuffers)
        self.bytes = 0
        if data is not None:
            self.fill(data)

    def fill(self, data: np.ndarray) -> None:
        """Replace the content."""
        data = np.ascontiguousarray(data)
        gl.glBindBuffer(self.target, self.name)
        # Orphaning the old store spares waiting for draws that still read it.
        gl.glBufferData(self.target, data.nbytes, _pointer(data), gl.GL_STREAM_DRAW)
        self.bytes = data.nbytes

    def delete(self) -> None:
        """Free it."""
        gl.glDeleteBuffers(1, ctypes.c_uint(self.name))


class VertexArray:
    """Which parts of which buffers are the attributes of the vertices; floats only."""

    def __init__(self) -> None:
        self.name = _made(gl.glGenVertexArrays)

    def attach(self, buffer: Buffer, sizes: Sequence[int], first: int, per_instance: bool) -> None:
        """Take the attributes from number `first` on from a buffer of float32 rows.

        Args:
            buffer: rows of sum(sizes) float32.
            sizes: floats per attribute.
            first: number (layout location) of the first.
            per_instance: whether a row belongs to an instance instead of a vertex.
        """
        gl.glBindVertexArray(self.name)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, buffer.name)
        offset, stride = 0, 4 * sum(sizes)
        for number, size in enumerate(sizes, first):
            gl.glEnableVertexAttribArray(number)
            gl.glVertexAttribPointer(number, size, gl.GL_FLOAT, gl.GL_FALSE, stride, ctypes.c_void_p(offset))
            gl.glVertexAttribDivisor(number, int(per_instance))
            offset += 4 * size

    def index(self, buffer: Buffer) -> None:
        """Take the vertex numbers of triangles from a buffer of GL_ELEMENT_ARRAY_BUFFER."""
        gl.glBindVertexArray(self.name)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, buffer.name)

    def bind(self) -> None:
        """Make current."""
        gl.glBindVertexArray(self.name)

    def delete(self) -> None:
        """Free it."""
        gl.glDeleteVertexArrays(1, ctypes.c_uint(self.name))


class Texture:
    """A picture of a given format, or a view of a buffer.

    Args:
        size: width and height; None with a buffer.
        internal: format it is kept in, such as GL_RGBA8.
        buffer: the buffer that it shows.
    """

    def __init__(
        self, internal: int, size: tuple[int, int] | None = None, buffer: Buffer | None = None
    ) -> None:
        self.name = _made(gl.glGenTextures)
        if buffer is not None:
            self.target = gl.GL_TEXTURE_BUFFER
            gl.glBindTexture(self.target, self.name)
            gl.glTexBuffer(self.target, internal, buffer.name)
            return
        assert size is not None
        self.target = gl.GL_TEXTURE_2D
        gl.glBindTexture(self.target, self.name)
        form = gl.GL_DEPTH_COMPONENT if internal == gl.GL_DEPTH_COMPONENT24 else gl.GL_RGBA
        gl.glTexImage2D(self.target, 0, internal, *size, 0, form, gl.GL_FLOAT, None)
        for name, value in (
            (gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR),
            (gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR),
            (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE),
            (gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE),
        ):
            gl.glTexParameteri(self.target, name, value)

    def compare_depth(self) -> None:
        """Make a sampler2DShadow of it: reading gives the part of it that is farther than a reference."""
        gl.glBindTexture(self.target, self.name)
        gl.glTexParameteri(self.target, gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_REF_TO_TEXTURE)
        gl.glTexParameteri(self.target, gl.GL_TEXTURE_COMPARE_FUNC, gl.GL_LEQUAL)

    def bind(self, unit: int) -> None:
        """Bind to a texture unit."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(self.target, self.name)

    def delete(self) -> None:
        """Free it."""
        gl.glDeleteTextures(1, ctypes.c_uint(self.name))


def picture_texture(pixels: np.ndarray) -> Texture:
    """Return a texture with pixels (height, width, 4) uint8, the upper row first."""
    height, width, _ = pixels.shape
    texture = Texture(gl.GL_RGBA8, (width, height))
    data = np.ascontiguousarray(pixels)
    form, kind = gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
    gl.glTexSubImage2D(texture.target, 0, 0, 0, width, height, form, kind, _pointer(data))
    return texture


class Framebuffer:
    """A place to draw into.

    Args:
        size: width and height [pixels].
        colours: formats of its colour buffers, such as GL_RGBA8.
        samples: samples per pixel for smooth edges, 0 for none.
        colour: a texture that takes the colours, in place of `colours`.
        depth: a texture that takes the depth; None makes a buffer of its own.
    """

    def __init__(
        self,
        size: tuple[int, int],
        colours: Sequence[int],
        samples: int = 0,
        colour: Texture | None = None,
        depth: Texture | None = None,
    ) -> None:
        self.size, self.samples = size, samples
        self._buffers: list[int] = []
        self.name = _made(gl.glGenFramebuffers)
        before = bound_framebuffer()
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        for number, form in enumerate(colours):
            self._attach(gl.GL_COLOR_ATTACHMENT0 + number, form)
        if colour is not None:
            self._attach_texture(gl.GL_COLOR_ATTACHMENT0, colour)
        if depth is None:
            self._attach(gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24)
        else:
            self._attach_texture(gl.GL_DEPTH_ATTACHMENT, depth)
        if colours:
            places = [gl.GL_COLOR_ATTACHMENT0 + number for number in range(len(colours))]
            gl.glDrawBuffers(len(places), (ctypes.c_uint * len(places))(*places))
        elif colour is None:
            gl.glDrawBuffer(gl.GL_NONE)
            gl.glReadBuffer(gl.GL_NONE)
        state = gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, before)
        if state != gl.GL_FRAMEBUFFER_COMPLETE:
            self.delete()
            raise GraphicsError(f"no place to draw {size[0]} x {size[1]} pixels (status {state:#x})")

    def _attach(self, point: int, form: int) -> None:
        buffer = _made(gl.glGenRenderbuffers)
        self._buffers.append(buffer)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, buffer)
        gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, self.samples, form, *self.size)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, point, gl.GL_RENDERBUFFER, buffer)

    @staticmethod
    def _attach_texture(point: int, texture: Texture) -> None:
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, point, gl.GL_TEXTURE_2D, texture.name, 0)

    def bind(self) -> None:
        """Draw into it from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        gl.glViewport(0, 0, *self.size)

    def copy_to(self, target: int) -> None:
        """Copy the colours, averaging samples, into a framebuffer (its name; 0 is the window)."""
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self.name)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, target)
        corners = (0, 0, *self.size)
        gl.glBlitFramebuffer(*corners, *corners, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)

    def delete(self) -> None:
        """Free it."""
        gl.glDeleteFramebuffers(1, ctypes.c_uint(self.name))
        for buffer in self._buffers:
            gl.glDeleteRenderbuffers(1, ctypes.c_uint(buffer))


def bound_framebuffer() -> int:
    """Return the name of the framebuffer that is drawn into, 0 for the window."""
    name = ctypes.c_int()
    gl.glGetIntegerv(gl.GL_DRAW_FRAMEBUFFER_BINDING, name)
    return name.value
