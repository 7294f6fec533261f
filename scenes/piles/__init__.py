"""Scenes of many bodies that fall, pour and tumble."""
