"""`stoss run --record` and `stoss plot`: channels on the command line, and those that a model asks for."""

from pathlib import Path

import numpy as np
import pytest

import stoss as st
from stoss.command_line.main import main

MODEL = """
[world]
time_step = 0.01

[record]
duration = 0.2
every = 0.05
channels = ["coordinate.swing", "coordinate.swing.rate", "energy.total"]

[bodies.rod]
position = [0, 0, -0.5]
mass = 1.0
shapes = [{ type = "box", size = [0.1, 0.1, 1.0] }]
angular_velocity = [0, 1, 0]
velocity = [-0.5, 0, 0]

[joints.pivot]
type = "hinge"
second = "rod"
point = [0, 0, 0]
axis = [0, 1, 0]

[coordinates.swing]
joint = "pivot"
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Work in a folder of one's own."""
    monkeypatch.chdir(tmp_path)


def test_run_records_channels(capsys):
    """Write what is asked for, and how often, by steps or by time; energies where nothing is said."""
    words = ["run", "stack", "--bodies", "2", "--duration", "0.2", "--record", "r.npz"]
    assert main(words) == 0
    assert "recording of 3 columns written to r.npz" in capsys.readouterr().err
    recording = st.Recording.load("r.npz")
    assert (
        recording.channels == ("energy.kinetic", "energy.potential", "energy.total") and len(recording) == 21
    )
    assert recording.parameters["bodies"] == 2 and recording.title == "stack"
    for every, count in (("5", 5), ("0.05", 5), ("0.1s", 3), ("0.04", 6)):
        channels = ["--channels", "body.*.position.z", "world.contacts", "--every", every, "--quiet"]
        assert main([*words, *channels]) == 0
        recording = st.Recording.load("r.npz")
        assert len(recording) == count and "world.contacts" in recording
        world = st.SCENES["stack"].build(bodies=2)
        world.step(20)
        name = world.bodies[-1].name
        assert recording[f"body.{name}.position.z"][-1] == world.bodies[-1].position[2]


def test_both_files_of_a_run_take_an_interval(capsys):
    """Keep the motion too, in steps of the same interval."""
    words = ["run", "stack", "--duration", "0.2", "--record", "r.npz", "--save", "m.npz", "--every", "0.05"]
    assert main(words) == 0
    with np.load("m.npz") as motion:
        np.testing.assert_allclose(motion["times"], st.Recording.load("r.npz").time)


def test_a_model_says_what_is_recorded(capsys):
    """Record what the model asks for into a file of its name, under the names of joints."""
    Path("rod.toml").write_text(MODEL)
    assert main(["run", "rod.toml"]) == 0
    assert "recording of 3 columns, as the model says, written to rod.npz" in capsys.readouterr().err
    recording = st.Recording.load("rod.npz")
    assert recording.channels == ("joint.pivot.angle", "joint.pivot.angle.rate", "energy.total")
    np.testing.assert_allclose(recording.time, [0.0, 0.05, 0.1, 0.15, 0.2], atol=1e-12)
    assert recording["joint.pivot.angle.rate"][0] == pytest.approx(1.0)
    assert (
        main(["run", "rod.toml", "--record", "own.npz", "--channels", "energy.kinetic", "--every", "1"]) == 0
    )
    own = st.Recording.load("own.npz")
    assert own.channels == ("energy.kinetic",) and len(own) == 21


def test_plot_lists_and_draws(capsys):
    """List channels with units, draw pictures in three formats, of several runs, phases and histograms."""
    for file, bodies in (("a.npz", "2"), ("b.npz", "3")):
        words = ["run", "stack", "--bodies", bodies, "--duration", "0.2", "--record", file, "--channels", "*"]
        assert main([*words, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["plot", "a.npz"]) == 0
    text = capsys.readouterr().out
    assert "a: 21 samples up to 0.2 s, finished" in text and "energy.total" in text and "[J]" in text
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    for suffix, begin in begins.items():
        assert main(["plot", "a.npz", "b.npz", "energy.*", "momentum", "--out", f"p{suffix}"]) == 0
        content = Path(f"p{suffix}").read_bytes()
        assert content.startswith(begin) and f"written to p{suffix}" in capsys.readouterr().err
        if suffix == ".svg":
            again = Path("q.svg")
            assert main(["plot", "a.npz", "b.npz", "energy.*", "momentum", "--out", str(again)]) == 0
            assert again.read_bytes() == content
    assert main(["plot", "a.npz", "energy.kinetic", "energy.total", "--phase", "--quiet"]) == 0
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", "a.npz", "--histogram", "--out", "h.png", "--title", "forces"]) == 0


@pytest.mark.parametrize(
    "words, told",
    [
        (["plot", "energy.total"], "name the file first"),
        (["plot", "none.npz", "energy.total"], "none.npz is not there"),
        (["plot", "r.npz", "energy.totl"], "did you mean energy.total"),
        (["plot", "r.npz", "energy.total", "--out", "p.gif"], "does not end in .png or .svg or .pdf"),
        (["plot", "r.npz", "energy.total", "--phase"], "pairs of channels, x and y, not 1"),
        (["plot", "r.npz", "r.npz", "energy.total"], "named twice"),
        (["plot", "r.npz", "--histogram"], "no channel of the recording fits"),
        (["plot", "r.npz", "energy.*", "--phase", "--histogram"], "exclude each other"),
        (["plot", "m.npz", "energy.*"], "stoss replay"),
        (["replay", "r.npz"], "it is a recording of channels: stoss plot draws it"),
        (["run", "stack", "--channels", "energy.*"], "say where to"),
        (["run", "stack", "--record", "x.csv"], "does not end in .npz"),
        (["run", "stack", "--record", "x.npz", "--channels", "energy.totl"], "did you mean energy.total"),
        (["run", "stack", "--record", "x.npz", "--save", "x.npz"], "is the file of --save"),
        (["run", "stack", "--record", "x.npz", "--every", "0.0001"], "every = 0.0001 s is less than a step"),
    ],
)
def test_wrong_words_are_told(words, told, capsys):
    """Say in one line what is wrong, and write nothing."""
    run = ["run", "stack", "--bodies", "1", "--duration", "0.05", "--quiet"]
    assert main([*run, "--record", "r.npz", "--save", "m.npz"]) == 0
    capsys.readouterr()
    assert main(words) == 2
    error = capsys.readouterr().err.strip()
    assert told in error and "\n" not in error
    assert not Path("x.npz").exists() and not Path("p.gif").exists()
