"""Time by number of bodies beside other engines: the table, and its place in a page."""

from pathlib import Path

import pytest

from stoss.benchmarks.peers.scaling import STAGES, Scaled, main, plot, table

STEP = {"stoss": {8: Scaled(4e-4, dict.fromkeys(STAGES, 8e-5))}, "other": {8: Scaled(2.5e-4, {})}}


def test_table_has_stages_and_other_engines() -> None:
    """Give ms per step by engine, and by stage for the one that tells of stages, with the same bodies."""
    head, _, line = table(STEP).splitlines()
    assert head == "| bodies | stoss | *correct* | *move* | *detect* | *separate* | *settle* | other |"
    assert line == "| 8 | 0.4 | 0.08 | 0.08 | 0.08 | 0.08 | 0.08 | 0.25 |"


def test_command_writes_into_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Measure a few bodies; stages add up to the step, and nothing but the table changes."""
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- SCALING -->\nold\n<!-- END OF SCALING -->\nbehind\n")
    assert main(["--engines", "stoss", "--sizes", "4,8", "--steps", "3", "--write", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("behind\n") and "old" not in text
    for line in text.splitlines()[4:6]:
        _, whole, *parts = (float(cell) for cell in line.strip("| ").split("|"))
        assert 0.0 < sum(parts) <= 1.02 * whole
    assert "stoss" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--engines", "nobody"], ["--sizes", "1,two"], ["--steps", "0"]])
def test_wrong_words_are_told(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Say which word is wrong and what there is, before anything is measured."""
    with pytest.raises(SystemExit):
        main(words)
    assert words[0].removeprefix("--").rstrip("s") in capsys.readouterr().err


def test_plot_is_a_file(tmp_path: Path) -> None:
    """Draw all engines, and stages, into the file that is named."""
    pytest.importorskip("matplotlib")
    plot(STEP, str(tmp_path / "plot.png"))
    assert (tmp_path / "plot.png").stat().st_size > 1000
