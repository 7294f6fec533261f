"""What a user has at hand: a simulation, a camera, a selection, and all that can be done with them.

Nothing here knows of windows or of OpenGL; keys, menus, panels and scripts all call the same methods.
"""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision import HalfSpace
from stoss.errors import FileError
from stoss.viewer.drawing.camera import Area, Camera
from stoss.viewer.drawing.choosing import chosen_rows
from stoss.viewer.drawing.colouring import needs_forces
from stoss.viewer.drawing.debug import debug_geometry
from stoss.viewer.drawing.framing import scene_points
from stoss.viewer.drawing.joint_picking import joint_under
from stoss.viewer.drawing.looks import Look
from stoss.viewer.drawing.marks import OverlayGeometry
from stoss.viewer.drawing.overlays import OverlayOptions, overlay_geometry
from stoss.viewer.drawing.style import Style
from stoss.viewer.drawing.trails import Trails
from stoss.viewer.workbench.build_marks import build_marks
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.free_places import free_shift
from stoss.viewer.workbench.own import OwnControls
from stoss.viewer.workbench.plots import Plots
from stoss.viewer.workbench.project import Project
from stoss.viewer.workbench.sight import Sight
from stoss.viewer.workbench.successor import Successor
from stoss.viewer.workbench.text_size import TextSize
from stoss.viewer.world.commands import (
    Command,
    Delete,
    Duplicate,
    Freeze,
    PressKey,
    RemoveThing,
    Throw,
    Unfreeze,
    WakeAll,
)
from stoss.viewer.world.driven import Driven
from stoss.viewer.world.player import Player
from stoss.viewer.world.pull import MODES
from stoss.viewer.world.session import Source
from stoss.viewer.world.simulation import Simulation
from stoss.viewer.world.view import View, Wait

if TYPE_CHECKING:
    from stoss.scenes.registry import Scene

__all__ = ["SPEEDS", "Workbench", "free_path", "numbers"]

SPEEDS = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, float("inf"))
JOINT_REACH = 9.0  # [pixels at 96 dots per inch] from the mark of a joint at which a click selects it
_NOTICE_TIME = 8.0  # [s] that a notice stands
_BALL_SPEED = 4.0  # thrown ball: distances to what is looked at per second
_BALL_SIZE = 0.03  # its radius, in parts of that distance


