"""Many runs over a grid of parameters: on all cores or on a cluster, kept as they end, as one table."""

import contextlib
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.names import takes_names
from stoss.scenes.experiments.cluster import cluster_outcomes, connected
from stoss.scenes.experiments.metrics import Metric, metric_of
from stoss.scenes.experiments.plan import Plan, Point, points_of
from stoss.scenes.experiments.run_folder import is_run, made_folder, read_outcome, write_run
from stoss.scenes.experiments.source import Source, source_of
from stoss.scenes.experiments.table import SweepTable, row_of
from stoss.scenes.experiments.work import LOST, REFUSED, Outcome, carry_out
from stoss.scenes.experiments.workers import local_outcomes, processors

if TYPE_CHECKING:
    from distributed import Client

    from stoss.engine import Settings

__all__ = ["OnRun", "made_plan", "run_points", "sweep"]

# Called as runs are there: how many, of how many, and what came of the last one (None: of those kept from
# before).
OnRun = Callable[[int, int, Outcome | None], None]

TABLE = "table.csv"
_LONGEST_NAME = 80  # of a run's folder, without its key


@takes_names
def sweep(
    source: Any,
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    metrics: Any = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    duration: float | None = None,
    time_step: float | None = None,
    settings: "Settings | None" = None,
    record: str | Sequence[str] = (),
    every: float | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    scheduler: "str | Client | None" = None,
    again: bool = False,
    on_run: OnRun | None = None,
) -> SweepTable:
    """Run a scene, a model or a function at each point of a grid, and return one table of the results.

    The bits are those of one run after the other, whatever process carries a run out. A run that fails is a
    row that says why. With a folder each run is kept as it ends; a second call takes the runs that are there
    and makes those that are missing, also after more values were added to the grid, or this process was
    killed.

    Args:
        source: name of a scene, file of a model, a `Model`, "module:function", or a function that takes
            parameters by name and returns a `World`; `time_step` and `settings` only if it takes them.
        grid: values by name, all combinations of which are run; or a list of points, each values by name.
            Names are those of parameters, "time_step", or settings.
        metrics: a metric, a list, or metrics by the name of their column. A metric is such as
            "overshoot:joint.arm.angle" (final, max, min, mean, rms, overshoot, settling_time of a channel),
            "module:function", or a function of the run that returns a number, or numbers by name.
        parameters: values of parameters that are not varied, by name.
        duration: simulated time of each run [s]; None: what the scene or model says.
        time_step: [s]; None: that of the source.
        settings: None: those of the source.
        record: channels and patterns that are recorded and kept with each run, as `Recording.load` reads them
            (channels.npz in its folder); what metrics need, and what a model says, is recorded anyway.
        every: time between two samples [s]; None: what the model says, or each step.
        out: folder in which the runs are kept; None: they are not.
        workers: number of processes; None: one for each processor; 1: this process, one run after the other.
        scheduler: address of a Dask scheduler, or a `distributed.Client`, whose workers carry out the runs.
        again: make runs anew that are kept as failed.
        on_run: called with the number of runs that are there, that of all, and what came of the last one.

    Raises:
        ValueError, TypeError: there is no such source, parameter, metric, channel, or not such a value.
        UsageError: no such scheduler, or a run that is kept is damaged.
        FileError: a run cannot be kept.
    """
    plan = made_plan(
        source,
        metrics,
        parameters=parameters,
        duration=duration,
        time_step=time_step,
        settings=settings,
        record=record,
        every=every,
    )
    return run_points(
        plan,
        points_of(grid),
        out=None if out is None else Path(out),
        workers=workers,
        scheduler=scheduler,
        again=again,
        on_run=on_run,
    )


def made_plan(
    source: Any,
    metrics: Any = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    duration: float | None = None,
    time_step: float | None = None,
    settings: "Settings | None" = None,
    record: str | Sequence[str] = (),
    every: float | None = None,
) -> Plan:
    """Return the plan of a sweep; arguments and errors are those of `sweep`."""
    from stoss.collision import plain_numbers
    from stoss.engine import Settings
    from stoss.engine.recording.choosing import checked_names

    found = source if isinstance(source, Source) else source_of(source)
    if duration is None:
        duration = found.duration
        if duration is None:
            raise ValueError(f"duration: {found.name} does not say how long it is run; give a time [s]")
    if settings is not None and not isinstance(settings, Settings):
        raise TypeError(f"settings = {settings!r} must be a Settings, such as stoss.Settings(sweeps=30)")
    channels, usual = found.record
    wanted = _metrics(metrics, channels)
    kept = checked_names("record", record) if record else ()
    own = [metric.channel for metric in wanted if metric.channel]
    return Plan(
        found,
        plain_numbers.number("duration", duration, "s", above=0.0),
        {name: found.checked(name, value) for name, value in (parameters or {}).items()},
        None if time_step is None else plain_numbers.number("time_step", time_step, "s", above=0.0),
        settings,
        wanted,
        tuple(dict.fromkeys([*kept, *own, *channels])),
        usual if every is None else plain_numbers.number("every", every, "s", above=0.0),
        bool(kept),
    )


