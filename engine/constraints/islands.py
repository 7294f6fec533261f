"""Islands: sets of reacting bodies that are connected by blocks of rows, each solved on its own."""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Ints, Ints2

__all__ = ["MECHANISM", "NET", "TREE", "Islands", "Layout", "find_islands", "lay_out"]

# How the joints of an island close: not at all; in loops that leave freedom, as nets; with hardly any.
TREE, NET, MECHANISM = range(3)


class Islands(Struct):
    """Bodies and blocks grouped by island, in the order of the lowest body of each."""

    bodies: Annotated[Ints, "members"]  # bodies of all islands, island by island, ascending
    body_start: Annotated[Ints, "islands+1"]
    order: Annotated[Ints, "blocks"]  # the caller's blocks, island by island, otherwise in their order
    block_start: Annotated[Ints, "islands+1"]  # into `order`
    pairs: Annotated[Ints, "pairs", 2]  # coupled bodies, -1 for one that does not react
    pair_start: Annotated[Ints, "islands+1"]
    block_pair: Annotated[Ints, "blocks"]  # pair of each block, in the order of `order`


@inner
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@inner
def _reacting(reacts, body):
    """Return the body, or -1 if it does not react or is the world."""
    return body if body >= 0 and reacts[body] else -1


@kernel(allocates=True)
def find_islands(
    first: Ints, second: Ints, count: int, reacts: Bools
) -> tuple[Ints, Ints, Ints, Ints, Ints2, Ints, Ints]:
    """Group `count` blocks between bodies first[i] and second[i] (-1: the world) into islands.

    Bodies that do not react (`reacts` false) do not connect. Each block must have a body that reacts.
    Returns the fields of `Islands`.
    """
    bodies = len(reacts)
    parent = np.arange(bodies)
    touched = np.zeros(bodies, np.bool_)
    for c in range(count):
        a = _reacting(reacts, first[c])
        b = _reacting(reacts, second[c])
        if a >= 0:
            touched[a] = True
        if b >= 0:
            touched[b] = True
        if a >= 0 and b >= 0:
            a = _root(parent, a)
            b = _root(parent, b)
            if a < b:
                parent[b] = a
            elif b < a:
                parent[a] = b
    number = np.full(bodies, -1, np.int64)
    islands = 0
    members = 0
    for i in range(bodies):
        if touched[i]:
            members += 1
            r = _root(parent, i)
            if number[r] < 0:
                number[r] = islands
                islands += 1
            number[i] = number[r]
    body_start = np.zeros(islands + 1, np.int64)
    block_start = np.zeros(islands + 1, np.int64)
    for i in range(bodies):
        if number[i] >= 0:
            body_start[number[i] + 1] += 1
    home = np.empty(count, np.int64)
    for c in range(count):
        a = _reacting(reacts, first[c])
        home[c] = number[a] if a >= 0 else number[second[c]]
        block_start[home[c] + 1] += 1
    for i in range(islands):
        body_start[i + 1] += body_start[i]
        block_start[i + 1] += block_start[i]
    island_bodies = np.empty(members, np.int64)
    fill = body_start[:-1].copy()
    for i in range(bodies):
        if number[i] >= 0:
            island_bodies[fill[number[i]]] = i
            fill[number[i]] += 1
    order = np.empty(count, np.int64)
    fill = block_start[:-1].copy()
    for c in range(count):
        order[fill[home[c]]] = c
        fill[home[c]] += 1
    pairs = np.empty((count, 2), np.int64)
    pair_start = np.zeros(islands + 1, np.int64)
    block_pair = np.empty(count, np.int64)
    found = 0
    for i in range(islands):
        for k in range(block_start[i], block_start[i + 1]):
            c = order[k]
            a = _reacting(reacts, first[c])
            b = _reacting(reacts, second[c])
            fresh = found == pair_start[i] or pairs[found - 1, 0] != a or pairs[found - 1, 1] != b
            if fresh:
                pairs[found, 0] = a
                pairs[found, 1] = b
                found += 1
            block_pair[k] = found - 1
        pair_start[i + 1] = found
    return island_bodies, body_start, order, block_start, pairs[:found].copy(), pair_start, block_pair


class Layout(Struct):
    """Where the rows of contacts and joints stand in the system: blocks in the order of the islands."""

    start: Annotated[Ints, "blocks+1"]  # first row of each block
    contacts: Annotated[Ints, "contacts"]  # contacts in the order of their blocks
    contact_block: Annotated[Ints, "contacts"]  # block of each of them
    contact_start: Annotated[Ints, "islands+1"]  # into `contacts`
    joint_block: Annotated[Ints, "joints"]  # block of each joint, -1 if it takes no part
    joint_island: Annotated[Ints, "joints"]


@kernel(allocates=True)
def lay_out(
    order: Ints,
    block_start: Ints,
    contacts: int,
    contact_rows: int,
    extra_rows: Ints,
    joints: Ints,
    joint_rows: Ints,
    joint_count: int,
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Lay out the rows of all blocks; return the fields of `Layout`.

    Args:
        order, block_start: of `Islands`; sources below `contacts` are contacts, the others joints.
        contacts, contact_rows: number of contacts, and of rows of each.
        extra_rows: (contacts,) rows that a contact has besides.
        joints: (k,) joint of each of the other sources, -1 for what is but a part of one.
        joint_rows: (k,) rows of each of them.
        joint_count: number of joints.
    """
    start = np.zeros(len(order) + 1, np.int64)
    kept = np.empty(contacts, np.int64)
    contact_block = np.empty(contacts, np.int64)
    contact_start = np.zeros(len(block_start), np.int64)
    joint_block = np.full(joint_count, -1, np.int64)
    joint_island = np.zeros(joint_count, np.int64)
    found = 0
    for island in range(len(block_start) - 1):
        for block in range(block_start[island], block_start[island + 1]):
            source = order[block]
            if source < contacts:
                kept[found] = source
                contact_block[found] = block
                found += 1
                start[block + 1] = start[block] + contact_rows + extra_rows[source]
            else:
                j = joints[source - contacts]
                if j >= 0:
                    joint_block[j] = block
                    joint_island[j] = island
                start[block + 1] = start[block] + joint_rows[source - contacts]
        contact_start[island + 1] = found
    return start, kept, contact_block, contact_start, joint_block, joint_island
