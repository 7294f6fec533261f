"""What is changed of a body that is built: place, mass, surface, shapes, markers."""

from typing import Any

from imgui_bundle import imgui

from stoss.engine.model import records
from stoss.engine.model.editing import free_name, names_of, tree_of
from stoss.engine.model.kinds import arguments
from stoss.viewer.widgets.theme import scaled
from stoss.viewer.window.panels import fields
from stoss.viewer.window.panels.build_fields import (
    ThingFields,
    angles_of,
    error_text,
    neat,
    quaternion_of_angles,
    told_below,
)
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.handling import put
from stoss.viewer.workbench.places import body_place
from stoss.viewer.workbench.proposals import SHAPES
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.build_commands import AddShapeOfMesh, AddThing, RemoveThing, RenameThing
from stoss.viewer.world.draft import Draft

__all__ = ["body_editor", "load_editor", "marker_editor", "name_field"]

_KINDS = ("dynamic", "static", "kinematic")
_USUAL, _SHAPES = "(usual)", "(its shapes)"
_MESH_FILE = "mesh file ..."
_NEW = "new material"
_MATERIAL = {"friction": 0.0, "restitution": 0.0, "static_friction": 0.0, "rolling_friction": 0.0}


def body_editor(bench: Workbench, draft: Draft, focus: Focus) -> None:
    """Draw the fields of a body."""
    own = ThingFields(bench, "bodies", focus.name, tree_of(draft.model, "bodies", focus.name))
    name_field(bench, focus)
    own.choice("kind", "kind", _KINDS, "dynamic")
    _place(bench, draft, focus, own)
    if own.values.get("kind", "dynamic") != "static":
        own.vector("velocity", "begins with [m/s]", (0.0, 0.0, 0.0), told="velocity where the model begins")
    if own.values.get("kind", "dynamic") == "dynamic":
        _mass(bench, focus, own, names_of(draft.model, "meshes"))
    _surface(bench, draft, own)
    _colour(own)
    for list_name, title in (("shapes", "collision shapes"), ("display", "display shapes")):
        _shapes(bench, draft, focus, own, list_name, title)
    _markers(bench, draft, focus)
    own.rest()
    refusal = bench.project.refusal
    if refusal is not None and isinstance(refusal[0], AddShapeOfMesh) and refusal[0].thing == focus.name:
        told_below(error_text(refusal[1]))
    imgui.spacing()
    if imgui.button("remove the body"):
        bench.post(RemoveThing("bodies", focus.name))


_names: dict[str, str] = {}  # names that are being typed


def name_field(bench: Workbench, focus: Focus) -> None:
    """Draw the name of a thing; Enter gives it."""
    key = f"{focus.section} {focus.name}"
    _, text = imgui.input_text("name", _names.get(key, focus.name))
    if imgui.is_item_active():
        _names.clear()
        _names[key] = text
    if imgui.is_item_deactivated_after_edit() and text != focus.name:
        _names.pop(key, None)
        bench.post(RenameThing(focus.section, focus.name, text))
        bench.project.renaming = focus, text
    refusal = bench.project.refusal
    if (
        refusal is not None
        and isinstance(refusal[0], RenameThing)
        and ((refusal[0].section, refusal[0].thing) == (focus.section, focus.name))
    ):
        told_below(error_text(refusal[1]))


def _place(bench: Workbench, draft: Draft, focus: Focus, own: ThingFields) -> None:
    """Draw where a body is: where the model begins, or now if that is what is seen."""
    if bench.view.frame.step == draft.begun or draft.problem_of("bodies", focus.name):
        own.vector("position", "position [m]", (0.0, 0.0, 0.0))
        own.turn()
        return
    place = body_place(bench.view, focus.name)
    if place is None:
        return
    moved = fields.vector("position [m]", place[0])
    turned = fields.vector("turned by [deg]", angles_of(place[1]), 0.5)
    whole = Focus("bodies", focus.name)
    if moved is not None:
        x, y, z = (neat(part) for part in moved)
        command = put(bench.view, whole, place, ((x, y, z), place[1]), True, "")
    elif turned is not None:
        command = put(bench.view, whole, place, (place[0], quaternion_of_angles(turned)), False, "")
    else:
        return
    if command is not None:
        bench.post(command)


