"""Commands take the file of a model where they take a scene."""

import json
import re
from pathlib import Path

import pytest

import stoss as st
from stoss.command_line.main import main
from stoss.scenes.registry import find_scene, is_model_file

MODEL = """
name = "two boxes"
[params]
gap = 0.01
[world]
time_step = 0.005
[world.settings]
sweeps = 22
[record]
duration = 0.5
[camera]
azimuth = "deg(90)"
[bodies.ground]
kind = "static"
shapes = [{ type = "half_space" }]
[bodies.low]
shapes = [{ type = "box", size = [1, 1, 1] }]
position = [0, 0, "0.5 + gap"]
[bodies.high]
shapes = [{ type = "box", size = [1, 1, 1] }]
position = [0, 0, "1.5 + gap - 0.001"]
[joints.rail]
type = "slider"
second = "low"
point = [0, 0, 0]
axis = [0, 0, 1]
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "two.toml"
    path.write_text(MODEL)
    return str(path)


def test_run_takes_a_model(model, capsys):
    """Run for the time that the model says, with its time step, settings and parameters."""
    assert main(["run", model, "--json", "--param", "gap=0.2"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["steps"] == 100 and report["parameters"] == {"gap": 0.2}
    scene = find_scene(model)
    assert (
        scene.build().settings.sweeps == 22 and scene.view[0] == pytest.approx(90) and scene.duration == 0.5
    )
    world = scene.build(gap=0.2, time_step=0.01)
    assert world.body("low").position[2] == 0.7 and world.time_step == 0.01


def test_check_says_what_is_in_a_model(model, capsys):
    """Tell bodies, mass, degrees of freedom, and what overlaps at the start."""
    assert main(["check", model]) == 0
    text = capsys.readouterr().out
    assert "1 static" in text and "2 dynamic" in text and "2000 kg" in text
    assert "degrees of freedom: 7" in text and "low" in text and "0.001 m" in text
    assert main(["check", model, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["degrees_of_freedom"] == 7


@pytest.mark.parametrize("suffix", ["toml", "json", "xml"])
def test_convert_writes_another_format(model, suffix, tmp_path, capsys):
    """Write a model that is equal; a format that is none is refused."""
    out = tmp_path / f"out.{suffix}"
    assert main(["convert", model, str(out)]) == 0
    assert st.Model.load(out) == st.Model.load(model)
    assert is_model_file(str(out))
    assert main(["convert", model, str(tmp_path / "out.png")]) == 2
    assert ".toml" in capsys.readouterr().err


def test_bench_measures_a_model(model, capsys):
    """Measure it with its own time step and settings."""
    assert main(["bench", model, "--steps", "5", "--quiet"]) == 0
    assert "two.toml" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--param", "gapp=1"], "gapp.*did you mean gap"),
        (["--param", "gap"], "NAME=VALUE"),
        (["--param", "gap=wide"], "gap is 'wide'"),
        (["--param", "gap=nan"], "finite"),
    ],
)
def test_wrong_parameters_are_told_in_one_line(model, words, told, capsys):
    """Name parameter, value and cure, with exit code 2."""
    assert main(["run", model, *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and re.search(told, error)


@pytest.mark.parametrize("command", ["run", "check", "bench"])
def test_a_broken_model_is_told_in_one_line(command, tmp_path, capsys):
    """Say file, line and cure."""
    path = tmp_path / "broken.toml"
    path.write_text(MODEL.replace("point =", "pont ="))
    assert main([command, str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "broken.toml:" in error and "did you mean point" in error


def test_a_session_is_no_model(tmp_path):
    """Tell a session of the window in JSON from a model in JSON."""
    session = tmp_path / "session.json"
    session.write_text('{"format": 1, "scene": "stack"}')
    assert not is_model_file(str(session)) and not is_model_file("motion.npz") and is_model_file("x.urdf")
