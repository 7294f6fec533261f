"""A run on disk: a folder with what was run, its result and its log.

    run.json      what was run: source, parameters, duration, time step, settings, metrics, versions
    model.toml    the model, whole in itself (of a scene or a function run.json has the name)
    result.json   how it ended, metrics, and the report with the hash of the final state
    log.txt       what it printed and warned of

and what else was kept: the motion (motion.npz) and the recording of channels (channels.npz). The result is
written last: a folder without it is that of a run that did not end.
"""

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from stoss.declared import check_version
from stoss.errors import FileError, UsageError
from stoss.files import replaced
from stoss.scenes.experiments.plan import FORMAT
from stoss.scenes.experiments.source import Source
from stoss.scenes.experiments.work import Outcome

__all__ = [
    "LOG",
    "MODEL",
    "MOTION",
    "RESULT",
    "RUN",
    "is_run",
    "made_folder",
    "read_json",
    "read_outcome",
    "read_record",
    "write_run",
]

RUN, MODEL, RESULT, LOG, MOTION = "run.json", "model.toml", "result.json", "log.txt", "motion.npz"


def made_folder(path: Path) -> Path:
    """Make a folder with all above it.

    Raises:
        FileError: it cannot be made, or is a file.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise FileError(error.errno, f"{path}: a part of it is a file; give the name of a folder") from None
    except OSError as error:
        raise FileError(error.errno, f"the folder {path} cannot be made: {error.strerror}") from error
    return path


def write_run(folder: Path, record: dict[str, Any], source: Source, outcome: Outcome, model: Path) -> None:
    """Write a run to its folder.

    Args:
        folder: made if it is not there.
        record: what was run, see `Plan.record`.
        source: its source.
        outcome: what came of it.
        model: a file with the text of the model, to which the one in the folder is linked.

    Raises:
        FileError: it cannot be written.
    """
    made_folder(folder)
    _write(folder / RUN, _json(record))
    if source.kind == "model":
        _link(model, source, folder / MODEL)
    for name, content in outcome.files.items():
        _write(folder / name, content)
    _write(folder / LOG, outcome.log.encode())
    result = {
        "format": FORMAT,
        "status": outcome.status,
        "reason": outcome.reason,
        "metrics": outcome.metrics,
        "report": outcome.report,
        "versions": outcome.versions,
    }
    _write(folder / RESULT, _json(result))


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=1) + "\n").encode()


def _write(path: Path, content: bytes) -> None:
    """Write a file without waiting for the disk: what a loss of power takes is made anew."""
    with replaced(path, lasting=False) as file:
        file.write(content)


def _link(model: Path, source: Source, place: Path) -> None:
    """Put a model there: a link to the sweep's, a copy where the disk has no links."""
    if not model.exists():
        with replaced(model) as file:
            file.write(source.content)
    if model == place:
        return
    place.unlink(missing_ok=True)
    try:
        os.link(model, place)
    except OSError:
        with replaced(place) as target, model.open("rb") as content:
            shutil.copyfileobj(content, target)


def is_run(folder: Path) -> bool:
    """Return whether a folder is that of a run that has ended; a loss of power leaves empty files."""
    result = folder / RESULT
    return result.is_file() and result.stat().st_size > 0


def read_outcome(folder: Path) -> Outcome:
    """Read what came of a run.

    Raises:
        UsageError: it is no run, or damaged.
    """
    content = read_json(folder / RESULT)
    with suppress(KeyError, TypeError, ValueError, AttributeError):
        metrics = {str(name): float(value) for name, value in content["metrics"].items()}
        return Outcome(
            str(content["status"]), str(content["reason"]), metrics, dict(content["report"]),
            versions=dict(content["versions"]),
        )  # fmt: skip
    raise UsageError(f"{folder / RESULT} is damaged; remove the folder to make the run anew")


def read_record(folder: Path) -> dict[str, Any]:
    """Read what was run.

    Raises:
        UsageError: it is no run, or damaged.
    """
    record = read_json(folder / RUN)
    source = record.get("source")
    tables = (source, record.get("parameters"), record.get("settings") or {})
    if not all(isinstance(one, dict) for one in tables) or not {"kind", "name", "digest"} <= set(
        source or ()
    ):
        raise UsageError(f"{folder / RUN} is damaged; remove its folder to make the run anew")
    return record


def read_json(path: Path) -> dict[str, Any]:
    """Read a file of a run.

    Raises:
        UsageError: it is not there, or is damaged.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}; give the folder of a run") from error
    except ValueError as error:
        content = error
    if not isinstance(content, dict):
        raise UsageError(f"{path} is damaged; remove its folder to make the run anew")
    try:
        check_version(content.get("format"), FORMAT)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    return content
