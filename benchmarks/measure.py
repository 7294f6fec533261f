"""Run a preset and keep its figures as JSON values."""

import os
import platform
from typing import TYPE_CHECKING, Any

from stoss.benchmarks.presets import TIME_STEP, Preset
from stoss.scenes.registry import SCENES, find_scene
from stoss.scenes.running.report import versions
from stoss.scenes.running.running import build_and_run

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["FORMAT_VERSION", "machine", "measure", "results_file"]

FORMAT_VERSION = 1


def measure(
    preset: Preset, *, repeat: int = 1, steps: int | None = None, settings: "Settings | None" = None
) -> dict[str, Any]:
    """Run a preset and return its figures in SI units; speeds are those of the fastest run.

    Steps per second count processor time, as the figures of other engines do, so that other work on
    the machine weighs less; compiling and loading kernels is kept apart from both kinds of time.

    Args:
        preset: what to run.
        repeat: number of runs, each of a new world.
        steps: number of steps; None takes that of the preset.
        settings: settings of the engine; None stands for the default ones.

    Raises:
        SimulationError: the simulation had to stop.
    """
    scene = find_scene(preset.scene)
    steps = preset.steps if steps is None else steps
    time_step = TIME_STEP if preset.scene in SCENES else scene.time_step  # a model says its own

    def build() -> "World":
        return scene.build(settings=settings, time_step=time_step, **preset.parameters)

    hashes = []
    compile_seconds = load_seconds = 0.0
    best = None
    for _ in range(repeat):
        world, figures = build_and_run(build, steps)
        hashes.append(world.state_hash())
        compile_seconds += figures.compile_seconds
        load_seconds += figures.load_seconds
        if best is None or figures.steps_per_cpu_second > best.steps_per_cpu_second:
            best = figures
    assert best is not None
    return {
        "name": preset.name,
        "scene": preset.scene,
        "parameters": preset.parameters,
        "steps": steps,
        "time_step": time_step,
        "bodies": sum(body.kind == "dynamic" for body in world.bodies),
        "contacts": int(world.report.contact_count),
        "most_contacts": int(best.most_contacts),
        "steps_per_second": best.steps_per_cpu_second,
        "steps_per_wall_second": best.steps_per_second,
        "worst_step_seconds": best.worst_step_seconds,
        "stage_milliseconds": best.stage_milliseconds,
        "compile_seconds": compile_seconds,
        "load_seconds": load_seconds,
        "largest_overlap": float(best.largest_overlap),
        "state_hash": hashes[0],
        "reproducible": len(set(hashes)) == 1,
    }


def results_file(results: list[dict[str, Any]], settings: dict[str, Any], repeat: int) -> dict[str, Any]:
    """Return the content of a result file, as `stoss bench --json` writes it and `--against` reads it."""
    return {
        "format": FORMAT_VERSION,
        "versions": versions(),
        "machine": machine(),
        "settings": settings,
        "repeat": repeat,
        "results": results,
    }


def machine() -> dict[str, Any]:
    """Return what is known about this machine: figures of different machines do not compare."""
    return {"system": platform.platform(), "processor": _processor_name(), "cores": os.cpu_count()}


def _processor_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:  # not on Linux: the standard library's word will do
        pass
    return platform.processor() or platform.machine()
