"""Tests of Stelzner 2008: mechanisms, people and recordings of which results are known, measured."""

from stoss.benchmarks.stelzner.command import CHECKS, main

__all__ = ["CHECKS", "main"]
