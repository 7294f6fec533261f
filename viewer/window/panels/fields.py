"""Input fields for numbers, choices and vectors; each returns the new value, or None if it was left alone.

What is edited belongs to a simulation that answers some frames later: until then the field keeps what the
user put in, else a dragged number would fall back in every frame.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from imgui_bundle import imgui

from stoss.docstrings import argument_descriptions, docstring
from stoss.viewer.widgets.popups import close_with_escape
from stoss.viewer.widgets.theme import scaled

__all__ = ["choice", "labelled", "number", "row", "switch", "table", "tip", "vector", "whole"]


_NOTHING = 1e-9  # components below this are rounding, in metres, radians and seconds: they would fill a field
_TIP_WIDTH = 30.0  # of tooltips, in sizes of the font
_TYPING = "Drag to change a number; double click, or Ctrl and click, to type it."


class _Edited:
    """The value of the one field that is being edited; ImGui has no more than one active item either."""

    def __init__(self) -> None:
        self._key = 0
        self._value: Any = None

    def show(self, label: str, value: Any) -> Any:
        """Return the value to show in a field."""
        return self._value if imgui.get_id(label) == self._key else value

    def keep(self, label: str, changed: bool, value: Any) -> None:
        """Take note of what the user did with a field that was just drawn."""
        key = imgui.get_id(label)
        if imgui.is_item_active():
            if changed:
                self._key, self._value = key, value
        elif key == self._key:
            self._key = 0


_edited = _Edited()


def number(
    label: str,
    value: float,
    least: float = 0.0,
    most: float = 0.0,
    *,
    speed: float | None = None,
    logarithmic: bool = False,
    form: str = "%.4g",
) -> float | None:
    """Draw a number: a slider where it has bounds, otherwise one to be dragged; double click to type."""
    shown = _edited.show(label, float(value))
    if not np.isfinite(shown):
        imgui.text_disabled(f"{label}: {shown}")
        return None
    if most > least and np.isfinite(most):
        flags = imgui.SliderFlags_.logarithmic if logarithmic else 0
        changed, new = imgui.slider_float(label, shown, least, most, form, flags)
    else:
        pull = speed if speed is not None else max(abs(shown) * 0.01, 1e-3)
        low, high = (least, 3.4e38) if least == 0.0 and most == np.inf else (0.0, 0.0)
        changed, new = imgui.drag_float(label, shown, pull, low, high, form)
    _edited.keep(label, changed, new)
    return float(new) if changed else None


def bounded(
    label: str, value: float, least: float, finite: float, endless_is: float = np.inf
) -> float | None:
    """Draw a number from `least` up that may be infinite.

    Args:
        label: its name.
        value: the number.
        least: smallest one; minus infinity for any.
        finite: what it becomes when it is bounded.
        endless_is: what it is without a bound.
    """
    imgui.push_id(label)
    endless = not np.isfinite(value)
    changed, endless = imgui.checkbox("no bound", bool(endless))
    imgui.pop_id()
    if changed:
        return endless_is if endless else finite
    imgui.same_line()
    if endless:
        imgui.text(label)
        return None
    imgui.push_item_width(scaled(90.0))
    new = number(label, value, least, np.inf) if np.isfinite(least) else number(label, value, speed=0.01)
    imgui.pop_item_width()
    return new


def whole(label: str, value: int, least: int, most: int) -> int | None:
    """Draw a whole number with a slider."""
    shown = _edited.show(label, int(value))
    changed, new = imgui.slider_int(label, shown, least, most)
    _edited.keep(label, changed, new)
    return int(new) if changed else None


def vector(label: str, value: Sequence[float] | np.ndarray, speed: float = 0.01) -> tuple[float, ...] | None:
    """Draw three numbers."""
    shown = _edited.show(label, [float(x) if abs(x) > _NOTHING else 0.0 for x in value])
    changed, new = imgui.drag_float3(label, list(shown), speed, 0.0, 0.0, "%.4g")
    _edited.keep(label, changed, list(new))
    return tuple(float(x) for x in new) if changed else None


def switch(label: str, value: bool) -> bool | None:
    """Draw a check box."""
    changed, new = imgui.checkbox(label, bool(value))
    return bool(new) if changed else None


def choice(label: str, value: str, choices: Sequence[str]) -> str | None:
    """Draw a list to choose from."""
    chosen = None
    if imgui.begin_combo(label, value, imgui.ComboFlags_.height_large):
        close_with_escape()
        for name in choices:
            if imgui.selectable(name, name == value)[0]:
                chosen = name
        imgui.end_combo()
    return chosen


def labelled(kind: type, names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return labels, with units, and texts of values of a class, from its docstring."""
    described = argument_descriptions(docstring(kind))
    texts = {}
    for name in names:
        told, label = described.get(name, ""), name.replace("_", " ")
        unit = re.match(r"\[([^\]]+)\]", told)
        texts[name] = (f"{label} [{unit[1]}]" if unit and unit[1] != "1" else label, told)
    return texts


def tip(text: str) -> None:
    """Tell a text where the pointer rests on the field that was just drawn; it says how numbers are typed."""
    if text and imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.delay_short):
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(_TIP_WIDTH * imgui.get_font_size())
        imgui.text_unformatted(f"{text}\n{_TYPING}")
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()


def row(name: str, text: str, told: str = "") -> None:
    """Draw a row of a table begun by `table`; a tooltip tells what the name means."""
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_disabled(name)
    if told:
        imgui.set_item_tooltip(told)
    imgui.table_next_column()
    imgui.text_wrapped(text)


def table(label: str, rows: Sequence[tuple[str, ...]]) -> None:
    """Draw names and values in two columns; a third text of a row is a tooltip."""
    if imgui.begin_table(label, 2):
        imgui.table_setup_column("name", imgui.TableColumnFlags_.width_fixed)
        imgui.table_setup_column("value", imgui.TableColumnFlags_.width_stretch)
        for texts in rows:
            row(*texts)
        imgui.end_table()
