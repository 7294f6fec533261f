"""Walk over all pairs of a kind in one kernel, with room made for the contacts it finds."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.collision.shapes.shape_table import ShapeTable

__all__ = ["walk_pairs"]

_USUAL = 4  # contacts that a pair has at most, usually


def walk_pairs(
    collide: Callable[..., tuple[int, int]],
    pairs: np.ndarray,
    table: ShapeTable,
    margin: float,
    contacts: Contacts,
    scratch: Any,
    most: int,
) -> None:
    """Append the contacts of pairs of shapes.

    Args:
        collide: kernel of (pairs, start, shapes, margin, scratch, out, count), which collides pairs from row
            `start` on, appends to `out` after its first `count` contacts and returns the next row, that at
            which there may be no room or the number of pairs, and the contacts so far.
        pairs: (p, 2) rows of the table, first below second, C-contiguous.
        table: the shapes, updated.
        margin: contacts up to this gap [m] are reported.
        contacts: grows as needed.
        scratch: work arrays of the kernel.
        most: contacts that one pair may have; the kernel stops where there is no room for as many.
    """
    done = 0
    while done < len(pairs):
        contacts.reserve(contacts.count + _USUAL * (len(pairs) - done) + most)
        done, contacts.count = collide(
            pairs, done, table.arrays, margin, scratch, contacts.arrays, contacts.count
        )
