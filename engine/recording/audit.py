"""The audit of angular momentum: what torques from outside add up to, beside what the bodies have.

Krieg 1992 integrates, beside the motion, the moment of all applied loads about the origin and compares it
with the angular momentum of the bodies: they agree, if forces between bodies cancel. Here contacts and joints
with what does not move are applied loads too.
"""

from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.collision.read_only import read_only
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["AngularMomentumAudit"]


@closed
class AngularMomentumAudit:
    """Integrate the torques on a world about the origin, to be compared with its angular momentum.

        audit = st.AngularMomentumAudit(world)
        world.step(1000)
        audit.computed, audit.integrated, audit.error     # (3,), (3,), and the length of the difference

    Torques are those of gravity, of forces and loads, of contacts and joints with bodies that are not
    dynamic, and of joints with the world. Constant forces are integrated exactly. Impulses at contacts are
    taken where their points were half a step ago, those of surfaces that have just met where they are: exact
    to the step. What `StepReport.ladder` calls "bounded" changes momenta without a torque, which shows here.
    It may stand for a function of a `Recorder`: functions={"integrated [N m s]": audit}.

    Args:
        world: the world. Make the audit after functions of `World.before_step` that give forces.
    """

    def __init__(self, world: "World") -> None:
        from stoss.engine.world.world import World

        if not isinstance(world, World):
            raise TypeError(f"world = {shown(world)} must be a World")
        self._world = world
        self._total = self.computed.copy()
        self._start: tuple[np.ndarray, np.ndarray] | None = None
        world.before_step.append(self._before)
        world.after_step.insert(0, self._after)

    def __call__(self, world: "World") -> np.ndarray:
        """Return what was integrated, for a `Recorder`."""
        return self.integrated

    @property
    def computed(self) -> np.ndarray:
        """Angular momentum of the bodies about the origin (3,) [N m s]."""
        return self._world.report.angular_momentum

    @property
    def integrated(self) -> np.ndarray:
        """What torques have added up to since the beginning (3,) [N m s]."""
        return read_only(self._total.copy())

    @property
    def error(self) -> float:
        """Length of the difference of both [N m s]."""
        return float(np.linalg.norm(self.computed - self._total))

    def close(self) -> None:
        """End it."""
        world = self._world
        if self._before in world.before_step:
            world.before_step.remove(self._before)
            world.after_step.remove(self._after)

    def _before(self, world: "World") -> None:
        """Take note of places and of what users' forces are for the step that comes."""
        b, store = world._bodies, world._body_store
        wrench = np.concatenate([b.forces, b.torques], axis=1)
        for key, load in store.next_step.loads.items():
            wrench[store.registry.row_of_key(key)] += load
        self._start = b.positions.copy(), wrench

    def _after(self, world: "World") -> None:
        """Add the moments of the step."""
        b = world._bodies
        if self._start is None or len(self._start[0]) != len(b.kinds):  # bodies came or went in the step
            self._total, self._start = self.computed.copy(), None
            return
        places, wrench = self._start
        h, dynamic = world._steps.force_step, b.kinds == DYNAMIC
        if world._loads is not None:
            wrench = wrench + world._loads.wrenches(len(b.kinds))
        middle = 0.5 * (places + b.positions)
        forces = wrench[:, :3] + b.masses[:, None] * world._gravity
        moments = np.cross(middle, forces) + wrench[:, 3:]
        shift = b.positions - middle
        self._total += h * moments[dynamic].sum(axis=0)
        self._total += self._of_contacts(dynamic, shift) + self._of_joints(dynamic)
        self._start = None

    def _of_contacts(self, dynamic: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """Return the moment of the impulses of contacts with what is not dynamic [N m s].

        Args:
            dynamic: (n,) which bodies are.
            shift: (n, 3) by how far each has moved since the middle of the step [m].
        """
        world = self._world
        contacts, impulses = world._steps.stages.waking.acting_contacts
        count = contacts.count
        a, b = contacts.body_a[:count], contacts.body_b[:count]
        outer = np.flatnonzero(dynamic[a] != dynamic[b])
        if not len(outer):
            return np.zeros(3)
        a, b = a[outer], b[outer]
        points = 0.5 * (contacts.point_a[outer] + contacts.point_b[outer])
        mine = np.where(dynamic[a], a, b)
        new = {(first, second) for first, second in world.events.begin.tolist()}
        pairs = zip(np.minimum(a, b).tolist(), np.maximum(a, b).tolist(), strict=True)
        met = np.array([pair in new for pair in pairs]) if new else np.zeros(len(outer), bool)
        points = np.where(met[:, None], points, points - shift[mine])
        sign = np.where(dynamic[a], 1.0, -1.0)
        return np.cross(points, sign[:, None] * impulses[outer]).sum(axis=0)

    def _of_joints(self, dynamic: np.ndarray) -> np.ndarray:
        """Return the moment of the impulses of joints with what is not dynamic, or the world [N m s]."""
        world, total = self._world, np.zeros(3)
        joints = world._joint_table.arrays
        moves = (joints.bodies >= 0) & dynamic[joints.bodies]
        for row in np.flatnonzero(moves[:, 0] != moves[:, 1]):
            sign, reaction = 1.0 if moves[row, 1] else -1.0, joints.reaction[row]
            point = world._joint_store.handles[row].second_point
            total += sign * (np.cross(point, reaction[:3]) + reaction[3:])
        return total
