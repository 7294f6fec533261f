"""The reference models of Specker 2016 reproduce the numbers that were computed from his equations."""

import numpy as np
import pytest

from stoss.benchmarks.specker.cube import run_cube
from stoss.benchmarks.specker.gait_trainer import equilibrium, leg_matrices, stop_moment
from stoss.benchmarks.specker.oracle import run_mass, run_pendulum, run_pulled, run_pulled_lugre


def begins(on, t):
    """Return the times at which a condition begins to hold."""
    return t[1:][on[1:] & ~on[:-1]]


def test_sphere_bounces_and_rests():
    """Bounce as X-07 does, and rest at 9.890018 mm with its weight."""
    run = run_mass(0.05, 0.01, 0.0095, 20.0, 5.9, 0.06, 0.0, gravity=9.81, duration=1.0, h=1e-5)
    at = np.flatnonzero((run[1:, 1] < 0.01) & (run[:-1, 1] >= 0.01))
    assert 1e3 * run[at[:4], 0] == pytest.approx([100.96, 161.95, 190.69, 210.00], abs=0.02)
    assert -run[at[:4], 2] == pytest.approx([0.9904, 0.2456, 0.1139, 0.0598], abs=2e-4)
    assert 1e3 * run[-1, 1] == pytest.approx(9.890018, abs=1e-6)
    assert run[-1, 3] == pytest.approx(0.4905, abs=1e-6)


def test_wall():
    """Break through at 270 m/s and be thrown back at 200 (X-08)."""
    wall = {"exit_s0": -0.1, "exit_sc": -0.05, "h": 1e-5, "duration": 0.01}
    fast = run_mass(0.05, 0.1, 0.08, 1e4, 0.05, 0.2, -270.0, **wall)
    slow = run_mass(0.05, 0.1, 0.08, 1e4, 0.05, 0.2, -200.0, **wall)
    assert fast[-1, 2] == pytest.approx(-83.0690, rel=1e-4)
    assert slow[-1, 2] == pytest.approx(41.1786, rel=1e-4)
    assert slow[:, 1].min() == pytest.approx(-0.0105, abs=1e-5)
    assert max(fast[:, 3].max(), slow[:, 3].max()) <= 1e4


def test_stick_slip():
    """Slip four times as X-03, with the filter and with LuGre; at 10 ms the filter drifts (X-04)."""
    fine = run_pulled(1e-5, every=10)
    assert begins(fine[:, 2] > 0.02, fine[:, 0]) == pytest.approx([1.415, 2.520, 3.624, 4.729], abs=1e-3)
    assert fine[:, 2].max() == pytest.approx(0.4815, abs=1e-4)
    assert fine[:, 3].max() == pytest.approx(1.4075, abs=1e-4)
    assert fine[-1, 1:3] == pytest.approx([0.440946, 2.3e-5], abs=1e-6)
    bristles = run_pulled_lugre()
    assert begins(bristles[:, 2] > 0.02, bristles[:, 0]) == pytest.approx(
        [1.413, 2.501, 3.588, 4.676], abs=1e-3
    )
    assert bristles[-1, 1] == pytest.approx(0.435151, abs=1e-6)
    coarse = run_pulled(1e-2, fine=False)
    assert coarse[:, 2].max() == pytest.approx(0.5035, abs=1e-4)
    assert coarse[800, 1] - coarse[600, 1] == pytest.approx(11.9e-3, abs=1e-4)


def test_pendulum():
    """Touch when X-09 does, rest, and never gain energy."""
    run = run_pendulum(h=1e-4)
    assert 1e3 * run.contacts(1)[:6] == pytest.approx([107.6, 181.6, 227.1, 273.1, 309.3, 348.3], abs=0.06)
    assert 1e3 * run.contacts(0)[:5] == pytest.approx([293.4, 372.0, 417.8, 457.5, 496.5], abs=0.06)
    assert run.normal.max(axis=0) == pytest.approx([147.40, 122.18], abs=0.02)
    assert run.energy[[0, 1500, 2000, 2500, 3000]] == pytest.approx(
        [0.143724, 0.085297, 0.080195, 0.079292, 0.006074], abs=2e-6
    )
    assert run.normal[-1] == pytest.approx([0.981, 0.981], abs=1e-4)
    assert 1e3 * run.gaps[-1] == pytest.approx([10.00729, 10.00729], abs=1e-4)
    # to the rounding of energies of a tenth of a joule
    assert np.diff(run.energy + run.stored).max() <= 3e-16


