"""Measurements beside the presets: accuracy, scaling, fuzz, warm start."""
