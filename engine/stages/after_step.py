"""What is looked at after every step: whether bodies ran away, and whether other pairs of them touch."""

from typing import Annotated

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Ints
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.energy import is_good

__all__ = ["Pairs", "look_over"]


class Pairs(Struct):
    """Pairs of bodies, first < second, sorted."""

    pairs: Annotated[Ints, "pairs", 2]


@kernel
def look_over(
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
