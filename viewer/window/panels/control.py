"""What the user's program asks for: sliders, switches and buttons of its own."""

from imgui_bundle import imgui

from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.own import Button, Knob, OwnControls, Switch
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["control_panel"]


def control_panel(bench: Workbench) -> None:
    """Draw the panel."""
    _own(bench.own)


def _own(own: OwnControls) -> None:
    for item in own.items.values():
        if isinstance(item, Knob):
            value = fields.number(item.name, item.value, *item.bounds)
            if value is not None:
                low, high = item.bounds
                item.value = min(max(value, low), high)  # typed numbers may lie outside
        elif isinstance(item, Switch):
            on = fields.switch(item.name, item.on)
            if on is not None:
                item.on = on
        elif isinstance(item, Button) and imgui.button(item.name):
            own.press(item)
