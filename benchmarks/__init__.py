"""Speed of the engine on scenes with a fixed number of steps: `stoss bench`."""

from stoss.benchmarks.presets import PRESETS, Preset

__all__ = ["PRESETS", "Preset"]
