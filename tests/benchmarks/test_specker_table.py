"""The systems of Specker 2016 beside the reference, and the command that measures them."""

from pathlib import Path

import pytest

from stoss.benchmarks.specker.checks import CHECKS
from stoss.benchmarks.specker.systems import main
from stoss.benchmarks.specker.worlds import falling_ball, filtered_loop

PAGE = Path(__file__).parents[2] / "docs" / "specker.md"

# The others take longer, and are held by tests of their own.
QUICK = [
    *("T-01, 03 to 06, X-06", "T-08, X-08", "X-02", "T-14", "T-16", "T-18, X-13", "X-14, X-15"),
    "Hunt-Crossley",
]


@pytest.mark.parametrize("name", QUICK)
def test_figures(name):
    """Agree with the reference within what is said."""
    for row in CHECKS[name]():
        assert row.holds, row


def test_a_falling_ball():
    """Bounce at 10 ms as the reference does at 0.01 ms, its weight counted (X-07)."""
    rebounds, rest, _ = falling_ball(0.01)
    assert rebounds[:2] == pytest.approx([0.2460, 0.1144], rel=2e-3)
    assert rest == pytest.approx(9.890018, abs=1e-6)


def test_filtered_friction_remembers():
    """Have at zero speed the force between Coulomb's and Stribeck's level that X-01 has."""
    assert filtered_loop(0.01, 20.0, 1e-4) == pytest.approx(1.0996, rel=1e-3)


def test_the_command_prints_and_writes(tmp_path, capsys):
    """Print figures beside those of the reference, and put them into a page."""
    place = tmp_path / "page.md"
    place.write_text("before\n<!-- TABLE -->\nold\n<!-- END OF TABLE -->\nafter\n")
    assert main(["X-13", "--write", str(place)]) == 0
    assert "under 20 N m" in capsys.readouterr().out
    text = place.read_text()
    assert "old" not in text and "| **T-18, X-13** |" in text and text.endswith("after\n")
    with pytest.raises(SystemExit):
        main(["X-99"])


def test_the_page_has_all_and_none_that_missed():
    """Have every check, and each of M1 to M9, T-01 to T-18 and X-01 to X-15 on the page."""
    text = PAGE.read_text("utf-8")
    assert all(f"| **{name}** |" in text for name in CHECKS) and "(missed)" not in text
    told = text.replace("03 to 06", "T-03 T-04 T-05 T-06").replace("T-01, T-03", "T-01 T-03")
    wanted = [f"M{n}" for n in range(1, 10)]
    wanted += [f"T-{n:02}" for n in range(1, 19)] + [f"X-{n:02}" for n in range(1, 16)]
    assert [one for one in wanted if one not in told] == []
