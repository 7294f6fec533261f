"""Files that survive: `python -m stoss.benchmarks.api_fuzz.survival [kills]`.

Runs are killed at random times while they write over an older file; disks are full and folders read-only;
caches of kernels are damaged. Whatever happens, a file is the older or the new one, whole, and a command ends
with one line.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from stoss.collision.kernels.folders import environment
from stoss.collision.kernels.prepare import all_kernels
from stoss.docstrings import first_line
from stoss.errors import UsageError
from stoss.identity import PLACE
from stoss.scenes.running.trajectory import Trajectory, load_trajectory

__all__ = ["DAMAGES", "FILES", "damaged_caches", "kills", "main", "without_room"]

_ROOT = str(PLACE)
_OLD = ["run", "stack", "--bodies", "2", "--duration", "0.1", "--quiet", "--save"]
_NEW = ["run", "stack", "--bodies", "20", "--duration", "4", "--quiet", "--save"]

# Commands that write a file, and its name; FILE stands for its path.
FILES: dict[str, list[str]] = {
    "motion.npz": [*_NEW, "FILE"],
    "figures.json": ["bench", "stack50", "--steps", "3", "--quiet", "--json", "FILE"],
    "picture.png": ["render", "stack", "--at", "0.1", "--size", "640x480", "--quiet", "--out", "FILE"],
    "picture.jpg": ["render", "stack", "--at", "0.1", "--size", "640x480", "--quiet", "--out", "FILE"],
    "film.mp4": ["render", "stack", "--duration", "0.5", "--size", "320x240", "--quiet", "--out", "FILE"],
}


def command(words: Sequence[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command of stoss in a process of its own, from a folder that does not matter."""
    return subprocess.run(
        [sys.executable, "-m", "stoss", *words],
        env=os.environ | {"PYTHONPATH": _ROOT} | more,
        capture_output=True,
        text=True,
        check=False,
    )


# ------------------------------------------------------------------ killed


def kills(count: int, seed: int = 0) -> tuple[dict[str, int], list[str]]:
    """Kill runs that write over an older file; return how often it was old or new, and what was wrong.

    Every other one is killed at any time of the run, the others while the file is written.
    """
    rng, wrong = random.Random(seed), []
    found = {"old": 0, "new": 0, "left beside": 0}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "motion.npz"
        command([*_OLD, str(path)])
        older = path.read_bytes()
        total, writing = _duration(path)
        newer = load_trajectory(path)
        for number in range(count):
            path.write_bytes(older)
            process = _start(path)
            if number % 2:
                _wait_for_part(process, path)
                time.sleep(rng.uniform(0.0, 1.2 * writing))
            else:
                time.sleep(rng.uniform(0.0, 1.1 * total))
            process.send_signal(signal.SIGKILL)
            process.wait()
            state = _state(path, older, newer)
            if state not in found:
                wrong.append(f"kill {number}: {state}")
            else:
                found[state] += 1
            found["left beside"] += len([*path.parent.iterdir()]) > 1
        command([*_OLD, str(path)])
        if [*path.parent.iterdir()] != [path]:
            wrong.append(f"after the next run there is {sorted(one.name for one in path.parent.iterdir())}")
    return found, wrong


def _start(path: Path) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-m", "stoss", *_NEW, str(path)]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(words, env=os.environ | {"PYTHONPATH": _ROOT}, stdout=quiet, stderr=quiet)


def _duration(path: Path) -> tuple[float, float]:
    """Return how long a run takes, and how long it writes [s]."""
    begin = time.perf_counter()
    process = _start(path)
    _wait_for_part(process, path)
    written = time.perf_counter()
    process.wait()
    end = time.perf_counter()
    return end - begin, end - written


def _wait_for_part(process: "subprocess.Popen[bytes]", path: Path) -> None:
    """Wait until the file is being written, or the run has ended."""
    while process.poll() is None:
        for part in path.parent.glob(".stoss-*"):
            with contextlib.suppress(OSError):  # gone meanwhile
                if part.stat().st_size > 0:
                    return
        time.sleep(0.0005)


def _state(path: Path, older: bytes, newer: Trajectory) -> str:
    if path.read_bytes() == older:
        return "old"
    try:
        motion = load_trajectory(path)
    except (ValueError, OSError) as error:
        return str(error)
    whole = np.array_equal(motion.positions, newer.positions) and motion.names == newer.names
    return "new" if whole else "another motion"


# ------------------------------------------------------------------ no room, no permission


def _mounted(folder: Path, size: str) -> bool:
    """Return whether a disk in memory could be put at a folder; that takes the superuser."""
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    return subprocess.run(words, capture_output=True).returncode == 0


@contextlib.contextmanager
def _full_disk(folder: Path) -> Iterator[None]:
    """Put a disk at a folder on which nothing more has room.

    Raises:
        PermissionError: that takes the superuser.
    """
    if not _mounted(folder, "64k"):
        raise PermissionError("not tried, it takes the superuser")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@contextlib.contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    """Make a folder read-only, also for the superuser where that is possible."""
    mounted = _mounted(folder, "4m")
    try:
        yield
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)
        else:
            folder.chmod(0o700)


