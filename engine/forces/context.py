"""What functions of the user are called with: the world at the middle of a step, and ways to act on it."""

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import multiply, rotate
from stoss.collision.read_only import read_only
from stoss.engine import checks
from stoss.engine.forces.ends import end_of, joint_of, moved, place_of
from stoss.engine.world.load_kind import End
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.forces.store import LoadStore
    from stoss.engine.world.body import Body
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.marker import Marker
    from stoss.engine.world.world import World

__all__ = ["LoadContext"]


@closed
class LoadContext:
    """The world as a function of the user sees it, and what the function does to it.

    While the function runs, all bodies are where they will be at the middle of the step: what is read of
    bodies, markers and joints by their handles is of that time, `time`. Nothing but loads can be changed.

    Attributes:
        world: the world.
        time: the middle of the step [s].
        time_step: its length [s].
        step: its number, from 0.
        parameters: numbers of this load: `context.parameters.stiffness`.
        integrals: values of the user integrals by their names.
        scratch: (k,) numbers of this load, to be kept from step to step.
    """

    __slots__ = (
        "_forces",
        "_store",
        "_torques",
        "_what",
        "integrals",
        "parameters",
        "scratch",
        "step",
        "time",
        "time_step",
        "world",
    )

    def __init__(self, store: "LoadStore", time: float, step: int) -> None:
        self.world: World = store.world
        self._store = store
        self.time = time
        self.time_step = store.length
        self.step = step
        self.integrals: Mapping[str, Any] = IntegralValues(store)
        self.parameters = SimpleNamespace()
        self.scratch = np.zeros(0)
        self._forces = self._torques = np.zeros((0, 3))
        self._what = ""

    def _begin(self, what: str, parameters: Mapping[str, float], scratch: np.ndarray) -> None:
        """Begin with a function: its name, parameters and memory."""
        self._what, self.parameters, self.scratch = what, SimpleNamespace(**parameters), scratch
        self._forces, self._torques = self._store.functions.now

    def __repr__(self) -> str:
        return f"<LoadContext of step {self.step}, time {self.time:.6g} s>"

    # ------------------------------------------------------------- what there is

    def body(self, name: str) -> "Body":
        """Return the body of that name."""
        return self.world.body(name)

    def marker(self, name: str) -> "Marker":
        """Return the marker of that name."""
        return self.world.marker(name)

    def joint(self, name: str) -> "Joint":
        """Return the joint of that name; `joint.value` and `joint.rate` are of the middle of the step."""
        return self.world.joint(name)

    @property
    def centers_of_mass(self) -> np.ndarray:
        """Return the centres of mass (n, 3) [m] of all bodies, a read-only view."""
        return read_only(self._store.bodies.positions)

    @property
    def velocities(self) -> np.ndarray:
        """Return their velocities (n, 3) [m/s], a read-only view."""
        return read_only(self._store.bodies.velocities)

    @property
    def angular_velocities(self) -> np.ndarray:
        """Return their angular velocities (n, 3) [rad/s], world, a read-only view."""
        return read_only(self._store.bodies.angular_velocities)

    @property
    def masses(self) -> np.ndarray:
        """Return their masses (n,) [kg], 0 for those that do not react, a read-only view."""
        return read_only(self._store.bodies.masses)

    @property
    def forces(self) -> np.ndarray:
        """Return what this function gives to the centres of mass (n, 3) [N]; add to it."""
        return self._forces

    @property
    def torques(self) -> np.ndarray:
        """Return the torques (n, 3) [N m], world, that this function gives; add to them."""
        return self._torques

    # ------------------------------------------------------------- what it may do

    def force(self, body: Any, force: Any, at: Any = None, frame: Any = "world") -> None:
        """Let a force act.

        Args:
            body: a body, a marker, a body and a point of its frame, or a name of one of these.
            force: (3,) [N].
            at: point (3,) [m] in the frame of the body or marker; left out: centre of mass, or the marker.
            frame: in which the force is given: "world", "local", a body or a marker.
        """
        end = end_of(f"{self._what}: body", body, self.world)
        vector = checks.triple(f"{self._what}: force", force)
        if at is not None:
            point = checks.triple(f"{self._what}: at", at)
            end = moved(end, point) if end.point is not None else End(end.body, point, end.quaternion)
        self._act(end, self._vector(vector, end, frame))

    def torque(self, body: Any, torque: Any, frame: Any = "world") -> None:
        """Let a torque act on a body.

        Args:
            body: a body, or a marker that stands for its body, or a name.
            torque: (3,) [N m].
            frame: in which it is given: "world", "local", or a body or marker.
        """
        end = end_of(f"{self._what}: body", body, self.world)
        vector = self._vector(checks.triple(f"{self._what}: torque", torque), end, frame)
        self._turn(place_of(end, self.world)[0], vector)

    def line_force(self, first: Any, second: Any, force: float) -> None:
        """Let two points pull each other along the line between them.

        Args:
            first, second: bodies, markers, (body, point), points of the world, or names.
            force: [N]; positive pulls them together.
        """
        one, two = (
            end_of(f"{self._what}: {name}", end, self.world)
            for name, end in (("first", first), ("second", second))
        )
        number = checks.number(f"{self._what}: force", force, "N")
        away = self._point(two) - self._point(one)
        length = float(np.linalg.norm(away))
        if length > 0.0:
            self._act(one, away * (number / length))
            self._act(two, away * (-number / length))

    def joint_torque(
        self, joint: Any, torque: Any, coordinate: str | None = None, frame: Any = "joint"
    ) -> None:
        """Let a torque, or a force, act at a joint: on its second body, and the opposite on the first.

        Args:
            joint: the joint, or its name.
            torque: a number along the coordinate [N m or N], or a vector (3,) [N m].
            coordinate: for a number; may be left out where the joint has exactly one.
            frame: in which a vector is given: "joint", "first", "second", "world", or a body or marker.
        """
        from stoss.engine.forces.constant import JointTorque

        key = joint_of(f"{self._what}: joint", joint, self.world)
        kind = JointTorque(key, torque, coordinate, frame)._checked(self._what, self.world)
        for row, wrench in self._store.table.act_once(kind):
            if row >= 0:
                self._forces[row] += wrench[:3]
                self._torques[row] += wrench[3:]

    # ------------------------------------------------------------- the same by rows and numbers

    def _point(self, end: End) -> np.ndarray:
        row, point, _ = place_of(end, self.world)
        if row < 0:
            return np.array(point)
        b = self._store.bodies
        return np.asarray(b.positions[row] + rotate(b.quaternions[row].tolist(), point))

    def _vector(self, vector: Any, end: End, frame: Any) -> np.ndarray:
        """Return a vector of a frame in the world."""
        if isinstance(frame, str) and frame == "world":
            return np.array(vector)
        if not (isinstance(frame, str) and frame == "local"):
            end = end_of(f"{self._what}: frame", frame, self.world)
        row, _, turn = place_of(end, self.world)
        if row >= 0:
            turn = multiply(tuple(self._store.bodies.quaternions[row].tolist()), turn)
        return np.array(rotate(turn, vector))

    def _act(self, end: End, force: np.ndarray) -> None:
        row, _, _ = place_of(end, self.world)
        if row < 0:
            return
        arm = self._point(end) - self._store.bodies.positions[row]
        self._forces[row] += force
        self._torques[row, 0] += arm[1] * force[2] - arm[2] * force[1]
        self._torques[row, 1] += arm[2] * force[0] - arm[0] * force[2]
        self._torques[row, 2] += arm[0] * force[1] - arm[1] * force[0]

    def _turn(self, row: int, torque: np.ndarray) -> None:
        if row >= 0:
            self._torques[row] += torque


class IntegralValues(Mapping[str, Any]):
    """Values of the user integrals by their names, at the middle of the step."""

    __slots__ = ("_store",)

    def __init__(self, store: "LoadStore") -> None:
        self._store = store

    def __getitem__(self, name: str) -> Any:
        return self._store.integrals.middle(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._store.integrals.registry.names)

    def __len__(self) -> int:
        return len(self._store.integrals.registry)
