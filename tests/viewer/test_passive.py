"""A window on a loop of the user's own, on a virtual screen, with a mouse and keys."""

import json
import time

import numpy as np
import pytest

from stoss import viewer
from tests.viewer.test_window import ROOT, open_window, screen, seen_at  # noqa: F401  (fixtures)

SCRIPT = ROOT / "tests/viewer/own_loop_script.py"


def test_a_loop_is_shown_paused_stepped_reached_into_and_closed(open_window, tmp_path):  # noqa: F811
    """Pull the box off the table through the steps of the loop, and end it by closing the window."""
    user = open_window(SCRIPT, tmp_path / "result.json")
    steps = tmp_path / "result.steps"
    user.wait_for(lambda: steps.exists() and steps.read_text() and int(steps.read_text()) > 5)
    user.key("space")
    time.sleep(0.3)
    before = int(steps.read_text())
    picture = user.picture("own loop")
    magenta = np.argwhere((picture == (255, 0, 255)).all(axis=2))
    assert len(magenta) > 100  # the line on the ground, in front of the table
    user.key("Right", "Right", "Right")
    assert int(steps.read_text()) == before + 3
    user.key("F7", "ctrl+p", "F7")
    user.key("k", "space")
    over_the_edge = seen_at((-0.6, -1.6, 1.5)), seen_at((-0.6, -2.2, 1.5))
    user.drag(seen_at((0.6, 0.0, 1.4)), seen_at((-0.6, -0.4, 1.4)), *over_the_edge)
    time.sleep(1.0)
    user.picture("own loop, pulled")
    user.key("ctrl+q")
    assert user.program.wait(60) == 0, user.program.stderr.read()
    assert (tmp_path / "plots.png").read_bytes()[16:24] == bytes([0, 0, 1, 39, 0, 0, 1, 144])  # 295 x 400
    result = json.loads((tmp_path / "result.json").read_text())
    x, y, z = result["box"]
    assert abs(x) > 1.6 or abs(y) > 1.1, result["box"]  # beside the table
    assert result["heard"] == ["k"] and result["gain"] == 20.0 and not result["pressed"]
    names = [name for _, name in result["log"]]
    assert names[0] == "grab" and names[-1] == "release" and "move_pointer" in names
    assert "pointer" not in result["bodies"] and result["callbacks"] == 0
    assert "make another with viewer.open(world)" in result["told"]


def test_an_error_in_the_loop_takes_the_window_away_and_is_raised(open_window, tmp_path):  # noqa: F811
    user = open_window(SCRIPT, tmp_path / "result.json", "fail")
    assert user.program.wait(120) == 1
    told = user.program.stderr.read().splitlines()
    assert told[-1] == "ZeroDivisionError: in the loop"
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (dict(world=3), "world = 3 must be a World"),
        (dict(world=lambda: None), "must be a World; build it before"),
        (dict(speed=0), "speed = 0 must be .*above zero; to stop, set paused"),
        (dict(speed="fast"), "speed = 'fast' must be"),
        (dict(panels=("Plot",)), "there is no panel 'Plot'; choose from Scenes, Body"),
        (dict(panels="Plots"), "panels = 'Plots' must be names in a tuple"),
        (dict(overlays=["contact"]), "no overlay 'contact'"),
        (dict(pause=True), "pause"),
    ],
)
def test_wrong_calls_are_told_before_a_window_is_opened(given, told, monkeypatch):
    from stoss.viewer import passive
    from tests.viewer.falling_box import falling_box

    monkeypatch.setattr(passive, "Window", lambda *args: pytest.fail("a window was opened"))
    with pytest.raises((TypeError, ValueError), match=told) as error:
        viewer.open(**{"world": falling_box(), **given})
    assert "\n" not in str(error.value)
