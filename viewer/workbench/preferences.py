"""What a user has set once for all windows, in a small file: {"format": 1, "text_size": 1.3}."""

import errno
import json
from pathlib import Path
from typing import Any

from stoss.containers import read_json
from stoss.declared import check, check_version
from stoss.errors import FileError
from stoss.files import write_text
from stoss.viewer.workbench.saved_views import settings_folder

__all__ = ["FORMAT_VERSION", "LARGEST_TEXT", "SMALLEST_TEXT", "read_text_size", "write_text_size"]

FORMAT_VERSION = 1
SMALLEST_TEXT, LARGEST_TEXT = 0.5, 4.0
_MOST_BYTES = 10_000


def read_text_size(folder: Path | None = None) -> float:
    """Return the size of text that was chosen, 1 if none was.

    Args:
        folder: of the file; None takes the user's folder for settings.

    Raises:
        ValueError, OSError: the file is damaged, or cannot be read.
    """
    path = _path(folder)
    if path is None or not path.exists():
        return 1.0
    size: float = read_json(path, "no settings of the window", _size_of, _MOST_BYTES)
    return size


def write_text_size(size: float, folder: Path | None = None) -> None:
    """Keep the size of text for the windows to come.

    Raises:
        FileError: there is no folder for settings, or it cannot be written.
    """
    path = _path(folder)
    if path is None:
        raise FileError(errno.ENOENT, "there is no home to keep the size of text in; set STOSS_CONFIG_DIR")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(error.errno, f"{path.parent} cannot be made ({error.strerror or error})") from error
    write_text(path, json.dumps({"format": FORMAT_VERSION, "text_size": size}) + "\n")


def _path(folder: Path | None) -> Path | None:
    folder = settings_folder() if folder is None else folder
    return None if folder is None else folder / "window.json"


def _size_of(record: Any) -> float:
    """Return the size that a record holds.

    Raises:
        ValueError, TypeError, KeyError: it holds none.
    """
    check("it", record, dict[str, Any])
    check_version(record["format"], FORMAT_VERSION)
    check("text_size", record["text_size"], float)
    size = float(record["text_size"])
    if not SMALLEST_TEXT <= size <= LARGEST_TEXT:
        raise ValueError(f"text_size is {size}, not within {SMALLEST_TEXT} to {LARGEST_TEXT}")
    return size
