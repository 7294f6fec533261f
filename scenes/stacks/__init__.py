"""Scenes that stand: stacks, pyramids, walls, arches."""
