"""All scenes in pictures: a click opens one; below them are the parameters of the one that is open."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from stoss.viewer.widgets.scene_sheet import SceneSheet, load_sheet
from stoss.viewer.widgets.theme import scaled
from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench

if TYPE_CHECKING:
    from stoss.scenes.registry import Scene

__all__ = ["ScenesPanel", "matching"]


_WIDTH = 130.0  # of a picture [pixels at 96 dots per inch]
_LIST_SHARE = 0.6  # of the height of the panel that pictures take


class ScenesPanel:
    """The panel, which remembers the scene that is looked at and the values put in."""

    def __init__(self) -> None:
        self._sheet: SceneSheet | None = None
        self._texture = 0
        self._shown: object = None  # what the values are of
        self._search = ""
        self._scene: Scene | None = None
        self._values: dict[str, Any] = {}
        self._time_step = 0.01

    def draw(self, bench: Workbench) -> None:
        """Draw the panel."""
        import stoss.scenes  # noqa: F401  (registers them)
        from stoss.scenes.registry import SCENES

        if self._shown is not bench.source and bench.source is not None:
            self._shown = bench.source
            self._look_at(bench.source.scene)
            self._values.update(bench.source.parameters)
            self._time_step = bench.source.time_step
        _, self._search = imgui.input_text("search", self._search)
        found = matching(self._search, SCENES.values())
        height = _LIST_SHARE * imgui.get_content_region_avail().y
        if imgui.begin_child("list", imgui.ImVec2(0.0, height), imgui.ChildFlags_.borders):
            if not found:
                imgui.text_disabled("no scene is called so, or about that")
            self._gallery(bench, found)
        imgui.end_child()
        if self._scene is not None:
            self._parameters(bench, self._scene)

    def _gallery(self, bench: Workbench, scenes: "list[Scene]") -> None:
        """Draw pictures with their names, in as many columns as there is room for; a click opens a scene."""
        width, spacing = scaled(_WIDTH), imgui.get_style().item_spacing.x
        columns = max(1, int((imgui.get_content_region_avail().x + spacing) / (width + spacing)))
        for number, scene in enumerate(scenes):
            if number % columns:
                imgui.same_line()
            imgui.begin_group()
            if self._picture(bench, scene, width) and scene.name != bench.successor.name:
                self._look_at(scene)
                bench.open_scene(scene, dict(self._values), self._time_step)
            imgui.set_item_tooltip(scene.summary)
            imgui.text(scene.name)
            imgui.end_group()

    def _picture(self, bench: Workbench, scene: "Scene", width: float) -> bool:
        """Draw the picture of a scene, or its name where there is none; return whether it was clicked."""
        if self._sheet is None and bench.upload is not None:
            self._sheet = load_sheet()
            self._texture = bench.upload(self._sheet.pixels)
        sheet = self._sheet
        chosen = scene is self._scene
        colour = imgui.Col_.button_active if chosen else imgui.Col_.frame_bg
        imgui.push_style_color(imgui.Col_.button, imgui.get_style_color_vec4(colour))
        if sheet is None or scene.name not in sheet.places:
            clicked = imgui.button(f"{scene.name}##picture", imgui.ImVec2(width, 0.5 * width))
        else:
            left, top, right, bottom = sheet.places[scene.name]
            inner = width - 2.0 * imgui.get_style().frame_padding.x
            clicked = imgui.image_button(
                f"##{scene.name}",
                imgui.ImTextureRef(self._texture),
                imgui.ImVec2(inner, inner * sheet.size[1] / sheet.size[0]),
                imgui.ImVec2(left, top),
                imgui.ImVec2(right, bottom),
            )
        imgui.pop_style_color()
        return bool(clicked)

    def _look_at(self, scene: "Scene") -> None:
        self._scene = scene
        self._values = {parameter.name: parameter.default for parameter in scene.parameters}
        self._time_step = scene.time_step

    def _parameters(self, bench: Workbench, scene: "Scene") -> None:
        imgui.text_wrapped(scene.summary)
        for parameter in scene.parameters:
            label, value = parameter.name.replace("_", " "), self._values[parameter.name]
            if parameter.choices:
                new = fields.choice(label, value, parameter.choices)
                value = value if new is None else new
            elif parameter.type is int:
                _, value = imgui.input_int(label, value)
            elif parameter.type is float:
                _, value = imgui.input_double(label, value, 0.0, 0.0, "%.6g")
            else:
                _, value = imgui.input_text(label, value)
            self._values[parameter.name] = value
            if imgui.is_item_hovered():
                imgui.set_tooltip(parameter.description)
        _, self._time_step = imgui.input_double("time step [s]", self._time_step, 0.0, 0.0, "%.6g")
        if bench.successor.name:
            imgui.text_disabled(f"building {bench.successor.name} ...")
        elif imgui.button("build it anew with these"):
            bench.open_scene(scene, dict(self._values), self._time_step)


def matching(words: str, scenes: "Iterable[Scene]") -> "list[Scene]":
    """Return the scenes in whose name, summary or parameters all words are; those so called come first."""
    wanted = words.lower().split()
    found = []
    for scene in scenes:
        parameters = " ".join(parameter.name for parameter in scene.parameters)
        text = f"{scene.name} {scene.summary} {parameters}".lower().replace("_", " ")
        if all(word.replace("_", " ") in text for word in wanted):
            found.append(scene)
    return sorted(found, key=lambda scene: not all(word in scene.name.lower() for word in wanted))
