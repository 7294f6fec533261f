"""The panels of the window: each is a function that draws one, with what the workbench has at hand."""

from collections.abc import Callable

from stoss.viewer.window.panels.body import body_panel
from stoss.viewer.window.panels.build import BuildPanel
from stoss.viewer.window.panels.control import ControlPanel
from stoss.viewer.window.panels.help import help_panel
from stoss.viewer.window.panels.joint import joint_panel
from stoss.viewer.window.panels.plots import PlotsPanel
from stoss.viewer.window.panels.pose import PosePanel
from stoss.viewer.window.panels.scenes import ScenesPanel
from stoss.viewer.window.panels.statistics import statistics_panel
from stoss.viewer.window.panels.world import world_panel
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["new_panels"]


def new_panels() -> dict[str, Callable[[Workbench], None]]:
    """Return the panels by their names, those with a memory of their own fresh."""
    return {
        "Scenes": ScenesPanel().draw,
        "Body": body_panel,
        "Joint": joint_panel,
        "World": world_panel,
        "Statistics": statistics_panel,
        "Plots": PlotsPanel().draw,
        "Control": ControlPanel().draw,
        "Pose": PosePanel().draw,
        "Build": BuildPanel().draw,
        "Help": help_panel,
    }
