"""The joint that is selected: coordinates, reaction, stops, drives."""

import numpy as np
from imgui_bundle import imgui

from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import (
    AddLimit,
    AddMotor,
    AddServo,
    Command,
    RemoveDrive,
    RemoveLimit,
    SetBreakLoad,
    SetDrive,
    SetLimit,
    SwitchJoint,
)
from stoss.viewer.world.outline import DriveOutline, JointOutline

__all__ = ["joint_panel", "new_part"]

# Of lengths and of angles.
_UNITS = {
    "target": ("m", "rad"),
    "target_rate": ("m/s", "rad/s"),
    "stiffness": ("N/m", "N m/rad"),
    "damping": ("N s/m", "N m s/rad"),
    "max_force": ("N", "N m"),
    "gain": ("N/m", "N m/rad"),
    "reset_time": ("s", "s"),
    "derivative_time": ("s", "s"),
    "window": ("s", "s"),
}
# A new motor gives at most so much per mass [m/s^2]; a new servo answers at this rate [1/s].
_STRENGTH, _RATE = 50.0, 20.0


def joint_panel(bench: Workbench) -> None:
    """Draw the panel."""
    names = bench.view.description.joint_names
    if not names:
        imgui.text_disabled("this world has no joints")
        return
    chosen = fields.choice("joint", bench.selected_joint or "(none)", names[:2000])
    if chosen:
        bench.selected_joint = chosen
    joint = bench.view.outline.joint
    if joint is None:
        imgui.text_disabled("choose a joint")
        return
    rows = [
        ("kind", joint.kind + (", broken" if joint.broken else "")),
        ("between", " and ".join(joint.bodies)),
        ("force", f"{np.linalg.norm(joint.force):.4g} N"),
        ("torque", f"{np.linalg.norm(joint.torque):.4g} N m"),
        ("open by", f"{joint.error:.2e} m, {joint.angle_error:.2e} rad"),
    ]
    rows += [(name, f"{value:+.5g}   rate {rate:+.4g}") for name, (value, rate) in joint.coordinates.items()]
    fields.table("state", rows)
    enabled = fields.switch("acts", joint.enabled)
    if enabled is not None:
        bench.post(SwitchJoint(joint.name, enabled))
    _break_load(bench, joint)
    for number, (coordinate, lower, upper) in enumerate(joint.limits):
        imgui.push_id(f"limit {number}")
        imgui.separator_text(f"stop of {coordinate}")
        unit = _unit(joint, coordinate, "target")
        low = fields.bounded(f"lower [{unit}]", lower, -np.inf, min(0.0, upper - 1.0), -np.inf)
        high = fields.bounded(f"upper [{unit}]", upper, -np.inf, max(0.0, lower + 1.0))
        if low is not None or high is not None:
            bench.post(
                SetLimit(joint.name, number, lower if low is None else low, upper if high is None else high)
            )
        if imgui.small_button("remove"):
            bench.post(RemoveLimit(joint.name, number))
        imgui.pop_id()
    for number, drive in enumerate(joint.drives):
        imgui.push_id(f"drive {number}")
        imgui.separator_text(f"{drive.kind.lower()} of {drive.coordinate}")
        _drive(bench, joint, number, drive)
        if imgui.small_button("remove"):
            bench.post(RemoveDrive(joint.name, number))
        imgui.pop_id()
    for coordinate in joint.free:
        imgui.push_id(f"add {coordinate}")
        imgui.separator_text(f"add to {coordinate}")
        for kind in ("motor", "servo", "stop"):
            if imgui.button(kind):
                bench.post(new_part(bench, joint, coordinate, kind))
            imgui.same_line()
        imgui.new_line()
        imgui.pop_id()


def new_part(bench: Workbench, joint: JointOutline, coordinate: str, kind: str) -> Command:
    """Return the command that adds a "motor", "servo" or "stop" to a coordinate, gentle for its bodies."""
    value, mass = joint.coordinates[coordinate][0], _mass(bench, joint)
    if kind == "motor":
        return AddMotor(joint.name, coordinate, 0.0, _STRENGTH * mass)
    if kind == "servo":
        stiffness = mass * _RATE**2
        return AddServo(joint.name, coordinate, value, stiffness, 2.0 * mass * _RATE, float("inf"))
    room = 0.5 if coordinate in joint.angles else 0.25
    return AddLimit(joint.name, coordinate, value - room, value + room)


def _mass(bench: Workbench, joint: JointOutline) -> float:
    """Return the mass [kg] of the lightest body that the joint moves."""
    rows = [row for row in map(bench.row, joint.bodies) if row >= 0]
    masses = [float(bench.view.description.masses[row]) for row in rows]
    return min((mass for mass in masses if mass > 0.0), default=1.0)


def _unit(joint: JointOutline, coordinate: str, quantity: str) -> str:
    """Return the unit of a quantity of a drive or stop on a coordinate, "" for none."""
    return _UNITS.get(quantity, ("", ""))[coordinate in joint.angles]


def _break_load(bench: Workbench, joint: JointOutline) -> None:
    limited = np.isfinite(joint.break_force)
    wanted = fields.switch("breaks", bool(limited))
    if wanted is not None:
        force = max(2.0 * float(np.linalg.norm(joint.force)), 1.0) if wanted else np.inf
        bench.post(SetBreakLoad(joint.name, force, joint.break_torque))
    if limited:
        load = fields.number("at force [N]", joint.break_force, 0.0, np.inf)
        if load is not None:
            bench.post(SetBreakLoad(joint.name, load, joint.break_torque))


def _drive(bench: Workbench, joint: JointOutline, number: int, drive: DriveOutline) -> None:
    imgui.text_disabled(f"gives {drive.force:+.4g} {_unit(joint, drive.coordinate, 'max_force')}")
    for name, value in drive.values.items():
        unit = _unit(joint, drive.coordinate, name)
        label = name.replace("_", " ") + (f" [{unit}]" if unit else "")
        new: float | bool | None
        if isinstance(value, bool):
            new = fields.switch(label, value)
        elif name in ("max_force", "damping", "reset_time"):
            new = fields.bounded(label, value, 0.0, max(2.0 * abs(drive.force), 1.0))
        else:
            positive = name not in ("target", "target_rate")
            new = fields.number(label, value, 0.0, np.inf if positive else 0.0)
        if new is not None:
            bench.post(SetDrive(joint.name, number, name, new))
