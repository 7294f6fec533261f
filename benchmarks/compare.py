"""Tables of benchmark figures, alone or beside those of an earlier result file."""

import math
from pathlib import Path
from typing import Any

from stoss.benchmarks.measure import FORMAT_VERSION
from stoss.benchmarks.tables import format_cells
from stoss.containers import read_json
from stoss.declared import check, check_version

__all__ = ["comparison", "format_table", "read_results"]

# What must agree for two runs to be the same motion on the same machine.
_SAME_RUN = ("scene", "parameters", "steps", "time_step")


def read_results(path: str | Path) -> dict[str, Any]:
    """Read a file that `stoss bench --json` wrote.

    Raises:
        ValueError: not such a file, or of a later format.
        OSError: the file cannot be read.
    """
    read: dict[str, Any] = read_json(path, "no result file of stoss bench --json", _checked)
    return read


def _checked(content: Any) -> dict[str, Any]:
    """Return the content of a result file if it holds what is compared.

    Raises:
        ValueError: it does not.
    """
    check("it", content, dict[str, Any])
    check_version(content["format"], FORMAT_VERSION)
    check("settings", content["settings"], dict[str, Any])
    check("results", content["results"], list[dict[str, Any]])
    for result in content["results"]:
        check("name", result["name"], str)
        check("state_hash", result["state_hash"], str)
        check("steps", result["steps"], int)
        check("parameters", result["parameters"], dict[str, Any])
        for name in ("steps_per_second", "time_step"):
            check(name, result[name], float)
            if not 0.0 < result[name] < math.inf:
                raise ValueError(f"{name} is {result[name]}, not above zero")
        check("scene", result["scene"], str)
    return content


def comparison(
    result: dict[str, Any], settings: dict[str, Any], earlier: dict[str, Any]
) -> tuple[float | None, str]:
    """Compare one result with an earlier file.

    Args:
        result: figures of a preset.
        settings: settings of the engine with which they were measured.
        earlier: content of the earlier file.

    Returns:
        The ratio of speeds (above 1: faster now; None when nothing compares) and a word on the state:
        "same", "CHANGED" (same run, other bits), "other run" (steps, parameters or settings differ) or
        "new" (the earlier file does not have it).
    """
    matches = [old for old in earlier["results"] if old["name"] == result["name"]]
    if not matches:
        return None, "new"
    old = matches[0]
    ratio = result["steps_per_second"] / old["steps_per_second"]
    if settings != earlier["settings"] or any(result[name] != old[name] for name in _SAME_RUN):
        return ratio, "other run"
    return ratio, "same" if result["state_hash"] == old["state_hash"] else "CHANGED"


def format_table(
    results: list[dict[str, Any]], settings: dict[str, Any], earlier: dict[str, Any] | None = None
) -> str:
    """Return the table of figures, one line per scene.

    Args:
        results: figures of the presets.
        settings: settings of the engine with which they were measured.
        earlier: content of an earlier file to compare with.
    """
    stages = list(dict.fromkeys(stage for result in results for stage in result["stage_milliseconds"]))
    header = ["scene", "bodies", "contacts", "steps/s", "worst ms", *(f"{stage} ms" for stage in stages)]
    header += ["compile s", "overlap mm", "state"]
    if earlier is not None:
        header += ["ratio", "against"]
    rows = [header]
    for result in results:
        row = [
            result["name"],
            str(result["bodies"]),
            str(result["contacts"]),
            f"{result['steps_per_second']:.0f}",
            f"{1e3 * result['worst_step_seconds']:.2f}",
            *(f"{result['stage_milliseconds'].get(stage, 0.0):.3f}" for stage in stages),
            f"{result['compile_seconds']:.1f}",
            f"{1e3 * result['largest_overlap']:.3g}",
            result["state_hash"][:12] if result["reproducible"] else "NOT THE SAME",
        ]
        if earlier is not None:
            ratio, word = comparison(result, settings, earlier)
            row += ["-" if ratio is None else f"{ratio:.2f}", word]
        rows.append(row)
    return format_cells(rows)
