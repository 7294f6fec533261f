"""The table of sizes: all rows run."""

import pytest

from stoss.benchmarks.sizes import ROWS, main, measure


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rows_run(row):
    """Do what a row says with few of them."""
    seconds, _, _ = measure(row, min(row.largest // 4, 20))
    _, full, left = measure(row, 8, memory=True)
    assert seconds >= 0.0 and full != left


def test_command(capsys):
    """Print a table with a row for each thing that is asked for, and refuse what makes no sense."""
    assert main(["--only", "add_joint", "--share", "0.01"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "power" in lines[1] and lines[2].startswith("add_joint") and len(lines) == 3
    for wrong in (["--share", "0"], ["--only", "nothing like it"]):
        with pytest.raises(SystemExit):
            main(wrong)
