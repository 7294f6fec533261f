"""What the last step did and cost."""

from imgui_bundle import imgui

from stoss.docstrings import docstring
from stoss.engine import StepReport
from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["statistics_panel", "told_of"]


def statistics_panel(bench: Workbench) -> None:
    """Draw the panel."""
    view, report = bench.view, bench.view.frame.report
    if report is None:
        imgui.text_disabled("a recorded motion has no figures")
        return
    rows = (
        ("bodies", f"{len(view.description.names)} ({report.asleep_count} asleep)", "asleep_count"),
        ("joints", f"{len(view.description.joint_names)}", "joint_count"),
        ("contacts", f"{report.contact_count} ({report.touching_count} touch)", "touching_count"),
        ("islands", f"{report.islands} ({report.direct_islands} direct)", "islands"),
        ("sub-steps", f"{report.sub_steps}, order {report.order}", "sub_steps"),
        ("passes", f"{report.passes}", "passes"),
        ("factorised", f"{report.factorisations}, refinements {report.refinements}", "factorisations"),
        ("sweeps", f"{report.sweeps}, last change {report.sweep_change:.1e} m/s", "sweeps"),
        ("residual", f"{report.residual:.1e} m/s", "residual"),
        ("impact rounds", f"{report.impact_rounds}", "impact_rounds"),
        ("joints open", f"{report.joint_error:.1e} m, {report.joint_angle_error:.1e} rad", "joint_error"),
        ("overlap", f"{report.max_overlap:.1e} m", "max_overlap"),
        ("energy", f"{report.energy:.6g} J ({report.kinetic_energy:.4g} kinetic)", "energy"),
    )
    fields.table("counts", [(name, text, told_of(source)) for name, text, source in rows])
    total = sum(report.stage_times.values())
    imgui.separator_text(f"a step: {1e3 * total:.2f} ms, {view.rate:.2f} x real time")
    for stage, seconds in report.stage_times.items():
        share = seconds / total if total > 0.0 else 0.0
        imgui.progress_bar(share, imgui.ImVec2(-1.0, 0.0), f"{stage} {1e3 * seconds:.2f} ms")


def told_of(name: str) -> str:
    """Return what a figure of the report means."""
    return docstring(vars(StepReport)[name].fget)
