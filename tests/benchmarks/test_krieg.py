"""Tests T-01 to T-24 of Krieg 1992 with the tolerances of their specification, runs shortened."""

import re
from pathlib import Path

import pytest

from stoss.benchmarks.krieg import CHECKS, main

PAGE = Path(__file__).parents[2] / "docs" / "krieg.md"


def test_all_tests_are_there():
    """Have T-01 to T-24 and the table of all runs."""
    assert set(CHECKS) == {"3.8", *(f"T-{number:02}" for number in range(1, 25))}


@pytest.mark.filterwarnings("ignore:load 'stop'")
@pytest.mark.parametrize("name", CHECKS)
def test_figures(name):
    """Keep all figures of a test within their bounds."""
    for one in CHECKS[name](short=True):
        assert one.passed, f"{one.what}: {one.measured} {one.unit}, must be {one.bound}"


def test_the_command_prints_and_writes(tmp_path, capsys):
    """Print figures beside their bounds, and put them into a page."""
    place = tmp_path / "page.md"
    place.write_text("before\n<!-- TABLE -->\nold\n<!-- END OF TABLE -->\nafter\n")
    assert main(["T-05", "T-18", "--write", str(place)]) == 0
    assert "T-18: springs" in capsys.readouterr().out
    text = place.read_text()
    assert "old" not in text and "| **T-05** |" in text and text.endswith("after\n")
    with pytest.raises(SystemExit):
        main(["T-99"])


def test_the_page_has_all_tests_and_none_that_missed():
    """Have every test on the page, with figures that were measured, and each capability with a test."""
    text = PAGE.read_text()
    assert all(f"| **{name}** |" in text for name in CHECKS) and "(missed)" not in text
    root = Path(__file__).parents[2]
    for number in range(1, 24):
        row = re.search(rf"^\| C-{number:02} \|.*$", text, re.MULTILINE)
        assert row is not None, number
        found = re.findall(r"`(tests/[\w/]+\.py)`", row[0])
        assert found and all((root / one).is_file() for one in found), row[0]
