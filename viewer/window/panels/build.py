"""The panel in which a model is built: its file, what is added, all its things, and one to be changed."""

from collections.abc import Callable

from imgui_bundle import imgui

from stoss.engine.model.editing import names_of
from stoss.engine.model.kinds import JOINT_KINDS
from stoss.viewer.widgets.theme import scaled
from stoss.viewer.window.panels import fields
from stoss.viewer.window.panels.build_body import body_editor, load_editor, marker_editor
from stoss.viewer.window.panels.build_fields import RED, error_text, told_below
from stoss.viewer.window.panels.build_joint import joint_editor
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.proposals import SHAPES, new_body, new_joint
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.build_commands import AddBodyOfMesh, AddThing, BeginHere
from stoss.viewer.world.draft import Draft
from stoss.viewer.world.player import Player

__all__ = ["JOINTS", "BuildPanel"]

# The joints that join two bodies as such, the frequent ones first.
_FIRST = ("hinge", "ball", "slider", "fixed", "universal", "cylindrical", "distance", "planar")
JOINTS = (*_FIRST, *(name for name in JOINT_KINDS if name not in (*_FIRST, "compose")))
_WORLD = "(world)"
_MESH = "mesh file ..."
_SECTIONS = {"bodies": "body", "joints": "joint", "markers": "marker", "forces": "load"}
_LINES = 7  # of the list of things
_MOST = 2000  # things that are listed


class BuildPanel:
    """The panel, which remembers what is chosen to be added."""

    def __init__(self) -> None:
        self._shape = "box"
        self._kind = "hinge"
        self._first, self._second = _WORLD, ""
        self._picked: list[str] = []  # the bodies that were selected, the latest last
        self._wanted: AddThing | AddBodyOfMesh | None = None  # what is to be looked at when it is there

    def draw(self, bench: Workbench) -> None:
        """Draw the panel."""
        draft = bench.project.draft
        if draft is None:
            _begin(bench)
            return
        self._follow(bench, draft)
        _file_row(bench)
        _undo_row(bench, draft)
        _state(bench, draft)
        self._add_body(bench)
        self._join(bench, draft)
        _things(bench, draft)
        _editor(bench, draft)

    def _follow(self, bench: Workbench, draft: Draft) -> None:
        """Take note of what was selected, and look at what was added."""
        names = names_of(draft.model, "bodies")
        body = bench.selected_body
        if body in names and body != (self._picked[-1] if self._picked else ""):
            before = [name for name in self._picked if name in names and name != body]
            self._picked = [*before[-1:], body]
            self._first, self._second = before[-1] if before else _WORLD, body
        if self._first != _WORLD and self._first not in names:
            self._first = _WORLD
        if self._second not in names:
            self._second = ""
        wanted = self._wanted
        if wanted is None:
            return
        section = wanted.section if isinstance(wanted, AddThing) else "bodies"
        shown = bench.view.description
        there = shown.names if section == "bodies" else shown.joint_names
        if wanted.thing in names_of(draft.model, section) and wanted.thing in there:
            self._wanted = None
            bench.project.look_at(Focus(section, wanted.thing))
            if not bench.handles:
                bench.handles = "move"
            if section == "bodies":
                bench.sight.bring_into_view(wanted.thing)
        elif bench.project.refusal is not None and bench.project.refusal[0] == wanted:
            self._wanted = None

    def _post(self, bench: Workbench, command: AddThing | AddBodyOfMesh) -> None:
        self._wanted = command
        bench.post(command)

    def _add_body(self, bench: Workbench) -> None:
        imgui.separator_text("add a body")
        imgui.set_next_item_width(-scaled(100.0))
        shape = fields.choice("##shape", self._shape.replace("_", " "), _named((*SHAPES, _MESH)))
        if shape is not None:
            self._shape = shape if shape == _MESH else shape.replace(" ", "_")
        imgui.same_line()
        if imgui.button("add body", imgui.ImVec2(-1.0, 0.0)):
            if self._shape == _MESH:
                bench.project.ask_for_mesh()
            else:
                self._post(bench, new_body(bench.view, self._shape, bench.building_place))
        if bench.project.mesh_wanted is not None:
            command, bench.project.mesh_wanted = bench.project.mesh_wanted, None
            self._post(bench, command)
        _refused_here(bench, "bodies")

    def _join(self, bench: Workbench, draft: Draft) -> None:
        imgui.separator_text("join two bodies")
        names = names_of(draft.model, "bodies")[:_MOST]
        if not names:
            imgui.text_disabled("click two bodies, one after the other")
            return
        first = fields.choice("first", self._first, [_WORLD, *names])
        second = fields.choice("second", self._second or "(none)", names)
        self._first = self._first if first is None else first
        self._second = self._second if second is None else second
        imgui.set_next_item_width(-scaled(100.0))
        kind = fields.choice("##kind", self._kind.replace("_", " "), _named(JOINTS))
        if kind is not None:
            self._kind = kind.replace(" ", "_")
        imgui.same_line()
        imgui.begin_disabled(not self._second)
        if imgui.button("join", imgui.ImVec2(-1.0, 0.0)):
            world = "" if self._first == _WORLD else self._first
            self._post(bench, new_joint(bench.view, self._kind, world, self._second))
        imgui.end_disabled()
        _refused_here(bench, "joints")


def _named(names: tuple[str, ...]) -> list[str]:
    return [name.replace("_", " ") for name in names]


