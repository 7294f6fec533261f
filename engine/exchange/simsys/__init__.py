"""Models of simsys, the program of Krieg 1992: a parameter file, and blocks in the files that it names."""

from stoss.engine.exchange.simsys.reader import read_simsys

__all__ = ["read_simsys"]
