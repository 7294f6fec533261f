"""Curves over time: several in a plot, a cursor at the shown time; to be zoomed, moved and written down."""

import numpy as np
from imgui_bundle import imgui, implot

from stoss.errors import FileError
from stoss.files import write_text
from stoss.viewer.drawing.style import PALETTE
from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.plots import Plot, limits, table, thinned, tick_format
from stoss.viewer.workbench.workbench import Workbench, free_path
from stoss.viewer.world.channels import (
    AXES,
    BODY_QUANTITIES,
    DRIVE_QUANTITIES,
    JOINT_VECTORS,
    WORLD_QUANTITIES,
    Channel,
)
from stoss.viewer.world.outline import JointOutline
from stoss.viewer.world.player import READ_FROM_MOTIONS, Player

__all__ = ["PlotsPanel"]

_LEAST_HEIGHT = 190.0  # of a plot [pixels]
_WIDTH = 2.5  # of a curve [pixels]
_BRIGHTER = 0.35  # way of the palette to white: its colours are meant for a light ground
_CURSOR = imgui.ImVec4(1.0, 1.0, 1.0, 0.65)
_SAME = "of the same unit"
_ALONE = "a new one"


class PlotsPanel:
    """The panel, which remembers what is to be added."""

    def __init__(self) -> None:
        self._kind = "world"
        self._quantity = "energy"
        self._axis = "z"
        self._where = _SAME
        self._ranges: dict[int, tuple[float, float, float, float]] = {}  # what each plot showed last

    def draw(self, bench: Workbench) -> None:
        """Draw the panel."""
        self._choose(bench)
        if isinstance(bench.simulation, Player):
            bench.plots.keep_motion_curves()
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
            imgui.text_colored(_colour(number), channel.title)
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
        if not imgui.collapsing_header("add a curve"):
            return
        recorded = isinstance(bench.simulation, Player)
        names = {"world": "", "body": bench.selected_body, "joint": bench.selected_joint}
        names["drive"] = bench.selected_joint
        kinds = ("body",) if recorded else tuple(names)
        self._kind = self._kind if self._kind in kinds else kinds[0]
        self._kind = fields.choice("of", self._kind, kinds) or self._kind
        name = names[self._kind]
        if self._kind != "world" and not name:
            imgui.text_disabled(f"select a {'body' if self._kind == 'body' else 'joint'} first")
            return
        joint = bench.view.outline.joint
        quantities = self._quantities(joint, recorded)
        if not quantities:
            imgui.text_disabled("there is nothing to plot of it")
            return
        if self._quantity not in quantities:
            self._quantity = quantities[0]
        self._quantity = fields.choice("quantity", self._quantity, quantities) or self._quantity
        vector = self._kind == "body" or (self._kind == "joint" and self._quantity in JOINT_VECTORS)
        if vector:
            self._axis = fields.choice("component", self._axis, AXES) or self._axis
        self._where = fields.choice("into the plot", self._where, (_SAME, _ALONE)) or self._where
        if imgui.button("add"):
            bench.plots.add(self._channel(name, joint, vector), alone=self._where == _ALONE)

    def _channel(self, name: str, joint: JointOutline | None, vector: bool) -> Channel:
        if self._kind == "drive" and joint is not None:
            quantity, number = self._quantity.rsplit(" ", 1)
            drive = joint.drives[int(number) - 1]
            return Channel("drive", name, quantity, int(number) - 1, drive.coordinate in joint.angles)
        angle = joint is not None and self._quantity.removesuffix(" rate") in joint.angles
        return Channel(self._kind, name, self._quantity, AXES.index(self._axis) if vector else 3, angle)

    def _quantities(self, joint: JointOutline | None, recorded: bool) -> tuple[str, ...]:
        if recorded:
            return READ_FROM_MOTIONS
        if self._kind == "world":
            return tuple(WORLD_QUANTITIES)
        if self._kind == "body":
            return tuple(BODY_QUANTITIES)
        if joint is None:
            return ()
        if self._kind == "drive":
            return tuple(
                f"{quantity} {number}"
                for number, drive in enumerate(joint.drives, 1)
                for quantity in DRIVE_QUANTITIES
                if quantity == "force" or quantity in drive.values
            )
        names = tuple(joint.coordinates)
        return (*names, *(f"{name} rate" for name in names), *JOINT_VECTORS)


def _colour(number: int) -> imgui.ImVec4:
    """Return the colour of a curve, by its place in the plot."""
    shade = np.asarray(PALETTE[number % len(PALETTE)])
    red, green, blue = (shade + _BRIGHTER * (1.0 - shade)).tolist()
    return imgui.ImVec4(red, green, blue, 1.0)
