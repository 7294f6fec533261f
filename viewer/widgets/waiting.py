"""A small window that tells what has to be waited for."""

from imgui_bundle import imgui

from stoss.viewer.widgets.theme import scaled

__all__ = ["PLAIN", "draw_wait"]

_WIDTH = 260.0  # [pixels at 96 dots per inch]
PLAIN = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_saved_settings
)


def draw_wait(
    name: str, text: str, share: float | None, place: tuple[float, float], pivot: tuple[float, float]
) -> None:
    """Draw what is waited for, and how much of it is done.

    Args:
        name: of the small window.
        text: what it is.
        share: how much of it is done, 0 to 1; None where that is unknown.
        place: where [pixels].
        pivot: which part of the small window is there, (0, 0) left above to (1, 1) right below.
    """
    imgui.set_next_window_pos(imgui.ImVec2(*place), imgui.Cond_.always, imgui.ImVec2(*pivot))
    imgui.begin(name, None, PLAIN | imgui.WindowFlags_.no_focus_on_appearing)
    imgui.text(text + "." * (1 + int(2.0 * imgui.get_time()) % 3))
    imgui.dummy(imgui.ImVec2(scaled(_WIDTH), 0.0))
    if share is not None:
        imgui.progress_bar(share, imgui.ImVec2(scaled(_WIDTH), scaled(6.0)), "")
    imgui.end()
