"""Scenes of impacts."""
