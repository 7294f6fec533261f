"""A folder of motions, with what was recorded and what is known of each (Stelzner 2008, section 3.3)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stoss.engine import checks
from stoss.engine.motion_capture.files import load_markers
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.engine.motion_capture.motion import Motion
from stoss.names import closed, hint

__all__ = ["MotionLibrary"]


@closed
class MotionLibrary:
    """Motions in a folder, by their names: `name.npz`, and beside it `name.trc`, what it was made from.

        library = st.MotionLibrary("motions")
        library.add("walk 1", motion, data, subject="AB", speed=1.2)
        for name in library.find(subject="AB"):
            print(name, library[name], library.data(name))

    Args:
        path: of the folder; it is made when the first motion is added.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        if self._path.exists() and not self._path.is_dir():
            raise ValueError(f"{self._path}: this is a file; a library is a folder")

    def __repr__(self) -> str:
        return f"<MotionLibrary {str(self._path)!r} of {len(self)} motions>"

    @property
    def path(self) -> Path:
        """Return the folder."""
        return self._path

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all motions, sorted."""
        return tuple(sorted(file.stem for file in self._path.glob("*.npz")))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        """Return whether there is a motion of that name."""
        return name in self.names

    def add(self, name: str, motion: Motion, data: MarkerData | None = None, **about: Any) -> None:
        """Add a motion, or replace the one of that name.

        Args:
            name: of it, which will be that of its file.
            motion: the motion.
            data: the recording that it was made from.
            about: words, numbers, yes or no, that are kept beside those of the motion.

        Raises:
            TypeError, ValueError: a name that no file can have, or no motion.
        """
        file = self._file(name)
        checks.instance("motion", motion, Motion, "track_markers(articulation, data)")
        if data is not None:
            checks.instance("data", data, MarkerData, "load_markers('walk.c3d')")
        told = motion.told(**about) if about else motion
        self._path.mkdir(parents=True, exist_ok=True)
        recorded = file.with_suffix(".trc")
        if data is not None:
            data.save(recorded)
        told.save(file)
        if data is None:
            recorded.unlink(missing_ok=True)  # of the motion that was replaced

    def __getitem__(self, name: str) -> Motion:
        """Return a motion.

        Raises:
            KeyError: there is none of that name; the message names the nearest.
        """
        return Motion.load(self._there(name))

    def data(self, name: str) -> MarkerData | None:
        """Return the recording that a motion was made from, None where none was kept.

        Args:
            name: of the motion.
        """
        file = self._there(name).with_suffix(".trc")
        return load_markers(file) if file.is_file() else None

    def find(self, **about: Any) -> tuple[str, ...]:
        """Return the names of the motions of which all of this is said; a function asks for more.

            library.find(subject="AB", speed=lambda v: v > 1.0)

        Args:
            about: what must be said, by its names; or functions of it that return yes or no.
        """
        found = []
        for name in self.names:
            said = self[name].about
            if all(
                key in said and (wanted(said[key]) if callable(wanted) else said[key] == wanted)
                for key, wanted in about.items()
            ):
                found.append(name)
        return tuple(found)

    def remove(self, name: str) -> None:
        """Remove a motion with its recording.

        Args:
            name: of the motion.
        """
        file = self._there(name)
        file.unlink()
        file.with_suffix(".trc").unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        if not isinstance(name, str) or not name.strip() or name != os.path.basename(name) or name[0] == ".":
            raise ValueError(f"name = {name!r} cannot be that of a file; give a word such as 'walk 1'")
        return self._path / f"{name}.npz"

    def _there(self, name: str) -> Path:
        if name not in self.names:
            raise KeyError(f"motion {name!r} is not in {str(self._path)!r}{hint(str(name), self.names)}")
        return self._file(name)
