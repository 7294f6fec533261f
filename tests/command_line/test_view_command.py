"""`stoss view`, `stoss replay`: sessions are checked without a window; no display gives one line, code 2."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.command_line import view
from stoss.command_line.main import main
from stoss.scenes.registry import SCENES
from stoss.scenes.running.trajectory import Recorder
from stoss.viewer.world.commands import Push
from stoss.viewer.world.session import Session
from stoss.viewer.world.stage import Stage


@pytest.fixture
def session(tmp_path) -> Path:
    stage = Stage(SCENES["stack"].build(bodies=3, time_step=0.01))
    stage.replay([(2, Push("cube 2", (0.0, 0.0, 2.5), (1.0, 0.0, 0.0)))], 10)
    path = tmp_path / "session.json"
    Session("stack", {"bodies": 3}, {}, 0.01, stage.log, 10, stage.world.state_hash()).write(path)
    return path


def test_a_session_is_checked_bit_for_bit(session, capsys):
    assert main(["replay", str(session), "--check"]) == 0
    assert "1 commands in 10 steps end in the same state" in capsys.readouterr().out
    record = json.loads(session.read_text())
    record["commands"][0][1]["impulse"][0] += 1e-9
    session.write_text(json.dumps(record))
    assert main(["replay", str(session), "--check"]) == 1
    assert "another state" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, parts",
    [
        (["replay"], ["FILE"]),
        (["replay", "/no/such/run.npz"], ["/no/such/run.npz", "--save run.npz"]),
        (["view", "stak"], ["'stak'", "did you mean stack?"]),
        (["view", "stack", "--size", "10x10"], ["--size", "1280x720"]),
        (["view", "stack", "--quality", "best"], ["--quality", "'best'", "high"]),
        (["view", "stack", "--bodies", "0"], ["bodies is 0"]),
        (["view", "stack", "--overlays", "contacts,name"], ["--overlays", "'name'", "joint_names"]),
        (["view", "stack", "--panels", "plots,Bodies"], ["--panels", "'Bodies'", "Statistics"]),
        (["view", "stack", "--view", "above"], ["--view", "'above'", "top", "-60,20"]),
    ],
)
def test_mistakes_get_one_line_and_code_2(capsys, words, parts):
    assert main(words) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    for part in parts:
        assert part in line


@pytest.mark.parametrize("name, text", [("run.npz", "no archive"), ("run.json", "{"), ("run.npz", "")])
def test_broken_files_get_one_line_and_code_2(capsys, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert main(["replay", str(path)]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and name in line


@pytest.mark.parametrize("words", [["view"], ["view", "stack", "--bodies", "2"]])
def test_without_a_display_one_line_names_the_cure(words):
    environment = {
        key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    done = subprocess.run(
        [sys.executable, "-m", "stoss", *words], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 2
    told = [line for line in done.stderr.splitlines() if "compiling kernels" not in line]
    assert len(told) == 1, done.stderr
    assert "stoss render" in told[0] and "xvfb-run" in told[0]


@pytest.fixture
def benches(monkeypatch) -> list:
    """Return the workbenches of windows that close as soon as their world is there."""
    seen = []

    class Sham:
        def __init__(self, bench, quality, title, shell):
            bench.simulation.wait(60.0)
            bench.refresh()
            seen.append(bench)

        def run(self):
            pass

    monkeypatch.delenv("DISPLAY", raising=False)  # no real one stands behind it
    monkeypatch.setattr(view, "Window", Sham)
    return seen


@pytest.mark.parametrize("words", [["view", "crane"], ["replay", "run.npz"]])
def test_a_window_begins_with_what_the_options_ask_for(words, benches, monkeypatch, tmp_path):
    """Open panels and overlays, look from above, and show a motion as its scene is shown."""
    monkeypatch.chdir(tmp_path)
    Recorder(SCENES["pile"].build(bodies=2), about={"scene": "pile"}).write("run.npz")
    assert main([*words, "--overlays", "contacts,names", "--panels", "plots", "--view", "top"]) == 0
    (bench,) = benches
    assert bench.overlays.contacts and bench.overlays.names and not bench.overlays.joints
    assert bench.panels["Plots"]
    assert bench.camera.elevation == pytest.approx(1.5708, abs=1e-4)
    if words[0] == "replay":
        assert bench.glass == set(SCENES["pile"].see_through) and bench.glass
        assert bench.scene is SCENES["pile"]


@pytest.mark.parametrize(
    "words, seen", [([], {"ground"}), (["--see-through", ""], set()), (["--see-through=c*0"], {"cube 0"})]
)
def test_glass_that_is_named_replaces_that_of_the_scene(words, seen, benches, monkeypatch):
    """Begin with the bodies like glass that the words name; without words with those of the scene."""
    monkeypatch.setitem(SCENES, "stack", dataclasses.replace(SCENES["stack"], see_through=("ground",)))
    assert main(["view", "stack", "--bodies", "2", "--paused", *words]) == 0
    assert [bench.glass for bench in benches] == [seen]


def test_a_window_does_not_wait_for_what_it_seldom_needs():
    """Import scipy, trimesh and matplotlib only when somebody asks for hulls, meshes or plots."""
    wanted = "{'scipy.spatial', 'scipy.linalg', 'scipy.integrate', 'trimesh', 'matplotlib'}"
    program = f"import sys, stoss.scenes, stoss.viewer.window.window; print({wanted} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
