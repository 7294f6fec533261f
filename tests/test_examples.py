"""The programs in examples/ and the Python of the README run as they stand."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
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


def floats(text: str, pattern: str) -> list[list[float]]:
    """Return the numbers in the groups of a pattern, for each place where it fits."""
    found = re.findall(pattern, text)
    assert found, text
    return [[float(value) for value in ([row] if isinstance(row, str) else row)] for row in found]


def test_stack_stands(tmp_path: Path) -> None:
    """Drift less than ten nanometres in ten seconds, and carry at each level what stands above."""
    text = run(ROOT / "examples" / "stack.py", cwd=tmp_path)
    ((drift, overlap),) = floats(text, r"10 s (\S+) m, deepest overlap (\S+) m")
    assert drift < 1e-8 and overlap < 1e-8
    carried = floats(text, r"(\d) contacts below, which carry (\S+) N")
    assert carried == [[4.0, pytest.approx(9.81 * count, abs=2e-3)] for count in (10, 9, 8)]


def test_car_is_driven_and_braked(tmp_path: Path) -> None:
    """Speed up as torque and inertia say, to the rate of the motors, and stop within what friction allows."""
    text = run(ROOT / "examples" / "car.py", cwd=tmp_path)
    speeds = [row[0] for row in floats(text, r"s:\s+(\S+) m/s")]
    wheels = 4 * 0.5 * 15.0  # their inertia, as mass
    assert speeds[0] == pytest.approx(2 * 300.0 / 0.3 / (660.0 + wheels), rel=1e-3)
    assert speeds[-1] == pytest.approx(20.0 * 0.3, abs=1e-3)
    ((speed, way),) = floats(text, r"braked: (\S+) m/s after (\S+) m")
    assert abs(speed) < 1e-3 and 6.0**2 / (2 * 0.9 * 9.81) < way < 4.0


def test_ragdoll_comes_to_rest_within_its_limits(tmp_path: Path) -> None:
    """Lie on the ground with hardly any motion, and no joint beyond its stops."""
    text = run(ROOT / "examples" / "ragdoll.py", cwd=tmp_path)
    (height, motion) = floats(text, r"torso at (\S+) m,\s+(\S+) J")[-1]
    assert 0.1 < height < 0.6 and motion < 0.1  # of 330 J in the fall
    angles = [row[0] for row in floats(text, r": *(\S+) degrees")]
    assert len(angles) == 4 and all(-90.1 <= angle <= 30.1 for angle in angles)


def test_rope_hangs_as_a_catenary(tmp_path: Path) -> None:
    """Sag and pull as a catenary of 3 m between ends 2 m apart, to the length of a link."""
    text = run(ROOT / "examples" / "rope.py", cwd=tmp_path)
    a = 1.0
    for _ in range(100):  # 2 a sinh(1 / a) = 3, by Newton's method
        a -= (2 * a * math.sinh(1 / a) - 3) / (2 * math.sinh(1 / a) - 2 / a * math.cosh(1 / a))
    ((sag, speed),) = floats(text, r"by (\S+) m and moves with (\S+) m/s")
    assert sag == pytest.approx(a * (math.cosh(1 / a) - 1), abs=0.02) and speed < 0.01
    for upwards, sideways in floats(text, r"holds (\S+) N upwards and (\S+) N sideways"):
        assert upwards == pytest.approx(0.5 * 1.5 * 9.81, rel=2e-3)
        assert sideways == pytest.approx(a * 0.5 * 9.81, rel=1e-2)


def test_block_that_rocks_keeps_what_theory_says(tmp_path: Path) -> None:
    """Keep the share of Housner where sub-steps end at impacts, and by default about that."""
    text = run(ROOT / "examples" / "rocking_block.py", cwd=tmp_path)
    usual, exact = floats(text, r"keeps (\S+) (\S+) (\S+) \(theory (\S+)\)")
    theory = (1.0 - 1.5 / (1.0 + 25.0)) ** 2
    assert exact == pytest.approx([theory] * 4, abs=2e-4)
    assert usual[:3] == pytest.approx([theory] * 3, abs=0.2)


def test_cradle_passes_the_impact_on(tmp_path: Path) -> None:
    """Swing as far on the other side, leave those between at rest, keep the energy; plot it."""
    text = run(ROOT / "examples" / "newtons_cradle.py", "energies.png", cwd=tmp_path)
    ((first, last, between),) = floats(text, r"first swings (\S+) m, the last (\S+) m, others (\S+) m")
    assert first == pytest.approx(0.5 * math.sin(0.7), abs=1e-4)
    assert last == pytest.approx(first, abs=1e-3) and between < 1e-3
    ((change, most),) = floats(text, r"changes by (\S+) J of (\S+) J")
    # of the second order in the step: (rate h)² of the energy, with 3.1 rad/s at the lowest point
    assert most == pytest.approx(0.5 * 9.81 * 0.5 * (1 - math.cos(0.7)), rel=2e-3)
    assert change < most * (3.1 * 0.002) ** 2
    assert (tmp_path / "energies.png").read_bytes()[:4] == b"\x89PNG"


def test_a_man_walks(tmp_path: Path) -> None:
    """Walk at the speed of the thesis, 1.11 m/s, within what its reconstruction allows."""
    text = run(ROOT / "examples" / "walking_man.py", cwd=tmp_path)
    table = dict(re.findall(r"^\| ([a-z ]+?) \| [^|]* \| (\S+) \|", text, re.M))
    assert float(table["speed"]) == pytest.approx(1.11, abs=0.2)
    assert float(table["step length"]) == pytest.approx(0.537, abs=0.05)
    # means of what was recorded: power is resistance times weight times speed, of 75 kg
    power = float(table["resistance"]) * 75.0 * 9.81 * float(table["speed"])
    assert float(table["power"]) == pytest.approx(power, rel=2e-3)


def test_a_virtual_spring_holds_the_hand(tmp_path: Path) -> None:
    """Hold the hand at the target, and under 20 N on 400 N/m 50 mm below it."""
    text = run(ROOT / "examples" / "virtual_spring.py", cwd=tmp_path)
    found = floats(text, r"(\d+) N on the hand: x (\S+) mm, z (\S+) mm")
    assert found == [[0.0, 0.0, 0.0], [20.0, 0.0, -50.0]]


def test_virtual_springs_carry_a_quadruped_of_a_file(tmp_path: Path) -> None:
    """Let the trunk of an imported robot yield to loads as springs of 1000, 1000 and 2000 N/m do."""
    text = run(ROOT / "examples" / "quadruped.py", cwd=tmp_path)
    moved = floats(text, r"x (\S+) mm, y (\S+) mm, z (\S+) mm from home")
    np.testing.assert_allclose(moved, [(0.0, 0.0, 0.0), (0.0, 0.0, -10.0), (10.0, 5.0, 0.0)], atol=0.006)


def test_a_measured_motion_becomes_a_model(tmp_path: Path) -> None:
    """Find the hinge of a knee and the motion of a leg in markers, and keep it in two formats."""
    text = run(ROOT / "examples" / "measured_motion.py", cwd=tmp_path)
    assert "the knee is a hinge" in text
    assert floats(text, r"markers missed by (\S+) mm")[0][0] < 1.0  # noise of 1 mm, smoothed
    ((least, most),) = floats(text, r"torque of the knee: (\S+) to (\S+) N m")
    # a shank of 4 kg, whose middle is 0.2 m from the knee, swings by 1.3 rad
    assert 4.0 < most < 2.0 * 4.0 * 9.81 * 0.2 and least > -8.0
    assert (tmp_path / "kick.npz").is_file() and (tmp_path / "kick.bvh").is_file()


def test_contacts_and_forces_are_those_of_statics(tmp_path: Path) -> None:
    """Hold a box on a slope by m g cos and m g sin of its angle, and a lamp by its weight."""
    text = run(ROOT / "examples" / "contacts_and_forces.py", cwd=tmp_path)
    ((normal, friction),) = floats(text, r"normal force (\S+) N, friction (\S+) N")
    lean = math.radians(20)
    assert normal == pytest.approx(2 * 9.81 * math.cos(lean), abs=1e-3)
    assert friction == pytest.approx(2 * 9.81 * math.sin(lean), abs=1e-3)
    assert floats(text, r"hook holds (\S+) N") == [[pytest.approx(1.5 * 9.81, abs=1e-3)]]
    assert text.count("slope touches at") == 4 and "slope and box touch" in text


def test_funnel_is_filmed(tmp_path: Path) -> None:
    """Let all bodies through in four seconds, none before, and write a film of 120 pictures."""
    import imageio_ffmpeg

    text = run(ROOT / "examples" / "funnel_film.py", "f.mp4", cwd=tmp_path)
    outlet = 3.0 - math.sqrt(0.5)  # the rim is at 3 m, the slabs lie at 45 degrees and are 1 m thick
    rows = floats(text, r"(\S+) s: (\d+) of (\d+) bodies are below (\S+) m")
    assert [row[1:3] for row in rows] == [[0, 60], [60, 60]] and rows[1][3] < outlet
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "f.mp4"))
    assert frames == 120 and seconds == pytest.approx(4.0, abs=0.05)


def test_index_names_all_examples() -> None:
    """Name each program in the index, and each of the folder in a test."""
    index = (ROOT / "examples" / "README.md").read_text("utf-8")
    tests = "".join(
        (ROOT / "tests" / f"test_{name}.py").read_text() for name in ("examples", "first_programs")
    )
    for program in (ROOT / "examples").rglob("*.py"):
        assert f"({program.relative_to(ROOT / 'examples').as_posix()})" in index, program
        assert f'"{program.name}"' in tests, program
        assert len(program.read_text("utf-8").splitlines()) <= 60, f"{program} is longer than a screen"


@pytest.mark.parametrize(
    ("page", "least", "begin", "part"),
    [
        ("README.md", 1, "[0.  0.  9.5]", ""),
        ("docs/guide.md", 4, "[0.  0.  9.5]", "degrees of freedom"),
        ("docs/articulation.md", 1, "('shoulder.x', 'shoulder.y', 'shoulder.z', 'elbow')", ""),
        (
            "docs/motion_capture.md",
            2,
            "<Motion of 4 coordinates, 100 frames, 0.99 s> missed by 0.0",
            "N from the ground",
        ),
        ("docs/sweeps.md", 2, "gain  derivative_time", "[9.5"),
        ("docs/observer.md", 2, "[0.0999", "0.4 0.053"),
        ("docs/laws.md", 1, "11.4", "1.25"),
        ("docs/contact_laws.md", 1, "73.105", "0.755"),
        ("docs/forces.md", 3, "[0.   0.   9.81] 0.0 0.0", "[<Load 'lift', Force, disabled>]"),
    ],
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
