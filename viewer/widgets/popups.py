"""Menus and lists that are open."""

from imgui_bundle import imgui

__all__ = ["close_with_escape"]


def close_with_escape() -> None:
    """Close the menu or the list that is being drawn when Escape is pressed."""
    if imgui.is_key_pressed(imgui.Key.escape):
        imgui.close_current_popup()
