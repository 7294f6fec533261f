"""The ledger of cubes that tumble closes in every step, and over all."""

from stoss.benchmarks.specker.costs import balance


def test_the_ledger_does_not_drift():
    """Close to rounding in a step, and to no more than its sum over all, thrown up anew in between."""
    worst, gap, _ = balance(1100)
    assert worst < 1e-13 and gap < 1e-12
