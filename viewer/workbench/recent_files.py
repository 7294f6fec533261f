"""Files of models that were opened or saved lately, in the user's folder for settings.

{"format": 1, "files": ["/home/anna/pendulum.toml", ...]}, the latest first
"""

import json
from pathlib import Path
from typing import Any

from stoss.containers import read_json
from stoss.declared import check, check_version
from stoss.errors import FileError
from stoss.files import write_text
from stoss.viewer.workbench.saved_views import settings_folder

__all__ = ["FORMAT_VERSION", "MOST_FILES", "RecentFiles"]

FORMAT_VERSION = 1
MOST_FILES = 10
_MOST_BYTES = 100_000


class RecentFiles:
    """The list, in a file that all windows share.

    Args:
        folder: of the file; None takes that of the user.

    Attributes:
        trouble: why the list cannot be read or will not last, "" if nothing is wrong.
    """

    def __init__(self, folder: Path | None = None) -> None:
        folder = settings_folder() if folder is None else folder
        self.path = None if folder is None else folder / "recent.json"
        self.trouble = ""

    def read(self) -> list[str]:
        """Return the files that are still there, the latest first; a list that cannot be read is empty."""
        return [file for file in self._all() if Path(file).is_file()]

    def add(self, file: Path) -> None:
        """Put a file before all others. Why that was not possible is then in `trouble`."""
        if self.path is None:
            return
        files = self._all()
        if self.trouble:
            return
        name = str(file.resolve())
        files = [name, *(one for one in files if one != name)][:MOST_FILES]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self.path, json.dumps({"format": FORMAT_VERSION, "files": files}, indent=1) + "\n")
        except FileError as error:
            self.trouble = f"the list of recent files stays as it was: {error}"
        except OSError as error:
            self.trouble = f"the list of recent files stays as it was: {error.strerror or error}"

    def _all(self) -> list[str]:
        self.trouble = ""
        if self.path is None or not self.path.exists():
            return []
        try:
            found: list[str] = read_json(self.path, "no list of recent files", _files_of, _MOST_BYTES)
            return found
        except (ValueError, OSError) as error:
            self.trouble = f"{error}; files are not listed until you mend or remove it"
            return []


def _files_of(record: Any) -> list[str]:
    """Return the files that a record holds.

    Raises:
        ValueError, TypeError, KeyError: it holds none.
    """
    check("it", record, dict[str, Any])
    check_version(record["format"], FORMAT_VERSION)
    check("files", record["files"], list[str])
    files: list[str] = record["files"]
    return files
