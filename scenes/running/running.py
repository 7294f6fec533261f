"""Run a world for a number of steps and keep the figures: times per stage, worst step, largest overlap."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stoss.scenes.running.compilation import CompileWatch

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["RunFigures", "build_and_run", "run_steps"]


@dataclass
class RunFigures:
    """What a run cost and the extremes it went through. No step time includes compiling or loading kernels.

    Attributes:
        steps: steps completed.
        seconds: wall-clock time of all steps [s].
        cpu_seconds: processor time of all steps [s].
        clean_steps: steps in which no kernel had to be compiled or loaded.
        worst_step_seconds: longest of the clean steps [s].
        stage_seconds: time per stage over the clean steps [s].
        compiled_kernels: kernels compiled; 0 when all came from the cache.
        compile_seconds: time in which kernels were compiled [s].
        load_seconds: time in which kernels were read from the cache [s].
        ladder: how often islands were held by another method than the usual one, by method.
        largest_overlap: deepest overlap of any step [m].
        most_contacts: largest number of contacts of any step.
    """

    steps: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    clean_steps: int = 0
    worst_step_seconds: float = 0.0
    stage_seconds: dict[str, float] = field(default_factory=dict)
    compiled_kernels: int = 0
    compile_seconds: float = 0.0
    load_seconds: float = 0.0
    ladder: dict[str, int] = field(default_factory=dict)
    largest_overlap: float = 0.0
    most_contacts: int = 0

    @property
    def stage_milliseconds(self) -> dict[str, float]:
        """Return the mean time per stage and step [ms], compiling and loading left out."""
        return {name: 1e3 * value / self.clean_steps for name, value in self.stage_seconds.items()}

    @property
    def steps_per_second(self) -> float:
        """Return steps per second of wall-clock time."""
        return self.steps / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def steps_per_cpu_second(self) -> float:
        """Return steps per second of processor time."""
        return self.steps / self.cpu_seconds if self.cpu_seconds > 0.0 else 0.0


def run_steps(
    world: "World",
    steps: int,
    figures: RunFigures,
    *,
    watch: CompileWatch,
    on_step: Callable[["World", RunFigures], None] | None = None,
) -> None:
    """Advance a world step by step and add the figures of the run.

    Args:
        world: the world, advanced in place.
        steps: number of steps.
        figures: filled in place as the run goes on, so that they are there when it ends early.
        watch: switched on by the caller.
        on_step: called after each step; its time is not counted.

    Raises:
        SimulationError: from `World.step`; the figures hold what was completed.
    """
    for _ in range(steps):
        ready, cpu_ready = watch.ready_seconds, watch.ready_cpu_seconds
        cpu_begin = time.process_time()
        begin = time.perf_counter()
        report = world.step()
        seconds = time.perf_counter() - begin
        cpu_seconds = time.process_time() - cpu_begin
        ready, cpu_ready = watch.ready_seconds - ready, watch.ready_cpu_seconds - cpu_ready
        figures.steps += 1
        figures.seconds += seconds - ready
        figures.cpu_seconds += cpu_seconds - cpu_ready
        figures.compiled_kernels = watch.kernels
        figures.compile_seconds = watch.compile_seconds
        figures.load_seconds = watch.load_seconds
        figures.largest_overlap = max(figures.largest_overlap, report.max_overlap)
        figures.most_contacts = max(figures.most_contacts, report.contact_count)
        for method, _ in report.ladder:
            figures.ladder[method] = figures.ladder.get(method, 0) + 1
        if ready == 0.0:
            figures.clean_steps += 1
            figures.worst_step_seconds = max(figures.worst_step_seconds, seconds)
            for stage, stage_time in report.stage_times.items():
                figures.stage_seconds[stage] = figures.stage_seconds.get(stage, 0.0) + stage_time
        if on_step is not None:
            on_step(world, figures)


def build_and_run(build: Callable[[], "World"], steps: int) -> tuple["World", RunFigures]:
    """Build a world, advance it, and return both the world and the figures.

    Args:
        build: builds the world.
        steps: number of steps.
    """
    figures = RunFigures()
    with CompileWatch() as watch:
        world = build()
        run_steps(world, steps, figures, watch=watch)
    return world, figures
