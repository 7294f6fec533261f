"""What is kept on disk: found again, never stale, sound when damaged or shared, and done without."""

import dis
import hashlib
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import stoss.engine  # noqa: F401
from stoss.collision.kernels import cache
from stoss.collision.kernels.decorators import KERNELS

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


def sealed(payload: bytes) -> bytes:
    """Return a file whose digest is right, whatever it holds."""
    return b"stoss kernel 1\n" + hashlib.sha1(payload).digest() + payload


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "short": lambda content: content[:20],
    "cut": lambda content: content[:-7],
    "longer": lambda content: content + b"x",
    "other head": lambda content: b"stoss kernel 2" + content[14:],
    "random": lambda content: random.Random(0).randbytes(len(content)),
    "one bit": lambda content: content[:999] + bytes([content[999] ^ 1]) + content[1000:],
    "no pickle": lambda content: sealed(b"no pickle"),
    "another pickle": lambda content: sealed(pickle.dumps(("another", 1))),
    "unknown class": lambda content: sealed(b"cno_such_module\nNothing\n."),
}


def small_kernels(folder: Path, count: int, before: str = "") -> str:
    """Write a module with kernels that compile quickly; return code that runs them and counts hits."""
    one = "@kernel\ndef f{0}(x: float) -> float:\n    return x + {0}\n"
    kernels = "".join(one.format(number) for number in range(count))
    head = "from stoss.collision.kernels.decorators import kernel\n"
    (folder / "small.py").write_text(head + kernels)
    place = str(Path(__file__).parents[3])
    return f"""
import sys
sys.path[:0] = {[str(folder), place]}
{before}
import small
kernels = [getattr(small, f"f{{k}}") for k in range({count})]
assert [kernel(1.0) for kernel in kernels] == [1.0 + k for k in range({count})]
stats = [kernel.dispatcher.stats for kernel in kernels]
print(sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats))
"""


def test_damaged_files_are_compiled_anew(tmp_path: Path) -> None:
    """Say in one line that files are of no use, compile all of them, and keep sound ones."""
    cache, count = tmp_path / "cache", len(DAMAGES) + 1
    code = small_kernels(tmp_path, count)
    assert hits(run(code, cache)) == [0, count]
    paths = sorted(cache.rglob("*.kernel"))
    assert len(paths) == count
    for path, damage in zip(paths[:-1], DAMAGES.values(), strict=True):
        path.write_bytes(damage(path.read_bytes()))
    again = run(code, cache)
    assert hits(again) == [1, count - 1]
    assert again.stderr.count("\n") == 1 and str(cache) in again.stderr and "compiled anew" in again.stderr
    assert hits(run(code, cache)) == [count, 0]


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


def test_a_file_that_is_a_folder(tmp_path: Path) -> None:
    """Compile in each run, and say so in a line, where a folder has the name of a kernel's file."""
    cache = tmp_path / "cache"
    code = small_kernels(tmp_path, 2)
    run(code, cache)
    path = min(cache.rglob("*.kernel"))
    path.unlink()
    (path / "something").mkdir(parents=True)
    again = run(code, cache)
    assert hits(again) == [1, 1] and 1 <= again.stderr.count("\n") <= 2


FOLDERS = {
    "open to all": ("folder.chmod(0o777)", "may be written by others"),
    "another owner": ("os.getuid = lambda: folder.stat().st_uid + 1", "belongs to another user"),
    "full disk": ("fail(errno.ENOSPC)", "No space left"),
    "read-only": ("fail(errno.EROFS)", "Read-only file system"),
    "not allowed": ("fail(errno.EACCES)", "Permission denied"),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_folders_that_are_of_no_use(tmp_path: Path, kind: str) -> None:
    """Say in one line why a folder is not used and which one is; what can be trusted there is still found."""
    spare, cache = tmp_path / "spare", tmp_path / "cache"
    spare.mkdir()
    run(small_kernels(tmp_path, 1), cache)
    (folder,) = cache.iterdir()
    made, told = FOLDERS[kind]
    before = f"""
import errno, os, pathlib, tempfile
folder = pathlib.Path({str(folder)!r})
temporary = tempfile.NamedTemporaryFile
def fail(number):
    def failing(*args, dir=None, **more):
        if dir is not None and pathlib.Path(dir) == folder:
            raise OSError(number, os.strerror(number))
        return temporary(*args, dir=dir, **more)
    tempfile.NamedTemporaryFile = failing
{made}
"""
    done = run(small_kernels(tmp_path, 1, before), cache, TMPDIR=str(spare))
    loaded, compiled = hits(done)
    assert done.stderr.count("\n") == 1 and told in done.stderr and str(cache) in done.stderr
    if kind != "another owner":  # then the spare folder is another's too; what the superuser owns is trusted
        assert str(spare) in done.stderr and loaded == (kind != "open to all") and compiled == 1 - loaded


def test_no_home(tmp_path: Path) -> None:
    """Keep kernels in a folder for temporary files, and make none elsewhere, where there is no home."""
    environment = {
        k: v for k, v in os.environ.items() if k not in ("HOME", "STOSS_CACHE_DIR", "XDG_CACHE_HOME")
    }
    code = "import os.path\nos.path.expanduser = lambda path: path  # as for a user without an entry\n" + RUN
    words = [sys.executable, "-c", code]
    environment |= {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[3])}
    for expected in ([0, 1], [1, 0]):
        done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert hits(done) == expected
    assert [path.name.split("-")[0] for path in tmp_path.iterdir()] == ["stoss"]


def test_a_disk_that_becomes_full(tmp_path: Path) -> None:
    """Go on without keeping anything, and say so in one line, when the disk is full meanwhile."""
    before = """
import errno, os
def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
os.replace = full
"""
    done = run(small_kernels(tmp_path, 3, before), tmp_path / "cache")
    assert hits(done) == [0, 3]
    assert done.stderr.count("\n") == 1 and "the disk is full" in done.stderr
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


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
    """End soon after Ctrl-C while workers compile, one of them a long kernel, and keep what was done."""
    code = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background\n"
        "import stoss.engine\n"
        "from stoss.collision.kernels.prepare import needed, prepare\n"
        "ones = sorted(needed(), key=lambda kernel: kernel.cost)\n"
        "prepare([ones[-1], *ones[:9]], 2, lambda done, total, name: print(done, flush=True))"
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


def test_global_names_are_those_that_dis_tells() -> None:
    """Find the same names in every function of this package, with hundreds of names in some."""
    many = "\n".join(f"    name_{k} + module.field_{k}" for k in range(700))
    code = compile(f"def f():\n{many}\n", "many", "exec").co_consts[0]
    codes = [code, *(kernel.function.__code__ for kernel in KERNELS.values())]
    for code in codes:
        told = dis.get_instructions(code)
        names = {str(one.argval) for one in told if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
        assert cache._globals_of(code) == names
    assert len(codes) > 100
