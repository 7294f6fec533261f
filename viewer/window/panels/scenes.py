"""All scenes with their parameters: choose, change, build."""

from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench

if TYPE_CHECKING:
    from stoss.scenes.registry import Scene

__all__ = ["ScenesPanel"]


class ScenesPanel:
    """The panel, which remembers the scene that is looked at and the values put in."""

    def __init__(self) -> None:
        self._search = ""
        self._name = ""
        self._values: dict[str, Any] = {}
        self._time_step = 0.01

    def draw(self, bench: Workbench) -> None:
        """Draw the panel."""
        import stoss.scenes  # noqa: F401  (registers them)
        from stoss.scenes.registry import SCENES

        if not self._name and bench.source is not None:
            self._look_at(bench.source.scene)
            self._values.update(bench.source.parameters)
            self._time_step = bench.source.time_step
        _, self._search = imgui.input_text("search", self._search)
        if imgui.begin_child("list", imgui.ImVec2(0.0, 220.0), imgui.ChildFlags_.borders):
            for scene in SCENES.values():
                if self._search.lower() in f"{scene.name} {scene.summary}".lower():
                    if imgui.selectable(scene.name, scene.name == self._name)[0]:
                        self._look_at(scene)
                    if imgui.is_item_hovered():
                        imgui.set_tooltip(scene.summary)
        imgui.end_child()
        if self._name:
            self._parameters(bench, SCENES[self._name])

    def _look_at(self, scene: "Scene") -> None:
        self._name = scene.name
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
        if bench.building:
            imgui.text_disabled(f"building {bench.building} ...")
        elif imgui.button("build and show"):
            bench.open_scene(scene, dict(self._values), self._time_step)
