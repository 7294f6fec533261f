"""Damaged files of every format are refused in one line, or give what was written."""

import pytest

from stoss.benchmarks.api_fuzz.files import FORMATS, main, run_format


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files(name):
    """Raise one line that names the file, which the command tells with exit code 2, without much memory."""
    count = 12 if FORMATS[name].words else 30  # a command takes longer
    outcome = run_format(FORMATS[name], count, seed=1)
    assert not outcome.wrong
    assert outcome.refused > outcome.sound and outcome.refused + outcome.sound == count


def test_command(capsys):
    """Print a row of figures."""
    assert main(["5", "--format", "mesh.stl"]) == 0
    assert "mesh.stl" in capsys.readouterr().out
