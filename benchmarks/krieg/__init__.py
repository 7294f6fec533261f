"""Tests T-01 to T-24 of Krieg 1992, measured: python -m stoss.benchmarks.krieg."""

from stoss.benchmarks.krieg.command import CHECKS, main

__all__ = ["CHECKS", "main"]
