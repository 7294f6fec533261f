"""Files of commands are the older or the new one, whole, and a run tells its report whatever happens."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from stoss.command_line.main import main
from stoss.scenes.running.trajectory import load_trajectory

WORDS = ["run", "stack", "--bodies", "2", "--duration", "0.05", "--json", "--save"]


def full_disk(*_: object) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_report_is_told_when_the_motion_cannot_be_saved(tmp_path, capsys, monkeypatch):
    """Print the report, one line about the disk, return 2, and keep the older motion."""
    path = tmp_path / "motion.npz"
    assert main([*WORDS, str(path)]) == 0
    older = path.read_bytes()
    assert json.loads(capsys.readouterr().out)["saved"] == str(path)
    monkeypatch.setattr(os, "fsync", full_disk)
    assert main([*WORDS, str(path)]) == 2
    told = capsys.readouterr()
    report = json.loads(told.out)
    assert report["saved"] is None and report["steps"] == 5
    assert told.err.count("\n") == 1 and f"{path} cannot be written: the disk is full" in told.err
    assert path.read_bytes() == older and [*tmp_path.iterdir()] == [path]


def test_interrupt_while_saving(tmp_path, capsys, monkeypatch):
    """Print the report, return 130, and keep the older motion when Ctrl-C comes while the file is written."""
    path = tmp_path / "motion.npz"
    path.write_bytes(b"older")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    assert main([*WORDS, str(path)]) == 130
    assert json.loads(capsys.readouterr().out)["saved"] is None
    assert path.read_bytes() == b"older" and [*tmp_path.iterdir()] == [path]


def test_table_is_told_when_figures_cannot_be_written(tmp_path, capsys, monkeypatch):
    """Print the table of `stoss bench`, then one line about the disk, and return 2."""
    path = tmp_path / "figures.json"
    path.write_text("older")
    monkeypatch.setattr(os, "fsync", full_disk)
    assert main(["bench", "stack50", "--steps", "2", "--quiet", "--json", str(path)]) == 2
    told = capsys.readouterr()
    assert "stack50" in told.out and told.err.count("\n") == 1 and "the disk is full" in told.err
    assert path.read_text() == "older"


def test_read_only_folder_is_refused_before_the_run(tmp_path, capsys, monkeypatch):
    """Refuse a folder that cannot be written before anything is computed, though the file itself could be."""
    path = tmp_path / "motion.npz"
    path.write_bytes(b"older")

    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr("stoss.command_line.run.build_world", lambda *_: pytest.fail("a world was built"))
    assert main([*WORDS, str(path)]) == 2
    error = capsys.readouterr().err
    assert "--save" in error and "its folder is read-only" in error and error.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("words", [["list"], ["cases", "--list"]])
def test_full_disk_behind_the_output(words):
    """Say in one line that the output cannot be written, and return 2."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "stoss", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "cannot be written: No space left on device" in done.stderr


_WRITER = """
import sys
import numpy as np
from stoss.files import replaced
k = 0
while True:
    k += 1
    with replaced(sys.argv[1]) as file:
        np.savez_compressed(file, all=np.full(200_000, k), number=np.array(k))
"""


def test_killed_writers_leave_a_whole_file(tmp_path):
    """Find a file that is whole after processes were killed while they wrote it again and again."""
    path = tmp_path / "numbers.npz"
    with path.open("wb") as file:
        np.savez_compressed(file, all=np.zeros(200_000), number=np.array(0))
    rng = random.Random(1)
    for _ in range(4):
        before = path.stat().st_ino
        process = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)])
        while path.stat().st_ino == before:  # until it has written one
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        with np.load(path, allow_pickle=False) as data:
            assert (data["all"] == data["number"]).all() and data["number"] > 0
        assert len([*tmp_path.iterdir()]) <= 2


def test_saved_motion_is_read_back(tmp_path, capsys):
    """Write over an older motion what is then read."""
    path = tmp_path / "motion.npz"
    for steps in (5, 3):
        assert main(["run", "stack", "--duration", f"{0.01 * steps}", "--quiet", "--save", str(path)]) == 0
        assert len(load_trajectory(path).times) == steps + 1
