"""Names, texts and the key in the window's picture, behind all panels."""

from collections.abc import Sequence

from imgui_bundle import imgui

from stoss.viewer.drawing.key import GROUND
from stoss.viewer.drawing.labels import Label, placed_texts
from stoss.viewer.drawing.legend import Legend, lay_out
from stoss.viewer.widgets.theme import scaled
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["draw_key", "draw_labels", "write"]

_MARGIN = 10.0  # of the key to what is left and above [pixels at 96 dots per inch]
_LIGHT, _DARK = (1.0, 1.0, 1.0, 1.0), (0.05, 0.06, 0.08, 0.8)
_RIM = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1))


def draw_labels(bench: Workbench, names: Sequence[Label], texts: Sequence[Label]) -> None:
    """Draw light letters with a dark rim; of names that overlap, the nearest.

    Args:
        bench: its camera and size.
        names, texts: those that may be left out, and those that may not.
    """
    drawing = imgui.get_background_draw_list()
    line = imgui.get_font_size()
    for text, x, y in placed_texts(names, texts, bench.camera, bench.size, line, _width):
        write(drawing, text, x, y)


def write(drawing: imgui.ImDrawList, text: str, x: float, y: float) -> None:
    """Write light letters with a dark rim at a pixel."""
    for dx, dy in _RIM:
        drawing.add_text(imgui.ImVec2(x + dx, y + dy), _packed(_DARK), text)
    drawing.add_text(imgui.ImVec2(x, y), _packed(_LIGHT), text)


def draw_key(bench: Workbench, legends: Sequence[Legend]) -> None:
    """Draw what colours and marks mean into the left upper corner of what panels leave free."""
    if not legends or bench.free is None:
        return
    drawing, plan = imgui.get_background_draw_list(), lay_out(legends, imgui.get_font_size(), _width)
    x0, y0 = bench.free[0] + scaled(_MARGIN), bench.free[1] + scaled(_MARGIN)
    corner = imgui.ImVec2(x0 + plan.width, y0 + plan.height)
    drawing.add_rect_filled(imgui.ImVec2(x0, y0), corner, _packed(GROUND), scaled(4.0))
    for left, top, right, bottom, colour in plan.patches:
        # On whole pixels, so that there are no seams between slices of a ramp.
        ends = (
            imgui.ImVec2(round(x0 + left), round(y0 + top)),
            imgui.ImVec2(round(x0 + right), round(y0 + bottom)),
        )
        drawing.add_rect_filled(*ends, _packed((*colour, 1.0)))
    for x, y, text in plan.texts:
        drawing.add_text(imgui.ImVec2(x0 + x, y0 + y), _packed(_LIGHT), text)


def _width(text: str) -> float:
    return float(imgui.calc_text_size(text).x)


def _packed(colour: tuple[float, float, float, float]) -> int:
    return int(imgui.get_color_u32(imgui.ImVec4(*colour)))
