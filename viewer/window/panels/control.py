"""What can be set with a slider: what the user's program asks for, drives, coordinates of joints."""

import math
from concurrent.futures import Future

from imgui_bundle import imgui

from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.own import Button, Knob, OwnControls, Switch
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import HoldJoint, Release, SetDrive
from stoss.viewer.world.outline import DriveOutline, JointOutline, joint_outlines
from stoss.viewer.world.player import Player

__all__ = ["ControlPanel", "reach"]

_MOST = 60  # joints that are shown
_RATES = (2.0, 10.0)  # [m/s], [rad/s] of motors, at least


class ControlPanel:
    """The panel, which remembers the joints that the simulation last told of."""

    def __init__(self) -> None:
        self._joints: tuple[JointOutline, ...] = ()
        self._asked: Future[tuple[JointOutline, ...]] | None = None
        self._of: object = None

    def draw(self, bench: Workbench) -> None:
        """Draw the panel."""
        _own(bench.own)
        self._ask(bench)
        driven = [joint for joint in self._joints if joint.drives]
        if driven and imgui.collapsing_header("drives", imgui.TreeNodeFlags_.default_open):
            for joint in driven:
                for number, drive in enumerate(joint.drives):
                    _drive(bench, joint, number, drive)
        if self._joints and imgui.collapsing_header("joints", imgui.TreeNodeFlags_.default_open):
            if bench.simulation.paused:
                imgui.text_disabled("what you move goes there when it runs")
            for joint in self._joints:
                for coordinate in joint.free:
                    _coordinate(bench, joint, coordinate)
            if len(self._joints) == _MOST:
                imgui.text_disabled(f"the first {_MOST} joints; F4 shows any of them")
        if not bench.own.items and not self._joints:
            imgui.text_disabled("this world has no joints that can be driven")

    def _ask(self, bench: Workbench) -> None:
        """Ask for the joints, as soon as the last answer is there."""
        simulation = bench.simulation
        if self._of is not simulation:
            self._of, self._asked, self._joints = simulation, None, ()
        if isinstance(simulation, Player) or not simulation.ready:
            return
        if self._asked is not None and self._asked.done():
            self._joints = self._asked.result()
            self._asked = None
        if self._asked is None:
            self._asked = simulation.ask(lambda: joint_outlines(simulation.stage, _MOST))


def reach(joint: JointOutline, coordinate: str, value: float) -> tuple[float, float]:
    """Return the ends of a slider for a coordinate: its stops, or about half a turn or a metre."""
    for stopped, lower, upper in joint.limits:
        if stopped == coordinate and math.isfinite(lower) and math.isfinite(upper):
            return lower, upper
    return _about(value, math.pi if coordinate in joint.angles else 1.0)


def _about(value: float, least: float) -> tuple[float, float]:
    """Return ends that hold a value and do not move with each of its changes."""
    end = least
    while abs(value) > end:
        end *= 2.0
    return -end, end


def _coordinate(bench: Workbench, joint: JointOutline, coordinate: str) -> None:
    value = joint.coordinates[coordinate][0]
    alone, unit = len(joint.free) == 1, "rad" if coordinate in joint.angles else "m"
    label = f"{joint.name if alone else f'{joint.name} {coordinate}'} [{unit}]##coordinate"
    wanted = fields.number(label, value, *reach(joint, coordinate, value), form="%.3f")
    released = imgui.is_item_deactivated()
    if wanted is not None:
        bench.post(HoldJoint(joint.name, coordinate, wanted))
    if released:
        bench.post(Release())


def _drive(bench: Workbench, joint: JointOutline, number: int, drive: DriveOutline) -> None:
    goes_somewhere = drive.values.get("stiffness", 1.0) > 0.0 and "target" in drive.values
    quantity = "target" if goes_somewhere else "target_rate"
    if quantity not in drive.values:
        return
    angle, value = drive.coordinate in joint.angles, float(drive.values[quantity])
    if goes_somewhere:
        ends, unit = reach(joint, drive.coordinate, value), "rad" if angle else "m"
    else:
        ends, unit = _about(value, _RATES[angle]), "rad/s" if angle else "m/s"
    several = f" {drive.coordinate}" if len(joint.free) > 1 else ""
    label = f"{joint.name}{several} [{unit}]##drive {number}"
    new = fields.number(label, value, *ends, form="%.3f")
    if new is not None:
        bench.post(SetDrive(joint.name, number, quantity, new))


def _own(own: OwnControls) -> None:
    for item in own.items.values():
        if isinstance(item, Knob):
            value = fields.number(item.name, item.value, *item.bounds)
            if value is not None:
                low, high = item.bounds
                item.value = min(max(value, low), high)  # typed numbers may lie outside
        elif isinstance(item, Switch):
            on = fields.switch(item.name, item.on)
            if on is not None:
                item.on = on
        elif isinstance(item, Button) and imgui.button(item.name):
            own.press(item)
