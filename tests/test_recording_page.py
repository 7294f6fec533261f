"""The programs of docs/recording.md run as they stand, are short, and give what theory says."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoss as st

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "recording.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)
PROGRAMS = {block.split("\n")[0][2:]: block for block in BLOCKS if block.startswith("# ")}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Work in a folder of one's own."""
    monkeypatch.chdir(tmp_path)


def run(name: str) -> dict[str, Any]:
    """Run a program, which must be short, and return its names."""
    lines = [line for line in PROGRAMS[name].splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) <= 20
    names: dict[str, Any] = {}
    exec(compile(PROGRAMS[name], f"recording.md, {name}", "exec"), names)
    return names


def test_all_programs_are_tried():
    """Have a test for each block of Python."""
    assert len(BLOCKS) == len(PROGRAMS) and set(PROGRAMS) == {"first", "phase", "pandas", "continue", "film"}


def test_the_first_program_records_and_plots(capsys):
    """Keep 3 s of the ragdoll, and draw them."""
    run("first")
    text = capsys.readouterr().out
    assert "samples up to 1.5 s, finished" in text and "(76, 3) J" in text
    assert Path("fall.png").read_bytes().startswith(b"\x89PNG")


def test_a_pendulum_has_a_phase_portrait():
    """Draw five orbits on which the energy of a rod on a hinge is constant; the last goes over the top."""
    names = run("phase")
    assert "<svg" in Path("phase.svg").read_text()
    runs = {**names["runs"]}
    assert len(runs) == 4
    inertia, weight = (1.0**2 + 0.05**2) / 12 + 0.25, 9.81
    for name, recording in runs.items():
        angle, rate = recording["joint.pivot.angle"], recording["joint.pivot.angle.rate"]
        energy = 0.5 * inertia * rate**2 - weight * 0.5 * np.cos(angle)
        # of order 2 in the step
        assert np.ptp(energy) < 1e-3 * weight, name
        assert rate[0] == pytest.approx(float(name.split()[0]))
        turns = abs(angle).max() > np.pi
        assert turns == (0.5 * inertia * rate[0] ** 2 > weight)


def test_a_recording_becomes_a_frame(capsys):
    """Give pandas the columns, and lose energy in impacts."""
    pytest.importorskip("pandas")
    names = run("pandas")
    frame = names["frame"]
    assert len(frame) == 201 and "half of the loss by" in capsys.readouterr().out
    assert Path("bounce.csv").read_text().startswith("time,energy.kinetic")
    assert (np.diff(frame["energy.total"]) < 1e-9).all()


def test_a_saved_run_is_continued(capsys):
    """Give the numbers of a run that was never stopped, to the bit."""
    run("continue")
    assert "201 samples up to 2 s, finished" in capsys.readouterr().out
    found = st.Recording.load("chain.npz")
    world = st.SCENES["chain"].build(bodies=10)
    with st.Recorder(world, ["energy.*", "joint.*.force"]) as recorder:
        world.step(200)
    for name in found.columns:
        np.testing.assert_array_equal(found[name], recorder.recording[name])


def test_a_film_of_a_crane_that_moves(capsys):
    """Film the crane while it begins to turn, and plot the same time."""
    names = run("film")
    content = Path("crane.mp4").read_bytes()
    assert content[4:8] == b"ftyp" and len(content) > 2000
    assert Path("crane.png").read_bytes().startswith(b"\x89PNG")
    recording = names["recording"]
    assert recording.time[-1] == pytest.approx(2.9) and len(recording) == 59  # thirty pictures from 0 on
    world = names["world"]
    assert recording["joint.slew.angle"][-1] == world.joint("slew").value > 0.05
