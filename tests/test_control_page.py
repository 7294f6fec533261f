"""The programs of docs/control.md run as they stand, are short, and give what theory says."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "control.md").read_text("utf-8"), re.S | re.M)
PROGRAMS = {block.split("\n")[0][2:]: block for block in BLOCKS if block.startswith("# ")}


def run(name: str) -> dict[str, Any]:
    """Run a program, which must be short, and return its names."""
    lines = [line for line in PROGRAMS[name].splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) <= 20
    names: dict[str, Any] = {}
    exec(compile(PROGRAMS[name], f"control.md, {name}", "exec"), names)
    return names


def test_a_stack_is_weighed(capsys: pytest.CaptureFixture[str]) -> None:
    """Weigh ten kilograms, above the place where they stand."""
    run("weigh")
    assert capsys.readouterr().out == "10.000000 kg, above [0.3 0.1]\n"


def test_a_pid_is_tuned() -> None:
    """Find gains with which the arm settles within a second; without an integral it never does."""
    names = run("tune")
    assert names["settling_time"](*names["best"]) < 1.0
    assert names["settling_time"](50, 0, 10) > 1.9  # its weight holds it 0.2 rad off


def test_a_pole_is_balanced() -> None:
    """Stand upright, with the cart back where it was, after ten seconds."""
    names = run("balance")
    assert abs(names["rail"].value) < 1e-3 and abs(names["pivot"].value + 0.1) < 1e-3


def test_a_depth_camera_is_read() -> None:
    """See the front of the wall 2.8 m ahead of the camera."""
    names = run("depth")
    assert names["on_wall"] == pytest.approx(2.8, abs=1e-4)


def test_a_joint_that_breaks_is_logged() -> None:
    """Break when the bucket weighs more than 60 N, right after it was filled."""
    ((name, time, mass),) = run("break")["log"]
    assert (name, mass) == ("hook", 6.5)
    assert time == pytest.approx(4.51, abs=1e-9)


def test_the_first_program_holds_the_arm(capsys: pytest.CaptureFixture[str]) -> None:
    """Come near the angle that is wanted, with a motor that lags and an encoder that is late."""
    names: dict[str, Any] = {}
    exec(compile(BLOCKS[0], "control.md", "exec"), names)
    assert names["elbow"].value == pytest.approx(0.5, abs=1e-3)
    assert abs(names["elbow"].rate) < 0.01
