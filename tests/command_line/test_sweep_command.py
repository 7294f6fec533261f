"""`stoss sweep`, `stoss run --out` and `stoss compare`: runs in folders, and what differs between two."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from stoss.command_line.main import main
from stoss.scenes.experiments import SweepTable, compare_runs
from tests.command_line.test_interrupts import started
from tests.command_line.test_saving import full_disk

STACK = ["stack", "--bodies", "2", "--duration", "0.05"]
SWEEP = ["sweep", "stack", "--grid", "bodies=2,3", "--grid", "friction=0.2:0.6:3", "--duration", "0.05"]
HEIGHT = ["--metric", "tests.scenes.sweep_builders:height"]


def test_a_sweep_is_told_and_kept(tmp_path, capsys, monkeypatch):
    """Print one table, keep each run and the table, and tell where; make nothing twice."""
    monkeypatch.chdir(tmp_path)
    assert main([*SWEEP, *HEIGHT, "--workers", "1", "--table", "t.npz"]) == 0
    told = capsys.readouterr()
    head, *rows = told.out.splitlines()
    assert head.split() == ["bodies", "friction", "height"] and len(rows) == 6
    assert rows[3].split() == ["3", "0.2", "2.5"]
    assert told.err.endswith("6 runs, 0 of them failed, kept in sweeps/stack; table in t.npz\n")
    table = SweepTable.load("t.npz")
    assert table["friction"].tolist() == [0.2, 0.4, 0.6] * 2
    for run in table["run"]:
        files = sorted(path.name for path in (tmp_path / "sweeps" / "stack" / run).iterdir())
        assert files == ["log.txt", "result.json", "run.json"]
    assert main([*SWEEP, *HEIGHT, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again == list(table)
    assert len((tmp_path / "sweeps" / "stack" / "table.csv").read_text().splitlines()) == 7


def test_failed_runs_are_told(tmp_path, capsys, monkeypatch):
    """Return 1 and show the reasons when runs fail; make them anew with --again alone."""
    monkeypatch.chdir(tmp_path)
    words = ["sweep", "stack", "--grid", "bodies=0,2", "--duration", "0.02", "--out", "kept"]
    assert main(words) == 1
    told = capsys.readouterr()
    assert "failed  bodies is 0; give" in told.out and "1 of them failed" in told.err
    assert main(words) == 1
    assert "2 of 2 runs are there already" in capsys.readouterr().err
    assert main([*words, "--again"]) == 1
    assert "1 of 2 runs are there already" in capsys.readouterr().err


def test_settings_and_steps_are_varied(tmp_path, capsys, monkeypatch):
    """Vary solver, a setting and the time step as well as parameters; give the rest by the usual options."""
    monkeypatch.chdir(tmp_path)
    varied = ("solver=direct,gauss_seidel", "time_step=0.01,0.005", "sleeping=true")
    words = [word for one in varied for word in ("--grid", one)]
    assert main(["sweep", *STACK, *words, "--friction", "0.3", "--workers", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["solver"], row["steps"], row["sleeping"]) for row in rows] == [
        (solver, steps, True) for solver in ("direct", "gauss_seidel") for steps in (5, 10)
    ]
    record = json.loads((Path("sweeps/stack") / rows[3]["run"] / "run.json").read_text())
    assert record["parameters"]["friction"] == 0.3 and record["settings"]["solver"] == "gauss_seidel"


def test_ctrl_c_keeps_what_is_done(tmp_path, monkeypatch):
    """End with 130 and one line that says how many runs are kept; the same command goes on."""
    out = ["--out", str(tmp_path / "kept")]
    words = ["sweep", "stack", "--grid", "seed=0:299:300", "--duration", "0.05", *out]
    process = started(*words)
    while len([*(tmp_path / "kept" / "runs").glob("*/result.json")]) < 3:
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == "", err
    assert err.count("\n") == 1 and " of 300 runs are kept in " in err and "the same command goes on" in err
    done = int(err.split(": ")[2].split()[0])
    kept = len([*(tmp_path / "kept" / "runs").glob("*/result.json")])
    assert done <= kept <= done + 1 < 300  # it may come when one is kept but not yet counted
    assert len((tmp_path / "kept" / "table.csv").read_text().splitlines()) == done + 1


def test_a_run_is_kept_in_a_folder(tmp_path, capsys):
    """Keep what was run, report, motion, log; compare equal runs as equal, with exit code 0."""
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        assert main(["run", *STACK, "--out", str(folder), "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert sorted(path.name for path in folder.iterdir()) == [
            "channels.npz", "log.txt", "motion.npz", "result.json", "run.json",
        ]  # fmt: skip
        result = json.loads((folder / "result.json").read_text())
        assert result["status"] == "finished" and result["report"]["state_hash"] == report["state_hash"]
        assert (folder / "log.txt").read_text().endswith(" finished\n")
    assert main(["compare", str(one), str(other)]) == 0
    told = capsys.readouterr().out
    assert "the same state, bit for bit" in told and "versions: the same" in told
    # position and orientation of two cubes and the ground, and three energies
    assert "recorded: 9 in both, 0 differ" in told
    assert main(["replay", str(one / "run.json")]) == 2  # it is no session


def test_what_differs_is_told(tmp_path, capsys):
    """Name parameters, settings, the largest differences with their times, and when they begin."""
    one, other = tmp_path / "one", tmp_path / "other"
    fall = ["run", "drop", "--bodies", "1", "--duration", "0.1"]
    assert main([*fall, "--out", str(one)]) == 0
    assert main([*fall, "--out", str(other), "--solver", "direct", "--seed", "3", "--time-step", "0.02"]) == 0
    capsys.readouterr()
    found = compare_runs(one, other)
    assert not found.same
    assert found.inputs == {"seed": (0, 3), "time_step": (0.01, 0.02), "settings.solver": ("auto", "direct")}
    apart = {one.name: one for one in found.differences}
    # it falls, which is exact for each step, and turns evenly from another beginning
    assert apart["cube 0 position"].largest == 0.0 and apart["cube 0 position"].unit == "m"
    turned = apart["cube 0 orientation"]
    assert 0.1 < turned.largest < np.pi and turned.unit == "rad" and found.first_time == 0.0
    assert found.left_out == tuple(
        f"5 samples of {what} at times that only one has" for what in ("motions", "channels")
    )
    assert main(["compare", str(one), str(other), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["inputs"]["seed"] == [0, 3]
    assert main(["compare", str(one), str(other)]) == 1
    told = capsys.readouterr().out
    assert "settings.solver: auto and direct\n" in told and "different states" in told


def test_runs_that_do_not_end_well_are_kept(tmp_path, capsys, monkeypatch):
    """Keep a run that the engine stopped, and one that was interrupted, with the reason."""
    from stoss.engine import SimulationError, World

    step = World.step
    for error, status, code in (
        (SimulationError("it ran away", 3, "cube 1", None), "diverged", 1),
        (KeyboardInterrupt("at 0.03 s"), "interrupted", 130),
    ):

        def fails(world, error=error):
            if world.step_count == 3:
                raise error
            return step(world)

        monkeypatch.setattr(World, "step", fails)
        assert main(["run", *STACK, "--out", str(tmp_path / "run"), "--quiet"]) == code
        result = json.loads((tmp_path / "run" / "result.json").read_text())
        assert result["status"] == status and result["report"]["steps"] == 3
        assert result["reason"] and result["reason"].split()[-1] in capsys.readouterr().err


def test_a_full_disk_is_told(tmp_path, capsys, monkeypatch):
    """Tell the report, one line about the disk, and return 2; leave no folder that looks like a run."""
    folder = tmp_path / "run"
    assert main(["run", *STACK, "--out", str(folder), "--json"]) == 0
    monkeypatch.setattr(os, "fsync", full_disk)
    capsys.readouterr()
    assert main(["run", *STACK, "--out", str(folder), "--json"]) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["steps"] == 5
    assert told.err.count("\n") == 1 and "the disk is full" in told.err
    assert main(["compare", str(folder), str(folder)]) == 2
    assert main([*SWEEP, "--workers", "1", "--out", str(tmp_path / "sweep"), "--quiet"]) == 2
    assert "the disk is full" in capsys.readouterr().err
    monkeypatch.undo()
    assert main([*SWEEP, "--workers", "1", "--out", str(tmp_path / "sweep"), "--quiet"]) == 0


def test_damaged_runs_are_named(tmp_path, capsys):
    """Name the file of a run that cannot be read."""
    assert main(["run", *STACK, "--out", str(tmp_path / "run"), "--quiet"]) == 0
    for name in ("run.json", "result.json", "motion.npz"):
        path = tmp_path / "run" / name
        content = path.read_bytes()
        path.write_bytes(b"{}" if name.endswith("json") else content[:100])
        capsys.readouterr()
        assert main(["compare", str(tmp_path / "run"), str(tmp_path / "run")]) == 2
        told = capsys.readouterr().err
        assert str(path) in told and told.count("\n") == 1
        path.write_bytes(content)
    assert main(["compare", str(tmp_path / "run"), str(tmp_path / "run")]) == 0


def test_a_sweep_needs_no_dask(tmp_path):
    """Run on all cores without Dask; name what to install for a scheduler."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('dask', 'distributed', 'pyarrow', 'pandas')))\n"
        "from stoss.command_line.main import main\n"
        "words = ['sweep', 'stack', '--grid', 'bodies=2,3', '--duration', '0.02']\n"
        "print(main(words), main([*words, '--scheduler', 'tcp://a:1']), "
        "main([*words, '--table', 't.parquet']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "0 2 2", done.stderr
    assert 'pip install "stoss[sweep]"' in done.stderr and 'pip install "pyarrow' in done.stderr
