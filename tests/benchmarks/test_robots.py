"""The survey of robots in files of others."""

import json

from stoss.benchmarks.robots.__main__ import main
from tests.engine.exchange.test_import import BOMB, robot


def test_files_are_surveyed(tmp_path, capsys):
    """Compare and run what is loaded, and say in a line why not of the rest."""
    (tmp_path / "arm.urdf").write_text(robot(joints=3))
    (tmp_path / "bomb.urdf").write_text(BOMB)
    table, page = tmp_path / "rows.json", tmp_path / "page.md"
    words = [str(tmp_path), "--duration", "0.05", "--poses", "2", "--json", str(table), "--page", str(page)]
    assert main(words) == 0
    (rows,) = json.loads(table.read_text()).values()
    arm, bomb = rows
    assert arm["degrees_of_freedom"] == 9 and arm["why_not"] == "" and arm["end"] == ""
    assert arm["accelerations"] < 1e-6 and arm["judge"] == "Pinocchio"
    assert arm["joint_error"] < 1e-6 and arm["steps_per_second"] > 0.0
    assert "DOCTYPE" in bomb["why_not"]
    assert "1 of 2" in page.read_text() and "arm.urdf" in capsys.readouterr().out
