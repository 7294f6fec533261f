"""The pose: a slider for each coordinate of the joints, which moves bodies at once, also while it stands."""

from concurrent.futures import Future

import numpy as np
from imgui_bundle import imgui

from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.player import Player
from stoss.viewer.world.pose import CoordinateOutline, SetCoordinate, coordinate_outlines

__all__ = ["PosePanel"]

_MOST = 200  # coordinates that are shown
_REACH = (1.0, float(np.pi))  # of a slider without limits [m], [rad]


class PosePanel:
    """The panel, which remembers the coordinates that the simulation last told of."""

    def __init__(self) -> None:
        self._coordinates: tuple[CoordinateOutline, ...] = ()
        self._asked: Future[tuple[CoordinateOutline, ...]] | None = None
        self._of: object = None

    def draw(self, bench: Workbench) -> None:
        """Draw the panel."""
        self._ask(bench)
        leads = fields.switch("the mouse leads bodies", bench.pull_mode == "pose")
        if leads is not None:
            bench.pull_mode = "pose" if leads else "drag"
        imgui.text_disabled("joints follow; what stands stays; X freezes")
        if not self._coordinates:
            imgui.text_disabled("this world has no coordinates")
        for coordinate in self._coordinates[:_MOST]:
            ends = [
                bound
                if np.isfinite(bound)
                else side * max(_REACH[coordinate.angle], 2.0 * abs(coordinate.value))
                for side, bound in ((-1.0, coordinate.lower), (1.0, coordinate.upper))
            ]
            label = f"{coordinate.name} [{'rad' if coordinate.angle else 'm'}]##pose"
            wanted = fields.number(label, coordinate.value, ends[0], ends[1], form="%.3f")
            if wanted is not None:
                bench.post(SetCoordinate(coordinate.name, wanted))

    def _ask(self, bench: Workbench) -> None:
        """Ask for the coordinates, as soon as the last answer is there."""
        simulation = bench.simulation
        if self._of is not simulation:
            self._of, self._asked, self._coordinates = simulation, None, ()
        if isinstance(simulation, Player) or not simulation.ready:
            return
        if self._asked is not None and self._asked.done():
            self._coordinates = self._asked.result() or self._coordinates
            self._asked = None
        if self._asked is None:
            self._asked = simulation.ask(lambda: coordinate_outlines(simulation.stage))