def _mass(bench: Workbench, focus: Focus, own: ThingFields, meshes: list[str]) -> None:
    row = bench.row(focus.name)
    mass = float(bench.view.description.masses[row]) if row >= 0 else 1.0
    if "inertia" in own.values or "tensor" in own.values:
        imgui.text_disabled(f"mass {mass:.4g} kg, inertia as it was given")
        return
    by_mass = "mass" in own.values
    if by_mass:
        own.number("mass", "mass [kg]", mass)
    else:
        own.number("density", "density [kg/m^3]", 1000.0)
    if imgui.small_button("give density" if by_mass else "give mass"):
        value = {"mass": None} if by_mass else {"density": None, "mass": float(f"{mass:.4g}")}
        own.post(value)
    if not by_mass:
        imgui.same_line()
        imgui.text_disabled(f"{mass:.4g} kg")
    if meshes:
        own.choice("mass_mesh", "mass is that of", [_SHAPES, *meshes], _SHAPES, left_out=_SHAPES)


def _surface(bench: Workbench, draft: Draft, own: ThingFields) -> None:
    names = names_of(draft.model, "materials")
    now = own.values.get("material", _USUAL)
    chosen = fields.choice("material", now, [_USUAL, *names, _NEW])
    if chosen == _NEW:
        name = free_name(draft.model, "materials", "material")
        bench.post(AddThing("materials", name, {"friction": 0.5}))
        own.post({"material": name})
    elif chosen is not None:
        own.post({"material": None if chosen == _USUAL else chosen})
    if now not in names:
        return
    material = ThingFields(bench, "materials", now, tree_of(draft.model, "materials", now))
    imgui.indent()
    for key, usual in _MATERIAL.items():
        if key == "static_friction":
            usual = float(material.values.get("friction", 0.0))
        material.number(key, key.replace("_", " "), usual, speed=0.005)
    material.rest()
    imgui.unindent()


def _colour(own: ThingFields) -> None:
    value = own.values.get("color")
    shown = [float(x) for x in value] if isinstance(value, list) else [0.6, 0.6, 0.6]
    changed, new = imgui.color_edit3("colour", shown, imgui.ColorEditFlags_.no_inputs)
    if imgui.is_item_activated():
        ThingFields._strokes += 1
    if changed:
        own.post({"color": [round(float(x), 3) for x in new]}, f"field {ThingFields._strokes} color")
    imgui.same_line()
    if value is None:
        imgui.text_disabled("as usual")
    elif imgui.small_button("as usual"):
        own.post({"color": None})


# ------------------------------------------------------------- shapes


def _shapes(
    bench: Workbench, draft: Draft, focus: Focus, own: ThingFields, list_name: str, title: str
) -> None:
    shapes = own.values.get(list_name, [])
    flags = imgui.TreeNodeFlags_.default_open if list_name == "shapes" else 0
    if not imgui.collapsing_header(f"{title}: {len(shapes)}##{list_name}", flags):
        return
    for number, shape in enumerate(shapes):
        imgui.push_id(f"{list_name} {number}")
        here = Focus("bodies", focus.name, list_name, number)
        looked_at = focus == here
        if imgui.radio_button(shape["type"].replace("_", " "), looked_at):
            bench.project.look_at(Focus("bodies", focus.name) if looked_at else here)
        imgui.set_item_tooltip("let handles act on this shape, and not on the body")
        imgui.same_line(imgui.get_content_region_avail().x - scaled(60.0))
        if imgui.small_button("remove"):
            own.post({list_name: [one for k, one in enumerate(shapes) if k != number] or None})
        imgui.indent()
        _shape(bench, draft, ThingFields(bench, "bodies", focus.name, own.values, (list_name, number)), own)
        imgui.unindent()
        imgui.pop_id()
    kinds = [one.replace("_", " ") for one in SHAPES]
    kind = fields.choice(f"##add {list_name}", "add a shape ...", [*kinds, _MESH_FILE])
    if kind == _MESH_FILE:
        bench.project.ask_for_mesh(Focus("bodies", focus.name, list_name))
    elif kind is not None:
        own.post({list_name: [*shapes, SHAPES[kind.replace(" ", "_")]]})