def _metrics(metrics: Any, channels: Sequence[str]) -> tuple[Metric, ...]:
    if isinstance(metrics, Mapping):
        found = [metric_of(what, str(name), channels) for name, what in metrics.items()]
    elif isinstance(metrics, str) or callable(metrics) or not isinstance(metrics, Iterable):
        found = [metric_of(metrics, channels=channels)]
    else:
        found = [metric_of(what, channels=channels) for what in metrics]
    names = [one.name for one in found]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise ValueError(f"metrics: two have the name {name!r}; give them by name, as a dict")
    return tuple(found)


def run_points(
    plan: Plan,
    points: Sequence[Point],
    *,
    out: Path | None = None,
    workers: int | None = None,
    scheduler: "str | Client | None" = None,
    again: bool = False,
    on_run: OnRun | None = None,
) -> SweepTable:
    """Carry out a plan at its points; arguments and errors are those of `sweep`."""
    from stoss.collision import plain_numbers

    if workers is not None:
        workers = plain_numbers.whole("workers", workers, least=1)
        if scheduler is not None:
            raise ValueError(f"workers = {workers}: the scheduler has its own; leave one of both out")
    taken = [one.name for one in plan.metrics if any(one.name in point for point in points)]
    if taken:
        raise ValueError(f"metrics: {taken[0]!r} is also varied; give the metric another name, as a dict")
    keys = [plan.key(point) for point in points]  # raises where a point is wrong
    client, own = (None, False) if scheduler is None else connected(scheduler)
    try:
        return _swept(plan, points, keys, out, workers, client, again, on_run)
    finally:
        if client is not None and own:
            client.close()


def _swept(
    plan: Plan,
    points: Sequence[Point],
    keys: Sequence[str],
    out: Path | None,
    workers: int | None,
    client: "Client | None",
    again: bool,
    on_run: OnRun | None,
) -> SweepTable:
    kept = _Kept(plan, points, keys, out)
    outcomes = kept.outcomes(again)
    left = [number for number in range(len(points)) if number not in outcomes]
    if on_run is not None:
        on_run(len(outcomes), len(points), None)
    chosen = [points[number] for number in left]
    try:
        with contextlib.closing(_carried_out(plan, chosen, workers, client)) as arriving:
            for number, outcome in arriving:
                if outcome.status == REFUSED and number == 0:
                    raise ValueError(outcome.reason)
                kept.keep(left[number], outcome)
                outcome.files = {}
                outcomes[left[number]] = outcome
                if on_run is not None:
                    on_run(len(outcomes), len(points), outcome)
    finally:
        # after an interruption as well: what is there is told
        table = SweepTable([row_of(points[i], outcomes[i], kept.name(i)) for i in sorted(outcomes)])
        if out is not None and outcomes:
            table.save(out / TABLE)
    return table


def _carried_out(
    plan: Plan, points: Sequence[Point], workers: int | None, client: "Client | None"
) -> Generator[tuple[int, Outcome], None, None]:
    """Give number and outcome of each run as it ends."""
    if client is not None:
        yield from cluster_outcomes(plan, points, client)
        return
    from stoss.collision.kernels.prepare import prepare

    count = min(workers or processors(), len(points))
    if workers != 1 and count > 0:
        prepare()  # kernels are compiled here, where someone sees how far they are; processes load them
        yield from local_outcomes(plan, points, count)
        return
    for number, point in enumerate(points):
        yield number, carry_out(plan, point)


class _Kept:
    """The folder of a sweep.

    Args:
        plan: of the sweep.
        points: of its runs.
        keys: of its runs.
        out: the folder, None if nothing is kept.
    """

    def __init__(self, plan: Plan, points: Sequence[Point], keys: Sequence[str], out: Path | None) -> None:
        self._plan, self._points, self._keys, self._out = plan, points, keys, out
        self._there: dict[str, str] = {}  # folders by their keys, whatever was varied when they were made
        if out is not None:
            folders = made_folder(out / "runs").iterdir()
            self._there = {folder.name[-len(keys[0]) :]: folder.name for folder in folders}

    def name(self, number: int) -> str:
        """Return the folder of a run, below that of the sweep."""
        if self._out is None:
            return ""
        key = self._keys[number]
        if key in self._there:
            return f"runs/{self._there[key]}"
        told = "_".join(f"{name}={value}" for name, value in self._points[number].items())
        return f"runs/{re.sub(r'[^A-Za-z0-9=._+-]', '-', told)[:_LONGEST_NAME]}-{key}"

    def outcomes(self, again: bool) -> dict[int, Outcome]:
        """Return what came of the runs that are there already; those that were lost do not count."""
        if self._out is None:
            return {}
        found = {}
        for number in range(len(self._points)):
            folder = self._out / self.name(number)
            if is_run(folder):
                outcome = read_outcome(folder)
                if outcome.status != LOST and not (again and outcome.reason):
                    found[number] = outcome
        return found

    def keep(self, number: int, outcome: Outcome) -> None:
        """Write a run to the disk."""
        if self._out is not None:
            record = self._plan.record(self._points[number])
            model = self._out / f"model-{self._plan.source.digest[:12]}.toml"
            write_run(self._out / self.name(number), record, self._plan.source, outcome, model)
