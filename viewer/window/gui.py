"""What lies over the picture: menus, the bar that runs the simulation, panels, handles, texts."""

from collections.abc import Callable
from pathlib import Path

import imgui_bundle
import numpy as np
from imgui_bundle import imgui, implot
from imgui_bundle import imguizmo as guizmo_module

from stoss.collision.algebra import matrix_from_quaternion
from stoss.viewer.window.hand import Hand
from stoss.viewer.window.panels import new_panels
from stoss.viewer.window.time_bar import TimeBar
from stoss.viewer.workbench.actions import ACTIONS
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import Grab, MovePointer, Release
from stoss.viewer.world.view import Wait

__all__ = ["Gui", "set_up_imgui", "take_down_imgui"]

_FONT_SIZE = 15.0
_PANEL_WIDTH = 330.0
_LEFT_PANELS = ("Scenes", "Help", "Plots")
_NOTICE_LINES = 3
_BAR = 44.0  # height of the bar [pixels]
_WAITING_WIDTH = 260.0  # [pixels]
_PLAIN = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_saved_settings
)


def set_up_imgui(scale: float = 1.0) -> None:
    """Make the contexts of ImGui and ImPlot, load a font, choose colours. Settings are not kept in a file."""
    imgui.create_context()
    implot.create_context()
    io = imgui.get_io()
    io.set_ini_filename("")
    io.config_flags |= imgui.ConfigFlags_.docking_enable
    font = Path(imgui_bundle.__file__).parent / "assets" / "fonts" / "Roboto" / "Roboto-Regular.ttf"
    if not font.is_file():
        font = font.parent.parent / "DroidSans.ttf"
    io.fonts.add_font_from_file_ttf(str(font), _FONT_SIZE * scale)
    imgui.style_colors_dark()
    style = imgui.get_style()
    style.window_rounding = style.frame_rounding = style.grab_rounding = 4.0
    style.window_border_size = 0.0
    style.set_color_(imgui.Col_.window_bg, imgui.ImVec4(0.09, 0.10, 0.12, 0.88))
    style.set_color_(imgui.Col_.menu_bar_bg, imgui.ImVec4(0.07, 0.08, 0.10, 0.95))
    style.set_color_(imgui.Col_.title_bg_active, imgui.ImVec4(0.13, 0.22, 0.33, 1.0))


def take_down_imgui() -> None:
    """Free what `set_up_imgui` made."""
    implot.destroy_context()
    imgui.destroy_context()


