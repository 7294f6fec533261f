"""Motions in files that other programs show: web pages, glTF and Rerun.

`motion` is what all writers take: shapes, colours and poses over time, nothing of the engine. `sources` makes
one of a world, a file or a scene. Each writer is a function from a motion to bytes.
"""
