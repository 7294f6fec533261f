"""Compile kernels ahead, in several processes, and tell how far it is.

A kernel compiles by itself when it is first called, one after the other. `prepare` looks which ones are not
on disk yet and has worker processes compile them there: kernels call each other by address, so none waits for
another. Without it everything works as well, only later.

A module, or the package it stands in, may say `FEATURE = "joints"`: its kernels are left out of what every
world needs, until a world says that it has that feature.
"""

import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from numba.core import event

try:
    import fcntl
except ImportError:  # no such locks on this system
    fcntl = None  # type: ignore[assignment]
from stoss.collision.kernels.decorators import KERNELS, LISTENERS, Kernel, Listener
from stoss.collision.kernels.folders import cache_folder, warn
from stoss.collision.kernels.progress import KernelProgress
from stoss.identity import PLACE

__all__ = [
    "LOOK_EVENT",
    "PREPARE_EVENT",
    "PrepareReport",
    "all_kernels",
    "end_workers",
    "needed",
    "prepare",
    "watch",
]

# Events of numba's kind for those who keep the time apart: one spans the look for what is on disk, one the
# work of other processes.
LOOK_EVENT = "stoss:look"
PREPARE_EVENT = "stoss:prepare"
# Fewer kernels than this are compiled here: a worker needs most of a second to begin.
_WORTH_WORKERS = 3
# Modules whose kernels are imported when a world first needs them.
_LATER = ("stoss.collision.narrow_phase.fcl_backend", "stoss.collision.queries.guests")
# Packages that programs import for purposes of their own.
_APART = tuple(
    f"stoss.engine.{name}"
    for name in (
        *("articulated", "humans", "motion_capture", "recording.reading"),
        *("forces.contacts", "forces.motion"),
    )
)

_lock = threading.Lock()
_workers: list["subprocess.Popen[str]"] = []


@dataclass(frozen=True)
class PrepareReport:
    """What `prepare` did.

    Attributes:
        compiled: number of kernels that were compiled.
        loaded: number that were there already.
        seconds, cpu_seconds: wall-clock and processor time [s], of all processes.
    """

    compiled: int = 0
    loaded: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0


@contextmanager
def watch(listener: Listener) -> Iterator[None]:
    """Have `listener(done, total, name)` called as kernels are compiled, in the thread that waits."""
    LISTENERS.append(listener)
    try:
        yield
    finally:
        LISTENERS.remove(listener)


def all_kernels() -> list[Kernel]:
    """Return the kernels of all modules."""
    _load("stoss.engine", *_LATER, *_APART)
    return list(KERNELS.values())


def _load(*modules: str) -> None:
    for module in modules:
        importlib.import_module(module)


def needed(features: Iterable[str] = ()) -> list[Kernel]:
    """Return the kernels, of the modules that are loaded, that a world with these features needs."""
    wanted = {"", *features}
    return [kernel for kernel in KERNELS.values() if kernel.feature in wanted]


def prepare(
    kernels: Iterable[Kernel] | None = None,
    workers: int | None = None,
    progress: Listener | None = None,
) -> PrepareReport:
    """Compile the kernels that are not on disk yet; return when all are there.

    Args:
        kernels: which; None stands for those that every world needs, and those of joints and convex shapes.
        workers: number of processes; None takes one for each processor that may be used.
        progress: called with the number of kernels compiled, of how many, and the name of the last one. If
            nobody listens, here or by `watch`, a line on the error stream tells.

    Raises:
        ValueError: `workers` is below 1.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers = {workers} must be at least 1")
    begin = time.perf_counter()
    if kernels is None:
        _load("stoss.engine", *_LATER)
        kernels = needed(("joints", "convex"))
    wanted = list(kernels)
    with event.trigger_event(LOOK_EVENT):
        missing = [kernel for kernel in wanted if not (kernel.is_ready or kernel.is_kept)]
    if not missing:
        return PrepareReport(loaded=len(wanted), seconds=time.perf_counter() - begin)
    missing.sort(key=lambda kernel: kernel.cost, reverse=True)
    listeners = [*LISTENERS] if progress is None else [progress, *LISTENERS]
    if not listeners and len(missing) >= _WORTH_WORKERS:
        with KernelProgress(folder=cache_folder()) as shown:
            return prepare(wanted, workers, shown)

    total, count = len(missing), workers or _processors()
    with event.trigger_event(PREPARE_EVENT, data={"kernels": total}), _one_at_a_time():
        # another process may have compiled some while this one waited
        missing = [kernel for kernel in missing if not kernel.is_kept]
        elsewhere = total - len(missing)

        def tell(done: int, name: str) -> None:
            for listener in listeners:
                listener(elsewhere + done, total, name)

        tell(0, "")
        if len(missing) < _WORTH_WORKERS or cache_folder() is None:
            cpu_seconds = _compile_here(missing, tell)
        else:
            cpu_seconds = _compile_there(missing, min(count, len(missing)), tell)
    return PrepareReport(len(missing), len(wanted) - len(missing), time.perf_counter() - begin, cpu_seconds)


def end_workers() -> None:
    """End the processes that compile: for one that is about to leave without waiting for them."""
    for process in [*_workers]:
        process.kill()


def _processors() -> int:
    """Return how many processors this process may use; some systems tell no more than what there is."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Wait for other threads and processes that compile: both would compile the same kernels."""
    folder = cache_folder()
    with _lock:
        if folder is None or fcntl is None:
            yield
            return
        try:
            lock = open(folder / "lock", "w")
            fcntl.flock(lock, fcntl.LOCK_EX)  # given up when the file is closed, however the process ends
        except OSError:  # not here: then both compile, and the last one is kept
            yield
            return
        with lock:
            yield


