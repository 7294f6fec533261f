"""The study of scaling: the table, the fitted power and wrong arguments. Needs no matplotlib."""

import sys

import numpy as np
import pytest

from stoss.benchmarks.studies import scaling


def test_the_power_is_that_of_the_times():
    """Return the exponent of times that are a power of the number of bodies."""
    points = [(n, 3e-6 * n**1.25, 0) for n in (100, 300, 1000)]
    assert scaling.slope(points) == pytest.approx(1.25, rel=1e-12)
    assert np.isnan(scaling.slope(points[:1]))


def test_the_table_has_a_line_per_size(capsys):
    """Print one line for each number of bodies of each scene, with its contacts."""
    assert scaling.main(["--sizes", "5,10", "--steps", "3", "--output", ""]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.strip()[:2] in ("5 ", "10")] == ["5", "10"] * 2
    assert "drop: 3 steps" in lines and "funnel: 3 steps" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sizes", "many"], "--sizes 'many' must be whole numbers"),
        (["--sizes", "0"], "at least 1"),
        (["--steps", "0"], "at least 1"),
        (["--output", "plot.txt"], "--output: plot.txt does not end in .png"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, capsys):
    """End with exit code 2 and a message that names the argument and the cure."""
    with pytest.raises(SystemExit) as stop:
        scaling.main(arguments)
    assert stop.value.code == 2 and message in capsys.readouterr().err


def test_a_missing_matplotlib_is_named_with_its_cure(monkeypatch, capsys):
    """Say before the measurement how to install what the plot needs."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SystemExit):
        scaling.main(["--sizes", "5", "--steps", "1", "--output", "plot.png"])
    assert "pip install 'stoss[plot]'" in capsys.readouterr().err