@dataclass
class Workbench:
    """All that the window shows and does.

    Attributes:
        simulation: the world behind the window.
        source: the scene it was built from, or None.
        camera, style, overlays: how it is drawn.
        size: of the picture [pixels].
        free: what of it is free of menu, bar and panels: left, upper, right and lower edge [pixels].
        selected_body, selected_joint: names, "" for none.
        hidden: names of bodies that are not drawn.
        glass: names of bodies that are drawn like glass, and that the mouse reaches through.
        camera_only: whether the left button turns the camera also where there is a body.
        pull_mode: how the mouse pulls bodies, of `stoss.viewer.world.pull.MODES`, or "pose": joints follow.
        handles: handles on what is selected: "", "move" or "turn"; "size" for what is built.
        panels: which panels are open.
        notices: what the user is told, newest last.
        told: when, on the clock, the user was told what.
        title: of the window; "" for that it began with.
        frame_rate: pictures per second while they follow each other, else 0.
        upload: makes a texture of pixels (height, width, 4) uint8 and returns its name; None without a
            window.
        film_began: when the film began that is recorded, on the clock.
        first_view: where to look from at first; None is the direction of the scene.
        first_glass: names, or patterns of names, of bodies that are like glass at first; None: those that the
            scene names.
        quality: level of the picture; None until one is chosen that runs smoothly.
        plots: curves over time.
        panel_picture_wanted: corner and size [pixels of the window] of what is to be written as a picture.
        own: sliders, buttons and keys of the user's program.
        sight: moves the camera.
        text: how large text and widgets are.
        successor: the world that is being built, to take the place of the present one.
        project: the model that is being built.
        picture_wanted, filming, closing: what the window is to do: take a picture, record a film, end.
    """

    simulation: Simulation | Player | Driven
    source: Source | None = None
    camera: Camera = field(default_factory=Camera)
    style: Style = field(default_factory=Style)
    overlays: OverlayOptions = field(default_factory=OverlayOptions)
    size: tuple[int, int] = (1280, 720)
    free: Area | None = None
    selected_body: str = ""
    selected_joint: str = ""
    hidden: set[str] = field(default_factory=set)
    glass: set[str] = field(default_factory=set)
    camera_only: bool = False
    pull_mode: str = MODES[0]
    handles: str = ""
    panels: dict[str, bool] = field(default_factory=dict)
    notices: deque[str] = field(default_factory=lambda: deque(maxlen=50))
    told: deque[tuple[float, str]] = field(default_factory=lambda: deque(maxlen=50))
    title: str = ""
    frame_rate: float = 0.0
    upload: Callable[[np.ndarray], int] | None = None
    film_began: float | None = None
    first_view: Look | None = None
    first_glass: tuple[str, ...] | None = None
    quality: str | None = None
    plots: Plots = field(default_factory=Plots)
    panel_picture_wanted: tuple[float, float, float, float] | None = None
    own: OwnControls = field(default_factory=OwnControls)
    sight: Sight = field(init=False)
    text: TextSize = field(init=False)
    successor: Successor = field(default_factory=Successor)
    project: Project = field(init=False)
    picture_wanted: bool = False
    filming: bool = False
    closing: bool = False
    _begun: bool = False
    _trails: Trails = field(default_factory=Trails)
    _keys: dict[str, str] = field(default_factory=dict)
    _asked_keys: "Future[dict[str, str]] | None" = None

    def __post_init__(self) -> None:
        self.sight = Sight(self)
        self.text = TextSize(self.tell)
        self.project = Project(self)

    # ------------------------------------------------------------- what is there

    @property
    def view(self) -> View:
        """Return what is shown now."""
        return self.simulation.view

    @property
    def modelling(self) -> bool:
        """Return whether handles and clicks are for the model that is built."""
        return self.panels.get("Build", False) and self.project.draft is not None

    @property
    def scene(self) -> "Scene | None":
        """Return the scene that is shown, also where it is a recorded motion; None for worlds of scripts."""
        if self.source is not None:
            return self.source.scene
        if isinstance(self.simulation, Player):
            import stoss.scenes  # noqa: F401  (registers them)
            from stoss.scenes.registry import SCENES

            return SCENES.get(self.simulation.scene_name)
        return None

    def row(self, name: str) -> int:
        """Return the row of a body in the view, -1 if it is gone."""
        names = self.view.description.names
        return names.index(name) if name in names else -1

    @property
    def selected_row(self) -> int:
        """Return the row of the selected body, -1 for none."""
        return self.row(self.selected_body) if self.selected_body else -1

    def post(self, *commands: Command) -> None:
        """Hand commands to the simulation."""
        self.simulation.post(*commands)

    def tell(self, text: str) -> None:
        """Show a line to the user, for a while."""
        self.notices.append(text)
        self.told.append((time.perf_counter(), text))

    @property
    def recent_notices(self) -> list[str]:
        """Return what the user was told lately, the newest last."""
        since = time.perf_counter() - _NOTICE_TIME
        return [text for moment, text in self.told if moment > since]

    def refresh(self) -> None:
        """Do what is due before a picture is drawn: follow, take over a scene that is built, mark bodies."""
        self._take_over()
        if self.simulation.error is not None and self.successor.simulation is None:
            self.closing = True  # there is nothing to be shown
        if self.simulation.ready and not self._begun:
            self.begin()
        view = self.view
        while self.simulation.notices:
            self.tell(self.simulation.notices.popleft())
        if self.selected_body and self.row(self.selected_body) < 0:
            self.select("")
        if self.selected_joint and self.selected_joint not in view.description.joint_names:
            self.selected_joint = ""
        self.project.follow()
        self.simulation.inspect(self.selected_body, self.selected_joint)
        self.simulation.show_contacts(self.overlays.needs_contacts or needs_forces(self.style))
        row = self.selected_row
        self.style.selected = (row,) if row >= 0 else ()
        self.style.hidden = tuple(row for row in map(self.row, self.hidden) if row >= 0)
        self.style.see_through = tuple(row for row in map(self.row, self.glass) if row >= 0)
        culprits = view.failure.bodies if view.failure is not None else ()
        self.style.highlighted = tuple(row for row in map(self.row, culprits) if row >= 0)
        self.sight.follow()

    def begin(self) -> None:
        """Show the world as its scene asks for, or as it was asked for when the window was opened."""
        self._begun = True
        self._read_keys()
        if self.scene is not None:
            self.glass = set(self.scene.see_through)
            self._begin_plots(self.scene.plots)
        if self.first_glass is not None:
            self._begin_glass(self.first_glass)
            self.first_glass = None
        self.sight.begin()

    def _begin_plots(self, labels: tuple[str, ...]) -> None:
        """Plot what the scene asks for, and no longer what the last one did."""
        if labels:
            self.plots = Plots.asked_for(labels)
            self.panels["Plots"] = True
        elif self.plots.of_scene:
            self.plots = Plots()

    def _begin_glass(self, wanted: tuple[str, ...]) -> None:
        """Draw like glass what was named at the beginning."""
        names = self.view.description.names
        try:
            self.glass = {names[row] for row in chosen_rows("see_through", wanted, names)}
        except ValueError as error:
            self.tell(str(error))

    def overlay_geometry(self) -> OverlayGeometry:
        """Return what is to be laid over the bodies now."""
        view = self.view
        if self.overlays.trajectories:
            self._trails.add(view.description, view.frame)
        shown = debug_geometry(view.marks)
        if self.modelling:
            shown = build_marks(view, self.camera, self.project.focus) + shown
        marked = "" if self.modelling else self.selected_joint  # there its glyph stands out, and its handles
        return shown + overlay_geometry(view.description, view.frame, self.overlays, self._trails, marked)

    def joint_at(self, x: float, y: float) -> str:
        """Return the name of the joint whose mark is seen at a pixel, "" for none.

        Marks are there while an overlay of joints is on or a model is built; rods between two points always.
        """
        view, overlays = self.view, self.overlays
        marked = (
            self.modelling
            or overlays.joints
            or overlays.limits
            or overlays.joint_frames
            or overlays.joint_names
        )
        reach = JOINT_REACH * self.text.scale
        return joint_under(view.description, view.frame, self.camera, self.size, (x, y), reach, marked)

    # ------------------------------------------------------------- running

    def toggle_pause(self) -> None:
        """Stop or go on."""
        self.simulation.pause(not self.simulation.paused)

    def change_speed(self, by: int) -> None:
        """Take the next faster or slower of `SPEEDS`."""
        now = min(range(len(SPEEDS)), key=lambda i: (SPEEDS[i] != self.simulation.speed, abs(i - 6)))
        self.simulation.speed = SPEEDS[int(np.clip(now + by, 0, len(SPEEDS) - 1))]

    def go_to_time(self, moment: float) -> None:
        """Stop, and go to the recorded state at a time [s], as far as steps are of the present length."""
        frame, step = self.view.frame, self.view.outline.time_step
        self.simulation.go_to(frame.step + round((moment - frame.time) / step))

    def wake_all(self) -> None:
        """Wake all bodies."""
        self.post(WakeAll())

    # ------------------------------------------------------------- selection

    def select(self, body: str) -> None:
        """Select a body by name, "" for none."""
        self.selected_body = body
        self.sight.forget_place()
        if not body:
            self.sight.following = False
            if not self.modelling:
                self.handles = ""

    @property
    def building_place(self) -> np.ndarray:
        """Return the point (3,) [m] near which something new is built: the selected body, or the pivot."""
        row = self.selected_row
        return self.sight.pivot if row < 0 else np.asarray(self.view.frame.positions[row])

    def deselect(self) -> None:
        """Select nothing."""
        self.select("")
        self.selected_joint = ""

    def _on_selected(self, command: Callable[[str], Command]) -> None:
        if self.selected_row >= 0:
            self.post(command(self.selected_body))
        else:
            self.tell("select a body first: click it")

    def toggle_glass(self) -> None:
        """Draw the selected body like glass, or as it is."""
        if self.selected_body:
            self.glass ^= {self.selected_body}

    def hide(self) -> None:
        """Hide the selected body."""
        if self.selected_body:
            self.hidden.add(self.selected_body)
            self.deselect()

    def show_all(self) -> None:
        """Show all hidden bodies again."""
        self.hidden.clear()
        self.glass.clear()

    def delete(self) -> None:
        """Remove the selected body from the world; where a model is built, what is looked at of it."""
        focus = self.project.focus
        if self.modelling and focus.section and not focus.shapes:
            self.post(RemoveThing(focus.section, focus.name))
        else:
            self._on_selected(Delete)

    def select_joint(self, joint: str) -> None:
        """Select a joint by name; where a model is built, to change it."""
        if self.modelling:
            self.project.look_at(Focus("joints", joint))
        else:
            self.selected_joint = joint

    def duplicate(self) -> None:
        """Put a copy of the selected body on it or beside it, where nothing else is."""
        self._on_selected(lambda name: Duplicate(name, self._free_shift(self.row(name))))

    def _free_shift(self, row: int) -> tuple[float, float, float]:
        """Return by how much (3,) [m] a copy of a body has to be shifted to be free of others."""
        description, frame = self.view.description, self.view.frame
        solid = [isinstance(shape, HalfSpace) for shape in description.shapes]
        owners = description.shape_body[~np.array(solid, bool)]
        corners = scene_points(description, frame, moving=False).reshape(-1, 8, 3)
        boxes = np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1)
        return free_shift(boxes[owners == row], boxes)

    def toggle_freeze(self) -> None:
        """Hold the selected body where it is, or let it go."""
        frozen = f"freeze {self.selected_body}" in self.view.description.joint_names
        self._on_selected(Unfreeze if frozen else Freeze)

    def throw(self) -> None:
        """Throw a ball at what is in the middle of the picture."""
        origin, direction = self.camera.ray(0.5 * self.size[0], 0.5 * self.size[1], self.size)
        distance = self.camera.distance
        start = origin + direction * max(0.0, float(np.linalg.norm(self.camera.target - origin)) - distance)
        start = start + 0.1 * distance * direction
        velocity = direction * _BALL_SPEED * distance
        self.post(Throw(numbers(start), numbers(velocity), radius=_BALL_SIZE * distance))

    def toggle_handles(self, kind: str) -> None:
        """Show the handles "move", "turn" or "size" on what is selected, or put them away."""
        selected = self.project.focus.section if self.modelling else self.selected_body
        if kind == "size" and not self.modelling:
            self.tell("handles to size are for what is built: F9")
            return
        self.handles = "" if self.handles == kind or not selected else kind

    def next_pull_mode(self) -> None:
        """Take the next way to pull."""
        modes = *MODES, "pose"
        self.pull_mode = modes[(modes.index(self.pull_mode) + 1) % len(modes)]
        self.tell(f"the mouse pulls by {self.pull_mode}")

    # ------------------------------------------------------------- keys

    def _read_keys(self) -> None:
        """Ask which keys controllers of the world have a use for."""
        simulation = self.simulation
        self._keys, self._asked_keys = {}, None
        if not isinstance(simulation, Player):
            self._asked_keys = simulation.ask(
                lambda: {
                    key: told
                    for controller in simulation.stage.world.controllers.values()
                    for key, told in controller.keys.items()
                }
            )

    def press_key(self, name: str) -> bool:
        """Do what the user's program or a controller of the world has a key for; return whether one has.

        Args:
            name: such as "UP" or "CTRL+K".
        """
        if self.own.press_key(name):
            return True
        if self._asked_keys is not None and self._asked_keys.done():
            self._keys, self._asked_keys = self._asked_keys.result(), None
        if name not in self._keys:
            return False
        self.simulation.post(PressKey(name))
        self.tell(f"{name.lower()}: {self._keys[name]}")
        return True

    # ------------------------------------------------------------- scenes and files

    def open_scene(
        self, scene: "Scene", parameters: dict[str, Any], time_step: float, **settings: Any
    ) -> None:
        """Build a scene in the background; it takes the place of the present world when it is ready.

        One that is being built meanwhile is given up.
        """
        source = Source(scene, parameters, settings, time_step)
        self.project.guard(f"open the scene {scene.name}", lambda: self.successor.build(source))

    def quit(self) -> None:
        """Close the window, if nothing is lost by it, or else ask first."""

        def close() -> None:
            self.closing = True

        self.project.guard("close the window", close)

    def undo(self) -> None:
        """Undo the last edit of the model, or else a cut of the recording."""
        draft = self.project.draft
        if draft is not None and draft.past:
            self.project.undo()
        else:
            self.simulation.undo_cut()

    def redo(self) -> None:
        """Redo the edit of the model, or else the cut of the recording, that was undone last."""
        draft = self.project.draft
        if draft is not None and draft.future:
            self.project.redo()
        else:
            self.simulation.redo_cut()

    @property
    def waiting(self) -> Wait | None:
        """Return what has to be ready before anything moves, None if nothing."""
        return (self.successor.simulation or self.simulation).waiting

    def _take_over(self) -> None:
        taken = self.successor.take()
        if taken is None:
            return
        built, source = taken
        if built.error is not None:
            self.tell(str(built.error))
            return
        built.pause(self.simulation.paused or source.building)
        self.simulation.close()
        self.simulation, self.source = built, source
        self.title = f"stoss: {source.scene.name}"
        self.deselect()
        self.hidden.clear()
        self.begin()

    def close(self) -> None:
        """End the simulation, and the building of a scene."""
        for simulation in self._simulations:
            simulation.close()

    @property
    def busy(self) -> bool:
        """Return whether something goes on after `close` that could not be stopped at once."""
        return any(simulation.busy or simulation.preparing is not None for simulation in self._simulations)

    @property
    def _simulations(self) -> list[Simulation | Player | Driven]:
        """Return the present simulation, and the one that is being built."""
        built = self.successor.simulation
        return [self.simulation] if built is None else [self.simulation, built]

    def save(self) -> None:
        """Save the model that is built, or else the session."""
        if self.project.draft is None:
            self.save_session_here()
        else:
            self.project.save()

    def save_session(self, path: str | Path) -> "Future[None]":
        """Write down what was done to the scene, from its beginning, for `stoss replay`."""
        source, simulation = self.source, self.simulation
        if source is None or isinstance(simulation, Player):
            raise ValueError("a session needs a scene: this world was built by a script, which can save it")

        def write() -> None:
            try:
                source.session(simulation.stage).write(path)
            except FileError as error:
                self.tell(str(error))
                raise
            self.tell(f"session written to {Path(path).resolve()}")

        return simulation.ask(write, at_end=True)

    def save_session_here(self) -> None:
        """Write the session to the present folder, under a name that is free."""
        if self.source is None:
            self.tell("a session needs a scene; a world that a script built cannot be written down")
            return
        name = "session" if self.source.scene.model is not None else self.source.scene.name
        self.save_session(free_path(f"{name}.json"))


def free_path(name: str) -> Path:
    """Return a path in the present folder that is not taken: film.mp4, film-2.mp4, and so on."""
    wanted = path = Path(name)
    number = 2
    while path.exists():
        path = wanted.with_stem(f"{wanted.stem}-{number}")
        number += 1
    return path


def numbers(vector: np.ndarray) -> tuple[float, ...]:
    """Return a vector as plain numbers, for a command."""
    return tuple(float(x) for x in vector)