class Gui:
    """Draw all that lies over the picture, between `imgui.new_frame` and `imgui.render`.

    Args:
        bench: what it shows and changes.
        hand: the mouse, whose push is shown.
    """

    def __init__(self, bench: Workbench, hand: Hand) -> None:
        self._bench = bench
        self._hand = hand
        self._panels: dict[str, Callable[[Workbench], None]] = new_panels()
        self._bar = TimeBar()
        self._docked = False
        self._turned: np.ndarray | None = None  # orientation of the body when its handles were taken
        self._target: np.ndarray | None = None  # pose (4, 4) that the handles ask for, while they are held

    @property
    def holding(self) -> bool:
        """Return whether the handles are in the mouse's hand."""
        return self._target is not None

    @property
    def panel_names(self) -> tuple[str, ...]:
        """Return the names of all panels."""
        return tuple(self._panels)

    @property
    def over_handles(self) -> bool:
        """Return whether the pointer is on the handles."""
        return bool(self._bench.handles) and guizmo_module.im_guizmo.is_over()

    def draw(self, labels: list[tuple[str, np.ndarray]]) -> None:
        """Draw everything.

        Args:
            labels: texts and the world points (3,) [m] that they belong to.
        """
        self._draw_menu()
        self._draw_dock()
        self._draw_labels(labels)
        self._draw_push()
        self._draw_handles()
        self._draw_panels()
        self._bar.draw(self._bench, _BAR)
        self._draw_notices()
        self._draw_waiting()

    # ------------------------------------------------------------- menus and panels

    def _draw_menu(self) -> None:
        if not imgui.begin_main_menu_bar():
            return
        for menu in dict.fromkeys(action.menu for action in ACTIONS):
            if imgui.begin_menu(menu):
                for action in (action for action in ACTIONS if action.menu == menu):
                    on = action.checked is not None and action.checked(self._bench)
                    if imgui.menu_item(action.label, action.key.title(), on)[0]:
                        action.run(self._bench)
                imgui.end_menu()
        if self._bench.views and imgui.begin_menu("Views"):
            for name in tuple(self._bench.views):
                if imgui.menu_item(name, "", False)[0]:
                    self._bench.load_view(name)
            if imgui.begin_menu("Forget"):
                for name in tuple(self._bench.views):
                    if imgui.menu_item(name, "", False)[0]:
                        self._bench.forget_view(name)
                imgui.end_menu()
            imgui.end_menu()
        imgui.end_main_menu_bar()

    def _draw_dock(self) -> None:
        """Draw the frame in which panels are docked: left and right of the picture, one behind the other."""
        width, height = self._bench.size
        top = imgui.get_frame_height()
        imgui.set_next_window_pos(imgui.ImVec2(0.0, top))
        imgui.set_next_window_size(imgui.ImVec2(float(width), height - top - _BAR))
        flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_background
        flags |= imgui.WindowFlags_.no_bring_to_front_on_focus | imgui.WindowFlags_.no_docking
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0.0, 0.0))
        imgui.begin("dock", None, flags | imgui.WindowFlags_.no_move)
        imgui.pop_style_var()
        space = imgui.get_id("space")
        if not self._docked:
            self._docked = True
            builder = imgui.internal
            builder.dock_builder_add_node(space, builder.DockNodeFlagsPrivate_.dock_space)
            builder.dock_builder_set_node_size(space, imgui.ImVec2(float(width), height - top - _BAR))
            share = min(0.4, _PANEL_WIDTH / width)
            left = builder.dock_builder_split_node(space, imgui.Dir.left, share)
            right = builder.dock_builder_split_node(
                left.id_at_opposite_dir, imgui.Dir.right, share / (1.0 - share)
            )
            for name in self._panels:
                builder.dock_builder_dock_window(
                    name, left.id_at_dir if name in _LEFT_PANELS else right.id_at_dir
                )
            builder.dock_builder_finish(space)
        imgui.dock_space(space, imgui.ImVec2(0.0, 0.0), imgui.DockNodeFlags_.passthru_central_node)
        imgui.end()

    def _draw_panels(self) -> None:
        for name, draw in self._panels.items():
            if not self._bench.panels.get(name, False):
                continue
            shown, still_open = imgui.begin(name, True)
            self._bench.panels[name] = bool(still_open)
            if shown:
                imgui.push_item_width(-130.0)
                draw(self._bench)
                imgui.pop_item_width()
            imgui.end()

    # ------------------------------------------------------------- in the picture

    def _draw_labels(self, labels: list[tuple[str, np.ndarray]]) -> None:
        if not labels:
            return
        drawing = imgui.get_background_draw_list()
        places = self._bench.camera.project(np.array([point for _, point in labels]), self._bench.size)
        dark, light = _colour(0.05, 0.06, 0.08, 0.75), _colour(1.0, 1.0, 1.0, 1.0)
        for (text, _), (x, y, depth) in zip(labels, places, strict=True):
            if depth > 0.0 and np.isfinite(x):
                drawing.add_text(imgui.ImVec2(x + 1.0, y + 1.0), dark, text)
                drawing.add_text(imgui.ImVec2(x, y), light, text)

    def _draw_push(self) -> None:
        """Draw the impulse that letting go of the mouse would give, or the way to the pointer."""
        bench, push, pull = self._bench, self._hand.push, self._bench.view.pull
        if push is not None:
            point, way, impulse = push
            ends = np.array([point, point + way])
            text = f"{np.linalg.norm(impulse):.3g} N s"
        elif pull is not None:
            ends, text = np.array(pull), ""
        else:
            return
        (x0, y0, near), (x1, y1, far) = bench.camera.project(ends, bench.size)
        if near <= 0.0 or far <= 0.0:
            return
        drawing = imgui.get_background_draw_list()
        colour = _colour(1.0, 0.72, 0.2, 1.0)
        drawing.add_line(imgui.ImVec2(x0, y0), imgui.ImVec2(x1, y1), colour, 2.5)
        drawing.add_circle_filled(imgui.ImVec2(x0, y0), 4.5, colour)
        drawing.add_circle(imgui.ImVec2(x1, y1), 6.0, colour, 0, 2.0)
        if text:
            drawing.add_text(imgui.ImVec2(x1 + 10.0, y1 - 8.0), colour, text)

    def _draw_handles(self) -> None:
        """Draw the handles on the selected body; held, they pull it by a velocity joint."""
        bench, row = self._bench, self._bench.selected_row
        gizmo = guizmo_module.im_guizmo
        kind = bench.view.description.kinds[row] if row >= 0 else ""
        if not bench.handles or kind != "dynamic":
            self._let_go()
            return
        frame, camera = bench.view.frame, bench.camera
        pose = np.eye(4)
        pose[:3, :3] = _matrix(frame.quaternions[row])
        pose[:3, 3] = frame.positions[row]
        shown = pose if self._target is None else self._target
        gizmo.begin_frame()
        gizmo.set_orthographic(camera.orthographic)
        gizmo.set_drawlist(imgui.get_background_draw_list())
        gizmo.set_rect(0.0, 0.0, float(bench.size[0]), float(bench.size[1]))
        moves = bench.handles == "move"
        matrix = _to_guizmo(shown)
        gizmo.manipulate(
            _to_guizmo(camera.view_matrix()),
            _to_guizmo(_with_far_plane(camera.projection_matrix(bench.size))),
            gizmo.OPERATION.translate if moves else gizmo.OPERATION.rotate,
            gizmo.MODE.world if moves else gizmo.MODE.local,
            matrix,
        )
        if not gizmo.is_using():
            self._let_go()
            return
        if self._target is None:
            self._turned = frame.quaternions[row].copy()
            bench.post(Grab(bench.selected_body, tuple(map(float, pose[:3, 3])), "grab"))
        self._target = np.array(matrix.values, float).reshape(4, 4).T
        turn = _quaternion(self._target[:3, :3] @ _matrix(np.asarray(self._turned)).T)
        bench.post(MovePointer(tuple(map(float, self._target[:3, 3])), turn))

    def _let_go(self) -> None:
        if self._target is not None:
            self._target = None
            self._bench.post(Release())

    def _draw_notices(self) -> None:
        bench, failure = self._bench, self._bench.view.failure
        lines = list(bench.notices)[-_NOTICE_LINES:]
        if failure is None and not lines:
            return
        imgui.set_next_window_pos(
            imgui.ImVec2(0.5 * bench.size[0], 34.0), imgui.Cond_.always, imgui.ImVec2(0.5, 0.0)
        )
        imgui.begin("notices", None, _PLAIN)
        if failure is not None:
            imgui.push_text_wrap_pos(620.0)
            imgui.text_colored(imgui.ImVec4(1.0, 0.45, 0.35, 1.0), "the simulation stopped")
            imgui.text_wrapped(failure.message)
            imgui.pop_text_wrap_pos()
        for line in lines:
            imgui.text(line)
        if lines and imgui.small_button("ok"):
            bench.notices.clear()
        imgui.end()

    def _draw_waiting(self) -> None:
        """Draw in the middle what has to be ready before anything moves, in a corner what is made ready."""
        bench, (width, height) = self._bench, self._bench.size
        if bench.waiting is not None:
            _draw_wait("waiting", bench.waiting, (0.5 * width, 0.5 * height), (0.5, 0.5))
        elif bench.simulation.preparing is not None:
            place = (width - 10.0, height - _BAR - 10.0)
            _draw_wait("preparing", bench.simulation.preparing, place, (1.0, 1.0))


