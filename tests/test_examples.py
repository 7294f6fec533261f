"""The programs in examples/ and the Python of the README run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*words: object, cwd: Path) -> str:
    """Run Python with this checkout's stoss and return what it prints."""
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_falling_boxes_come_to_rest(tmp_path: Path) -> None:
    """Stand as a tower of five boxes of 0.2 m, and account for the energy."""
    text = run(ROOT / "examples" / "falling_boxes.py", cwd=tmp_path)
    assert "3 s: the highest of 5 boxes at 0.9000 m,   49.050 J" in text
    lost, rubbed, gained = (float(number) for number in re.findall(r"(\S+) J", text.splitlines()[-1]))
    # from heights 0.6 to 1.8 m to heights 0.1 to 0.9 m, 2 kg each; the figures are rounded to 1 mJ
    assert lost + rubbed - gained == pytest.approx(2.0 * 9.81 * (6.0 - 2.5), abs=2e-3)


def test_pendulum_swings_and_turns(tmp_path: Path) -> None:
    """Keep the energy while it swings, and the rate of the motor while it is driven."""
    lines = run(ROOT / "examples" / "pendulum.py", cwd=tmp_path).splitlines()
    energies = [float(line.split("energy ")[1].split()[0]) for line in lines if "energy" in line]
    # of the second order in the step: (rate h)^2 = 7e-4 of 4.9 J at the lowest point
    assert len(energies) == 5 and max(map(abs, energies)) < 4e-3
    assert [line.split()[-2] for line in lines[-5:]] == ["2.000"] * 5


def test_picture_is_drawn_without_a_display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a file of the size that was asked for, where there is no display."""
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    text = run(ROOT / "examples" / "picture.py", "card.png", cwd=tmp_path)
    assert text == "41 bodies at 0.2 s: card.png\n"
    header = (tmp_path / "card.png").read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(header[16:20]), int.from_bytes(header[20:24])) == (1280, 720)


@pytest.mark.parametrize(
    ("page", "least", "begin", "part"),
    [("README.md", 1, "[0.  0.  9.5]", ""), ("docs/guide.md", 4, "[0.  0.  9.5]", "degrees of freedom")],
)
def test_python_of_the_pages_runs(tmp_path: Path, page: str, least: int, begin: str, part: str) -> None:
    """Run a page's blocks of Python one after the other, as a reader would type them."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.S | re.M)
    assert len(blocks) >= least
    (tmp_path / "page.py").write_text("\n".join(blocks))
    text = run("page.py", cwd=tmp_path)
    assert text.startswith(begin) and part in text


def test_readme_is_read_in_five_minutes() -> None:
    """Keep the README below 1150 words: five minutes of a reader of 230 a minute."""
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 1150
