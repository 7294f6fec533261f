"""What sensors and actuators have in common: a name in a world, what they are at, and their state."""

from typing import TYPE_CHECKING, Any, ClassVar

from stoss.engine import checks
from stoss.engine.control.state import Stateful, give_back, state_of
from stoss.engine.world.body import Body
from stoss.engine.world.marker import Marker

if TYPE_CHECKING:
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = ["Part", "checked_body", "checked_place"]


def checked_place(at: Any) -> Marker | Body:
    """Return a marker or a body, which must be in a world.

    Raises:
        TypeError, ValueError: it is none, or was removed.
    """
    if not isinstance(at, Marker | Body):
        raise TypeError(f"at = {checks.shown(at)} must be a Marker or a Body of the world")
    return at if isinstance(at, Marker) and at.position is not None else checked_body("at", at)


def checked_body(name: str, value: Any) -> Body:
    """Return a body, which must be in a world.

    Raises:
        TypeError, ValueError: it is none, or was removed.
    """
    body: Body = checks.instance(name, value, Body, "world.body('foot')")
    if not body.world._all_bodies.registry.has(body):
        raise ValueError(f"{name} = {checks.shown(body)} is in no world any more")
    return body


class Part(Stateful):
    """A sensor or an actuator.

    What it keeps in attributes is its state, but for what it refers to: handles, and other parts.
    """

    noun: ClassVar[str] = "part"
    _no_state: ClassVar[frozenset[str]] = frozenset({"_world", "_name"})

    _world: "World | None" = None
    _name: str = ""

    def __repr__(self) -> str:
        where = f"{self._name!r}" if self._world is not None else "in no world"
        return f"<{type(self).__name__} {where}>"

    @property
    def name(self) -> str:
        """Name in its world, unique among those of its kind; empty while it is in none."""
        return self._name

    @property
    def world(self) -> "World | None":
        """World that it was added to, None: in none."""
        return self._world

    def _in_world(self) -> "World":
        """Return its world.

        Raises:
            ValueError: it is in none.
        """
        if self._world is None:
            raise ValueError(
                f"this {type(self).__name__} is in no world; world.add_{self.noun}(it) puts it into one"
            )
        return self._world

    def remove(self) -> None:
        """Take it out of its world."""
        self._in_world()._remove_part(self)

    # ------------------------------------------------------------- what kinds of parts say

    def _at(self) -> "tuple[Body | Joint | Marker, ...]":
        """Return what it is at; it goes with any of these."""
        raise NotImplementedError

    def _added(self, world: "World") -> None:
        """Begin in a world that it was added to."""

    def _left(self) -> None:
        """Leave no traces in the world that it is taken out of."""

    def _save(self) -> tuple[Any, ...]:
        return state_of(self, self._no_state)

    def _give_back(self, state: Any) -> None:
        give_back(self, state, f"{self.noun} {self._name!r}")

    def _mark(self) -> Any:
        """Return what `_return` needs to take back what is done before a step: quicker than `_save`."""
        return self._save()

    def _return(self, mark: Any) -> None:
        self._give_back(mark)
