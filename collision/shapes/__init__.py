"""Shapes: their geometry, and all shapes of a world as a structure of arrays."""
