"""Pictures and windows in one process, in any order, with a display, without, and when one comes later."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.viewer.test_window import screen  # noqa: F401  (a fixture)

SCRIPT = Path(__file__).parent / "mixed_script.py"


def run(*words: str, display: str | None) -> list[str]:
    """Return what each step of the script told: a line for a picture, a window or an error."""
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    if display is not None:
        environment["DISPLAY"] = display
    command = [sys.executable, str(SCRIPT), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("first", ["picture", "show"])
def test_pictures_and_windows_take_turns(first: str, screen: str) -> None:  # noqa: F811
    """Draw the same picture before, between and after windows, whichever comes first."""
    second = "show" if first == "picture" else "picture"
    told = run(*(first, second) * 2, "picture", display=screen)
    assert [line.split()[0] for line in told] == [*(first, second) * 2, "picture"]
    assert len({line for line in told if line.startswith("picture")}) == 1


@pytest.mark.parametrize("first", ["picture", "show"])
def test_without_a_display_pictures_are_drawn_and_windows_refused_rightly(first: str) -> None:
    """Say that there is no display, and go on drawing pictures after that."""
    second = "show" if first == "picture" else "picture"
    told = run(*(first, second) * 2, display=None)
    windows = [line for line in told if not line.startswith("picture")]
    assert len(windows) == 2 and len(set(told)) == 2
    assert windows[0].startswith(
        "NoDisplayError no window can be opened (there is no display, DISPLAY is not"
    )
    told = run("show", "picture", display=":987")
    assert "no display answers at DISPLAY=:987" in told[0] and told[1].startswith("picture")


def test_a_display_that_comes_later_is_found(screen: str) -> None:  # noqa: F811
    """Open a window after pictures and a refused window, as soon as there is a display."""
    told = run("picture", "show", f"DISPLAY={screen}", "show", "picture", display=None)
    assert [line.split()[0] for line in told] == ["picture", "NoDisplayError", "show", "picture"]
