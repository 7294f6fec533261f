"""Broad phase: which pairs of shapes may touch."""
