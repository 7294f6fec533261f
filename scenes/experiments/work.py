"""Carry out one run, in whatever process: build, advance, work out the metrics, and say what came of it."""

import contextlib
import io
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.scenes.experiments.metrics import Finished
from stoss.scenes.experiments.plan import Plan, Point
from stoss.scenes.running.compilation import CompileWatch
from stoss.scenes.running.report import run_report, versions
from stoss.scenes.running.running import RunFigures, run_steps

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.engine.recording import Recording

__all__ = ["CHANNELS", "FAILED", "FINISHED", "LOST", "REFUSED", "Outcome", "carry_out"]

# How a run ends: well; with an error of builder or metric; with its process. `Recording.status` has others.
FINISHED, FAILED, LOST = "finished", "failed", "lost"
# It could not be begun as it was asked for: there is no such channel.
REFUSED = "refused"

CHANNELS = "channels.npz"

# Threads of a worker take turns: standard output, and the clocks of kernels, are those of the process.
_turn = threading.Lock()


@dataclass
class Outcome:
    """What came of a run.

    Attributes:
        status: one of those above.
        reason: why it did not finish, "" if it did.
        metrics: numbers by name.
        report: see `run_report`; empty if no world was built.
        log: what it printed and warned of, and where an error arose.
        files: contents by name, to be kept beside it.
        versions: what it was made with.
    """

    status: str = FINISHED
    reason: str = ""
    metrics: dict[str, float] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    log: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)


def carry_out(plan: Plan, point: Point) -> Outcome:
    """Carry out the run at a point of a plan; whatever goes wrong is said in the outcome."""
    outcome = Outcome()
    with _turn, _log(outcome):
        world = _attempt(outcome, lambda: _built(plan, point))
        if world is not None:
            parameters = plan.varied(point)[0]
            _attempt(outcome, lambda: _run(plan, parameters, world, outcome))
    return outcome


def _built(plan: Plan, point: Point) -> "World":
    parameters, time_step, settings = plan.varied(point)
    world = plan.source.build(parameters, time_step, settings)
    world.prepare_kernels()
    return world


def _run(plan: Plan, parameters: Point, world: "World", outcome: Outcome) -> None:
    """Advance a world to its end, and fill in report and metrics."""
    from stoss.engine.recording import Recorder, Recording
    from stoss.engine.recording.running import Ending

    figures, start_energy = RunFigures(), float(world.report.energy)
    recorder, recording = None, Recording((), (), {})
    names = plan.source.names_of_channels(world)
    if plan.channels:
        try:
            channels = [names.get(one, one) for one in plan.channels]
            recorder = Recorder(world, channels, every=plan.every, parameters=parameters, model=False)
        except ValueError as error:
            _fail(outcome, REFUSED, str(error))
            return
    try:
        with CompileWatch() as watch, contextlib.nullcontext() if recorder is None else recorder:
            run_steps(world, max(1, round(plan.duration / world.time_step)), figures, watch=watch)
    except Exception as error:  # of the engine, a load or a controller: the row says which
        _fail(outcome, Ending.of(error).status, _told(error))
        return
    finally:
        outcome.report = run_report(plan.source.name, parameters, world, figures, start_energy)
        if recorder is not None:
            recording = recorder.close()
            if plan.keep:
                outcome.files[CHANNELS] = _content(recording)
    run = Finished(world, parameters, recording, names)
    for metric in plan.metrics:
        try:
            outcome.metrics |= metric.of(run)
        except Exception as error:  # a user's function may raise anything; the other metrics are worked out
            _fail(outcome, FAILED, f"metric {metric.name}: {_told(error)}")


def _content(recording: "Recording") -> bytes:
    """Return the file of a recording as bytes, which travel to where they are kept."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / CHANNELS
        recording.write(path)
        return path.read_bytes()


def _attempt(outcome: Outcome, do: Callable[[], Any]) -> Any:
    """Return what a function does, None if it raises; then the outcome says why."""
    try:
        return do()
    except MemoryError as error:
        _fail(outcome, FAILED, f"the memory is used up ({error})" if str(error) else "the memory is used up")
    except SystemExit as error:
        _fail(outcome, FAILED, f"it called sys.exit({error.code!r})")
    except Exception as error:  # of a scene, a controller, a function of the user: a row that says so
        _fail(outcome, FAILED, _told(error))
    return None


def _fail(outcome: Outcome, status: str, reason: str) -> None:
    traceback.print_exc()
    if outcome.status == FINISHED:
        outcome.status, outcome.reason = status, " ".join(reason.split())


def _told(error: Exception) -> str:
    """Return an error in one line; wrong values say themselves what is wrong, else its kind helps."""
    from stoss.engine import SimulationError

    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    if text and isinstance(error, ValueError | SimulationError):
        return text
    return f"{type(error).__name__}: {text}".rstrip(": ")


@contextlib.contextmanager
def _log(outcome: Outcome) -> Iterator[None]:
    """Keep what is printed and warned of in the outcome's log."""
    lines = io.StringIO()
    begin = time.strftime("%Y-%m-%d %H:%M:%S")
    with (
        contextlib.redirect_stdout(lines),
        contextlib.redirect_stderr(lines),
        warnings.catch_warnings(),  # each run tells again what another one of this process has told
    ):
        yield
    end = time.strftime("%Y-%m-%d %H:%M:%S")
    said = "" if not outcome.reason else f": {outcome.reason}"
    outcome.log = f"{begin} begun\n{lines.getvalue()}{end} {outcome.status}{said}\n"
