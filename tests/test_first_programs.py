"""Short programs, as users of pymunk, PyBullet and MuJoCo write them, give what theory says."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from tests.test_examples import ROOT, run

PROGRAMS = ROOT / "examples" / "first_programs"


def numbers(text: str, pattern: str) -> list[list[float]]:
    """Return the numbers in the groups of a pattern, for each place where it fits."""
    found = re.findall(pattern, text)
    assert found, text
    return [[float(value) for value in ([row] if isinstance(row, str) else row)] for row in found]


def test_bouncing_ball_is_heard(tmp_path: Path) -> None:
    """Bounce with 0.8 of the speed at the times of the closed form."""
    text = run(PROGRAMS / "bouncing_ball.py", cwd=tmp_path)
    g, fall = 9.81, math.sqrt(2 / 9.81)
    moments, speed = [fall], g * fall
    for bounce in range(1, 3):
        moments.append(moments[-1] + 2 * 0.8**bounce * speed / g)
    heard = numbers(text, r"(\S+) s: floor and ball touch, then (\S+) m/s")
    assert len(heard) == 3
    for bounce, ((time, after), moment) in enumerate(zip(heard, moments, strict=True), 1):
        assert time == pytest.approx(math.ceil(moment / 0.01) * 0.01)
        assert after == pytest.approx(0.8**bounce * speed - g * (time - moment), abs=6e-4)


def test_lidar_sees_all_but_the_robot(tmp_path: Path) -> None:
    """Measure the distance to a wall and to a cylinder of light in each direction, never to itself."""
    text = run(PROGRAMS / "lidar.py", cwd=tmp_path)
    assert "robot" not in text
    seen = re.findall(r"(\S+) degrees: (\w+) at (\S+) m", text)
    assert {body for _, body, _ in seen} == {"wall", "pillar"}
    for degrees, body, distance in seen:
        angle = math.radians(float(degrees))
        away = 2.0 / math.cos(angle)
        if body == "pillar":  # a ball of 0.5 m at (0, 3, 0.5), cut by rays at a height of 0.2 m
            along = 3.0 * math.sin(angle)
            away = along - math.sqrt(0.25 - 0.09 - 9.0 + along**2)
        assert float(distance) == pytest.approx(away, abs=6e-4)
    # a wall of 4 m at a distance of 2 m is seen up to 45 degrees (0, 10, ... 40), the pillar within 7.7
    assert len(seen) == 10


def test_robot_arm_reaches_its_pose(tmp_path: Path) -> None:
    """Hold the pose against gravity: the springs of the servos give way by torque over stiffness."""
    text = run(PROGRAMS.parent / "robot_arm.py", cwd=tmp_path)
    angles = [row[0] for row in numbers(text, r"joint \d: (\S+) degrees")]
    lean = np.cumsum(np.radians(angles))
    across = np.cos(lean)
    for i, target in enumerate((60, -45, 30)):
        arms = [0.5 * across[i:k].sum() + 0.25 * across[k] for k in range(i, 3)]
        sag = math.degrees(9.81 * sum(arms) / 2000)
        assert angles[i] == pytest.approx(target - sag, abs=6e-3)
    ((x, z),) = numbers(text, r"tip at x = (\S+) m, z = (\S+) m")
    assert x == pytest.approx(0.5 * across.sum(), abs=3e-4)
    assert z == pytest.approx(1.0 + 0.5 * np.sin(lean).sum(), abs=3e-4)


def test_states_are_tried_from_the_same_start(tmp_path: Path) -> None:
    """Slide v² / (2 mu g) from each of the three pushes."""
    text = run(PROGRAMS / "states.py", cwd=tmp_path)
    for impulse, distance in numbers(text, r"(\S+) N s: slides (\S+) m"):
        # less than one step's way, since friction begins with the first step
        assert distance == pytest.approx(impulse**2 / (2 * 0.5 * 9.81), abs=2e-4)


def test_pendulum_keeps_its_energy(tmp_path: Path) -> None:
    """Swing through half a turn, and keep the energy to the second order in the step."""
    text = run(PROGRAMS / "pendulum_energy.py", cwd=tmp_path)
    ((swing, change),) = numbers(text, r"(\S+) rad from side to side, energy changes by (\S+) J")
    assert swing == pytest.approx(math.pi, abs=1e-3)
    # (rate h)² of 4.9 J, with a rate of 6.3 rad/s at the lowest point
    assert change < 4.9 * (6.3 * 0.002) ** 2


def test_cart_balances_its_pole(tmp_path: Path) -> None:
    """Come to rest upright, where it began."""
    text = run(PROGRAMS / "cart_pole.py", cwd=tmp_path)
    assert numbers(text, r"0 s: cart at (\S+) m, pole leans (\S+) rad")[0] == [0.0, 0.0]
    ((place, lean),) = numbers(text, r"the end: cart at (\S+) m, pole leans (\S+) rad")
    assert abs(place) < 1e-3 and abs(lean) < 1e-4


def test_cross_is_turned_by_the_rain(tmp_path: Path) -> None:
    """Remove what has fallen: most of the balls, while the cross turns."""
    text = run(PROGRAMS / "spinning_cross.py", cwd=tmp_path)
    ((left, rate),) = numbers(text, r"(\d+) of 30 balls are left, the cross turns at (\S+) rad/s")
    assert 1 <= left < 15 and abs(rate) > 0.1


def test_elevator_carries_and_weighs(tmp_path: Path) -> None:
    """Weigh m (g + a) while the platform speeds up, m g in even motion and at rest, m (g - a) as it stops."""
    text = run(PROGRAMS / "elevator.py", cwd=tmp_path)
    weights = [row[0] for row in numbers(text, r"the box weighs (\S+) N")]
    assert weights == pytest.approx([2 * (9.81 + a) for a in (2, 0, -2, 0)], abs=1e-3)
    assert "the box stands at 1.200000 m" in text


def test_belt_takes_the_parcel_along(tmp_path: Path) -> None:
    """Speed up with mu g until the parcel is as fast as the belt, then ride along."""
    text = run(PROGRAMS.parent / "conveyor.py", cwd=tmp_path)
    drag, belt = 0.4 * 9.81, 2.0
    for time, speed, way in numbers(text, r"(\S+) s: (\S+) m/s, (\S+) m on its way"):
        if drag * time < belt:
            assert speed == pytest.approx(drag * time, abs=6e-5)
            assert way == pytest.approx(drag * time**2 / 2, abs=6e-5)
        else:
            assert speed == pytest.approx(belt, abs=6e-5)
            # the step in which they become equally fast takes at most h² mu g / 2 more or less
            assert way == pytest.approx(belt * time - belt**2 / (2 * drag), abs=2e-4)


def test_rack_turns_wheel_and_flywheel(tmp_path: Path) -> None:
    """Fall with m g / (m + (I_wheel + 9 I_flywheel) / r²), and turn both by their ratios."""
    text = run(PROGRAMS / "gears.py", cwd=tmp_path)
    inertia = 0.5 * 2.0 * 0.3**2 + 3**2 * 0.5 * 5.0 * 0.1**2
    fall = 10 * 9.81 / (10 + inertia / 0.3**2)
    assert numbers(text, r"rack at (\S+) m with (\S+) m/s") == [pytest.approx([-fall / 2, -fall], abs=6e-5)]
    ((wheel, flywheel),) = numbers(text, r"turned (\S+) times, the flywheel (\S+) times")
    assert wheel == pytest.approx(-fall / 2 / 0.3 / (2 * math.pi), abs=6e-5)
    assert flywheel == pytest.approx(-3 * wheel, abs=3e-4)


def test_pid_is_tuned_by_a_sweep(tmp_path: Path) -> None:
    """Find for each pair of gains what the equation of motion gives, and choose the least error."""
    from scipy.integrate import solve_ivp

    text = run(PROGRAMS / "tune_pid.py", cwd=tmp_path)
    inertia, weight = 3.0 * (1.01 / 12 + 0.25), 3.0 * 9.81 * 0.5  # about the hinge; torque where it is level
    rows = [[float(word) for word in line.split()] for line in text.splitlines()[1:-1]]
    assert len(rows) == 9
    errors = {}
    for gain, derivative_time, rms, overshoot, settling_time in rows:

        def rates(_, state, gain=gain, derivative_time=derivative_time):
            angle, rate, integral = state
            torque = gain * (-1.0 - angle + integral / 0.8 - derivative_time * rate)
            return [rate, (torque + weight * np.cos(angle)) / inertia, -1.0 - angle]

        times = 0.002 * np.arange(1001)
        angles = solve_ivp(rates, (0.0, 2.0), [0.0, 0.0, 0.0], t_eval=times, rtol=1e-9, atol=1e-9).y[0]
        # the controller holds its torque for a step, as if it were half a step late: 2 % of 0.05 s
        square = np.trapezoid((angles + 1.0) ** 2, times) / 2.0
        errors[gain, derivative_time] = np.sqrt(square)
        assert rms == pytest.approx(np.sqrt(square), rel=0.02)
        assert overshoot == pytest.approx(max(-angles - 1.0), abs=0.01)
        outside = np.flatnonzero(np.abs(angles + 1.0) > 0.02)[-1]
        wanted = times[outside + 1] if outside < 1000 else np.inf
        assert settling_time == wanted or settling_time == pytest.approx(wanted, abs=0.01)
    best = numbers(text, r"best: gain (\S+) N m/rad, derivative time (\S+) s")
    assert best == [list(min(errors, key=lambda gains: errors[gains]))]


def test_planets_attract_each_other(tmp_path: Path) -> None:
    """Go round in the times of Kepler's third law."""
    text = run(PROGRAMS / "own_force.py", cwd=tmp_path)
    found = re.findall(r"(\w+): (\d+) times round, the first after (\S+) s", text)
    assert [name for name, _, _ in found] == ["inner", "middle", "outer"]
    for (_, rounds, first), distance in zip(found, (1.0, 2.0, 4.0), strict=True):
        period = 2 * math.pi * math.sqrt(distance**3 / 10.0)
        assert int(rounds) == int(16.0 / period)
        # seen at the end of its step of 0.01 s, told to 0.01 s; (0.01 * 3.2)² / 24 of the period is less
        assert -0.006 <= float(first) - period <= 0.016


def test_an_environment_begins_anew(tmp_path: Path) -> None:
    """Give the same episode for the same seed, with the energy that the motor gave, to order 2."""
    text = run(PROGRAMS / "environment.py", cwd=tmp_path)
    episodes = numbers(text, r"seed (\d): over the top after (\S+) s, work (\S+) J, gained (\S+) J")
    assert episodes[0] == episodes[2] != episodes[1]
    for _, time, work, gained in episodes:
        assert 2.0 < time < 10.0
        assert work > 0.9 * 9.81 and gained == pytest.approx(work, rel=1e-3)
