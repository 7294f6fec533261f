"""Processes that carry out runs: each has one at a time; one that ends is replaced.

`local_outcomes` has some of this machine. `outcome_beside` has one for each thread of a worker of Dask, whose
own threads would take turns with a run, and which outlives what ends the run.

A process knows nothing of the main program, so that this needs no guard (`if __name__ == "__main__"`), and
its end is the end of one run, of which it is known which.
"""

import collections
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait

from stoss.identity import PLACE
from stoss.scenes.experiments.plan import Plan, Point
from stoss.scenes.experiments.work import LOST, Outcome, carry_out

__all__ = ["end_beside", "local_outcomes", "outcome_beside", "processors", "serve"]

# How often a run is begun whose process ends: the first end may have had another cause, such as another
# program that used up the memory.
_ATTEMPTS = 2

# A process that nobody asks for so long ends [s]: whoever began it may be gone.
_IDLE = 300.0


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def local_outcomes(plan: Plan, points: Sequence[Point], workers: int) -> Iterator[tuple[int, Outcome]]:
    """Carry out runs in processes of this machine, and give number and outcome of each as it ends.

    Args:
        plan: what they have in common.
        points: one for each run.
        workers: number of processes.

    Raises:
        RuntimeError: processes cannot be started.
    """
    content = pickle.dumps(plan)
    left = collections.deque(range(len(points)))
    begun = [0] * len(points)
    busy: dict[Connection, tuple[_Worker, int]] = {}

    def begin(worker: _Worker) -> None:
        """Give a process the next run, or let it end."""
        if not left:
            worker.end()
            return
        number = left.popleft()
        begun[number] += 1
        busy[worker.connection] = worker, number
        worker.send(points[number])

    try:
        while left or busy:
            while left and len(busy) < workers:
                begin(_Worker(content))
            for connection in wait([*busy]):
                assert isinstance(connection, Connection)
                worker, number = busy[connection]
                outcome = worker.answer()
                del busy[connection]
                if outcome is not None:
                    begin(worker)  # before the outcome is looked at, which takes a while
                elif begun[number] < _ATTEMPTS:
                    left.append(number)
                    continue
                else:
                    outcome = worker.lost()
                yield number, outcome
    finally:
        for worker, _ in busy.values():
            worker.end()


# Idle ones of threads of this process, by their numbers, with the plan of each.
_beside: dict[int, tuple[bytes, "_Worker"]] = {}


def outcome_beside(content: bytes, point: Point) -> Outcome:
    """Carry out a run in a process that this thread keeps, and wait for it.

    Args:
        content: the plan, pickled.
        point: of the run.
    """
    thread = threading.get_ident()
    known, worker = _beside.pop(thread, (b"", None))
    for _ in range(_ATTEMPTS):
        if worker is not None and (known != content or worker.ended):
            worker.end()
            worker = None
        if worker is None:
            known, worker = content, _Worker(content)
        worker.send(point)
        outcome = worker.answer()
        if outcome is not None:
            _beside[thread] = content, worker
            return outcome
    assert worker is not None
    return worker.lost()


def end_beside() -> None:
    """End the processes that threads of this process keep and that have nothing to do."""
    for thread in [*_beside]:
        _beside.pop(thread)[1].end()


class _Worker:
    """A process; see `serve`."""

    def __init__(self, content: bytes) -> None:
        self.connection, theirs = Pipe()
        code = f"import sys; sys.path.insert(0, {str(PLACE)!r}); from {__name__} import serve; "
        code += f"serve({theirs.fileno()})"
        self._process = subprocess.Popen(
            [sys.executable, *(["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []), "-c", code],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C is for the process that waits for it
            env=os.environ | {"STOSS_WORKER": "1"},
        )
        theirs.close()
        try:
            self.connection.send((sys.path, content))
            ready = self.connection.recv() == "ready"
        except (OSError, EOFError):
            ready = False
        except BaseException:
            self.end()
            raise
        if not ready:
            self.end()
            raise RuntimeError(f"a process for runs could not be started: {_told(self._process.returncode)}")

    def send(self, point: Point) -> None:
        """Begin a run; that the process has ended is noticed by `answer`."""
        try:
            self.connection.send(point)
        except OSError:
            pass

    def answer(self) -> Outcome | None:
        """Return what came of the run, None if the process has ended."""
        try:
            outcome: Outcome = self.connection.recv()
            return outcome
        except (OSError, EOFError):
            self.end()
            return None

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def lost(self) -> Outcome:
        """Return the outcome of a run with which the process ended."""
        reason = f"its process ended {_ATTEMPTS} times, {_told(self._process.returncode)}"
        return Outcome(LOST, reason, log=f"{reason}\n")

    def end(self) -> None:
        """End the process, if it runs."""
        self.connection.close()
        self._process.kill()  # of one that has ended by itself the exit code stays what it was
        self._process.wait()


def _told(code: int | None) -> str:
    """Return how a process ended."""
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in {*signal.Signals} else str(-code)
        more = " (killed, as when the memory is used up)" if name == "SIGKILL" else ""
        return f"by {name}{more}"
    return f"with exit code {code}"


def serve(descriptor: int) -> None:
    """Carry out runs that another process asks for, until it is gone.

    Args:
        descriptor: of the connection to it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    connection = Connection(descriptor)
    try:
        sys.path[:], content = connection.recv()
        plan: Plan = pickle.loads(content)
        connection.send("ready")
        while connection.poll(_IDLE):
            connection.send(carry_out(plan, connection.recv()))
        os._exit(0)
    except (EOFError, OSError):
        os._exit(0)


def _watch(parent: int) -> None:
    """End this process soon after the one that asks has ended, however it did, though a run goes on."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)
