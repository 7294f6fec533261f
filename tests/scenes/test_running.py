"""Figures of a run, and what counts as compilation."""

import time

import pytest
from numba import njit

from stoss.collision.kernels.decorators import KERNELS, Kernel
from stoss.collision.kernels.prepare import prepare
from stoss.engine import SimulationError
from stoss.scenes import SCENES
from stoss.scenes.running.compilation import CompileWatch
from stoss.scenes.running.running import RunFigures, build_and_run, run_steps


def test_watch_counts_kernels_once_and_calls_back_once():
    """Count each kernel that is compiled, with those that it calls, and none that is ready already."""

    @njit
    def inner(x):
        return x + 1.0

    @njit
    def outer(x):
        return inner(x) * 2.0

    calls = []
    with CompileWatch(lambda: calls.append(1)) as watch:
        assert outer(1.0) == 4.0
        kernels, seconds = watch.kernels, watch.compile_seconds
        assert outer(2.0) == 6.0
    assert kernels == watch.kernels == 2
    assert calls == [1]
    assert 0.0 < seconds == watch.compile_seconds <= watch.ready_seconds
    assert outer(1) == 4  # compiled for int after the watch is over
    assert watch.kernels == 2


def test_watch_keeps_apart_the_look_for_kernels_on_disk():
    """Count the time of looking as getting ready: a step that only finds its kernels is not a slow step."""
    prepare()
    with CompileWatch() as watch:
        report = prepare()
    assert report.compiled == watch.kernels == 0
    assert watch.compile_seconds == 0.0 < watch.ready_seconds <= report.seconds
    assert watch.ready_cpu_seconds > 0.0


def test_watch_keeps_apart_all_that_makes_a_kernel_ready(monkeypatch):
    """Count what is done for a kernel before numba looks for it, and after: linking it takes as long."""

    def spend(kernel, tell):
        until = time.process_time() + 0.02
        while time.process_time() < until:
            pass

    monkeypatch.setattr(Kernel, "_make_ready", spend)
    kernel = Kernel(_twice, allocates=False)
    with CompileWatch() as watch:
        before = watch.processor_time
        kernel.make_ready()
        assert watch.processor_time - before < 0.01
    assert 0.02 <= watch.ready_cpu_seconds <= watch.ready_seconds + 0.01
    assert watch.compile_seconds == watch.kernels == 0
    del KERNELS[kernel.name]


def _twice(x: float) -> float:
    return 2.0 * x


def test_figures_hold_the_extremes_of_all_steps():
    """Keep the largest overlap and number of contacts over the run, and every stage of the step."""
    world = SCENES["drop"].build(bodies=5)
    overlaps, contacts, stages = [], [], set()

    def note(world, figures):
        overlaps.append(world.report.max_overlap)
        contacts.append(world.report.contact_count)
        stages.update(world.report.stage_times)

    figures = RunFigures()
    with CompileWatch() as watch:
        run_steps(world, 80, figures, watch=watch, on_step=note)
    assert figures.steps == len(overlaps) == world.step_count == 80
    assert figures.largest_overlap == max(overlaps)
    assert figures.most_contacts == max(contacts) > 0
    assert set(figures.stage_milliseconds) == stages
    assert 0 < figures.clean_steps <= 80
    assert figures.seconds > 0.0 and figures.steps_per_second == 80 / figures.seconds


def test_running_step_by_step_changes_nothing():
    """End in the bits that one call for all steps gives."""
    world, figures = build_and_run(lambda: SCENES["stack"].build(bodies=5), 25)
    at_once = SCENES["stack"].build(bodies=5)
    at_once.step(25)
    assert figures.steps == 25
    assert world.state_hash() == at_once.state_hash()


def test_figures_survive_a_failure():
    """Hold the steps that were completed when the simulation stops."""
    from stoss.engine import Settings

    # A cube in free fall passes 1 m/s in step 11: 11 x 9.81 x 0.01 = 1.079.
    world = SCENES["drop"].build(bodies=1, settings=Settings(speed_limit=1.0))
    figures = RunFigures()
    with CompileWatch() as watch, pytest.raises(SimulationError):
        run_steps(world, 100, figures, watch=watch)
    assert figures.steps == world.step_count == 10
