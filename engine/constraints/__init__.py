"""Rows, the one form in which constraints reach the solvers, and the islands they connect."""
