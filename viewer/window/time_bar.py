"""The bar that runs the simulation, with a film strip over all that was recorded, and what happened when."""

import math

import numpy as np
from imgui_bundle import imgui

from stoss.viewer.widgets.popups import close_with_escape
from stoss.viewer.workbench.workbench import SPEEDS, Workbench
from stoss.viewer.world.film_strip import Mark

__all__ = ["TimeBar", "speed_text"]

_NEAR = 4.0  # [pixels] about the pointer within which marks are told
_TOLD = 6  # marks at most
_LEAST_WIDTH = 120.0  # of the strip [pixels]


class TimeBar:
    """The bar, which remembers where the mouse holds the strip."""

    def __init__(self) -> None:
        self._asked: int | None = None

    def draw(self, bench: Workbench, height: float) -> None:
        """Draw it at the foot of the picture, so many pixels high."""
        simulation = bench.simulation
        width, below = bench.size
        imgui.set_next_window_pos(imgui.ImVec2(0.0, below - height))
        imgui.set_next_window_size(imgui.ImVec2(float(width), height))
        flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_move
        imgui.begin("run", None, flags | imgui.WindowFlags_.no_saved_settings)
        if _button("|<", "to the beginning"):
            simulation.reset()
        if _button("<", "a step back; what comes after stays"):
            simulation.step_back()
        if imgui.button("go on" if simulation.paused else "pause", imgui.ImVec2(_wide("pause") * 1.6, 0.0)):
            bench.toggle_pause()
        imgui.same_line()
        if _button(">", "a step on"):
            simulation.step()
        if _button(">|", "to the end of the recording", disabled=not bench.view.looking_back):
            simulation.go_to(bench.view.past[1])
        imgui.push_item_width(_wide("fastest") * 1.8)
        if imgui.begin_combo("##speed", speed_text(simulation.speed)):
            close_with_escape()
            for speed in SPEEDS:
                if imgui.selectable(speed_text(speed), speed == simulation.speed)[0]:
                    simulation.speed = speed
            imgui.end_combo()
        imgui.pop_item_width()
        imgui.same_line()
        told = _figures(bench)
        step = 8.0 * imgui.get_font_size()  # so that the strip keeps its length while figures change
        room = step * math.ceil((_wide(told) + imgui.get_style().item_spacing.x) / step)
        rest = imgui.get_content_region_avail().x - room
        self._strip(bench, max(_LEAST_WIDTH, rest))
        imgui.same_line()
        imgui.text(told)
        imgui.end()

    def _strip(self, bench: Workbench, width: float) -> None:
        """Draw the strip: where one is, and what happened; a click or a drag looks at another step."""
        view, simulation = bench.view, bench.simulation
        first, last = view.past
        corner, high = imgui.get_cursor_screen_pos(), imgui.get_frame_height()
        imgui.invisible_button("##past", imgui.ImVec2(width, high))
        steps = max(1, last - first)
        pointer = (imgui.get_io().mouse_pos.x - corner.x) / width
        wanted = first + round(min(max(pointer, 0.0), 1.0) * (last - first))
        if imgui.is_item_active():
            if wanted != self._asked:
                self._asked = wanted
                simulation.go_to(wanted)
        else:
            self._asked = None
        drawing = imgui.get_window_draw_list()
        end = imgui.ImVec2(corner.x + width, corner.y + high)
        hovered = imgui.is_item_hovered()
        ground = imgui.Col_.frame_bg_hovered if hovered else imgui.Col_.frame_bg
        drawing.add_rect_filled(corner, end, imgui.get_color_u32(ground), 3.0)
        shown = view.frame.step if self._asked is None else self._asked
        here = corner.x + width * (shown - first) / steps
        drawing.add_rect_filled(corner, imgui.ImVec2(here, end.y), _rgb(0.20, 0.36, 0.55), 3.0)
        _draw_marks(drawing, simulation.strip.columns(first, last, int(width)), corner, high)
        drawing.add_line(
            imgui.ImVec2(here, corner.y - 2.0), imgui.ImVec2(here, end.y + 2.0), _rgb(1, 1, 1), 2.0
        )
        text = f"step {shown} of {last}" if view.looking_back else f"step {shown}"
        _outlined(
            drawing,
            corner.x + 0.5 * (width - _wide(text)),
            corner.y + imgui.get_style().frame_padding.y,
            text,
        )
        if hovered or imgui.is_item_active():
            reach = _NEAR / width * steps
            imgui.set_tooltip(strip_text(wanted, simulation.strip.near(wanted - reach, wanted + reach)))


