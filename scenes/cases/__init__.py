"""Faults that users of other engines reported, rebuilt as cases with a verdict.

    >>> from stoss.scenes.cases import CASES
    >>> all(figure.passed for figure in CASES["r24_heavy_cubes_on_light_ones"].run())
    True

Importing this package loads the engine.
"""

# isort: off
from stoss.scenes.cases.registry import CASES, Case, Figure, case, find_cases
from stoss.scenes.cases import friction, geometry, impacts, joints, stacks, state, structures  # noqa: F401
# isort: on

__all__ = ["CASES", "Case", "Figure", "case", "find_cases"]
