"""Look over a step that was made: whether bodies ran away, and whether other pairs touch than before."""

from typing import Annotated

import numpy as np

from stoss.collision.contacts import ContactArrays, Contacts
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Ints
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.energy import is_good

__all__ = ["Outcome"]


class Pairs(Struct):
    """Pairs of bodies, first < second, sorted."""

    pairs: Annotated[Ints, "pairs", 2]


@kernel
def _look_over(
    bodies: BodyArrays, speed_limit: float, contacts: ContactArrays, count: int, touch: float, known: Pairs
) -> tuple[bool, bool]:
    """Return whether all bodies are as they should be, and whether just the known pairs of bodies touch.

    The second is found for contacts in the order of the pairs, which is the usual one.
    """
    good = True
    for i in range(len(bodies.kinds)):
        good = good and is_good(bodies, i, speed_limit)
    return good, _same_pairs(contacts, count, touch, known.pairs)


@inner
def _same_pairs(contacts, count, touch, pairs):
    at = 0
    last_a = last_b = -1
    for c in range(count):
        if not contacts.gap[c] <= touch:
            continue
        a = min(contacts.body_a[c], contacts.body_b[c])
        b = max(contacts.body_a[c], contacts.body_b[c])
        if a == last_a and b == last_b:
            continue
        if at == len(pairs) or pairs[at, 0] != a or pairs[at, 1] != b:
            return False
        last_a, last_b = a, b
        at += 1
    return at == len(pairs)


class Outcome:
    """Look over the steps of a world, in one call each."""

    def __init__(self) -> None:
        self._known = Pairs(np.zeros((0, 2), np.int64))

    def of(
        self, bodies: BodyArrays, speed_limit: float, contacts: Contacts, touch: float, pairs: np.ndarray
    ) -> tuple[bool, bool]:
        """Return whether no body ran away, and whether the pairs that touch are known to be the same.

        Args:
            bodies: the bodies.
            speed_limit: [m/s].
            contacts: those of the present state.
            touch: gap up to which surfaces touch [m].
            pairs: (p, 2) that touched before.
        """
        if self._known.pairs is not pairs:
            self._known.pairs = pairs
        good, same = _look_over(bodies, speed_limit, contacts.arrays, contacts.count, touch, self._known)
        return good, same