def test_pendulum_with_friction():
    """Hit later with medium friction, and stand as an arch with high friction (X-10)."""
    medium, high = run_pendulum((0.18, 0.2)), run_pendulum((0.36, 0.4))
    assert 1e3 * medium.contacts(1)[:5] == pytest.approx([107.6, 178.4, 221.9, 260.0, 297.7], abs=0.06)
    assert 1e3 * medium.contacts(0)[0] == pytest.approx(370.5, abs=0.06)
    assert 1e3 * high.contacts(1)[:4] == pytest.approx([107.6, 177.6, 222.3, 261.9], abs=0.06)
    assert len(high.contacts(0)) == 0
    assert high.angles[-1] == pytest.approx([0.8911, -1.7846], abs=1e-4)
    assert high.normal[-1, 1] == pytest.approx(1.4727, abs=1e-4)
    assert high.friction[-1] == pytest.approx(0.3954, abs=1e-4)


def test_cube():
    """Tumble through the contacts of X-11 and X-12."""
    for friction, rows in (
        ((0.0, 0.0), [
            (0.4369, (2.0, 1.0, -2.0506), (43.878, 65.676, 0.0), 1.04486),
            (0.4393, (2.0, 1.0, -0.6778), (81.755, 31.280, 0.0), 0.97232),
            (0.4431, (2.0, 1.0, 1.7017), (26.791, -40.956, 0.0), 0.65497),
            (0.4531, (2.0, 1.0, 1.9122), (19.981, -36.511, 0.0), 0.65438),
        ]),
        ((0.25, 0.3), [
            (0.4370, (2.1468, 0.5185, -1.8590), (27.058, 65.863, 11.702), 0.91513),
            (0.4391, (2.2235, 0.0816, -0.0116), (59.27, 16.77, -0.88), 0.62593),
            (0.4460, (1.9697, -0.1637, 1.4057), (21.68, -19.36, -13.21), 0.44206),
        ]),
    ):  # fmt: skip
        run = run_cube(friction, duration=0.46)
        ends = np.flatnonzero(~(run["force"] > 0.5)[1:] & (run["force"] > 0.5)[:-1]) + 1
        assert len(ends) == len(rows)
        for i, (t, v, w, energy) in zip(ends, rows, strict=True):
            assert run["t"][i] == pytest.approx(t, abs=6e-5)
            assert run["velocity"][i] == pytest.approx(v, abs=1e-3)
            assert run["angular_velocity"][i] == pytest.approx(w, abs=6e-3)
            assert run["energy"][i] == pytest.approx(energy, abs=1e-5)


def test_leg():
    """Have the masses, loads and stop of the leg (X-13)."""
    rows = {
        (0.9984, 0.0742): (0.429864, 0.219408, 8.516207, 0.00238, 0.00210, 0.259498, 1.86401, -1.56235),
        (1.2, 0.1): (0.719382, 0.371772, 7.893042, 13.46013, -1.34991, 0.569465, 1.56725, -1.31230),
        (1.2, 0.3): (0.401765, 0.239329, 10.411439, 4.24799, 57.45109, 0.215553, 1.90864, -2.15104),
        (1.4, 0.3): (0.709205, 0.499034, 9.332970, 17.35634, 48.06750, 0.566628, 1.58269, -1.83930),
        (1.5, 0.5): (0.506292, 0.644856, 11.832772, 14.25100, 105.79925, 0.302956, 1.71606, -2.50328),
    }
    for place, wanted in rows.items():
        assert leg_matrices(*place) == pytest.approx(wanted, abs=6e-6)
    assert equilibrium() == pytest.approx([0.9984, 0.0742], abs=1e-4)
    for bend, load in ((6.29e-3, 2.0 / 2), (-2.67e-3, 5.0), (-7.57e-3, 10.0), (-16.53e-3, 20.0)):
        assert stop_moment(bend, 0.0) == pytest.approx(load, abs=0.01 * load)
    assert stop_moment(0.0, 0.0) == pytest.approx(3.2, abs=0.02)
