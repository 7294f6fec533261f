"""Scenes of joints: chains, linkages, machines, ragdolls."""
