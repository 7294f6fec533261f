"""The folder of `stoss run --out`: what was run, its report, its motion, and what it printed."""

import argparse
import contextlib
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from stoss.engine import Settings
from stoss.engine.recording.running import Ending
from stoss.errors import FileError, UsageError
from stoss.scenes.experiments.run_folder import MODEL, MOTION, RESULT, RUN, made_folder, write_run
from stoss.scenes.experiments.source import source_of
from stoss.scenes.experiments.sweeps import made_plan
from stoss.scenes.experiments.work import CHANNELS, Outcome
from stoss.scenes.running.trajectory import Recorder

__all__ = ["KeptRun"]


class KeptRun:
    """A run that is kept in a folder.

    Args:
        options: of `stoss run`.
        settings: of the engine.

    Raises:
        UsageError: the folder holds something else than a run.
        FileError: it cannot be made.
    """

    def __init__(self, options: argparse.Namespace, settings: Settings) -> None:
        self._folder = Path(options.out)
        if self._folder.is_dir() and any(self._folder.iterdir()) and not (self._folder / RUN).is_file():
            raise UsageError(f"--out: {self._folder} holds other things than a run; name another folder")
        made_folder(self._folder)
        # until it is written anew, the folder is not that of a run
        for name in (RESULT, CHANNELS):
            (self._folder / name).unlink(missing_ok=True)
        self._plan = made_plan(
            source_of(options.scene.name),
            parameters=options.parameters,
            duration=options.duration,
            time_step=options.time_step,
            settings=settings,
        )
        self._log = _Log()

    @property
    def channels(self) -> str:
        """Return the file of the recording."""
        return str(self._folder / CHANNELS)

    def heard(self) -> contextlib.AbstractContextManager[None]:
        """Keep what is printed and warned of within the block, besides telling it."""
        return self._log.heard()

    def written(
        self, report: dict[str, Any], error: BaseException | None, motion: Recorder
    ) -> FileError | KeyboardInterrupt | None:
        """Write all that belongs to the run, and return why it could not be written.

        Args:
            report: see `run_report`.
            error: that ended it.
            motion: of the bodies.
        """
        ending = Ending("finished", "") if error is None else Ending.of(error)
        outcome = Outcome(ending.status, ending.reason, report=report, log=self._log.text(ending))
        folder, record = self._folder, self._plan.record({})
        try:
            motion.write(folder / MOTION)
            write_run(folder, record, self._plan.source, outcome, model=folder / MODEL)
        except (FileError, KeyboardInterrupt) as trouble:  # the report of the run is told all the same
            return trouble
        return None


class _Log:
    """What a run prints and warns of."""

    def __init__(self) -> None:
        self._lines = [f"{_now()} begun\n"]

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        with warnings.catch_warnings(), contextlib.redirect_stdout(_Both(sys.stdout, self._lines)):
            told = warnings.showwarning

            def tell(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
                self._lines.append(warnings.formatwarning(message, category, filename, lineno))
                told(message, category, filename, lineno, *rest)

            warnings.showwarning = tell  # type: ignore[assignment]
            yield

    def text(self, ending: Ending) -> str:
        """Return the log of a run that has ended."""
        reason = f": {ending.reason}" if ending.reason else ""
        return "".join([*self._lines, f"{_now()} {ending.status}{reason}\n"])


class _Both:
    """A stream whose lines are kept as well."""

    def __init__(self, stream: TextIO, lines: list[str]) -> None:
        self._stream, self._lines = stream, lines

    def write(self, text: str) -> int:
        self._lines.append(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S")
