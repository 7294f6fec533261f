"""The world: time step, gravity and all settings of the engine, which act from the next step on."""

import dataclasses
import functools

from imgui_bundle import imgui

from stoss.engine import Settings
from stoss.engine.bodies.material import COMBINATION_RULES, IMPACT_LAWS
from stoss.engine.motion.free_motion import METHODS
from stoss.engine.settings import CHOICES, SOLVERS
from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import ChangeSetting, SetGravity, SetTimeStep

__all__ = ["setting_texts", "world_panel"]

_CHOICES = {
    "solver": SOLVERS,
    "motion": tuple(METHODS),
    "impact_law": IMPACT_LAWS,
    "friction_rule": COMBINATION_RULES,
    "restitution_rule": COMBINATION_RULES,
    "rest": CHOICES["rest"],
}
_WHOLE = {"sweeps": (1, 200), "preview_passes": (1, 50), "most_sub_steps": (1, 512)}
_FIRST = (
    "solver",
    "sweeps",
    "shock_propagation",
    "sleeping",
    "rest",
    "impact_law",
    "time_of_impact",
    "continuous_collision",
)


def world_panel(bench: Workbench) -> None:
    """Draw the panel."""
    outline = bench.view.outline
    step = fields.number("time step [ms]", 1e3 * outline.time_step, 0.1, 100.0, logarithmic=True, form="%.3g")
    if step is not None:
        bench.post(SetTimeStep(1e-3 * step))
    fields.tip("length of a step; smaller ones are more accurate, and take more time for the same motion")
    gravity = fields.vector("gravity [m/s^2]", outline.gravity)
    fields.tip("x, y and z; z is up")
    if gravity is not None:
        bench.post(SetGravity(gravity))
    imgui.separator_text("settings")
    for name in _FIRST:
        _setting(bench, outline.settings, name)
    if imgui.collapsing_header("all others"):
        for field in dataclasses.fields(Settings):
            if field.name not in (*_FIRST, "collision"):
                _setting(bench, outline.settings, field.name)


def _setting(bench: Workbench, settings: Settings, name: str) -> None:
    value, (label, told) = getattr(settings, name), setting_texts()[name]
    new: object
    if name in _CHOICES:
        new = fields.choice(label, value, _CHOICES[name])
    elif name == "order":
        chosen = fields.choice(label, str(value), ("2", "4", "6"))
        new = None if chosen is None else int(chosen)
    elif isinstance(value, bool):
        new = fields.switch(label, value)
    elif name in _WHOLE:
        new = fields.whole(label, value, *_WHOLE[name])
    else:
        new = fields.number(label, value, 0.0, float("inf"), form="%.3g")
    fields.tip(told)
    if new is not None:
        bench.post(ChangeSetting(name, new))


@functools.cache
def setting_texts() -> dict[str, tuple[str, str]]:
    """Return what each setting is called, with its unit, and what a tooltip tells of it."""
    return fields.labelled(Settings, [field.name for field in dataclasses.fields(Settings)])
