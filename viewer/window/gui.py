"""What lies over the picture: menus, the bar that runs the simulation, panels, handles, texts."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from imgui_bundle import imgui
from imgui_bundle import imguizmo as guizmo_module

from stoss.collision.algebra import matrix_from_quaternion
from stoss.viewer.drawing.camera import Area
from stoss.viewer.drawing.labels import Label
from stoss.viewer.drawing.legend import Legend
from stoss.viewer.widgets.theme import scaled
from stoss.viewer.widgets.waiting import PLAIN, draw_wait
from stoss.viewer.window.build_dialogs import BuildDialogs
from stoss.viewer.window.build_handles import BuildHandles
from stoss.viewer.window.hand import Hand
from stoss.viewer.window.lettering import draw_key, draw_labels, write
from stoss.viewer.window.matrices import quaternion_of, to_guizmo, with_far_plane
from stoss.viewer.window.menu import draw_menus
from stoss.viewer.window.panels import new_panels
from stoss.viewer.window.time_bar import TimeBar
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import Grab, MovePointer, Release

__all__ = ["Gui"]

# Sizes in pixels at 96 dots per inch.
_PANEL_WIDTH = 330.0
_LEFT_PANELS = ("Scenes", "Help", "Plots", "Build")
_NOTICE_LINES = 3
_BAR = 44.0  # height of the bar
_LEAST_FREE = 0.1  # part of the picture that must be free of panels to be fitted into


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
        self._build_handles, self._dialogs = BuildHandles(), BuildDialogs()
        self._docked = 0.0  # scale at which the frame for panels was made
        self._turned: np.ndarray | None = None  # orientation of the body when its handles were taken
        self._target: np.ndarray | None = None  # pose (4, 4) that the handles ask for, while they are held

    @property
    def holding(self) -> bool:
        """Return whether the handles are in the mouse's hand."""
        return self._target is not None or self._build_handles.holding

    @property
    def panel_names(self) -> tuple[str, ...]:
        """Return the names of all panels."""
        return tuple(self._panels)

    @property
    def over_handles(self) -> bool:
        """Return whether the pointer is on the handles."""
        return bool(self._bench.handles) and guizmo_module.im_guizmo.is_over()

    def draw(
        self, labels: Sequence[Label], texts: Sequence[Label] = (), legends: Sequence[Legend] = ()
    ) -> None:
        """Draw everything.

        Args:
            labels: names and the world points (3,) [m] that they belong to; where they overlap, the nearest.
            texts: the same, but all of them.
            legends: what colours and marks mean.
        """
        draw_menus(self._bench)
        self._draw_dock()
        draw_labels(self._bench, labels, texts)
        draw_key(self._bench, legends)
        self._draw_push()
        if self._bench.modelling:
            self._let_go()
            if self._bench.handles:
                self._build_handles.draw(self._bench)
                if self._build_handles.holding:
                    self._hand.drop()
        else:
            self._draw_handles()
        self._draw_panels()
        self._dialogs.draw(self._bench)
        self._bar.draw(self._bench, scaled(_BAR))
        self._draw_notices()
        self._draw_film_sign()
        self._draw_waiting()

    # ------------------------------------------------------------- menus and panels

    def _draw_dock(self) -> None:
        """Draw the frame in which panels are docked: left and right of the picture, one behind the other."""
        width, height = self._bench.size
        top = imgui.get_frame_height()
        imgui.set_next_window_pos(imgui.ImVec2(0.0, top))
        imgui.set_next_window_size(imgui.ImVec2(float(width), height - top - scaled(_BAR)))
        flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_background
        flags |= imgui.WindowFlags_.no_bring_to_front_on_focus | imgui.WindowFlags_.no_docking
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0.0, 0.0))
        imgui.begin("dock", None, flags | imgui.WindowFlags_.no_move)
        imgui.pop_style_var()
        space = imgui.get_id("space")
        builder = imgui.internal
        if self._docked != scaled(1.0):
            self._docked = scaled(1.0)
            builder.dock_builder_remove_node(space)
            builder.dock_builder_add_node(space, builder.DockNodeFlagsPrivate_.dock_space)
            builder.dock_builder_set_node_size(space, imgui.ImVec2(float(width), height - top - scaled(_BAR)))
            share = min(0.4, scaled(_PANEL_WIDTH) / width)
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
        self._bench.free = self._free_area(builder.dock_builder_get_central_node(space))

    def _free_area(self, node: "imgui.internal.DockNode") -> Area:
        """Return what menu, bar and docked panels leave of the picture, unless that is next to nothing."""
        width, height = self._bench.size
        if node.size.x * node.size.y > _LEAST_FREE * width * height:
            return node.pos.x, node.pos.y, node.pos.x + node.size.x, node.pos.y + node.size.y
        return 0.0, imgui.get_frame_height(), float(width), height - scaled(_BAR)

    @property
    def has_popup(self) -> bool:
        """Return whether a menu or a list is open."""
        flags = imgui.PopupFlags_.any_popup_id | imgui.PopupFlags_.any_popup_level
        return bool(imgui.is_popup_open("", flags))

    def _draw_panels(self) -> None:
        for name, draw in self._panels.items():
            if not self._bench.panels.get(name, False):
                continue
            shown, still_open = imgui.begin(name, True)
            self._bench.panels[name] = bool(still_open)
            if shown:
                imgui.push_item_width(-scaled(130.0))
                draw(self._bench)
                imgui.pop_item_width()
            imgui.end()

    # ------------------------------------------------------------- in the picture

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
        dark = _colour(0.05, 0.06, 0.08, 0.85)
        for shade, more in ((dark, 2.0), (colour, 0.0)):  # a dark rim: seen on any ground
            drawing.add_line(imgui.ImVec2(x0, y0), imgui.ImVec2(x1, y1), shade, 2.5 + more)
            drawing.add_circle_filled(imgui.ImVec2(x0, y0), 4.5 + 0.5 * more, shade)
            drawing.add_circle(imgui.ImVec2(x1, y1), 6.0, shade, 0, 2.0 + more)
        if text:
            write(drawing, text, x1 + 10.0, y1 - 8.0)

    def _draw_handles(self) -> None:
        """Draw the handles on the selected body; held, they pull it by a velocity joint."""
        bench, row = self._bench, self._bench.selected_row
        gizmo = guizmo_module.im_guizmo
        kind = bench.view.description.kinds[row] if row >= 0 else ""
        if bench.handles not in ("move", "turn") or kind != "dynamic":
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
        matrix = to_guizmo(shown)
        gizmo.manipulate(
            to_guizmo(camera.view_matrix()),
            to_guizmo(with_far_plane(camera.projection_matrix(bench.size))),
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
        turn = quaternion_of(self._target[:3, :3] @ _matrix(np.asarray(self._turned)).T)
        bench.post(MovePointer(tuple(map(float, self._target[:3, 3])), turn))

    def _let_go(self) -> None:
        if self._target is not None:
            self._target = None
            self._bench.post(Release())

    def _draw_notices(self) -> None:
        bench, failure = self._bench, self._bench.view.failure
        lines = bench.recent_notices[-_NOTICE_LINES:]
        if failure is None and not lines:
            return
        # beside the panels, over none of their fields
        left, top, right, _ = bench.free or (0.0, scaled(21.0), float(bench.size[0]), 0.0)
        place = imgui.ImVec2(0.5 * (left + right), top + scaled(13.0))
        imgui.set_next_window_pos(place, imgui.Cond_.always, imgui.ImVec2(0.5, 0.0))
        imgui.begin("notices", None, PLAIN)
        imgui.push_text_wrap_pos(min(scaled(620.0), right - left - scaled(24.0)))
        if failure is not None:
            imgui.text_colored(imgui.ImVec4(1.0, 0.45, 0.35, 1.0), "the simulation stopped")
            imgui.text_wrapped(failure.message)
        for line in lines:
            imgui.text_wrapped(line)
        imgui.pop_text_wrap_pos()
        if lines and imgui.small_button("ok"):
            bench.told.clear()
        imgui.end()

    def _draw_film_sign(self) -> None:
        """Draw the sign of a film that is recorded, below the menu on the right."""
        bench = self._bench
        if bench.film_began is None:
            return
        seconds = int(time.perf_counter() - bench.film_began)
        text = f"recording {seconds // 60}:{seconds % 60:02d}, F11 ends it"
        right, top = bench.size[0] - scaled(12.0), imgui.get_frame_height() + scaled(8.0)
        size, half = imgui.calc_text_size(text), 0.5 * imgui.get_font_size()
        drawing = imgui.get_foreground_draw_list()
        left = right - size.x - 3.0 * half
        corner = imgui.ImVec2(right + half, top + size.y + 0.5 * half)
        drawing.add_rect_filled(
            imgui.ImVec2(left, top - 0.5 * half), corner, _colour(0.09, 0.1, 0.12, 0.9), 4.0
        )
        red = _colour(1.0, 0.25, 0.2, 1.0)
        drawing.add_circle_filled(imgui.ImVec2(left + 1.4 * half, top + half), 0.7 * half, red)
        drawing.add_text(imgui.ImVec2(right - size.x, top), _colour(1.0, 1.0, 1.0, 1.0), text)

    def _draw_waiting(self) -> None:
        """Draw in the middle what has to be ready before anything moves, in a corner what is made ready."""
        bench, (width, height) = self._bench, self._bench.size
        if bench.waiting is not None:
            wait, place = bench.waiting, (0.5 * width, 0.5 * height)
            draw_wait("waiting", wait.text, wait.share, place, (0.5, 0.5))
        elif bench.simulation.preparing is not None:
            wait, place = bench.simulation.preparing, (width - 10.0, height - scaled(_BAR) - 10.0)
            draw_wait("preparing", wait.text, wait.share, place, (1.0, 1.0))


def _colour(*values: float) -> int:
    return int(imgui.get_color_u32(imgui.ImVec4(*values)))


def _matrix(q: np.ndarray) -> np.ndarray:
    """Return R(q) (3, 3)."""
    return np.reshape(matrix_from_quaternion(q), (3, 3))
