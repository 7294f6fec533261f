"""What is known of worlds under a sequence of operations, and how they are compared with it.

Each operation is carried out on the world and, after a copy or a restored snapshot, on both worlds, which
must keep the same bits. The model knows names, order, kinds, masses, materials, joints, pairs that pass
through each other, and poses of what does not move.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stoss.engine import Body, Material, Settings, SimulationError, World

__all__ = ["BodyModel", "Fault", "JointModel", "Model", "Session", "compare", "pose_of", "same", "signature"]


class Fault(AssertionError):
    """A world is not what it should be."""


@dataclass
class BodyModel:
    """What is known of a body."""

    kind: str
    mass: float
    material: Material
    pose: bytes | None  # None: it may move


@dataclass
class JointModel:
    """What is known of a joint."""

    kind: str
    first: str | None
    second: str | None
    enabled: bool = True
    drives: int = 0
    limits: int = 0


@dataclass
class Model:
    """What is known of a world."""

    bodies: dict[str, BodyModel] = field(default_factory=dict)
    joints: dict[str, JointModel] = field(default_factory=dict)
    excluded: set[frozenset[str]] = field(default_factory=set)
    forces: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    time_step: float = 0.01
    steps: int = 0
    next_body: int = 0


def signature(world: World) -> tuple[Any, ...]:
    """Return what must be the same, bit for bit, in a copy."""
    c, n = world.contacts, world.contacts.count
    arrays = [c.body_a[:n], c.body_b[:n], c.gap[:n], c.point_a[:n], world.contact_impulses, world.forces]
    arrays += [world.torques, world.asleep, world.events.begin, world.events.persist, world.events.end]
    joints = [(j.name, j.enabled, j.broken, j.force.tobytes(), j.torque.tobytes()) for j in world.joints]
    drives = [(d.enabled, d.target, d.max_force, d.force) for j in world.joints for d in j.drives]
    bodies = [(b.color, b.display, b.solver, b.surface_velocity.tobytes()) for b in world.bodies]
    control = [] if world._control is None else list(_bits(world._control.save()))
    now = world.state_hash(), world.time, world.step_count, str(world.ledger), joints, drives, bodies, control
    return *now, *(np.ascontiguousarray(a).tobytes() for a in arrays)


def _bits(state: Any) -> Iterator[Any]:
    """Give the numbers and texts of the state of controllers and the like, arrays as bytes."""
    if isinstance(state, dict):
        state = tuple(state.items())
    if isinstance(state, tuple):
        for one in state:
            yield from _bits(one)
    else:
        yield state.tobytes() if isinstance(state, np.ndarray) else state


class Session:
    """Worlds under a sequence of operations.

    Attributes:
        worlds: one, or two that must keep the same bits.
        model: of them.
        counts: how many operations were made, how many of them on copies or restored worlds, and refused.
    """

    def __init__(self) -> None:
        self.worlds = [World()]
        self.model = Model()
        self.states: list[tuple[Any, Model]] = []
        self.counts = {"operations": 0, "on copies": 0, "refused": 0}
        self.is_copy = False

    @property
    def world(self) -> World:
        """Return the world."""
        return self.worlds[0]

    # ------------------------------------------------------------- acting on all worlds alike

    def each(self, act: Callable[[World], Any]) -> bool:
        """Do the same to each world; return whether it was done. What is refused changes nothing."""
        outcomes, before = [], [signature(world) for world in self.worlds]
        for world in self.worlds:
            try:
                act(world)
                outcomes.append("")
            except (ValueError, TypeError, SimulationError) as error:
                outcomes.append(f"{type(error).__name__}: {error}")
        if len(set(outcomes)) > 1:
            raise Fault(f"the worlds disagree: {outcomes}")
        if not outcomes[0]:
            return True
        self.counts["refused"] += 1
        for world, bits in zip(self.worlds, before, strict=True):
            compare(signature(world), bits, f"after the refusal {outcomes[0]!r}")
        return False

    def name_of(self, number: int, *kinds: str) -> str | None:
        """Return the name of one of the bodies, of these kinds if any are given."""
        names = [name for name, body in self.model.bodies.items() if not kinds or body.kind in kinds]
        return names[number % len(names)] if names else None

    def joint_of(self, number: int) -> str | None:
        """Return the name of one of the joints."""
        names = list(self.model.joints)
        return names[number % len(names)] if names else None

    def note(self, name: str, kind: str, material: Material) -> None:
        """Let the model know a body that was added."""
        body = self.world.body(name)
        self.model.bodies[name] = BodyModel(kind, body.mass, material, None)
        self.model.next_body += 1
        self.note_pose(name)

    def note_pose(self, name: str) -> None:
        """Remember the pose of a body that does not move."""
        known = self.model.bodies[name]
        known.pose = pose_of(self.world.body(name)) if known.kind == "static" else None

    # ------------------------------------------------------------- checks

    def check(self) -> None:
        """Compare all worlds with the model, and with each other."""
        if len(self.worlds) > 1:
            compare(signature(self.worlds[1]), signature(self.worlds[0]), "the copy and the original")
        for world in self.worlds:
            self._check(world)

    def _check(self, world: World) -> None:
        m, bodies, joints = self.model, world.bodies, world.joints
        names = [body.name for body in bodies]
        same("names of bodies", names, list(m.bodies))
        same("names of joints", [joint.name for joint in joints], list(m.joints))
        for row, body in enumerate(bodies):
            known = m.bodies[body.name]
            same(f"kind of {body.name}", body.kind, known.kind)
            same(f"mass of {body.name}", body.mass, known.mass)
            same(f"material of {body.name}", body.material, known.material)
            same(f"row of {body.name}", body.index, row)
            same(f"world of {body.name}", body.world is world and world.body(body.name) is body, True)
            same(f"force on {body.name}", tuple(world.forces[row]), m.forces.get(body.name, (0.0, 0.0, 0.0)))
            if known.pose is not None:
                same(f"pose of {body.name}", pose_of(body), known.pose)
        for joint in joints:
            told = m.joints[joint.name]
            same(f"kind of {joint.name}", type(joint.kind).__name__, told.kind)
            ends = [None if body is None else body.name for body in (joint.first, joint.second)]
            same(f"bodies of {joint.name}", ends, [told.first, told.second])
            same(f"{joint.name} enabled", joint.enabled, told.enabled)
            counts = len(joint.drives), len(joint.limits)
            same(f"drives and limits of {joint.name}", counts, (told.drives, told.limits))
        pairs = m.excluded | {
            frozenset((j.first, j.second)) for j in m.joints.values() if j.first and j.second
        }
        passing = {frozenset((names[i], names[j])) for i, j in world._body_store.detector.excluded}
        same("pairs that pass", passing, pairs)
        count = len(names)
        for array in (world.positions, world.velocities, world.masses, world.asleep, world.island_numbers):
            same("length of arrays", len(array), count)
        c = world.contacts
        rows = [
            c.body_a[: c.count],
            c.body_b[: c.count],
            world.events.persist.ravel(),
            world.events.end.ravel(),
        ]
        same("rows in contacts and events", all((r < count).all() and (r >= 0).all() for r in rows), True)
        same("finite", bool(np.isfinite(world.positions).all() and np.isfinite(world.velocities).all()), True)
        now = world.settings, tuple(world.gravity), world.time_step, world.step_count
        same("settings, gravity, steps", now, (m.settings, m.gravity, m.time_step, m.steps))


def same(what: str, found: Any, expected: Any) -> None:
    """Raise Fault unless what was found is what is known."""
    if found != expected:
        raise Fault(f"{what}: {found} is not {expected}")


def compare(found: tuple[Any, ...], expected: tuple[Any, ...], what: str) -> None:
    """Raise Fault unless two signatures are the same; `what` says whose they are."""
    for k, (one, other) in enumerate(zip(found, expected, strict=True)):
        if one != other:
            raise Fault(f"{what} differ in entry {k} of the signature")


def pose_of(body: Body) -> bytes:
    """Return the bits of a pose."""
    return body.position.tobytes() + body.quaternion.tobytes()
