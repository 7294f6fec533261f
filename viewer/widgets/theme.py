"""How menus, bar and panels look: font, colours with contrast, and sizes that follow the display."""

from pathlib import Path

import imgui_bundle
from imgui_bundle import imgui, implot

__all__ = ["FONT_SIZE", "scaled", "set_scale", "set_up_imgui", "take_down_imgui"]

FONT_SIZE = 15.0  # [pixels] at 96 dots per inch
_ROUNDING = 4.0

# Empty boxes and fields have to be seen on the ground of a panel, and white text on all of them: each is at
# least 1.3 times as bright as the ground, and text has a contrast of 4.5 or more (luminances as in WCAG).
_COLOURS = {
    imgui.Col_.window_bg: (0.09, 0.10, 0.12, 0.94),
    imgui.Col_.popup_bg: (0.11, 0.12, 0.15, 0.98),
    imgui.Col_.menu_bar_bg: (0.07, 0.08, 0.10, 0.95),
    imgui.Col_.title_bg_active: (0.13, 0.22, 0.33, 1.0),
    imgui.Col_.border: (0.45, 0.50, 0.58, 0.65),
    imgui.Col_.frame_bg: (0.19, 0.22, 0.27, 1.0),
    imgui.Col_.frame_bg_hovered: (0.25, 0.30, 0.38, 1.0),
    imgui.Col_.frame_bg_active: (0.24, 0.38, 0.56, 1.0),
    imgui.Col_.plot_histogram: (0.20, 0.40, 0.62, 1.0),
    imgui.Col_.text_disabled: (0.68, 0.71, 0.75, 1.0),
}


def set_up_imgui(scale: float = 1.0) -> None:
    """Make the contexts of ImGui and ImPlot, load a font, choose colours. Settings are not kept in a file."""
    imgui.create_context()
    implot.create_context()
    io = imgui.get_io()
    io.set_ini_filename("")
    io.config_flags |= imgui.ConfigFlags_.docking_enable
    font = Path(imgui_bundle.__file__).parent / "assets" / "fonts" / "Roboto" / "Roboto-Regular.ttf"
    if not font.is_file():
        font = font.parent.parent / "DroidSans.ttf"
    io.fonts.add_font_from_file_ttf(str(font), FONT_SIZE)
    imgui.style_colors_dark()
    for place, colour in _COLOURS.items():
        imgui.get_style().set_color_(place, imgui.ImVec4(*colour))
    set_scale(scale)


def set_scale(scale: float) -> None:
    """Draw text and widgets so many times as large as at 96 dots per inch."""
    style, sizes = imgui.get_style(), imgui.Style()
    sizes.window_rounding = sizes.frame_rounding = sizes.grab_rounding = _ROUNDING
    sizes.window_border_size, sizes.frame_border_size = 0.0, 1.0
    sizes.scale_all_sizes(scale)
    sizes.font_size_base, sizes.font_scale_main = FONT_SIZE, scale
    for name in dir(sizes):  # from fresh ones: sizes that are scaled again and again are rounded each time
        if not name.startswith("_") and not callable(getattr(sizes, name)):
            setattr(style, name, getattr(sizes, name))


def scaled(length: float) -> float:
    """Return a length [pixels at 96 dots per inch] as it is drawn now."""
    return length * float(imgui.get_style().font_scale_main)


def take_down_imgui() -> None:
    """Free what `set_up_imgui` made."""
    implot.destroy_context()
    imgui.destroy_context()
