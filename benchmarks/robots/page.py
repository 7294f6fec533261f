"""The survey as a page: a table of the wheels, one of the robots, and why files were not loaded."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from stoss.benchmarks.robots.survey import Row

__all__ = ["page"]

_MANY = 50  # files of one folder above which they are one line


_INERTIAS = (
    "**Inertias that no body can have** are in some files: a moment of zero or below, or one above the",
    "sum of the other two. Pinocchio calculates with them as they are. MuJoCo refuses such a file, unless",
    'it says `<compiler balanceinertia="true">`: then the mean of the three moments stands for each of',
    "them. PyBullet takes the inertias of collision shapes, of all links; told to take those of the file,",
    "it sets such a one to zero. Here such a link, and no other one, gets the inertia of its collision",
    "shapes at the same mass and centre, or that of a ball of water, and `model.left_out` tells so. These",
    "robots are marked, with the miss from what Pinocchio makes of the inertias as they are. Given those",
    "that replace them, Pinocchio agrees as elsewhere: that is the miss in the column *accelerations*.",
)


def page(rows: Mapping[str, Sequence[Row]], folders: Mapping[str, str]) -> str:
    """Return the page.

    Args:
        rows: by the wheel or folder.
        folders: of the wheels.
    """
    lines = [
        "# Robots of four wheels",
        "",
        "`python -m stoss.benchmarks.robots --wheels --json rows.json --page docs/robots.md` loads the URDF",
        'and MJCF files of the wheels that are installed, with `missing="skip"`, and runs what it loads for',
        f"{_span(rows, 'duration')} s beside PyBullet (URDF, steps of 1/240 s) or MuJoCo (MJCF, steps of the",
        f"file). *Accelerations*: by how much those of the first step in {_span(rows, 'poses')} random poses",
        "miss those of Pinocchio or MuJoCo, relative to the largest of each, bases fixed.",
        "*Joint error*: the most by which a joint missed what it holds [m or rad]. Steps are per second of",
        "processor time, while other programs kept the machine busy. *Left out*: lines of `model.left_out`.",
        "Where next to nothing moves, as with racecar (6e-4 rad/s^2), rounding of a step shows beside it;",
        "`Articulation.forward_dynamics` of the same model misses by 2e-9 there.",
        "",
        *_INERTIAS,
        "",
        "| files | loaded | joint error max | accelerations, largest miss | steps/s, median | beside |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, own in rows.items():
        loaded = [row for row in own if not row.why_not and row.bodies + row.joints]
        errors = [row.joint_error for row in loaded if row.joint_error is not None]
        misses = [row.accelerations for row in loaded if row.accelerations is not None]
        speeds = [row.steps_per_second for row in loaded if row.steps_per_second]
        peers = [row.peer_speed for row in loaded if row.peer_speed]
        lines.append(
            f"| {name} | {sum(not row.why_not for row in own)} of {len(own)} | "
            f"{_power(max(errors, default=None))} | {_power(max(misses, default=None))} | "
            f"{_median(speeds)} | {_median(peers)} |"
        )
    lines += ["", *_loading(rows)]
    for name, own in rows.items():
        lines += ["", f"### {name}", "", *_table(own, Path(folders[name]))]
    return "\n".join([*lines, ""])


def _loading(rows: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return how long the robot with most degrees of freedom takes to load, and what takes longest."""
    own = [row for group in rows.values() for row in group if row.load_time > 0.0]
    if not own:
        return []
    largest = max(own, key=lambda row: row.degrees_of_freedom)
    slowest = max(own, key=lambda row: row.load_time)
    return [
        f"The largest robot, {_named(largest)} with {largest.degrees_of_freedom} degrees of freedom, is",
        f"read and built in {largest.load_time:.1f} s of processor time, with the hulls of its meshes; what",
        f"takes longest is {_named(slowest)} with {slowest.load_time:.1f} s.",
    ]


def _named(row: Row) -> str:
    return f"`{Path(row.path).name}`"


def _span(rows: Mapping[str, Sequence[Row]], name: str) -> str:
    """Return the smallest and the largest value of a field."""
    values = sorted({getattr(row, name) for own in rows.values() for row in own})
    return " to ".join(f"{value:g}" for value in dict.fromkeys((values[0], values[-1]))) if values else ""


def _table(rows: Sequence[Row], folder: Path) -> list[str]:
    """Return the table of one wheel; many of one kind are one line, and so are those of one reason."""
    places = Counter(Path(row.path).parents[1] for row in rows)
    many = {place for place, count in places.items() if count > _MANY and place != folder}
    lines = [
        "| file | degrees of freedom | left out | accelerations | steps/s | beside | joint error | |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    reasons: dict[str, list[str]] = {}
    for row in rows:
        name = str(Path(row.path).relative_to(folder))
        if Path(row.path).parents[1] in many:
            continue
        if row.why_not:
            reasons.setdefault(_reason(row, folder), []).append(name)
            continue
        speeds = f"{_count(row.steps_per_second)} | {_count(row.peer_speed)}"
        lines.append(
            f"| {name} | {row.degrees_of_freedom} | {len(row.left_out)} | {_power(row.accelerations)} | "
            f"{speeds} | {_power(row.joint_error)} | {row.end or _mended(row)} |"
        )
    for place in sorted(many):
        own = [row for row in rows if Path(row.path).parents[1] == place]
        told = Counter(_reason(row, folder) if row.why_not else "loaded" for row in own)
        what = "; ".join(f"{count} {reason}" for reason, count in told.items())
        lines.append(f"| {place.relative_to(folder)}/*: {len(own)} files | | | | | | | {what} |")
    for reason, names in reasons.items():
        lines.append(f"| {', '.join(names)} | | | | | | | not loaded: {reason} |")
    return lines


def _mended(row: Row) -> str:
    """Return whether inertias were replaced, and what the judge makes of them as they are."""
    count = sum("moments of inertia" in line for line in row.left_out)
    miss = "" if row.as_given is None else f"; as they are {_power(row.as_given)}"
    return f"{count} inertias replaced{miss}" if count else ""


def _reason(row: Row, folder: Path) -> str:
    """Return why a file was not loaded, without where it is."""
    told = row.why_not.replace(row.path, "").replace(f"{folder}/", "").lstrip(":0123456789 ")
    return told.replace("|", "/")[:160]


def _power(value: float | None) -> str:
    return "" if value is None else "0" if value == 0.0 else f"{value:.0e}"


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _median(values: Sequence[float]) -> str:
    return _count(float(np.median(values))) if values else ""
