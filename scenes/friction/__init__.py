"""Scenes of friction."""
