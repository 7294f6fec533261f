"""What is measured: scenes with fixed parameters and a fixed number of steps of 10 ms.

Geometry, masses and materials are those with which other engines were measured (docs/figures.md).
"""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["PRESETS", "TIME_STEP", "Preset"]

# Time step of all measurements [s].
TIME_STEP = 0.01


@dataclass(frozen=True)
class Preset:
    """One line of the benchmark.

    Attributes:
        name: name on the command line.
        scene: name of the scene.
        steps: number of steps.
        parameters: parameters of the scene that differ from its defaults.
    """

    name: str
    scene: str
    steps: int
    parameters: dict[str, Any] = field(default_factory=dict)


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("stack50", "stack", 500, {"bodies": 50}),
        Preset("pyramid210", "pyramid", 500, {"base": 20}),
        Preset("wall105", "wall", 500),
        Preset("funnel500", "funnel", 1000, {"bodies": 500, "shapes": "mixed"}),
        Preset("funnel1000", "funnel", 1000, {"bodies": 1000, "shapes": "mixed"}),
        Preset("drop1000", "drop", 500, {"bodies": 1000}),
        Preset("chain50", "chain", 1000),
        Preset("chain500", "chain", 500, {"bodies": 500}),
        Preset("tree127", "tree", 1000),
        Preset("tree255", "tree", 1000, {"levels": 8}),
        Preset("net100", "net", 1000),
    )
}
