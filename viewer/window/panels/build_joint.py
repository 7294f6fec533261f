"""What is changed of a joint that is built: bodies, kind, place, and what acts on its coordinates."""

import math
from typing import Any

from imgui_bundle import imgui

from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.kind import JointKind
from stoss.engine.model import records
from stoss.engine.model.editing import names_of, tree_of
from stoss.engine.model.kinds import ACTIONS, JOINT_KINDS, arguments
from stoss.viewer.widgets.theme import scaled
from stoss.viewer.window.panels import fields
from stoss.viewer.window.panels.build_body import name_field
from stoss.viewer.window.panels.build_fields import ThingFields
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.proposals import action_values, joint_values
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.build_commands import RemoveThing
from stoss.viewer.world.draft import Draft

__all__ = ["joint_editor"]

_WORLD = "(world)"
_POINTS = ("point", "second_point")
_DIRECTIONS = ("axis", "normal", "x_axis", "second_axis", "second_normal")
_NUMBERS = {"length": "length [m]", "pitch": "pitch [m/turn]", "ratio": "ratio", "offset": "offset"}
# Of lengths and of angles.
_UNITS = {
    **dict.fromkeys(("lower", "upper", "target", "rest"), ("m", "rad")),
    **dict.fromkeys(("velocity", "target_rate"), ("m/s", "rad/s")),
    **dict.fromkeys(("stiffness", "gain", "kp"), ("N/m", "N m/rad")),
    "ki": ("N/(m s)", "N m/(rad s)"),
    **dict.fromkeys(("damping", "kd"), ("N s/m", "N m s/rad")),
    **dict.fromkeys(("max_force", "limit"), ("N", "N m")),
    **dict.fromkeys(("reset_time", "derivative_time", "window"), ("s", "s")),
}
# Where nothing is said these are infinite, or what stands here.
_ENDLESS = {
    "lower": -math.inf,
    "upper": math.inf,
    "max_force": math.inf,
    "limit": math.inf,
    "reset_time": math.inf,
}
_USUAL = {"window": 2.0}
_CURVES = ("ellipse", "spline", "polygon", "inside", "ranges")
_CURVED = {"limit_swing": "swing", "limit_twist": "twist"}  # what limits one coordinate alone
_ALWAYS = ("velocity", "rest", "derivative_time", "kp", "ki", "kd")  # fields that are there with nothing said


def joint_editor(bench: Workbench, draft: Draft, focus: Focus) -> None:
    """Draw the fields of a joint."""
    own = ThingFields(bench, "joints", focus.name, tree_of(draft.model, "joints", focus.name))
    name_field(bench, focus)
    _kind(bench, own)
    coupling = issubclass(JOINT_KINDS.get(own.values["type"], JointKind), Coupling)
    if coupling:
        for key in ("joint_1", "joint_2"):
            names = [name for name in names_of(draft.model, "joints") if name != focus.name]
            own.choice(key, key.replace("_", " "), names, "")
    else:
        ends = [_WORLD, *names_of(draft.model, "bodies"), *names_of(draft.model, "markers")]
        for key in ("first", "second"):
            own.choice(key, key, ends, _WORLD, left_out=_WORLD)
    _where(own)
    if not coupling:
        _actions(bench, focus, own)
    imgui.separator_text("more")
    if not coupling:
        own.switch("collide", "its bodies touch each other", False)
    own.switch("enabled", "holds from the start", True)
    own.bounded("break_force", "breaks at [N]", 1000.0)
    own.bounded("break_torque", "breaks at [N m]", 1000.0)
    own.rest()
    imgui.spacing()
    if imgui.button("remove the joint"):
        bench.post(RemoveThing("joints", focus.name))


def _kind(bench: Workbench, own: ThingFields) -> None:
    kind: str = own.values["type"]
    new = fields.choice(
        "kind", kind.replace("_", " "), [name.replace("_", " ") for name in JOINT_KINDS if name != "compose"]
    )
    if new is None or new.replace(" ", "_") == kind:
        return
    kind = new.replace(" ", "_")
    takes = arguments(records.Kind, kind)
    ends = [str(own.values.get(end, "")).partition(":")[0] for end in ("first", "second")]
    proposed = joint_values(bench.view, kind, *ends)
    fresh: dict[str, Any] = {
        key: None for key in records.Kind.__struct_fields__ if key in own.values and key not in takes
    }
    fresh |= {key: value for key, value in proposed.items() if key not in own.values}
    own.post({**fresh, "type": kind})


