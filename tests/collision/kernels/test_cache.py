"""What is kept on disk: found again, never stale, sound when damaged or shared, and done without."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SMALL = "stoss.collision.contacts"

RUN = """
import numpy as np
from stoss.collision.contacts import Contacts, free_small_faces
free_small_faces(Contacts(4).arrays, 4, np.ones(3))
stats = free_small_faces.dispatcher.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""

MODULE = """
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
FACTOR = {factor}
class Numbers(Struct):
    {fields}
@inner
def scaled(x):
    \"\"\"{comment}\"\"\"
    return {expression}
@kernel
def f(x: float) -> float:
    return scaled(x) + FACTOR
@kernel
def read(numbers: Numbers) -> float:
    return numbers.b
"""


def run(code: str, folder: Path, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"STOSS_CACHE_DIR": str(folder)} | more
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=cwd, capture_output=True, text=True
    )


def hits(done: subprocess.CompletedProcess[str]) -> list[int]:
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    """Load what another process compiled."""
    assert hits(run(RUN, tmp_path)) == [0, 1]
    assert hits(run(RUN, tmp_path)) == [1, 0]


@pytest.mark.parametrize("damage", [b"", b"stoss kernel 1\n" + 40 * b"x", None])
def test_damaged_files_are_compiled_anew(tmp_path: Path, damage: bytes | None) -> None:
    """Say in one line that a file is damaged (emptied, other bytes, cut), compile, and keep a sound one."""
    run(RUN, tmp_path)
    (path,) = tmp_path.rglob("*.kernel")
    path.write_bytes(path.read_bytes()[:-7] if damage is None else damage)
    again = run(RUN, tmp_path)
    assert hits(again) == [0, 1]
    assert again.stderr.count("\n") == 1 and "is damaged" in again.stderr
    assert hits(run(RUN, tmp_path)) == [1, 0]


def value(tmp_path: Path, fields: str = "b: float", **parts: str) -> tuple[float, int, int]:
    """Write the module with these parts, run its kernels, and return the sum, hits and misses."""
    defaults = {"factor": "1.0", "expression": "2.0 * x", "comment": "Scale."}
    (tmp_path / "module.py").write_text(MODULE.format(fields=fields, **(defaults | parts)))
    names = [part.split(":")[0] for part in fields.split("; ")]
    arguments = ", ".join(f"{name}={10.0 if name == 'b' else 20.0}" for name in names)
    code = (
        f"import module as m; v = m.f(3.0) + m.read(m.Numbers({arguments}))\n"
        "s = [k.dispatcher.stats for k in (m.f, m.read)]\n"
        "print(v, sum(sum(x.cache_hits.values()) for x in s), sum(sum(x.cache_misses.values()) for x in s))"
    )
    place = str(Path(__file__).parents[3])
    done = run(code, tmp_path / "cache", tmp_path, PYTHONPATH=f"{tmp_path}:{place}")
    assert done.returncode == 0, done.stderr
    number, loaded, compiled = done.stdout.split()
    return float(number), int(loaded), int(compiled)


def test_nothing_stale_is_used(tmp_path: Path) -> None:
    """Notice another constant, inner function and layout of a struct, but no comment; find old ones again."""
    assert value(tmp_path) == (17.0, 0, 2)
    assert value(tmp_path, comment="Other words.") == (17.0, 2, 0)
    assert value(tmp_path, factor="2.0") == (18.0, 1, 1)
    assert value(tmp_path, expression="3.0 * x") == (20.0, 1, 1)
    assert value(tmp_path, fields="a: float; b: float") == (17.0, 1, 1)
    assert value(tmp_path) == (17.0, 2, 0)


def test_a_folder_that_cannot_be_written_is_replaced(tmp_path: Path) -> None:
    """Fall back to a folder for temporary files, with one line that names both."""
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    spare = tmp_path / "spare"
    spare.mkdir()
    first = run(RUN, blocked / "cache", TMPDIR=str(spare))
    assert hits(first) == [0, 1] and first.stderr.count("\n") == 1
    assert str(blocked) in first.stderr and str(spare) in first.stderr
    assert hits(run(RUN, blocked / "cache", TMPDIR=str(spare))) == [1, 0]


def test_it_works_where_nothing_can_be_written(tmp_path: Path) -> None:
    """Compile in memory, and say what helps, if no folder can be written."""
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    code = f"import tempfile; tempfile.tempdir = {str(blocked)!r}\n" + RUN
    done = run(code, blocked / "cache")
    assert hits(done) == [0, 1] and "set STOSS_CACHE_DIR" in done.stderr


def test_another_processor_is_told(tmp_path: Path) -> None:
    """Say why kernels are compiled again after the processor, Python or numba changed, and keep both."""
    run(RUN, tmp_path)
    (mine,) = tmp_path.iterdir()
    mine.rename(tmp_path / "py3.11-numba0.1-other")
    done = run(RUN, tmp_path)
    assert hits(done) == [0, 1] and "numba0.1-other" in done.stderr
    assert hits(run(RUN, tmp_path)) == [1, 0]


def test_two_processes_at_once(tmp_path: Path) -> None:
    """Compile the same kernel in two processes at the same time, and leave a sound file."""
    environment = os.environ | {"STOSS_CACHE_DIR": str(tmp_path)}
    both = [
        subprocess.Popen([sys.executable, "-c", RUN], env=environment, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    assert [process.wait() for process in both] == [0, 0]
    assert len(list(tmp_path.rglob("*.kernel"))) == 1
    assert hits(run(RUN, tmp_path)) == [1, 0]


def test_interrupted_compilation_leaves_a_sound_cache(tmp_path: Path) -> None:
    """End soon after Ctrl-C while workers compile, and go on from what they had finished."""
    code = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background\n"
        "import stoss.engine\n"
        "from stoss.collision.kernels.prepare import needed, prepare\n"
        "prepare(needed(), progress=lambda done, total, name: print(done, flush=True))"
    )
    environment = os.environ | {"STOSS_CACHE_DIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 2:
            break
    os.killpg(process.pid, signal.SIGINT)
    begin = time.monotonic()
    process.wait(timeout=30)
    assert process.returncode != 0 and time.monotonic() - begin < 5.0
    kept = list(tmp_path.rglob("*.kernel"))
    assert len(kept) >= 2 and all(path.read_bytes().startswith(b"stoss kernel") for path in kept)
    assert not list(tmp_path.rglob("tmp*"))
