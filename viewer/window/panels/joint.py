"""The joint that is selected: coordinates, reaction, stops, drives."""

import numpy as np
from imgui_bundle import imgui

from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import SetBreakLoad, SetDrive, SetLimit, SwitchJoint
from stoss.viewer.world.outline import DriveOutline, JointOutline

__all__ = ["joint_panel"]


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
        low, high = fields.number("lower", lower, speed=0.01), fields.number("upper", upper, speed=0.01)
        if low is not None or high is not None:
            bench.post(
                SetLimit(joint.name, number, lower if low is None else low, upper if high is None else high)
            )
        imgui.pop_id()
    for number, drive in enumerate(joint.drives):
        imgui.push_id(f"drive {number}")
        imgui.separator_text(f"{drive.kind.lower()} of {drive.coordinate}")
        _drive(bench, joint, number, drive)
        imgui.pop_id()


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
    imgui.text_disabled(f"gives {drive.force:+.4g}")
    for name, value in drive.values.items():
        label = name.replace("_", " ")
        new: float | bool | None
        if isinstance(value, bool):
            new = fields.switch(label, value)
        else:
            positive = name not in ("target", "target_rate")
            new = fields.number(label, value, 0.0, np.inf if positive else 0.0)
        if new is not None:
            bench.post(SetDrive(joint.name, number, name, new))
