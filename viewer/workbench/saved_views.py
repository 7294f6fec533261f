"""Views of the camera that last: a small file in the user's folder for settings.

    {"format": 1, "views": {"crane": {"view 1": {"target": ..., "distance": ..., ...}}}}

A view belongs to a scene, or to the title of a window that a script opened. A file that cannot be read is
left as it is: the views of that window last as long as the window.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from stoss.containers import read_json
from stoss.declared import check, check_version
from stoss.errors import FileError
from stoss.files import write_text
from stoss.viewer.drawing.camera import Camera

__all__ = ["FORMAT_VERSION", "SavedViews", "View", "settings_folder"]

FORMAT_VERSION = 1
_MOST_BYTES = 1_000_000  # of the file: some thousands of views

View = dict[str, Any]  # of `Camera.view`


def settings_folder() -> Path | None:
    """Return the user's folder for settings of stoss, whether it is there or not; None without a home."""
    told = os.environ.get("STOSS_CONFIG_DIR")
    if told:
        return Path(os.path.abspath(told))
    if sys.platform == "win32":
        home = os.environ.get("APPDATA", "")
    else:
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(home, "stoss") if os.path.isabs(home) else None


class SavedViews:
    """The views of one scene, in the file that all share.

    Args:
        place: the scene, or what else they belong to.
        folder: of the file; None takes that of the user.

    Attributes:
        trouble: why views cannot be read or will not last, "" if nothing is wrong.
    """

    def __init__(self, place: str, folder: Path | None = None) -> None:
        folder = settings_folder() if folder is None else folder
        self.place = place
        self.path = None if folder is None else folder / "views.json"
        self.trouble = ""

    def read(self) -> dict[str, View]:
        """Return the views by name; none, and the reason in `trouble`, where the file cannot be read."""
        return self._all().get(self.place, {})

    def write(self, views: dict[str, View]) -> None:
        """Replace the views of the scene; others stay. Why that was not possible is then in `trouble`."""
        if self.path is None:
            self.trouble = "views end with this window: there is no home; set STOSS_CONFIG_DIR"
            return
        everything = self._all()
        if self.trouble:
            return
        everything[self.place] = views
        kept = {place: named for place, named in everything.items() if named}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self.path, json.dumps({"format": FORMAT_VERSION, "views": kept}, indent=1) + "\n")
        except FileError as error:
            self.trouble = f"views end with this window: {error}"
        except OSError as error:
            told = error.strerror or str(error)
            self.trouble = f"views end with this window: {self.path.parent} cannot be made ({told})"

    def _all(self) -> dict[str, dict[str, View]]:
        self.trouble = ""
        if self.path is None or not self.path.exists():
            return {}
        try:
            found: dict[str, dict[str, View]] = read_json(self.path, "no saved views", _views_of, _MOST_BYTES)
            return found
        except (ValueError, OSError) as error:
            self.trouble = f"{error}; views end with this window, until you mend or remove the file"
            return {}


def _views_of(record: Any) -> dict[str, dict[str, View]]:
    """Return the views that a record holds.

    Raises:
        ValueError, TypeError, KeyError: something in it is no view.
    """
    check("it", record, dict[str, Any])
    check_version(record["format"], FORMAT_VERSION)
    check("views", record["views"], dict[str, dict[str, dict[str, Any]]])
    for named in record["views"].values():
        for view in named.values():
            Camera().set_view(view)
    views: dict[str, dict[str, View]] = record["views"]
    return views