def _seal(folder: Path) -> None:
    if subprocess.run(["mount", "-o", "remount,ro", folder], capture_output=True).returncode:
        folder.chmod(0o500)


def _fill(folder: Path) -> None:
    """Take all room that a small disk has."""
    with contextlib.suppress(OSError), (folder / "ballast").open("wb") as file:
        while os.statvfs(folder).f_bavail > 0 and os.statvfs(folder).f_blocks < 1000:
            file.write(bytes(4096))
            file.flush()


def without_room(kind: str) -> list[str]:
    """Write each file over an older one where it cannot be written; return a line for each.

    Args:
        kind: "full disk" or "read-only".
    """
    where, prepare = {"full disk": (_full_disk, _fill), "read-only": (_read_only, _seal)}[kind]
    lines = []
    for name, words in FILES.items():
        with tempfile.TemporaryDirectory() as folder, where(Path(folder)):
            path = Path(folder) / name
            path.write_bytes(b"older")
            prepare(Path(folder))
            done = command([str(path) if word == "FILE" else word for word in words])
            whole = path.read_bytes() == b"older" and {p.name for p in path.parent.iterdir()} <= {
                name,
                "ballast",
            }
            told = done.stderr.strip().splitlines()
            lines_told = len(told) == 1 or (name == "film.mp4" and len(told) > 1)  # the encoder says more
            right = done.returncode == 2 and lines_told and "Traceback" not in done.stderr and whole
            lines.append(
                f"{kind}, {name}: {'right' if right else 'WRONG'}, exit code {done.returncode}, older file "
                f"{'whole' if whole else 'LOST'}, report {'told' if done.stdout else 'not begun'}: "
                f"{told[-1] if told else ''}"
            )
    return lines


# ------------------------------------------------------------------ caches

Damage = Callable[[Path], None]


def _each(change: Callable[[bytes], bytes]) -> Damage:
    def damage(cache: Path) -> None:
        # some of them: what is damaged has to be compiled anew, which takes a second or more for each
        for path in sorted((cache / environment()).glob("*.kernel"))[::40]:
            path.write_bytes(change(path.read_bytes()))

    return damage


def _file_instead(cache: Path) -> None:
    shutil.rmtree(cache)
    cache.write_text("no folder")


DAMAGES: dict[str, Damage] = {
    "empty files": _each(lambda content: b""),
    "files cut short": _each(lambda content: content[: len(content) // 2]),
    "random bytes": _each(lambda content: random.Random(0).randbytes(len(content))),
    "a file in place of the folder": _file_instead,
    "open to all": lambda cache: (cache / environment()).chmod(0o777),
    "another owner": lambda cache: os.chown(cache / environment(), 12345, 12345),
}


def damaged_caches() -> list[str]:
    """Run a scene with caches that are damaged in several ways; return a line for each."""
    lines = []
    for kind, damage in DAMAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            cache, spare = Path(folder) / "cache", Path(folder) / "spare"
            # the spare folder has kernels too, so that nothing takes minutes here
            for place in (cache, spare / f"stoss-{os.getuid()}"):
                (place / environment()).mkdir(parents=True, mode=0o700)
                for kernel in all_kernels():
                    kept = kernel.dispatcher._cache.path(kernel.signature)
                    if kept is not None and kept.exists():
                        shutil.copy(kept, place / environment())
            try:
                damage(cache)
            except PermissionError:
                lines.append(f"cache, {kind}: not tried, it takes the superuser")
                continue
            words = ["run", "stack", "--duration", "0.05", "--quiet"]
            more = {"STOSS_CACHE_DIR": str(cache), "TMPDIR": str(spare)}
            first, second = command(words, **more), command(words, **more)
            told = first.stderr.strip().splitlines()
            right = first.returncode == second.returncode == 0 and len(told) == 1
            lines.append(f"cache, {kind}: {'right' if right else 'WRONG'}: {' / '.join(told)}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what came of all of it; return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.api_fuzz.survival", description=first_line(__name__)
    )
    parser.add_argument("kills", nargs="?", type=int, default=100, help="runs to kill (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the times (default: %(default)s)")
    options = parser.parse_args(arguments)
    if options.kills < 0:
        raise UsageError(f"kills is {options.kills}; give a number of at least 0")
    lines = damaged_caches()
    for kind in ("full disk", "read-only"):
        try:
            lines += without_room(kind)
        except PermissionError as error:
            lines.append(f"{kind}: {error}")
    print("\n".join(lines), flush=True)
    found, wrong = kills(options.kills, options.seed) if options.kills else ({}, [])
    print(f"{options.kills} killed: " + ", ".join(f"{count} {state}" for state, count in found.items()))
    print("\n".join(wrong))
    return int(bool(wrong) or any("WRONG" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
