"""The engine's stick-slip beside Runge-Kutta steps, in closed form and in the plane."""

import numpy as np
import pytest

from stoss.benchmarks.specker.oracle import run_pulled
from stoss.benchmarks.specker.stick_slip import closed_form, engine_run, errors, figures_of
from stoss.scenes import SCENES


def test_the_closed_form_is_the_limit_of_the_step():
    """Slip from 1.4 N on, from the same stretch each time, by the same ways."""
    found, finer = figures_of(closed_form(1e-3)), figures_of(closed_form(1e-4))
    assert np.abs(found.onsets - finer.onsets).max() < 8e-3 and len(found.onsets) == 4
    assert found.place == pytest.approx(finer.place, abs=2e-3) and found.drift == 0.0
    # the most speed of an undamped slip is the end's, and the amplitude times the frequency
    assert finer.fastest < 0.1 + 0.4 / 10.0 * 10.0 + 0.01


@pytest.mark.parametrize(
    "law, reference",
    [("coulomb", closed_form), ("stribeck", closed_form), ("filtered", lambda: run_pulled(1e-4))],
)
def test_ten_milliseconds_do(law, reference):
    """Keep peak speed to 0.5 %, onsets to 15 ms and the place to 2 mm, with steps a hundred times as long."""
    peak, onset, place = errors(engine_run(law, 0.01), reference())
    assert peak < 5e-3 and onset < 0.015 and place < 2e-3


def test_bristles_hold_at_rest():
    """Creep nowhere once the mass stands, whose corners carry unlike loads and are bent unlike."""
    assert figures_of(engine_run("lugre", 0.002)).drift < 1e-9


def test_explicit_steps_diverge():
    """Diverge with Runge-Kutta steps of 1 ms, where the parameters are those of 0.1 ms."""
    with np.errstate(all="ignore"):
        assert errors(run_pulled(1e-3), run_pulled(1e-4))[2] == np.inf


@pytest.mark.parametrize(("h", "close"), [(0.002, 0.005), (0.01, 0.01)])
def test_sticking_and_slipping_in_the_plane(h, close):
    """Slip four times in both axes at once, with the size of friction as in one dimension (section 2.3.3).

    Onsets and the last place of the thesis's equations with the gate that prefers no axis, at 0.1 ms; with
    the longest steps in the step in which these fall.
    """
    world = SCENES["stick_slip"].build(law="filtered", plane="swaying", time_step=h)
    mass, fast, most = world.body("filtered mass"), [], 0.0
    for _ in range(round(5.0 / h)):
        world.step()
        fast.append(np.linalg.norm(mass.velocity[:2]) > 0.02)
        most = max(most, np.linalg.norm(sum(c.impulse[:2] for c in world.contacts)) / h)
    onsets = h * (np.flatnonzero(np.diff(np.array(fast).astype(int)) == 1) + 2)
    assert len(onsets) == 4
    assert np.abs(onsets - [1.3633, 2.4749, 3.5374, 4.6765]).max() < close
    assert most < 1.4076 * 1.001
    assert np.abs(mass.position[:2] - (0.43420, -0.01424)).max() < 2e-4
    assert abs(mass.angular_velocity[2]) < 1e-6  # all four corners slide alike
