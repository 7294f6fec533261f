"""What `stoss run` records: from its options, or from the file of a model that says so."""

import argparse
import sys
from pathlib import Path

from stoss.command_line.inputs import check_writable
from stoss.engine import World
from stoss.engine.recording import Recorder
from stoss.errors import FileError, UsageError

__all__ = ["Channels"]

_USUAL = ("energy.*",)


class Channels:
    """Record channels while a world runs, if that is asked for.

    Args:
        options: of the command.
        usual: file where nothing is said of one; None: that of a model, if it says what is recorded.

    Raises:
        UsageError: a file that cannot be written, or channels without one.
    """

    def __init__(self, options: argparse.Namespace, usual: str | None = None) -> None:
        scene = options.scene
        self._file, self._channels = options.record or usual, options.channels
        self._by_model = self._file is None and scene.channels is not None
        if self._by_model and self._channels is None:
            self._file = str(Path(scene.name).with_suffix(".npz").name)
            if self._file == options.save:
                self._file = f"{Path(self._file).stem}-channels.npz"
        elif self._file is None and self._channels:
            raise UsageError("--channels: say where to: --record run.npz")
        if self._file is not None:
            if self._file == options.save:
                raise UsageError(f"--record: {self._file} is the file of --save; give another name")
            check_writable("--record", self._file, ".npz")
        self._options = options
        self._recorder: Recorder | None = None
        self.saved: str | None = None
        self.trouble: FileError | None = None

    def begin(self, world: World) -> None:
        """Record a world from now on.

        Raises:
            UsageError: there is no such channel.
        """
        if self._file is None:
            return
        options, scene = self._options, self._options.scene
        every = scene.every if options.every is None else options.every.in_seconds(world.time_step)
        if options.every is None and every is not None and every < world.time_step:
            every = None  # steps are longer than those that the model was made for: each is recorded
        try:
            self._recorder = Recorder(
                world,
                self._channels or (scene.channels(world) if scene.channels else _USUAL),
                every=every,
                file=self._file,
                parameters=options.parameters,
                title=Path(scene.name).stem,
            )
        except (ValueError, TypeError) as error:
            raise UsageError(f"--channels: {error}") from error

    def end(self, error: BaseException | None) -> None:
        """Make the file whole.

        Args:
            error: that ended the run.
        """
        if self._recorder is None:
            return
        try:
            self._recorder.close(error)
            self.saved = self._file
        except FileError as trouble:
            self.trouble = trouble

    def tell(self) -> None:
        """Say where it is."""
        if self.saved is None or self._recorder is None:
            return
        why = ", as the model says," if self._by_model else ""
        count = len(self._recorder.columns)
        print(f"recording of {count} columns{why} written to {self.saved}", file=sys.stderr)
