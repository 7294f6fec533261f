"""Narrow phase: distance, normal and closest features of a pair of shapes."""
