"""The body that is selected: its state, mass and surface."""

import functools
from collections.abc import Sequence

import numpy as np
from imgui_bundle import imgui

from stoss.engine import Material
from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import SetMass, SetMaterial, SetVelocity
from stoss.viewer.world.player import Player

__all__ = ["body_panel", "material_texts"]

_MATERIAL = {
    "restitution": 1.0,
    "friction": 2.0,
    "static_friction": 2.0,
    "rolling_friction": 0.1,
    "torsional_friction": 0.1,
}


def body_panel(bench: Workbench) -> None:
    """Draw the panel."""
    names = bench.view.description.names
    chosen = fields.choice("body", bench.selected_body or "(none)", names[:2000])
    if chosen:
        bench.select(chosen)
    if isinstance(bench.simulation, Player) and bench.selected_row >= 0:
        _recorded(bench, bench.selected_row)
        return
    body = bench.view.outline.body
    if body is None:
        imgui.text_disabled("click a body to select it")
        return
    asleep = ", asleep" if body.asleep else ", frozen" if body.frozen else ""
    fields.table(
        "state",
        [
            ("kind", body.kind + asleep),
            ("position [m]", _triple(body.position)),
            ("quaternion", "  ".join(f"{x:+.3f}" for x in body.quaternion)),
            ("inertia [kg m^2]", _triple(body.inertia)),
            ("kinetic energy", f"{body.kinetic_energy:.4g} J"),
        ],
    )
    if body.kind != "static":
        velocity = fields.vector("velocity [m/s]", body.velocity)
        turning = fields.vector("turning [rad/s]", body.angular_velocity)
        if velocity is not None or turning is not None:
            bench.post(
                SetVelocity(
                    body.name,
                    velocity or tuple(map(float, body.velocity)),
                    turning or tuple(map(float, body.angular_velocity)),
                )
            )
    if body.kind == "dynamic":
        mass = fields.number("mass [kg]", body.mass, 0.0, np.inf)
        fields.tip("the inertia changes with it; static bodies have none")
        if mass is not None:
            bench.post(SetMass(body.name, mass))
    imgui.separator_text("surface")
    for name, most in _MATERIAL.items():
        value = getattr(body.material, name)
        shown = body.material.sticking if value is None else value
        label, told = material_texts()[name]
        new = fields.number(label, shown, 0.0, most)
        fields.tip(told)
        if new is not None:
            bench.post(SetMaterial(body.name, name, new))
    imgui.separator_text("do")
    if imgui.button("let go" if body.frozen else "freeze"):
        bench.toggle_freeze()
    imgui.same_line()
    if imgui.button("duplicate"):
        bench.duplicate()
    imgui.same_line()
    if imgui.button("hide"):
        bench.hide()
    imgui.same_line()
    if imgui.button("delete"):
        bench.delete()
    if body.joints:
        imgui.separator_text("joints")
        for name in body.joints:
            if imgui.selectable(name, name == bench.selected_joint)[0]:
                bench.selected_joint, bench.panels["Joint"] = name, True


def _recorded(bench: Workbench, row: int) -> None:
    """Draw what a recorded motion tells of a body."""
    description, frame = bench.view.description, bench.view.frame
    rows = [
        ("kind", description.kinds[row]),
        ("centre of mass [m]", _triple(frame.positions[row])),
        ("quaternion", "  ".join(f"{x:+.3f}" for x in frame.quaternions[row])),
    ]
    if frame.velocities is not None and frame.angular_velocities is not None:
        speed = float(np.linalg.norm(frame.velocities[row]))
        rows += [
            ("velocity [m/s]", _triple(frame.velocities[row])),
            ("speed [m/s]", f"{speed:.4g}"),
            ("turning [rad/s]", _triple(frame.angular_velocities[row])),
        ]
    fields.table("recorded", rows)
    imgui.text_disabled("velocities are differences of what was recorded")


@functools.cache
def material_texts() -> dict[str, tuple[str, str]]:
    """Return what each value of a surface is called, with its unit, and what a tooltip tells of it."""
    return fields.labelled(Material, _MATERIAL)


def _triple(values: Sequence[float] | np.ndarray) -> str:
    return "  ".join(f"{x:+.4g}" for x in values)
