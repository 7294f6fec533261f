"""Record channels of a world while it runs."""

import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.engine import checks
from stoss.engine.recording.about import about_run
from stoss.engine.recording.choosing import checked_names
from stoss.engine.recording.columns import Block
from stoss.engine.recording.end import snapshot_bytes
from stoss.engine.recording.files import load
from stoss.engine.recording.observer import Functions, Observer
from stoss.engine.recording.recording import Recording
from stoss.engine.recording.running import Ending, Limits, run
from stoss.engine.recording.stream import Stream
from stoss.engine.world.world import World
from stoss.errors import FileError
from stoss.files import check_place
from stoss.names import closed

__all__ = ["Recorder"]

_SLACK = 1e-6  # of a step: sums of steps are not exact


@closed
class Recorder:
    """Record channels of a world: numbers with names and units, after every step or less often.

        with st.Recorder(world, ["energy.*", "joint.elbow.angle"], every=0.01, file="run.npz"):
            world.step(1000)

    The present state is the first sample. Forces are means over the last step before a sample. When the world
    goes back (`World.restore`), samples of the future that it left are dropped at the next one. A copy of the
    world has a copy of the recorder, which keeps to memory. A step that raises leaves no sample.

    Args:
        world: what is recorded. The recorder is among `World.after_step` until `close`.
        channels: names and patterns with `*`; "*" is all that there is, `stoss.observables` lists it. Bodies,
            joints and contacts that come later and fit are recorded from then on.
        every: time between two samples [s]; None: every step.
        functions: numbers of your own, by name and unit: {"reach [m]": f}, f(world) returns one or a row.
        file: .npz; samples are in it within a second, whatever happens to the process. What is there is
            replaced.
        parameters: of the run, kept beside the data: plain values.
        seed: of the run's random numbers, kept too.
        model: whether the model of the world (`Model.of`) is kept, where the world can be described.
        snapshot: whether the state at the end is kept, from which the run can be continued.
        title: what the run is called, in plots for instance.

    Raises:
        ValueError: there is no such channel (the nearest are named), or a value that makes no sense.
        FileError: the file cannot be written.
    """

    def __init__(
        self,
        world: World,
        channels: "str | Sequence[str]" = "*",
        *,
        every: float | None = None,
        functions: Functions | None = None,
        file: "str | Path | None" = None,
        parameters: Mapping[str, Any] | None = None,
        seed: int | None = None,
        model: bool = True,
        snapshot: bool = True,
        title: str | None = None,
    ) -> None:
        if not isinstance(world, World):
            raise TypeError(f"world = {shown(world)} must be a World")
        self._world = world
        self._channels = checked_names("channels", channels)
        self._every = _checked_every(every, world.time_step)
        self._functions = dict(functions or {})
        self._file = None if file is None else check_place(file, (".npz",))
        self._snapshot = checks.flag("snapshot", snapshot)
        self._observer: Observer | None = Observer(world, self._channels, self._functions)
        keeps_model = checks.flag("model", model)
        self._about = about_run(world, self._channels, self._every, parameters, seed, keeps_model)
        if title is not None:
            self._about["title"] = checks.text("title", title)
        self._begin(Stream(self._file, self._about), float(world.time))
        self._take(self._now)

    def _begin(self, stream: Stream, origin: float) -> None:
        """Take samples into a stream, on a grid that begins at a time [s]."""
        self._stream = stream
        self._origin, self._now = origin, float(self._world.time)
        self._taken = self._number(self._now)
        self._closed: Recording | None = None
        # what is not in the file yet is written when the recorder goes without `close`
        self._flushed = weakref.finalize(self, stream.flush)
        self._world.after_step.append(self._after_step)

    def _number(self, time: float) -> int:
        """Return the number of the last sample that is due up to a time [s]."""
        if self._every is None:
            return 0
        return int((time - self._origin + _SLACK * self._world.time_step) // self._every)

    def __repr__(self) -> str:
        state = "closed" if self._closed is not None else f"up to {self._now:.6g} s"
        return f"<Recorder of {len(self._stream.columns)} columns, {state}>"

    # ------------------------------------------------------------- taking samples

    @property
    def world(self) -> World:
        """Return the world that is recorded."""
        return self._world

    @property
    def channels(self) -> tuple[str, ...]:
        """Return the names and patterns of what is recorded."""
        return self._channels

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns that there are at present."""
        return tuple(name for name, _, _ in self._stream.columns)

    def sample(self) -> None:
        """Take a sample of the present state, out of turn; of a moment that has one already, in its place.

        Raises:
            RuntimeError: it is closed.
        """
        self._refuse_closed()
        now = float(self._world.time)
        if now <= self._last:
            self._stream.forget_after(float(np.nextafter(now, -np.inf)))
        self._now = now
        self._take(now)

    def _take(self, now: float) -> None:
        if self._observer is None:
            self._observer = Observer(self._world, self._channels, self._functions, self._stream.columns)
        values = self._observer.read()
        new = self._observer.columns[len(self._stream.columns) :]
        self._stream.meet([(c.name, c.observable.unit, c.observable.missing) for c in new])
        self._stream.append(now, values)
        self._last = now

    def _after_step(self, world: World) -> None:
        """Take a sample if one is due."""
        now, step = world.time, world.time_step
        if now <= self._now + _SLACK * step:  # it was restored to an earlier state
            self._stream.forget_after(now - 0.5 * step)
            self._taken = self._number(now - 0.5 * step)
        self._now = now
        number = self._number(now)
        if self._every is None or number > self._taken:
            self._taken = number
            self._take(now)

    def run(self, duration: float, *, limits: Mapping[str, float] | None = None) -> str:
        """Advance the world, and return how that ended; `Recording.reason` says more.

        Args:
            duration: simulated time [s].
            limits: largest sizes that channels may have, {"joint.elbow.torque": 500.0}: beyond, the run
                ends as "diverged", or as "tolerance" where the channel is an error of joints or an overlap.

        Returns:
            "finished"; "diverged": a body ran away, or a limit was exceeded; "non-finite"; "tolerance".

        Raises:
            ValueError: there is no such channel.
        """
        self._refuse_closed()
        time = checks.number("duration", duration, "s", above=0.0)
        ending = run(self._world, time, Limits(self._world, limits))
        self._note(ending)
        return ending.status

    def _note(self, ending: Ending) -> None:
        self._about |= {"status": ending.status, "reason": ending.reason, "t_end": float(self._world.time)}

    # ------------------------------------------------------------- what there is

    @property
    def recording(self) -> Recording:
        """Return what was recorded up to now."""
        if self._closed is not None:
            return self._closed
        return Recording(self._stream.columns, self._stream.blocks, self._about | {"status": "running"})

    def flush(self) -> None:
        """Write to the file what is not in it yet."""
        self._stream.flush()

    def close(self, error: BaseException | None = None) -> Recording:
        """End it, make the file whole, and return what was recorded; more calls change nothing.

        Args:
            error: that ended the run: it says the status, where `run` has not.

        Raises:
            FileError: the file could not be written; what was recorded is still here, as `recording`.
        """
        if self._closed is None:
            self._close(Ending("finished", "") if error is None else Ending.of(error))
        assert self._closed is not None
        return self._closed

    def _close(self, ending: Ending) -> None:
        world, stream = self._world, self._stream
        if self._after_step in world.after_step:
            world.after_step.remove(self._after_step)
        if "status" not in self._about:
            self._note(ending)
        snapshot = None
        if self._snapshot:
            try:
                snapshot = snapshot_bytes(world)
            except (TypeError, ValueError, FileError) as error:
                self._about["no_snapshot"] = str(error)
        end = {name: self._about[name] for name in ("status", "reason", "t_end")}
        stream.finish(end, snapshot)
        self._flushed.detach()
        self._closed = Recording(stream.columns, stream.blocks, self._about, snapshot)
        if self._file is None:
            return
        if stream.trouble is not None:
            raise stream.trouble
        self._closed.write(self._file)

    def _refuse_closed(self) -> None:
        if self._closed is not None:
            raise RuntimeError("the recorder is closed; make a new one, or Recorder.resume(file)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close(error)

    # ------------------------------------------------------------- going on

    @classmethod
    def resume(
        cls, file: "str | Path", *, world: World | None = None, functions: Functions | None = None
    ) -> "Recorder":
        """Go on with a saved recording, in the same file; `world` is its world, as it was at the end.

        Args:
            file: .npz of a recording that was closed.
            world: one with the loads, controllers and callbacks of the run, which is returned to its end;
                None: a new one, which has none of these.
            functions: those of the recorder, which no file can keep; without, their columns end.

        Raises:
            ValueError: the file is no recording, or does not hold the end of its run.
            OSError: it cannot be read or written.
        """
        path = check_place(file, (".npz",))
        content = load(path, None, 1 << 40)
        before = Recording(*content)
        self = cls.__new__(cls)
        if world is None:
            world = before.world()
        else:
            before.restore(world)
        self._world, self._file, self._snapshot = world, path, True
        about = before.about
        self._channels, self._every = tuple(about["channels"]), about["every"]
        self._functions = dict(functions or {})
        self._about = {name: about[name] for name in about if name not in ("status", "reason", "t_end")}
        self._observer = Observer(self._world, self._channels, self._functions, content.columns)
        # its arrays may lie in the file that is replaced
        blocks = [Block(block.times.copy(), block.values.copy()) for block in content.blocks]
        self._begin(Stream(path, self._about, content.columns, blocks), about["begin"])
        self._last = before.t_end
        return self

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {
            "_observer": None,
            "_flushed": None,
            "_file": None,
            "_stream": self._stream.in_memory(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._flushed = weakref.finalize(self, self._stream.flush)


def _checked_every(every: Any, time_step: float) -> float | None:
    """Return the time between two samples [s].

    Raises:
        TypeError, ValueError: no number, or less than a step.
    """
    if every is None:
        return None
    found = checks.number("every", every, "s", above=0.0)
    if found < (1.0 - _SLACK) * time_step:
        raise ValueError(
            f"every = {found:g} s is less than a step, world.time_step = {time_step:g} s; leave it out "
            "to record every step, or make shorter steps"
        )
    return found
