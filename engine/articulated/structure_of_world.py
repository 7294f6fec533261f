"""Trees out of worlds: which joints carry which bodies, and which of them close loops."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import Vector
from stoss.engine import checks
from stoss.engine.articulated.tree import Tree
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.joints.arrays import CROSS
from stoss.engine.joints.combined_kinds import Free, Universal
from stoss.engine.joints.coupling_kinds import Coupling, Screw
from stoss.engine.joints.framed import Framed
from stoss.engine.joints.guided_kinds import CustomJoint, SplineJoint
from stoss.names import hint

if TYPE_CHECKING:
    from stoss.engine.joints.kind import JointKind
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

from stoss.engine.articulated.structure import (
    AXES,
    HERE,
    PATTERNS,
    Follow,
    Function,
    Law,
    Pose,
    Structure,
    TreeJoint,
    axis_of,
    flat,
    inverse,
    pattern_of,
    then,
)

__all__ = ["structure_of"]


def structure_of(world: "World", follow: Mapping[str, Follow]) -> Structure:
    """Return the tree of a world: breadth first from what does not move, in the order of joints.

    Joints that no chain of axes makes carry what no others do.
    """
    bodies, arrays = world._bodies, world._joint_table.arrays
    moves = bodies.kinds == DYNAMIC
    handles = world.joints
    at: list[list[int]] = [[] for _ in range(len(moves))]
    grounded = []
    for j, joint in enumerate(handles):
        ends = [int(row) for row in arrays.bodies[j] if row >= 0 and moves[row]]
        if not joint.enabled or isinstance(_plain(joint), Coupling):
            continue
        for row in ends:
            at[row].append(j)
        if len(ends) == 1:
            grounded.append(j)
    build = _Builder(world, moves)
    seen, used = np.zeros(len(moves), bool), set()
    queue: list[int] = []

    def take(j: int, row: int) -> None:
        build.carry(j, row)
        used.add(j)
        seen[row] = True
        queue.append(row)

    def spread() -> None:
        while queue:
            row = queue.pop(0)
            for j in at[row]:
                others = [int(b) for b in arrays.bodies[j] if b >= 0 and moves[b] and not seen[b]]
                if j in chains and j not in used and others:
                    take(j, others[0])

    def carry_loose() -> bool:
        for j in loose:
            ends = [int(b) for b in arrays.bodies[j] if b >= 0 and moves[b]]
            outer = [row for row in ends if not seen[row]]
            if len(outer) == 1 and (j in grounded or len(ends) == 2):
                take(j, outer[0])
                return True
        return False

    chains = {j for j, joint in enumerate(handles) if type(_plain(joint)) in PATTERNS}
    loose = sorted({j for row in at for j in row} - chains)
    for j in grounded:
        row = next(int(b) for b in arrays.bodies[j] if b >= 0 and moves[b])
        if j in chains and not seen[row]:
            take(j, row)
    spread()
    while carry_loose():
        spread()
    for row in np.flatnonzero(moves).tolist():
        if not seen[row]:
            build.let_loose(row)
            seen[row] = True
            queue.append(row)
            spread()
            while carry_loose():
                spread()
    closures = []
    for j, joint in enumerate(handles):
        if joint.enabled:
            couples = _couples(joint)
            if (couples and not build.couple(j)) or (not couples and (j not in used or j in build.loose)):
                closures.append(joint)
    for name, leader in follow.items():
        build.follow(name, leader)
    return build.finish(tuple(closures))


def _plain(joint: "Joint") -> "JointKind":
    """Return the kind of a joint, in whichever numbers it was given."""
    return joint.kind.kind if isinstance(joint.kind, Framed) else joint.kind


def _couples(joint: "Joint") -> bool:
    """Return whether a joint couples coordinates: those of others, or its own."""
    return isinstance(_plain(joint), Coupling | Screw)


class _Builder:
    """Axes and links as they come."""

    def __init__(self, world: "World", moves: np.ndarray) -> None:
        self.world, self.bodies = world, world._bodies
        count = len(moves)
        self.holder = np.full(count, -1)
        self.place: list[Pose] = [
            (tuple(p), tuple(q))
            for p, q in zip(self.bodies.positions.tolist(), self.bodies.quaternions.tolist(), strict=True)
        ]
        self.axes: list[tuple[int, bool, Pose, Vector]] = []
        self.joints: list[TreeJoint] = []
        self.names: list[str] = []
        self.laws: dict[int, Law] = {}  # axes that follow others, or the time
        self.loose: set[int] = set()  # joints whose bodies are free in the tree, and held as by a loop

    def carry(self, j: int, row: int) -> None:
        """Let joint j carry a body by what is at its other end."""
        arrays, joint = self.world._joint_table.arrays, self.world.joints[j]
        kind = pattern_of(_plain(joint))
        if kind is Free and not isinstance(_plain(joint), Free):
            self.loose.add(j)
        p = int(arrays.part_start[j])
        a, b = (int(end) for end in arrays.ends[p])
        frame_a = _pose(arrays.point_a[p], arrays.quaternion_a[p])
        frame_b = _pose(arrays.point_b[p], arrays.quaternion_b[p])
        bend = 0.0
        if kind is Universal:
            rows = slice(arrays.row_start[j], arrays.row_start[j + 1])
            cross = arrays.measure[rows] == CROSS
            bend = float(arrays.target[rows][cross][0]) - 0.5 * np.pi
        self._add(joint.name, kind, joint, (a, b), frame_a, frame_b, row == a, row, bend)

    def let_loose(self, row: int) -> None:
        """Let nothing carry a body: its frame moves freely in the world."""
        frame = _pose(self.bodies.frame_positions[row], self.bodies.frame_quaternions[row])
        name = self.world.bodies[row].name
        self._add(name, Free, None, (-1, row), HERE, frame, False, row, 0.0)

    def _add(
        self,
        name: str,
        kind: type,
        joint: "Joint | None",
        ends: tuple[int, int],
        frame_a: Pose,
        frame_b: Pose,
        turned: bool,
        row: int,
        bend: float,
    ) -> None:
        pattern = PATTERNS[kind]
        carrier_row = ends[1] if turned else ends[0]
        near, far = (frame_b, frame_a) if turned else (frame_a, frame_b)
        carrier, pose = -1, HERE
        if carrier_row >= 0:
            carrier, pose = int(self.holder[carrier_row]), self.place[carrier_row]
        pose = then(pose, near)
        half = 0.5 * bend
        between: Pose = (HERE[0], (float(np.cos(half)), 0.0, 0.0, float(np.sin(half))))
        numbers = []
        for k, (letter, coordinate) in enumerate(reversed(pattern) if turned else pattern):
            if kind is Universal and k == 1:
                pose = then(pose, inverse(between) if turned else between)
            axis = AXES[letter.lower()]
            way = (-axis[0], -axis[1], -axis[2]) if turned else axis
            numbers.append(len(self.axes))
            self.axes.append((carrier, letter.isupper(), pose, way))
            self.names.append(f"{name}.{coordinate}" if len(pattern) > 1 else name)
            carrier, pose = numbers[-1], HERE
        self.holder[row], self.place[row] = carrier, then(pose, inverse(far))
        order = tuple(reversed(numbers)) if turned else tuple(numbers)
        self.joints.append(TreeJoint(name, kind, joint, ends, frame_a, frame_b, turned, order, bend))
        if joint is not None:
            self._lead(_plain(joint), dict(zip((own for _, own in pattern), order, strict=True)))

    def _lead(self, kind: "JointKind", axes: dict[str, int]) -> None:
        """Let axes follow others of the same joint along its curves, or stay."""
        if isinstance(kind, SplineJoint):
            for name, curve in zip("xyz", kind.curves, strict=True):
                first = -1 if curve is None else axes["angle"]
                self.laws[axes[name]] = Law(first, 0.0 if curve is None else curve, 0.0)
        elif isinstance(kind, CustomJoint):
            for name, axis in axes.items():
                value = getattr(kind, name)
                if isinstance(value, float):
                    self.laws[axis] = Law(-1, 0.0, value)
                elif value is not None:
                    self.laws[axis] = Law(axes[value[0]], value[1], 0.0)

    def couple(self, j: int) -> bool:
        """Let an axis follow another one as joint j couples them; return whether both are in the tree."""
        arrays, joint = self.world._joint_table.arrays, self.world.joints[j]
        kind = _plain(joint)
        m = int(arrays.row_start[j + 1]) - 1
        if isinstance(kind, Screw):
            first, second = self._axis(joint, "angle"), self._axis(joint, "displacement")
        else:
            assert isinstance(kind, Coupling)
            first = self._axis(self.world.joint(kind.joint_1), kind.coordinate_1)
            second = self._axis(self.world.joint(kind.joint_2), kind.coordinate_2)
        if first is None or second is None or second in self.laws or self._follows(first, second):
            return False
        curve = getattr(kind, "curve", None)
        own: float | Function = float(arrays.ratio[m]) if curve is None else curve
        self.laws[second] = Law(first, own, float(arrays.target[m]))
        return True

    def follow(self, name: str, leader: Follow) -> None:
        """Let a coordinate follow another one, or the time."""
        what = f"follow[{name!r}]"
        if callable(leader):
            self.laws[self._free(what, name)] = Law(-1, leader, 0.0)
            return
        if not isinstance(leader, tuple | list) or len(leader) not in (2, 3):
            raise TypeError(
                f"{what} = {checks.shown(leader)} must be (coordinate, ratio), with offset, or a curve"
            )
        second, first = self._free(what, name), self._named(what, leader[0])
        if self._follows(first, second):
            raise ValueError(f"{what}: the coordinate follows already, or what it follows follows it")
        ratio = (
            leader[1] if callable(leader[1]) else checks.number(f"{what}: ratio", leader[1], "unit per unit")
        )
        offset = checks.number(f"{what}: offset", leader[2], "m or rad") if len(leader) == 3 else 0.0
        self.laws[second] = Law(first, ratio, offset)

    def _named(self, what: str, coordinate: Any) -> int:
        """Return the axis of that name."""
        if coordinate not in self.names:
            near = hint(str(coordinate), self.names)
            raise ValueError(f"{what}: there is no coordinate {coordinate!r}{near}")
        return self.names.index(coordinate)

    def _free(self, what: str, coordinate: Any) -> int:
        """Return the axis of that name, which follows nothing yet."""
        axis = self._named(what, coordinate)
        if axis in self.laws:
            raise ValueError(f"{what}: the coordinate follows already, or what it follows follows it")
        return axis

    def _axis(self, joint: "Joint", coordinate: str | None) -> int | None:
        """Return the axis of a coordinate of a joint, None if it is none of the tree."""
        name = coordinate if coordinate is not None else joint.coordinates[0]
        for carried in self.joints:
            if carried.joint is joint:
                return axis_of(carried, name)
        return None

    def _follows(self, axis: int, other: int) -> bool:
        """Return whether an axis follows another one, by whatever many steps, or is it."""
        while axis != other and axis in self.laws:
            axis = self.laws[axis].first
        return axis == other

    def _chain(self, axis: int) -> tuple[int, tuple[Law, ...]]:
        """Return the axis that one follows in the end, -1 for the time, and the laws from there to it."""
        laws: list[Law] = []
        while axis in self.laws:
            laws.insert(0, self.laws[axis])
            axis = self.laws[axis].first
        return axis, tuple(laws)

    def finish(self, closures: tuple["Joint", ...]) -> Structure:
        """Return what was built."""
        tree = Tree.zeros(axes=len(self.axes), links=len(self.holder))
        free = [k for k in range(len(self.axes)) if k not in self.laws]
        curves = []
        for k, (carrier, slides, pose, way) in enumerate(self.axes):
            tree.carrier[k], tree.slides[k] = carrier, slides
            tree.offset[k], tree.rotation[k], tree.direction[k] = pose[0], flat(pose[1]), way
            source, laws = self._chain(k)
            tree.coordinate[k] = free.index(source) if source >= 0 else 0
            tree.slope[k], tree.start[k] = 1.0, 0.0
            for law in laws:
                if callable(law.ratio):
                    break
                tree.slope[k], tree.start[k] = (
                    law.ratio * tree.slope[k],
                    law.ratio * tree.start[k] + law.offset,
                )
            if source < 0:
                tree.slope[k] = 0.0
            if any(callable(law.ratio) for law in laws):
                curves.append((k, int(tree.coordinate[k]) if source >= 0 else -1, laws))
        tree.holder[:] = self.holder
        for i, (place, turn) in enumerate(self.place):
            tree.link_place[i], tree.link_rotation[i] = place, flat(turn)
        tree.mass[:], tree.inertia[:] = self.bodies.masses, self.bodies.inertias
        names = tuple(self.names[k] for k in free)
        if not free and len(self.axes):
            raise ValueError("follow leaves no coordinate free: let one at least follow nothing")
        return Structure(tree, tuple(self.joints), names, tuple(free), closures, tuple(curves))


def _pose(place: np.ndarray, turn: np.ndarray) -> Pose:
    x, y, z = place.tolist()
    w, a, b, c = turn.tolist()
    return (x, y, z), (w, a, b, c)
