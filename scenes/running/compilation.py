"""Notice when numba compiles kernels or loads them, to keep that time apart and to tell who waits for it."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from numba.core import event

from stoss.collision.kernels.decorators import READY_EVENT
from stoss.collision.kernels.prepare import LOOK_EVENT, PREPARE_EVENT

__all__ = ["CompileWatch"]

_COMPILE = "numba:compile"
# Held while a kernel is made ready, whether it is compiled or read from the cache on disk.
_READY = "numba:compiler_lock"

# What counts as compiling, and as getting ready.
_CLOCKS = {
    _COMPILE: (_COMPILE,),
    _READY: (_READY,),
    LOOK_EVENT: (_READY,),
    READY_EVENT: (_READY,),
    PREPARE_EVENT: (_COMPILE, _READY),
}


class CompileWatch(event.Listener):
    """Count the kernels that are compiled while the watch is on, and time how long kernels take to be ready.

    Kernels that come from the cache on disk are loaded, not compiled. A kernel makes those that it calls
    ready as well: such events nest, and the outermost is timed.

        with CompileWatch() as watch:
            world.step()
        print(watch.kernels, watch.compile_seconds, watch.load_seconds)

    Args:
        on_compile: called once, before the first kernel is compiled.

    Attributes:
        kernels: kernels compiled.
        compile_seconds: time in which kernels were compiled [s].
        ready_seconds: time in which kernels were looked for, compiled or loaded [s].
        ready_cpu_seconds: the same as processor time [s].
    """

    def __init__(self, on_compile: Callable[[], None] | None = None) -> None:
        self.kernels = 0
        self.compile_seconds = 0.0
        self.ready_seconds = 0.0
        self.ready_cpu_seconds = 0.0
        self._on_compile = on_compile
        self._depth = dict.fromkeys(_CLOCKS, 0)
        self._began = {_COMPILE: 0.0, _READY: 0.0}
        self._cpu_began = 0.0

    @property
    def load_seconds(self) -> float:
        """Return the time in which kernels were read from the cache [s]."""
        return self.ready_seconds - self.compile_seconds

    @property
    def processor_time(self) -> float:
        """Return the processor time of the process [s] without that in which kernels were made ready."""
        return time.process_time() - self.ready_cpu_seconds

    def __enter__(self) -> "CompileWatch":
        for kind in self._depth:
            event.register(kind, self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for watched in self._depth:
            event.unregister(watched, self)

    def on_start(self, event: Any) -> None:
        """Take note that numba, or other processes, begin (called by numba)."""
        kind = event.kind
        if kind == PREPARE_EVENT or (kind == _COMPILE and not self._depth[PREPARE_EVENT]):
            if self.kernels == 0 and self._on_compile is not None:
                self._on_compile()
            self.kernels += event.data["kernels"] if kind == PREPARE_EVENT else 1
        for clock in _CLOCKS[kind]:
            if not self._running(clock):
                self._began[clock] = time.perf_counter()
                if clock == _READY:
                    self._cpu_began = time.process_time()
        self._depth[kind] += 1

    def on_end(self, event: Any) -> None:
        """Take note that numba, or the other processes, are done (called by numba)."""
        self._depth[event.kind] -= 1
        for clock in _CLOCKS[event.kind]:
            if self._running(clock):
                continue
            seconds = time.perf_counter() - self._began[clock]
            if clock == _COMPILE:
                self.compile_seconds += seconds
            else:
                self.ready_seconds += seconds
                self.ready_cpu_seconds += time.process_time() - self._cpu_began

    def _running(self, clock: str) -> bool:
        """Return whether anything goes on that a clock counts."""
        return any(self._depth[kind] for kind, clocks in _CLOCKS.items() if clock in clocks)