def _compile_here(kernels: list[Kernel], tell: Callable[[int, str], None]) -> float:
    """Compile kernels one by one; return the processor time [s]."""
    begin = time.process_time()
    for number, kernel in enumerate(kernels):
        kernel.make_ready(tell=False)
        tell(number + 1, kernel.name)
    return time.process_time() - begin


def _compile_there(kernels: list[Kernel], count: int, tell: Callable[[int, str], None]) -> float:
    """Have `count` processes compile kernels to the disk; return the processor time [s] they took."""
    left = queue.SimpleQueue[Kernel]()
    for one in kernels:
        left.put(one)
    answers = queue.SimpleQueue[tuple[Kernel | None, float, str]]()
    processes = [_start_worker() for _ in range(count)]
    _workers.extend(processes)
    threads = [
        threading.Thread(target=_feed, args=(process, left, answers), daemon=True) for process in processes
    ]
    done, cpu_seconds, ended, failed = 0, 0.0, 0, []
    try:
        for thread in threads:
            thread.start()
        while ended < count:
            kernel, seconds, error = answers.get()
            if kernel is None:
                ended += 1
                continue
            if error:
                failed.append((kernel, error))
            done += 1
            cpu_seconds += seconds
            tell(done, kernel.name)
    finally:
        for process in processes:
            process.kill()
            process.wait()
            _workers.remove(process)
    # What a worker could not do, for whatever reason, is done here, where an error is seen in full.
    for unable, error in failed:
        warn(f"{unable.name} could not be compiled beside this process ({error}); compiling it here")
        cpu_seconds += _compile_here([unable], lambda *_: None)
    while not left.empty():
        cpu_seconds += _compile_here([left.get()], lambda *_: None)
    return cpu_seconds


def _start_worker() -> "subprocess.Popen[str]":
    """Start a process that compiles what it is told."""
    # a little less urgent than what runs meanwhile, such as a window
    code = "import os, sys; hasattr(os, 'nice') and os.nice(5); "
    code += f"sys.path.insert(0, {str(PLACE)!r}); from {__name__} import work; work()"
    return subprocess.Popen(
        [sys.executable, *(["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []), "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"STOSS_WORKER": "1"},
    )


def _feed(
    process: "subprocess.Popen[str]",
    left: "queue.SimpleQueue[Kernel]",
    answers: "queue.SimpleQueue[tuple[Kernel | None, float, str]]",
) -> None:
    """Give a worker one kernel after the other."""
    to_worker, from_worker = process.stdin, process.stdout
    assert to_worker is not None and from_worker is not None
    while True:
        try:
            kernel = left.get_nowait()
        except queue.Empty:
            break
        try:
            to_worker.write(f"{kernel.module} {kernel.function.__name__}\n")
            to_worker.flush()
            answer = json.loads(from_worker.readline() or '{"error": "it ended"}')
        except OSError as error:
            answer = {"error": str(error)}
        answers.put((kernel, answer.get("seconds", 0.0), answer.get("error", "")))
        if "seconds" not in answer:
            break
    answers.put((None, 0.0, ""))


def work(commands: IO[str] = sys.stdin, answers: IO[str] = sys.stdout) -> None:
    """Compile the kernels that are named line by line, and answer each with the processor time [s]."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C is told by the process that asked
    for line in commands:
        module, name = line.split()
        begin = time.process_time()
        try:
            getattr(importlib.import_module(module), name).make_ready()
            answer: dict[str, object] = {"seconds": time.process_time() - begin}
        except Exception as error:  # whatever it is, the process that asked tries again and raises it
            answer = {"seconds": time.process_time() - begin, "error": f"{type(error).__name__}: {error}"}
        try:
            print(json.dumps(answer), file=answers, flush=True)
        except BrokenPipeError:
            os._exit(0)  # whoever asked is gone; Python would complain of the pipe once more at its end
