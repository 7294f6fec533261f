"""Experiments of Henze 2002 and more, measured: python -m stoss.benchmarks.henze."""

from stoss.benchmarks.henze.command import main
from stoss.benchmarks.henze.experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS", "main"]
