"""The study of rolling: what it builds is of order two and keeps its energy, and what it prints."""

import pytest

from stoss.benchmarks.studies.rolling import ROLLERS, main, order_ratio


@pytest.mark.parametrize("name", ROLLERS)
def test_half_the_step_divides_the_error_by_four(name):
    """Be of order two, whatever rolls."""
    assert 3.6 < order_ratio(name) < 4.4


def test_the_table_has_a_line_per_tenth(capsys):
    """Print the order, ten pairs of bounds and the height of what was asked for."""
    main(["--only", "leaning coin", "--duration", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12 and "leaning coin" in lines[0]
    bounds = [tuple(map(float, line.split())) for line in lines[1:-1]]
    assert all(abs(low) < 1e-5 and abs(high) < 1e-5 for low, high in bounds)


@pytest.mark.parametrize(("option", "text"), [("--duration", "duration"), ("--time-step", "time step")])
def test_wrong_arguments_are_told(option, text, capsys):
    """Refuse lengths that cannot be, by their name."""
    with pytest.raises(SystemExit):
        main([option, "0"])
    assert f"{text} = 0.0 must be above zero" in capsys.readouterr().err