def _draw_wait(name: str, wait: Wait, place: tuple[float, float], pivot: tuple[float, float]) -> None:
    """Draw a small window that tells of a wait; `pivot` says which part of it is at the place [pixels]."""
    imgui.set_next_window_pos(imgui.ImVec2(*place), imgui.Cond_.always, imgui.ImVec2(*pivot))
    imgui.begin(name, None, _PLAIN | imgui.WindowFlags_.no_focus_on_appearing)
    imgui.text(wait.text + "." * (1 + int(2.0 * imgui.get_time()) % 3))
    imgui.dummy(imgui.ImVec2(_WAITING_WIDTH, 0.0))
    if wait.share is not None:
        imgui.progress_bar(wait.share, imgui.ImVec2(_WAITING_WIDTH, 6.0), "")
    imgui.end()


def _colour(*values: float) -> int:
    return int(imgui.get_color_u32(imgui.ImVec4(*values)))


def _to_guizmo(matrix: np.ndarray) -> "guizmo_module.im_guizmo.Matrix16":
    return guizmo_module.im_guizmo.Matrix16([float(x) for x in matrix.T.ravel()])


def _with_far_plane(projection: np.ndarray) -> np.ndarray:
    """Return a projection with the far plane at 10 000 near distances: the handles cannot do without one."""
    if projection[3, 3] == 1.0:  # without perspective
        return projection
    near = projection[2, 3] / (projection[2, 2] - 1.0)
    far = 1e4 * near
    projection[2, 2:] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
    return projection


def _matrix(q: np.ndarray) -> np.ndarray:
    """Return R(q) (3, 3)."""
    return np.reshape(matrix_from_quaternion(q), (3, 3))


def _quaternion(matrix: np.ndarray) -> tuple[float, float, float, float]:
    """Return the unit quaternion (w, x, y, z) of a rotation matrix (3, 3), up to rounding in the matrix."""
    m = matrix
    k = np.zeros((4, 4))  # its largest eigenvector is the quaternion (x, y, z, w)
    k[0, 0], k[1, 0], k[1, 1] = m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2]
    k[2, :3] = m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1]
    k[3] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], np.trace(m)
    _, vectors = np.linalg.eigh(k)
    x, y, z, w = vectors[:, 3] * np.copysign(1.0, vectors[3, 3])
    return float(w), float(x), float(y), float(z)
