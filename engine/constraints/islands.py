"""Islands: sets of reacting bodies that are connected by blocks of rows, each solved on its own."""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Ints
from stoss.engine.bodies.arrays import DYNAMIC

__all__ = [
    "MECHANISM",
    "NET",
    "TREE",
    "Islands",
    "Layout",
    "Sources",
    "find_islands",
    "group_blocks",
    "lay_out",
    "number_islands",
]

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


class Sources(Struct):
    """What makes blocks of rows: contacts, then joints."""

    first: Annotated[Ints, "blocks"]  # bodies that each is between, -1 for the world
    second: Annotated[Ints, "blocks"]
    resists: Annotated[Ints, "contacts"]  # what turning each contact resists, besides sliding
    extra: Annotated[Ints, "contacts"]  # how many rows that takes


@inner
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@inner
def _reacting(kinds, body):
    """Return the body, or -1 if it does not react or is the world."""
    return body if body >= 0 and kinds[body] == DYNAMIC else -1


@kernel(allocates=True)
def number_islands(sources: Sources, kinds: Ints, number: Ints) -> tuple[int, int]:
    """Number the islands; return how many bodies and how many islands there are.

    Args:
        sources: the blocks, each with a body that reacts. Bodies that do not react do not connect.
        kinds: (bodies,) of the bodies.
        number: (bodies,) receives the island of each body, -1 without.
    """
    first, second, bodies = sources.first, sources.second, len(kinds)
    parent = np.arange(bodies)
    for i in range(bodies):
        number[i] = -1
    for c in range(len(first)):
        a, b = _reacting(kinds, first[c]), _reacting(kinds, second[c])
        if a >= 0:
            number[a] = 0
        if b >= 0:
            number[b] = 0
        if a >= 0 and b >= 0:
            a, b = _root(parent, a), _root(parent, b)
            if a < b:
                parent[b] = a
            elif b < a:
                parent[a] = b
    members = islands = 0
    for i in range(bodies):
        if number[i] >= 0:
            members += 1
            r = _root(parent, i)  # the lowest body of the island
            if r == i:
                number[i] = islands
                islands += 1
            else:
                number[i] = number[r]
    return members, islands


@kernel(allocates=True)
def group_blocks(sources: Sources, kinds: Ints, number: Ints, islands: Islands) -> int:
    """Group bodies and blocks by the number of their island; return how many coupled pairs there are.

    Args:
        sources, kinds, number: as for `number_islands`.
        islands: has the right lengths, but for `pairs`, of which there may be as many as blocks; is written.
    """
    first, second, body_start, block_start = (
        sources.first,
        sources.second,
        islands.body_start,
        islands.block_start,
    )
    count, blocks = len(body_start) - 1, len(first)
    for i in range(count + 1):
        body_start[i] = block_start[i] = 0
    for i in range(len(number)):
        if number[i] >= 0:
            body_start[number[i] + 1] += 1
    home = np.empty(blocks, np.int64)
    for c in range(blocks):
        a = _reacting(kinds, first[c])
        home[c] = number[a if a >= 0 else second[c]]
        block_start[home[c] + 1] += 1
    for i in range(count):
        body_start[i + 1] += body_start[i]
        block_start[i + 1] += block_start[i]
    fill = body_start.copy()
    for i in range(len(number)):
        if number[i] >= 0:
            islands.bodies[fill[number[i]]] = i
            fill[number[i]] += 1
    fill = block_start.copy()
    for c in range(blocks):
        islands.order[fill[home[c]]] = c
        fill[home[c]] += 1
    pairs, found = islands.pairs, 0
    for i in range(count):
        islands.pair_start[i] = found
        for k in range(block_start[i], block_start[i + 1]):
            c = islands.order[k]
            a, b = _reacting(kinds, first[c]), _reacting(kinds, second[c])
            fresh = found == islands.pair_start[i] or pairs[found - 1, 0] != a or pairs[found - 1, 1] != b
            if fresh:
                pairs[found, 0], pairs[found, 1] = a, b
                found += 1
            islands.block_pair[k] = found - 1
    islands.pair_start[count] = found
    return found


def find_islands(first: np.ndarray, second: np.ndarray, kinds: np.ndarray) -> Islands:
    """Return the islands of blocks between bodies first[i] and second[i]; see `number_islands`."""
    nothing, number = np.zeros(0, np.int64), np.zeros(len(kinds), np.int64)
    sources = Sources(first, second, nothing, nothing)
    members, count = number_islands(sources, kinds, number)
    table = Table(Islands, members=members, islands=count, blocks=len(first), pairs=len(first))
    table.resize(pairs=group_blocks(sources, kinds, number, table.arrays))
    return table.arrays


class Layout(Struct):
    """Where the rows of contacts and joints stand in the system: blocks in the order of the islands."""

    start: Annotated[Ints, "blocks+1"]  # first row of each block
    contacts: Annotated[Ints, "contacts"]  # contacts in the order of their blocks
    contact_block: Annotated[Ints, "contacts"]  # block of each of them
    contact_start: Annotated[Ints, "islands+1"]  # into `contacts`
    joint_block: Annotated[Ints, "joints"]  # block of each joint, -1 if it takes no part
    joint_island: Annotated[Ints, "joints"]


@kernel
def lay_out(
    islands: Islands,
    contact_rows: int,
    sources: Sources,
    joints: Ints,
    joint_rows: Ints,
    layout: Layout,
) -> int:
    """Lay out the rows of all blocks; return how many there are.

    Args:
        islands: of these sources.
        contact_rows: the least rows of a contact.
        sources: the blocks.
        joints: (k,) joint of each of the blocks of joints, -1 for what is but a part of one.
        joint_rows: (k,) rows of each of them.
        layout: has the right lengths; is written.
    """
    order, block_start, start, contacts = islands.order, islands.block_start, layout.start, len(sources.extra)
    for j in range(len(layout.joint_block)):
        layout.joint_block[j], layout.joint_island[j] = -1, 0
    found = start[0] = layout.contact_start[0] = 0
    for island in range(len(block_start) - 1):
        for block in range(block_start[island], block_start[island + 1]):
            source = order[block]
            if source < contacts:
                layout.contacts[found] = source
                layout.contact_block[found] = block
                found += 1
                start[block + 1] = start[block] + contact_rows + sources.extra[source]
            else:
                j = joints[source - contacts]
                if j >= 0:
                    layout.joint_block[j] = block
                    layout.joint_island[j] = island
                start[block + 1] = start[block] + joint_rows[source - contacts]
        layout.contact_start[island + 1] = found
    return start[len(order)]