def _shape(bench: Workbench, draft: Draft, shape: ThingFields, own: ThingFields) -> None:
    takes: dict[str, bool] = arguments(records.Shape, shape.values["type"])
    usual: dict[str, Any] = {"size": (1.0, 1.0, 1.0), "radii": (1.0, 1.0, 1.0), "normal": (0.0, 0.0, 1.0)}
    for key in takes:
        if key in usual:
            unit = "" if key == "normal" else " [m]"
            shape.vector(key, key + unit, usual[key])
        elif key in ("radius", "length", "offset"):
            shape.number(key, f"{key} [m]", 0.0, speed=0.005)
        elif key == "mesh":
            shape.choice("mesh", "mesh", names_of(draft.model, "meshes"), "")
            _mesh(bench, draft, shape.values.get("mesh", ""))
        elif key == "two_sided":
            shape.switch("two_sided", "two-sided", False)
    shape.vector("position", "position [m]", (0.0, 0.0, 0.0), told="in the frame of the body")
    shape.turn()
    own.told = own.told or shape.told


def _mesh(bench: Workbench, draft: Draft, name: str) -> None:
    if name not in names_of(draft.model, "meshes"):
        return
    mesh = ThingFields(bench, "meshes", name, tree_of(draft.model, "meshes", name))
    mesh.vector("scale", "scale", (1.0, 1.0, 1.0), told="of the mesh, wherever it is used")
    mesh.rest()


# ------------------------------------------------------------- markers


def _markers(bench: Workbench, draft: Draft, focus: Focus) -> None:
    prefix = f"{focus.name}:"
    own = [name for name in names_of(draft.model, "markers") if name.startswith(prefix)]
    if not imgui.collapsing_header(f"markers: {len(own)}##markers"):
        return
    for name in own:
        if imgui.selectable(name.removeprefix(prefix), False)[0]:
            bench.project.look_at(Focus("markers", name))
    if imgui.small_button("add a marker"):
        bench.post(AddThing("markers", free_name(draft.model, "markers", f"{prefix}marker"), {}))


def marker_editor(bench: Workbench, draft: Draft, focus: Focus) -> None:
    """Draw the fields of a marker."""
    own = ThingFields(bench, "markers", focus.name, tree_of(draft.model, "markers", focus.name))
    name_field(bench, focus)
    own.vector("position", "position [m]", (0.0, 0.0, 0.0), told="in the frame of its body")
    own.turn()
    own.rest()
    if imgui.button("remove the marker"):
        bench.post(RemoveThing("markers", focus.name))


def load_editor(bench: Workbench, draft: Draft, focus: Focus) -> None:
    """Draw what a file says of a load, and its numbers to be changed."""
    own = ThingFields(bench, "forces", focus.name, tree_of(draft.model, "forces", focus.name))
    name_field(bench, focus)
    for key, value in own.values.items():
        label = key.replace("_", " ")
        if isinstance(value, bool):
            own.switch(key, label, True)
        elif isinstance(value, int | float):
            own.number(key, label, 0.0)
        elif isinstance(value, list) and len(value) == 3:
            own.vector(key, label, (0.0, 0.0, 0.0))
        else:
            imgui.text_disabled(f"{label}: {value}")
    own.rest()
    if imgui.button("remove the load"):
        bench.post(RemoveThing("forces", focus.name))
