"""What is asked about files of models: which to open, under which name to save, what of changes to keep."""

from collections.abc import Callable
from pathlib import Path

from imgui_bundle import imgui

from stoss.engine.model.loading import FORMATS, IMPORTS
from stoss.viewer.widgets.theme import scaled
from stoss.viewer.window.panels.build_fields import told_below
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["BuildDialogs", "FileDialog"]

_WIDTH, _LINES = 560.0, 12
_MESHES = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".dae", ".3mf")
_MOST = 2000  # files of a folder that are listed
_KEEP_OPEN = imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_saved_settings


class FileDialog:
    """Asks for the name of a file; a list shows what is in its folder.

    Args:
        title: of the dialog.
        endings: of files that are listed.
        saves: whether the file is to be written.
    """

    def __init__(self, title: str, endings: tuple[str, ...], saves: bool = False) -> None:
        self._title, self._endings, self._saves = title, endings, saves
        self._open = False
        self._folder = Path.cwd()
        self._name = ""

    def draw(
        self,
        wanted: bool,
        trouble: str,
        actions: list[tuple[str, Callable[[Path], bool]]],
        cancel: Callable[[], None],
        name: str = "",
        recent: list[str] | None = None,
    ) -> None:
        """Draw the dialog, if it is wanted.

        Args:
            wanted: whether it is to be there.
            trouble: why the last name was not taken, "" if nothing is wrong.
            actions: what buttons stand below it, and what they do with the path; they return whether it is
                done.
            cancel: what to do when nothing is wanted any more.
            name: proposed at first.
            recent: files that were used lately.
        """
        if wanted and not self._open:
            imgui.open_popup(self._title)
            proposed = Path(name)
            self._name = proposed.name
            if proposed.is_absolute():
                self._folder = proposed.parent
        self._open = wanted
        if not wanted:
            return
        _center()
        shown, _ = imgui.begin_popup_modal(self._title, None, _KEEP_OPEN)
        if not shown:
            imgui.open_popup(self._title)
            return
        imgui.push_item_width(scaled(_WIDTH))
        self._list(recent or [])
        if imgui.is_window_appearing():
            imgui.set_keyboard_focus_here()
        flags = imgui.InputTextFlags_.enter_returns_true
        entered, self._name = imgui.input_text("##name", self._name, flags)
        path = self._path()
        if trouble:
            imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + scaled(_WIDTH))
            told_below(trouble)
            imgui.pop_text_wrap_pos()
        there = self._saves and path is not None and path.is_file()
        if there:
            imgui.text_disabled(f"{path.name if path else ''} is there: it will be replaced")
        done = False
        for number, (label, act) in enumerate(actions):
            if number:
                imgui.same_line()
            pressed = imgui.button("replace it" if there else label)
            if (pressed or (entered and number == 0)) and path is not None:
                if path.is_dir():
                    self._folder, self._name = path, ""
                else:
                    done = act(path)
        imgui.same_line()
        if imgui.button("cancel") or imgui.is_key_pressed(imgui.Key.escape):
            cancel()
            done = True
        if done:
            self._open = False
            imgui.close_current_popup()
        imgui.pop_item_width()
        imgui.end_popup()

    def _path(self) -> Path | None:
        if not self._name:
            return None
        path = self._folder / Path(self._name).expanduser()
        if self._saves and not path.suffix:
            path = path.with_suffix(self._endings[0])
        return path

    def _list(self, recent: list[str]) -> None:
        imgui.text_disabled(str(self._folder))
        height = _LINES * imgui.get_text_line_height_with_spacing()
        if imgui.begin_child("files", imgui.ImVec2(scaled(_WIDTH), height), imgui.ChildFlags_.borders):
            for file in recent:
                if imgui.selectable(f"{Path(file).name}##recent {file}", False)[0]:
                    self._folder, self._name = Path(file).parent, Path(file).name
                imgui.set_item_tooltip(file)
                imgui.same_line(scaled(_WIDTH) - scaled(90.0))
                imgui.text_disabled("recent")
            if imgui.selectable("..", False)[0]:
                self._folder = self._folder.parent
            folders, files = _content(self._folder, self._endings)
            for folder in folders:
                if imgui.selectable(f"{folder}/", False)[0]:
                    self._folder = self._folder / folder
            for name in files:
                if imgui.selectable(name, name == self._name)[0]:
                    self._name = name
        imgui.end_child()


def _content(folder: Path, endings: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the folders and the files of a folder; nothing of one that cannot be read."""
    try:
        found = sorted(folder.iterdir(), key=lambda path: path.name.lower())[:_MOST]
        folders = [path.name for path in found if path.is_dir() and not path.name.startswith(".")]
        files = [path.name for path in found if path.suffix.lower() in endings and path.is_file()]
    except OSError:
        return [], []
    return folders, files


class BuildDialogs:
    """All that is asked while a model is built."""

    def __init__(self) -> None:
        self._opening = FileDialog("open a model", (*FORMATS, *IMPORTS))
        self._saving = FileDialog("save the model", FORMATS, saves=True)
        self._mesh = FileDialog("a mesh", _MESHES)
        self._asked = False

    def draw(self, bench: Workbench) -> None:
        """Draw what is asked, if anything is."""
        project = bench.project
        recent = project.recent.read() if project.opening else []
        self._opening.draw(
            project.opening, project.trouble, [("open", project.open)], project.cancel, recent=recent
        )
        proposed = "model.toml" if project.path is None else str(project.path.resolve())
        self._saving.draw(
            project.saving_as, project.trouble, [("save", project.save_as)], project.cancel, proposed
        )
        shapes: list[tuple[str, Callable[[Path], bool]]] = [
            ("as its convex hull", lambda path: project.choose_mesh(path, "convex_hull")),
            ("as all its triangles", lambda path: project.choose_mesh(path, "triangle_mesh")),
        ]
        self._mesh.draw(project.choosing_mesh, project.trouble, shapes, project.cancel)
        self._question(bench)

    def _question(self, bench: Workbench) -> None:
        question = bench.project.question
        if question is not None and not self._asked:
            imgui.open_popup("not saved")
        self._asked = question is not None
        if question is None:
            return
        _center()
        shown, _ = imgui.begin_popup_modal("not saved", None, _KEEP_OPEN)
        if not shown:
            imgui.open_popup("not saved")
            return
        imgui.text(f"{bench.project.title} has changes that are not saved.")
        imgui.text_disabled(f"Save them, or {question.doing} without them?")
        answer = ""
        for label, meant in (("save", "save"), ("do not save", "discard"), ("cancel", "cancel")):
            if imgui.button(label):
                answer = meant
            imgui.same_line()
        if imgui.is_key_pressed(imgui.Key.escape):
            answer = "cancel"
        if answer:
            self._asked = False
            imgui.close_current_popup()
            bench.project.answer(answer)
        imgui.end_popup()


def _center() -> None:
    """Let the next window be in the middle."""
    size = imgui.get_io().display_size
    imgui.set_next_window_pos(
        imgui.ImVec2(0.5 * size.x, 0.45 * size.y), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5)
    )
