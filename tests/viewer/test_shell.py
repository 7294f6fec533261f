"""The window that is there before the engine is loaded: it tells what it waits for and can be closed."""

from tests.viewer.test_window import SIZE, open_window, screen  # noqa: F401  (fixtures)

SCRIPT = f"""
import sys, time
from stoss.viewer.window.shell import ClosedError, Shell
shell = Shell({SIZE}, "stoss")

def work():
    if sys.argv[1] == "fail":
        raise ValueError("no such engine")
    time.sleep(float(sys.argv[1]))
    return 7

try:
    print(shell.wait_for(work, "loading"), file=sys.stderr)
except (ClosedError, ValueError) as error:
    print(type(error).__name__, error, file=sys.stderr)
print("stoss.engine" in sys.modules, "numba" in sys.modules, file=sys.stderr)
shell.close()
shell.close()
"""


def said(user) -> str:
    assert user.program.wait(60) == 0, user.program.stderr.read()
    return user.program.stderr.read()


def tells(user) -> bool:
    """Return whether there is a dark box before the light ground."""
    picture = user.picture("loading")
    x, y = SIZE[0] // 2, SIZE[1] // 2
    box, ground = picture[y - 10 : y + 10, x - 100 : x + 100], picture[150:200, x - 100 : x + 100]
    return box.mean() < 100 and ground.min() > 140


def test_a_window_that_waits_tells_so_and_closes_at_once(open_window):  # noqa: F811
    """Ctrl+Q and Escape while the work still lasts: one closes, the other does nothing."""
    user = open_window("-c", SCRIPT, "600")
    user.wait_for(lambda: tells(user))
    user.key("Escape")
    assert tells(user)
    user.key("ctrl+q")
    assert said(user) == "ClosedError loading\nFalse False\n"


def test_what_was_waited_for_is_returned_or_raised(open_window):  # noqa: F811
    """The end of the work ends the waiting."""
    assert said(open_window("-c", SCRIPT, "1.0")) == "7\nFalse False\n"
    late = SCRIPT.replace("    if sys", "    time.sleep(1.0)\n    if sys")
    assert said(open_window("-c", late, "fail")) == "ValueError no such engine\nFalse False\n"


def test_a_wrong_value_is_told_in_one_line_though_the_window_was_there(open_window):  # noqa: F811
    """What only the engine can find wrong comes after the window is open."""
    user = open_window("-m", "stoss", "view", "stack", "--set", "sweeps=-3", "--size", f"{SIZE[0]}x{SIZE[1]}")
    assert user.program.wait(60) == 2
    told = user.program.stderr.read()
    assert "sweeps" in told
    assert told.count("\n") == 1
