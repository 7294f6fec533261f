"""Signals end a command with one line at any moment, and keep what was recorded."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stoss.command_line.interrupts import Interruption, exit_code_of, with_something_to_keep
from stoss.command_line.main import main
from stoss.engine import World
from stoss.scenes.running.trajectory import load_trajectory

ROOT = Path(__file__).parents[2]


def started(*words: object) -> "subprocess.Popen[str]":
    """Start the command as a program of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "stoss", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def test_ctrl_c_is_told_in_one_line_from_the_first_import_on():
    """End with 130 and one line whenever Ctrl-C comes: while Python loads modules, builds, and runs."""
    words = ["run", "stack", "--bodies", "3", "--duration", "1000", "--json"]
    moments: set[str] = set()
    for delay in (0.04, 0.07, 0.1, 0.15, 0.25, 0.4, 0.7):
        process = started(*words)
        # Before our first import nothing of ours is there to take the signal: wait until it runs.
        _until_loaded(process.pid)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        lines = err.strip().splitlines()
        assert process.returncode == 130, err
        assert len(lines) == 1 and lines[0].startswith("stoss: interrupted"), err
        moments.add("running" if out else "loading")
    assert "loading" in moments


def _until_loaded(process: int) -> None:
    """Wait until a process handles SIGINT by a function of Python, as the first thing that it does."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        text = Path(f"/proc/{process}/status").read_text()
        caught = int(text.split("SigCgt:")[1].split()[0], 16)
        if caught >> (signal.SIGTERM - 1) & 1:  # which Python itself leaves alone
            return
        time.sleep(0.002)
    raise AssertionError("the command did not begin")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_signals_keep_the_recording(tmp_path, number, code):
    """Tell the report and write the motion of all steps that were made."""
    path = tmp_path / "motion.npz"
    process = started("run", "stack", "--bodies", "2", "--duration", "10000", "--json", "--save", path)
    _until_loaded(process.pid)
    time.sleep(1.5)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code and err.count("\n") == 1, err
    if out:  # else it had not come to its first step yet
        report = json.loads(out)
        assert report["saved"] == str(path)
        motion = load_trajectory(path)
        assert motion.times[-1] == report["time"] and len(motion.times) == round(report["time"] / 0.01) + 1


def test_terminated_run_keeps_its_motion(tmp_path, capsys, monkeypatch):
    """Return 143, with report and motion, when SIGTERM comes at a step."""
    step = World.step

    def terminated(self, n=1):
        if self.step_count == 5:
            os.kill(os.getpid(), signal.SIGTERM)
        return step(self, n)

    monkeypatch.setattr(World, "step", terminated)
    path = tmp_path / "motion.npz"
    assert main(["run", "stack", "--bodies", "1", "--duration", "1", "--json", "--save", str(path)]) == 143
    told = capsys.readouterr()
    assert "told to end at 0.0" in told.err and "Traceback" not in told.err
    assert len(load_trajectory(path).times) == json.loads(told.out)["steps"] + 1
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_handlers_of_others_stay():
    """Leave handlers alone that a program has set for itself, and give back those of Python."""
    # whoever runs the tests in the background lets them ignore SIGINT
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    heard = []
    try:
        with with_something_to_keep(), pytest.raises(Interruption) as ended:
            signal.raise_signal(signal.SIGINT)
        assert exit_code_of(ended.value) == 130 and exit_code_of(KeyboardInterrupt()) == 130
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
        signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        with with_something_to_keep():
            signal.raise_signal(signal.SIGINT)
        assert heard == [1]
    finally:
        signal.signal(signal.SIGINT, old)


@pytest.mark.parametrize("where", ["stoss.command_line.run.build_world", "stoss.command_line.run.run_steps"])
def test_memory_that_is_used_up_is_told(capsys, monkeypatch, where):
    """Say in one line that there is no memory left, whether it went in building or in running."""

    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(where, full)
    assert main(["run", "stack", "--bodies", "1", "--json"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "the memory is used up" in told and "fewer bodies" in told


def test_a_world_that_memory_does_not_hold_is_not_built(capsys, monkeypatch):
    """End the building before the machine's memory ends, and say how many bodies there were."""
    from stoss.command_line import building

    monkeypatch.setattr(building, "_REFRESH", 0.0)
    monkeypatch.setattr(building, "_RESERVE", 2.0)
    assert main(["run", "stack", "--bodies", "5"]) == 2
    assert "the memory is used up (1 bodies leave" in capsys.readouterr().err


def test_large_worlds_tell_how_far_they_are(capsys, monkeypatch):
    """Say while a world is built that it is, and how many bodies it got."""
    from stoss.command_line import building

    monkeypatch.setattr(building, "_REFRESH", 0.0)
    monkeypatch.setattr(building, "_PATIENCE", 0.0)
    assert main(["run", "stack", "--bodies", "5", "--duration", "0.01"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "building a large world" and told[1].startswith("built 6 bodies in 0 s")


def test_motion_is_kept_by_another_name(tmp_path, capsys, monkeypatch):
    """Write the motion elsewhere when its folder is gone at the end, say where, and overwrite nothing."""
    here = tmp_path / "here"
    gone = tmp_path / "gone"
    here.mkdir()
    gone.mkdir()
    (here / "m.npz").write_text("another")
    monkeypatch.chdir(here)
    step = World.step

    def removing(self, n=1):
        if gone.exists():
            gone.rmdir()
        return step(self, n)

    monkeypatch.setattr(World, "step", removing)
    words = ["run", "stack", "--bodies", "1", "--duration", "0.03", "--json", "--save", str(gone / "m.npz")]
    assert main(words) == 2
    told = capsys.readouterr()
    kept = here / "m-1.npz"
    assert (
        f"m.npz cannot be written: its folder is not there; make it first; what was to be there is in {kept}"
        in told.err
    )
    assert told.err.count("\n") == 1 and json.loads(told.out)["saved"] == str(kept)
    assert len(load_trajectory(kept).times) == 4 and (here / "m.npz").read_text() == "another"
