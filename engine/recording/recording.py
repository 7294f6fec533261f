"""A recording: columns of numbers over time, and what is known of the run that they come from."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.collision.read_only import read_only
from stoss.engine.recording.choosing import Column, Pattern, checked_names, chosen, unknown_channel
from stoss.engine.recording.columns import Block
from stoss.engine.recording.content import ColumnRecord, Content, observables_of
from stoss.engine.recording.end import snapshot_of, world_of
from stoss.engine.recording.files import load, write
from stoss.engine.recording.plotting import picture_of
from stoss.engine.recording.tables import to_pandas, to_polars
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.model import Model
    from stoss.engine.world.world import World

__all__ = ["Recording"]


@closed
class Recording:
    """Columns of numbers over time, and what is known of the run; it does not change any more.

        recording = st.Recording.load("run.npz")
        recording.time                            # (k,) [s]
        recording["joint.elbow.angle"]            # (k,)
        recording["body.box.position"]            # (k, 3), of its columns .x, .y and .z
        recording["body.box.velocity.size"]       # (k,), the length of a vector

    `Recorder.close` returns one, `load` reads one from a file.
    """

    def __init__(
        self,
        columns: Sequence[ColumnRecord],
        blocks: Sequence[Block],
        about: dict[str, Any],
        snapshot: bytes | None = None,
    ) -> None:
        self._content = Content(list(columns), list(blocks), about, snapshot)
        self._row = {name: row for row, (name, _, _) in enumerate(columns)}
        self._observables = observables_of(columns)
        self._known: dict[int, np.ndarray] = {}

    def __repr__(self) -> str:
        return (
            f"<Recording of {len(self._row)} columns, {len(self)} samples up to "
            f"{self.t_end:.6g} s, {self.status}>"
        )

    def __len__(self) -> int:
        return sum(len(block.times) for block in self._content.blocks)

    # ------------------------------------------------------------- its columns

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of what was observed; vectors have several columns."""
        return tuple(one.name for one in self._observables)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(self._row)

    @property
    def time(self) -> np.ndarray:
        """Times of the samples (k,) [s]."""
        if -1 not in self._known:
            self._known[-1] = self._content.time
        return read_only(self._known[-1])

    def __getitem__(self, channel: str) -> np.ndarray:
        """Return a column (k,), or of a vector all of its columns (k, n), or their length: "NAME.size".

        Raises:
            KeyError: there is none; the message offers the nearest.
        """
        found = self._find([channel])
        values = [self._values(column) for column in found]
        single = len(found) == 1 and found[0].name == channel
        return read_only(values[0] if single else np.stack(values, axis=1))

    def __contains__(self, channel: object) -> bool:
        return (
            isinstance(channel, str)
            and "*" not in channel
            and bool(chosen([Pattern(channel)], self._observables))
        )

    def unit(self, channel: str) -> str:
        """Return the unit of a channel or column, "" for plain numbers.

        Args:
            channel: its name.
        """
        return self._find([channel])[0].observable.unit

    def select(self, *channels: str) -> dict[str, np.ndarray]:
        """Return columns (k,) by name: of channels, columns and patterns such as "energy.*".

        Args:
            channels: what is wanted, in this order.

        Raises:
            KeyError: there is no such one.
        """
        names = checked_names("channels", channels)
        return {column.name: read_only(self._values(column)) for column in self._find(names)}

    def _find(self, channels: Iterable[str]) -> list[Column]:
        found: dict[str, Column] = {}
        for text in channels:
            if not isinstance(text, str):
                raise TypeError(f'channel = {shown(text)} must be a text, such as "energy.total"')
            own = chosen([Pattern(text)], self._observables)
            if not own:
                raise KeyError(unknown_channel(text, (*self.channels, *self.columns), "the recording"))
            found |= {column.name: column for column in own}
        return list(found.values())

    def _values(self, column: Column) -> np.ndarray:
        if column.component < 0:
            own = [self._column(self._row[name]) for name in column.observable.columns]
            return np.sqrt(sum(one * one for one in own))
        return self._column(self._row[column.name])

    def _column(self, row: int) -> np.ndarray:
        if row not in self._known:
            self._known[row] = self._content.column(row)
        return self._known[row]

    # ------------------------------------------------------------- the run

    @property
    def about(self) -> dict[str, Any]:
        """What is known of the run: version, settings, parameters, seed and so on; plain values."""
        return dict(self._content.about)

    @property
    def status(self) -> str:
        """How the run ended: "finished", "diverged", "non-finite", "tolerance", "stopped" or "interrupted".

        "running" while it goes on. `reason` says more.
        """
        return str(self._content.about.get("status", "interrupted"))

    @property
    def reason(self) -> str:
        """Why it ended like that, in a sentence, "" where it came to its end."""
        return str(self._content.about.get("reason", ""))

    @property
    def t_end(self) -> float:
        """World time at its end [s]."""
        return self._content.t_end

    @property
    def title(self) -> str:
        """What the run is called, "" where nobody has said."""
        return str(self._content.about.get("title", ""))

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the run."""
        return dict(self._content.about.get("parameters", {}))

    def model(self) -> "Model":
        """Return the model of the world as it was at the beginning.

        Raises:
            ValueError: none was kept.
        """
        from stoss.engine.model import Model

        text = self._content.about.get("model")
        if not isinstance(text, str):
            reason = self._content.about.get("model_left_out") or "the recorder was told model=False"
            raise ValueError(f"the recording keeps no model: {reason}")
        return Model.loads(text, "json")

    def world(self) -> "World":
        """Return a new world that is as the recorded one was at the end, and goes on to the same bits.

        Callbacks, controllers and functions are not there; `restore` takes a world that has them.

        Raises:
            ValueError: the end was not kept, since the run was interrupted.
        """
        return world_of(snapshot_of(self._end()))

    def restore(self, world: "World") -> None:
        """Return a world of one's own to the end of the recording: one that has what no file holds.

        Args:
            world: of the same bodies and joints, built as it was for the run, with its loads and controllers.

        Raises:
            ValueError: the end was not kept.
        """
        world.restore(snapshot_of(self._end()))

    def _end(self) -> bytes:
        """Return the snapshot of the world at the end.

        Raises:
            ValueError: there is none.
        """
        content = self._content
        if content.snapshot is None:
            reason = content.about.get("no_snapshot") or "its run was interrupted, or told snapshot=False"
            raise ValueError(
                f"the recording does not hold the end of its run: {reason}; model() is how it began"
            )
        return content.snapshot

    # ------------------------------------------------------------- files and tables

    @classmethod
    def load(
        cls, path: "str | Path", channels: Sequence[str] | None = None, *, most_bytes: int = 1 << 32
    ) -> "Recording":
        """Read a recording, also one whose run was killed: all up to its last moments is there.

        Args:
            path: the file, .npz.
            channels: names and patterns of what is wanted; None: all.
            most_bytes: how much memory it may need.

        Raises:
            ValueError: the file is no recording, is damaged or of a later version, or lacks a channel.
            OSError: it cannot be read.
        """
        names = None if channels is None else checked_names("channels", channels)
        return cls(*load(path, names, most_bytes))

    def write(self, path: "str | Path") -> None:
        """Write it to a file: .npz (all of it), .csv, or .parquet (columns with their units).

        Args:
            path: the file; one that is there is replaced when the new one is complete.

        Raises:
            ValueError: another ending; or pyarrow, which Parquet needs, is not installed.
            FileError: the file cannot be written; an older one is as it was.
        """
        write(self._content, path)

    def to_pandas(self) -> Any:
        """Return a DataFrame of pandas: a column for each, the index is the time [s].

        Raises:
            ValueError: pandas is not installed.
        """
        return to_pandas(self._content)

    def to_polars(self) -> Any:
        """Return a DataFrame of polars: "time" [s], and a column for each.

        Raises:
            ValueError: polars is not installed.
        """
        return to_polars(self._content)

    def plot(
        self,
        *channels: str,
        out: "str | Path | None" = None,
        phase: bool = False,
        histogram: bool = False,
        title: str | None = None,
        others: "Mapping[str, Recording] | None" = None,
    ) -> Any:
        """Return a figure of matplotlib: curves over time, a panel for each unit; or write it to a file.

        Args:
            channels: names and patterns; none: all that were recorded.
            out: .png, .svg or .pdf, to which the picture is written.
            phase: phase portraits instead: channels are pairs, x and y.
            histogram: how often values occur instead; without channels those of all normal forces.
            title: of the picture.
            others: more runs in the same picture, by what they are called; this one is called by its title.

        Raises:
            KeyError: there is no such channel; the message offers the nearest.
            ValueError: matplotlib is not installed, nothing or too much is to be drawn, or another ending.
            FileError: the file cannot be written.
        """
        for name, one in (others or {}).items():
            if not isinstance(one, Recording):
                raise TypeError(f"others[{name!r}] = {shown(one)} must be a Recording")
        runs = {self.title or "this": self} | dict(others or {})
        return picture_of(runs, channels, out=out, phase=phase, histogram=histogram, title=title)
