"""Text in pictures that no window draws: letters as shares of pixels, in the window's font. No OpenGL."""

from pathlib import Path

import imgui_bundle
import numpy as np
from imgui_bundle import imgui

__all__ = ["FONT", "Lettering"]

_FOLDER = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
_FONTS = _FOLDER / "Roboto" / "Roboto-Regular.ttf", _FOLDER / "DroidSans.ttf"
FONT = next((path for path in _FONTS if path.is_file()), _FONTS[0])

_HALO = 2  # [pixels] of the other colour around letters, so that they are read on any ground
_DARK, _LIGHT = 15.0, 255.0


class Lettering:
    """Letters of one height.

    Args:
        height: of a line [pixels].
    """

    def __init__(self, height: float) -> None:
        self.height = height
        self._glyphs: dict[str, tuple[np.ndarray, int, int, float]] = {}

    def mask(self, text: str) -> np.ndarray:
        """Return how much of each pixel letters cover (lines, width), 0 to 1."""
        glyphs = self._load(text)
        width = sum(advance for *_, advance in glyphs)
        cover = np.zeros((int(np.ceil(1.3 * self.height)), max(1, int(np.ceil(width)) + 1)))
        pen = 0.0
        for shape, left, top, advance in glyphs:
            x = round(pen) + left
            rows, columns = cover[top : top + len(shape), max(0, x) : x + shape.shape[1]].shape
            part = cover[top : top + rows, max(0, x) : max(0, x) + columns]
            np.maximum(part, shape[:rows, max(0, -x) : max(0, -x) + columns], out=part)
            pen += advance
        return cover

    def width(self, text: str) -> float:
        """Return how wide a text is [pixels]."""
        return sum(advance for *_, advance in self._load(text))

    def write(self, pixels: np.ndarray, text: str, x: float, y: float) -> None:
        """Write light letters with a dark rim into a picture, beginning at a pixel.

        Args:
            pixels: (h, w, 3 or 4) uint8; what is not in the picture is left out.
            text: one line.
            x, y: left upper corner of the line [pixels].
        """
        inner = np.pad(self.mask(text), _HALO)
        rim = inner
        for dy in range(-_HALO, _HALO + 1):
            for dx in range(-_HALO, _HALO + 1):
                if dx * dx + dy * dy <= _HALO * _HALO + 1:
                    rim = np.maximum(rim, np.roll(inner, (dy, dx), (0, 1)))
        left, top = round(x) - _HALO, round(y) - _HALO
        rows = slice(max(0, top), max(0, min(len(pixels), top + len(rim))))
        columns = slice(max(0, left), max(0, min(pixels.shape[1], left + rim.shape[1])))
        here = slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left)
        rim, inner = 0.75 * rim[here][..., None], inner[here][..., None]
        part = pixels[rows, columns].astype(float)
        part[..., :3] = part[..., :3] * (1.0 - rim) + _DARK * rim
        part[..., :3] = part[..., :3] * (1.0 - inner) + _LIGHT * inner
        if pixels.shape[2] == 4:
            part[..., 3:] = np.maximum(part[..., 3:], 255.0 * np.maximum(rim, inner))
        pixels[rows, columns] = (part + 0.5).astype(np.uint8)

    def _load(self, text: str) -> list[tuple[np.ndarray, int, int, float]]:
        """Return shape, place and advance of each letter."""
        if missing := sorted(set(text) - set(self._glyphs)):
            self._draw(missing)
        return [self._glyphs[letter] for letter in text]

    def _draw(self, letters: list[str]) -> None:
        """Have ImGui draw letters, in a context of its own beside that of a window."""
        before = imgui.get_current_context()
        context = imgui.create_context()
        imgui.set_current_context(context)
        try:
            io = imgui.get_io()
            io.set_ini_filename("")
            io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
            io.display_size, io.delta_time = imgui.ImVec2(64.0, 64.0), 0.01
            font = io.fonts.add_font_from_file_ttf(str(FONT), self.height)
            imgui.new_frame()
            baked = font.get_font_baked(self.height)
            for letter in letters:  # each may move those before it, and the texture, to other memory
                baked.find_glyph(ord(letter))
            texture = io.fonts.tex_data
            pixels = texture.get_pixels_array().reshape(texture.height, texture.width, -1)[..., -1] / 255.0
            for letter in letters:
                glyph = baked.find_glyph(ord(letter))
                u = round(glyph.u0 * texture.width), round(glyph.u1 * texture.width)
                v = round(glyph.v0 * texture.height), round(glyph.v1 * texture.height)
                shape = pixels[v[0] : v[1], u[0] : u[1]].copy() if glyph.is_visible() else np.zeros((0, 0))
                self._glyphs[letter] = shape, round(glyph.x0), max(0, round(glyph.y0)), float(glyph.advance_x)
            imgui.end_frame()
        finally:
            imgui.destroy_context(context)
            if before is not None:
                imgui.set_current_context(before)
