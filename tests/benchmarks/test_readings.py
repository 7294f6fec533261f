"""`python -m stoss.benchmarks.studies.readings`."""

import pytest

from stoss.benchmarks.studies import readings
from stoss.collision.kernels.decorators import KERNELS


@pytest.fixture(scope="module")
def found():
    """Return the readings of a pyramid that was just put up."""
    return readings.measure("pyramid210", steps=3)


def test_every_part_of_a_step_has_a_reading(found):
    """Measure times between a nanosecond and what a step takes, and give kernels back as they were."""
    assert set(found) == set(readings.READINGS)
    assert all(1.0 < found[key] < 1e3 for key in ("sweep", "build", "preview", "residual"))
    assert 5.0 < found["python"] < 1e4
    assert not any(isinstance(one._run, readings._Timed) for one in KERNELS.values())


def test_the_memory_of_a_contact_is_that_of_its_arrays():
    """Count three rows of 12 numbers of jacobians and more, but no array of bodies."""
    assert 3 * 12 * 8 < readings.contact_bytes() < 5000


def test_the_table_goes_into_a_page(tmp_path, capsys, monkeypatch):
    """Write all readings, in their order, between the marks."""
    figures = dict.fromkeys(readings.READINGS, 12.34)
    monkeypatch.setattr(readings, "measure", lambda name: figures)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- READINGS -->\nold\n<!-- END OF READINGS -->\nbehind\n")
    assert readings.main(["pyramid210", "--write", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("behind\n") and "old" not in text
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    assert lines[0] == "| reading | unit | 0.1.0 | `pyramid210` |"
    assert [line.split(" | ")[-1] for line in lines[2:]] == ["12.3 |"] * len(readings.READINGS)
    assert "sweep over normal and friction" in capsys.readouterr().out


def test_a_scene_without_readings_is_refused(capsys):
    """Name the scenes that there are."""
    with pytest.raises(SystemExit):
        readings.main(["chain50"])
    assert "no readings of 'chain50'; choose from pyramid210, funnel500" in capsys.readouterr().err
