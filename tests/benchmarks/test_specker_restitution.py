"""Restitution against the step: schemes that follow an impact in time, and the engine beside them."""

import pytest

from stoss.benchmarks.specker.restitution import SCHEMES, table


def test_the_engine_needs_no_small_steps():
    """Give the restitution of the closed form at 10 and 5 ms to 1e-4, where others miss it by a tenth."""
    rows = {(name, h): error for name, h, error in table((1e-2, 5e-3), 2)}
    for h in (1e-2, 5e-3):
        assert rows["engine", h] < 1e-4
        assert all(rows[name, h] > 0.1 for name in SCHEMES if name != "engine")


@pytest.mark.parametrize(
    "name, order", [("implicit Euler", 1), ("discrete gradient", 2), ("Hunt-Crossley, explicit", 2)]
)
def test_schemes_that_follow_an_impact_converge(name, order):
    """Come to the closed form with the order of the scheme: by it the closed form is checked, too."""
    (_, _, coarse), (_, _, fine) = (row for row in table((5e-5, 1e-5), 2) if row[0] == name)
    assert fine < coarse / 5.0**order * 1.6
    assert fine < 2e-2
