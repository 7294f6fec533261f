"""Collision detection: shapes and poses in, contacts out; knows nothing of dynamics."""
