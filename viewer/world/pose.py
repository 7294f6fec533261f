"""Poses: coordinates of joints that are set, and bodies that are led by the hand while others follow.

Unlike a pull, which acts by motors as the world runs, this moves bodies at once, also while it stands:
inverse kinematics finds how joints have to turn. What stands on the ground stays there, within the limits of
joints.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import conjugate, rotate
from stoss.engine import checks
from stoss.engine.articulated import Articulation, IKTarget
from stoss.viewer.world.stage import Command, Stage

if TYPE_CHECKING:
    from stoss.engine import Body, World

__all__ = ["CoordinateOutline", "PoseGrip", "PosePull", "SetCoordinate", "coordinate_outlines"]

# What is led counts so much less than what stands: it is missed before a foot moves.
LED = 0.01
CLOSE = 1e-3  # [m or rad]: a hundredth of it is the end of the search, which nobody sees
TOUCH = 1e-3  # [m] gap below which a body stands on another


@dataclass(frozen=True)
class CoordinateOutline:
    """A coordinate of the joints of a world: name, value [rad or m], limits, and whether it is an angle."""

    name: str
    value: float
    lower: float
    upper: float
    angle: bool


def coordinate_outlines(stage: Stage) -> tuple[CoordinateOutline, ...]:
    """Return the coordinates of a world as they are now; none while the pointer is joined to a body."""
    if stage.pull is not None and not isinstance(stage.pull, PosePull):
        return ()
    both = stage.articulation
    q, limits, slides = both.q, both.limits, both.slides
    return tuple(
        CoordinateOutline(name, float(q[k]), float(limits[k, 0]), float(limits[k, 1]), not slides[k])
        for k, name in enumerate(both.coordinates)
    )


@dataclass(frozen=True)
class SetCoordinate(Command):
    """Set a coordinate of the joints to a value [m or rad], at rest; loops are closed again."""

    builds = "at first"

    coordinate: str
    value: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.let_go()
        both = stage.articulation
        q = both.q
        q[both.index(self.coordinate)] = checks.number("value", self.value, "m or rad")
        both.set_state(both.assemble(q, np.zeros(len(q)))[0] if both.loops else q)


@dataclass(frozen=True)
class PoseGrip:
    """How a body is led, without handles: what a `PosePull` goes on from.

    Attributes:
        body: its name.
        local: where it is held (3,) [m], in the frame of its shapes.
        goal: where this is to go (3,) [m].
        standing: names of the bodies that stay, with their positions and quaternions.
    """

    body: str
    local: tuple[float, ...]
    goal: tuple[float, ...]
    standing: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...]

    def resume(self, world: "World") -> "PosePull":
        """Return the hold on a world."""
        return PosePull(world, self)


class PosePull:
    """One body that is led, from `begin` to `end`.

    Args:
        world: the world.
        grip: how the body is held.
    """

    def __init__(self, world: "World", grip: PoseGrip) -> None:
        self.grip = grip
        self._world = world
        self._both: Articulation | None = None

    @classmethod
    def begin(cls, world: "World", body: str, point: Any) -> "PosePull":
        """Take a body at a point (3,) [m], world.

        Raises:
            KeyError: there is no such body.
            ValueError: it does not move.
        """
        held = world.body(body)
        if held.kind != "dynamic":
            raise ValueError(f"body {body!r} is {held.kind}: only dynamic bodies can be led")
        place = checks.vector("point", point)
        turn = tuple(held.quaternion.tolist())
        local = rotate(conjugate(turn), tuple((place - held.position).tolist()))
        standing = tuple(
            (other.name, tuple(other.position.tolist()), tuple(other.quaternion.tolist()))
            for other in _standing(world)
            if other is not held
        )
        return cls(world, PoseGrip(body, local, tuple(place.tolist()), standing))

    @property
    def point(self) -> np.ndarray:
        """Return where the body is held now (3,) [m], world."""
        body = self._world.body(self.grip.body)
        x, y, z = self.grip.local
        return np.asarray(body.position + np.array(rotate(tuple(body.quaternion.tolist()), (x, y, z))))

    @property
    def pointer(self) -> np.ndarray:
        """Return where this is to go (3,) [m]."""
        return np.array(self.grip.goal)

    @property
    def whole(self) -> bool:
        """Return whether the body is still there."""
        return any(body.name == self.grip.body for body in self._world.bodies)

    def holds(self, body: "Body") -> bool:
        """Return whether it ends when a body goes."""
        return body.name == self.grip.body

    def move(self, goal: Any) -> None:
        """Lead the body to a place (3,) [m], as far as joints let it; the bodies are at rest then."""
        place = tuple(checks.vector("goal", goal).tolist())
        if self._both is None:
            self._both = Articulation(self._world)
        both, world = self._both, self._world
        targets = [
            IKTarget(world.body(self.grip.body), position=place, point=self.grip.local, weight=LED),
            *(
                IKTarget(world.body(name), position=position, quaternion=quaternion)
                for name, position, quaternion in self.grip.standing
            ),
        ]
        q = both.solve_ik(targets, rule="least squares", tolerance=CLOSE).q
        both.set_state(both.assemble(q, np.zeros(len(q)))[0] if both.loops else q)
        self.grip = replace(self.grip, goal=place)

    def follow(self) -> None:
        """Before a step there is nothing to do: what is led has moved already."""

    def end(self) -> None:
        """Let go; nothing of it is in the world."""


def _standing(world: "World") -> list["Body"]:
    """Return the bodies that touch what does not move."""
    contacts, bodies = world.contacts, world.bodies
    near = contacts.gap < TOUCH
    pairs = zip(contacts.body_a[near].tolist(), contacts.body_b[near].tolist(), strict=True)
    found = {
        one
        for pair in pairs
        for one, other in (pair, pair[::-1])
        if bodies[one].kind == "dynamic" and bodies[other].kind != "dynamic"
    }
    return [bodies[row] for row in sorted(found)]
