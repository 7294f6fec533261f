"""The pose in which a model begins: from places and angles along the joints, loops closed afterwards.

Krieg 1992, section 4.3.13, in space too: one anchor for each chain, absolute or relative angles, and each
neighbour where its joint has it. What joints of loops still miss is taken off by correcting all poses
together, by least squares with weights.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from stoss.collision.quaternions import (
    Quaternion,
    Vector,
    length,
    multiply,
    quaternion_of,
    rotation,
    vector_of,
)
from stoss.engine import checks
from stoss.engine.joints.arrays import HOLD, SLIDE, SUM, TWIST
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.joints.probes import measured
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.frames import HERE, Pose, inverse, placed, then
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.engine.world.world import World
from stoss.names import hint

__all__ = ["assemble"]

_EVALUATIONS = 300  # of all joints, to close loops
_LARGEST = 60  # bodies whose loops are closed: it takes their number cubed


def assemble(world: World, initial: records.Initial, coordinates: Mapping[str, records.Coordinate]) -> None:
    """Put the bodies of a world, whose joints are there, where the model begins.

    Args:
        world: the world.
        initial: what is said of the pose.
        coordinates: named coordinates of the model.

    Raises:
        ModelError: a name is not known, or joints or anchors cannot be reached; names each with its distance.
    """
    _Assembly(world, initial, coordinates).run()


class _Assembly:
    def __init__(
        self, world: World, initial: records.Initial, coordinates: Mapping[str, records.Coordinate]
    ) -> None:
        self.world, self.initial = world, initial
        self.turns = self._turns()
        self.values = self._values(coordinates)
        self.anchors = {name: self._point("anchors", name) for name in initial.anchors}
        self.at = {
            name: (self._point("at", name), self._point("at", other)) for name, other in initial.at.items()
        }
        for name in initial.weights:
            world.joint(name)
        self.edges = self._edges()
        self.relative = {joint.name: self._between(joint) for joint in world.joints if self._joins(joint)}

    def run(self) -> None:
        done: set[str | None] = set()
        queue: deque[str | None] = deque()
        for name, (body, local) in self.anchors.items():
            if body.name not in done:
                turn = self.turns.get(body.name, _pose(body)[1])
                self._put(body, _with_point_at(turn, local, self.initial.anchors[name]))
                done.add(body.name)
                queue.append(body.name)
        for fixed in (None, *(body.name for body in self.world.bodies if body.kind == "static")):
            done.add(fixed)
            queue.append(fixed)
        self._follow(queue, done)
        for (body, local), (other, there) in self.at.values():
            self._stay(other, done)
            turn = self.turns.get(body.name, _pose(body)[1])
            self._put(body, _with_point_at(turn, local, placed(_pose(other), there)))
            done.add(body.name)
            self._follow(deque([body.name]), done)
        for body in self.world.bodies:
            if body.name in self.turns:
                self._stay(body, done)
        if self._misses():
            self._close(sorted({body.name for body in self.world.bodies if body.kind != "static"}))
            misses = self._misses()
            if misses:
                raise ModelError(
                    f"the pose cannot be reached: {', '.join(misses)}; give other places or angles, or "
                    "initial.tolerance"
                )

    def _stay(self, body: Body, done: set[str | None]) -> None:
        """Leave a body that nothing else places where it is, turned as is said of it."""
        if body.name not in done:
            self._put(body, (_pose(body)[0], self.turns.get(body.name, _pose(body)[1])))
            done.add(body.name)
            self._follow(deque([body.name]), done)

    # ------------------------------------------------------------- what is said

    def _turns(self) -> dict[str, Quaternion]:
        """Return the orientations that are said of bodies."""
        found: dict[str, Quaternion] = {}
        for name, turn in self.initial.orientations.items():
            found[self.world.body(name).name] = checks.unit_quaternion(f"orientations.{name}", turn)
        for name, angle in self.initial.angles.items():
            if self.world.plane is None:
                raise ModelError(f"angles.{name} = {angle}: the model is not planar; give orientations")
            found[self.world.body(name).name] = self.world.plane.quaternion(angle)
        return found

    def _values(self, named: Mapping[str, records.Coordinate]) -> dict[str, dict[tuple[int, int], float]]:
        """Return the values that are said of coordinates, by joint, measure and axis."""
        found: dict[str, dict[tuple[int, int], float]] = {}
        for name, value in self.initial.coordinates.items():
            record = named.get(name)
            joint = self.world.joint(name if record is None else record.joint)
            own = None if record is None else record.coordinate
            joint.value_of(own)
            place = joint._coordinates[own or joint.coordinates[0]]
            if place[0] != 0 or place[1] not in (TWIST, SLIDE):
                raise ModelError(
                    f"coordinates.{name}: only angles about an axis and displacements can be given"
                )
            found.setdefault(joint.name, {})[place[1], place[2]] = value
        return found

    def _point(self, what: str, name: str) -> tuple[Body, Vector]:
        """Return the body, and the place on it, of a marker or a body."""
        bodies, markers = self.world._all_bodies.registry, self.world._markers.registry
        if name in bodies:
            return bodies.named(name), (0.0, 0.0, 0.0)
        marker = markers.named(name) if name in markers else None
        if marker is None or marker.body is None:
            known = [*bodies.names, *markers.names]
            raise ModelError(f"{what}: {name!r} is no body and no marker of one{hint(name, known)}")
        return marker.body, marker._record.position

    # ------------------------------------------------------------- along the joints

    def _joins(self, joint: Joint) -> bool:
        """Return whether a joint says where one body is if the other is known."""
        own = of_joint(joint._table.arrays, joint._row)
        return not isinstance(joint.kind, Coupling) and bool(
            ((own.role == HOLD) & (own.measure == SLIDE) & (own.part == own.part[0])).any()
        )

    def _edges(self) -> dict[str | None, list[Joint]]:
        edges: dict[str | None, list[Joint]] = {}
        for joint in self.world.joints:
            if self._joins(joint):
                for body in (joint.first, joint.second):
                    edges.setdefault(None if body is None else body.name, []).append(joint)
        return edges

    def _between(self, joint: Joint) -> tuple[Pose, Pose, Pose]:
        """Return both frames on the shapes of the bodies, and the second in the first where they are now."""
        own = of_joint(joint._table.arrays, joint._row)
        ends = []
        for side, (points, turns) in enumerate(
            ((own.point_a, own.quaternion_a), (own.point_b, own.quaternion_b))
        ):
            frame: Pose = (vector_of(points[0]), quaternion_of(turns[0]))
            ends.append(then(inverse(self._shapes(int(own.ends[0, side]))), frame))
        first, second = (_where(body) for body in (joint.first, joint.second))
        now = then(inverse(then(first, ends[0])), then(second, ends[1]))
        position, quaternion = list(now[0]), now[1]
        held = {
            (int(m), int(a)) for m, a, r in zip(own.measure, own.axis, own.role, strict=True) if r == HOLD
        }
        said = self.values.get(joint.name, {})
        for axis in range(3):
            if (SLIDE, axis) in held:
                position[axis] = 0.0
            position[axis] = said.get((SLIDE, axis), position[axis])
        if (TWIST, 0) in said:
            quaternion = rotation((0.0, 0.0, 1.0), said[TWIST, 0])
        return ends[0], ends[1], ((position[0], position[1], position[2]), quaternion)

    def _shapes(self, row: int) -> Pose:
        """Return where the frame of a body's shapes is in its principal axes."""
        if row < 0:
            return HERE
        b = self.world._all_bodies.arrays
        return vector_of(b.frame_positions[row]), quaternion_of(b.frame_quaternions[row])

    def _follow(self, queue: deque[str | None], done: set[str | None]) -> None:
        """Place the neighbours of what is placed, breadth first."""
        while queue:
            name = queue.popleft()
            for joint in self.edges.get(name, ()):
                ends = [joint.first, joint.second]
                mine = 0 if (None if ends[0] is None else ends[0].name) == name else 1
                other = ends[1 - mine]
                if other is None or other.name in done:
                    continue
                frames = self.relative[joint.name]
                relative = frames[2] if mine == 0 else inverse(frames[2])
                here = then(_where(ends[mine]), frames[mine])
                there = then(here, relative)
                pose = then(there, inverse(frames[1 - mine]))
                if other.name in self.turns:
                    pose = _with_point_at(self.turns[other.name], frames[1 - mine][0], there[0])
                self._put(other, pose)
                done.add(other.name)
                queue.append(other.name)

    def _put(self, body: Body, pose: Pose) -> None:
        self.world._all_bodies.set_pose(body._row, pose[0], pose[1])

    # ------------------------------------------------------------- loops

    def _misses(self) -> list[str]:
        """Return which joints and anchors are missed by more than the tolerance, and by how much."""
        found, most = [], self.initial.tolerance
        for joint in self.world.joints:
            if isinstance(joint.kind, Coupling):
                continue
            for error, unit in ((joint.error, "m"), (joint.angle_error, "rad")):
                if error > most:
                    found.append(f"joint {joint.name!r} misses by {error:.4g} {unit}")
        for name, (body, local) in self.anchors.items():
            error = float(np.linalg.norm(np.subtract(placed(_pose(body), local), self.initial.anchors[name])))
            if error > most:
                found.append(f"anchor {name!r} misses by {error:.4g} m")
        return found

    def _residuals(self) -> np.ndarray:
        found: list[np.ndarray] = []
        for joint in self.world.joints:
            if not isinstance(joint.kind, Coupling):
                own = of_joint(joint._table.arrays, joint._row)
                values, _ = measured(own, self.world._all_bodies.arrays)
                rows = (own.role == HOLD) & (own.measure < SUM)
                found.append((values - own.target)[rows] * self.initial.weights.get(joint.name, 1.0))
        for name, (body, local) in self.anchors.items():
            found.append(np.subtract(placed(_pose(body), local), self.initial.anchors[name]))
        return np.concatenate(found)

    def _close(self, names: list[str]) -> None:
        """Correct all poses together until joints and anchors are met, as near as can be."""
        from scipy.optimize import least_squares

        if len(names) > _LARGEST:
            raise ModelError(
                f"{len(names)} bodies, and these joints are open: {', '.join(self._misses()[:5])}; loops of "
                f"more than {_LARGEST} bodies are not closed: give poses in which they are"
            )
        bodies = [self.world.body(name) for name in names]
        start = [_pose(body) for body in bodies]
        plane = self.world.plane

        def place(x: np.ndarray) -> None:
            for number, body in enumerate(bodies):
                if plane is None:
                    move, turn = x[6 * number : 6 * number + 3], _turn(x[6 * number + 3 : 6 * number + 6])
                else:
                    move = np.array(plane.vector(*x[3 * number : 3 * number + 2].tolist()))
                    turn = plane.quaternion(float(x[3 * number + 2]))
                position, quaternion = start[number]
                a, b, c = (np.array(position) + move).tolist()
                w, i, j, k = multiply(turn, quaternion)
                size = length((w, i, j, k))
                self._put(body, ((a, b, c), (w / size, i / size, j / size, k / size)))

        def miss(x: np.ndarray) -> np.ndarray:
            place(x)
            return self._residuals()

        freedom = 6 if plane is None else 3
        tight = 1e-15
        found = least_squares(
            miss, np.zeros(freedom * len(bodies)), xtol=tight, ftol=tight, gtol=tight, max_nfev=_EVALUATIONS
        )
        place(found.x)


def _turn(vector: np.ndarray) -> Quaternion:
    size = float(np.linalg.norm(vector))
    if size == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = (vector / size).tolist()
    return rotation((x, y, z), size)


def _with_point_at(turn: Quaternion, local: Vector, place: Any) -> Pose:
    """Return the pose of a body that is turned like this and has a point of its own at some place."""
    x, y, z = placed(((0.0, 0.0, 0.0), turn), local)
    return (float(place[0]) - x, float(place[1]) - y, float(place[2]) - z), turn


def _where(body: Body | None) -> Pose:
    return HERE if body is None else _pose(body)


def _pose(body: Body) -> Pose:
    return vector_of(body.position), quaternion_of(body.quaternion)
