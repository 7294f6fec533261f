"""All that keys and menus do, in one table: the window, the help and docs/window.md are made from it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from stoss.collision.plain_numbers import shown
from stoss.names import hint
from stoss.viewer.drawing.colouring import COLOUR_MODES
from stoss.viewer.drawing.overlays import OverlayOptions
from stoss.viewer.drawing.quality import QUALITIES
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["ACTIONS", "MOUSE", "PANELS", "Action", "check_panels", "find_action", "key_table"]


@dataclass(frozen=True)
class Action:
    """One thing to do.

    Attributes:
        menu: the menu it is in.
        label: what it is called there.
        key: "SPACE", "CTRL+S" and the like, "" for none.
        run: does it.
        checked: whether it is on, for those that are switched; None for the others.
    """

    menu: str
    label: str
    key: str
    run: Callable[[Workbench], None]
    checked: Callable[[Workbench], bool] | None = None


MOUSE = (
    ("left, on a body", "pull it; with Shift hold its orientation; with Ctrl draw an impulse"),
    ("left elsewhere, or right, or Alt and left", "turn the camera"),
    ("middle, or Shift and right", "move the camera"),
    ("wheel", "nearer or farther, towards the pointer; while pulling: the depth of the pull"),
    ("click", "select a body, or a joint by its mark"),
    ("double click", "select it and fit it into the picture"),
)


def _panel(name: str) -> tuple[Callable[[Workbench], None], Callable[[Workbench], bool]]:
    def toggle(bench: Workbench) -> None:
        bench.panels[name] = not bench.panels.get(name, False)

    return toggle, lambda bench: bench.panels.get(name, False)


def _overlay(name: str) -> tuple[Callable[[Workbench], None], Callable[[Workbench], bool]]:
    def toggle(bench: Workbench) -> None:
        setattr(bench.overlays, name, not getattr(bench.overlays, name))

    return toggle, lambda bench: bool(getattr(bench.overlays, name))


def _colour(name: str) -> tuple[Callable[[Workbench], None], Callable[[Workbench], bool]]:
    def choose(bench: Workbench) -> None:
        bench.style.colour_by = name

    return choose, lambda bench: bench.style.colour_by == name


def _quality(name: str) -> tuple[Callable[[Workbench], None], Callable[[Workbench], bool]]:
    def choose(bench: Workbench) -> None:
        bench.quality = name

    return choose, lambda bench: bench.quality == name


def _axis_view(number: int) -> Callable[[Workbench], None]:
    return lambda bench: bench.sight.axis_view(number)


def _set(name: str, value: object) -> Callable[[Workbench], None]:
    return lambda bench: setattr(bench, name, value)


def _flip(name: str) -> Callable[[Workbench], None]:
    return lambda bench: setattr(bench, name, not getattr(bench, name))


def _toggle_key(bench: Workbench) -> None:
    bench.style.legend = not bench.style.legend


# The panels, and their keys.
_PANEL_KEYS = {
    "Scenes": "F2",
    "Body": "F3",
    "Joint": "F4",
    "World": "F5",
    "Statistics": "F6",
    "Plots": "F7",
    "Control": "F8",
    "Pose": "F10",
    "Build": "F9",
    "Help": "F1",
}
PANELS = tuple(_PANEL_KEYS)
_OVERLAY_KEYS = {"contacts": "C", "joints": "J", "velocities": "V", "names": "N", "trajectories": "T"}
_VIEW_NAMES = ("Front", "Right", "Top", "Back", "Left", "Bottom")


def _switches() -> list[Action]:
    """Return the actions that switch something on and off by its name."""
    made = [
        Action("Overlays", name.replace("_", " ").capitalize(), _OVERLAY_KEYS.get(name, ""), *_overlay(name))
        for name in OverlayOptions.switches()
    ]
    made.append(Action("Overlays", "Key", "", _toggle_key, lambda bench: bench.style.legend))
    made += [Action("Colours", f"By {name}", "", *_colour(name)) for name in COLOUR_MODES]
    made += [Action("Quality", name.capitalize(), "", *_quality(name)) for name in QUALITIES]
    made += [Action("Panels", name, key, *_panel(name)) for name, key in _PANEL_KEYS.items()]
    return made


ACTIONS: tuple[Action, ...] = (
    Action("Run", "Pause or go on", "SPACE", Workbench.toggle_pause, lambda bench: bench.simulation.paused),
    Action("Run", "Single step", "RIGHT", lambda bench: bench.simulation.step()),
    Action("Run", "Step back", "LEFT", lambda bench: bench.simulation.step_back()),
    Action("Run", "Faster", "UP", lambda bench: bench.change_speed(1)),
    Action("Run", "Slower", "DOWN", lambda bench: bench.change_speed(-1)),
    Action("Run", "Real time", "HOME", lambda bench: setattr(bench.simulation, "speed", 1.0)),
    Action("Run", "Back to the beginning", "BACKSPACE", lambda bench: bench.simulation.reset()),
    Action("Run", "Undo an edit, or a cut of the recording", "CTRL+Z", Workbench.undo),
    Action("Run", "Redo it", "CTRL+Y", Workbench.redo),
    Action("Run", "Undo a cut of the recording", "", lambda bench: bench.simulation.undo_cut()),
    Action("Run", "Wake all bodies", "", Workbench.wake_all),
    Action("Body", "Pull by point, rope, whole body or pose", "P", Workbench.next_pull_mode),
    Action("Body", "Handles to move it", "G", lambda bench: bench.toggle_handles("move")),
    Action("Body", "Handles to turn it", "R", lambda bench: bench.toggle_handles("turn")),
    Action("Body", "Handles to size what is built", "S", lambda bench: bench.toggle_handles("size")),
    Action("Body", "Freeze or let go", "X", Workbench.toggle_freeze),
    Action("Body", "Duplicate", "CTRL+D", Workbench.duplicate),
    Action("Body", "Delete", "DELETE", Workbench.delete),
    Action("Body", "Hide", "H", Workbench.hide),
    Action("Body", "Like glass", "CTRL+H", Workbench.toggle_glass),
    Action("Body", "Show all", "SHIFT+H", Workbench.show_all),
    Action("Body", "Throw a ball", "B", Workbench.throw),
    Action("Body", "Select nothing", "ESCAPE", Workbench.deselect),
    Action("Camera", "Fit into the picture", "F", lambda bench: bench.sight.fit()),
    Action(
        "Camera",
        "Left button for the camera alone",
        "M",
        _flip("camera_only"),
        lambda bench: bench.camera_only,
    ),
    Action(
        "Camera",
        "Follow the body",
        "L",
        lambda bench: bench.sight.toggle_follow(),
        lambda bench: bench.sight.following,
    ),
    *(
        Action("Camera", f"{name} view", str(number), _axis_view(number))
        for number, name in enumerate(_VIEW_NAMES, 1)
    ),
    Action("Camera", "Keep this view", "K", lambda bench: bench.sight.save_next_view()),
    Action(
        "Camera",
        "Without perspective",
        "O",
        lambda bench: bench.sight.toggle_perspective(),
        lambda bench: bench.camera.orthographic,
    ),
    Action("Text", "Larger", "CTRL+EQUAL", lambda bench: bench.text.change(1)),
    Action("Text", "Smaller", "CTRL+MINUS", lambda bench: bench.text.change(-1)),
    Action("File", "Take a picture", "F12", _set("picture_wanted", True)),
    Action("File", "Record a film", "F11", _flip("filming"), lambda bench: bench.filming),
    Action("File", "New model", "CTRL+N", lambda bench: bench.project.new()),
    Action("File", "Open a model", "CTRL+O", lambda bench: bench.project.ask_for_file()),
    Action("File", "Save the model that is built, or else the session", "CTRL+S", Workbench.save),
    Action("File", "Save the model as", "CTRL+SHIFT+S", lambda bench: bench.project.ask_for_name()),
    Action("File", "Save the session", "", Workbench.save_session_here),
    Action("File", "Quit", "CTRL+Q", Workbench.quit),
    *_switches(),
)


def check_panels(names: Any) -> dict[str, bool]:
    """Return panels that are to be open, for `Workbench.panels`.

    Raises:
        TypeError, ValueError: no names, or a panel that there is not.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"panels = {shown(names)} must be names in a tuple, such as ('Body', 'Plots')")
    open_ones = {}
    for name in names:
        found = next((panel for panel in PANELS if panel.lower() == str(name).lower()), None)
        if found is None:
            near = hint(str(name), PANELS)
            raise ValueError(f"there is no panel {name!r}; choose from {', '.join(PANELS)}{near}")
        open_ones[found] = True
    return open_ones


def find_action(key: str) -> Action | None:
    """Return the action of a key such as "CTRL+S", or None."""
    return next((action for action in ACTIONS if action.key == key), None)


def key_table() -> list[tuple[str, str]]:
    """Return keys and what they do, in the order of the menus."""
    return [(action.key, f"{action.menu}: {action.label}") for action in ACTIONS if action.key]
