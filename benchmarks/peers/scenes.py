"""Scenes of boxes and ball joints, described once for all engines."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

__all__ = ["GRAVITY", "SCENES", "WORLD", "JointScene", "chain", "net"]

GRAVITY = 9.81  # [m/s^2], along -z
WORLD = -1  # stands for the world where a body is expected
LINK = (0.1, 0.03, 0.03)  # half extents of a link of a chain [m]
ROD = 0.5  # length of a rod of the net [m]


class JointScene(NamedTuple):
    """Boxes at rest, their axes along those of the world, held by ball joints; nothing collides."""

    masses: np.ndarray  # (n,) [kg]
    half_extents: np.ndarray  # (n, 3) [m]
    positions: np.ndarray  # (n, 3) of the centres at the start [m]
    pairs: np.ndarray  # (j, 2) bodies of each joint, the first of which may be WORLD
    anchors: np.ndarray  # (j, 3) of each joint in the world at the start [m]

    @property
    def inertias(self) -> np.ndarray:
        """Return the moments of inertia (n, 3) of the boxes [kg m^2]."""
        squares = self.half_extents**2
        return self.masses[:, None] / 3.0 * (squares.sum(axis=1, keepdims=True) - squares)

    @property
    def fall_energy(self) -> float:
        """Return the energy scale [J]: each body falls by its distance from the nearest point on the world.

        For a chain of n links of length L, n m g L n / 2.
        """
        hung = self.anchors[self.pairs[:, 0] == WORLD]
        distances = np.linalg.norm(self.positions[:, None] - hung, axis=2)
        return float(GRAVITY * self.masses @ distances.min(axis=1))

    def place(self, body: int) -> np.ndarray:
        """Return where a body starts (3,) [m]; the world is at the origin."""
        return np.zeros(3) if body == WORLD else self.positions[body]

    def local_anchors(self, joint: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the anchor of a joint in the frame of its first and its second body, (3,) [m] each."""
        first, second = self.pairs[joint]
        return self.anchors[joint] - self.place(first), self.anchors[joint] - self.place(second)

    def spanning_tree(self) -> tuple[list[tuple[int, int, int]], list[int]]:
        """Return (parent, body, joint) from the world on, and the joints that close loops.

        Engines in joint coordinates need it.
        """
        touching: dict[int, list[int]] = {}
        for joint, pair in enumerate(self.pairs.tolist()):
            for body in pair:
                touching.setdefault(body, []).append(joint)
        seen, branches, used = {WORLD}, [], set()
        queue = deque([WORLD])
        while queue:
            parent = queue.popleft()
            for joint in touching[parent]:
                body = int(self.pairs[joint].sum()) - parent
                if body not in seen:
                    seen.add(body)
                    used.add(joint)
                    branches.append((parent, body, joint))
                    queue.append(body)
        return branches, [joint for joint in range(len(self.pairs)) if joint not in used]


def chain(links: int, *, first_mass: float = 1.0, last_mass: float = 1.0) -> JointScene:
    """Return a chain along x that hangs on the world at the origin; links of 1 kg but for the two ends."""
    masses = np.ones(links)
    masses[0], masses[-1] = first_mass, last_mass
    along = 2.0 * LINK[0] * np.arange(links)
    zeros = np.zeros(links)
    return JointScene(
        masses=masses,
        half_extents=np.tile(LINK, (links, 1)),
        positions=np.column_stack([along + LINK[0], zeros, zeros]),
        pairs=np.column_stack([np.arange(links) - 1, np.arange(links)]),
        anchors=np.column_stack([along, zeros, zeros]),
    )


def net(nodes: int) -> JointScene:
    """Return a level net of nodes x nodes knots, of rods of 1 kg, that hangs on two opposite corners.

    Each knot joins its first rod to every other one, so no joint is redundant. Between two corners of one
    edge the rods of that edge would be taut and level, which no finite force can hold.
    """
    positions: list[list[float]] = []
    half_extents, pairs, anchors = [], [], []
    rods_at: dict[tuple[int, int], list[int]] = {}
    for axis in (0, 1):
        for row in range(nodes):
            for column in range(nodes - 1):
                start = (column, row) if axis == 0 else (row, column)
                end = (column + 1, row) if axis == 0 else (row, column + 1)
                for knot in (start, end):
                    rods_at.setdefault(knot, []).append(len(positions))
                positions.append([ROD * (start[0] + end[0]) / 2, ROD * (start[1] + end[1]) / 2, 0.0])
                half_extents.append([ROD / 2 if k == axis else LINK[2] for k in range(3)])
    for knot, rods in sorted(rods_at.items()):
        first = [WORLD] if knot in ((0, 0), (nodes - 1, nodes - 1)) else []
        pairs += [(body, rods[0]) for body in first] + [(rods[0], rod) for rod in rods[1:]]
        anchors += [(ROD * knot[0], ROD * knot[1], 0.0)] * (len(first) + len(rods) - 1)
    return JointScene(
        masses=np.ones(len(positions)),
        half_extents=np.array(half_extents),
        positions=np.array(positions),
        pairs=np.array(pairs),
        anchors=np.array(anchors),
    )


SCENES: dict[str, Callable[[], JointScene]] = {
    "chain50": lambda: chain(50),
    "chain500": lambda: chain(500),
    "net10": lambda: net(10),
    "heavy_last": lambda: chain(10, last_mass=1e4),
    "heavy_first": lambda: chain(10, first_mass=1e4),
}
