"""Soles as the thesis has them: points that press, stick and slip as springs and dampers (appendix F)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss import StickSlipContact
from stoss.engine.humans import VirtualModelWalker
from stoss.engine.humans.humanoid import SIDES

if TYPE_CHECKING:
    from stoss.engine import Body, World
    from stoss.engine.humans import Humanoid

__all__ = ["SoftSoles"]


class SoftSoles(VirtualModelWalker):
    """Walk on springs between the points of the soles and a ground that bodies pass through.

    Args:
        humanoid: who walks.
        ground: its body; its mask is 0.
        *wishes, **options: of the walker.
    """

    not_state: tuple[str, ...] = (*VirtualModelWalker.not_state, "_points", "_springs")

    def __init__(self, humanoid: "Humanoid", ground: "Body", *wishes: Any, **options: Any) -> None:
        super().__init__(humanoid, *wishes, **options)
        self._points, self._springs = [], []
        for side, sign in zip(SIDES, (-1.0, 1.0), strict=True):
            foot = humanoid.bodies[f"{side} foot"]
            points = [(x, sign * y, z) for _, (x, y, z) in humanoid.human.foot.points]
            law = StickSlipContact([(foot, point) for point in points], ground)
            self._points.append(np.array(points))
            self._springs.append(humanoid.world.add_load(law, name=f"{side} sole"))

    def points_on_ground(self, world: "World") -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        """Yield foot, point, normal impulse on it (3,) [N s] and its place in the frame of the foot (3,) [m].

        Args:
            world: in which it walks.
        """
        for foot, (points, spring) in enumerate(zip(self._points, self._springs, strict=True)):
            for which, (place, force) in enumerate(zip(points, spring.effort, strict=True)):
                if force > 0.0:
                    yield foot, which, np.array([0.0, 0.0, force * world.time_step]), place
