"""Random sequences of operations against a model: `python -m stoss.benchmarks.api_fuzz.sequences 2000`.

Hypothesis draws sequences of 60 operations on worlds: bodies and joints come and go, kinds, masses and
settings change, bodies sleep, states are saved and restored, worlds are copied and pickled, and stepped. They
are carried out in a process of their own, so that a crash is seen, and compared with `sequence_model` after
each one; from a copy or a restored state on, both worlds go on alike, bit for bit. A sequence that fails is
made as short as possible, and printed.
"""

import argparse
import json
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from time import perf_counter
from typing import Any

__all__ = ["Worker", "machine", "main"]

LENGTH = 60


class Worker:
    """A process that carries out operations, begun anew when it dies.

    Attributes:
        counts: what was done: operations, those on copies, refusals.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._process: subprocess.Popen[str] | None = None

    def ask(self, what: list[Any]) -> str:
        """Send an operation, or "begin"; return what is wrong, if anything."""
        if self._process is None:
            command = [
                sys.executable,
                "-X",
                "faulthandler",
                "-m",
                "stoss.benchmarks.api_fuzz.sequences",
                "--serve",
            ]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, text=True
            )
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(what) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self._process = None
            return f"the process ended with code {process.wait()} in {what}"
        answer = json.loads(line)
        self.counts.update(answer["counts"])
        fault = str(answer["fault"])
        if fault and not self.counts["faults"]:
            print(f"a fault, which is now made as short as possible: {fault}", file=sys.stderr, flush=True)
        self.counts["faults"] += bool(fault)
        return fault

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process = None


def serve() -> None:
    """Carry out operations that come as lines of standard input."""
    from stoss.benchmarks.api_fuzz.sequence_model import Session
    from stoss.benchmarks.api_fuzz.sequence_operations import begun, operate

    warnings.simplefilter("ignore")
    session: Session | None = None
    for line in sys.stdin:
        what, fault, counts = json.loads(line), "", {}
        try:
            if what == ["begin"]:
                session = begun()
            elif session is not None:
                before = dict(session.counts)
                operate(session, *what)
                counts = {name: count - before[name] for name, count in session.counts.items()}
        except Exception:  # whatever it is, it is told as the fault
            fault = traceback.format_exc(limit=-4)
        print(json.dumps({"fault": fault, "counts": counts}), flush=True)


def machine(worker: Worker) -> Any:
    """Return the state machine for hypothesis, whose operations go to a worker."""
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, rule

    from stoss.benchmarks.api_fuzz.sequence_operations import OPERATIONS

    number = st.integers(0, 31)
    # what is done more often than the rest
    names = [
        *OPERATIONS,
        "add",
        "add",
        "join",
        "drive",
        "change",
        "change",
        "step",
        "step",
        "step",
        "sleep",
        "copy",
    ]

    class Sequence(RuleBasedStateMachine):
        """Operations on worlds."""

        sequences = 0

        def __init__(self) -> None:
            super().__init__()
            Sequence.sequences += 1
            if Sequence.sequences % 100 == 0:
                print(f"{Sequence.sequences} sequences", file=sys.stderr, flush=True)
            fault = worker.ask(["begin"])
            assert not fault, fault

        @rule(name=st.sampled_from(names), a=number, b=number, c=number)
        def do(self, name: str, a: int, b: int, c: int) -> None:
            """Carry out an operation."""
            fault = worker.ask([name, a, b, c])
            assert not fault, f"{name}({a}, {b}, {c}): {fault}"

    return Sequence


def run(count: int, seed: int, length: int = LENGTH) -> Counter[str]:
    """Run sequences; return what was done.

    Raises:
        AssertionError: one of them failed; hypothesis prints the shortest that does.
    """
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis import seed as seeded
    from hypothesis.stateful import run_state_machine_as_test

    worker = Worker()
    kind = machine(worker)
    wanted = settings(
        max_examples=count,
        stateful_step_count=length,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
        print_blob=False,
    )
    try:
        run_state_machine_as_test(seeded(seed)(kind), settings=wanted)
    finally:
        worker.close()
    worker.counts["sequences"] = kind.sequences
    return worker.counts


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; return 1 if a sequence failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "Random sequences.").partition("\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=200, help="number of sequences")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help="carry out operations from standard input")
    options = parser.parse_args(arguments)
    if options.serve:
        serve()
        return 0
    began = perf_counter()
    try:
        counts = run(options.count, options.seed)
    except AssertionError as error:
        print(error)
        print("\n".join(getattr(error, "__notes__", [])))
        return 1
    for name, number in counts.items():
        print(f"{number:8} {name}")
    print(f"no fault in {perf_counter() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
