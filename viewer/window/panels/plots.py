"""Curves over time: several in a plot, a cursor at the shown time; to be zoomed, moved and written down."""

import time
from collections.abc import Sequence
from concurrent.futures import Future

import numpy as np
from imgui_bundle import imgui, implot

from stoss.engine.recording import Observable
from stoss.errors import FileError
from stoss.files import write_text
from stoss.viewer.drawing.style import PALETTE
from stoss.viewer.widgets.theme import scaled
from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.plots import Plot, limits, table, thinned, tick_format
from stoss.viewer.workbench.workbench import Workbench, free_path
from stoss.viewer.world.channels import AXES, SIZE, Channel, channel_of, listed
from stoss.viewer.world.player import Player, is_of_motions

__all__ = ["PlotsPanel", "fitting"]

_LEAST_HEIGHT = 190.0  # of a plot [pixels]
_WIDTH = 2.5  # of a curve [pixels]
_BRIGHTER = 0.35  # way of the palette to white: its colours are meant for a light ground
_CURSOR = imgui.ImVec4(1.0, 1.0, 1.0, 0.65)
_SAME = "of the same unit"
_ALONE = "a new one"
_PAYLOAD = "channel"
_LIST_HEIGHT = 180.0  # [pixels]
_MOST_LISTED = 300
_RENEWED = 1.0  # [s] after which the list is asked for again


