"""The contact graph: how far each body is from the ground, for shock propagation.

Bender 2007, section 5.2.3. Nodes are the bodies of an island, edges its blocks of rows. The level of a body
is its breadth-first distance from the ground, the level of an edge the larger one of its two bodies. Bodies
of equal level that touch are solved together. (The thesis merges every cycle into one level, which would
make a brick wall a single level.)
"""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Ints
from stoss.engine.constraints.islands import Islands

__all__ = ["ContactGraph", "find_graph"]


class ContactGraph(Struct):
    """Levels of the islands that are solved by sweeps."""

    level: Annotated[Ints, "bodies"]  # distance from the ground, 1: stands on it; -1 where not asked for
    grounded: Annotated[Bools, "islands"]  # whether the island stands on, or hangs from, what does not react
    order: Annotated[Ints, "blocks"]  # blocks, island by island, from the ground up where asked for


@inner(allocates=True)
def _find_levels(islands, contact_count, wanted, level, grounded):
    """Fill `level` and `grounded` for the islands `wanted`.

    The ground of an island are the static and kinematic bodies that it touches; if it touches none, what it
    is joined to (a pendulum that swings into a wall is no ground for the wall). An island without any ground
    gets its first body, that of the lowest index, as level 0.

    Args:
        islands: the islands.
        contact_count: sources of blocks below it are contacts, the others joints.
        wanted: (islands,) whose levels are to be found.
        level: (bodies,) receives the levels.
        grounded: (islands,)
    """
    pairs = islands.pairs
    touches = np.zeros(len(pairs), np.bool_)  # pairs that are not only joined
    for block in range(len(islands.order)):
        if islands.order[block] < contact_count:
            touches[islands.block_pair[block]] = True
    place = np.empty(len(level), np.int64)
    for island in range(len(wanted)):
        if not wanted[island]:
            continue
        first = islands.body_start[island]
        count = islands.body_start[island + 1] - first
        for i in range(count):
            place[islands.bodies[first + i]] = i
            level[islands.bodies[first + i]] = -1
        # neighbours of each body, body by body
        start = np.zeros(count + 1, np.int64)
        by_contact = False
        by_joint = False
        for p in range(islands.pair_start[island], islands.pair_start[island + 1]):
            a, b = pairs[p, 0], pairs[p, 1]
            if a >= 0 and b >= 0:
                start[place[a] + 1] += 1
                start[place[b] + 1] += 1
            elif touches[p]:
                by_contact = True
            else:
                by_joint = True
        for i in range(count):
            start[i + 1] += start[i]
        neighbour = np.empty(start[count], np.int64)
        fill = start[:-1].copy()
        queue = np.empty(count, np.int64)
        end = 0
        for p in range(islands.pair_start[island], islands.pair_start[island + 1]):
            a, b = pairs[p, 0], pairs[p, 1]
            if a >= 0 and b >= 0:
                neighbour[fill[place[a]]] = b
                fill[place[a]] += 1
                neighbour[fill[place[b]]] = a
                fill[place[b]] += 1
            elif touches[p] or not by_contact:
                i = max(a, b)
                if level[i] < 0:
                    level[i] = 1
                    queue[end] = i
                    end += 1
        grounded[island] = by_contact or by_joint
        if end == 0:
            queue[0] = islands.bodies[first]
            level[queue[0]] = 0
            end = 1
        begin = 0
        while begin < end:
            i = queue[begin]
            begin += 1
            for k in range(start[place[i]], start[place[i] + 1]):
                j = neighbour[k]
                if level[j] < 0:
                    level[j] = level[i] + 1
                    queue[end] = j
                    end += 1


@inner(allocates=True)
def _order_by_level(islands, wanted, level, order):
    """Sort the blocks of the islands `wanted` by the levels of their edges, from the ground up.

    Blocks of equal level keep their order.

    Args:
        islands: the islands.
        wanted: (islands,)
        level: (bodies,)
        order: (blocks,) receives the blocks.
    """
    for island in range(len(wanted)):
        if not wanted[island]:
            continue
        highest = 0
        for k in range(islands.body_start[island], islands.body_start[island + 1]):
            highest = max(highest, level[islands.bodies[k]])
        fill = np.zeros(highest + 2, np.int64)
        first, last = islands.block_start[island], islands.block_start[island + 1]
        for turn in range(2):
            for block in range(first, last):
                pair = islands.block_pair[block]
                height = 0
                for half in range(2):
                    if islands.pairs[pair, half] >= 0:
                        height = max(height, level[islands.pairs[pair, half]])
                if turn == 0:
                    fill[height + 1] += 1
                else:
                    order[first + fill[height]] = block
                    fill[height] += 1
            if turn == 0:
                for k in range(highest + 1):
                    fill[k + 1] += fill[k]


@kernel(allocates=True)
def find_graph(islands: Islands, contact_count: int, shock: bool, methods: Ints, graph: ContactGraph) -> None:
    """Write the graph of the islands that are swept if it is asked for, else one of which nothing is known.

    Args:
        islands: the islands.
        contact_count: tells contacts from joints: sources of blocks below it are contacts.
        shock: whether it is asked for.
        methods: (islands,) SWEEPS (0) or DIRECT (1).
        graph: has the right lengths; is written.
    """
    for i in range(len(graph.level)):
        graph.level[i] = -1
    for block in range(len(graph.order)):
        graph.order[block] = block
    wanted = np.zeros(len(graph.grounded), np.bool_)
    for island in range(len(wanted)):
        graph.grounded[island] = False
        wanted[island] = shock and methods[island] == 0
    if shock:
        _find_levels(islands, contact_count, wanted, graph.level, graph.grounded)
        _order_by_level(islands, wanted, graph.level, graph.order)
