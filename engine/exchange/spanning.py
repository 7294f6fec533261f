"""Trees of bodies with joints between them: which joints are in them, and who hangs at whom."""

from collections.abc import Iterable, Mapping

from stoss.engine.model.records import Body
from stoss.engine.world.world import World

__all__ = ["Hanging", "parent_of", "parents_first", "parents_of"]

Hanging = tuple[str, bool]  # at which joint, and whether as the second body there


def parents_of(world: World, bodies: Mapping[str, Body], joints: Iterable[str]) -> dict[str, Hanging]:
    """Return the joint that each body hangs at, and whether it is the second one there.

    Joints come in their order, and each that closes no loop is one of the tree: so a tree that was read is
    found again. All that does not move is one root.

    Args:
        world: the world.
        bodies: records of all bodies, by their names.
        joints: names of those that may be in a tree.
    """

    def is_fixed(name: str | None) -> bool:
        return name is None or bodies[name].kind != "dynamic"

    groups: dict[str | None, str | None] = {}

    def root(name: str | None) -> str | None:
        name = None if is_fixed(name) else name
        while groups.get(name, name) != name:
            name = groups[name]
        return name

    edges: dict[str | None, list[tuple[str, str | None, bool]]] = {}
    for joint in map(world.joint, joints):
        one, other = (None if body is None else body.name for body in (joint.first, joint.second))
        if root(one) == root(other):
            continue
        groups[root(other)] = root(one)
        edges.setdefault(one, []).append((joint.name, other, True))
        edges.setdefault(other, []).append((joint.name, one, False))
    found: dict[str, Hanging] = {}
    seconds = {name for ends in edges.values() for _, name, second in ends if second}
    free = [name for name in bodies if not is_fixed(name)]
    fixed = [name for name in bodies if is_fixed(name)]
    roots: list[str | None] = [None, *fixed]
    roots += [name for name in free if name not in seconds] + [name for name in free if name in seconds]
    done: set[str | None] = set()
    for start in roots:
        if start in done:
            continue
        done.add(start)
        waiting = [start]
        while waiting:
            name = waiting.pop(0)
            for joint_name, other, is_second in edges.get(name, ()):
                if other not in done and other is not None and not is_fixed(other):
                    done.add(other)
                    found[other] = joint_name, is_second
                    waiting.append(other)
    return found


def parents_first(world: World, parents: Mapping[str, Hanging]) -> list[str]:
    """Return the names of the bodies in their order, but parents first."""
    order: list[str] = []
    known: set[str] = set()
    for body in world.bodies:
        chain = []
        at: str | None = body.name
        while at is not None and at not in known:
            chain.append(at)
            at = parent_of(world, at, parents)
        known.update(chain)
        order += reversed(chain)
    return order


def parent_of(world: World, name: str, parents: Mapping[str, Hanging]) -> str | None:
    """Return the name of the body that a body hangs at, None: the world, or nothing."""
    if name not in parents:
        return None
    joint = world.joint(parents[name][0])
    body = joint.first if parents[name][1] else joint.second
    return None if body is None else body.name
