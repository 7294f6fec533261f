"""Keys and mouse, from the same table as the menus."""

from imgui_bundle import imgui

from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.actions import MOUSE, key_table
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["help_panel"]


def help_panel(bench: Workbench) -> None:
    """Draw the panel."""
    imgui.separator_text("mouse")
    fields.table("mouse", MOUSE)
    imgui.separator_text("keys")
    fields.table("keys", key_table())
