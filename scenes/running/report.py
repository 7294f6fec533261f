"""The report at the end of a run: one dictionary of JSON values, and the same for the eye."""

import dataclasses
import functools
import math
import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any

from stoss.identity import __version__
from stoss.scenes.running.running import RunFigures

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["format_report", "run_report", "versions"]


def versions() -> dict[str, str]:
    """Return the versions that decide about the bits of a result: stoss, Python and the number libraries."""
    return dict(_versions())


@functools.cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "stoss": __version__}
    for name in ("numpy", "numba", "scipy", "python-fcl", "trimesh"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # within a frozen program
            found[name] = "unknown"
    return found


def run_report(
    scene_name: str, parameters: dict[str, Any], world: "World", figures: RunFigures, start_energy: float
) -> dict[str, Any]:
    """Return what is to be known about a run and the state at its end, in SI units.

    Args:
        scene_name: name of the scene.
        parameters: parameters the scene was built with.
        world: the world in its last state.
        figures: costs and extremes of the run.
        start_energy: energy before the first step [J].
    """
    last = world.report
    moving = sum(body.kind == "dynamic" for body in world.bodies)
    simulated = figures.steps * world.time_step
    return {
        "scene": scene_name,
        "parameters": parameters,
        "settings": dataclasses.asdict(world.settings),
        "time_step": world.time_step,
        "steps": figures.steps,
        "time": world.time,
        "bodies": moving,
        "fixed_bodies": len(world.bodies) - moving,
        "contacts": int(last.contact_count),
        "touching_contacts": int(last.touching_count),
        "most_contacts": int(figures.most_contacts),
        "steps_per_second": figures.steps_per_second,
        "real_time_factor": simulated / figures.seconds if figures.seconds > 0.0 else 0.0,
        "seconds": figures.seconds,
        "cpu_seconds": figures.cpu_seconds,
        "worst_step_seconds": figures.worst_step_seconds,
        "compile_seconds": figures.compile_seconds,
        "load_seconds": figures.load_seconds,
        "compiled_kernels": figures.compiled_kernels,
        "stage_milliseconds": figures.stage_milliseconds,
        "max_overlap": float(last.max_overlap),
        "largest_overlap": float(figures.largest_overlap),
        "ladder": dict(figures.ladder),
        "islands": int(last.islands),
        "direct_islands": int(last.direct_islands),
        "residual": float(last.residual),
        "kinetic_energy": float(last.kinetic_energy),
        "potential_energy": float(last.potential_energy),
        "energy": float(last.energy),
        "start_energy": float(start_energy),
        "momentum": [float(value) for value in last.momentum],
        "angular_momentum": [float(value) for value in last.angular_momentum],
        "state_hash": world.state_hash(),
        "versions": versions(),
    }


def format_report(report: dict[str, Any]) -> str:
    """Return the report as lines of text."""
    rows = [
        ("scene", f"{report['scene']}  {_parameters(report['parameters'])}".rstrip()),
        ("simulated", f"{report['time']:g} s in {report['steps']} steps of {report['time_step']:g} s"),
        ("bodies", f"{report['bodies']} moving, {report['fixed_bodies']} fixed"),
        (
            "contacts",
            f"{report['contacts']} at the end ({report['touching_contacts']} touching), "
            f"{report['most_contacts']} at most",
        ),
        (
            "speed",
            f"{report['steps_per_second']:.0f} steps/s, {report['real_time_factor']:.2f} x real time, "
            f"worst step {1e3 * report['worst_step_seconds']:.2f} ms",
        ),
    ]
    if report["compiled_kernels"]:
        rows.append(
            ("compiled", f"{report['compiled_kernels']} kernels in {report['compile_seconds']:.1f} s")
        )
    stages = ", ".join(f"{name} {value:.3f}" for name, value in report["stage_milliseconds"].items())
    rows += [
        ("ms per step", stages),
        ("islands", f"{report['islands']} at the end, {report['direct_islands']} of them solved directly"),
        (
            "overlap",
            f"{_length(report['max_overlap'])} at the end, {_length(report['largest_overlap'])} at most",
        ),
        (
            "energy",
            f"{report['energy']:.6g} J ({report['kinetic_energy']:.3g} J kinetic), "
            f"{report['energy'] - report['start_energy']:+.6g} J since the start",
        ),
        ("momentum", f"{_vector(report['momentum'])} kg m/s"),
        ("angular momentum", f"{_vector(report['angular_momentum'])} kg m^2/s about the origin"),
        ("state", report["state_hash"][:16]),
    ]
    if report["ladder"]:
        times = ", ".join(f"{method} {count} times" for method, count in report["ladder"].items())
        rows.insert(-1, ("ladder", f"islands that would have gained energy: {times}"))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)


def _parameters(parameters: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())


def _vector(values: list[float]) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in values) + ")"


def _length(metres: float) -> str:
    """Return a length in the unit that fits it, from nm to m."""
    if metres == 0.0 or not math.isfinite(metres):
        return f"{metres:g} m"
    for factor, unit in ((1.0, "m"), (1e3, "mm"), (1e6, "um")):
        if abs(metres) * factor >= 1.0:
            return f"{metres * factor:.3g} {unit}"
    return f"{metres * 1e9:.3g} nm"
