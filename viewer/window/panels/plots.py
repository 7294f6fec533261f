"""Curves over time: choose what is noted, and watch it."""

import numpy as np
from imgui_bundle import imgui, implot

from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.monitor import BODY_QUANTITIES, WORLD_QUANTITIES, Channel

__all__ = ["PlotsPanel"]

_LEAST_HEIGHT = 150.0  # of a plot [pixels]
_AXES = ("x", "y", "z", "size")


class PlotsPanel:
    """The panel, which remembers what is to be added."""

    def __init__(self) -> None:
        self._kind = "world"
        self._quantity = "energy"
        self._axis = "z"

    def draw(self, bench: Workbench) -> None:
        """Draw the panel."""
        simulation = bench.simulation
        monitor = simulation.monitor
        self._choose(bench, monitor.channels)
        times, values = monitor.curves()
        if not monitor.channels:
            imgui.text_disabled("add a curve")
            return
        for channel in monitor.channels:
            imgui.push_id(channel.label)
            if imgui.small_button("remove"):
                simulation.watch(*(other for other in monitor.channels if other != channel))
            imgui.same_line()
            imgui.text(channel.label)
            imgui.pop_id()
        if len(values) != len(monitor.channels):
            return
        height = max(_LEAST_HEIGHT, imgui.get_content_region_avail().y / len(values) - 4.0)
        fit = implot.AxisFlags_.auto_fit
        for channel, curve in zip(monitor.channels, values, strict=True):
            if implot.begin_plot(channel.label, imgui.ImVec2(-1.0, height), implot.Flags_.no_legend):
                implot.setup_axes("t [s]", "", fit, fit)
                implot.plot_line(channel.label, np.ascontiguousarray(times), np.ascontiguousarray(curve))
                implot.end_plot()

    def _choose(self, bench: Workbench, channels: tuple[Channel, ...]) -> None:
        kinds = {"world": "", "body": bench.selected_body, "joint": bench.selected_joint}
        kind = fields.choice("of", self._kind, tuple(kinds))
        if kind is not None:
            self._kind = kind
        name = kinds[self._kind]
        if self._kind != "world" and not name:
            imgui.text_disabled(f"select a {self._kind} first")
            return
        quantities = self._quantities(bench)
        if self._quantity not in quantities:
            self._quantity = next(iter(quantities), "")
        self._quantity = fields.choice("quantity", self._quantity, quantities) or self._quantity
        if self._kind == "body":
            self._axis = fields.choice("component", self._axis, _AXES) or self._axis
        if self._quantity and imgui.button("add"):
            channel = Channel(
                self._kind, name, self._quantity, _AXES.index(self._axis) if self._kind == "body" else 3
            )
            bench.simulation.watch(*dict.fromkeys((*channels, channel)))

    def _quantities(self, bench: Workbench) -> tuple[str, ...]:
        if self._kind == "world":
            return tuple(WORLD_QUANTITIES)
        if self._kind == "body":
            return tuple(BODY_QUANTITIES)
        joint = bench.view.outline.joint
        names = () if joint is None else tuple(joint.coordinates)
        return (*names, *(f"{name} rate" for name in names))
