"""`stoss build` with the words in argv[2:], which writes to the file in argv[1] where its widgets are.

Mouse and keys come from outside, as from a user, who sees where to click.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from imgui_bundle import imgui

from stoss.command_line.main import main
from stoss.viewer.drawing.joint_glyphs import glyph_places
from stoss.viewer.window.gui import Gui
from stoss.viewer.workbench.workbench import Workbench

WIDGETS = (
    *("button", "small_button", "selectable", "begin_combo", "drag_float", "drag_float3", "input_text"),
    *("checkbox", "radio_button", "collapsing_header", "slider_float"),
)
seen: dict[str, list[list[float]]] = {}
told: dict[str, Any] = {}
told["drawn"] = 0  # pictures
written = 0.0


def watch(name: str) -> None:
    """Note where a widget is each time it is drawn."""
    original = getattr(imgui, name)

    def draw(label: str, *words: Any) -> Any:
        out = original(label, *words)
        if not (name == "begin_combo" and out):
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            if imgui.is_item_visible():
                width = imgui.calc_item_width() if name.startswith("drag") else high.x - low.x
                seen.setdefault(label.split("##")[0] or label, []).append(
                    [low.x, low.y, width, high.y - low.y]
                )
        return out

    setattr(imgui, name, draw)


def watch_frames(path: Path) -> None:
    """Write down what was drawn, and under what mouse, many times a second."""
    original = Gui.draw

    def draw(self: Gui, *words: Any) -> None:
        global written
        seen.clear()
        original(self, *words)
        told["drawn"] += 1
        if time.perf_counter() - written > 0.03:
            written = time.perf_counter()
            note(self._bench)
            part = path.with_suffix(".part")
            part.write_text(json.dumps({"widgets": seen, **told}))
            os.replace(part, path)

    Gui.draw = draw  # type: ignore[method-assign]


def note(bench: Workbench) -> None:
    """Note where bodies and joints are in the picture, and what is built."""
    view, draft, mouse = bench.view, bench.project.draft, imgui.get_mouse_pos()
    told["mouse"], told["pressed"] = [mouse.x, mouse.y], imgui.is_mouse_down(0)
    told["typing"] = imgui.get_io().want_text_input

    def pixel(place: Any) -> list[float]:
        return [float(x) for x in bench.camera.project(place, bench.size)[:2]]

    told["bodies"] = {
        name: pixel(view.frame.positions[row]) for row, name in enumerate(view.description.names)
    }
    told["joints"] = {
        name: pixel(place[0]) for name, place in glyph_places(view.description, view.frame).items()
    }
    told["model"] = None if draft is None else draft.model.dumps()
    told["refused"] = None if bench.project.refusal is None else str(bench.project.refusal[1])
    told["step"], told["paused"] = view.frame.step, view.paused
    told["title"], told["handles"] = bench.title, bench.handles
    told["focus"] = [bench.project.focus.section, bench.project.focus.name]


if __name__ == "__main__":
    for widget in WIDGETS:
        watch(widget)
    watch_frames(Path(sys.argv[1]))
    sys.exit(main(["build", *sys.argv[2:]]))
