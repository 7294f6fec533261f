"""Piles with each friction law: the ledger closes, and what rests stays where it is."""

from stoss.benchmarks.specker.piles import measure, piles


def test_a_stack_rests_with_every_law():
    """Close the ledger of each step to 1e-12 of the energy, and move no body by a nanometre (T-15)."""
    for name, figures in measure(piles()["stack"], 5, 20).items():
        assert figures.gap < 1e-12, name
        assert figures.moved < 1e-9, name
