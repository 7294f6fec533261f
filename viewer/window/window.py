"""The window: a picture of the simulation, with mouse, keys and panels."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stoss.errors import FileError
from stoss.viewer.drawing.colouring import legends_of
from stoss.viewer.drawing.context import renderer_name
from stoss.viewer.drawing.legend import Legend
from stoss.viewer.drawing.marks import OverlayGeometry
from stoss.viewer.drawing.quality import choose_quality
from stoss.viewer.window.hand import Hand, Picked
from stoss.viewer.window.redraw import Redraw
from stoss.viewer.window.shell import Shell
from stoss.viewer.workbench.actions import find_action
from stoss.viewer.workbench.saved_views import SavedViews
from stoss.viewer.workbench.workbench import Workbench, free_path

__all__ = ["Window"]

_FRAMES_PER_SECOND = 60.0
_DOUBLE_CLICK, _SAME_PLACE = 0.35, 6  # [s], [pixels]
_LAYOUT_FRAMES = 3  # after which panels have their places


class Window:
    """A window on a workbench. `run` shows it until it is closed.

    Args:
        bench: what it shows; its simulation is started and ended by `run`.
        quality: level of the picture; None chooses one that runs smoothly.
        title: of the window.
        shell: the window where there is one already; it is closed with this one.

    Raises:
        NoDisplayError: there is no display, or no OpenGL 3.3.
    """

    def __init__(
        self,
        bench: Workbench,
        quality: str | None = None,
        title: str = "stoss",
        shell: Shell | None = None,
    ) -> None:
        self.bench = bench
        self._shell = shell or Shell(bench.size)
        self._window = self._shell.window
        self._window.set_caption(title)
        from imgui_bundle import imgui

        from stoss.viewer.drawing.renderer import Renderer
        from stoss.viewer.window.gui import Gui

        bench.quality = quality
        if bench.sight.lasting_views is None:
            bench.sight.lasting_views = SavedViews(title)
        self._imgui = imgui
        self._renderer = Renderer(bench.view.description, quality or choose_quality(renderer_name(), 0))
        self._shown = bench.view.description
        self._hand = Hand(bench, self._pick)
        self._last_click = -1.0, 0, 0  # when and where
        self._window.push_handlers(
            on_mouse_press=self._on_mouse_press,
            on_mouse_release=self._on_mouse_release,
            on_mouse_drag=self._on_mouse_drag,
            on_mouse_scroll=self._on_mouse_scroll,
            on_key_press=self._on_key_press,
            on_close=self._on_close,
        )
        bench.text.of_display = self._scale = self._shell.display_scale
        bench.text.read()
        self._textures: list[Any] = []
        bench.upload = self._upload
        self._redraw = Redraw(bench)
        self._redraw.watch(self._window)
        self._gui = Gui(bench, self._hand)
        self._film: Any = None
        self._drawn_at = time.perf_counter()
        self.frames = 0
        self._title = title
        self._lay_out()

    # ------------------------------------------------------------- the loop

    def run(self) -> None:
        """Show the window until it is closed, with the simulation behind it."""
        self.bench.simulation.start()
        try:
            while not self.bench.closing:
                begin = time.perf_counter()
                self.turn()
                rest = 1.0 / _FRAMES_PER_SECOND - (time.perf_counter() - begin)
                if rest > 0.0:
                    time.sleep(rest)
        finally:
            self.close()

    def turn(self) -> None:
        """Take what mouse and keys did, and draw a picture if it shows anything new."""
        self._window.switch_to()
        self._window.dispatch_events()
        self.bench.size = self._window.get_framebuffer_size()
        self.bench.refresh()
        if self.bench.title not in ("", self._title):
            self._title = self.bench.title
            self._window.set_caption(self._title)
        if not self._redraw.is_due(self._imgui.get_io().want_text_input):
            return
        self.draw()
        self._window.flip()
        self._redraw.note()
        self.bench.frame_rate = self._redraw.rate
        self.frames += 1

    def close(self) -> None:
        """Take the window away and end the simulation."""
        self._end_film()
        self._renderer.delete()
        for texture in self._textures:
            texture.delete()
        self.bench.upload = None
        self._shell.close()
        self.bench.close()

    def draw(self) -> None:
        """Draw one picture into the window."""
        bench, imgui = self.bench, self._imgui
        view = bench.view
        self._follow_description()
        overlays = bench.overlay_geometry()
        self._renderer.draw(view.frame, bench.camera, bench.size, bench.style, overlays)
        self._take_pictures()
        now = time.perf_counter()
        imgui.get_io().delta_time = max(now - self._drawn_at, 1e-4)
        self._drawn_at = now
        self._draw_gui(overlays, legends_of(view.description, view.frame, bench.style, overlays))
        self._shell.render()
        self._take_panel_picture()

    def _draw_gui(self, overlays: OverlayGeometry, legends: Sequence[Legend] = ()) -> None:
        if self._scale != self.bench.text.scale:
            self._scale = self.bench.text.scale
            from stoss.viewer.widgets.theme import set_scale

            set_scale(self._scale)
        self._imgui.new_frame()
        self._gui.draw(overlays.labels, overlays.texts, legends)
        self._imgui.render()

    def _lay_out(self) -> None:
        """Find out what panels leave free, before the first picture: bodies are fitted into that."""
        self.bench.size = self._window.get_framebuffer_size()
        for _ in range(_LAYOUT_FRAMES):
            self._draw_gui(OverlayGeometry())

    def _upload(self, pixels: np.ndarray) -> int:
        """Return the name of a texture with these pixels (height, width, 4) uint8."""
        from stoss.viewer.drawing.gl import picture_texture

        self._textures.append(picture_texture(pixels))
        return int(self._textures[-1].name)

    def _follow_description(self) -> None:
        """Tell the renderer of other bodies, or of another quality."""
        view = self.bench.view
        if view.description is not self._shown:
            self._renderer.set_description(view.description)
            self._shown = view.description
        if self.bench.quality is None and self.bench.simulation.ready:
            self.bench.quality = choose_quality(renderer_name(), len(view.description.names))
        if self.bench.quality not in (None, self._renderer.quality.name):
            self._renderer.set_quality(self.bench.quality)

    # ------------------------------------------------------------- pictures and films

    def _take_pictures(self) -> None:
        bench = self.bench
        if bench.picture_wanted:
            from stoss.viewer.drawing.picture_files import write_picture

            bench.picture_wanted = False
            path = free_path("picture.png")
            try:
                write_picture(path, self._renderer.read_pixels(bench.size))
                bench.tell(f"picture written to {path.resolve()}")
            except FileError as error:
                bench.tell(str(error))
        if bench.filming and self._film is None:
            self._begin_film()
        if not bench.filming:
            self._end_film()
        elif self._film is not None and self._film.size == bench.size:
            try:
                self._film.add(self._renderer.read_pixels(bench.size), time.perf_counter())
            except FileError as error:
                bench.filming, self._film = False, None
                bench.tell(str(error))
        else:  # the window has another size now
            bench.filming = False
            self._end_film()

    def _take_panel_picture(self) -> None:
        """Write what lies over the picture at a place, such as plots."""
        bench, wanted = self.bench, self.bench.panel_picture_wanted
        if wanted is None:
            return
        from stoss.viewer.drawing.picture_files import write_picture

        bench.panel_picture_wanted = None
        x, y, width, height = (round(pixels) for pixels in wanted)
        path = free_path("plots.png")
        try:
            pixels = self._renderer.read_pixels(bench.size)[max(0, y) : y + height, max(0, x) : x + width]
            write_picture(path, np.ascontiguousarray(pixels))
            bench.tell(f"plots written to {path}")
        except FileError as error:
            bench.tell(str(error))

    def _begin_film(self) -> None:
        from stoss.viewer.drawing.film import Film

        path = free_path("film.mp4")
        try:
            self._film = Film(path, self.bench.size)
            self.bench.film_began = time.perf_counter()
        except (ValueError, OSError) as error:
            self.bench.filming = False
            self.bench.tell(str(error))

    def _end_film(self) -> None:
        self.bench.film_began = None
        if self._film is not None:
            film, self._film = self._film, None
            try:
                film.close()
                self.bench.tell(f"film written to {film.path.resolve()}")
            except FileError as error:
                self.bench.tell(str(error))

    # ------------------------------------------------------------- mouse and keys

    def _pick(self, x: float, y: float) -> Picked | None:
        bench, view = self.bench, self.bench.view
        self._follow_description()
        style = replace(bench.style, hidden=(*bench.style.hidden, *bench.style.see_through))
        hit = self._renderer.pick(view.frame, bench.camera, bench.size, x, y, style)
        return None if hit is None else Picked(hit.body, hit.point)

    def _place(self, x: float, y: float) -> tuple[float, float]:
        """Return pixels of the picture, counted from above, for those of the window, counted from below."""
        (width, height), (wide, high) = self.bench.size, self._window.get_size()
        return x * width / wide, height - y * height / high

    def _belongs_to_panels(self) -> bool:
        return self._imgui.get_io().want_capture_mouse or self._gui.over_handles or self._gui.holding

    def _on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        from pyglet.window import key, mouse

        if self._belongs_to_panels():
            return
        name = {mouse.LEFT: "left", mouse.MIDDLE: "middle", mouse.RIGHT: "right"}.get(button, "")
        place = self._place(x, y)
        held = (bool(modifiers & one) for one in (key.MOD_SHIFT, key.MOD_CTRL, key.MOD_ALT))
        self._hand.press(*place, name, *held)

    def _on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        from pyglet.window import mouse

        clicked = self._hand.release()
        if clicked and button == mouse.LEFT:
            now, (at, left, below) = time.perf_counter(), self._last_click
            if now - at < _DOUBLE_CLICK and abs(x - left) + abs(y - below) < _SAME_PLACE:
                self.bench.sight.fit()
            self._last_click = now, x, y

    def _on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        self._hand.move(*self._place(x, y))

    def _on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        if not self._imgui.get_io().want_capture_mouse:
            self._hand.scroll(*self._place(x, y), scroll_y)

    def _on_key_press(self, symbol: int, modifiers: int) -> None:
        from pyglet.window import key

        if self._imgui.get_io().want_text_input:
            return
        if symbol == key.ESCAPE and self._gui.has_popup:
            return  # it closes that
        name = key.symbol_string(symbol).removeprefix("_")
        prefix = "CTRL+" if modifiers & key.MOD_CTRL else "SHIFT+" if modifiers & key.MOD_SHIFT else ""
        action = None if self.bench.press_key(prefix + name) else find_action(prefix + name)
        if action is not None:
            action.run(self.bench)

    def _on_close(self) -> bool:
        self.bench.quit()
        return True
