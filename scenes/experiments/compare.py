"""Two runs side by side: what differs in what was run, and in what came of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.errors import UsageError
from stoss.names import takes_names
from stoss.scenes.experiments.run_folder import MOTION, read_outcome, read_record
from stoss.scenes.experiments.work import CHANNELS, Outcome
from stoss.scenes.running.trajectory import Trajectory, load_trajectory

if TYPE_CHECKING:
    from stoss.engine.recording import Recording

__all__ = ["Comparison", "Difference", "compare_runs"]


@dataclass(frozen=True)
class Difference:
    """By how much two runs differ in something that both have recorded.

    Attributes:
        name: of a channel, or of a body's position or orientation.
        unit: of the difference, "" if it has none.
        largest: difference.
        time: when it is that large [s].
    """

    name: str
    unit: str
    largest: float
    time: float


@dataclass(frozen=True)
class Comparison:
    """In what two runs differ.

    Attributes:
        runs: their folders.
        same: whether both ended in the same state, bit for bit.
        inputs: what was run differently, as pairs of values by name: "kp", "settings.sweeps", "duration".
        versions: what they were made with, where it differs, as pairs by name.
        status: how they ended.
        metrics: those that both have, as pairs by name.
        steps_per_second: their speed.
        differences: in what both have recorded, the largest first, those of the same unit together.
        first_time: when the first difference is [s], None where there is none.
        left_out: what could not be compared, and why.
    """

    runs: tuple[str, str]
    same: bool
    inputs: dict[str, tuple[Any, Any]]
    versions: dict[str, tuple[Any, Any]]
    status: tuple[str, str]
    metrics: dict[str, tuple[float, float]]
    steps_per_second: tuple[float, float]
    differences: tuple[Difference, ...]
    first_time: float | None
    left_out: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**vars(self), "differences": [vars(one) for one in self.differences]}

    def text(self, most: int = 20) -> str:
        """Return it as lines of text.

        Args:
            most: number of differences of what was recorded.
        """
        first, second = self.runs
        lines = [f"{first} and {second}"]
        lines.append("they end in " + ("the same state, bit for bit" if self.same else "different states"))
        for name, (one, other) in {"status": self.status, **self.inputs}.items():
            if one != other:
                lines.append(f"{name}: {_shown(one)} and {_shown(other)}")
        told = ", ".join(f"{name} {one} and {other}" for name, (one, other) in self.versions.items())
        lines.append(f"versions: {told or 'the same'}")
        one, other = self.steps_per_second
        ratio = f", {one / other:.2f} times as fast" if one and other else ""
        lines.append(f"speed: {one:.0f} and {other:.0f} steps/s{ratio}")
        for name, (left, right) in self.metrics.items():
            lines.append(f"{name}: {left:.9g} and {right:.9g}, difference {right - left:.3g}")
        different = [one for one in self.differences if one.largest != 0.0]
        if self.differences:
            count = len(self.differences)
            since = "" if self.first_time is None else f", from {self.first_time:g} s on"
            lines.append(f"recorded: {count} in both, {len(different)} differ{since}")
        for difference in different[:most]:
            lines.append(
                f"  {difference.name}: {difference.largest:.3g} {difference.unit}".rstrip()
                + f" at {difference.time:g} s"
            )
        if len(different) > most:
            lines.append(f"  and {len(different) - most} more")
        return "\n".join([*lines, *(f"not compared: {what}" for what in self.left_out)])


@takes_names
def compare_runs(first: str | Path, second: str | Path) -> Comparison:
    """Compare two runs that `stoss run --out`, or a sweep, has kept.

    Args:
        first, second: folders of the runs.

    Raises:
        UsageError: one is no run, or damaged.
    """
    paths = Path(first), Path(second)
    records = [read_record(path) for path in paths]
    outcomes = [read_outcome(path) for path in paths]
    differences, beginning, left_out = _recorded(paths)
    hashes = [one.report.get("state_hash", "") for one in outcomes]
    first_inputs, second_inputs = (_inputs(one) for one in records)
    metrics = {
        name: (value, outcomes[1].metrics[name])
        for name, value in outcomes[0].metrics.items()
        if name in outcomes[1].metrics
    }
    return Comparison(
        runs=(str(first), str(second)),
        same=hashes[0] == hashes[1] != "",
        inputs=_pairs(first_inputs, second_inputs),
        versions=_pairs(outcomes[0].versions, outcomes[1].versions),
        status=(_status(outcomes[0]), _status(outcomes[1])),
        metrics=metrics,
        steps_per_second=(_speed(outcomes[0]), _speed(outcomes[1])),
        differences=tuple(differences),
        first_time=beginning,
        left_out=tuple(left_out),
    )


def _status(outcome: Outcome) -> str:
    return f"{outcome.status} ({outcome.reason})" if outcome.reason else outcome.status


def _speed(outcome: Outcome) -> float:
    return float(outcome.report.get("steps_per_second", 0.0))


def _inputs(record: dict[str, Any]) -> dict[str, Any]:
    """Return what was run as one value by name; settings as "settings.sweeps"."""
    source = record["source"]
    name = source["name"]
    if source["kind"] != "scene":  # two of the same name may differ
        name += f" ({source['digest'][:8]})"
    settings = record.get("settings") or {}
    return {
        source["kind"]: name,
        **record["parameters"],
        "duration": record.get("duration"),
        "time_step": record.get("time_step"),
        **{f"settings.{one}": value for one, value in settings.items()},
    }


def _pairs(first: dict[str, Any], second: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the values that differ."""
    return {
        name: (first.get(name), second.get(name))
        for name in [*first, *(name for name in second if name not in first)]
        if first.get(name) != second.get(name)
    }


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)