class PlotsPanel:
    """The panel, which remembers what is to be added."""

    def __init__(self) -> None:
        self._filter = ""
        self._axis = "z"
        self._where = _SAME
        self._listed: Sequence[Observable] = ()  # what can be plotted
        self._asked: Future[tuple[Observable, ...]] | None = None
        self._of: object = None  # whose list that is
        self._due = 0.0  # when it is asked for again
        self._dragged: Channel | None = None
        self._ranges: dict[int, tuple[float, float, float, float]] = {}  # what each plot showed last

    def draw(self, bench: Workbench) -> None:
        """Draw the panel."""
        self._choose(bench)
        if isinstance(bench.simulation, Player):
            bench.plots.keep(is_of_motions)
        if bench.simulation.monitor.channels != bench.plots.channels:
            bench.simulation.watch(*bench.plots.channels)
        plots = bench.plots.plots
        if not plots:
            imgui.text_disabled("add a curve")
            return
        self._export(bench)
        space = imgui.get_content_region_avail().y / len(plots) - 30.0
        for plot in tuple(plots):
            imgui.push_id(plot.number)
            self._legend(bench, plot)
            self._plot(bench, plot, max(_LEAST_HEIGHT, space - 24.0 * len(plot.channels)))
            imgui.pop_id()

    # ------------------------------------------------------------- a plot

    def _legend(self, bench: Workbench, plot: Plot) -> None:
        """Draw the names of the curves, each with a button that removes it."""
        for number, channel in enumerate(tuple(plot.channels)):
            imgui.push_id(number)
            if imgui.small_button("x"):
                bench.plots.remove(channel, plot)
            imgui.same_line()
            imgui.text_colored(_colour(number), channel.name)
            imgui.pop_id()

    def _plot(self, bench: Workbench, plot: Plot, height: float) -> None:
        monitor, now = bench.simulation.monitor, bench.view.frame.time
        curves = [monitor.curve(channel) for channel in plot.channels]
        wanted = limits(curves)
        shown = wanted if plot.follows else self._ranges.get(plot.number, wanted)
        if not implot.begin_plot("##curves", imgui.ImVec2(-1.0, height), implot.Flags_.no_legend):
            return
        implot.setup_axes("t [s]", plot.unit or "number")
        cond = implot.Cond_.always if plot.follows else implot.Cond_.once
        for axis, (low, high) in ((implot.ImAxis_.x1, wanted[:2]), (implot.ImAxis_.y1, wanted[2:])):
            implot.setup_axis_limits(axis, low, high, cond)
        implot.setup_axis_format(implot.ImAxis_.x1, tick_format(*shown[:2]))
        implot.setup_axis_format(implot.ImAxis_.y1, tick_format(*shown[2:]))
        pixels = int(max(100.0, implot.get_plot_size().x))
        for number, curve in enumerate(curves):
            times, values = thinned(curve, shown[0], shown[1], 2 * pixels)
            spec = implot.Spec(line_color=_colour(number), line_weight=_WIDTH)
            implot.plot_line(f"##{number}", times, values, spec)
        held, moment, *_ = implot.drag_line_x(0, now, _CURSOR, 1.5)
        if held and curves:
            bench.go_to_time(moment)
        self._follow(plot)
        self._drop(bench, plot)
        implot.end_plot()

    def _follow(self, plot: Plot) -> None:
        """Take note of what is shown, and of a user who zooms or moves the plot, or wants all of it again."""
        seen = implot.get_plot_limits()
        self._ranges[plot.number] = seen.x.min, seen.x.max, seen.y.min, seen.y.max
        if not implot.is_plot_hovered():
            return
        if imgui.is_mouse_double_clicked(0):
            plot.follows = True
        elif imgui.get_io().mouse_wheel != 0.0 or imgui.is_mouse_dragging(0) or imgui.is_mouse_dragging(1):
            plot.follows = False

    def _export(self, bench: Workbench) -> None:
        """Draw the buttons that write curves and plots down."""
        if imgui.button("values (.csv)"):
            monitor, channels = bench.simulation.monitor, bench.plots.channels
            path = free_path("curves.csv")
            try:
                write_text(path, table(channels, [monitor.curve(channel) for channel in channels]))
                bench.tell(f"curves written to {path}")
            except FileError as error:
                bench.tell(str(error))
        imgui.same_line()
        if imgui.button("picture (.png)"):
            corner, size = imgui.get_window_pos(), imgui.get_window_size()
            bench.panel_picture_wanted = corner.x, corner.y, size.x, size.y
        imgui.same_line()
        if imgui.button("all"):
            for plot in bench.plots.plots:
                plot.follows = True
        if imgui.is_item_hovered():
            imgui.set_tooltip("show all of each curve again, as a double click on a plot does")

    # ------------------------------------------------------------- what is to be added

    def _choose(self, bench: Workbench) -> None:
        """Draw the list of all that can be plotted: a click adds it, or it is dragged into a plot."""
        if not imgui.collapsing_header("add a curve"):
            return
        self._ask(bench)
        _, self._filter = imgui.input_text_with_hint("##filter", "words to look for", self._filter)
        for name in (bench.selected_body, bench.selected_joint):
            if name:
                imgui.same_line()
                if imgui.small_button(name):
                    self._filter = name
        found = fitting(self._listed, self._filter)
        if any(one.components for one in found):
            self._axis = fields.choice("component", self._axis, (*AXES, SIZE)) or self._axis
        self._where = fields.choice("into the plot", self._where, (_SAME, _ALONE)) or self._where
        if imgui.begin_child("channels", imgui.ImVec2(-1.0, scaled(_LIST_HEIGHT)), imgui.ChildFlags_.borders):
            for number, one in enumerate(found[:_MOST_LISTED]):
                self._entry(bench, number, one)
            if len(found) > _MOST_LISTED:
                imgui.text_disabled(f"and {len(found) - _MOST_LISTED} more: look for words")
            if not found:
                imgui.text_disabled("nothing of that name")
        imgui.end_child()

    def _entry(self, bench: Workbench, number: int, one: Observable) -> None:
        """Draw a line of the list."""
        channel = channel_of(one, _component(one, self._axis))
        if imgui.selectable(f"{channel.label}##{number}", False)[0]:
            bench.plots.add(channel, alone=self._where == _ALONE)
        if imgui.begin_drag_drop_source():
            self._dragged = channel
            imgui.set_drag_drop_payload_py_id(_PAYLOAD, 0)
            imgui.text(channel.label)
            imgui.end_drag_drop_source()

    def _drop(self, bench: Workbench, plot: Plot) -> None:
        """Take a channel that is let go over a plot: into it if the unit is the same, else a new one."""
        if not implot.begin_drag_drop_target_plot():
            return
        if imgui.accept_drag_drop_payload_py_id(_PAYLOAD) is not None and self._dragged is not None:
            self.drop(bench, self._dragged, plot)
        implot.end_drag_drop_target()

    @staticmethod
    def drop(bench: Workbench, channel: Channel, plot: Plot) -> None:
        """Add a channel to a plot, or to one of its own where the units differ."""
        if plot.unit == channel.unit:
            bench.plots.add(channel, plot)
        else:
            bench.plots.add(channel, alone=True)

    def _ask(self, bench: Workbench) -> None:
        """Ask for what there is, as soon as the last answer is there and a second has passed."""
        simulation = bench.simulation
        if self._of is not simulation:
            self._of, self._asked, self._listed, self._due = simulation, None, (), 0.0
        if isinstance(simulation, Player):
            self._listed = simulation.observables
            return
        if self._asked is not None and self._asked.done():
            self._listed = self._asked.result()
            self._asked = None
        if self._asked is None and simulation.ready and time.monotonic() >= self._due:
            self._due = time.monotonic() + _RENEWED
            self._asked = simulation.ask(lambda: listed(simulation.stage.world))


def fitting(observables: Sequence[Observable], words: str) -> list[Observable]:
    """Return those in whose names all words are found."""
    wanted = words.lower().split()
    return [one for one in observables if all(word in one.name.lower() for word in wanted)]


def _component(one: Observable, axis: str) -> str:
    """Return the component that is meant: of a vector as chosen, of others the nearest that there is."""
    if one.components == AXES or axis in one.components:
        return axis
    return one.components[0] if one.components else ""


def _colour(number: int) -> imgui.ImVec4:
    """Return the colour of a curve, by its place in the plot."""
    shade = np.asarray(PALETTE[number % len(PALETTE)])
    red, green, blue = (shade + _BRIGHTER * (1.0 - shade)).tolist()
    return imgui.ImVec4(red, green, blue, 1.0)
