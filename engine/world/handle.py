"""What the handles of bodies, joints, markers, loads and integrals have in common."""

from typing import TYPE_CHECKING, Self

from stoss.engine.world.exclusive import Entry

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Handle"]


class Handle:
    """A thing of a world, by a key that stays valid while others come and go: there is one handle of each.

    Args:
        world: the world.
        key: of the thing, among its kind.
        name: unique among its kind in the world.
    """

    __slots__ = ("__weakref__", "_key", "_name", "_world")

    def __init__(self, world: "World", key: int, name: str) -> None:
        self._world = world
        self._key = key
        self._name = name

    def __copy__(self) -> Self:
        """Return itself: there is one handle of each. `copy.deepcopy` copies the world with it."""
        return self

    @property
    def name(self) -> str:
        """Return the name, unique among its kind in the world."""
        return self._name

    @property
    def world(self) -> "World":
        """Return the world it belongs to."""
        return self._world

    @property
    def _entry(self) -> Entry:
        return self._world._entry
