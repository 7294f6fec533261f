"""Hostile use, in numbers: damaged files, killed processes, calls with wrong values."""
