"""What those who wait see on the error stream: how far kernels are compiled, and how far a run is."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from tqdm import tqdm

from stoss.collision.kernels.folders import cache_folder
from stoss.collision.kernels.prepare import watch
from stoss.collision.kernels.progress import KernelProgress
from stoss.scenes.experiments.work import Outcome
from stoss.scenes.running.compilation import CompileWatch
from stoss.scenes.running.running import RunFigures

__all__ = ["RunBar", "StepBar", "say", "step_bar", "watched_kernels"]

# How often the real-time factor behind the bar of steps is renewed [s].
_REFRESH = 0.25


def say(message: str) -> None:
    """Write a line to the error stream, above a progress bar if there is one."""
    tqdm.write(" ".join(message.split()), file=sys.stderr)


@contextmanager
def watched_kernels(visible: bool) -> Iterator[CompileWatch]:
    """Keep apart the time that kernels take to be ready, and tell how far they are.

    Args:
        visible: whether to tell.
    """
    progress = KernelProgress(visible, cache_folder())
    with progress, watch(progress), CompileWatch() as times:
        yield times


def step_bar(steps: int, visible: bool, unit: str = "steps") -> tqdm:
    """Return a progress bar over steps, shown where someone sees it; to be closed, and updated after each."""
    hidden = not (visible and sys.stderr.isatty())
    return tqdm(total=steps, unit=f" {unit}", file=sys.stderr, disable=hidden, leave=False)


class _Bar:
    """A bar of progress that goes away at the end of a block."""

    _bar: tqdm

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.close()


class StepBar(_Bar):
    """A progress bar over the steps of a run, with the real-time factor of the last moments behind it.

    Args:
        steps: number of steps.
        time_step: length of one [s].
        visible: whether to show it.
    """

    def __init__(self, steps: int, time_step: float, visible: bool) -> None:
        self._bar = step_bar(steps, visible)
        self._time_step = time_step
        self._renewed = time.perf_counter()
        self._steps = 0
        self._seconds = 0.0

    def advance(self, figures: RunFigures) -> None:
        """Move the bar on by one step.

        Args:
            figures: those of the run so far.
        """
        if self._bar.disable:
            return
        now = time.perf_counter()
        if now - self._renewed > _REFRESH and figures.seconds > self._seconds:
            factor = (figures.steps - self._steps) * self._time_step / (figures.seconds - self._seconds)
            self._bar.set_postfix_str(f"{factor:.2f} x real time", refresh=False)
            self._renewed, self._steps, self._seconds = now, figures.steps, figures.seconds
        self._bar.update()


class RunBar(_Bar):
    """A progress bar over the runs of a sweep, with the number of those that failed behind it.

    Args:
        runs: number of runs.
        visible: whether to show it.

    Attributes:
        done: number of runs that are there.
    """

    def __init__(self, runs: int, visible: bool) -> None:
        self._visible = visible
        self._bar = step_bar(runs, visible, "runs")
        self._failed = 0
        self.done = 0

    def advance(self, done: int, runs: int, outcome: Outcome | None) -> None:
        """Take note of a run.

        Args:
            done: number of runs that are there.
            runs: number of all.
            outcome: what came of it, None for those that were there before.
        """
        if outcome is None and done and self._visible:
            say(f"{done} of {runs} runs are there already")
        if outcome is not None and outcome.reason:
            self._failed += 1
            self._bar.set_postfix_str(f"{self._failed} failed", refresh=False)
        self._bar.update(done - self.done)
        self.done = done
