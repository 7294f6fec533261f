"""What the mouse does in the picture: look around, select, pull and push bodies. No window is needed here.

left, on a body that moves    pull it (shift: with its orientation; control: push it on release)
left, elsewhere; right        turn the camera; also left with alt
middle, or shift and right    move the camera
wheel                         nearer and farther, towards the pointer; while pulling: the pull's depth
click                         select
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stoss.viewer.workbench.workbench import Workbench, numbers
from stoss.viewer.world.commands import Grab, MovePointer, Push, Release

__all__ = ["Hand", "Picked"]

_TURN = 0.006  # [rad per pixel] of the camera
_ZOOM = 1.15  # per notch of the wheel
_REACH = 1.1  # factor on the depth of the pull per notch
_CLICK = 4.0  # [pixels] a press that moves less is a click
_PUSH = 4.0  # [1/s] a push changes the velocity by this times the distance that the mouse was drawn


@dataclass(frozen=True)
class Picked:
    """What is under the pointer: the row of the body and the point on it (3,) [m]."""

    body: int
    point: np.ndarray


@dataclass
class _Press:
    """A button that is down."""

    button: str
    x: float
    y: float
    far: bool = False  # whether the mouse has moved
    action: str = "orbit"  # "orbit", "pan", "pull", "push"
    body: str = ""
    point: np.ndarray | None = None  # where the body was taken (3,) [m]
    depth: float = 0.0  # of that point along the view [m]


class Hand:
    """The mouse in the picture. Pixels are counted from the left upper corner, y down.

    Args:
        bench: what it works on.
        pick: returns what is at a pixel (x, y), or None.
    """

    def __init__(self, bench: Workbench, pick: Callable[[float, float], Picked | None]) -> None:
        self._bench = bench
        self._pick = pick
        self._press: _Press | None = None

    @property
    def pulling(self) -> bool:
        """Return whether a body is being pulled."""
        return self._press is not None and self._press.action == "pull"

    @property
    def push(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return what letting go would push: point and way to the mouse [m], impulse [N s], (3,) each."""
        press = self._press
        if press is None or press.action != "push" or press.point is None:
            return None
        row = self._bench.row(press.body)
        if row < 0:
            return None
        mass = float(self._bench.view.description.masses[row])
        way = self._at_depth(press) - press.point
        return press.point, way, _PUSH * mass * way

    def press(
        self, x: float, y: float, button: str, shift: bool = False, control: bool = False, alt: bool = False
    ) -> None:
        """Take note of a button ("left", "middle", "right") that went down at a pixel."""
        bench = self._bench
        self._press = press = _Press(button, x, y)
        if button == "middle" or (button == "right" and shift):
            press.action = "pan"
        if button != "left":
            return
        picked = self._pick(x, y)
        if picked is None:
            return
        description = bench.view.description
        press.body = description.names[picked.body]
        if description.kinds[picked.body] != "dynamic" or alt or bench.camera_only:
            return
        if bench.modelling and bench.simulation.paused:
            return  # a click selects; what is built is placed by handles
        press.point = picked.point
        press.depth = float((bench.camera.eye - picked.point) @ bench.camera.axes[2])
        press.action = "push" if control else "pull"
        if press.action == "pull":
            mode = "grab" if shift else bench.pull_mode
            bench.post(Grab(press.body, numbers(picked.point), mode))

    def move(self, x: float, y: float) -> None:
        """Follow the mouse to a pixel while a button is down."""
        press, bench = self._press, self._bench
        if press is None:
            return
        dx, dy = x - press.x, y - press.y
        if not press.far and abs(dx) + abs(dy) < _CLICK:
            return
        press.far = True
        press.x, press.y = x, y
        if press.action == "orbit":
            bench.sight.turn(-_TURN * dx, _TURN * dy)
        elif press.action == "pan":
            bench.camera.pan(dx, dy, bench.size)
        elif press.action == "pull":
            self._move_pointer(press)

    def release(self) -> bool:
        """Take note that the button went up; return whether it was a click."""
        press, bench, push = self._press, self._bench, self.push
        self._press = None
        if press is None:
            return False
        if press.action == "pull":
            bench.post(Release())
        if not press.far:
            if press.button == "left":
                self._select(press)
        elif push is not None:
            point, _, impulse = push
            bench.post(Push(press.body, numbers(point), numbers(impulse)))
        return not press.far

    def _select(self, press: _Press) -> None:
        """Select the joint that is seen at a click, else the body, else nothing."""
        joint = self._bench.joint_at(press.x, press.y)
        if joint:
            self._bench.select_joint(joint)
        elif press.body:
            self._bench.select(press.body)
        else:
            self._bench.deselect()

    def drop(self) -> None:
        """Turn the camera no farther: the handles have taken what was pressed."""
        if not self.pulling:
            self._press = None

    def scroll(self, x: float, y: float, notches: float) -> None:
        """Turn the wheel, upwards: above 0."""
        press, bench = self._press, self._bench
        if press is not None and press.action == "pull":
            press.depth *= _REACH**notches
            press.far = True
            self._move_pointer(press)
            return
        picked = self._pick(x, y)
        bench.camera.zoom_to(_ZOOM**notches, x, y, bench.size, None if picked is None else picked.point)

    def _move_pointer(self, press: _Press) -> None:
        self._bench.post(MovePointer(numbers(self._at_depth(press))))

    def _at_depth(self, press: _Press) -> np.ndarray:
        """Return the point under the mouse at the depth where the body was taken."""
        camera = self._bench.camera
        origin, direction = camera.ray(press.x, press.y, self._bench.size)
        back = camera.axes[2]
        way = (press.depth - float((camera.eye - origin) @ back)) / -float(direction @ back)
        return origin + way * direction
