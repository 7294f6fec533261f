"""Handles on what is built: they place, turn and size a body, a shape, a joint or a marker of the model."""

import numpy as np
from imgui_bundle import imgui
from imgui_bundle import imguizmo as guizmo_module

from stoss.collision.algebra import matrix_from_quaternion
from stoss.engine.model.editing import find
from stoss.engine.model.frames import Pose
from stoss.viewer.window.matrices import quaternion_of, to_guizmo, with_far_plane
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.handling import can_be_sized, put, sized
from stoss.viewer.workbench.places import place_of
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.build_commands import Edit

__all__ = ["BuildHandles"]

_NOTHING = 1e-9


class BuildHandles:
    """The handles, and what they hold.

    A drag is one edit: all its commands belong to one stroke. The next one is given when the last one is
    carried out, so that a world that takes long to be built is not asked for more than it can do.
    """

    def __init__(self) -> None:
        self._held: Focus | None = None
        self._kind = ""
        self._start: Pose | None = None  # where it was when it was taken
        self._target: Pose | None = None  # where the handles ask for it to be
        self._factors = np.ones(3)
        self._shape: object = None  # the record of the shape that is sized, as it was taken
        self._sent: tuple[Pose, tuple[float, ...]] | None = None
        self._asked: object = None  # the draft when the last command was given
        self._strokes = 0

    @property
    def holding(self) -> bool:
        """Return whether they are in the mouse's hand."""
        return self._held is not None

    def draw(self, bench: Workbench) -> None:
        """Draw the handles on what is looked at, and give commands for what is done with them."""
        gizmo, view = guizmo_module.im_guizmo, bench.view
        focus, kind = bench.project.focus, bench.handles
        if kind == "size":
            sizing = can_be_sized(view, focus)
            if sizing is None:
                self._let_go(bench)
                return
            focus = sizing
        place = self._target if self._held is not None else place_of(view, focus)
        if not bench.simulation.paused:
            place = None  # what moves is pulled by the mouse
        if place is None or (self._held is not None and (self._held != focus or self._kind != kind)):
            self._let_go(bench)
            return
        gizmo.begin_frame()
        gizmo.set_orthographic(bench.camera.orthographic)
        gizmo.set_drawlist(imgui.get_background_draw_list())
        gizmo.set_rect(0.0, 0.0, float(bench.size[0]), float(bench.size[1]))
        matrix = to_guizmo(_matrix(place))
        gizmo.manipulate(
            to_guizmo(bench.camera.view_matrix()),
            to_guizmo(with_far_plane(bench.camera.projection_matrix(bench.size))),
            {
                "move": gizmo.OPERATION.translate,
                "turn": gizmo.OPERATION.rotate,
                "size": gizmo.OPERATION.scale,
            }[kind],
            gizmo.MODE.world if kind == "move" else gizmo.MODE.local,
            matrix,
        )
        if not gizmo.is_using():
            self._let_go(bench)
            return
        if self._held is None:
            self._take(bench, focus, kind, place)
        made = np.array(matrix.values, float).reshape(4, 4).T
        if kind == "size":
            self._factors = np.linalg.norm(made[:3, :3], axis=0)
        else:
            x, y, z = made[:3, 3].tolist()
            self._target = ((x, y, z), quaternion_of(made[:3, :3]))
        self._ask(bench)

    def _take(self, bench: Workbench, focus: Focus, kind: str, place: Pose) -> None:
        self._held, self._kind, self._strokes = focus, kind, self._strokes + 1
        self._start = self._target = place
        self._factors, self._sent, self._asked = np.ones(3), (place, (1.0, 1.0, 1.0)), None
        draft = bench.view.draft
        if kind == "size" and draft is not None:
            self._shape = getattr(find(draft.sound, "bodies", focus.name), focus.shapes)[focus.number]

    def _ask(self, bench: Workbench) -> None:
        """Give the command for where the handles are, unless the last one is still being carried out."""
        draft = bench.view.draft
        if self._asked is not None and self._asked is draft and bench.project.refusal is None:
            return
        command = self._command(bench)
        if command is not None:
            self._asked = draft
            bench.post(command)

    def _command(self, bench: Workbench) -> Edit | None:
        assert self._held is not None and self._target is not None and self._sent is not None
        stroke = f"handles {self._strokes}"
        factors = tuple(self._factors.tolist())
        before, (pose, size) = self._sent[0], self._sent
        if self._kind == "size":
            if np.allclose(size, factors, rtol=0.0, atol=1e-4):
                return None
            self._sent = (pose, factors)
            return sized(bench.view, self._held, self._shape, self._factors, stroke)
        if np.allclose(np.concatenate(pose), np.concatenate(self._target), rtol=0.0, atol=_NOTHING):
            return None
        self._sent = (self._target, size)
        return put(bench.view, self._held, before, self._target, self._kind == "move", stroke)

    def _let_go(self, bench: Workbench) -> None:
        if self._held is None:
            return
        command = self._command(bench)
        if command is not None:
            bench.post(command)
        self._held = self._target = None


def _matrix(pose: Pose) -> np.ndarray:
    made = np.eye(4)
    made[:3, :3] = np.reshape(matrix_from_quaternion(np.array(pose[1])), (3, 3))
    made[:3, 3] = pose[0]
    return made
