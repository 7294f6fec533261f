"""Random calls of everything public: `python -m stoss.benchmarks.api_fuzz [calls]`."""

import argparse
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stoss.benchmarks import api_fuzz
from stoss.benchmarks.api_fuzz.calls import all_calls, unclear_arguments
from stoss.benchmarks.api_fuzz.findings import Finding, Summary
from stoss.benchmarks.api_fuzz.trial import run_trials

__all__ = ["main"]

BATCH = 250  # calls of a process
PATIENCE = 300.0  # [s] for a batch


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the calls, print figures and findings; return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.api_fuzz", description=api_fuzz.__doc__)
    parser.add_argument("calls", nargs="?", type=int, default=1000, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first batch (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="at once (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print what would be called, and what is unclear")
    parser.add_argument("--batch", nargs=2, metavar=("SEED", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.list:
        for call in all_calls():
            print(call.way, call.name, *(f"{a.name}: {a.meaning or 'UNCLEAR'}" for a in call.arguments))
        print("unclear:", *unclear_arguments())
        return 0
    if options.batch:
        return _batch(int(options.batch[0]), Path(options.batch[1]), options.calls)
    for name, least in (("calls", 1), ("processes", 1), ("seed", 0)):
        if getattr(options, name) < least:
            parser.error(f"{name} = {getattr(options, name)} must be at least {least}")
    begin, total = time.perf_counter(), Summary()
    for summary in _batches(options.calls, options.seed, options.processes):
        total.add(summary)
        for finding in summary.findings:
            print(finding, flush=True)
    print(total.table())
    print(f"{time.perf_counter() - begin:.0f} s")
    return int(bool(total.findings) or total.named < total.refused)


def _batches(calls: int, seed: int, processes: int) -> Iterator[Summary]:
    """Make the calls in processes of their own, some at once."""
    counts = [min(BATCH, calls - first) for first in range(0, calls, BATCH)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(processes) as pool:
        yield from pool.map(lambda job: _process(seed + job[0], job[1], Path(folder)), enumerate(counts))


def _process(seed: int, count: int, folder: Path) -> Summary:
    """Make a batch of calls in a process; one that ends before its time is a finding."""
    file = folder / f"{seed}.pickle"
    command = [sys.executable, "-m", "stoss.benchmarks.api_fuzz", str(count), "--batch", str(seed), str(file)]
    last = file.with_suffix(".txt")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        code, says = done.returncode, done.stderr[-600:]
    except subprocess.TimeoutExpired:
        code, says = -signal.SIGKILL, f"no end after {PATIENCE:g} s"
    if code == 0 and file.is_file():
        found: Summary = pickle.loads(file.read_bytes())
        return found
    call = last.read_text().strip() if last.is_file() else "nothing"
    return Summary(calls=1, findings=[Finding("the process ended", call, f"code {code}: {says}", "?", seed)])


def _batch(seed: int, file: Path, count: int) -> int:
    """Make a batch in this process, and leave what it found in a file."""
    with file.with_suffix(".txt").open("w") as last:

        def tell(text: str) -> None:
            last.seek(0)
            last.write(text + "\n")
            last.truncate()
            last.flush()

        file.write_bytes(pickle.dumps(run_trials(seed, count, tell)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
