"""Implicit loads: linear springs that are rows for the solvers, carried by drives of joints.

Between points, and about axes, by a joint that holds nothing and belongs to the load; along a coordinate of a
joint by a drive of that joint.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stoss.collision.quaternions import Quaternion, Vector, conjugate, rotate
from stoss.engine.forces.arrays import COORDINATE
from stoss.engine.forces.constant import coordinate_rows, joint_handle
from stoss.engine.forces.springs import MILLIMETRES, CoordinateSpring, RotationalSpring, SpringDamper
from stoss.engine.joints.combined_kinds import Free
from stoss.engine.joints.framed import Framed
from stoss.engine.world.drives import Drive
from stoss.engine.world.load_kind import End, LoadKind

if TYPE_CHECKING:
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = ["RowLoads", "RowPlace", "is_row"]


def is_row(kind: LoadKind) -> bool:
    """Return whether a load is to be a row."""
    if not isinstance(kind, SpringDamper | CoordinateSpring | RotationalSpring):
        return False
    return kind.implicit is not False and kind._is_linear


class RowPlace(NamedTuple):
    """Where a load is among the joints.

    Attributes:
        joint: key of the joint.
        drives: keys of its rows.
        own: whether the joint belongs to the load.
    """

    joint: int
    drives: tuple[int, ...]
    own: bool


class RowLoads:
    """Carry the implicit loads of a world by drives of joints.

    Args:
        world: whose they are.

    Attributes:
        places: of the loads, by their keys.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self.places: dict[int, RowPlace] = {}
        self._start = np.zeros(0)  # values of their rows when the step began

    def add(self, key: int, name: str, kind: LoadKind, enabled: bool) -> None:
        """Carry a load."""
        world = self._world
        if isinstance(kind, CoordinateSpring):
            joint, own = joint_handle(kind.joint, world), False
            drives = [
                joint.spring(kind.stiffness, kind.damping, kind.rest or 0.0, coordinate=kind.coordinate)
            ]
        else:
            assert isinstance(kind, SpringDamper | RotationalSpring)
            joint, own = self._joint(name, kind), True
            unit = MILLIMETRES if isinstance(kind, SpringDamper) and kind.file_units else 1.0
            law = unit * kind.stiffness, unit * kind.damping, kind.rest or 0.0
            if isinstance(kind, RotationalSpring):
                names: tuple[str, ...] = ("twist",)
            else:
                # a length of zero has no direction: then each axis is a spring
                names = ("distance",) if kind.rest else ("x", "y", "z")
            drives = [joint.spring(*law, coordinate=one) for one in names]
        for drive in drives:
            # as it is, not only once a step has measured it: work is by what changes
            joint._arrays.value[drive.index] = joint._measure(drive.coordinate)[0]
        self.places[key] = RowPlace(joint._key, tuple(drive._key for drive in drives), own)
        if not enabled:
            self.enable(key, False)

    def _joint(self, name: str, kind: SpringDamper | RotationalSpring) -> "Joint":
        """Add the joint that a load has for itself."""
        world = self._world
        (first, one), (second, two) = (_frame(end, world) for end in (kind.first, kind.second))
        store = world._all_bodies
        bodies = [
            None if end.body is None else store.handles[store.registry.row_of_key(end.body)]
            for end in (kind.first, kind.second)
        ]
        free = Framed(Free((0.0, 0.0, 0.0)), first, one, second, two)
        own = name if name not in world._all_joints.registry else None
        return world._all_joints.add(free, bodies[0], bodies[1], own, True)

    def remove(self, key: int) -> None:
        """End a load, with what carried it."""
        place = self.places.pop(key, None)
        if place is None:
            return
        joints = self._world._all_joints
        if joints.registry._row(place.joint) < 0:
            return  # it went first
        if place.own:
            joints.remove(joints.registry.handles[joints.registry.row_of_key(place.joint)])
            return
        for drive in self._drives_at(place):
            drive.remove()

    def of_joint(self, joint: int) -> list[int]:
        """Return the keys of the loads that a joint carries."""
        return [key for key, place in self.places.items() if place.joint == joint]

    def drives(self, key: int) -> list[Drive]:
        """Return the drives of a load."""
        return self._drives_at(self.places[key])

    def joint(self, key: int) -> "Joint":
        """Return the joint that carries a load."""
        registry = self._world._all_joints.registry
        return registry.handles[registry.row_of_key(self.places[key].joint)]

    def _drives_at(self, place: RowPlace) -> list[Drive]:
        registry = self._world._all_joints.registry
        joint = registry.handles[registry.row_of_key(place.joint)]
        return [drive for drive in joint.drives if isinstance(drive, Drive) and drive._key in place.drives]

    def enable(self, key: int, wanted: bool) -> None:
        """Switch a load on or off."""
        for drive in self.drives(key):
            drive.enabled = wanted

    # ------------------------------------------------------------- results

    def effort(self, key: int) -> float:
        """Return the tension [N], or the torque or force along the coordinate."""
        forces = [drive.force for drive in self.drives(key)]
        if len(forces) == 3:
            return float(np.linalg.norm(forces))
        return -forces[0] if self.drives(key)[0].coordinate == "distance" else forces[0]

    def value_and_rate(self, key: int) -> tuple[float, float]:
        """Return what the law is of at present, and its rate."""
        joint, drives = self.joint(key), self.drives(key)
        if len(drives) == 1:
            return joint._measure(drives[0].coordinate)
        values, rates = np.transpose([joint._measure(drive.coordinate) for drive in drives])
        size = float(np.linalg.norm(values))
        return size, float(values @ rates) / size if size > 0.0 else 0.0

    def on_ends(self, key: int) -> list[tuple[int, np.ndarray]]:
        """Return rows of both bodies (-1: the world), the first first, and what acts on them (6,)."""
        joint, drives = self.joint(key), self.drives(key)
        if self.places[key].own:
            return self._reactions(joint)
        rows = coordinate_rows(COORDINATE, joint, drives[0].coordinate)
        rows.numbers[0, 0] = drives[0].force
        store = self._world._loads
        assert store is not None
        return store.table.evaluate_once(rows)[::-1]

    def _reactions(self, joint: "Joint") -> list[tuple[int, np.ndarray]]:
        """Return what a joint gives to its bodies."""
        out = []
        centers = self._world._all_bodies.arrays.positions
        for row, sign in zip(joint._arrays.bodies[joint._row].tolist(), (-1.0, 1.0), strict=True):
            wrench = np.zeros(6)
            if row >= 0:
                wrench[:3] = sign * joint.force
                wrench[3:] = sign * joint.torque + np.cross(joint.second_point - centers[row], wrench[:3])
            out.append((row, wrench))
        return out

    def begin(self) -> None:
        """Begin a step: take note of what the rows measure."""
        self._start = self._world._joint_store.table.arrays.value.copy() if self.places else np.zeros(0)

    def works(self) -> dict[int, float]:
        """Return the work [J] of each load over the last step."""
        if not self.places:
            return {}
        arrays = self._world._joint_store.table.arrays
        if len(arrays.value) != len(self._start):
            return dict.fromkeys(self.places, 0.0)
        work = arrays.total * (arrays.value - self._start) / self._world._steps.force_step
        keys = {int(k): row for row, k in enumerate(arrays.row_key.tolist()) if k >= 0}
        return {
            key: float(sum(work[keys[drive]] for drive in place.drives if drive in keys))
            for key, place in self.places.items()
        }

    def potential(self, key: int, kind: Any) -> float:
        """Return the energy [J] that a load stores at present."""
        value, _ = self.value_and_rate(key)
        unit = MILLIMETRES if isinstance(kind, SpringDamper) and kind.file_units else 1.0
        return float(0.5 * unit * kind.stiffness * (value - (kind.rest or 0.0)) ** 2)


def _frame(end: End, world: "World") -> tuple[Vector, Quaternion]:
    """Return point and orientation of an end in the frame of its body's shapes."""
    if end.point is not None or end.body is None:
        return end.point or (0.0, 0.0, 0.0), end.quaternion
    store = world._all_bodies
    row, b = store.registry.row_of_key(end.body), store.arrays
    w, x, y, z = b.frame_quaternions[row].tolist()
    p, q, r = b.frame_positions[row].tolist()
    return rotate(conjugate((w, x, y, z)), (-p, -q, -r)), end.quaternion