# ------------------------------------------------------------------ what was recorded


def _recorded(paths: tuple[Path, Path]) -> tuple[list[Difference], float | None, list[str]]:
    """Return the differences of what both have recorded, when the first one is, and what is left out."""
    left_out: list[str] = []
    tracks: list[_Track] = []
    files = [path / MOTION for path in paths]
    if all(file.is_file() for file in files):
        try:
            tracks += _of_motions(load_trajectory(files[0]), load_trajectory(files[1]), left_out)
        except (ValueError, OSError) as error:
            raise UsageError(str(error)) from error
    elif any(file.is_file() for file in files):
        left_out.append(f"motions, only {next(file for file in files if file.is_file())} is there")
    files = [path / CHANNELS for path in paths]
    if all(file.is_file() for file in files):
        from stoss.engine.recording import Recording

        try:
            tracks += _of_channels(Recording.load(files[0]), Recording.load(files[1]), left_out)
        except (ValueError, OSError) as error:
            raise UsageError(str(error)) from error
    elif any(file.is_file() for file in files):
        left_out.append(f"channels, only {next(file for file in files if file.is_file())} is there")
    found = [track.largest() for track in tracks]
    beginnings = [time for track in tracks if (time := track.beginning()) is not None]
    found.sort(key=lambda one: (one.unit, -one.largest))
    return found, min(beginnings, default=None), left_out


@dataclass(frozen=True)
class _Track:
    """How far two runs are apart over time."""

    name: str
    unit: str
    times: np.ndarray
    apart: np.ndarray  # one number for each time, NaN where only one has a value

    def largest(self) -> Difference:
        if len(self.apart) == 0:
            return Difference(self.name, self.unit, 0.0, 0.0)
        at = int(np.argmax(np.where(np.isnan(self.apart), np.inf, self.apart)))
        return Difference(self.name, self.unit, float(self.apart[at]), float(self.times[at]))

    def beginning(self) -> float | None:
        different = np.flatnonzero(self.apart != 0.0)
        return float(self.times[different[0]]) if len(different) else None


def _of_motions(first: Trajectory, second: Trajectory, left_out: list[str]) -> list[_Track]:
    times, rows = _common("motions", first.times, second.times, left_out)
    for one, other in ((first, second), (second, first)):
        there = {*other.names}
        missing = [name for name in one.names if name not in there]
        if missing:
            left_out.append(f"{len(missing)} bodies that only one has, such as {missing[0]}")
    found = []
    row_in_second = {name: row for row, name in enumerate(second.names)}
    for i, name in enumerate(first.names):
        if name not in row_in_second:
            continue
        j = row_in_second[name]
        places = first.positions[rows[0], i] - second.positions[rows[1], j]
        found.append(_Track(f"{name} position", "m", times, np.sqrt((places**2).sum(axis=1))))
        turn = _angle_between(first.quaternions[rows[0], i], second.quaternions[rows[1], j])
        found.append(_Track(f"{name} orientation", "rad", times, turn))
    return found


def _of_channels(first: "Recording", second: "Recording", left_out: list[str]) -> list[_Track]:
    times, rows = _common("channels", first.time, second.time, left_out)
    for one, other in ((first, second), (second, first)):
        missing = sorted({*one.columns} - {*other.columns})
        if missing:
            left_out.append(f"{len(missing)} channels that only one has, such as {missing[0]}")
    found = []
    for name in first.columns:
        if name in second.columns:
            values, others = first[name][rows[0]], second[name][rows[1]]
            same = (values == others) | (np.isnan(values) & np.isnan(others))
            apart = np.where(same, 0.0, np.abs(values - others))
            found.append(_Track(name, first.unit(name), times, apart))
    return found


def _angle_between(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return by what angles (k,) unit quaternions (k, 4) differ [rad]; exact for small ones."""
    apart = np.minimum(np.linalg.norm(first - second, axis=1), np.linalg.norm(first + second, axis=1))
    return 4.0 * np.arcsin(np.minimum(1.0, 0.5 * apart))


def _common(
    what: str, first: np.ndarray, second: np.ndarray, left_out: list[str]
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return the times that both have, and where they are in either; nearly equal times are the same."""
    nearest = np.clip(np.searchsorted(second, first), 1, max(len(second) - 1, 1))
    nearest -= np.abs(first - second[nearest - 1]) < np.abs(
        first - second[np.minimum(nearest, len(second) - 1)]
    )
    close = np.abs(first - second[nearest]) <= 1e-9 * np.maximum(1.0, np.abs(first))
    rows = np.flatnonzero(close)
    most = max(len(first), len(second))
    if len(rows) < most:
        left_out.append(f"{most - len(rows)} samples of {what} at times that only one has")
    return first[rows], (rows, nearest[rows])
