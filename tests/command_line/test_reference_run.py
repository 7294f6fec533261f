"""`stoss run ... --reference` tells how far a run is from the reference."""

import json
from pathlib import Path

from stoss.command_line.main import main
from stoss.command_line.options.run_options import REFERENCES
from stoss.engine.reference import METHODS

ARM = str(Path(__file__).parents[2] / "examples" / "models" / "arm_with_drill.toml")


def test_a_run_beside_the_reference(capsys, tmp_path, monkeypatch):
    """Tell by how much bodies and joints are off, and let a finer step be off less: of order 2."""
    monkeypatch.chdir(tmp_path)  # where the model's recording goes
    found = []
    for step in ("0.01", "0.005"):
        words = [
            "run",
            ARM,
            "--duration",
            "0.4",
            "--time-step",
            step,
            "--json",
            "--reference",
            "--tolerance",
            "1e-8",
        ]
        assert main(words) == 0
        found.append(json.loads(capsys.readouterr().out)["reference"])
    assert all(one["status"] == "finished" and one["gap"] < 1e-6 and not one["touched"] for one in found)
    assert 1e-7 < found[1]["largest_distance"] < 0.3 * found[0]["largest_distance"] < 1e-2
    assert set(found[0]["joint_differences"]) == {"shoulder", "elbow", "wrist"}
    assert (
        main(["run", ARM, "--duration", "0.1", "--time-step", "0.01", "--reference", "LSODA", "--quiet"]) == 0
    )
    told = capsys.readouterr().out
    assert "reference: LSODA" in told and "centres of mass are apart by at most" in told
    assert REFERENCES == METHODS


def test_what_the_reference_does_not_know(capsys):
    """Refuse a world with a motor that holds its rate, name it; tell of contacts that are passed through."""
    assert main(["run", "four_bar", "--duration", "0.1", "--reference"]) == 2
    assert "--reference: joint 'crank" in capsys.readouterr().err
    assert main(["run", "stack", "--bodies", "2", "--duration", "0.1", "--reference", "--quiet"]) == 0
    assert "bodies touched each other here" in capsys.readouterr().out
    assert main(["run", "stack", "--reference", "Euler"]) == 2
    assert "DOP853" in capsys.readouterr().err
