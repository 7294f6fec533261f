"""Notice when numba compiles kernels or loads them, to keep that time apart and to tell who waits for it."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from numba.core import event

__all__ = ["CompileWatch"]

_COMPILE = "numba:compile"
# Held while a kernel is made ready, whether it is compiled or read from the cache on disk.
_READY = "numba:compiler_lock"


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
        ready_seconds: time in which kernels were compiled or loaded [s].
        ready_cpu_seconds: the same as processor time [s].
    """

    def __init__(self, on_compile: Callable[[], None] | None = None) -> None:
        self.kernels = 0
        self.compile_seconds = 0.0
        self.ready_seconds = 0.0
        self.ready_cpu_seconds = 0.0
        self._on_compile = on_compile
        self._depth = {_COMPILE: 0, _READY: 0}
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
        """Take note that numba begins (called by numba)."""
        if event.kind == _COMPILE:
            if self.kernels == 0 and self._on_compile is not None:
                self._on_compile()
            self.kernels += 1
        if self._depth[event.kind] == 0:
            self._began[event.kind] = time.perf_counter()
            if event.kind == _READY:
                self._cpu_began = time.process_time()
        self._depth[event.kind] += 1

    def on_end(self, event: Any) -> None:
        """Take note that numba is done (called by numba)."""
        self._depth[event.kind] -= 1
        if self._depth[event.kind] == 0:
            seconds = time.perf_counter() - self._began[event.kind]
            if event.kind == _COMPILE:
                self.compile_seconds += seconds
            else:
                self.ready_seconds += seconds
                self.ready_cpu_seconds += time.process_time() - self._cpu_began
