"""Compositions of the symmetric step that raise its order (design: the step is RATTLE).

Each row holds the shares of a step; their sum is 1 and they read the same backwards. Bender 2007, section
3.4, looks for the same with impulses in the middle of intervals and reaches order 3: it loses the symmetry.
"""

import numpy as np

__all__ = ["COMPOSITIONS"]

_SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
_YOSHIDA = (0.78451361047755726382, 0.23557321335935813368, -1.17767998417887100695)

COMPOSITIONS: dict[int, np.ndarray] = {
    2: np.ones(1),
    4: np.array([_SUZUKI, _SUZUKI, 1.0 - 4.0 * _SUZUKI, _SUZUKI, _SUZUKI]),
    6: np.array([*_YOSHIDA, 1.0 - 2.0 * sum(_YOSHIDA), *_YOSHIDA[::-1]]),
}