def _where(own: ThingFields) -> None:
    """Draw points, directions and numbers of a joint."""
    takes = arguments(records.Kind, own.values["type"])
    framed = "first_frame" in own.values or "second_frame" in own.values
    marked = any(":" in str(own.values.get(end, "")) for end in ("first", "second"))
    if framed or marked:
        on = "on markers; move those" if marked else "in frames on its bodies; its handles move it"
        imgui.text_disabled(f"it sits {on}")
    for key, needed in takes.items():
        label = key.replace("_", " ")
        if key in _POINTS and not (framed or marked) and (needed or key in own.values):
            own.vector(key, f"{label} [m]", (0.0, 0.0, 0.0), told="in the world, where the model begins")
        elif key in _DIRECTIONS and not (framed or marked) and (needed or key in own.values):
            own.vector(key, label, (0.0, 0.0, 1.0), told="a direction of the world, of any length")
        elif key in _NUMBERS and (needed or key in own.values):
            own.number(key, _NUMBERS[key], 0.0)


# ------------------------------------------------------------- what acts on it


def _actions(bench: Workbench, focus: Focus, own: ThingFields) -> None:
    actions = own.values.get("actions", [])
    imgui.separator_text("motors, stops and the like")
    joint = bench.view.outline.joint
    known = joint if joint is not None and joint.name == focus.name else None
    names = list(known.free) if known is not None else []
    angles = known.angles if known is not None else frozenset()
    for number, action in enumerate(actions):
        imgui.push_id(f"action {number}")
        coordinate = action.get("coordinate", _CURVED.get(action["type"], names[0] if names else ""))
        several = f" of {coordinate}" if coordinate and (len(names) > 1 or "coordinate" in action) else ""
        imgui.text(f"{action['type']}{several}")
        imgui.same_line(imgui.get_content_region_avail().x - scaled(60.0))
        if imgui.small_button("remove"):
            own.post({"actions": [one for k, one in enumerate(actions) if k != number] or None})
        imgui.indent()
        fields_of = ThingFields(bench, "joints", focus.name, own.values, ("actions", number))
        value = known.coordinates[coordinate][0] if known is not None and coordinate in names else 0.0
        _action(fields_of, own, coordinate in angles, value)
        imgui.unindent()
        imgui.pop_id()
    for name in names:
        known_actions = [one for one in ACTIONS if _CURVED.get(one, name) == name]
        added = fields.choice(f"##add to {name}", f"add to {name} ...", known_actions)
        if added is not None and known is not None:
            value = known.coordinates[name][0]
            new = action_values(added, value, _mass(bench, known.bodies), name in known.angles)
            if len(known.coordinates) > 1 and added not in _CURVED:
                new["coordinate"] = name
            own.post({"actions": [*actions, new]})


def _action(action: ThingFields, own: ThingFields, angle: bool, value: float) -> None:
    """Draw the fields of what acts on a coordinate.

    Args:
        action: its fields.
        own: those of the joint.
        angle: whether the coordinate is an angle.
        value: of the coordinate now [m or rad].
    """
    for key, needed in arguments(records.Action, action.values["type"]).items():
        if key == "coordinate":
            continue
        if key in _CURVES:
            if key in action.values:
                imgui.text_disabled(f"{key}: {action.values[key]}")
            continue
        unit = _UNITS.get(key, ("", ""))[angle]
        label = key.replace("_", " ") + (f" [{unit}]" if unit else "")
        if key == "target" and not needed:
            begins = fields.switch("holds where the model begins", key not in action.values)
            if begins is not None:
                action.post({key: None if begins else round(value, 4) + 0.0})
        if key == "implicit":
            action.switch(key, "as a row of the solver, stable at any gains", True)
        elif key in _ENDLESS and not needed:
            finite = {"lower": -0.5, "upper": 0.5, "max_force": 10.0, "limit": 10.0}.get(key, 1.0)
            action.bounded(key, label, finite, _ENDLESS[key])
        elif needed or key in action.values or key in _ALWAYS:
            action.number(key, label, _USUAL.get(key, 0.0))
    if action.values.get("times"):
        imgui.text_disabled(f"a schedule of {len(action.values['times'])} set points")
    action.switch("enabled", "acts from the start", True)
    own.told = own.told or action.told


def _mass(bench: Workbench, bodies: tuple[str, str]) -> float:
    """Return the mass [kg] of the lightest of two bodies that has one."""
    rows = [row for row in map(bench.row, bodies) if row >= 0]
    masses = [float(bench.view.description.masses[row]) for row in rows]
    return min((mass for mass in masses if mass > 0.0), default=1.0)
