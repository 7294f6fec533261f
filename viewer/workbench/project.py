"""The model that is built in a window: its file, whether it is saved, and what is selected of it.

No window is needed here. The model itself belongs to the simulation (`stoss.viewer.world.draft`), which
changes it by commands.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stoss.collision.shapes.mesh_files import load_mesh
from stoss.engine.model import Model
from stoss.engine.model.editing import names_of
from stoss.engine.model.loading import FORMATS, MOST_BYTES, load_model
from stoss.errors import FileError
from stoss.scenes.model_files import MODEL
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.proposals import new_body_of_mesh
from stoss.viewer.workbench.recent_files import RecentFiles
from stoss.viewer.world.build_commands import AddBodyOfMesh, AddShapeOfMesh, Build, Edit, RedoEdit, UndoEdit
from stoss.viewer.world.draft import Draft
from stoss.viewer.world.session import Source, source_of_model

if TYPE_CHECKING:
    from stoss.viewer.workbench.workbench import Workbench

__all__ = ["Project", "Question", "read_source"]


@dataclass(frozen=True)
class Question:
    """What is to be decided before changes are lost.

    Attributes:
        doing: what would be done, in words.
        then: does it.
    """

    doing: str
    then: Callable[[], None]


class Project:
    """What a workbench knows of the model that is built in it.

    Args:
        bench: the workbench.
        folder: of the list of recent files; None takes that of the user.

    Attributes:
        path: the file of the model, None as long as it has none.
        focus: what is looked at.
        question: what is to be decided, None if nothing.
        saving_as: whether a name for the file is being asked for.
        opening: whether a file to be opened is being asked for.
        choosing_mesh: whether the file of a mesh is being asked for.
        mesh_wanted: the command for the mesh that was chosen, until it is given.
        renaming: what was looked at when it got another name, and that name.
        trouble: why the last file could not be read or written, "" if it could.
        recent: files that were opened or saved lately.
    """

    def __init__(self, bench: "Workbench", folder: Path | None = None) -> None:
        self._bench = bench
        self.path: Path | None = None
        self.focus = Focus()
        self.question: Question | None = None
        self.saving_as = self.opening = self.choosing_mesh = False
        self.mesh_wanted: AddBodyOfMesh | None = None
        self.renaming: tuple[Focus, str] | None = None
        self.trouble = ""
        self.recent = RecentFiles(folder)
        self._owner: Focus | None = None  # the list of shapes for which a mesh is chosen
        self._then: Callable[[], None] | None = None  # what goes on when the file has a name
        self._saved: Model | None = None
        self._of: object = None  # the simulation to which all of this belongs
        self._selected = "", ""

    # ------------------------------------------------------------- what is there

    @property
    def draft(self) -> Draft | None:
        """Return the model that is shown, None where nothing is built."""
        return self._bench.view.draft

    @property
    def unsaved(self) -> bool:
        """Return whether the model is another one than in its file."""
        draft = self.draft
        return draft is not None and self._of is self._bench.simulation and draft.model is not self._saved

    @property
    def title(self) -> str:
        """Return what the model is called."""
        return "untitled" if self.path is None else self.path.name

    @property
    def refusal(self) -> tuple[Edit, Exception] | None:
        """Return the last edit if it was refused, and why."""
        return self._bench.simulation.refused

    def follow(self) -> None:
        """Take note of another simulation, of a model that begins, and of what is selected."""
        bench, draft = self._bench, self.draft
        if draft is None:
            return
        if self._of is not bench.simulation:
            self._of, self._saved = bench.simulation, draft.model
            self.path = None
            source = bench.source
            if source is not None and source.scene.model is not None and source.scene.name != MODEL:
                path = Path(source.scene.name)
                self.path = path if path.suffix.lower() in FORMATS else None
            self.focus = Focus()
        if self.renaming is not None:
            old, new = self.renaming
            names = names_of(draft.model, old.section)
            if new in names and old.name not in names:
                self.renaming = None
                self.look_at(replace(old, name=new))
        selected = bench.selected_body, bench.selected_joint
        if selected != self._selected:
            body, joint = selected
            if body and body != self._selected[0]:
                self.focus = Focus("bodies", body)
            elif joint and joint != self._selected[1]:
                self.focus = Focus("joints", joint)
            elif not body and not joint:
                self.focus = Focus()
            self._selected = selected
        if self.focus.section and self.focus.name not in names_of(draft.model, self.focus.section):
            self.focus = Focus()
        bench.title = f"stoss: {self.title}{' (not saved)' if self.unsaved else ''}"

    def look_at(self, focus: Focus) -> None:
        """Look at a thing, and select it."""
        bench = self._bench
        if focus.section == "bodies":
            if bench.selected_body != focus.name:
                bench.select(focus.name)
            bench.selected_joint = ""
        elif focus.section == "joints":
            if bench.selected_body:
                handles = bench.handles
                bench.select("")
                bench.handles = handles
            bench.selected_joint = focus.name
        self._selected = bench.selected_body, bench.selected_joint
        self.focus = focus

    # ------------------------------------------------------------- edits

    def begin(self) -> None:
        """Begin to build on the world that is there."""
        self._bench.post(Build())

    def undo(self) -> None:
        """Undo the last edit."""
        self._bench.post(UndoEdit())

    def redo(self) -> None:
        """Make the edit again that was undone last."""
        self._bench.post(RedoEdit())

    # ------------------------------------------------------------- files

    def new(self, planar: str | None = None) -> None:
        """Begin an empty model, if nothing is lost by it, or else ask first."""
        model = Model() if planar is None else Model(world=Model().world.replace(planar=planar))
        self.guard("begin a new one", lambda: self._bench.successor.build(source_of_model(model)))

    def ask_for_file(self) -> None:
        """Ask which file is to be opened, if nothing is lost by it, or else ask first."""

        def ask() -> None:
            self.trouble, self.opening = "", True

        self.guard("open another one", ask)

    def open(self, path: Path) -> bool:
        """Open a file; return whether it could be read, else `trouble` tells why."""
        try:
            source = read_source(path)
        except (ValueError, OSError) as error:
            self.trouble = str(error)
            return False
        self.trouble, self.opening = "", False
        self._note(path)
        self._bench.successor.build(source)
        return True

    def ask_for_mesh(self, owner: Focus | None = None) -> None:
        """Ask which mesh a new body is to have, or a list of shapes of a body."""
        self.trouble, self.choosing_mesh, self._owner = "", True, owner

    def choose_mesh(self, path: Path, shape: str) -> bool:
        """Take the mesh of a file; return whether it can be read, else `trouble` tells why.

        Args:
            path: the file.
            shape: "convex_hull", or "triangle_mesh" for all its triangles.
        """
        bench = self._bench
        try:
            load_mesh(path)
        except (ValueError, OSError) as error:
            self.trouble = str(error)
            return False
        self.trouble, self.choosing_mesh = "", False
        file = str(path.resolve())
        if self._owner is not None:
            bench.post(AddShapeOfMesh(self._owner.name, self._owner.shapes, file, shape))
        else:
            place = bench.building_place
            self.mesh_wanted = new_body_of_mesh(bench.view, file, shape, path.stem, place)
        return True

    def save(self) -> None:
        """Write the model to its file; ask for a name if it has none."""
        if self.path is None:
            self.ask_for_name()
        else:
            self.save_as(self.path)

    def ask_for_name(self) -> None:
        """Ask under which name the model is to be saved."""
        self.trouble, self.saving_as = "", True

    def save_as(self, path: Path) -> bool:
        """Write the model to a file; return whether it is written, else `trouble` tells why.

        A file that is there is replaced when the new one is complete.
        """
        draft = self.draft
        if draft is None:
            self.trouble = "nothing is being built"
            return False
        try:
            if path.suffix.lower() not in FORMATS:
                raise ValueError(f"{path.name!r} is no name for a model; end it in {', '.join(FORMATS)}")
            draft.model.save(path)
        except (ValueError, FileError) as error:
            self.trouble = str(error)
            if not self.saving_as:
                self._bench.tell(self.trouble)
            return False
        self.path, self._saved = path, draft.model
        self.trouble, self.saving_as = "", False
        self._note(path)
        self._bench.tell(f"saved to {path.resolve()}")
        then, self._then = self._then, None
        if then is not None:
            then()
        return True

    def _note(self, path: Path) -> None:
        self.recent.add(path)
        if self.recent.trouble:
            self._bench.tell(self.recent.trouble)

    # ------------------------------------------------------------- what would be lost

    def guard(self, doing: str, then: Callable[[], None]) -> None:
        """Do something that ends the model, at once if it is saved; else ask what is to become of it."""
        if self.unsaved:
            self.question = Question(doing, then)
        else:
            then()

    def answer(self, what: str) -> None:
        """Answer the question: "save" the model first, "discard" it, or "cancel"."""
        question, self.question = self.question, None
        if question is None or what == "cancel":
            return
        if what == "discard":
            question.then()
            return
        self._then = question.then
        self.save()

    def cancel(self) -> None:
        """Ask for no file any more; what was to go on then does not."""
        self.saving_as = self.opening = self.choosing_mesh = False
        self._then, self.trouble = None, ""


def read_source(path: Path) -> Source:
    """Return where the world of a model in a file comes from, to be built on.

    What is wrong in it with one thing is not raised: it is told beside that thing.

    Raises:
        ModelError: the file cannot be read as a model; says where.
    """
    model = load_model(Model, path, None, MOST_BYTES, {}, check=False)
    return source_of_model(model, str(path))