def _begin(bench: Workbench) -> None:
    """Draw what can be done where nothing is built yet."""
    if bench.simulation.ready and not isinstance(bench.simulation, Player):
        imgui.text_wrapped("This world can be built on: it becomes a model that is changed and saved.")
        if imgui.button("build on this world"):
            bench.project.begin()
        refusal = bench.project.refusal
        if refusal is not None:
            told_below(error_text(refusal[1]))
        imgui.spacing()
    imgui.text_wrapped("Or begin anew:")
    if imgui.button("empty model"):
        bench.project.new()
    imgui.same_line()
    if imgui.button("open a file ..."):
        bench.project.ask_for_file()


def _file_row(bench: Workbench) -> None:
    project = bench.project
    imgui.text(project.title)
    if project.path is not None:
        imgui.set_item_tooltip(str(project.path.resolve()))
    if project.unsaved:
        imgui.same_line()
        imgui.text_disabled("not saved")
    actions: list[tuple[str, Callable[[], None]]] = [
        ("new", project.new),
        ("open ...", project.ask_for_file),
        ("save", project.save),
        ("save as ...", project.ask_for_name),
    ]
    for number, (label, action) in enumerate(actions):
        if number:
            imgui.same_line()
        if imgui.button(label):
            action()


def _undo_row(bench: Workbench, draft: Draft) -> None:
    for label, versions, action in (
        ("undo", draft.past, bench.project.undo),
        ("redo", draft.future, bench.project.redo),
    ):
        imgui.begin_disabled(not versions)
        if imgui.button(label):
            action()
        imgui.end_disabled()
        if versions:
            imgui.set_item_tooltip(f"{label}: {versions[-1].label}")
        imgui.same_line()
    for label in ("move", "turn", "size"):
        on = bench.handles == label
        if on:
            imgui.push_style_color(imgui.Col_.button, imgui.get_style_color_vec4(imgui.Col_.frame_bg_active))
        if imgui.button(label):
            bench.toggle_handles(label)
        if on:
            imgui.pop_style_color()
        imgui.set_item_tooltip(f"handles that {label} what is selected below: {label_key(label)}")
        imgui.same_line()
    imgui.new_line()


def label_key(label: str) -> str:
    """Return the key of a kind of handles."""
    return {"move": "G", "turn": "R", "size": "S"}[label]


def _state(bench: Workbench, draft: Draft) -> None:
    """Tell whether the world is where the model begins; a row that is always there, so that nothing jumps."""
    moved = bench.view.frame.step != draft.begun
    imgui.begin_disabled(not moved)
    if imgui.small_button("begin here"):
        bench.post(BeginHere())
    imgui.end_disabled()
    imgui.set_item_tooltip("let the model begin in the state that you see")
    imgui.same_line()
    imgui.begin_disabled(not moved or draft.begun < bench.view.past[0])
    if imgui.small_button("back"):
        bench.simulation.go_to(draft.begun)
    imgui.end_disabled()
    imgui.set_item_tooltip("back to where the model begins")
    imgui.same_line()
    imgui.text_disabled("it has moved" if moved else "where the model begins")
    if moved:
        imgui.set_item_tooltip("what you place now lets the model begin in the state that you see")


def _refused_here(bench: Workbench, section: str) -> None:
    """Tell why something was not added."""
    refusal = bench.project.refusal
    if refusal is None or not isinstance(refusal[0], AddThing | AddBodyOfMesh):
        return
    command = refusal[0]
    if section == (command.section if isinstance(command, AddThing) else "bodies"):
        told_below(error_text(refusal[1]))


def _things(bench: Workbench, draft: Draft) -> None:
    """Draw all things; what is wrong with one is told where it is looked at."""
    imgui.separator_text("things")
    count = sum(len(names_of(draft.model, section)) for section in _SECTIONS)
    height = min(_LINES, max(3, count + 1)) * imgui.get_text_line_height_with_spacing()
    if imgui.begin_child("things", imgui.ImVec2(0.0, height), imgui.ChildFlags_.borders):
        if not draft.model.bodies:
            imgui.text_disabled("nothing yet: add a body")
        for section, what in _SECTIONS.items():
            for name in names_of(draft.model, section)[:_MOST]:
                _thing(bench, draft, section, what, name)
    imgui.end_child()


def _thing(bench: Workbench, draft: Draft, section: str, what: str, name: str) -> None:
    focus, wrong = bench.project.focus, draft.problem_of(section, name)
    if wrong:
        imgui.push_style_color(imgui.Col_.text, RED)
    if imgui.selectable(f"{name}##{section}", (focus.section, focus.name) == (section, name))[0]:
        bench.project.look_at(Focus(section, name))
    if wrong:
        imgui.pop_style_color()
        imgui.set_item_tooltip(wrong)
    imgui.same_line(imgui.get_content_region_avail().x - scaled(52.0))
    imgui.text_disabled(what)


def _editor(bench: Workbench, draft: Draft) -> None:
    focus = bench.project.focus
    if not focus.section or focus.name not in names_of(draft.model, focus.section):
        imgui.text_disabled("choose a thing to change it")
        return
    imgui.separator_text(focus.name)
    wrong = draft.problem_of(focus.section, focus.name)
    if wrong:
        told_below(f"left out of the world: {wrong}")
    imgui.push_id(f"{focus.section} {focus.name}")
    editors = {"bodies": body_editor, "joints": joint_editor, "markers": marker_editor, "forces": load_editor}
    editors[focus.section](bench, draft, focus)
    imgui.pop_id()
