"""The programs of docs/viewer.md run as they stand, those with a window on a virtual screen."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from stoss.command_line.main import main
from tests.viewer.test_window import ROOT, screen  # noqa: F401  (a fixture)

PAGE = (ROOT / "docs" / "viewer.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)


@pytest.mark.parametrize("number", range(4))
def test_its_programs_run(number, screen, tmp_path):  # noqa: F811
    """Run each for a moment; its loop ends before the user closes the window."""
    assert len(PROGRAMS) == 4
    program = PROGRAMS[number].replace("while v.is_open:", "while v.is_open and world.time < 0.2:")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"DISPLAY": screen, "PYTHONPATH": str(ROOT), "LIBGL_ALWAYS_SOFTWARE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    written = [[], ["stack.png"], ["fall.mp4", "now.png"], ["bounce.png"]]
    assert [path.name for path in sorted(tmp_path.iterdir())] == written[number]


def test_its_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = "".join(re.findall(r"^```sh\n(.*?)^```", PAGE, re.S | re.M))
    for line in commands.splitlines():
        drawn = ["--size", "96x64", "--quality", "low", "--quiet"]
        small = drawn if " render " in line else ["--bodies", "10"]
        assert main([*shlex.split(line)[1:], *small]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("chain.png", "falling.png", "pile.mp4", "pile.npz", "pile.png")
    ]
