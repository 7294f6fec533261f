"""Benchmarks and acceptance tests of Stelzner 2008 with their tolerances, runs shortened."""

from pathlib import Path

import pytest

from stoss.benchmarks.stelzner import CHECKS, main

PAGE = Path(__file__).parents[2] / "docs" / "stelzner.md"


def test_all_benchmarks_are_there():
    """Have B01 to B14, the counter, and what holds of any model."""
    assert {f"B{number:02}" for number in range(1, 15)} <= set(CHECKS)
    assert {"T-6", "kinematics", "joints", "rows", "stops", "inverse dynamics", "methods"} <= set(CHECKS)


# The mechanisms of "methods" are those of tests/engine/humans/test_levels.py.
@pytest.mark.parametrize("name", [name for name in CHECKS if name != "methods"])
def test_figures(name):
    """Keep all figures within their bounds."""
    for one in CHECKS[name](short=True):
        assert one.passed, f"{one.what}: {one.measured} {one.unit}, must be {one.bound}"


def test_the_command_prints_and_writes(tmp_path, capsys):
    """Print figures beside their bounds, and put them into a page."""
    place = tmp_path / "page.md"
    place.write_text("before\n<!-- TABLE -->\nold\n<!-- END OF TABLE -->\nafter\n")
    assert main(["B07", "T-6", "--short", "--write", str(place)]) == 0
    assert "B07: three bars" in capsys.readouterr().out
    text = place.read_text()
    assert "old" not in text and "| **B07** |" in text and text.endswith("after\n")
    with pytest.raises(SystemExit):
        main(["B99"])


def test_the_page_has_all_checks_and_none_that_missed():
    """Have every check on the page, with figures that were measured."""
    text = PAGE.read_text()
    assert all(f"| **{name}** |" in text for name in CHECKS) and "(missed)" not in text