def strip_text(step: int, marks: list[Mark]) -> str:
    """Return what a tooltip tells of a step, and of the marks near it."""
    lines = [f"step {step}"]
    for mark in marks[:_TOLD]:
        size = f" with {mark.size:.2g} m/s" if mark.kind == "impact" else ""
        lines.append(f"{mark.step}: {mark.text}{size}")
    if len(marks) > _TOLD:
        lines.append(f"and {len(marks) - _TOLD} more")
    return "\n".join(lines)


def speed_text(speed: float) -> str:
    """Return what a speed is called."""
    return "fastest" if math.isinf(speed) else f"{speed:g} x"


def _figures(bench: Workbench) -> str:
    """Return what stands at the end of the bar."""
    view = bench.view
    rate = f"{bench.frame_rate:3.0f} pictures/s   " if bench.frame_rate else ""
    text = f"{rate}t = {view.frame.time:.2f} s"
    if view.frame.report is None:
        return text
    text += (
        "   looking back" if view.looking_back else "" if view.paused else f"   {view.rate:.2f} x real time"
    )
    return f"{text}   {len(view.description.names)} bodies, {view.frame.report.touching_count} contacts"


def _draw_marks(
    drawing: imgui.ImDrawList, columns: dict[str, np.ndarray], corner: imgui.ImVec2, high: float
) -> None:
    """Draw impacts as bars from below, as high as they are hard, broken joints and commands from above."""
    impacts = columns["impact"]
    hardest = impacts.max(initial=0.0)
    for column in np.flatnonzero(impacts):
        x, share = corner.x + float(column), math.sqrt(float(impacts[column]) / hardest)
        top = corner.y + high * (1.0 - 0.7 * share)
        drawing.add_line(imgui.ImVec2(x, corner.y + high), imgui.ImVec2(x, top), _rgb(0.95, 0.75, 0.25), 1.0)
    for kind, colour in (("command", _rgb(0.45, 0.85, 1.0)), ("break", _rgb(1.0, 0.35, 0.3))):
        for column in np.flatnonzero(columns[kind]):
            x = corner.x + float(column)
            left, right = imgui.ImVec2(x - 4.0, corner.y), imgui.ImVec2(x + 4.0, corner.y)
            drawing.add_triangle_filled(left, right, imgui.ImVec2(x, corner.y + 7.0), colour)


def _button(label: str, tip: str, disabled: bool = False) -> bool:
    imgui.begin_disabled(disabled)
    pressed = imgui.button(label)
    imgui.end_disabled()
    imgui.set_item_tooltip(tip)
    imgui.same_line()
    return bool(pressed)


def _wide(text: str) -> float:
    return float(imgui.calc_text_size(text).x)


def _outlined(drawing: imgui.ImDrawList, x: float, y: float, text: str) -> None:
    for dx, dy in ((-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)):
        drawing.add_text(imgui.ImVec2(x + dx, y + dy), _rgb(0.05, 0.06, 0.08), text)
    drawing.add_text(imgui.ImVec2(x, y), _rgb(1.0, 1.0, 1.0), text)


def _rgb(red: float, green: float, blue: float) -> int:
    return int(imgui.get_color_u32(imgui.ImVec4(red, green, blue, 1.0)))
