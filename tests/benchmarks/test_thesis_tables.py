"""The tables of the thesis can be redone, its figures beside ours. No speed is asserted."""

import json

import pytest

from stoss.benchmarks.thesis_tables import TABLES, main, thesis_settings


def test_tables_print_and_keep_their_figures(tmp_path, capsys):
    """Print each table that is asked for and keep all figures, thesis times among them."""
    path = tmp_path / "tables.json"
    names = ["chain", "tree", "split", "early", "loops", "multipliers"]
    assert set(names) < set(TABLES)
    options = ["--steps", "2", "--levels", "5", "--chains", "10", "--json", str(path)]
    assert main([*names, *options]) == 0
    text = capsys.readouterr().out
    assert "Table 3.1" in text and "Table 3.7" in text and "tree of 255" in text
    tables = json.loads(path.read_text())["tables"]
    assert list(tables) == names
    assert [len(tables[name]) for name in names] == [2, 6, 5, 1, 9, 2]
    assert [line["thesis_ms"] for line in tables["chain"]] == [3.30, 2.11]
    assert [line["thesis_ms"] for line in tables["tree"]] == [2.73, 7.07, 15.87, 3.51, 3.99, 4.53]
    for line in tables["tree"]:
        assert line["joints"] == 31 and line["mean_ms"] > 0.0 and line["joint_error"] < 1e-3
    iterative, direct = tables["chain"]
    assert iterative["sweeps"] > 0.0 == iterative["factorisations"]
    assert direct["factorisations"] > 0.0 == direct["sweeps"]


def test_tables_of_contacts_print_and_keep_their_figures(tmp_path, capsys):
    """Print the deviations of braking distances and of the cradle beside those of the thesis."""
    path = tmp_path / "tables.json"
    options = ["--time-step", "0.01", "--bodies", "2", "--json", str(path)]
    assert main(["braking", "cradle", *options]) == 0
    text = capsys.readouterr().out
    assert "Table 5.2" in text and "Table 5.3" in text and "when they meet" in text
    tables = json.loads(path.read_text())["tables"]
    assert [line["thesis m"] for line in tables["braking"]] == [0.0021, 0.0066]
    assert [line["friction"] for line in tables["braking"]] == [0.535, 0.57]
    assert all(line["deviation m"] < 1e-3 for line in tables["braking"])
    assert [line["raised"] for line in tables["cradle"]] == [1, 1, 2, 2, 3, 3, 4, 4]


def test_tables_of_crowds_print_and_keep_their_figures(tmp_path, capsys):
    """Count collisions and contacts of the funnel and of falling cubes, with the thesis's counts beside."""
    path = tmp_path / "tables.json"
    options = ["--bodies", "30", "--duration", "1.5", "--time-step", "0.01", "--json", str(path)]
    assert main(["funnel", "detection", *options]) == 0
    text = capsys.readouterr().out
    assert "Table 5.1" in text and "Section 4.6" in text
    tables = json.loads(path.read_text())["tables"]
    most, average = tables["funnel"]
    assert most["thesis collisions"] == 332 and average["thesis contacts"] == 879
    # cubes of 1 m fall 1.1 m at least to the funnel, which takes half a second
    assert most["collisions"] >= 1 and 1 <= most["contacts"] and average["contacts"] < most["contacts"]
    assert 0.0 < average["detection ms"] < average["step ms"]
    one = tables["detection"][0]
    assert one["thesis ms"] == 0.047 and 1.0 <= one["contacts"] <= 8.0 and one["ms"] > 0.0


def test_settings_are_those_of_the_methods():
    """Give both methods the same tolerance, and sweeps only to the iterative one."""
    iterative, direct = (thesis_settings(solver, 1e-4) for solver in ("iterative", "LGS"))
    assert (iterative.solver, direct.solver) == ("gauss_seidel", "direct")
    for settings in (iterative, direct):
        assert settings.position_tolerance == settings.velocity_tolerance == 1e-4
    assert thesis_settings("iterative", 1e-6, sweeps=10).sweeps == 10


def test_unknown_tables_are_refused(capsys):
    """End with an error that names the table and those there are."""
    with pytest.raises(SystemExit):
        main(["table"])
    assert "no table 'table'; there are chain" in capsys.readouterr().err
