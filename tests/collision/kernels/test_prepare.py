"""Compile ahead: with workers, with progress, only what is missing, whatever happens to a worker."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stoss.collision.kernels.decorators import LISTENERS
from stoss.collision.kernels.prepare import all_kernels, needed, prepare, watch

SMALL = (
    "import stoss.engine\n"
    "from stoss.collision.kernels.decorators import KERNELS\n"
    "names = 'collision.contacts.free_small_faces', 'engine.bodies.energy.bad_bodies',"
    " 'engine.contacts.events.compare_pairs', 'engine.stages.contact_free.move'\n"
    "kernels = [k for n, k in KERNELS.items() if n.removeprefix('stoss.') in names]\n"
)


def run(code: str, folder: Path) -> list[str]:
    environment = os.environ | {"STOSS_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", SMALL + code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_workers_compile_what_is_missing(tmp_path: Path) -> None:
    """Compile each kernel once, tell how far it is, and find all of them the second time."""
    code = (
        "from stoss.collision.kernels.prepare import prepare\n"
        "seen = []\n"
        "r = prepare(kernels, workers=2, progress=lambda *a: seen.append(a))\n"
        "print(len(kernels), r.compiled, r.loaded, [a[0] for a in seen], {a[1] for a in seen})\n"
        "print(all(not k.is_ready and k.is_kept for k in kernels))\n"
    )
    assert run(code, tmp_path) == ["4 4 0 [0, 1, 2, 3, 4] {4}", "True"]
    assert run(code, tmp_path)[0] == "4 0 4 [] set()"


def test_workers_that_fail_are_done_without(tmp_path: Path) -> None:
    """Compile here, with one line that says why, what a worker could not."""
    code = (
        "from stoss.collision.kernels import prepare as p\n"
        "import subprocess, sys\n"
        "p._start_worker = lambda: subprocess.Popen([sys.executable, '-c', 'pass'],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n"
        "r = p.prepare(kernels, workers=2)\n"
        "print(r.compiled, all(k.is_kept for k in kernels))\n"
    )
    assert run(code, tmp_path) == ["4 True"]


def test_a_kernel_with_an_error_raises_it(tmp_path: Path) -> None:
    """Raise the compiler's own error of a kernel that cannot be compiled."""
    code = (
        "from stoss.collision.kernels.decorators import kernel\n"
        "from stoss.collision.kernels.prepare import prepare\n"
        "@kernel\n"
        "def wrong(x: float) -> float:\n"
        "    return x.colour\n"
        "try:\n"
        "    prepare([wrong, *kernels], workers=1)\n"
        "except Exception as error:\n"
        "    print(type(error).__name__)\n"
    )
    assert run(code, tmp_path) == ["TypingError"]


def test_features_leave_kernels_out() -> None:
    """Name the kernels of a feature with it alone; all of them are found by `all_kernels`."""
    kernels = all_kernels()
    features = {kernel.feature for kernel in kernels}
    assert {"", "joints", "convex", "mesh", "sleeping", "queries"} <= features
    plain, jointed = needed(), needed(["joints"])
    assert {k.feature for k in jointed} - {k.feature for k in plain} == {"joints"}
    assert set(needed(features)) == set(kernels)


def test_prepare_rejects_no_workers() -> None:
    """Refuse a number of processes below one."""
    with pytest.raises(ValueError, match="workers = 0"):
        prepare([], workers=0)


def test_listeners_come_and_go() -> None:
    """Call those who watch as long as they do."""
    with watch(lambda *_: None):
        assert len(LISTENERS) == 1
    assert not LISTENERS


def test_two_processes_share_the_work(tmp_path: Path) -> None:
    """Compile each kernel in one of two processes that begin together; both end with all of them."""
    code = "from stoss.collision.kernels.prepare import prepare\nr = prepare(kernels)\n"
    environment = os.environ | {"STOSS_CACHE_DIR": str(tmp_path)}
    words = [sys.executable, "-c", SMALL + code + "print(r.compiled, r.loaded)"]
    both = [subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [[int(word) for word in process.communicate()[0].split()] for process in both]
    assert sorted(answers) == [[0, 4], [4, 0]]
